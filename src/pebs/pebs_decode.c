/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_decode.c - decodes PEBS records. Bytes are assembled, never overlaid: a
 * record may begin at any address. */
#include "src/pebs/pebs_decode.h"

#include "src/base/text.h"
#include "src/pebs/pebs_adaptive.h"

#define VERIFY0(at, NAME, name) \
    _Static_assert(offsetof(struct pebs_format0, name) == (at), #name);
#define VERIFY1(at, NAME, name) \
    _Static_assert(offsetof(struct pebs_format1, name) == (at), #name);
#define VERIFY2(at, NAME, name) \
    _Static_assert(offsetof(struct pebs_format2, name) == (at), #name);
#define VERIFY3(at, NAME, name) \
    _Static_assert(offsetof(struct pebs_format3, name) == (at), #name);
PEBS_FORMAT0(VERIFY0)
PEBS_FORMAT1(VERIFY1)
PEBS_FORMAT2(VERIFY2)
PEBS_FORMAT3(VERIFY3)
_Static_assert(sizeof(struct pebs_format0) == 144, "format 0000b");
_Static_assert(sizeof(struct pebs_format1) == 176, "format 0001b");
_Static_assert(sizeof(struct pebs_format2) == 192, "format 0010b");
_Static_assert(sizeof(struct pebs_format3) == 200, "format 0011b");
_Static_assert(sizeof(struct pebs_format3) == PEBS_FIXED_SIZE_MAX,
               "the longest");
_Static_assert(PEBS_FIELD_COUNT <= 32, "struct pebs_record's present");

#define PRESENT(at, NAME, name) | (UINT32_C(1) << PEBS_##NAME)
static const struct {
    size_t size;
    uint32_t present;
} formats[PEBS_FORMATS] = {
    {sizeof(struct pebs_format0), 0 PEBS_FORMAT0(PRESENT)},
    {sizeof(struct pebs_format1), 0 PEBS_FORMAT1(PRESENT)},
    {sizeof(struct pebs_format2), 0 PEBS_FORMAT2(PRESENT)},
    {sizeof(struct pebs_format3), 0 PEBS_FORMAT3(PRESENT)},
};

const char *pebs_error_text(enum pebs_error error)
{
    static const char *const texts[PEBS_ERROR_COUNT] = {
        [PEBS_OK] = "no error",
        [PEBS_END] = "end of the buffer",
        [PEBS_UNKNOWN_FORMAT] = "unknown record format",
        [PEBS_ADAPTIVE_FORMAT] =
            "adaptive record format (7 or later), which is not decoded",
        [PEBS_UNKNOWN_GROUPS] =
            "reserved bits of the selection of groups, [23:4] or [47:32], of "
            "format 6 [23:6] or [63:56], are set",
        [PEBS_COUNTERS_HEADER] =
            "the header of the group of counters contradicts Record Format "
            "[5:4]",
        [PEBS_SIZE_NOT_OF_GROUPS] =
            "Record Format [63:48] is not the size of the groups in [47:0]",
        [PEBS_RECORD_CUT_SHORT] = "record cut short",
        [PEBS_TX_ABORT_RESERVED] =
            "reserved bits [63:40] of TX Abort Information are set",
        [PEBS_MAXIMUM_BELOW_BASE] =
            "PEBS absolute maximum is not above PEBS buffer base",
        [PEBS_SIZE_DOES_NOT_DIVIDE] =
            "PEBS absolute maximum is not base + a multiple of the record "
            "size",
        [PEBS_INDEX_BELOW_BASE] = "PEBS index is below PEBS buffer base",
        [PEBS_INDEX_PAST_MAXIMUM] = "PEBS index is past PEBS absolute maximum",
        [PEBS_INDEX_BETWEEN_RECORDS] =
            "PEBS index is not base + a multiple of the record size",
        [PEBS_THRESHOLD_OUTSIDE] =
            "PEBS interrupt threshold is outside the buffer",
        [PEBS_THRESHOLD_BETWEEN_RECORDS] =
            "PEBS interrupt threshold is not base + a multiple of the record "
            "size",
    };

    return (unsigned)error < PEBS_ERROR_COUNT ? texts[error] : "no such error";
}

static inline uint64_t defined_in(unsigned format)
{
    return format == PEBS_FORMAT_6 ? PEBS_DATA_DEFINED_6 : PEBS_DATA_DEFINED;
}

static inline enum pebs_error size_of(unsigned format, uint64_t selection,
                                      size_t *size)
{
    *size = format < PEBS_FORMATS ? formats[format].size : 0;
    if (format < PEBS_FORMATS)
        return PEBS_OK;
    if (format > PEBS_FORMAT_6)
        return format <= 15 ? PEBS_ADAPTIVE_FORMAT : PEBS_UNKNOWN_FORMAT;
    if ((selection & ~defined_in(format)) != 0)
        return PEBS_UNKNOWN_GROUPS;
    *size = pebs_group_at(selection, PEBS_GROUP_COUNT);
    return PEBS_OK;
}

enum pebs_error pebs_record_size(unsigned format, uint64_t selection,
                                 size_t *size)
{
    return size_of(format, selection, size);
}

/* One decoder a format, and no field of another format. */
#define READ(at, NAME, name) record->name = pebs_quadword(bytes + (at));
#define CLEAR(NAME, name, text)                        \
    if ((present & (UINT32_C(1) << PEBS_##NAME)) == 0) \
        record->name = 0;
#define DECODER(n)                                                    \
    static void decode_format##n(const uint8_t *restrict bytes,       \
                                 struct pebs_record *restrict record) \
    {                                                                 \
        const uint32_t present = 0 PEBS_FORMAT##n(PRESENT);           \
                                                                      \
        record->format = n;                                           \
        record->present = present;                                    \
        record->size = sizeof(struct pebs_format##n);                 \
        record->selection = 0;                                        \
        PEBS_FORMAT##n(READ) PEBS_FIELDS(CLEAR)                       \
    }
DECODER(0)
DECODER(1)
DECODER(2)
DECODER(3)

enum pebs_error pebs_decode(const uint8_t *bytes, size_t size, unsigned format,
                            struct pebs_record *record)
{
    size_t needed;
    enum pebs_error error = size_of(format, 0, &needed);

    if (error != PEBS_OK)
        return error;
    if (format < PEBS_FORMATS && size < needed)
        return PEBS_RECORD_CUT_SHORT;
    switch (format) {
    case 0:
        decode_format0(bytes, record);
        break;
    case 1:
        decode_format1(bytes, record);
        break;
    case 2:
        decode_format2(bytes, record);
        break;
    case 3:
        decode_format3(bytes, record);
        break;
    default:
        error = pebs_adaptive_decode(bytes, size, defined_in(format), record);
        if (error != PEBS_OK)
            return error;
        break;
    }
    return (record->tx_abort & TX_ABORT_RESERVED) == 0 ? PEBS_OK
                                                       : PEBS_TX_ABORT_RESERVED;
}

void pebs_open(struct pebs_reader *reader, const uint8_t *bytes, size_t size,
               unsigned format)
{
    *reader =
        (struct pebs_reader){.bytes = bytes, .size = size, .format = format};
}

enum pebs_error pebs_next(struct pebs_reader *reader,
                          struct pebs_record *record)
{
    size_t size;
    enum pebs_error error = size_of(reader->format, 0, &size);

    if (error != PEBS_OK)
        return error;
    reader->at = reader->next;
    if (reader->at == reader->size)
        return PEBS_END;
    error = pebs_decode(reader->bytes + reader->at, reader->size - reader->at,
                        reader->format, record);
    if (error == PEBS_OK || error == PEBS_TX_ABORT_RESERVED)
        reader->next = reader->at + record->size;
    return error;
}

/* --- For printing -------------------------------------------------------- */

const char *pebs_field_name(enum pebs_field field)
{
#define NAME_OF(NAME, name, text) text,
    static const char *const names[PEBS_FIELD_COUNT] = {PEBS_FIELDS(NAME_OF)};

    return (unsigned)field < PEBS_FIELD_COUNT ? names[field] : "no such field";
}

int pebs_field_offset(const struct pebs_record *record, enum pebs_field field)
{
    /* One more than the offset; 0: not there. */
#define OFFSET(at, NAME, name) [PEBS_##NAME] = (at) + 1,
    static const uint8_t offsets[PEBS_FORMATS][PEBS_FIELD_COUNT] = {
        {PEBS_FORMAT0(OFFSET)},
        {PEBS_FORMAT1(OFFSET)},
        {PEBS_FORMAT2(OFFSET)},
        {PEBS_FORMAT3(OFFSET)},
    };

    if ((unsigned)field >= PEBS_FIELD_COUNT)
        return -1;
    if (record->format == PEBS_FORMAT_ADAPTIVE)
        return pebs_adaptive_offset(record->record_format, field);
    return record->format < PEBS_FORMATS ? offsets[record->format][field] - 1
                                         : -1;
}

uint64_t pebs_field_value(const struct pebs_record *record,
                          enum pebs_field field)
{
#define VALUE(NAME, name, text) \
    case PEBS_##NAME:           \
        return record->name;
    switch (field) {
        PEBS_FIELDS(VALUE)
    case PEBS_FIELD_COUNT:
        break;
    }
    return 0;
}

static void name_counter(const struct pebs_record *record, size_t at,
                         char text[PEBS_QUADWORD_TEXT])
{
    static const char *const others[] = {"Metrics Base", "Metrics Data"};
    unsigned place = 0;

    while (place <= PEBS_METRICS_DATA &&
           pebs_counter_at(record->selection, place) != at)
        place++;
    if (at < 2)
        text_format(text, PEBS_QUADWORD_TEXT, "%s",
                    at == 0 ? "Counters" : "Metrics");
    else if (place >= PEBS_METRICS_BASE)
        text_format(text, PEBS_QUADWORD_TEXT, "%s",
                    others[place - PEBS_METRICS_BASE]);
    else
        text_format(text, PEBS_QUADWORD_TEXT, "%s%u",
                    place < 32 ? "IA32_PMC" : "IA32_FIXED_CTR", place % 32);
}

const char *pebs_quadword_name(const struct pebs_record *record, size_t offset,
                               char text[PEBS_QUADWORD_TEXT])
{
    static const char *const parts[] = {"FROM", "TO", "INFO"};
    size_t xmm = pebs_group_at(record->selection, PEBS_GROUP_XMM);
    size_t lbrs = pebs_group_at(record->selection, PEBS_GROUP_LBRS);
    size_t counters = pebs_group_at(record->selection, PEBS_GROUP_COUNTERS);

    for (unsigned f = 0; f < PEBS_FIELD_COUNT; f++)
        if (pebs_field_offset(record, (enum pebs_field)f) == (int)offset)
            return pebs_field_name((enum pebs_field)f);
    if (record->format != PEBS_FORMAT_ADAPTIVE || offset >= record->size)
        return "no such field";
    if (offset < lbrs)
        text_format(text, PEBS_QUADWORD_TEXT, "XMM%lu[%s]", (offset - xmm) / 16,
                    (offset - xmm) % 16 == 0 ? "63:0" : "127:64");
    else if (offset < counters)
        text_format(text, PEBS_QUADWORD_TEXT, "LBR[%lu].%s",
                    (offset - lbrs) / 24, parts[(offset - lbrs) / 8 % 3]);
    else
        name_counter(record, (offset - counters) / 8, text);
    return text;
}

const char *pebs_tx_abort_text(uint64_t tx_abort, char text[PEBS_TX_ABORT_TEXT])
{
    static const struct {
        uint64_t bit;
        const char *name;
    } bits[] = {
        {TX_ABORT_HLE_ABORT, "HLE_Abort"},
        {TX_ABORT_RTM_ABORT, "RTM_Abort"},
        {TX_ABORT_INSTRUCTION_ABORT, "Instruction_Abort"},
        {TX_ABORT_NON_INSTRUCTION_ABORT, "Non_Instruction_Abort"},
        {TX_ABORT_RETRY, "Retry"},
        {TX_ABORT_DATA_CONFLICT, "Data_Conflict"},
        {TX_ABORT_CAPACITY_WRITES, "Capacity Writes"},
        {TX_ABORT_CAPACITY_READS, "Capacity Reads"},
    };
    size_t at = text_format(text, PEBS_TX_ABORT_TEXT, "Cycles_Last_TX %lu",
                            tx_abort & TX_ABORT_CYCLES_LAST_TX);

    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
        if ((tx_abort & bits[i].bit) != 0)
            at += text_format(text + at, PEBS_TX_ABORT_TEXT - at, ", %s",
                              bits[i].name);
    if ((tx_abort & TX_ABORT_RESERVED) != 0)
        text_format(text + at, PEBS_TX_ABORT_TEXT - at,
                    ", reserved [63:40] = 0x%lx", tx_abort >> 40);
    return text;
}
