/* SPDX-License-Identifier: BSD-2-Clause */
/* regime.c - decides the regime from CPUID and TSX_FORCE_ABORT. */
#include "src/cpu/regime.h"

#include "src/base/hw.h"
#include "src/base/msr.h"
#include "src/cpu/cpuid_bits.h"

#define ARCH_CAPABILITIES_TSX_CTRL      BIT(7)
#define ARCH_CAPABILITIES_FB_CLEAR_CTRL BIT(18)

static bool has_tsx_ctrl(const struct identity *id)
{
    return (id->arch_capabilities & ARCH_CAPABILITIES_TSX_CTRL) != 0;
}

static bool has_mcu_opt_ctrl(const struct identity *id)
{
    return (id->leaf7_edx & LEAF7_EDX_SRBDS_CTRL) != 0 ||
           (id->arch_capabilities & ARCH_CAPABILITIES_FB_CLEAR_CTRL) != 0;
}

static int read_if_enumerated(bool enumerated, uint32_t msr, uint64_t *value)
{
    *value = 0;
    return enumerated ? hw_msr_read(msr, value) : REGIME_NOT_READ;
}

void regime_probe(const struct identity *id, struct regime_evidence *out)
{
    bool intel = identity_is_intel(id);

    out->fault_10f = read_if_enumerated(intel && id->tsx_force_abort,
                                        TSX_FORCE_ABORT, &out->value_10f);
    out->fault_122 = read_if_enumerated(intel && has_tsx_ctrl(id),
                                        IA32_TSX_CTRL, &out->value_122);
    out->fault_123 = read_if_enumerated(intel && has_mcu_opt_ctrl(id),
                                        IA32_MCU_OPT_CTRL, &out->value_123);
}

/* CPUID.7:EDX[13] = 0: no TSX_FORCE_ABORT. RTM_ALWAYS_ABORT must then
 * come from another register. */
static enum regime decide_without(const struct identity *id,
                                  const struct regime_evidence *evidence)
{
    if (has_tsx_ctrl(id))
        return evidence->fault_122 == HW_NO_FAULT ? REGIME_F
                                                  : REGIME_CONTRADICTORY;
    if (!id->rtm_always_abort)
        return REGIME_A;
    return has_mcu_opt_ctrl(id) && evidence->fault_123 == HW_NO_FAULT
               ? REGIME_F
               : REGIME_CONTRADICTORY;
}

/* RTM_ALWAYS_ABORT: bit 2, which would clear it, must be 0. Bit 1 hides RTM and
 * HLE. Bit 0 reads as 1; whether it does is asked by always_abort_default, but
 * where RTM is hidden only a 0 there identifies regime E. */
static enum regime decide_always_abort(const struct identity *id,
                                       uint64_t value)
{
    bool visible = id->rtm || id->hle;
    bool hides = (value & TSX_FORCE_ABORT_TSX_CPUID_CLEAR) != 0;
    bool bit0 = (value & TSX_FORCE_ABORT_RTM_FORCE_ABORT) != 0;

    if ((value & TSX_FORCE_ABORT_SDV_ENABLE_RTM) || (visible && hides))
        return REGIME_CONTRADICTORY;
    if (visible)
        return REGIME_C;
    if (hides)
        return bit0 ? REGIME_C_PRIME : REGIME_CONTRADICTORY;
    return bit0 ? REGIME_C : REGIME_E;
}

enum regime regime_decide(const struct identity *id,
                          const struct regime_evidence *evidence)
{
    if (!identity_is_intel(id))
        return REGIME_NONE;
    if (!id->tsx_force_abort)
        return decide_without(id, evidence);
    if (evidence->fault_10f != HW_NO_FAULT)
        return REGIME_CONTRADICTORY;
    if (id->rtm_always_abort)
        return decide_always_abort(id, evidence->value_10f);
    if (evidence->value_10f & TSX_FORCE_ABORT_SDV_ENABLE_RTM)
        return REGIME_D;
    /* Bit 1 exists only with one of the two marks of the 2021 update. */
    return evidence->value_10f & TSX_FORCE_ABORT_TSX_CPUID_CLEAR
               ? REGIME_CONTRADICTORY
               : REGIME_B;
}

struct words {
    enum regime regime;
    const char *name, *meaning;
};

static const struct words all[] = {
    {REGIME_A, "A",
     "TSX_FORCE_ABORT (10FH) does not exist: TSX as enumerated, counter 3 "
     "like the others"},
    {REGIME_B, "B",
     "RTM_FORCE_ABORT can be set: while it is 0 and RTM is enumerated, "
     "counter 3 may hold unexpected values"},
    {REGIME_C, "C",
     "every RTM transaction is aborted by default; counter 3 is like the "
     "others"},
    {REGIME_C_PRIME, "C'",
     "as C, and TSX_CPUID_CLEAR hides RTM and HLE from CPUID; counter 3 is "
     "like the others"},
    {REGIME_D, "D",
     "SDV_ENABLE_RTM is set: RTM may commit, memory ordering is not "
     "guaranteed; counter 3 is like the others"},
    {REGIME_E, "E",
     "RTM is hidden and 10FH reads as 0: no document says what counter 3 "
     "does here"},
    {REGIME_F, "F",
     "no TSX_FORCE_ABORT: RTM is controlled by IA32_TSX_CTRL (122H) or "
     "IA32_MCU_OPT_CTRL (123H); counter 3 is like the others"},
    {REGIME_NONE, "none",
     "not an Intel processor: nothing here is promised of it"},
    {REGIME_CONTRADICTORY, "contradictory",
     "CPUID and the MSRs it enumerates exclude each other"},
};

static const struct words *words_of(enum regime regime)
{
    const unsigned last = sizeof(all) / sizeof(all[0]) - 1;

    for (unsigned i = 0; i < last; i++)
        if (all[i].regime == regime)
            return &all[i];
    return &all[last];
}

const char *regime_name(enum regime regime)
{
    return words_of(regime)->name;
}

const char *regime_meaning(enum regime regime)
{
    return words_of(regime)->meaning;
}
