/* SPDX-License-Identifier: BSD-2-Clause */
/* The PEBS decoders, tried on the golden records where they will be used: in
 * the image, at ring 0. It asks nothing of the processor, so that a difference
 * is ERROR, and it runs on any. */
#include "src/harness/case.h"
#include "src/pebs/pebs_adaptive.h"
#include "src/pebs/pebs_golden.h"

/* Of the golden adaptive records: every group, two LBR entries; and of format 6
 * some counters and metrics, without the groups that those before have. */
#define GOLDEN_SELECTION                                                  \
    (PEBS_DATA_MEMORY | PEBS_DATA_GPRS | PEBS_DATA_XMM | PEBS_DATA_LBRS | \
     PEBS_DATA_ENTRIES_OF(2))
#define GOLDEN_SELECTION_6                                                   \
    (PEBS_DATA_COUNTERS | PEBS_DATA_METRICS | PEBS_DATA_LBRS |               \
     PEBS_DATA_ENTRIES_OF(1) | PEBS_DATA_GENERAL(0) | PEBS_DATA_GENERAL(9) | \
     PEBS_DATA_FIXED(0) | PEBS_DATA_FIXED(3))
#define GOLDEN_BYTES 512 /* one has the most */

/* ERROR and a line, where not ok. */
static void expect(struct test_context *t, bool ok, unsigned format,
                   const char *what, uint64_t got, uint64_t want)
{
    if (ok)
        check(t, true, "%s", what);
    else
        broken(t,
               "golden PEBS record of format %u: %s: got 0x%lx, wanted 0x%lx",
               format, what, got, want);
}

static enum pebs_field field_named(const char *name)
{
    unsigned field = 0;

    while (field < PEBS_FIELD_COUNT &&
           !text_equal(pebs_field_name((enum pebs_field)field), name))
        field++;
    return (enum pebs_field)field;
}

/* Of a line that is no field's, of a group without: the name of what is at
 * its offset. Returns the value there by its number in the group. */
static uint64_t compare_name(struct test_context *t, const uint8_t *bytes,
                             const struct pebs_record *record,
                             const struct pebs_golden *row)
{
    enum pebs_group group = PEBS_GROUP_COUNTERS;
    size_t at;

    while ((at = pebs_group_at(record->selection, group)) > row->offset &&
           group > PEBS_GROUP_XMM)
        group--;
    char text[PEBS_QUADWORD_TEXT];

    if (row->offset < at || row->offset >= record->size)
        return ~row->value;
    expect(t,
           text_equal(pebs_quadword_name(record, row->offset, text), row->name),
           row->format, row->name, row->offset, at);
    return pebs_group_value(bytes, record, group, (row->offset - at) / 8);
}

/* Each line's value in the field of its name, and at its offset. */
static unsigned compare_fields(struct test_context *t, const uint8_t *bytes,
                               const struct pebs_record *record,
                               unsigned format)
{
    unsigned fields = 0;

    for (size_t i = 0; i < pebs_golden_rows; i++) {
        const struct pebs_golden *row = &pebs_golden[i];
        if (row->format != format)
            continue;
        const enum pebs_field field = field_named(row->name);
        const int offset = pebs_field_offset(record, field);
        uint64_t got = pebs_field_value(record, field);
        if (field == PEBS_FIELD_COUNT)
            got = compare_name(t, bytes, record, row);
        else
            expect(t, offset == (int)row->offset, row->format, row->name,
                   (uint64_t)offset, row->offset);
        expect(t, got == row->value, row->format, row->name, got, row->value);
        fields++;
    }
    return fields;
}

TEST(pebs_decode_golden,
     .asks = "Do the PEBS decoders read the golden records of every format?",
     .cite = "SDM 3B, \"PEBS Record Format for 6th Generation Intel Core "
             "Processor Family\" and those before it; \"Adaptive PEBS\"",
     .scope = WHOLE_MACHINE)
{
    for (unsigned format = 0; format <= PEBS_FORMAT_6; format++) {
        const uint64_t selection =
            format == PEBS_FORMAT_6 ? GOLDEN_SELECTION_6 : GOLDEN_SELECTION;
        uint8_t bytes[GOLDEN_BYTES];
        struct pebs_record record;
        if (format == PEBS_FORMAT_5) /* the same as 4 */
            continue;
        size_t size, have = pebs_golden_bytes(format, bytes, sizeof(bytes));
        enum pebs_error error = pebs_record_size(format, selection, &size);

        expect(t, have == size, format, "bytes of a record", have, size);
        error = error == PEBS_OK ? pebs_decode(bytes, have - 1, format, &record)
                                 : error;
        expect(t, error == PEBS_RECORD_CUT_SHORT, format,
               "error of a record one byte short", error,
               PEBS_RECORD_CUT_SHORT);
        error = pebs_decode(bytes, have, format, &record);
        expect(t, error == PEBS_OK, format, "error of the whole record", error,
               PEBS_OK);
        if (error != PEBS_OK)
            continue;
        unsigned fields = compare_fields(t, bytes, &record, format);
        expect(t, fields * 8 == size, format, "fields compared", fields,
               size / 8);
        note(t, "golden PEBS record of format %u: %u fields read", format,
             fields);
    }
}
