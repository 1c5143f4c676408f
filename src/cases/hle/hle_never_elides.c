/* SPDX-License-Identifier: BSD-2-Clause */
/* The microcode of October 2018 took HLE away, whatever CPUID says; without HLE
 * the prefixes are ignored. */
#include "src/harness/case.h"
#include "src/tsx/hle.h"
#include "src/tsx/probe.h"
#include "src/counting/selects.h"
#include "src/cpu/generation.h"

struct sections {
    struct test_context *t;
    unsigned times;
};

static void run_sections(void *argument)
{
    struct sections *w = argument;
    struct hle_tally tally = {0};

    hle_try_asking(w->t, &hle_forms[0], w->times, false, &tally);
}

static bool has_event(const struct identity *id)
{
    return id->perfmon_version >= 2 && id->counters >= SELECTS &&
           (identity_generation(id) & (HASWELL | BROADWELL | SKYLAKE)) != 0;
}

/* Where XTEST does not exist it cannot be asked: the event counts sections that
 * began to be elided, also of those that aborted. */
static void count_starts(struct test_context *t, unsigned tries)
{
    struct selects s = {{EVENT_HLE_RETIRED | UMASK_START}, {0}, 0};
    struct sections w = {t, tries};

    if (!has_event(test_cpu(t))) {
        note(t,
             "not tested: HLE_RETIRED.START (C8H/01H): needs counters, and a "
             "processor of the 4th to the 10th generation");
        return;
    }
    if (counters_claim(t) && selects_count(t, &s, run_sections, &w))
        check(
            t, s.got[0] == 0,
            "HLE_RETIRED.START (C8H/01H): %lu in %u critical sections; wanted "
            "0: none is elided",
            s.got[0], tries);
}

TEST(hle_never_elides,
     .asks = "Is no lock elided after October 2018, or without HLE?",
     .cite = "White paper 604224, sections 1 and 2; SDM 1, \"Programming with "
             "Intel Transactional Synchronization Extensions\", \"HLE Software "
             "Interface\"",
     .needs = {.features = NEED_INTEL})
{
    const struct identity *id = test_cpu(t);
    struct hle_tally all = {0};
    unsigned tries = probe_row_tries(t);

    if (id->hle && !id->tsx_force_abort) {
        skip(t, "needs CPUID.07H.0:EDX[13] (TSX_FORCE_ABORT) = 1, or EBX[4] "
                "(HLE) = 0");
        return;
    }
    if (!identity_is_native(id)) {
        skip(t, "needs a bare machine: a hypervisor may hide HLE");
        return;
    }

    /* Set-up. */
    if (!hle_hints(t))
        return;

    /* Measured. */
    for (unsigned i = 0; i < HLE_FORMS; i++)
        hle_try(t, &hle_forms[i], tries, &all);

    /* Check. */
    WITH_PREFIX (t, "XACQUIRE") {
        hle_check(t, &all);
        if (hle_can_ask(t))
            check_none(t, "XTEST inside says that a transaction runs",
                       all.elided, all.tried);
    }
    count_starts(t, tries);
    note(t, "%u critical sections of %u forms; XTEST %s", all.tried, HLE_FORMS,
         hle_can_ask(t) ? "asked" : "does not exist");
}
