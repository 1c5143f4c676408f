/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_body.h - the body of a test, on the fake machine and on copies of it
 * that refuse a register. */
#ifndef TESTS_HOST_FAKES_FAKE_BODY_H
#define TESTS_HOST_FAKES_FAKE_BODY_H

#include "src/harness/context.h"

/* The body of t->test. Before the first one of each test that passes: the same
 * in copies of this process, in each of which an MSR raises #GP from one WRMSR
 * on, of each place that writes. That is said, and nothing judged any more:
 * what is measured without that write tells nothing. */
void fake_body(struct test_context *t);

/* For hw_msr_write(): does this one raise #GP? */
bool fake_refuses(uint32_t msr);
/* Inside a window, whose own WRMSR has no fix-up: none does. */
extern bool fake_unguarded;
/* For fake_reset(): a copy ends where another test would begin. */
void fake_copy_ends(void);

#endif
