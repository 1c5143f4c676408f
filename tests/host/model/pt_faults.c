/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_faults.c - each fault of PT changes what software sees. */
#include "tests/host/model/pt_fixture.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/counters/pmu_msr.h"

#define TABLE (RAM + 0x8000)
#define INT   BIT(2)
#define STOP  BIT(4)

/* All that software could see. */
struct seen {
    uint8_t ram[RAM_BYTES];
    uint64_t pointers, status, global_status;
    bool written, interrupt;
};

static void transactions(void)
{
    tx_begin(CODE);
    jcc(CODE + 6, true);
    jcc(CODE + 0x106, false);
    tx_nested(CODE + 0x108);
    jump_to(CODE + 0x10E, CODE);
    tx_commit(CODE);
    tx_begin(CODE);
    jcc(CODE + 6, true);
    tx_abort(CODE + 0x106, CODE + 0x40);
    tsx_began(&processor, true);
    tx_begin(CODE + 0x40);
    for (unsigned n = 0; n < 800; n++)
        jump_to(CODE, CODE + n); /* a PSB is among them */
    tx_commit(CODE);
    tsx_committed(&processor);
}

static void save_state(struct seen *seen)
{
    seen->written = msr_write(&processor, IA32_RTIT_OUTPUT_MASK_PTRS, 0xFFF);
    memcpy(seen->ram, ram, sizeof(ram));
    seen->pointers = get(IA32_RTIT_OUTPUT_MASK_PTRS);
    seen->status = get(IA32_RTIT_STATUS);
    seen->global_status = get(0x38E);
    seen->interrupt = processor.pmu.pmi;
}

static void to_range(struct seen *seen, const char *fault, uint64_t ctl,
                     uint64_t pointers)
{
    memset(seen, 0, sizeof(*seen));
    start("skylake-2017", fault);
    set(IA32_RTIT_OUTPUT_BASE, RAM);
    set(IA32_RTIT_OUTPUT_MASK_PTRS, pointers);
    trace_on(ctl);
    transactions();
    save_state(seen);
}

static void to_table(struct seen *seen, const char *fault, uint64_t bits)
{
    memset(seen, 0, sizeof(*seen));
    start("skylake-2017", fault);
    put_word(TABLE, RAM | bits);
    put_word(TABLE + 8, RAM + 0x1000);
    put_word(TABLE + 16, TABLE | 1);
    set(IA32_RTIT_OUTPUT_BASE, TABLE);
    set(IA32_RTIT_OUTPUT_MASK_PTRS, 0x7F | OFFSET(0x800));
    trace_on(USUAL | RTIT_TOPA);
    transactions();
    save_state(seen);
}

static struct seen right, wrong;

static void differ(const char *fault)
{
    if (memcmp(&right, &wrong, sizeof(right)) == 0)
        fail_msg("%s does not show", fault);
}

static void each_fault_of_a_range_shows(void **state)
{
    static const struct {
        const char *fault;
        uint64_t ctl, pointers;
    } rows[] = {
        {"pt_fup_missing", USUAL, 0xFFF},
        {"pt_mode_after_fup", USUAL, 0xFFF},
        {"pt_begin_ip_next", USUAL, 0xFFF},
        {"pt_commit_silent", USUAL, 0xFFF},
        {"pt_abort_is_commit", USUAL, 0xFFF},
        {"pt_abort_ip_wrong", USUAL, 0xFFF},
        {"pt_abort_target_wrong", USUAL, 0xFFF},
        {"pt_abort_tip_missing", USUAL, 0xFFF},
        {"pt_packets_rolled_back", USUAL, 0xFFF},
        {"pt_branches_lost_in_tx", USUAL, 0xFFF},
        {"pt_nested_packets", USUAL, 0xFFF},
        {"pt_hle_silent", USUAL, 0xFFF},
        {"pt_mode_without_branch_en", RTIT_TRACE_EN | RTIT_OS, 0xFFF},
        {"pt_psb_without_tx", USUAL, 0xFFF},
        {"pt_psb_never_in_tx", USUAL, 0xFFF},
        {"pt_last_ip_kept", USUAL, 0xFFF},
        {"pt_tnt_reversed", USUAL, 0xFFF},
        {"pt_registers_unlocked", USUAL, 0xFFF},
        {"pt_offset_error_missed", USUAL, 0xFFF | OFFSET(0x1000)},
        {"pt_wrap_missing", USUAL, 0x7F},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        to_range(&right, "none", rows[n].ctl, rows[n].pointers);
        to_range(&wrong, rows[n].fault, rows[n].ctl, rows[n].pointers);
        differ(rows[n].fault);
    }
}

static void each_fault_of_a_table_shows(void **state)
{
    static const struct {
        const char *fault;
        uint64_t bits;
    } rows[] = {
        {"pt_topa_reserved_ignored", BIT(1)},
        {"pt_stop_ignored", STOP},
        {"pt_int_missing", INT},
        {"pt_int_without_status", INT},
        {"pt_topa_stays", 0},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        to_table(&right, "none", rows[n].bits);
        to_table(&wrong, rows[n].fault, rows[n].bits);
        differ(rows[n].fault);
    }
}

/* Rules and values of entries: what was found is answered without a fault. */
static void rules_and_values(void **state)
{
    (void)state;
    for (size_t n = 0; n < FAULT_COUNT; n++) {
        const struct fault *f = fault_entry(n);

        start("skylake-2017", f->name);
        if (f->rule != PT_RULE_NONE && f->number == 0)
            assert_int_equal(faults_pt(&processor, f->rule, !f->is), f->is);
        if (f->rule == PT_UNLOCKED)
            assert_true(faults_pt_unlocked(&processor, f->number));
        if (f->value != PT_VALUE_NONE && f->number == 0)
            assert_int_equal(faults_pt_value(&processor, f->value, f->clear),
                             f->set + f->add);
        if (f->value != PT_VALUE_NONE && f->number != 0)
            assert_int_equal(
                faults_pt_register(&processor, f->value, f->number, UINT64_MAX),
                ~f->clear);
        machine.fault = FAULT_none;
        assert_int_equal(faults_pt_value(&processor, f->value, 5), 5);
        assert_true(f->rule == PT_RULE_NONE ||
                    faults_pt(&processor, f->rule, true));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_of_a_range_shows),
        cmocka_unit_test(each_fault_of_a_table_shows),
        cmocka_unit_test(rules_and_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
