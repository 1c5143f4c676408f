/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * microcode.c - arbitrary bytes as a file of microcode updates. Nothing outside
 * of it is read; an update that is found lies in it, aligned and newer; one
 * that is not has a reason.
 */
#include "src/cpu/microcode_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* So that bytes get past the checksum: the first update's is made right. */
static void mend(uint8_t *file, size_t size)
{
    uint32_t word, total, sum = 0;

    if (size < 48)
        return;
    memcpy(&total, file + 32, 4);
    if (total == 0)
        total = 2048;
    memset(file + 16, 0, 4);
    for (size_t at = 0; at + 4 <= size && at < total; at += 4) {
        memcpy(&word, file + at, 4);
        sum += word;
    }
    sum = 0 - sum;
    memcpy(file + 16, &sum, 4);
}

static void look(const uint8_t *file, size_t size)
{
    struct microcode_update found = {0, NULL};
    char why[MICROCODE_WHY_BYTES] = "";
    const uint32_t revision = 0x10;

    if (microcode_find(file, size, 0x506e3, 1, revision, &found, why)) {
        const uint8_t *at = found.data;
        if (!microcode_is_newer(found.revision, revision) || at < file + 48 ||
            at >= file + size || (size_t)(at - file) % MICROCODE_ALIGNED != 0)
            abort();
    } else if (why[0] == '\0' || strlen(why) >= sizeof(why)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *file = malloc(size + 1);

    if (file == NULL)
        return 0;
    memcpy(file, data, size);
    look(file, size);
    mend(file, size);
    look(file, size);
    free(file);
    return 0;
}
