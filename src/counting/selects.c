/* SPDX-License-Identifier: BSD-2-Clause */
/* selects.c - several counters, several events. */
#include "src/counting/selects.h"

#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/smi_guard.h"

#define ALL_THREE ((unsigned)BITS(SELECTS - 1, 0))

/* What runs while the counters in set count, or opens the window itself. */
struct body {
    struct test_context *t;
    struct selects *s;
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
    if (!set_held_msr(t, IA32_PERF_GLOBAL_CTRL, b->set))
        return false;
    b->work(b->argument);
    return set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 0);
}

static bool count_once(void *argument)
{
    const struct body *b = argument;

    hw_poll();
    if (!program_selects(b->t, b->s, b->set) || !run_body(b->t, b))
        return false;
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        b->s->got[n] =
            (b->set >> n & 1) != 0 ? msr_value(b->t, IA32_PMC(n)) : 0;
    return true;
}

static bool count_body(struct body *b)
{
    b->s->repeated = 0;
    return hold_msr(b->t, IA32_PERF_GLOBAL_CTRL) &&
           smi_guard(b->t, count_once, b, &b->s->repeated);
}

bool selects_count(struct test_context *t, struct selects *s,
                   void (*work)(void *argument), void *argument)
{
    const unsigned there = (unsigned)BIT(counters_available(test_cpu(t))) - 1;

    return count_body(&(struct body){.t = t,
                                     .s = s,
                                     .set = ALL_THREE & there,
                                     .work = work,
                                     .argument = argument});
}

bool selects_window(struct test_context *t, struct selects *s, unsigned set,
                    window_function *window)
{
    return count_body(
        &(struct body){.t = t, .s = s, .set = set, .window = window});
}
