/* SPDX-License-Identifier: BSD-2-Clause */
/* The PEBS decoders, tried on the golden records where they will be used: in
 * the image, at ring 0. It asks nothing of the processor, so that a difference
 * is ERROR, and it runs on any. */
#include "src/harness/case.h"
#include "src/pebs/pebs_decode.h"
#include "src/pebs/pebs_golden.h"

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

/* Each line's value in the field of its name, and at its offset. */
static unsigned compare_fields(struct test_context *t,
                               const struct pebs_record *record)
{
    unsigned fields = 0;

    for (size_t i = 0; i < pebs_golden_rows; i++) {
        const struct pebs_golden *row = &pebs_golden[i];
        if (row->format != record->format)
            continue;
        enum pebs_field field = field_named(row->name);
        int offset = pebs_field_offset(row->format, field);
        uint64_t got = pebs_field_value(record, field);
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
             "Processor Family\" and those before it",
     .scope = WHOLE_MACHINE)
{
    for (unsigned format = 0; format < PEBS_FORMATS; format++) {
        uint8_t bytes[PEBS_SIZE_MAX];
        struct pebs_record record;
        size_t size, have = pebs_golden_bytes(format, bytes, sizeof(bytes));
        enum pebs_error error = pebs_record_size(format, &size);

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
        unsigned fields = compare_fields(t, &record);
        expect(t, fields * 8 == size, format, "fields compared", fields,
               size / 8);
        note(t, "golden PEBS record of format %u: %u fields read", format,
             fields);
    }
}
