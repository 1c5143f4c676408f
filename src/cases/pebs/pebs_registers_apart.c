/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of counters and of PEBS, each written while all others and the
 * status hold something: none but the one that is written changes. No counter
 * is enabled for a privilege level, so that nothing counts meanwhile. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/smi_guard.h"
#include "src/pebs/sampling.h"
#include "src/tsx/force_abort.h"

#define MOST   (2 * PLACES_END + 8)
#define EVENTS (BITS(15, 0) | IA32_PERFEVTSEL_E | IA32_PERFEVTSEL_INT)

struct held {
    uint32_t msr;
    uint64_t value[2]; /* which it holds, and for a while */
    bool read_badly;   /* an erratum is known */
};

struct registers {
    struct held held[MOST];
    unsigned count;
};

/* One register written, with its other value and then with its own: what all
 * are after each write. An SMI may write some (HSD052, or firmware that has a
 * counter of its own). */
struct attempt {
    struct test_context *t;
    const struct registers *r;
    uint64_t places;
    unsigned written;
    /* IA32_PERF_GLOBAL_STATUS before all of it; what it became when all were
     * written, with this one, else r->count. */
    uint64_t status, became;
    unsigned by;
    uint64_t got[2][MOST], after[2];
};

static void add(struct registers *r, uint32_t msr, uint64_t value,
                uint64_t other)
{
    const uint32_t n = msr - IA32_PERFEVTSEL(0);

    r->held[r->count++] =
        (struct held){msr, {value, other}, n >= 4 && n < COUNTERS_MAX};
}

static void add_counters(struct registers *r, struct test_context *t,
                         uint64_t places)
{
    uint64_t interrupts = 0;

    for (unsigned p = 0; p < PLACES_END; p++) {
        const uint64_t value = test_random(t) & BITS(30, 0);
        const uint64_t select = test_random(t) & EVENTS;

        if ((places >> p & 1) == 0)
            continue;
        if (p < PLACE_FIXED0)
            add(r, IA32_PERFEVTSEL(p), select, ~select & EVENTS);
        else
            interrupts |= IA32_FIXED_CTR_CTRL_PMI(p - PLACE_FIXED0);
        add(r, bank_msr(p), value, ~value & BITS(30, 0));
    }
    add(r, IA32_FIXED_CTR_CTRL, interrupts, 0);
    add(r, IA32_PERF_GLOBAL_CTRL, places, 0);
}

static void add_pebs(struct registers *r, struct test_context *t)
{
    const uint64_t area = (uint64_t)(uintptr_t)test_records(t);
    const uint64_t debugctl = msr_value(t, IA32_DEBUGCTL);

    add(r, IA32_DS_AREA, area, area + 64);
    /* LL_EN, or fixed counters with extended PEBS. */
    add(r, IA32_PEBS_ENABLE, BITS(34, 32) | BITS(2, 0), 0);
    add(r, MSR_PEBS_LD_LAT, MSR_PEBS_LD_LAT_THRHLD, MSR_PEBS_LD_LAT_THRHLD_MIN);
    if (test_cpu(t)->pebs_format == 4)
        add(r, MSR_PEBS_DATA_CFG, PEBS_DATA_DEFINED, 0);
    add(r, IA32_DEBUGCTL, debugctl,
        debugctl ^ IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI);
}

/* The bit of each counter is 1 where software can set it, all others are 0. */
static bool set_status(const struct attempt *a)
{
    const uint64_t status = msr_value(a->t, IA32_PERF_GLOBAL_STATUS);

    return (status == 0 || counters_clear_status(a->t, status)) &&
           (test_cpu(a->t)->perfmon_version < 4 ||
            set_msr_again(a->t, IA32_PERF_GLOBAL_STATUS_SET, a->places));
}

/* All with their own values. */
static bool write_all(struct attempt *a)
{
    const struct registers *r = a->r;

    a->by = r->count;
    if (!set_status(a))
        return false;
    a->status = msr_value(a->t, IA32_PERF_GLOBAL_STATUS);
    for (unsigned i = 0; i < r->count; i++) {
        if (!set_msr_again(a->t, r->held[i].msr, r->held[i].value[0]))
            return false;
        const uint64_t status = msr_value(a->t, IA32_PERF_GLOBAL_STATUS);
        if (a->by == r->count && status != a->status) {
            a->by = i;
            a->became = status;
        }
    }
    return set_status(a);
}

static bool write_one(void *argument)
{
    struct attempt *a = argument;
    const struct registers *r = a->r;

    if (!write_all(a))
        return false;
    for (unsigned back = 0; back < 2; back++) {
        const struct held *w = &r->held[a->written];

        if (!set_msr_again(a->t, w->msr, w->value[1 - back]))
            return false;
        for (unsigned i = 0; i < r->count; i++)
            a->got[back][i] = msr_value(a->t, r->held[i].msr);
        a->after[back] = msr_value(a->t, IA32_PERF_GLOBAL_STATUS);
    }
    return true;
}

/* By the first write that changed it. */
static void check_first(const struct attempt *a)
{
    const struct held *w = &a->r->held[a->by % a->r->count];
    char by[MSR_NAME_BYTES], bits[BITS_CHANGE_BYTES];

    check(a->t, a->by == a->r->count,
          "IA32_PERF_GLOBAL_STATUS (38EH) went from 0x%lx to 0x%lx (%s) when "
          "%s was written with 0x%lx; wanted no change",
          a->status, a->became, bits_change(a->status, a->became, bits),
          msr_name(w->msr, by), w->value[0]);
}

/* After the write with the other value, or the one back to its own. */
static void check_all(const struct attempt *a, unsigned back)
{
    const struct registers *r = a->r;
    const struct held *w = &r->held[a->written];
    char name[MSR_NAME_BYTES], by[MSR_NAME_BYTES], bits[BITS_CHANGE_BYTES];

    for (unsigned i = 0; i < r->count; i++) {
        const struct held *h = &r->held[i];
        const uint64_t want = h->value[i == a->written ? 1 - back : 0];

        check_known(a->t, a->got[back][i] == want, ERRATUM_EVTSEL4_TO_7_READ,
                    h->read_badly,
                    "%s reads 0x%lx after %s was written with 0x%lx; wanted "
                    "0x%lx: %s",
                    msr_name(h->msr, name), a->got[back][i],
                    msr_name(w->msr, by), w->value[1 - back], want,
                    bits_change(want, a->got[back][i], bits));
    }
    check(a->t, a->after[back] == a->status,
          "IA32_PERF_GLOBAL_STATUS (38EH) went from 0x%lx to 0x%lx (%s) when "
          "%s was written with 0x%lx; wanted no change",
          a->status, a->after[back],
          bits_change(a->status, a->after[back], bits), msr_name(w->msr, by),
          w->value[1 - back]);
}

/* All of that enabled, 10FH takes what is written to it as at any time. */
static void check_force_abort(struct test_context *t)
{
    const uint64_t bit = TSX_FORCE_ABORT_RTM_FORCE_ABORT;
    uint64_t found, value;

    if (!get_msr(t, TSX_FORCE_ABORT, &found))
        return;
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t want = i == 0 ? ~found & bit : found & bit;
        if (!force_abort_change(t, bit, want, &value))
            return;
        check_equal(t,
                    "TSX_FORCE_ABORT (10FH)[0], written with counters and PEBS "
                    "enabled",
                    value & bit, want);
    }
}

TEST(pebs_registers_apart,
     .asks = "Does a write of one register of counters or PEBS leave all "
             "others alone?",
     .cite = "SDM 4, table \"IA-32 Architectural MSRs\": IA32_PMCx, "
             "IA32_PERFEVTSELx, IA32_DEBUGCTL, IA32_FIXED_CTRx, "
             "IA32_FIXED_CTR_CTRL, IA32_PERF_GLOBAL_CTRL, IA32_PEBS_ENABLE, "
             "IA32_DS_AREA",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 1})
{
    struct registers r = {.count = 0};
    struct sampling p;
    uint64_t places;

    /* Set-up. */
    if (!sampling_claim(&p, t) || (places = bank_claim(t)) == 0)
        return;
    add_counters(&r, t, places);
    add_pebs(&r, t);
    for (unsigned i = 0; i < r.count; i++)
        if (!set_msr(t, r.held[i].msr, r.held[i].value[0]))
            return;

    /* Measured, and checked one by one. */
    struct attempt a = {.t = t, .r = &r, .places = places};
    for (a.written = 0; a.written < r.count; a.written++) {
        if (!smi_guard(t, write_one, &a, NULL))
            return;
        check_first(&a);
        check_all(&a, 0);
        check_all(&a, 1);
    }
    if (test_regime(t) == REGIME_B)
        check_force_abort(t);
    counters_clear_status(t, a.status);
}
