/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr.c - last branch records: what is recorded. */
#include "tests/silicon/model/lbr/lbr.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/pt/pt.h"

/* SDM volume 3C, "Model Specific Capability Restrictions": LBRs and Processor
 * Trace exclude each other on 06_3DH, 4EH and 5EH; on 8EH, 9EH and A5H by what
 * errata KBL039, CFL039 and CML039 say of writes. */
bool lbr_is_excluded(const struct processor *p)
{
    return (p->pt.ctl & RTIT_TRACE_EN) != 0 && !p->cpu->lbr_beside_pt;
}

bool lbr_is_unhindered(const struct processor *p)
{
    return ((p->pmu.global_status & STATUS_LBR_FRZ) == 0 ||
            p->faults.lbr_late != 0 ||
            !faults_rule(p->machine, LBR_STOPS_FROZEN, true)) &&
           !lbr_is_excluded(p) && !p->faults.lbr_stuck;
}

static uint64_t selected(const struct processor *p)
{
    const uint64_t levels = LBR_SELECT_CPL_EQ_0 | LBR_SELECT_CPL_NEQ_0;
    uint64_t select =
        faults_quantity(p->machine, LBR_SELECTED, ANY_NUMBER, p->lbr.select);

    return (select & levels) == levels &&
                   !faults_rule(p->machine, LBR_LEVELS_BOTH, true)
               ? select & ~levels
               : select;
}

bool lbr_records_at(const struct processor *p, bool user)
{
    return lbr_records(p) && (selected(p) & (user ? LBR_SELECT_CPL_NEQ_0
                                                  : LBR_SELECT_CPL_EQ_0)) == 0;
}

/* Which bit of MSR_LBR_SELECT leaves it out. */
static uint64_t kind_of(const struct instruction *i)
{
    bool indirect = (i->flags & INSTRUCTION_INDIRECT) != 0;

    if ((i->flags & INSTRUCTION_FAR) != 0)
        return LBR_SELECT_FAR_BRANCH;
    if ((i->flags & INSTRUCTION_CONDITIONAL) != 0)
        return LBR_SELECT_JCC;
    if ((i->flags & INSTRUCTION_RETURN) != 0)
        return LBR_SELECT_NEAR_RET;
    if ((i->flags & INSTRUCTION_CALL) != 0)
        return indirect ? LBR_SELECT_NEAR_IND_CALL : LBR_SELECT_NEAR_REL_CALL;
    return indirect ? LBR_SELECT_NEAR_IND_JMP : LBR_SELECT_NEAR_REL_JMP;
}

static bool is_selected(const struct processor *p, const struct lbr_branch *b,
                        uint64_t kind)
{
    /* "CPL-Based Filtering" of architectural ones: by the level at the end;
     * elsewhere it is not said. */
    bool by_target = lbr_is_architectural(p)
                         ? faults_rule(p->machine, LBR_LEVEL_REACHED, true)
                         : p->choices.lbr_level_of_target;
    bool user = by_target ? b->to_user : b->user;

    if (kind == LBR_SELECT_NEAR_IND_CALL && b->user &&
        !faults_rule(p->machine, LBR_IND_CALLS_OF_RING_3, true))
        kind = LBR_SELECT_NEAR_IND_JMP;
    if ((kind & (LBR_SELECT_NEAR_IND_CALL | LBR_SELECT_NEAR_RET)) != 0 &&
        !faults_rule(p->machine, LBR_IND_JMP_EXACT, true))
        kind |= LBR_SELECT_NEAR_IND_JMP;
    if (kind == LBR_SELECT_NEAR_REL_CALL &&
        !faults_rule(p->machine, LBR_REL_JMP_EXACT, true))
        kind |= LBR_SELECT_NEAR_REL_JMP;
    if (kind == LBR_SELECT_FAR_BRANCH &&
        (selected(p) & LBR_SELECT_CPL_EQ_0) != 0 &&
        !faults_rule(p->machine, LBR_FAR_BESIDE_LEVEL, true))
        return false;
    if ((p->tsx.active && !faults_rule(p->machine, LBR_KINDS_IN_TX, true)) ||
        (kind == LBR_SELECT_NEAR_RET &&
         (selected(p) & BITS(8, 2)) == (LBR_SELECT_JCC | LBR_SELECT_NEAR_RET) &&
         !faults_rule(p->machine, LBR_RET_BESIDE_JCC, true)) ||
        (kind == LBR_SELECT_JCC && (selected(p) & LBR_SELECT_CPL_NEQ_0) != 0 &&
         !faults_rule(p->machine, LBR_KIND_BESIDE_LEVEL, true)))
        kind = 0;
    return (selected(p) &
            (kind | (user ? LBR_SELECT_CPL_NEQ_0 : LBR_SELECT_CPL_EQ_0))) == 0;
}

/* In the upper bits of FROM, or in LBR_INFO. */
static void put_flags(struct processor *p, unsigned n, uint64_t flags,
                      uint64_t cycles)
{
    struct lbr_state *l = &p->lbr;

    switch (lbr_format(p)) {
    case LBR_FORMAT_ARCHITECTURAL:
    case LBR_FORMAT_INFO:
        l->info[n] = flags | cycles;
        break;
    case LBR_FORMAT_FROM_TSX:
        l->from[n] = (l->from[n] & BITS(60, 0)) | flags;
        break;
    default:
        l->from[n] = (l->from[n] & BITS(62, 0)) | (flags & LBR_INFO_MISPRED);
    }
}

static uint64_t take_cycles(struct processor *p, bool user)
{
    uint64_t cycles = p->lbr.cycles;

    if (cycles > LBR_INFO_CYCLES)
        cycles = faults_rule(p->machine, LBR_CYCLES_SATURATE, true)
                     ? LBR_INFO_CYCLES
                     : cycles & LBR_INFO_CYCLES;

    if (user && !faults_rule(p->machine, LBR_CYCLES_RING3, true))
        cycles = 0;
    if (faults_rule(p->machine, LBR_CYCLES_RESTART, true) &&
        (!user || faults_rule(p->machine, LBR_CYCLES_RESTART_RING_3, true)))
        p->lbr.cycles = 0;
    return faults_quantity(p->machine, LBR_CYCLES, ANY_NUMBER, cycles);
}

/* Tables "Branch Type Encodings" and "IA32_LBR_x_INFO" of architectural ones:
 * what it was, and that the cycles are those since the record before. Of the
 * first one it is not said. */
static uint64_t architectural_flags(struct processor *p, uint64_t kind)
{
    uint64_t type = LBR_TYPE_OTHER;
    bool valid = !p->lbr.first || p->choices.lbr_first_cycles;

    if (!lbr_is_architectural(p))
        return 0;
    p->lbr.first = false;
    switch (kind) {
    case LBR_SELECT_JCC:
        type = LBR_TYPE_COND;
        break;
    case LBR_SELECT_NEAR_IND_JMP:
        type = LBR_TYPE_NEAR_IND_JMP;
        break;
    case LBR_SELECT_NEAR_REL_JMP:
        type = LBR_TYPE_NEAR_REL_JMP;
        break;
    case LBR_SELECT_NEAR_IND_CALL:
        type = LBR_TYPE_NEAR_IND_CALL;
        break;
    case LBR_SELECT_NEAR_REL_CALL:
        type = LBR_TYPE_NEAR_REL_CALL;
        break;
    case LBR_SELECT_NEAR_RET:
        type = LBR_TYPE_NEAR_RET;
        break;
    default:
        break;
    }
    return type << LBR_INFO_TYPE_SHIFT | (valid ? LBR_INFO_CYCLES_VALID : 0);
}

/* kind: the LBR_SELECT_* that leaves it out. */
static void record(struct processor *p, const struct lbr_branch *b,
                   uint64_t kind, uint64_t flags)
{
    const struct machine *m = p->machine;
    struct lbr_state *l = &p->lbr;
    uint64_t cycles;
    unsigned n =
        (unsigned)faults_quantity(m, LBR_NEXT_TOS, lbr_depth(p), l->tos + 1) %
        lbr_depth(p);

    flags |= architectural_flags(p, kind);
    if (p->faults.lbr_late != 0)
        p->faults.lbr_late--;
    if (b->mispredicted &&
        (!b->in_tx || faults_rule(m, LBR_MISPRED_IN_TX, true)) &&
        (!b->user || faults_rule(m, LBR_MISPRED_RING_3, true)))
        flags |= LBR_INFO_MISPRED;
    if (!faults_rule(m, LBR_WRITTEN_WHOLE, true))
        flags |= (lbr_format(p) >= LBR_FORMAT_INFO ? l->info[n] : l->from[n]) &
                 LBR_INFO_MISPRED;
    if (b->in_tx && (!b->user || faults_rule(m, LBR_IN_TSX_RING3, true)))
        flags |= LBR_INFO_IN_TSX;
    l->from[n] = faults_quantity(m, LBR_FROM, ANY_NUMBER, b->from);
    /* The same: what leaves a level that is not captured does not say where. */
    if (lbr_is_architectural(p) && b->user != b->to_user &&
        !lbr_records_at(p, b->user) &&
        faults_rule(m, LBR_FROM_UNCAPTURED, true))
        l->from[n] = BITS(63, 0);
    if (b->user && kind == LBR_SELECT_NEAR_RET &&
        !faults_rule(m, LBR_RETURNS_IN_RING3, true))
        l->from[n]++;
    l->to[n] = faults_quantity(m, LBR_TO, ANY_NUMBER, b->to);
    cycles = take_cycles(p, b->user);
    if ((b->in_tx && !faults_rule(m, LBR_CYCLES_IN_TX, true)) ||
        ((kind & (LBR_SELECT_NEAR_REL_CALL | LBR_SELECT_NEAR_IND_CALL)) != 0 &&
         !faults_rule(m, LBR_CYCLES_OF_CALLS, true)))
        cycles = 0;
    flags = faults_quantity(m, LBR_FLAGS, (uint32_t)kind, flags);
    if (b->user)
        flags = faults_quantity(m, LBR_FLAGS_RING_3, (uint32_t)kind, flags);
    put_flags(p, n, flags, cycles);
    if (faults_rule(m, LBR_TOS_FOLLOWS, true))
        l->tos = n;
}

/* "Last in first-out": a return flushes the last record. */
static void flush_last(struct processor *p)
{
    struct lbr_state *l = &p->lbr;

    l->from[l->tos] = l->to[l->tos] = l->info[l->tos] = 0;
    if (l->tos != 0 || faults_rule(p->machine, LBR_FLUSH_WRAPS, true))
        l->tos = (l->tos + lbr_depth(p) - 1) % lbr_depth(p);
}

static bool is_full(const struct processor *p)
{
    bool is = true;

    for (unsigned n = 0; n < lbr_depth(p); n++)
        is &= p->lbr.from[n] != 0;
    return is;
}

/* "A zero length call" pushes the address that it goes to. */
static bool is_zero_length(const struct processor *p,
                           const struct instruction *i,
                           const struct lbr_branch *b)
{
    return (i->flags & INSTRUCTION_CALL) != 0 && b->to == b->from + i->length &&
           !erratum_is(p, ERRATUM_CALL_OF_NO_LENGTH) &&
           faults_rule(p->machine, LBR_NO_ZERO_LENGTH, true);
}

void lbr_retired(struct processor *p, const struct instruction *i,
                 const struct lbr_branch *b)
{
    bool calls = (selected(p) & LBR_SELECT_EN_CALLSTACK) != 0;
    uint64_t kind = kind_of(i);
    bool spared = (calls && kind == LBR_SELECT_JCC &&
                   !faults_rule(p->machine, LBR_CALLS_FILTERED, true)) ||
                  (kind == LBR_SELECT_FAR_BRANCH && b->user &&
                   !faults_rule(p->machine, LBR_FAR_OF_RING_3, true)) ||
                  (kind == LBR_SELECT_JCC && i->length > 2 &&
                   !faults_rule(p->machine, LBR_JCC_NEAR, true)) ||
                  (kind == LBR_SELECT_NEAR_IND_JMP && i->length > 2 &&
                   !faults_rule(p->machine, LBR_IND_JMP_MEMORY, true));

    if ((b->to == b->from && !faults_rule(p->machine, LBR_OF_ITSELF, true)) ||
        (b->to < b->from && kind == LBR_SELECT_NEAR_REL_JMP &&
         !faults_rule(p->machine, LBR_BACKWARD, true)))
        return;
    if ((i->flags & INSTRUCTION_BRANCHES) == 0 ||
        (!b->taken && faults_rule(p->machine, LBR_TAKEN_ALONE, true)) ||
        !is_selected(p, b, spared ? 0 : kind))
        return;
    if (!calls)
        record(p, b, kind, 0);
    else if (kind == LBR_SELECT_NEAR_RET &&
             faults_rule(p->machine, LBR_FLUSHES_LAST, true)) {
        if ((p->faults.ret_operand &&
             !faults_rule(p->machine, LBR_RET_IMM_FLUSHES, true)) ||
            (b->in_tx &&
             !faults_rule(p->machine, LBR_RETURNS_FLUSH_IN_TX, true)) ||
            (b->user &&
             !faults_rule(p->machine, LBR_RETURNS_FLUSH_RING_3, true)))
            return;
        if ((p->lbr.tos != 0 ||
             faults_rule(p->machine, LBR_FLUSHES_ENTRY_0, true)) &&
            (faults_rule(p->machine, LBR_FULL_FLUSHES, true) || !is_full(p)))
            flush_last(p);
    } else if (!is_zero_length(p, i, b))
        record(p, b, kind, 0);
}

void lbr_event(struct processor *p, const struct lbr_branch *b)
{
    if (faults_rule(p->machine, LBR_HAS_EVENTS, true) &&
        is_selected(p, b, LBR_SELECT_FAR_BRANCH))
        record(p, b, LBR_SELECT_FAR_BRANCH, 0);
}

static bool is_in_tsx(const struct processor *p)
{
    const struct lbr_state *l = &p->lbr;

    return ((l->from[l->tos] | l->info[l->tos]) & LBR_INFO_IN_TSX) != 0 &&
           l->to[l->tos] != 0;
}

void lbr_aborted(struct processor *p, const struct lbr_branch *b)
{
    uint64_t flags = p->choices.lbr_abort_in_tsx ? LBR_INFO_IN_TSX : 0;
    bool is_far = lbr_is_architectural(p) || p->choices.lbr_abort_is_far;

    while (!faults_rule(p->machine, LBR_KEEPS_ABORTED, true) && is_in_tsx(p))
        flush_last(p);
    if (!faults_rule(p->machine, LBR_ABORT_CYCLES, true))
        p->lbr.cycles = 0;
    if (faults_rule(p->machine, LBR_HAS_ABORTS, true) &&
        is_selected(p, b, is_far ? LBR_SELECT_FAR_BRANCH : 0))
        record(p, b, LBR_SELECT_FAR_BRANCH,
               faults_quantity(p->machine, LBR_ABORT_FLAGS, ANY_NUMBER,
                               flags | LBR_INFO_ABORT));
}

void lbr_pass(struct processor *p, uint32_t cycles)
{
    p->lbr.cycles += cycles;
}

void lbr_empty(struct processor *p)
{
    struct lbr_state *l = &p->lbr;

    for (unsigned n = 0; n < LBR_DEPTH_MAX; n++)
        l->from[n] = l->to[n] = l->info[n] = 0;
}

void lbr_enable(struct processor *p, bool enabled)
{
    struct lbr_state *l = &p->lbr;
    const struct lbr_branch b = {.from = l->to[l->tos], .to = l->to[l->tos]};

    if (l->enabled && !enabled &&
        !faults_rule(p->machine, LBR_ENDS_SILENTLY, true))
        record(p, &b, LBR_SELECT_FAR_BRANCH, 0);
    if (!l->enabled && enabled) {
        l->first = true;
        if (!faults_rule(p->machine, LBR_KEEPS_OLD, true))
            lbr_empty(p);
    }
    if (l->enabled && enabled && !faults_rule(p->machine, LBR_TOS_KEPT, true))
        l->tos = 0;
    if ((p->pmu.global_status & STATUS_LBR_FRZ) == 0)
        p->faults.lbr_stuck = false;
    l->enabled = enabled;
}

/* With these bits of IA32_DEBUGCTL. Of architectural ones: "On a debug
 * breakpoint event (#DB), IA32_LBR_CTL.LBREn is cleared" (KVM's patches have
 * the sentence of SDM 3B). */
static void clear_enable(struct processor *p, uint64_t more)
{
    uint64_t debugctl;

    if (!p->lbr.enabled || !msr_read(p, IA32_DEBUGCTL, &debugctl))
        return;
    if (lbr_is_architectural(p))
        msr_write(p, IA32_LBR_CTL, p->lbr.ctl & ~LBR_CTL_ENABLE);
    msr_write(p, IA32_DEBUGCTL, debugctl & ~(DEBUGCTL_LBR | more));
}

/* "Monitoring Branches, Exceptions, and Interrupts". */
void lbr_debug_exception(struct processor *p)
{
    if (faults_rule(p->machine, LBR_ENDS_AT_DEBUG, true))
        clear_enable(p, faults_rule(p->machine, DEBUG_KEEPS_FREEZE, true)
                            ? 0
                            : BITS(12, 11));
}

/* "When TraceEn is cleared, the LBR array is reset"; IA32_DEBUGCTL "remained
 * unchanged". */
void lbr_trace_changed(struct processor *p, bool enabled)
{
    if (!faults_rule(p->machine, LBR_ENABLED_TRACED, true))
        clear_enable(p, 0);
    if (!enabled && !p->cpu->lbr_beside_pt &&
        faults_rule(p->machine, LBR_RESET_BY_TRACE, true))
        p->lbr = (struct lbr_state){
            .enabled = p->lbr.enabled,
            .select = p->lbr.select,
        };
}
