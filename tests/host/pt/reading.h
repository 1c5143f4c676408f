/* SPDX-License-Identifier: BSD-2-Clause */
/* reading.h - a trace that is read from a heap copy of its exact size, so that
 * a byte read past it ends the test. */
#ifndef TESTS_HOST_PT_READING_H
#define TESTS_HOST_PT_READING_H

#include "src/pt/packet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* So that what follows is decoded: PSB, PSBEND. */
#define SYNC       "\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82"
#define START      SYNC "\x02\x23"
#define START_SIZE 18u
#define LENGTH(a)  (sizeof(a) / sizeof((a)[0]))

struct reading {
    struct pt_reader reader;
    uint8_t *bytes;
};

static void begin(struct reading *reading, const void *bytes, size_t size,
                  bool last)
{
    reading->bytes = malloc(size);
    assert_non_null(reading->bytes);
    if (size != 0)
        memcpy(reading->bytes, bytes, size);
    pt_open(&reading->reader);
    pt_feed(&reading->reader, reading->bytes, size, last);
}

static void finish(struct reading *reading)
{
    free(reading->bytes);
}

/* The same, after START, which is read. */
static inline void begin_synced(struct reading *reading, const void *bytes,
                                size_t size, bool last)
{
    uint8_t all[256] = START;
    struct pt_packet packet;

    assert_true(size <= sizeof(all) - START_SIZE);
    memcpy(all + START_SIZE, bytes, size);
    begin(reading, all, START_SIZE + size, last);
    assert_int_equal(pt_next(&reading->reader, &packet), PT_OK);
    assert_int_equal(packet.kind, PT_PSB);
    assert_int_equal(pt_next(&reading->reader, &packet), PT_OK);
    assert_int_equal(packet.kind, PT_PSBEND);
}

#endif
