/* SPDX-License-Identifier: BSD-2-Clause */
/* needs.h - whether a processor has what a test needs. */
#ifndef SRC_SESSION_NEEDS_H
#define SRC_SESSION_NEEDS_H

#include "src/harness/case.h"

#define NEEDS_TEXT_BYTES 120

/* Pure. True where nothing is missing; else text[] names what is:
 * "needs RTM (CPUID.7.0:EBX[11])". processors: those that answer. */
bool needs_met(const struct needs *needs, const struct identity *id,
               enum regime regime, unsigned processors,
               char text[NEEDS_TEXT_BYTES]);

#endif
