/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_tally.c - counts records by what they say. */
#include "src/pebs/pebs_tally.h"

static void clear_counts(uint64_t counts[], size_t count_address)
{
    for (size_t i = 0; i < count_address; i++)
        counts[i] = 0;
}

void pebs_tally_clear(struct pebs_tally *tally)
{
    tally->records = 0;
    clear_counts(tally->by_counters, 256);
    clear_counts(tally->by_abort, 256);
    clear_counts(tally->code.bucket, PEBS_BUCKETS + 1);
    clear_counts(tally->data.bucket, PEBS_BUCKETS + 1);
}

static void count_address(struct pebs_histogram *histogram, uint64_t address)
{
    uint64_t i = (address - histogram->base) >> histogram->shift;

    if (address < histogram->base || i > PEBS_BUCKETS)
        i = PEBS_BUCKETS;
    histogram->bucket[i]++;
}

void pebs_tally_add(struct pebs_tally *tally, const struct pebs_record *record)
{
    /* At most one of the two is present, and the other is 0. */
    uint64_t counters = record->applicable_counter | record->global_status;

    tally->records++;
    tally->by_counters[counters & 0xff]++;
    tally->by_abort[record->tx_abort >> 32 & 0xff]++;
    count_address(&tally->code, pebs_has(record, PEBS_EVENTING_IP)
                                    ? record->eventing_ip
                                    : record->rip);
    count_address(&tally->data, record->data_linear_address);
}

uint64_t pebs_tally_counter(const struct pebs_tally *tally, unsigned n)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < 256; i++)
        sum += (i >> n & 1) != 0 ? tally->by_counters[i] : 0;
    return sum;
}

uint64_t pebs_tally_several(const struct pebs_tally *tally)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < 256; i++)
        sum += (i & (i - 1)) != 0 ? tally->by_counters[i] : 0;
    return sum;
}

uint64_t pebs_tally_aborts(const struct pebs_tally *tally, uint64_t bits)
{
    const unsigned wanted = (unsigned)(bits >> 32 & 0xff);
    uint64_t sum = 0;

    for (unsigned i = 0; i < 256; i++)
        sum += (i & wanted) == wanted ? tally->by_abort[i] : 0;
    return sum;
}
