/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs.c - any bytes as PEBS records of each format and as a DS area: nothing
 * is read past them, and every walk ends. For libFuzzer; `make fuzz`. */
#include "src/pebs/pebs_tally.h"
#include "src/pebs/pebs_ds.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const uint8_t *data, size_t size, unsigned format)
{
    static struct pebs_tally tally;
    struct pebs_reader reader;
    struct pebs_record record;
    char text[PEBS_TX_ABORT_TEXT];
    uint64_t records = 0;
    enum pebs_error error;

    pebs_tally_clear(&tally);
    pebs_open(&reader, data, size, format);
    for (;; records++) {
        error = pebs_next(&reader, &record);
        if (error != PEBS_OK && error != PEBS_TX_ABORT_RESERVED)
            break;
        pebs_tally_add(&tally, &record);
        pebs_tx_abort_text(record.tx_abort, text);
    }
    if (tally.records != records || reader.at > size)
        abort();
    if (format < PEBS_FORMATS && error != PEBS_END &&
        error != PEBS_RECORD_CUT_SHORT)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pebs_ds_area area;
    uint64_t written;

    for (unsigned format = 0; format <= PEBS_FORMATS; format++)
        walk(data, size, format);
    if (size >= sizeof(area)) {
        memcpy(&area, data, sizeof(area));
        for (unsigned format = 0; format <= PEBS_FORMATS; format++)
            if (pebs_ds_check(&area, format, &written) == PEBS_OK &&
                area.pebs_buffer_base + written > area.pebs_index)
                abort();
    }
    return 0;
}
