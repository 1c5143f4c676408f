/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_adaptive_cases.c - the groups of adaptive records, over a processor that
 * makes them as they are selected, and over the same with one thing otherwise.
 */
#include "tests/host/cases/path_fixture.h"

extern const struct test test_pebs_adaptive_groups, test_pebs_events;

#define ENTRIES 32

static struct odd {
    bool silent, silent_recorded; /* no records; where branches are recorded */
    unsigned record, field;       /* of this one, in each from 1, */
    uint64_t bits;                /* these are inverted */
    bool early, late;             /* its TSC */
    uint64_t form;                /* of its Record Format */
    bool timed;                   /* it has Retire Latency */
    bool stale_xmm;               /* those of the window before, */
    unsigned xmm;                 /* this quadword, from 1, */
    unsigned lbr;                 /* or this one of the LBRs */
    bool oldest_first, oldest, no_cycles;
    unsigned word;         /* or this one of its counters, */
    uint64_t sets;         /* where these are selected */
    uint64_t metrics;      /* not 0: what MSR_PERF_METRICS is then */
    bool of_1;             /* Adaptive_Record of that counter is all's */
    bool predicted;        /* what the registers have mispredicted */
    uint32_t lost, gained; /* this event is not, or always, of the branches */
} odd;

static void change(struct pebs_format3 *record, unsigned n)
{
    uint64_t *field = (uint64_t *)(void *)record + odd.field / 8;

    (void)n;
    *field ^= odd.bits;
    if (odd.early)
        record->tsc = 1;
    if (odd.late)
        record->tsc += BIT(32);
}

static void record_branch(uint64_t from, uint64_t to)
{
    static const uint64_t info = 5; /* cycles */
    const unsigned last = ENTRIES - 1;

    if ((*msr(IA32_DEBUGCTL) & IA32_DEBUGCTL_LBR) == 0)
        return;
    memmove(path.lbrs[1], path.lbrs[0], last * sizeof(path.lbrs[0]));
    path.lbrs[0][0] = from;
    path.lbrs[0][1] = to;
    path.lbrs[0][2] = odd.no_cycles ? 0 : info;
}

/* What of it a record has is changed, and back. */
static void change_entries(void)
{
    if (odd.lbr != 0)
        path.lbrs[(odd.lbr - 1) / 3][(odd.lbr - 1) % 3] ^= odd.bits;
    for (unsigned n = 0; odd.oldest && n < 8 * 3; n++) {
        uint64_t *const newest = &path.lbrs[n / 3][n % 3],
                        *const last = &path.lbrs[24 + n / 3][n % 3];
        const uint64_t held = *newest;

        *newest = *last;
        *last = held;
    }
    if (odd.oldest_first)
        for (unsigned n = 0; n < 3; n++) {
            const uint64_t first = path.lbrs[0][n];

            path.lbrs[0][n] = path.lbrs[7][n];
            path.lbrs[7][n] = first;
        }
}

/* Intel's lists of events, ICX and ADL. */
static void events_of(bool taken, uint32_t events[4])
{
    static const uint32_t core[] = {0x11c4, 0x20c4},
                          atom[] = {0x7ec4, 0xc0c4, 0xfec4};
    const bool is_atom = t->cpu.model == 0xbe;

    memcpy(events, is_atom ? atom : core,
           !taken    ? sizeof(core[0])
           : is_atom ? sizeof(atom)
                     : sizeof(core));
    if (odd.lost != 0)
        for (unsigned n = 0; n < 3; n++)
            events[n] = events[n] == odd.lost ? 0 : events[n];
    if (odd.gained != 0)
        events[3] = odd.gained;
}

/* The registers of the entry of that age: TOS is 1. */
static uint64_t *entry_of(unsigned age, unsigned i)
{
    const unsigned at = (1 + ENTRIES - age) % ENTRIES;
    const uint32_t msrs[] = {MSR_LASTBRANCH_FROM_IP(at),
                             MSR_LASTBRANCH_TO_IP(at), MSR_LBR_INFO(at)};

    return msr(msrs[i]);
}

static uint64_t last_xmm[32];

static void run(uint64_t enable, uint64_t flags, bool taken)
{
    const uint64_t complement = (flags & PEBS_COMPLEMENT) != 0 ? UINT64_MAX : 0;
    const uint64_t events =
        (uintptr_t)(taken ? pebs_events_taken : pebs_events);
    const uint64_t bytes = taken ? PEBS_TAKEN_BYTES : PEBS_EVENT_BYTES;
    const bool recorded = (*msr(IA32_DEBUGCTL) & IA32_DEBUGCTL_LBR) != 0;

    window_begins();
    for (unsigned n = 0; recorded && n < 3 * ENTRIES; n++)
        path.lbrs[n / 3][n % 3] = *entry_of(n / 3, n % 3);
    path.change = odd.field != 0 || odd.early || odd.late ? change : NULL;
    path.silent = odd.silent || (odd.silent_recorded && recorded);
    path.form = odd.form;
    path.adaptive_of_1 = odd.of_1;
    path.word = odd.word;
    path.sets = odd.sets;
    path.bits = odd.bits;
    if ((enable & IA32_PERF_GLOBAL_CTRL_PERF_METRICS) != 0)
        *msr(MSR_PERF_METRICS) = odd.metrics != 0 ? odd.metrics : 0x0f205080;
    for (unsigned i = 0; i < 32; i++)
        path.xmm[i] =
            (odd.stale_xmm ? last_xmm[i] : PEBS_PLANTED(i) ^ complement) ^
            (odd.xmm == i + 1 ? odd.bits : 0);
    for (unsigned i = 0; i < 32; i++)
        last_xmm[i] = PEBS_PLANTED(i) ^ complement;
    for (unsigned k = 1; k <= PEBS_EVENTS; k++) {
        const uint64_t begin = events + (k - 1) * bytes;
        struct spot s = {.at = begin + PEBS_EVENT_BRANCH,
                         .next = begin + bytes,
                         .holds = {.rflags = flags & ~PEBS_COMPLEMENT}};
        uint64_t *registers = &s.holds.rax;

        for (unsigned i = 0; i < 16; i++)
            registers[i] = i == 7 ? 0 : PEBS_PLANTED(i) ^ complement;
        s.holds.r15 += k;
        events_of(taken, s.events);
        if (taken)
            record_branch(s.at, s.next);
        if (recorded)
            change_entries();
        retire(enable, &s);
        if (recorded)
            change_entries();
    }
    for (unsigned n = 0; recorded && n < 3 * ENTRIES; n++)
        *entry_of(n / 3, n % 3) =
            path.lbrs[n / 3][n % 3] |
            (odd.predicted && n % 3 == 2 ? BIT(63) : UINT64_C(0));
}

void pebs_window(uint64_t enable, uint64_t flags, struct pebs_state *state)
{
    *state = (struct pebs_state){
        .rflags = flags & ~PEBS_COMPLEMENT,
        .complement = (flags & PEBS_COMPLEMENT) != 0 ? UINT64_MAX : 0};
    run(enable, flags, false);
}

void pebs_window_xmm(uint64_t enable, uint64_t flags, struct pebs_state *state)
{
    pebs_window(enable, flags, state);
}

void pebs_window_taken(uint64_t enable, uint64_t flags,
                       struct pebs_state *state)
{
    *state = (struct pebs_state){.rflags = flags};
    run(enable, flags, true);
}

uint64_t window_ring3(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];

    ring3->vector = HW_NO_FAULT;
    run(enable, 0, false);
    return 0;
}

static bool snapshots; /* records may have counters */

static void expect(enum verdict wanted, const char *line)
{
    begin(&test_pebs_adaptive_groups, 0x6a, 4);
    t->cpu.pebs_counters = snapshots;
    if (snapshots) {
        t->cpu.perf_capabilities |= IA32_PERF_CAPABILITIES_PERF_METRICS;
        *msr(MSR_PERF_METRICS) = 0;
    }
    t->cpu.perf_capabilities |= 5 | (odd.timed ? BIT(17) : 0);
    t->cpu.pdcm = true;
    *msr(MSR_LBR_SELECT) = *msr(MSR_LASTBRANCH_TOS) = 1;
    for (unsigned n = 0; n < ENTRIES; n++)
        *msr(MSR_LASTBRANCH_FROM_IP(n)) = *msr(MSR_LASTBRANCH_TO_IP(n)) =
            *msr(MSR_LBR_INFO(n)) = n + 1;
    expect_case(run_case(), wanted, line);
    assert_int_equal(*msr(MSR_PEBS_DATA_CFG), 1);
    assert_int_equal(*msr(IA32_DEBUGCTL), 0);
}

static void healthy(void **state)
{
    (void)state;
    odd = (struct odd){.record = 0};
    expect(VERDICT_PASS, "");
}

/* Retire Latency where 345H[17] does not say so was seen. */
static void not_enumerated(void **state)
{
    (void)state;
    odd = (struct odd){.form = BIT(32)};
    expect(VERDICT_PASS, "OBSERVED a record has Retire Latency without");
}

#define AT(name) (unsigned)offsetof(struct pebs_format3, name)

static void deviations(void **state)
{
    static const struct {
        const char *line;
        struct odd odd;
    } rows[] = {
        {"and made no record", {.silent = true}},
        {"branches recorded: IA32_PMC0 (C1H) overflowed",
         {.silent_recorded = true}},
        {"[63:48] is not the size of the groups", {.form = 1}},
        {"[63:48] is not the size of the groups", {.form = 8}},
        {"Retire Latency (00H[47:32]) of record 0 is 32768",
         {.form = BIT(47), .timed = true}},
        {"Instruction Pointer (08H) is",
         {.field = AT(eventing_ip), .bits = BIT(20)}},
        {"Applicable Counter (10H) is 0x3",
         {.field = AT(applicable_counter), .bits = 2}},
        {"TSC (18H) is 0x1;", {.early = true}},
        {"TSC (18H) is 0x", {.late = true}},
        {"(38H) of a record outside of transactions",
         {.field = AT(tx_abort), .bits = BIT(32)}},
        {"(38H) of a record outside of transactions",
         {.field = AT(tx_abort), .bits = BIT(33)}},
        {"0x2: record 0 is of no event", {.field = AT(r15), .bits = BIT(40)}},
        {"RCX (", {.field = AT(rcx), .bits = 1}},
        {"RBX (", {.field = AT(rbx), .bits = 1}},
        {"XMM0[63:0] of record 0", {.xmm = 1, .bits = 1}},
        {"XMM0[63:0] of record 0", {.stale_xmm = true}},
        {"LBR[0] of a record: FROM", {.predicted = true}},
        {"XMM15[127:64] of record 0", {.xmm = 32, .bits = BIT(63)}},
        {"LBR[0].FROM of record 0", {.lbr = 1, .bits = 1}},
        {"LBR[0] of record 0: FROM is", {.lbr = 2, .bits = 1}},
        {"LBR[7] of record 0: FROM is", {.lbr = 22, .bits = 1}},
        {"LBR[7] of record 0: INFO is", {.lbr = 24, .bits = BIT(61)}},
        {"LBR[31] of record 0: FROM is", {.lbr = 94, .bits = 1}},
        {"LBR[31] of record 0: INFO is", {.lbr = 96, .bits = BIT(61)}},
        {"LBR[3] of record 0: INFO is", {.lbr = 12, .bits = BIT(62)}},
        {"LBR[3] of record 0: INFO is", {.lbr = 12, .bits = BIT(20)}},
        {"LBR[20] of a record, of before the window", {.lbr = 63, .bits = 1}},
        {"and the record is of the branch at", {.oldest = true}},
        {"LBR[1] of a record: FROM 0x", {.oldest_first = true}},
        {"(Cycle Count) is 0 in each of", {.no_cycles = true}},
        {"Adaptive_Record is 0, and 1 in IA32_PERFEVTSEL1", {.of_1 = true}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        odd = rows[i].odd;
        expect(VERDICT_FAIL, rows[i].line);
    }
}

#define PMC(n)   PEBS_DATA_GENERAL(n)
#define FIXED(n) PEBS_DATA_FIXED(n)

/* The first two words are the header, IA32_PMC0 the next, then others. */
static void counters(void **state)
{
    static const struct {
        const char *line;
        struct odd odd;
    } rows[] = {
        {"IA32_PMC0 (C1H) = 0x", {.word = 3, .sets = PMC(0), .bits = BIT(20)}},
        {"IA32_PMC1 (C2H) = 0x", {.word = 3, .sets = PMC(1), .bits = BIT(20)}},
        {"IA32_PMC3 (C4H) = 0x", {.word = 3, .sets = PMC(3), .bits = BIT(5)}},
        {"IA32_FIXED_CTR0 (309H) = 0x",
         {.word = 3, .sets = FIXED(0), .bits = BIT(20)}},
        {"IA32_FIXED_CTR3 (30CH) = 0x",
         {.word = 3, .sets = FIXED(3), .bits = BIT(47)}},
        {"by Record Format and the sets in its counters' header",
         {.word = 1, .sets = PMC(2), .bits = BITS(3, 2)}},
        {"Metrics Base = 0x", {.word = 3, .bits = BIT(20)}},
        {"Metrics Data = 0x0", {.word = 4, .bits = 0x0f205080}},
        {"are 264 together; wanted 255, or 8", {.metrics = 0x0f205089}},
    };

    (void)state;
    snapshots = true;
    odd = (struct odd){.record = 0};
    expect(VERDICT_PASS, "");
    odd.metrics = 0x0f205088; /* 263 */
    expect(VERDICT_PASS, "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        odd = rows[i].odd;
        expect(VERDICT_FAIL, rows[i].line);
    }
    snapshots = false;
}

/* Which event is of which branches, by generation. */
static void events(void **state)
{
    static const struct {
        unsigned model;
        uint32_t lost, gained;
        const char *line;
    } rows[] = {
        {0x6a, 0, 0, NULL},
        {0x8f, 0, 0, NULL},
        {0xbe, 0, 0, NULL},
        {0x6a, 0x11c4, 0, "BR_INST_RETIRED.COND (C4H/11H)"},
        {0x6a, 0x20c4, 0, "BR_INST_RETIRED.NEAR_TAKEN (C4H/20H)"},
        {0x6a, 0, 0x20c4, "BR_INST_RETIRED.NEAR_TAKEN (C4H/20H)"},
        {0x6a, 0, 0x02c4, "BR_INST_RETIRED.NEAR_CALL (C4H/02H)"},
        {0x8f, 0, 0x08c4, "BR_INST_RETIRED.NEAR_RETURN (C4H/08H)"},
        {0xbe, 0x7ec4, 0, "BR_INST_RETIRED.COND (C4H/7EH)"},
        {0xbe, 0xc0c4, 0, "BR_INST_RETIRED.NEAR_TAKEN (C4H/C0H)"},
        {0xbe, 0, 0xc0c4, "BR_INST_RETIRED.NEAR_TAKEN (C4H/C0H)"},
        {0xbe, 0, 0xf7c4, "BR_INST_RETIRED.NEAR_RETURN (C4H/F7H)"},
        {0xbe, 0, 0xf9c4, "BR_INST_RETIRED.NEAR_CALL (C4H/F9H)"},
        {0xbe, 0xfec4, 0, "BR_INST_RETIRED.COND_TAKEN (C4H/FEH)"},
        {0xbe, 0, 0xfec4, "BR_INST_RETIRED.COND_TAKEN (C4H/FEH)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        odd = (struct odd){.lost = rows[i].lost, .gained = rows[i].gained};
        begin(&test_pebs_events, rows[i].model, 4);
        expect_case(run_case(),
                    rows[i].line == NULL ? VERDICT_PASS : VERDICT_FAIL,
                    rows[i].line == NULL ? "" : rows[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),    cmocka_unit_test(not_enumerated),
        cmocka_unit_test(deviations), cmocka_unit_test(counters),
        cmocka_unit_test(events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
