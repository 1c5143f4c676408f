/* SPDX-License-Identifier: BSD-2-Clause */
/* pdir.c - which instruction a record is of, skids and evenness, over a
 * processor that makes the records that the test wants. */
#include "src/pebs/pdir.h"
#include "src/base/msr.h"
#include "tests/host/fakes/one_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* What the processor does. */
static struct {
    unsigned opening; /* instructions that the opening WRMSR counts as */
    int skid;
    unsigned records;   /* of one overflow */
    unsigned shadow;    /* the instruction before it is never hit, 0: none */
    int64_t rip_off;    /* bytes */
    uint64_t elsewhere; /* added to EventingIP */
    bool of_branches;   /* what is to be selected */
} device;

static _Alignas(4096) uint8_t memory[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];
static struct sampling p;

static void write_record(const uint32_t at[], unsigned place)
{
    struct pebs_ds_area *area =
        (struct pebs_ds_area *)(uintptr_t)fake_msr(IA32_DS_AREA)->value;
    uint8_t *bytes = (uint8_t *)area;
    const uint64_t code = (uintptr_t)pdir_code;
    const struct pebs_format3 record = {
        .eventing_ip = code + at[place - 1] + device.elsewhere,
        .rip = code + at[place] + (uint64_t)device.rip_off,
    };

    for (unsigned n = 0; n < device.records; n++) {
        memcpy(bytes + (area->pebs_index - (uintptr_t)bytes), &record, 200);
        area->pebs_index += 200;
    }
}

static unsigned period(uint64_t enable)
{
    unsigned n = (unsigned)__builtin_ctzll(enable);

    assert_int_equal(enable, 1u << n);
    assert_int_equal(fake_msr(IA32_PEBS_ENABLE)->value, enable);
    assert_int_equal(fake_msr(IA32_PERFEVTSEL(n))->value,
                     device.of_branches ? 0x4301c4 : 0x4301c0);
    return (unsigned)(-fake_msr(IA32_PMC(n))->value & 0xffffffffffff);
}

void pdir_straight(uint64_t enable, uint64_t nops)
{
    assert_true(nops <= PDIR_NOPS_MAX);
    write_record(
        pdir_straight_at,
        (unsigned)((int)(period(enable) - device.opening - 1 - (unsigned)nops) +
                   device.skid));
}

void pdir_branches(uint64_t enable, uint64_t before)
{
    assert_true(before <= PDIR_BRANCHES_MAX);
    write_record(
        pdir_branches_at,
        (unsigned)((int)(period(enable) - (unsigned)before) + device.skid));
}

void pdir_loop(uint64_t enable, uint64_t turns)
{
    for (unsigned m = period(enable); m <= turns * PDIR_LOOP + device.opening;
         m += PDIR_PERIOD) {
        unsigned place = (m - device.opening - 1) % PDIR_LOOP + 1;
        write_record(pdir_loop_at, place + (place + 1 == device.shadow));
    }
}

uint64_t pdir_opening(uint64_t enable, uint32_t index)
{
    assert_int_equal(enable, 1u << index);
    assert_int_equal(fake_msr(IA32_PMC(index))->value, 0);
    assert_int_equal(fake_msr(IA32_PERFEVTSEL(index))->value, 0x4301c0);
    return PDIR_BEFORE + device.opening;
}

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    fake_msr(IA32_DS_AREA);
    fake_msr(IA32_PEBS_ENABLE);
    fake_msr(MSR_SMI_COUNT);
    memset(&device, 0, sizeof(device));
    device.records = 1;
    begin_context(REGIME_A, memory);
    assert_true(sampling_claim(&p, t));
    return 0;
}

static struct pdir_skids skids_of(unsigned tested)
{
    struct pdir_skids s = {0};
    uint64_t at;

    assert_true(pdir_find_opening(&p, 1, &at));
    assert_true(pdir_skid_run(&p, 1, 0, at, tested, &s));
    assert_int_equal(s.windows, tested);
    return s;
}

static void exact(void **state)
{
    for (unsigned opening = 0; opening <= 1; opening++) {
        set_up(state);
        device.opening = opening;
        struct pdir_skids s = skids_of(32);
        assert_int_equal(s.records, 32);
        assert_int_equal(s.by_skid[0], 32);
        assert_int_equal(s.none + s.more + s.earlier + s.outside + s.rip_wrong,
                         0);
        assert_int_equal(s.first, 0);
    }
}

static void skids(void **state)
{
    struct pdir_skids s;

    (void)state;
    device.skid = 3;
    s = skids_of(8);
    assert_int_equal(s.by_skid[0], 0);
    assert_int_equal(s.by_skid[3], 8);
    assert_int_equal(s.first, 1);
    assert_int_equal(s.position, 4);
    device.skid = 0;
    device.elsewhere = 0x1000;
    s = skids_of(8);
    assert_int_equal(s.outside, 8);
    assert_int_equal(s.position, 0);
    device.elsewhere = 0;
    device.rip_off = 1;
    s = skids_of(8);
    assert_int_equal(s.by_skid[0], 8);
    assert_int_equal(s.rip_wrong, 8);
}

static void branches(void **state)
{
    (void)state;
    device.of_branches = true;
    for (int skid = 0; skid < 2; skid++) {
        struct pdir_skids s = {0};

        device.skid = skid;
        assert_true(pdir_branches_run(&p, 0, 32, &s));
        assert_int_equal(s.records, 32);
        assert_int_equal(s.by_skid[skid], 32);
        assert_int_equal(pdir_exact(&s, false), skid == 0 ? 32 : 0);
        assert_int_equal(pdir_exact(&s, true), 32);
        assert_int_equal(s.rip_wrong, 0);
    }
}

/* Of the instruction before the one that caused the overflow. */
static void earlier(void **state)
{
    struct pdir_skids s = {0};
    struct pebs_record record = {
        .present = (uint32_t)BIT(PEBS_EVENTING_IP),
        .eventing_ip = (uintptr_t)pdir_code + pdir_straight_at[3],
        .rip = (uintptr_t)pdir_code + pdir_straight_at[4],
    };

    (void)state;
    pdir_skid_add(&s, &record, 1, pdir_straight_at, 5);
    assert_int_equal(s.earlier, 1);
    assert_int_equal(s.first, 5);
    assert_int_equal(s.position, 4);
    pdir_skid_add(&s, &record, 1, pdir_straight_at, 4);
    assert_int_equal(s.by_skid[0], 1);
}

static void wrong_number(void **state)
{
    (void)state;
    device.records = 0;
    struct pdir_skids s = skids_of(4);
    assert_int_equal(s.none, 4);
    assert_int_equal(s.first, 1);
    device.records = 2;
    s = skids_of(4);
    assert_int_equal(s.more, 4);
    assert_int_equal(s.records, 8);
}

/* What a window counts before it has begun is not guessed. */
static void opening(void **state)
{
    uint64_t at;

    (void)state;
    device.opening = 2;
    assert_false(pdir_find_opening(&p, 1, &at));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    t->text[t->text_bytes] = '\0';
    assert_non_null(strstr(t->text, "IA32_PMC1 (C2H), read by RDPMC after 2 "
                                    "instructions, has counted 4; wanted 2 or "
                                    "one more"));
}

static void positions(void **state)
{
    const uint64_t code = (uintptr_t)pdir_code;
    struct pebs_record r = {.present = (uint32_t)BIT(PEBS_EVENTING_IP)};

    (void)state;
    for (unsigned i = 0; i < PDIR_LOOP; i++) {
        r.eventing_ip = code + pdir_loop_at[i];
        assert_int_equal(pdir_position(&r, pdir_loop_at, PDIR_LOOP, true),
                         i + 1);
    }
    r.eventing_ip = code + pdir_loop_at[PDIR_LOOP]; /* after the loop */
    assert_int_equal(pdir_position(&r, pdir_loop_at, PDIR_LOOP, true), 0);
    r.eventing_ip = code + pdir_loop_at[1] + 1; /* between two */
    assert_int_equal(pdir_position(&r, pdir_loop_at, PDIR_LOOP, true), 0);
    /* Format 1: RIP alone. */
    r.present = 0;
    r.rip = code + pdir_loop_at[5];
    assert_int_equal(pdir_position(&r, pdir_loop_at, PDIR_LOOP, true), 5);
    r.rip = code + pdir_loop_at[PDIR_LOOP];
    assert_int_equal(pdir_position(&r, pdir_loop_at, PDIR_LOOP, true),
                     PDIR_LOOP);
    r.rip = code + pdir_loop_at[0];
    assert_int_equal(pdir_position(&r, pdir_loop_at, PDIR_LOOP, true),
                     PDIR_LOOP);
    assert_int_equal(pdir_position(&r, pdir_loop_at, PDIR_LOOP, false), 0);
    r.rip++;
    assert_int_equal(pdir_position(&r, pdir_loop_at, PDIR_LOOP, true), 0);
}

static void even_run(void **state)
{
    for (unsigned at = 0; at <= 1; at++) {
        struct pdir_hits hits = {0};
        unsigned least, most;
        set_up(state);
        device.opening = at;
        assert_true(pdir_even_run(&p, 1, &hits));
        assert_true(pdir_even_run(&p, 1, &hits));
        assert_int_equal(hits.records, 2 * PDIR_RECORDS);
        assert_int_equal(hits.uneven, 0);
        assert_true(pdir_even(&hits, &least, &most));
        assert_int_equal(least, 4);
        assert_int_equal(most, 4);
    }
}

/* One instruction never, the one after it twice as often. */
static void shadow(void **state)
{
    struct pdir_hits hits = {0};
    unsigned least, most;

    (void)state;
    device.shadow = 9;
    assert_true(pdir_even_run(&p, 1, &hits));
    assert_int_equal(hits.of[8], 0);
    assert_int_equal(hits.of[9], 4);
    assert_true(hits.uneven > 0);
    assert_false(pdir_even(&hits, &least, &most));
    assert_int_equal(least, 0);
    assert_int_equal(most, 4);
}

/* As many of each, but for what a row says. */
static struct pdir_hits hits_of(unsigned lost, unsigned outside,
                                unsigned uneven)
{
    struct pdir_hits hits = {.of = {outside}, .uneven = uneven};

    for (unsigned n = 1; n <= PDIR_LOOP; n++) {
        hits.of[n] = n <= lost ? 0 : 2;
        hits.records += hits.of[n];
    }
    hits.records += outside;
    return hits;
}

static void no_better(void **state)
{
    static const struct {
        unsigned lost, lost_without, outside, uneven, uneven_without;
        bool no_better;
    } rows[] = {
        {0, 5, 0, 0, 0, false},   {2, 5, 0, 40, 0, false},
        {2, 5, 0, 3, 0, true},    {5, 5, 0, 40, 0, true},
        {2, 1, 0, 40, 0, true},   {0, 5, 1, 0, 0, true},
        {1, 2, 0, 15, 0, false},  {1, 2, 0, 14, 0, true},
        {0, 0, 0, 31, 0, false},  {0, 0, 0, 32, 0, true},
        {0, 0, 0, 40, 41, false}, {0, 0, 0, 40, 40, true},
        {0, 5, 0, 40, 0, false},  {0, 0, 0, 0, 0, false},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct pdir_hits with =
            hits_of(rows[i].lost, rows[i].outside, rows[i].uneven);
        const struct pdir_hits without =
            hits_of(rows[i].lost_without, 0, rows[i].uneven_without);
        assert_int_equal(pdir_no_better(&with, &without), rows[i].no_better);
    }
}

static void evenness(void **state)
{
    static const struct {
        unsigned usual, odd, outside;
        bool even;
    } rows[] = {
        {2, 2, 0, true},   {2, 1, 0, true},   {2, 0, 0, false},
        {2, 4, 0, true},   {4, 10, 0, false}, {4, 9, 0, true},
        {2, 2, 1, false},  {1, 1, 0, true},   {1, 0, 0, true},
        {0, 0, 0, false},  {10, 4, 0, false}, {10, 5, 0, true},
        {0, 40, 0, false}, {2, 6, 0, false},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pdir_hits hits = {.of = {rows[i].outside}};
        unsigned least, most;
        for (unsigned n = 1; n <= PDIR_LOOP; n++) {
            hits.of[n] = n == 3 ? rows[i].odd : rows[i].usual;
            hits.records += hits.of[n];
        }
        hits.records += rows[i].outside;
        assert_int_equal(pdir_even(&hits, &least, &most),
                         rows[i].even && hits.records >= PDIR_LOOP);
    }
}

static void counter(void **state)
{
    unsigned n = 9;
    bool alone = true;

    (void)state;
    assert_true(pdir_counter(t, &n, &alone));
    assert_int_equal(n, 1);
    assert_false(alone);
    t->cpu.model = 0x2a;
    assert_true(pdir_counter(t, &n, &alone));
    assert_true(alone);
    t->cpu.model = 0x1a;
    assert_false(pdir_counter(t, &n, &alone));
    assert_int_equal(t->verdict, VERDICT_SKIP);
    assert_string_equal(t->reason, "INST_RETIRED.ALL is not an event of "
                                   "06_1AH");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(exact, set_up),
        cmocka_unit_test_setup(skids, set_up),
        cmocka_unit_test_setup(branches, set_up),
        cmocka_unit_test_setup(earlier, set_up),
        cmocka_unit_test_setup(wrong_number, set_up),
        cmocka_unit_test_setup(opening, set_up),
        cmocka_unit_test_setup(positions, set_up),
        cmocka_unit_test_setup(even_run, set_up),
        cmocka_unit_test_setup(shadow, set_up),
        cmocka_unit_test_setup(evenness, set_up),
        cmocka_unit_test(no_better),
        cmocka_unit_test_setup(counter, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
