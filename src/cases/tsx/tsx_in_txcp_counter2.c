/* SPDX-License-Identifier: BSD-2-Clause */
/* IN_TXCP is for IA32_PERFEVTSEL2 alone; without TSX both bits are reserved. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/cpu/generation.h"
#include "src/base/names.h"
#include "src/counting/counters.h"

/* Writes the bit alone; what is written is 0 again afterwards. */
static int try_bit(struct test_context *t, unsigned n, uint64_t bit)
{
    int vector = try_set_msr_again(t, IA32_PERFEVTSEL(n), bit);

    if (vector == HW_NO_FAULT)
        check(t, msr_value(t, IA32_PERFEVTSEL(n)) == bit,
              "IA32_PERFEVTSEL%u (%XH) written with 0x%lx reads as 0x%lx", n,
              IA32_PERFEVTSEL(n), bit, msr_value(t, IA32_PERFEVTSEL(n)));
    set_msr_again(t, IA32_PERFEVTSEL(n), 0);
    return vector;
}

/* IN_TXCP "may only be set for IA32_PERFEVTSEL2": in the others it is reserved.
 */
static void check_others(struct test_context *t)
{
    for (unsigned n = 0; n < counters_available(test_cpu(t)); n++) {
        /* In regime B counter 3 may be in use by microcode. */
        if (n == 2 || (n == 3 && test_regime(t) == REGIME_B))
            continue;
        int vector =
            try_set_msr_again(t, IA32_PERFEVTSEL(n), IA32_PERFEVTSEL_IN_TXCP);
        set_msr_again(t, IA32_PERFEVTSEL(n), 0);
        check(t, vector == HW_GP,
              "IA32_PERFEVTSEL%u (%XH) written with IN_TXCP [33]: got %s, "
              "wanted #GP: it is for IA32_PERFEVTSEL2 alone",
              n, IA32_PERFEVTSEL(n), fault_name(vector));
    }
}

static void check_present(struct test_context *t)
{
    for (unsigned n = 0; n < 3; n++) {
        int vector = try_bit(t, n, IA32_PERFEVTSEL_IN_TX);
        check(t, vector == HW_NO_FAULT,
              "IA32_PERFEVTSEL%u (%XH) written with IN_TX [32]: got %s, wanted "
              "no exception",
              n, IA32_PERFEVTSEL(n), fault_name(vector));
    }
    int vector = try_bit(t, 2, IA32_PERFEVTSEL_IN_TXCP);
    check(
        t, vector == HW_NO_FAULT,
        "IA32_PERFEVTSEL2 (188H) written with IN_TXCP [33]: got %s, wanted no "
        "exception",
        fault_name(vector));
    check_others(t);
}

/* Where microcode has taken TSX away the select may still take the bits. */
static void observe_absent(struct test_context *t)
{
    unsigned taken = 0, tried = 0;

    for (unsigned n = 0; n < counters_available(test_cpu(t)); n++, tried++)
        if (try_set_msr_again(t, IA32_PERFEVTSEL(n), IA32_PERFEVTSEL_IN_TX) ==
            HW_NO_FAULT) {
            taken++;
            set_msr_again(t, IA32_PERFEVTSEL(n), 0);
        }
    observe(t, "IN_TX [32] can be set without TSX", taken, tried);
}

/* A generation that never had TSX. */
static void check_absent(struct test_context *t)
{
    for (unsigned n = 0; n < counters_available(test_cpu(t)); n++)
        for (unsigned bit = 32; bit <= 33; bit++) {
            int vector = try_set_msr_again(t, IA32_PERFEVTSEL(n), BIT(bit));
            check(t, vector == HW_GP,
                  "IA32_PERFEVTSEL%u (%XH) written with bit %u: got %s, wanted "
                  "#GP",
                  n, IA32_PERFEVTSEL(n), bit, fault_name(vector));
            if (vector == HW_NO_FAULT)
                set_msr_again(t, IA32_PERFEVTSEL(n), 0);
        }
}

/* The generations before Haswell; later ones may have had it, before their
 * microcode took it away. */
static bool never_had_tsx(const struct identity *id)
{
    return (identity_generation(id) & (NEHALEM | SANDY_BRIDGE | IVY_BRIDGE)) !=
           0;
}

/* What is written is 0 again afterwards. */
static void observe_hidden(struct test_context *t)
{
    unsigned faults = 0, tried = 0;

    for (unsigned bit = 32; bit <= 33; bit++) {
        int vector = try_set_msr_again(t, IA32_PERFEVTSEL(2), BIT(bit));
        faults += vector == HW_GP;
        tried++;
        set_msr_again(t, IA32_PERFEVTSEL(2), 0);
    }
    observe(t,
            "IN_TX [32] and IN_TXCP [33] raise #GP where TSX is not enumerated",
            faults, tried);
}

TEST(tsx_in_txcp_counter2,
     .asks =
         "Does IA32_PERFEVTSEL2 take IN_TXCP, and does no select take it, or "
         "IN_TX, without TSX?",
     .cite =
         "SDM 3B, \"Performance Monitoring and Intel TSX\", figure \"Layout "
         "of IA32_PERFEVTSELx MSRs Supporting Intel TSX\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 3})
{
    const struct identity *id = test_cpu(t);

    /* Set-up. */
    if (!counters_claim(t))
        return;

    /* Measured, and checked. Where TSX is hidden, or was taken away by
     * microcode, no document says whether the bits went with it. */
    if (id->rtm || id->hle)
        check_present(t);
    else if (never_had_tsx(id))
        check_absent(t);
    else if (!id->tsx_force_abort && !id->arch_capabilities_present)
        observe_absent(t);
    else
        observe_hidden(t);
}
