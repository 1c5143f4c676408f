/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_faults.c - each fault of PEBS changes what software sees. */
#include "tests/host/model/pebs_fixture.h"

/* Everything that software could see of a few records. */
struct seen {
    struct pebs_record records[8];
    uint64_t index, status[40], counters[2];
    unsigned made, interrupts, at_interrupt, late;
};

static void see(struct seen *seen, const char *cpu, const char *fault,
                unsigned bytes)
{
    static uint64_t tsc;

    *seen = (struct seen){.made = 0};
    start(cpu, fault, bytes, 4, 3);
    tsc = 0x1000;
    arm(0, BRANCHES, 2);
    arm(1, RTM_ABORTED, 1);
    arm(3, BRANCHES, 2);
    set(0x38F, 0xB);
    for (unsigned n = 0; n < 40; n++) {
        struct pebs_snapshot s = {.eventing_ip = 0x200, .tsc = tsc += 10};

        for (unsigned k = 0; k < PEBS_REGISTERS; k++)
            s.registers[k] = 0x100 + k;
        if (n == 3 || n == 4)
            abort_transaction(TX_CAUSE_CONFLICT);
        else
            branch();
        seen->status[n] = get(0x38E);
        if (processor.pebs.triggered == 0 ||
            !pebs_make_record(&processor, &s, &ds, &record))
            continue;
        seen->records[seen->made++ % 8] = record;
        if (took_interrupt()) {
            seen->interrupts++;
            seen->at_interrupt = seen->made;
        }
    }
    seen->index = ds.index;
    seen->counters[0] = get(0xC1);
    seen->counters[1] = get(0xC4);
    set(0x38F, 0);
    set(0x3F1, 0);
    seen->late = processor.pebs.residual_in;
}

static void each_fault_shows(void **state)
{
    static const struct {
        const char *cpu, *fault;
        unsigned bytes;
    } rows[] = {
        {"skylake-2017", "pebs_eventing_ip_off", 0xC8},
        {"skylake-2017", "pebs_rip_is_eventing", 0xC8},
        {"skylake-2017", "pebs_registers_swapped", 0xC8},
        {"skylake-2017", "pebs_record_short", 0xC8},
        {"haswell", "pebs_status_image_empty", 0xC0},
        {"skylake-2017", "pebs_applicable_counter_zero", 0xC8},
        {"skylake-2017", "pebs_applicable_counter_first", 0xC8},
        {"skylake-2017", "pebs_tsc_stale", 0xC8},
        {"skylake-2017", "pebs_index_stuck", 0xC8},
        {"skylake-2017", "pebs_reset_ignored", 0xC8},
        {"skylake-2017", "pebs_reset_of_counter_0", 0xC8},
        {"skylake-2017", "pebs_overflow_status_kept", 0xC8},
        {"skylake-2017", "pebs_record_past_maximum", 0xC8},
        {"skylake-2017", "pebs_maximum_early", 0xC8},
        {"skylake-2017", "pebs_status62_missing", 0xC8},
        {"skylake-2017", "pebs_threshold_early", 0xC8},
        {"skylake-2017", "pebs_late_record", 0xC8},
        {"skylake-2017", "pebs_counter3_silent", 0xC8},
        {"haswell", "pebs_abort_rtm_is_hle", 0xC0},
        {"haswell", "pebs_abort_conflict_swapped", 0xC0},
        {"haswell", "pebs_abort_rip_wrong", 0xC0},
        {"haswell", "pebs_abort_eventing_ip_wrong", 0xC0},
        {"haswell", "pebs_abort_rtm_always", 0xC0},
        {"skylake-2017", "pmi_missing", 0xC8},
    };
    static struct seen right, wrong;

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        see(&right, rows[k].cpu, "none", rows[k].bytes);
        assert_int_equal(right.made, 4);
        assert_int_equal(right.interrupts, 1);
        see(&wrong, rows[k].cpu, rows[k].fault, rows[k].bytes);
        if (memcmp(&right, &wrong, sizeof(right)) == 0)
            fail_msg("%s does not show", rows[k].fault);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_shows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
