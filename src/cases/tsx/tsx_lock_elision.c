/* SPDX-License-Identifier: BSD-2-Clause */
/* Two processors count together under one elided lock: by the rule of the white
 * paper, and by the one that gives up where the retry bit is clear. */
#include "asm/elision_try.h"
#include "src/harness/case.h"
#include "src/tsx/elided_lock.h"
#include "src/tsx/probe.h"

#define SECTIONS  100
#define TURNS     16
#define WAIT_TSC  (UINT64_C(1) << 33)
#define PROCESSES 2

/* At the start of the boot processor's buffer. */
struct shared {
    struct elide_lock lock;
    struct elision_counted counted;
    char padding[112];
    const struct elision_rule *rule;
    unsigned sections; /* for each processor */
    volatile unsigned here;
    struct elide_figures figures[PROCESSES];
};

/* Both begin together. */
static bool wait_for_other(struct test_context *peer, struct shared *shared)
{
    uint64_t start = hw_tsc();

    __atomic_add_fetch(&shared->here, 1, __ATOMIC_ACQ_REL);
    while (shared->here < PROCESSES) {
        __asm__ volatile("pause");
        if (hw_tsc() - start > WAIT_TSC) {
            broken(peer, "the other processor does not begin");
            return false;
        }
    }
    return true;
}

static void run_sections(struct test_context *peer, void *argument)
{
    struct shared *shared = argument;
    struct elide_figures figures = {0};

    if (!probe_set_up(peer) || !wait_for_other(peer, shared))
        return;
    for (unsigned i = 0; i < shared->sections; i++) {
        hw_poll();
        if (!elide(&shared->lock, shared->rule, elision_count,
                   (void *)(uintptr_t)&shared->counted, &figures)) {
            broken(peer, "the lock did not become free");
            return;
        }
    }
    shared->figures[test_processor(peer)] = figures;
}

/* All sections of both processors by one rule. False where they did not run. */
static bool try_rule(struct test_context *t, const struct elision_rule *rule,
                     unsigned sections)
{
    bool set[HW_PROCESSORS_MAX] = {true, true};
    struct shared *shared = test_buffer(t);

    *shared = (struct shared){
        .rule = rule, .sections = sections, .counted = {.turns = TURNS}};
    if (!on_processors(t, set, run_sections, shared))
        return false;

    const struct elide_figures *a = &shared->figures[0], *b = a + 1;
    unsigned done = a->sections + b->sections;
    check(t, shared->counted.count == done && done == PROCESSES * sections,
          "the counter is %lu after %u critical sections; wanted %u",
          shared->counted.count, done, PROCESSES * sections);
    check(t, shared->lock.taken == 0, "the lock is 0x%x; wanted 0",
          shared->lock.taken);
    note(t,
         "%u of %u critical sections committed, the others took the lock; "
         "%u aborts, %u conflicts, %u of these without EAX[1]",
         a->committed + b->committed, done, a->aborted + b->aborted,
         a->conflicts + b->conflicts, a->without_retry + b->without_retry);
    return true;
}

TEST(tsx_lock_elision,
     .asks = "Is an elided lock a lock, and how often is it elided under "
             "contention?",
     .cite = "White paper 604224, section 1.3; SDM 1, \"RTM Software "
             "Interface\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_RTM | NEED_TWO_PROCESSORS})
{
    static const struct elision_rule paper = ELISION_PAPER,
                                     retry_bit_only = ELISION_RETRY_BIT_ONLY;
    unsigned sections = test_trials(t, SECTIONS, SECTIONS);

    if (!hw_run_is_parallel()) {
        skip(t, "needs two processors at the same time; firmware lets jobs "
                "only follow one another");
        return;
    }
    if (!probe_set_up(t)) /* processor 1 does so in its own part */
        return;
    bool ran = false;
    WITH_PREFIX (t, "rule of white paper 1.3")
        ran = try_rule(t, &paper, sections);
    WITH_PREFIX (t, "rule of the retry bit alone")
        ran = ran && try_rule(t, &retry_bit_only, sections);
}
