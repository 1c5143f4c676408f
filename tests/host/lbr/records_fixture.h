/* SPDX-License-Identifier: BSD-2-Clause */
/* records_fixture.h - a processor with last branch records. */
#ifndef TESTS_HOST_LBR_RECORDS_FIXTURE_H
#define TESTS_HOST_LBR_RECORDS_FIXTURE_H

#include "asm/trace_window.h"
#include "src/lbr/branches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BODY  UINT64_C(0x401000)
#define DEPTH 16
#define HIGH  UINT64_C(0xffff800000001000)

static inline struct identity processor(unsigned model, unsigned format)
{
    struct identity id = {.vendor = "GenuineIntel",
                          .family = 6,
                          .model = (uint16_t)model,
                          .pdcm = true,
                          .perf_capabilities = 0x33c0 | format};

    return id;
}

static inline struct lbr_model model_of(unsigned format)
{
    struct identity id = processor(format == 3   ? 0x2a
                                   : format == 4 ? 0x3c
                                                 : 0x5e,
                                   format);
    struct lbr_model model;

    assert_true(lbr_of(&id, &model));
    return model;
}

#endif
