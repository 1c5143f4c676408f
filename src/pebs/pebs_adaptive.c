/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_adaptive.c - decodes adaptive PEBS records. */
#include "src/pebs/pebs_adaptive.h"

/* clang-format off */

/* Offsets are from the beginning of the group. */
#define BASIC_GROUP(FIELD)                                \
    FIELD(0x00, RECORD_FORMAT,       record_format)       \
    FIELD(0x08, EVENTING_IP,         eventing_ip)         \
    FIELD(0x10, APPLICABLE_COUNTER,  applicable_counter)  \
    FIELD(0x18, TSC,                 tsc)

#define MEMORY_GROUP(FIELD)                               \
    FIELD(0x00, DATA_LINEAR_ADDRESS, data_linear_address) \
    FIELD(0x08, DATA_SOURCE,         data_source)         \
    FIELD(0x10, LATENCY,             latency)             \
    FIELD(0x18, TX_ABORT,            tx_abort)

/* Not in the order of the formats before. */
#define GPRS_GROUP(FIELD)                                 \
    FIELD(0x00, RFLAGS,              rflags)              \
    FIELD(0x08, RIP,                 rip)                 \
    FIELD(0x10, RAX,                 rax)                 \
    FIELD(0x18, RCX,                 rcx)                 \
    FIELD(0x20, RDX,                 rdx)                 \
    FIELD(0x28, RBX,                 rbx)                 \
    FIELD(0x30, RSP,                 rsp)                 \
    FIELD(0x38, RBP,                 rbp)                 \
    FIELD(0x40, RSI,                 rsi)                 \
    FIELD(0x48, RDI,                 rdi)                 \
    FIELD(0x50, R8,                  r8)                  \
    FIELD(0x58, R9,                  r9)                  \
    FIELD(0x60, R10,                 r10)                 \
    FIELD(0x68, R11,                 r11)                 \
    FIELD(0x70, R12,                 r12)                 \
    FIELD(0x78, R13,                 r13)                 \
    FIELD(0x80, R14,                 r14)                 \
    FIELD(0x88, R15,                 r15)

/* clang-format on */

#define MEMBER(at, NAME, name) uint64_t name;
struct basic_group {
    BASIC_GROUP(MEMBER)
};
struct memory_group {
    MEMORY_GROUP(MEMBER)
};
struct gprs_group {
    GPRS_GROUP(MEMBER)
};
#undef MEMBER
#define VERIFY_BASIC(at, NAME, name) \
    _Static_assert(offsetof(struct basic_group, name) == (at), #name);
#define VERIFY_MEMORY(at, NAME, name) \
    _Static_assert(offsetof(struct memory_group, name) == (at), #name);
#define VERIFY_GPRS(at, NAME, name) \
    _Static_assert(offsetof(struct gprs_group, name) == (at), #name);
BASIC_GROUP(VERIFY_BASIC)
MEMORY_GROUP(VERIFY_MEMORY)
GPRS_GROUP(VERIFY_GPRS)
_Static_assert(sizeof(struct basic_group) == 32, "basic group");
_Static_assert(sizeof(struct memory_group) == 32, "memory group");
_Static_assert(sizeof(struct gprs_group) == 144, "GPRs");

#define XMM_BYTES    256 /* 16 registers of 16 bytes */
#define ENTRY_BYTES  24  /* FROM, TO, INFO */
#define HEADER_BYTES 16  /* of the counters */
_Static_assert(32 + 32 + 144 + XMM_BYTES + 256 * ENTRY_BYTES + HEADER_BYTES +
                       8 * (16 + 8 + 2) ==
                   PEBS_SIZE_MAX,
               "the longest");

static size_t counters_of(uint64_t sets)
{
    size_t count = 0;

    for (uint64_t left = sets & PEBS_DATA_SETS; left != 0; left &= left - 1)
        count++;
    return count;
}

static size_t counters_size(uint64_t selection)
{
    if ((selection & (PEBS_DATA_COUNTERS | PEBS_DATA_METRICS)) == 0)
        return 0;
    return HEADER_BYTES +
           ((selection & PEBS_DATA_COUNTERS) != 0 ? 8 * counters_of(selection)
                                                  : 0) +
           ((selection & PEBS_DATA_METRICS) != 0 ? 2 * 8 : 0);
}

size_t pebs_counter_at(uint64_t selection, unsigned place)
{
    const size_t end = counters_size(selection) / 8;
    const uint64_t bit = place < 16       ? PEBS_DATA_GENERAL(place)
                         : place - 32 < 8 ? PEBS_DATA_FIXED(place - 32)
                                          : 0;

    if (place >= PEBS_METRICS_BASE)
        return (selection & PEBS_DATA_METRICS) != 0
                   ? end - 2 + (place - PEBS_METRICS_BASE)
                   : 0;
    if ((selection & PEBS_DATA_COUNTERS) == 0 || (selection & bit) == 0)
        return 0;
    return HEADER_BYTES / 8 + counters_of(selection & (bit - 1));
}

size_t pebs_group_size(uint64_t selection, enum pebs_group group)
{
    switch (group) {
    case PEBS_GROUP_BASIC:
        return sizeof(struct basic_group);
    case PEBS_GROUP_MEMORY:
        return (selection & PEBS_DATA_MEMORY) != 0 ? sizeof(struct memory_group)
                                                   : 0;
    case PEBS_GROUP_GPRS:
        return (selection & PEBS_DATA_GPRS) != 0 ? sizeof(struct gprs_group)
                                                 : 0;
    case PEBS_GROUP_XMM:
        return (selection & PEBS_DATA_XMM) != 0 ? XMM_BYTES : 0;
    case PEBS_GROUP_LBRS:
        return (selection & PEBS_DATA_LBRS) != 0
                   ? (((selection & PEBS_DATA_ENTRIES) >> 24) + 1) * ENTRY_BYTES
                   : 0;
    case PEBS_GROUP_COUNTERS:
        return counters_size(selection);
    case PEBS_GROUP_COUNT:
        break;
    }
    return 0;
}

size_t pebs_group_at(uint64_t selection, enum pebs_group group)
{
    size_t at = 0;

    for (enum pebs_group g = PEBS_GROUP_BASIC; g < group; g++)
        at += pebs_group_size(selection, g);
    return at;
}

uint64_t pebs_group_value(const uint8_t *bytes,
                          const struct pebs_record *record,
                          enum pebs_group group, size_t n)
{
    return pebs_quadword(bytes + pebs_group_at(record->selection, group) +
                         8 * n);
}

#define PRESENT(at, NAME, name) | (UINT32_C(1) << PEBS_##NAME)
#define READ(at, NAME, name)    record->name = pebs_quadword(group + (at));

static void read_groups(const uint8_t *bytes, struct pebs_record *record)
{
    const uint8_t *group = bytes;

    record->present = 0 BASIC_GROUP(PRESENT);
    BASIC_GROUP(READ)
    group += sizeof(struct basic_group);
    if ((record->record_format & PEBS_DATA_MEMORY) != 0) {
        record->present |= 0 MEMORY_GROUP(PRESENT);
        MEMORY_GROUP(READ)
        group += sizeof(struct memory_group);
    }
    if ((record->record_format & PEBS_DATA_GPRS) != 0) {
        record->present |= 0 GPRS_GROUP(PRESENT);
        GPRS_GROUP(READ)
    }
}

/* What is selected, by a record whose group of counters begins at header[0] and
 * has the sets itself. False: it contradicts `form`. */
static bool add_counters(const uint8_t *header, uint64_t form,
                         uint64_t *selection)
{
    const uint64_t sets = pebs_quadword(header);
    const uint64_t metrics = pebs_quadword(header + 8) & BITS(31, 0);

    *selection |= PEBS_DATA_SETS_OF(sets);
    return (sets & ~(BITS(39, 32) | BITS(15, 0))) == 0 &&
           (sets == 0 || (form & PEBS_DATA_COUNTERS) != 0) &&
           metrics == ((form & PEBS_DATA_METRICS) != 0 ? PEBS_METRICS_HERE : 0);
}

enum pebs_error pebs_adaptive_decode(const uint8_t *bytes, size_t size,
                                     uint64_t defined,
                                     struct pebs_record *record)
{
    uint64_t form, selection;
    size_t needed, header;

    if (size < sizeof(form))
        return PEBS_RECORD_CUT_SHORT;
    form = pebs_quadword(bytes);
    selection = form & BITS(31, 0);
    if ((selection & ~defined) != 0)
        return PEBS_UNKNOWN_GROUPS;
    header = pebs_group_at(selection, PEBS_GROUP_COUNTERS);
    if (counters_size(selection) != 0) {
        if (form >> 48 < header + HEADER_BYTES)
            return PEBS_SIZE_NOT_OF_GROUPS;
        if (size < header + HEADER_BYTES)
            return PEBS_RECORD_CUT_SHORT;
        if (!add_counters(bytes + header, form, &selection))
            return PEBS_COUNTERS_HEADER;
    }
    needed = pebs_group_at(selection, PEBS_GROUP_COUNT);
    if (form >> 48 != needed)
        return PEBS_SIZE_NOT_OF_GROUPS;
    if (size < needed)
        return PEBS_RECORD_CUT_SHORT;
    *record = (struct pebs_record){
        .format = PEBS_FORMAT_ADAPTIVE, .size = needed, .selection = selection};
    read_groups(bytes, record);
    return PEBS_OK;
}

int pebs_adaptive_offset(uint64_t selection, enum pebs_field field)
{
    /* One more than the offset in the group; 0: not of it. */
#define OFFSET(at, NAME, name) [PEBS_##NAME] = (at) + 1,
    static const uint8_t offsets[][PEBS_FIELD_COUNT] = {
        [PEBS_GROUP_BASIC] = {BASIC_GROUP(OFFSET)},
        [PEBS_GROUP_MEMORY] = {MEMORY_GROUP(OFFSET)},
        [PEBS_GROUP_GPRS] = {GPRS_GROUP(OFFSET)},
    };

    for (enum pebs_group g = PEBS_GROUP_BASIC; g <= PEBS_GROUP_GPRS; g++)
        if (offsets[g][field] != 0 && pebs_group_size(selection, g) != 0)
            return (int)pebs_group_at(selection, g) + offsets[g][field] - 1;
    return -1;
}
