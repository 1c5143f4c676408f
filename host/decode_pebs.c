/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_pebs.c - prints PEBS records, read one at a time; or counts them. */
#include "host/decode_pebs.h"

#include "src/pebs/pebs_tally.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void print_record(const uint8_t *bytes, const struct pebs_record *record,
                         uint64_t number, uint64_t offset, FILE *out)
{
    char text[PEBS_TX_ABORT_TEXT], name[PEBS_QUADWORD_TEXT];
    const int abort = pebs_field_offset(record, PEBS_TX_ABORT);

    fprintf(out, "record %" PRIu64 " at 0x%" PRIx64 "\n", number, offset);
    for (size_t at = 0; at < record->size; at += 8) {
        uint64_t value = pebs_quadword(bytes + at);
        fprintf(out, "  %02zXH %-24s 0x%016" PRIx64, at,
                pebs_quadword_name(record, at, name), value);
        if ((int)at == abort && value != 0)
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

/* The bytes of the next record: of an adaptive one first the quadword that has
 * its size, which is not to be believed. */
static size_t read_record(FILE *in, unsigned format, size_t size,
                          uint8_t bytes[PEBS_SIZE_MAX])
{
    size_t got = fread(bytes, 1, format < PEBS_FORMATS ? size : 8, in);

    if (format < PEBS_FORMATS || got < 8)
        return got;
    size = pebs_quadword(bytes) >> 48;
    if (size > PEBS_SIZE_MAX)
        size = PEBS_SIZE_MAX;
    return size > got ? got + fread(bytes + got, 1, size - got, in) : got;
}

static bool known_format(unsigned format, size_t *size)
{
    const enum pebs_error error = pebs_record_size(format, 0, size);

    if (error != PEBS_OK)
        fprintf(stderr, "tsxpmu: format %u: %s\n", format,
                pebs_error_text(error));
    return error == PEBS_OK;
}

static bool empty(const char *name)
{
    fprintf(stderr, "tsxpmu: %s: at 0x0: empty, no record\n", name);
    return false;
}

bool decode_pebs(FILE *in, const char *name, unsigned format, FILE *out)
{
    uint8_t bytes[PEBS_SIZE_MAX];
    uint64_t number = 0, offset = 0;
    size_t size;
    enum pebs_error error;

    if (!known_format(format, &size))
        return false;
    for (;; number++) {
        struct pebs_record record;
        size_t got = read_record(in, format, size, bytes);
        if (ferror(in)) {
            fprintf(stderr, "tsxpmu: %s: at 0x%" PRIx64 ": %s\n", name, offset,
                    strerror(errno));
            return false;
        }
        if (got == 0)
            break;
        error = pebs_decode(bytes, got, format, &record);
        if (error == PEBS_OK || error == PEBS_TX_ABORT_RESERVED)
            print_record(bytes, &record, number, offset, out);
        if (error != PEBS_OK) {
            fflush(out); /* so that the line comes last on a terminal */
            print_error(name, number, offset, error, got);
            return false;
        }
        if (ferror(out))
            return false;
        offset += record.size;
    }
    return number != 0 || empty(name);
}

static void print_tally(const struct pebs_tally *tally, FILE *out)
{
    char text[PEBS_TX_ABORT_TEXT];

    fprintf(out, "records\t%" PRIu64 "\n", tally->records);
    for (unsigned n = 0; n < PEBS_TALLY_COUNTERS; n++)
        if (pebs_tally_counter(tally, n) != 0)
            fprintf(out, "%scounter %u\t%" PRIu64 "\n", n < 32 ? "" : "fixed ",
                    n % 32, pebs_tally_counter(tally, n));
    if (pebs_tally_several(tally) != 0)
        fprintf(out, "several counters\t%" PRIu64 "\n",
                pebs_tally_several(tally));
    for (unsigned bit = 32; bit < 40; bit++)
        if (pebs_tally_aborts(tally, BIT(bit)) != 0)
            fprintf(out, "%s\t%" PRIu64 "\n",
                    strchr(pebs_tx_abort_text(BIT(bit), text), ',') + 2,
                    pebs_tally_aborts(tally, BIT(bit)));
}

#define BLOCK ((size_t)1 << 20)

bool count_pebs(FILE *in, const char *name, unsigned format, FILE *out)
{
    static uint8_t bytes[PEBS_SIZE_MAX + BLOCK];
    static struct pebs_tally tally;
    struct pebs_reader reader;
    enum pebs_error error;
    uint64_t offset = 0;
    size_t size, rest = 0, got;

    if (!known_format(format, &size))
        return false;
    do {
        got = fread(bytes + rest, 1, BLOCK, in);
        pebs_open(&reader, bytes, rest + got, format);
        error = pebs_tally_all(&tally, &reader);
        rest = reader.size - reader.at;
        offset += reader.at;
        if (error == PEBS_RECORD_CUT_SHORT)
            memmove(bytes, bytes + reader.at, rest);
    } while (got == BLOCK &&
             (error == PEBS_END || error == PEBS_RECORD_CUT_SHORT));
    if (ferror(in)) {
        fprintf(stderr, "tsxpmu: %s: at 0x%" PRIx64 ": %s\n", name, offset,
                strerror(errno));
        return false;
    }
    if (offset + rest == 0)
        return empty(name);
    print_tally(&tally, out);
    fflush(out); /* so that the line comes last on a terminal */
    if (error != PEBS_END)
        print_error(name, tally.records, offset, error, rest);
    return error == PEBS_END;
}
