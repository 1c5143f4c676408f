/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr_cases.c - the cases of last branch records over a stack that does as the
 * manual says, and over the same with one thing otherwise: each is seen. */
#include "tests/host/cases/lbr/lbr_fixture.h"

#include "asm/counting_window.h"

extern const struct test test_lbr_filter, test_lbr_registers, test_lbr_stack,
    test_lbr_transactions;

static const unsigned formats[] = {3, 4, 5, ARCH};
#define FOR_EACH_FORMAT(format)                                                \
    for (unsigned i_ = 0, format; i_ < sizeof(formats) / sizeof(formats[0]) && \
                                  (format = formats[i_], true);                \
         i_++)

/* Counters beside the records. */
static uint64_t counted = WORK_BRANCHES;

void counting_work(void *unused)
{
    (void)unused;
    for (unsigned n = 0; n < 3; n++) {
        fake_msr(IA32_PMC(n))->value += counted;
        fake_msr(IA32_FIXED_CTR(n))->value += counted;
    }
}

static void healthy(void **state)
{
    (void)state;
    FOR_EACH_FORMAT(format)
    {
        passes(&test_lbr_stack, format);
        passes(&test_lbr_filter, format);
        passes(&test_lbr_registers, format);
        if (format != 3)
            passes(&test_lbr_transactions, format);
    }
}

static void stack(void **state)
{
    (void)state;
    FOR_EACH_FORMAT(format)
    for (enum wrong is = FROM_OFF; is <= ENTRY_MISPREDICTED; is++)
        if (format != ARCH || is != TOS_STUCK) /* there is none */
            seen(&test_lbr_stack, format, is, 0);
    FOR_EACH_FORMAT(format)
    for (unsigned kind = LBR_JCC; kind < LBR_FAR; kind++)
        if (kind != LBR_IND_CALL && kind != LBR_IND_JMP) /* one of them */
            seen(&test_lbr_stack, format, KIND_MISPREDICTED, kind);
    FOR_EACH_FORMAT(format)
    {
        seen(&test_lbr_stack, format, AGAIN_EMPTIES, 0);
        seen(&test_lbr_stack, format, KIND_PREDICTED, LBR_IND_JMP);
        seen(&test_lbr_stack, format, KIND_PREDICTED, LBR_IND_CALL);
        seen(&test_lbr_stack, format, KIND_PREDICTED, LBR_RET);
        if (format != ARCH) /* whose records move from entry to entry */
            seen(&test_lbr_stack, format, MISPREDICTED_STAYS, 0);
    }
    for (enum wrong is = CYCLES_LOW; is <= CYCLES_OF_LEFT_OUT; is++) {
        seen(&test_lbr_stack, 5, is, 0);
        seen(&test_lbr_stack, ARCH, is, 0);
    }
    counted = 0;
    seen(&test_lbr_stack, 5, RIGHT, 0);
    counted = WORK_BRANCHES;
    seen(&test_lbr_stack, ARCH, TYPE_OF_NEXT, 0);
    seen(&test_lbr_stack, ARCH, UNTIMED, 0);
}

static void filter(void **state)
{
    (void)state;
    seen(&test_lbr_filter, ARCH, UNTIMED, 0);
    FOR_EACH_FORMAT(format)
    {
        for (unsigned bit = 0; bit <= 8; bit++)
            seen(&test_lbr_filter, format, SELECT_IGNORED, bit);
        for (unsigned bit = 2; bit <= 8; bit++)
            seen(&test_lbr_filter, format, SELECT_TAKES, bit);
        seen(&test_lbr_filter, format, LEVEL_IGNORED, 0);
        seen(&test_lbr_filter, format, LEVELS_CANCEL, 0);
        seen(&test_lbr_filter, format, KIND_CANCELS, 0);
        seen(&test_lbr_filter, format, LEVEL_CANCELS, 0);
        seen(&test_lbr_filter, format, RETURN_OF_RING3, 0);
        seen(&test_lbr_filter, format, RING3_PREDICTED, 0);
        for (enum wrong is = ABORT_NEVER; format != 3 && is <= ABORT_TO; is++)
            if (is != ABORT_ALWAYS)
                seen(&test_lbr_filter, format, is, 0);
    }
    seen(&test_lbr_filter, 5, NO_CYCLES, 0);
    seen(&test_lbr_filter, ARCH, NO_CYCLES, 0);
    seen(&test_lbr_filter, 5, RING3_ADDS_UP, 0);
    seen(&test_lbr_filter, ARCH, RING3_ADDS_UP, 0);
    seen(&test_lbr_filter, 4, RETURNED_KEPT, 0);
    seen(&test_lbr_filter, ARCH, RETURNED_KEPT, 0);
}

/* What Nehalem's table does not except; an erratum of Haswell. */
static void filter_by_generation(void **state)
{
    (void)state;
    generation(3);
    lbr_device.model = 0x1a;
    assert_int_equal(verdict_of(&test_lbr_filter), VERDICT_PASS);
    lbr_device.is = JUMPS_TAKE_CALLS;
    assert_int_equal(verdict_of(&test_lbr_filter), VERDICT_PASS);
    seen(&test_lbr_filter, 3, JUMPS_TAKE_CALLS, 0);
    generation(4);
    lbr_device.is = NO_LENGTH_KEPT;
    assert_int_equal(verdict_of(&test_lbr_filter), VERDICT_KNOWN);
    seen(&test_lbr_filter, 5, NO_LENGTH_KEPT, 0);
}

static void transactions(void **state)
{
    (void)state;
    FOR_EACH_FORMAT(format)
    for (enum wrong is = IN_TX_NEVER; format != 3 && is <= ABORT_TO; is++)
        seen(&test_lbr_transactions, format, is, 0);
    seen(&test_lbr_transactions, 5, NOT_ELIDED, 0);
    if (strstr(all[0].text, "none of 100 elisions left a record") == NULL)
        fail_msg("%s", all[0].text);
}

static void registers(void **state)
{
    static const uint32_t msrs[] = {MSR_LBR_SELECT,
                                    MSR_LASTBRANCH_TOS,
                                    MSR_LASTBRANCH_FROM_IP(0),
                                    MSR_LASTBRANCH_FROM_IP(15),
                                    MSR_LASTBRANCH_TO_IP(15),
                                    MSR_LASTBRANCH_TO_IP(3),
                                    MSR_LBR_INFO(0),
                                    MSR_LBR_INFO(31)};

    (void)state;
    for (unsigned format = 3; format <= 5; format++)
        for (size_t i = 0; i < sizeof(msrs) / sizeof(msrs[0]); i++) {
            if (format != 5 && msrs[i] >= MSR_LBR_INFO(0))
                continue;
            seen(&test_lbr_registers, format, MSR_MISSING, msrs[i]);
            seen(&test_lbr_registers, format, MSR_LOSES, msrs[i]);
            seen(&test_lbr_registers, format, MSR_SHARED, msrs[i]);
        }
    seen(&test_lbr_registers, 4, RESERVED_KEPT, 0);
    for (unsigned bit = 0; bit < 64; bit++)
        seen(&test_lbr_registers, 5, bit > 9 ? BIT_KEPT : BIT_REFUSED, bit);
    seen(&test_lbr_registers, 5, ANY_ADDRESS, 0);
    generation(4);
    lbr_device.model = 0x5e; /* format 4 where it has to be 5 */
    lbr_device.depth = 32;
    assert_int_equal(verdict_of(&test_lbr_registers), VERDICT_FAIL);
}

/* Architectural ones: no bit that is reserved, no other depth, and each write
 * of a depth empties them. */
static void registers_arch(void **state)
{
    static const uint32_t msrs[] = {IA32_LBR_CTL,        IA32_LBR_DEPTH,
                                    IA32_LBR_FROM_IP(0), IA32_LBR_FROM_IP(31),
                                    IA32_LBR_TO_IP(0),   IA32_LBR_TO_IP(31),
                                    IA32_LBR_INFO(0),    IA32_LBR_INFO(31)};

    (void)state;
    for (size_t i = 0; i < sizeof(msrs) / sizeof(msrs[0]); i++) {
        seen(&test_lbr_registers, ARCH, MSR_MISSING, msrs[i]);
        if (msrs[i] == IA32_LBR_DEPTH)
            continue;
        seen(&test_lbr_registers, ARCH, MSR_LOSES, msrs[i]);
        seen(&test_lbr_registers, ARCH, MSR_SHARED, msrs[i]);
    }
    seen(&test_lbr_registers, ARCH, RESERVED_KEPT, 0);
    for (unsigned bit = 1; bit < 64; bit++)
        seen(&test_lbr_registers, ARCH,
             (UINT64_C(0x7f000f) >> bit & 1) == 0 ? BIT_KEPT : BIT_REFUSED,
             bit);
    seen(&test_lbr_registers, ARCH, CONTROL_HELD, 0);
    seen(&test_lbr_registers, ARCH, DEPTH_ANY, 0);
    seen(&test_lbr_registers, ARCH, DEPTH_KEEPS, 0);
    seen(&test_lbr_registers, ARCH, DEPTH_READS, 0);
}

/* What somebody else uses stays his. */
static void used(void **state)
{
    static const struct {
        unsigned format;
        unsigned by;
        const char *line;
    } rows[] = {
        {4, BY_LBR, "branch records unused; IA32_DEBUGCTL (1D9H) is 0x4801"},
        {5, BY_TR, "branch records unused; IA32_DEBUGCTL (1D9H) is 0x4840"},
        {5, BY_TRACE, "needs Processor Trace unused"},
        {ARCH, BY_CTL, "32 of them; IA32_LBR_CTL (14CEH) is 0x5"},
        {ARCH, BY_DEPTH, "IA32_LBR_DEPTH (14CFH) 8"},
    };

    (void)state;
    lbr_device.traces = true;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        generation(rows[i].format);
        lbr_device.used = rows[i].by;
        assert_int_equal(verdict_of(&test_lbr_stack), VERDICT_SKIP);
        if (strstr(all[0].text, rows[i].line) == NULL)
            fail_msg("%s", all[0].text);
        assert_int_equal(lbr_device.windows, 0);
        /* Nor is it looked at after others have written theirs. */
        lbr_device.used = rows[i].by;
        assert_int_equal(verdict_of(&test_lbr_registers), VERDICT_SKIP);
    }
    lbr_device.used = BY_NOBODY;
    lbr_device.traces = false;
}

static void says(const struct test *test, unsigned format, enum wrong is,
                 const char *line)
{
    generation(format);
    lbr_device.is = is;
    (void)verdict_of(test);
    if (strstr(all[0].text, line) == NULL)
        fail_msg("%s, %u, %d: no \"%s\": %s", test->name, format, (int)is, line,
                 all[0].text);
}

/* How often it was so, of how many. */
static void figures(void **state)
{
    static const char in_tx[] =
        "the record of an abort has IN_TSX = 1: 0 of 160";
    static const char at_it[] = "recorded from that instruction: 40 of 40";

    (void)state;
    says(&test_lbr_transactions, 4, RIGHT, in_tx);
    says(&test_lbr_transactions, 5, RIGHT, at_it);
    says(&test_lbr_registers, 4, RIGHT, "raised no #GP: 0 of 54");
    says(&test_lbr_registers, 3, RIGHT, "raised no #GP: 0 of 55");
    says(&test_lbr_stack, 5, RIGHT, "is recorded as mispredicted: 85 of 179");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),
        cmocka_unit_test(stack),
        cmocka_unit_test(filter),
        cmocka_unit_test(filter_by_generation),
        cmocka_unit_test(transactions),
        cmocka_unit_test(registers),
        cmocka_unit_test(registers_arch),
        cmocka_unit_test(used),
        cmocka_unit_test(figures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
