/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * errata.h - published errata that the model plays: what the manual says is not
 * done, once in a while or always, by processors that have them. None of an
 * exact processor; those that `erratum=` names; all of a processor as sold.
 *
 * What each is, of which processors, and its text:
 * personalities/common/errata.c.
 */
#ifndef SILICON_MODEL_ERRATA_H
#define SILICON_MODEL_ERRATA_H

#include <stdbool.h>
#include <stdint.h>

struct personality;
struct processor;
struct retirement;
struct event_row;

enum erratum {
    /* Counters. */
    ERRATUM_INSTRUCTIONS,   /* INST_RETIRED, FIXED_CTR0: one more or less */
    ERRATUM_FIXED0_32,      /* FIXED_CTR0: up to 32 more with HT */
    ERRATUM_BRANCHES,       /* NOT_TAKEN, NEAR_TAKEN: too many */
    ERRATUM_PMC2,           /* another value where an abort overlaps */
    ERRATUM_CPL_FILTER,     /* OS or USR alone: too few after a new CPL */
    ERRATUM_USR_4_TO_7,     /* counters 4 to 7 do not count USR alone */
    ERRATUM_CTR_FRZ_4_TO_7, /* CTR_Frz does not stop them */
    ERRATUM_SET_BIT_63,     /* 391H[63] raises no #GP */
    ERRATUM_SET_BIT_55,     /* 391H[55] raises #GP */
    ERRATUM_PMI_AGAIN,      /* until the overflow bit is cleared */
    ERRATUM_SMI_CLEARS,     /* FREEZE_PERFMON_ON_PMI */
    ERRATUM_ABORTED_MISC4,  /* counts other aborts, too */
    ERRATUM_RFO,            /* off-core: too many */
    ERRATUM_L3_SIDE,        /* hits and misses of L3 are mistaken */
    ERRATUM_L3_LOST,        /* or not counted */
    ERRATUM_LOCKED_LOADS,   /* that hit L2 are not counted */
    ERRATUM_MEMORY_ONE_CPL, /* OS or USR alone: loads, stores are missed */
    /* PEBS. */
    ERRATUM_NOT_TAKEN_IP, /* EventingIP of a Jcc not taken: before it */
    ERRATUM_EVENTING_IP,  /* EventingIP: before it */
    ERRATUM_LATER_RECORD, /* of the next triggering instruction */
    ERRATUM_RECORD_AFTER, /* PEBS or its counter was disabled */
    ERRATUM_PDIR_TWICE,   /* where the reset value has bits 5:0 */
    ERRATUM_LOAD_LATENCY, /* stops with HT */
    /* Processor Trace. */
    ERRATUM_PGD_IP,         /* none where a direct branch leaves a filter */
    ERRATUM_PSB_UNEXPECTED, /* FUP, MODE.Exec in PSB+ before TIP.PGE */
    ERRATUM_OVF_FUP,        /* missing */
    ERRATUM_OVF_IN_CYC,     /* after the first byte of a CYC */
    ERRATUM_CYC_13,         /* CYCThresh 13 is 0 */
    ERRATUM_CYC_DROPPED,    /* before PSB */
    ERRATUM_ALL_DROPPED,    /* after a ToPA entry, until TraceEn = 0 */
    ERRATUM_STOPS_SOON,     /* ToPA STOP */
    ERRATUM_MODE_AT_PSB,    /* MODE.Exec, PIP: only there */
    ERRATUM_PIP_WITHOUT_OS, /* in PSB+ */
    ERRATUM_TOPA_NO_FREEZE, /* ToPA PMI, FREEZE_PERFMON_ON_PMI */
    /* Last branch records. */
    ERRATUM_LBR_TRACED_GP,     /* while tracing: #GP for any access */
    ERRATUM_LBR_TRACED_WRITE,  /* and none for an address not canonical */
    ERRATUM_CALL_OF_NO_LENGTH, /* is on the call stack */
    /* HLE. */
    ERRATUM_LOCK_LOOKS_FREE, /* an elided lock reads as it was */
    ERRATA
};

/* Has this machine it? */
bool erratum_is(const struct processor *p, enum erratum e);

/* And does it show here: about once in so many times what SEED has drawn. */
bool erratum_shows(struct processor *p, enum erratum e, uint32_t one_in);

/* How often an event is counted. */
uint32_t errata_count(struct processor *p, const struct event_row *event,
                      uint32_t count);
/* The same of fixed counter 0, which is enabled. */
uint32_t errata_fixed0(struct processor *p, uint32_t count);
/* Does counter n miss what happened at the level of privilege of r? */
bool errata_level(struct processor *p, unsigned n, const struct retirement *r);
/* IA32_PERF_GLOBAL_CTRL[32] is being set. */
void errata_fixed0_starts(struct processor *p);
/* An SMI has come. */
void errata_smi(struct processor *p);
/* A transaction has aborted. */
void errata_aborted(struct processor *p);

/* personalities/common/errata.c: all of a processor, as bits 1 << enum erratum;
 * the one of a published id, 0 if there is none or not of this processor. */
uint64_t errata_of(const struct personality *cpu);
uint64_t errata_find(const struct personality *cpu, const char *id);

#endif
