/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_ds.c - fills in and checks the PEBS part of a DS area. */
#include "src/pebs/pebs_ds.h"

#define VERIFY(at, name) \
    _Static_assert(offsetof(struct pebs_ds_area, name) == (at), #name)
VERIFY(0x00, bts_buffer_base);
VERIFY(0x08, bts_index);
VERIFY(0x10, bts_absolute_maximum);
VERIFY(0x18, bts_interrupt_threshold);
VERIFY(0x20, pebs_buffer_base);
VERIFY(0x28, pebs_index);
VERIFY(0x30, pebs_absolute_maximum);
VERIFY(0x38, pebs_interrupt_threshold);
VERIFY(0x40, pebs_reset[0]);
VERIFY(0x60, pebs_reset[4]);
VERIFY(0x80, pebs_reset[PEBS_DS_FIXED(false)]);
VERIFY(0x140, pebs_reset[PEBS_DS_FIXED(true)]);
_Static_assert(sizeof(struct pebs_ds_area) ==
                   PEBS_DS_BYTES(PEBS_FORMAT_ADAPTIVE, true),
               "the whole area");
_Static_assert(offsetof(struct pebs_ds_area, pebs_reset[4]) ==
                   PEBS_DS_BYTES(0, false),
               "the area before format 4");
_Static_assert(offsetof(struct pebs_ds_area, pebs_reset[8 + 4]) ==
                   PEBS_DS_BYTES(PEBS_FORMAT_ADAPTIVE, false),
               "the area of format 4");

enum pebs_error pebs_ds_set(struct pebs_ds_area *area, uint64_t base,
                            uint64_t records, uint64_t threshold, size_t size)
{
    if (records == 0 || records > (UINT64_MAX - base) / size)
        return PEBS_SIZE_DOES_NOT_DIVIDE;
    if (threshold == 0 || threshold > records)
        return PEBS_THRESHOLD_OUTSIDE;
    area->pebs_buffer_base = base;
    area->pebs_index = base;
    area->pebs_absolute_maximum = base + records * size;
    area->pebs_interrupt_threshold = base + threshold * size;
    return PEBS_OK;
}

enum pebs_error pebs_ds_check(const struct pebs_ds_area *area, size_t size,
                              uint64_t *written)
{
    const uint64_t base = area->pebs_buffer_base, index = area->pebs_index;
    const uint64_t maximum = area->pebs_absolute_maximum;
    const uint64_t threshold = area->pebs_interrupt_threshold;

    *written = 0;
    if (maximum <= base)
        return PEBS_MAXIMUM_BELOW_BASE;
    if ((maximum - base) % size != 0)
        return PEBS_SIZE_DOES_NOT_DIVIDE;
    if (index < base)
        return PEBS_INDEX_BELOW_BASE;
    if (index > maximum)
        return PEBS_INDEX_PAST_MAXIMUM;
    if ((index - base) % size != 0)
        return PEBS_INDEX_BETWEEN_RECORDS;
    *written = (index - base) / size;
    if (threshold < base || threshold > maximum)
        return PEBS_THRESHOLD_OUTSIDE;
    if ((threshold - base) % size != 0)
        return PEBS_THRESHOLD_BETWEEN_RECORDS;
    return PEBS_OK;
}
