/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_tally.c - counts records by what they say. */
#include "src/pebs/pebs_tally.h"

static void clear_counts(uint64_t counts[PEBS_WAYS][256])
{
    for (unsigned way = 0; way < PEBS_WAYS; way++)
        for (unsigned i = 0; i < 256; i++)
            counts[way][i] = 0;
}

void pebs_tally_clear(struct pebs_tally *tally)
{
    tally->records = tally->several_later = 0;
    for (unsigned n = 0; n < PEBS_TALLY_COUNTERS; n++)
        tally->by_later[n] = 0;
    clear_counts(tally->by_counters);
    clear_counts(tally->by_abort);
}

/* The record of this number. */
static inline void add(struct pebs_tally *tally, uint64_t number,
                       uint64_t counters, uint64_t tx_abort)
{
    const uint64_t way = number % PEBS_WAYS;

    tally->by_counters[way][counters & 0xff]++;
    tally->by_abort[way][tx_abort >> 32 & 0xff]++;
}

static bool has_several(uint64_t bits)
{
    return (bits & (bits - 1)) != 0;
}

/* The bits of an Applicable Counter that add() has no table for. */
static void add_later(struct pebs_tally *tally, uint64_t counters)
{
    for (unsigned n = 8; n < PEBS_TALLY_COUNTERS; n++)
        tally->by_later[n] += counters >> n & 1;
    tally->several_later +=
        has_several(counters) && !has_several(counters & 0xff);
}

void pebs_tally_add(struct pebs_tally *tally, const struct pebs_record *record)
{
    if (record->format == PEBS_FORMAT_ADAPTIVE &&
        record->applicable_counter >> 8 != 0)
        add_later(tally, record->applicable_counter);
    /* At most one of the two is present, and the other is 0. */
    add(tally, tally->records++,
        record->applicable_counter | record->global_status, record->tx_abort);
}

/* Where formats 2 and 3 have what is counted. */
#define COUNTERS 0x90
#define TX_ABORT 0xb8
#define SAME(format, member, at)                                         \
    _Static_assert(offsetof(struct pebs_format##format, member) == (at), \
                   "formats 2 and 3 are alike")
SAME(2, global_status, COUNTERS);
SAME(3, applicable_counter, COUNTERS);
SAME(2, tx_abort, TX_ABORT);
SAME(3, tx_abort, TX_ABORT);

/* Reads a byte of each line of a record, in order: most fields are passed over
 * where records are only counted, and the processor reads ahead by itself where
 * it sees one stream without gaps. */
static inline void touch(const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += 64)
        (void)*(const volatile uint8_t *)(bytes + at);
}

/* Up to a record that is cut, or that pebs_next() has to look at. */
static void add_many(struct pebs_tally *tally, struct pebs_reader *reader,
                     size_t size)
{
    const uint8_t *const bytes = reader->bytes;
    const size_t end = reader->size;
    uint64_t number = tally->records;
    size_t at = reader->next;

    for (; end - at >= size; at += size) {
        const uint64_t tx_abort = pebs_quadword(bytes + at + TX_ABORT);
        if ((tx_abort & TX_ABORT_RESERVED) != 0)
            break;
        touch(bytes + at, size);
        add(tally, number++, pebs_quadword(bytes + at + COUNTERS), tx_abort);
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
    uint64_t sum = tally->by_later[n];

    for (unsigned i = 0; n < 8 && i < 256; i++)
        sum += (i >> n & 1) != 0 ? count(tally->by_counters, i) : 0;
    return sum;
}

uint64_t pebs_tally_several(const struct pebs_tally *tally)
{
    uint64_t sum = tally->several_later;

    for (unsigned i = 0; i < 256; i++)
        sum += has_several(i) ? count(tally->by_counters, i) : 0;
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
