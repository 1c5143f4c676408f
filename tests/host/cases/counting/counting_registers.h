/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_registers.h - the registers of counting_fixture.h's device, and a
 * case over it. */
#ifndef TESTS_HOST_CASES_COUNTING_COUNTING_REGISTERS_H
#define TESTS_HOST_CASES_COUNTING_COUNTING_REGISTERS_H

#include "tests/host/cases/counting/counting_fixture.h"

static uint64_t in_use(void)
{
    uint64_t bits = 0;

    for (unsigned n = 0; n < 4; n++) {
        uint64_t select = *reg(IA32_PERFEVTSEL(n));
        uint64_t looked = device.is == INUSE_BY_UMASK ? 0xffff : 0xff;
        bits |= (select & looked) != 0 ? BIT(n) : 0;
        bits |= (select & IA32_PERFEVTSEL_INT) != 0 ? BIT(63) : 0;
        bits |= (*reg(IA32_PEBS_ENABLE) >> n & 1) != 0 ? BIT(63) : 0;
    }
    for (unsigned n = 0; n < 3; n++) {
        uint64_t field = *reg(IA32_FIXED_CTR_CTRL) >> 4 * n & 15;
        bits |= (field & 3) != 0 && device.is != INUSE_WITHOUT_FIXED
                    ? BIT(32 + n)
                    : 0;
        bits |= (field & 8) != 0 ? BIT(63) : 0;
    }
    return bits;
}

#define SETTABLE (PLACES | BIT(58) | BIT(59) | BIT(61) | BIT(62))

static int write_status(uint32_t msr, uint64_t written)
{
    uint64_t *status = reg(IA32_PERF_GLOBAL_STATUS);

    if (msr == IA32_PERF_GLOBAL_STATUS ||
        (msr == IA32_PERF_GLOBAL_STATUS_SET &&
         (written & ~SETTABLE & ~BIT(55) & ~BIT(60)) != 0) ||
        (msr == IA32_PERF_GLOBAL_STATUS_SET && device.is == SET_REFUSED &&
         (written & BIT(62)) != 0) ||
        (msr == IA32_PERF_GLOBAL_STATUS_RESET &&
         (written & (BITS(57, 56) | BITS(54, 35) | BITS(31, 4))) != 0))
        return HW_GP;
    if (device.is == STATUS_SET_FREEZES && msr == IA32_PERF_GLOBAL_STATUS_SET &&
        written == PLACES)
        device.enable = 0;
    if (msr == IA32_PERF_GLOBAL_STATUS_SET)
        *status |= written | (device.is == SET_SETS_MORE && written == 2);
    else if (device.is == STATUS_CLEARED_ALL && written != 0)
        *status = 0;
    else if (device.is == STATUS_CLEARED_LOW)
        *status &= ~(written | written >> 32);
    else if (device.is == STATUS_KEPT)
        *status &= ~written | BIT(device.place);
    else
        *status &= ~written;
    return HW_NO_FAULT;
}

static int write_counter(uint32_t msr, uint64_t written)
{
    if (msr - IA32_FIXED_CTR(0) < 3) {
        if ((written & ~MASK) != 0 && device.is != FIXED_WIDTH_IGNORED)
            return HW_GP;
        if (device.is == FIXED_ZERO_LOST && device.enable != 0 &&
            written == 0 && msr == bank_msr(device.place))
            return HW_NO_FAULT;
        *reg(msr) =
            (written & MASK) | (device.is == FIXED_KEEPS_ONES ? *reg(msr) : 0);
        return HW_NO_FAULT;
    }
    if (device.is == WRITE_IGNORED_RUNNING && device.enable != 0)
        return HW_NO_FAULT;
    unsigned n = msr >= IA32_A_PMC(0) ? msr - IA32_A_PMC(0) : msr - IA32_PMC(0);
    if (device.is == STATUS_CLEARED_BY_WRITE)
        *reg(IA32_PERF_GLOBAL_STATUS) &= ~BIT(n);
    if (msr < IA32_A_PMC(0))
        written = (uint64_t)(int64_t)(int32_t)(uint32_t)written;
    else if (device.is == ALIAS_KEEPS_ONES)
        written |= *reg(IA32_PMC(n));
    *reg(IA32_PMC(n)) = *reg(IA32_A_PMC(n)) = written & MASK;
    return HW_NO_FAULT;
}

static int write_control(uint32_t msr, uint64_t written)
{
    uint64_t reserved = msr == IA32_FIXED_CTR_CTRL     ? BITS(63, 12)
                        : msr == IA32_PERF_GLOBAL_CTRL ? ~PLACES
                                                       : BITS(63, 34);

    if ((written & reserved & ~(device.is == RESERVED_TAKEN ? BIT(40) : 0)) !=
        0)
        return HW_GP;
    if (device.is == SELECT_BIT_LOST && msr == IA32_PERFEVTSEL(device.place))
        written &= ~BIT(device.bit);
    if (device.is == SELECT_CLEARS_COUNTER && device.enable != 0 &&
        msr == IA32_PERFEVTSEL(3))
        *reg(IA32_PMC(3)) = 0;
    if (device.enable != 0 && (device.is == ENABLE_TAKEN_LATE ||
                               (device.is == UMASK_TAKEN_LATE &&
                                ((written ^ *reg(msr)) & BITS(15, 8)) != 0) ||
                               (device.is == UMASK_ALONE_LATE &&
                                ((written ^ *reg(msr)) & ~BITS(15, 8)) == 0)))
        return HW_NO_FAULT;
    if (device.is == FIXED_LEVELS_KEPT && device.enable != 0 &&
        msr == IA32_FIXED_CTR_CTRL && (written & 3) != 0)
        return HW_NO_FAULT;
    *reg(msr) = written;
    if (msr == IA32_PERF_GLOBAL_CTRL)
        device.overflowed = false;
    if (device.is == CLEARED_BY_DISABLE && written == 0 &&
        msr == (device.place < 32 ? IA32_PERFEVTSEL(device.place)
                                  : IA32_FIXED_CTR_CTRL))
        *reg(bank_msr(device.place)) = 0;
    if (device.is == SELECTS_SHARED && msr == IA32_PERFEVTSEL(3))
        *reg(IA32_PERFEVTSEL(1)) = written;
    if (device.is == STATUS_NOT_STICKY && msr == IA32_FIXED_CTR_CTRL)
        *reg(IA32_PERF_GLOBAL_STATUS) &= BITS(31, 0);
    return HW_NO_FAULT;
}

/* Of firmware that uses two fixed counters. */
static void smi(void)
{
    ++*reg(MSR_SMI_COUNT);
    *reg(IA32_FIXED_CTR_CTRL) = 0x330;
    *reg(IA32_PERF_GLOBAL_CTRL) = BITS(34, 33);
    *reg(IA32_FIXED_CTR(1)) = 0x1000;
}

/* Registers that the device writes itself are not writable in the table. */
static int access_msr(uint32_t msr, const uint64_t *written)
{
    if (msr == IA32_PERF_GLOBAL_INUSE && written != NULL)
        return device.is == INUSE_WRITABLE ? HW_NO_FAULT : HW_GP;
    if (msr == IA32_PERF_CAPABILITIES && written != NULL)
        return HW_GP;
    if (msr == IA32_PERF_GLOBAL_INUSE)
        *reg(msr) = in_use();
    if (written == NULL)
        return HW_NO_FAULT;
    if (device.smm != 0 && --device.smm == 0)
        smi();
    if (msr == IA32_DEBUGCTL && (*written & ~(BITS(15, 6) | BITS(1, 0))) != 0)
        return HW_GP;
    if (msr == IA32_DEBUGCTL)
        device.has_frozen = false;
    if (msr - IA32_PERF_GLOBAL_STATUS < 4 && msr != IA32_PERF_GLOBAL_CTRL)
        return write_status(msr, *written);
    if (msr - IA32_PMC(0) < 4 || msr - IA32_A_PMC(0) < 4 ||
        msr - IA32_FIXED_CTR(0) < 3)
        return write_counter(msr, *written);
    if (msr == IA32_PERF_GLOBAL_CTRL || msr == IA32_FIXED_CTR_CTRL ||
        msr - IA32_PERFEVTSEL(0) < 4)
        return write_control(msr, *written);
    return HW_NO_FAULT;
}

static void power_on(const struct test *test, enum deviation deviation)
{
    memset(&device, 0, sizeof(device));
    memset(all, 0, sizeof(all));
    fake_reset();
    device.is = deviation;
    t->cpu = (struct identity){.vendor = "GenuineIntel",
                               .family = 6,
                               .model = device_model,
                               .perfmon_version = 4,
                               .counters = 4,
                               .counter_bits = 48,
                               .fixed_counters = 3,
                               .fixed_set = 7,
                               .fixed_bits = 48,
                               .leaf0a_eax = 0x07300404,
                               .pdcm = true,
                               .ds = true,
                               .pebs_format = 3,
                               .full_width_writes = true};
    t->regime = REGIME_A;
    t->all = all;
    t->processors = 1;
    t->buffer = memory;
    context_begin(t, test, 1);
    context_fill(t);
    for (unsigned n = 0; n < 4; n++) {
        fake_msr(IA32_PMC(n))->writable = 0;
        fake_msr(IA32_A_PMC(n))->writable = 0;
        fake_msr(IA32_PERFEVTSEL(n))->writable = 0;
    }
    for (unsigned n = 0; n < 3; n++)
        fake_msr(IA32_FIXED_CTR(n))->writable = 0;
    for (uint32_t msr = IA32_FIXED_CTR_CTRL; msr <= IA32_PERF_GLOBAL_INUSE;
         msr++)
        fake_msr(msr)->writable = 0;
    fake_msr(IA32_PEBS_ENABLE)->value = 0;
    fake_msr(IA32_DEBUGCTL)->value = 0;
    fake_msr(IA32_PERF_CAPABILITIES)->value = 0x2300;
    fake_device = access_msr;
}

/* After power_on(). */
static enum verdict run_case(void)
{
    fake_body(t);
    restore_msrs(t);
    fake_device = NULL;
    t->text[t->text_bytes] = '\0';
    return t->verdict;
}

/* A deviation of one counter, and of one bit. */
static enum verdict verdict_at(const struct test *test,
                               enum deviation deviation, unsigned place,
                               unsigned bit)
{
    power_on(test, deviation);
    device.place = place;
    device.bit = bit;
    return run_case();
}

static enum verdict verdict_of(const struct test *test,
                               enum deviation deviation)
{
    return verdict_at(test, deviation, 1, 19);
}

#endif
