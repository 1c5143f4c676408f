/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_judge.c - field by field, in the order of the record. */
#include "src/memory/memory_judge.h"

bool memory_judge_planted(const struct memory_walk *walk,
                          uint64_t judge_address)
{
    uint64_t offset = 0;

    for (uint64_t k = 0; k < walk->count; k++) {
        if (walk->base + offset == judge_address)
            return true;
        offset = (offset + walk->step) & walk->mask;
    }
    return false;
}

bool memory_judge_has_two(enum generation generation)
{
    return (generation & (SINCE_GOLDEN_COVE | GRACEMONT)) != 0;
}

uint64_t memory_judge_latency(enum generation generation, uint64_t field)
{
    return memory_judge_has_two(generation) ? field >> 32 & BITS(15, 0) : field;
}

bool memory_judge_reversed(enum generation generation, uint64_t field)
{
    return (generation & SINCE_GOLDEN_COVE) != 0 &&
           memory_judge_latency(generation, field) > (field & BITS(15, 0));
}

uint64_t memory_judge_source(enum generation generation, uint64_t field)
{
    const uint64_t both = DATA_SOURCE_STLB_MISS | DATA_SOURCE_LOCK;

    if (generation == LION_COVE)
        return ((field + ((field & BITS(7, 4)) != 0 ? DATA_SOURCE_HIGH : 0)) &
                DATA_SOURCE_SOURCE) |
               (field >> 6 & both);
    if (generation != GRACEMONT)
        return field;
    return (field & ~both) | (field >> 1 & DATA_SOURCE_STLB_MISS) |
           (field << 1 & DATA_SOURCE_LOCK);
}

uint64_t memory_judge_longer(enum generation generation, uint64_t field)
{
    const uint64_t access = memory_judge_latency(generation, field);
    const uint64_t instruction =
        memory_judge_has_two(generation) ? field & BITS(15, 0) : field;

    return access > instruction ? access : instruction;
}

bool memory_judge_inside(const struct pebs_record *record, const uint8_t *loop,
                         const uint8_t *end)
{
    return record->rip > (uint64_t)(uintptr_t)loop &&
           record->rip <= (uint64_t)(uintptr_t)end;
}

uint64_t memory_judge_median(uint64_t latencies[], unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        for (unsigned k = i; k > 0 && latencies[k - 1] > latencies[k]; k--) {
            uint64_t lower = latencies[k];
            latencies[k] = latencies[k - 1];
            latencies[k - 1] = lower;
        }
    return count == 0 ? 0 : latencies[count / 2];
}

bool memory_judge_most(unsigned n, unsigned of)
{
    return n > of / 2;
}

static const char *judge_address(const struct pebs_record *record,
                                 const struct memory_expected *expected)
{
    const uint64_t got = record->data_linear_address,
                   at = record->rdi - expected->moved;

    if (!memory_judge_planted(expected->walk, at))
        return "RDI (38H) is not as the window holds it";
    if (!memory_judge_planted(expected->walk, got))
        return "Data Linear Address (98H) is none of the addresses accessed";
    if (got != at)
        return "Data Linear Address (98H) is of another access than the "
               "instruction's";
    return NULL;
}

static const char *judge_lock(const struct pebs_record *record, bool locked)
{
    _Static_assert(STORE_STATUS_LOCKED_ACCESS == DATA_SOURCE_LOCK, "one bit");
    if (((record->data_source & DATA_SOURCE_LOCK) != 0) != locked)
        return locked ? "A0H[5] (Lock) is 0 for a locked access"
                      : "A0H[5] (Lock) is 1 for an access without LOCK";
    return NULL;
}

/* Later processors with adaptive records say in [7:6] what blocked a load; from
 * which on is not certain. */
static uint64_t reserved_source(const struct pebs_record *record)
{
    return record->format == PEBS_FORMAT_ADAPTIVE
               ? DATA_SOURCE_RESERVED & ~BITS(7, 6)
               : DATA_SOURCE_RESERVED;
}

static const char *judge_load_latency(const struct pebs_record *record,
                                      const struct memory_expected *expected)
{
    const char *wrong = judge_lock(record, expected->locked);

    if (wrong == NULL && (record->data_source & reserved_source(record)) != 0)
        wrong = "A0H[63:6], reserved, is not 0";
    if (wrong == NULL && !expected->is_part &&
        record->latency < LOAD_LATENCY_MIN)
        wrong = "Latency (A8H) is below 4, the least that can be detected";
    return wrong;
}

/* What adaptive records have there for stores is not certain: nothing is judged
 * but the address. */
static const char *judge_data_store(const struct pebs_record *record)
{
    if (record->format == PEBS_FORMAT_ADAPTIVE)
        return NULL;
    if ((record->data_source & ~STORE_STATUS_L1D_HIT) != 0)
        return "A0H[63:1], always 0, is not";
    return record->latency != 0 ? "A8H, always 0, is not" : NULL;
}

const char *memory_judge(const struct pebs_record *record,
                         const struct memory_expected *expected)
{
    const char *wrong = judge_address(record, expected);

    if (wrong != NULL)
        return wrong;
    switch (expected->facility) {
    case FACILITY_PRECISE_STORE:
        return judge_lock(record, expected->locked);
    case FACILITY_LOAD_LATENCY:
    case FACILITY_STORE_LATENCY:
        return judge_load_latency(record, expected);
    case FACILITY_DATA_STORE:
        return judge_data_store(record);
    case FACILITY_DATA_LOAD:
        break;
    }
    return NULL;
}
