/* SPDX-License-Identifier: BSD-2-Clause */
/* result.h - the contexts of a test on all processors become its lines and its
 * one result. */
#ifndef SRC_REPORT_RESULT_H
#define SRC_REPORT_RESULT_H

#include "src/options/options.h"
#include "src/report/ktap.h"
#include "src/report/summary.h"
#include "src/harness/context.h"

/* Closes the contexts, writes their lines (as much as verbosity= and raw= want)
 * and the result line under `name`. All are of the same test; those of
 * processors that took no part have VERDICT_NONE. */
struct finding result_write(struct ktap *out, struct test_context contexts[],
                            unsigned processors, const char *name,
                            const struct options *options);

#endif
