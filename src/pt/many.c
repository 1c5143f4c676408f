/* SPDX-License-Identifier: BSD-2-Clause */
/* many.c - many packets at a time, in plain C. */
#include "src/pt/scalar.h"

size_t pt_decode_span(struct pt_reader *reader, struct pt_packet *packets)
{
    return scalar_span(reader, packets);
}

void pt_skip(struct pt_tsx *tsx)
{
    scalar_skip(tsx);
}
