/* SPDX-License-Identifier: BSD-2-Clause */
/* register_device.h - registers that take bits as the manual says, or one bit
 * otherwise, and a case over them. */
#ifndef TESTS_HOST_CASES_REGISTER_DEVICE_H
#define TESTS_HOST_CASES_REGISTER_DEVICE_H

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

#define COUNTERS (4u + other.counters)
#define WIDTH    BITS(47, 0)
#define PLACES   (BITS(COUNTERS - 1, 0) | BITS(34, 32))
#define STATUS   (PLACES | BIT(62) | BIT(61) | BIT(59) | BIT(58))

static struct {
    enum wrong is;
    uint32_t msr, other;
    unsigned bit;
} device;

/* A processor that is not of the generations that most are. */
static struct {
    uint16_t model;      /* 0: as most */
    uint8_t counters;    /* more than most have */
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
                               .counters = (uint8_t)COUNTERS,
                               .counter_bits = 48,
                               .fixed_counters = 3,
                               .fixed_set = 7,
                               .fixed_bits = 48,
                               .pebs_format = 3,
                               .leaf0a_eax = 0x07300404,
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

#endif
