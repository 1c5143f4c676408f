/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_any_cases.c - the case of AnyThread, which adds what another
 * processor of the core counts; and where it does not, or is not asked for. */
#include "tests/host/cases/counting/counting_pairs.h"

extern const struct test test_counter_any_thread;

static void begin_any(void)
{
    memset(&pair, 0, sizeof(pair));
    counting_begin(&test_counter_any_thread, 4, 0);
    memset(buffers[0], 0, sizeof(struct pair));
    fake_device = access_counters;
    fake_beside = step;
    ring3_beside = &pair.at_ring3;
    pair.counts = true;
}

static void any_thread(void **state)
{
    (void)state;
    begin_any();
    expect_case(rings_end(), VERDICT_PASS, "");
    for (unsigned p = 0; p < PLACES_END; p++) {
        if (!has_place(p))
            continue;
        begin_any();
        device.any_ignored = BIT(p);
        expect_case(rings_end(), VERDICT_FAIL,
                    p < PLACE_FIXED0 ? "with ANY [21] counted"
                                     : "with AnyThread");
        if (p > PLACE_FIXED0)
            continue;
        begin_any();
        device.any_always = BIT(p);
        expect_case(rings_end(), VERDICT_FAIL,
                    p < PLACE_FIXED0 ? "another such counter"
                                     : "IA32_FIXED_CTR1 with it");
    }
    /* BDM062 is of USR alone. */
    for (unsigned i = 0; i < 4; i++) {
        begin_any();
        device.any_levels_ignored = true;
        t->cpu.rtm = i % 2 != 0;
        t->cpu.model = i < 2 ? 0x3d : 0x5e;
        expect_case(rings_end(), i == 0 ? VERDICT_KNOWN : VERDICT_FAIL,
                    "and USR alone counted");
        assert_int_equal(strstr(t->text, "IN_TX [32]") != NULL, i % 2);
    }
}

/* BDM062: any number too few; SKL117: some. */
static void any_thread_at_ring3(void **state)
{
    static const struct {
        uint16_t model;
        unsigned lost;
        enum verdict verdict;
    } rows[] = {{0x3d, 22, VERDICT_KNOWN},
                {0x5e, 22, VERDICT_FAIL},
                {0x5e, 5, VERDICT_KNOWN}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin_any();
        t->cpu.model = rows[i].model;
        device.any_user_lost = rows[i].lost;
        expect_case(rings_end(), rows[i].verdict, "AnyThread and USR alone");
    }
}

static void any_thread_elsewhere(void **state)
{
    (void)state;
    for (unsigned ignored = 0; ignored < 2; ignored++) {
        begin_any();
        for (unsigned p = 0; p < PROCESSORS; p++)
            all[p].cpu.model = 0x2a;
        device.any_ignored = ignored != 0 ? UINT64_MAX : 0;
        expect_case(rings_end(), VERDICT_PASS,
                    ignored != 0 ? "NOT OBSERVED ANY [21] adds"
                                 : "OBSERVED ANY [21] adds");
    }
    begin_any();
    t->cpu.perfmon_version = 2;
    expect_case(rings_end(), VERDICT_SKIP, "needs AnyThread");
    begin_any();
    t->cpu.leaf0a_edx |= 1u << 15;
    expect_case(rings_end(), VERDICT_SKIP, "needs AnyThread");
    begin_any();
    all[1].cpu.apic_id = 2;
    expect_case(rings_end(), VERDICT_SKIP, "0 and 1 to share a core");
    begin_any();
    fake_beside = NULL;
    expect_case(rings_end(), VERDICT_SKIP, "two processors at the same");
    begin_any();
    pair.hangs = true;
    expect_case(rings_end(), VERDICT_ERROR, "makes no progress");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_thread),
        cmocka_unit_test(any_thread_at_ring3),
        cmocka_unit_test(any_thread_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
