/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_golden.c - the golden records as a table. */
#include "src/pebs/pebs_golden.h"

const struct pebs_golden pebs_golden[] = {
#define GOLDEN(format, offset, name, value, words, ...) \
    {format, offset, name, UINT64_C(value), words, {__VA_ARGS__}},
#include "pebs_golden.inc"
#undef GOLDEN
};
const size_t pebs_golden_rows = sizeof(pebs_golden) / sizeof(pebs_golden[0]);

size_t pebs_golden_bytes(unsigned format, uint8_t *bytes, size_t size)
{
    size_t count = 0;

    for (size_t row = 0; row < pebs_golden_rows; row++) {
        if (pebs_golden[row].format != format)
            continue;
        for (size_t i = 0; i < 8; i++, count++)
            if (count < size)
                bytes[count] = pebs_golden[row].bytes[i];
    }
    return count;
}
