/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx.c - the regimes: 10FH, 122H, 123H, CPUID bits, the fate of XBEGIN. */
#include "tests/silicon/model/tsx/tsx.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/cpuid.h"
#include "tests/silicon/model/memory/lines.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/pt/pt.h"

#define MSR_TSX_CTRL           0x122u
#define TSX_CTRL_RTM_DISABLE   BIT(0)
#define TSX_CTRL_CPUID_CLEAR   BIT(1)
#define MSR_MCU_OPT_CTRL       0x123u
#define MCU_OPT_RNGDS_MITG_DIS BIT(0)
#define MCU_OPT_RTM_ALLOW      BIT(1)
#define MCU_OPT_RTM_LOCKED     BIT(2)

void tsx_reset(struct processor *p)
{
    p->tsx = (struct tsx_state){.force_abort = p->machine->force_abort};
    p->tsx.mcu_opt_ctrl = p->cpu->mcu_opt_ctrl;
    /* What would show that the lock does not hold has to be locked. */
    if (p->cpu->regime == REGIME_F && p->cpu->mcu_opt_ctrl == 0 &&
        (p->choices.rtm_locked ||
         !faults_rule(p->machine, LOCKED_KEEPS_ALLOW, true)))
        p->tsx.mcu_opt_ctrl = MCU_OPT_RTM_LOCKED;
}

bool tsx_sdv(const struct processor *p)
{
    return p->cpu->regime == REGIME_C &&
           faults_sdv(p, (p->tsx.force_abort & SDV_ENABLE_RTM) != 0);
}

/* SDM volume 4, "IA32_TSX_CTRL": IA32_ARCH_CAPABILITIES[7] says that it is
 * there. */
static bool has_tsx_ctrl(const struct processor *p)
{
    return (p->cpu->leaf7_edx & LEAF7_EDX_ARCH_CAPABILITIES) != 0 &&
           (p->cpu->arch_capabilities & BIT(7)) != 0;
}

/* Has software hidden RTM and HLE? */
static bool hidden_by_software(const struct processor *p)
{
    if (has_tsx_ctrl(p))
        return faults_hidden(
            p, faults_rule(p->machine, CTRL_CLEAR_HIDES,
                           (p->tsx.tsx_ctrl & TSX_CTRL_CPUID_CLEAR) != 0));
    if (p->cpu->regime != REGIME_C)
        return false;
    return faults_hidden(p, (p->tsx.force_abort & TSX_CPUID_CLEAR) != 0);
}

/* Regime B: bit 0 as it takes effect. */
static bool force_abort_on(const struct processor *p)
{
    bool on = (p->tsx.force_abort & RTM_FORCE_ABORT) != 0;

    if (p->pmu.counting)
        on = on && faults_rule(p->machine, FORCED_COUNTING, true);
    return faults_forced(p, on);
}

bool tsx_rtm_visible(const struct processor *p)
{
    if (!p->cpu->has_rtm || p->cpu->regime == REGIME_E)
        return false;
    bool visible =
        faults_rtm_visible(p, force_abort_on(p), !hidden_by_software(p));
    if (!faults_rule(p->machine, DISABLE_KEEPS_CPUID, true) &&
        (p->tsx.tsx_ctrl & TSX_CTRL_RTM_DISABLE) != 0)
        return false;
    return visible || !faults_rule(p->machine, CLEAR_HIDES_RTM, true);
}

/* The October 2018 update disables HLE but goes on enumerating it. */
bool tsx_hle_visible(const struct processor *p)
{
    if (!p->cpu->has_rtm || p->cpu->hle_absent || p->cpu->regime == REGIME_E)
        return false;
    return faults_hle_visible(
        p, !hidden_by_software(p) ||
               !faults_rule(p->machine, CLEAR_HIDES_HLE, true));
}

bool tsx_always_abort_visible(const struct processor *p)
{
    switch (p->cpu->regime) {
    case REGIME_C:
        return faults_always_abort_visible(p, !tsx_sdv(p));
    case REGIME_E:
        return true;
    case REGIME_F:
        return (p->tsx.mcu_opt_ctrl & MCU_OPT_RTM_ALLOW) == 0 ||
               !faults_rule(p->machine, ALLOW_ENUMERATED, true);
    default:
        return false;
    }
}

bool tsx_force_abort_visible(const struct processor *p)
{
    enum regime regime = p->cpu->regime;

    return regime == REGIME_B || regime == REGIME_C || regime == REGIME_E;
}

static bool read_force_abort(const struct processor *p, uint64_t *value)
{
    if (!tsx_force_abort_visible(p)) {
        *value = 0;
        return faults_force_abort_readable(p);
    }
    if (faults_force_abort_refused(p))
        return false;
    *value = p->tsx.force_abort;
    if (p->cpu->regime == REGIME_C && !tsx_sdv(p))
        *value |= RTM_FORCE_ABORT;
    *value = faults_force_abort_value(p, *value);
    return true;
}

/* Bit 0 set, which may have been 1 already, changes no register of counter 3.
 */
static void force_again(struct processor *p)
{
    const struct machine *m = p->machine;

    if (!faults_rule(m, FORCE_AGAIN_KEEPS_COUNTER, true))
        p->pmu.counter[3] = 0;
    if (!faults_rule(m, FORCE_AGAIN_KEEPS_SELECT, true))
        p->pmu.select[3] &= ~EVTSEL_EN;
    if (!faults_rule(m, FORCE_AGAIN_KEEPS_STATUS, true))
        p->pmu.global_status &= ~BIT(3);
    counter3_recover(p);
}

static bool write_force_abort(struct processor *p, uint64_t value)
{
    uint64_t writable = RTM_FORCE_ABORT;

    if (!tsx_force_abort_visible(p))
        return false;
    if (faults_force_abort_refused(p))
        return false;
    if (p->pmu.counting && !faults_rule(p->machine, FORCE_TAKEN_COUNTING, true))
        return true;
    if (p->pebs.enable != 0 &&
        !faults_rule(p->machine, FORCE_TAKEN_WITH_PEBS, true))
        return true;
    if (p->cpu->regime == REGIME_E)
        return true; /* reads 0, discards every write */
    if (p->cpu->regime == REGIME_C)
        writable |= TSX_CPUID_CLEAR | SDV_ENABLE_RTM;
    if ((value & ~writable) != 0 &&
        !faults_accept_force_abort(p, value & ~writable)) {
        if (!faults_rule(p->machine, REFUSED_KEEPS, true))
            p->tsx.force_abort = value & writable & ~RTM_FORCE_ABORT;
        return false;
    }
    if ((value & RTM_FORCE_ABORT) != 0)
        force_again(p);
    if ((value & SDV_ENABLE_RTM) != 0 &&
        !faults_rule(p->machine, SDV_KEEPS_CPUID_CLEAR, true))
        value &= ~TSX_CPUID_CLEAR;
    p->faults.first_after_clear =
        (p->tsx.force_abort & ~value & RTM_FORCE_ABORT) != 0;
    faults_force_abort_written(p, value & writable);
    p->tsx.force_abort = value & writable;
    if (p->cpu->regime == REGIME_C && !faults_bit0_writable(p))
        p->tsx.force_abort &= ~RTM_FORCE_ABORT; /* ignored; see the read */
    return true;
}

static bool write_mcu_opt_ctrl(struct processor *p, uint64_t value)
{
    uint64_t locked = p->tsx.mcu_opt_ctrl & MCU_OPT_RTM_LOCKED;
    uint64_t writable = MCU_OPT_RNGDS_MITG_DIS | MCU_OPT_RTM_ALLOW;

    if ((value & ~(writable | MCU_OPT_RTM_LOCKED)) != 0)
        return false;
    if (locked != 0 && faults_rule(p->machine, LOCKED_KEEPS_ALLOW, true))
        writable &= ~MCU_OPT_RTM_ALLOW; /* locked at zero, write ignored */
    p->tsx.mcu_opt_ctrl = (value & writable) | locked;
    return true;
}

bool tsx_is_msr(uint32_t number)
{
    return number == MSR_TSX_FORCE_ABORT || number == MSR_TSX_CTRL ||
           number == MSR_MCU_OPT_CTRL;
}

bool tsx_read(struct processor *p, uint32_t number, uint64_t *value)
{
    switch (number) {
    case MSR_TSX_FORCE_ABORT:
        return read_force_abort(p, value);
    case MSR_TSX_CTRL:
        *value = p->tsx.tsx_ctrl;
        return has_tsx_ctrl(p);
    default:
        *value = p->tsx.mcu_opt_ctrl;
        return p->cpu->regime == REGIME_F;
    }
}

static bool write_tsx_ctrl(struct processor *p, uint64_t value)
{
    if (!has_tsx_ctrl(p) ||
        (value & ~(TSX_CTRL_RTM_DISABLE | TSX_CTRL_CPUID_CLEAR)) != 0)
        return false;
    p->faults.first_after_clear =
        (p->tsx.tsx_ctrl & ~value & TSX_CTRL_RTM_DISABLE) != 0;
    p->tsx.tsx_ctrl = value;
    return true;
}

bool tsx_write(struct processor *p, uint32_t number, uint64_t value)
{
    switch (number) {
    case MSR_TSX_FORCE_ABORT:
        return write_force_abort(p, value);
    case MSR_TSX_CTRL:
        return write_tsx_ctrl(p, value);
    default:
        return p->cpu->regime == REGIME_F && write_mcu_opt_ctrl(p, value);
    }
}

bool tsx_ctrl_clears(const struct processor *p)
{
    return (p->tsx.tsx_ctrl & TSX_CTRL_CPUID_CLEAR) != 0;
}

/* RTM_DISABLE: "transactions abort .. with EAX code 0". */
static bool disabled(const struct processor *p)
{
    return faults_rule(p->machine, DISABLE_ABORTS,
                       (p->tsx.tsx_ctrl & TSX_CTRL_RTM_DISABLE) != 0) &&
           (!p->tsx.user ||
            faults_rule(p->machine, RING3_DISABLE_ABORTS, true)) &&
           ((p->pt.ctl & RTIT_TRACE_EN) == 0 ||
            faults_rule(p->machine, DISABLE_WHILE_TRACED, true));
}

/* Is every transaction aborted by IA32_MCU_OPT_CTRL? */
static bool not_allowed(const struct processor *p)
{
    return (p->tsx.mcu_opt_ctrl & MCU_OPT_RTM_ALLOW) == 0
               ? faults_rule(p->machine, NOT_ALLOWED_ABORTS, true)
               : !faults_rule(p->machine, ALLOW_COMMITS, true);
}

/* Does RTM abort everything now? The status is then 0. */
static bool aborts_all(const struct processor *p)
{
    switch (p->cpu->regime) {
    case REGIME_B:
        return force_abort_on(p) &&
               (!p->tsx.user ||
                (faults_rule(p->machine, FORCED_IN_RING_3, true) &&
                 ((p->pmu.global_ctrl & BIT(3)) == 0 ||
                  faults_rule(p->machine, FORCED_BESIDE_3, true))));
    case REGIME_C:
        return faults_aborts_all(p, !tsx_sdv(p));
    case REGIME_F:
        return faults_aborts_all(p, not_allowed(p) || disabled(p));
    default:
        return has_tsx_ctrl(p) && disabled(p);
    }
}

bool tsx_rtm_invalid(const struct processor *p)
{
    if (!p->cpu->has_rtm || p->cpu->regime == REGIME_E)
        return true;
    if (faults_rtm_invalid(p))
        return true;
    return hidden_by_software(p) && p->choices.hidden_rtm == HIDDEN_RTM_UD;
}

/* White paper 604224, section 1: "The October 2018 microcode update also
 * disabled the HLE instruction prefix". */
bool tsx_elides(const struct processor *p)
{
    const struct personality *cpu = p->cpu;

    return faults_elides(p, cpu->has_hle && cpu->regime == REGIME_A);
}

bool tsx_conflict(const struct machine *m, unsigned sets, bool write)
{
    if ((sets & LINE_SPARED) != 0)
        return false;
    sets = faults_conflict_sets(m, sets, write);
    return write ? sets != 0 : (sets & LINE_WRITTEN) != 0;
}

bool tsx_xtest_invalid(const struct processor *p)
{
    return tsx_rtm_invalid(p) ||
           ((p->tsx.tsx_ctrl & TSX_CTRL_RTM_DISABLE) != 0 &&
            !faults_rule(p->machine, DISABLE_KEEPS_XTEST, true));
}

static void decide_doomed(struct processor *p, struct tx_decision *decision)
{
    decision->fate = TX_DOOMED;
    decision->status = 0;
    decision->forced = true;
    decision->at_xend = p->choices.forced_abort == FORCED_ABORT_AT_XEND;
    if (p->choices.forced_abort == FORCED_ABORT_IN_BODY)
        decision->steps = p->choices.body_steps;
    if (!faults_rule(p->machine, FORCED_UNDOES_STORES, true))
        decision->leak_stores = true;
    if (!faults_rule(p->machine, FORCED_STATUS_ZERO, true))
        decision->status = TX_STATUS_RETRY;
    if (!faults_rule(p->machine, FORCE_BIT_STAYS, true))
        p->tsx.force_abort &= ~RTM_FORCE_ABORT;
}

/* An abort that nothing in the program explains. */
static void decide_spontaneous(struct processor *p,
                               struct tx_decision *decision)
{
    static const uint32_t statuses[] = {
        0,
        TX_STATUS_RETRY,
        TX_STATUS_RETRY | TX_STATUS_CONFLICT,
        TX_STATUS_CONFLICT,
    };
    uint32_t one_in = tsx_sdv(p) ? p->choices.sdv_abort_one_in
                                 : p->choices.spontaneous_one_in;

    if (!random_one_in(&p->random, one_in))
        return;
    decision->fate = TX_DOOMED;
    decision->steps = (unsigned)(random_next(&p->random) % 8);
    decision->status = statuses[random_next(&p->random) % 4];
}

/* A clear of bit 0 that takes effect after one more. */
static bool forced_still(struct processor *p)
{
    bool first = p->faults.first_after_clear;

    p->faults.first_after_clear = false;
    return first && (!faults_rule(p->machine, FORCE_ENDS_AT_ONCE, true) ||
                     !faults_rule(p->machine, DISABLE_ENDS_AT_ONCE, true));
}

void tsx_decide(struct processor *p, struct tx_decision *decision)
{
    *decision = (struct tx_decision){.fate = TX_RUNS};
    if (tsx_rtm_invalid(p)) {
        decision->fate = TX_INVALID;
        return;
    }
    if (aborts_all(p) || forced_still(p) ||
        (hidden_by_software(p) && p->choices.hidden_rtm == HIDDEN_RTM_ABORTS)) {
        decide_doomed(p, decision);
        faults_doomed(p, decision);
        return;
    }
    faults_may_commit(p, decision);
    decide_spontaneous(p, decision);
}

bool tsx_aborts(const struct processor *p, const struct instruction *i,
                bool direction)
{
    bool drawn = (p->choices.tx_may >> i->tx & 1) != 0;

    switch (i->tx) {
    case TX_SAFE:
        return false;
    case TX_ABORTS:
        return !faults_let_pass(p, i) &&
               (i->is_pause || !p->tsx.hle ||
                faults_rule(p->machine, ELISION_ENDED_BY_CPUID, true)) &&
               (!i->is_pause || !p->tsx.user ||
                faults_rule(p->machine, RING3_PAUSE_ABORTS, true));
    case TX_MAY_X87:
    case TX_MAY_CACHE:
    case TX_MAY_HINT:
    case TX_MAY_TABLE:
        return drawn;
    case TX_MAY_CLD:
        return drawn && direction;
    case TX_MAY_STD:
        return drawn && !direction;
    default:
        return true;
    }
}
