/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs.c - any bytes as PEBS records of each format and as a DS area: nothing
 * is read past them, and every walk ends. For libFuzzer; `make fuzz`. */
#include "src/pebs/pebs_adaptive.h"
#include "src/pebs/pebs_tally.h"
#include "src/pebs/pebs_ds.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each quadword of a group is inside its record. */
static void read_group(const uint8_t *bytes, const struct pebs_record *record,
                       enum pebs_group group)
{
    static volatile uint64_t value;
    const size_t at = pebs_group_at(record->selection, group);
    const size_t size = pebs_group_size(record->selection, group);

    if (record->format != PEBS_FORMAT_ADAPTIVE)
        return;
    for (size_t n = 0; n < size / 8; n++)
        value = pebs_group_value(bytes, record, group, n);
    (void)value;
    if (at + size > record->size)
        abort();
}

static void walk(const uint8_t *data, size_t size, unsigned format)
{
    static struct pebs_tally tally;
    struct pebs_reader reader;
    struct pebs_record record;
    char text[PEBS_TX_ABORT_TEXT], name[PEBS_QUADWORD_TEXT];
    uint64_t records = 0;
    enum pebs_error error;

    pebs_tally_clear(&tally);
    pebs_open(&reader, data, size, format);
    for (;; records++) {
        error = pebs_next(&reader, &record);
        if (error != PEBS_OK && error != PEBS_TX_ABORT_RESERVED)
            break;
        pebs_tally_add(&tally, &record);
        pebs_tx_abort_text(record.tx_abort, text);
        for (size_t at = 0; at < record.size; at += 8)
            if (*pebs_quadword_name(&record, at, name) == '\0')
                abort();
        read_group(data + reader.at, &record, PEBS_GROUP_XMM);
        read_group(data + reader.at, &record, PEBS_GROUP_LBRS);
        read_group(data + reader.at, &record, PEBS_GROUP_COUNTERS);
    }
    if (tally.records != records || reader.at > size)
        abort();
    if (format < PEBS_FORMATS && error != PEBS_END &&
        error != PEBS_RECORD_CUT_SHORT)
        abort();
    if (format >= PEBS_FORMAT_ADAPTIVE && format <= PEBS_FORMAT_6 &&
        error == PEBS_ADAPTIVE_FORMAT)
        abort();
}

/* The first word made one that is believed, or the groups are seldom reached;
 * and the header of counters, from the second. */
static void walk_groups(const uint8_t *data, size_t size, unsigned format,
                        uint64_t defined)
{
    uint8_t *bytes = malloc(size);
    uint64_t form;

    if (bytes == NULL)
        abort();
    memcpy(bytes, data, size);
    form = pebs_quadword(bytes) & defined & BITS(31, 0);
    const size_t header = pebs_group_at(form, PEBS_GROUP_COUNTERS);
    uint64_t sets = (form & PEBS_DATA_COUNTERS) != 0 && size >= 16
                        ? pebs_quadword(bytes + 8) & PEBS_DATA_SETS
                        : 0;
    const uint64_t masks[2] = {
        (sets >> 32 & BITS(15, 0)) | (sets >> 48) << 32,
        (form & PEBS_DATA_METRICS) != 0 ? PEBS_METRICS_HERE : 0};
    const uint64_t first =
        form | (uint64_t)pebs_group_at(form | sets, PEBS_GROUP_COUNT) << 48;
    memcpy(bytes, &first, sizeof(first));
    if ((form & (PEBS_DATA_COUNTERS | PEBS_DATA_METRICS)) != 0 &&
        size >= header + sizeof(masks))
        memcpy(bytes + header, masks, sizeof(masks));
    walk(bytes, size, format);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t sizes[] = {32, 144, 176, 192, 200, PEBS_SIZE_MAX};
    struct pebs_ds_area area;
    uint64_t written;

    for (unsigned format = 0; format <= PEBS_FORMAT_6 + 1; format++)
        walk(data, size, format);
    if (size >= 8) {
        walk_groups(data, size, PEBS_FORMAT_ADAPTIVE, PEBS_DATA_DEFINED);
        walk_groups(data, size, PEBS_FORMAT_6, PEBS_DATA_DEFINED_6);
    }
    if (size >= sizeof(area)) {
        memcpy(&area, data, sizeof(area));
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
            if (pebs_ds_check(&area, sizes[i], &written) == PEBS_OK &&
                area.pebs_buffer_base + written > area.pebs_index)
                abort();
    }
    return 0;
}
