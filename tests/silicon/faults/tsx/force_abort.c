/* SPDX-License-Identifier: BSD-2-Clause */
/* force_abort.c - what goes wrong with MSR 10FH, and with the enumeration that
 * depends on it. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/tsx/tsx.h"

FAULT(tfa_readable_unenumerated,
      .what = "[A F] MSR 10FH reads 0 although EDX[13] is clear",
      .caught = {"skylake-2017 on 1 force_abort_enumeration FAIL",
                 "cometlake-2022 on 1 force_abort_enumeration FAIL"})

FAULT(tfa_faults_though_enumerated,
      .what = "[B C E] MSR 10FH raises #GP although EDX[13] is set",
      .caught = {"skylake-2018 on 1 force_abort_enumeration FAIL"})

FAULT(tfa_reserved_accepted,
      .what = "[B C] reserved bits of MSR 10FH can be written without #GP",
      .caught = {"skylake-2018 on 1 force_abort_enumeration FAIL"})

FAULT(force_abort_lets_commit,
      .what = "[B] one XBEGIN in 50 commits although bit 0 is set",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"})

FAULT(force_abort_sets_eax, .what = "[B] one forced abort in 20 has EAX = 2",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"})

FAULT(force_abort_leaks_store,
      .what = "[B] one forced abort in 20 does not undo the stores of the "
              "body",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"})

FAULT(force_abort_keeps_registers,
      .what = "[B] one forced abort in 20 does not restore the registers",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"})

FAULT(force_abort_sticky,
      .what = "[B] aborts go on after bit 0 has been cleared",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"})

FAULT(force_abort_starts_late,
      .what = "[B] the first XBEGIN after bit 0 was set still commits",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"})

FAULT(force_abort_hides_rtm, .what = "[B] CPUID EBX[11] = 0 while bit 0 is set",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"})

FAULT(force_abort_shared_value,
      .what = "[B] bit 0 written on one processor reads as set on the others",
      .caught = {"skylake-2018 on 2 force_abort_thread_scope FAIL"})

FAULT(force_abort_shared_effect,
      .what = "[B] bit 0 set on one processor aborts on the others too",
      .caught = {"skylake-2018 on 2 force_abort_thread_scope FAIL"})

FAULT(always_abort_bit0_writable,
      .what = "[C] bit 0 of MSR 10FH takes what is written",
      .caught = {"skylake-2021 on 1 always_abort_default FAIL"})

FAULT(always_abort_bit0_zero, .what = "[C] bit 0 of MSR 10FH reads 0",
      .caught = {"skylake-2021 on 1 always_abort_default FAIL"})

FAULT(always_abort_commits, .what = "[C] one XBEGIN in 50 commits",
      .caught = {"skylake-2021 on 1 always_abort_default FAIL"})

FAULT(always_abort_spares_ring3,
      .what = "[C, and F with RTM_ALLOW = 0] XBEGIN at ring 3 commits",
      .caught = {"skylake-2021 on 1 always_abort_default FAIL",
                 "cometlake-rtm-2022 on 1 tsx_mcu_opt_ctrl FAIL"})

FAULT(always_abort_unenumerated, .what = "[C] EDX[11] reads 0",
      .caught = {"skylake-2021 on 1 force_abort_aborts_all FAIL"})

FAULT(sdv_keeps_bit0, .what = "[C] bit 0 still reads 1 while bit 2 is set",
      .caught = {"skylake-2021 on 1 sdv_enable_rtm FAIL"})

FAULT(sdv_keeps_always_abort, .what = "[C] EDX[11] stays 1 while bit 2 is set",
      .caught = {"skylake-2021 on 1 sdv_enable_rtm FAIL"})

FAULT(sdv_sticky,
      .what = "[C] transactions commit after bit 2 has been cleared",
      .caught = {"skylake-2021 on 1 sdv_enable_rtm FAIL"})

FAULT(cpuid_clear_keeps_hle, .what = "[C] EBX[4] stays 1 while bit 1 is set",
      .caught = {"skylake-2021 on 1 tsx_cpuid_clear FAIL"})

FAULT(cpuid_clear_keeps_rtm, .what = "[C] EBX[11] stays 1 while bit 1 is set",
      .caught = {"skylake-2021 on 1 tsx_cpuid_clear FAIL"})

FAULT(cpuid_clear_sticky,
      .what = "[C] EBX[11] and EBX[4] stay 0 after bit 1 was cleared",
      .caught = {"skylake-2021 on 1 tsx_cpuid_clear FAIL"})

FAULT(xbegin_ud_though_enumerated,
      .what = "[A B C F] XBEGIN raises #UD although RTM is enumerated",
      .caught = {"skylake-2018 on 1 force_abort_enumeration FAIL"})

FAULT(tfa_bit1_accepted,
      .what = "[B] bit 1 of MSR 10FH can be written without #GP",
      .caught = {"skylake-2018 on 1 force_abort_enumeration FAIL"})

FAULT(tfa_bit63_accepted,
      .what = "[B C] bit 63 of MSR 10FH can be written without #GP",
      .caught = {"skylake-2018 on 1 force_abort_enumeration FAIL"})

FAULT(tfa_bit3_accepted,
      .what = "[B C] bit 3 of MSR 10FH can be written without #GP",
      .caught = {"skylake-2018 on 1 force_abort_enumeration FAIL"})

FAULT(tfa_bit32_accepted,
      .what = "[B C] bit 32 of MSR 10FH can be written without #GP",
      .caught = {"skylake-2018 on 1 force_abort_enumeration FAIL"})

FAULT(force_abort_hides_hle, .what = "[B] CPUID EBX[4] = 0 while bit 0 is set",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"})

FAULT(force_abort_sets_always_abort,
      .what = "[B] CPUID EDX[11] = 1 while bit 0 is set",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"})

FAULT(force_abort_clears_edx13,
      .what = "[B] CPUID EDX[13] = 0 while bit 0 is set",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"})

FAULT(cpuid_clear_shared,
      .what = "[C] bit 1 of MSR 10FH hides RTM and HLE on all processors",
      .caught = {"skylake-2021 on 2 force_abort_scope_2021 FAIL"})

FAULT(sdv_lifts_nothing,
      .what = "[C] with SDV_ENABLE_RTM = 1 every transaction aborts as before",
      .caught = {"skylake-2021 on 1 sdv_enable_rtm FAIL",
                 "skylake-u-2021 on 1 sdv_enable_rtm FAIL"})

FAULT(sdv_shared,
      .what = "[C] bit 2 of MSR 10FH lets transactions commit on all "
              "processors, not only its own",
      .caught = {"skylake-2021 on 2 force_abort_scope_2021 FAIL"})

FAULT(cpuid_clear_clears_bit0, .what = "[C] bit 0 reads 0 while bit 1 is set",
      .caught = {"skylake-2021 on 1 force_abort_values FAIL"})

FAULT(cpuid_clear_clears_always_abort,
      .what = "[C] CPUID EDX[11] = 0 while bit 1 is set",
      .caught = {"skylake-2021 on 1 tsx_cpuid_clear FAIL"})

FAULT(cpuid_clear_clears_edx13,
      .what = "[C] CPUID EDX[13] = 0 while bit 1 is set",
      .caught = {"skylake-2021 on 1 tsx_cpuid_clear FAIL"})

FAULT(sdv_clears_rtm, .what = "[C] CPUID EBX[11] = 0 while bit 2 is set",
      .caught = {"skylake-2021 on 1 force_abort_values FAIL"})

FAULT(sdv_clears_hle, .what = "[C] CPUID EBX[4] = 0 while bit 2 is set",
      .caught = {"skylake-2021 on 1 force_abort_values FAIL"})

FAULT(sdv_shows_hidden,
      .what = "[C] EBX[11] = EBX[4] = 1 with bits 1 and 2 both set",
      .caught = {"skylake-2021 on 1 force_abort_values FAIL"})

FAULT(sdv_needs_bit1_clear,
      .what = "[C] EDX[11] stays 1 with bits 1 and 2 both set",
      .caught = {"skylake-2021 on 1 force_abort_values FAIL"})

FAULT(always_abort_hides_hle, .what = "[C] CPUID EBX[4] = 0 by default",
      .caught = {"skylake-2021 on 1 force_abort_values FAIL"})

FAULT(sdv_keeps_bit0_with_bit1,
      .what = "[C] bit 0 reads 1 with bits 1 and 2 both set",
      .caught = {"skylake-2021 on 1 force_abort_values FAIL"})

FAULT(cpuid_clear_at_reset,
      .what = "[C] MSR 10FH[1] is 1 at reset, and hides nothing until written",
      .caught = {"skylake-2021 on 1 force_abort_enumeration FAIL"})

FAULT(sdv_at_reset,
      .what = "[C] MSR 10FH[2] is 1 at reset, and enables nothing until "
              "written",
      .caught = {"skylake-2021 on 1 force_abort_enumeration FAIL"})

bool faults_hidden(const struct processor *p, bool hidden)
{
    if (has_fault(p, FAULT_cpuid_clear_shared))
        return (p->machine->faults.force_abort & TSX_CPUID_CLEAR) != 0;
    return hidden ||
           (has_fault(p, FAULT_cpuid_clear_sticky) && p->faults.was_cleared);
}

bool faults_forced(const struct processor *p, bool forced)
{
    const struct machine *m = p->machine;

    if (has_fault(p, FAULT_force_abort_sticky) && p->faults.was_forced)
        return true;
    if (has_fault(p, FAULT_force_abort_shared_effect) &&
        (m->faults.force_abort & RTM_FORCE_ABORT) != 0)
        return true;
    return forced;
}

bool faults_rtm_visible(const struct processor *p, bool forced, bool visible)
{
    if (has_fault(p, FAULT_cpuid_clear_keeps_rtm))
        return true;
    if (has_fault(p, FAULT_force_abort_hides_rtm) &&
        p->cpu->regime == REGIME_B && forced)
        return false;
    return visible;
}

bool faults_hle_visible(const struct processor *p, bool visible)
{
    return visible || has_fault(p, FAULT_cpuid_clear_keeps_hle);
}

bool faults_always_abort_visible(const struct processor *p, bool visible)
{
    if (has_fault(p, FAULT_always_abort_unenumerated))
        return false;
    return visible || has_fault(p, FAULT_sdv_keeps_always_abort);
}

bool faults_force_abort_readable(const struct processor *p)
{
    return has_fault(p, FAULT_tfa_readable_unenumerated);
}

bool faults_force_abort_refused(const struct processor *p)
{
    return has_fault(p, FAULT_tfa_faults_though_enumerated);
}

uint64_t faults_force_abort_value(const struct processor *p, uint64_t value)
{
    if (p->cpu->regime == REGIME_B &&
        has_fault(p, FAULT_force_abort_shared_value))
        return p->machine->faults.force_abort;
    if (p->cpu->regime != REGIME_C)
        return value;
    if (has_fault(p, FAULT_always_abort_bit0_writable))
        return p->tsx.force_abort;
    if (has_fault(p, FAULT_cpuid_clear_at_reset) &&
        !p->faults.force_abort_written)
        return value | TSX_CPUID_CLEAR;
    if (has_fault(p, FAULT_sdv_at_reset) && !p->faults.force_abort_written)
        return SDV_ENABLE_RTM;
    if (has_fault(p, FAULT_cpuid_clear_clears_bit0) &&
        (value & TSX_CPUID_CLEAR) != 0)
        return value & ~RTM_FORCE_ABORT;
    if (has_fault(p, FAULT_sdv_keeps_bit0_with_bit1) &&
        (value & TSX_CPUID_CLEAR) != 0)
        return value | RTM_FORCE_ABORT;
    if (has_fault(p, FAULT_sdv_keeps_bit0))
        return value | RTM_FORCE_ABORT;
    if (has_fault(p, FAULT_always_abort_bit0_zero))
        return value & ~RTM_FORCE_ABORT;
    return value;
}

bool faults_accept_force_abort(const struct processor *p, uint64_t reserved)
{
    if (has_fault(p, FAULT_tfa_bit1_accepted))
        return reserved == BIT(1);
    if (has_fault(p, FAULT_tfa_bit3_accepted))
        return reserved == BIT(3);
    if (has_fault(p, FAULT_tfa_bit32_accepted))
        return reserved == BIT(32);
    if (has_fault(p, FAULT_tfa_bit63_accepted))
        return reserved == BIT(63);
    return has_fault(p, FAULT_tfa_reserved_accepted);
}

void faults_force_abort_written(struct processor *p, uint64_t value)
{
    struct fault_state *f = &p->faults;

    f->force_abort_written = true;
    f->first_after_force = (value & ~p->tsx.force_abort & RTM_FORCE_ABORT) != 0;
    f->was_forced = f->was_forced || (value & RTM_FORCE_ABORT) != 0;
    f->was_cleared = f->was_cleared || (value & TSX_CPUID_CLEAR) != 0;
    f->was_sdv = f->was_sdv || (value & SDV_ENABLE_RTM) != 0;
    p->machine->faults.force_abort = value;
}

bool faults_bit0_writable(const struct processor *p)
{
    return has_fault(p, FAULT_always_abort_bit0_writable);
}

bool faults_aborts_all(const struct processor *p, bool aborts)
{
    if (p->tsx.user && has_fault(p, FAULT_always_abort_spares_ring3))
        return false;
    if (p->cpu->regime == REGIME_C && has_fault(p, FAULT_sdv_lifts_nothing))
        return true;
    return aborts && !(has_fault(p, FAULT_sdv_sticky) && p->faults.was_sdv);
}

bool faults_rtm_invalid(const struct processor *p)
{
    return has_fault(p, FAULT_xbegin_ud_though_enumerated);
}

bool faults_sdv(const struct processor *p, bool on)
{
    if (has_fault(p, FAULT_sdv_shared))
        return (p->machine->faults.force_abort & SDV_ENABLE_RTM) != 0;
    return on;
}

/* clang-format off */
static const struct {
    enum fault_id fault;
    uint64_t mask, value; /* MSR 10FH, regimes B and C */
    uint32_t clear_ebx, clear_edx, set_ebx, set_edx;
} leaf_7[] = {
    {FAULT_force_abort_hides_hle, 1, 1, BIT(4), 0, 0, 0},
    {FAULT_force_abort_sets_always_abort, 1, 1, 0, 0, 0, BIT(11)},
    {FAULT_force_abort_clears_edx13, 1, 1, 0, BIT(13), 0, 0},
    {FAULT_cpuid_clear_clears_always_abort, 2, 2, 0, BIT(11), 0, 0},
    {FAULT_cpuid_clear_clears_edx13, 2, 2, 0, BIT(13), 0, 0},
    {FAULT_sdv_clears_rtm, 4, 4, BIT(11), 0, 0, 0},
    {FAULT_sdv_clears_hle, 4, 4, BIT(4), 0, 0, 0},
    {FAULT_sdv_shows_hidden, 6, 6, 0, 0, BIT(11) | BIT(4), 0},
    {FAULT_sdv_needs_bit1_clear, 6, 6, 0, 0, 0, BIT(11)},
    {FAULT_always_abort_hides_hle, 6, 0, BIT(4), 0, 0, 0},
};
/* clang-format on */

void faults_leaf_7(const struct processor *p, uint32_t *ebx, uint32_t *edx)
{
    if (p->cpu->regime != REGIME_B && p->cpu->regime != REGIME_C)
        return;
    for (size_t n = 0; n < sizeof(leaf_7) / sizeof(leaf_7[0]); n++)
        if (has_fault(p, leaf_7[n].fault) &&
            (p->tsx.force_abort & leaf_7[n].mask) == leaf_7[n].value) {
            *ebx = (*ebx & ~leaf_7[n].clear_ebx) | leaf_7[n].set_ebx;
            *edx = (*edx & ~leaf_7[n].clear_edx) | leaf_7[n].set_edx;
        }
}

FAULT(forced_keeps_fcw,
      .what = "[B C F] a forced abort does not restore the control word of the "
              "x87",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL",
                 "skylake-2021 on 1 always_abort_default FAIL"},
      .quantity = FORCED_PIECES, .number = ANY_NUMBER, .set = 4)

FAULT(forced_keeps_xmm,
      .what = "[B C F] a forced abort does not restore XMM0 to XMM7",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL",
                 "skylake-2021 on 1 always_abort_default FAIL"},
      .quantity = FORCED_PIECES, .number = ANY_NUMBER, .set = 1)
