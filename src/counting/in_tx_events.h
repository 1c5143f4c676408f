/* SPDX-License-Identifier: BSD-2-Clause */
/* in_tx_events.h - IN_TX and IN_TXCP of events beside those that are exact:
 * branches mispredicted, and loads and stores. */
#ifndef SRC_COUNTING_IN_TX_EVENTS_H
#define SRC_COUNTING_IN_TX_EVENTS_H

#include "src/harness/case.h"

/* Outside of transactions and in such as abort. After probe_set_up() and
 * counters_claim(); overwrites test_buffer(). */
void in_tx_events_check(struct test_context *t);

#endif
