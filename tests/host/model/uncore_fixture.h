/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore_fixture.h - processors with an uncore whose clock is the test's. */
#ifndef TESTS_HOST_MODEL_UNCORE_FIXTURE_H
#define TESTS_HOST_MODEL_UNCORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/msr.h"

#define EN           BIT(22)
#define OVF_EN       BIT(20)
#define GLOBAL_EN    BIT(29)
#define FREEZE       BIT(31)
#define LOOKUPS      UINT64_C(0x8F34)
#define LOOKUPS_MISS UINT64_C(0x1834) /* READ, I */
#define STATUS_61    BIT(61)

static struct machine machine;
static struct processor processors[4];
static uint64_t now;

static inline uint64_t clock_now(void)
{
    return now;
}

static inline void start(const char *cpu, const char *fault)
{
    struct machine_config config = {
        .cpu = personality_find(cpu),
        .seed = 1,
        .smt = true,
    };

    assert_non_null(config.cpu);
    assert_true(fault_find(fault, &config.fault));
    machine_start(&machine, &config, 4);
    for (unsigned n = 0; n < 4; n++)
        processor_start(&processors[n], &machine, n, n);
    machine.uncore.tsc = clock_now;
    machine.uncore.status_of_all = false;
    machine.uncore.status_write_clears = false;
    machine.uncore.status_without_pmi = false;
}

/* Registers are shared: written by one, read by another. */
static inline uint64_t get(uint32_t number)
{
    uint64_t value = 0;

    assert_true(msr_read(&processors[3], number, &value));
    return value;
}

static inline void set(uint32_t number, uint64_t value)
{
    assert_true(msr_write(&processors[0], number, value));
}

static inline void read_line(uint64_t n, enum cache_level level)
{
    uncore_lookup(&machine, n * 64, UNCORE_READ, level, CACHE_SNOOP_NONE, 200);
}

static inline uint64_t sum_of_boxes(unsigned boxes)
{
    uint64_t sum = 0;

    for (unsigned n = 0; n < boxes; n++)
        sum += get(0x706 + 0x10 * n);
    return sum;
}

static inline void start_boxes(const char *fault, uint64_t event)
{
    start("haswell", fault);
    for (unsigned n = 0; n < 4; n++)
        set(0x700 + 0x10 * n, event | EN);
    set(0x391, GLOBAL_EN);
}

/* Lets the ARB overflow with its second request; the third comes, too. */
static inline void overflow(const char *fault, uint64_t ctrl, bool interrupt)
{
    start("haswell", fault);
    for (unsigned n = 1; n < 4; n++)
        assert_true(
            msr_write(&processors[n], IA32_DEBUGCTL, n == 3 ? 0 : BIT(13)));
    set(0x3B2, 0x181 | EN | (interrupt ? OVF_EN : 0));
    set(0x3B0, BITS(43, 0) - 1);
    set(0x391, GLOBAL_EN | ctrl);
    for (unsigned n = 0; n < 3; n++)
        read_line(n, CACHE_DRAM);
    for (unsigned n = 0; n < 4; n++)
        uncore_poll(&processors[n]);
}

static inline unsigned interrupted(void)
{
    unsigned set = 0;

    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(processors[n].pmu.pmi,
                         (processors[n].pmu.global_status & STATUS_61) != 0);
        set |= (unsigned)processors[n].pmu.pmi << n;
    }
    return set;
}

#endif
