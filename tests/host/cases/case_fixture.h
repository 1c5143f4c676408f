/* SPDX-License-Identifier: BSD-2-Clause */
/* case_fixture.h - a case run on the fake hardware: contexts of two
 * processors, or of PROCESSORS, new each time, and what came of it. */
#ifndef TESTS_HOST_CASES_CASE_FIXTURE_H
#define TESTS_HOST_CASES_CASE_FIXTURE_H

#include "src/base/msr.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_body.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#ifndef PROCESSORS
#define PROCESSORS 2
#endif
static struct test_context all[PROCESSORS];
static struct test_context *const t = &all[0];
static struct hw_result results[PROCESSORS];
static _Alignas(
    4096) uint8_t buffers[PROCESSORS][TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];
static _Alignas(4096) uint8_t source[TEST_SOURCE_BYTES];

/* The current processor's. */
static inline uint64_t *msr(uint32_t number)
{
    return &fake_msr(number)->value;
}

/* On the processors as they are; with TSX as it was at first. */
static void case_start(const struct test *test, uint32_t trials)
{
    memset(all, 0, sizeof(all));
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        identity_read(&all[p].cpu);
        all[p].cpu.tsx_force_abort = false;
        all[p].regime = REGIME_A;
        all[p].trials = trials;
        all[p].processor = p;
        all[p].all = all;
        all[p].results = results;
        all[p].processors = PROCESSORS;
        all[p].buffer = buffers[p];
        all[p].source = source;
        context_begin(&all[p], test, 1);
        context_fill(&all[p]);
    }
    fake_current = 0;
}

/* 6th generation processors. */
static inline void case_begin(const struct test *test, uint32_t trials)
{
    fake_reset();
    fake_processors(PROCESSORS);
    case_start(test, trials);
}

/* The end as the session makes it. The boot processor's verdict. */
static enum verdict case_close(void)
{
    fake_device = NULL;
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        restore_msrs(&all[p]);
        all[p].end = HW_DONE;
    }
    fake_current = 0;
    context_close(t);
    t->text[t->text_bytes] = '\0';
    return t->verdict;
}

/* After the body. */
static inline enum verdict case_end(void)
{
    fake_body(t);
    return case_close();
}

/* That it came to this, and that a line says this. */
#define expect_case(got, wanted, line)                                    \
    do {                                                                  \
        const enum verdict found = (got);                                 \
        if (found != (wanted) || strstr(t->text, (line)) == NULL)         \
            fail_msg("%s is %d, wanted %d and \"%s\": %s", t->test->name, \
                     (int)found, (int)(wanted), (line), t->text);         \
    } while (0)

#endif
