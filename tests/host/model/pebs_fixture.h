/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_fixture.h - a processor with PEBS, for the tests of its model: set up,
 * events, and the assist.
 */
#ifndef TESTS_HOST_MODEL_PEBS_FIXTURE_H
#define TESTS_HOST_MODEL_PEBS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/instructions/instruction.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/pebs/pebs.h"
#include "tests/silicon/model/tsx/tsx.h"

#define BRANCHES    UINT64_C(0x4204C4) /* EN, OS, ALL_BRANCHES */
#define NEAR_TAKEN  UINT64_C(0x4220C4)
#define PREC_DIST   UINT64_C(0x4201C0)
#define RTM_ABORTED UINT64_C(0x4204C9)
#define INT         BIT(20)
#define STATUS_62   BIT(62)
#define BASE        UINT64_C(0x10000)

static struct machine machine;
static struct processor processor;
static struct pebs_ds ds;
static struct pebs_record record;

/* Room for `room` records, the threshold after `threshold` of them. */
static inline void start(const char *cpu, const char *fault, unsigned bytes,
                         unsigned room, unsigned threshold)
{
    struct machine_config config = {
        .cpu = personality_find(cpu),
        .seed = 1,
        .smt = true,
    };

    assert_non_null(config.cpu);
    assert_true(fault_find(fault, &config.fault));
    machine_start(&machine, &config, 1);
    processor_start(&processor, &machine, 0, 0);
    processor.choices.pebs_imprecise = false;
    processor.choices.pebs_skip_sets_62 = false;
    processor.choices.pebs_residual_one_in = 0;
    processor.choices.pebs_abort_garbles = false;
    ds = (struct pebs_ds){
        .base = BASE,
        .index = BASE,
        .maximum = BASE + room * bytes + 1,
        .threshold = BASE + threshold * bytes,
        .reset = {(uint64_t)-2, (uint64_t)-3, (uint64_t)-4, (uint64_t)-5},
    };
}

static inline uint64_t get(uint32_t number)
{
    uint64_t value = 0;

    assert_true(msr_read(&processor, number, &value));
    return value;
}

static inline void set(uint32_t number, uint64_t value)
{
    assert_true(msr_write(&processor, number, value));
}

static inline void arm(unsigned n, uint64_t select, uint64_t period)
{
    set(0x186 + n, select);
    set(0xC1 + n, (uint32_t)-period);
    set(0x3F1, get(0x3F1) | BIT(n));
}

static inline void branch_to(bool taken)
{
    struct retirement r = {.instructions = 1,
                           .cycles = 2,
                           .taken = taken,
                           .branch = INSTRUCTION_BRANCH};

    counters_retire(&processor, &r);
}

static inline void branch(void)
{
    branch_to(true);
}

static inline void other(void)
{
    struct retirement r = {.instructions = 1, .cycles = 2};

    counters_retire(&processor, &r);
}

/* The assist, with registers 100H, 101H.. */
static inline bool make_record(void)
{
    struct pebs_snapshot s = {.eventing_ip = 0x200, .tsc = 0x202};

    for (unsigned n = 0; n < PEBS_REGISTERS; n++)
        s.registers[n] = 0x100 + n;
    assert_int_not_equal(processor.pebs.triggered, 0);
    return pebs_make_record(&processor, &s, &ds, &record);
}

static inline bool took_interrupt(void)
{
    bool pmi = processor.pmu.pmi;

    processor.pmu.pmi = false;
    return pmi;
}

/* A transaction of 6 cycles, aborted at 300H. */
static inline void abort_transaction(enum tx_cause cause)
{
    const struct tx_abort how = {
        .cause = cause,
        .code = 0x5A,
        .depth = 1,
        .eventing_ip = 0x300,
        .resume_ip = 0x400,
    };

    tsx_began(&processor, false);
    processor.tsx.cycles = 6;
    tsx_aborted(&processor, &how);
}

#endif
