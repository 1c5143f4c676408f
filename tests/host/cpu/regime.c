/* SPDX-License-Identifier: BSD-2-Clause */
/* regime.c - every cell of the table of regimes; the product table
 * beside it. */
#include "src/cpu/products.h"
#include "src/cpu/regime.h"
#include "src/base/msr.h"
#include "tests/host/fakes/fake_hw.h"
#include "tests/host/fakes/regime_letters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct identity intel(void)
{
    return (struct identity){.vendor = "GenuineIntel", .family = 6};
}

/* EDX[13] = 1, by EDX[11], RTM or HLE visible, and 10FH[2:0]. */
static void every_value_of_10f(void **state)
{
    static const enum regime want[2][2][8] = {
        /* 10FH:  0  1  2  3  4  5  6  7 */
        {{B, B, X, X, D, D, D, D},  /* EDX[11] = 0, hidden */
         {B, B, X, X, D, D, D, D}}, /* EDX[11] = 0, visible */
        {{E, C, X, C_, X, X, X, X}, /* EDX[11] = 1, hidden */
         {C, C, X, X, X, X, X, X}}, /* EDX[11] = 1, visible */
    };

    (void)state;
    for (unsigned always = 0; always < 2; always++)
        for (unsigned visible = 0; visible < 4; visible++) /* HLE, RTM, both */
            for (unsigned value = 0; value < 8; value++) {
                struct identity id = intel();
                struct regime_evidence e = {
                    HW_NO_FAULT, value, REGIME_NOT_READ, REGIME_NOT_READ, 0, 0};
                id.tsx_force_abort = true;
                id.rtm_always_abort = always != 0;
                id.hle = visible & 1;
                id.rtm = visible >> 1 != 0;
                assert_int_equal(regime_decide(&id, &e),
                                 want[always][visible != 0][value]);
                e.fault_10f = HW_GP; /* enumerated, yet it faults */
                assert_int_equal(regime_decide(&id, &e), X);
            }
}

/* EDX[13] = 0, by EDX[11], TSX_CTRL (10AH[7]) and MCU_OPT_CTRL (EDX[9]). */
static void without_10f(void **state)
{
    static const enum regime want[2][2][2] = {{{A, A}, {F, F}},
                                              {{X, F}, {F, F}}};

    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        bool always = i & 1, tsx_ctrl = i >> 1 & 1, opt = i >> 2 & 1;
        struct identity id = intel();
        struct regime_evidence e = {REGIME_NOT_READ, 0, HW_NO_FAULT,
                                    HW_NO_FAULT,     0, 0};
        id.rtm = i >> 3 & 1;
        id.rtm_always_abort = always;
        id.arch_capabilities = tsx_ctrl ? 1u << 7 : 0;
        id.leaf7_edx = opt ? 1u << 9 : 0;
        assert_int_equal(regime_decide(&id, &e), want[always][tsx_ctrl][opt]);
        e.fault_122 = HW_GP;
        if (tsx_ctrl)
            assert_int_equal(regime_decide(&id, &e), X);
        e.fault_122 = HW_NO_FAULT;
        e.fault_123 = HW_GP;
        if (always && !tsx_ctrl)
            assert_int_equal(regime_decide(&id, &e), X);
    }
}

static void not_intel(void **state)
{
    struct identity id = {.vendor = "AuthenticAMD", .tsx_force_abort = true};
    struct regime_evidence e = {HW_NO_FAULT, 0, 0, 0, 0, 0};

    (void)state;
    assert_int_equal(regime_decide(&id, &e), REGIME_NONE);
    fake_reset();
    regime_probe(&id, &e);
    assert_int_equal(e.fault_10f, REGIME_NOT_READ);
    assert_int_equal(fake_msr(TSX_FORCE_ABORT)->reads, 0);
}

/* What CPUID does not enumerate is not touched. */
static void probe_reads_the_enumerated(void **state)
{
    struct identity id = intel();
    struct regime_evidence e;

    (void)state;
    fake_reset();
    fake_msr(TSX_FORCE_ABORT)->value = 5;
    fake_msr(IA32_TSX_CTRL)->value = 3;
    fake_msr(IA32_MCU_OPT_CTRL)->value = 2;
    regime_probe(&id, &e);
    assert_int_equal(e.fault_10f, REGIME_NOT_READ);
    assert_int_equal(e.fault_122, REGIME_NOT_READ);
    assert_int_equal(e.fault_123, REGIME_NOT_READ);
    assert_int_equal(e.value_10f | e.value_122 | e.value_123, 0);

    id.tsx_force_abort = true;
    id.arch_capabilities = 1u << 7 | 1u << 18;
    regime_probe(&id, &e);
    assert_int_equal(e.fault_10f, HW_NO_FAULT);
    assert_int_equal(e.value_10f, 5);
    assert_int_equal(e.value_122, 3);
    assert_int_equal(e.value_123, 2);

    fake_msr_remove(TSX_FORCE_ABORT);
    regime_probe(&id, &e);
    assert_int_equal(e.fault_10f, HW_GP);
    assert_int_equal(e.value_10f, 0);
}

static void names(void **state)
{
    static const char *const want[] = {"A", "B", "C",    "C'",           "D",
                                       "E", "F", "none", "contradictory"};

    (void)state;
    for (unsigned i = 0; i < 9; i++)
        assert_string_equal(regime_name(1u << i), want[i]);
}

/* White paper 604224, tables 1.2-1 and 2.2-2, typed once more: which steppings
 * are listed; of other models none. */
static void products(void **state)
{
    static const struct {
        uint16_t model;
        uint8_t last;
    } rows[] = {{0x4e, 15}, {0x5e, 15}, {0x55, 5}, {0x8e, 11}, {0x9e, 12}};

    (void)state;
    for (uint16_t model = 0; model < 0x100; model++)
        for (uint8_t stepping = 0; stepping < 16; stepping++) {
            struct identity id = intel();
            bool listed = false;

            for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                listed |= model == rows[i].model && stepping <= rows[i].last;
            id.model = model;
            id.stepping = stepping;
            assert_int_equal(products_find(&id) != NULL, listed);
            id.family = 15;
            assert_null(products_find(&id));
            id.family = 6;
            strcpy(id.vendor, "CentaurHauls");
            assert_null(products_find(&id));
        }
    assert_string_equal(products_table_name(TABLE_COUNTER3), "1.2-1");
    assert_string_equal(products_table_name(TABLE_DISABLED), "2.2-2");
}

static bool says(unsigned model, enum product_table table, bool tfa, bool rtm,
                 enum regime regime, const char *text)
{
    struct identity id = intel();

    id.model = (uint16_t)model;
    id.tsx_force_abort = tfa;
    id.rtm = rtm;
    return strncmp(products_verdict(table, &id, regime), text, strlen(text)) ==
           0;
}

static void product_and_behaviour(void **state)
{
    const enum product_table one = TABLE_COUNTER3, two = TABLE_DISABLED;
    const enum regime contradictory = REGIME_CONTRADICTORY;

    (void)state;
    assert_true(says(0x5e, one, true, true, B,
                     "listed, and has the update of "
                     "October 2018"));
    assert_true(says(0x5e, one, true, false, C_,
                     "listed, and has an update "
                     "that takes its place"));
    assert_true(says(0x5e, one, false, true, A, "MISMATCH: listed and RTM"));
    assert_true(says(0x5e, one, false, false, A, "listed, without RTM"));
    assert_true(says(0x3c, one, false, true, A, "not listed, and does not"));
    assert_true(says(0x3c, one, false, true, F, "not listed, and does not"));
    assert_true(says(0x3c, one, true, true, B, "MISMATCH: not listed"));
    assert_true(says(0x3c, one, true, false, E, "MISMATCH: not listed"));
    assert_true(says(0x5e, one, true, true, contradictory, "listed; which"));
    assert_true(
        says(0x3c, one, true, true, contradictory, "not listed; which"));

    assert_true(says(0x5e, two, true, false, C_,
                     "listed, and has the update of "
                     "June 2021"));
    assert_true(says(0x5e, two, true, false, E,
                     "listed, and has the update of "
                     "June 2021"));
    for (unsigned bit = 0; bit < 7; bit++) { /* which regimes have it */
        const enum regime regime = 1u << bit;
        const bool has = (regime & (C | C_ | D | E)) != 0;
        assert_true(says(0x5e, two, true, true, regime,
                         has ? "listed, and has" : "listed, but without"));
        assert_true(says(0x3c, two, true, true, regime,
                         has ? "MISMATCH: not listed" : "not listed, and is"));
        if (regime != B)
            assert_true(says(0x5e, one, true, true, regime,
                             "listed, and has an update that takes its place"));
    }
    assert_false(says(0x5e, two, true, true, B,
                      "listed, but without the update of June 2021, which"));
    assert_true(says(0x55, two, true, true, B,
                     "listed, but without the update of June 2021, which"));
    assert_true(says(0x3c, two, true, true, C_, "MISMATCH: not listed"));
    assert_true(says(0x3c, two, false, true, A, "not listed, and is not"));
    assert_true(says(0x5e, two, true, true, contradictory, "listed; which"));

    /* 06_9EH from stepping 13 on: in no table, disabled all the same. */
    struct identity id = intel();
    id.model = 0x9e;
    id.stepping = 13;
    id.rtm_always_abort = true;
    assert_non_null(strstr(products_verdict(two, &id, F), "RTM_ALWAYS_ABORT"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_of_10f),
        cmocka_unit_test(without_10f),
        cmocka_unit_test(not_intel),
        cmocka_unit_test(probe_reads_the_enumerated),
        cmocka_unit_test(names),
        cmocka_unit_test(products),
        cmocka_unit_test(product_and_behaviour),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
