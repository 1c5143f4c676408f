/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_rules.h - what the model asks of Processor Trace before it acts: rules,
 * which hold or not. Without a fault the answer is what it found. */
#ifndef SILICON_MODEL_PT_PT_RULES_H
#define SILICON_MODEL_PT_PT_RULES_H

enum pt_rule {
    PT_RULE_NONE,
    PT_UNLOCKED,         /* can a register be written while TraceEn = 1 */
    PT_SECOND_RANGE,     /* are ranges after ADDR0 looked at */
    PT_UNFILTERED,       /* is there no filter range */
    PT_STOPS,            /* is this IP in a TraceStop range */
    PT_CR3_ANY,          /* does any CR3 match */
    PT_OS,               /* is CPL 0 traced */
    PT_BRANCH_EN,        /* BranchEn */
    PT_PGE,              /* is TIP.PGE sent */
    PT_PGE_NEXT,         /* with the next IP */
    PT_PGD,              /* is TIP.PGD sent */
    PT_PGD_ALWAYS_IP,    /* with an IP out of context */
    PT_PGD_IP,           /* with an IP in context */
    PT_PGD_ENDS_CALLS,   /* does PacketEn = 0 forget CALLs, */
    PT_LEVEL_ENDS_CALLS, /* by another level, */
    PT_CR3_ENDS_CALLS,   /* by another CR3, */
    PT_EVENT_ENDS_CALLS, /* and by an event out of a range */
    PT_CALL_OUTSIDE,     /* is a CALL with ContextEn = 0 not remembered */
    PT_SET_STOPPED,      /* does TraceStop set Stopped */
    PT_TRACE_STOP,       /* is the TraceStop packet sent */
    PT_PSB_AT_START,     /* is there a PSB where TraceEn is set */
    PT_STOP_FUP,         /* is there a FUP where it is cleared */
    PT_STOP_FUP_IP,      /* of the WRMSR */
    PT_STOP_PGD,         /* is there a TIP.PGD there */
    PT_STOP_PGD_IP,      /* with an IP */
    PT_RET_AS_CALLED,    /* does RET go to where CALL came from */
    PT_RET_MAY,          /* may it be compressed */
    PT_TNT_NOT_TAKEN,    /* is a branch recorded that is not taken */
    PT_TNT_TAKEN,        /* is 1 taken */
    PT_TNT_OF_RET,       /* the bit of a compressed RET */
    PT_DIRECT_TIP,       /* has a direct branch a TIP */
    PT_FAR_TIP,          /* has a far transfer */
    PT_CALL_TIP,         /* an indirect CALL */
    PT_JUMP_TIP,         /* an indirect JMP */
    PT_FAR_FUP,          /* has a far transfer a FUP */
    PT_TIP_NEXT,         /* has a TIP the next IP */
    PT_PIP,              /* does MOV to CR3 make a PIP */
    PT_PIP_CONTEXT,      /* as ContextEn = 1 asks */
    PT_CYC,              /* is CYC due */
    PT_MTC,              /* is MTC enabled */
    PT_EXEC,             /* is MODE.Exec sent */
    PT_TSC,              /* is TSC enabled */
    PT_CBR,              /* is CBR sent */
    PT_PSB_RESETS_COUNT, /* does PSB reset PacketByteCnt */
    PT_PSB_IN_RING_3,    /* is one due there */
    PT_TSC_IN_RING_3,    /* has PSB+ a TSC there */
    PT_TSC_IN_TX,        /* and in a transaction */
    PT_MTC_IN_RING_3,
    PT_MTC_IN_TX,
    PT_MTC_ODD, /* is one with bit 0 */
    PT_MTC_RIGHT_IN_RING_3,
    PT_MTC_RIGHT_IN_TX,
    PT_CYC_IN_TX,
    PT_CYC_OF_TIP, /* does CYC come before a TIP */
    PT_PSB_PIP_FILTERED,
    PT_PSB_PIP_IN_RING_3,
    PT_PSB_TX_IN_RING_3, /* MODE.TSX in a transaction */
    PT_PSB_EXEC_IN_RING_3,
    PT_CBR_IN_RING_3,
    PT_CBR_IN_TX,
    PT_INT_IN_RING_3, /* has a region that ring 3 fills its INT */
    PT_PMI_IN_RING_3, /* and the interrupt of that */
    PT_STOPPED_IN_RING_3,
    PT_CFE_IP_IN_RING_3, /* is the FUP of a CFE of an exception there its IP */
    PT_PSB_FUP_IN_TX,    /* of the next IP there, too, not of XBEGIN */
    PT_TX_FUP_IN_RING_3,
    PT_PSB_ENDS_CALLS_IN_TX,
    PT_HLE_BEGIN_TNT,    /* is what is due sent before XACQUIRE's MODE.TSX, */
    PT_HLE_COMMIT_TNT,   /* and before XRELEASE's */
    PT_HLE_RETURNS,      /* are there packets of RETs in an elided section */
    PT_STOP_BEFORE_END,  /* has a region its STOP, in the entry before END */
    PT_STOP_LINKED,      /* has a region its STOP, in a table END leads to */
    PT_PSB_PIP,          /* has PSB+ a PIP */
    PT_PSB_EXEC,         /* a MODE.Exec */
    PT_PSB_FUP,          /* a FUP */
    PT_PSBEND,           /* a PSBEND */
    PT_READ_TRIGGER_EN,  /* what STATUS reads */
    PT_READ_CONTEXT_EN,  /* the same */
    PT_SAME_CTL,         /* is CTL written as it is */
    PT_CLEAR_AND_CHANGE, /* may TraceEn be cleared with more */
    PT_CTL_LOCKED,       /* is CTL locked */
    PT_NEEDS_TOPA,       /* must ToPA be 1 */
    PT_ADDRESS_BAD,      /* is this not canonical */
    PT_SET_ERROR,        /* does an operational error set Error */
    PT_MASK_GOOD,        /* is the mask contiguous */
    PT_BASE_GOOD,        /* is the base clear of it */
    PT_END_ALONE,        /* without INT and STOP */
    PT_END_SECOND,       /* is there but one region */
    PT_REGION_ALIGNED,   /* is a region aligned */
    PT_TABLE_BAD,        /* is a table not */
    PT_END_FOLLOWED,     /* does END lead on */
    PT_TOPA_SET_STOPPED, /* does STOP set Stopped */
    PT_INT,              /* has the entry INT */
    PT_INT_OF_STOP,      /* also with STOP */
    PT_TX_FILTER,        /* does it come without FilterEn */
    PT_COMMIT_IP,        /* is a FUP of the commit itself */
    PT_STOP_FLUSHES,     /* with the TNT before it */
    PT_RET_TIP,          /* has it a TIP else */
    PT_IRET_TIP,         /* has a far RET or IRET */
    PT_TNT_FIRST,        /* does a TIP send TNT before */
    PT_PGD_TWO,          /* has TIP.PGD the packet that it replaces in front */
    PT_PGD_CONDITIONAL,  /* has that of a conditional branch no IP */
    PT_PSBEND_LAST,      /* at its end */
    PT_PSB_TX,           /* a MODE.TSX */
    PT_PSB_IN_TX,        /* with InTX = 1 */
    PT_TAKES_PACKET_BYTES,   /* can PacketByteCnt be written */
    PT_PMI,                  /* is it an interrupt */
    PT_ABORT_FUP,            /* has an abort a FUP */
    PT_TNT_LONG,             /* are there long TNTs */
    PT_HLE_NESTED,           /* has a nested elision packets */
    PT_TX_FUP,               /* with a FUP there */
    PT_TX_TNT_FIRST,         /* after the TNT */
    PT_TNT_FULL,             /* is a full TNT sent */
    PT_ABORT_EVENT,          /* by an interrupt */
    PT_ABORT_CONFLICT,       /* with another processor */
    PT_ABORT_OTHER,          /* by anything else */
    PT_SHARED,               /* is a register that of another processor, too */
    PT_USER,                 /* are other levels */
    PT_PIP_NO_BRANCHES,      /* without BranchEn */
    PT_EVENT_FUP,            /* with a FUP */
    PT_EVENT_FUP_IP,         /* of where they came */
    PT_INTERRUPT_FUP_RING_3, /* has an interrupt of ring 3 one, */
    PT_INTERRUPT_IP_RING_3,  /* of there, */
    PT_INTERRUPT_TIP_RING_3, /* and a TIP, */
    PT_INTERRUPT_PGD_RING_3, /* or a TIP.PGD without an IP */
    PT_EVENT_TIP,            /* and a TIP */
    PT_LAST_IP_TIP,          /* are the others */
    PT_MTC_SAME,             /* are its 8 bits the same */
    PT_MTC_FREQ_TAKEN,       /* also after the first time */
    PT_PTW_WHOLE,            /* 8 bytes also where the upper half is 0 */
    PT_TMA,                  /* is TMA sent */
    PT_PSB_FUP_NEXT,         /* of the next IP */
    PT_READ_FILTER_EN,       /* the same */
    PT_EVENTS,               /* are exceptions and interrupts traced */
    PT_OVF,                  /* is OVF sent */
    PT_TIME_LATER,           /* has a PSB+ in mid-trace packets of time */
    PT_PSB_TIME_FIRST,       /* are packets of time inside PSB+ */
    PT_PSB_TX_INSIDE,        /* is its MODE.TSX inside */
    PT_CYC_EXP,              /* does a further byte of CYC follow */
    PT_PSB_ANYWHERE,         /* does PSB come with ContextEn = 0 */
    PT_EXEC_FIRST,           /* before TIP.PGE */
    PT_RANGES_ANY,           /* is one filter range enough */
    PT_CR3_FOLLOWED,         /* is CR3 compared when it changes */
    PT_START_KEEPS_RANGES,   /* does ADDR1 outlive TraceEn */
    PT_START_KEEPS_CR3,      /* does CR3_MATCH outlive TraceEn */
    PT_PGE_AT_START,         /* is TIP.PGE sent where TraceEn is set */
    PT_TNT_NEAR,             /* is a Jcc of 32-bit displacement recorded */
    PT_SYSCALL_TIP,          /* has SYSCALL */
    PT_SYSRET_TIP,           /* has SYSRET */
    PT_EVENT_FUP_FIRST,      /* is the FUP of an event in front */
    PT_GOES_ON_PMI,          /* does tracing go on over its interrupt */
    PT_END_INDEX,            /* does END reset the index */
    PT_TX_MODE_ONCE,         /* once for each change */
    PT_COMMIT_ENDS_TX,       /* does a commit end it for PSB+ */
    PT_ABORT_ENDS_TX,        /* does an abort */
    PT_ABORT_HERE,           /* is the FUP of an abort where it was met */
    PT_ABORT_TNT,            /* does an abort send the TNT */
    PT_ABORT_PGD,            /* may it have a TIP.PGD */
    PT_ABORT_PGE,            /* and a TIP.PGE */
    PT_COMMIT_FUP,           /* has a commit a FUP */
    PT_MSRS_ANYWAY,          /* do the registers exist without CPUID 14H */
    PT_HAS_CR3_MATCH,        /* does IA32_RTIT_CR3_MATCH exist */
    PT_STATUS_IGNORES,       /* are writes of STATUS[2:0] ignored */
    PT_TRIGGER_READ_ONLY,    /* and leave STATUS[2] as it is */
    PT_STATUS_REFUSED,       /* does one that is refused change nothing */
    PT_POINTERS_LOW_IGNORED, /* are writes of MASK_PTRS[6:0] */
    PT_END_NOT_FIRST,        /* is END in a later entry */
    PT_END_TO_SELF,          /* and right for a single region */
    PT_LAST_IP_FUP,          /* does a FUP become last IP */
    PT_PSB_ENDS_CALLS,       /* does PSB forget CALLs */
    PT_CYC_RESETS,           /* does CYC begin anew */
    PT_EXEC_CHANGE,          /* is it sent where the mode changes */
    PT_ZERO_CALL,            /* is this CALL of displacement 0 */
    PT_FAR_CALL_TIP,         /* has a far CALL */
    PT_INT_AT_END,           /* and not where the next one is full */
    PT_EXEC_BEFORE_TIP,      /* before the TIP of a far transfer */
    PT_STOP_KEEPS_EN,        /* does TraceEn outlive STOP */
    PT_RANGE_KEEPS_EN,       /* a TraceStop range */
    PT_ERROR_KEEPS_EN,       /* an operational error */
    PT_INT_ONCE,             /* is it one for a region */
    PT_OVF_FUP_NEXT,         /* has the FUP after OVF the next IP */
    PT_EVENT_AFTER_ABORT,    /* and those that abort a transaction */
    PT_HLE_ABORT_HERE,       /* and of an HLE abort */
    PT_STOPS_AT_START,       /* does it stop what starts inside */
    PT_GAP_OUTSIDE,          /* is what lies between two ranges in neither */
    PT_PSB_CR3_NOW,          /* is the PIP of PSB+ of CR3 as it is */
    PT_PSB_IN_HLE,           /* also with HLE */
    PT_BESIDE_STOP,          /* does ADDR1 filter where ADDR0 stops */
    PT_BEGIN_TNT,            /* does a begin send the TNT */
    PT_COMMIT_TNT,           /* does a commit */
    PT_UNELIDED,             /* has an XACQUIRE packets that elides nothing */
    PT_END_SIZE_IGNORED,     /* is the Size of END ignored */
    PT_EVERY_INT,            /* is a second one of a trace */
    PT_CR3_IN_RING_3,        /* is CR3 compared there */
    PT_FILTER_IN_RING_3,     /* does a range filter there */
    PT_CYC_OF_TNT,           /* does CYC come before a TNT */
    PT_CYC_SENT,             /* not twice in a cycle */
    PT_MTC_FILTERED,         /* is MTC sent with FilterEn = 0 */
    PT_CYC_OF_MTC,           /* does CYC come before an MTC, */
    PT_CYC_OF_MTC_RING_3,    /* there, too */
    PT_PSB_EXEC_DUE,         /* MODE.Exec after PSB with PacketEn = 0 */
    PT_EVERY_ABORT_FUP,      /* has the second abort of a trace */
    PT_ABORT_FILTER,         /* is an abort shown with FilterEn = 0 */
    PT_START_ENDS_CALLS,     /* does TraceEn forget CALLs */
    PT_START_RESETS_CYCLES,  /* does it reset the cycle counter */
    PT_CYC_OF_PGE,           /* does CYC come before a TIP.PGE */
    PT_CYC_OF_PGD,           /* before a TIP.PGD */
    PT_CYC_OF_PIP,           /* before a PIP */
    PT_STOPS_IN_RING_3,      /* does TraceStop stop there */
    PT_RET_AS_CALLED_IN_RING_3, /* a RET there, the same */
    PT_STOPS_CONDITIONAL,       /* does a conditional branch stop */
    PT_STOPS_CR3,               /* does MOV to CR3 */
    PT_STOPS_EVENT,             /* does an event */
    PT_RANGE_TO_RANGE,          /* is PacketEn kept from one to the other */
    PT_EVENT_FUP_OF_PGD,        /* where FilterEn is cleared */
    PT_EVENT_FUP_OUT,           /* where ContextEn is */
    PT_EVENT_PGD_IP,            /* has TIP.PGD of an event an IP */
    PT_TX_CONTEXT,              /* has MODE.TSX to wait for CR3 to match */
    PT_STOPS_CONTEXT,           /* has TraceStop */
    PT_CR3_IN_RANGES,           /* is CR3 compared where ranges filter */
    PT_RANGES_OF_CR3,           /* do ranges filter where CR3 does */
    PT_REWRITE_SILENT,          /* is CTL rewritten without a packet */
    PT_SYSCALL_PGE,             /* does SYSCALL into the context make TIP.PGE */
    PT_SYSRET_PGD,              /* does IRET or SYSRET out of it make TIP.PGD */
    PT_XABORT_ALONE,  /* has XABORT packets outside of a transaction */
    PT_TRACES_APART,  /* does another processor's trace go on */
    PT_TIMED_COMMITS, /* can a transaction commit with CYCEn */
    PT_CTL_COMBINES,  /* may DisRETC and CR3Filter be set together */
    PT_CYC_OF_TX,     /* does CYC come before MODE.TSX */
    PT_CYC_OF_ABORT,  /* also that of an abort */
    PT_CYC_OF_ABORT_RING_3,
    PT_TX_FUP_WHOLE,       /* has MODE.TSX's FUP the bits that it needs */
    PT_PTW_FUP_WHOLE,      /* the same of that of a PTW, */
    PT_CFE_FUP_WHOLE,      /* and of a CFE */
    PT_ABORT_TIP_WHOLE,    /* the same of an abort's TIP, */
    PT_RET_TIP_WHOLE,      /* and of that of a RET */
    PT_TX_FILTER_RING_3,   /* is MODE.TSX sent there with FilterEn = 0 */
    PT_ABORT_PGE_RING_3,   /* has an abort into a range there a TIP.PGE */
    PT_HLE_IN_RING_3,      /* does an elision there make packets, */
    PT_HLE_COMMIT_RING_3,  /* its commit, */
    PT_HLE_ABORT_RING_3,   /* and its abort, */
    PT_HLE_TXABORT_RING_3, /* with TXAbort = 1, */
    PT_HLE_TARGET_RING_3,  /* and a TIP to the XACQUIRE */
    PT_HLE_FUP_RING_3,     /* has its begin a FUP */
    PT_PSB_NO_BRANCHES,    /* is a PSB due with BranchEn = 0 */
    PT_CYCLES_FILTERED,    /* do cycles count with FilterEn = 0 */
    PT_CYCLES_OUTSIDE,     /* the same with ContextEn = 0 */
    PT_CYC_OF_TNT_RING_3,  /* does CYC come before a TNT there */
    PT_CYCLES_IN_RING_3,   /* are all of them in a CYC there */
    PT_FAR_IN_RING_3,      /* has a far JMP or CALL there a TIP */
    PT_FREES_IN_RING_3,    /* is RET imm16 compressed by its target alone */
    PT_CFE_FROM_RING_3,    /* has what leaves it a CFE */
    PT_CFE_OF_INTERRUPT,   /* has an external one */
    PT_CFE_VECTOR,         /* with its vector */
    PT_CFE_GP_RING_3,      /* has #GP of ring 3 its own, whatever raised it */
    PT_CFE_IRET_TO_RING_3, /* has IRET to ring 3 one */
    PT_SAME_INT,           /* is one of the same entry as before */
    PT_NMI_TRACED,         /* is an NMI */
    PT_ABORT_STOPS,        /* does an abort into a TraceStop range stop */
    PT_TNT_SENT,           /* is the TNT of a conditional branch */
    PT_DIS_TNT_IN_RING_3,  /* is DisTNT looked at there */
    PT_EXEC_IF,            /* has MODE.Exec IF = 1 */
    PT_EXEC_OF_IF,         /* is it sent where IF changes */
    PT_EXEC_OF_POPF,       /* also by POPF */
    PT_CFE_OF_EVENT,       /* has an event a CFE */
    PT_CFE_OF_IRET,        /* has IRET */
    PT_CFE_FUP,            /* does a FUP follow */
    PT_CFE_IRET_IP,        /* of the IRET itself */
    PT_RESERVED_ON,        /* are reserved bits where TraceEn is set, too */
    PT_RESERVED_OFF,       /* and where it is cleared */
    PT_CYC_NO_BRANCHES,    /* do CYC, MTC and CBR come with BranchEn = 0 */
    PT_MTC_NO_BRANCHES,
    PT_CBR_NO_BRANCHES,
    PT_TSC_AT_START,    /* is there a TSC where TraceEn is set without PSB */
    PT_TIME_OUTSIDE,    /* and with ContextEn = 0, CBR too */
    PT_PSB_APART,       /* is a PSB not amid the packets of one event */
    PT_PSB_PIP_OUTSIDE, /* has PSB+ a PIP outside of a filter */
    PT_CR3_TNT,         /* what TNT are due before MOV to CR3 out of context */
    PT_EVENT_PGE_FUP,   /* has an event into a filter no FUP */
    PT_FAR_PGD_IP,      /* has TIP.PGD of a far transfer out of one an IP */
    PT_STOPPED_LOCKED,  /* are registers locked where Stopped is 1, too */
    PT_STOPPED_CTL,     /* is CTL */
    PT_STOPPED_TRIGGER, /* is TriggerEn 0 there */
    PT_ERROR_TRIGGER,   /* is it 0 where Error is 1 */
    PT_STOP_BESIDE,     /* does ADDR1 stop where ADDR0 filters */
    PT_OFFSET_ENTRY_0,  /* is OutputOffset checked beyond the first entry */
    PT_RANGE_SILENT,    /* does the wrap of a single range not interrupt */
    PT_INT_LINKED,      /* does INT in a table that END led to */
    PT_EVERY_BEGIN,     /* has the 16th begin of a trace packets */
    PT_PSB_TX_ABORT_ONCE,  /* is TXAbort in PSB+ 0 after an abort */
    PT_PSB_TNT,            /* does PSB send the TNT */
    PT_PGD_TNT,            /* does TIP.PGD */
    PT_EVENT_TNT,          /* does an event */
    PT_EVENT_TNT_OUT,      /* also where ContextEn is cleared */
    PT_EVENT_TNT_RING_3,   /* also of ring 3 */
    PT_ABORT_TNT_RING_3,   /* does an abort there */
    PT_PGD_NEXT_IN_RING_3, /* has TIP.PGD there the next IP */
    PT_LAST_IP_STAYS,      /* where a packet has no IP */
    PT_LAST_IP_SENT,       /* is it one that was sent */
    PT_FREES_COMPARED,     /* RET with an operand: its target */
    PT_RANGE_ENDS_AT_0,    /* OutputOffset, after the last byte */
    PT_EVD_OF_EACH,        /* page fault its own address */
    PT_CFE_NO_BRANCHES,    /* without BranchEn, too */
    PT_ABORTED_EVENT_IP,   /* of an interrupt that aborts: the fallback */
    PT_RET_PGD,            /* has a RET that leaves a range TIP.PGD, */
    PT_CALL_PGD,           /* and a direct CALL */
    PT_NESTED_ABORT_TNT,   /* does an abort in an inner one send the TNT */
    PT_CYC_OF_EVENT,       /* has the TIP of an exception a CYC, */
    PT_CYC_OF_PTW,         /* and a PTW */
    PT_PAUSE_HERE,         /* is the FUP of its abort at it */
    PT_PSB_TX_OUTSIDE,     /* is MODE.TSX in PSB+ with PacketEn = 0 */
    PT_PSB_IN_TX_AGAIN,    /* is InTX 1 in the second PSB+ in a transaction */
    PT_BASE_REFUSED,       /* is OUTPUT_BASE as it was, where refused */
    PT_PTW,                /* does PTWRITE make a PTW */
    PT_PTW_CONTEXT,        /* is ContextEn 1 for it */
    PT_PTW_FILTER,         /* is FilterEn */
    PT_PTW_NO_BRANCHES,    /* does it without BranchEn */
    PT_PTW_IN_RING_3,
    PT_PTW_FUP_IN_TX,       /* FUPonPTW in a transaction */
    PT_RET_AS_CALLED_IN_TX, /* does a RET there go where it was called */
    PT_CYC_THRESH_IN_TX,    /* does CycThresh hold there */
    PT_CYC_THRESH_13,       /* and where it is 13 */
    PT_PTW_IN_TX,
    PT_PTW_4_IN_RING_3, /* one of 4 bytes */
    PT_PTW_4_IN_TX,
    PT_PTW_TNT,        /* with the TNT before it */
    PT_PTW_IP_BIT,     /* does it say that a FUP follows */
    PT_PTW_FUP,        /* does one */
    PT_PTW_FUP_HERE,   /* of the PTWRITE */
    PT_PTW_66_REFUSED, /* is 66H before it */
    PT_INT_IN_TX,      /* is INT of a region that is full in a transaction */
    PT_PIP_UNFILTERED, /* has MOV to CR3 a PIP where FilterEn is 0 */
    PT_FILTER_ANEW,    /* is FilterEn that of the IP where CR3 matches */
    PT_STATUS_HELD,    /* is STATUS */
    PT_REFUSED_TRACED, /* do packets go on after a write that is refused, */
    PT_REFUSED_CTL_TRACED, /* and one of CTL */
    PT_PSB_AFTER_TNT,      /* does PSB in mid-trace come after the TNT */
    PT_MTC_ZERO,           /* is an MTC of 0 sent */
    PT_OFFSET_WHOLE,       /* OutputOffset[2:0], read in a later entry */
    PT_RANGES_OVERLAP,     /* is what two ranges have in them */
    PT_LATER_SIZES,        /* is Size that of the third entry, too */
    PT_END_BACK,           /* does END of a second table lead on */
    PT_INT_OF_LATER,       /* is INT of a later entry an interrupt */
    PT_POINTERS_HELD,      /* is MASK_PTRS as it was, where refused */
    PT_RET_FRAMES,         /* is a RET compared with the last CALL alone */
    PT_RET_POPS,           /* is that forgotten where it is not compressed */
    PT_CALL_FILTERED,      /* is a CALL with FilterEn = 0 not remembered */
    PT_EXEC_OF_CONTEXT,    /* the same where ContextEn was 0, */
    PT_EXEC_OF_START,      /* and in a trace that began without a PSB */
    PT_EXEC_OF_PGE,      /* is MODE.Exec sent where it changed before TIP.PGE */
    PT_CFE_TNT,          /* does a CFE send the TNT */
    PT_EVD_OF_RING_3,    /* has a page fault there an EVD, */
    PT_EVD_OFFSET,       /* with all bits of CR2 */
    PT_EVD_FIRST,        /* before its CFE */
    PT_ABORT_RET_TNT,    /* is the result of a RET sent by an inner abort */
    PT_PGD_DIS_TNT,      /* has a conditional branch TIP.PGD with DisTNT */
    PT_COMMIT_ENTERED,   /* has a commit a FUP that began with FilterEn = 0 */
    PT_ABORT_ENTERED,    /* has an abort */
    PT_ABORT_CYCLES,     /* do those of a transaction that aborts count */
    PT_PSB_PIP_OS,       /* has PSB+ no PIP where OS is 0 */
    PT_ABORT_CAPACITY,   /* is an abort by it in the trace */
    PT_CBR_AT_START,     /* is CBR sent with TraceEn, without a PSB, too */
    PT_STOPS_LEVEL,      /* has TraceStop to wait for a level that is traced */
    PT_PTW_LOCK_REFUSED, /* is LOCK before PTWRITE */
    PT_PMI_LETS_COUNT,   /* do counters go on after the interrupt of INT, */
    PT_PMI_FREEZES,      /* and stand still where it sets CTR_Frz */
    PT_WRITES_REFUSED,   /* is a write #GP that TraceEn = 1 keeps out */
    PT_STOPPED_SEEN,     /* is Stopped 0 where TraceStop has not to act */
    PT_PSB_FUP_INSIDE,   /* is FUP in PSB+ only where PacketEn is 1 */
    PT_PTW_FUP_ASKED,    /* are IP and a FUP of PTW only with FUPonPTW */
    PT_BASE_KEEPS_OFFSET,    /* a write of OUTPUT_BASE */
    PT_POINTERS_KEEP_STATUS, /* a write of MASK_PTRS */
    PT_ABORT_OF_INT3,        /* is an abort by INT3 in the trace, */
    PT_ABORT_OF_NESTING,     /* by one XBEGIN too many, */
    PT_ABORT_OF_CPUID,       /* and by an instruction but PAUSE */
    PT_HLE_ABORT_OF_CPUID,   /* the same of an elided section, */
    PT_HLE_ABORT_OF_PAUSE,
    PT_HLE_ABORT_OF_EXCEPTION,
    PT_HLE_ABORT_OF_WRITES,
    PT_HLE_ABORT_OF_CONFLICT,
    PT_HLE_ABORT_OF_EVENT,
    PT_HLE_FILTER,          /* is MODE.TSX of one sent with FilterEn = 0, */
    PT_HLE_ABORT_PGD,       /* may its abort have a TIP.PGD, */
    PT_HLE_ABORT_PGE,       /* and a TIP.PGE */
    PT_ABORT_OF_READS,      /* of a transaction by too many loads, */
    PT_ABORT_OF_BREAKPOINT, /* by DR0 to DR3, */
    PT_ABORT_OF_PAGE_FAULT,
    PT_ABORT_NEEDS_BRANCH_EN, /* is it with BranchEn alone */
    PT_PIP_ADDRESS_ALONE,     /* are CR3[11:5] 0 in PIP */
};

#endif
