/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_context_cases.c - the case of one body at ring 0 and 3, in and out
 * of transactions, where each event counts alike, or one does not. */
#include "src/tsx/status.h"
#include "tests/host/cases/counting/counting_rings.h"

#include <stdio.h>

extern const struct test test_events_in_contexts;

#define FIXED(n) (PLACE_FIXED0 + (n))
#define TRIES    20

/* Any numbers do that are a body's: of each turn the same. */
#define INSTRUCTIONS 200
const struct window_shape ring3_body_shape = {INSTRUCTIONS, 64, 0, 0};
const struct window_shape ring3_body_ends_shape = {12, 4, 0, 0};
const struct ring3_access ring3_body_accesses[] = {
    {1, 2, RING3_BODY_LOAD, 0, 0},
    {2, 3, RING3_BODY_STORE, 8, 0},
    {3, 4, RING3_BODY_LOAD | RING3_BODY_STORE | RING3_BODY_LOCKED, 0, 0},
    {4, 5, RING3_BODY_LOAD | RING3_BODY_SPLIT, 0, 0},
    {5, 6, RING3_BODY_STORE | RING3_BODY_SPLIT, 0, 0},
    {0, 0, 0, 0, 0}};

static const struct piece piece_body = {.instructions = INSTRUCTIONS,
                                        .taken = 8,
                                        .falling = 8,
                                        .calls = 16,
                                        .returns = 16,
                                        .jumps = 8,
                                        .indirect = 8,
                                        .loads = 24,
                                        .stores = 24,
                                        .locked = 8,
                                        .split_loads = 8,
                                        .split_stores = 8,
                                        .references = 12,
                                        .misses = 11,
                                        .cycles = 2400};

/* Instructions more than on the plain way, and of them in the transaction and
 * not in an inner one (ring3_window.asm). */
static const struct way {
    const char *what;
    const uint8_t *at;
    unsigned more, outer, inner;
    bool tx, aborts;
} ways[] = {
    {"outside of transactions", ring3_body_plain, 0, 0, 0, false, false},
    {"in a transaction", ring3_body_committed, 2, 1, 0, true, false},
    {"in an inner transaction", ring3_body_nested, 4, 1, 2, true, false},
    {"after an inner XEND", ring3_body_after_inner, 4, 1, 2, true, false},
    {"after an XEND", ring3_body_after_commit, 4, 2, 0, true, false},
    {"in a transaction that aborts", ring3_body_aborted, 3, 1, 0, true, true},
    {"in an inner transaction that aborts", ring3_body_nested_aborted, 4, 1, 1,
     true, true},
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static struct {
    unsigned aborts_first; /* transactions, for no reason of their own */
    bool inner_fallback;
    bool closing;            /* the WRMSR that ends the window counts */
    unsigned times[WAYS][2]; /* windows, by way and ring */
    /* Where one counts otherwise: a way, and a ring. */
    int way;
    unsigned ring;
    int64_t more;
} machine;

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = enter_ring3(cells);
    const unsigned ring = ring3->level;
    unsigned w = 0;

    while (w < WAYS && ring3->body != (uint32_t)(ways[w].at - ring3_body))
        w++;
    assert_true(w < WAYS);
    const struct way *way = &ways[w];
    machine.times[w][ring / 3]++;
    device.wrong.more =
        machine.way == (int)w && machine.ring == ring ? machine.more : 0;
    ring3->status = RTM_STATUS_STARTED;
    if (way->aborts)
        ring3->status = RING3_TX_CODE << 24 | RTM_STATUS_XABORT;
    if (way->tx && machine.aborts_first != 0) {
        machine.aborts_first--;
        ring3->status = machine.inner_fallback ? RING3_BODY_INNER : 0;
    }
    struct piece inside = piece_body, outside = {.ring = ring, .jumps = 3};
    inside.ring = ring;
    inside.tx = way->tx;
    inside.aborted = way->aborts;
    inside.instructions += 1 + way->inner + way->outer;
    inside.jumps += 1;
    outside.instructions =
        11 + way->more - way->inner - way->outer +
        (ring == 0 ? RING3_BODY_AROUND + machine.closing : 0);
    outside.cycles = 120;
    const struct piece both[] = {outside, inside};
    run_window(enable, both, 2);
    return 0;
}

static void begin(uint16_t model)
{
    memset(&machine, 0, sizeof(machine));
    machine.way = -1;
    counting_begin(&test_events_in_contexts, 4, 0);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        all[p].cpu.model = model;
        all[p].cpu.rtm = true;
    }
    *msr(0x1a6) = *msr(0x1a7) = 0x10001;
}

/* Of one event, on one counter, in one way. */
static void set_wrong(unsigned place, uint64_t event, unsigned way,
                      unsigned ring, int64_t more)
{
    device.wrong.place = place;
    device.wrong.event = event;
    device.wrong.ring = ring;
    machine.way = (int)way;
    machine.ring = ring;
    machine.more = more;
    device.wrong.tx = ways[way].tx;
}

static void alike(void **state)
{
    static const uint16_t models[] = {0x5e, 0x3c, 0x3d, 0x6a, 0x8f, 0x2a, 0xcc};

    (void)state;
    for (unsigned i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        for (unsigned rtm = 0; rtm < 2; rtm++) {
            begin(models[i]);
            t->cpu.rtm = rtm != 0;
            expect_case(rings_end(), VERDICT_PASS, " windows");
            for (unsigned w = 1; w < WAYS; w++)
                assert_true((machine.times[w][1] != 0) == (rtm != 0));
        }
    begin(0x5e);
    machine.closing = true;
    expect_case(rings_end(), VERDICT_PASS, " windows");
}

static const struct event {
    uint64_t select;
    const char *name;
    int64_t more;            /* beyond what it may be off by */
    bool everywhere, inside; /* tried at all places; IA32_PMC1, IA32_PMC2 too */
} events[] = {
    {0xc0, "instructions (C0H), ", 5, true, true},
    {0xc4, "branches (C4H), ", 5, true, true},
    {0x01c4, "conditional branches (C4H/01H), ", 6, false, true},
    {0x02c4, "calls (C4H/02H), ", 5, false, true},
    {0x08c4, "returns (C4H/08H), ", 5, false, true},
    {0x10c4, "branches not taken (C4H/10H), ", 5, false, true},
    {0x20c4, "branches taken (C4H/20H), ", 12, false, true},
    {0x003c, "cycles (3CH), ", 2000, true, false},
    {0x41d0, "split loads (D0H/41H), ", 5, false, true},
    {0x42d0, "split stores (D0H/42H), ", 5, false, true},
    {0x21d0, "locked loads (D0H/21H), ", 5, false, true},
};
#define KNOWN_LESS 3
#define EVENTS     (sizeof(events) / sizeof(events[0]))

static void event_differs(const struct event *e, unsigned way, unsigned ring,
                          int64_t more)
{
    char where[100], line[140];

    snprintf(where, sizeof(where), "%s%s at ring %u: ", e->name, ways[way].what,
             ring);
    begin(0x5e);
    set_wrong(0, e->select, way, ring, more);
    snprintf(line, sizeof(line), "%sIA32_PMC0 (C1H) counted", where);
    const enum verdict verdict = rings_end();
    /* One that is too few may be an erratum of levels (SKL128). */
    if (verdict == VERDICT_KNOWN && (e->select & 0xff) == 0xd0)
        return;
    expect_case(verdict, VERDICT_FAIL, line);
    if (!e->inside || way == 0)
        return;
    for (unsigned n = 1; n <= 2; n++) {
        if (n == 2 && ways[way].aborts)
            continue; /* nothing of it counts */
        begin(0x5e);
        set_wrong(n, e->select, way, ring, more);
        snprintf(line, sizeof(line), "%sIA32_PMC%u (C%uH), with IN_TX", where,
                 n, n + 1);
        const enum verdict inside = rings_end();
        if (inside == VERDICT_KNOWN && (e->select & 0xff) == 0xd0)
            continue;
        expect_case(inside, VERDICT_FAIL, line);
    }
}

static void each_event(void **state)
{
    (void)state;
    for (size_t i = 0; i < EVENTS; i++)
        for (unsigned way = 0; way < WAYS; way++)
            for (unsigned ring = 0; ring <= 3; ring += 3) {
                const bool common = way < 2 || way == 5;

                if (!events[i].everywhere && (ring == 0 || !common))
                    continue;
                event_differs(&events[i], way, ring, events[i].more);
                /* SKL117: less by some is known at ring 3. */
                event_differs(&events[i], way, ring,
                              -events[i].more - (ring == 3 ? KNOWN_LESS : 0));
            }
}

static void each_fixed_counter(void **state)
{
    static const int64_t more[] = {4, 2000, 80000};

    (void)state;
    for (unsigned f = 0; f < 3; f++)
        for (unsigned way = 0; way < WAYS; way++)
            for (unsigned ring = 0; ring <= 3; ring += 3) {
                begin(0x5e);
                set_wrong(FIXED(f), 0, way, ring, more[f]);
                expect_case(rings_end(), VERDICT_FAIL, ways[way].what);
            }
}

/* What aborts is not counted with IN_TXCP, and all of it with IN_TX. */
static void aborted_events(void **state)
{
    (void)state;
    for (unsigned way = 5; way <= 6; way++)
        for (unsigned ring = 0; ring <= 3; ring += 3) {
            begin(0x5e);
            set_wrong(2, 0xc0, way, ring, 202);
            device.wrong.levels_ignored = true;
            /* SKL194: beside aborts it may be invalid; then it is huge. */
            expect_case(rings_end(), VERDICT_FAIL, "with IN_TXCP, counted");
            begin(0x5e);
            set_wrong(2, 0xc0, way, ring, INT64_C(1) << 40);
            device.wrong.levels_ignored = true;
            expect_case(rings_end(), VERDICT_KNOWN, "with IN_TXCP, counted");
            begin(0x5e);
            set_wrong(2, 0x3c, way, ring, 2400);
            device.wrong.levels_ignored = true;
            expect_case(rings_end(), VERDICT_FAIL, "cycles (3CH), ");
            begin(0x5e);
            set_wrong(1, 0x3c, way, ring, -2399);
            expect_case(rings_end(), VERDICT_FAIL, "with IN_TX, counted 1 of");
        }
}

static void masks(void **state)
{
    (void)state;
    begin(0x5e);
    device.edge_ignored = true;
    expect_case(rings_end(), VERDICT_FAIL, "the same, at their begin (EDGE)");
    begin(0x5e);
    device.inv_ignored = true;
    expect_case(rings_end(), VERDICT_FAIL,
                "fewer instructions than CMASK = 16");
    begin(0x5e);
    device.cmask_ignored = true;
    expect_case(rings_end(), VERDICT_FAIL, "cycles with CMASK = 2 branches");
}

/* HSD073: the cycles of the other level, and no fewer; on other counters of the
 * same select it may be more or less. */
static void inverted(void **state)
{
    static const struct {
        uint16_t model;
        int64_t more;
        enum verdict verdict;
    } rows[] = {{0x3c, 3000, VERDICT_KNOWN},
                {0x3c, -1000, VERDICT_FAIL},
                {0x5e, 3000, VERDICT_FAIL}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(rows[i].model);
        t->cpu.rtm = false;
        device.inv_more = rows[i].more;
        expect_case(rings_end(), rows[i].verdict,
                    "CMASK = 16 (C0H, INV), outside of transactions at ring 3");
    }
}

static void transactions_that_abort(void **state)
{
    (void)state;
    begin(0x5e);
    machine.aborts_first = TRIES - 1;
    expect_case(rings_end(), VERDICT_PASS, "");
    const unsigned windows = device.windows;
    /* One row of one way is not tried then. */
    begin(0x5e);
    machine.aborts_first = TRIES;
    expect_case(rings_end(), VERDICT_PASS, "");
    assert_int_equal(device.windows, windows);
    begin(0x5e);
    machine.aborts_first = 1;
    machine.inner_fallback = true;
    expect_case(rings_end(), VERDICT_FAIL,
                "in a transaction: an abort went to the fallback of the inner");
    begin(0x5e);
    ring3_raises = 14;
    expect_case(rings_end(), VERDICT_ERROR, "#PF at ring 3");
    assert_int_equal(device.windows, 1);
    ring3_raises = HW_NO_FAULT;
}

/* Loads and stores of the body are as many as its text has, or more. */
static void accesses(void **state)
{
    static const struct {
        uint64_t event;
        const char *line;
    } rows[] = {
        {0x81d0, "loads (D0H/81H): IA32_PMC0 (C1H) counted 23; wanted 24 or"},
        {0x82d0, "stores (D0H/82H): IA32_PMC0 (C1H) counted 23; wanted 24 or"},
        {0x21d0, "locked loads (D0H/21H): IA32_PMC0 (C1H) counted 7; wanted 8"},
        {0x41d0, "split loads (D0H/41H): IA32_PMC0 (C1H) counted 7; wanted 8"},
        {0x42d0, "split stores (D0H/42H): IA32_PMC0 (C1H) counted 7; wanted"},
    };

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        begin(0x6a);
        set_wrong(0, rows[i].event, 0, 0, -1);
        expect_case(rings_end(), VERDICT_FAIL, rows[i].line);
    }
}

static void windows_with_smis(void **state)
{
    (void)state;
    begin(0x5e);
    hit_by_smis();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike),
        cmocka_unit_test(each_event),
        cmocka_unit_test(each_fixed_counter),
        cmocka_unit_test(aborted_events),
        cmocka_unit_test(masks),
        cmocka_unit_test(inverted),
        cmocka_unit_test(transactions_that_abort),
        cmocka_unit_test(accesses),
        cmocka_unit_test(windows_with_smis),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
