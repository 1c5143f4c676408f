/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine.h - the state of the simulated machine: what all its logical
 * processors share, and what each has for itself. Only this state and the
 * functions of model/ decide how the processor behaves; the hypervisor above
 * carries it out. No EFI and no privileged instruction in model/: host tests
 * link it.
 */
#ifndef SILICON_MODEL_MACHINE_H
#define SILICON_MODEL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/lbr/branches.h"
#include "tests/silicon/model/choices.h"
#include "tests/silicon/model/memory/memory_events.h"
#include "tests/silicon/model/uncore/offcore.h"
#include "tests/silicon/model/personality.h"
#include "tests/silicon/model/uncore/uncore.h"

#define PROCESSORS_MAX 64
#define COUNTERS_MAX   10
_Static_assert(COUNTERS_MAX == FAULT_COUNTERS, "fault.h");
#define FIXED_MAX     4
#define METRICS       8 /* fractions of IA32_PERF_METRICS */
#define MSR_ROWS_MAX  64
#define PT_BUFFER     512 /* far more bytes than one instruction makes */
#define PT_RETURNS    64  /* SDM 3C, "RET Compression" */
#define PT_RANGES_MAX 4

#define FORCE_ABORT_AS_PERSONALITY UINT64_MAX

/* What can be configured of a machine. */
struct machine_config {
    const struct personality *cpu;
    enum fault_id fault;
    uint64_t seed;
    uint64_t errata;      /* 1 << enum erratum */
    uint64_t smi;         /* an SMI in about one of `smi` windows; 0: never */
    uint64_t force_abort; /* MSR 10FH as firmware has left it */
    enum disturbance counter3;
    bool smt;
    bool leftovers; /* registers as firmware may leave them */
    bool x2apic;    /* the local APICs are in x2APIC mode */
    bool os; /* an operating system comes, which has the clocks of QEMU */
};

struct machine {
    const struct personality *cpu;
    enum fault_id fault;
    uint64_t seed, errata, smi, force_abort;
    enum disturbance counter3;
    bool smt, leftovers, x2apic, os;
    unsigned processors;
    struct cache_state *caches; /* cache_start; may be NULL */
    struct uncore uncore;
    struct processor *processor[PROCESSORS_MAX];
    struct fault_shared faults; /* of hooks alone */
};

/* The last abort, as a PEBS record has it. */
struct last_abort {
    uint64_t information; /* TX Abort Information */
    uint64_t eventing_ip;
    uint64_t resume_ip;
};

struct tsx_state {
    uint64_t force_abort;  /* MSR 10FH as written */
    uint64_t tsx_ctrl;     /* MSR 122H */
    uint64_t mcu_opt_ctrl; /* MSR 123H */
    bool near_overflow;    /* counter 3, where it began */
    unsigned steps, lines; /* instructions, and lines written, at its end */
    bool active, hle;      /* in a transaction; one begun by XACQUIRE */
    bool user;             /* it began with CPL > 0 */
    uint32_t cycles;       /* of the last transaction, or of this one so far */
    struct last_abort last_abort;
    bool was_aborted; /* the last transaction */
    bool hinted;      /* a section was in this one */
};

struct pmu_state {
    uint64_t counter[COUNTERS_MAX];
    uint64_t select[COUNTERS_MAX];
    uint64_t fixed[FIXED_MAX];
    uint64_t fixed_ctrl, global_ctrl, global_status;
    uint64_t at_xbegin[COUNTERS_MAX]; /* values at the outermost XBEGIN */
    uint64_t ref_remainder, bus_remainder;
    uint64_t metrics[METRICS];    /* slots, by what they were used for */
    bool condition[COUNTERS_MAX]; /* the edge detector's last input */
    struct selected {             /* what events_find() has found */
        uint64_t select;
        const struct event_row *event; /* NULL: nothing yet */
    } selected[COUNTERS_MAX];
    /* AnyThread: the enabled counters that have it, and what this processor has
     * made them count on the other thread of its core. */
    uint64_t any;
    bool condition_of_sibling[COUNTERS_MAX];
    volatile uint32_t from_sibling[COUNTERS_MAX + FIXED_MAX];
    bool counting;   /* some counter is enabled */
    uint64_t asked;  /* counters that may be; bits as in GLOBAL_CTRL */
    uint64_t frozen; /* counters, by CTR_Frz; the same */
    bool stopped;    /* garbled: counter 3 does not count */
    bool inuse3;     /* garbled: GLOBAL_INUSE[3] */
    bool disabled3;  /* garbled: GLOBAL_CTRL[3] has been cleared */
    bool smi_pending;
    bool overflow_pmi; /* a counter has asked for one */
    bool pmi;          /* to be sent to the local APIC */
    bool pmi_again;    /* for pmi_twice */
};

/* Counters that can have PEBS enabled, each of which has its place in tables.
 */
#define PEBS_PLACES (COUNTERS_MAX + FIXED_MAX)

/* Sets of counters are bits as in IA32_PERF_GLOBAL_CTRL. */
struct pebs_state {
    uint64_t enable;           /* IA32_PEBS_ENABLE */
    uint64_t ds_area;          /* IA32_DS_AREA */
    uint64_t armed;            /* counters that have overflowed */
    uint64_t triggered;        /* and whose next event has happened since */
    uint64_t pmi_deferred;     /* overflow interrupts after the record */
    bool of_abort;             /* the last thing that happened was an abort */
    uint64_t first;            /* what counter 0 was last set to */
    uint32_t latency;          /* cycles of the instruction that retired last */
    uint8_t skid[PEBS_PLACES]; /* events that pass until one triggers */
    unsigned residual_in;      /* instructions until a residual record */
    uint64_t residual_area, residual_counters;
};

/* Loads and stores, for events and records. */
struct memory_state {
    bool watched;          /* something samples memory */
    bool latency;          /* and some counter the latency of loads */
    struct random random;  /* for tags and latencies */
    uint64_t has_captured; /* general-purpose counters */
    struct data_record captured[COUNTERS_MAX];
};

/* Processor Trace. Registers first, as software has written them. */
struct pt_state {
    uint64_t ctl, status; /* status: without what is computed when read */
    uint64_t base, pointers, cr3_match, address[2 * PT_RANGES_MAX];
    uint64_t ctl_active; /* ctl as it was when TraceEn was set */
    bool filter_en, context_en, packet_en;
    bool in_tx;
    uint64_t tnt_bits; /* results not yet sent, oldest highest */
    uint8_t tnt_count;
    uint8_t exec; /* of the last MODE.Exec since PSB; PT_EXEC_NONE */
    uint64_t last_ip;
    uint64_t returns[PT_RETURNS];
    unsigned calls; /* ever made: the last of them are in returns */
    unsigned returns_known;
    uint32_t psb_bytes;   /* since the last PSB */
    uint32_t cycles;      /* since the last CYC */
    bool cyc_sent;        /* in this cycle */
    bool user;            /* these are of ring 3 */
    uint64_t mtc;         /* last sent */
    bool clocks_stopped;  /* what has run meanwhile was not seen */
    struct random random; /* for PAD and overflows */
    uint64_t sent_ip;     /* last_ip and psb_bytes of what is in memory */
    uint32_t sent_bytes;
    uint8_t buffer[PT_BUFFER];
    unsigned buffered;
    bool check_output;              /* of the output's start */
    bool int_signaled;              /* ToPA INT of this region */
    uint64_t tx_begin;              /* CurrentIP of its begin */
    bool aborted;                   /* one, just now */
    bool aborting;                  /* one makes its packets */
    uint64_t aborted_at;            /* where */
    uint64_t start_cr3, start_base; /* where TraceEn was set */
    unsigned begins;                /* since then */
    unsigned psbs_in_tx;            /* in this transaction */
};

/* Last branch records, as their registers have them. */
#define LBR_DEPTH_MAX 32
struct lbr_state {
    bool enabled;        /* IA32_DEBUGCTL.LBR, or LBREn of IA32_LBR_CTL */
    bool first;          /* no record since then */
    uint64_t ctl, depth; /* of architectural ones */
    uint64_t select, tos;
    uint64_t from[LBR_DEPTH_MAX], to[LBR_DEPTH_MAX], info[LBR_DEPTH_MAX];
    uint64_t cycles; /* since the last one */
};

/* Of errata. */
struct errata_state {
    struct random random;
    bool was_user[COUNTERS_MAX]; /* when the counter counted last */
    uint8_t instructions;        /* more that fixed counter 0 is to count */
    bool loads_stopped;          /* the load latency facility */
    bool trace_dropped;          /* until TraceEn is cleared */
};

struct processor {
    struct machine *machine;
    const struct personality *cpu; /* its own, or what an update made it */
    struct processor *sibling;     /* the other thread of its core, or NULL */
    unsigned index, apic_id;
    unsigned counters, fixed_counters; /* that it has */
    struct choices choices;
    struct random random;
    struct tsx_state tsx;
    struct pmu_state pmu;
    struct pebs_state pebs;
    struct pt_state pt;
    struct lbr_state lbr;
    struct memory_state memory;
    /* Requests of the instruction: matching ones, all, and those that miss. */
    uint8_t offcore[OFFCORE_EVENTS];
    uint32_t llc_references, llc_misses;
    struct predictor branches;
    struct fault_state faults; /* of hooks alone */
    struct errata_state errata;
    uint32_t uncore_pmis; /* of machine.uncore.pmis, looked at */
    uint64_t smi_count;   /* MSR 34H */
    uint64_t bios_sign;   /* MSR 8BH */
    uint64_t spec_ctrl;   /* MSR 48H */
    uint64_t common_msr[MSR_ROWS_MAX], personality_msr[MSR_ROWS_MAX],
        power_msr[MSR_ROWS_MAX];
};

/* Makes a machine as configured. */
void machine_start(struct machine *m, const struct machine_config *config,
                   unsigned processors);

/* Its n-th logical processor, in the state after reset. */
void processor_start(struct processor *p, struct machine *m, unsigned index,
                     unsigned apic_id);

#endif
