/* SPDX-License-Identifier: BSD-2-Clause */
/* provoked.h - what all tests that provoked counter 3 come to, as a sentence
 * that a driver's author can quote. Pure. */
#ifndef SRC_REPORT_PROVOKED_H
#define SRC_REPORT_PROVOKED_H

#include "src/report/summary.h"

/* False where none of them ran. */
bool provoked_text(const struct finding findings[], unsigned count,
                   char out[SUMMARY_LINE_BYTES]);

#endif
