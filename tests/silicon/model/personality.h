/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * personality.h - what a processor model is, as data. One file of
 * tests/silicon/personalities/ fills in one of these; its file name is its
 * name and nothing else has to be changed to add one.
 */
#ifndef SILICON_MODEL_PERSONALITY_H
#define SILICON_MODEL_PERSONALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/silicon/model/memory/cache.h"

/* White paper 604224, sections 1 and 2, and what came after it. */
enum regime {
    REGIME_A, /* no MSR 10FH; RTM as the silicon has it, maybe with 122H */
    REGIME_B, /* October 2018: bit 0 of 10FH; counter 3 unreliable */
    REGIME_C, /* June 2021: bits 0-2 of 10FH; C' and D by its bits */
    REGIME_E, /* TSX fused away: 10FH discards, XBEGIN raises #UD */
    REGIME_F, /* February 2022: MSRs 122H and 123H */
};

/* What an event of the performance monitors counts in this simulation. */
enum event_kind {
    EVENT_NOTHING,
    EVENT_INSTRUCTIONS,
    EVENT_BRANCHES,
    EVENT_BRANCHES_CONDITIONAL,
    EVENT_BRANCHES_CONDITIONAL_TAKEN,
    EVENT_BRANCHES_CALL,
    EVENT_BRANCHES_RETURN,
    EVENT_BRANCHES_TAKEN,
    EVENT_BRANCHES_NOT_TAKEN,
    EVENT_BRANCHES_FAR,
    EVENT_BRANCHES_INDIRECT, /* near ones but returns */
    EVENT_BRANCHES_MISPREDICTED,
    EVENT_CYCLES,
    EVENT_CYCLES_BUS,
    EVENT_CYCLES_REFERENCE,
    EVENT_SLOTS,       /* of the pipeline, for uops: metrics.h */
    EVENT_RTM_RETIRED, /* the TX_EVENT_* that is its umask */
    EVENT_HLE_RETIRED,
    EVENT_TX_MEM,      /* a TX_MEM_*, */
    EVENT_TX_CAPACITY, /* of reads or writes, */
    EVENT_TX_EXEC,     /* a TX_EXEC_* that is its umask */
    /* Loads and stores: memory_events.c. D0H-D3H by their umask. */
    EVENT_LOAD_LATENCY,
    EVENT_STORE_LATENCY,
    EVENT_PRECISE_STORE,
    EVENT_MEM_UOPS,
    EVENT_MEM_LOAD,
    EVENT_MEM_LLC_HIT,
    EVENT_MEM_LLC_MISS,
    EVENT_LLC_REFERENCES, /* requests of the core, and those that miss */
    EVENT_LLC_MISSES,
    EVENT_OFFCORE_0, /* offcore.c */
    EVENT_OFFCORE_1,
};

struct event_row {
    uint8_t event;
    uint16_t umask; /* [15:8]: UMASK2 */
    enum event_kind kind;
    uint16_t precise; /* counters on which PEBS records it precisely */
    uint16_t only;    /* those that count it; 0: any */
};

/* A leaf given word for word; what varies (APIC IDs, TSX bits, leaf 0AH) is
 * filled in by model/cpuid.c. */
struct cpuid_row {
    uint32_t leaf, subleaf;
    uint32_t eax, ebx, ecx, edx;
};

enum msr_kind {
    MSR_READ_WRITE, /* #GP on write outside `writable` */
    MSR_READ_ONLY,  /* reads `reset`, #GP on write */
    MSR_WRITE_ONLY, /* discards writes, #GP on read */
    MSR_SPECIAL,    /* has behaviour: model/msr.c */
};

struct msr_row {
    uint32_t number;
    enum msr_kind kind;
    uint64_t writable; /* bits that software may set; the rest raise #GP */
    uint64_t reset;
};

struct uncore_traits;

struct personality {
    const char *name;
    const char *brand; /* leaves 80000002H-80000004H, up to 47 bytes */
    const struct personality *second; /* a hybrid machine's other kind */
    uint32_t signature;               /* CPUID.1:EAX */
    uint32_t microcode;               /* MSR 8BH[63:32] */
    enum regime regime;
    bool has_rtm;          /* the silicon has TSX */
    bool has_hle;          /* XACQUIRE elides with this microcode */
    bool hle_absent;       /* CPUID does not enumerate HLE beside RTM */
    uint64_t force_abort;  /* MSR 10FH as firmware has left it */
    uint64_t mcu_opt_ctrl; /* and MSR 123H */
    /* Transactions: MAX_RTM_NEST_COUNT and MAX_HLE_NEST_COUNT, the cache lines
     * that fit into the write set and the read set, MAX_HLE_ELIDED_LOCKS. */
    unsigned tx_nest_max, tx_write_lines, tx_read_lines, hle_locks_max;
    const struct uncore_traits *uncore; /* NULL: not that of a client */
    uint64_t offcore_dram; /* MSR_OFFCORE_RSP_x: supplied by local memory */
    bool pdir_needs_quiet; /* 06_2A, 06_2D: the other counters quiescent */
    uint8_t pdist; /* counters with PDist, from 0 on; and PDIR++ on fixed 0 */
    bool pt_needs_branch_en; /* RTIT_CTL.BranchEn = 0 raises #GP */
    bool lbr_beside_pt;      /* last branch records go on while tracing */
    bool as_sold;            /* not exact: errata, SMIs, firmware's counter */
    bool one_thread;         /* a core */
    bool latency_in_two;     /* of an access */
    bool later_sources;      /* of data, as they are named */
    bool sources_of_8;       /* bits; what stands above them is elsewhere */
    bool lock_below_stlb;    /* of a record's bits 4 and 5 */
    bool metrics_in_two;     /* levels, of IA32_PERF_METRICS */
    uint8_t slots_per_cycle; /* 0: there is no such event */
    uint8_t perfmon_version;
    uint8_t counters_smt, counters_alone, fixed_counters;
    uint8_t counters_told, fixed_told; /* by leaf 0AH, if fewer; else 0 */
    bool metrics_untold;               /* there, though 345H[15] is 0 */
    uint64_t perf_capabilities;        /* MSR 345H */
    uint64_t debugctl_writable;        /* MSR 1D9H */
    uint32_t leaf_max;                 /* CPUID.0:EAX */
    uint32_t leaf1_ecx, leaf1_edx;
    uint32_t leaf7_ebx; /* without HLE and RTM */
    uint32_t leaf7_edx; /* without RTM_ALWAYS_ABORT and TSX_FORCE_ABORT */
    uint64_t arch_capabilities; /* MSR 10AH where leaf7_edx bit 29 says so */
    struct cache_sizes caches;
    const struct cpuid_row *cpuid;
    size_t cpuid_rows;
    const struct msr_row *msrs;
    size_t msr_rows;
    const struct msr_row *power; /* those of power and frequency */
    size_t power_rows;
    const struct event_row *events;
    size_t event_rows;
};

/* The personality of that name, or NULL. `-` and `_` are different. */
const struct personality *personality_find(const char *name);

/* A leaf that is given word for word; all 0 if it is not. */
struct cpuid_row personality_leaf(const struct personality *cpu, uint32_t leaf,
                                  uint32_t subleaf);

/* The n-th personality in the order of their file names, or NULL. */
const struct personality *personality_at(size_t n);

#endif
