/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_conflict_fixture.h - transactions that another processor's stores abort,
 * registers that they leave, and a case over them. */
#ifndef TESTS_HOST_CASES_TSX_TSX_CONFLICT_FIXTURE_H
#define TESTS_HOST_CASES_TSX_TSX_CONFLICT_FIXTURE_H

#include "tests/host/cases/tsx/tsx_pair_fixture.h"

const uint8_t tsx_end_hold[1] = {0}, tsx_end_hold_inner[1] = {0};

/* Registers that a conflict leaves; what is otherwise. */
static struct {
    const uint8_t *change; /* of this one: */
    bool commits, wrong, slow;
    unsigned tries;
} registers;

int tsx_state(struct tsx_state *s)
{
    volatile uint64_t *line = (volatile uint64_t *)(uintptr_t)s->argument;
    const uint64_t before = *line;
    const bool is = registers.change == s->change;

    assert_true(s->end == tsx_end_hold || s->end == tsx_end_hold_inner);
    registers.tries++;
    if (!is || !registers.slow)
        step();
    const int outcome =
        state_end(s, *line == before || (is && registers.commits));
    if (is && registers.wrong)
        s->x_after[STATE_XMM + 7] ^= 1;
    return outcome;
}

static void begin(const struct test *test)
{
    memset(&registers, 0, sizeof(registers));
    pair_begin(test);
    t->cpu.perfmon_version = 0; /* no stores at ring 3 */
}

static inline void passes(const struct test *test, const char *line)
{
    begin(test);
    expect_case(case_end(), VERDICT_PASS, line);
}

#endif
