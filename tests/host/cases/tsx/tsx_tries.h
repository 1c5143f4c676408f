/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_tries.h - cases over transactions that end as the manual says, and over
 * the same with some tries of one body otherwise. */
#ifndef TESTS_HOST_CASES_TSX_TSX_TRIES_H
#define TESTS_HOST_CASES_TSX_TSX_TRIES_H

#include "tests/host/cases/tsx/tsx_fixture.h"

#define TRIALS 25
#define TRIES  5   /* of a row: a fifth */
#define NESTED 64  /* until EAX[5] is seen, at most */
#define PROBES 100 /* of other loops, at most */
#define SET_UP (PROBES + 1)
#define LATER  UINT32_MAX

static void begin(const struct test *test)
{
    tsx_begin(test, TRIALS);
    fake_mapped = false;
}

static void passes(const struct test *test, const char *line)
{
    begin(test);
    expect_case(case_end(), VERDICT_PASS, line);
}

/* Tries of that body, from one on. */
static void fails(const struct test *test, const uint8_t *body,
                  struct end wrong, unsigned from, unsigned to,
                  const char *line)
{
    begin(test);
    tsx_wrong(body, wrong, from);
    device.to = to;
    expect_case(case_end(), VERDICT_FAIL, line);
}

static struct end with(struct end end, bool leaks, bool unrestored)
{
    end.leaks = leaks;
    end.unrestored = unrestored;
    return end;
}

/* What no transaction may do, in whichever try of a body. */
static void never(const struct test *test, const uint8_t *body,
                  struct end right, unsigned from)
{
    struct end inner = right, status = right, fault = right;

    if (right.outcome == TSX_COMMITTED) {
        fails(test, body, with(right, true, false), from, 0, "1 of");
    } else {
        fails(test, body, with(right, true, false), from, 0, "1 of");
        fails(test, body, with(right, false, true), from, 0, "1 of");
        status.status |= 1u << 6;
        fails(test, body, status, from, 0, "status that cannot be");
    }
    inner.outcome = TSX_INNER;
    fails(test, body, inner, from, 0, "inner transaction, 1 of");
    fault.outcome = HW_UD;
    fails(test, body, fault, from, 0, "was delivered, 1 of");
}

/* Where none commits nothing is said of them. */
static void skipped(const struct test *test)
{
    begin(test);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = LATER;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
    assert_int_equal(device.all, SET_UP);
}

#endif
