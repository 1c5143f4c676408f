/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters.h - the performance counters: their registers, and what one
 * retired instruction does to them.
 *
 * SDM volume 3B, chapter "Performance Monitoring", topics "Architectural
 * Performance Monitoring" (versions 1 to 4), "Intel TSX support".
 */
#ifndef SILICON_MODEL_COUNTERS_COUNTERS_H
#define SILICON_MODEL_COUNTERS_COUNTERS_H

#include "tests/silicon/model/machine.h"

#define COUNTER_WIDTH 48
#define COUNTER_MASK  (BIT(COUNTER_WIDTH) - 1)

/* Umasks of RTM_RETIRED (C9H) and HLE_RETIRED (C8H): SDM 3B, tables of
 * performance events of the 4th generation. */
#define TX_EVENT_START      0x01u
#define TX_EVENT_COMMIT     0x02u
#define TX_EVENT_ABORTED    0x04u
#define TX_EVENT_MEM        0x08u
#define TX_EVENT_TIMER      0x10u
#define TX_EVENT_UNFRIENDLY 0x20u
#define TX_EVENT_MEMTYPE    0x40u
#define TX_EVENT_EVENTS     0x80u

/* Umasks of TX_MEM (54H) and TX_EXEC (5DH), in the same tables. ABORT_CAPACITY
 * is of reads, too, from 06_4EH on; 06_6AH has a umask of its own for these. */
#define TX_MEM_CONFLICT         0x01u
#define TX_MEM_CAPACITY_WRITE   0x02u
#define TX_MEM_STORE_TO_LOCK    0x04u /* that is elided, without XRELEASE */
#define TX_MEM_MISMATCH         0x10u /* address or value of an XRELEASE */
#define TX_MEM_BUFFER_FULL      0x40u /* one lock too many to be elided */
#define TX_MEM_CAPACITY_READ    0x80u
#define TX_EXEC_NESTED_TOO_DEEP 0x04u
#define TX_EXEC_RTM_IN_HLE      0x08u
#define TX_EXEC_HLE_IN_RTM      0x10u

/* What has just happened in the processor. */
struct retirement {
    uint32_t instructions; /* 0 or 1; more during an SMI */
    uint8_t branch;        /* a set of INSTRUCTION_BRANCH* bits, or 0 */
    bool indirect;         /* near JMP or CALL through r/m */
    bool taken;            /* a branch that was taken */
    bool mispredicted;     /* a branch that was not expected so */
    bool user;             /* CPL > 0 */
    bool in_tx;
    uint8_t tx_events;       /* a set of TX_EVENT_*; with nothing else */
    bool hle;                /* these are HLE_RETIRED's */
    uint8_t tx_mem, tx_exec; /* a TX_MEM_*, a TX_EXEC_*; with nothing else */
    uint32_t cycles;
    uint32_t rounds; /* a sum, in which each branch is so many; 0: none */
    const struct data_result *data; /* its loads and stores, if watched */
    unsigned data_count;
};

/* The registers, by number. False: #GP. */
bool counters_read(struct processor *p, uint32_t number, uint64_t *value);
bool counters_write(struct processor *p, uint32_t number, uint64_t value);

/* RDPMC with this ECX; the caller has checked CR4.PCE. False: #GP. */
bool counters_rdpmc(struct processor *p, uint32_t ecx, uint64_t *value);

/* Is anything counted of what this processor executes? */
bool counters_watch(const struct processor *p);

/* Counts it on every counter that is enabled for it. */
void counters_retire(struct processor *p, const struct retirement *r);

/* It has been halted for so many cycles. */
void counters_halted(struct processor *p, uint64_t cycles);

/* What the other thread of the core has made AnyThread counters count. To be
 * called before their registers are accessed. */
void counters_collect(struct processor *p);

/* A performance monitoring interrupt: for the local APIC, and it may freeze
 * the counters. */
void counters_raise_pmi(struct processor *p);

/* IN_TXCP: saves counter values, and restores them on an abort. */
void counters_checkpoint(struct processor *p);
void counters_roll_back(struct processor *p);
/* All of them, whatever they count. */
void counters_restore(struct processor *p);

/* Ways for counter 3 to go wrong. `always`: each time and visibly, for faults;
 * otherwise as the seed has it. */
void counter3_garble(struct processor *p, bool always);
/* RTM_FORCE_ABORT = 1 makes it usable; its registers stay as they are. */
void counter3_recover(struct processor *p);
void counter3_rewrite_select(struct processor *p);
void counter3_disable(struct processor *p);

#endif
