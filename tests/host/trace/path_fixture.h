/* SPDX-License-Identifier: BSD-2-Clause */
/* path_fixture.h - a trace in packets, and the path that it is of. */
#ifndef TESTS_HOST_TRACE_PATH_FIXTURE_H
#define TESTS_HOST_TRACE_PATH_FIXTURE_H

#include "src/trace/path.h"
#include "tests/pt/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define A UINT64_C(0x401000)
#define B UINT64_C(0x401080)
#define C UINT64_C(0x4010c0)

static uint8_t bytes[1024];
static struct stream out;
static struct path_seen seen;

static inline void put_start(void)
{
    out = (struct stream){.bytes = bytes, .room = sizeof(bytes)};
    put_psb(&out);
    put(&out, 0x00220302, 4); /* CBR */
    put2(&out, 0x02, 0x23);
    put2(&out, 0x99, 0x01);
    put_ip(&out, 0x11, 2, A);
}

static inline void put_finish(void)
{
    put_fup(&out, 2, C);
    put_ip(&out, 0x01, 0, 0);
}

#endif
