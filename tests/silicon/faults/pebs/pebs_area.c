/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_area.c - what goes wrong with PEBS between an overflow and the DS area:
 * the bits that enable it, its index, interrupts and reloads. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/memory/memory_events.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/pebs/pebs.h"
#include "tests/silicon/model/counters/pmu_msr.h"

FAULT(pebs_index_twice, .what = "[any] the PEBS index advances by two records",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL",
                 "skylake-2017 on 1 pebs_buffer_full FAIL"})

FAULT(pebs_index_restarts,
      .what = "[any] the PEBS index goes back to the base at the threshold",
      .caught = {"skylake-2017 on 1 pebs_buffer_full FAIL",
                 "skylake-2017 on 1 pebs_threshold_pmi FAIL"})

FAULT(pebs_index_wraps,
      .what =
          "[any] the PEBS index goes back to the base at the absolute maximum",
      .caught = {"skylake-2017 on 1 pebs_buffer_full FAIL"})

FAULT(pebs_threshold_late,
      .what = "[any] the interrupt comes one record after the threshold",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL"})

FAULT(pebs_threshold_silent, .what = "[any] the threshold brings no interrupt",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL"})

FAULT(pebs_pmi_each, .what = "[any] each record brings an interrupt",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL"})

FAULT(pebs_status62_early,
      .what = "[any] GLOBAL_STATUS[62] is set by the first record",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL"})

FAULT(pebs_partial_record,
      .what = "[any] a record is written of which a part is past the absolute "
              "maximum",
      .caught = {"skylake-2017 on 1 pebs_buffer_bounds FAIL"})

FAULT(pebs_record_lost, .what = "[any] every third record is not made",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL",
                 "skylake-2017 on 1 pebs_buffer_full FAIL"})

FAULT(pebs_reset_next_slot,
      .what = "[any] a counter is reloaded from the reset value of the counter "
              "that comes after it",
      .caught = {"skylake-2017 on 1 pebs_buffer_full FAIL",
                 "skylake-2017 on 1 pebs_counter3 FAIL"})

FAULT(pebs_reset_32_bits,
      .what = "[any] a counter is reloaded with bits 31:0 of its reset value",
      .caught = {"skylake-2017 on 1 pebs_buffer_full FAIL",
                 "skylake-2017 on 1 pebs_counter3 FAIL"})

FAULT(pebs_reset_zero, .what = "[any] a counter is reloaded with 0",
      .caught = {"skylake-2017 on 1 pebs_buffer_full FAIL",
                 "skylake-2017 on 1 pebs_counter3 FAIL"})

FAULT(pebs_reloads_all,
      .what = "[any] a record reloads all counters that PEBS is enabled for",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL"})

FAULT(pebs_clears_all,
      .what = "[any] a record clears the overflow status of all counters",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL",
                 "skylake-2017 on 1 pebs_enable_bits FAIL"})

FAULT(pebs_enable_ignored,
      .what = "[any] an overflow makes records though its bit of 3F1H is clear",
      .caught = {"skylake-2017 on 1 pebs_enable_bits FAIL",
                 "skylake-2017 on 1 pebs_applicable_counter FAIL"})

FAULT(pebs_enable_any,
      .what = "[any] one bit of 3F1H enables PEBS on all counters",
      .caught = {"skylake-2017 on 1 pebs_enable_bits FAIL",
                 "skylake-2017 on 1 pebs_applicable_counter FAIL"})

FAULT(pebs_enable_bit4, .what = "[any] 3F1H[4] can be set",
      .caught = {"skylake-2017 on 1 pebs_registers FAIL"})

FAULT(pebs_enable_bit36, .what = "[any] 3F1H[36] can be set",
      .caught = {"skylake-2017 on 1 pebs_registers FAIL"})

FAULT(pebs_ld_lat_bit16, .what = "[any] 3F6H[16] can be set",
      .caught = {"skylake-2017 on 1 pebs_registers FAIL"})

FAULT(pebs_area_not_canonical,
      .what = "[any] a DS area that is not canonical is taken",
      .caught = {"skylake-2017 on 1 pebs_registers FAIL"})

FAULT(pebs_record_at_overflow,
      .what = "[any] the event that overflows makes the record",
      .caught = {"skylake-2017 on 1 pebs_hle_abort FAIL",
                 "skylake-2017 on 1 pebs_reload FAIL"})

FAULT(pebs_overflow_pmi,
      .what =
          "[any] an overflow brings an interrupt though its select has INT = 0",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL"})

FAULT(pebs_int_lost,
      .what = "[any] a counter with INT = 1 brings no interrupt together with "
              "its record",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL"})

FAULT(load_ll_en_ignored,
      .what = "[any] loads are recorded though 3F1H[32 + n] is clear",
      .caught = {"skylake-2017 on 1 load_latency_enable FAIL"})

FAULT(load_ll_en_other,
      .what = "[any] 3F1H[32] enables the latency of loads on all counters",
      .caught = {"skylake-2017 on 1 load_latency_address FAIL"})

FAULT(load_threshold_8_bits,
      .what = "[any] of MSR_PEBS_LD_LAT bits 7:0 alone are compared",
      .caught = {"skylake-2017 on 1 load_latency_threshold FAIL"})

FAULT(precise_store_63_ignored,
      .what = "[any with precise store] 3F1H[63] is not needed",
      .caught = {"sandybridge on 1 precise_store_enable FAIL"})

FAULT(pebs_enable_cleared,
      .what = "[any] a record clears the bit of its counter in 3F1H",
      .caught = {"skylake-2017 on 1 pdir_even FAIL"})

FAULT(pebs_stops_counters,
      .what = "[any] the interrupt at the threshold clears all of "
              "IA32_PERF_GLOBAL_CTRL",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL"})

FAULT(pebs_area_changed,
      .what =
          "[any] a record changes the reset value of counter 3 in the DS area",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL",
                 "skylake-2017 on 1 pebs_buffer_bounds FAIL"})

FAULT(pebs_threshold_changed,
      .what = "[any] a record changes the threshold in the DS area",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL",
                 "skylake-2017 on 1 load_latency_threshold FAIL"})

FAULT(pebs_record_long,
      .what = "[any] a record is followed by 8 bytes that are written too",
      .caught = {"skylake-2017 on 1 pebs_record_layout FAIL",
                 "skylake-2017 on 1 pebs_applicable_counter FAIL"})

FAULT(pebs_record_cut,
      .what = "[any] the part of a record on a second page is not written",
      .caught = {"skylake-2017 on 1 pebs_buffer_bounds FAIL"})

FAULT(pebs_lost_while_traced,
      .what = "[any with Processor Trace] no record is written while TraceEn "
              "is 1",
      .caught = {"skylake-2017 on 1 pt_while_sampling FAIL",
                 "skylake-2017 on 1 pt_sampled_aborts FAIL"})

FAULT(pebs_threshold_silent_while_traced,
      .what = "[any with Processor Trace] no interrupt at the threshold while "
              "TraceEn is 1",
      .caught = {"skylake-2017 on 1 pt_while_sampling FAIL"})

FAULT(pebs_loses_branches,
      .what = "[any with Processor Trace] a record loses the branches of the "
              "TNT that is not yet sent",
      .caught = {"skylake-2017 on 1 pt_while_sampling FAIL"})

FAULT(pebs_shows_in_trace,
      .what = "[any with Processor Trace] a record leaves a FUP and a TIP",
      .caught = {"skylake-2017 on 1 pt_while_sampling FAIL"})

FAULT(pebs_freezes_each,
      .what = "[any] with FREEZE_PERFMON_ON_PMI each record freezes the "
              "counters, not that at the threshold",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL",
                 "haswell on 1 pebs_threshold_pmi FAIL"})

FAULT(pebs_reloads_first,
      .what = "[any] of counters that overflow together a record reloads the "
              "first alone",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL",
                 "haswell on 1 pebs_applicable_counter FAIL"})

bool faults_pebs_area(const struct processor *p, struct pebs_ds *ds)
{
    uint64_t reset = ds->reset[3], threshold = ds->threshold;

    if (has_fault(p, FAULT_pebs_area_changed))
        ds->reset[3]++;
    if (has_fault(p, FAULT_pebs_threshold_changed))
        ds->threshold += 8;
    return ds->reset[3] != reset || ds->threshold != threshold;
}

unsigned faults_pebs_written(const struct processor *p, uint64_t at,
                             unsigned bytes)
{
    unsigned left = 4096 - (unsigned)(at % 4096);

    if (has_fault(p, FAULT_pebs_record_long))
        return bytes + 8;
    if (has_fault(p, FAULT_pebs_record_cut))
        return bytes < left ? bytes : left;
    return bytes;
}

static void freeze_if_asked(struct processor *p)
{
    uint64_t debugctl = 0;

    msr_read(p, IA32_DEBUGCTL, &debugctl);
    if ((debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI) == 0)
        return;
    if (p->cpu->perfmon_version >= 4)
        p->pmu.global_status |= STATUS_CTR_FRZ;
    else
        p->pmu.global_ctrl = 0;
    pmu_update(p);
}

static void show_in_trace(struct processor *p)
{
    static const uint64_t ip = 0;

    if (!pt_tracing(p) || !p->pt.packet_en)
        return;
    pt_flush_tnt(p);
    pt_put_ip(p, PT_FUP, &ip);
    pt_put_ip(p, PT_TIP, &ip);
}

void faults_pebs_advanced(struct processor *p, struct pebs_ds *ds,
                          unsigned bytes)
{
    bool reached = ds->index >= ds->threshold;
    bool full = ds->index + bytes > ds->maximum;

    if (has_fault(p, FAULT_pebs_status62_early))
        p->pmu.global_status |= STATUS_DS_OVF;
    if (has_fault(p, FAULT_pebs_stops_counters) && reached)
        p->pmu.global_ctrl = 0;
    if (has_fault(p, FAULT_pebs_threshold_silent) ||
        (has_fault(p, FAULT_pebs_threshold_silent_while_traced) &&
         pt_tracing(p)))
        p->pmu.pmi = false;
    if (has_fault(p, FAULT_pebs_loses_branches))
        p->pt.tnt_bits = p->pt.tnt_count = 0;
    if (has_fault(p, FAULT_pebs_shows_in_trace))
        show_in_trace(p);
    if (has_fault(p, FAULT_pebs_freezes_each))
        freeze_if_asked(p);
    if (has_fault(p, FAULT_pebs_pmi_each))
        counters_raise_pmi(p);
    if (has_fault(p, FAULT_pebs_index_twice))
        ds->index += bytes;
    if (has_fault(p, FAULT_pebs_index_restarts) && reached)
        ds->index = ds->base;
    if (has_fault(p, FAULT_pebs_index_wraps) && full)
        ds->index = ds->base;
}

bool faults_pebs_room(struct processor *p, const struct pebs_ds *ds, bool fits)
{
    if (has_fault(p, FAULT_pebs_partial_record))
        return ds->index < ds->maximum;
    if (has_fault(p, FAULT_pebs_record_lost))
        return fits && ++p->faults.records % 3 != 0;
    if (has_fault(p, FAULT_pebs_lost_while_traced))
        return fits && !pt_tracing(p);
    return fits;
}

uint64_t faults_pebs_reload(const struct processor *p, const struct pebs_ds *ds,
                            unsigned n, uint64_t value)
{
    if (has_fault(p, FAULT_pebs_reset_next_slot))
        value = ds->reset[(n + 1) % PEBS_COUNTERS] & COUNTER_MASK;
    if (has_fault(p, FAULT_pebs_reset_32_bits))
        value &= BITS(31, 0);
    if (has_fault(p, FAULT_pebs_reset_zero))
        value = 0;
    if (has_fault(p, FAULT_pebs_reloads_first) &&
        (p->pmu.global_status & (BIT(n) - 1)) != 0)
        value = p->pmu.counter[n];
    return n < PEBS_COUNTERS ? faults_place_reload(p, n, value) : value;
}

void faults_pebs_reloaded(struct processor *p, const struct pebs_ds *ds)
{
    if (has_fault(p, FAULT_pebs_clears_all))
        p->pmu.global_status &= ~(BITS(34, 32) | BITS(7, 0));
    if (has_fault(p, FAULT_pebs_enable_cleared))
        p->pebs.enable &= ~BITS(3, 0);
    for (unsigned n = 0; n < PEBS_COUNTERS; n++)
        if (has_fault(p, FAULT_pebs_reloads_all) && (p->pebs.enable >> n & 1))
            p->pmu.counter[n] = ds->reset[n] & COUNTER_MASK;
}

bool faults_pebs_enabled(const struct processor *p, unsigned n, bool enabled)
{
    if (has_fault(p, FAULT_pebs_enable_ignored))
        return n < PEBS_COUNTERS && p->pebs.ds_area != 0;
    if (has_fault(p, FAULT_pebs_enable_any))
        return n < PEBS_COUNTERS && (p->pebs.enable & BITS(3, 0)) != 0;
    return enabled;
}

/* clang-format off */
static const struct {
    enum fault_id fault;
    uint32_t number;
    uint64_t bits;
} accepted[] = {
    {FAULT_pebs_enable_bit4, IA32_PEBS_ENABLE, BIT(4)},
    {FAULT_pebs_enable_bit36, IA32_PEBS_ENABLE, BIT(36)},
    {FAULT_pebs_ld_lat_bit16, MSR_PEBS_LD_LAT, BIT(16)},
    {FAULT_pebs_area_not_canonical, IA32_DS_AREA, UINT64_MAX},
};
/* clang-format on */

bool faults_accept_pebs(const struct processor *p, uint32_t number,
                        uint64_t reserved)
{
    for (size_t n = 0; n < sizeof(accepted) / sizeof(accepted[0]); n++)
        if (has_fault(p, accepted[n].fault) && accepted[n].number == number &&
            (reserved & ~accepted[n].bits) == 0)
            return true;
    return false;
}

unsigned faults_pebs_skid(const struct processor *p, unsigned skid)
{
    if (has_fault(p, FAULT_pebs_record_at_overflow))
        return 0;
    return skid;
}

bool faults_pebs_interrupt(struct processor *p, bool interrupt)
{
    if (has_fault(p, FAULT_pebs_overflow_pmi))
        p->pmu.overflow_pmi = true;
    if (has_fault(p, FAULT_pebs_int_lost))
        return false;
    return interrupt;
}

bool faults_ll_enabled(const struct processor *p, bool enabled)
{
    if (has_fault(p, FAULT_load_ll_en_ignored))
        return true;
    if (has_fault(p, FAULT_load_ll_en_other))
        return (p->pebs.enable & BIT(32)) != 0;
    return enabled;
}

uint64_t faults_load_threshold(const struct processor *p, uint64_t threshold)
{
    if (has_fault(p, FAULT_load_threshold_8_bits))
        return threshold & BITS(7, 0);
    return threshold;
}

bool faults_ps_enabled(const struct processor *p, bool enabled)
{
    if (has_fault(p, FAULT_precise_store_63_ignored))
        return true;
    return enabled;
}
