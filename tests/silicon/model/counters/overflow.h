/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overflow.h - so many events are added to a counter. SDM volume 3B,
 * "Performance Monitoring", topics on overflow and on freezing at a PMI.
 */
#ifndef SILICON_MODEL_COUNTERS_OVERFLOW_H
#define SILICON_MODEL_COUNTERS_OVERFLOW_H

#include "tests/silicon/model/machine.h"

/* General counter n; fixed counter n. The interrupt that one asks for is
 * pmu.overflow_pmi. */
void counters_add(struct processor *p, unsigned n, uint32_t count);
void counters_add_fixed(struct processor *p, unsigned n, uint32_t count);

/* Those that CTR_Frz stops: bits as in IA32_PERF_GLOBAL_CTRL. */
uint64_t counters_frozen(const struct processor *p);

#endif
