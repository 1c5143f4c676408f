/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parts.h - an output in several parts of memory: where the processor's
 * pointers stand in it, and its bytes in the order in which they were written.
 * Pure.
 *
 * SDM 3C, Intel Processor Trace, "Trace Output": the regions of ToPA tables are
 * one buffer, a single range is a circle, and pointers advance by what was
 * written.
 */
#ifndef SRC_TRACE_PARTS_H
#define SRC_TRACE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PARTS_MAX 4

/* Offsets `first` up to `end` of a region that lies `at` bytes from the start
 * of the trace's memory, modulo 4 GB where it begins before that; what 560H and
 * 561H[31:0] hold while it is written. */
struct part {
    uint64_t base;
    uint32_t low;
    uint32_t at, first, end;
};

struct parts {
    uint64_t control; /* IA32_RTIT_CTL without TraceEn */
    unsigned count;
    struct part part[PARTS_MAX]; /* in the order of writing; first: where it
                                    begins */
};

/* What 561H holds at the start of the first part. */
uint64_t parts_pointers(const struct parts *parts);

/* How many bytes were written where the registers hold this; false where they
 * point into none of the parts. */
bool parts_written(const struct parts *parts, uint64_t base, uint64_t pointers,
                   size_t *bytes);

/* Copies the first `bytes` of the output out of memory, at most room. */
size_t parts_copy(const struct parts *parts, const uint8_t *memory,
                  size_t bytes, uint8_t *to, size_t room);

/* Bytes of the output in memory[from .. to - 1], where `bytes` were written. */
size_t parts_inside(const struct parts *parts, size_t bytes, size_t from,
                    size_t to);

#endif
