/* SPDX-License-Identifier: BSD-2-Clause */
/* evidence.h - what a report says of the machine and its processors as they
 * were found, before anything was written. */
#ifndef SRC_REPORT_EVIDENCE_H
#define SRC_REPORT_EVIDENCE_H

#include "src/cpu/machine.h"
#include "src/harness/context.h"
#include "src/options/options.h"
#include "src/report/ktap.h"

/* Serial numbers with identity=full alone. */
void evidence_machine(struct ktap *out, const struct machine *machine,
                      const struct options *options);
/* Uses the contexts' lines. What differs in numbers alone is a range, but with
 * verbosity=verbose. */
void evidence_processors(struct ktap *out, struct test_context contexts[],
                         unsigned count, const struct options *options);

#endif
