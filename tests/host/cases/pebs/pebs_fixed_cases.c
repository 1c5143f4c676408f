/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_fixed_cases.c - records of fixed counters, over a processor with
 * extended PEBS, and over the same with one thing otherwise. */
#include "tests/host/cases/path_fixture.h"

extern const struct test test_pebs_fixed_counters;

#define CONDITIONAL 0x11c4
#define AN_EVENT    4 /* instructions; the branch is the last of them */

static struct odd {
    void (*change)(struct pebs_format3 *record, unsigned n);
    bool silent, without_bit, unsaid, of_general;
    uint64_t said; /* places */
    uint64_t more_reset;
    unsigned still; /* this fixed counter stands, from 1 */
    bool general_silent;
    unsigned late; /* instructions, to a record of cycles */
} odd;

/* Instructions, two cycles of the core and one of the TSC for each, and five
 * slots of a cycle. */
static void window_opens(void)
{
    static const unsigned weights[BANK_FIXED] = {1, 2, 1, 10};

    window_begins();
    for (unsigned n = 0; n < BANK_FIXED; n++)
        path.weight[PLACE_FIXED0 + n] = n + 1 == odd.still ? 0 : weights[n];
    for (unsigned n = 1; n < BANK_FIXED; n++)
        path.skid[PLACE_FIXED0 + n] = 1 + odd.late;
    path.change = odd.change;
    path.silent = odd.silent;
    path.without_bit = odd.without_bit;
    path.said = odd.said;
    path.unsaid = odd.unsaid;
    path.of_general = odd.of_general;
    path.more_reset = odd.more_reset;
}

void pebs_window(uint64_t enable, uint64_t flags, struct pebs_state *state)
{
    *state = (struct pebs_state){.rflags = flags};
    window_opens();
    if (odd.general_silent)
        enable &= ~BITS(3, 0);
    for (unsigned k = 0; k < PEBS_EVENTS; k++)
        for (unsigned n = 0; n < AN_EVENT; n++) {
            const uint64_t at =
                (uintptr_t)pebs_events + (uint64_t)k * PEBS_EVENT_BYTES + n;

            retire(enable,
                   &(struct spot){
                       .at = at,
                       .next = at + 1,
                       .events = {n + 1 == AN_EVENT ? CONDITIONAL : 0}});
        }
}

static void another_counter(struct pebs_format3 *record, unsigned n)
{
    (void)n;
    record->applicable_counter <<= 1;
}

static void one_more(struct pebs_format3 *record, unsigned n)
{
    (void)n;
    record->applicable_counter |= 1;
}

static void later(struct pebs_format3 *record, unsigned n)
{
    (void)n;
    record->tsc += BIT(32);
}

static void earlier(struct pebs_format3 *record, unsigned n)
{
    (void)n;
    record->tsc = 1;
}

static void outside(struct pebs_format3 *record, unsigned n)
{
    (void)n;
    record->eventing_ip += BIT(20);
}

static void before(struct pebs_format3 *record, unsigned n)
{
    (void)n;
    record->eventing_ip -= (uint64_t)PEBS_EVENTS * PEBS_EVENT_BYTES;
}

static void expect(unsigned model, enum verdict wanted, const char *line)
{
    begin(&test_pebs_fixed_counters, model, 4);
    expect_case(run_case(), wanted, line);
}

static void healthy(void **state)
{
    (void)state;
    odd = (struct odd){.change = NULL};
    expect(0x6a, VERDICT_PASS, "");
    expect(0x8f, VERDICT_PASS, "");
    begin(&test_pebs_fixed_counters, 0xad, 5); /* another DS area */
    expect_case(run_case(), VERDICT_PASS, "");
    odd.late = 80; /* where nothing is said of it */
    expect(0x6a, VERDICT_PASS, "");
}

static void deviations(void **state)
{
    static const struct {
        const char *line;
        struct odd odd;
    } rows[] = {
        {"its bit [32] of IA32_PEBS_ENABLE (3F1H) is 0: 1 records made",
         {.without_bit = true}},
        {"IA32_FIXED_CTR2 (30BH) counted 0 in a window", {.still = 3}},
        {"0 records made; wanted 2 or more", {.silent = true}},
        {"Applicable Counter (10H) of record 0 is 0x200000000",
         {.change = another_counter}},
        {"Applicable Counter (10H) of record 0 is 0x100000001",
         {.change = one_more}},
        {"TSC (18H) of record 0", {.change = later}},
        {"TSC (18H) of record 0", {.change = earlier}},
        {"Instruction Pointer (08H) of record 0", {.change = outside}},
        {"Instruction Pointer (08H) of record 0", {.change = before}},
        {"wanted its reset value 0xffffffffff00 at 80H", {.of_general = true}},
        {"IA32_FIXED_CTR0 (309H): of 1024 instructions", {.more_reset = 100}},
        {"which did not overflow since; wanted 0", {.said = UINT64_MAX}},
        {"which makes no records, started 16 events", {.unsaid = true}},
        {"names the set 0xf00000000; wanted 0xf0000000f",
         {.general_silent = true}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        odd = rows[i].odd;
        expect(0x6a, VERDICT_FAIL, rows[i].line);
    }
}

/* perfmon, CPU_CLK_UNHALTED.REF_TSC: it may overflow once more. */
static void status_of_each(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        odd = (struct odd){.said = BIT(PLACE_FIXED0 + n)};
        expect(0x6a, n == 2 ? VERDICT_PASS : VERDICT_FAIL,
               n == 2 ? "" : "which did not overflow since; wanted 0");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),
        cmocka_unit_test(deviations),
        cmocka_unit_test(status_of_each),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
