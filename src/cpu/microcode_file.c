/* SPDX-License-Identifier: BSD-2-Clause */
/* microcode_file.c - checks every field of an update that the manual defines.
 */
#include "src/cpu/microcode_file.h"

#include "src/base/mem.h"
#include "src/base/text.h"

struct header {
    uint32_t version;  /* of the header: 1 */
    uint32_t revision; /* of the update */
    uint32_t date;     /* BCD, mmddyyyy */
    uint32_t signature;
    uint32_t checksum;    /* makes the sum of all dwords of the update 0 */
    uint32_t loader;      /* revision of the loader: 1 */
    uint32_t platforms;   /* a bit for each value of IA32_PLATFORM_ID[52:50] */
    uint32_t data_bytes;  /* 0: DATA_BYTES_USUAL */
    uint32_t total_bytes; /* 0: TOTAL_BYTES_USUAL; with header and table */
    uint32_t reserved[3];
};
_Static_assert(sizeof(struct header) == 48, "SDM 3A, Microcode Update Format");

#define DATA_BYTES_USUAL  2000u
#define TOTAL_BYTES_USUAL 2048u
#define TOTAL_UNIT        1024u

/* The table after the data, where the sizes leave room for one. */
struct table {
    uint32_t count;
    uint32_t checksum; /* makes the sum of all dwords of the table 0 */
    uint32_t reserved[3];
};

struct entry {
    uint32_t signature, platforms;
    uint32_t checksum; /* the header's, had it this signature and platforms */
};
_Static_assert(sizeof(struct table) == 20 && sizeof(struct entry) == 12,
               "SDM 3A, Extended Processor Signature Table");

/* One update of a file. */
struct parsed_update {
    struct header header;
    const uint8_t *at;
    uint32_t data_bytes, total_bytes;
    uint32_t entries; /* of the table */
    const uint8_t *table;
};

static uint32_t sum_dwords(const uint8_t *at, uint32_t bytes)
{
    uint32_t total = 0, word;

    for (uint32_t i = 0; i < bytes; i += 4) {
        memcpy(&word, at + i, 4);
        total += word;
    }
    return total;
}

static struct entry entry_of(const struct parsed_update *u, uint32_t n)
{
    struct entry entry;

    memcpy(&entry, u->table + sizeof(struct table) + n * sizeof(entry),
           sizeof(entry));
    return entry;
}

/* The table's own sum, and of each entry that the update without the table
 * would be whole with it. NULL, or what is wrong. */
static const char *check_table(struct parsed_update *u)
{
    uint32_t room =
        u->total_bytes - (uint32_t)sizeof(u->header) - u->data_bytes;
    const struct header *h = &u->header;
    struct table table;

    if (room == 0)
        return NULL;
    u->table = u->at + sizeof(u->header) + u->data_bytes;
    if (room < sizeof(table))
        return "the extended signature table does not fit";
    memcpy(&table, u->table, sizeof(table));
    if ((room - sizeof(table)) % sizeof(struct entry) != 0 ||
        (room - sizeof(table)) / sizeof(struct entry) != table.count)
        return "the extended signature table has another size than it says";
    if (sum_dwords(u->table, room) != 0)
        return "the checksum of the extended signature table is wrong";
    u->entries = table.count;
    uint32_t header_sum = h->signature + h->platforms + h->checksum;
    for (uint32_t n = 0; n < u->entries; n++) {
        struct entry e = entry_of(u, n);
        if (e.signature + e.platforms + e.checksum != header_sum)
            return "the checksum of an extended signature is wrong";
    }
    return NULL;
}

/* Reads the update at the start of `bytes`. NULL, or what is wrong. */
static const char *read_update(const uint8_t *at, size_t bytes,
                               struct parsed_update *out)
{
    struct header *h = &out->header;

    memset(out, 0, sizeof(*out));
    if (bytes < sizeof(*h))
        return "the file ends inside a header";
    memcpy(h, at, sizeof(*h));
    out->at = at;
    if (h->version != 1)
        return "it has no header of version 1: this is no update";
    if (h->loader != 1)
        return "it is for another loader than that of revision 1";
    out->data_bytes = h->data_bytes != 0 ? h->data_bytes : DATA_BYTES_USUAL;
    out->total_bytes = h->data_bytes != 0 ? h->total_bytes : TOTAL_BYTES_USUAL;
    if (out->data_bytes % 4 != 0 || out->total_bytes % TOTAL_UNIT != 0 ||
        out->total_bytes < sizeof(*h) ||
        out->data_bytes > out->total_bytes - sizeof(*h))
        return "its sizes are impossible";
    if (out->total_bytes > bytes)
        return "the file ends inside it";
    if (sum_dwords(at, out->total_bytes) != 0)
        return "its checksum is wrong";
    return check_table(out);
}

static bool fits_processor(const struct parsed_update *u, uint32_t signature,
                           unsigned platform)
{
    const uint32_t bit = UINT32_C(1) << platform;

    if (u->header.signature == signature && (u->header.platforms & bit) != 0)
        return true;
    for (uint32_t n = 0; n < u->entries; n++) {
        struct entry e = entry_of(u, n);
        if (e.signature == signature && (e.platforms & bit) != 0)
            return true;
    }
    return false;
}

bool microcode_is_newer(uint32_t a, uint32_t b)
{
    return (int32_t)a > (int32_t)b;
}

bool microcode_find(const void *file, size_t bytes, uint32_t signature,
                    unsigned platform, uint32_t revision,
                    struct microcode_update *out, char why[MICROCODE_WHY_BYTES])
{
    struct parsed_update u = {.total_bytes = 0};
    unsigned number = 0;
    bool found = false;

    for (size_t at = 0; at < bytes || number == 0; at += u.total_bytes) {
        const char *wrong =
            read_update((const uint8_t *)file + at, bytes - at, &u);
        number++;
        if (wrong != NULL) {
            text_format(why, MICROCODE_WHY_BYTES, "update %u of the file: %s",
                        number, wrong);
            return false;
        }
        if (fits_processor(&u, signature, platform) &&
            (!found || microcode_is_newer(u.header.revision, out->revision))) {
            found = true;
            out->revision = u.header.revision;
            out->data = u.at + sizeof(u.header);
        }
    }
    if (!found)
        text_format(why, MICROCODE_WHY_BYTES,
                    "no update of the file is for processor signature %XH, "
                    "platform %u; the last one is for %XH, platforms 0x%x",
                    signature, platform, u.header.signature,
                    u.header.platforms);
    else if (!microcode_is_newer(out->revision, revision))
        text_format(why, MICROCODE_WHY_BYTES,
                    "the update is of revision %XH, and the processor has %XH",
                    out->revision, revision);
    return found && microcode_is_newer(out->revision, revision);
}
