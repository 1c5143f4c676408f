/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsx_events.h - what a trace says of transactions: begin, commit, abort; and
 * where it says what the manual does not allow. Pure, like packet.h, which it
 * reads.
 *
 * SDM 3C, Intel Processor Trace: "TSX Packet Scenarios", "MODE.TSX Packet
 * Definition", "Packet Generation under Different Enable Conditions" (rows 26
 * to 28), "Compound Packet Event Summary". HLE and RTM look alike. Instructions
 * of an aborted region are in the trace too: its packets are not rolled back.
 */
#ifndef SRC_PT_TSX_EVENTS_H
#define SRC_PT_TSX_EVENTS_H

#include "src/pt/packet.h"

enum pt_transition {
    PT_NO_TRANSITION, /* a deviation alone */
    PT_BEGIN,
    PT_COMMIT,
    PT_ABORT,
    PT_STATE,    /* no event: what PSB+ says of the moment of its FUP */
    PT_OVERFLOW, /* no event: packets were lost here, transitions too maybe */
    PT_TRANSITIONS
};

enum pt_deviation {
    PT_NO_DEVIATION,
    PT_MODE_WITHOUT_FUP, /* although PacketEn is 1 */
    PT_BEGIN_INSIDE,     /* of a transaction: nested ones are not sent */
    PT_COMMIT_OUTSIDE,   /* no change, so no packet should be */
    PT_ABORT_OUTSIDE,
    PT_ABORT_WITHOUT_TARGET,
    PT_INTX_AND_TXABORT,
    PT_EVENT_INSIDE,      /* an asynchronous event without an abort first */
    PT_FUP_WITHOUT_TIP,   /* an asynchronous event without its target */
    PT_STATE_DIFFERS,     /* PSB+ from the transitions before */
    PT_PSB_WITHOUT_END,   /* a packet that may not be in PSB+ before PSBEND */
    PT_OWNER_WITHOUT_FUP, /* IP is 1, and the FUP that belongs to it missing */
    PT_INCOMPLETE, /* the data end, or are damaged, before all packets of it */
    /* Its addresses are unknown then. */
    PT_NOT_CANONICAL, /* of XBEGIN, XEND or where an abort goes on */
    PT_DOUBTFUL,      /* continues one in which something may be wrong */
    PT_DEVIATIONS
};

/* One transition, with what is wrong with it; or a deviation alone. */
struct pt_tsx_event {
    enum pt_transition transition;
    enum pt_deviation deviation;
    uint64_t offset; /* of the MODE.TSX or OVF; else of what deviates */
    uint64_t at;     /* of the packet at which all was known */
    /* Addresses, where known: not where PacketEn is 0 (filtered out), the IP is
     * suppressed, or a packet is missing. */
    bool has_ip, has_target, has_region;
    bool in_tx;      /* PT_STATE: InTX */
    uint64_t ip;     /* of the instruction: XBEGIN, XEND, the aborting one.. */
    uint64_t target; /* abort: where it goes on */
    uint64_t region; /* commit, abort: the ip of its begin */
};

const char *pt_transition_name(enum pt_transition transition);
const char *pt_deviation_text(enum pt_deviation deviation);

enum pt_known { PT_UNKNOWN, PT_NO, PT_YES };

/* The state of one stream. */
struct pt_tsx {
    struct pt_reader reader; /* pt_feed() it; the rest is the checker's */
    uint64_t last_ip;
    bool doubts; /* set after pt_tsx_open(): bytes may be damaged, so that what
                    is wrong is taken to be in last_ip, too */
    bool doubtful; /* .. and is, up to a whole address */
    enum pt_known in_tx, packet_en;
    enum {
        PT_IDLE,
        PT_WANTS_FUP,    /* after a MODE.TSX */
        PT_WANTS_TIP,    /* after the FUP of an abort */
        PT_ASYNCHRONOUS, /* after a FUP that nothing before it owns */
        PT_OWNER,        /* after a packet that the next FUP belongs to */
        PT_IN_PSB,       /* between PSB and PSBEND */
    } phase;
    bool promised; /* PT_OWNER: by IP = 1, at pending.offset */
    bool overflow; /* after an OVF, before its FUP or TIP.PGE */
    bool psb_fup, psb_mode;
    bool has_region;
    uint64_t region;
    bool has_deferred;
    struct pt_tsx_event pending, deferred;
    enum pt_result held; /* to be returned after the event before it */
};

void pt_tsx_open(struct pt_tsx *tsx);

/* Reads on to the next event. PT_OK: *event is it. Any other result is what
 * pt_decode says of the packets; then what is not certain becomes unknown,
 * and reading goes on. PT_RESERVED_MODE_TSX comes as PT_INTX_AND_TXABORT. What
 * is pending comes before an OVF, and as PT_INCOMPLETE before PT_END, PT_CUT
 * and an error after which the packets are lost. */
enum pt_result pt_tsx_next(struct pt_tsx *tsx, struct pt_tsx_event *event)
    __attribute__((warn_unused_result));

#endif
