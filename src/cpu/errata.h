/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * errata.h - published errata that a verdict may rest on, by what goes wrong.
 * Pure.
 *
 * Intel's specification updates of the Core processors of the 2nd to the 12th
 * generation. Steppings and microcode are not told apart: an erratum is taken
 * to be in every stepping of a model. For the server sibling of a client
 * processor, and for those of the 10th and 11th generation that have the core
 * of another one, it is inferred, and said to be.
 */
#ifndef SRC_CPU_ERRATA_H
#define SRC_CPU_ERRATA_H

#include <stdbool.h>

#include "src/cpu/identity.h"

enum erratum {
    /* Counters. */
    ERRATUM_INSTRUCTIONS_INCONSISTENT, /* instructions retired, by a few */
    ERRATUM_FIXED0_32_MORE,            /* 38DH before 38FH, with HT */
    ERRATUM_BRANCHES_OF_THREAD_1,      /* C4H/04H and C4H/40H */
    ERRATUM_PMC2_OVER_ABORTS,          /* PMC2 accessed beside aborts */
    ERRATUM_EVTSEL4_TO_7_READ,         /* RDMSR of 18AH to 18DH */
    ERRATUM_OVERFLOW_STAYS,            /* beside disabling: cannot be cleared */
    ERRATUM_FIXED1_WRITE,              /* of 30AH, another value */
    ERRATUM_INV_COUNTS_OTHER_CPL,      /* INV with CMASK, OS or USR alone */
    ERRATUM_CPL_FILTER_UNDERCOUNTS,    /* at a change of CPL */
    ERRATUM_PMC4_TO_7_USR_ALONE,       /* do not count */
    ERRATUM_ANYTHREAD_ONE_CPL,         /* with OS or USR alone */
    ERRATUM_LLC_EVENTS,                /* 2EH/4FH, 2EH/41H */
    ERRATUM_FREEZE_PMC4_TO_7,          /* CTR_Frz does not stop them */
    ERRATUM_PMI_REPEATED,              /* until the overflow is cleared */
    ERRATUM_FIXED0_PMI_REPEATED,       /* frozen, with HT */
    ERRATUM_TOPA_PMI_NO_FREEZE,        /* it leaves the counters on */
    ERRATUM_STATUS_SET_63,             /* 391H[63] can be written */
    ERRATUM_STATUS_SET_55,             /* 391H[55] cannot */
    ERRATUM_LBR_DUPLICATE_AT_FREEZE,
    ERRATUM_LBR_FROM_AT_FREEZE,    /* of the newest record */
    ERRATUM_LBR_FAULTS_WITH_TRACE, /* RDMSR and WRMSR, while TraceEn = 1 */
    ERRATUM_LBR_CALL_OF_NO_LENGTH, /* EN_CALLSTACK: it leaves a record */
    /* PEBS. */
    ERRATUM_EVENTING_IP_BEFORE_JCC, /* that was not taken */
    ERRATUM_EVENTING_IP,            /* in rare conditions */
    ERRATUM_RECORD_OF_LATER,        /* the instruction after is in the record */
    ERRATUM_RECORD_AFTER_DISABLING,
    ERRATUM_PMI_OF_FULL_BUFFER,
    ERRATUM_PDIR_REDUNDANT, /* more than one record an overflow */
    /* Loads and off-core response. */
    ERRATUM_LOAD_LATENCY_STOPS,    /* with HT */
    ERRATUM_LOAD_SOURCE,           /* L3 and memory mixed up */
    ERRATUM_LOCKED_LOADS,          /* undercounted */
    ERRATUM_MEMORY_EVENTS_WITH_HT, /* wrong counts */
    ERRATUM_MEMORY_EVENTS_ONE_CPL, /* the same with OS or USR alone */
    ERRATUM_UNCORE_ABSENT, /* MSRs of C-Boxes that are not there may hang */
    ERRATUM_OFFCORE_RFO,   /* RFO, code reads, others: too many */
    ERRATUM_OFFCORE_RFO_SUPPLIER, /* NO_SUPP instead of LOCAL */
    /* Processor Trace, TSX. */
    ERRATUM_PT_PSB_UNEXPECTED, /* FUP and MODE.Exec in PSB+ before PGE */
    ERRATUM_PT_PSB_PIP,        /* PIP in PSB+ though OS is 0 */
    ERRATUM_PT_LATE_MODE,      /* MODE.Exec, PIP, CBR at the next PSB+ */
    ERRATUM_PT_PGD_WITHOUT_IP,
    ERRATUM_PT_STOPS_EARLY,
    ERRATUM_PT_DROPS_ALL, /* after a ToPA entry, until TraceEn is toggled */
    ERRATUM_PT_ABORT_IP,  /* after a branch */
    ERRATUM_PT_CYC_DROPPED,
    ERRATUM_PT_OVF_WITHOUT_FUP,
    ERRATUM_HLE_OLD_VALUE, /* the elided lock reads as before */
    ERRATUM_COUNT
};
_Static_assert(ERRATUM_COUNT <= 64, "a set of errata has 64 bits");

struct erratum_found {
    char name[8];  /* "SKL018" */
    bool inferred; /* from the client sibling of a server */
};

/* False where the processor does not have it. */
bool errata_find(const struct identity *id, enum erratum erratum,
                 struct erratum_found *found);

#endif
