/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks.c - a stepped guest executes instructions in which nothing happens
 * but that they are executed, up to the next branch or whatever else is to be
 * looked at, in one run: DR0 has a breakpoint there. How many these were is
 * known before; where another exit came first, RIP tells it, and stepping
 * comes to that exit again. A near branch behind them needs no run at all.
 *
 * Where something looks at memory, it ends before the first access whose
 * address does not follow from the registers that it begins with. Not where a
 * counter could overflow in it.
 *
 * AMD64 APM volume 2, "Breakpoints"; "Debug and Trace Resources" of VMRUN: DR6
 * and DR7 are the guest's own, DR0 is not. QEMU takes a breakpoint where DR7 is
 * written, and heeds it where the VMCB's DR7 has it, too.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/counters/demand.h"

/* At once: interrupts wait so long. */
#define BRANCHES_TOLD 16
/* One instruction that looks at memory is cheaper by itself. */
#define TOLD_MIN 2

#define DR7_NONE UINT64_C(0x400)
#define DR7_G0   UINT64_C(2)

/* SDM volume 1, "EFLAGS Register". */
#define FLAG_CF 0x001u
#define FLAG_PF 0x004u
#define FLAG_ZF 0x040u
#define FLAG_SF 0x080u
#define FLAG_OF 0x800u

/* --- What is a block ----------------------------------------------------- */

static bool is_plain(const uint8_t *bytes)
{
    struct instruction i;

    instruction_classify(&i, bytes, INSTRUCTION_BYTES_MAX);
    return i.flags == 0 && i.kind == INSTRUCTION_OTHER &&
           i.system == SYSTEM_NONE && i.elide == ELIDE_NONE &&
           i.tx == TX_SAFE && !i.is_ptwrite;
}

static void find_block(struct vcpu *v, struct block *b, uint64_t rip,
                       const uint8_t *code)
{
    size_t at = 0;

    b->rip = rip;
    b->count = 0;
    __builtin_memcpy(b->code, code, BLOCK_BYTES);
    while (b->count < BLOCK_INSTRUCTIONS &&
           at + INSTRUCTION_BYTES_MAX <= BLOCK_BYTES && is_plain(code + at)) {
        size_t bytes = instruction_bytes(code + at, INSTRUCTION_BYTES_MAX);

        if (bytes == 0)
            break;
        b->at[b->count++] = (uint8_t)at;
        at += bytes;
    }
    b->bytes = (uint8_t)at;
    b->repeats = b->count == 0 && block_repeats(code);
    if (b->repeats)
        b->bytes = (uint8_t)instruction_bytes(code, INSTRUCTION_BYTES_MAX);
    block_data_know(b);
    if (v->blocks.code != NULL)
        block_here_know(v, b);
}

static bool is_same(const struct block *b, uint64_t rip, const uint8_t *code)
{
    uint64_t word, differ = b->rip ^ rip;

    for (unsigned n = 0; n < BLOCK_BYTES / 8 && differ == 0; n++) {
        __builtin_memcpy(&word, code + 8 * n, sizeof(word));
        differ = b->code[n] ^ word;
    }
    return differ == 0;
}

/* NULL: there is none here, or a page ends soon. */
static const struct block *block_at(struct vcpu *v)
{
    const uint64_t rip = v->vmcb->rip;
    struct block *b = &v->blocks.known[(rip ^ rip >> 11) % BLOCKS_KNOWN];
    uint8_t buffer[INSTRUCTION_BYTES_MAX];
    const uint8_t *code;
    size_t length;

    if ((rip & (PAGE_BYTES - 1)) > PAGE_BYTES - BLOCK_BYTES)
        return NULL;
    code = guest_code(v, buffer, &length);
    if (length == 0)
        return NULL;
    if (!is_same(b, rip, code))
        find_block(v, b, rip, code);
    return b->count > 0 || b->repeats ? b : NULL;
}

/* --- Running ------------------------------------------------------------- */

static bool may_run(const struct vcpu *v)
{
    const struct vmcb *b = v->vmcb;

    return hypervisor.has_os && v->tx.depth == 0 && !v->levels.tf &&
           v->grants == 0 && v->overlay_count == 0 && !v->if_masked &&
           !v->guest_nmi && b->interrupt_shadow == 0 &&
           (b->rflags & RFLAGS_RF) == 0 && b->dr7 == DR7_NONE &&
           (b->cs.attributes & CS_L) != 0;
}

static bool passes(const struct vcpu *v, const struct block *b, unsigned count,
                   bool watched)
{
    struct demand_round round = {
        .instructions = count,
        .cycles = (uint64_t)count * v->model->choices.cycles_other,
    };

    if (watched)
        block_data_demand(b->all, &round);
    return demand_passes(v->model, v->vmcb->cpl > 0, &round);
}

bool blocks_run_to(struct vcpu *v, uint64_t end)
{
    const uint64_t dr6 = v->vmcb->dr6;
    uint64_t at[BREAKPOINTS];

    read_breakpoints(at);
    write_dr0(end);
    write_dr7(DR7_NONE | DR7_G0);
    v->vmcb->dr7 = DR7_NONE | DR7_G0;
    v->vmcb->rflags &= ~(uint64_t)RFLAGS_TF;
    direct_leave(v);
    kick_run_guest(v);
    v->vmcb->tlb_control = TLB_DO_NOTHING;
    v->vmcb->dr7 = DR7_NONE;
    v->vmcb->dr6 = dr6;
    write_dr7(DR7_NONE);
    write_dr0(at[0]);
    exit_log_add(&v->exit_log, v->vmcb);
    v->blocks.cut_short = v->vmcb->exit_code != EXIT_EXCEPTION_0 + VECTOR_DB ||
                          v->vmcb->rip != end;
    v->blocks.branches = v->blocks.cut_short ? 0 : BRANCHES_TOLD;
    return !v->blocks.cut_short;
}

/* Of these instructions of it, those that have been executed. */
static unsigned run(struct vcpu *v, const struct block *b, unsigned count)
{
    const uint64_t rip = v->vmcb->rip;
    unsigned n = 0;

    if (blocks_run_to(v, rip + (count < b->count ? b->at[count] : b->bytes)))
        return count;
    while (n < count && rip + b->at[n] != v->vmcb->rip)
        n++;
    return n;
}

/* Each is traced as if it had been stepped. */
static void count_all(struct vcpu *v, const struct block *b, unsigned executed,
                      bool watched)
{
    const uint32_t cycles = v->model->choices.cycles_other;
    const uint64_t first = b->rip, rip = v->vmcb->rip;

    if (executed == 0)
        return;
    if (watched)
        block_data_count(v, b, executed);
    else
        step_count(v, executed, executed * cycles, false);
    v->current = (struct instruction){.flags = 0};
    for (unsigned n = 0; n < executed; n++) {
        v->current_rip = first + b->at[n];
        rounds_passed(v);
        v->vmcb->rip = n + 1 < executed ? first + b->at[n + 1] : rip;
        trace_retire(v, watched ? v->blocks.cycles[n] : cycles);
    }
}

/* Without a run of the guest. */
static bool run_here(struct vcpu *v, const struct block *b, bool watched)
{
    if (v->blocks.branches == 0 || v->pmi_pending || b->here == 0 ||
        !passes(v, b, b->here, watched))
        return false;
    block_data_find(v, b);
    if (!block_here(v, b))
        return false;
    v->blocks.branches--;
    count_all(v, b, b->here, watched);
    step_end(v);
    return true;
}

bool blocks_run(struct vcpu *v)
{
    const bool again = v->blocks.cut_short;
    const struct block *b;
    bool watched;
    unsigned count;

    v->blocks.cut_short = false;
    if (again || !may_run(v) || (b = block_at(v)) == NULL)
        return false;
    watched = data_access_watched(v);
    v->current_cpl = v->vmcb->cpl;
    if (b->repeats)
        return block_repeat(v, b);
    if (run_here(v, b, watched))
        return true;
    count = watched ? b->told : b->count;
    if (count < (watched ? TOLD_MIN : 1) || !passes(v, b, count, watched))
        return false;
    if (watched)
        block_data_find(v, b);
    count_all(v, b, run(v, b, count), watched);
    step_end(v);
    return true;
}

void blocks_stepped(struct vcpu *v)
{
    const bool is_over = v->vmcb->exit_code == EXIT_EXCEPTION_0 + VECTOR_DB;

    v->blocks.branches = is_over ? BRANCHES_TOLD : 0;
}

/* --- Branches ------------------------------------------------------------ */

/* SDM volume 2, appendix "EFLAGS Condition Codes". */
static bool holds(unsigned condition, uint64_t f)
{
    const bool less = ((f & FLAG_SF) != 0) != ((f & FLAG_OF) != 0);
    const bool rows[] = {
        (f & FLAG_OF) != 0,
        (f & FLAG_CF) != 0,
        (f & FLAG_ZF) != 0,
        (f & (FLAG_CF | FLAG_ZF)) != 0,
        (f & FLAG_SF) != 0,
        (f & FLAG_PF) != 0,
        less,
        less || (f & FLAG_ZF) != 0,
    };

    return rows[condition >> 1 & 7] != (condition & 1);
}

/* Does it get to its stack there, or to where it is to go, without a fault, or
 * a bit that is set? */
static bool has_stack(const struct vcpu *v, uint64_t rsp, enum access access)
{
    uint64_t physical;

    return rsp % 8 == 0 && guest_sees_as_by(v, v->vmcb->cr3, rsp, access) &&
           guest_physical(v, rsp, &physical) &&
           npt_gives(&v->pages_step, physical, access == ACCESS_WRITE);
}

static bool is_canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

static bool call(struct vcpu *v, uint64_t next)
{
    if (!has_stack(v, v->vmcb->rsp - 8, ACCESS_WRITE))
        return false;
    v->vmcb->rsp -= 8;
    return guest_copy(v, v->vmcb->rsp, &next, sizeof(next), true);
}

static bool return_to(struct vcpu *v, uint64_t *to)
{
    if (!has_stack(v, v->vmcb->rsp, ACCESS_READ) ||
        !guest_copy(v, v->vmcb->rsp, to, sizeof(*to), false) ||
        !is_canonical(*to))
        return false;
    v->vmcb->rsp += 8;
    return true;
}

/* One with a displacement of a byte, or of four. */
static uint64_t behind(uint64_t rip, const uint8_t *operand, size_t opcode,
                       size_t bytes, bool jumps)
{
    uint64_t next = rip + opcode + bytes;
    int32_t value = (int8_t)operand[0];

    if (bytes == sizeof(value))
        __builtin_memcpy(&value, operand, sizeof(value));
    return next + (jumps ? (uint64_t)(int64_t)value : 0);
}

/* FFH /2 and /4: CALL and JMP by a register or memory. */
static bool tell_indirect(struct vcpu *v, const uint8_t *b, uint64_t *to)
{
    const size_t at = b[0] == 0xFF ? 1 : 2;
    const unsigned what = b[at] >> 3 & 7;
    struct data_access found[DATA_ACCESSES_MAX];
    struct operand_state s;

    if (what != 2 && what != 4)
        return false;
    memory_registers(v, &s);
    if (b[at] >= 0xC0)
        *to = s.general[(b[at] & 7) | (at == 2 ? 8 : 0)];
    else if (operand_find(found, &s, b, INSTRUCTION_BYTES_MAX) == 0 ||
             !has_stack(v, found[0].linear, ACCESS_READ) ||
             !guest_copy(v, found[0].linear, to, sizeof(*to), false))
        return false;
    return is_canonical(*to) &&
           (what == 4 ||
            call(v, s.rip + instruction_bytes(b, INSTRUCTION_BYTES_MAX)));
}

static bool tell(struct vcpu *v, const uint8_t *b, uint64_t *to)
{
    const uint64_t rip = v->vmcb->rip, rflags = v->vmcb->rflags;

    if ((b[0] & 0xF0) == 0x70) {
        *to = behind(rip, b + 1, 1, 1, holds(b[0], rflags));
        return true;
    }
    if (b[0] == 0x0F && (b[1] & 0xF0) == 0x80) {
        *to = behind(rip, b + 2, 2, 4, holds(b[1], rflags));
        return true;
    }
    if ((b[0] == 0x41 && b[1] == 0xFF) || b[0] == 0xFF)
        return tell_indirect(v, b, to);
    switch (b[0]) {
    case 0xC3:
        return return_to(v, to);
    case 0xE8:
        *to = behind(rip, b + 1, 1, 4, true);
        return call(v, rip + 5);
    case 0xE9:
    case 0xEB:
        *to = behind(rip, b + 1, 1, b[0] == 0xEB ? 1 : 4, true);
        return true;
    default:
        return false;
    }
}

bool blocks_tell_branch(struct vcpu *v, const uint8_t *bytes, size_t length,
                        uint64_t *to)
{
    if (v->blocks.branches == 0 || v->pmi_pending)
        return false;
    v->blocks.branches--;
    if (length == INSTRUCTION_BYTES_MAX && may_run(v) && tell(v, bytes, to))
        return true;
    v->blocks.branches = 0;
    return false;
}
