/* SPDX-License-Identifier: BSD-2-Clause */
/* A counter counts where its bit of IA32_PERF_GLOBAL_CTRL and its own enable
 * are both 1, and only there; what does not count keeps its value. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define BRANCHES 0xc4

/* Which counters have to count in one window. */
struct enables {
    const char *state; /* "only IA32_PERF_GLOBAL_CTRL (38FH)[%u] is 1" */
    unsigned place;
    struct bank bank;
    uint64_t count; /* places */
};

static struct bank bank_at_values(uint64_t places)
{
    struct bank bank = bank_of(places, BRANCHES);

    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) != 0)
            *bank_value(&bank, p) = 0x1000 * (p + 1u);
    return bank;
}

/* False where it could not be tried. */
static bool try_enables(struct test_context *t, const struct enables *e,
                        uint64_t places)
{
    char name[MSR_NAME_BYTES], state[64];
    struct bank before = e->bank, after;

    if (!bank_window(t, &before, window_long, &after))
        return false;
    text_format(state, sizeof(state), e->state, e->place);
    for (unsigned p = 0; p < PLACES_END; p++) {
        if ((places >> p & 1) == 0)
            continue;
        uint64_t counted = *bank_value(&after, p) - *bank_value(&before, p);
        struct count_bounds want =
            bank_bounds(p, &window_long_shape, after.tsc);
        if ((e->count >> p & 1) == 0)
            want = (struct count_bounds){0, 0};
        else if (want.least == 0)
            want.least = 1; /* this window is long enough */
        bool signature;
        enum erratum erratum = bank_erratum(
            p, p == PLACE_FIXED0 && want.most != 0, counted, want, &signature);
        check_known(t, counted >= want.least && counted <= want.most, erratum,
                    signature, "%s: %s counted %ld; wanted %lu to %lu", state,
                    msr_name(bank_msr(p), name), (long)counted, want.least,
                    want.most);
    }
    return true;
}

/* The counter's own enable taken away. */
static void disable(struct bank *bank, unsigned place)
{
    unsigned n = place - PLACE_FIXED0;

    if (place < PLACE_FIXED0)
        bank->select[place] &= ~IA32_PERFEVTSEL_EN;
    else
        bank->fixed_ctrl &=
            ~(IA32_FIXED_CTR_CTRL_OS(n) | IA32_FIXED_CTR_CTRL_USR(n));
}

/* Each of them alone, and each of them not, by either of its enables. */
static bool try_place(struct test_context *t, uint64_t places, unsigned p)
{
    const struct bank all = bank_at_values(places);
    struct enables e = {.place = p, .bank = all};

    e.state = "only IA32_PERF_GLOBAL_CTRL (38FH)[%u] is 1";
    e.bank.ctrl = e.count = BIT(p);
    if (!try_enables(t, &e, places))
        return false;
    e.state = "only IA32_PERF_GLOBAL_CTRL (38FH)[%u] is 0";
    e.bank.ctrl = e.count = places & ~BIT(p);
    if (!try_enables(t, &e, places))
        return false;
    e.state = p < PLACE_FIXED0 ? "only EN [22] of IA32_PERFEVTSEL%u is 0"
                               : "only that field of 38DH is 0";
    e.bank = all;
    disable(&e.bank, p);
    return try_enables(t, &e, places);
}

/* Once 38FH is 0: EN taken away, then the whole select, and all of 38DH. What
 * was counted stays. */
static void check_disabled(struct test_context *t, uint64_t places)
{
    struct bank before = bank_at_values(places), after;
    char name[MSR_NAME_BYTES];

    if (!bank_window(t, &before, window_long, &after))
        return;
    for (unsigned n = 0; n < counters_available(test_cpu(t)); n++) {
        set_msr_again(t, IA32_PERFEVTSEL(n),
                      before.select[n] & ~IA32_PERFEVTSEL_EN);
        set_msr_again(t, IA32_PERFEVTSEL(n), 0);
    }
    set_msr_again(t, IA32_FIXED_CTR_CTRL, 0);
    for (unsigned p = 0; p < PLACES_END; p++) {
        uint64_t now;
        if ((places >> p & 1) != 0 && get_msr(t, bank_msr(p), &now))
            check(t, now == *bank_value(&after, p),
                  "%s held 0x%lx, and 0x%lx once it was disabled (its select, "
                  "or IA32_FIXED_CTR_CTRL, 38DH, written with 0); wanted no "
                  "change",
                  msr_name(bank_msr(p), name), *bank_value(&after, p), now);
    }
}

/* AnyThread where no other thread shares the core counts this one. Version 5
 * has it no more, hypervisors refuse it, and Atom processors have none. */
static bool try_any_thread(struct test_context *t, uint64_t places)
{
    const struct identity *id = test_cpu(t);
    struct enables any = {.state = "AnyThread is 1, and no thread is beside",
                          .bank = bank_at_values(places),
                          .count = places};

    if (!identity_known(id) || !identity_is_native(id) ||
        !counters_enumerate_anythread(id) || test_shares_core(t))
        return true;
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0)
            any.bank.select[n] |= IA32_PERFEVTSEL_ANY;
    for (unsigned n = 0; n < BANK_FIXED; n++)
        if ((places >> (PLACE_FIXED0 + n) & 1) != 0)
            any.bank.fixed_ctrl |= IA32_FIXED_CTR_CTRL_ANY(n);
    return try_enables(t, &any, places);
}

TEST(counter_enable_bits,
     .asks = "Does a counter count where both its enables are 1, and only "
             "there?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 2\", "
             "\"Version 3\", \"Layout of IA32_PERF_GLOBAL_CTRL MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    uint64_t places = bank_claim(t);
    struct enables none = {.state = "IA32_PERF_GLOBAL_CTRL (38FH) is 0"};

    if (places == 0)
        return;
    check_disabled(t, places);
    none.bank = bank_at_values(places);
    none.bank.ctrl = 0;
    if (!try_enables(t, &none, places) || !try_any_thread(t, places))
        return;
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) != 0 && !try_place(t, places, p))
            return;
}
