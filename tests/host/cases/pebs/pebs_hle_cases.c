/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_hle_cases.c - records of elided sections that abort, over a processor
 * that makes them as the manual says, and over the same with one thing
 * otherwise. */
#include "asm/hle_regions.h"
#include "asm/tsx_bodies.h"
#include "src/pebs/precise.h"
#include "tests/host/cases/path_fixture.h"

extern const struct test test_pebs_hle_abort;

#define LABELS(name) const uint8_t name[256] = {0};
LABELS(hle_xchg_acquired)
LABELS(hle_other_value_acquired)
LABELS(hle_inner_acquired)
LABELS(hle_stores_acquired)
LABELS(hle_other_value_release)
LABELS(hle_inner_pause)
LABELS(hle_two_acquire)
__asm__(".globl hle_xchg_release, hle_two_release, hle_two_acquired\n"
        ".set hle_xchg_release, hle_xchg_acquired + 64\n"
        ".set hle_two_release, hle_two_acquire + 64\n"
        ".set hle_two_acquired, hle_two_acquire + 32\n");

#define CONDITIONAL 0x01c4
#define CYCLES      50 /* of a section, beside its turns */
#define INSTRUCTION TX_ABORT_INSTRUCTION_ABORT
#define ANY_OTHER   TX_ABORT_NON_INSTRUCTION_ABORT

static struct odd {
    const uint8_t *of; /* the section that ends there; NULL: each */
    uint64_t info;     /* XORed to B8H */
    int64_t rip, ip, cycles;
    bool silent, at_once; /* records: none; of the first abort, too */
    unsigned uncounted;   /* aborts that IA32_PMC1 loses */
    bool not_elided, refused;
    bool goes_on;       /* an elided section that makes a record */
    bool late;          /* .. and is of a branch after it */
    bool inside_silent; /* no record there */
    uint64_t inside_info;
    int64_t inside_rip;
    unsigned outer_aborts; /* so often, and it is not elided again */
} odd;

static bool is_odd(const uint8_t *end)
{
    return odd.of == NULL || odd.of == end;
}

/* Else nothing is elided. */
static bool is_free(const struct hle_block *block, unsigned lock)
{
    return ((const volatile uint64_t *)block->lock)[lock] == 0;
}

/* A section aborts, and is executed again. */
static void aborts(const struct hle_block *block, const uint8_t *acquired,
                   const uint8_t *at, uint64_t info)
{
    const uint64_t enable = *msr(IA32_PERF_GLOBAL_CTRL);
    const bool is = is_odd(acquired);
    const uint64_t took = block->turns + 10;
    struct spot s = {
        .at = (uintptr_t)at + (uint64_t)(is ? odd.ip : 0),
        .next = (uintptr_t)acquired + (uint64_t)(is ? odd.rip : 0),
        .events = {PRECISE_HLE_ABORTED},
        .holds = {.tx_abort = ((took + (uint64_t)(is ? odd.cycles : 0)) | info |
                               TX_ABORT_HLE_ABORT) ^
                              (is ? odd.info : 0)}};

    assert_true(is_free(block, 0));
    path.silent = is && odd.silent;
    path.skid[0] = odd.at_once ? 0 : 1;
    if ((enable >> 1 & 1) != 0 && (*msr(IA32_PERFEVTSEL(1)) & 0xff) == 0x3c)
        *msr(IA32_PMC(1)) += block->turns + CYCLES;
    retire(is && odd.uncounted != 0 && odd.uncounted-- != 0 ? enable & ~BIT(2)
                                                            : enable,
           &s);
}

void hle_other_value(struct hle_block *block)
{
    aborts(block, hle_other_value_acquired, hle_other_value_release,
           INSTRUCTION);
}

void hle_inner(struct hle_block *block)
{
    assert_true(is_free(block, 8));
    aborts(block, hle_inner_acquired, hle_inner_pause, INSTRUCTION);
}

void hle_stores(struct hle_block *block)
{
    aborts(block, hle_stores_acquired, hle_stores_acquired,
           ANY_OTHER | TX_ABORT_CAPACITY_WRITES);
}

/* So many branches, of which one that makes a record ends the elision; they
 * are executed again then. */
static void branches(struct hle_block *block, const uint8_t *acquired)
{
    const uint64_t enable = *msr(IA32_PERF_GLOBAL_CTRL);
    struct spot s = {.at = (uintptr_t)acquired + 8,
                     .next = (uintptr_t)acquired + 4,
                     .events = {CONDITIONAL}};
    const unsigned made = path.made;

    if (odd.late)
        s.next = (uintptr_t)acquired + 64;

    assert_true(is_free(block, 0));
    block->inside = block->ask != 0 && !odd.not_elided;
    block->seen = 1;
    block->data++;
    path.skid[0] = 1;
    path.silent = odd.inside_silent;
    if (!odd.goes_on) {
        s.next = (uintptr_t)acquired + (uint64_t)odd.inside_rip;
        s.holds.tx_abort =
            (TX_ABORT_HLE_ABORT | ANY_OTHER | 400) ^ odd.inside_info;
    }
    for (uint64_t n = 0; n < block->turns && enable != 0; n++) {
        retire(enable, &s);
        if (path.made != made && !odd.goes_on) {
            block->inside = 0;
            return;
        }
    }
}

void hle_xchg(struct hle_block *block)
{
    branches(block, hle_xchg_acquired);
}

/* One lock in another. */
void hle_two(struct hle_block *block)
{
    assert_true(is_free(block, 8));
    if (odd.outer_aborts != 0) {
        odd.outer_aborts--;
        branches(block, hle_two_acquired);
        return;
    }
    branches(block, hle_two_acquire + HLE_TWO_OUTER_BYTES);
}

void hle_again(struct hle_block *block)
{
    block->inside = 0;
}

int tsx_outside(struct tsx_block *block)
{
    (void)block;
    return odd.refused ? HW_UD : TSX_RAN;
}

static void expect(unsigned model, unsigned format, enum verdict wanted,
                   const char *line)
{
    begin(&test_pebs_hle_abort, model, format);
    t->cpu.hle = t->cpu.rtm = true;
    expect_case(run_case(), wanted, line);
}

static void healthy(void **state)
{
    (void)state;
    odd = (struct odd){.of = NULL};
    expect(0x5e, 3, VERDICT_PASS, "");
    expect(0x3c, 2, VERDICT_PASS, "");
    expect(0x3d, 2, VERDICT_PASS, "");
}

static void deviations(void **state)
{
    static const struct {
        enum verdict verdict;
        const char *line;
        struct odd odd;
    } rows[] = {
        {VERDICT_FAIL, "(B8H)[33:32] is not 01b", {.info = BIT(33)}},
        {VERDICT_FAIL, "(B8H)[33:32] is not 01b", {.info = BIT(32)}},
        {VERDICT_FAIL, "instruction after the outermost XACQUIRE", {.rip = 1}},
        {VERDICT_FAIL,
         "instruction after the outermost XACQUIRE",
         {.rip = -1, .of = hle_stores_acquired}},
        {VERDICT_FAIL,
         "the same after a loop: TX Abort Information (B8H)[34]",
         {.ip = 1, .of = hle_other_value_acquired}},
        {VERDICT_FAIL,
         "one lock held in another: TX Abort Information",
         {.ip = 1, .of = hle_inner_acquired}},
        {VERDICT_PASS, "", {.ip = 1, .of = hle_stores_acquired}},
        {VERDICT_FAIL,
         "contradict each other",
         {.info = ANY_OTHER, .of = hle_inner_acquired}},
        {VERDICT_PASS, "", {.cycles = -10}},
        {VERDICT_FAIL, "(Cycles_Last_TX) is 3; wanted 4", {.cycles = -11}},
        {VERDICT_PASS, "", {.cycles = 40}},
        {VERDICT_FAIL, "(Cycles_Last_TX) is 55; wanted 4", {.cycles = 41}},
        {VERDICT_FAIL,
         "8 aborts, of which all but the first may make a record, "
         "made 0",
         {.silent = true, .of = hle_inner_acquired}},
        {VERDICT_FAIL, "made 8", {.at_once = true}},
        {VERDICT_FAIL,
         "8 regions, and HLE_RETIRED.ABORTED counted 1",
         {.uncounted = 7, .of = hle_inner_acquired}},
        {VERDICT_FAIL,
         "(Data_Conflict) is 1 in 4 of 4",
         {.info = TX_ABORT_DATA_CONFLICT, .of = hle_other_value_acquired}},
        {VERDICT_FAIL,
         "(Capacity Writes) is 1 in 4 of 4",
         {.info = TX_ABORT_CAPACITY_WRITES, .of = hle_inner_acquired}},
        {VERDICT_FAIL,
         "(Capacity Reads) is 1 in 4 of 4",
         {.info = TX_ABORT_CAPACITY_READS, .of = hle_stores_acquired}},
        {VERDICT_FAIL,
         "(Capacity Writes) is 1 in 0 of 4",
         {.info = TX_ABORT_CAPACITY_WRITES, .of = hle_stores_acquired}},
        {VERDICT_FAIL,
         "(Instruction_Abort) is 1 in 0 of 4",
         {.info = INSTRUCTION, .of = hle_inner_acquired}},
        {VERDICT_FAIL,
         "[35:34] is 0 in 4 of 4",
         {.info = ANY_OTHER, .of = hle_stores_acquired}},
        {VERDICT_SKIP, "needs locks that are elided", {.not_elided = true}},
        {VERDICT_FAIL, "raised #UD", {.refused = true}},
        {VERDICT_FAIL,
         "an elided section came to its XRELEASE",
         {.goes_on = true}},
        {VERDICT_FAIL,
         "an elided section inside of another came to its XRELEASE",
         {.goes_on = true}},
        {VERDICT_PASS, "", {.goes_on = true, .late = true}},
        {VERDICT_FAIL,
         "4 times an elided section of 400 branches, and an overflow after 100",
         {.inside_silent = true}},
        {VERDICT_FAIL,
         "a branch in an elided section made a record: RIP",
         {.inside_rip = 1}},
        {VERDICT_FAIL,
         "a branch in an elided section made a record: TX Abort",
         {.inside_info = TX_ABORT_RTM_ABORT}},
        {VERDICT_PASS, "", {.outer_aborts = 3}},
        {VERDICT_FAIL,
         "a branch in an elided section inside of another made a record: RIP",
         {.outer_aborts = 4}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        odd = rows[i].odd;
        expect(0x5e, 3, rows[i].verdict, rows[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),
        cmocka_unit_test(deviations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
