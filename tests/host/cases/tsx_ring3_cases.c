/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_ring3_cases.c - the cases of transactions at ring 3, over windows that
 * leave what the manual says, and over the same with one thing otherwise. */
#include "src/counting/bank.h"
#include "src/counting/events.h"
#include "tests/host/cases/ring3_fixture.h"
#include "tests/host/cases/state_fixture.h"
#include "tests/host/cases/tsx_fixture.h"

extern const struct test test_tsx_ring3, test_tsx_ring3_state;

/* Elided sections are tried in boots alone: the processor here has no HLE. */
const uint8_t ring3_sections_match[1] = {0}, ring3_sections_other[1] = {0};

#define WAY(name) const uint8_t ring3_aborts_##name[8] = {0};
WAY(rtm)
WAY(cpuid)
WAY(ud2)
WAY(inner)
#undef WAY

#define TRIALS  25
#define EACH    8  /* transactions of each row, of which half abort */
#define TRIES   20 /* of one that may abort for no reason of its own */
#define COMMITS 200
#define LATER   UINT32_MAX
#define MEANT   0x33000001u

/* --- What is counted --------------------------------------------------------
 */

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

static int access(uint32_t number, const uint64_t *written)
{
    if (written == NULL)
        return HW_NO_FAULT;
    if (number >= IA32_A_PMC(0) && number < IA32_A_PMC(4))
        *msr(IA32_PMC(number - IA32_A_PMC(0))) = *written;
    if (number == IA32_PERF_GLOBAL_STATUS_RESET)
        *msr(IA32_PERF_GLOBAL_STATUS) &= ~*written;
    return HW_NO_FAULT;
}

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
    assert_int_equal(enable, txcp ? 7 : 3);
    if (txcp)
        *msr(IA32_PMC(2)) +=
            aborts ? (wrong.txcp_kept ? 10u : 1u) : RING3_TX_INSTRUCTIONS + 1u;
    assert_true(loaded.cr3 != firmware.cr3);
    wrong.windows++;
    ring3->vector = HW_NO_FAULT;
    ring3->status = aborts ? MEANT : RTM_STATUS_STARTED;
    for (unsigned n = 0; n < 2; n++) {
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

static void begin(const struct test *test)
{
    tsx_begin(test, TRIALS);
    t->cpu.hle = false;
    ring3_firmware();
    memset(&wrong, 0, sizeof(wrong));
    wrong.vector = HW_NO_FAULT;
    fake_device = access;
    memset(buffers[0], 0, sizeof(buffers[0]));
}

static enum verdict end_case(void)
{
    const enum verdict verdict = case_end();

    ring3_expect_firmware();
    assert_int_equal(*msr(IA32_PERF_GLOBAL_CTRL), 0);
    return verdict;
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
         "with USR alone 11; wanted 17 to 19"},
        {instructions, true, 12, 0, VERDICT_FAIL,
         "XABORT: instructions with IN_TX [32] with USR alone 30"},
        {instructions, false, 0, 1, VERDICT_FAIL,
         "XEND: instructions with IN_TX [32] with OS alone 1; wanted 0"},
        {start, false, -1, 0, VERDICT_FAIL,
         "XEND: RTM_RETIRED (C9H) .START "
         "(01H) with USR alone 0; wanted 1"},
        {start, true, 1, 0, VERDICT_FAIL, "XABORT: RTM_RETIRED (C9H) .START"},
        {start, true, 0, 1, VERDICT_FAIL, ".START (01H) with OS alone 1"},
        {commit, false, -1, 0, VERDICT_FAIL, ".COMMIT (02H) with USR alone 0"},
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
    begin(&test_tsx_ring3);
    expect_case(end_case(), VERDICT_PASS,
                "32 transactions at ring 3, 32 of them ended as meant");
    assert_int_equal(wrong.windows, 4 * EACH);
    assert_int_equal(t->rows, 8);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_tsx_ring3);
        t->cpu.model = 0x6a; /* no erratum of counts */
        wrong.event = rows[i].event;
        wrong.aborts = rows[i].aborts;
        wrong.add = rows[i].add;
        wrong.os = rows[i].os;
        wrong.from = LATER;
        expect_case(end_case(), rows[i].verdict, rows[i].line);
    }
    begin(&test_tsx_ring3);
    wrong.inner = 1;
    expect_case(end_case(), VERDICT_FAIL,
                "START (01H) 37, .COMMIT (02H) 36; wanted 37, 35");
    begin(&test_tsx_ring3);
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
            begin(&test_tsx_ring3);
            wrong.aborts = rows[i].aborts;
            wrong.status = rows[i].status;
            wrong.other = rows[i].other;
            wrong.from = at;
            expect_case(end_case(), rows[i].verdict, rows[i].line);
        }
    /* Half of them at least have to end so, after 20 tries each. */
    for (unsigned both = 0; both < 2; both++) {
        begin(&test_tsx_ring3);
        wrong.aborts = true;
        wrong.both = both != 0;
        wrong.other = 1 + RTM_STATUS_CONFLICT;
        wrong.to = LATER;
        expect_case(end_case(), both != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    both != 0 ? "of 640 transactions at ring 3, up to 20 tries "
                                "of each, 0 ended as meant"
                              : "336 transactions at ring 3, 16 of them ended");
    }
    begin(&test_tsx_ring3);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = LATER;
    expect_case(end_case(), VERDICT_SKIP, "100 of 100 aborted");
    assert_int_equal(wrong.windows, 0);
    begin(&test_tsx_ring3);
    wrong.vector = HW_UD;
    wrong.from = 1;
    expect_case(end_case(), VERDICT_ERROR, "#UD at ring 3");
}

/* --- What is restored --------------------------------------------------------
 */

#define WAY(name) const uint8_t ring3_state_##name[8] = {0};
WAY(xabort)
WAY(inner_xabort)
WAY(deep_xabort)
WAY(ended_xabort)
WAY(ud2)
WAY(divide)
WAY(load)
WAY(stack)
WAY(x87)
WAY(int1)
WAY(pause)
WAY(int3)
WAY(fault)
WAY(cpuid)
WAY(stores)
WAY(commits)
WAY(xend)
#undef WAY

#define PLANTED RING3_STATE_PLANTED
#define FLAGS   0xcd5u
#define AC      BIT(18)
#define ZF      BIT(6)
#define WATCHED 0x180

static const struct way {
    const uint8_t *at;
    bool watched;
    uint32_t status;
    const char *what;
    uint64_t cr0;
} ways[] = {
    {ring3_state_xabort, false, 0xa5000001, "XABORT A5H", 0},
    {ring3_state_inner_xabort, false, 0x5a000021, "XABORT 5AH in an inner", 0},
    {ring3_state_deep_xabort, false, 0x33000021, "XABORT 33H at the fourth", 0},
    {ring3_state_ended_xabort, false, 0x33000001, "XABORT 33H after an inner",
     0},
    {ring3_state_ud2, false, 0, "UD2", 0},
    {ring3_state_pause, false, 0, "PAUSE", 0},
    {ring3_state_int3, false, RTM_STATUS_BREAKPOINT, "INT3", 0},
    {ring3_state_fault, false, RTM_STATUS_NESTED, "a store to a page of ring",
     0},
    {ring3_state_cpuid, false, RTM_STATUS_NESTED, "CPUID at the third level",
     0},
    {ring3_state_stores, false, RTM_STATUS_CAPACITY | RTM_STATUS_NESTED,
     "stores to 64 KB at the second level", 0},
    {ring3_state_xabort, true, RTM_STATUS_BREAKPOINT, "a store to a byte that",
     0},
    {ring3_state_divide, false, 0, "a division by zero", 0},
    {ring3_state_load, false, 0, "a load from a non-canonical address", 0},
    {ring3_state_stack, false, 0, "the same by POP", 0},
    {ring3_state_x87, false, 0, "an x87 division by zero", TSX_CR0_NE},
    {ring3_state_int1, false, RTM_STATUS_BREAKPOINT, "INT1", 0},
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))
/* That may end so, or with no bit. */
#define MAY(way) ((way) == 6 || (way) == 15)
/* At one level and at two, but for the one that is watched. */
#define TRIED (2 * WAYS - 1)

/* After the tries of one way, from one on. */
static struct {
    const struct way *way;
    unsigned from, to, tries;
    unsigned byte;   /* 1 + that of memory, */
    unsigned fxsave; /* of the FXSAVE area, */
    unsigned upper;  /* of the upper halves, */
    unsigned number; /* and of a register that is otherwise */
    uint64_t flags, rax;
    uint32_t other; /* 1 + a status */
    int64_t vector;
    /* The way that commits. */
    unsigned result; /* 1 + the one that is otherwise */
    uint64_t by;
    bool xend_runs;
    unsigned all, none, commits;
    bool watching, inner;
    unsigned pmis, held;
    unsigned quiet;  /* without an interrupt */
    bool unfriendly; /* aborts by one count so */
} restore;

static uint64_t way_of(const struct ring3 *ring3, const uint8_t *at)
{
    return ring3->body == (uint32_t)(at - ring3_body);
}

/* Where its transactions are counted, of which two abort. */
static bool count_begun(struct ring3 *ring3, struct ring3_state *s)
{
    const uint64_t select = *msr(IA32_PERFEVTSEL(0)) & 0xffff;

    if (!way_of(ring3, ring3_state_commits) ||
        select != (EVENT_RTM_RETIRED | UMASK_START))
        return false;
    ring3->status = RTM_STATUS_STARTED;
    s->results[RING3_STATE_TESTS + 1] = 2;
    *msr(IA32_PMC(0)) += RING3_STATE_BEGUN;
    *msr(IA32_PMC(1)) += RING3_STATE_BEGUN - 2 + wrong.inner;
    return true;
}

static void spoil(struct ring3 *ring3, struct ring3_state *s)
{
    if (restore.byte != 0)
        s->memory[restore.byte - 1] ^= 0x80;
    if (restore.fxsave != 0)
        s->after[restore.fxsave - 1] ^= 0x80;
    if (restore.upper != 0)
        s->upper_after[restore.upper - 1] ^= 0x80;
    if (restore.number != 0)
        s->found[restore.number] ^= BIT(63);
    s->found[0] ^= restore.rax;
    s->flags ^= restore.flags;
    if (restore.other != 0)
        ring3->status = restore.other - 1;
    ring3->vector = restore.vector;
}

static void commit(struct ring3 *ring3, struct ring3_state *s)
{
    const unsigned n = restore.commits++;

    ring3->status = RTM_STATUS_STARTED;
    memset(s->results, 0, sizeof(s->results));
    s->results[0] = ZF;
    s->results[RING3_STATE_TESTS] = PLANTED;
    s->results[RING3_STATE_TESTS + 2] = FLAGS;
    if (restore.result != 0)
        s->results[restore.result - 1] ^= restore.by;
    if (restore.way == NULL && n >= restore.from && n <= restore.to) {
        if (restore.other != 0)
            ring3->status = restore.other - 1;
        ring3->vector = restore.vector;
    }
}

/* One that an interrupt aborts, or XABORT 44H. */
static void hold(struct ring3 *ring3, struct ring3_state *s)
{
    const uint64_t select = *msr(IA32_PERFEVTSEL(0));
    const bool comes = restore.held++ >= restore.quiet;

    assert_int_equal(select & 0xffff, 0xc4);
    assert_true((select & IA32_PERFEVTSEL_IN_TX) != 0);
    assert_true((select & IA32_PERFEVTSEL_INT) != 0);
    assert_int_equal(*msr(IA32_PMC(0)) + 300, (UINT64_C(1) << 48) - 1);
    restore.pmis = comes;
    *msr(IA32_PMC(1)) += restore.unfriendly && comes;
    ring3->status = comes ? 0 : RTM_STATUS_XABORT | 0x44u << 24;
    ring3->status |= s->inner != 0 ? RTM_STATUS_NESTED : 0;
    ring3_restored(ring3, s);
    if (restore.way == NULL && restore.inner == (s->inner != 0))
        s->found[restore.number] ^= restore.number != 0 ? BIT(63) : 0;
}

bool hw_pmi_begin(bool nmi)
{
    assert_false(nmi);
    return true;
}

unsigned hw_pmi_count(void)
{
    return restore.pmis;
}

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    struct ring3_state *s = (void *)(uintptr_t)ring3->data;
    const struct way *way = ways;

    assert_int_equal(ring3->level, 3);
    if (count_category(ring3) || count_begun(ring3, s)) {
        assert_int_equal(enable, 3);
        ring3->vector = HW_NO_FAULT;
        return 0;
    }
    assert_int_equal(enable, way_of(ring3, ring3_state_hold) ? 3 : 0);
    assert_true(loaded.cr3 != firmware.cr3);
    /* All flags, or none, and AC where nothing raises #AC. */
    assert_int_equal(s->planted_flags & AC, (loaded.cr0 & AC) != 0 ? 0 : AC);
    assert_true((s->planted_flags & ~AC) == FLAGS ||
                (s->planted_flags & ~AC) == 0);
    restore.none += (s->planted_flags & ~AC) == 0;
    restore.all++;
    ring3->vector = HW_NO_FAULT;
    if (enable != 0) {
        hold(ring3, s);
        return 0;
    }
    if (way_of(ring3, ring3_state_xend)) {
        ring3->vector = restore.xend_runs ? HW_NO_FAULT : HW_GP;
        return 0;
    }
    if (way_of(ring3, ring3_state_commits)) {
        commit(ring3, s);
        return 0;
    }
    while (way < ways + WAYS &&
           (!way_of(ring3, way->at) || way->watched != restore.watching))
        way++;
    assert_true(way < ways + WAYS);
    assert_int_equal(way->cr0, device.cr0);
    ring3->status = way->status | (s->inner != 0 ? RTM_STATUS_NESTED : 0);
    ring3_restored(ring3, s);
    if (way != restore.way || restore.inner != (s->inner != 0))
        return 0;
    const unsigned n = restore.tries++;
    if (n == restore.from || (n > restore.from && n <= restore.to))
        spoil(ring3, s);
    return 0;
}

int tsx_watched(int (*enter)(struct tsx_block *), struct tsx_block *block,
                uint64_t dr0, uint64_t dr7)
{
    assert_int_equal(dr0 % 4096, WATCHED);
    assert_int_equal(dr7, 0x10401); /* one byte that is written to, by DR0 */
    restore.watching = true;
    const int outcome = enter(block);
    restore.watching = false;
    return outcome;
}

static void begin_state(const struct way *way)
{
    begin(&test_tsx_ring3_state);
    memset(&restore, 0, sizeof(restore));
    restore.way = way;
    restore.vector = HW_NO_FAULT;
    state_enumerate(7);
}

static void fails(const char *line)
{
    expect_case(end_case(), VERDICT_FAIL, line);
    if (restore.way != NULL)
        assert_non_null(strstr(t->text, restore.way->what));
}

/* Each register, and the ends of each part of the memory and the areas. */
static void restored(void **state)
{
    static const unsigned memory[] = {0, 0x180, RING3_STATE_BYTES - 1};
    static const struct {
        unsigned at;
        const char *line;
    } fxsave[] = {
        {0, "1 of the x87 state"},  {4, "1 of the x87 state"},
        {24, "1 bytes of MXCSR"},   {27, "1 bytes of MXCSR"},
        {32, "1 of the x87 state"}, {32 + 7 * 16 + 9, "1 of the x87 state"},
        {160, "1 bytes of MXCSR"},  {160 + 255, "1 bytes of MXCSR"},
    };
    static const unsigned unsaid[] = {5, 28, 32 + 10, 160 + 256}; /* reserved */

    (void)state;
    begin_state(NULL);
    expect_case(end_case(), VERDICT_PASS, "");
    assert_int_equal(restore.all, 2 * TRIED + 4);
    assert_int_equal(restore.none, TRIED);
    assert_int_equal(t->rows, WAYS);
    for (size_t w = 0; w < WAYS; w++) {
        for (unsigned n = 1; n < 16; n++) {
            begin_state(&ways[w]);
            restore.number = n;
            fails("1 of 15 registers, 0 bytes of memory");
        }
        for (size_t i = 0; i < 3; i++) {
            begin_state(&ways[w]);
            restore.byte = 1 + memory[i];
            fails("0 of 15 registers, 1 bytes of memory");
        }
        for (size_t i = 0; i < sizeof(fxsave) / sizeof(fxsave[0]); i++) {
            begin_state(&ways[w]);
            restore.fxsave = 1 + fxsave[i].at;
            fails(fxsave[i].line);
        }
        for (size_t i = 0; i < 4; i++) {
            begin_state(&ways[w]);
            restore.fxsave = 1 + unsaid[i];
            expect_case(end_case(), VERDICT_PASS, "");
        }
        for (unsigned at = 0; at < 256; at += 255) {
            begin_state(&ways[w]);
            restore.upper = 1 + at;
            fails("1 bytes of the upper halves of YMM0 to YMM15");
        }
        for (unsigned bit = 0; bit < 19; bit++)
            if (((FLAGS | AC) >> bit & 1) != 0) {
                begin_state(&ways[w]);
                restore.flags = BIT(bit);
                fails("as before XBEGIN, in bits 0x40cd5");
            }
        begin_state(&ways[w]);
        restore.rax = BIT(40);
        fails("wanted 0 in bits 63:32, or as before XBEGIN");
        begin_state(&ways[w]); /* 0 is as good */
        restore.rax = PLANTED & ~UINT64_C(0xffffffff);
        expect_case(end_case(), VERDICT_PASS, "");
    }
}

static void ends(void **state)
{
    char line[60];

    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        /* Another reason may come first, in all but one. */
        begin_state(&ways[w]);
        restore.other = 1 + RTM_STATUS_CONFLICT;
        restore.to = TRIES - 2;
        expect_case(end_case(), VERDICT_PASS, "");
        assert_int_equal(restore.tries, TRIES);
        begin_state(&ways[w]);
        restore.other = 1 + RTM_STATUS_CONFLICT;
        restore.to = TRIES - 1;
        text_format(line, sizeof(line), "in none of 20 tries was EAX 0x%08x",
                    MAY(w) ? 0 : ways[w].status);
        fails(line);
        begin_state(&ways[w]); /* a bit that the cause has not */
        restore.other = 1 + (ways[w].status ^ RTM_STATUS_CAPACITY);
        restore.to = LATER;
        fails("in none of 20 tries was EAX");
        begin_state(&ways[w]);
        restore.vector = HW_UD;
        fails("#UD was delivered; wanted an abort alone");
        begin_state(&ways[w]);
        restore.other = 1 + RING3_BODY_INNER;
        fails("it went to the fallback of an inner XBEGIN");
        begin_state(&ways[w]);
        restore.other = 1 + RING3_STATE_LOST;
        fails("it did not go on at the fallback");
    }
    begin_state(&ways[6]); /* INT3 may be refused */
    restore.other = 1;
    expect_case(end_case(), VERDICT_PASS, "");
    for (size_t w = 0; w < WAYS; w++) {
        if (ways[w].watched)
            continue;
        begin_state(&ways[w]);
        restore.inner = true;
        restore.number = 3;
        fails(", a level further in: 1 of 15 registers");
        begin_state(&ways[w]);
        restore.inner = true;
        restore.other = 1 + (ways[w].status & ~(uint32_t)RTM_STATUS_NESTED);
        restore.to = LATER;
        fails(", a level further in: in none of 20 tries was EAX");
    }
}

static void interrupts(void **state)
{
    (void)state;
    for (unsigned inner = 0; inner < 2; inner++) {
        begin_state(NULL);
        restore.inner = inner != 0;
        restore.number = 3;
        fails(inner != 0 ? "an interrupt, a level further in: 1 of 15 registers"
                         : "an interrupt: 1 of 15 registers");
    }
    for (unsigned more = 0; more < 2; more++) {
        begin_state(NULL);
        restore.quiet = COMMITS - 1 + more;
        expect_case(end_case(), more != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    more != 0 ? "its overflow in 200 transactions" : "");
    }
    begin_state(NULL);
    restore.unfriendly = true;
    fails(".ABORTED_UNFRIENDLY (20H) counts each abort by it");
}

static void commits(void **state)
{
    static const uint64_t flags[] = {BIT(0), BIT(2), BIT(4),
                                     BIT(6), BIT(7), BIT(11)};

    (void)state;
    for (unsigned n = 0; n < RING3_STATE_TESTS; n++)
        for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
            char line[20];
            begin_state(NULL);
            restore.result = 1 + n;
            restore.by = flags[i];
            text_format(line, sizeof(line), "XTEST %u (outside", n);
            fails(line);
        }
    begin_state(NULL);
    restore.result = 1 + RING3_STATE_TESTS;
    restore.by = 1;
    fails("or seven levels that commit, changed RAX");
    for (unsigned more = 0; more < 2; more++) {
        begin_state(NULL);
        restore.result = 2 + RING3_STATE_TESTS;
        restore.by = RING3_STATE_EMPTY / 2 - 1 + more;
        expect_case(end_case(), more != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    more != 0 ? "16 of 32 empty transactions" : "");
        begin_state(NULL);
        restore.other = 1 + RTM_STATUS_CONFLICT;
        restore.to = COMMITS - 2 + more;
        expect_case(end_case(), more != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    more != 0 ? "have not committed in 200 tries; the last "
                                "status is 0x00000004"
                              : "");
    }
    begin_state(NULL);
    restore.vector = HW_UD;
    fails("XTEST, XABORT or XEND: #UD; wanted none");
    begin_state(NULL);
    restore.xend_runs = true;
    fails("XEND outside of a transaction at ring 3: got");
}

/* With AVX or without, with CR0.AM or without. */
static void registers(void **state)
{
    (void)state;
    begin_state(&ways[0]);
    state_enumerate(3);
    restore.upper = 1;
    expect_case(end_case(), VERDICT_PASS, "");
    begin_state(&ways[0]);
    firmware.cr0 = AC; /* AM */
    restore.flags = AC;
    fails("as before XBEGIN, in bits 0x40cd5");
    begin_state(NULL);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = LATER;
    expect_case(end_case(), VERDICT_SKIP, "100 of 100 aborted");
    assert_int_equal(restore.all, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),     cmocka_unit_test(statuses),
        cmocka_unit_test(restored),   cmocka_unit_test(ends),
        cmocka_unit_test(commits),    cmocka_unit_test(registers),
        cmocka_unit_test(interrupts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
