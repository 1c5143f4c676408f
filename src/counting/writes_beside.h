/* SPDX-License-Identifier: BSD-2-Clause */
/* writes_beside.h - what counters hold while registers beside them are written.
 */
#ifndef SRC_COUNTING_WRITES_BESIDE_H
#define SRC_COUNTING_WRITES_BESIDE_H

#include "src/harness/case.h"

/* Writes MSRs that are none of the counters' own, such as IA32_PEBS_ENABLE and
 * MSR_OFFCORE_RSP_0, with what they hold, while nothing counts: FAIL where a
 * counter of these places is another one then, be it of what is counted. */
void writes_beside_try(struct test_context *t, uint64_t places);

#endif
