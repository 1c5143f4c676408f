/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_in_tx_cases.c - the cases of counts with IN_TX and IN_TXCP, and of a
 * transaction that an interrupt aborts, over counters that count what runs, and
 * over the same with one count otherwise. */
#include "src/counting/bank.h"
#include "tests/host/cases/state_fixture.h"
#include "tests/host/cases/tsx_fixture.h"

extern const struct test test_tsx_in_tx_counts, test_tsx_interrupt_abort;

const uint8_t tsx_end_hold[1] = {0}, tsx_end_hold_inner[1] = {0},
              tsx_body_spin[8] = {0};

#define TRIALS      25
#define TRIES       5
#define CLEAN       100 /* windows tried for one without another abort */
#define LATER       UINT32_MAX
#define WIDTH       BITS(47, 0)
#define IN_TX       1u /* of a select's [33:32] */
#define IN_TXCP     2u
#define CORE_CYCLES 0x3c

/* What is otherwise. */
static struct {
    /* What is added to the count of each transaction, on counters with such
     * bits, of this body, which commits or aborts. */
    const uint8_t *body; /* NULL: any */
    int tx;              /* -1: any */
    int place;           /* -1: any general-purpose one */
    int64_t add;
    uint64_t percent;                /* of what it counts */
    unsigned from, to, transactions; /* those of them */
    bool edge;                       /* EDGE alone */
    uint64_t only;                   /* this event; 0: any */
    bool status_lost; /* an abort clears what it has set in 38EH */
    bool select_lost; /* an overflow clears EN */
    int64_t read;     /* added to the difference of two RDPMCs, */
    uint32_t index;   /* of this one */
    /* An interrupt. */
    bool none, late; /* none comes; the transaction commits */
    uint32_t status; /* of such an abort, */
    unsigned rarely; /* of all but one in so many */
    unsigned unsaid; /* so many aborts of this event are not counted, */
    uint64_t event;
    unsigned more; /* and so many more are */
    bool no_apic, state_wrong, unnested;
    /* So far. */
    unsigned interrupts, all, held, aborts;
    bool pmi;
} wrong;

static bool is_event(uint64_t select, uint64_t event)
{
    return (select & 0xffff) == event;
}

/* A counter goes through 0: its status bit, and the interrupt. */
static bool add_to(unsigned place, uint64_t count)
{
    uint64_t *value =
        msr(place < PLACE_FIXED0 ? IA32_PMC(place)
                                 : IA32_FIXED_CTR(place - PLACE_FIXED0));
    const bool over = *value + count > WIDTH;

    *value = (*value + count) & WIDTH;
    if (over)
        *msr(IA32_PERF_GLOBAL_STATUS) |= BIT(place);
    return over;
}

static bool is_counting(unsigned place)
{
    return (*msr(IA32_PERF_GLOBAL_CTRL) >> place & 1) != 0;
}

/* SDM 3B, "Performance Monitoring and Intel TSX": IN_TX counts what is inside,
 * IN_TXCP leaves out what is aborted. */
static uint64_t counted(unsigned n, uint64_t select, const struct tsx_block *b,
                        uint64_t inside, uint64_t beside, bool aborts)
{
    const unsigned tx = select >> 32 & 3;
    uint64_t count = inside + ((tx & IN_TX) != 0 ? 0 : beside);

    if (aborts && (tx & IN_TXCP) != 0)
        count -= inside;
    if ((select & IA32_PERFEVTSEL_E) != 0)
        count = count != 0;
    if ((wrong.body != NULL && wrong.body != b->body) ||
        (wrong.tx >= 0 && wrong.tx != (int)tx) ||
        (wrong.place >= 0 ? wrong.place != (int)n : n >= PLACE_FIXED0) ||
        (wrong.edge && (select & IA32_PERFEVTSEL_E) == 0) ||
        (wrong.only != 0 && !is_event(select, wrong.only)))
        return count;
    const unsigned which = wrong.transactions++;
    if (which < wrong.from || which > wrong.to)
        return count;
    return (uint64_t)((int64_t)(count * wrong.percent / 100) + wrong.add);
}

/* One transaction's; true where an interrupt has come. */
static bool count_work(const struct tsx_block *b, uint64_t instructions,
                       uint64_t branches, bool aborts)
{
    const uint64_t before = *msr(IA32_PERF_GLOBAL_STATUS);
    bool interrupt = false;

    for (unsigned n = 0; n < 4; n++) {
        uint64_t *select = msr(IA32_PERFEVTSEL(n));
        const bool each = is_event(*select, EVENT_INST_RETIRED) ||
                          is_event(*select, CORE_CYCLES);
        if (!is_counting(n) || (!each && !is_event(*select, 0xc4)))
            continue;
        const bool over =
            add_to(n, counted(n, *select, b, each ? instructions : branches,
                              each ? 10 : 1, aborts));
        interrupt |= over && (*select & IA32_PERFEVTSEL_INT) != 0;
        if (over && wrong.select_lost)
            *select &= ~IA32_PERFEVTSEL_EN;
    }
    if (is_counting(PLACE_FIXED0) && (*msr(IA32_FIXED_CTR_CTRL) & 3) == 3)
        add_to(PLACE_FIXED0,
               counted(PLACE_FIXED0, 0, b, instructions, 10, aborts));
    if (aborts && wrong.status_lost)
        *msr(IA32_PERF_GLOBAL_STATUS) = before;
    return interrupt && wrong.pmi;
}

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

/* --- Interrupts -------------------------------------------------------------
 */

bool hw_pmi_begin(bool nmi)
{
    assert_false(nmi);
    wrong.pmi = fake_pmi = !wrong.no_apic;
    wrong.interrupts = 0;
    return wrong.pmi;
}

void hw_pmi_end(void)
{
    wrong.pmi = fake_pmi = false;
}

unsigned hw_pmi_count(void)
{
    return wrong.interrupts;
}

static uint32_t interrupted(void)
{
    wrong.interrupts++;
    wrong.all++;
    return wrong.rarely == 0 || wrong.all % wrong.rarely != 0 ? wrong.status
                                                              : 0;
}

static struct end jump_end(const struct tsx_block *b)
{
    const bool comes = count_work(b, 3 * b->count, 2 * b->count, true);

    assert_int_equal(b->count, 4000);
    if (!comes || wrong.none)
        return committed();
    const uint32_t status = interrupted();
    return wrong.late ? committed() : aborted(status);
}

int tsx_state(struct tsx_state *s)
{
    const struct tsx_block b = {.body = s->change};

    assert_true(s->end == tsx_end_hold || s->end == tsx_end_hold_inner);
    wrong.held++;
    const bool comes = count_work(&b, 3000, 2000, true) && !wrong.none;
    wrong.interrupts += comes;
    const int outcome = state_end(s, !comes);
    if (comes && s->end == tsx_end_hold_inner && !wrong.unnested)
        s->after[0] = RTM_STATUS_NESTED;
    s->after[7] ^= comes && wrong.state_wrong;
    return outcome;
}

/* --- Transactions -----------------------------------------------------------
 */

static bool counted_end(const struct tsx_block *b, struct end *end)
{
    const uint64_t levels = 3 * b->count + 2;

    *end = committed();
    if (b->body == tsx_body_jumps) {
        *end = jump_end(b);
        if (end->outcome == TSX_ABORTED && wrong.unsaid > wrong.aborts++)
            count_event(wrong.event, UINT64_MAX); /* one less */
        if (end->outcome == TSX_ABORTED && wrong.more >= wrong.aborts)
            count_event(wrong.event, 1);
    } else if (b->body == tsx_body_long) {
        count_work(b, TSX_LONG + 4, 2, false);
    } else if (b->body == tsx_body_long_xabort) {
        count_work(b, TSX_LONG + 4, 1, true);
        *end = aborted(RTM_STATUS_XABORT | 0x64000000);
    } else if (b->body == tsx_body_write_lines) {
        count_work(b, 600, 200, true);
        *end = aborted(RTM_STATUS_CAPACITY);
    } else if (b->body == tsx_body_nest_deep) {
        count_work(b, levels, 1, true);
        *end = aborted(RTM_STATUS_XABORT | RTM_STATUS_NESTED | 0xa5000000);
    } else if (b->body == tsx_body_nest_xend_xabort) {
        count_work(b, levels, 1, true);
        *end = aborted(RTM_STATUS_XABORT | 0x33000000);
    } else if (b->body == tsx_body_nest) {
        count_work(b, levels, 1, false);
    } else if (b->body == tsx_body_nothing) {
        count_work(b, 6, 2, false);
    } else if (b->body == tsx_body_rdpmc) {
        end->status = (uint32_t)(TSX_RDPMC_AMID +
                                 (b->argument == wrong.index ? wrong.read : 0));
    } else {
        return false;
    }
    return true;
}

/* As many are beside a transaction. */
static void counted_outside(const struct tsx_block *b)
{
    if (b->body == tsx_body_spin)
        count_work(b, 0, 0, false);
}

static void begin(const struct test *test)
{
    tsx_begin(test, TRIALS);
    t->cpu.hle = false; /* elided sections are tried in boots alone */
    own_outside = counted_outside;
    memset(&wrong, 0, sizeof(wrong));
    wrong.tx = wrong.place = -1;
    wrong.percent = 100;
    wrong.to = LATER;
    own_end = counted_end;
    fake_device = access;
}

/* --- IN_TX and IN_TXCP ------------------------------------------------------
 */

static const struct row {
    const uint8_t *body;
    int tx, place;
    uint64_t percent;
    int64_t add;
    const char *line;
} rows[] = {
    {tsx_body_long, IN_TX, 1, 100, 100, "instructions inside (IN_TX = 1): got"},
    {tsx_body_long, IN_TX, 1, 50, 0, "instructions inside (IN_TX = 1): got"},
    {tsx_body_long_xabort, IN_TX, 1, 0, 0,
     "inside (IN_TX = 1): got 340, wanted "
     "640 to 820"},
    {tsx_body_long, IN_TX | IN_TXCP, 2, 0, 0,
     "instructions committed (IN_TX = IN_TXCP = 1): got 0, wanted 320 to 410"},
    {tsx_body_long, IN_TX | IN_TXCP, 2, 100, 30, "instructions committed"},
    {tsx_body_long_xabort, IN_TX | IN_TXCP, 2, 0, 68, "instructions committed"},
    {tsx_body_long_xabort, IN_TXCP, 2, 100, 68,
     "instructions aborted (all - IN_TXCP = 1): got 0, wanted 320 to 410"},
    {tsx_body_long, IN_TXCP, 2, 100, -68, "instructions aborted"},
    {tsx_body_long, 0, 32, 0, 0, "IA32_FIXED_CTR0 (309H) counted 78"},
    {tsx_body_long_xabort, 0, 32, 0, 0, "IA32_FIXED_CTR0 (309H) counted 78"},
    {tsx_body_long_xabort, IN_TX, 0, 0, 0,
     "IA32_PMC0 (C1H), IN_TX = 1: instructions of"},
    {tsx_body_long_xabort, IN_TX, 2, 0, 0,
     "IA32_PMC2 (C3H), IN_TX = 1: instructions of"},
    {tsx_body_long, IN_TX, 3, 100, 30,
     "IA32_PMC3 (C4H), IN_TX = 1: instructions of"},
    {tsx_body_write_lines, IN_TX | IN_TXCP, 2, 0, 3,
     "stores to many lines: instructions of 3 aborted transactions with IN_TX "
     "= IN_TXCP = 1: 9; wanted 6 at most"},
    {tsx_body_write_lines, IN_TX, 1, 0, 2,
     "stores to many lines: instructions of 3 aborted transactions with IN_TX "
     "= 1: 6, of 1830 in all; wanted 8 at least"},
    {tsx_body_write_lines, IN_TX, 1, 100, 20,
     "IN_TX = 1: 1860, of 1830 in all"},
    {tsx_body_nest_deep, IN_TX | IN_TXCP, 2, 0, 3,
     "XABORT in the innermost: instructions of 3 aborted transactions with "
     "IN_TX = IN_TXCP = 1: 9; wanted 6 at most"},
    {tsx_body_nest_xend_xabort, IN_TX | IN_TXCP, 2, 0, 3,
     "XABORT after an inner one: instructions of 3 aborted transactions with "
     "IN_TX = IN_TXCP = 1: 9; wanted 6 at most"},
    {tsx_body_nest_deep, IN_TX, 1, 0, 2,
     "XABORT in the innermost: instructions "
     "of 3 aborted transactions with IN_TX "
     "= 1: 6, of 72 in all"},
};

/* IN_TX is of each event, inside and outside. */
static void each_event(void **state)
{
    static const struct {
        const uint8_t *body;
        uint64_t event, percent;
        int64_t add;
        const char *line;
    } events[] = {
        {tsx_body_spin, EVENT_INST_RETIRED, 100, 1,
         "IN_TX = 1: instructions outside of them: got 1, wanted 0 to 0"},
        {tsx_body_spin, CORE_CYCLES, 100, 1,
         "core cycles outside of them: got"},
        {tsx_body_spin, 0xc4, 100, 1, "branches outside of them: got 1"},
        {tsx_body_long_xabort, 0xc4, 0, 0,
         "branches of two transactions: got 2, wanted 3"},
        {NULL, CORE_CYCLES, 0, 0, "core cycles of two transactions: got 0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        begin(&test_tsx_in_tx_counts);
        wrong.body = events[i].body;
        wrong.only = events[i].event;
        wrong.tx = IN_TX;
        wrong.percent = events[i].percent;
        wrong.add = events[i].add;
        expect_case(case_end(), VERDICT_FAIL, events[i].line);
    }
}

static void set_row(const struct row *row)
{
    begin(&test_tsx_in_tx_counts);
    wrong.body = row->body;
    wrong.tx = row->tx;
    wrong.place = row->place;
    wrong.percent = row->percent;
    wrong.add = row->add;
}

static void each_count(void **state)
{
    (void)state;
    begin(&test_tsx_in_tx_counts);
    expect_case(case_end(), VERDICT_PASS,
                "instructions: 780 = outside 100 + committed 340 + aborted 340,"
                " in 10 transactions");
    assert_null(strstr(t->text, "(nearly)"));
    assert_non_null(
        strstr(t->text, "OBSERVED a transaction with RDPMC commits: 1 of 1"));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        set_row(&rows[i]);
        expect_case(case_end(), VERDICT_FAIL, rows[i].line);
    }
}

/* Of what is at the edges of a transaction no manual says on which side. */
static void edges(void **state)
{
    static const struct {
        int64_t add;
        enum verdict verdict;
    } sums[] = {{2, VERDICT_PASS}, {-4, VERDICT_PASS}, {5, VERDICT_FAIL}};
    static const struct {
        const uint8_t *body;
        unsigned tx;
        int64_t add;
    } least[] = {
        {tsx_body_write_lines, IN_TX, 0}, /* 8 of three transactions */
        {tsx_body_nest_deep, IN_TX, 0},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) { /* of each that commits: 20 in all */
        begin(&test_tsx_in_tx_counts);
        wrong.body = tsx_body_long;
        wrong.tx = IN_TX | IN_TXCP;
        wrong.add = sums[i].add;
        wrong.place = 2;
        expect_case(case_end(), sums[i].verdict,
                    sums[i].verdict == VERDICT_PASS ? "(nearly)"
                                                    : "wanted 780, +- 20");
    }
    for (size_t i = 0; i < 2; i++) {
        begin(&test_tsx_in_tx_counts);
        wrong.body = least[i].body;
        wrong.tx = (int)least[i].tx;
        wrong.place = 1;
        wrong.percent = 0;
        wrong.add = 3;
        expect_case(case_end(), VERDICT_PASS, "");
        begin(&test_tsx_in_tx_counts);
        wrong.body = least[i].body;
        wrong.tx = IN_TX | IN_TXCP;
        wrong.place = 2;
        wrong.percent = 0;
        wrong.add = 2;
        expect_case(case_end(), VERDICT_PASS, "");
    }
    begin(&test_tsx_in_tx_counts); /* errata of the fixed one are small */
    wrong.place = 32;
    wrong.add = -16;
    expect_case(case_end(), VERDICT_PASS, "");
    begin(&test_tsx_in_tx_counts);
    wrong.place = 32;
    wrong.add = -17;
    expect_case(case_end(), VERDICT_FAIL, "IA32_FIXED_CTR0 (309H) counted 122");
}

static void nesting_and_edge(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        begin(&test_tsx_in_tx_counts); /* the second of both, too few */
        wrong.body = tsx_body_nest;
        wrong.place = 1;
        wrong.from = 3;
        wrong.add = -4 - (int64_t)more;
        expect_case(case_end(), more != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    more != 0 ? "with one inside: 15, with 5 in one another "
                                "inside: 36; wanted 24 more at least"
                              : "");
        begin(&test_tsx_in_tx_counts);
        wrong.edge = true;
        wrong.add = 1 + more;
        expect_case(case_end(), more != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    more != 0 ? "IN_TX = 1: 6; with EDGE = 1 too IA32_PMC1 "
                                "(C2H) counted 9"
                              : "");
    }
    begin(&test_tsx_in_tx_counts); /* one that aborts shows nothing */
    wrong.body = tsx_body_nest;
    wrong.add = -1;
    tsx_wrong(tsx_body_nest, aborted(0), 5);
    expect_case(case_end(), VERDICT_PASS, "");
}

static void overflow(void **state)
{
    (void)state;
    begin(&test_tsx_in_tx_counts);
    wrong.status_lost = true;
    expect_case(case_end(), VERDICT_FAIL,
                "IA32_PERF_GLOBAL_STATUS (38EH)[0] is 0: it has overflowed");
    begin(&test_tsx_in_tx_counts);
    wrong.select_lost = true;
    expect_case(case_end(), VERDICT_FAIL, "IA32_PERFEVTSEL0 (186H) is 0x");
}

/* One more or less; each of the counters there are. */
static void reads(void **state)
{
    static const uint32_t indices[] = {0, 1, 2, 3, RDPMC_FIXED};
    static const char *const names[] = {"IA32_PMC0 (C1H), read", "IA32_PMC1",
                                        "IA32_PMC2", "IA32_PMC3",
                                        "IA32_FIXED_CTR0 (309H), read"};

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        for (int64_t by = -2; by <= 2; by++) {
            const bool fails = by == -2 || by == 2;
            begin(&test_tsx_in_tx_counts);
            wrong.index = indices[i];
            wrong.read = by;
            expect_case(case_end(), fails ? VERDICT_FAIL : VERDICT_PASS,
                        fails ? names[i] : "");
            if (fails)
                assert_non_null(strstr(t->text, "in 3 of 3; wanted as many"));
        }
    begin(&test_tsx_in_tx_counts);
    tsx_wrong(tsx_body_rdpmc, aborted(0), 0);
    device.to = 2;
    expect_case(case_end(), VERDICT_PASS,
                "OBSERVED a transaction with RDPMC commits: 0 of 1");
}

/* Other aborts: such a window is made again. */
static void clean_windows(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        begin(&test_tsx_in_tx_counts);
        tsx_wrong(n == 0 ? tsx_body_long : tsx_body_long_xabort, aborted(0), 0);
        device.to = CLEAN - 2;
        expect_case(case_end(), VERDICT_PASS, "in 10 transactions");
        begin(&test_tsx_in_tx_counts);
        tsx_wrong(n == 0 ? tsx_body_long : tsx_body_long_xabort, aborted(0), 0);
        device.to = CLEAN - 1;
        expect_case(case_end(), VERDICT_SKIP, "in none of 100 windows");
    }
    begin(&test_tsx_in_tx_counts);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = LATER;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
}

/* Counter 2 after aborts, by errata of Skylake and Haswell (SKL194, HSD176). */
static void invalid(void **state)
{
    static const struct {
        uint16_t model;
        enum verdict verdict;
    } models[] = {{0x5e, VERDICT_KNOWN}, {0x6a, VERDICT_FAIL}};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        static const struct {
            const uint8_t *body;
            int tx;
            unsigned to;
            const char *line;
        } bodies[] = {
            {tsx_body_long_xabort, IN_TXCP, 1,
             "in 2 of 12 windows with aborts"},
            {tsx_body_long_xabort, IN_TX, 0,
             "IA32_PMC2 (C3H), IN_TX = 1: instr"},
            {tsx_body_write_lines, IN_TX | IN_TXCP, 0, "stores to many lines"},
        };
        for (unsigned n = 0; n < 3; n++) {
            begin(&test_tsx_in_tx_counts);
            t->cpu.model = models[i].model;
            wrong.body = bodies[n].body;
            wrong.tx = bodies[n].tx;
            wrong.place = 2;
            wrong.add = INT64_C(1) << 40;
            wrong.to = bodies[n].to;
            expect_case(case_end(), models[i].verdict, bodies[n].line);
        }
    }
}

/* Where counter 3 is promised to work, and no fixed ones. */
static void fewer(void **state)
{
    (void)state;
    begin(&test_tsx_in_tx_counts);
    t->regime = REGIME_B;
    t->cpu.tsx_force_abort = true;
    wrong.place = 3;
    wrong.add = 1000;
    wrong.index = 3;
    wrong.read = 1000;
    expect_case(case_end(), VERDICT_PASS, "");
    begin(&test_tsx_in_tx_counts);
    t->cpu.fixed_set = 0;
    wrong.place = 32;
    wrong.percent = 0;
    wrong.index = RDPMC_FIXED;
    wrong.read = 1000;
    expect_case(case_end(), VERDICT_PASS, "");
}

/* --- An interrupt -----------------------------------------------------------
 */

static void interrupts(void **state)
{
    const struct test *test = &test_tsx_interrupt_abort;
    static const struct {
        uint32_t status;
        unsigned rarely;
        enum verdict verdict;
        const char *line;
    } statuses[] = {
        {RTM_STATUS_RETRY, 0, VERDICT_PASS, ""},
        {RTM_STATUS_CONFLICT, 0, VERDICT_FAIL,
         "EAX = 0x00000004 (conflict) after 5 of 5 aborts with an interrupt"},
        {RTM_STATUS_CAPACITY, 0, VERDICT_FAIL, "EAX = 0x00000008"},
        {RTM_STATUS_BREAKPOINT, 0, VERDICT_FAIL, "EAX = 0x00000010"},
        {RTM_STATUS_NESTED, 0, VERDICT_FAIL, "EAX = 0x00000020"},
        {0x12000001, 0, VERDICT_FAIL, "EAX = 0x12000001"},
        {1u << 20, 0, VERDICT_FAIL, "a status that cannot be"},
        {RTM_STATUS_BREAKPOINT, 2, VERDICT_FAIL, "after 3 of 5 aborts"},
    };

    (void)state;
    begin(test);
    expect_case(case_end(), VERDICT_PASS,
                "5 of 5 transactions aborted with an interrupt, 0 of them");
    assert_int_equal(wrong.held, 8);
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        begin(test);
        wrong.status = statuses[i].status;
        wrong.rarely = statuses[i].rarely;
        expect_case(case_end(), statuses[i].verdict, statuses[i].line);
    }
    begin(test); /* two of five have another reason */
    wrong.status = RTM_STATUS_BREAKPOINT;
    wrong.rarely = 2;
    wrong.all = 1;
    expect_case(case_end(), VERDICT_PASS, "2 of them with EAX[1] or others");
    begin(test); /* none comes: of a hundred one has to */
    wrong.none = true;
    expect_case(case_end(), VERDICT_FAIL,
                "in 100 transactions of 4000 jumps: 0 aborted, none with an");
    begin(test);
    wrong.late = true; /* it aborts nothing */
    expect_case(case_end(), VERDICT_FAIL, "0 aborted, none with an interrupt");
    begin(test);
    wrong.no_apic = true;
    expect_case(case_end(), VERDICT_SKIP, "needs the local APIC");
}

static void interrupt_events(void **state)
{
    const struct test *test = &test_tsx_interrupt_abort;
    const uint64_t aborts = EVENT_RTM_RETIRED | UMASK_ABORTED;
    const uint64_t memory = EVENT_RTM_RETIRED | UMASK_ABORTED_MEM;
    static const struct {
        bool memory;
        unsigned unsaid, more;
        enum verdict verdict;
        const char *line;
    } rows_of[] = {
        {false, 1, 0, VERDICT_FAIL, "RTM_RETIRED.ABORTED (C9H/04H) 2 times"},
        {false, 0, 5, VERDICT_FAIL, "RTM_RETIRED.ABORTED (C9H/04H) 6 times"},
        {true, 0, 2, VERDICT_PASS, ""}, /* one of two of them */
        {true, 0, 4, VERDICT_FAIL, "RTM_RETIRED.ABORTED_MEM (C9H/08H) 2 times"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows_of) / sizeof(rows_of[0]); i++) {
        begin(test);
        wrong.event = rows_of[i].memory ? memory : aborts;
        wrong.unsaid = rows_of[i].unsaid;
        wrong.more = rows_of[i].more;
        expect_case(case_end(), rows_of[i].verdict, rows_of[i].line);
    }
    /* IN_TXCP takes back what was aborted. */
    for (unsigned more = 0; more < 2; more++) {
        begin(test);
        wrong.place = 2;
        wrong.tx = IN_TXCP;
        wrong.to = 0;
        wrong.add = 998 + more; /* and one outside */
        expect_case(case_end(), more != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    more != 0 ? "counted 1000 branches beside a" : "");
    }
    begin(test);
    wrong.place = 2;
    wrong.tx = IN_TXCP;
    wrong.to = 0;
    wrong.add = 9000;
    expect_case(case_end(), VERDICT_KNOWN, "counted 9001 branches");
    begin(test);
    wrong.place = 2;
    wrong.tx = IN_TXCP;
    wrong.to = 0;
    wrong.add = 8999;
    expect_case(case_end(), VERDICT_FAIL, "counted 9000 branches");
}

static void interrupted_states(void **state)
{
    static const char *const names[] = {"general registers and status flags",
                                        "XMM0 to XMM15 and MXCSR changed",
                                        "YMM0 to YMM15 changed"};

    (void)state;
    begin(&test_tsx_interrupt_abort);
    state_enumerate(7);
    wrong.state_wrong = true;
    expect_case(case_end(), VERDICT_FAIL, names[0]);
    assert_int_equal(wrong.held, 9);
    for (unsigned i = 0; i < 3; i++)
        assert_non_null(strstr(t->text, names[i]));
    for (unsigned i = 0; i < 2; i++) { /* none comes there */
        begin(&test_tsx_interrupt_abort);
        wrong.body = i == 0 ? tsx_change_general : tsx_change_xmm;
        wrong.percent = 49; /* of 2000 */
        expect_case(case_end(), VERDICT_FAIL, names[i]);
        assert_non_null(
            strstr(t->text, "in 100 transactions, and no interrupt came"));
        assert_int_equal(wrong.held, i == 0 ? 2 * 100 + 4 : 7 + 100);
    }
    begin(&test_tsx_interrupt_abort);
    wrong.unnested = true;
    expect_case(case_end(), VERDICT_FAIL, "EAX[5] (nested) is 0 after 3");
    wrong.unnested = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_count),
        cmocka_unit_test(each_event),
        cmocka_unit_test(edges),
        cmocka_unit_test(nesting_and_edge),
        cmocka_unit_test(overflow),
        cmocka_unit_test(reads),
        cmocka_unit_test(clean_windows),
        cmocka_unit_test(invalid),
        cmocka_unit_test(fewer),
        cmocka_unit_test(interrupts),
        cmocka_unit_test(interrupt_events),
        cmocka_unit_test(interrupted_states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
