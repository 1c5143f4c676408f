/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr_event_cases.c - exceptions among last branch records, and records beside
 * a trace, over a stack that does as the manual says, and over the same with
 * one thing otherwise. */
#include "src/lbr/stack.h"
#include "tests/host/cases/lbr/lbr_fixture.h"

extern const struct test test_lbr_events, test_lbr_while_tracing;

static const unsigned formats[] = {3, 4, 5, ARCH};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static void events(void **state)
{
    static const unsigned vectors[] = {0, 6, TRACE_INT};

    (void)state;
    for (unsigned i = 0; i < FORMATS; i++) {
        passes(&test_lbr_events, formats[i]);
        seen(&test_lbr_events, formats[i], FROM_OFF, 0);
        seen(&test_lbr_events, formats[i], TO_OFF, 0);
        seen(&test_lbr_events, formats[i], SELECT_IGNORED, 8);
        for (unsigned n = 0; n < 3; n++) {
            seen(&test_lbr_events, formats[i], EXCEPTION_UNSAID, vectors[n]);
            seen(&test_lbr_events, formats[i], RETURN_UNSAID, vectors[n]);
        }
        seen(&test_lbr_events, formats[i], EXCEPTION_LATE, 0);
        seen(&test_lbr_events, formats[i], EXCEPTION_LATE, 6);
        seen(&test_lbr_events, formats[i], EXCEPTION_LATE, TRACE_INT);
        for (enum wrong is = DEBUG_SAID; is <= DEBUG_KEEPS_BTF; is++)
            seen(&test_lbr_events, formats[i], is, 0);
        seen(&test_lbr_events, formats[i], DEBUG_CLEARS, 11);
        seen(&test_lbr_events, formats[i], DEBUG_CLEARS, 12);
    }
}

/* What somebody else has recorded since the last window. */
static void emptied(void **state)
{
    struct lbr l;

    (void)state;
    for (unsigned i = 0; i < FORMATS; i++) {
        generation(formats[i]);
        begin(&test_lbr_events);
        assert_true(lbr_claim(&l, &all[0]));
        assert_true(lbr_body(&l, lbr_body_kinds));
        for (unsigned n = 0; n < 3 * lbr_device.depth; n++)
            if (lbr_entry_of(n % 3, n / 3) != NULL)
                *lbr_entry_of(n % 3, n / 3) = 0x1234;
        assert_true(lbr_empty(&l));
        for (unsigned n = 0; n < 3 * lbr_device.depth; n++)
            assert_true(lbr_entry_of(n % 3, n / 3) == NULL ||
                        *lbr_entry_of(n % 3, n / 3) == 0);
        fake_device = NULL;
        restore_msrs(&all[0]);
    }
}

/* --- Beside a trace ------------------------------------------------------ */

/* What is otherwise while TraceEn is 1, or after it. */
static enum beside {
    AS_MANUAL,
    RECORDS,      /* branches are recorded, */
    KEEPS,        /* entries hold what they held, */
    KEEPS_AFTER,  /* do so again afterwards, */
    TAKES_SELECT, /* what is written, */
    TAKES_TOS,
    FAULTS_READ, /* or accesses of entries fault */
    FAULTS_WRITE,
    CLEARS_LBR, /* of IA32_DEBUGCTL */
    STAYS,      /* nothing is recorded afterwards, */
    SILENT      /* or meanwhile, though it may be */
} beside;

static void put_entries(uint64_t value)
{
    for (unsigned n = 0; n < lbr_device.depth; n++)
        for (unsigned i = 0; i < 3; i++)
            if (lbr_entry_of(i, n) != NULL)
                *lbr_entry_of(i, n) = value;
}

static void trace(bool on)
{
    const uint64_t bits = on ? 0 : UINT64_MAX;

    if (beside != KEEPS || !on)
        put_entries(0);
    if (on)
        fake_msr(MSR_LBR_SELECT)->value = fake_msr(MSR_LASTBRANCH_TOS)->value =
            0;
    if (beside == KEEPS_AFTER && !on)
        *lbr_entry_of(0, 0) = 0x1234;
    if (beside == CLEARS_LBR)
        fake_msr(IA32_DEBUGCTL)->value &= ~IA32_DEBUGCTL_LBR;
    lbr_device.stopped = on ? beside != RECORDS : beside == STAYS;
    if (beside != TAKES_SELECT)
        fake_msr(MSR_LBR_SELECT)->writable = bits;
    if (beside != TAKES_TOS)
        fake_msr(MSR_LASTBRANCH_TOS)->writable = bits;
    for (unsigned n = 0; n < lbr_device.depth; n++) {
        struct fake_msr *from = fake_msr(MSR_LASTBRANCH_FROM_IP(n));

        from->writable = bits;
        from->read_vector = on && beside == FAULTS_READ ? HW_GP : HW_NO_FAULT;
        from->write_vector = on && beside == FAULTS_WRITE ? HW_GP : HW_NO_FAULT;
    }
}

/* Of those that exclude one another. */
static void follow(uint32_t msr, const uint64_t *written)
{
    const bool was = (fake_msr(IA32_RTIT_CTL)->value & 1) != 0;

    if (msr == IA32_RTIT_CTL && written != NULL && was != ((*written & 1) != 0))
        trace(!was);
}

static void expect_beside(unsigned model, enum beside is, enum verdict wanted,
                          const char *line)
{
    generation(model == 0x8f ? ARCH : model == 0x3d ? 4 : 5);
    lbr_device.model = model;
    lbr_device.traces = true;
    lbr_device.stopped = false;
    lbr_device.before =
        model == 0x3d || model == 0x5e || is == SILENT ? follow : NULL;
    beside = is;
    const enum verdict found = verdict_of(&test_lbr_while_tracing);
    if (found != wanted || strstr(all[0].text, line) == NULL)
        fail_msg("%x, %d: %d, wanted %d and \"%s\": %s", model, (int)is,
                 (int)found, (int)wanted, line, all[0].text);
}

static void while_tracing(void **state)
{
    static const struct {
        enum beside is;
        const char *line;
    } rows[] = {
        {RECORDS, "(TraceEn) is 1: "},
        {KEEPS, "(TraceEn) is 1: "},
        {KEEPS_AFTER, "after TraceEn was cleared: 1 of"},
        {TAKES_SELECT, "MSR_LBR_SELECT (1C8H) 0x4; wanted neither"},
        {TAKES_TOS, "MSR_LASTBRANCH_TOS (1C9H) is "},
        {CLEARS_LBR, "was 1 before and is 0; wanted 1"},
        {STAYS, "after a trace: "},
    };

    (void)state;
    for (unsigned model = 0x3d; model <= 0x5e; model += 0x5e - 0x3d) {
        const enum verdict fault = model == 0x3d ? VERDICT_KNOWN : VERDICT_FAIL;

        expect_beside(model, AS_MANUAL, VERDICT_PASS, "");
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
            expect_beside(model, rows[i].is, VERDICT_FAIL, rows[i].line);
        expect_beside(model, FAULTS_READ, fault, "raised an exception");
        expect_beside(model, FAULTS_WRITE, fault, "WRMSR: got #GP");
    }
    /* Others may record, or not. */
    expect_beside(0x55, AS_MANUAL, VERDICT_PASS, "beside a trace: 1 of 1");
    expect_beside(0x55, SILENT, VERDICT_PASS, "beside a trace: 0 of 1");
    expect_beside(0x8f, AS_MANUAL, VERDICT_PASS, "beside a trace: 1 of 1");
    lbr_device.before = NULL;
    lbr_device.traces = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events),
        cmocka_unit_test(emptied),
        cmocka_unit_test(while_tracing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
