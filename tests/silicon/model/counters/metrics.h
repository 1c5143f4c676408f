/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * metrics.h - slots of the pipeline, and the fractions of them that were used
 * for uops that retire, for such as do not, and not used because the front end
 * or the back end was not ready.
 *
 * SDM volume 3B, "Performance Metrics"; volume 4, IA32_PERF_METRICS (329H).
 * RDPMC of it: SDM 2B, "RDPMC", and Linux, events/core.c.
 */
#ifndef SILICON_MODEL_COUNTERS_METRICS_H
#define SILICON_MODEL_COUNTERS_METRICS_H

#include "tests/silicon/model/counters/counters.h"

/* TOPDOWN.SLOTS is counted by fixed counter 3. */
#define FIXED_SLOTS 3

/* ECX of RDPMC. */
#define RDPMC_METRICS 0x20000000u

/* IA32_PERF_CAPABILITIES[15]. */
bool metrics_exist(const struct processor *p);

/* The register: retiring [7:0], bad speculation [15:8], frontend bound [23:16],
 * backend bound [31:24], in units of 1/255 of the slots. Where there is a
 * second level, what of these are heavy operations [39:32], mispredicted
 * branches [47:40], the latency of fetches [55:48], and memory [63:56]. */
uint64_t metrics_value(const struct processor *p);

/* The same as software reads it; which METRICS_READ goes by: */
enum metrics_state {
    METRICS_AT_REST,
    METRICS_LIVE,       /* while they count, by RDMSR */
    METRICS_LIVE_RDPMC, /* and by RDPMC */
    METRICS_HELD,       /* 38FH enables them, and 38DH does not */
};
uint64_t metrics_read(const struct processor *p, bool rdpmc);

/* Written: shares of the slots that fixed counter 3 has counted. False: #GP. */
bool metrics_write(struct processor *p, uint64_t value);

/* This has been counted by fixed counter 3, while metrics are enabled. */
void metrics_count(struct processor *p, const struct retirement *r);

#endif
