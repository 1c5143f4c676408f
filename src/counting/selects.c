/* SPDX-License-Identifier: BSD-2-Clause */
/* selects.c - several counters, several events. */
#include "src/counting/selects.h"

#include "src/base/msr.h"

#define ALL_THREE ((unsigned)BITS(SELECTS - 1, 0))

/* What runs while the counters in set count, or opens the window itself. */
struct body {
    struct held_msr ctrl; /* IA32_PERF_GLOBAL_CTRL */
    unsigned set;
    window_function *window; /* NULL: work */
    void (*work)(void *argument);
    void *argument;
};

static bool program_selects(struct test_context *t, const struct selects *s,
                            unsigned set)
{
    bool ok = set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 0);

    for (unsigned n = 0; ok && n < COUNTERS_MAX; n++)
        if ((set >> n & 1) != 0)
            ok = set_msr_again(t, IA32_PMC(n), 0) &&
                 set_msr_again(t, IA32_PERFEVTSEL(n),
                               s->select[n] | IA32_PERFEVTSEL_USR |
                                   IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_EN);
    return ok;
}

static bool run_body(struct test_context *t, const struct body *b)
{
    uint64_t cells[WINDOW_CELLS] = {0};

    if (b->window != NULL) {
        b->window(b->set, cells);
        return true;
    }
    if (!set_held_msr(t, b->ctrl, b->set))
        return false;
    b->work(b->argument);
    return set_held_msr(t, b->ctrl, 0);
}

static bool count_body(struct test_context *t, struct selects *s,
                       struct body *b)
{
    uint64_t before = 0, after = 0;

    s->repeated = 0;
    if (!hold_msr(t, IA32_PERF_GLOBAL_CTRL, &b->ctrl))
        return false;
    while (s->repeated < SMI_RETRIES_MAX) {
        hw_poll();
        bool known = try_get_msr(t, MSR_SMI_COUNT, &before) == HW_NO_FAULT;
        if (!program_selects(t, s, b->set) || !run_body(t, b))
            return false;
        for (unsigned n = 0; n < COUNTERS_MAX; n++)
            s->got[n] = (b->set >> n & 1) != 0 ? msr_value(t, IA32_PMC(n)) : 0;
        if (!known || (get_msr(t, MSR_SMI_COUNT, &after) && after == before))
            return true;
        s->repeated++;
    }
    broken(t, "%u windows in a row were hit by an SMI (MSR_SMI_COUNT, 34H)",
           SMI_RETRIES_MAX);
    return false;
}

bool selects_count(struct test_context *t, struct selects *s,
                   void (*work)(void *argument), void *argument)
{
    return count_body(
        t, s,
        &(struct body){.set = ALL_THREE, .work = work, .argument = argument});
}

bool selects_window(struct test_context *t, struct selects *s, unsigned set,
                    window_function *window)
{
    return count_body(t, s, &(struct body){.set = set, .window = window});
}
