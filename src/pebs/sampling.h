/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampling.h - records made on this logical processor: DS area and buffer in
 * test_records(), counters programmed, the window of asm/pebs_window.h or a
 * caller's own, the documented stop, and the records that are then there.
 *
 * SDM 3B, "Processor Event Based Sampling (PEBS)" of Nehalem, "Programming PEBS
 * Facility", and of the Intel Core microarchitecture, "Re-configuring PEBS
 * Facilities"; "BTS and DS Save Area". Needs NEED_PEBS, NEED_PMU.
 */
#ifndef SRC_PEBS_SAMPLING_H
#define SRC_PEBS_SAMPLING_H

#include "asm/pebs_window.h"
#include "src/counting/bank.h"
#include "src/harness/case.h"
#include "src/pebs/pebs_adaptive.h"
#include "src/pebs/pebs_ds.h"
#include "src/pebs/precise.h"

/* What is to make records. A counter overflows after so many events, 1 to
 * 2^31 - 1; the record is that of an event after this one. */
struct sampling_config {
    uint64_t select;     /* umask and event, of precise.h */
    unsigned counters;   /* set of IA32_PMCx: these make records */
    unsigned count_only; /* set of others: these only count, from 0 */
    uint64_t beside;     /* what they count, where not the same event */
    unsigned plain;      /* set of others: these overflow, and make no record */
    unsigned fixed;      /* set of IA32_FIXED_CTRx that make records; with
                            extended PEBS */
    unsigned fixed_plain; /* set of others: these overflow, and make none */
    uint32_t
        first_period[PRECISE_COUNTERS]; /* from the start to the overflow */
    uint32_t period[PRECISE_COUNTERS];  /* from a record on; 0: none */
    uint64_t reset[PRECISE_COUNTERS];   /* where there is no period: the value
                                           that a record reloads */
    uint32_t fixed_first[BANK_FIXED];   /* the same of fixed counters */
    uint64_t fixed_period[BANK_FIXED];  /* not 0 where one makes records */
    unsigned room, threshold;           /* records */
    unsigned begun; /* so many are taken for written: the index is after them */
    unsigned slack; /* bytes after the last record that fits, too few for one */
    uint64_t facility; /* more bits of IA32_PEBS_ENABLE: LL_EN, PS_EN */
};

/* Records there is memory for, and the bytes of the longest, of any format. */
#define PEBS_ROOM_MAX     64
#define SAMPLING_SIZE_MAX 488 /* of format 4: its longest turn */

/* What the adaptive records of a test have that asks for no groups itself:
 * with the basic group all that those of format 3 have. From window to window
 * they have XMM registers or an LBR entry too, or both, or neither. */
#define SAMPLING_GROUPS (PEBS_DATA_MEMORY | PEBS_DATA_GPRS)

struct sampling {
    struct test_context *t;
    unsigned format;     /* of records, 4 for all adaptive ones */
    unsigned decoder;    /* the same, but 6 for that */
    unsigned area_bytes; /* of the DS area that this processor knows */
    unsigned fixed_at;   /* the reset of IA32_FIXED_CTR0 in it */
    uint64_t selection;  /* MSR_PEBS_DATA_CFG (3F2H), with format 4 */
    bool basic;          /* Adaptive_Record is 0 in the selects */
    bool by_turns;       /* other groups beside SAMPLING_GROUPS each time */
    unsigned turn;
    bool timing; /* records have Retire Latency */
    size_t size; /* of a record */
    struct sampling_config config;
    volatile struct pebs_ds_area *area; /* the processor writes to it */
    struct pebs_ds_area set;            /* what it held at the start */
    uint8_t *buffer;
    uint64_t mask;         /* of the counters' width */
    bool reserved_said;    /* that a record has reserved bits */
    bool latency_said;     /* or Retire Latency that is not enumerated */
    bool last;             /* the record looked at is the last one */
    bool first_look;       /* and was not looked at before */
    unsigned looked, same; /* records looked at, and whose EventingIP is RIP */
    unsigned ip_wrong; /* of aborts: with another EventingIP (abort_check) */
    unsigned event_ip_wrong; /* records whose EventingIP is not the event's */
    uint64_t debugctl;       /* IA32_DEBUGCTL at the start */
    uint64_t smis;           /* MSR_SMI_COUNT there, 0 where there is none */
    unsigned refused;        /* test_refused() there */
    unsigned repeated;       /* windows repeated because of an SMI */

    /* After sampling_stop(). */
    uint64_t status;                  /* IA32_PERF_GLOBAL_STATUS (38EH) */
    uint64_t value[PRECISE_COUNTERS]; /* the counters in counters and beside */
    uint64_t fixed_value[BANK_FIXED]; /* fixed counters that counted */
    unsigned records; /* whole ones, in the buffer, and those begun with */
    /* After sampling_run(). */
    struct pebs_state state;
    uint64_t tsc_before, tsc_after;
};

/* Takes the PMU over (counters_claim) and sets IA32_DS_AREA. False with a SKIP
 * where this processor's precise events are not known or its microcode makes no
 * records that can be used, and where an access faulted (ERROR is said). */
bool sampling_claim(struct sampling *p, struct test_context *t);

/* From now on all records of a claimed p have one size. */
static inline void sampling_no_turns(struct sampling *p)
{
    p->by_turns = false;
}

/* With format 4, after sampling_claim(): the groups of the records from now on,
 * as many as have 32 LBR entries at most, and whether the selects ask for them;
 * without, a record has the basic group alone. False where that failed. */
bool sampling_groups(struct sampling *p, uint64_t selection, bool adaptive);

/* Adaptive_Record of a select that makes such records, else 0. */
uint64_t sampling_adaptive(const struct sampling *p);

/* The set of general-purpose counters whose records are promised, PMC0 to PMC3
 * or with extended PEBS all: without counter 3 where counter3.h promises
 * nothing, after RTM_FORCE_ABORT was set where that helps. */
unsigned sampling_counters(struct test_context *t);

/* After sampling_claim(): fills in DS area and buffer, programs counters and
 * IA32_PEBS_ENABLE. Nothing counts until IA32_PERF_GLOBAL_CTRL (38FH) is
 * written with sampling_enable(). Nor may anything else be on that follows what
 * runs, a trace or branch records: the firmware may have the processor first
 * (hw_poll()). Beside such a thing, the second. */
bool sampling_arm(struct sampling *p, const struct sampling_config *config);
bool sampling_arm_beside(struct sampling *p,
                         const struct sampling_config *config);
uint64_t sampling_enable(const struct sampling_config *config);

/* Starts counting: 38FH = sampling_enable(). For code of the caller's own, in
 * place of pebs_window(). */
bool sampling_start(struct sampling *p);

/* Records in the buffer now, while counters run; not checked. */
unsigned sampling_written(const struct sampling *p);

/* Stops: 38FH = 0, IA32_PEBS_ENABLE = 0, a quiescent period in which a record
 * that is on its way arrives; then reads status, counters and index, and checks
 * that the index is a record's, that nothing but the records and the index was
 * written, that the rest of the area is as it was, that the status has what
 * overflowed without a record, and nothing that does not count, and that
 * IA32_FIXED_CTR_CTRL, IA32_DEBUGCTL and IA32_DS_AREA are as before.
 * False where an access faulted or a check failed (ERROR or FAIL is said). */
bool sampling_stop(struct sampling *p);

/* sampling_arm(), window(p, argument), which writes sampling_enable() to 38FH
 * and 0 at its end, sampling_stop(); again where an SMI hit it. */
bool sampling_around(struct sampling *p, const struct sampling_config *config,
                     void (*window)(struct sampling *p, uint64_t argument),
                     uint64_t argument);

/* The same around pebs_window() with these status flags, which leaves the
 * selects as they are. */
bool sampling_run(struct sampling *p, const struct sampling_config *config,
                  uint64_t flags);

/* Record n of p->records. Reserved bits in it are observed, once: no driver has
 * been seen to rely on 0. */
bool sampling_record(struct sampling *p, unsigned n,
                     struct pebs_record *record);

/* The event of pebs_window() that the record, the one that sampling_record()
 * gave last, is of by its R15; 0 where R15 says none, or another register is
 * not as planted, and then FAIL is said; or KNOWN, where it is the last and of
 * an instruction after the window. */
unsigned sampling_event(struct sampling *p, const struct pebs_record *record);

/* Checks that TSC and Applicable Counter of a record, where it has them, are of
 * the window that was run last; of, n: "event", 5: what the record is of. */
void sampling_check_made(struct sampling *p, const struct pebs_record *record,
                         const char *of, unsigned n);

/* After sampling_stop(): what IA32_FIXED_CTRn counted from its first value on,
 * where it makes no records, and from its reset value in the DS area on. */
uint64_t sampling_fixed_counted(const struct sampling *p, unsigned n);
uint64_t sampling_fixed_since(const struct sampling *p, unsigned n);

/* The quiescent period: some microseconds. */
void sampling_quiet(void);

#endif
