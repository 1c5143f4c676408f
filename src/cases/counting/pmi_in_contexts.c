/* SPDX-License-Identifier: BSD-2-Clause */
/* Overflows in the midst of one body, at ring 0 and at ring 3, outside and
 * inside of transactions, which they abort: each interrupts. */
#include "src/harness/case.h"
#include "src/base/names.h"
#include "src/base/msr.h"
#include "src/counting/bank.h"
#include "src/counting/ring3.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define BEFORE 60 /* events before the overflow: the body has more */
#define TRIES  20 /* where transactions may abort for no reason of their own */
#define FROZEN IA32_PERF_GLOBAL_STATUS_CTR_FRZ

static const struct row {
    const char *what;
    unsigned place;
    uint64_t bits; /* of its select */
    bool tx;
    enum bank_pmi pmi;
} rows[] = {
    {"in a transaction", 0, 0, true, BANK_PMI},
    {"in a transaction, with IN_TX", 1, IA32_PERFEVTSEL_IN_TX, true, BANK_PMI},
    {"in a transaction", PLACE_FIXED0, 0, true, BANK_PMI},
    {"in a transaction", PLACE_FIXED0 + 1, 0, true, BANK_PMI},
    {"outside of transactions, by NMI", 0, 0, false, BANK_PMI_AS_NMI},
};

#define INSTRUCTIONS 0xc0

/* The interrupt is to freeze all counters: from version 4 on the status says
 * so. */
static bool says_frozen(struct test_context *t)
{
    return test_cpu(t)->perfmon_version >= 4 && counters_can_freeze(t);
}

/* As "perf record -e cycles:u" asks: those that can count so. */
static void count_user_alone(const struct test_context *t, struct bank *bank)
{
    const uint64_t places = bank_user_places(test_cpu(t), bank->ctrl);

    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) == 0)
            continue;
        else if (p < PLACE_FIXED0)
            bank->select[p] &= ~IA32_PERFEVTSEL_OS;
        else
            bank->fixed_ctrl &= ~IA32_FIXED_CTR_CTRL_OS(p - PLACE_FIXED0);
}

/* The body at ring 0 and at ring 3, there by USR alone, all of it. */
struct whole {
    struct bank of[2];
};

static bool measure_whole(const struct ring3_session *s, uint64_t places,
                          struct whole *whole)
{
    struct bank before = bank_of(places, INSTRUCTIONS);

    before.cell = (uintptr_t)s->ring3;
    s->ring3->body = (uint32_t)(ring3_body_plain - ring3_body);
    for (unsigned i = 0; i < 2; i++) {
        hw_poll();
        s->ring3->level = 3 * i;
        if (i != 0)
            count_user_alone(s->t, &before);
        if (!ring3_count(s, &before, window_ring3_body, &whole->of[i]))
            return false;
    }
    return true;
}

/* The body, as either level sees it. */
static bool is_of_body(const struct ring3_session *s, uint64_t rip)
{
    return rip - (uintptr_t)ring3_code < RING3_CODE_BYTES ||
           ring3_executes(s, rip);
}

/* A counter of instructions stops with the interrupt, which may come after the
 * body, unless an SMI has cleared the bit of IA32_DEBUGCTL (HSD052). */
static void check_stopped(struct test_context *t, const struct row *row,
                          const struct ring3_session *s,
                          const struct whole *whole, const struct bank *before,
                          const struct bank *after)
{
    const unsigned level = (unsigned)s->ring3->level;
    const uint64_t all = bank_count(&whole->of[level / 3], row->place);
    const uint64_t mask = bank_mask(test_cpu(t), row->place);
    const uint64_t counted =
        (bank_count(after, row->place) - bank_count(before, row->place)) & mask;
    char name[MSR_NAME_BYTES];

    if (row->tx || row->place > PLACE_FIXED0 || after->interrupts == 0 ||
        !is_of_body(s, after->rip) ||
        (after->debugctl & IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI) == 0)
        return;
    check_known(
        t, counted < all, ERRATUM_FREEZE_PMC4_TO_7,
        row->place >= 4 && row->place < PLACE_FIXED0,
        "%s at ring %u: %s counted %lu of %lu instructions, with "
        "FREEZE_PERFMON_ON_PMI = 1 and an interrupt after %u; wanted it to "
        "stop before the last",
        row->what, level, msr_name(bank_msr(row->place), name), counted, all,
        BEFORE);
}

static bool try_row(struct test_context *t, const struct row *row,
                    const struct ring3_session *s, unsigned level,
                    const struct whole *whole, struct rtm_tally *aborts)
{
    const unsigned f = row->place - PLACE_FIXED0;
    struct bank before = bank_of(BIT(row->place), INSTRUCTIONS | row->bits);
    struct bank after;
    bool overflowed = false;
    /* Reference cycles come in steps of no stated size, maybe none. */
    const unsigned events = f == 2 ? 0 : BEFORE;
    char name[MSR_NAME_BYTES];

    before.pmi = row->pmi;
    before.cell = (uintptr_t)s->ring3;
    *bank_value(&before, row->place) =
        bank_mask(test_cpu(t), row->place) - events;
    if (row->place < PLACE_FIXED0)
        before.select[row->place] |= IA32_PERFEVTSEL_INT;
    else
        before.fixed_ctrl |= IA32_FIXED_CTR_CTRL_PMI(f);
    if (!row->tx && level != 0)
        count_user_alone(t, &before);
    s->ring3->level = level;
    s->ring3->body =
        (uint32_t)((row->tx ? ring3_body_committed : ring3_body_plain) -
                   ring3_body);

    /* Measured, until no abort came before the overflow. */
    for (unsigned k = 0; k < TRIES && !overflowed; k++) {
        hw_poll();
        if (!ring3_count(s, &before, window_ring3_body, &after))
            return false;
        overflowed =
            *bank_value(&after, row->place) < *bank_value(&before, row->place);
    }

    if (overflowed && row->tx && s->ring3->status != RTM_STATUS_STARTED) {
        aborts->aborted++;
        rtm_add_status(s->ring3->status, aborts);
    }

    if (f == 2 && !overflowed)
        return true;

    /* Check. */
    msr_name(bank_msr(row->place), name);
    check(t, after.interrupts != 0,
          "%s at ring %u: %s was to overflow after %u events, and made no "
          "interrupt",
          row->what, level, name, events);
    check_known(t, after.masked == after.interrupts, ERRATUM_PMI_REPEATED,
                after.interrupts > 1 && after.masked != 0,
                "%s at ring %u: %u of %u interrupts of %s left the LVT's mask "
                "bit 0; wanted none",
                row->what, level, after.interrupts - after.masked,
                after.interrupts, name);
    check_stopped(t, row, s, whole, &before, &after);
    check(t, !says_frozen(t) || (after.status & FROZEN) != 0,
          "%s at ring %u: the interrupt of %s left CTR_Frz, "
          "IA32_PERF_GLOBAL_STATUS (38EH)[59], 0; wanted 1",
          row->what, level, name);
    check(t, (after.status >> row->place & 1) != 0,
          "%s at ring %u: %s overflowed after %u events, and "
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx; wanted bit %u",
          row->what, level, name, events, after.status, row->place);
    return true;
}

/* "RTM Abort Status Definition": an interrupt is none of what EAX names. */
static void check_status(struct test_context *t, unsigned level,
                         const struct rtm_tally *aborts)
{
    if (aborts->aborted != 0)
        WITH_PREFIX (t, "interrupts in transactions at ring %u", level)
            probe_check_status(t, 0, 0, aborts);
}

TEST(pmi_in_contexts,
     .asks = "Do overflows interrupt at ring 3 and in transactions as "
             "elsewhere?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 2\", "
             "\"Counter Overflow\"; SDM 1, \"RTM Abort Status Definition\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 2})
{
    const bool tx = probe_state_if_any(t);
    struct rtm_tally aborts[2];
    struct ring3_session s;
    struct whole whole;
    uint64_t debugctl;

    /* Set-up. */
    const uint64_t places = bank_promised(t);
    if (!counters_claim(t) || !ring3_prepare(&s, t) ||
        !measure_whole(&s, places, &whole) ||
        (counters_can_freeze(t) &&
         (!get_msr(t, IA32_DEBUGCTL, &debugctl) ||
          !set_msr(t, IA32_DEBUGCTL,
                   debugctl | IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI))))
        return;

    /* Measured and checked. */
    rtm_clear(&aborts[0]);
    rtm_clear(&aborts[1]);
    for (unsigned p = 0; p < PLACES_END; p++)
        for (unsigned level = 0; level <= 3; level += 3) {
            const struct row row = {"outside of transactions", p, 0, false,
                                    BANK_PMI};
            if ((places >> p & 1) != 0 &&
                !try_row(t, &row, &s, level, &whole, &aborts[level / 3]))
                return;
        }
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (unsigned level = 0; level <= 3; level += 3)
            if ((!rows[i].tx || tx) && (places >> rows[i].place & 1) != 0 &&
                !try_row(t, &rows[i], &s, level, &whole, &aborts[level / 3]))
                return;
    check_status(t, 0, &aborts[0]);
    check_status(t, 3, &aborts[1]);
    note(t, "TR holds a TSS of this test from now on");
}
