/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr_msr.c - the registers of last branch records. */
#include "tests/silicon/model/lbr/lbr.h"

#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/pt/pt.h"

unsigned lbr_format(const struct processor *p)
{
    return p->cpu->perf_capabilities & BITS(5, 0);
}

bool lbr_is_architectural(const struct processor *p)
{
    return (p->cpu->leaf7_edx & LEAF7_EDX_LBR) != 0;
}

/* Table "LBR Stack Size and TOS Pointer Range". */
unsigned lbr_depth(const struct processor *p)
{
    if (lbr_is_architectural(p))
        return (unsigned)p->lbr.depth;
    return lbr_format(p) == LBR_FORMAT_INFO ? 32 : 16;
}

unsigned lbr_index(const struct processor *p, unsigned x)
{
    if (!faults_rule(p->machine, LBR_NEWEST_IS_0, true))
        x = lbr_depth(p) - 1 - x;
    return ((unsigned)p->lbr.tos + lbr_depth(p) - x) % lbr_depth(p);
}

/* --- Architectural ones --------------------------------------------------- */

/* CPUID.1CH:EAX[n]: a depth of 8 * (n + 1). */
static bool has_depth(const struct processor *p, uint64_t depth)
{
    uint64_t depths =
        faults_quantity(p->machine, LBR_DEPTHS, ANY_NUMBER,
                        personality_leaf(p->cpu, LEAF_LBR, 0).eax & 0xFF);

    return depth != 0 && depth <= LBR_DEPTH_MAX && depth % 8 == 0 &&
           (depths >> (depth / 8 - 1) & 1) != 0;
}

/* The greatest; that it is what reset leaves is not said. */
void lbr_start(struct processor *p)
{
    for (uint64_t depth = 8; depth <= LBR_DEPTH_MAX; depth += 8)
        if (has_depth(p, depth))
            p->lbr.depth = depth;
}

static void write_depth(struct processor *p, uint64_t depth)
{
    if (faults_rule(p->machine, LBR_DEPTH_EMPTIES, true))
        lbr_empty(p);
    p->lbr.tos = 0;
    p->lbr.depth = depth;
}

/* Bits of IA32_LBR_CTL record what those of MSR_LBR_SELECT leave out. */
static const struct {
    uint64_t ctl, select;
} selects[] = {
    {BIT(1), LBR_SELECT_CPL_EQ_0},  /* OS */
    {BIT(2), LBR_SELECT_CPL_NEQ_0}, /* USR */
    {BIT(16), LBR_SELECT_JCC},           {BIT(17), LBR_SELECT_NEAR_REL_JMP},
    {BIT(18), LBR_SELECT_NEAR_IND_JMP},  {BIT(19), LBR_SELECT_NEAR_REL_CALL},
    {BIT(20), LBR_SELECT_NEAR_IND_CALL}, {BIT(21), LBR_SELECT_NEAR_RET},
    {BIT(22), LBR_SELECT_FAR_BRANCH}, /* OTHER_BRANCH */
};
#define SELECTS (sizeof(selects) / sizeof(selects[0]))

#define CTL_CALL_STACK BIT(3)
#define CTL_BITS       (BITS(22, 16) | BITS(2, 0))

/* CPUID.1CH:EBX[2]: there is a call-stack mode. */
static uint64_t ctl_bits(const struct processor *p)
{
    const bool call_stack =
        (personality_leaf(p->cpu, LEAF_LBR, 0).ebx & BIT(2)) != 0;

    return CTL_BITS | (call_stack ? CTL_CALL_STACK : 0);
}

static void write_ctl(struct processor *p, uint64_t ctl)
{
    uint64_t select = (ctl & CTL_CALL_STACK) != 0 ? LBR_SELECT_EN_CALLSTACK : 0;

    for (size_t n = 0; n < SELECTS; n++)
        if ((ctl & selects[n].ctl) == 0)
            select |= selects[n].select;
    if (p->lbr.enabled && (ctl & LBR_CTL_ENABLE) != 0 &&
        !faults_rule(p->machine, LBR_CTL_WHILE_ON, true))
        return;
    if (p->lbr.enabled && (ctl & LBR_CTL_ENABLE) == 0 &&
        !faults_rule(p->machine, LBR_CTL_WHERE_TURNED_OFF, true))
        ctl = p->lbr.ctl & ~LBR_CTL_ENABLE;
    p->lbr.ctl = ctl;
    p->lbr.select = select;
    lbr_enable(p, (ctl & LBR_CTL_ENABLE) != 0);
}

/* "x >= IA32_LBR_DEPTH.DEPTH" raises #GP. */
static uint64_t *record_register(struct processor *p, uint32_t number)
{
    struct lbr_state *l = &p->lbr;
    const uint32_t at = number - IA32_LBR_0_INFO;

    if (at >= lbr_depth(p) && at < LBR_DEPTH_MAX &&
        !faults_rule(p->machine, LBR_BEYOND_REFUSED, true))
        return &l->info[at];
    if (number - IA32_LBR_0_FROM_IP < lbr_depth(p))
        return &l->from[lbr_index(p, number - IA32_LBR_0_FROM_IP)];
    if (number - IA32_LBR_0_TO_IP < lbr_depth(p))
        return &l->to[lbr_index(p, number - IA32_LBR_0_TO_IP)];
    if (number - IA32_LBR_0_INFO < lbr_depth(p))
        return &l->info[lbr_index(p, number - IA32_LBR_0_INFO)];
    return NULL;
}

static uint64_t *architectural(struct processor *p, uint32_t number)
{
    switch (number) {
    case IA32_LBR_CTL:
        return &p->lbr.ctl;
    case IA32_LBR_DEPTH:
        return &p->lbr.depth;
    default:
        return record_register(p, number);
    }
}

/* Bit 47 in all bits above it that are no flags. */
static bool is_extended(uint64_t value, uint64_t flags)
{
    uint64_t high = BITS(63, 48) & ~flags;

    return (value & high) == ((value & BIT(47)) != 0 ? high : 0);
}

/* INFO[55:16] are undefined: what is written there does not stay. Whether an
 * address that is not canonical raises #GP is not known. */
static bool write_architectural(struct processor *p, uint32_t number,
                                uint64_t value)
{
    switch (number) {
    case IA32_LBR_CTL:
        if ((value & ~ctl_bits(p)) != 0) {
            if (!faults_rule(p->machine, REFUSED_LBR_KEPT, true))
                write_ctl(p, value & ctl_bits(p));
            return false;
        }
        write_ctl(p, value);
        return true;
    case IA32_LBR_DEPTH:
        if (!has_depth(p, value))
            return false;
        write_depth(p, value);
        return true;
    default:
        break;
    }
    if (number < IA32_LBR_CTL)
        value &= LBR_INFO_MISPRED | LBR_INFO_IN_TSX | LBR_INFO_ABORT |
                 LBR_INFO_CYCLES_VALID | LBR_INFO_TYPE | LBR_INFO_CYCLES;
    else if (!is_extended(value, 0) && p->choices.lbr_address_refused)
        return false;
    else if (!is_extended(value, 0))
        value =
            (value & BIT(47)) != 0 ? value | BITS(63, 48) : value & BITS(47, 0);
    if (number - IA32_LBR_0_TO_IP < LBR_DEPTH_MAX &&
        !faults_rule(p->machine, LBR_TO_UPPER_HALF, true))
        value &= BITS(47, 0);
    if ((p->pmu.global_status & STATUS_LBR_FRZ) == 0 ||
        faults_rule(p->machine, LBR_TAKES_FROZEN, true))
        *record_register(p, number) = value;
    return true;
}

/* --- Those of a model ------------------------------------------------------
 */

/* Where an MSR of a record has its value; NULL: it is not one. */
static uint64_t *entry(struct processor *p, uint32_t number)
{
    struct lbr_state *l = &p->lbr;

    if (number - MSR_LASTBRANCH_0_FROM_IP < lbr_depth(p))
        return &l->from[number - MSR_LASTBRANCH_0_FROM_IP];
    if (number - MSR_LASTBRANCH_0_TO_IP < lbr_depth(p))
        return &l->to[number - MSR_LASTBRANCH_0_TO_IP];
    if (lbr_format(p) == LBR_FORMAT_INFO &&
        number - MSR_LBR_INFO_0 < lbr_depth(p))
        return &l->info[number - MSR_LBR_INFO_0];
    return NULL;
}

static uint64_t *value_of(struct processor *p, uint32_t number)
{
    if (lbr_is_architectural(p))
        return architectural(p, number);
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
    return lbr_is_excluded(p) && erratum_is(p, ERRATUM_LBR_TRACED_GP);
}

bool lbr_read(struct processor *p, uint32_t number, uint64_t *value)
{
    if (is_refused(p))
        return false;
    *value =
        lbr_is_excluded(p) && faults_rule(p->machine, LBR_ZERO_TRACED, true)
            ? 0
            : *value_of(p, number);
    return true;
}

static uint64_t flags_of_from(const struct processor *p)
{
    switch (lbr_format(p)) {
    case LBR_FORMAT_INFO:
        return 0;
    case LBR_FORMAT_FROM_TSX:
        return BITS(63, 61);
    default:
        return BIT(63);
    }
}

static uint64_t select_bits(const struct processor *p)
{
    return faults_quantity(p->machine, LBR_SELECT_BITS, ANY_NUMBER,
                           lbr_format(p) == LBR_FORMAT_FROM
                               ? BITS(8, 0)
                               : BITS(8, 0) | LBR_SELECT_EN_CALLSTACK);
}

static bool may_write(const struct processor *p, uint32_t number,
                      uint64_t value)
{
    switch (number) {
    case MSR_LBR_SELECT:
        return (value & ~select_bits(p)) == 0;
    case MSR_LASTBRANCH_TOS:
        return value < lbr_depth(p);
    default:
        break;
    }
    if (number >= MSR_LBR_INFO_0)
        return (value & ~(LBR_INFO_MISPRED | LBR_INFO_IN_TSX | LBR_INFO_ABORT |
                          LBR_INFO_CYCLES)) == 0;
    return !faults_rule(p->machine, LBR_CANONICAL, true) ||
           is_extended(value,
                       number < MSR_LASTBRANCH_0_TO_IP ? flags_of_from(p) : 0);
}

/* "Reads of these registers will return 0, and writes will be dropped." */
bool lbr_write(struct processor *p, uint32_t number, uint64_t value)
{
    if (lbr_is_architectural(p))
        return write_architectural(p, number, value);
    if (number - MSR_LASTBRANCH_0_FROM_IP < lbr_depth(p) &&
        !faults_rule(p->machine, LBR_FROM_UPPER_HALF, true))
        value &= BITS(47, 0) | flags_of_from(p);
    if (is_refused(p) ||
        (!may_write(p, number, value) &&
         !(lbr_is_excluded(p) && erratum_is(p, ERRATUM_LBR_TRACED_WRITE)))) {
        if (number == MSR_LBR_SELECT &&
            !faults_rule(p->machine, REFUSED_LBR_KEPT, true))
            p->lbr.select = value & select_bits(p);
        return false;
    }
    if ((number == MSR_LBR_SELECT && p->lbr.enabled &&
         !faults_rule(p->machine, LBR_SELECT_WHILE_ON, true)) ||
        (entry(p, number) != NULL &&
         (p->pmu.global_status & STATUS_LBR_FRZ) != 0 &&
         !faults_rule(p->machine, LBR_TAKES_FROZEN, true)))
        return true;
    if (!lbr_is_excluded(p) ||
        (number == MSR_LBR_SELECT &&
         !faults_rule(p->machine, LBR_SELECT_DROPPED, true)))
        *value_of(p, number) = value;
    return true;
}
