/* SPDX-License-Identifier: BSD-2-Clause */
/* one_test.c - who runs a test, for how long, and its job. */
#include "src/session/one_test.h"

#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/session/needs.h"

/* Time for one job. A test's grows with its trials: 10 ms for each is ten times
 * what the slowest takes on the simulated processor. It grows with processors
 * too: they share memory, and under an emulator one processor's time, of which
 * the slowest takes 6 s for each. */
#define TEST_MS          28000
#define TEST_TRIAL_MS    10
#define TEST_EACH_MS     1000
#define TEST_EMULATED_MS 12000
#define TEST_TRIALS      3000 /* where the user said nothing */
#define TEST_MS_MAX      3600000

static unsigned timeout_of(const struct jobs *jobs, uint64_t trials)
{
    const unsigned each =
        jobs->contexts[0].cpu.hypervisor && jobs->processors > 2
            ? TEST_EMULATED_MS
            : TEST_EACH_MS;
    uint64_t ms = TEST_MS + TEST_TRIAL_MS * (trials ? trials : TEST_TRIALS) +
                  each * jobs->processors;

    return ms < TEST_MS_MAX ? (unsigned)ms : TEST_MS_MAX;
}

/* MSR_SMI_COUNT where it is there; else 0. */
static uint64_t smi_count(const struct test_context *t)
{
    uint64_t count = 0;

    if (found_has(&t->found, MSR_SMI_COUNT))
        (void)hw_msr_read(MSR_SMI_COUNT, &count);
    return count & MSR_SMI_COUNT_COUNT;
}

static void body_job(unsigned processor, void *context)
{
    struct jobs *jobs = context;
    struct test_context *t = &jobs->contexts[processor];

    uint64_t before = smi_count(t);
    context_save(t);
    t->test->body(t);
    uint64_t smis = (smi_count(t) - before) & MSR_SMI_COUNT_COUNT;
    if (smis != 0)
        note(t, "%lu SMIs while the test ran (MSR_SMI_COUNT, 34H)", smis);
    restore_msrs(t);
}

static void begin_test(struct jobs *jobs, const struct test *test,
                       uint64_t seed, bool all)
{
    bool whole = test->scope == WHOLE_MACHINE, said = false;
    char missing[NEEDS_TEXT_BYTES];

    for (unsigned p = 0; p < jobs->processors; p++) {
        struct test_context *t = &jobs->contexts[p];
        context_begin(t, test, seed);
        if (!t->lost)
            context_fill(t);
        jobs->set[p] = !t->lost && (!whole || p == 0);
        if (whole && !all && !t->lost && !said) {
            skip(t, "needs all processors, and processors= excludes some");
            said = true;
        }
        if (whole && !all)
            jobs->set[p] = false;
        if (jobs->set[p] && !needs_met(&test->needs, &t->cpu, t->regime,
                                       jobs_answering(jobs), missing)) {
            skip(t, "%s", missing);
            jobs->set[p] = false;
        }
    }
}

/* The place of the processor among those of its core. */
static unsigned thread_of(const struct jobs *jobs, unsigned processor)
{
    unsigned place = 0;

    for (unsigned p = 0; p < processor; p++)
        place += !jobs->contexts[p].lost &&
                 identity_siblings(&jobs->contexts[p].cpu,
                                   &jobs->contexts[processor].cpu);
    return place;
}

/* The first thread of each core, then the second, while the others wait. */
static void run_in_turn(struct jobs *jobs, unsigned timeout_ms)
{
    bool all[HW_PROCESSORS_MAX], any = true;

    memcpy(all, jobs->set, sizeof(all));
    for (unsigned place = 0; any; place++) {
        any = false;
        for (unsigned p = 0; p < jobs->processors; p++) {
            jobs->set[p] = all[p] && thread_of(jobs, p) == place;
            any = any || jobs->set[p];
        }
        if (any)
            jobs_run(jobs, timeout_ms, body_job);
    }
}

void one_test(struct jobs *jobs, const struct test *test, uint64_t seed,
              bool all, const struct options *options)
{
    const unsigned timeout_ms = timeout_of(jobs, options->trials);

    begin_test(jobs, test, seed, all);
    if (test->scope == THREADS_IN_TURN ||
        (test->scope == EACH_PROCESSOR && options->ht == HT_ONE))
        run_in_turn(jobs, timeout_ms);
    else
        jobs_run(jobs, timeout_ms, body_job);
    jobs_restore(jobs);
}

void one_test_took(struct ktap *out, const struct jobs *jobs,
                   const struct test *test, const struct options *options,
                   uint64_t ms)
{
    const unsigned bound = test->bound_ms != 0 ? test->bound_ms : TEST_BOUND_MS;

    if (!jobs->contexts[0].cpu.hypervisor && options->trials == 0 &&
        options->soak == 0 && options->ht == HT_ALL && ms > bound)
        ktap_note(out, "took %lu ms: more than the %u ms that are meant", ms,
                  bound);
}
