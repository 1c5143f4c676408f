/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr.c - last branch records: what is recorded, and their registers. */
#include "tests/silicon/model/lbr.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/pmu_msr.h"
#include "tests/silicon/model/pt.h"

/* "LBR Stack and Intel 64 Processors": where the flags are. */
#define FORMAT_FROM     3 /* MISPRED in FROM[63] */
#define FORMAT_FROM_TSX 4 /* and in FROM[62:61] those of TSX */
#define FORMAT_INFO     5

/* Table "MSR_LBR_INFO_x", and the same in FROM. */
#define INFO_MISPRED BIT(63)
#define INFO_IN_TSX  BIT(62)
#define INFO_ABORT   BIT(61)
#define INFO_CYCLES  BITS(15, 0)

/* Table "MSR_LBR_SELECT for Intel microarchitecture code name Haswell". */
#define SELECT_CPL_EQ_0      BIT(0)
#define SELECT_CPL_NEQ_0     BIT(1)
#define SELECT_JCC           BIT(2)
#define SELECT_NEAR_REL_CALL BIT(3)
#define SELECT_NEAR_IND_CALL BIT(4)
#define SELECT_NEAR_RET      BIT(5)
#define SELECT_NEAR_IND_JMP  BIT(6)
#define SELECT_NEAR_REL_JMP  BIT(7)
#define SELECT_FAR_BRANCH    BIT(8)
#define SELECT_EN_CALLSTACK  BIT(9)

static unsigned format(const struct processor *p)
{
    return p->cpu->perf_capabilities & BITS(5, 0);
}

/* Table "LBR Stack Size and TOS Pointer Range". */
static unsigned depth(const struct processor *p)
{
    return format(p) == FORMAT_INFO ? 32 : 16;
}

/* --- What is recorded ---------------------------------------------------- */

/* SDM volume 3C, "Model Specific Capability Restrictions": LBRs and Processor
 * Trace exclude each other on 06_3DH, 4EH and 5EH; on 8EH, 9EH and A5H by what
 * errata KBL039, CFL039 and CML039 say of writes. */
static bool is_tracing(const struct processor *p)
{
    return (p->pt.ctl & RTIT_TRACE_EN) != 0 && !p->cpu->lbr_beside_pt;
}

bool lbr_is_unhindered(const struct processor *p)
{
    return ((p->pmu.global_status & STATUS_LBR_FRZ) == 0 ||
            p->faults.lbr_late != 0 ||
            !faults_rule(p->machine, LBR_STOPS_FROZEN, true)) &&
           !is_tracing(p) && !p->faults.lbr_stuck;
}

static uint64_t selected(const struct processor *p)
{
    return faults_quantity(p->machine, LBR_SELECTED, ANY_NUMBER, p->lbr.select);
}

bool lbr_records_at(const struct processor *p, bool user)
{
    return lbr_records(p) &&
           (selected(p) & (user ? SELECT_CPL_NEQ_0 : SELECT_CPL_EQ_0)) == 0;
}

/* Which bit of MSR_LBR_SELECT leaves it out. */
static uint64_t kind_of(const struct instruction *i)
{
    bool indirect = (i->flags & INSTRUCTION_INDIRECT) != 0;

    if ((i->flags & INSTRUCTION_FAR) != 0)
        return SELECT_FAR_BRANCH;
    if ((i->flags & INSTRUCTION_CONDITIONAL) != 0)
        return SELECT_JCC;
    if ((i->flags & INSTRUCTION_RETURN) != 0)
        return SELECT_NEAR_RET;
    if ((i->flags & INSTRUCTION_CALL) != 0)
        return indirect ? SELECT_NEAR_IND_CALL : SELECT_NEAR_REL_CALL;
    return indirect ? SELECT_NEAR_IND_JMP : SELECT_NEAR_REL_JMP;
}

static bool is_selected(const struct processor *p, const struct lbr_branch *b,
                        uint64_t kind)
{
    bool user = p->choices.lbr_level_of_target ? b->to_user : b->user;

    if ((kind & (SELECT_NEAR_IND_CALL | SELECT_NEAR_RET)) != 0 &&
        !faults_rule(p->machine, LBR_IND_JMP_EXACT, true))
        kind |= SELECT_NEAR_IND_JMP;
    if (kind == SELECT_NEAR_REL_CALL &&
        !faults_rule(p->machine, LBR_REL_JMP_EXACT, true))
        kind |= SELECT_NEAR_REL_JMP;
    if (kind == SELECT_FAR_BRANCH && (selected(p) & SELECT_CPL_EQ_0) != 0 &&
        !faults_rule(p->machine, LBR_FAR_BESIDE_LEVEL, true))
        return false;
    if (p->tsx.active && !faults_rule(p->machine, LBR_KINDS_IN_TX, true))
        kind = 0;
    return (selected(p) &
            (kind | (user ? SELECT_CPL_NEQ_0 : SELECT_CPL_EQ_0))) == 0;
}

/* In the upper bits of FROM, or in LBR_INFO. */
static void put_flags(struct processor *p, unsigned n, uint64_t flags,
                      uint64_t cycles)
{
    struct lbr_state *l = &p->lbr;

    switch (format(p)) {
    case FORMAT_INFO:
        l->info[n] = flags | cycles;
        break;
    case FORMAT_FROM_TSX:
        l->from[n] = (l->from[n] & BITS(60, 0)) | flags;
        break;
    default:
        l->from[n] = (l->from[n] & BITS(62, 0)) | (flags & INFO_MISPRED);
    }
}

static uint64_t take_cycles(struct processor *p)
{
    uint64_t cycles = p->lbr.cycles;

    if (cycles > INFO_CYCLES)
        cycles = faults_rule(p->machine, LBR_CYCLES_SATURATE, true)
                     ? INFO_CYCLES
                     : cycles & INFO_CYCLES;

    if (faults_rule(p->machine, LBR_CYCLES_RESTART, true))
        p->lbr.cycles = 0;
    return faults_quantity(p->machine, LBR_CYCLES, ANY_NUMBER, cycles);
}

static void record(struct processor *p, const struct lbr_branch *b,
                   uint64_t flags)
{
    const struct machine *m = p->machine;
    struct lbr_state *l = &p->lbr;
    unsigned n =
        (unsigned)faults_quantity(m, LBR_NEXT_TOS, ANY_NUMBER, l->tos + 1) %
        depth(p);

    if (p->faults.lbr_late != 0)
        p->faults.lbr_late--;
    if (b->mispredicted)
        flags |= INFO_MISPRED;
    if (b->in_tx)
        flags |= INFO_IN_TSX;
    l->from[n] = faults_quantity(m, LBR_FROM, ANY_NUMBER, b->from);
    l->to[n] = faults_quantity(m, LBR_TO, ANY_NUMBER, b->to);
    put_flags(p, n, faults_quantity(m, LBR_FLAGS, ANY_NUMBER, flags),
              take_cycles(p));
    if (faults_rule(m, LBR_TOS_FOLLOWS, true))
        l->tos = n;
}

/* "Last in first-out": a return flushes the last record. */
static void flush_last(struct processor *p)
{
    struct lbr_state *l = &p->lbr;

    l->from[l->tos] = l->to[l->tos] = l->info[l->tos] = 0;
    if (l->tos != 0 || faults_rule(p->machine, LBR_FLUSH_WRAPS, true))
        l->tos = (l->tos + depth(p) - 1) % depth(p);
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
    bool calls = (selected(p) & SELECT_EN_CALLSTACK) != 0;
    uint64_t kind = kind_of(i);
    bool spared = (calls && kind == SELECT_JCC &&
                   !faults_rule(p->machine, LBR_CALLS_FILTERED, true)) ||
                  (kind == SELECT_FAR_BRANCH && b->user &&
                   !faults_rule(p->machine, LBR_FAR_OF_RING_3, true));

    if ((i->flags & INSTRUCTION_BRANCHES) == 0 ||
        (!b->taken && faults_rule(p->machine, LBR_TAKEN_ALONE, true)) ||
        !is_selected(p, b, spared ? 0 : kind))
        return;
    if (!calls)
        record(p, b, 0);
    else if (kind == SELECT_NEAR_RET &&
             faults_rule(p->machine, LBR_FLUSHES_LAST, true)) {
        if (p->lbr.tos != 0 ||
            faults_rule(p->machine, LBR_FLUSHES_ENTRY_0, true))
            flush_last(p);
    } else if (!is_zero_length(p, i, b))
        record(p, b, 0);
}

void lbr_event(struct processor *p, const struct lbr_branch *b)
{
    if (faults_rule(p->machine, LBR_HAS_EVENTS, true) &&
        is_selected(p, b, SELECT_FAR_BRANCH))
        record(p, b, 0);
}

static bool is_in_tsx(const struct processor *p)
{
    const struct lbr_state *l = &p->lbr;

    return ((l->from[l->tos] | l->info[l->tos]) & INFO_IN_TSX) != 0 &&
           l->to[l->tos] != 0;
}

void lbr_aborted(struct processor *p, const struct lbr_branch *b)
{
    uint64_t flags = p->choices.lbr_abort_in_tsx ? INFO_IN_TSX : 0;

    while (!faults_rule(p->machine, LBR_KEEPS_ABORTED, true) && is_in_tsx(p))
        flush_last(p);
    if (faults_rule(p->machine, LBR_HAS_ABORTS, true) &&
        is_selected(p, b, p->choices.lbr_abort_is_far ? SELECT_FAR_BRANCH : 0))
        record(p, b,
               faults_quantity(p->machine, LBR_ABORT_FLAGS, ANY_NUMBER,
                               flags | INFO_ABORT));
}

void lbr_pass(struct processor *p, uint32_t cycles)
{
    p->lbr.cycles += cycles;
}

void lbr_enable(struct processor *p, bool enabled)
{
    struct lbr_state *l = &p->lbr;
    const struct lbr_branch b = {.from = l->to[l->tos], .to = l->to[l->tos]};

    if (l->enabled && !enabled &&
        !faults_rule(p->machine, LBR_ENDS_SILENTLY, true))
        record(p, &b, 0);
    if (!l->enabled && enabled && !faults_rule(p->machine, LBR_KEEPS_OLD, true))
        *l = (struct lbr_state){.select = l->select, .tos = l->tos};
    if ((p->pmu.global_status & STATUS_LBR_FRZ) == 0)
        p->faults.lbr_stuck = false;
    l->enabled = enabled;
}

/* With these bits of IA32_DEBUGCTL. */
static void clear_enable(struct processor *p, uint64_t more)
{
    uint64_t debugctl;

    if (p->lbr.enabled && msr_read(p, IA32_DEBUGCTL, &debugctl))
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

/* --- Registers ----------------------------------------------------------- */

/* Where an MSR of a record has its value; NULL: it is not one. */
static uint64_t *entry(struct processor *p, uint32_t number)
{
    struct lbr_state *l = &p->lbr;

    if (number - MSR_LASTBRANCH_0_FROM_IP < depth(p))
        return &l->from[number - MSR_LASTBRANCH_0_FROM_IP];
    if (number - MSR_LASTBRANCH_0_TO_IP < depth(p))
        return &l->to[number - MSR_LASTBRANCH_0_TO_IP];
    if (format(p) == FORMAT_INFO && number - MSR_LBR_INFO_0 < depth(p))
        return &l->info[number - MSR_LBR_INFO_0];
    return NULL;
}

static uint64_t *value_of(struct processor *p, uint32_t number)
{
    switch (number) {
    case MSR_LBR_SELECT:
        return &p->lbr.select;
    case MSR_LASTBRANCH_TOS:
        return &p->lbr.tos;
    default:
        return entry(p, number);
    }
}

bool lbr_is_msr(struct processor *p, uint32_t number)
{
    return value_of(p, number) != NULL;
}

/* "Reads and writes to the LBR MSRs" while tracing. */
static bool is_refused(const struct processor *p)
{
    return is_tracing(p) && erratum_is(p, ERRATUM_LBR_TRACED_GP);
}

bool lbr_read(struct processor *p, uint32_t number, uint64_t *value)
{
    if (is_refused(p))
        return false;
    *value = is_tracing(p) && faults_rule(p->machine, LBR_ZERO_TRACED, true)
                 ? 0
                 : *value_of(p, number);
    return true;
}

/* Bit 47 in all bits above it that are no flags. */
static bool is_extended(uint64_t value, uint64_t flags)
{
    uint64_t high = BITS(63, 48) & ~flags;

    return (value & high) == ((value & BIT(47)) != 0 ? high : 0);
}

static uint64_t flags_of_from(const struct processor *p)
{
    switch (format(p)) {
    case FORMAT_INFO:
        return 0;
    case FORMAT_FROM_TSX:
        return BITS(63, 61);
    default:
        return BIT(63);
    }
}

static uint64_t select_bits(const struct processor *p)
{
    return faults_quantity(p->machine, LBR_SELECT_BITS, ANY_NUMBER,
                           format(p) == FORMAT_FROM
                               ? BITS(8, 0)
                               : BITS(8, 0) | SELECT_EN_CALLSTACK);
}

static bool may_write(const struct processor *p, uint32_t number,
                      uint64_t value)
{
    switch (number) {
    case MSR_LBR_SELECT:
        return (value & ~select_bits(p)) == 0;
    case MSR_LASTBRANCH_TOS:
        return value < depth(p);
    default:
        break;
    }
    if (number >= MSR_LBR_INFO_0)
        return (value &
                ~(INFO_MISPRED | INFO_IN_TSX | INFO_ABORT | INFO_CYCLES)) == 0;
    return !faults_rule(p->machine, LBR_CANONICAL, true) ||
           is_extended(value,
                       number < MSR_LASTBRANCH_0_TO_IP ? flags_of_from(p) : 0);
}

/* "Reads of these registers will return 0, and writes will be dropped." */
bool lbr_write(struct processor *p, uint32_t number, uint64_t value)
{
    if (is_refused(p) ||
        (!may_write(p, number, value) &&
         !(is_tracing(p) && erratum_is(p, ERRATUM_LBR_TRACED_WRITE))))
        return false;
    if (!is_tracing(p) || (number == MSR_LBR_SELECT &&
                           !faults_rule(p->machine, LBR_SELECT_DROPPED, true)))
        *value_of(p, number) = value;
    return true;
}
