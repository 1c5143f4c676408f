/* SPDX-License-Identifier: BSD-2-Clause */
/* pdir_cases.c - the cases of PDIR and PDist, over a processor whose records
 * are of the instruction that overflowed where the manual says so, and of the
 * next elsewhere, and over the same with one thing otherwise. */
#include "asm/pdir_windows.h"
#include "src/pebs/precise.h"
#include "tests/host/cases/path_fixture.h"

extern const struct test test_pdir_even, test_pdir_skid;

#define BRANCH 0x01c4
#define LATER  0x11c4 /* from the 10th generation on */
#define OTHER  1000   /* from pdir_code: no label of a window is there */

static struct odd {
    unsigned opening;      /* what the opening WRMSR counts as */
    unsigned skid;         /* with PDIR, or PDist: events */
    unsigned skid_without; /* less 1 */
    unsigned skid_beside;  /* while another counter counts */
    unsigned skid_at_3;
    unsigned pdist;  /* skid of branches */
    unsigned each;   /* of so many windows alone, 0: of all */
    unsigned shadow; /* this place of the loop has no record */
    int64_t ip, rip; /* added, in each record of: */
    unsigned every;  /* so many */
    bool silent, twice, pdist_silent, pdist_twice;
    bool vector;        /* an exception at ring 3 */
    bool without_umask; /* C0H/00H has PDIR too */
} odd;
static unsigned windows;

static uint64_t code(uint32_t offset)
{
    return (uint64_t)(uintptr_t)pdir_code + offset;
}

/* "The PDIR facility": INST_RETIRED.ALL on IA32_PMC1; with extended PEBS
 * IA32_FIXED_CTR0; PDist is IA32_PMC0's. */
static void set_skids(uint64_t enable, bool user)
{
    const bool apply = odd.each == 0 || windows % odd.each == 0;
    const unsigned beside = (enable & (enable - 1)) != 0 ? odd.skid_beside : 0;
    const unsigned with = apply ? odd.skid + (user ? odd.skid_at_3 : 0) : 0;
    const uint64_t select = *msr(IA32_PERFEVTSEL(1));
    const bool later = t->cpu.pebs_format == 4;

    windows++;
    for (unsigned place = 0; place < PLACES; place++)
        path.skid[place] = 1 + odd.skid_without;
    if (!later && (select & 0xffff) == PRECISE_INSTRUCTIONS)
        path.skid[1] = with + beside;
    if (later)
        path.skid[PLACE_FIXED0] = with + beside;
    if (later && t->cpu.model == 0x8f)
        path.skid[0] = apply ? odd.pdist : 0;
    const bool precise =
        later ? (enable & BIT(PLACE_FIXED0)) != 0 : (enable & 2) != 0;
    const bool pdist =
        t->cpu.model == 0x8f && (*msr(IA32_PERFEVTSEL(0)) & 0xff) == 0xc4;
    path.silent =
        apply && ((precise && odd.silent) || (pdist && odd.pdist_silent));
    path.more = apply && ((precise && odd.twice) || (pdist && odd.pdist_twice));
    window_begins();
}

static void change(struct pebs_format3 *record, unsigned n)
{
    const bool is = odd.every != 0 && n % odd.every == 0;

    record->eventing_ip += (uint64_t)(is ? odd.ip : 0);
    record->rip += (uint64_t)(is ? odd.rip : 0);
    if (odd.shadow != 0 &&
        record->eventing_ip == code(pdir_loop_at[odd.shadow - 1])) {
        record->eventing_ip = code(pdir_loop_at[odd.shadow]);
        record->rip = code(pdir_loop_at[odd.shadow + 1]);
    }
}

static void labels(uint64_t enable, const uint32_t at[], unsigned count,
                   uint32_t event)
{
    for (unsigned n = 0; n < count; n++)
        retire(enable,
               &(struct spot){.at = code(at[n]),
                              .next = code(at[n + 1]),
                              .events = {event, event != 0 ? LATER : 0}});
}

static void open_window(uint64_t enable)
{
    set_skids(enable, false);
    path.change = change;
    for (unsigned n = 0; n < odd.opening; n++)
        step(enable, code(OTHER));
}

void pdir_straight(uint64_t enable, uint64_t nops)
{
    assert_true(nops <= PDIR_NOPS_MAX);
    open_window(enable);
    for (uint64_t n = 0; n <= nops; n++)
        step(enable, code(OTHER));
    labels(enable, pdir_straight_at, PDIR_STRAIGHT, 0);
}

/* The loop's place 1 follows the last. */
void pdir_loop(uint64_t enable, uint64_t turns)
{
    open_window(enable);
    for (uint64_t n = 0; n < turns; n++) {
        labels(enable, pdir_loop_at, PDIR_LOOP - 1, 0);
        retire(enable, &(struct spot){.at = code(pdir_loop_at[PDIR_LOOP - 1]),
                                      .next = code(pdir_loop_at[0])});
    }
}

void pdir_branches(uint64_t enable, uint64_t before)
{
    const struct spot branch = {
        .at = code(OTHER), .next = code(OTHER + 2), .events = {BRANCH, LATER}};

    assert_true(before <= PDIR_BRANCHES_MAX);
    open_window(enable);
    for (uint64_t n = 0; n < before; n++)
        retire(enable, &branch);
    labels(enable, pdir_branches_at, PDIR_STRAIGHT, BRANCH);
}

uint64_t pdir_opening(uint64_t enable, uint32_t index)
{
    const unsigned place = index >> 30 != 0 ? PLACE_FIXED0 : index;

    assert_int_equal(enable, BIT(place));
    assert_int_equal(*msr(bank_msr(place)), 0);
    return PDIR_BEFORE + odd.opening;
}

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    const uint64_t straight = (uint64_t)(ring3_body_straight - ring3_code);
    const uint32_t from =
        ring3->body - (uint32_t)(ring3_body_straight - ring3_body);

    assert_int_equal(ring3->level, 3);
    set_skids(enable, true);
    ring3->vector = odd.vector ? HW_GP : HW_NO_FAULT;
    for (unsigned n = 0; n < odd.opening + RING3_STRAIGHT_BEFORE; n++)
        step(enable, code(OTHER));
    for (unsigned n = from; n < RING3_STRAIGHT_NOPS; n++) {
        const uint64_t at = ring3->user_code + straight + n;
        retire(enable, &(struct spot){.at = at, .next = at + 1, .user = true});
    }
    return 0;
}

/* --- The cases ----------------------------------------------------------- */

static const struct processor {
    unsigned model, format;
} skylake = {0x5e, 3}, haswell = {0x3c, 2}, broadwell = {0x3d, 2},
  ice_lake = {0x6a, 4}, golden_cove = {0x8f, 4};

static enum verdict verdict_of(const struct test *test,
                               const struct processor *cpu)
{
    begin(test, cpu->model, cpu->format);
    windows = 0;
    return run_case();
}

static void expect(const struct test *test, const struct processor *cpu,
                   enum verdict wanted, const char *line)
{
    expect_case(verdict_of(test, cpu), wanted, line);
}

static void healthy(void **state)
{
    static const struct processor *const all_of[] = {
        &skylake, &haswell, &broadwell, &ice_lake, &golden_cove};

    (void)state;
    for (size_t i = 0; i < sizeof(all_of) / sizeof(all_of[0]); i++)
        for (unsigned opening = 0; opening <= 1; opening++) {
            odd = (struct odd){.opening = opening};
            expect(&test_pdir_skid, all_of[i], VERDICT_PASS,
                   "PDIR: 32 of 32 records are of the instruction that");
            expect(&test_pdir_even, all_of[i], VERDICT_PASS,
                   "PDIR: 124 records, 4 to 4 of each of 31 instructions");
        }
}

static void skids(void **state)
{
    static const struct {
        const struct processor *cpu;
        enum verdict verdict;
        const char *line;
        struct odd odd;
    } rows[] = {
        {&skylake,
         VERDICT_PASS,
         "0 of it, 0 one later, 16 two",
         {.skid_without = 1}},
        {&skylake, VERDICT_FAIL, "has counted", {.opening = 2}},
        {&skylake, VERDICT_FAIL, "which is no better", {.skid = 1}},
        {&skylake,
         VERDICT_PASS,
         "is of another instruction: 16 of 32",
         {.skid = 1, .each = 2}},
        {&skylake, VERDICT_FAIL, "32 made no record", {.silent = true}},
        {&skylake,
         VERDICT_FAIL,
         "3 made no record",
         {.silent = true, .each = 12}},
        {&skylake, VERDICT_FAIL, "made several", {.twice = true}},
        {&broadwell, VERDICT_KNOWN, "made several", {.twice = true}},
        {&skylake, VERDICT_FAIL, "PDIR: RIP (08H) of", {.rip = 1, .every = 2}},
        {&skylake,
         VERDICT_FAIL,
         "beside counters that count: PDIR:",
         {.skid_beside = 1}},
        {&skylake, VERDICT_FAIL, "at ring 3: PDIR:", {.skid_at_3 = 1}},
        {&ice_lake, VERDICT_FAIL, "which is no better", {.skid = 1}},
        {&ice_lake, VERDICT_FAIL, "at ring 3: PDIR:", {.skid_at_3 = 1}},
        {&golden_cove,
         VERDICT_PASS,
         "PDist: 32 of 32 records are of the branch",
         {.skid = 1}},
        {&golden_cove, VERDICT_FAIL, "which is no better", {.skid = 2}},
        {&golden_cove, VERDICT_FAIL, "PDist: 0 of 32", {.pdist = 1}},
        {&golden_cove,
         VERDICT_PASS,
         "record made with PDist is of another branch: ",
         {.pdist = 1, .each = 3}},
        {&golden_cove,
         VERDICT_FAIL,
         "PDist: 16 of 32",
         {.pdist = 1, .each = 2}},
        {&golden_cove,
         VERDICT_FAIL,
         "32 made no record and 0 several",
         {.pdist_silent = true}},
        {&golden_cove,
         VERDICT_FAIL,
         "0 made no record and 32 several",
         {.pdist_twice = true}},
        {&golden_cove,
         VERDICT_FAIL,
         "PDist: RIP (08H) of",
         {.rip = 1, .every = 1}},
        {&skylake, VERDICT_ERROR, "#GP at ring 3", {.vector = true}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        odd = rows[i].odd;
        expect(&test_pdir_skid, rows[i].cpu, rows[i].verdict, rows[i].line);
    }
}

static void evenness(void **state)
{
    static const struct {
        enum verdict verdict;
        const char *line;
        struct odd odd;
    } rows[] = {
        {VERDICT_PASS, "PDIR: 488 records, 8 to 16 of each", {.skid = 1}},
        {VERDICT_FAIL, "0 to 32 of each, 0 outside", {.shadow = 5}},
        {VERDICT_FAIL,
         "14 to 16 of each, 16 outside",
         {.ip = 1, .rip = 1, .every = 31}},
        {VERDICT_FAIL, "0 records of a loop", {.silent = true}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        odd = rows[i].odd;
        expect(&test_pdir_even, &skylake, rows[i].verdict, rows[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),
        cmocka_unit_test(skids),
        cmocka_unit_test(evenness),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
