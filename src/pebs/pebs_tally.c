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
    clear_counts(tally->by_counters[0], PEBS_WAYS * 256);
    clear_counts(tally->by_abort[0], PEBS_WAYS * 256);
    clear_counts(tally->code.bucket, PEBS_BUCKETS + 1);
    clear_counts(tally->data.bucket, PEBS_BUCKETS + 1);
}

/* Where a histogram counts: no count changes it, and so it stays in registers.
 */
struct scale {
    uint64_t base;
    unsigned shift;
};

static struct scale scale_of(const struct pebs_histogram *histogram)
{
    return (struct scale){histogram->base, histogram->shift};
}

static inline void count_address(struct pebs_histogram *histogram,
                                 struct scale scale, uint64_t address)
{
    uint64_t i = (address - scale.base) >> scale.shift;

    if (address < scale.base || i > PEBS_BUCKETS)
        i = PEBS_BUCKETS;
    histogram->bucket[i]++;
}

/* The record of this number. */
static inline void add(struct pebs_tally *tally, uint64_t number,
                       struct scale of_code, struct scale of_data,
                       uint64_t counters, uint64_t tx_abort, uint64_t code,
                       uint64_t data)
{
    const uint64_t way = number % PEBS_WAYS;

    tally->by_counters[way][counters & 0xff]++;
    tally->by_abort[way][tx_abort >> 32 & 0xff]++;
    count_address(&tally->code, of_code, code);
    count_address(&tally->data, of_data, data);
}

void pebs_tally_add(struct pebs_tally *tally, const struct pebs_record *record)
{
    /* At most one of the two is present, and the other is 0. */
    add(tally, tally->records++, scale_of(&tally->code), scale_of(&tally->data),
        record->applicable_counter | record->global_status, record->tx_abort,
        pebs_has(record, PEBS_EVENTING_IP) ? record->eventing_ip : record->rip,
        record->data_linear_address);
}

/* Where formats 2 and 3 have what is counted. */
#define COUNTERS    0x90
#define DATA        0x98
#define EVENTING_IP 0xb0
#define TX_ABORT    0xb8
#define SAME(format, member, at)                                         \
    _Static_assert(offsetof(struct pebs_format##format, member) == (at), \
                   "formats 2 and 3 are alike")
SAME(2, global_status, COUNTERS);
SAME(3, applicable_counter, COUNTERS);
SAME(2, data_linear_address, DATA);
SAME(3, data_linear_address, DATA);
SAME(2, eventing_ip, EVENTING_IP);
SAME(3, eventing_ip, EVENTING_IP);
SAME(2, tx_abort, TX_ABORT);
SAME(3, tx_abort, TX_ABORT);

/* Up to a record that is cut, or that pebs_next() has to look at. */
static void add_many(struct pebs_tally *tally, struct pebs_reader *reader,
                     size_t size)
{
    const uint8_t *const bytes = reader->bytes;
    const struct scale code = scale_of(&tally->code);
    const struct scale data = scale_of(&tally->data);
    const size_t end = reader->size;
    uint64_t number = tally->records;
    size_t at = reader->next;

    for (; end - at >= size; at += size) {
        const uint64_t tx_abort = pebs_quadword(bytes + at + TX_ABORT);
        if ((tx_abort & TX_ABORT_RESERVED) != 0)
            break;
        if (end - at > PEBS_AHEAD + PEBS_FIXED_SIZE_MAX)
            pebs_ask(bytes + at);
        add(tally, number++, code, data, pebs_quadword(bytes + at + COUNTERS),
            tx_abort, pebs_quadword(bytes + at + EVENTING_IP),
            pebs_quadword(bytes + at + DATA));
    }
    tally->records = number;
    reader->next = at;
}

enum pebs_error pebs_tally_all(struct pebs_tally *tally,
                               struct pebs_reader *reader)
{
    struct pebs_record record;
    enum pebs_error error;

    if (reader->format == 2 || reader->format == 3)
        add_many(tally, reader,
                 reader->format == 2 ? sizeof(struct pebs_format2)
                                     : sizeof(struct pebs_format3));
    while ((error = pebs_next(reader, &record)) == PEBS_OK)
        pebs_tally_add(tally, &record);
    return error;
}

static uint64_t count(const uint64_t counts[PEBS_WAYS][256], unsigned i)
{
    uint64_t sum = 0;

    for (unsigned way = 0; way < PEBS_WAYS; way++)
        sum += counts[way][i];
    return sum;
}

uint64_t pebs_tally_counter(const struct pebs_tally *tally, unsigned n)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < 256; i++)
        sum += (i >> n & 1) != 0 ? count(tally->by_counters, i) : 0;
    return sum;
}

uint64_t pebs_tally_several(const struct pebs_tally *tally)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < 256; i++)
        sum += (i & (i - 1)) != 0 ? count(tally->by_counters, i) : 0;
    return sum;
}

uint64_t pebs_tally_aborts(const struct pebs_tally *tally, uint64_t bits)
{
    const unsigned wanted = (unsigned)(bits >> 32 & 0xff);
    uint64_t sum = 0;

    for (unsigned i = 0; i < 256; i++)
        sum += (i & wanted) == wanted ? count(tally->by_abort, i) : 0;
    return sum;
}
