/* SPDX-License-Identifier: BSD-2-Clause */
/* fixups.c - the table of instructions that may fault, over labels
 * that the host makes up: each finds its own way out, and nothing else has one.
 */
#include "asm/fixups.h"

#include "asm/tsx_bodies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Stand for the labels of asm/hw.asm, asm/rtm_store.asm, asm/trace_window.asm,
 * asm/tsx_bodies.asm, asm/tsx_block.asm, asm/tsx_state.asm and
 * asm/tsx_ends.asm. */
#define LABEL(name)              \
    extern const uint8_t name[]; \
    const uint8_t name[4] = {0}
LABEL(hw_msr_read_fault);
LABEL(hw_msr_read_resume);
LABEL(hw_msr_write_fault);
LABEL(hw_msr_write_resume);
LABEL(hw_pmc_read_fault);
LABEL(hw_pmc_read_resume);
LABEL(rtm_store_fault);
LABEL(rtm_store_end_fault);
LABEL(rtm_store_resume);
LABEL(rtm_empty_fault);
LABEL(rtm_empty_end_fault);
LABEL(rtm_empty_resume);
LABEL(trace_window_on);
LABEL(trace_window_resume);
LABEL(tsx_xbegin_at);
LABEL(tsx_xend_at);
LABEL(tsx_body_xtest_fault);
LABEL(tsx_body_xend_fault);
LABEL(tsx_body_lock_xbegin_fault);
LABEL(tsx_body_lock_xend_fault);
LABEL(tsx_body_lock_xabort_fault);
LABEL(tsx_body_lock_xtest_fault);
LABEL(tsx_body_store_fault);
LABEL(tsx_body_store_trap);
LABEL(tsx_body_load_fault);
LABEL(tsx_body_load_trap);
LABEL(tsx_body_ud2_fault);
LABEL(tsx_body_divide_fault);
LABEL(tsx_body_sse_fault);
LABEL(tsx_body_x87_fault);
LABEL(tsx_body_int3_trap);
LABEL(tsx_body_int1_trap);
LABEL(tsx_body_hint_fault);
LABEL(tsx_body_elided_fault);
LABEL(tsx_body_elided_trap);
LABEL(tsx_body_unhint_fault);
LABEL(tsx_body_nest_store_begin);
LABEL(tsx_inner_fallback);
LABEL(tsx_fallback);
LABEL(tsx_refused);
LABEL(tsx_faulted);
#define PREFIXED_FAULT(name, what) LABEL(tsx_body_##name##_fault);
TSX_PREFIXED(PREFIXED_FAULT)
LABEL(tsx_state_begin);
LABEL(tsx_begin_hle);
LABEL(tsx_state_commit);
LABEL(tsx_state_fallback);
LABEL(tsx_end_xabort);
LABEL(tsx_end_ignored);
LABEL(tsx_end_ud2_fault);
LABEL(tsx_end_nested_load_fault);
LABEL(tsx_end_load_fault);
LABEL(tsx_end_int3_trap);
LABEL(tsx_state_resume);

const uint8_t tsx_bodies_xabort[256 * 8] = {0};
const uint8_t tsx_displaced[TSX_DISPLACED_BYTES + 2] = {0};

/* No part of the core, so not linked with it: compiled in here. */
#include "asm/fixups.c"

static uint64_t at(const uint8_t *label)
{
    return (uint64_t)(uintptr_t)label;
}

static void each_has_its_own(void **state)
{
    (void)state;
    assert_true(fixup_find(at(hw_msr_read_fault)) == at(hw_msr_read_resume));
    assert_true(fixup_find(at(hw_msr_write_fault)) == at(hw_msr_write_resume));
    assert_true(fixup_find(at(hw_pmc_read_fault)) == at(hw_pmc_read_resume));
    assert_true(fixup_find(at(rtm_store_fault)) == at(rtm_store_resume));
    assert_true(fixup_find(at(rtm_store_end_fault)) == at(rtm_store_resume));
    assert_true(fixup_find(at(rtm_empty_fault)) == at(rtm_empty_resume));
    assert_true(fixup_find(at(rtm_empty_end_fault)) == at(rtm_empty_resume));
    assert_true(fixup_find(at(trace_window_on)) == at(trace_window_resume));
    assert_true(fixup_find(at(tsx_xbegin_at)) == at(tsx_refused));
    assert_true(fixup_find(at(tsx_body_nest_store_begin)) ==
                at(tsx_inner_fallback));
}

static void all_of_the_bodies_go_one_way(void **state)
{
#define PREFIXED_AT(name, what) tsx_body_##name##_fault,
    const uint8_t *const faults[] = {
        TSX_PREFIXED(PREFIXED_AT) tsx_xend_at,
        tsx_body_xtest_fault,
        tsx_body_xend_fault,
        tsx_body_store_fault,
        tsx_body_store_trap,
        tsx_body_load_fault,
        tsx_body_load_trap,
        tsx_body_ud2_fault,
        tsx_body_divide_fault,
        tsx_body_sse_fault,
        tsx_body_x87_fault,
        tsx_body_int3_trap,
        tsx_body_int1_trap,
        tsx_body_hint_fault,
        tsx_body_elided_fault,
        tsx_body_elided_trap,
        tsx_body_unhint_fault,
        tsx_fallback,
        tsx_body_lock_xbegin_fault,
        tsx_body_lock_xend_fault,
        tsx_body_lock_xabort_fault,
        tsx_body_lock_xtest_fault,
        tsx_bodies_xabort,
        tsx_bodies_xabort + 255 * 8,
        tsx_displaced,
        tsx_displaced + TSX_DISPLACED_BYTES,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        assert_true(fixup_find(at(faults[i])) == at(tsx_faulted));
}

static void transactions_of_registers_have_a_way_of_their_own(void **state)
{
    const uint8_t *const faults[] = {
        tsx_state_begin,    tsx_state_commit,
        tsx_state_fallback, tsx_end_xabort,
        tsx_end_ud2_fault,  tsx_end_load_fault,
        tsx_end_int3_trap,  tsx_end_ignored,
        tsx_begin_hle,      tsx_end_nested_load_fault,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        assert_true(fixup_find(at(faults[i])) == at(tsx_state_resume));
}

static void others_have_none(void **state)
{
    (void)state;
    assert_true(fixup_find(0) == 0);
    assert_true(fixup_find(at(hw_msr_read_fault) + 1) == 0);
    assert_true(fixup_find(at(hw_msr_read_resume)) == 0);
    assert_true(fixup_find(at(tsx_bodies_xabort) + 1) == 0);
    assert_true(fixup_find(at(tsx_displaced) + TSX_DISPLACED_BYTES + 1) == 0);
    assert_true(fixup_find(UINT64_MAX) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_its_own),
        cmocka_unit_test(all_of_the_bodies_go_one_way),
        cmocka_unit_test(transactions_of_registers_have_a_way_of_their_own),
        cmocka_unit_test(others_have_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
