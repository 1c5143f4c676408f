/* SPDX-License-Identifier: BSD-2-Clause */
/* bank.c - writes, runs, reads. */
#include "src/counting/bank.h"

#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/counter3.h"
#include "src/counting/smi_guard.h"

#define EVERY_LEVEL \
    (IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_EN)

unsigned bank_fixed(const struct identity *id)
{
    unsigned n = 0;

    while (n < BANK_FIXED && (id->fixed_set >> n & 1) != 0)
        n++;
    return n;
}

uint64_t bank_places(const struct identity *id)
{
    uint64_t places = BITS(counters_available(id) - 1, 0);

    for (unsigned n = 0; n < bank_fixed(id); n++)
        places |= BIT(PLACE_FIXED0 + n);
    return places;
}

uint64_t bank_user_places(const struct identity *id, uint64_t places)
{
    struct erratum_found found;

    return errata_find(id, ERRATUM_PMC4_TO_7_USR_ALONE, &found)
               ? places & ~BITS(7, 4)
               : places;
}

uint64_t bank_promised(struct test_context *t)
{
    const uint64_t places = bank_places(test_cpu(t));

    return counter3_is_reliable(t) ? places : places & ~BIT(3);
}

uint64_t bank_claim(struct test_context *t)
{
    if (test_cpu(t)->counters > 3 && !counter3_make_reliable(t))
        note(t, "IA32_PMC3 (C4H) is left out: nothing promises that it works "
                "here");
    const uint64_t places = bank_promised(t);
    /* The value that opens a window is tried while nothing is selected: the
     * WRMSR in the window has no fix-up. */
    if (!counters_claim(t) || !set_held_msr(t, IA32_PERF_GLOBAL_CTRL, places) ||
        !set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 0))
        return 0;
    return counters_overflow_stays(t, places) ? 0 : places;
}

uint64_t bank_mask(const struct identity *id, unsigned place)
{
    unsigned bits = place < PLACE_FIXED0 ? id->counter_bits : id->fixed_bits;

    return bits != 0 ? BITS(bits - 1, 0) : 0;
}

bool bank_can_hold(const struct identity *id, unsigned place, uint64_t value)
{
    uint64_t mask = bank_mask(id, place);
    uint64_t narrow = (uint64_t)(int64_t)(int32_t)(uint32_t)value & mask;

    if ((value & ~mask) != 0)
        return false;
    return place >= PLACE_FIXED0 || id->full_width_writes || narrow == value;
}

uint32_t bank_msr(unsigned place)
{
    return place < PLACE_FIXED0 ? IA32_PMC(place)
                                : IA32_FIXED_CTR(place - PLACE_FIXED0);
}

uint64_t *bank_value(struct bank *bank, unsigned place)
{
    return place < PLACE_FIXED0 ? &bank->pmc[place]
                                : &bank->fixed[place - PLACE_FIXED0];
}

struct bank bank_of(uint64_t places, uint64_t select)
{
    struct bank bank = {.ctrl = places};

    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0)
            bank.select[n] = select | EVERY_LEVEL;
    for (unsigned n = 0; n < BANK_FIXED; n++)
        if ((places >> (PLACE_FIXED0 + n) & 1) != 0)
            bank.fixed_ctrl |=
                IA32_FIXED_CTR_CTRL_OS(n) | IA32_FIXED_CTR_CTRL_USR(n);
    return bank;
}

static bool write_bank(struct test_context *t, const struct bank *bank)
{
    const struct identity *id = test_cpu(t);
    bool ok = set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 0) &&
              set_msr_again(t, IA32_FIXED_CTR_CTRL, 0) &&
              counters_clear_monitoring(t);

    for (unsigned n = 0; ok && n < counters_available(id); n++)
        ok = set_msr_again(t, IA32_PERFEVTSEL(n), 0) &&
             set_msr_again(t,
                           id->full_width_writes ? IA32_A_PMC(n) : IA32_PMC(n),
                           bank->pmc[n]);
    /* The other way round than elsewhere: none of them changes another. */
    for (unsigned n = counters_available(id); ok && n-- > 0;)
        ok = set_msr_again(t, IA32_PERFEVTSEL(n), bank->select[n]);
    for (unsigned n = 0; ok && n < bank_fixed(id); n++)
        ok = set_msr_again(t, IA32_FIXED_CTR(n), bank->fixed[n]);
    return ok && set_msr_again(t, IA32_FIXED_CTR_CTRL, bank->fixed_ctrl);
}

static void read_bank(struct test_context *t, struct bank *bank)
{
    const struct identity *id = test_cpu(t);

    bank->status = msr_value(t, IA32_PERF_GLOBAL_STATUS) & ~bank->stale;
    for (unsigned n = 0; n < counters_available(id); n++) {
        bank->pmc[n] = msr_value(t, IA32_PMC(n));
        bank->select[n] = msr_value(t, IA32_PERFEVTSEL(n));
    }
    for (unsigned n = 0; n < bank_fixed(id); n++)
        bank->fixed[n] = msr_value(t, IA32_FIXED_CTR(n));
    bank->fixed_ctrl = msr_value(t, IA32_FIXED_CTR_CTRL);
    bank->debugctl = msr_value(t, IA32_DEBUGCTL);
}

/* All status bits that can be cleared are; the others are returned. */
static uint64_t clear_status(struct test_context *t)
{
    uint64_t status = msr_value(t, IA32_PERF_GLOBAL_STATUS);

    if (status == 0 || !counters_clear_status(t, status))
        return status;
    return msr_value(t, IA32_PERF_GLOBAL_STATUS);
}

struct bank_call {
    struct test_context *t;
    const struct bank *before;
    struct bank *after;
    window_function *window; /* NULL: work */
    void (*work)(void *argument);
    void *argument;
    bool again;        /* an SMI fell into the last attempt */
    uint64_t debugctl; /* IA32_DEBUGCTL before the window */
};

/* What SMM has written where the last attempt was. */
static void note_changes(const struct bank_call *call)
{
    const struct bank *before = call->before, *after = call->after;

    if (after->fixed_ctrl != before->fixed_ctrl)
        note(call->t,
             "an SMI changed IA32_FIXED_CTR_CTRL (38DH) from 0x%lx to 0x%lx",
             before->fixed_ctrl, after->fixed_ctrl);
    if (call->window == NULL && before->pmi == BANK_NO_PMI &&
        after->ctrl != before->ctrl)
        note(call->t,
             "an SMI changed IA32_PERF_GLOBAL_CTRL (38FH) from 0x%lx to 0x%lx",
             before->ctrl, after->ctrl);
}

/* What runs between opening and closing. */
static bool run_open(const struct bank_call *call)
{
    uint64_t cells[WINDOW_CELLS] = {call->before->cell};

    if (call->window != NULL) {
        call->window(call->before->ctrl, cells);
        return true; /* it has written 0 itself */
    }
    if (!set_held_msr(call->t, IA32_PERF_GLOBAL_CTRL, call->before->ctrl))
        return false;
    call->work(call->argument);
    call->after->ctrl = msr_value(call->t, IA32_PERF_GLOBAL_CTRL);
    return set_held_msr(call->t, IA32_PERF_GLOBAL_CTRL, 0);
}

/* The same, taking interrupts where they are asked for. */
static bool run_call(const struct bank_call *call)
{
    struct bank *after = call->after;

    if (call->before->pmi == BANK_NO_PMI)
        return run_open(call);
    if (!hw_pmi_begin(call->before->pmi == BANK_PMI_AS_NMI)) {
        skip(call->t, "needs the local APIC, which is disabled "
                      "(IA32_APIC_BASE[11])");
        return false;
    }
    if (call->before->pmi == BANK_PMI_MASKED)
        hw_pmi_mask();
    if (call->before->pmi == BANK_PMI_HELD)
        hw_pmi_hold();
    if (call->before->pmi == BANK_PMI_OUTRANKED)
        hw_pmi_outrank();
    bool ok = run_open(call);
    hw_pmi_end(); /* one that comes late is still handled */
    after->interrupts = hw_pmi_count();
    after->masked = hw_pmi_masked();
    after->rip = hw_pmi_rip();
    return ok;
}

static bool run_once(void *argument)
{
    struct bank_call *call = argument;
    struct test_context *t = call->t;
    struct bank *after = call->after;

    hw_poll();
    if (call->again)
        note_changes(call);
    call->again = true;
    *after = (struct bank){0};
    if (!write_bank(t, call->before))
        return false;
    after->stale = clear_status(t);
    call->debugctl = msr_value(t, IA32_DEBUGCTL);
    if (call->before->prepare != NULL)
        call->before->prepare(call->before->cell);
    uint64_t begin = hw_tsc();
    if (!run_call(call))
        return false;
    after->tsc = hw_tsc() - begin;
    read_bank(t, after);
    return true;
}

/* What nothing has written in a window is as it was before. Only what is wrong
 * is said: a window is no check of the test's own. A select that is 0 may be of
 * counter 3 where nothing is promised. */
static void check_kept(struct test_context *t, const struct bank *before,
                       const struct bank *after)
{
    char bits[BITS_CHANGE_BYTES];

    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if (before->select[n] != 0 && after->select[n] != before->select[n])
            check_known(t, false, ERRATUM_EVTSEL4_TO_7_READ, n >= 4,
                        "IA32_PERFEVTSEL%u (%XH) after a window: got 0x%lx, "
                        "wanted 0x%lx, as it was written: %s",
                        n, IA32_PERFEVTSEL(n), after->select[n],
                        before->select[n],
                        bits_change(before->select[n], after->select[n], bits));
    if (after->fixed_ctrl != before->fixed_ctrl)
        check_msr_is(t, IA32_FIXED_CTR_CTRL, after->fixed_ctrl,
                     before->fixed_ctrl, " after a window");
}

static bool is_enabled(const struct bank *bank, unsigned place)
{
    const unsigned f = place - PLACE_FIXED0;
    const uint64_t levels =
        place < PLACE_FIXED0 ? bank->select[place] & IA32_PERFEVTSEL_EN
                             : bank->fixed_ctrl & (IA32_FIXED_CTR_CTRL_OS(f) |
                                                   IA32_FIXED_CTR_CTRL_USR(f));

    return (bank->ctrl >> place & 1) != 0 && levels != 0;
}

/* A counter that is not enabled stands, one that has gone through 0 has its
 * status bit, and no other has. IN_TXCP takes events back; a counter 3 of which
 * nothing is promised is not selected. */
static void check_place(struct test_context *t, const struct bank *before,
                        const struct bank *after, unsigned p)
{
    const uint64_t was = bank_count(before, p), is = bank_count(after, p);
    const bool set = (after->status >> p & 1) != 0;
    const bool in_tx =
        p < PLACE_FIXED0 && (before->select[p] & IA32_PERFEVTSEL_IN_TX) != 0;
    char name[MSR_NAME_BYTES];

    if (p < PLACE_FIXED0 &&
        (before->select[p] == 0 ||
         (before->select[p] & IA32_PERFEVTSEL_IN_TXCP) != 0))
        return;
    msr_name(bank_msr(p), name);
    if (!is_enabled(before, p) && is != was)
        check(t, false,
              "%s is not enabled, and went from 0x%lx to 0x%lx in a window",
              name, was, is);
    if (set != (is < was) && (after->stale >> p & 1) == 0)
        check(t, false,
              "%s%s went from 0x%lx to 0x%lx in a window, and "
              "IA32_PERF_GLOBAL_STATUS (38EH)[%u] is %d: it has %s",
              name, in_tx ? ", with IN_TX = 1," : "", was, is, p, set,
              set ? "not overflowed" : "overflowed, or lost its value");
}

/* What else an overflow, or its interrupt, must leave alone. DEBUGCTL[11] has
 * LBR cleared up to version 3, and bits of 38EH set from version 4 on. */
static void check_alone(const struct bank_call *call)
{
    const struct bank *after = call->after;
    const uint64_t freeze =
        IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI | IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI;
    const uint64_t frozen =
        IA32_PERF_GLOBAL_STATUS_LBR_FRZ | IA32_PERF_GLOBAL_STATUS_CTR_FRZ;

    if (after->debugctl != call->debugctl && (call->debugctl & freeze) == 0)
        check(call->t, false,
              "IA32_DEBUGCTL (1D9H) was 0x%lx before a window, and is 0x%lx "
              "after it",
              call->debugctl, after->debugctl);
    if ((after->status & frozen) != 0 && (call->debugctl & freeze) == 0)
        check(call->t, false,
              "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx after a window: LBR_Frz "
              "[58] or CTR_Frz [59] is 1, and IA32_DEBUGCTL (1D9H) 0x%lx asks "
              "for neither",
              after->status, call->debugctl);
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((bank_places(test_cpu(call->t)) >> p & 1) != 0)
            check_place(call->t, call->before, after, p);
}

static bool run_bank(struct bank_call *call)
{

    if (!hold_msr(call->t, IA32_PERF_GLOBAL_CTRL) ||
        !smi_guard(call->t, run_once, call, NULL))
        return false;
    check_kept(call->t, call->before, call->after);
    if (!call->before->live)
        check_alone(call);
    return true;
}

bool bank_window(struct test_context *t, const struct bank *before,
                 window_function *window, struct bank *after)
{
    return run_bank(&(struct bank_call){
        .t = t, .before = before, .after = after, .window = window});
}

bool bank_live(struct test_context *t, struct bank *before,
               struct window_live *live, struct bank *after)
{
    before->live = true;
    before->cell = (uint64_t)(uintptr_t)live;
    return bank_window(t, before, window_live, after);
}

bool bank_work(struct test_context *t, const struct bank *before,
               void (*work)(void *argument), void *argument, struct bank *after)
{
    return run_bank(&(struct bank_call){.t = t,
                                        .before = before,
                                        .after = after,
                                        .work = work,
                                        .argument = argument});
}

struct count_bounds bank_bounds(unsigned place,
                                const struct window_shape *shape, uint64_t tsc)
{
    switch (place) {
    case PLACE_FIXED0: /* or the closing WRMSR too, count_bounds() */
        return (struct count_bounds){shape->instructions,
                                     (uint64_t)shape->instructions + 1};
    case PLACE_FIXED0 + 1: /* at more than the rate of the TSC, if turbo */
        return (struct count_bounds){1, 16 * tsc};
    case PLACE_FIXED0 + 2: /* at that rate, but in steps */
        return (struct count_bounds){0, 2 * tsc + 1000};
    case PLACE_FIXED0 + 3: /* 5 or more of them in a cycle */
        return (struct count_bounds){1, 16 * 16 * tsc};
    default:
        return (struct count_bounds){shape->branches, shape->branches};
    }
}

#define A_FEW 4 /* instructions more or less, "inconsistent" */

enum erratum bank_erratum(unsigned place, bool instructions, uint64_t counted,
                          struct count_bounds want, bool *signature)
{
    const bool fixed0 = place == PLACE_FIXED0;
    uint64_t more = counted > want.most ? counted - want.most : 0;
    uint64_t less = counted < want.least ? want.least - counted : 0;

    /* 32 more each time that the fixed counter is started. */
    *signature = instructions && less <= A_FEW &&
                 (more + A_FEW) % 32 <= 2 * A_FEW &&
                 more <= (fixed0 ? 2 * 32 + A_FEW : A_FEW);
    return fixed0 && more > A_FEW ? ERRATUM_FIXED0_32_MORE
                                  : ERRATUM_INSTRUCTIONS_INCONSISTENT;
}
