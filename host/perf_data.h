/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_data.h - where the traces are in a file of Linux's perf (perf.data): the
 * AUXTRACE records of Intel PT, per CPU or, where perf followed threads, per
 * thread, those that follow one another joined.
 * Format: Linux, tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h.
 */
#ifndef HOST_PERF_DATA_H
#define HOST_PERF_DATA_H

#include "host/pt_input.h"

/* Bytes that followed one another when they were traced. */
struct perf_stream {
    int32_t cpu; /* -1: of the thread */
    uint32_t thread;
    uint64_t offset; /* in what was traced there */
    uint64_t end;
    struct pt_piece *pieces;
    size_t count;
};

struct perf_data {
    struct perf_stream *streams;
    size_t count;
};

/* The file begins as one of perf. It can be read again from the start, as far
 * as it is a file. */
bool perf_data_is(FILE *file);

/* False: one line on the standard error says why there is nothing to decode. */
bool perf_data_read(FILE *file, const char *name, struct perf_data *out);

void perf_data_free(struct perf_data *data);

#endif
