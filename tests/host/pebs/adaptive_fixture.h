/* SPDX-License-Identifier: BSD-2-Clause */
/* adaptive_fixture.h - a record of any groups, each quadword of which says
 * whose it is. */
#ifndef TESTS_HOST_PEBS_ADAPTIVE_FIXTURE_H
#define TESTS_HOST_PEBS_ADAPTIVE_FIXTURE_H

#include "src/pebs/pebs_adaptive.h"
#include "src/pebs/pebs_golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LBRS_2 UINT64_C(0x1000000)

/* Each quadword is its offset in the golden record, whatever the groups, so
 * that a value says whose it is. */
static inline uint8_t *made(uint64_t selection, size_t size)
{
    uint8_t *bytes = malloc(size);
    uint64_t word;

    assert_non_null(bytes);
    for (size_t at = 0; at < size; at += 8) {
        word = 0x1000 + at;
        memcpy(bytes + at, &word, 8);
    }
    word = selection | (uint64_t)size << 48;
    memcpy(bytes, &word, 8);
    return bytes;
}

#endif
