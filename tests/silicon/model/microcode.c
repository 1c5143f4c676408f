/* SPDX-License-Identifier: BSD-2-Clause */
/* microcode.c - checks an update as the processor does. */
#include "tests/silicon/model/microcode.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/text.h"

/* Offsets: table "Microcode Update Format". */
#define HEADER_VERSION  0
#define UPDATE_REVISION 4
#define SIGNATURE       12
#define LOADER_REVISION 20
#define PROCESSOR_FLAGS 24
#define DATA_SIZE       28
#define TOTAL_SIZE      32
#define USUAL_DATA      2000u /* where the size is 0 */
#define PLATFORM        1     /* IA32_PLATFORM_ID[52:50], of all */
#define EXTENDED_COUNT  0     /* of the table after the data */
#define EXTENDED_FIRST  20
#define EXTENDED_BYTES  12u

static const char simulated_mark[] = "TSXPMU SIMULATED";
#define MARK_BYTES 16u
#define NAME_MAX   32u

static uint32_t dword(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
           (uint32_t)b[3] << 24;
}

static uint32_t data_bytes(const uint8_t *header)
{
    uint32_t bytes = dword(header + DATA_SIZE);

    return bytes == 0 ? USUAL_DATA : bytes;
}

uint32_t microcode_bytes(const uint8_t header[UPDATE_HEADER_BYTES])
{
    uint32_t data = data_bytes(header);
    uint32_t total = dword(header + DATA_SIZE) == 0
                         ? UPDATE_HEADER_BYTES + USUAL_DATA
                         : dword(header + TOTAL_SIZE);

    if (total > UPDATE_BYTES_MAX || data > total ||
        total - data < UPDATE_HEADER_BYTES || data % 4 != 0 || total % 4 != 0)
        return 0;
    return total;
}

/* IA32_PLATFORM_ID[52:50]: one of eight. All personalities have the same. */
static bool is_for_processor(uint32_t signature, uint32_t flags,
                             const struct processor *p)
{
    return signature == p->cpu->signature && (flags >> PLATFORM & 1) != 0;
}

/* By its header, or by the table of further signatures. */
static bool matches_signature(const struct processor *p, const uint8_t *update,
                              uint32_t bytes)
{
    uint32_t at = UPDATE_HEADER_BYTES + data_bytes(update), count;
    const uint8_t *table = update + at;

    if (is_for_processor(dword(update + SIGNATURE),
                         dword(update + PROCESSOR_FLAGS), p))
        return true;
    if (bytes - at < EXTENDED_FIRST)
        return false;
    count = dword(table + EXTENDED_COUNT);
    for (uint32_t n = 0;
         n < count && at + EXTENDED_FIRST + (n + 1) * EXTENDED_BYTES <= bytes;
         n++)
        if (is_for_processor(
                dword(table + EXTENDED_FIRST + n * EXTENDED_BYTES),
                dword(table + EXTENDED_FIRST + n * EXTENDED_BYTES + 4), p))
            return true;
    return false;
}

static const struct personality *named_personality(const uint8_t *data,
                                                   uint32_t bytes)
{
    char name[NAME_MAX + 1] = "";

    for (uint32_t n = 0; n < MARK_BYTES; n++)
        if (bytes < MARK_BYTES + NAME_MAX ||
            data[n] != (uint8_t)simulated_mark[n])
            return NULL;
    for (uint32_t n = 0; n < NAME_MAX; n++)
        name[n] = (char)data[MARK_BYTES + n];
    return personality_find(name);
}

const struct personality *microcode_accepts(const struct processor *p,
                                            const uint8_t *update,
                                            uint32_t bytes)
{
    const struct personality *to;
    uint32_t sum = 0;

    for (uint32_t n = 0; n < bytes; n += 4)
        sum += dword(update + n);
    if (sum != 0 || dword(update + HEADER_VERSION) != 1 ||
        dword(update + LOADER_REVISION) != 1 ||
        !matches_signature(p, update, bytes))
        return NULL;
    to = named_personality(update + UPDATE_HEADER_BYTES, data_bytes(update));
    if (to == NULL || to->signature != p->cpu->signature ||
        to->microcode != dword(update + UPDATE_REVISION) ||
        (int32_t)to->microcode <= (int32_t)p->cpu->microcode ||
        faults_refuse_update(p))
        return NULL;
    return to;
}
