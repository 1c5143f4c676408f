/* SPDX-License-Identifier: BSD-2-Clause */
/* register_cases.c - the cases that try bits of MSRs, over registers that do as
 * the manual says, and over the same with one bit otherwise: each bit of each
 * register that a case is about is seen by it. */
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_body.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

extern const struct test test_counter3_full_width_alias, test_counter_registers,
    test_counter_reserved_bits, test_fixed_counter_writes,
    test_force_abort_enumeration, test_global_status_set, test_pebs_registers,
    test_pebs_registers_apart, test_tsx_in_txcp_counter2;

enum wrong {
    RIGHT,
    TAKEN,    /* a reserved bit raises no exception, and is held */
    DROPPED,  /* a reserved bit raises no exception, and reads as 0 */
    LOST,     /* a bit reads as 0 */
    STUCK,    /* a bit reads as 1 */
    REFUSED,  /* a bit raises #GP */
    KEPT,     /* 390H does not clear the bit */
    ALL,      /* 390H clears all bits, where it is given this one */
    UNSET,    /* 391H does not set the bit */
    UNSIGNED, /* a write to C1H is not sign-extended */
    SPLIT,    /* C1H and 4C1H are two registers */
    SPILLS,   /* a write of it inverts the bit of device.other, */
    CLEARS,   /* or clears it in the status, */
    SETS,     /* or sets it there */
    EMPTIED,  /* a write that is refused clears it, or that of a bit sets it */
};

/* --- The registers, by the manual ---------------------------------------- */

#define COUNTERS 4
#define WIDTH    BITS(47, 0)
#define PLACES   (BITS(3, 0) | BITS(34, 32))
#define STATUS   (PLACES | BIT(62) | BIT(61) | BIT(59) | BIT(58))

static struct {
    enum wrong is;
    uint32_t msr, other;
    unsigned bit;
} device;

/* A processor that is not of the generations that most are. */
static struct {
    uint16_t model;      /* 0: as most */
    uint64_t select;     /* of its selects: bits more than those below, */
    uint64_t no_select;  /* and less */
    uint64_t fixed;      /* of IA32_FIXED_CTR_CTRL: more, */
    uint64_t no_fixed;   /* and less */
    uint64_t status_set; /* of 391H: more */
} other;

/* Bits that a register takes. 0: it is not one of these. */
static uint64_t bits_of(uint32_t msr)
{
    if (msr >= IA32_PERFEVTSEL(0) && msr < IA32_PERFEVTSEL(COUNTERS))
        return (BITS(31, 0) | other.select |
                (msr == IA32_PERFEVTSEL(2) ? 3 : 1) * BIT(32)) &
               ~other.no_select;
    if (msr >= IA32_A_PMC(0) && msr < IA32_A_PMC(COUNTERS))
        return WIDTH;
    if (msr >= IA32_FIXED_CTR(0) && msr < IA32_FIXED_CTR(3))
        return WIDTH;
    switch (msr) {
    case IA32_FIXED_CTR_CTRL:
        return (BITS(11, 0) | other.fixed) & ~other.no_fixed;
    case IA32_PERF_GLOBAL_CTRL:
        return PLACES;
    case IA32_PERF_GLOBAL_STATUS_RESET:
        return STATUS | BIT(63) | BIT(60) | BIT(55);
    case IA32_PERF_GLOBAL_STATUS_SET:
        return STATUS | BIT(60) | BIT(55) | other.status_set;
    case IA32_PEBS_ENABLE:
        return BITS(3, 0) | BITS(35, 32);
    case MSR_PEBS_LD_LAT:
        return BITS(15, 0);
    case TSX_FORCE_ABORT:
        return 1;
    case IA32_DEBUGCTL:
        return BITS(15, 6) | BITS(1, 0);
    }
    return 0;
}

static uint64_t *value_of(uint32_t msr)
{
    return &fake_msr(msr)->value;
}

static bool wrong(enum wrong is, uint32_t msr)
{
    return device.is == is && device.msr == msr;
}

static uint64_t held(uint32_t msr, uint64_t value)
{
    if (wrong(LOST, msr) || wrong(DROPPED, msr))
        value &= ~BIT(device.bit);
    return wrong(STUCK, msr) ? value | BIT(device.bit) : value;
}

/* Is this value refused? */
static bool refused(uint32_t msr, uint64_t value)
{
    uint64_t bits = bits_of(msr);

    if (wrong(TAKEN, msr) || wrong(DROPPED, msr))
        bits |= BIT(device.bit);
    if (wrong(REFUSED, msr) && (value >> device.bit & 1) != 0)
        return true;
    if (msr == IA32_PERF_GLOBAL_STATUS)
        return device.is != TAKEN || device.msr != msr;
    if (msr == IA32_DS_AREA) {
        value &= wrong(TAKEN, msr) ? ~BIT(device.bit) : UINT64_MAX;
        return value >> 47 != 0 && value >> 47 != BITS(16, 0);
    }
    return bits != 0 && (value & ~bits) != 0;
}

static void change_status(uint32_t msr, uint64_t value)
{
    uint64_t *status = value_of(IA32_PERF_GLOBAL_STATUS);

    if (msr == IA32_PERF_GLOBAL_STATUS_SET) {
        *status |= wrong(UNSET, msr) ? value & ~BIT(device.bit) : value;
        return;
    }
    if (wrong(KEPT, msr))
        value &= ~BIT(device.bit);
    if (wrong(ALL, msr) && (value >> device.bit & 1) != 0)
        value = UINT64_MAX;
    *status &= ~value;
}

/* One counter by its two names. */
static void write_counter(uint32_t msr, uint64_t value)
{
    bool narrow = msr < IA32_A_PMC(0);
    unsigned n = narrow ? msr - IA32_PMC(0) : msr - IA32_A_PMC(0);

    if (narrow && !(device.is == UNSIGNED && device.msr == msr))
        value = (uint64_t)(int64_t)(int32_t)(uint32_t)value & WIDTH;
    else if (narrow)
        value = (uint32_t)value;
    value = held(IA32_A_PMC(n), value);
    *value_of(msr) = value;
    if (device.is != SPLIT || device.msr != msr)
        *value_of(IA32_PMC(n)) = *value_of(IA32_A_PMC(n)) = value;
}

static bool is_counter(uint32_t msr)
{
    return (msr >= IA32_PMC(0) && msr < IA32_PMC(COUNTERS)) ||
           (msr >= IA32_A_PMC(0) && msr < IA32_A_PMC(COUNTERS));
}

static int access(uint32_t msr, const uint64_t *written)
{
    if (written == NULL)
        return HW_NO_FAULT;
    if (refused(msr, *written)) {
        if (wrong(EMPTIED, msr))
            *value_of(msr) = device.bit != 0 ? BIT(device.bit) : 0;
        return HW_GP;
    }
    if (msr == IA32_PERF_GLOBAL_STATUS_SET ||
        msr == IA32_PERF_GLOBAL_STATUS_RESET)
        change_status(msr, *written);
    else if (is_counter(msr))
        write_counter(msr, *written);
    else
        *value_of(msr) = held(msr, *written);
    if (wrong(SPILLS, msr))
        *value_of(device.other) ^= BIT(device.bit);
    if (wrong(CLEARS, msr))
        *value_of(IA32_PERF_GLOBAL_STATUS) &= ~BIT(device.bit);
    if (wrong(SETS, msr))
        *value_of(IA32_PERF_GLOBAL_STATUS) |= BIT(device.bit);

    return HW_NO_FAULT;
}

/* --- The cases over it --------------------------------------------------- */

static struct test_context all[1];

static void add_msr(uint32_t msr, uint64_t value)
{
    *value_of(msr) = value;
    fake_msr(msr)->writable = 0; /* access() writes it */
}

static void power_on(const struct test *test, enum wrong is, uint32_t msr,
                     unsigned bit)
{
    static char buffer[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES]
        __attribute__((aligned(4096)));
    static struct hw_result results[1];
    struct test_context *t = &all[0];

    all[0] = (struct test_context){0};
    fake_reset();
    for (unsigned n = 0; n < COUNTERS; n++) {
        add_msr(IA32_PERFEVTSEL(n), 0);
        add_msr(IA32_PMC(n), 0);
        add_msr(IA32_A_PMC(n), 0);
    }
    for (unsigned n = 0; n < 3; n++)
        add_msr(IA32_FIXED_CTR(n), 0);
    static const uint32_t others[] = {
        IA32_FIXED_CTR_CTRL,
        IA32_PERF_GLOBAL_CTRL,
        IA32_PERF_GLOBAL_STATUS,
        IA32_PERF_GLOBAL_STATUS_RESET,
        IA32_PERF_GLOBAL_STATUS_SET,
        IA32_PEBS_ENABLE,
        MSR_PEBS_LD_LAT,
        IA32_DS_AREA,
        TSX_FORCE_ABORT,
        IA32_DEBUGCTL,
    };
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        add_msr(others[i], 0);
    device.is = is;
    device.msr = msr;
    device.bit = bit;
    t->cpu = (struct identity){.vendor = "GenuineIntel",
                               .family = 6,
                               .model = 0x5e,
                               .rtm = true,
                               .hle = true,
                               .tsx_force_abort = true,
                               .perfmon_version = 4,
                               .counters = COUNTERS,
                               .counter_bits = 48,
                               .fixed_counters = 3,
                               .fixed_set = 7,
                               .fixed_bits = 48,
                               .pebs_format = 3,
                               .leaf7_ebx = BIT(2), /* SGX */
                               .full_width_writes = true};
    t->cpu.leaf_max = 0x16;
    if (other.model != 0)
        t->cpu.model = other.model;
    if (other.fixed != 0) { /* Skymont: CPUID.0AH:ECX = 77H */
        t->cpu.perfmon_version = 6;
        t->cpu.leaf_max = 0x23;
        t->cpu.leaf23_ebx = 7;
        t->cpu.fixed_set = 0x77;
        t->cpu.perf_capabilities = BIT(14);
        t->cpu.select_counts_lbr = true;
    }
    t->regime = REGIME_B;
    t->all = all;
    t->results = results;
    t->processors = 1;
    t->buffer = buffer;
    context_begin(t, test, 1);
    fake_device = access;
}

static enum verdict end_case(void)
{
    fake_body(&all[0]);
    all[0].end = HW_DONE;
    context_close(&all[0]);
    all[0].text[all[0].text_bytes] = '\0';
    return all[0].verdict;
}

static enum verdict verdict_of(const struct test *test, enum wrong is,
                               uint32_t msr, unsigned bit)
{
    power_on(test, is, msr, bit);
    return end_case();
}

/* The deviation is seen in each of these bits. */
static void seen(const struct test *test, enum wrong is, uint32_t msr,
                 uint64_t bits)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        if ((bits >> bit & 1) == 0)
            continue;
        enum verdict verdict = verdict_of(test, is, msr, bit);
        /* What could not be restored is an ERROR besides. */
        if (verdict != VERDICT_FAIL && verdict != VERDICT_KNOWN &&
            strstr(all[0].text, "FAIL: ") == NULL)
            fail_msg("%s: deviation %d of bit %u of %xH: verdict %d: %s",
                     test->name, is, bit, msr, verdict, all[0].text);
    }
}

static void as_the_manual_says(void **state)
{
    static const struct test *const cases[] = {
        &test_counter3_full_width_alias,
        &test_counter_registers,
        &test_counter_reserved_bits,
        &test_fixed_counter_writes,
        &test_force_abort_enumeration,
        &test_global_status_set,
        &test_pebs_registers,
        &test_pebs_registers_apart,
        &test_tsx_in_txcp_counter2,
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum verdict verdict = verdict_of(cases[i], RIGHT, 0, 0);
        if (verdict != VERDICT_PASS)
            fail_msg("%s: %d: %s", cases[i]->name, verdict, all[0].text);
    }
}

static void bits_of_control_registers(void **state)
{
    const struct test *test = &test_counter_registers;

    (void)state;
    for (unsigned n = 0; n < COUNTERS; n++) {
        seen(test, LOST, IA32_PERFEVTSEL(n), BITS(31, 0));
        seen(test, STUCK, IA32_PERFEVTSEL(n), BITS(31, 0));
    }
    seen(test, LOST, IA32_FIXED_CTR_CTRL, BITS(11, 0));
    seen(test, STUCK, IA32_FIXED_CTR_CTRL, BITS(11, 0));
    seen(test, LOST, IA32_PERF_GLOBAL_CTRL, PLACES);
    seen(test, STUCK, IA32_PERF_GLOBAL_CTRL, PLACES);
    seen(test, LOST, IA32_DEBUGCTL, BITS(12, 11));
    assert_int_equal(verdict_of(test, TAKEN, IA32_PERF_GLOBAL_STATUS, 0),
                     VERDICT_FAIL);
}

/* Each register beside each other one. */
static void registers_apart(void **state)
{
    static const uint32_t msrs[] = {
        IA32_PERFEVTSEL(0),  IA32_PERFEVTSEL(3),    IA32_PMC(0),
        IA32_PMC(2),         IA32_FIXED_CTR(0),     IA32_FIXED_CTR(2),
        IA32_FIXED_CTR_CTRL, IA32_PERF_GLOBAL_CTRL, IA32_DS_AREA,
        IA32_PEBS_ENABLE,    MSR_PEBS_LD_LAT,       IA32_DEBUGCTL};
    const struct test *test = &test_pebs_registers_apart;
    const unsigned count = sizeof(msrs) / sizeof(msrs[0]);
    char name[MSR_NAME_BYTES];

    (void)state;
    for (unsigned i = 0; i < count; i++) {
        device.other = msrs[(i + 1) % count];
        seen(test, SPILLS, msrs[i], BIT(1));
        device.other = msrs[(i + count - 1) % count];
        seen(test, SPILLS, msrs[i], BIT(1));
        seen(test, CLEARS, msrs[i], BIT(1) | BIT(33));
        seen(test, SETS, msrs[i], BIT(62));
        assert_non_null(strstr(all[0].text, msr_name(msrs[i], name)));
    }
}

static void reserved_bits_of_counters(void **state)
{
    const struct test *test = &test_counter_reserved_bits;

    (void)state;
    seen(test, TAKEN, IA32_DEBUGCTL, BITS(63, 16) | BITS(5, 2));
    for (unsigned n = 0; n < 3; n++)
        seen(test, EMPTIED, IA32_PERFEVTSEL(n), BIT(0) | BIT(4));
    seen(test, EMPTIED, IA32_PERF_GLOBAL_CTRL, BIT(0) | BIT(1));
    for (enum wrong is = TAKEN; is <= DROPPED; is++) {
        for (unsigned n = 0; n < COUNTERS; n++)
            seen(test, is, IA32_PERFEVTSEL(n), BITS(63, 34));
        seen(test, is, IA32_FIXED_CTR_CTRL, BITS(63, 12));
        seen(test, is, IA32_PERF_GLOBAL_CTRL,
             BITS(63, 55) | BITS(54, 35) | BITS(31, 8));
        seen(test, is, IA32_PERF_GLOBAL_STATUS_RESET,
             BITS(57, 56) | BITS(54, 35) | BITS(31, 8));
        seen(test, is, IA32_PERF_GLOBAL_STATUS_SET,
             BITS(57, 56) | BITS(54, 35) | BITS(31, 8));
    }
}

/* PC [19] is reserved on some: #GP, on all counters alike. */
static void pin_control(void **state)
{
    const struct test *test = &test_counter_registers;

    (void)state;
    other.no_select = IA32_PERFEVTSEL_PC;
    assert_int_equal(verdict_of(test, RIGHT, 0, 0), VERDICT_PASS);
    other.model = 0x1a; /* Nehalem: not there */
    assert_int_not_equal(verdict_of(test, RIGHT, 0, 0), VERDICT_PASS);
    other.model = 0;
    other.no_select = 0;
    for (unsigned n = 0; n < COUNTERS; n++)
        seen(test, REFUSED, IA32_PERFEVTSEL(n), IA32_PERFEVTSEL_PC);
}

/* Goldmont: no AnyThread. */
static void any_thread(void **state)
{
    const struct test *test = &test_counter_registers;

    (void)state;
    other.no_select = IA32_PERFEVTSEL_ANY;
    other.no_fixed = BIT(2) | BIT(6) | BIT(10);
    assert_int_not_equal(verdict_of(test, RIGHT, 0, 0), VERDICT_PASS);
    other.model = 0x5c;
    enum verdict verdict = verdict_of(test, RIGHT, 0, 0);
    if (verdict != VERDICT_PASS)
        fail_msg("%d: %s", verdict, all[0].text);
    other.model = 0;
    other.no_select = other.no_fixed = 0;
}

/* Bits that later processors have are not reserved there; others still are. */
static void bits_of_later_processors(void **state)
{
    const struct test *test = &test_counter_reserved_bits;

    (void)state;
    other.model = 0xbd;
    other.select = BITS(37, 34) | BITS(47, 40);
    other.fixed = BITS(27, 16) | BIT(32) | BIT(33) | BIT(36) | BIT(37);
    enum verdict verdict = verdict_of(test, RIGHT, 0, 0);
    if (verdict != VERDICT_PASS)
        fail_msg("%d: %s", verdict, all[0].text);
    other.status_set = BIT(63);
    assert_int_equal(verdict_of(&test_global_status_set, RIGHT, 0, 0),
                     VERDICT_PASS);
    other.status_set = 0;
    seen(test, TAKEN, IA32_PERFEVTSEL(0), BITS(63, 48));
    seen(test, TAKEN, IA32_FIXED_CTR_CTRL, BITS(15, 12) | BITS(31, 28));
    other.model = 0;
    other.select = other.fixed = 0;
}

static void bits_of_fixed_counters(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        seen(&test_fixed_counter_writes, LOST, IA32_FIXED_CTR(n), WIDTH);
        seen(&test_fixed_counter_writes, STUCK, IA32_FIXED_CTR(n), WIDTH);
        seen(&test_fixed_counter_writes, TAKEN, IA32_FIXED_CTR(n),
             BITS(63, 48));
        seen(&test_fixed_counter_writes, DROPPED, IA32_FIXED_CTR(n),
             BITS(63, 48));
    }
}

static void bits_of_counters(void **state)
{
    const struct test *test = &test_counter3_full_width_alias;

    (void)state;
    for (unsigned n = 0; n < COUNTERS; n += 3) {
        seen(test, LOST, IA32_A_PMC(n), WIDTH);
        seen(test, STUCK, IA32_A_PMC(n), WIDTH);
        seen(test, TAKEN, IA32_A_PMC(n), BITS(63, 48));
        seen(test, UNSIGNED, IA32_PMC(n), 1);
        seen(test, SPLIT, IA32_PMC(n), 1);
        seen(test, SPLIT, IA32_A_PMC(n), 1);
    }
}

static void bits_of_the_status(void **state)
{
    const struct test *test = &test_global_status_set;

    (void)state;
    seen(test, UNSET, IA32_PERF_GLOBAL_STATUS_SET, STATUS);
    seen(test, REFUSED, IA32_PERF_GLOBAL_STATUS_SET, STATUS);
    seen(test, KEPT, IA32_PERF_GLOBAL_STATUS_RESET, STATUS);
    seen(test, ALL, IA32_PERF_GLOBAL_STATUS_RESET, STATUS);
    seen(test, TAKEN, IA32_PERF_GLOBAL_STATUS_SET, BIT(63));
}

static void bits_of_pebs(void **state)
{
    const struct test *test = &test_pebs_registers;
    const uint64_t enables = BITS(3, 0) | BITS(35, 32);

    (void)state;
    seen(test, LOST, IA32_PEBS_ENABLE, enables);
    seen(test, STUCK, IA32_PEBS_ENABLE, enables);
    seen(test, LOST, MSR_PEBS_LD_LAT, BITS(15, 0));
    seen(test, STUCK, MSR_PEBS_LD_LAT, BITS(15, 2));
    seen(test, LOST, IA32_DS_AREA, BITS(63, 3));
    seen(test, STUCK, IA32_DS_AREA, BITS(46, 14));
    for (enum wrong is = TAKEN; is <= DROPPED; is++) {
        seen(test, is, IA32_PEBS_ENABLE, ~(enables | BIT(63)));
        seen(test, is, MSR_PEBS_LD_LAT, BITS(63, 16));
    }
    seen(test, TAKEN, IA32_DS_AREA, BITS(63, 47));
    seen(test, EMPTIED, IA32_PEBS_ENABLE, BIT(0) | BIT(1));
    seen(test, EMPTIED, MSR_PEBS_LD_LAT, BIT(0));
    seen(test, EMPTIED, IA32_DS_AREA, BIT(0));
}

static void bits_of_force_abort(void **state)
{
    const struct test *test = &test_force_abort_enumeration;

    (void)state;
    seen(test, TAKEN, TSX_FORCE_ABORT, BIT(63));
    seen(test, DROPPED, TSX_FORCE_ABORT, BIT(63));
}

static void bits_of_transactions(void **state)
{
    const struct test *test = &test_tsx_in_txcp_counter2;

    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        seen(test, LOST, IA32_PERFEVTSEL(n), BIT(32));
        seen(test, REFUSED, IA32_PERFEVTSEL(n), BIT(32));
    }
    seen(test, LOST, IA32_PERFEVTSEL(2), BIT(33));
    seen(test, REFUSED, IA32_PERFEVTSEL(2), BIT(33));
    for (unsigned n = 0; n < 2; n++) /* IN_TXCP is of that one alone */
        seen(test, TAKEN, IA32_PERFEVTSEL(n), BIT(33));
    /* In regime B counter 3 may be in use. */
    assert_int_equal(verdict_of(test, TAKEN, IA32_PERFEVTSEL(3), 33),
                     VERDICT_PASS);
    power_on(test, TAKEN, IA32_PERFEVTSEL(3), 33);
    all[0].regime = REGIME_A;
    assert_int_equal(end_case(), VERDICT_FAIL);
}

/* Neither bit is there where there never was TSX; later one cannot tell. */
static void bits_without_transactions(void **state)
{
    static const struct {
        uint16_t model;
        bool force_abort, capabilities;
        const char *line;
    } rows[] = {
        {0x1a, false, false, ""},
        {0x2a, false, false, ""},
        {0x3a, false, false, ""},
        {0x3c, false, false, "IN_TX [32] can be set without TSX: 0 of 4"},
        {0x5e, true, false, "raise #GP where TSX is not enumerated: 2 of 2"},
        {0x5e, false, true, "raise #GP where TSX is not enumerated: 2 of 2"},
    };
    const struct test *test = &test_tsx_in_txcp_counter2;

    (void)state;
    other.no_select = BITS(33, 32);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const bool never = rows[i].line[0] == '\0';
        const bool one = rows[i].model == 0x3c;

        other.model = rows[i].model;
        for (unsigned wrong_bit = 0; wrong_bit < 9; wrong_bit++) {
            const unsigned n = wrong_bit / 2 % 4, bit = 32 + wrong_bit % 2;
            power_on(test, wrong_bit == 8 ? RIGHT : TAKEN, IA32_PERFEVTSEL(n),
                     bit);
            all[0].cpu.rtm = all[0].cpu.hle = false;
            all[0].cpu.tsx_force_abort = rows[i].force_abort;
            all[0].cpu.arch_capabilities_present = rows[i].capabilities;
            all[0].regime = REGIME_A;
            const enum verdict verdict = end_case();
            assert_int_equal(verdict, never && wrong_bit != 8 ? VERDICT_FAIL
                                                              : VERDICT_PASS);
            assert_int_equal(*value_of(IA32_PERFEVTSEL(n)), 0);
            if (wrong_bit == 8 || never)
                assert_non_null(strstr(all[0].text, rows[i].line));
            else if (one && bit == 32)
                assert_non_null(strstr(all[0].text, "without TSX: 1 of 4"));
            else if (!one && n == 2)
                assert_non_null(strstr(all[0].text, "not enumerated: 1 of 2"));
        }
    }
    memset(&other, 0, sizeof(other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_manual_says),
        cmocka_unit_test(bits_of_control_registers),
        cmocka_unit_test(registers_apart),
        cmocka_unit_test(reserved_bits_of_counters),
        cmocka_unit_test(any_thread),
        cmocka_unit_test(pin_control),
        cmocka_unit_test(bits_of_later_processors),
        cmocka_unit_test(bits_of_fixed_counters),
        cmocka_unit_test(bits_of_counters),
        cmocka_unit_test(bits_of_the_status),
        cmocka_unit_test(bits_of_pebs),
        cmocka_unit_test(bits_of_force_abort),
        cmocka_unit_test(bits_of_transactions),
        cmocka_unit_test(bits_without_transactions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
