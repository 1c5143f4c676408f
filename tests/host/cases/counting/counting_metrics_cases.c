/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_metrics_cases.c - the case of slots and their fractions, where they
 * are as documented, and where one thing of them is not. */
#include "tests/host/cases/counting/counting_rings.h"

extern const struct test test_perf_metrics;

#define FIXED(n) (PLACE_FIXED0 + (n))
#define RDPMC_OF (0xc1u + 0x20000000u) /* what RDPMC with this ECX reads */
#define SLOTS    INT64_C(4 * 1200)     /* of one window */
#define HEALTHY  UINT64_C(0x3f402060)
#define PARTS    (HEALTHY << 32) /* of 06_8FH: each is all of its whole */

/* The windows of the case, in their order; the first two have no work. */
enum {
    CLAIMS = 1,
    REGISTERS,
    ENABLED,
    LIVE,
    BRANCHES,
    CODE,
    LOADS,
    NO_METRICS,
    NO_GLOBAL,
    NO_FIELD,
    FROZEN,
    EVENT,
    USER
};

static const struct piece piece_work = {.instructions = 120, .jumps = 12};

/* Counted as a window is closed, whatever ran. */
static unsigned rounds;

void counting_work(void *unused)
{
    (void)unused;
    rounds++;
}

static struct {
    uint64_t metrics; /* what a window leaves */
    unsigned at;      /* but in this one: */
    uint64_t instead;
    unsigned slots_at; /* and in this one slots are counted all the same */
    uint64_t live, live_rdpmc, held; /* in the window LIVE */
    uint64_t rdpmc_differs, ctrl_lost, status_stays;
    bool zero_lost, at_ring3;
} machine;

static uint64_t left_by_window(void)
{
    return device.windows == machine.at ? machine.instead : machine.metrics;
}

static void close_window(uint64_t enable)
{
    const uint64_t field = *msr(IA32_FIXED_CTR_CTRL) >> 12 & 3;

    run_window(enable, &piece_work, 1);
    if (enabled(FIXED(3), enable) && (enable >> 48 & 1) != 0 && field != 0)
        *msr(MSR_PERF_METRICS) = left_by_window();
    else if (device.windows == machine.at)
        *msr(MSR_PERF_METRICS) = machine.instead;
    if (device.windows == machine.slots_at)
        *msr(IA32_FIXED_CTR(3)) += SLOTS;
}

static int access_metrics(uint32_t number, const uint64_t *written)
{
    if (written == NULL && (*msr(IA32_PERF_GLOBAL_CTRL) >> 48 & 1) != 0) {
        *msr(MSR_PERF_METRICS) =
            *msr(IA32_FIXED_CTR_CTRL) != 0 ? machine.live : machine.held;
        *msr(RDPMC_OF) = machine.live_rdpmc;
    } else if (number == RDPMC_OF)
        *msr(number) = *msr(MSR_PERF_METRICS) ^ machine.rdpmc_differs;
    if (number == MSR_PERF_METRICS && written != NULL)
        *msr(number) = machine.zero_lost ? 0x11111111 : *written;
    if (number == MSR_PERF_METRICS && machine.at_ring3) {
        machine.at_ring3 = false;
        *msr(number) = left_by_window();
    }
    if (number == IA32_PERF_GLOBAL_CTRL && written != NULL) {
        const uint64_t enable = *msr(number);
        *msr(number) = *written & ~machine.ctrl_lost;
        if (*written == 0 && enable != 0)
            close_window(enable);
    }
    const int vector = access_counters(number, written);
    *msr(IA32_PERF_GLOBAL_STATUS) |= machine.status_stays;
    return vector;
}

static void begin(uint16_t model)
{
    memset(&machine, 0, sizeof(machine));
    machine.metrics = HEALTHY | (model == 0x8f ? PARTS : 0);
    machine.live = machine.live_rdpmc = machine.held = machine.metrics;
    counting_begin(&test_perf_metrics, 4, 0);
    fixed_counters = 4;
    t->cpu.model = model;
    t->cpu.fixed_counters = 4;
    t->cpu.fixed_set = 15;
    t->cpu.perfmon_version = 5;
    t->cpu.leaf0a_eax = 0x08300404;
    t->cpu.perf_capabilities |= BIT(15);
    *msr(IA32_FIXED_CTR(3)) = *msr(MSR_PERF_METRICS) = *msr(RDPMC_OF) = 0;
    fake_msr(MSR_PERF_METRICS)->writable = 0;
    fake_msr(IA32_PERF_GLOBAL_CTRL)->writable = 0;
    ring3_beside = &machine.at_ring3;
    fake_device = access_metrics;
}

static void set_wrong(unsigned place, int64_t more, unsigned window)
{
    device.wrong.place = place;
    device.wrong.ring = EVERYWHERE;
    device.wrong.more = more;
    device.wrong.window = window;
}

static void leaves(uint16_t model, unsigned window, uint64_t instead)
{
    begin(model);
    machine.at = window;
    machine.instead = instead;
}

static void as_documented(void **state)
{
    (void)state;
    begin(0x6a);
    rounds = 0;
    expect_case(rings_end(), VERDICT_PASS, "retiring: 96 of 255");
    /* In six of the windows, and once beside the event. */
    assert_int_equal(rounds, 6 * 64 + 1);
    assert_int_equal(device.windows, USER);
    assert_non_null(strstr(t->text, "backend bound: 63 of 255"));
    assert_int_equal(*msr(IA32_FIXED_CTR(3)), 0);
    assert_int_equal(*msr(MSR_PERF_METRICS), 0);
    begin(0x8f);
    expect_case(rings_end(), VERDICT_PASS, "");
}

static void fractions_of_all(void **state)
{
    static const struct {
        uint64_t metrics;
        const char *line; /* NULL: it passes */
    } rows[] = {
        {0x37402060, NULL}, /* 247 */
        {0x36402060, "[31:24] are 246 together; wanted 255, or 8 more"},
        {0x47402060, NULL}, /* 263 */
        {0x48402060, "[31:24] are 264 together; wanted 255, or 8 more"},
        {0x9f402000, "[7:0], retiring, is 0, and 64 rounds"},
        {HEALTHY | BIT(32), "wanted 0 in [63:32]"},
        {HEALTHY | BIT(63), "wanted 0 in [63:32]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        leaves(0x6a, ENABLED, rows[i].metrics);
        expect_case(rings_end(),
                    rows[i].line == NULL ? VERDICT_PASS : VERDICT_FAIL,
                    rows[i].line == NULL ? "" : rows[i].line);
    }
    begin(0x6a);
    set_wrong(FIXED(3), -SLOTS, ENABLED);
    expect_case(rings_end(), VERDICT_FAIL, "counted 0 slots of 64 rounds");
}

static void while_it_counts(void **state)
{
    (void)state;
    begin(0x6a);
    machine.live = 0;
    expect_case(rings_end(), VERDICT_FAIL, "(329H), while it counts, is 0x0");
    begin(0x6a);
    machine.live_rdpmc = 0;
    expect_case(rings_end(), VERDICT_FAIL, "by RDPMC while it counts, is 0x0");
    begin(0x6a);
    machine.held = 0;
    expect_case(rings_end(), VERDICT_FAIL, "once 38DH[13:12] is 0, is 0x0");
}

static void parts(void **state)
{
    static const char *const names[] = {"[39:32], a part of retiring",
                                        "[47:40], a part of bad speculation",
                                        "[55:48], a part of frontend bound",
                                        "[63:56], a part of backend bound"};

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned more = 2; more <= 3; more++) {
            leaves(0x8f, ENABLED,
                   HEALTHY | (PARTS + ((uint64_t)more << (32 + 8 * i))));
            expect_case(rings_end(), more == 2 ? VERDICT_PASS : VERDICT_FAIL,
                        more == 2 ? "" : names[i]);
        }
}

static void losses(void **state)
{
    static const char *const names[] = {
        "branches of random direction: MSR_PERF_METRICS (329H) is",
        "calls of code that was flushed: MSR_PERF_METRICS (329H) is",
        "loads of a line that was flushed: MSR_PERF_METRICS (329H) is"};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t whole = UINT64_C(0xff) << 8 * (i + 1);

        leaves(0x6a, BRANCHES + i, HEALTHY & ~whole);
        expect_case(rings_end(), VERDICT_FAIL, names[i]);
        leaves(0x6a, BRANCHES + i, HEALTHY & whole); /* of the others nothing */
        expect_case(rings_end(), VERDICT_PASS, "");
        leaves(0x8f, BRANCHES + i, (HEALTHY | PARTS) & ~(whole << 32));
        expect_case(rings_end(), VERDICT_FAIL, names[i]);
    }
}

static void disabled(void **state)
{
    static const struct {
        unsigned window;
        const char *line;
    } rows[] = {
        {NO_METRICS, "(38FH)[48] is 0: "},
        {NO_GLOBAL, "(38FH)[35] is 0: "},
        {NO_FIELD, "(38DH)[13:12] is 0: "},
        {FROZEN, "(38EH)[59], is 1: "},
    };

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        leaves(0x6a, rows[i].window, HEALTHY);
        expect_case(rings_end(), VERDICT_FAIL, rows[i].line);
        begin(0x6a);
        machine.slots_at = rows[i].window;
        expect_case(rings_end(), i == 0 ? VERDICT_PASS : VERDICT_FAIL,
                    i == 0 ? "" : rows[i].line);
    }
    begin(0x6a);
    set_wrong(FIXED(3), -SLOTS, NO_METRICS);
    expect_case(rings_end(), VERDICT_FAIL, "counted 0 slots; wanted some");
}

static void slots_as_an_event(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++)
        for (int64_t more = -700; more <= 700; more += 1400) {
            begin(0x6a);
            set_wrong(n, more, EVENT);
            expect_case(rings_end(), VERDICT_FAIL,
                        "slots (A4H/01H), IA32_FIXED_CTR3 (30CH) 4800");
            begin(0x6a);
            set_wrong(n, more, EVENT);
            t->cpu.leaf0a_ebx |= 1u << 7; /* there is no such event */
            expect_case(rings_end(), VERDICT_PASS, "");
            begin(0x6a);
            set_wrong(n, more, EVENT);
            t->cpu.leaf0a_eax = 0x07300404; /* nor is it in the list */
            expect_case(rings_end(), VERDICT_PASS, "");
            begin(0x6a);
            set_wrong(n, more / 2, EVENT);
            expect_case(rings_end(), VERDICT_PASS, "");
        }
    begin(0x6a);
    set_wrong(FIXED(1), 4200 + 600, EVENT);
    expect_case(rings_end(), VERDICT_FAIL, "wanted one or more in each");
}

static void user_alone(void **state)
{
    (void)state;
    leaves(0x6a, USER, 0);
    expect_case(rings_end(), VERDICT_FAIL, "counts at ring 3 alone: it");
    begin(0x6a);
    set_wrong(FIXED(3), -32000, USER);
    expect_case(rings_end(), VERDICT_FAIL, "alone: it counted 0 slots");
    begin(0x6a);
    ring3_raises = 13;
    expect_case(rings_end(), VERDICT_ERROR, "vector 13 at ring 3");
    ring3_raises = HW_NO_FAULT;
}

static void registers(void **state)
{
    (void)state;
    begin(0x6a);
    machine.rdpmc_differs = 1;
    expect_case(rings_end(), VERDICT_FAIL,
                "RDPMC with ECX = 20000000H, once it was written with 0: got "
                "0x1");
    assert_non_null(strstr(t->text, "20000000H, after a window: got 0x3f4020"));
    begin(0x6a);
    fake_msr_remove(RDPMC_OF);
    expect_case(rings_end(), VERDICT_FAIL, "(#GP); wanted 0x0, as RDMSR");
    begin(0x6a);
    machine.zero_lost = true;
    expect_case(rings_end(), VERDICT_FAIL, "written with 0: got 0x11111111");
    begin(0x6a);
    machine.ctrl_lost = BIT(48);
    expect_case(rings_end(), VERDICT_FAIL,
                "with PERF_METRICS [48]: got 0x8000");
    begin(0x6a);
    machine.status_stays = BIT(48);
    expect_case(rings_end(), VERDICT_FAIL, "[48] is 1 after it was cleared");
    begin(0x6a);
    fake_msr(RDPMC_OF + 1);
    expect_case(rings_end(), VERDICT_PASS,
                "OBSERVED RDPMC takes ECX = 2000000"
                "1H");
    assert_non_null(strstr(t->text, "OBSERVED MSR_PERF_METRICS (329H)[63:32] "
                                    "can be written: 1 of 1"));
}

static void windows_with_smis(void **state)
{
    (void)state;
    begin(0x8f);
    hit_by_smis();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_documented),
        cmocka_unit_test(fractions_of_all),
        cmocka_unit_test(while_it_counts),
        cmocka_unit_test(parts),
        cmocka_unit_test(losses),
        cmocka_unit_test(disabled),
        cmocka_unit_test(slots_as_an_event),
        cmocka_unit_test(user_alone),
        cmocka_unit_test(registers),
        cmocka_unit_test(windows_with_smis),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
