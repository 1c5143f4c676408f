/* SPDX-License-Identifier: BSD-2-Clause */
/* machine.c - arbitrary bytes as SMBIOS' structures. Nothing outside of them is
 * read; every text is ended. */
#include "src/cpu/machine.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct machine machine = {.year = 0};
    char id[MACHINE_ID_BYTES];

    machine_read(&machine, data, size);
    for (unsigned i = 0; i < MACHINE_TEXTS; i++)
        if (memchr(machine.text[i], 0, MACHINE_TEXT_BYTES) == NULL)
            abort();
    machine_id(&machine, id);
    if (strlen(id) != MACHINE_ID_BYTES - 1)
        abort();
    return 0;
}
