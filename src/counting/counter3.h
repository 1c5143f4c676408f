/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counter3.h - whether general-purpose counter 3 is promised to work, and how
 * a test reports what it found: a verdict where it is promised, a figure
 * where it is not.
 *
 * White paper 604224, sections 1.2 and 2, table 2.2-1.
 */
#ifndef SRC_COUNTING_COUNTER3_H
#define SRC_COUNTING_COUNTER3_H

#include "src/harness/case.h"

/* constraints_counter3() for this processor as it is now: reads 10FH where it
 * exists. */
bool counter3_is_reliable(struct test_context *t);

/* Regime B: sets RTM_FORCE_ABORT, so that counter 3 must work. Returns
 * counter3_is_reliable(). */
bool counter3_make_reliable(struct test_context *t);

/* Pure. The published way in which IA32_PERFEVTSEL3 went wrong: INT [20]
 * cleared, IN_TX [32] set, the rest kept (53003CH became 10043003CH on a Xeon
 * Platinum 8163; LKML, 2022-04-19, "perf/x86: improve the event scheduling").
 * Any other change counts as much; this one has a name. */
bool counter3_published_change(uint64_t before, uint64_t after);

/* n of `of` trials went wrong: one check where promised, else observe(). */
void counter3_report(struct test_context *t, bool promised, const char *what,
                     uint64_t n, uint64_t of);

#endif
