/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers that the format promises: each holds what is written, on its
 * own logical processor; MSR_LBR_SELECT and IA32_LBR_CTL no more than their
 * bits, IA32_LBR_DEPTH no other than the depths there are. */
#include "src/base/names.h"
#include "src/lbr/stack.h"

/* Where the manual says which (SDM 3B, "LBR Stack Enhancement" of the 4th
 * generation, "Processors based on Skylake Microarchitecture"). */
static void judge_format(struct lbr *l)
{
    const unsigned wanted = l->model.generation == HASWELL   ? 4
                            : l->model.generation == SKYLAKE ? 5
                                                             : l->model.format;

    if (l->model.arch)
        return;
    check(l->t, l->model.format == wanted,
          "IA32_PERF_CAPABILITIES (345H)[5:0] is %u; wanted %u, the format of "
          "this generation",
          l->model.format, wanted);
}

/* No two registers of the machine hold the same; or each bit the other way
 * round, which makes an address one of the upper half; its flags are 1 then, as
 * without TSX, where two are part of the address (Linux,
 * arch/x86/events/intel/lbr.c, lbr_from_signext_quirk_wr()). */
static uint64_t own_value(const struct lbr *l, unsigned n, unsigned entry,
                          bool inverted)
{
    const unsigned number = test_processor(l->t) * LBR_DEPTH_MAX + entry;
    const bool flagged = n == lbr_flags_in(&l->model);
    const uint64_t bits =
        (n == 2 ? BITS(15, 0) : BITS(46, 0)) | (flagged ? lbr_flags(l) : 0);
    const uint64_t own =
        (uint64_t)entry << 61 | (n == 2 ? number : (uint64_t)number << 16 | n);

    const uint64_t upper = inverted && n != 2 ? BITS(63, 47) : UINT64_C(0);

    return ((inverted ? ~own : own) & bits) | upper;
}

static bool look(struct lbr *l, uint32_t msr, uint64_t want, const char *when)
{
    uint64_t got;

    return lbr_get(l, msr, &got) && check_msr_is(l->t, msr, got, want, when);
}

static bool put_own(struct lbr *l, bool inverted)
{
    for (unsigned entry = 0; entry < l->model.depth; entry++)
        for (unsigned n = 0; n < lbr_entry_msrs(&l->model); n++)
            if (!lbr_put(l, lbr_entry_msr(&l->model, n, entry),
                         own_value(l, n, entry, inverted)))
                return false;
    return true;
}

static bool look_at_own(struct lbr *l, bool inverted, const char *when)
{
    for (unsigned entry = 0; entry < l->model.depth; entry++)
        for (unsigned n = 0; n < lbr_entry_msrs(&l->model); n++)
            if (!look(l, lbr_entry_msr(&l->model, n, entry),
                      own_value(l, n, entry, inverted), when))
                return false;
    return true;
}

/* "A general-protection exception (#GP) on an attempt to write a non-canonical
 * value", says erratum SKL047 and its like of what fails beside a trace; there
 * is none here. Earlier generations' FROM has flags there. */
static void try_non_canonical(struct lbr *l)
{
    static const uint64_t values[] = {BIT(47), BIT(63), BITS(62, 47)};
    char name[MSR_NAME_BYTES];
    uint64_t got;

    for (unsigned n = 0; n < 2; n++)
        for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
            const uint32_t msr =
                lbr_entry_msr(&l->model, n, l->model.depth - 1);
            if (!lbr_put(l, msr, n + 1))
                return;
            const int vector = try_set_msr(l->t, msr, values[i]);
            if (!lbr_get(l, msr, &got) ||
                !check(l->t, vector == HW_GP && got == n + 1,
                       "%s was written with 0x%lx, which is not canonical: "
                       "%s, and it reads 0x%lx; wanted #GP, and 0x%x as before",
                       msr_name(msr, name), values[i], fault_name(vector), got,
                       n + 1))
                return;
        }
}

static void try_tos(struct lbr *l)
{
    for (unsigned tos = 0; tos < l->model.depth; tos++)
        if (!lbr_put(l, MSR_LASTBRANCH_TOS, tos) ||
            !look(l, MSR_LASTBRANCH_TOS, tos, ""))
            return;
}

static void try_select(struct lbr *l)
{
    const uint64_t beside = MSR_LBR_SELECT_KIND(LBR_JCC);
    unsigned reserved = 0, accepted = 0;
    uint64_t got;

    for (unsigned bit = 0; bit < 64; bit++) {
        if ((l->model.select >> bit & 1) != 0) {
            if (!lbr_put(l, MSR_LBR_SELECT, BIT(bit)) ||
                !look(l, MSR_LBR_SELECT, BIT(bit), ""))
                return;
            continue;
        }
        lbr_put(l, MSR_LBR_SELECT, 0);
        reserved++;
        const int vector = try_set_msr(l->t, MSR_LBR_SELECT, BIT(bit) | beside);
        accepted += vector == HW_NO_FAULT;
        if (!lbr_get(l, MSR_LBR_SELECT, &got) ||
            !check(l->t, got == (vector == HW_NO_FAULT ? beside : UINT64_C(0)),
                   "MSR_LBR_SELECT (1C8H)[%u], which must be zero, was written "
                   "with 1, and JCC [2] beside it: %s, and it reads 0x%lx; "
                   "wanted #GP, and 0 as before",
                   bit, fault_name(vector), got))
            return;
    }
    observe(l->t, "a reserved bit of MSR_LBR_SELECT (1C8H) raised no #GP",
            accepted, reserved);
}

/* The same while branches are recorded. EN_CALLSTACK is not for all kinds. */
static void try_select_on(struct lbr *l)
{
    if (!lbr_turn(l, 0, true))
        return;
    for (unsigned bit = 0; bit < 9; bit++)
        if (!lbr_put(l, MSR_LBR_SELECT, BIT(bit)) ||
            !look(l, MSR_LBR_SELECT, BIT(bit), ", LBR being 1"))
            break;
    lbr_turn(l, 0, false);
}

/* Bits that are there, with LBREn = 1 before: where it stays, and where it is
 * written with 0. */
static void try_control_on(struct lbr *l)
{
    const uint64_t bits = IA32_LBR_CTL_DEFINED & ~IA32_LBR_CTL_CALL_STACK;

    for (unsigned bit = 1; bit < 64; bit++)
        for (uint64_t on = 0; (bits >> bit & 1) != 0 && on < 2; on++) {
            const uint64_t value = BIT(bit) | on * IA32_LBR_CTL_LBREn;

            if (!lbr_put(l, IA32_LBR_CTL, bits ^ BIT(bit)) ||
                !lbr_put(l, IA32_LBR_CTL, value) ||
                !look(l, IA32_LBR_CTL, value, ", LBREn being 1 before"))
                break;
        }
    lbr_put(l, IA32_LBR_CTL, 0);
}

/* With LBREn = 0. */
static void try_control(struct lbr *l)
{
    uint64_t got;

    for (unsigned bit = 1; bit < 64; bit++) {
        if ((IA32_LBR_CTL_DEFINED >> bit & 1) != 0 &&
            (BIT(bit) != IA32_LBR_CTL_CALL_STACK ||
             (l->model.select & MSR_LBR_SELECT_EN_CALLSTACK) != 0)) {
            if (!lbr_put(l, IA32_LBR_CTL, BIT(bit)) ||
                !look(l, IA32_LBR_CTL, BIT(bit), ""))
                return;
            continue;
        }
        if (!lbr_put(l, IA32_LBR_CTL, 0))
            return;
        const int vector =
            try_set_msr(l->t, IA32_LBR_CTL, BIT(bit) | IA32_LBR_CTL_OS);
        if (!lbr_get(l, IA32_LBR_CTL, &got) ||
            !check(l->t, vector == HW_GP && got == 0,
                   "IA32_LBR_CTL (14CEH)[%u], which is reserved, was written "
                   "with 1: %s, and it reads 0x%lx; wanted #GP, and 0 as "
                   "before",
                   bit, fault_name(vector), got))
            return;
    }
}

/* All that are not 0. */
static unsigned not_empty(struct lbr *l)
{
    unsigned n = 0;
    uint64_t got;

    for (unsigned entry = 0; entry < l->model.depth; entry++)
        for (unsigned i = 0; i < lbr_entry_msrs(&l->model); i++)
            n += !lbr_get(l, lbr_entry_msr(&l->model, i, entry), &got) ||
                 got != 0;
    return n;
}

/* Registers from the depth on, up to the most there are: an access raises #GP.
 */
static bool check_beyond(struct lbr *l, unsigned depth)
{
    char name[MSR_NAME_BYTES];
    uint64_t value;

    for (unsigned entry = depth; entry < l->model.depth; entry++)
        for (unsigned n = 0; n < lbr_entry_msrs(&l->model); n++) {
            const uint32_t msr = lbr_entry_msr(&l->model, n, entry);
            const int vector = try_get_msr(l->t, msr, &value);

            if (!check(l->t, vector == HW_GP,
                       "IA32_LBR_DEPTH (14CFH) is %u: RDMSR of %s raises %s; "
                       "wanted #GP",
                       depth, msr_name(msr, name), fault_name(vector)))
                return false;
        }
    return true;
}

/* "Writes of unsupported values will #GP fault." Last the full depth again. */
static void try_depths(struct lbr *l)
{
    uint64_t got;

    for (unsigned depth = 1; depth <= 72; depth++) {
        const bool there = depth % 8 == 0 && depth <= 64 &&
                           (l->model.depths >> (depth / 8 - 1) & 1) != 0;
        if (!lbr_put(l, IA32_LBR_DEPTH, l->model.depth))
            return;
        const int vector = try_set_msr(l->t, IA32_LBR_DEPTH, depth);
        if (!lbr_get(l, IA32_LBR_DEPTH, &got) ||
            !check(l->t,
                   there ? vector == HW_NO_FAULT && got == depth
                         : vector == HW_GP && got == l->model.depth,
                   "IA32_LBR_DEPTH (14CFH) was written with %u, and "
                   "CPUID.1CH:EAX[7:0] is 0x%x: %s, and it reads %lu; wanted "
                   "%s",
                   depth, l->model.depths, fault_name(vector), got,
                   there ? "that" : "#GP, and no change") ||
            (there && !check_beyond(l, depth)))
            break;
    }
    if (put_own(l, false) && lbr_put(l, IA32_LBR_DEPTH, l->model.depth)) {
        const unsigned left = not_empty(l);

        check(l->t, left == 0,
              "IA32_LBR_DEPTH (14CFH) was written with %u, and %u registers of "
              "entries are not 0; wanted none",
              l->model.depth, left);
    }
}

/* MSR_LBR_SELECT and the TOS of processor p, of its own. On the 1st generation
 * two threads share MSR_LBR_SELECT. */
static uint64_t own_select(const struct lbr *l)
{
    return l->model.generation == NEHALEM ? 0
                                          : test_processor(l->t) & BITS(8, 0);
}

static uint64_t own_tos(const struct lbr *l)
{
    return (test_processor(l->t) + 1) & (l->model.depth - 1);
}

static void put_own_controls(struct lbr *l)
{
    if (l->model.arch)
        lbr_put(l, IA32_LBR_CTL, lbr_control(own_select(l)));
    else if (lbr_put(l, MSR_LBR_SELECT, own_select(l)))
        lbr_put(l, MSR_LASTBRANCH_TOS, own_tos(l));
}

static void look_at_own_controls(struct lbr *l, const char *when)
{
    if (l->model.arch)
        look(l, IA32_LBR_CTL, lbr_control(own_select(l)), when);
    else if (look(l, MSR_LBR_SELECT, own_select(l), when))
        look(l, MSR_LASTBRANCH_TOS, own_tos(l), when);
}

/* Version 4: LBR_Frz stops what is recorded, and no write; cleared, it leaves
 * all as it is. */
static void try_frozen(struct lbr *l)
{
    static const char when[] = " while LBR_Frz (38EH[58]) is 1",
                      after[] = " after LBR_Frz (38EH[58]) was cleared";
    const uint64_t bit = IA32_PERF_GLOBAL_STATUS_LBR_FRZ,
                   select = MSR_LBR_SELECT_KIND(LBR_JCC);
    const uint32_t msr = l->model.arch ? IA32_LBR_CTL : MSR_LBR_SELECT;
    const uint64_t control = l->model.arch ? lbr_control(select) : select;

    if (test_cpu(l->t)->perfmon_version < 4 ||
        try_set_msr(l->t, IA32_PERF_GLOBAL_STATUS_SET, bit) != HW_NO_FAULT)
        return;
    const bool held = put_own(l, true) && lbr_put(l, msr, control) &&
                      look_at_own(l, true, when) && look(l, msr, control, when);
    if (set_msr_again(l->t, IA32_PERF_GLOBAL_STATUS_RESET, bit) && held &&
        look_at_own(l, true, after))
        look(l, msr, control, after);
}

static void write_own(struct test_context *peer, void *argument)
{
    struct lbr l;

    (void)argument;
    if (!lbr_claim(&l, peer))
        return;
    judge_format(&l);
    if (l.model.arch) {
        try_control(&l);
        try_control_on(&l);
        try_depths(&l);
    } else {
        try_tos(&l);
        try_select(&l);
        try_select_on(&l);
    }
    try_frozen(&l);
    if (l.model.generation == SKYLAKE && l.model.info)
        try_non_canonical(&l);
    if (put_own(&l, true) && look_at_own(&l, true, "") && put_own(&l, false) &&
        look_at_own(&l, false, ""))
        put_own_controls(&l);
}

static void look_again(struct test_context *peer, void *argument)
{
    static const char later[] = " after other processors wrote their own";
    struct lbr l = {.t = peer};

    (void)argument;
    /* Not where they are somebody else's: lbr_claim() has left them. */
    if (wrote_msr(peer, IA32_DEBUGCTL) && lbr_of(test_cpu(peer), &l.model) &&
        look_at_own(&l, false, later))
        look_at_own_controls(&l, later);
}

TEST(lbr_registers,
     .asks = "Are the registers of last branch records there, each logical "
             "processor's own?",
     .cite = "SDM 3B, tables \"LBR Stack Size and TOS Pointer Range\", "
             "\"MSR_LBR_SELECT\"; SDM 3C, tables of MSRs, 1C8H, 1C9H, 680H, "
             "6C0H, DC0H; of later editions \"IA32_LBR_CTL\", "
             "\"IA32_LBR_DEPTH\"; SDM 3B, \"Enhancement in "
             "IA32_PERF_GLOBAL_STATUS\"",
     .scope = WHOLE_MACHINE, .needs = {.features = NEED_INTEL | NEED_LBR})
{
    on_all_in_turn(t, write_own);
    on_all_in_turn(t, look_again);
}
