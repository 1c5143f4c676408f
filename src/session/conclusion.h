/* SPDX-License-Identifier: BSD-2-Clause */
/* conclusion.h - what a report says after its tests. */
#ifndef SRC_SESSION_CONCLUSION_H
#define SRC_SESSION_CONCLUSION_H

#include "src/session/outcomes.h"
#include "src/report/ktap.h"
#include "src/harness/context.h"

/* One pass over the tests: with which microcode, and in which regime, the boot
 * processor was. */
struct pass {
    uint32_t microcode;
    enum regime regime;
};

/* The summary of one pass, once for each kind of processor. second: of the
 * slots of the second pass. The lines name the microcode where there are two
 * passes. */
void conclusion_summarize(struct ktap *out,
                          const struct test_context contexts[],
                          unsigned processors, const struct suite *suite,
                          const struct outcomes *outcomes, bool second);

/* Both passes side by side: what is not alike. */
void conclusion_compare(struct ktap *out, const struct suite *suite,
                        const struct outcomes *outcomes,
                        const struct pass *first, const struct pass *second);

#endif
