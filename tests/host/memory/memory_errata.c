/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_errata.c - what a count of loads and stores may be of an erratum. */
#include "src/memory/memory_errata.h"
#include "src/base/msr.h"
#include "src/harness/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LOADS (0x81d0 | IA32_PERFEVTSEL_USR)
#define ALL   (LOADS | IA32_PERFEVTSEL_OS)

/* A Broadwell, 06_3DH, alone in its core. */
static void one_level(void **state)
{
    static struct test_context t;
    static const struct {
        uint64_t select, counted, want;
        enum erratum erratum;
        bool signature;
    } rows[] = {
        {LOADS, 43, 57, ERRATUM_MEMORY_EVENTS_ONE_CPL, true},
        {LOADS, 0, 57, ERRATUM_MEMORY_EVENTS_ONE_CPL, false},
        {ALL, 43, 57, ERRATUM_MEMORY_EVENTS_WITH_HT, false},
    };

    (void)state;
    t.all = &t;
    t.processors = 1;
    t.cpu = (struct identity){
        .vendor = "GenuineIntel", .family = 6, .model = 0x3d, .stepping = 4};
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        bool signature;

        assert_int_equal(event_erratum(&t, 0, rows[i].select, rows[i].counted,
                                       rows[i].want, &signature),
                         rows[i].erratum);
        assert_int_equal(signature, rows[i].signature);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_level)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
