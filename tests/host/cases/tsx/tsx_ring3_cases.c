/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_ring3_cases.c - transactions at ring 3, what they leave in EAX and what
 * counters have of them, over windows that do as the manual says, and over the
 * same with one thing otherwise. */
#include "tests/host/cases/tsx/tsx_ring3_fixture.h"

extern const struct test test_tsx_ring3;

/* Elided sections are tried in boots alone: the processor here has no HLE. */
const uint8_t ring3_sections_match[1] = {0}, ring3_sections_other[1] = {0};

#define WAY(name) const uint8_t ring3_aborts_##name[8] = {0};
WAY(rtm)
WAY(cpuid)
WAY(ud2)
WAY(inner)
#undef WAY
const uint8_t ring3_state_commits[8] = {0};

#define EACH  8 /* transactions of each row, of which half abort */
#define MEANT 0x33000001u

static struct {
    uint64_t event; /* of the select that is otherwise; 0: none */
    bool aborts;    /* where the transaction does, */
    bool both;      /* or not, too */
    int64_t add;    /* to the count with USR alone, */
    int64_t os;     /* and with OS alone */
    bool txcp_kept; /* what aborts, with IN_TXCP */
    unsigned inner; /* commits of inner ones */
    /* Windows from one on, of those that are to abort or not. */
    unsigned from, to, tries;
    uint32_t status; /* of these: XORed */
    uint32_t other;  /* not 0: instead */
    int64_t vector;
    unsigned windows;
} wrong;

static uint64_t count_of(uint64_t select, bool aborts)
{
    switch (select & 0xffff) {
    case EVENT_INST_RETIRED:
        assert_true((select & IA32_PERFEVTSEL_IN_TX) != 0);
        return RING3_TX_INSTRUCTIONS + 1;
    case EVENT_RTM_RETIRED | UMASK_START:
        return 1;
    case EVENT_RTM_RETIRED | UMASK_COMMIT:
        return !aborts;
    case EVENT_RTM_RETIRED | UMASK_ABORTED:
        return aborts;
    }
    fail_msg("selects 0x%llx", (unsigned long long)select);
    return 0;
}

uint64_t window_ring3_tx(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    const bool aborts = ring3->aborts != 0;

    const bool txcp = *msr(IA32_PERFEVTSEL(2)) != 0;
    const bool third = *msr(IA32_PERFEVTSEL(3)) != 0;
    assert_int_equal(enable, (txcp ? 7 : 3) | (third ? 8 : 0));
    if (txcp)
        *msr(IA32_PMC(2)) +=
            aborts ? (wrong.txcp_kept ? 10u : 1u) : RING3_TX_INSTRUCTIONS + 1u;
    assert_true(loaded.cr3 != firmware.cr3);
    wrong.windows++;
    ring3->vector = HW_NO_FAULT;
    ring3->status = aborts ? MEANT : RTM_STATUS_STARTED;
    for (unsigned n = 0; n < (third ? 4 : 2); n += n == 1 ? 2 : 1) {
        const uint64_t select = *msr(IA32_PERFEVTSEL(n));
        const bool usr = (select & IA32_PERFEVTSEL_USR) != 0;
        assert_true(usr != ((select & IA32_PERFEVTSEL_OS) != 0));
        assert_true((select & IA32_PERFEVTSEL_EN) != 0);
        if (usr)
            *msr(IA32_PMC(n)) += count_of(select, aborts);
        if ((select & 0xffff) == wrong.event && aborts == wrong.aborts)
            *msr(IA32_PMC(n)) += (uint64_t)(usr ? wrong.add : wrong.os);
    }
    if (aborts != wrong.aborts && !wrong.both)
        return 0;
    const unsigned n = wrong.tries++;
    if (n < wrong.from || (n > wrong.from && n > wrong.to))
        return 0;
    ring3->vector = wrong.vector;
    ring3->status =
        wrong.other != 0 ? wrong.other - 1 : ring3->status ^ wrong.status;
    return 0;
}

/* What aborts eight transactions, and its category. */
static bool count_category(const struct ring3 *ring3)
{
    static const struct {
        const uint8_t *at;
        uint64_t umask;
    } kinds[] = {{ring3_aborts_rtm, UMASK_ABORTED_EVENTS},
                 {ring3_aborts_cpuid, UMASK_ABORTED_UNFRIENDLY},
                 {ring3_aborts_ud2, UMASK_ABORTED_EVENTS},
                 {ring3_aborts_inner, UMASK_ABORTED_UNFRIENDLY}};
    unsigned i = 0;

    while (i < 4 && ring3->body != (uint32_t)(kinds[i].at - ring3_body))
        i++;
    for (unsigned n = 0; i < 4 && n < 2; n++) {
        const uint64_t select = *msr(IA32_PERFEVTSEL(n)),
                       umask = select & 0xff00;
        assert_int_equal(select & 0x4300ff, 0x4100c9);
        if (umask != kinds[i].umask && umask != UMASK_ABORTED)
            continue;
        *msr(IA32_PMC(n)) += RING3_ABORTS;
        if ((select & 0xffff) == wrong.event)
            *msr(IA32_PMC(n)) += (uint64_t)wrong.add;
    }
    return i < 4;
}

/* Where its transactions are counted, of which two abort. */
static bool count_begun(struct ring3 *ring3)
{
    struct ring3_state *s = (void *)(uintptr_t)ring3->data;
    const uint64_t select = *msr(IA32_PERFEVTSEL(0)) & 0xffff;

    if (!is_body(ring3, ring3_state_commits) ||
        select != (EVENT_RTM_RETIRED | UMASK_START))
        return false;
    ring3->status = RTM_STATUS_STARTED;
    s->results[RING3_STATE_TESTS + 1] = 2;
    *msr(IA32_PMC(0)) += RING3_STATE_BEGUN;
    *msr(IA32_PMC(1)) += RING3_STATE_BEGUN - 2 + wrong.inner;
    return true;
}

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];

    assert_int_equal(ring3->level, 3);
    assert_int_equal(enable, 3);
    assert_true(count_category(ring3) || count_begun(ring3));
    ring3->vector = HW_NO_FAULT;
    return 0;
}

static void begin(void)
{
    begin_ring3(&test_tsx_ring3);
    memset(&wrong, 0, sizeof(wrong));
    wrong.vector = HW_NO_FAULT;
}

static void counts(void **state)
{
    const uint64_t instructions = EVENT_INST_RETIRED;
    const uint64_t start = EVENT_RTM_RETIRED | UMASK_START,
                   commit = EVENT_RTM_RETIRED | UMASK_COMMIT,
                   aborted_ = EVENT_RTM_RETIRED | UMASK_ABORTED;
    const struct {
        uint64_t event;
        bool aborts;
        int64_t add, os;
        enum verdict verdict;
        const char *line;
    } rows[] = {
        {instructions, false, -1, 0, VERDICT_PASS, ""},
        {instructions, true, 1, 0, VERDICT_PASS, ""},
        {instructions, false, -7, 0, VERDICT_FAIL,
         "with USR alone: IA32_PMC0 11; wanted 17 to 19"},
        {instructions, true, 12, 0, VERDICT_FAIL,
         "XABORT: instructions with IN_TX [32] with USR alone: IA32_PMC0 30"},
        {instructions, false, 0, 1, VERDICT_FAIL,
         "XEND: instructions with IN_TX [32] with OS alone 1; wanted 0"},
        {start, false, -1, 0, VERDICT_FAIL,
         "XEND: RTM_RETIRED (C9H) .START "
         "(01H) with USR alone: IA32_PMC0 0; wanted 1"},
        {start, true, 1, 0, VERDICT_FAIL, "XABORT: RTM_RETIRED (C9H) .START"},
        {start, true, 0, 1, VERDICT_FAIL, ".START (01H) with OS alone 1"},
        {commit, false, -1, 0, VERDICT_FAIL,
         ".COMMIT (02H) with USR alone: IA32_PMC0 0"},
        {commit, true, 1, 0, VERDICT_FAIL, "XABORT: RTM_RETIRED (C9H) .COMMIT"},
        {commit, false, 0, 1, VERDICT_FAIL, ".COMMIT (02H) with OS alone 1"},
        {aborted_, true, -1, 0, VERDICT_FAIL, ".ABORTED (04H) with USR alone"},
        {aborted_, false, 1, 0, VERDICT_FAIL, "XEND: RTM_RETIRED (C9H) .ABORT"},
        {aborted_, true, 0, 1, VERDICT_FAIL, ".ABORTED (04H) with OS alone 1"},
        {EVENT_RTM_RETIRED | UMASK_ABORTED_UNFRIENDLY, true, -5, 0,
         VERDICT_FAIL, "8 transactions at ring 3 that CPUID ends"},
        {EVENT_RTM_RETIRED | UMASK_ABORTED_EVENTS, true, -5, 0, VERDICT_FAIL,
         "that XABORT ends: RTM_RETIRED (C9H) with USR alone: .ABORTED (04H) "
         "8, of which"},
        {EVENT_RTM_RETIRED | UMASK_ABORTED_EVENTS, true, -4, 0, VERDICT_PASS,
         ""},
    };

    (void)state;
    begin();
    expect_case(end_case(), VERDICT_PASS,
                "32 transactions at ring 3, 32 of them ended as meant");
    assert_int_equal(wrong.windows, 4 * EACH);
    assert_int_equal(t->rows, 8);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin();
        t->cpu.model = 0x6a; /* no erratum of counts */
        wrong.event = rows[i].event;
        wrong.aborts = rows[i].aborts;
        wrong.add = rows[i].add;
        wrong.os = rows[i].os;
        wrong.from = LATER;
        expect_case(end_case(), rows[i].verdict, rows[i].line);
    }
    begin();
    wrong.inner = 1;
    expect_case(end_case(), VERDICT_FAIL,
                "START (01H) 37, .COMMIT (02H) 36; wanted 37, 35");
    begin();
    wrong.txcp_kept = true;
    expect_case(end_case(), VERDICT_FAIL,
                "XABORT: instructions with IN_TX and IN_TXCP 10; wanted 0 to");
}

static void statuses(void **state)
{
    static const struct {
        bool aborts;
        uint32_t status, other;
        enum verdict verdict;
        const char *line;
    } rows[] = {
        /* Another reason may come first. */
        {false, 0, 1 + RTM_STATUS_CONFLICT, VERDICT_PASS,
         "33 transactions at ring 3, 32 of them ended as meant"},
        {true, 0, 1 + RTM_STATUS_RETRY, VERDICT_PASS, "33 transactions"},
        {true, 0x11000000, 0, VERDICT_FAIL,
         "XABORT 33H: it aborted, EAX = 0x22000001"},
        {true, 0, 1 + 0x33000003u, VERDICT_FAIL, "XABORT 33H: it aborted"},
        {true, ~MEANT, 0, VERDICT_FAIL, "XABORT 33H: it committed"},
        {false, ~MEANT, 0, VERDICT_FAIL,
         "ends with XEND: it aborted, EAX = 0x33000001"},
        {false, 0, 1 + (1u << 6), VERDICT_FAIL, "with reserved bits in EAX"},
        {true, 0, 1 + (1u << 23), VERDICT_FAIL, "with reserved bits in EAX"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (unsigned at = 0; at < 4 * EACH / 2; at += 15) {
            begin();
            wrong.aborts = rows[i].aborts;
            wrong.status = rows[i].status;
            wrong.other = rows[i].other;
            wrong.from = at;
            expect_case(end_case(), rows[i].verdict, rows[i].line);
        }
    /* Half of them at least have to end so, after 20 tries each. */
    for (unsigned both = 0; both < 2; both++) {
        begin();
        wrong.aborts = true;
        wrong.both = both != 0;
        wrong.other = 1 + RTM_STATUS_CONFLICT;
        wrong.to = LATER;
        expect_case(end_case(), both != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    both != 0 ? "of 640 transactions at ring 3, up to 20 tries "
                                "of each, 0 ended as meant"
                              : "336 transactions at ring 3, 16 of them ended");
    }
    begin();
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = LATER;
    expect_case(end_case(), VERDICT_SKIP, "100 of 100 aborted");
    assert_int_equal(wrong.windows, 0);
    begin();
    wrong.vector = HW_UD;
    wrong.from = 1;
    expect_case(end_case(), VERDICT_ERROR, "#UD at ring 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(statuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
