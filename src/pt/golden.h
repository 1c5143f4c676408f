/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * golden.h - the golden streams of tests/golden/pt-*.txt, for the self-test at
 * ring 0 and the unit tests. The Makefile makes the tables of them
 * (pt_golden.inc); the texts are the one source.
 */
#ifndef SRC_PT_GOLDEN_H
#define SRC_PT_GOLDEN_H

#include "src/pt/packet.h"

/* One line: a packet, and what it has to decode to. */
struct pt_golden_packet {
    const char *stream, *name;
    unsigned detail;
    uint64_t payload;
    size_t length;
    uint8_t bytes[PT_LENGTH_MAX];
};

/* One line: a transition that the packets of its stream make. */
struct pt_golden_event {
    const char *stream, *transition;
    uint64_t offset;
    bool has_ip;
    uint64_t ip;
    bool has_target;
    uint64_t target;
    bool has_region;
    uint64_t region;
};

/* The lines of a stream stand together, in their order. */
extern const struct pt_golden_packet pt_golden_packets[];
extern const struct pt_golden_event pt_golden_events[];
extern const size_t pt_golden_packets_rows, pt_golden_events_rows;

/* The bytes of the stream that begins with row `first`, and in *end the row
 * after it. Returns how many; at most `size` are written. */
size_t pt_golden_bytes(size_t first, uint8_t *bytes, size_t size, size_t *end);

#endif
