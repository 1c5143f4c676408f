/* SPDX-License-Identifier: BSD-2-Clause */
/* machine.c - reads SMBIOS. */
#include "src/cpu/machine.h"

#include "src/base/mem.h"
#include "src/base/text.h"

#define HEADER_BYTES 4 /* type, length, handle */
#define TYPE_END     127

#define ENTRY3_SIZE    0x0c
#define ENTRY3_ADDRESS 0x10
#define ENTRY2_SIZE    0x16
#define ENTRY2_ADDRESS 0x18

static uint64_t number_at(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;

    memcpy(&value, from, bytes);
    return value;
}

bool machine_entry(const uint8_t entry[MACHINE_ENTRY_BYTES], uint64_t *address,
                   size_t *bytes)
{
    if (memcmp(entry, "_SM3_", 5) == 0) {
        *address = number_at(entry + ENTRY3_ADDRESS, 8);
        *bytes = number_at(entry + ENTRY3_SIZE, 4);
    } else if (memcmp(entry, "_SM_", 4) == 0) {
        *address = number_at(entry + ENTRY2_ADDRESS, 4);
        *bytes = number_at(entry + ENTRY2_SIZE, 2);
    } else {
        return false;
    }
    if (*bytes > MACHINE_TABLE_MAX)
        *bytes = MACHINE_TABLE_MAX;
    return *address != 0;
}

/* One structure; its texts follow its formatted part. */
struct structure {
    const uint8_t *at, *end; /* of all of it, with its texts */
    uint8_t length;          /* of the formatted part */
};

/* The structure at *offset, which moves to the next. False where none is
 * whole. */
static bool next_structure(const uint8_t *table, size_t bytes, size_t *offset,
                           struct structure *out)
{
    size_t at = *offset;

    if (bytes < HEADER_BYTES || at > bytes - HEADER_BYTES ||
        table[at + 1] < HEADER_BYTES || table[at + 1] > bytes - at)
        return false;
    size_t end = at + table[at + 1];
    while (end + 1 < bytes && (table[end] != 0 || table[end + 1] != 0))
        end++;
    if (end + 1 >= bytes)
        return false;
    *out = (struct structure){table + at, table + end + 1, table[at + 1]};
    *offset = end + 2;
    return true;
}

/* The text whose number, from 1 on, stands at `field`. Without blanks at its
 * end. */
static void read_text(const struct structure *s, unsigned field,
                      char out[MACHINE_TEXT_BYTES])
{
    const uint8_t *text = s->at + s->length;
    size_t bytes = 0;

    if (field >= s->length || s->at[field] == 0)
        return;
    for (unsigned n = s->at[field]; n > 1 && text < s->end; n--) {
        while (text < s->end && *text != 0)
            text++;
        text++;
    }
    while (text + bytes < s->end && text[bytes] != 0 &&
           bytes < MACHINE_TEXT_BYTES - 1)
        bytes++;
    while (bytes != 0 && text[bytes - 1] == ' ')
        bytes--;
    memcpy(out, text, bytes);
    out[bytes] = '\0';
}

static const struct {
    uint8_t type, field;
    enum machine_text text;
} fields[] = {
    {0, 4, MACHINE_BIOS_VENDOR},  {0, 5, MACHINE_BIOS_VERSION},
    {0, 8, MACHINE_BIOS_DATE},    {1, 4, MACHINE_SYSTEM_VENDOR},
    {1, 5, MACHINE_SYSTEM},       {1, 7, MACHINE_SYSTEM_SERIAL},
    {2, 4, MACHINE_BOARD_VENDOR}, {2, 5, MACHINE_BOARD},
    {2, 7, MACHINE_BOARD_SERIAL}, {3, 7, MACHINE_CHASSIS_SERIAL},
};

#define SYSTEM_TYPE 1
#define SYSTEM_UUID 8

void machine_read(struct machine *out, const uint8_t *table, size_t bytes)
{
    struct structure s;
    size_t offset = 0;
    bool first[SYSTEM_TYPE + 3] = {true, true, true, true};

    while (next_structure(table, bytes, &offset, &s) && s.at[0] != TYPE_END) {
        uint8_t type = s.at[0];
        if (type >= sizeof(first) || !first[type])
            continue; /* of several boards the first */
        first[type] = false;
        for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
            if (fields[i].type == type)
                read_text(&s, fields[i].field, out->text[fields[i].text]);
        if (type == SYSTEM_TYPE && s.length >= SYSTEM_UUID + MACHINE_UUID_BYTES)
            memcpy(out->uuid, s.at + SYSTEM_UUID, MACHINE_UUID_BYTES);
    }
}

/* FNV-1a of 64 bits (Fowler, Noll, Vo). */
static uint64_t hash(uint64_t h, const void *from, size_t bytes)
{
    const uint8_t *at = from;

    for (size_t i = 0; i < bytes; i++)
        h = (h ^ at[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* What boards are shipped with where their maker wrote no number: the same on
 * each of them. */
static bool is_placeholder(const char *text)
{
    static const char *const texts[] = {
        "default string",
        "to be filled by o.e.m.",
        "system serial number",
        "base board serial number",
        "chassis serial number",
        "serial number",
        "not specified",
        "not applicable",
        "not available",
        "none",
        "n/a",
        "unknown",
        "invalid",
        "123456789",
        "0123456789",
        "1234567890",
    };
    char lower[MACHINE_TEXT_BYTES];
    size_t n = 0, alike = 0;

    for (; text[n] != '\0' && n < sizeof(lower) - 1; n++) {
        lower[n] =
            text[n] >= 'A' && text[n] <= 'Z' ? (char)(text[n] | 0x20) : text[n];
        alike += lower[n] == lower[0];
    }
    lower[n] = '\0';
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (text_equal(lower, texts[i]))
            return true;
    /* "", "0", "00000000", "xxxxxxxx", ".." */
    return n == 0 || (alike == n && (lower[0] == '0' || lower[0] == 'x' ||
                                     lower[0] == '.' || lower[0] == '-'));
}

/* All zeros or all ones: "not present", "not settable"; and what one maker's
 * firmware has until a board's maker sets it. */
static bool uuid_is_set(const struct machine *machine)
{
    static const uint8_t placeholder[MACHINE_UUID_BYTES] = {
        0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9};
    unsigned zeros = 0, ones = 0;

    if (memcmp(machine->uuid, placeholder, sizeof(placeholder)) == 0)
        return false;

    for (unsigned i = 0; i < MACHINE_UUID_BYTES; i++) {
        zeros += machine->uuid[i] == 0;
        ones += machine->uuid[i] == 0xff;
    }
    return zeros != MACHINE_UUID_BYTES && ones != MACHINE_UUID_BYTES;
}

bool machine_id(const struct machine *machine, char out[MACHINE_ID_BYTES])
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    bool known = uuid_is_set(machine);

    if (known)
        h = hash(h, machine->uuid, MACHINE_UUID_BYTES);
    for (unsigned i = MACHINE_SYSTEM_SERIAL; i < MACHINE_TEXTS; i++) {
        const char *text = machine->text[i];
        if (is_placeholder(text))
            text = "";
        known = known || text[0] != '\0';
        h = hash(h, text, text_length(text) + 1);
    }
    text_format(out, MACHINE_ID_BYTES, "%08X%08X", (unsigned)(h >> 32),
                (unsigned)h);
    return known;
}
