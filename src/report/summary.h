/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * summary.h - what the verdicts mean for drivers and for users of profilers on
 * this processor. Pure: findings in, lines out.
 *
 * White paper 604224, sections 1.2 and 2, appendices A and B. Each piece of
 * advice names the tests it rests on; where one of them did not pass, the line
 * says so instead.
 */
#ifndef SRC_REPORT_SUMMARY_H
#define SRC_REPORT_SUMMARY_H

#include "src/harness/case.h"

/* What became of one test. */
struct finding {
    const char *test;
    enum verdict verdict; /* VERDICT_NONE: not run */
    bool observed;        /* some observe() said OBSERVED */
    /* Of windows_provoked(), all processors' together; of 0 where a reset came
     * between. */
    struct provoked_windows windows[PROVOKED_BESIDES];
};

/* True where some advice about counter 3 and the number of counters rests on
 * the test. */
bool summary_rests_on(const char *test);

/* Lines for processors of one regime. findings[] holds the tests that were
 * selected, in any order. line() is called with each line, at most
 * SUMMARY_LINE_BYTES - 1 characters. */
#define SUMMARY_LINE_BYTES 320
void summary_write(enum regime regime, const struct identity *id,
                   const struct finding findings[], unsigned count,
                   void (*line)(void *context, const char *text),
                   void *context);

#endif
