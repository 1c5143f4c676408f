/* SPDX-License-Identifier: BSD-2-Clause */
/* count_bounds.c - bounds and agreement of counts. */
#include "src/counting/count_bounds.h"

struct count_bounds count_bounds(const struct window_shape *shape,
                                 enum pmu_event_kind kind, uint64_t aborted)
{
    struct count_bounds bounds = {1, UINT64_MAX};
    uint64_t transactions = shape->transactions;

    if (aborted > transactions)
        aborted = transactions;
    switch (kind) {
    case COUNTS_INSTRUCTIONS:
        bounds.least = shape->instructions;
        if (aborted != 0)
            bounds.least -= aborted * (shape->inside / transactions);
        bounds.most = (uint64_t)shape->instructions + 1;
        break;
    case COUNTS_BRANCHES:
        bounds.least = shape->branches - aborted;
        bounds.most = shape->branches + 2 * transactions;
        break;
    case COUNTS_TIME:
        break;
    }
    return bounds;
}

uint64_t count_margin(enum pmu_event_kind kind, uint64_t reference)
{
    return kind == COUNTS_TIME ? reference / 8 + 4 : 0;
}

uint64_t count_majority(const uint64_t gp[3])
{
    return gp[1] == gp[2] ? gp[1] : gp[0];
}

unsigned count_outliers(const uint64_t gp[], unsigned count, uint64_t reference,
                        uint64_t margin)
{
    unsigned set = 0;

    for (unsigned n = 0; n < count; n++) {
        uint64_t distance =
            gp[n] > reference ? gp[n] - reference : reference - gp[n];
        if (distance > margin)
            set |= 1u << n;
    }
    return set;
}
