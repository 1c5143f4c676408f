/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quantities.h - what the model asks how much, or what value, before it acts;
 * see rules.h.
 */
#ifndef SILICON_MODEL_COUNTERS_QUANTITIES_H
#define SILICON_MODEL_COUNTERS_QUANTITIES_H

enum quantity {
    QUANTITY_NONE,
    TX_MEM_EVENTS, /* of a cause with that TX_MEM_*: the umasks */
    TX_EXEC_EVENTS,
    OF_MSR_READ, /* number: of the register, for these eight */
    OF_MSR_WRITTEN,
    OF_MSR_TAKEN,     /* set: reserved bits that are ignored */
    OF_MSR_REFUSED,   /* it raises #GP */
    OF_MSR_SHARED,    /* by the threads of a core */
    OF_MSR_DISCARDED, /* a read-only register takes a write */
    OF_MSR_ABSENT,    /* it can be read though it is not there */
    OF_MSR_CHANGED,   /* by a write that is refused: to `set` */
    OF_EAX,
    OF_EBX,
    OF_ECX,
    OF_EDX,            /* of CPUID; number: the leaf */
    SELECTED,          /* what a counter counts; number: the counter */
    SELECT_BITS,       /* that can be written; number: the counter */
    SELECT_TAKEN,      /* as it works; number: the counter */
    LBR_FLAGS_RING_3,  /* of a record; number: its kind */
    STORE_BASE,        /* of a segment; number: the prefix */
    PAGE_END_ADDRESS,  /* over it; number: 1 at ring 3, 2 more of a store */
    STORE_HITS,        /* the L1, 1 or 0; number: bytes of it */
    SELECT_OF_EVENT,   /* the same; number: PERFEVTSELn[7:0] */
    COUNTED,           /* if any; number: PERFEVTSELn[15:0] */
    FIXED_COUNTED,     /* if any; number: the counter */
    STATUS_RESET,      /* what 390H clears */
    STATUS_RESET_62,   /* the same, with bit 62 */
    FIXED_EARLY,       /* number: of a fixed counter, that overflows early */
    STATUS_SET,        /* what 391H sets */
    STATUS_SETTABLE,   /* what it takes */
    RECORD_WORD,       /* number: its offset */
    RECORD_WORD_RING3, /* the same, of registers */
    PDIST_SKID,        /* events */
    RECORD_RESET,      /* a counter's new value */
    LOAD_THRESHOLD,
    LATENCY_STATUS, /* bits of a load's source but [3:0] */
    STORE_LATENCY_ADDRESS,
    ABORT_STATUS,    /* EAX; number: enum tx_cause */
    KEPT_REGISTERS,  /* by an abort; number: enum tx_cause */
    KEPT_FLAGS,      /* the same */
    ELISION_KEPT,    /* registers again, of an elided section */
    RING3_DELIVERED, /* in a transaction there; number: the vector */
    TXCP_KEPT,       /* the same: counts with IN_TXCP, all */
    INNER_FALLBACK,  /* the same: where it goes on, in nested regions */
    STORES_UNSEEN,   /* no conflict; number: bytes of them */
    LOADS_UNSEEN,    /* the same */
    UNREAD_FORMS,    /* are not monitored; number: the opcode, 0FH in [15:8] */
    UNWRITTEN_FORMS, /* the same of stores */
    KEPT_FORMS,      /* the same: an abort does not undo them */
    TXCP_RESTORED,   /* by an abort; number: the counter */
    XTEST_KEEPS,     /* flags */
    HINTS,           /* enum elide; number: the opcode */
    HINTS_OF_SIZE,   /* the same; number: bytes of the operand */
    NESTED_RAX,      /* after XBEGIN */
    KEPT_LINES,      /* 1: second ones of stores, 2: of inner transactions */
    MONITORED,       /* lines of the read set, of the write set, at most */
    NESTED_EVENTS,   /* number: 1 of XBEGIN, 0 of XEND */
    ABORT_EVENTS,    /* umasks; number: enum tx_cause */
    RING3_EVENTS,    /* the same, there; */
    INNER_EVENTS,    /* and in nested regions at ring 0 */
    SECTION_EVENTS,  /* the same of elided sections */
    DEBUGGED_DR6,
    INFORMATION,       /* B8H; number: enum tx_cause */
    RING3_INFORMATION, /* the same, there; */
    INNER_INFORMATION, /* and in nested regions */
    INNER_STATUS,      /* EAX, of these, likewise; */
    ENDED_STATUS,      /* and after a nested region that has ended */
    UNCORE_OVERFLOWS,  /* status bits; number: those that are due */
    UNCORE_SELECTED,   /* of a box, as it works */
    UNCORE_CORES,      /* that an interrupt is for */
    LOOKUP_STATE,
    LOOKUP_BY,
    SNOOP_RESPONSE, /* if any */
    OFFCORE_SNOOP,
    UNCORE_TICKS,     /* if any */
    OFFCORE_COUNTED,  /* if any */
    OFFCORE_REQUEST,  /* number: the type */
    OFFCORE_SUPPLIER, /* number: the lower half of the supplier */
    LLC_COUNTED,      /* if any */
    LBR_SELECTED,     /* MSR_LBR_SELECT as it works */
    LBR_SELECT_BITS,  /* that can be written */
    LBR_NEXT_TOS,     /* before it wraps; number: the depth */
    LBR_FROM,
    LBR_TO,
    LBR_FLAGS, /* where LBR_INFO has them */
    LBR_ABORT_FLAGS,
    LBR_CYCLES,
    TX_WATCHED,      /* breakpoint n, by a transaction; number: n */
    TX_UNWATCHED,    /* accesses of so many bytes */
    KEPT_PIECES,     /* of extended state; number: enum tx_cause */
    FORCED_PIECES,   /* of a forced abort */
    ELISION_PIECES,  /* the same of an elided section; [3]: memory */
    PMI_AT_WRITE,    /* of register `number`, for an overflow that was before */
    ADAPTIVE_GROUPS, /* of a record, as MSR_PEBS_DATA_CFG has them */
    ADAPTIVE_SIZE,   /* bytes that it says to have */
    ADAPTIVE_FORMAT, /* its first word */
    ADAPTIVE_WORD,   /* number: ADAPTIVE_AT */
    METRICS_READ,
    METRICS_COUNTED,  /* if any; number: 1 of ring 3 */
    COUNTERS_FROZEN,  /* by CTR_Frz */
    LBR_LATE,         /* records after a freeze */
    REGISTERS_BEFORE, /* the instruction, in its record: a bit each, PEBS_X */
    RECORD_ENDS_TX,   /* a transaction; number: its counter */
    LBR_DEPTHS,       /* CPUID.1CH:EAX[7:0], as IA32_LBR_DEPTH has them */
};

/* Group of an adaptive record, from 0 on: basic, memory, registers, XMM, LBR,
 * counters; and the offset in it. */
#define ADAPTIVE_AT(group, offset) ((group) << 16 | (offset))

#define ANY_NUMBER 0xFFFFFFFFu
#define ARB_NUMBER 100u /* of UNCORE_SELECTED: counter 0 of the ARB */

#endif
