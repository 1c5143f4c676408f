/* SPDX-License-Identifier: BSD-2-Clause */
/* halted.h - what counters count while a processor is halted by HLT, and
 * another one runs. */
#ifndef SRC_COUNTING_HALTED_H
#define SRC_COUNTING_HALTED_H

#include "src/harness/case.h"

/* Halts the boot processor, until the other one interrupts it. Its counters of
 * cycles, of these places, are not to count meanwhile: FAIL. False where it
 * could not be tried. The pair lies in test_buffer(t). */
bool halted_try(struct test_context *t, unsigned other, uint64_t places);

#endif
