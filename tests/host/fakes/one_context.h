/* SPDX-License-Identifier: BSD-2-Clause */
/* one_context.h - a test on one fake processor, for the unit tests of what
 * cases call. */
#ifndef TESTS_HOST_FAKES_ONE_CONTEXT_H
#define TESTS_HOST_FAKES_ONE_CONTEXT_H

#include "src/harness/context.h"
#include "tests/host/fakes/fake_hw.h"

#include <string.h>

static struct test_context all[1];
static struct test_context *const t = &all[0];
static const struct test each = {.name = "each", .scope = EACH_PROCESSOR};

/* buffer: of TEST_BUFFER_BYTES and TEST_RECORDS_BYTES, or NULL. What the fake
 * processor is follows fake_reset(). */
static inline void begin_context(enum regime regime, uint8_t *buffer)
{
    memset(all, 0, sizeof(all));
    all[0].all = all;
    all[0].processors = 1;
    all[0].regime = regime;
    all[0].buffer = buffer;
    identity_read(&all[0].cpu);
    context_begin(&all[0], &each, 1);
}

static inline uint64_t *reg(uint32_t msr)
{
    return &fake_msr(msr)->value;
}

static inline bool said(const char *line)
{
    t->text[t->text_bytes] = '\0';
    return strstr(t->text, line) != NULL;
}

#endif
