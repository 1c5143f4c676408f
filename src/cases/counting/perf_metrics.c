/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots, and the four fractions of them that MSR_PERF_METRICS has, and of these
 * a part each on later processors: of all slots together FFH, while
 * IA32_FIXED_CTR3 counts and [48] of IA32_PERF_GLOBAL_CTRL is 1, and 0 else. */
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/lost_slots.h"
#include "src/counting/ring3.h"
#include "src/counting/smi_guard.h"
#include "src/harness/case.h"

#define SLOTS       3 /* IA32_FIXED_CTR3 */
#define SLOTS_EVENT 0x01a4
#define SLOTS_BIT   7 /* of CPUID.0AH:EBX: Topdown Slots */
#define FRACTIONS   4
#define ALL         0xff
#define ROUNDING    2  /* of each fraction, whichever way it goes */
#define ROUNDS      64 /* of work, in one window */
#define FIELD       (IA32_FIXED_CTR_CTRL_OS(SLOTS) | IA32_FIXED_CTR_CTRL_USR(SLOTS))
#define ENABLES                               \
    (IA32_PERF_GLOBAL_CTRL_FIXED_CTR(SLOTS) | \
     IA32_PERF_GLOBAL_CTRL_PERF_METRICS)

/* IA32_FIXED_CTR0, which counts where the slots do not. */
#define BESIDE       IA32_PERF_GLOBAL_CTRL_FIXED_CTR(0)
#define BESIDE_FIELD (IA32_FIXED_CTR_CTRL_OS(0) | IA32_FIXED_CTR_CTRL_USR(0))

static const char *const names[FRACTIONS] = {"retiring", "bad speculation",
                                             "frontend bound", "backend bound"};

/* What is enabled in one window, and what was there after it. */
struct metrics {
    struct test_context *t;
    const char *what;
    uint64_t ctrl, fixed_ctrl;
    void (*work)(void *argument);     /* NULL: counting_work() */
    const struct ring3_session *user; /* a window there, in place of work */
    uint64_t random;                  /* for it */
    uint64_t slots, metrics;
};

/* "Performance Metrics": both are written with 0, IA32_FIXED_CTR3 first. */
static bool reset(struct test_context *t)
{
    return set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 0) &&
           set_msr_again(t, IA32_FIXED_CTR_CTRL, 0) &&
           set_msr_again(t, IA32_FIXED_CTR(SLOTS), 0) &&
           set_msr_again(t, MSR_PERF_METRICS, 0);
}

static bool run_open(struct metrics *m)
{
    if (m->user != NULL) {
        uint64_t cells[WINDOW_CELLS] = {(uintptr_t)m->user->ring3};

        ring3_begin(m->user);
        window_ring3(m->ctrl, cells);
        ring3_end(m->user);
        if (m->user->ring3->vector != HW_NO_FAULT)
            broken(m->t, "vector %ld at ring 3", m->user->ring3->vector);
        return m->user->ring3->vector == HW_NO_FAULT;
    }
    if (!set_held_msr(m->t, IA32_PERF_GLOBAL_CTRL, m->ctrl))
        return false;
    for (unsigned i = 0; i < ROUNDS; i++)
        if (m->work == NULL)
            counting_work(NULL);
        else
            m->work(&m->random);
    return set_held_msr(m->t, IA32_PERF_GLOBAL_CTRL, 0);
}

static bool run_once(void *argument)
{
    struct metrics *m = argument;

    hw_poll();
    if (!reset(m->t) ||
        !set_msr_again(m->t, IA32_FIXED_CTR_CTRL, m->fixed_ctrl) ||
        !run_open(m))
        return false;
    m->slots = msr_value(m->t, IA32_FIXED_CTR(SLOTS));
    m->metrics = msr_value(m->t, MSR_PERF_METRICS);
    return true;
}

static bool run(struct metrics *m)
{

    return smi_guard(m->t, run_once, m, NULL);
}

/* By RDPMC as by RDMSR; neither changes it. */
static void check_reads(struct test_context *t, const char *when, uint64_t want)
{
    uint64_t got = ~want;
    int vector = hw_pmc_read(RDPMC_METRICS, &got);

    check(t, vector == HW_NO_FAULT && got == want,
          "RDPMC with ECX = %XH, %s: got 0x%lx (%s); wanted 0x%lx, as RDMSR",
          RDPMC_METRICS, when, got, fault_name(vector), want);
    check(t, msr_value(t, MSR_PERF_METRICS) == want,
          "MSR_PERF_METRICS (329H), %s, is not 0x%lx when it is read again",
          when, want);
}

/* Of [63:32] each is a part of that in [31:0]: heavy operations of retiring,
 * branch mispredicts of bad speculation, fetch latency of frontend bound,
 * memory bound of backend bound (Linux, arch/x86/events/intel/core.c,
 * INTEL_TD_METRIC_HEAVY_OPS and on; alone to say so). Before, reserved. */
static void check_parts(struct test_context *t, uint64_t metrics)
{
    if ((identity_generation(test_cpu(t)) & SINCE_GOLDEN_COVE) == 0) {
        check(t, metrics >> 32 == 0,
              "MSR_PERF_METRICS (329H) is 0x%lx; wanted 0 in [63:32]", metrics);
        return;
    }
    for (unsigned i = 0; i < FRACTIONS; i++) {
        const uint64_t whole = metrics >> 8 * i & ALL,
                       part = metrics >> (32 + 8 * i) & ALL;

        check(t, part <= whole + ROUNDING,
              "MSR_PERF_METRICS (329H) is 0x%lx: [%u:%u], a part of %s, is %lu "
              "and that %lu; wanted no more",
              metrics, 39 + 8 * i, 32 + 8 * i, names[i], part, whole);
    }
}

/* Of ROUNDS rounds of work. */
static void check_fractions(struct test_context *t, const char *when,
                            uint64_t metrics)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < FRACTIONS; i++)
        sum += metrics >> 8 * i & ALL;
    check(t,
          sum + FRACTIONS * ROUNDING >= ALL &&
              sum <= ALL + FRACTIONS * ROUNDING,
          "MSR_PERF_METRICS (329H), %s, is 0x%lx: the fractions [7:0], [15:8], "
          "[23:16] and [31:24] are %lu together; wanted 255, or %u more or "
          "less",
          when, metrics, sum, FRACTIONS * ROUNDING);
    check(t, (metrics & ALL) != 0,
          "MSR_PERF_METRICS (329H), %s, is 0x%lx: [7:0], retiring, is 0, and "
          "%u rounds of work have retired",
          when, metrics, ROUNDS);
}

/* While they count, as RDPMC is for, and once the field of 38DH stops them. */
static bool try_live(struct test_context *t)
{
    uint64_t live = 0;

    /* Measured. */
    if (!reset(t) || !set_msr_again(t, IA32_FIXED_CTR_CTRL, FIELD) ||
        !set_held_msr(t, IA32_PERF_GLOBAL_CTRL, ENABLES))
        return false;
    for (unsigned i = 0; i < ROUNDS; i++)
        counting_work(NULL);
    const uint64_t read = msr_value(t, MSR_PERF_METRICS);
    (void)hw_pmc_read(RDPMC_METRICS, &live); /* check_reads() has its vector */
    if (!set_msr_again(t, IA32_FIXED_CTR_CTRL, 0))
        return false;
    const uint64_t stopped = msr_value(t, MSR_PERF_METRICS);
    if (!set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 0))
        return false;

    /* Check. */
    check_fractions(t, "while it counts", read);
    check_fractions(t, "by RDPMC while it counts", live);
    check_fractions(t, "once 38DH[13:12] is 0", stopped);
    return true;
}

/* With both enables: the fractions are of all slots. */
static bool try_enabled(struct test_context *t)
{
    struct metrics m = {.t = t, .ctrl = ENABLES, .fixed_ctrl = FIELD};

    /* Measured. */
    if (!run(&m))
        return false;

    /* Check. */
    for (unsigned i = 0; i < FRACTIONS; i++)
        note(t, "%s: %lu of 255", names[i], m.metrics >> 8 * i & ALL);
    check(t, m.slots != 0,
          "IA32_FIXED_CTR3 (30CH) counted 0 slots of %u rounds of work; wanted "
          "some",
          ROUNDS);
    check_fractions(t, "after a window", m.metrics);
    check_parts(t, m.metrics);
    check_reads(t, "after a window", m.metrics);
    return true;
}

/* "If this bit is set and fixed-function performance counter 3 is effectively
 * enabled": without one of the three nothing. */
static bool try_disabled(struct test_context *t)
{
    struct metrics rows[] = {
        {.what = "IA32_PERF_GLOBAL_CTRL (38FH)[48] is 0",
         .ctrl = IA32_PERF_GLOBAL_CTRL_FIXED_CTR(SLOTS),
         .fixed_ctrl = FIELD},
        {.what = "IA32_PERF_GLOBAL_CTRL (38FH)[35] is 0",
         .ctrl = IA32_PERF_GLOBAL_CTRL_PERF_METRICS | BESIDE,
         .fixed_ctrl = FIELD | BESIDE_FIELD},
        {.what = "IA32_FIXED_CTR_CTRL (38DH)[13:12] is 0",
         .ctrl = ENABLES | BESIDE,
         .fixed_ctrl = BESIDE_FIELD},
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct metrics *m = &rows[i];
        const bool counts = i == 0;

        /* Measured. */
        m->t = t;
        if (!run(m))
            return false;

        /* Check. */
        check(t, (m->slots != 0) == counts,
              "%s: IA32_FIXED_CTR3 (30CH) counted %lu slots; wanted %s",
              m->what, m->slots, counts ? "some" : "0");
        check(t, m->metrics == 0,
              "%s: MSR_PERF_METRICS (329H) went from 0 to 0x%lx; wanted 0",
              m->what, m->metrics);
    }
    return true;
}

/* Nothing is counted while CTR_Frz is 1, whatever 38FH has. */
static bool try_frozen(struct test_context *t)
{
    const uint64_t bit = IA32_PERF_GLOBAL_STATUS_CTR_FRZ;
    struct metrics m = {
        .t = t, .ctrl = ENABLES | BESIDE, .fixed_ctrl = FIELD | BESIDE_FIELD};

    /* Measured. */
    if (!set_msr(t, IA32_PERF_GLOBAL_STATUS_SET, bit))
        return false;
    const bool ran = run(&m);
    if (!counters_clear_status(t, bit) || !ran)
        return false;

    /* Check. */
    check(t, m.slots == 0 && m.metrics == 0,
          "CTR_Frz, IA32_PERF_GLOBAL_STATUS (38EH)[59], is 1: IA32_FIXED_CTR3 "
          "(30CH) counted %lu slots, and MSR_PERF_METRICS (329H) went from 0 "
          "to 0x%lx; wanted 0 of both",
          m.slots, m.metrics);
    return true;
}

/* Of 06_8FH a part of each, too: check_parts(). */
static const struct lost {
    const char *what;
    void (*work)(void *argument);
    unsigned metric;
    const char *part;
} losses[] = {
    {"branches of random direction", lost_unpredictable, 1,
     "branch mispredicts"},
    {"calls of code that was flushed", lost_code_from_memory, 2,
     "fetch latency"},
    {"loads of a line that was flushed", lost_from_memory, 3, "memory bound"},
};

static bool try_losses(struct test_context *t)
{
    const bool parts =
        (identity_generation(test_cpu(t)) & SINCE_GOLDEN_COVE) != 0;

    for (unsigned i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
        const struct lost *l = &losses[i];
        struct metrics m = {.t = t,
                            .ctrl = ENABLES,
                            .fixed_ctrl = FIELD,
                            .work = l->work,
                            .random = test_random(t)};

        /* Measured. */
        if (!run(&m))
            return false;

        /* Check. */
        const uint64_t whole = m.metrics >> 8 * l->metric & ALL,
                       part = m.metrics >> (32 + 8 * l->metric) & ALL;
        check(t, whole != 0 && (!parts || part != 0),
              "%s: MSR_PERF_METRICS (329H) is 0x%lx after %lu slots: [%u:%u], "
              "%s, is %lu; [%u:%u], %s, %lu; wanted more than 0%s",
              l->what, m.metrics, m.slots, 8 * l->metric + 7, 8 * l->metric,
              names[l->metric], whole, 39 + 8 * l->metric, 32 + 8 * l->metric,
              l->part, part, parts ? "" : " of the first");
    }
    return true;
}

/* They go by the fields of 38DH, as the slots do. */
static void try_user(struct test_context *t)
{
    struct ring3_session session;
    struct metrics m = {.t = t,
                        .ctrl = ENABLES,
                        .fixed_ctrl = IA32_FIXED_CTR_CTRL_USR(SLOTS),
                        .user = &session};

    /* Measured. */
    if (!ring3_prepare(&session, t) || !run(&m))
        return;

    /* Check. */
    check(t, m.slots != 0 && m.metrics != 0,
          "IA32_FIXED_CTR3 (30CH) counts at ring 3 alone: it counted %lu slots "
          "of a window with some, and MSR_PERF_METRICS (329H) is 0x%lx; wanted "
          "more than 0 of both",
          m.slots, m.metrics);
}

/* The same event on a general-purpose counter, and core cycles: at least one
 * slot each. */
static bool try_event(struct test_context *t, uint64_t places)
{
    const struct identity *id = test_cpu(t);
    struct bank before = bank_of(places, SLOTS_EVENT), after;
    char name[MSR_NAME_BYTES];

    /* Measured. */
    if (!bank_work(t, &before, counting_work, NULL, &after))
        return false;

    /* Check. */
    const uint64_t slots = after.fixed[SLOTS];
    const uint64_t margin = count_margin(COUNTS_TIME, slots);
    check(t, slots + margin >= after.fixed[1],
          "IA32_FIXED_CTR3 (30CH) counted %lu slots in %lu core cycles "
          "(IA32_FIXED_CTR1, 30AH); wanted one or more in each",
          slots, after.fixed[1]);
    if (id->leaf0a_eax >> 24 <= SLOTS_BIT ||
        (id->leaf0a_ebx >> SLOTS_BIT & 1) != 0)
        return true;
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0)
            check(t,
                  after.pmc[n] + margin >= slots &&
                      after.pmc[n] <= slots + margin,
                  "%s counted %lu slots (A4H/01H), IA32_FIXED_CTR3 (30CH) "
                  "%lu; wanted the same, but for an eighth",
                  msr_name(IA32_PMC(n), name), after.pmc[n], slots);
    return true;
}

/* What holds and what does not: nothing counts. */
static void try_registers(struct test_context *t)
{
    const uint64_t bit = IA32_PERF_GLOBAL_STATUS_OVF_PERF_METRICS;
    uint64_t value;

    if (!reset(t))
        return;
    check_equal(t, "MSR_PERF_METRICS (329H) written with 0",
                msr_value(t, MSR_PERF_METRICS), 0);
    check_reads(t, "once it was written with 0", 0);
    set_held_msr(t, IA32_PERF_GLOBAL_CTRL, ENABLES);
    check_equal(t, "IA32_PERF_GLOBAL_CTRL (38FH), with PERF_METRICS [48]",
                msr_value(t, IA32_PERF_GLOBAL_CTRL), ENABLES);
    set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 0);
    check(t, counters_clear_status(t, bit),
          "IA32_PERF_GLOBAL_STATUS_RESET (390H) written with [48]");
    check(
        t, (msr_value(t, IA32_PERF_GLOBAL_STATUS) & bit) == 0,
        "IA32_PERF_GLOBAL_STATUS (38EH)[48] is 1 after it was cleared through "
        "390H");
    observe(t, "RDPMC takes ECX = 20000001H, metrics of another number",
            hw_pmc_read(RDPMC_METRICS | 1, &value) == HW_NO_FAULT, 1);
    observe(t, "MSR_PERF_METRICS (329H)[63:32] can be written",
            try_set_msr_again(t, MSR_PERF_METRICS, BIT(32)) == HW_NO_FAULT, 1);
    (void)reset(t);
}

TEST(perf_metrics,
     .asks = "Are the four fractions of performance metrics of all slots, and "
             "enabled as documented?",
     .cite = "SDM 3B, \"Performance Metrics\", \"Fixed-Function Performance "
             "Counter 3\"; SDM 2B, RDPMC",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_METRICS, .counters = 1})
{
    uint64_t places = bank_claim(t);

    if (places == 0 || !hold_msr(t, IA32_PERF_GLOBAL_CTRL))
        return;
    try_registers(t);
    if (try_enabled(t) && try_live(t) && try_losses(t) && try_disabled(t) &&
        try_frozen(t) && try_event(t, places))
        try_user(t);
}
