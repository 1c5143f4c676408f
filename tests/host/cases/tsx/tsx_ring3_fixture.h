/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_ring3_fixture.h - a case of transactions at ring 3. */
#ifndef TESTS_HOST_CASES_TSX_TSX_RING3_FIXTURE_H
#define TESTS_HOST_CASES_TSX_TSX_RING3_FIXTURE_H

#include "src/counting/bank.h"
#include "src/counting/events.h"
#include "tests/host/cases/ring3_fixture.h"
#include "tests/host/cases/tsx/tsx_fixture.h"

#define TRIALS 25
#define LATER  UINT32_MAX

static int access(uint32_t number, const uint64_t *written)
{
    if (written == NULL)
        return HW_NO_FAULT;
    if (number >= IA32_A_PMC(0) && number < IA32_A_PMC(4))
        *msr(IA32_PMC(number - IA32_A_PMC(0))) = *written;
    if (number == IA32_PERF_GLOBAL_STATUS_RESET)
        *msr(IA32_PERF_GLOBAL_STATUS) &= ~*written;
    return HW_NO_FAULT;
}

static void begin_ring3(const struct test *test)
{
    tsx_begin(test, TRIALS);
    t->cpu.hle = false;
    ring3_firmware();
    fake_device = access;
    memset(buffers[0], 0, sizeof(buffers[0]));
}

static enum verdict end_case(void)
{
    const enum verdict verdict = case_end();

    ring3_expect_firmware();
    assert_int_equal(*msr(IA32_PERF_GLOBAL_CTRL), 0);
    return verdict;
}

/* Is this the body that is entered? */
static bool is_body(const struct ring3 *ring3, const uint8_t *at)
{
    return ring3->body == (uint32_t)(at - ring3_body);
}

#endif
