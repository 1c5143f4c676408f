/* SPDX-License-Identifier: BSD-2-Clause */
/* many.h - many packets at a time: what decides how fast a trace is read.
 * Linked from many.c, or where vector instructions can be used, from elsewhere;
 * both do the same. */
#ifndef SRC_PT_MANY_H
#define SRC_PT_MANY_H

#include "src/pt/tsx_events.h"

/* The packet at bytes[0], of `size`, at least 1: PT_OK, an error, or PT_CUT
 * where more bytes are needed. *packet is set where its length is known. */
enum pt_result pt_decode_at(const struct pt_reader *reader,
                            const uint8_t *bytes, size_t size,
                            struct pt_packet *packet);

/* Decodes the packets that begin in the next PT_SPAN bytes, where there are
 * PT_MARGIN more, in no block (BBP); returns how many, and stops before one
 * that is more than a packet for the reader: wrong, or the start of a block. */
#define PT_SPAN   256
#define PT_MARGIN (PT_LENGTH_MAX + 2)
size_t pt_decode_span(struct pt_reader *reader, struct pt_packet *packets);

/* Steps over packets that change nothing while no transition is pending and
 * PacketEn is 1, but for the last IP, which it keeps; as many as it likes. */
void pt_skip(struct pt_tsx *tsx);

#endif
