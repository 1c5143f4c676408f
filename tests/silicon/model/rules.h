/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rules.h - what the model asks before it acts: rules, which hold or not, and
 * quantities. Without a fault the answer is what it found; an entry of faults/
 * names the one that it breaks. Processor Trace has its own: pt_rules.h.
 */
#ifndef SILICON_MODEL_RULES_H
#define SILICON_MODEL_RULES_H

#include "tests/silicon/model/quantities.h"

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
    FORCE_AGAIN_KEEPS_COUNTER, /* 3, where 10FH is written again */
    FORCE_AGAIN_KEEPS_SELECT,
    FORCE_AGAIN_KEEPS_STATUS,
    FORCE_TAKEN_WITH_PEBS,
    LOCKED_STORES_ARE_NO_LOADS,
    UNCORE_WRITE_KEEPS_STATUS,
    UNCORE_STATUS_LETS_ENABLE,
    MEMORY_TYPES_HAVE_KIND,    /* ABORTED_MEMTYPE */
    ELISION_ABORTS_HAVE_KINDS, /* ABORTED_MEM and its siblings */
    DRAM_IS_LOCAL_DRAM,        /* D3H/01H */
    L2_HITS_COUNT,             /* D1H/02H */
    L3_MISSES_COUNT,           /* D1H/20H */
    STORES_MISS_STLB,          /* D0H/12H */
    L1_MISSES_COUNT,           /* D1H/08H */
    L1_MISSES_OF_L2,           /* the same: L2 hits */
    L2_HITS_ALONE,             /* D1H/02H: no L3 hits, no misses */
    L2_MISSES_ALONE,           /* D1H/10H: no L2 hits */
    L3_MISSES_ALONE,           /* D1H/20H: the same */
    RECORD_AT_INDEX,           /* and not at the base */
    RECORD_KEEPS_EN,           /* PERFEVTSELn.EN */
    CTRL_KEEPS_ENABLED,        /* counters whose bit stays 1 */
    SELECT_AT_ONCE,            /* takes effect while its counter counts */
    SELECT_KEEPS_COUNTER,      /* that counts */
    SET_RUNS_ON,               /* after 391H */
    SET_FREEZES_AT_ONCE,       /* CTR_Frz */
    RDPMC_LIVE,                /* of a counter that counts */
    CTRL_KEEPS_FROZEN,         /* CTR_Frz, where GLOBAL_CTRL is written */
    TAKES_WHILE_COUNTING,      /* a write of a counter that counts */
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
    OVERFLOW_OF_IN_TX,     /* with IN_TX */
    CARRY_IN_TX,           /* from bit 31 */
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
    IN_TX_HAS_ELISION,   /* does IN_TX count in elided sections */
    IN_TX_INSIDE,        /* inside, not outside */
    TXCP_OUTSIDE,        /* does IN_TXCP count outside */
    TXCP_OF_ITS_COUNTER, /* is that alone rolled back */
    TXCP_KEEPS_COMMITTED,
    TXCP_OF_NESTED, /* aborts */
    IN_TX_NESTED,
    IN_TX_AFTER_INNER,  /* has ended */
    TXCP_OF_ANY_EVENT,  /* and not of instructions alone */
    TXCP_TO_CHECKPOINT, /* and not to 0 */
    ABORT_KEEPS_FIXED,
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
    LOAD_GREATER,           /* than the threshold, not as great */
    STORE_OF_COUNTER_3,     /* precise store on that alone */
    ADDRESS_OF_MISSES,      /* events D1H and up have data addresses */
    FULL_SETS_62,           /* also below the threshold */
    RECORD_STATE_AFTER,     /* the instruction: RFLAGS and RSP */
    RING3_ADDRESS_WHOLE,    /* 98H, down to its last bit */
    RECORD_OF_ALL,          /* counters that overflow together */
    REVISION_CLEARED,       /* by a write of 0 to 8BH */
    ELISION_NOT_AS_RTM,     /* HLE is not counted by RTM_RETIRED */
    ELISION_ABORT_NOT_AS_RTM,
    INTERRUPT_RESTORES, /* RSI */
    REFUSED_KEEPS,      /* MSR 10FH */
    ABORT_COUNTS_ONCE,  /* at any depth */
    ABORT_AT_3_COUNTS,  /* and deeper */
    ABORT_AT_3_ONCE,
    EVERY_ABORT_COUNTS, /* also the 50th */
    NESTED_BIT_OF_CONFLICTS,
    NESTED_BIT_AT_3,      /* and deeper */
    STATUS_ZERO_EXTENDED, /* RAX after an abort */
    ABORTING_EVENT_DELIVERED,
    DEBUGGED_AT_XBEGIN, /* where both bits are set */
    DEBUGGED_NEEDS_DR7,
    DEBUGGED_NEEDS_DEBUGCTL,
    DEBUGGED_KEEPS_EAX,
    HINT_IGNORED,       /* not #UD */
    ELISION_RESTORES,   /* the registers */
    XEND_OUTSIDE_IS_GP, /* not #UD */
    XEND_OUTSIDE_RING3, /* is refused there, too */
    LOCK_HIGH_BYTE,     /* is compared where it is released */
    LOADS_WATCHED,      /* by breakpoints, in a transaction */
    FORCED_IN_RING_3,   /* aborts */
    RING3_RESTORES_RSP,
    RING3_RESTORES_EXTENDED, /* XMM and the like */
    BACKWARD_FALLBACK,       /* XBEGIN's target may be before it */
    NESTING_LIMITED,
    FORCED_UNDOES_STORES,
    FORCED_STATUS_ZERO,
    FORCE_BIT_STAYS,      /* over an abort */
    FORCE_TAKEN_COUNTING, /* a write of 10FH while counters count */
    FORCED_COUNTING,      /* aborts while they do */
    FORCED_NO_COMMIT,     /* RTM_RETIRED.COMMIT */
    SDV_KEEPS_CPUID_CLEAR,
    ABORT_KEEPS_CR2,
    ABORT_KEEPS_DR6,
    ABORT_KEEPS_DR7,
    ALLOW_COMMITS,       /* is RTM_ALLOW set */
    DISABLE_ABORTS,      /* is RTM_DISABLE set */
    CTRL_CLEAR_HIDES,    /* is TSX_CPUID_CLEAR of 122H set */
    LOCKED_KEEPS_ALLOW,  /* RTM_LOCKED: RTM_ALLOW stays 0 */
    ALLOW_ENUMERATED,    /* RTM_ALWAYS_ABORT follows RTM_ALLOW */
    DISABLE_KEEPS_CPUID, /* RTM_DISABLE */
    CLEAR_HIDES_HLE,     /* TSX_CPUID_CLEAR */
    CLEAR_HIDES_RTM,
    ABORTED_LOCK_TAKEN, /* not elided again */
    ELISION_NOT_IN_RTM, /* XACQUIRE there is no hint */
    RTM_NOT_IN_ELISION,
    INNER_LOCK_NO_START, /* HLE_RETIRED.START */
    UNCORE_NEEDS_ENABLE, /* the global one */
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
    EVERY_COMMIT_COUNTS,        /* also the 64th */
    COMMIT_200_COUNTS,          /* and the 200th */
    PDIR_BESIDE_OTHERS,         /* is it exact while others count */
    RDPMC_LIVE_IN_TX,
    RDPMC_2_LIVE_IN_TX, /* of IA32_PMC2 */
    COMMIT_SETS_CYCLES, /* of B8H */
    OFFCORE_1_COUNTS,   /* event BBH */
    OFFCORE_IN_RING_3,
    OFFCORE_IN_TX,
    RING3_TX_IS_USER,    /* events of transactions begun there */
    RING3_IN_TX,         /* IN_TX holds there */
    RING3_XABORT_CODE,   /* in EAX */
    RING3_COMMITS_ONCE,  /* not an abort too */
    NESTED_BEGIN_COUNTS, /* XBEGIN inside, as an instruction */
    CMASK_IN_RING_3,     /* not one less */
    EDGE_IN_RING_3,
    IN_TX_WITH_CMASK,
    FREEZE_IN_TX,     /* by an interrupt */
    PMI_OF_IN_TX,     /* of a counter with IN_TX */
    LVT_MASKED_RING3, /* by an interrupt */
    RDPMC_FIXED_LIVE_IN_TX,
    LOCK_UPPER_HALF,    /* is compared, of 8 bytes */
    NONTEMPORAL_UNDONE, /* MOVNTI */
    EXCEPTION_RESTORES_YMM,
    NESTED_EXCEPTION_PLAIN, /* its status has no EAX[4] */
    RING3_SETS_62,          /* a record that reaches the threshold */
    RING3_RELOADS,          /* all of the reset value */
    ANY_HAS_IN_TX,          /* IN_TX with AnyThread */
    FORCED_BESIDE_3,        /* aborts at ring 3 while counter 3 is enabled */
    WRITES_WATCHED_RING3,   /* by breakpoints, in a transaction there */
    TXCP_WHILE_TRACED,      /* is it rolled back */
    RING3_ABORT_RECORD,     /* of an abort there */
    RING3_ABORT_INFO,       /* B8H[33:32] of such a record */
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
    FORCED_BESIDE_SIBLING, /* counter 3, which runs transactions */
    FORCED_WITH_CMASK,     /* counter 3 */
    LARGE_KEEPS_OTHERS,    /* a transaction of many lines: IA32_PMC1 */
    LARGE_KEEPS_CTRL,      /* the same: GLOBAL_CTRL[1] */
    ABORT_KEEPS_SELECT,    /* PERFEVTSEL1 */
    STATUS_OF_THREAD,      /* not set by a sibling's transactions */
    OVERFLOW_KEEPS_REST_1, /* OVERFLOW_KEEPS_REST, of IA32_PMC1 */
    FIXED_OVERFLOW_KEEPS_REST,
    RDPMC_CLEARS_UPPER, /* halves of RDX */
    RDPMC_TAKES_ECX,    /* not RCX */
    ABSENT_REFUSED_IN_RING_3,
    ABSENT_FIXED_REFUSED_IN_RING_3,
    CAPACITY_KEEPS_COUNTS,      /* but for IN_TXCP */
    CAPACITY_RESTORES_EXTENDED, /* XMM and the like */
    FORCED_RESTORES_YMM,
    RING3_RESTORES_MXCSR,
    RING3_RESTORES_DF,
    LBR_KINDS_IN_TX,
    RING3_RESTORES_X87,
    REP_STORES_UNDONE,
    LOCK_SECOND_BYTE, /* these are compared where it is released */
    LOCK_THIRD_BYTE,
    LOCK_OF_1_BYTE,
    LOCK_OF_2_BYTES,
    LOCK_INSIDE,
    LBR_FAR_OF_RING_3,   /* can be left out */
    LBR_FLUSHES_ENTRY_0, /* by a return */
    LBR_SELECT_DROPPED,  /* a write while TraceEn = 1 */
    ELISION_ENDS_FOR_RECORD,
    NESTED_ENDS_FOR_RECORD,
    READS_SECOND_LINE, /* of a load on two */
    TX_CONFLICTS,      /* accesses of another transaction */
    LOCKED_MONITORED,  /* accesses of locked instructions */
    WRITES_MONITORED,  /* beyond the 16th line */
    LOCK_REFUSED,      /* before XBEGIN and the others */
    RING3_PAUSE_ABORTS,
    RING3_INT3_ABORTS, /* and is not delivered */
    DEBUGGED_AT_OUTERMOST,
    LOCKED_LOCK_MONITORED, /* taken by another instruction than XCHG */
    INNER_LOCK_MONITORED,
    FORCED_KEEPS_COUNTER_3,
    TXCP_OF_ELISION,
    RING3_DISABLE_ABORTS, /* RTM_DISABLE */
    IN_TX_WITH_EDGE,
    RING3_RESTORES_YMM,
    RING3_RESTORES_AC,
    WIDE_STORES_UNDONE,     /* the second 16 bytes */
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
    FIXED_HAVE_OWN_RESET, /* 80H to 98H of the DS area */
    ABOVE_3_MAKE_RECORDS, /* 3F1H[7:4] */
    ABOVE_3_HAVE_OWN_RESET,
    TX_INFO_IS_LAST,       /* of the memory group */
    GPRS_BY_NUMBER,        /* RCX, RDX, RBX, and RSP before RBP */
    LBRS_NEWEST_FIRST,     /* in a record */
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
    PREFIX_REFUSED,        /* 66H, F2H, F3H before XEND, XTEST */
    ABORT_ENDS,            /* for XTEST, and for XEND, what it aborts */
    NESTED_ABORT_ENDS,
    SHORT_IS_SIGNED,       /* rel16 of XBEGIN */
    LONG_IS_WHOLE,         /* rel32, all its 32 bits */
    SHORT_FROM_NEXT,       /* rel16: from the next instruction */
    DEBUGGED_RESTORES,     /* registers, where #DB is at XBEGIN */
    SECOND_STORE_UNDONE,   /* to what the first to the same bytes was */
    X87_STORES_UNDONE,     /* the last two bytes of ten */
    EXCEPTION_KEEPS_STACK, /* below RSP, where it aborts */
    XEND_ERROR_0,          /* of its #GP */
    XEND_FORCED_IS_GP,     /* outside, while bit 0 of 10FH is set */
    INNER_SETS_STAY,       /* monitored, when an inner region ends */
    OUTER_WHILE_NESTED,    /* monitored */
    INNER_WRITES_MONITORED,
    STRINGS_MONITORED, /* loads with REP */
    BYTE_STORES_CONFLICT,
    SPLIT_STORES_CONFLICT, /* on their second line */
    ABORT_KEEPS_STATUS,    /* 38EH */
    CLEAR_HIDES_ALONE,     /* HLE and RTM; TSX_CPUID_CLEAR of 122H */
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
    FORCED_HAS_IN_TX,      /* IN_TX of counter 3, while bit 0 is set */
    ELISION_HAS_CAPACITY,  /* the same, Capacity Reads and Writes */
    CONFLICT_HAS_IP,       /* EventingIP of one */
    NESTED_SETS_CYCLES,    /* of B8H */
    VECTORS_MONITORED,     /* loads by MOVUPS */
    WIDE_STORES_COMMIT,    /* the second 16 bytes */
    UNFREEZE_KEEPS_COUNTERS,
    RECORD_LBRS_HAVE_INFO, /* entries of adaptive records */
    SUSPENDED_NOT_TRACKED, /* loads between XSUSLDTRK and XRESLDTRK */
    RESUMED_TRACKED,       /* loads after */
    SUSPENDED_STORES,      /* are monitored */
    SUSPENDED_NO_XEND,     /* nor XBEGIN: they abort */
    SUSPENDED_ONCE,        /* a second XSUSLDTRK aborts */
    KIND_HAS_ITS_EVENTS,   /* cores of a hybrid machine */
    KIND_HAS_ITS_COUNTERS, /* IA32_PMC5, which CPUID tells of both */
    KIND_HAS_ITS_FIXED,    /* IA32_FIXED_CTR_CTRL */
    FREEZE_OF_THREAD,      /* and not of both of its core */
    FREEZE_HAS_METRICS,
    PMI_HAS_PRIORITY,   /* it waits for the task priority */
    LBR_LEVELS_BOTH,    /* CPL_EQ_0 with CPL_NEQ_0 leaves nothing */
    LBR_DEPTH_EMPTIES,  /* a write of IA32_LBR_DEPTH */
    LBR_NEWEST_IS_0,    /* architectural */
    METRICS_NEED_SLOTS, /* 38FH[35] */
};

#endif
