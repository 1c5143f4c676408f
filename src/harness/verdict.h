/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict.h - what single verdicts come to. Pure. */
#ifndef SRC_HARNESS_VERDICT_H
#define SRC_HARNESS_VERDICT_H

#include "src/harness/case.h"

/* Within one execution of a body: the worst that was reported. */
enum verdict verdict_worst(enum verdict a, enum verdict b);

/* One processor's part in a test: what it reported, and how its last job ended.
 * must_check: to have reported nothing is ERROR (a body that made no check);
 * else VERDICT_NONE stays, "took no part". */
enum verdict judge(enum verdict said, enum hw_end end, bool must_check);

/* Over processors: the worst, but SKIP only where no other has an answer. */
enum verdict verdict_merge(enum verdict a, enum verdict b);

/* "PASS", "SKIP", "KNOWN", "FAIL", "ERROR"; "not run" for VERDICT_NONE. */
const char *verdict_name(enum verdict verdict);

#endif
