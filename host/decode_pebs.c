/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_pebs.c - prints PEBS records, read one at a time. */
#include "host/decode_pebs.h"

#include "src/pebs/pebs_decode.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void print_record(const struct pebs_record *record, uint64_t number,
                         uint64_t offset, FILE *out)
{
    char text[PEBS_TX_ABORT_TEXT];

    fprintf(out, "record %" PRIu64 " at 0x%" PRIx64 "\n", number, offset);
    for (unsigned i = 0; i < PEBS_FIELD_COUNT; i++) {
        enum pebs_field field = (enum pebs_field)i;
        if (!pebs_has(record, field))
            continue;
        uint64_t value = pebs_field_value(record, field);
        fprintf(out, "  %02XH %-24s 0x%016" PRIx64,
                (unsigned)pebs_field_offset(record->format, field),
                pebs_field_name(field), value);
        if (field == PEBS_TX_ABORT && value != 0)
            fprintf(out, "  %s", pebs_tx_abort_text(value, text));
        fputc('\n', out);
    }
}

static void print_error(const char *name, uint64_t number, uint64_t offset,
                        enum pebs_error error, size_t got)
{
    fprintf(stderr, "tsxpmu: %s: record %" PRIu64 " at 0x%" PRIx64 ": %s", name,
            number, offset, pebs_error_text(error));
    if (error == PEBS_RECORD_CUT_SHORT)
        fprintf(stderr, " after %zu bytes", got);
    fputc('\n', stderr);
}

bool decode_pebs(FILE *in, const char *name, unsigned format, FILE *out)
{
    uint8_t bytes[PEBS_SIZE_MAX];
    uint64_t number = 0, offset = 0;
    size_t size;
    enum pebs_error error = pebs_record_size(format, &size);

    if (error != PEBS_OK) {
        fprintf(stderr, "tsxpmu: format %u: %s\n", format,
                pebs_error_text(error));
        return false;
    }
    for (;; number++, offset += size) {
        struct pebs_record record;
        size_t got = fread(bytes, 1, size, in);
        if (ferror(in)) {
            fprintf(stderr, "tsxpmu: %s: at 0x%" PRIx64 ": %s\n", name, offset,
                    strerror(errno));
            return false;
        }
        if (got == 0)
            break;
        error = pebs_decode(bytes, got, format, &record);
        if (error == PEBS_OK || error == PEBS_TX_ABORT_RESERVED)
            print_record(&record, number, offset, out);
        if (error != PEBS_OK) {
            fflush(out); /* so that the line comes last on a terminal */
            print_error(name, number, offset, error, got);
            return false;
        }
        if (ferror(out))
            return false;
    }
    if (number == 0)
        fprintf(stderr, "tsxpmu: %s: at 0x0: empty, no record\n", name);
    return number != 0;
}
