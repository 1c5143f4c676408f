/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs.c - arming, the PEBS assist, the record. */
#include "tests/silicon/model/pebs.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters.h"
#include "tests/silicon/model/pmu_msr.h"
#include "tests/silicon/model/tsx.h"

/* PDIR "must use IA32_PMC1" and INST_RETIRED.ALL, which later tables of events
 * call PREC_DIST. */
#define EVENT_PREC_DIST   0x01C0
#define COUNTER_PREC_DIST 1

#define LATE_INSTRUCTIONS_MAX 64
#define LATE_INSTRUCTIONS_FAULT 1000

/* "Precise events are only valid when AnyThread, Edge, Invert, CMask are all
 * zero"; what others do is not defined. */
bool pebs_records(const struct processor *p, unsigned n)
{
    uint64_t select = p->pmu.select[n];
    uint64_t zero = EVTSEL_ANY | EVTSEL_EDGE | EVTSEL_INV | EVTSEL_CMASK;

    if (n >= PEBS_COUNTERS)
        return false;
    if (n == 3 && fault_is(p->machine, FAULT_pebs_counter3_silent))
        return false;
    if ((counters_event(p, select)->precise >> n & 1) != 0 &&
        (select & zero) == 0)
        return true;
    return p->open.pebs_imprecise;
}

static bool is_pdir(const struct processor *p, unsigned n)
{
    return n == COUNTER_PREC_DIST &&
           (p->pmu.select[n] & BITS(15, 0)) == EVENT_PREC_DIST;
}

/* Does another programmable counter count? */
static bool is_disturbed(const struct processor *p, unsigned n)
{
    for (unsigned k = 0; k < p->machine->counters; k++)
        if (k != n && (p->pmu.global_ctrl & BIT(k)) != 0 &&
            (p->pmu.select[k] & EVTSEL_EN) != 0)
            return true;
    return false;
}

/* Events after the one that overflows until that of the record; 0: PDIR. "A
 * finite delay .. invariably manifest[s] as variable skids." */
static unsigned skid_of(struct processor *p, unsigned n)
{
    const struct machine *m = p->machine;
    uint64_t any;

    if (counters_event(p, p->pmu.select[n])->kind != EVENT_INSTRUCTIONS)
        return 1;
    any = random_next(&p->random) >> 32;
    if (!is_pdir(p, n))
        return 1 + (unsigned)(any % p->open.pebs_skid);
    if (fault_is(m, FAULT_pdir_skids))
        return 1 + (unsigned)(any % 3);
    if (fault_is(m, FAULT_pdir_skips_branches) && p->pmu.of_branch)
        return 1;
    if (p->cpu->pdir_needs_quiet && is_disturbed(p, n))
        return (unsigned)(any % (p->open.pdir_skid + 1u));
    return 0;
}

void pebs_arm(struct processor *p, unsigned n, bool interrupt)
{
    unsigned skid = skid_of(p, n);

    p->pebs.armed |= BIT(n);
    if (interrupt)
        p->pebs.held |= BIT(n);
    if (skid == 0)
        p->pebs.triggered |= BIT(n);
    else
        p->pebs.skid[n] = (uint8_t)(skid - 1);
}

void pebs_event(struct processor *p, unsigned n)
{
    if (p->pebs.skid[n] > 0)
        p->pebs.skid[n]--;
    else
        p->pebs.triggered |= BIT(n);
}

void pebs_disarm(struct processor *p, uint64_t counters)
{
    p->pebs.armed &= ~counters;
    p->pebs.triggered &= ~counters;
    p->pebs.held &= ~counters;
    p->memory.has_captured &= ~counters;
}

/* "Re-configuring PEBS Facilities": a residual record may still be captured at
 * the previous buffer; here after PEBS was disabled under a counter that
 * counts and has overflowed. */
static void leave_residual(struct processor *p, uint64_t counters,
                           unsigned instructions)
{
    p->pebs.late = instructions;
    p->pebs.late_area = p->pebs.ds_area;
    p->pebs.late_counters = counters;
}

void pebs_write_enable(struct processor *p, uint64_t value)
{
    uint64_t closed = p->pebs.armed & ~value;

    if (closed != 0 && p->pmu.counting &&
        random_one_in(&p->random, p->open.pebs_late_one_in))
        leave_residual(p, closed, 1 + (unsigned)(random_next(&p->random) %
                                                 LATE_INSTRUCTIONS_MAX));
    closed = p->pebs.enable & ~value & BITS(PEBS_COUNTERS - 1, 0);
    if (closed != 0 && fault_is(p->machine, FAULT_pebs_late_record))
        leave_residual(p, closed, LATE_INSTRUCTIONS_FAULT);
    p->pebs.enable = value;
    pebs_disarm(p, ~value);
}

void pebs_late_instruction(struct processor *p)
{
    if (--p->pebs.late == 0)
        p->pebs.triggered |= p->pebs.late_counters;
}

static bool is_late(const struct processor *p)
{
    return p->pebs.late_counters != 0 && p->pebs.late == 0;
}

uint64_t pebs_area(const struct processor *p)
{
    return is_late(p) ? p->pebs.late_area : p->pebs.ds_area;
}

/* "PEBS Interrupt Threshold": the interrupt, once the index has reached it;
 * "in the event that the PEBS buffer fills up": status bit 62 alone. */
static void advance(struct processor *p, struct pebs_ds *ds, unsigned bytes)
{
    const struct machine *m = p->machine;
    bool was_set = (p->pmu.global_status & STATUS_DS_OVF) != 0;
    uint64_t next = ds->index + bytes, reached = next;

    if (!fault_is(m, FAULT_pebs_index_stuck))
        ds->index = next;
    if (fault_is(m, FAULT_pebs_threshold_early))
        reached += bytes;
    if ((reached >= ds->threshold || next + bytes > ds->maximum) &&
        !fault_is(m, FAULT_pebs_status62_missing))
        p->pmu.global_status |= STATUS_DS_OVF;
    if (reached >= ds->threshold && !was_set)
        counters_signal(p);
}

/* "After each PEBS record is written, the processor checks each counter to see
 * if it overflowed and was enabled for PEBS": reloaded, and its overflow
 * status cleared. */
static void reload(struct processor *p, const struct pebs_ds *ds,
                   uint64_t counters)
{
    const struct machine *m = p->machine;
    bool first = fault_is(m, FAULT_pebs_reset_of_counter_0);

    for (unsigned n = 0; n < PEBS_COUNTERS; n++)
        if ((counters >> n & 1) != 0 &&
            !fault_is(m, FAULT_pebs_reset_ignored))
            p->pmu.counter[n] = ds->reset[first ? 0 : n] & COUNTER_MASK;
    if (!fault_is(m, FAULT_pebs_overflow_status_kept))
        p->pmu.global_status &= ~counters;
}

/* No record beyond the end of the buffer. One that does not pass the bounds
 * checks "will be skipped entirely". */
static bool passes(const struct processor *p, const struct pebs_ds *ds,
                   unsigned bytes)
{
    const struct machine *m = p->machine;

    if (ds->index < ds->base || ds->index > ds->maximum)
        return false;
    if (fault_is(m, FAULT_pebs_record_past_maximum))
        return true;
    if (fault_is(m, FAULT_pebs_maximum_early))
        bytes *= 2;
    return ds->maximum - ds->index >= bytes;
}

bool pebs_take(struct processor *p, const struct pebs_snapshot *s,
               struct pebs_ds *ds, struct pebs_record *record)
{
    bool late = is_late(p), fits;
    /* From format 3 on each counter has its record; before, one serves all
     * that have overflowed. */
    uint64_t counters = late ? p->pebs.late_counters
                      : pebs_format(p) >= 3 ? p->pebs.triggered : p->pebs.armed;
    uint64_t held = p->pebs.held & counters;

    p->pebs.of_pdir = (counters & BIT(COUNTER_PREC_DIST)) != 0 &&
                      is_pdir(p, COUNTER_PREC_DIST);
    pebs_fill(p, s, counters, record);
    pebs_disarm(p, counters);
    p->pebs.triggered = 0;
    if (late)
        p->pebs.late_counters = 0;
    fits = ds != NULL && passes(p, ds, record->bytes);
    if (fits) {
        record->at = ds->index;
        if (!late)
            reload(p, ds, counters);
        advance(p, ds, record->bytes);
        if ((counters & BIT(3)) != 0)
            tsx_disturb_counter3(p);
    } else if (p->open.pebs_skip_sets_62) {
        p->pmu.global_status |= STATUS_DS_OVF;
    }
    if (held != 0)
        counters_signal(p);
    return fits;
}
