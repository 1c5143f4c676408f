/* SPDX-License-Identifier: BSD-2-Clause */
/* header.h - what the report says of the machine before the first test. */
#ifndef SRC_REPORT_HEADER_H
#define SRC_REPORT_HEADER_H

#include "src/report/ktap.h"
#include "src/run.h"

/* On what the report was made: bare machine, somebody's virtual machine, or the
 * project's own simulated processor. id: of the boot processor. */
void header_made_on(struct ktap *out, const struct identity *id);

/* Notes identity, features, regime with its evidence, and product row of one
 * processor as lines of its run. */
void header_describe(struct run *t);

/* Which processors share a core. */
void header_cores(struct ktap *out, const struct run runs[], unsigned count);

#endif
