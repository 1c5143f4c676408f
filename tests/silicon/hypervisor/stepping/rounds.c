/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds.c - a loop without branches in it, of a guest that is stepped, runs by
 * itself: what is counted follows from how many rounds it has made, which the
 * TSC tells as in levels.c, and from the addresses of its loads and stores
 * where these are constants apart. INT3 in a copy of its page, behind the
 * branch, is where it ends; the guest would see that if it read its own code
 * there.
 *
 * Not where a counter could overflow in it, or where it is not known how often
 * it goes round: only LOOP says that, in RCX.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/lbr/branches.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/demand.h"
#include "tests/silicon/instructions/induction.h"

#define OPCODE_INT3 0xCC
#define OPCODE_LOOP 0xE2

#define MSR_FS_BASE 0xC0000100u
#define MSR_GS_BASE 0xC0000101u

#define ALIKE_MIN 2 /* rounds that were stepped */
/* To be worth two exits. */
#define INSTRUCTIONS_MIN 128
/* Of a loop that does not say how often: as good as never. */
#define ROUNDS_NEVER (UINT64_C(1) << 32)
/* Counted in one go: their cycles are 32 bits. */
#define ROUNDS_CHUNK UINT64_C(10000)
/* Rounds that the branch predictor learns from. */
#define ROUNDS_LEARNT 4
/* More cycles than a load takes. */
#define LATENCY_MAX 1000
/* Those of many rounds are under way together, most asked for ahead of them: as
 * many as the second level's queue holds. */
#define LOADS_AT_ONCE 16

#define PAGE_OF(address) ((address) & ~(PAGE_BYTES - 1))
#define LOOP_BRANCH      (INSTRUCTION_BRANCH | INSTRUCTION_CONDITIONAL)

static bool is_straight(const struct vcpu *v)
{
    const struct instruction *i = &v->current;

    return i->flags == 0 && i->kind == INSTRUCTION_OTHER &&
           i->system == SYSTEM_NONE && i->elide == ELIDE_NONE &&
           i->tx == TX_SAFE && v->vmcb->rip > v->current_rip;
}

void rounds_stepped(struct vcpu *v)
{
    struct rounds *r = &v->rounds;
    uint64_t first = r->ip[0];
    unsigned count = r->count;

    if (count < ROUND_INSTRUCTIONS)
        r->ip[r->count++] = v->current_rip;
    if (is_straight(v) && count < ROUND_INSTRUCTIONS)
        return;
    if (count == 0)
        first = r->ip[0];
    if ((v->current.flags & ~INSTRUCTION_LOOP) == LOOP_BRANCH &&
        count < ROUND_INSTRUCTIONS && v->vmcb->rip == first &&
        v->vmcb->rip <= v->current_rip &&
        PAGE_OF(first) == PAGE_OF(v->current_rip + v->current.length)) {
        r->alike = r->instructions == r->count ? r->alike + 1 : 0;
        r->instructions = r->count;
    } else {
        r->alike = r->instructions = 0;
    }
    r->count = 0;
}

void rounds_passed(struct vcpu *v)
{
    struct rounds *r = &v->rounds;

    if (r->count == ROUND_INSTRUCTIONS)
        r->count = r->alike = r->instructions = 0;
    r->ip[r->count++] = v->current_rip;
}

/* The branch at the end of a round is v->current. */
static uint64_t cycles_of_round(const struct vcpu *v)
{
    const struct choices *c = &v->model->choices;

    return (uint64_t)(v->rounds.instructions - 1) * c->cycles_other +
           choices_cycles(c, v->current.flags);
}

static void restore_lost(struct operand_state *s, const struct induction *at,
                         uint64_t garbage)
{
    __builtin_memcpy(s->general, at->general, sizeof(s->general));
    for (unsigned n = 0; n < 16; n++)
        if ((at->lost >> n & 1) != 0)
            s->general[n] += garbage;
}

/* The accesses of a round that begins with these registers. False: they
 * depend on more than that, or are too many. */
static bool find_in_round(struct vcpu *v, struct induction *at,
                          struct data_access found[ROUND_ACCESSES],
                          unsigned *count)
{
    struct data_access a[2][DATA_ACCESSES_MAX];
    uint8_t bytes[2 * INSTRUCTION_BYTES_MAX];
    struct operand_state s = {
        .fs_base = rdmsr(MSR_FS_BASE),
        .gs_base = rdmsr(MSR_GS_BASE),
    };

    *count = 0;
    for (unsigned n = 0; n < v->rounds.instructions; n++) {
        unsigned some;

        s.rip = v->rounds.ip[n];
        if (!guest_copy(v, s.rip, bytes, INSTRUCTION_BYTES_MAX, false))
            return false;
        restore_lost(&s, at, 0);
        some = operand_find(a[0], &s, bytes, INSTRUCTION_BYTES_MAX);
        restore_lost(&s, at, PAGE_BYTES + 8);
        operand_find(a[1], &s, bytes, INSTRUCTION_BYTES_MAX);
        for (unsigned k = 0; k < some; k++) {
            if (*count == ROUND_ACCESSES || a[0][k].linear != a[1][k].linear)
                return false;
            found[(*count)++] = a[0][k];
        }
        if (!induction_step(at, bytes, INSTRUCTION_BYTES_MAX))
            return false;
    }
    return true;
}

static bool find_accesses(struct vcpu *v)
{
    struct data_access next[ROUND_ACCESSES];
    struct rounds *r = &v->rounds;
    struct induction at = {.lost = 0};
    struct operand_state s;
    uint16_t lost;

    r->accesses = 0;
    if (!data_access_watched(v))
        return true;
    memory_registers(v, &s);
    if (s.narrow) /* induction.c knows nothing of it */
        return false;
    __builtin_memcpy(at.general, s.general, sizeof(at.general));
    if (!find_in_round(v, &at, r->access, &r->accesses))
        return false;
    lost = at.lost; /* from the second round on */
    __builtin_memcpy(at.general, s.general, sizeof(at.general));
    if (!find_in_round(v, &at, r->access, &r->accesses) ||
        !find_in_round(v, &at, next, &r->accesses) || at.lost != lost)
        return false;
    for (unsigned n = 0; n < r->accesses; n++)
        r->stride[n] = next[n].linear - r->access[n].linear;
    return true;
}

/* --- Counting ------------------------------------------------------------ */

/* The loads and stores of one round; its cycles for them. */
static uint32_t access_memory(struct vcpu *v)
{
    struct rounds *r = &v->rounds;
    struct data_result result;
    uint64_t physical;
    uint32_t cycles = 0;

    for (unsigned n = 0; n < r->accesses; n++) {
        if (guest_physical(v, r->access[n].linear, &physical))
            memory_access(v->model, &r->access[n], physical,
                          guest_is_ram(physical), &result);
        if (r->access[n].kind == DATA_LOAD)
            cycles += result.outcome.latency / LOADS_AT_ONCE;
        r->access[n].linear += r->stride[n];
    }
    return cycles;
}

static void count_rounds(struct vcpu *v, uint64_t rounds, bool taken,
                         bool predicted)
{
    while (rounds > 0) {
        uint64_t some = rounds < ROUNDS_CHUNK ? rounds : ROUNDS_CHUNK;
        struct retirement r = {
            .instructions = (uint32_t)some * v->rounds.instructions,
            .branch = LOOP_BRANCH,
            .taken = taken,
            .mispredicted = !predicted,
            .user = v->vmcb->cpl > 0,
            .cycles = (uint32_t)(some * cycles_of_round(v)),
            .rounds = (uint32_t)some,
        };

        for (uint64_t n = 0; v->rounds.accesses > 0 && n < some; n++)
            r.cycles += access_memory(v);
        counters_retire(v->model, &r);
        time_cycles(v, r.cycles);
        rounds -= some;
    }
}

static bool predict(struct vcpu *v, uint64_t branch, bool taken)
{
    return branches_predicted(
        &v->model->branches, &v->current, branch,
        taken ? v->rounds.ip[0] : branch + v->current.length, taken);
}

/* Whole rounds; has_left: the last one has left the loop. */
static void count_all(struct vcpu *v, uint64_t rounds, bool has_left)
{
    uint64_t branch = v->rounds.ip[v->rounds.instructions - 1];
    uint64_t taken = rounds - (has_left && rounds > 0 ? 1 : 0);

    for (unsigned n = 0; n < ROUNDS_LEARNT && taken > 0; n++, taken--)
        count_rounds(v, 1, true, predict(v, branch, true));
    count_rounds(v, taken, true, true);
    if (has_left)
        count_rounds(v, 1, false, predict(v, branch, false));
}

/* Before the instruction that has raised an exception. */
static void count_begun(struct vcpu *v, unsigned instructions)
{
    step_count(v, instructions, instructions * v->model->choices.cycles_other,
               false);
}

/* --- Running ------------------------------------------------------------- */

static bool is_alike(const struct vcpu *v)
{
    const struct vmcb *b = v->vmcb;

    return hypervisor.has_os && turns_tsc_counts() &&
           v->rounds.alike >= ALIKE_MIN && v->rounds.count == 0 &&
           b->rip == v->rounds.ip[0] &&
           v->current_rip == v->rounds.ip[v->rounds.instructions - 1] &&
           v->tx.depth == 0 && !v->levels.tf && v->grants == 0 &&
           v->overlay_count == 0 && (b->dr7 & DR7_ENABLED) == 0;
}

/* v->current is still the branch that has closed the last round. */
static bool may_run(struct vcpu *v)
{
    unsigned instructions = v->rounds.instructions;
    unsigned accesses = data_access_watched(v) ? ROUND_ACCESSES : 0;
    const struct demand_round round = {
        .instructions = instructions,
        .cycles = cycles_of_round(v) + accesses * LATENCY_MAX / LOADS_AT_ONCE,
        .requests = 2 * accesses, /* on two lines */
    };
    uint64_t most = demand_rounds(v->model, v->vmcb->cpl > 0, &round);
    uint64_t needed = ROUNDS_NEVER;
    uint8_t opcode;

    if (guest_copy(v, v->rounds.ip[instructions - 1], &opcode, 1, false) &&
        opcode == OPCODE_LOOP)
        needed = v->gprs.rcx;
    return needed * instructions >= INSTRUCTIONS_MIN && needed <= most &&
           needed != 0 && find_accesses(v);
}

/* False: there is no room for it. */
static bool map_copy(struct vcpu *v, uint64_t physical, uint64_t end)
{
    uint8_t *copy = v->overlays[0].copy;
    uint64_t entry = npt_entry(&v->pages_step, physical);

    if ((entry & NPT_HELD) != 0)
        return false;
    __builtin_memcpy(copy, (const void *)physical, PAGE_BYTES);
    copy[end & (PAGE_BYTES - 1)] = OPCODE_INT3;
    return npt_map_page(&v->pages_step, physical, (uint64_t)copy,
                        (entry & NPT_CODE) | NPT_PRESENT | NPT_USER);
}

static void unmap_copy(struct vcpu *v, uint64_t physical)
{
    uint64_t entry = npt_entry(&v->pages_step, physical);

    if ((entry & NPT_HELD) == 0)
        npt_set_page(&v->pages_step, physical,
                     (entry & NPT_CODE) | npt_rights(entry));
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
}

static unsigned index_of(const struct vcpu *v, uint64_t rip)
{
    unsigned n = 0;

    while (n < v->rounds.instructions && v->rounds.ip[n] != rip)
        n++;
    return n;
}

static struct action ran(struct vcpu *v, uint64_t end, uint64_t physical)
{
    struct vmcb *b = v->vmcb;
    struct levels *l = &v->levels;
    uint64_t all = l->tsc / turns_instruction_tsc() - l->between;
    bool has_left = b->exit_code == EXIT_INTN && b->rip == end;
    unsigned k = v->rounds.instructions,
             begun = has_left ? 0 : index_of(v, b->rip);

    if (begun == k)
        return action_stop("a loop has been left", b->rip, all);
    count_all(v, (all - begun + k / 2) / k, has_left);
    if (begun > 0)
        count_begun(v, begun);
    if (!has_left) {
        if (b->exit_code == EXIT_NPF && PAGE_OF(b->exit_info2) == physical)
            return action_of(ACTION_RESUME); /* it stores there */
        return exit_handle(v);
    }
    step_end(v);
    return action_of(ACTION_RESUME);
}

bool rounds_run(struct vcpu *v, struct action *a)
{
    uint64_t end, physical;

    if (!is_alike(v) || !may_run(v) ||
        !guest_physical(v, PAGE_OF(v->vmcb->rip), &physical))
        return false;
    end = v->rounds.ip[v->rounds.instructions - 1] + v->current.length;
    v->rounds.alike = 0;
    if (!map_copy(v, physical, end))
        return false;
    v->current_cpl = v->vmcb->cpl;
    v->vmcb->rflags &= ~(uint64_t)RFLAGS_TF;
    v->vmcb->intercept_exceptions = UINT32_MAX;
    v->vmcb->intercept_misc1 |= INTERCEPT1_INTR | INTERCEPT1_INTN;
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
    v->rounds.running = true;
    kick_run_guest(v);
    v->rounds.running = false;
    time_stopped(v);
    exit_log_add(&v->exit_log, v->vmcb);
    unmap_copy(v, physical);
    step_set_mode(v, MODE_STEP);
    *a = ran(v, end, physical);
    time_ran(v, 0);
    return true;
}
