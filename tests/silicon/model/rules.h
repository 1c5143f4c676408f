/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rules.h - what the model asks before it acts: rules, which hold or not, and
 * quantities. Without a fault the answer is what it found; an entry of faults/
 * names the one that it breaks. Those of transactions and elided sections are
 * in tx_rules.inc, of PMIs in counter_rules.inc; those of Processor Trace are
 * in pt_rules.h.
 */
#ifndef SILICON_MODEL_RULES_H
#define SILICON_MODEL_RULES_H

#include "tests/silicon/model/counters/quantities.h"

enum rule {
    RULE_NONE,
    ENABLING_KEEPS_COUNTER, /* by its bit of GLOBAL_CTRL */
    DISABLING_KEEPS_COUNTER,
    WRITE_KEEPS_CTRL, /* of a counter: GLOBAL_CTRL[n] */
    WRITE_KEEPS_EN,
    WRITE_KEEPS_FIELD,  /* of a fixed counter: 38DH */
    OVERFLOW_OF_THREAD, /* and not of both of its core */
    DS_AREA_TAKEN,      /* also after the first time */
    PEBS_HAS_LEVELS,    /* OS and USR */
    PEBS_HAS_UMASKS,
    PEBS_HAS_IN_TX,
    PEBS_ENABLE_KEEPS_CTRL,
    DS_AREA_KEEPS_ENABLE,
    DEBUGCTL_KEEPS_STATUS,
    DEBUGCTL_SETS_NO_STATUS,
    LOCKED_STORES_ARE_NO_LOADS,
    UNCORE_WRITE_KEEPS_STATUS,
    UNCORE_STATUS_LETS_ENABLE,
    MEMORY_TYPES_HAVE_KIND, /* ABORTED_MEMTYPE */
    DRAM_IS_LOCAL_DRAM,     /* D3H/01H */
    L2_HITS_COUNT,          /* D1H/02H */
    L3_MISSES_COUNT,        /* D1H/20H */
    STORES_MISS_STLB,       /* D0H/12H */
    SPLIT_BEYOND_ITS_LINE,  /* D0H/41H, 42H: and not at its end */
    SPLIT_BY_A_BYTE,        /* also the last */
    METRICS_KEPT_BY_RDMSR,
    METRICS_KEPT_BY_RDPMC,
    LBR_FROM_UPPER_HALF,          /* an address there */
    LATENCY_OF_INSTRUCTION_FIRST, /* and then that of the cache */
    OFFCORE_OWN_REQUESTS,         /* those of one's own register alone */
    OFFCORE_OWN_RESPONSE,
    OVERFLOW_BESIDE_OTHERS, /* while other bits of the status are 1 */
    STORES_REFER_LLC,       /* 2EH/4FH */
    STORES_MISS_LLC,        /* 2EH/41H */
    L1_MISSES_COUNT,        /* D1H/08H */
    L1_MISSES_OF_L2,        /* the same: L2 hits */
    L2_HITS_ALONE,          /* D1H/02H: no L3 hits, no misses */
    L2_MISSES_ALONE,        /* D1H/10H: no L2 hits */
    L3_MISSES_ALONE,        /* D1H/20H: the same */
    RECORD_AT_INDEX,        /* and not at the base */
    RECORD_KEEPS_EN,        /* PERFEVTSELn.EN */
    CTRL_KEEPS_ENABLED,     /* counters whose bit stays 1 */
    SELECT_KEEPS_STATUS,    /* written as it is */
    SELECT_AT_ONCE,         /* takes effect while its counter counts */
    SELECT_KEEPS_COUNTER,   /* that counts */
    SET_RUNS_ON,            /* after 391H */
    SET_FREEZES_AT_ONCE,    /* CTR_Frz */
    RDPMC_LIVE,             /* of a counter that counts */
    CTRL_KEEPS_FROZEN,      /* CTR_Frz, where GLOBAL_CTRL is written */
    TAKES_WHILE_COUNTING,   /* a write of a counter that counts */
    FIXED_TAKES_WHILE_COUNTING,
    FIXED_CTRL_KEEPS_FIXED,  /* the counters, where 38DH is written */
    WRITE_MAKES_NO_OVERFLOW, /* a counter that is set to 0 */
    OVERFLOW_KEEPS_REST,     /* events beyond the one that overflows */
    OVERFLOW_KEEPS_CTRL,     /* GLOBAL_CTRL[n] */
    OVERFLOW_NOT_RELOADED,   /* with what was last written */
    PMI_THOUGH_STATUS_SET,   /* where the overflow bit was 1 already */
    PMI_KEEPS_EN,            /* of PERFEVTSELn */
    PMI_OF_THREAD,           /* and not of both of its core */
    PMI_KEEPS_FREEZE_BIT,    /* DEBUGCTL[12] */
    PEBS_PMI_FREEZES,
    OVERFLOW_WITH_CMASK, /* sets the status bit */
    OVERFLOW_WITH_EDGE,
    OVERFLOW_IN_RING_3,
    FIXED_OVERFLOW_BESIDE, /* those of general counters */
    PMI_IN_RING_3,
    PMI_WAITS, /* while RFLAGS.IF = 0 */
    PMI_NMI_DOES_NOT_WAIT,
    PMI_KEEPS_UNCORE_BIT, /* DEBUGCTL[13] */
    FIXED_PMI_THOUGH_SET, /* where the overflow bit was 1 already */
    INT_KEEPS_LEVELS,     /* OS and USR */
    PIN_CONTROL_COUNTS,   /* with PC as without */
    EDGE_OF_INVERTED,     /* EDGE with INV */
    SELECT_1_KEEPS_2,     /* INT of PERFEVTSEL2 */
    FREEZE_ENDS_AT_ONCE,  /* where 390H clears CTR_Frz */
    RDPMC_WIDE_IN_RING_3,
    RECORD_IS_NO_INSTRUCTION,  /* for IA32_FIXED_CTR0 */
    RECORD_KEEPS_FIXED_STATUS, /* GLOBAL_STATUS[34:32] */
    RECORD_KEEPS_DEBUGCTL,
    RECORD_IN_RING_3,
    RECORD_OF_ONE_LEVEL,       /* OS or USR alone */
    RECORD_WITH_LBRS,          /* while branches are recorded */
    UNCORE_FREEZE_KEEPS_CORES, /* the core select */
    UNCORE_CARRIES_32,
    SOURCE_OF_MODIFIED, /* of a line that another core has modified */
    STATUS_READ_KEEPS,  /* a read of 38EH */
    READ_KEEPS_COUNTER, /* RDMSR of C1H + n */
    RDPMC_KEEPS_COUNTER,
    READ_ZERO_EXTENDED, /* RDMSR, above the width of the counter */
    RDPMC_ZERO_EXTENDED,
    ABSENT_COUNTER_REFUSED, /* the first that CPUID does not name */
    ABSENT_FIXED_REFUSED,
    ROUNDS_NOT_COUNTED, /* of a string instruction with REP */
    SOFT_INT_COUNTED,   /* INT n */
    CPUID_COUNTS_ONCE,
    LOOP_CONDITIONAL, /* LOOPcc, JRCXZ */
    COUNTER_2_USABLE, /* around transactions */
    COUNTER_4_USABLE,
    FIXED_0_USABLE,
    PEBS_OF_OWN_BIT,  /* 3F1H[n], not 3F1H[0] */
    PEBS_FULL_SILENT, /* no interrupt for a record that is dropped */
    PEBS_FULL_KEEPS_ENABLE,
    PEBS_RESET_WITH_RECORD, /* is a counter reloaded without one */
    APPLICABLE_OVERFLOWED,  /* 90H: not every enabled counter */
    INFO_OF_THIS_ONE,       /* B8H of a record of no abort */
    LOAD_THRESHOLD_OF_3,    /* of IA32_PMC3, all its bits */
    LOAD_GREATER,           /* than the threshold, not as great */
    STORE_OF_COUNTER_3,     /* precise store on that alone */
    ADDRESS_OF_MISSES,      /* events D1H and up have data addresses */
    FULL_SETS_62,           /* also below the threshold */
    RING3_ADDRESS_WHOLE,    /* 98H, down to its last bit */
    RECORD_OF_ALL,          /* counters that overflow together */
    REVISION_CLEARED,       /* by a write of 0 to 8BH */
    UNCORE_NEEDS_ENABLE,    /* the global one */
    UNCORE_FIXED_NEEDS_EN,
    UNCORE_PMI_NEEDS_OVF_EN,
    UNCORE_FREEZE_ASKED_FOR,
    UNCORE_READ_KEEPS_STATUS,
    UNCORE_ABSENT_REFUSED, /* registers of a C-Box that is not there */
    UNCORE_OVERFLOW_RUNS_ON,
    UNCORE_COUNTER_1, /* does that of a box count */
    ARB_COUNTER_1,
    OFFCORE_NEEDS_SNOOP,
    ARB_TAKES_WRITES, /* is this request one */
    ARB_OCCUPANCY_ON_1,
    UNCORE_STATUS_ADDS, /* to what is set already */
    UNCORE_FREEZE_KEEPS_FIXED,
    UNCORE_FREEZE_KEEPS_PAIR, /* the counter that does not overflow */
    OFFCORE_BOTH_COUNT,       /* events B7H and BBH */
    OFFCORE_COUNTS_ONCE,      /* a request that two bits select */
    LONG_COUNTS_ONCE,         /* an instruction of 10 bytes or more */
    PAGES_COUNT_ONCE,         /* one on two pages */
    RING3_LINES_COUNT_ONCE,   /* one on two lines, at ring 3 */
    RING3_CYCLES_COUNT_ONCE,  /* for fixed counter 1 */
    RING3_REFERENCE_CYCLES,   /* for fixed counter 2 */
    LOCKED_LOADS_IN_RING_3,
    INDIRECT_CALL_IS_CALL,
    UNCORE_READ_KEEPS_COUNTER,
    UNCORE_ENABLE_KEEPS_STATUS,
    UNCORE_TAKES_WHILE_ENABLED, /* a write of a counter */
    PDIR_BESIDE_OTHERS,         /* is it exact while others count */
    OFFCORE_1_COUNTS,           /* event BBH */
    OFFCORE_IN_RING_3,
    CMASK_IN_RING_3, /* not one less */
    EDGE_IN_RING_3,
    LVT_MASKED_RING3,       /* by an interrupt */
    RING3_SETS_62,          /* a record that reaches the threshold */
    RING3_RELOADS,          /* all of the reset value */
    LATENCY_IN_RING_3,      /* A8H */
    LATENCY_OF_ITS_COUNTER, /* LL_EN of that alone */
    LBR_FAR_BESIDE_LEVEL,   /* CPL_EQ_0 spares far branches of ring 3 */
    LBR_FLUSH_WRAPS,        /* from entry 0 to the last */
    LBR_FROZEN_BY_PEBS,
    LBR_FROZEN_BY_FIXED, /* counters' interrupts */
    LBR_TAKEN_ALONE,     /* no record of a branch not taken */
    LBR_TOS_FOLLOWS,     /* TOS is where the last record is */
    LBR_HAS_EVENTS,      /* interrupts and exceptions */
    LBR_HAS_INT_N,
    LBR_HAS_ABORTS,
    LBR_STOPS_FROZEN,   /* while LBR_Frz is set */
    LBR_ENDS_AT_DEBUG,  /* exceptions */
    LBR_CYCLES_RESTART, /* with each record */
    LBR_CYCLES_SATURATE,
    LBR_ENDS_SILENTLY,  /* no record of the WRMSR that clears LBR */
    LBR_FLUSHES_LAST,   /* a return, with EN_CALLSTACK */
    LBR_NO_ZERO_LENGTH, /* calls, the same */
    LBR_IND_JMP_EXACT,  /* NEAR_IND_JMP spares indirect calls and returns */
    LBR_REL_JMP_EXACT,  /* NEAR_REL_JMP spares relative calls */
    LBR_ABORT_HERE,     /* FROM of an abort: not the outermost begin */
    LBR_KEEPS_ABORTED,  /* records of a transaction */
    LBR_IN_TSX_NESTED,
    LBR_ELISION_TO_BEGIN,  /* TO of its abort */
    LBR_ZERO_TRACED,       /* what a register reads then */
    LBR_RESET_BY_TRACE,    /* where TraceEn becomes 0 */
    LBR_ENABLED_TRACED,    /* DEBUGCTL.LBR, where it changes */
    OVERFLOW_KEEPS_REST_1, /* OVERFLOW_KEEPS_REST, of IA32_PMC1 */
    FIXED_OVERFLOW_KEEPS_REST,
    RDPMC_CLEARS_UPPER, /* halves of RDX */
    RDPMC_TAKES_ECX,    /* not RCX */
    ABSENT_REFUSED_IN_RING_3,
    ABSENT_FIXED_REFUSED_IN_RING_3,
    LBR_KINDS_IN_TX,
    LBR_IN_TSX_RING3,
    LBR_CYCLES_RING3,
    LBR_LEVEL_REACHED,
    LBR_FROM_UNCAPTURED,
    LBR_FAR_OF_RING_3,      /* can be left out */
    LBR_FLUSHES_ENTRY_0,    /* by a return */
    LBR_SELECT_DROPPED,     /* a write while TraceEn = 1 */
    LBR_CYCLES_OF_RECORDED, /* branches: since the last of those */
    LBR_MISPRED_IN_TIME,    /* not that of the branch before */
    LBR_MISPRED_OF_TARGETS, /* not of conditional branches alone */
    LBR_RESUMES,            /* where LBR_Frz is cleared */
    DEBUG_KEEPS_FREEZE,     /* DEBUGCTL[12:11] */
    INNER_RINGS_ARE_USER,   /* 1 and 2 */
    ANY_OVERFLOWS,          /* by what the sibling does */
    ANY_ON_FIXED_1_2,
    OFFCORE_ALL_REQUESTS, /* that are selected */
    RDPMC_FIXED_WHOLE,    /* while the counter counts */
    OFFCORE_ANY_ALONE,    /* no snoop bit beside it filters */
    ADAPTIVE_WHERE_ASKED, /* PERFEVTSELn[34] */
    FIXED_WHERE_ASKED,    /* 38DH[32 + 4n] */
    FIXED_MAKE_RECORDS,   /* 3F1H[35:32] */
    FIXED_NEED_ENABLE,    /* the same */
    AREA_OF_FORMAT_5,     /* is the DS area that of its format */
    FIXED_HAVE_OWN_RESET, /* 80H to 98H of the DS area */
    ABOVE_3_MAKE_RECORDS, /* 3F1H[7:4] */
    ABOVE_3_HAVE_OWN_RESET,
    TX_INFO_IS_LAST,       /* of the memory group */
    GPRS_BY_NUMBER,        /* RCX, RDX, RBX, and RSP before RBP */
    LBRS_NEWEST_FIRST,     /* in a record */
    LBRS_ARE_NEWEST,       /* in one of fewer than there are */
    BASIC_HAS_EVENTING_IP, /* and not RIP */
    METRICS_NEED_ENABLE,   /* 38FH[48] */
    HALT_STOPS_CYCLES,     /* of event 3CH/00H */
    HALT_STOPS_BUS,        /* cycles, of event 3CH/01H */
    HALT_STOPS_FIXED_1,
    HALT_STOPS_FIXED_2,
    FROZEN_TAKES_WRITES,   /* of counters, while CTR_Frz is 1 */
    FIXED_FREEZE_ASKED,    /* by its PMI bit */
    NMI_FREEZES,           /* where the LVT entry says so */
    BOTH_FREEZE,           /* with DEBUGCTL[12:11] = 11B */
    ENABLING_KEEPS_STATUS, /* GLOBAL_CTRL[n] set: GLOBAL_STATUS[n] */
    LONG_NOP_COUNTS_ONCE,  /* 0FH 1FH */
    LBR_KEEPS_OLD,         /* records, where DEBUGCTL.LBR is set */
    LBR_HAS_INTERRUPTS,    /* of the local APIC, and NMIs */
    LBR_FROZEN_BY_ALL,     /* general counters' interrupts, not counter 0's */
    LBR_CALLS_FILTERED,    /* with EN_CALLSTACK, conditional branches */
    LBR_CANONICAL,         /* FROM and TO take no other address */
    PMI_KEEPS_FREEZE_LBRS, /* DEBUGCTL[11] */
    DEBUG_CLEARS_BTF,      /* exceptions: DEBUGCTL[1] */
    OFFCORE_ANY_SUPPLIER,  /* no supplier bit beside ANY filters */
    UNCORE_OF_PACKAGE,     /* its fixed counter and global control */
    FREEZE_HAS_PEBS,       /* counters that make records */
    UNFREEZE_KEEPS_COUNTERS,
    RECORD_LBRS_HAVE_INFO, /* entries of adaptive records */
    KIND_HAS_ITS_EVENTS,   /* cores of a hybrid machine */
    KIND_HAS_ITS_COUNTERS, /* IA32_PMC5, which CPUID tells of both */
    KIND_HAS_ITS_FIXED,    /* IA32_FIXED_CTR_CTRL */
    LEAF_0A_WHOLE,         /* of CPUID, whatever ECX is */
    FAR_JUMPS_COUNT,       /* as branches */
    FALLBACK_FROM_NEXT,    /* of an XBEGIN on two pages, too */
    INNER_WRITES,          /* are loads of what an inner one writes conflicts */
    ELISION_READS,         /* are monitored, */
    ELISION_WRITES,        /* and what a section writes */
    STRINGS_ARE_RESTORED,  /* RCX, RSI and RDI of one with REP */
    IRET_STATE_AFTER,      /* in its record: RSP */
    SYSCALL_STATE_AFTER,   /* the same: RCX and R11 */
    LOCKED_STATE_AFTER,    /* of locked accesses: RCX and RBP */
    XMM_IN_RING_3,         /* in records, as */
    LBRS_IN_RING_3,        /* and */
    FIXED_NAMED_IN_RING_3, /* among the applicable counters */
    FREEZE_OF_THREAD,      /* and not of both of its core */
    FREEZES_AGAIN,         /* without a write of DEBUGCTL in between */
    FREEZE_HAS_METRICS,
    PMI_HAS_PRIORITY,         /* it waits for the task priority */
    LBR_INNER_RINGS_ARE_USER, /* 1 and 2 */
    LBR_LEVELS_BOTH,          /* CPL_EQ_0 with CPL_NEQ_0 leaves nothing */
    LBR_DEPTH_EMPTIES,        /* a write of IA32_LBR_DEPTH */
    LBR_NEWEST_IS_0,          /* architectural */
    METRICS_NEED_SLOTS,       /* 38FH[35] */
    LBR_RETURNS_IN_RING3,     /* FROM of them */
    LBR_RET_IMM_FLUSHES,      /* RET with an operand, with EN_CALLSTACK */
    LBR_FULL_FLUSHES,         /* a return, where no entry is free */
    LBR_RET_BESIDE_JCC,       /* both are kept out */
    LBR_KIND_BESIDE_LEVEL,    /* JCC, with CPL_NEQ_0 */
    LBR_TOS_KEPT,             /* where LBR is written as it is */
    ADDRESS_HAS_FS_BASE,
    XCHG_IS_LOCKED,
    LBR_HAS_NMIS,
    LOOKUP_ANY_HAS_WRITES,
    STRING_STORES_AT_RDI, /* as it was before */
    PUSHES_BELOW_RSP,     /* the same */
    DIRECT_STORES_COUNT,  /* MOVNTI */
    X87_LOADS_COUNT,
    VEX_LOADS_COUNT,
    POPS_ARE_LOADS,
    ADDRESS_HAS_INDEX_12,     /* R12 */
    UPDATES_STORE_IN_PLACE,   /* where they load */
    BYTES_ARE_LOCKED,         /* as all else */
    FIXED_PMI_KEEPS_LEVELS,   /* OS and USR */
    PMI_PAST_0,               /* of an overflow by more than one event */
    UMASK_AT_ONCE,            /* SELECT_AT_ONCE, of a change of it alone */
    REP_OF_PAGES_COUNTS_ONCE, /* of many rounds */
    RETURNS_ARE_MISSED,       /* C5H */
    LVT_KEEPS_DELIVERY,       /* where an interrupt masks it */
    BOTH_FREEZE_FIXED,        /* LBRs too, where a fixed counter overflows */
    LBR_BEYOND_REFUSED,       /* records from IA32_LBR_DEPTH on */
    LBR_JCC_NEAR,             /* is filtered, too: 0F 8x */
    LBR_ABORT_OF_RING_3,      /* has a target, */
    LBR_ABORT_LEVEL,          /* and is of that level */
    LBR_OTHER_ABORTS_RING_3,  /* those by no XABORT are recorded */
    LBR_ABORTS_OF_EVENTS,     /* those by interrupts, too */
    LBR_ABORTS_OF_BREAKPOINTS,
    LBR_ABORTS_OF_CONFLICTS,
    LBR_ABORT_CYCLES, /* has an abort those since the last record */
    RECORD_HAS_IF,
    XMM_OF_THIS_RECORD,
    SNAPSHOT_BASE_FIRST, /* slots before the metrics, in a record */
    SNAPSHOT_NOW,        /* counters as they are, not as they were last time */
    RECORD_LBRS_HAVE_FLAGS,
    PEBS_BITS_CLEARED,     /* of 3F1H, beside others that stay */
    RDPMC_CARRIES,         /* into [32], at once */
    SSE_COUNTS_ONCE,       /* XORPS */
    PUSH_COUNTS_ONCE,      /* of an immediate */
    DIVISION_COUNTS_ONCE,  /* MUL and DIV of R8 to R15 */
    VEX_COUNTS_ONCE,       /* an instruction with C4H or C5H */
    CR3_WRITE_COUNTS,      /* as an instruction */
    DS_AREA_KEEPS_STATUS,  /* GLOBAL_STATUS[62] */
    UNCORE_STOP_KEEPS_EN,  /* of selects, where the global one is cleared */
    LOOKUPS_OF_ALL,        /* processors are counted */
    RETURNS_LOAD_AT_RSP,   /* as it was before */
    CALLS_STORE_BELOW_RSP, /* the same */
    LEAVES_ARE_LOADS,
    BRANCHES_LOAD,         /* JMP and CALL through memory */
    PUSHES_LOAD,           /* of memory */
    FALSE_CONDITIONS_LOAD, /* CMOVcc */
    STRING_LOADS_AT_RSI,
    ADDRESS_HAS_GS_BASE,
    ADDRESS_AFTER_IMMEDIATE, /* relative to RIP: to the next instruction's */
    ADDRESS_HAS_BIT_OFFSET,  /* BT */
    ADDRESSES_WRAP_AT_4G,    /* with the prefix 67H */
    STRINGS_DOWN_FROM_RSI,   /* with DF = 1 */
    LODS_LOADS,
    LOAD_GREATER_ON_1,      /* IA32_PMC1: not also equal to the threshold */
    MEMORY_HAS_LEVELS,      /* D0H on IA32_PMC2: OS and USR */
    OFFCORE_HAS_LEVELS,     /* B7H on IA32_PMC2: the same */
    LOAD_THRESHOLD_AT_ONCE, /* and not with the next write of 3F1H */
    OFFCORE_OF_BOTH_LINES,
    SCAS_LOADS_AT_RDI,
    POPS_STORE_AT_OPERAND, /* in memory */
    XADD_IS_LOCKED,
    LATENCY_HAS_16_BITS,
    REFERENCE_AT_RING_0, /* fixed counter 2 with OS alone: no core cycles */
    CYCLES_ON_1_RING_3,  /* IA32_PMC1: no reference cycles */
    SLOTS_RING_3,        /* as many a cycle as at ring 0 */
    CONDITIONAL_RING_3,  /* branches count there, too */
    NMI_RING_3,          /* an interrupt of counters as NMI */
    FIXED_2_PMI_RING_3,
    ONE_ENTRY_RECORDED, /* of branches, where a record is to have one */
    UNCORE_SELECT_1,    /* counter 1 of a box goes by it, not by select 0 */
    LOOKUPS_OF_BOTH_LINES,
    OFFCORE_OF_THREAD, /* not of the other thread of the core, too */
    LBR_INT_N_AT_IT,   /* or at the next, not beyond */
    LBR_MISPRED_IN_TX,
    REP_IS_EVENTING, /* EventingIP: its own */
    LBR_MISPRED_RING_3,
    LBR_CYCLES_RESTART_RING_3,
    LBR_WRITTEN_WHOLE, /* a record: MISPRED of the one before goes */
    LBR_CTL_WHILE_ON,  /* IA32_LBR_CTL is written with LBREn = 1 */
    LBR_RETURNS_FLUSH_RING_3,
    LBR_RETURNS_FLUSH_IN_TX,
    LBR_IND_CALLS_OF_RING_3, /* are calls to MSR_LBR_SELECT */
    FIXED_STOP_ALONE,        /* fixed counters 1 and 2, where others go on */
    LBRS_HAVE_OWN_INFO, /* entries of adaptive records: not the next one's */
    SNAPSHOT_FIXED_OWN, /* IA32_FIXED_CTR1 in a record is not 0 again */
    RETIRE_LATENCY_RING_3,
    LOCKED_LOADS_OWN,       /* ask for their line as stores do */
    LATENCY_OF_CACHE_WHOLE, /* [47:32] of later records, beyond eight bits */
    STLB_NOT_OF_SPLITS,
    L2_WITH_STLB_MISS,      /* is told as L2 */
    STATUS_SET_IS_NO_PMI,   /* 391H freezes nothing */
    STATUS_RESET_IS_NO_PMI, /* nor does 390H interrupt */
    LOADS_IN_RING_3,        /* D1H */
    STLB_MISS_OF_DRAM,      /* is told where no cache has it, */
    STLB_MISS_OF_LOCKED,    /* and LOCKED beside it */
    LBR_CYCLES_IN_TX,
    LBR_CYCLES_OF_CALLS,
    LBR_CTL_WHERE_TURNED_OFF, /* IA32_LBR_CTL takes its other bits */
    LBR_TO_UPPER_HALF,        /* architectural: takes such an address */
    MISSES_IN_RING_3,         /* C5H: of conditional branches */
    L1_HIT_OF_ITS_STORE,      /* not of the one before, too */
    L1_AFTER_A_MISS,          /* is told as L1 */
    REFUSED_SELECT_KEPT,      /* a WRMSR that raises #GP changes nothing */
    REFUSED_FIXED_KEPT,
    REFUSED_CTRL_KEPT,
    REFUSED_STATUS_KEPT,
    REFUSED_ENABLE_KEPT, /* IA32_PEBS_ENABLE */
    REFUSED_LBR_KEPT,
#include "tests/silicon/model/counters/counter_rules.inc"
#include "tests/silicon/model/tsx/tx_rules.inc"
#include "tests/silicon/model/pebs/pebs_rules.inc"
#include "tests/silicon/model/uncore/uncore_rules.inc"
};

#endif
