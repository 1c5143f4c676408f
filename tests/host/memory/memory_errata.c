/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_errata.c - what a count of loads and stores may be of an erratum. */
#include "src/memory/memory_errata.h"
#include "src/base/msr.h"
#include "src/counting/bank.h"
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

/* By model: HSD169 and HSD076; BDM123 and BDM035; SKL128 alone; none. Of a
 * processor that has none it is what Hyper-Threading does. */
static void by_model(void **state)
{
    static const struct {
        uint16_t model;
        bool one_level, locked;
    } models[] = {{0x3c, true, true},
                  {0x3d, true, true},
                  {0x5e, true, false},
                  {0x97, false, false}};
    static const uint64_t levels[] = {IA32_PERFEVTSEL_USR, IA32_PERFEVTSEL_OS,
                                      IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS};
    static struct test_context t;

    (void)state;
    t.all = &t;
    t.processors = 1;
    for (size_t m = 0; m < 4; m++)
        for (unsigned n = 0; n < 3 * 2 * 3 * 2; n++) {
            const unsigned level = n % 3, counted = n / 3 % 3 + 9; /* of 10 */
            const bool locked = n / 9 % 2, shares = n / 18 % 2;
            enum erratum want = ERRATUM_MEMORY_EVENTS_WITH_HT;
            bool signature, signed_by = shares;

            t.cpu = (struct identity){.vendor = "GenuineIntel",
                                      .family = 6,
                                      .model = models[m].model,
                                      .stepping = 2,
                                      .smt_shift = shares};
            if (locked && counted < 10 && models[m].locked) {
                want = ERRATUM_LOCKED_LOADS;
                signed_by = true;
            }
            if (level < 2 && models[m].one_level) {
                want = ERRATUM_MEMORY_EVENTS_ONE_CPL;
                signed_by = true;
            }
            assert_int_equal(
                event_erratum(&t, 0, (locked ? 0x21d0 : 0x81d0) | levels[level],
                              counted, 10, &signature),
                want);
            assert_int_equal(signature, signed_by);
        }
}

/* SKL117: one level of a general-purpose counter, and few events less. */
static void at_a_change_of_level(void **state)
{
    static const uint64_t both = IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS;
    static const struct {
        unsigned place;
        uint64_t select, counted;
        bool undercounts; /* of 100 */
    } rows[] = {
        {0, 0xc4 | IA32_PERFEVTSEL_USR, 93, true},
        {3, 0xc4 | IA32_PERFEVTSEL_OS, 99, true},
        {0, 0xc4 | IA32_PERFEVTSEL_USR, 92, false},
        {0, 0xc4 | IA32_PERFEVTSEL_USR, 100, false},
        {0, 0xc4 | IA32_PERFEVTSEL_USR, 101, false},
        {0, 0xc4 | both, 99, false},
        {0, 0xc4, 99, false},
        {PLACE_FIXED0, 0xc4 | IA32_PERFEVTSEL_USR, 99, false},
    };
    static struct test_context t;

    (void)state;
    t.all = &t;
    t.processors = 1;
    t.cpu = (struct identity){
        .vendor = "GenuineIntel", .family = 6, .model = 0x5e, .stepping = 3};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        bool signature;
        const enum erratum erratum =
            event_erratum(&t, rows[i].place, rows[i].select, rows[i].counted,
                          100, &signature);
        const bool so = erratum == ERRATUM_CPL_FILTER_UNDERCOUNTS && signature;
        if (so != rows[i].undercounts)
            fail_msg("row %zu: erratum %d, signature %d", i, (int)erratum,
                     signature);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_level),
        cmocka_unit_test(by_model),
        cmocka_unit_test(at_a_change_of_level),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
