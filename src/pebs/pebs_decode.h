/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_decode.h - records of processor event-based sampling, formats 0 to 6,
 * decoded into one description. Pure: no hardware, nothing allocated.
 *
 * The format is IA32_PERF_CAPABILITIES (345H)[11:8]. Formats 4 and later are
 * adaptive: a record says itself which groups of fields it has. Of formats 4 to
 * 6 the layout is in pebs_adaptive.h; those after it are refused by name.
 *
 * Each offset is written once, in the manual's order; structs, checks, decoders
 * and names come from these tables. SDM 3B, Performance Monitoring:
 *   0  "64-bit PEBS Record Format", "64 Bit Format of the DS Save Area"
 *   1  "PEBS Record Format for Intel Core i7 Processor Family"
 *   2  "PEBS Record Format for 4th Generation Intel Core Processor Family"
 *   3  "PEBS Record Format for 6th Generation Intel Core Processor Family",
 *      whose text prints ABH once where the table has A8H.
 */
#ifndef SRC_PEBS_PEBS_DECODE_H
#define SRC_PEBS_PEBS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/msr.h"

/* clang-format off */

/* 00H to 8FH are the same in all of them. */
#define PEBS_REGISTERS(FIELD)                  \
    FIELD(0x00, RFLAGS,              rflags)   \
    FIELD(0x08, RIP,                 rip)      \
    FIELD(0x10, RAX,                 rax)      \
    FIELD(0x18, RBX,                 rbx)      \
    FIELD(0x20, RCX,                 rcx)      \
    FIELD(0x28, RDX,                 rdx)      \
    FIELD(0x30, RSI,                 rsi)      \
    FIELD(0x38, RDI,                 rdi)      \
    FIELD(0x40, RBP,                 rbp)      \
    FIELD(0x48, RSP,                 rsp)      \
    FIELD(0x50, R8,                  r8)       \
    FIELD(0x58, R9,                  r9)       \
    FIELD(0x60, R10,                 r10)      \
    FIELD(0x68, R11,                 r11)      \
    FIELD(0x70, R12,                 r12)      \
    FIELD(0x78, R13,                 r13)      \
    FIELD(0x80, R14,                 r14)      \
    FIELD(0x88, R15,                 r15)

#define PEBS_FORMAT0(FIELD)                    \
    PEBS_REGISTERS(FIELD)

#define PEBS_FORMAT1(FIELD)                    \
    PEBS_REGISTERS(FIELD)                      \
    FIELD(0x90, GLOBAL_STATUS,       global_status)       \
    FIELD(0x98, DATA_LINEAR_ADDRESS, data_linear_address) \
    FIELD(0xa0, DATA_SOURCE,         data_source)         \
    FIELD(0xa8, LATENCY,             latency)

#define PEBS_FORMAT2(FIELD)                    \
    PEBS_REGISTERS(FIELD)                      \
    FIELD(0x90, GLOBAL_STATUS,       global_status)       \
    FIELD(0x98, DATA_LINEAR_ADDRESS, data_linear_address) \
    FIELD(0xa0, DATA_SOURCE,         data_source)         \
    FIELD(0xa8, LATENCY,             latency)             \
    FIELD(0xb0, EVENTING_IP,         eventing_ip)         \
    FIELD(0xb8, TX_ABORT,            tx_abort)

#define PEBS_FORMAT3(FIELD)                    \
    PEBS_REGISTERS(FIELD)                      \
    FIELD(0x90, APPLICABLE_COUNTER,  applicable_counter)  \
    FIELD(0x98, DATA_LINEAR_ADDRESS, data_linear_address) \
    FIELD(0xa0, DATA_SOURCE,         data_source)         \
    FIELD(0xa8, LATENCY,             latency)             \
    FIELD(0xb0, EVENTING_IP,         eventing_ip)         \
    FIELD(0xb8, TX_ABORT,            tx_abort)            \
    FIELD(0xc0, TSC,                 tsc)

/* Every field of any format, and its name in the manual. */
#define PEBS_FIELDS(FIELD)                                      \
    FIELD(RFLAGS,              rflags, "RFLAGS")                \
    FIELD(RIP,                 rip,    "RIP")                   \
    FIELD(RAX,                 rax,    "RAX")                   \
    FIELD(RBX,                 rbx,    "RBX")                   \
    FIELD(RCX,                 rcx,    "RCX")                   \
    FIELD(RDX,                 rdx,    "RDX")                   \
    FIELD(RSI,                 rsi,    "RSI")                   \
    FIELD(RDI,                 rdi,    "RDI")                   \
    FIELD(RBP,                 rbp,    "RBP")                   \
    FIELD(RSP,                 rsp,    "RSP")                   \
    FIELD(R8,                  r8,     "R8")                    \
    FIELD(R9,                  r9,     "R9")                    \
    FIELD(R10,                 r10,    "R10")                   \
    FIELD(R11,                 r11,    "R11")                   \
    FIELD(R12,                 r12,    "R12")                   \
    FIELD(R13,                 r13,    "R13")                   \
    FIELD(R14,                 r14,    "R14")                   \
    FIELD(R15,                 r15,    "R15")                   \
    FIELD(GLOBAL_STATUS,       global_status,                   \
          "IA32_PERF_GLOBAL_STATUS")                            \
    FIELD(APPLICABLE_COUNTER,  applicable_counter,              \
          "Applicable Counter")                                 \
    FIELD(DATA_LINEAR_ADDRESS, data_linear_address,             \
          "Data Linear Address")                                \
    FIELD(DATA_SOURCE,         data_source,                     \
          "Data Source Encoding")                               \
    FIELD(LATENCY,             latency, "Latency")              \
    FIELD(EVENTING_IP,         eventing_ip, "EventingIP")       \
    FIELD(TX_ABORT,            tx_abort, "TX Abort Information") \
    FIELD(TSC,                 tsc,    "TSC")                   \
    FIELD(RECORD_FORMAT,       record_format, "Record Format")

/* clang-format on */

#define PEBS_MEMBER(at, NAME, name) uint64_t name;
struct pebs_format0 {
    PEBS_FORMAT0(PEBS_MEMBER)
};
struct pebs_format1 {
    PEBS_FORMAT1(PEBS_MEMBER)
};
struct pebs_format2 {
    PEBS_FORMAT2(PEBS_MEMBER)
};
struct pebs_format3 {
    PEBS_FORMAT3(PEBS_MEMBER)
};
#undef PEBS_MEMBER

#define PEBS_FORMATS         4    /* 0 to 3 have a fixed layout */
#define PEBS_FORMAT_ADAPTIVE 4    /* the first that has not, and is decoded */
#define PEBS_FORMAT_5        5    /* its records are those of 4 */
#define PEBS_FORMAT_6        6    /* and its may have counters */
#define PEBS_FIXED_SIZE_MAX  200  /* bytes of the longest of formats 0 to 3 */
#define PEBS_SIZE_MAX        6832 /* of format 6 too: all groups, 256 LBRs */

#define PEBS_NUMBER(NAME, name, text) PEBS_##NAME,
enum pebs_field { PEBS_FIELDS(PEBS_NUMBER) PEBS_FIELD_COUNT };
#undef PEBS_NUMBER

/* A record of whatever format. */
struct pebs_record {
    unsigned format;
    uint32_t present;   /* set of BIT(enum pebs_field); any other field is 0 */
    size_t size;        /* bytes, all groups of it */
    uint64_t selection; /* of an adaptive one: as MSR_PEBS_DATA_CFG */
#define PEBS_MEMBER(NAME, name, text) uint64_t name;
    PEBS_FIELDS(PEBS_MEMBER)
#undef PEBS_MEMBER
};

/* TX Abort Information (B8H): SDM 3B, "TX Abort Information Field Definition".
 * Where [33:32] is 0 the record does not describe an abort. */
#define TX_ABORT_CYCLES_LAST_TX        BITS(31, 0)
#define TX_ABORT_HLE_ABORT             BIT(32)
#define TX_ABORT_RTM_ABORT             BIT(33)
#define TX_ABORT_INSTRUCTION_ABORT     BIT(34)
#define TX_ABORT_NON_INSTRUCTION_ABORT BIT(35)
#define TX_ABORT_RETRY                 BIT(36)
#define TX_ABORT_DATA_CONFLICT         BIT(37)
#define TX_ABORT_CAPACITY_WRITES       BIT(38)
#define TX_ABORT_CAPACITY_READS        BIT(39)
#define TX_ABORT_RESERVED              BITS(63, 40)

/* What can be wrong with records and with the DS area (pebs_ds.h). */
enum pebs_error {
    PEBS_OK,
    PEBS_END, /* of the buffer, after a whole record */
    PEBS_UNKNOWN_FORMAT,
    PEBS_ADAPTIVE_FORMAT,
    PEBS_UNKNOWN_GROUPS,
    PEBS_COUNTERS_HEADER,
    PEBS_SIZE_NOT_OF_GROUPS,
    PEBS_RECORD_CUT_SHORT,
    PEBS_TX_ABORT_RESERVED,
    PEBS_MAXIMUM_BELOW_BASE,
    PEBS_SIZE_DOES_NOT_DIVIDE,
    PEBS_INDEX_BELOW_BASE,
    PEBS_INDEX_PAST_MAXIMUM,
    PEBS_INDEX_BETWEEN_RECORDS,
    PEBS_THRESHOLD_OUTSIDE,
    PEBS_THRESHOLD_BETWEEN_RECORDS,
    PEBS_ERROR_COUNT
};

/* One line of text, without the place. Never NULL. */
const char *pebs_error_text(enum pebs_error error);

/* PEBS_OK, PEBS_ADAPTIVE_FORMAT (7 to 15) or PEBS_UNKNOWN_FORMAT; of formats 4
 * to 6 also PEBS_UNKNOWN_GROUPS. *size is the bytes of a record, 0 on an
 * error. `selection` is MSR_PEBS_DATA_CFG (3F2H) and means nothing to the
 * others. */
enum pebs_error pebs_record_size(unsigned format, uint64_t selection,
                                 size_t *size)
    __attribute__((warn_unused_result));

/* Decodes the record that begins at bytes[0], of which `size` bytes are there;
 * no byte beyond them is read. Errors: those of pebs_record_size,
 * PEBS_SIZE_NOT_OF_GROUPS and PEBS_COUNTERS_HEADER of an adaptive record,
 * PEBS_RECORD_CUT_SHORT, and PEBS_TX_ABORT_RESERVED. *record is written where
 * PEBS_OK or PEBS_TX_ABORT_RESERVED is returned, else not changed. Not checked:
 * any other value. */
enum pebs_error pebs_decode(const uint8_t *bytes, size_t size, unsigned format,
                            struct pebs_record *record)
    __attribute__((warn_unused_result));

/* Reads the records of a buffer in turn. */
struct pebs_reader {
    const uint8_t *bytes;
    size_t size;
    unsigned format;
    size_t at;   /* offset of the record last read, or of the error */
    size_t next; /* offset of the one after it */
};

void pebs_open(struct pebs_reader *reader, const uint8_t *bytes, size_t size,
               unsigned format);

/* The next record: what pebs_decode says, or PEBS_END. After
 * PEBS_TX_ABORT_RESERVED one may go on; any other error stays. */
enum pebs_error pebs_next(struct pebs_reader *reader,
                          struct pebs_record *record)
    __attribute__((warn_unused_result));

static inline bool pebs_has(const struct pebs_record *record,
                            enum pebs_field field)
{
    return (record->present & BIT(field)) != 0;
}

/* The eight bytes there, lowest first; compilers make one load of it. */
static inline uint64_t pebs_quadword(const uint8_t *bytes)
{
    uint64_t value = 0;

    value |= (uint64_t)bytes[0];
    value |= (uint64_t)bytes[1] << 8;
    value |= (uint64_t)bytes[2] << 16;
    value |= (uint64_t)bytes[3] << 24;
    value |= (uint64_t)bytes[4] << 32;
    value |= (uint64_t)bytes[5] << 40;
    value |= (uint64_t)bytes[6] << 48;
    value |= (uint64_t)bytes[7] << 56;
    return value;
}

/* For printing: name in the manual, byte offset in a record of the format and
 * the groups of this one (-1: not in it, or not a format that is decoded),
 * value (0 where not present). */
const char *pebs_field_name(enum pebs_field field);
int pebs_field_offset(const struct pebs_record *record, enum pebs_field field);
uint64_t pebs_field_value(const struct pebs_record *record,
                          enum pebs_field field);

/* What the quadword at this offset is, of a field or of a group that has no
 * fields: "XMM3[127:64]", "LBR[0].FROM". Returns text, or the field's name. */
#define PEBS_QUADWORD_TEXT 24
const char *pebs_quadword_name(const struct pebs_record *record, size_t offset,
                               char text[PEBS_QUADWORD_TEXT]);

/* TX Abort Information in words: the names of the bits that are set after
 * Cycles_Last_TX; reserved bits are shown as such. Returns text. */
#define PEBS_TX_ABORT_TEXT 224
const char *pebs_tx_abort_text(uint64_t tx_abort,
                               char text[PEBS_TX_ABORT_TEXT]);

#endif
