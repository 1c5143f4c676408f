/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * offcore_beside.h - off-core requests are counted for the thread that makes
 * them: SDM 3B, "Off-core Response Performance Monitoring", AnyThread is 0.
 */
#ifndef SRC_UNCORE_OFFCORE_BESIDE_H
#define SRC_UNCORE_OFFCORE_BESIDE_H

#include "src/harness/case.h"

/* FAIL where a thread counts its sibling's reads; nothing where it has none.
 * Takes counters and off-core MSRs of both, and test_buffer(). */
void offcore_check_beside(struct test_context *t);

#endif
