/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_errata.h - the errata of events of retired loads and stores, beside
 * those of instructions. */
#ifndef SRC_MEMORY_MEMORY_ERRATA_H
#define SRC_MEMORY_MEMORY_ERRATA_H

#include "src/harness/case.h"

/* For check_known(), where IA32_PERFEVTSELx = select, of such an event, counts
 * otherwise than wanted: the erratum that this may be of; *signature: whether
 * it looks like it, which none does that counts nothing at all. */
enum erratum memory_erratum(const struct test_context *t, uint64_t select,
                            uint64_t counted, uint64_t want, bool *signature);

/* The same for any event, at that place (bank.h). */
enum erratum event_erratum(const struct test_context *t, unsigned place,
                           uint64_t select, uint64_t counted, uint64_t want,
                           bool *signature);

#endif
