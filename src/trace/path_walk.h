/* SPDX-License-Identifier: BSD-2-Clause */
/* path_walk.h - the packets of the control flow, one after another, for path.c:
 * what may stand anywhere is taken on the way. */
#ifndef SRC_TRACE_PATH_WALK_H
#define SRC_TRACE_PATH_WALK_H

#include "src/trace/path.h"

/* "Indirect Transfer Compression for Returns (RET)": so many are kept. */
#define WALK_CALLS 64
struct walk_call {
    uint64_t target, step;
    bool over_psb, unsure; /* a PSB since; or perhaps just before it */
};

/* PATH_MODE_TSX_MAYs, the youngest that no packet was for. */
#define WALK_STATUSES 4

struct walk {
    const struct path *path;
    struct path_seen *seen;
    struct pt_reader reader;
    uint64_t last_ip;
    /* Results of a TNT that no branch has used up, the oldest highest. */
    uint64_t results;
    unsigned result_count;
    bool mode_known;   /* MODE.Exec since the last PSB */
    bool mode_pending; /* MODE.Exec, whose TIP or TIP.PGE is next */
    bool mode_due;     /* it has to come before the next TIP */
    bool alone;        /* a FUP that comes next has no TIP */
    bool bound;        /* the next packet is of the same event as the last */
    bool lost;         /* packets, and MODE.Exec may come again */
    uint8_t mode;      /* the processor's, as MODE.Exec has it */
    uint8_t mode_next; /* from that TIP on, where mode_due */
    uint8_t mode_said; /* by the last MODE.Exec, where mode_known */
    bool ended;        /* after a whole packet */
    bool fup_may;      /* a FUP may be next, with this address */
    uint64_t fup;
    uint8_t statuses[WALK_STATUSES];
    unsigned status_count;
    uint8_t status_said;  /* by the last MODE.TSX, of PSB+ too */
    uint8_t kind, before; /* of the last packet and the one before; no PADs */
    /* The youngest PATH_CALLs that have not returned. */
    struct walk_call calls[WALK_CALLS];
    unsigned call_count;
    uint64_t flow_step; /* the last step that had a packet, or a result */
};

/* TIP, TIP.PGE, TIP.PGD, FUP. */
bool walk_has_ip(unsigned kind);

/* Notes in *seen what is wrong, if nothing was before. Returns false, for the
 * caller to return. */
bool walk_wrong(struct walk *w, const char *text, uint64_t offset, unsigned got,
                uint64_t value);

/* The next packet of the control flow; its address, where it has one, in the
 * payload. False where the trace ends or is wrong, which is noted. */
bool walk_next(struct walk *w, struct pt_packet *packet, uint64_t *offset);

#endif
