/* SPDX-License-Identifier: BSD-2-Clause */
/* context_msr.c - what a test's body does with MSRs (case.h). */
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/harness/context.h"

/* True where CPUID.0AH says that the register is there: a counter, fixed ones
 * too, and its select; from version 2 on what clears the status, which refuses
 * no bit that the status has; from version 4 on INUSE. Nothing that a test
 * writes to one of them may be refused. */
static bool enumerated(const struct identity *id, uint32_t msr)
{
    return msr - IA32_PMC(0) < id->counters ||
           msr - IA32_PERFEVTSEL(0) < id->counters ||
           (msr - IA32_A_PMC(0) < id->counters && id->full_width_writes) ||
           msr - IA32_FIXED_CTR(0) < id->fixed_counters ||
           (msr == IA32_PERF_GLOBAL_STATUS_RESET && id->perfmon_version >= 2) ||
           (msr == IA32_PERF_GLOBAL_INUSE && id->perfmon_version >= 4);
}

/* An access that must not fault did. Where CPUID.0AH enumerates the register,
 * that is the processor's doing; of counter 3 also whatever it holds: using it
 * "should not crash the PMU driver" (white paper 604224, section 1.2). `access`
 * is "RDMSR", or says what was to be written. */
static void report_fault(struct test_context *t, uint32_t msr,
                         const char *access, int vector)
{
    char name[MSR_NAME_BYTES];

    msr_name(msr, name);
    t->refused++;
    if (!enumerated(&t->cpu, msr))
        broken(t, "%s: %s raises %s", name, access,
               vector_name((unsigned)vector));
    else if (msr == IA32_PMC(3) || msr == IA32_PERFEVTSEL(3) ||
             msr == IA32_A_PMC(3))
        check(t, false,
              "%s: %s raises %s; CPUID.0AH enumerates %u counters, and use of "
              "counter 3 should not crash a driver (white paper 604224, 1.2)",
              name, access, vector_name((unsigned)vector), t->cpu.counters);
    else
        check(t, false,
              "%s: %s raises %s; CPUID.0AH enumerates version %u, %u counters "
              "and %u fixed ones; wanted no exception",
              name, access, vector_name((unsigned)vector),
              t->cpu.perfmon_version, t->cpu.counters, t->cpu.fixed_counters);
}

unsigned test_refused(const struct test_context *t)
{
    return t->refused;
}

static void report_write_faulted(struct test_context *t, uint32_t msr,
                                 uint64_t value, int vector)
{
    char access[48];

    text_format(access, sizeof(access), "WRMSR of 0x%lx", (unsigned long)value);
    report_fault(t, msr, access, vector);
}

int try_get_msr(struct test_context *t, uint32_t msr, uint64_t *value)
{
    (void)t;
    return hw_msr_read(msr, value);
}

bool get_msr(struct test_context *t, uint32_t msr, uint64_t *value)
{
    int vector = hw_msr_read(msr, value);

    if (vector == HW_NO_FAULT)
        return true;
    *value = 0;
    report_fault(t, msr, "RDMSR", vector);
    return false;
}

uint64_t msr_value(struct test_context *t, uint32_t msr)
{
    uint64_t value = 0;
    int vector = hw_msr_read(msr, &value);

    if (vector != HW_NO_FAULT)
        report_fault(t, msr, "RDMSR", vector);
    return value;
}

static void report_journal_full(struct test_context *t, uint32_t msr)
{
    char name[MSR_NAME_BYTES];

    broken(t, "%s: not written, %u other MSRs are in the journal already",
           msr_name(msr, name), JOURNAL_MAX);
}

int try_set_msr(struct test_context *t, uint32_t msr, uint64_t value)
{
    int vector;

    if (journal_write(&t->journal, &t->cpu, msr, value, &vector) ==
        JOURNAL_FULL)
        report_journal_full(t, msr);
    return vector;
}

bool set_msr(struct test_context *t, uint32_t msr, uint64_t value)
{
    int vector;

    switch (journal_write(&t->journal, &t->cpu, msr, value, &vector)) {
    case JOURNAL_WRITTEN:
        return true;
    case JOURNAL_FULL:
        report_journal_full(t, msr);
        break;
    case JOURNAL_NOT_SAVED: /* journal_write() saves */
        break;
    case JOURNAL_READ_FAULTED:
        report_fault(t, msr, "RDMSR, before a write that was not made,",
                     vector);
        break;
    case JOURNAL_WRITE_FAULTED:
        report_write_faulted(t, msr, value, vector);
        break;
    }
    return false;
}

static void report_not_journaled(struct test_context *t, uint32_t msr)
{
    char name[MSR_NAME_BYTES];

    broken(t, "%s: not written again, the journal does not have it",
           msr_name(msr, name));
}

int try_set_msr_again(struct test_context *t, uint32_t msr, uint64_t value)
{
    int vector;

    if (journal_write_again(&t->journal, &t->cpu, msr, value, &vector) ==
        JOURNAL_NOT_SAVED)
        report_not_journaled(t, msr);
    return vector;
}

bool set_msr_again(struct test_context *t, uint32_t msr, uint64_t value)
{
    int vector;
    enum journal_access access =
        journal_write_again(&t->journal, &t->cpu, msr, value, &vector);

    if (access == JOURNAL_NOT_SAVED)
        report_not_journaled(t, msr);
    else if (vector != HW_NO_FAULT)
        report_write_faulted(t, msr, value, vector);
    return access == JOURNAL_WRITTEN;
}

bool hold_msr(struct test_context *t, uint32_t msr)
{
    if (journal_has(&t->journal, &t->cpu, msr))
        return true;
    report_not_journaled(t, msr);
    return false;
}

bool wrote_msr(const struct test_context *t, uint32_t msr)
{
    return journal_has(&t->journal, &t->cpu, msr);
}

uint64_t found_msr(const struct test_context *t, uint32_t msr)
{
    return found_value(&t->found, msr);
}

bool set_held_msr(struct test_context *t, uint32_t msr, uint64_t value)
{
    int vector = hw_msr_write(msr, value);

    if (vector != HW_NO_FAULT)
        report_write_faulted(t, msr, value, vector);
    return vector == HW_NO_FAULT;
}

int try_rewrite_msr(struct test_context *t, uint32_t msr)
{
    uint64_t value;
    int vector = try_get_msr(t, msr, &value);

    return vector != HW_NO_FAULT ? vector : hw_msr_write(msr, value);
}

static void report_not_saved(struct test_context *t, uint32_t msr, int vector)
{
    char name[MSR_NAME_BYTES];

    msr_name(msr, name);
    if (enumerated(&t->cpu, msr))
        check(t, false,
              "%s: RDMSR raises %s; CPUID.0AH enumerates %u counters; wanted "
              "no exception",
              name, vector_name((unsigned)vector), t->cpu.counters);
    else
        broken(t,
               "%s: RDMSR raises %s: a change that no WRMSR made is not "
               "restored",
               name, vector_name((unsigned)vector));
}

void context_save(struct test_context *t)
{
    static const uint32_t msrs[] = {IA32_PERFEVTSEL(3), IA32_PMC(3)};
    int vector;

    if (t->cpu.perfmon_version < 2)
        return;
    if (!t->status_known) {
        vector = hw_msr_read(IA32_PERF_GLOBAL_STATUS, &t->status);
        t->status_known = vector == HW_NO_FAULT;
        if (!t->status_known)
            report_not_saved(t, IA32_PERF_GLOBAL_STATUS, vector);
    }
    for (unsigned i = 0; t->cpu.counters > 3 && i < 2; i++)
        if (journal_save(&t->journal, &t->cpu, msrs[i], &vector) ==
            JOURNAL_READ_FAULTED)
            report_not_saved(t, msrs[i], vector);
}

/* Of the bits of IA32_PERF_GLOBAL_STATUS, those set since then. */
static void clear_status(struct test_context *t)
{
    bool known = t->status_known;
    char name[MSR_NAME_BYTES];
    uint64_t now;

    t->status_known = false;
    if (!known)
        return;
    int vector = hw_msr_read(IA32_PERF_GLOBAL_STATUS, &now);
    if (vector != HW_NO_FAULT) {
        broken(t, "%s: not restored to 0x%lx, the access raises %s",
               msr_name(IA32_PERF_GLOBAL_STATUS, name), t->status,
               vector_name((unsigned)vector));
        return;
    }
    if ((now & ~t->status) == 0)
        return;
    vector = hw_msr_write(IA32_PERF_GLOBAL_STATUS_RESET, now & ~t->status);
    if (vector == HW_NO_FAULT)
        return;
    for (unsigned bit = 0; bit < 64; bit++) /* those that it does not refuse */
        if (((now & ~t->status) >> bit & 1) != 0)
            (void)hw_msr_write(IA32_PERF_GLOBAL_STATUS_RESET, UINT64_C(1)
                                                                  << bit);
    check(t, false,
          "%s: not restored from 0x%lx to 0x%lx, 390H raises %s where it "
          "is to clear bits that are set; wanted no exception",
          msr_name(IA32_PERF_GLOBAL_STATUS, name), now, t->status,
          vector_name((unsigned)vector));
}

/* Registers that need not read as written: counter 3's, where microcode may use
 * it (white paper 604224, section 1.2), and those that an erratum speaks of. */
static bool reads_otherwise(const struct test_context *t,
                            const struct journal_failure *failure)
{
    const uint32_t msr = failure->msr;
    struct erratum_found found;

    return (t->regime == REGIME_B && t->cpu.rtm &&
            (msr == IA32_PERFEVTSEL(3) || msr == IA32_PMC(3) ||
             msr == IA32_A_PMC(3) ||
             (msr == IA32_PERF_GLOBAL_CTRL &&
              (failure->got ^ failure->old) ==
                  IA32_PERF_GLOBAL_CTRL_PMC(3)))) ||
           (msr - IA32_PERFEVTSEL(4) < 4 &&
            errata_find(&t->cpu, ERRATUM_EVTSEL4_TO_7_READ, &found));
}

static void report_not_restored(void *context,
                                const struct journal_failure *failure)
{
    struct test_context *t = context;
    char name[MSR_NAME_BYTES];

    if (failure->vector == HW_NO_FAULT && reads_otherwise(t, failure))
        note(t, "%s: restored to 0x%lx, reads as 0x%lx, as it may here",
             msr_name(failure->msr, name), failure->old, failure->got);
    else if (failure->vector != HW_NO_FAULT &&
             enumerated(&t->cpu, failure->msr))
        check(t, false,
              "%s: not restored to 0x%lx, the access raises %s; CPUID.0AH "
              "enumerates it",
              msr_name(failure->msr, name), failure->old,
              vector_name((unsigned)failure->vector));
    else if (failure->vector != HW_NO_FAULT)
        broken(t, "%s: not restored to 0x%lx, the access raises %s",
               msr_name(failure->msr, name), failure->old,
               vector_name((unsigned)failure->vector));
    else if (t->verdict == VERDICT_FAIL) /* most likely of that */
        check(t, false, "%s: restored to 0x%lx, but reads as 0x%lx",
              msr_name(failure->msr, name), failure->old, failure->got);
    else
        broken(t, "%s: restored to 0x%lx, but reads as 0x%lx",
               msr_name(failure->msr, name), failure->old, failure->got);
}

void restore_msrs(struct test_context *t)
{
    journal_undo(&t->journal, &t->cpu, report_not_restored, t);
    clear_status(t);
}

bool check_msr_is(struct test_context *t, uint32_t msr, uint64_t got,
                  uint64_t want, const char *when)
{
    char name[MSR_NAME_BYTES], bits[BITS_CHANGE_BYTES];

    return got == want ? check(t, true, "%s", when)
                       : check(t, false, "%s%s: got 0x%lx, wanted 0x%lx: %s",
                               msr_name(msr, name), when, got, want,
                               bits_change(want, got, bits));
}
