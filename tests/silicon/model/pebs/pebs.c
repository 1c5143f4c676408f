/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs.c - arming, the PEBS assist, the record. */
#include "tests/silicon/model/pebs/pebs.h"

#include <stddef.h>

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/pebs/pebs_hooks.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/events.h"
#include "tests/silicon/model/lbr/lbr.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/tsx/tsx.h"

#define RESIDUAL_INSTRUCTIONS_MAX 64

/* Of general-purpose counter n, or of fixed counter n - 32. */
static unsigned place_of(unsigned n)
{
    return n < 32 ? n : COUNTERS_MAX + n - 32;
}

static unsigned counter_at(unsigned place)
{
    return place < COUNTERS_MAX ? place : 32 + place - COUNTERS_MAX;
}

static uint64_t *value_of(struct processor *p, unsigned n)
{
    return n < 32 ? &p->pmu.counter[n] : &p->pmu.fixed[n - 32];
}

/* Does PEBS find the very event that counter n counts? With extended PEBS
 * others are recorded, too, which "may skid". */
static bool is_precise(const struct processor *p, unsigned n)
{
    if (!pebs_is_adaptive(p) || n == 32)
        return true;
    return n < 32 && (events_find(p, p->pmu.select[n])->precise >> n & 1) != 0;
}

/* "Precise events are only valid when AnyThread, Edge, Invert, CMask are all
 * zero"; what others do is not defined. */
bool pebs_makes_record(const struct processor *p, unsigned n)
{
    uint64_t select;
    uint64_t zero = EVTSEL_ANY | EVTSEL_EDGE | EVTSEL_INV | EVTSEL_CMASK;

    if ((pebs_counters(p) & BIT(n)) == 0)
        return false;
    if (faults_suppress_record(p, n) ||
        (p->faults.of_user &&
         (!faults_rule(p->machine, RECORD_IN_RING_3, true) ||
          (p->pebs.of_abort &&
           !faults_rule(p->machine, RING3_ABORT_RECORD, true)))))
        return false;
    if ((p->pebs.enable & 1) == 0 &&
        !faults_rule(p->machine, PEBS_OF_OWN_BIT, true))
        return false;
    if (n < PEBS_COUNTERS &&
        (p->pmu.select[n] & (EVTSEL_USR | EVTSEL_OS)) !=
            (EVTSEL_USR | EVTSEL_OS) &&
        !faults_rule(p->machine, RECORD_OF_ONE_LEVEL, true))
        return false;
    if ((lbr_records(p) && !faults_rule(p->machine, RECORD_WITH_LBRS, true)) ||
        (n == 2 && (p->pt.ctl & RTIT_TRACE_EN) != 0 &&
         !faults_rule(p->machine, RECORD_OF_2_TRACED, true)) ||
        (n < 32 && (p->pmu.select[n] & EVTSEL_EVENT) == 0xC5 &&
         !faults_rule(p->machine, MISSES_MAKE_RECORDS, true)))
        return false;
    if (pebs_is_adaptive(p)) /* of whatever event */
        return n < PEBS_COUNTERS ||
               faults_rule(p->machine,
                           n < 32 ? ABOVE_3_MAKE_RECORDS : FIXED_MAKE_RECORDS,
                           true);
    select = p->pmu.select[n];
    if ((events_find(p, select)->precise >> n & 1) != 0 && (select & zero) == 0)
        return true;
    return p->choices.pebs_imprecise;
}

/* With extended PEBS: "fixed-function counter 0". */
static bool is_pdir(const struct processor *p, unsigned n)
{
    if (pebs_is_adaptive(p))
        return n == 32;
    return n == COUNTER_PREC_DIST &&
           (p->pmu.select[n] & BITS(15, 0)) == EVENT_PREC_DIST;
}

/* Does another programmable counter count? */
static bool others_count(const struct processor *p, unsigned n)
{
    for (unsigned k = 0; k < p->counters; k++)
        if (k != n && (p->pmu.global_ctrl & BIT(k)) != 0 &&
            (p->pmu.select[k] & EVTSEL_EN) != 0)
            return true;
    return false;
}

static bool counts_instructions(const struct processor *p, unsigned n)
{
    return n < 32 ? events_find(p, p->pmu.select[n])->kind == EVENT_INSTRUCTIONS
                  : n == 32;
}

/* PDist "eliminates any skid or shadowing effects", "only on general
 * programmable counter 0": as KVM's patches of Sapphire Rapids quote the
 * manual. Linux gives it no period below 128; what one is worth is open. */
#define PDIST_PERIOD_MIN 128

static unsigned pdist_skid(const struct processor *p)
{
    const bool is_short = COUNTER_MASK + 1 - p->pebs.first < PDIST_PERIOD_MIN;

    if (is_short && !p->choices.pdist_short)
        return 1;
    return (unsigned)faults_quantity(p->machine, PDIST_SKID, 0, 0);
}

/* Events after the one that overflows until that of the record; 0: PDIR. "A
 * finite delay .. invariably manifest[s] as variable skids." Of PDIR++ "PEBS is
 * taken on the next instruction after the one that caused the overflow" (the
 * same patches): which of the two its record names is open. */
static unsigned skid_of(struct processor *p, unsigned n)
{
    unsigned skid = p->cpu->pdist != 0 && p->choices.pdir_next;
    unsigned late = erratum_shows(p, ERRATUM_LATER_RECORD, 4);
    uint64_t any;

    if (!counts_instructions(p, n) && is_precise(p, n))
        return n < p->cpu->pdist ? pdist_skid(p) : 1 + late;
    any = random_next(&p->random) >> 32;
    if (!is_pdir(p, n))
        return 1 + late + (unsigned)(any % p->choices.pebs_skid);
    if (p->cpu->pdir_needs_quiet && others_count(p, n))
        skid = (unsigned)(any % (p->choices.pdir_skid + 1u));
    if (others_count(p, n) &&
        !faults_rule(p->machine, PDIR_BESIDE_OTHERS, true))
        skid = 1 + (unsigned)(any % 3);
    return faults_pdir_skid(p, any, skid);
}

void pebs_arm(struct processor *p, unsigned n, bool interrupt)
{
    unsigned skid = faults_pebs_skid(p, skid_of(p, n));

    p->pebs.armed |= BIT(n);
    if (faults_pebs_interrupt(p, interrupt))
        p->pebs.pmi_deferred |= BIT(n);
    if (skid == 0)
        p->pebs.triggered |= BIT(n);
    else
        p->pebs.skid[place_of(n)] = (uint8_t)(skid - 1);
}

void pebs_counted(struct processor *p, unsigned n)
{
    unsigned place = place_of(n);

    if (p->pebs.skid[place] > 0)
        p->pebs.skid[place]--;
    else
        p->pebs.triggered |= BIT(n);
}

void pebs_disarm(struct processor *p, uint64_t counters)
{
    p->pebs.armed &= ~counters;
    p->pebs.triggered &= ~counters;
    p->pebs.pmi_deferred &= ~counters;
    p->memory.has_captured &= ~counters;
}

/* "Re-configuring PEBS Facilities": a residual record may still be captured at
 * the previous buffer; here after PEBS was disabled under a counter that
 * counts and has overflowed. */
static void start_residual(struct processor *p, uint64_t counters,
                           unsigned instructions)
{
    p->pebs.residual_in = instructions;
    p->pebs.residual_area = p->pebs.ds_area;
    p->pebs.residual_counters = counters;
}

/* A record that is due is made all the same. */
void pebs_disabled(struct processor *p, uint64_t counters)
{
    counters &= pebs_counters(p);
    if (counters == 0 || !erratum_shows(p, ERRATUM_RECORD_AFTER, 2))
        return;
    p->pebs.armed |= counters;
    p->pebs.triggered |= counters;
}

void pebs_write_enable(struct processor *p, uint64_t value)
{
    uint64_t closed = p->pebs.armed & ~value;

    if (closed != 0 && p->pmu.counting &&
        random_one_in(&p->random, p->choices.pebs_residual_one_in))
        start_residual(p, closed,
                       1 + (unsigned)(random_next(&p->random) %
                                      RESIDUAL_INSTRUCTIONS_MAX));
    if ((p->pebs.enable ^ value) != 0)
        p->errata.loads_stopped = false;
    faults_pebs_enable_written(p);
    faults_pebs_disabled(p, p->pebs.enable & ~value & pebs_counters(p));
    if (value != 0 && !faults_rule(p->machine, PEBS_BITS_CLEARED, true))
        value |= p->pebs.enable;
    p->pebs.enable = value;
    msr_read(p, MSR_PEBS_LD_LAT, &p->faults.load_threshold);
    pebs_disarm(p, ~value);
    if (p->pebs.residual_counters == 0)
        pebs_disabled(p, closed);
}

void pebs_residual_step(struct processor *p)
{
    if (--p->pebs.residual_in == 0)
        p->pebs.triggered |= p->pebs.residual_counters;
}

static bool is_residual(const struct processor *p)
{
    return p->pebs.residual_counters != 0 && p->pebs.residual_in == 0;
}

uint64_t pebs_ds_area(const struct processor *p)
{
    return faults_ds_area_at(p, is_residual(p) ? p->pebs.residual_area
                                               : p->pebs.ds_area);
}

/* "PEBS Interrupt Threshold": the interrupt, once the index has reached it;
 * "in the event that the PEBS buffer fills up": status bit 62 alone. */
static void advance_index(struct processor *p, struct pebs_ds *ds,
                          unsigned bytes)
{
    bool was_set = (p->pmu.global_status & STATUS_DS_OVF) != 0;
    uint64_t next = ds->index + bytes;
    uint64_t reached = faults_pebs_reached(p, next, bytes);

    if ((ds->threshold - ds->base) % bytes != 0 &&
        !faults_rule(p->machine, THRESHOLD_INSIDE, true))
        reached = 0;
    ds->index = faults_pebs_index(p, ds->index, next);
    if ((reached >= ds->threshold || next + bytes > ds->maximum) &&
        !faults_hide_ds_ovf(p) &&
        (!p->faults.of_user || faults_rule(p->machine, RING3_SETS_62, true)))
        p->pmu.global_status |= STATUS_DS_OVF;
    if (reached >= ds->threshold && !was_set) {
        uint64_t status = p->pmu.global_status;

        counters_raise_pmi(p);
        if (!faults_rule(p->machine, PEBS_PMI_FREEZES, true))
            p->pmu.global_status = status;
    }
    if (reached < ds->threshold && !faults_rule(p->machine, FULL_SETS_62, true))
        p->pmu.global_status &= ~STATUS_DS_OVF;
    if (!faults_rule(p->machine, RECORD_IS_NO_INSTRUCTION, true))
        p->pmu.fixed[0]++;
    if (!faults_rule(p->machine, RECORD_KEEPS_FIXED_STATUS, true))
        p->pmu.global_status &= ~BITS(34, 32);
    if (!faults_rule(p->machine, RECORD_KEEPS_DEBUGCTL, true))
        msr_write(p, IA32_DEBUGCTL, 0);
    faults_pebs_advanced(p, ds, bytes);
    faults_pebs_reaches(p, ds);
}

/* "After each PEBS record is written, the processor checks each counter to see
 * if it overflowed and was enabled for PEBS": reloaded, and its overflow
 * status cleared. */
static void reload_counters(struct processor *p, const struct pebs_ds *ds,
                            uint64_t counters)
{
    const unsigned first =
        counters != 0 ? place_of((unsigned)__builtin_ctzll(counters)) : 0;

    for (unsigned place = 0; place < PEBS_PLACES; place++) {
        unsigned n = counter_at(place);
        uint64_t reset = ds->reset[pebs_reset_at(p, place)] & COUNTER_MASK;

        if ((counters >> n & 1) == 0)
            continue;
        if (!faults_rule(p->machine, RESETS_THEIR_OWN, true))
            reset = ds->reset[pebs_reset_at(p, first)] & COUNTER_MASK;
        if (n >= 32 && !faults_rule(p->machine, FIXED_RESET_WHOLE, true))
            reset = (uint64_t)(int32_t)reset & COUNTER_MASK;
        reset =
            faults_pebs_reset(p, ds, n, faults_pebs_reload(p, ds, n, reset));
        if (p->faults.of_user && !faults_rule(p->machine, RING3_RELOADS, true))
            reset &= ~BIT(2);
        *value_of(p, n) =
            COUNTER_MASK & faults_quantity(p->machine, RECORD_RESET, n, reset);
        if (n == 0)
            p->pebs.first = p->pmu.counter[0];
    }
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((counters >> n & 1) != 0 &&
            !faults_rule(p->machine, RECORD_KEEPS_EN, true))
            p->pmu.select[n] &= ~EVTSEL_EN;
    p->pmu.global_status &= ~faults_pebs_clears(p, counters);
    faults_pebs_reloaded(p, ds);
}

/* No record beyond the end of the buffer. One that does not pass the bounds
 * checks "will be skipped entirely". */
static bool is_within_bounds(struct processor *p, const struct pebs_ds *ds,
                             unsigned bytes)
{
    if (ds->index < ds->base || ds->index > ds->maximum)
        return false;
    return faults_pebs_room(
        p, ds,
        faults_pebs_fits(p, ds, bytes, ds->maximum - ds->index >= bytes));
}

/* It does not fit, or the DS area is not there (NULL). */
static void record_dropped(struct processor *p, const struct pebs_ds *ds,
                           uint64_t counters)
{
    const struct machine *m = p->machine;

    if (!faults_rule(m, PEBS_FULL_SILENT, true))
        counters_raise_pmi(p);
    if (!faults_rule(m, PEBS_FULL_KEEPS_ENABLE, true))
        p->pebs.enable = 0;
    if (ds != NULL && !faults_rule(m, PEBS_RESET_WITH_RECORD, true))
        reload_counters(p, ds, counters);
}

bool pebs_make_record(struct processor *p, const struct pebs_snapshot *s,
                      struct pebs_ds *ds, struct pebs_record *record)
{
    bool residual = is_residual(p), fits;
    /* From format 3 on each counter has its record; before, one serves all
     * that have overflowed. */
    uint64_t counters = residual              ? p->pebs.residual_counters
                        : pebs_format(p) >= 3 ? p->pebs.triggered
                                              : p->pebs.armed;
    if (pebs_format(p) >= 3 && !faults_rule(p->machine, RECORD_OF_ALL, true))
        counters &= -counters;
    uint64_t deferred = p->pebs.pmi_deferred & counters;

    if (ds != NULL)
        faults_pebs_area_read(p, ds);
    pebs_fill_record(p, s, counters, record);
    pebs_disarm(p, counters);
    p->pebs.triggered = 0;
    if (residual)
        p->pebs.residual_counters = 0;
    fits = ds != NULL && is_within_bounds(p, ds, record->bytes);
    if (fits) {
        record->at = faults_rule(p->machine, RECORD_AT_INDEX, true) ? ds->index
                                                                    : ds->base;
        if (!faults_rule(p->machine, RECORD_BY_DOUBLEWORD, true))
            record->at &= ~BITS(2, 0);
        faults_pebs_placed(p, counters, record);
        if (!residual)
            reload_counters(p, ds, counters);
        advance_index(p, ds, record->bytes);
        if ((counters & BIT(1)) != 0 && is_pdir(p, 1) &&
            (ds->reset[1] & BITS(5, 0)) != 0 &&
            erratum_shows(p, ERRATUM_PDIR_TWICE, 2))
            p->pebs.armed |= BIT(1);
        if ((counters & BIT(3)) != 0 && p->machine->counter3 == DISTURB_ANY)
            tsx_disturb_counter3(p);
    } else {
        record_dropped(p, ds, counters);
    }
    if (!fits && p->choices.pebs_skip_sets_62)
        p->pmu.global_status |= STATUS_DS_OVF;
    if (deferred != 0)
        counters_raise_pmi(p);
    return fits;
}
