/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_values.h - values that the model asks for before Processor Trace goes by
 * them. Without a fault the answer is what it found.
 */
#ifndef SILICON_MODEL_PT_PT_VALUES_H
#define SILICON_MODEL_PT_PT_VALUES_H

enum pt_value {
    PT_VALUE_NONE,
    PT_READ,                 /* of a register, as software sees it */
    PT_WRITTEN,              /* to a register */
    PT_REFUSED,              /* what a register is then: while TraceEn = 1 */
    PT_RANGE_BASE,           /* of a range */
    PT_RANGE_LIMIT,          /* the last IP of a range */
    PT_CR3_FROM,             /* the lowest bit of CR3 that is compared */
    PT_CALLS_KNOWN,          /* CALLs that are remembered */
    PT_RETURN_BITS,          /* of a RET's target that are compared with them */
    PT_PSB_PERIOD,           /* in bytes */
    PT_COUNTED,              /* bytes for PacketByteCnt */
    PT_SAME_FROM,            /* the lowest bit that IPBytes = 1 leaves out */
    PT_SAME_FROM_32,         /* that IPBytes = 2 leaves out */
    PT_PSB_FREQ,             /* PSBFreq */
    PT_IP_PAYLOAD,           /* of an IP packet */
    PT_PIP_CR3,              /* the address */
    PT_PIP_PAYLOAD,          /* with NR */
    PT_EXEC_MODE,            /* of MODE.Exec */
    PT_TSC_PAYLOAD,          /* of TSC */
    PT_PSB_PAIRS,            /* of bytes in PSB */
    PT_ADDRESSES,            /* registers of ranges */
    PT_PACKET_BYTES,         /* PacketByteCnt */
    PT_CTL_BITS,             /* of CTL that are not reserved */
    PT_CFG_MAX,              /* the last ADDRn_CFG */
    PT_MTC_PERIODS,          /* encodings beyond those of CPUID */
    PT_CYC_THRESHOLDS,       /* the same */
    PT_PSB_PERIODS,          /* the same */
    PT_STATUS_BITS,          /* of STATUS that are looked at */
    PT_STATUS_WRITTEN,       /* Error and Stopped */
    PT_OFFSET_USED,          /* where in the output a byte goes */
    PT_REGION_BYTES,         /* of a ToPA region */
    PT_STOP_POINTERS,        /* MASK_PTRS after STOP */
    PT_TX_BEGIN_MODE,        /* of MODE.TSX */
    PT_STATUS_IGNORED,       /* bits that do not stop tracing */
    PT_STATUS_CLEARED,       /* bits that TraceEn clears */
    PT_TNT_BYTE,             /* a short TNT */
    PT_PACKET_BYTES_WRITTEN, /* to PacketByteCnt */
    PT_TABLE_INDEX,          /* of the ToPA entry */
    PT_OFFSET_MAX,           /* of OutputOffset */
    PT_ENTRY_BITS,           /* reserved ones that are ignored */
    PT_LOST_AT_END,          /* bytes */
    PT_TNT_LONG_BITS,        /* of a long one */
    PT_CYC_THRESHOLD,        /* CycThresh */
    PT_MTC_SHIFT,            /* MTCFreq */
    PT_MTC_PAYLOAD,          /* of MTC */
    PT_INTERRUPT_IP,         /* where it came */
    PT_OVF_ONE_IN,           /* of so many instructions */
    PT_PSB_CR3,              /* CR3, for the PIP of PSB+ */
    PT_STATUS_CLEARED_LAST,  /* bits that clearing TraceEn clears */
    PT_ADDRESS_INDEX,        /* of a register of ranges */
    PT_ERROR_BIT,            /* what an error sets */
    PT_TOPA_STEP,            /* to the next entry */
    PT_TX_COMMIT_MODE,       /* of a commit */
    PT_TX_ABORT_MODE,        /* of an abort */
    PT_CYCLES,               /* since the last CYC */
    PT_TMA_CTC,              /* of TMA */
    PT_TMA_FAST,             /* its FastCounter */
    PT_RATIO,                /* of CBR */
    PT_RANGE_MASK,           /* of a single range, as output uses it */
    PT_SIZE,                 /* Size of a ToPA entry */
    PT_MASK_LOOKED,          /* bits of a mask that are looked at, for holes, */
    PT_BASE_LOOKED,          /* and for those of the base */
    PT_CFE_PAYLOAD,          /* IP, type and vector */
    PT_PTW_PAYLOAD,
    PT_ABORT_IP,     /* of the FUP */
    PT_RANGE_BITS,   /* of IPs and bounds that are compared */
    PT_CTL_IGNORED,  /* bits whose change while TraceEn = 1 is dropped */
    PT_MASK_GAPS,    /* bits that may be 0 below a 1 */
    PT_ALIGNED_BITS, /* of a region's base that are looked at */
    PT_FLAGS_AHEAD,  /* entries to one whose INT and STOP act, too */
    PT_TOPA_STATUS,  /* bits of GLOBAL_STATUS */
    PT_TABLE_LOOKED, /* bits of a table's base */
    PT_UNASKED,      /* kinds of packets that come without BranchEn */
};

#endif
