/* SPDX-License-Identifier: BSD-2-Clause */
/* The microcode of October 2018 took HLE away, whatever CPUID says; without HLE
 * the prefixes are ignored. */
#include "src/harness/case.h"
#include "src/tsx/hle.h"
#include "src/tsx/probe.h"

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

    /* Measured. */
    for (unsigned i = 0; i < HLE_FORMS; i++)
        hle_try(t, &hle_forms[i], tries, &all);

    /* Check. */
    hle_check(t, "XACQUIRE", &all);
    if (hle_can_ask(t))
        check_none(t, "XACQUIRE", "XTEST inside says that a transaction runs",
                   all.elided, all.tried);
    note(t, "%u critical sections of %u forms; XTEST %s", all.tried, HLE_FORMS,
         hle_can_ask(t) ? "asked" : "does not exist");
}
