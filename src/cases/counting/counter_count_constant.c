/* SPDX-License-Identifier: BSD-2-Clause */
/* The number of counters that CPUID gives does not depend on 10FH. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/options/options.h"
#include "src/tsx/force_abort.h"

/* The values of the writable bits, in the order tried. */
static const struct {
    uint64_t bits;
    const char *state;
} states[] = {
    {0, "with TSX_FORCE_ABORT (10FH)[2:0] = 000"},
    {TSX_FORCE_ABORT_RTM_FORCE_ABORT, "with TSX_FORCE_ABORT (10FH)[2:0] = 001"},
    {TSX_FORCE_ABORT_TSX_CPUID_CLEAR, "with TSX_FORCE_ABORT (10FH)[2:0] = 010"},
    {TSX_FORCE_ABORT_SDV_ENABLE_RTM, "with TSX_FORCE_ABORT (10FH)[2:0] = 100"},
    {TSX_FORCE_ABORT_TSX_CPUID_CLEAR | TSX_FORCE_ABORT_SDV_ENABLE_RTM,
     "with TSX_FORCE_ABORT (10FH)[2:0] = 110"},
};

TEST(counter_count_constant,
     .asks = "Is CPUID.0AH the same for every value of TSX_FORCE_ABORT?",
     .cite = "White paper 604224, appendix A; SDM 2A, CPUID, \"Architectural "
             "Performance Monitoring Leaf\"",
     .needs = {.regimes = REGIME_B | REGIME_C | REGIME_C_PRIME | REGIME_D |
                          REGIME_E,
               .features = NEED_INTEL | NEED_PMU})
{
    const struct identity *id = test_cpu(t);
    /* Bits 1 and 2 only where they are described. */
    uint64_t writable = test_regime(t) == REGIME_B || test_regime(t) == REGIME_E
                            ? TSX_FORCE_ABORT_RTM_FORCE_ABORT
                            : TSX_FORCE_ABORT_RTM_FORCE_ABORT |
                                  TSX_FORCE_ABORT_TSX_CPUID_CLEAR |
                                  TSX_FORCE_ABORT_SDV_ENABLE_RTM;
    struct enumeration before, now;
    uint64_t value;

    enumeration_read(id, &before);
    check(t, before.leaf0a.eax == id->leaf0a_eax,
          "CPUID.0AH:EAX = 0x%08x, at the start of the run it was 0x%08x",
          before.leaf0a.eax, id->leaf0a_eax);
    for (unsigned i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        if ((states[i].bits & ~writable) != 0)
            continue;
        if ((states[i].bits & TSX_FORCE_ABORT_SDV_ENABLE_RTM) != 0 &&
            !test_allowed(t, ALLOW_SDV_ENABLE_RTM)) {
            note(t, "not tried %s: " FORCE_ABORT_SDV_SKIP, states[i].state);
            continue;
        }
        if (!force_abort_change(t, writable, states[i].bits, &value))
            return;
        enumeration_read(id, &now);
        enumeration_check_0a(t, states[i].state, &now.leaf0a, &before.leaf0a);
    }
    note(t, "CPUID.0AH:EAX = 0x%08x: %u general-purpose counters of %u bits",
         before.leaf0a.eax, id->counters, id->counter_bits);
}
