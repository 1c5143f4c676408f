/* SPDX-License-Identifier: BSD-2-Clause */
/* fixture.h - the contexts of two processors, new for each unit test. */
#ifndef TESTS_HOST_HARNESS_FIXTURE_H
#define TESTS_HOST_HARNESS_FIXTURE_H

#include "src/base/msr.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct test_context all[2];
static struct test_context *const t = &all[0];
static const struct test each = {.name = "each", .scope = EACH_PROCESSOR};

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    memset(all, 0, sizeof(all));
    for (unsigned p = 0; p < 2; p++) {
        all[p].processor = p;
        all[p].all = all;
        all[p].processors = 2;
        identity_read(&all[p].cpu);
        context_begin(&all[p], &each, 1);
    }
    return 0;
}

/* cmocka has a macro skip(); (skip)() is the function. */
static const char *lines(void)
{
    t->text[t->text_bytes] = '\0';
    return t->text;
}

#endif
