/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * step.c - one instruction at a time, while a counter is enabled, in a
 * transaction, or on a page that holds transactional code.
 *
 * The guest runs with RFLAGS.TF set and #DB intercepted. Before each
 * instruction its bytes are decoded; after each it is counted. This is the
 * place for whatever observes every instruction: the state before it is
 * in step_begin, that after it in step_retire.
 *
 * An interrupt that arrives meanwhile is delivered by the host processor and
 * its handler is not stepped until IRET restores TF: stepping a firmware's
 * timer handler would take longer than its period. Where Processor Trace is to
 * show it, and where counters have asked for it, it is intercepted, and its
 * handler caught: "counters continue counting .. inside interrupt handlers".
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/lbr/lbr.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/pt/pt.h"

#define INT1 0xF1

#define EXCEPTIONS_CATCH (UINT32_C(1) << VECTOR_DB)
/* And #UD, which may only be for a hint: hint_replace.c. */
#define EXCEPTIONS_FREE (EXCEPTIONS_CATCH | UINT32_C(1) << VECTOR_UD)
#define EXCEPTIONS_ALL  UINT32_C(0xFFFFFFFF)
/* INT3 and INTO are traps: the host processor delivers them. */
#define EXCEPTIONS_STEP \
    (EXCEPTIONS_ALL & ~(UINT32_C(1) << VECTOR_BP | UINT32_C(1) << VECTOR_OF))

/* One address space identifier for each table, so that none is stale. */
enum asid { ASID_FREE = 1, ASID_STEP, ASID_CATCH, ASID_TX };

static void use_pages(struct vcpu *v, const struct npt *pages, enum asid asid)
{
    v->vmcb->nested_cr3 = (uint64_t)pages->root;
    v->vmcb->asid = asid;
}

/* The host's; an operating system's own is in its place already. */
static void drop_tf(struct vcpu *v)
{
    if (!hypervisor.has_os)
        v->vmcb->rflags &= ~(uint64_t)RFLAGS_TF;
}

void step_set_mode(struct vcpu *v, enum vcpu_mode mode)
{
    if (hypervisor.has_os && (v->mode == MODE_STEP) != (mode == MODE_STEP))
        levels_own_tf(v, mode == MODE_STEP);
    v->mode = mode;
    v->vmcb->intercept_misc1 &=
        ~(INTERCEPT1_INTR | INTERCEPT1_INTN | INTERCEPT1_IRET | INTERCEPT1_HLT |
          INTERCEPT1_PAUSE);
    /* After QEMU's own PAUSE there is no trap by TF. */
    if (mode == MODE_STEP || turns_enabled())
        v->vmcb->intercept_misc1 |= INTERCEPT1_PAUSE;
    if (mode == MODE_STEP)
        v->vmcb->intercept_misc1 |= INTERCEPT1_HLT;
    switch (mode) {
    case MODE_FREE:
        v->pmi_pending = false; /* its handler is not of interest any more */
        use_pages(v, &v->pages_free, ASID_FREE);
        v->vmcb->intercept_exceptions = EXCEPTIONS_FREE;
        drop_tf(v);
        break;
    case MODE_STEP:
        if (v->tx.depth > 0)
            use_pages(v, &v->tx_pages, ASID_TX);
        else
            use_pages(v, &v->pages_step, ASID_STEP);
        v->vmcb->intercept_exceptions =
            v->tx.depth > 0 ? EXCEPTIONS_ALL : EXCEPTIONS_STEP;
        if (pt_tracing(v->model) || v->pmi_pending || hypervisor.has_os ||
            lbr_records(v->model))
            v->vmcb->intercept_misc1 |= INTERCEPT1_INTR;
        break;
    case MODE_CATCH:
        use_pages(v, &v->pages_catch, ASID_CATCH);
        v->vmcb->intercept_exceptions = EXCEPTIONS_CATCH;
        drop_tf(v);
        break;
    }
}

static uint32_t cycles_of(const struct vcpu *v)
{
    return choices_cycles(&v->model->choices, v->current.flags);
}

/* "Privilege levels 1, 2 or 3". */
static bool is_user(const struct vcpu *v)
{
    return v->current_cpl == 3 ||
           (v->current_cpl > 0 &&
            faults_rule(v->model->machine, INNER_RINGS_ARE_USER, true));
}

void step_count(struct vcpu *v, unsigned instructions, uint32_t cycles,
                bool in_tx)
{
    struct retirement r = {
        .instructions = instructions,
        .user = is_user(v),
        .in_tx = in_tx,
        .cycles = cycles,
    };

    if (in_tx)
        v->model->tsx.cycles += cycles;
    lbr_pass(v->model, cycles);
    counters_retire(v->model, &r);
    time_cycles(v, cycles);
}

/* No handler is to use the pages that are granted for this instruction.
 * Not every host processor heeds the interrupt shadow, so IF is masked
 * too, but for an instruction that may set it: conflict_revoke_grants
 * restores it. */
static void mask_interrupts(struct vcpu *v)
{
    if ((v->vmcb->rflags & RFLAGS_IF) == 0 || v->current.tx == TX_MAY)
        return;
    v->vmcb->rflags &= ~(uint64_t)RFLAGS_IF;
    v->if_masked = true;
}

/* STI that sets IF: QEMU would execute the next instruction with it, before
 * the trap of the single step. SDM volume 2B: "interrupts .. are enabled after
 * the next instruction". */
static bool is_sti(const struct vcpu *v, const uint8_t *bytes)
{
    return bytes[0] == 0xFB && v->vmcb->cpl == 0 && v->tx.depth == 0 &&
           (v->vmcb->rflags & RFLAGS_IF) == 0;
}

#define WRMSR 0x300Fu /* 0FH 30H */

static void abort_by_instruction(struct vcpu *v)
{
    const uint32_t number = (uint32_t)v->gprs.rcx;
    const uint64_t value = v->gprs.rdx << 32 | (uint32_t)v->vmcb->rax;

    tx_abort(v, v->current.tx == TX_BREAKPOINT ? TX_CAUSE_DEBUG
                                               : TX_CAUSE_INSTRUCTION);
    if ((v->decoded->words[0] & BITS(15, 0)) == WRMSR &&
        !faults_rule(v->model->machine, ABORTED_WRMSR_UNDONE, true))
        msr_write(v->model, number, value);
}

struct action step_begin(struct vcpu *v)
{
    uint8_t buffer[INSTRUCTION_BYTES_MAX];
    const uint8_t *bytes;
    size_t length;
    uint64_t to;

    bytes = guest_code(v, buffer, &length);
    v->decoded = decoded_find(v, bytes, length);
    v->current = v->decoded->instruction;
    data_access_find(v, bytes, length);
    v->previous_rip = v->current_rip;
    if (v->model->pebs.enable != 0 && deviates(v->model))
        v->gprs_before = v->gprs;
    v->rax_before = v->vmcb->rax;
    v->rsp_before = v->vmcb->rsp;
    v->rflags_before = v->vmcb->rflags & ~(uint64_t)RFLAGS_TF;
    v->current_rip = v->pt_ip = v->vmcb->rip;
    v->current_cpl = v->vmcb->cpl;
    v->steps++;
    if (hypervisor.has_os)
        levels_step(v, bytes, length);
    if (v->current.elide != ELIDE_NONE &&
        !faults_rule(v->model->machine, HINT_IGNORED, true))
        return action_raise(VECTOR_UD, 0);
    if ((v->tx.depth > 0 && watch_instruction(v)) || !hle_instruction(v))
        return action_of(ACTION_RESUME);
    if (v->current.kind != INSTRUCTION_OTHER)
        return tx_instruction(v);
    if (v->current.is_ptwrite)
        return ptwrite(v);
    if (v->tx.depth > 0 &&
        tsx_aborts(v->model, &v->current, (v->vmcb->rflags & RFLAGS_DF) != 0)) {
        abort_by_instruction(v);
        if (v->current.tx == TX_BREAKPOINT && v->vmcb->cpl > 0 &&
            !faults_rule(v->model->machine, RING3_INT3_ABORTS, true))
            return action_raise(VECTOR_BP, 0);
        if (length > 0 && bytes[0] == INT1 &&
            !faults_rule(v->model->machine, INT1_ABORTS, true))
            return action_raise(VECTOR_DB, 0);
        return action_of(ACTION_RESUME);
    }
    if (v->current.system != SYSTEM_NONE) {
        struct action a = rings_instruction(v);

        if (a.kind != ACTION_EXECUTE)
            return a;
    }
    if (is_sti(v, bytes)) {
        v->vmcb->rflags |= RFLAGS_IF;
        v->vmcb->interrupt_shadow = SHADOW_ON;
        return action_complete(ACTION_RETIRE, 1);
    }
    if (hypervisor.has_os && blocks_tell_branch(v, bytes, length, &to))
        return action_branch(to);
    v->dr6 = v->vmcb->dr6;
    if (v->grants > 0)
        mask_interrupts(v);
    if (!direct_look(v, bytes != buffer ? bytes : NULL, length))
        return action_of(ACTION_RESUME);
    return action_of(ACTION_EXECUTE);
}

/* PUSHF has written the host's TF, and maybe an IF that was masked. */
static void clear_pushed_flag(const struct vcpu *v)
{
    uint64_t at, rflags = v->tx.depth > 0 ? v->tx.rflags : v->vmcb->rflags;

    if (!guest_physical(v, v->vmcb->rsp, &at))
        return;
    if (!v->levels.tf)
        *(uint16_t *)at &= (uint16_t)~RFLAGS_TF;
    *(uint16_t *)at |= (uint16_t)(rflags & RFLAGS_IF);
}

void step_count_current(struct vcpu *v)
{
    struct retirement r = {
        .instructions = 1,
        .branch = (uint8_t)(v->current.flags & INSTRUCTION_BRANCHES),
        .indirect = (v->current.flags & INSTRUCTION_INDIRECT) != 0,
        .taken = true,
        .user = is_user(v),
        .cycles = cycles_of(v),
    };

    v->accesses = 0;
    lbr_pass(v->model, r.cycles);
    counters_retire(v->model, &r);
    time_cycles(v, r.cycles);
}

/* Where it was predicted to go on, is there an XBEGIN? */
static void look_speculated(struct vcpu *v, bool taken)
{
    static const uint8_t xbegin[] = {0xC7, 0xF8};
    uint8_t bytes[sizeof(xbegin)];
    uint64_t at = branches_expected(&v->model->branches, &v->current,
                                    v->current_rip, taken);

    if (v->model->machine->counter3 == DISTURB_SPECULATIVE && at != 0 &&
        guest_copy(v, at, bytes, sizeof(bytes), false) &&
        bytes[0] == xbegin[0] && bytes[1] == xbegin[1])
        tsx_speculated(v->model);
}

void step_retire(struct vcpu *v)
{
    struct retirement r = {
        .instructions = step_instructions(v),
        .branch = (uint8_t)(v->current.flags & INSTRUCTION_BRANCHES),
        .indirect = (v->current.flags & INSTRUCTION_INDIRECT) != 0,
        .user = is_user(v),
        .in_tx = (v->tx.depth == 1 &&
                  (!v->tx.inner_ended ||
                   faults_rule(v->model->machine, IN_TX_AFTER_INNER, true))) ||
                 (v->tx.depth > 1 &&
                  faults_rule(v->model->machine, IN_TX_NESTED, true)),
        .cycles = cycles_of(v),
    };
    bool recorded = lbr_records(v->model); /* whatever it freezes */

    if ((v->current.flags & INSTRUCTION_LOOP) != 0 &&
        !faults_rule(v->model->machine, LOOP_CONDITIONAL, true))
        r.branch &= (uint8_t)~INSTRUCTION_CONDITIONAL;
    if ((v->current.flags & (INSTRUCTION_BRANCHES | INSTRUCTION_IRET)) ==
            (INSTRUCTION_BRANCH | INSTRUCTION_FAR) &&
        v->current.system == SYSTEM_NONE &&
        !faults_rule(v->model->machine, FAR_JUMPS_COUNT, true))
        r.branch = 0;
    if ((v->current.flags & INSTRUCTION_INDIRECT) != 0 &&
        !faults_rule(v->model->machine, INDIRECT_CALL_IS_CALL, true))
        r.branch &= (uint8_t)~INSTRUCTION_CALL;
    r.taken = (v->current.flags & INSTRUCTION_CONDITIONAL) == 0 ||
              v->vmcb->rip != v->current_rip + v->current.length;
    if (v->accesses > 0)
        data_access_retire(v, &r);
    if (r.in_tx)
        v->model->tsx.cycles += r.cycles;
    else if (v->tx.not_elided == v->current_rip)
        v->tx.not_elided = UINT64_MAX;
    if (r.branch != 0)
        r.mispredicted =
            !branches_predicted(&v->model->branches, &v->current,
                                v->current_rip, v->vmcb->rip, r.taken);
    if (r.mispredicted)
        look_speculated(v, r.taken);
    counters_retire(v->model, &r);
    time_cycles(v, r.cycles);
    levels_stepped(v);
    if ((v->current.flags & INSTRUCTION_PUSHF) != 0)
        clear_pushed_flag(v);
    if (r.in_tx) {
        tx_step_done(v);
        if (v->tx.depth == 0)
            return; /* its last, or undone */
    }
    if (recorded)
        trace_branch(v, &r);
    trace_retire(v, r.cycles);
    if (hypervisor.has_os)
        rounds_stepped(v);
}

bool step_is_due(const struct vcpu *v)
{
    return v->model->uncore_pmis != v->model->machine->uncore.pmis ||
           (v->mode == MODE_FREE && !v->starving.unwatched &&
            counters_watch(v->model));
}

/* An interrupt of the uncore may be for any processor. */
static void poll_uncore(struct vcpu *v)
{
    uint32_t before = v->model->uncore_pmis;

    uncore_poll(v->model);
    if (v->model->uncore_pmis != before)
        kick_others(v);
}

/* Firmware's timer interrupts again before its handler, stepped, has ended. So
 * what a deviation lets go on after its window is left unwatched, from where
 * nobody has read or written an MSR for so long, and nearly all was handlers,
 * to where somebody does: else the machine would come no further. */
#define STEPS_UNWATCHED 200000
#define HANDLERS        64
#define OPEN_SHARE      16

static bool is_unwatched(struct vcpu *v)
{
    struct starving *s = &v->starving;
    const bool open = (v->vmcb->rflags & RFLAGS_IF) != 0;

    s->handlers += open && !s->was_open;
    s->was_open = open;
    s->steps++;
    s->open += open;
    if (open && s->steps >= STEPS_UNWATCHED && s->handlers >= HANDLERS &&
        s->open < s->steps / OPEN_SHARE)
        s->unwatched = true;
    return s->unwatched;
}

void step_end(struct vcpu *v)
{
    uint64_t page = v->vmcb->rip & ~(PAGE_BYTES - 1);
    const struct uncore *uncore = &v->model->machine->uncore;

    if (uncore->counting || v->model->uncore_pmis != uncore->pmis)
        poll_uncore(v);
    if (v->model->pmu.pmi_again)
        pmi_send_again(v);
    if (v->model->pmu.pmi || v->model->pebs.triggered != 0)
        pebs_assist(v);
    if (v->mode == MODE_CATCH)
        return;
    if (hypervisor.has_os) {
        levels_choose(v);
        return;
    }
    if (v->tx.depth > 0 ||
        (v->mode == MODE_STEP && v->code_marked && v->code_page == page) ||
        ((counters_watch(v->model) || v->model->pebs.residual_in > 0 ||
          v->model->pmu.pmi_again || uncore->counting || pt_tracing(v->model) ||
          lbr_records(v->model)) &&
         !is_unwatched(v))) {
        step_set_mode(v, MODE_STEP);
        return;
    }
    step_set_mode(v, MODE_FREE); /* a marked page will fault again */
}
