/* SPDX-License-Identifier: BSD-2-Clause */
/* raw.h - the bytes that a test's measurement left in memory, as lines. */
#ifndef SRC_REPORT_RAW_H
#define SRC_REPORT_RAW_H

#include "src/report/ktap.h"
#include "src/harness/context.h"

#define RAW_BYTES_MAX 4096 /* of one processor; the rest is left out */

/* Of a processor that has some (test_raw()) and was not lost: a line that says
 * what they are, "raw, processor 0: PEBS records of format 3: 192 bytes, crc
 * 01234567", then the bytes in order, 32 a line: "raw 0000 00112233..". True
 * where something was written. */
bool raw_write(struct ktap *out, const struct test_context *t);

#endif
