/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * path.h - a captured trace followed along the path that the traced code is
 * known to have taken: each packet of the control flow is there, in its place,
 * with its address, and no other. Pure; over src/pt/.
 *
 * SDM 3C, Intel Processor Trace, "Packet Generation under Different Enable
 * Conditions", "Packet Relationships and Ordering", "Deferred TIPs",
 * "Indirect Transfer Compression for Returns (RET)". What the manual leaves to
 * the processor is accepted: how many results a TNT has, TIPs deferred after a
 * TNT, returns compressed or not, PADs, CBR and PSB+ anywhere.
 */
#ifndef SRC_TRACE_PATH_H
#define SRC_TRACE_PATH_H

#include "src/pt/packet.h"

/* What one event leaves in a trace. The numbers are those of
 * asm/trace_bodies.inc. */
enum path_kind {
    PATH_END,
    PATH_NOT_TAKEN, /* a conditional branch: one result of a TNT */
    PATH_TAKEN,
    PATH_TIP,        /* value: the target */
    PATH_RET,        /* the same, or one result "taken" */
    PATH_FUP,        /* value: the address */
    PATH_PGE,        /* TIP.PGE; value: the address */
    PATH_PGD,        /* TIP.PGD; value: the address */
    PATH_PGD_HIDDEN, /* TIP.PGD without an address; value: that of the target,
                        where it is known */
    PATH_MODE_TSX,   /* value: its bits 1:0 */
    PATH_PIP,        /* value: the payload, path_pip() */
    PATH_TRACESTOP,
    PATH_PGD_DIRECT,  /* PATH_PGD by an unconditional direct branch */
    PATH_PGD_MAY,     /* TIP.PGD; value: the address, where it has one */
    PATH_PIP_OWN,     /* PATH_PIP of the CR3 that the window began with */
    PATH_PIP_OTHER,   /* PATH_PIP of the window's argument */
    PATH_TIP_HANDLER, /* PATH_TIP to one of the handlers of trace_window.h */
    PATH_TIP_ERROR,
    PATH_TIP_TRAP,
    PATH_FUP_MAY,     /* PATH_FUP, or nothing */
    PATH_TIP_ALIAS,   /* PATH_TIP, the window's argument higher */
    PATH_TIP_ALIAS_2, /* and TRACE_ALIAS_STEP higher */
    PATH_FUP_ALIAS_2,
    PATH_PIP_COUNT, /* PATH_PIP of the window's count */
    PATH_CALL,      /* no packet; value: where its return goes */
    PATH_RET_OF,    /* PATH_RET, compressed only where its PATH_CALL is known to
                       a decoder that began at the last PSB */
    PATH_MODE_EXEC, /* MODE.Exec before the next TIP, unless the last one said
                       so since a PSB; value: its bits 1:0 */
    PATH_FUP_ALIAS,
    PATH_MODE_TSX_MAY, /* PATH_MODE_TSX while FilterEn is 0: may be left out, if
                          before the next TIP.PGE InTX is what was said last */
    PATH_KINDS
};

struct path_step {
    uint32_t kind;
    uint64_t value;
};

/* The path. */
struct path {
    /* Step `index`; false where the path ends before it. */
    bool (*step)(const void *source, uint64_t index, struct path_step *step);
    const void *source;
    /* True where the processor may be at this address between the step before
     * `index` and step `index`; NULL: not known. */
    bool (*at)(const void *source, uint64_t index, uint64_t address);
    bool interrupts;         /* may come: FUP, TIP to a handler, TIP back */
    bool no_ret_compression; /* IA32_RTIT_CTL (570H)[11] (DisRETC) */
    bool any_nr;     /* nothing is said of NR in PIP: in a hypervisor's guest */
    bool cut;        /* the trace may begin inside of a packet */
    unsigned timing; /* set of PATH_TIMING_x: packets enabled */
    uint64_t cyc_least; /* by CycThresh */
    unsigned errata;    /* of packets: pt_errata() */
};
#define PATH_TIMING_CYC 1u
#define PATH_TIMING_MTC 2u
#define PATH_TIMING_TSC 4u
#define PATH_TIMING_TMA 8u

/* A path in an array. */
struct path_list {
    const struct path_step *steps;
    uint64_t count;
};
bool path_list_step(const void *list, uint64_t index, struct path_step *step);

/* One PSB+. */
struct path_psb {
    uint64_t offset;
    uint64_t step;               /* the one that comes after it */
    uint8_t packets[PT_KINDS];   /* how many of each, PSB and PSBEND too */
    uint64_t ip, pip, tsc, tma;  /* of these, where there is one */
    uint8_t mode_exec, mode_tsx; /* bits */
};
#define PATH_PSBS 16

/* The payload of a PIP: CR3[51:12] in bits 47:8, NR (bit 0) = 0 ("PIP Packet
 * Definition", not with PAE paging). */
static inline uint64_t path_pip(uint64_t cr3)
{
    return (cr3 & UINT64_C(0x000ffffffffff000)) >> 4;
}

/* What the timing packets say. */
struct path_times {
    uint64_t first_tsc, last_tsc;
    uint64_t tma;                /* the payload of the first TMA */
    unsigned mtc_repeats;        /* MTCs that say what the one before said */
    uint64_t mtc_steps;          /* from the first to the last */
    uint64_t mtc_payloads[4];    /* a bit for each that came */
    uint8_t mtc_ones, mtc_zeros; /* bits that were so in one */
    uint8_t first_mtc, last_mtc;
    uint8_t cbr_least, cbr_most;
    uint64_t cycles;    /* the sum of all CYCs but the first */
    unsigned cyc_short; /* of them below cyc_least */
};

struct path_seen {
    const char *wrong; /* NULL: the trace is that of the path, to its end */
    /* Where it is wrong: the step, and the packet found in its place. */
    uint64_t step;
    struct path_step want; /* PATH_END: nothing more */
    uint64_t offset;
    unsigned got; /* enum pt_kind; PT_KINDS: the trace has ended */
    uint64_t value;

    bool overflow; /* OVF: packets are lost, and nothing is said above */
    uint8_t after_overflow; /* the next packet of the control flow; PT_KINDS */
    bool astray;            /* and what follows it is nowhere on the path */
    unsigned modes_missing; /* TIP.PGEs with no MODE.Exec since the last PSB */
    unsigned addresses_missing; /* PATH_PGD_DIRECTs without one */
    unsigned psbs;
    struct path_psb psb[PATH_PSBS]; /* the first of them */
    unsigned packets[PT_KINDS];     /* all of it, PSB+ too */
    unsigned interrupts;            /* that came, and returned */
    unsigned compressed, returns;   /* returns, and those in a TNT */
    unsigned over_psb;              /* PATH_RET_OFs with a PSB since the call */
    struct path_times times;
};

/* Follows bytes from their first PSB on, which comes before step `first`. */
void path_follow(const uint8_t *bytes, size_t size, const struct path *path,
                 uint64_t first, struct path_seen *seen);

/* "TIP to", for a line; then the value follows. */
const char *path_step_name(unsigned kind);

#endif
