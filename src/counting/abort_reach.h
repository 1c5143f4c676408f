/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * abort_reach.h - how far a transaction came before a forced abort.
 *
 * An abort takes back registers and memory, so nothing that the transaction
 * wrote can tell. It does not take back time, nor what a counter has counted
 * with IN_TX and IN_TXCP clear: that may include what an aborted transaction
 * executed (SDM 3B, "Performance Monitoring and Intel TSX"). So the witness is
 * Instruction Retired over a window with a long transaction: how many more were
 * counted than lie outside of it. "May" cuts one way only: instructions counted
 * did run; none counted does not prove that none ran, and the line says
 * NOT OBSERVED.
 */
#ifndef SRC_COUNTING_ABORT_REACH_H
#define SRC_COUNTING_ABORT_REACH_H

#include "src/harness/case.h"

/* Pure. True where `counted` instructions mean that at least half of the
 * transaction's `inside` ones retired, of `instructions` in the whole window.
 */
bool abort_reach_body_ran(uint64_t counted, uint64_t instructions,
                          uint64_t inside);

/* While all transactions are forced to abort: OBSERVED or NOT OBSERVED, that
 * the body ran first, over some windows. A note where there is no PMU.
 */
void abort_reach_observe(struct test_context *t);

#endif
