/* SPDX-License-Identifier: BSD-2-Clause */
/* TSX_FORCE_ABORT exists exactly where CPUID says so, and XBEGIN where RTM
 * does. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/tsx/rtm.h"

/* Bits of 10FH that no document gives a meaning in this regime. */
static uint64_t reserved_bits(enum regime regime)
{
    uint64_t known = TSX_FORCE_ABORT_RTM_FORCE_ABORT;

    if (regime != REGIME_B)
        known |=
            TSX_FORCE_ABORT_TSX_CPUID_CLEAR | TSX_FORCE_ABORT_SDV_ENABLE_RTM;
    return ~known;
}

/* Each reserved bit by itself (SDM 2C, WRMSR: #GP); one that is taken is undone
 * at once. */
static void check_reserved(struct test_context *t, uint64_t found)
{
    uint64_t reserved = reserved_bits(test_regime(t)), taken = 0;
    unsigned tried = 0, wrong = 0, first = 0;
    int other = HW_GP;

    for (unsigned bit = 0; bit < 64; bit++) {
        if ((reserved & BIT(bit)) == 0)
            continue;
        int vector = try_set_msr(t, TSX_FORCE_ABORT, found | BIT(bit));
        tried++;
        if (vector == HW_GP)
            continue;
        if (wrong++ == 0) {
            first = bit;
            other = vector;
        }
        if (vector == HW_NO_FAULT) {
            taken |= msr_value(t, TSX_FORCE_ABORT) & BIT(bit);
            set_msr(t, TSX_FORCE_ABORT, found);
        }
    }
    check(t, wrong == 0,
          "WRMSR of reserved bits of TSX_FORCE_ABORT (10FH), one at a time: %u "
          "of %u raise no #GP, the first is bit %u: %s; read back as 1: 0x%lx",
          wrong, tried, first, fault_name(other), taken);
    note(t, "TSX_FORCE_ABORT (10FH): %u reserved bits, #GP for %u", tried,
         tried - wrong);
}

/* SDM 2C, WRMSR: what raises #GP writes nothing, the good bits neither. */
static void check_refused(struct test_context *t, uint64_t found)
{
    bool first = test_regime(t) == REGIME_B;
    uint64_t other = first ? TSX_FORCE_ABORT_RTM_FORCE_ABORT
                           : TSX_FORCE_ABORT_TSX_CPUID_CLEAR;

    if (try_set_msr(t, TSX_FORCE_ABORT, (found ^ other) | BIT(63)) != HW_GP) {
        set_msr(t, TSX_FORCE_ABORT, found);
        return;
    }
    check_equal(t, "TSX_FORCE_ABORT (10FH) after a write that raised #GP",
                msr_value(t, TSX_FORCE_ABORT), found);
}

/* EDX[13] = 0. A part without RTM may have the register of its siblings all the
 * same; where RTM is enumerated, EDX[13] = 0 says that there is none. A guest's
 * hypervisor may take accesses to what it does not have. */
static void check_absent(struct test_context *t, int vector)
{
    if (test_cpu(t)->rtm && identity_is_native(test_cpu(t)))
        check(t, vector == HW_GP,
              "CPUID.07H.0:EDX[13] = 0, EBX[11] (RTM) = 1, and RDMSR of "
              "TSX_FORCE_ABORT (10FH): got %s, wanted #GP",
              fault_name(vector));
    else
        observe(t,
                "TSX_FORCE_ABORT (10FH) can be read although "
                "CPUID.07H.0:EDX[13] = 0",
                vector == HW_NO_FAULT, 1);
}

static void check_register(struct test_context *t)
{
    uint64_t value = 0;
    int vector = try_get_msr(t, TSX_FORCE_ABORT, &value);

    if (!test_cpu(t)->tsx_force_abort) {
        check_absent(t, vector);
        return;
    }
    if (vector != HW_NO_FAULT && !identity_is_native(test_cpu(t))) {
        observe(t,
                "CPUID.07H.0:EDX[13] = 1 and a hypervisor refuses RDMSR of "
                "TSX_FORCE_ABORT (10FH)",
                1, 1);
        return;
    }
    if (!check(t, vector == HW_NO_FAULT,
               "CPUID.07H.0:EDX[13] = 1 and RDMSR of TSX_FORCE_ABORT (10FH): "
               "got %s, wanted no exception",
               fault_name(vector)))
        return;
    check(
        t, (value & reserved_bits(test_regime(t))) == 0,
        "TSX_FORCE_ABORT (10FH) reads 0x%lx; wanted its reserved bits 0x%lx 0",
        value, reserved_bits(test_regime(t)));
    /* Not in regime E, where the firmware has writes discarded. */
    if (test_regime(t) != REGIME_E) {
        check_reserved(t, value);
        check_refused(t, value);
    }
}

/* SDM 2C, XBEGIN: #UD where CPUID.07H.0:EBX.RTM[11] = 0. For RTM hidden by
 * TSX_CPUID_CLEAR (C'), by TSX_CTRL (F), by microcode (E) or by a hypervisor no
 * document says which. */
static void check_xbegin(struct test_context *t)
{
    struct rtm_tally tally;

    rtm_try(test_trials(t, 100, 10), &tally);
    if (test_cpu(t)->rtm)
        check(t, tally.faulted == 0,
              "CPUID.07H.0:EBX[11] = 1 and XBEGIN raises %s; wanted no "
              "exception",
              fault_name(tally.vector));
    else if (test_regime(t) == REGIME_C_PRIME || test_regime(t) == REGIME_E ||
             test_regime(t) == REGIME_F || !identity_is_native(test_cpu(t)))
        observe(t, "XBEGIN raises an exception while RTM is hidden",
                tally.faulted, tally.tried);
    else
        check(t, tally.faulted == tally.tried && tally.vector == HW_UD,
              "CPUID.07H.0:EBX[11] = 0 and XBEGIN: %u of %u raised an "
              "exception, the last %s; wanted all, #UD",
              tally.faulted, tally.tried, fault_name(tally.vector));
    note(t, "XBEGIN: %u committed, %u aborted, %u raised an exception",
         tally.committed, tally.aborted, tally.faulted);
}

TEST(force_abort_enumeration,
     .asks = "Is TSX_FORCE_ABORT readable exactly where CPUID enumerates it?",
     .cite = "White paper 604224, section 2.2 and table A-1; "
             "SDM 2C, XBEGIN, \"Other Exceptions\"; SDM 2C, WRMSR",
     .needs = {.features = NEED_INTEL})
{
    uint64_t misc_enable = 0;

    /* SDM 3C, IA32_MISC_ENABLE: leaves above 3 are hidden. */
    if (test_cpu(t)->leaf_max < 7 &&
        try_get_msr(t, IA32_MISC_ENABLE, &misc_enable) == HW_NO_FAULT &&
        (misc_enable & IA32_MISC_ENABLE_LIMIT_CPUID) != 0) {
        skip(t, "needs CPUID.07H; IA32_MISC_ENABLE (1A0H)[22] (Limit CPUID "
                "Maxval) hides it: a switch of the firmware");
        return;
    }
    /* A hypervisor may show its guest one of two that belong together. */
    check(t,
          test_regime(t) != REGIME_CONTRADICTORY ||
              !identity_is_native(test_cpu(t)),
          "CPUID and the MSRs that it enumerates exclude each other; the "
          "evidence is at the head of the report");
    check_register(t);
    check_xbegin(t);
}
