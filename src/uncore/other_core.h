/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * other_core.h - lines that another core has, modified or not, for the boot
 * processor to load or to store to.
 */
#ifndef SRC_UNCORE_OTHER_CORE_H
#define SRC_UNCORE_OTHER_CORE_H

#include "asm/memory_windows.h"
#include "src/harness/case.h"

/* Lines of test_buffer() of the boot processor, 37 lines from one to the next:
 * further than a prefetcher of strides follows. */
#define OTHER_CORE_LINES 32

struct memory_walk other_core_walk(struct test_context *t);

/* True where processor 1 is of another core than the boot processor; else SKIP
 * or ERROR is said. */
bool other_core_there(struct test_context *t);

/* Processor 1 flushes the lines, and loads each or stores to it: it alone has
 * them, not modified or modified. It counts its stores or loads meanwhile.
 * False where it could not (ERROR is said). */
bool other_core_takes(struct test_context *t, bool modified);

#endif
