/* SPDX-License-Identifier: BSD-2-Clause */
/* header.h - what the report says of the machine before the first test. */
#ifndef SRC_REPORT_HEADER_H
#define SRC_REPORT_HEADER_H

#include "src/report/ktap.h"
#include "src/harness/context.h"

/* What the report was made on: a bare machine, a virtual machine, or the
 * project's own simulated processor. id: of the boot processor. */
void header_made_on(struct ktap *out, const struct identity *id);

/* Identity, features, regime with its evidence, product row, and which
 * processors share a core; what several have in common is said once. Uses the
 * contexts' lines. */
void header_processors(struct ktap *out, struct test_context contexts[],
                       unsigned count);

#endif
