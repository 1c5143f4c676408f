/* SPDX-License-Identifier: BSD-2-Clause */
/* golden.c - the golden streams as tables. */
#include "src/pt/golden.h"

#include "src/base/text.h"

#define PACKET(stream, name, detail, payload, length, ...) \
    {stream, name, detail, UINT64_C(payload), length, {__VA_ARGS__}},
#define EVENT(...)
const struct pt_golden_packet pt_golden_packets[] = {
#include "pt_golden.inc"
};
#undef PACKET
#undef EVENT

#define PACKET(...)
#define EVENT(...) {__VA_ARGS__},
const struct pt_golden_event pt_golden_events[] = {
#include "pt_golden.inc"
};

const size_t pt_golden_packets_rows =
    sizeof(pt_golden_packets) / sizeof(pt_golden_packets[0]);
const size_t pt_golden_events_rows =
    sizeof(pt_golden_events) / sizeof(pt_golden_events[0]);

size_t pt_golden_bytes(size_t first, uint8_t *bytes, size_t size, size_t *end)
{
    const struct pt_golden_packet *rows = pt_golden_packets;
    size_t count = 0, row = first;

    for (; row < pt_golden_packets_rows &&
           text_equal(rows[row].stream, rows[first].stream);
         row++)
        for (size_t i = 0; i < rows[row].length; i++, count++)
            if (count < size)
                bytes[count] = rows[row].bytes[i];
    *end = row;
    return count;
}
