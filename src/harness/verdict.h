/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict.h - what single verdicts come to. Pure. */
#ifndef SRC_HARNESS_VERDICT_H
#define SRC_HARNESS_VERDICT_H

#include "src/base/hw.h"

/* The worst wins. */
enum verdict {
    VERDICT_NONE, /* no check made yet; at the end of a test it is ERROR */
    VERDICT_PASS,
    VERDICT_SKIP,  /* a requirement is missing; the line names it */
    VERDICT_KNOWN, /* it differs as an erratum of this processor says */
    VERDICT_FAIL,  /* the processor differs from the manual */
    VERDICT_ERROR, /* the tool is wrong, or could not test */
};

/* Within one execution of a body: the worst that was reported. */
enum verdict verdict_worst(enum verdict a, enum verdict b);

/* One processor's part in a test: what it reported, and how its last job ended.
 * must_check: to have reported nothing is ERROR (a body that made no check);
 * else VERDICT_NONE stays, "took no part". */
enum verdict verdict_of_job(enum verdict said, enum hw_end end,
                            bool must_check);

/* Over processors: the worst, but SKIP only where no other has an answer. */
enum verdict verdict_merge(enum verdict a, enum verdict b);

/* "PASS", "SKIP", "KNOWN", "FAIL", "ERROR"; "not run" for VERDICT_NONE. */
const char *verdict_name(enum verdict verdict);

#endif
