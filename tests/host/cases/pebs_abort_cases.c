/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_abort_cases.c - the cases of records of RTM aborts, over a processor
 * whose transactions end as their bodies are named, and over the same with one
 * thing otherwise. */
#include "asm/hle_regions.h"
#include "asm/rtm_store.h"
#include "asm/tsx_bodies.h"
#include "src/pebs/precise.h"
#include "src/tsx/pair.h"
#include "src/tsx/status.h"
#include "tests/host/cases/pebs_fixture.h"
#include "tests/host/cases/ring3_fixture.h"

extern const struct test test_pebs_inside_tx, test_pebs_tx_abort,
    test_pebs_tx_conflict, test_pebs_tx_cycles;

#define BODY(name) const uint8_t tsx_body_##name[64] = {0};
BODY(hold_nested)
BODY(nest_write_lines)
BODY(spin)
BODY(spin_xabort)
BODY(nest_spin_xabort)
BODY(spin_nest_xabort)
BODY(nest_xabort_at)
BODY(divide_fault)
#undef BODY
const uint8_t hle_xchg_acquired[64] = {0};

#define INSTRUCTION TX_ABORT_INSTRUCTION_ABORT
#define ANY_OTHER   TX_ABORT_NON_INSTRUCTION_ABORT
#define CONFLICT    (RTM_STATUS_RETRY | RTM_STATUS_CONFLICT)

/* How a transaction ends, by its body. */
struct end {
    const uint8_t *body;
    uint32_t status;
    uint64_t info; /* B8H[39:34] but Retry */
    const uint8_t *at;
};
static const struct end ends[] = {
    {tsx_bodies_xabort + 0x5a * TSX_XABORT_BYTES, 0x5a000001, INSTRUCTION,
     tsx_bodies_xabort + 0x5a * TSX_XABORT_BYTES},
    {tsx_body_nest_xabort, 0x5a000021, INSTRUCTION, tsx_body_nest_xabort_at},
    {tsx_body_cpuid, 0, INSTRUCTION, tsx_body_cpuid + 4},
    {tsx_body_pause, 0, INSTRUCTION, tsx_body_pause},
    {tsx_body_ud2, 0, INSTRUCTION, tsx_body_ud2},
    {tsx_body_divide, 0, INSTRUCTION, tsx_body_divide_fault},
    {tsx_body_write_lines, RTM_STATUS_CAPACITY,
     ANY_OTHER | TX_ABORT_CAPACITY_WRITES, tsx_body_write_lines},
    {tsx_body_read_lines, RTM_STATUS_CAPACITY,
     ANY_OTHER | TX_ABORT_CAPACITY_READS, tsx_body_read_lines},
    {tsx_body_store, RTM_STATUS_BREAKPOINT, INSTRUCTION, tsx_body_store},
    {tsx_body_hold_load, CONFLICT, ANY_OTHER | TX_ABORT_DATA_CONFLICT,
     tsx_body_hold_load},
    {tsx_body_hold_nested, CONFLICT | RTM_STATUS_NESTED,
     ANY_OTHER | TX_ABORT_DATA_CONFLICT, tsx_body_hold_nested},
    {tsx_body_spin_xabort, TSX_SPIN_STATUS, INSTRUCTION, tsx_body_spin_xabort},
    {tsx_body_nest_spin_xabort, TSX_SPIN_STATUS | RTM_STATUS_NESTED,
     INSTRUCTION, tsx_body_nest_spin_xabort},
    {tsx_body_spin_nest_xabort, TSX_SPIN_STATUS | RTM_STATUS_NESTED,
     INSTRUCTION, tsx_body_spin_nest_xabort},
    {tsx_body_read_lines_xabort, TSX_SPIN_STATUS, INSTRUCTION,
     tsx_body_read_lines_xabort},
    {tsx_body_nothing, 0, ANY_OTHER, tsx_body_nothing},
};
#define LINES_OF_A_TRANSACTION 512

/* What is otherwise. */
struct wrong {
    const uint8_t *of; /* in transactions of this body; NULL: in all */
    unsigned only;     /* in this record alone, from 1; 0: in all */
    uint64_t info;     /* XORed to B8H */
    uint32_t status;   /* and to EAX */
    int64_t rip, ip, cycles;
    int64_t slow;       /* added to what the clock says of a transaction */
    uint64_t after;     /* XORed to B8H of a record after a transaction */
    bool stale;         /* which has the time of the last abort */
    unsigned most;      /* records; 0: no limit */
    bool silent;        /* none */
    unsigned uncounted; /* aborts that a counter loses */
    bool commits, leaks, loses;
    unsigned cause;       /* in EAX of an abort by a record */
    bool outside;         /* IN_TX counts outside of transactions */
    bool idle;            /* the other processor's writes abort nothing */
    bool conflicts_ring3; /* at ring 3 they do, and no record is made */
    uint64_t sticky;      /* of B8H: 1 where it was in the abort before */
    bool adds;            /* cycles of the commit before */
    bool of_hle; /* HLE_Abort is that of the last abort of any kind, too */
};
static struct wrong wrong;
static bool hle_before;                        /* the last abort was one */
static uint64_t info_before, committed_before; /* of the transaction before */
static unsigned records;

static bool is_wrong(const struct tsx_block *b)
{
    return wrong.of == NULL || wrong.of == b->body;
}

static uint64_t cycles_of(const struct tsx_block *b)
{
    return b->body == tsx_body_read_lines_xabort ? 140000
           : b->body == tsx_body_nest_jump       ? 20
                                                 : b->count + 20;
}

static void record_abort(const struct tsx_block *b, const struct end *end,
                         unsigned counters)
{
    const bool is =
        is_wrong(b) && (wrong.only == 0 || wrong.only == records + 1);
    struct pebs_format3 record = {
        .rip =
            (uintptr_t)(b->body == hle_xchg_acquired ? b->body : tsx_fallback) +
            (uint64_t)(is ? wrong.rip : 0),
        .eventing_ip = (uintptr_t)end->at + (uint64_t)(is ? wrong.ip : 0),
        .applicable_counter = counters,
        .tsc = hw_tsc(),
        .tx_abort =
            (cycles_of(b) + (uint64_t)(is ? wrong.cycles : 0)) |
            (b->body == hle_xchg_acquired ? TX_ABORT_HLE_ABORT
                                          : TX_ABORT_RTM_ABORT) |
            end->info |
            ((end->status & RTM_STATUS_RETRY) != 0 ? TX_ABORT_RETRY : 0)};

    if (wrong.of_hle && hle_before)
        record.tx_abort |= TX_ABORT_HLE_ABORT;
    hle_before = b->body == hle_xchg_acquired;
    if (!has_room() || (is && wrong.silent) ||
        (wrong.most != 0 && records >= wrong.most))
        return;
    record.tx_abort ^= is ? wrong.info : 0;
    record.tx_abort |= wrong.sticky & info_before;
    record.tx_abort += wrong.adds ? committed_before : 0;
    put(&record);
    reached();
    records++;
}

/* Every second abort makes a record: the first overflows. */
static void count_abort(uint64_t event, const struct tsx_block *b,
                        const struct end *end)
{
    for (unsigned n = 0; n < COUNTERS; n++) {
        uint64_t *value = msr(IA32_PMC(n));
        if ((*msr(IA32_PERF_GLOBAL_CTRL) >> n & 1) == 0 ||
            (*msr(IA32_PERFEVTSEL(n)) & 0xffff) != event ||
            (n == 1 && wrong.uncounted != 0 && wrong.uncounted-- != 0))
            continue;
        *value = (*value + 1) & MASK;
        if (pending[n] != 0) {
            pending[n] = 0;
            *value = area()->pebs_reset[n];
            record_abort(b, end, 1u << n);
        } else if (*value == 0 && (*msr(IA32_PEBS_ENABLE) >> n & 1) != 0)
            pending[n] = 1;
    }
    info_before = end->info |
                  ((end->status & RTM_STATUS_RETRY) != 0 ? TX_ABORT_RETRY : 0);
    committed_before = 0;
}

/* The branches of lines: with a record amid them the transaction aborts. */
static bool is_recorded(const struct tsx_block *b, struct end *end)
{
    const uint64_t left = -*msr(IA32_PMC(0)) & MASK;

    if ((b->body != tsx_body_write_lines &&
         b->body != tsx_body_nest_write_lines) ||
        (*msr(IA32_PERFEVTSEL(0)) & 0xffff) != PRECISE_CONDITIONAL_BRANCHES ||
        (*msr(IA32_PERF_GLOBAL_CTRL) & 1) == 0 || left >= b->count)
        return false;
    *end = (struct end){b->body, wrong.cause, ANY_OTHER, b->body + 8};
    *msr(IA32_PMC(0)) = area()->pebs_reset[0];
    record_abort(b, end, 1);
    return true;
}

static bool finds_end(const struct tsx_block *b, struct end *end)
{
    if (b->body == tsx_body_spin ||
        (b->body == tsx_body_write_lines &&
         b->count <= LINES_OF_A_TRANSACTION) ||
        (b->body == tsx_body_nothing && *msr(TSX_FORCE_ABORT) == 0) ||
        ((b->body == tsx_body_hold_load || b->body == tsx_body_hold_nested) &&
         wrong.idle))
        return false;
    const bool inner = b->body == tsx_body_nest_jump;
    const uint8_t *body =
        inner ? (const uint8_t *)(uintptr_t)b->count : b->body;

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (ends[i].body == body)
            *end = ends[i];
    end->status |= inner ? RTM_STATUS_NESTED : 0;
    return end->body != NULL;
}

static int commit(struct tsx_block *b)
{
    b->status = RTM_STATUS_STARTED;
    committed_before = cycles_of(b);
    if (!wrong.stale)
        device.tx_abort = cycles_of(b);
    return TSX_COMMITTED;
}

int tsx_inside(struct tsx_block *b)
{
    struct end end = {.body = NULL};
    const bool recorded = is_recorded(b, &end);

    if ((*msr(IA32_PERFEVTSEL(1)) & 0xffff) == 0x3c)
        *msr(IA32_PMC(1)) += cycles_of(b) + 10 + (uint64_t)wrong.slow;
    if ((!recorded && !finds_end(b, &end)) || (recorded && wrong.commits))
        return commit(b);
    if (is_wrong(b))
        end.status ^= wrong.status;
    if (!recorded)
        count_abort(PRECISE_RTM_ABORTED, b, &end);
    device.tx_abort = cycles_of(b) ^ wrong.after;
    b->status = end.status;
    b->unrestored = wrong.loses;
    if (recorded && wrong.leaks)
        ((volatile uint64_t *)(uintptr_t)b->argument)[8] = 1;
    return TSX_ABORTED;
}

/* An elided lock beside which another processor writes, wherever aborts are
 * counted: then the section is executed without elision. */
static unsigned elided_again; /* before that */

void hle_xchg(struct hle_block *block)
{
    static const struct tsx_block b = {.body = hle_xchg_acquired};
    static const struct end end = {hle_xchg_acquired, 0,
                                   ANY_OTHER | TX_ABORT_DATA_CONFLICT,
                                   hle_xchg_acquired + 8};
    const bool aborts =
        (*msr(IA32_PERF_GLOBAL_CTRL) & 1) != 0 &&
        (*msr(IA32_PERFEVTSEL(0)) & 0xffff) == PRECISE_HLE_ABORTED;

    block->inside = !aborts && t->cpu.hle;
    block->seen = block->data = block->far = 1;
    for (unsigned n = 0; aborts && n <= elided_again; n++)
        count_abort(PRECISE_HLE_ABORTED, &b, &end);
}

void hle_other_value(struct hle_block *block)
{
    (void)block;
    hle_before = true;
}

/* Of rtm_try(). */
int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax)
{
    *cell = value;
    *eax = RTM_STATUS_STARTED;
    return RTM_COMMITTED;
}

/* After the line of the arena, in the boot processor's buffer. */
#define PAIR ((struct pair *)(void *)(buffers[0] + 4096))

#define PAIR_RING3 ((struct pair *)(void *)(buffers[0] + TEST_BUFFER_BYTES / 2))

static void step_beside(void)
{
    struct pair *pair = PAIR_RING3->repeat != NULL ? PAIR_RING3 : PAIR;

    if (pair->repeat == NULL || pair->stop)
        return;
    pair->repeat(&all[1], pair->argument);
    pair->rounds++;
}

/* Both of its transactions end alike; as conflicts, where it is to be one. */
uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    struct ring3_state *state = (void *)(uintptr_t)ring3->data;

    (void)enable;
    ring3->vector = HW_NO_FAULT;
    state->results[0] = state->results[1] =
        wrong.conflicts_ring3 ? CONFLICT : 0;
    return 0;
}

static bool elides; /* HLE */

static enum verdict verdict_of(const struct test *test)
{
    begin(test);
    ring3_firmware();
    device.outside_too = wrong.outside;
    records = 0;
    memset(buffers[0], 0, sizeof(buffers[0]));
    t->cpu.hle = elides;
    if (elides)
        t->cpu.tsx_force_abort = false; /* regime A */
    if (test == &test_pebs_tx_conflict)
        fake_beside = step_beside;
    return case_end();
}

static void healthy(void **state)
{
    (void)state;
    wrong = (struct wrong){.of = NULL};
    expect_case(verdict_of(&test_pebs_inside_tx), VERDICT_PASS,
                "25 of 25 transactions made a record");
    expect_case(verdict_of(&test_pebs_tx_abort), VERDICT_PASS,
                "XABORT: 12 records of 24 aborts, 12 by this cause");
    expect_case(verdict_of(&test_pebs_tx_conflict), VERDICT_PASS,
                "5 records of 10 aborts, 3 with Data_Conflict");
    expect_case(verdict_of(&test_pebs_tx_cycles), VERDICT_PASS, "");
}

static void deviations(void **state)
{
    static const struct {
        const struct test *test;
        enum verdict verdict;
        const char *line;
        struct wrong wrong;
    } rows[] = {
        ROW(tx_abort, FAIL, "made 0; wanted a quarter", .silent = true,
            .of = tsx_body_cpuid),
        ROW(tx_abort, FAIL, "and RTM_RETIRED.ABORTED counted 23",
            .uncounted = 1),
        ROW(tx_abort, FAIL, "is not 10b", .info = BIT(33),
            .of = tsx_body_pause),
        ROW(tx_abort, FAIL, "is not 10b", .info = BIT(32), .of = tsx_body_ud2),
        ROW(tx_abort, FAIL, "is not the aborting instruction", .ip = 1,
            .of = tsx_body_divide),
        ROW(tx_abort, FAIL, "is not the aborting instruction", .ip = 1,
            .of = tsx_body_cpuid),
        ROW(tx_abort, FAIL, "contradict", .info = ANY_OTHER,
            .of = tsx_body_nest_xabort),
        ROW(tx_abort, FAIL, "[35:34] is 0 in 12 of 12", .info = INSTRUCTION,
            .of = tsx_body_ud2),
        ROW(tx_abort, FAIL, "(Instruction_Abort) is 1 in 0 of",
            .info = INSTRUCTION, .of = tsx_body_pause),
        ROW(tx_abort, FAIL, "[36] (Retry)", .info = TX_ABORT_RETRY),
        ROW(tx_abort, FAIL, "EAX[2] is not", .info = TX_ABORT_DATA_CONFLICT,
            .of = tsx_body_write_lines),
        ROW(tx_abort, FAIL, "EAX[3] is not", .info = TX_ABORT_CAPACITY_READS,
            .of = tsx_body_store),
        ROW(tx_abort, FAIL, "(Capacity Writes) is 1 in 0 of",
            .info = TX_ABORT_CAPACITY_WRITES, .of = tsx_body_write_lines),
        ROW(tx_abort, FAIL, "(Capacity Reads) is 1",
            .info = TX_ABORT_CAPACITY_READS, .of = tsx_body_write_lines),
        ROW(tx_abort, FAIL, "(Capacity Reads) is 1 in 0 of",
            .info = TX_ABORT_CAPACITY_READS, .of = tsx_body_read_lines),
        ROW(tx_abort, FAIL, "(Capacity Writes) is 1",
            .info = TX_ABORT_CAPACITY_WRITES, .of = tsx_body_read_lines),
        ROW(tx_abort, FAIL, "the first instruction of the outermost", .rip = -1,
            .of = tsx_body_nest_xabort),
        ROW(tx_conflict, FAIL, "none with Data_Conflict", .idle = true),
        ROW(tx_conflict, FAIL, "none with Data_Conflict",
            .info = TX_ABORT_DATA_CONFLICT, .of = tsx_body_hold_load),
        ROW(tx_conflict, FAIL, "in an inner transaction: ",
            .info = TX_ABORT_DATA_CONFLICT, .of = tsx_body_hold_nested),
        ROW(tx_conflict, FAIL, "none with Data_Conflict", .silent = true),
        ROW(tx_conflict, FAIL, "is no address of this program's code",
            .ip = INT64_C(1) << 40),
        ROW(tx_conflict, FAIL, "EAX[2] is not", .status = RTM_STATUS_CONFLICT),
        ROW(tx_conflict, FAIL, "(Non_Instruction_Abort) is 1 in 0 of",
            .info = INSTRUCTION | ANY_OTHER),
        ROW(tx_conflict, FAIL, "(Capacity Writes)",
            .info = TX_ABORT_CAPACITY_WRITES, .status = RTM_STATUS_CAPACITY),
        ROW(tx_conflict, FAIL, "(Capacity Reads)",
            .info = TX_ABORT_CAPACITY_READS, .status = RTM_STATUS_CAPACITY),
        ROW(tx_conflict, FAIL, "[36] (Retry)", .info = TX_ABORT_RETRY),
        ROW(tx_conflict, FAIL, "at ring 3: no record in 3 windows",
            .conflicts_ring3 = true),
        /* What the abort before has set. */
        ROW(tx_conflict, FAIL, "[36] (Retry) is 1", .sticky = TX_ABORT_RETRY),
        ROW(tx_conflict, FAIL, "(Data_Conflict) is 1",
            .sticky = TX_ABORT_DATA_CONFLICT),
        ROW(tx_abort, FAIL, "XABORT after stores to many lines: ",
            .sticky = TX_ABORT_CAPACITY_WRITES),
        ROW(tx_cycles, FAIL, "the record of an abort", .adds = true),
        ROW(tx_cycles, PASS, "", .cycles = -20),
        ROW(tx_cycles, FAIL, "wanted 100 or more", .cycles = -21,
            .of = tsx_body_spin_xabort),
        ROW(tx_cycles, FAIL, "an abort in an inner transaction", .cycles = -21,
            .of = tsx_body_nest_spin_xabort),
        ROW(tx_cycles, FAIL, "an abort in an inner transaction", .cycles = -21,
            .of = tsx_body_spin_nest_xabort),
        ROW(tx_cycles, FAIL, "wanted 100 or more", .cycles = -21, .only = 3,
            .of = tsx_body_spin_xabort),
        ROW(tx_cycles, PASS, "", .cycles = 10),
        ROW(tx_cycles, FAIL, "no more than the 130 core", .cycles = 11,
            .of = tsx_body_spin_xabort),
        ROW(tx_cycles, FAIL, "after many loads", .cycles = -140000 + 65535,
            .of = tsx_body_read_lines_xabort),
        ROW(tx_cycles, PASS, "", .cycles = -140000 + 65536,
            .of = tsx_body_read_lines_xabort),
        ROW(tx_cycles, PASS, "", .cycles = -1044 + 8,
            .of = tsx_body_write_lines),
        ROW(tx_cycles, FAIL, "by too many stores", .cycles = -1044 + 7,
            .of = tsx_body_write_lines),
        ROW(tx_cycles, FAIL, "by too many stores", .cycles = 11,
            .of = tsx_body_write_lines),
        ROW(tx_cycles, FAIL, "of a branch after an abort", .after = BIT(20)),
        ROW(tx_cycles, FAIL, "[33:32] = 0, it is of no", .after = BIT(32)),
        ROW(tx_cycles, FAIL, "[33:32] = 0, it is of no", .after = BIT(33)),
        ROW(tx_cycles, FAIL, "of a branch after a commit", .stale = true),
        ROW(tx_cycles, FAIL, "0 records of aborts", .silent = true,
            .of = tsx_body_spin_xabort),
        ROW(tx_cycles, FAIL, "0 of aborts in an inner", .silent = true,
            .of = tsx_body_nest_spin_xabort),
        ROW(tx_cycles, FAIL, "0 of such after the turns", .silent = true,
            .of = tsx_body_spin_nest_xabort),
        ROW(inside_tx, FAIL, "25 of 25 transactions committed although",
            .commits = true),
        ROW(inside_tx, FAIL, "made no record", .silent = true),
        ROW(inside_tx, FAIL, "1 of 128 lines", .leaks = true),
        ROW(inside_tx, FAIL, "1 registers", .loses = true),
        ROW(inside_tx, FAIL, "names another cause",
            .cause = RTM_STATUS_CAPACITY),
        ROW(inside_tx, PASS, "", .cause = RTM_STATUS_RETRY),
        ROW(inside_tx, PASS, "", .cause = RTM_STATUS_NESTED),
        ROW(inside_tx, FAIL, "is not 10b", .info = BIT(32)),
        ROW(inside_tx, FAIL, "branches follow", .ip = 56),
        ROW(inside_tx, FAIL, "branches follow", .ip = -9),
        ROW(inside_tx, PASS, "", .ip = 55),
        ROW(inside_tx, PASS, "", .ip = -8),
        ROW(inside_tx, FAIL, "the outermost fallback", .rip = -1),
        ROW(inside_tx, FAIL, "outside of transactions", .outside = true),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        wrong = rows[i].wrong;
        expect_case(verdict_of(rows[i].test), rows[i].verdict, rows[i].line);
    }
}

/* RTM_FORCE_ABORT: a record of a forced abort, if there is one, is right. */
static void forced(void **state)
{
    (void)state;
    for (unsigned is = 0; is < 2; is++) {
        begin(&test_pebs_tx_abort);
        t->cpu.tsx_force_abort = true;
        t->regime = REGIME_B;
        fake_msr(TSX_FORCE_ABORT)->value = 0;
        wrong = (struct wrong){.of = tsx_body_nothing,
                               .info = is != 0 ? BIT(32) : 0};
        records = 0;
        expect_case(case_end(), is != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    "RTM_FORCE_ABORT = 1: ");
        assert_non_null(strstr(t->text, "4 records of 8 aborts"));
    }
}

/* The same of elided locks. */
static void elided_locks(void **state)
{
    (void)state;
    wrong = (struct wrong){.of = NULL};
    elides = true;
    expect_case(verdict_of(&test_pebs_tx_conflict), VERDICT_PASS,
                "an elided lock: 3 records of 6 aborts, 3 with Data_Conflict");
    for (elided_again = 1; elided_again <= 2; elided_again++)
        expect_case(verdict_of(&test_pebs_tx_conflict), VERDICT_FAIL,
                    "wanted one a section at most");
    elided_again = 0;
    expect_case(verdict_of(&test_pebs_tx_abort), VERDICT_PASS,
                "XABORT: 12 records of 24 aborts, 12 by this cause");
    wrong = (struct wrong){.of_hle = true};
    expect_case(verdict_of(&test_pebs_tx_abort), VERDICT_FAIL, "XABORT: ");
    wrong = (struct wrong){.of = hle_xchg_acquired, .info = BIT(33)};
    expect_case(verdict_of(&test_pebs_tx_conflict), VERDICT_FAIL, "an elided");
    elides = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),
        cmocka_unit_test(elided_locks),
        cmocka_unit_test(deviations),
        cmocka_unit_test(forced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
