/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs.c - what goes wrong with PEBS records, the DS area and PDIR. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/tsx/tsx.h"

FAULT(pebs_eventing_ip_off,
      .what = "[any with record format 2 or 3] EventingIP (B0H) is the "
              "instruction after the eventing one",
      .caught = {"skylake-2017 on 1 pebs_eventing_ip FAIL",
                 "haswell on 1 pdir_skid FAIL"})

FAULT(pebs_rip_is_eventing,
      .what = "[any] RIP (08H) is the eventing instruction",
      .caught = {"haswell on 1 pebs_eventing_ip FAIL",
                 "skylake-2017 on 1 pebs_inside_tx FAIL"})

FAULT(pebs_registers_swapped, .what = "[any] R8 and R9 are swapped",
      .caught = {"ivybridge on 1 pebs_record_layout FAIL"})

FAULT(pebs_record_short,
      .what = "[any] records are 8 bytes shorter than their format says",
      .caught = {"skylake-2017 on 1 pebs_record_layout FAIL"})

FAULT(pebs_status_image_empty,
      .what = "[any with record format 1 or 2] 90H is 0 instead of "
              "GLOBAL_STATUS",
      .caught = {"haswell on 1 pebs_applicable_counter FAIL"})

FAULT(pebs_applicable_counter_zero,
      .what = "[any with record format 3] 90H is 0 instead of the applicable "
              "counter",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL"})

FAULT(pebs_applicable_counter_first,
      .what = "[any with record format 3] 90H names the first of several "
              "counters alone",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL"})

FAULT(pebs_tsc_stale,
      .what = "[any with record format 3] TSC (C0H) stays that of the first "
              "record",
      .caught = {"skylake-2017 on 1 pebs_tsc FAIL"})

FAULT(pebs_index_stuck, .what = "[any] the PEBS index does not advance",
      .caught = {"sandybridge on 1 pebs_record_layout FAIL"})

FAULT(pebs_reset_ignored,
      .what = "[any] the counter is not reloaded after a record",
      .caught = {"skylake-2017 on 1 pebs_reload FAIL",
                 "haswell on 1 pdir_even FAIL"})

FAULT(pebs_reset_of_counter_0,
      .what = "[any] every counter is reloaded from the reset value of "
              "counter 0",
      .caught = {"skylake-2017 on 1 pebs_reload FAIL"})

FAULT(pebs_overflow_status_kept,
      .what = "[any] the overflow status of the counter outlives its record",
      .caught = {"skylake-2017 on 1 pebs_reload FAIL"})

FAULT(pebs_record_past_maximum,
      .what = "[any] records go on beyond the absolute maximum",
      .caught = {"haswell on 1 pebs_buffer_full FAIL"})

FAULT(pebs_maximum_early, .what = "[any] the last record that fits is skipped",
      .caught = {"skylake-2017 on 1 pebs_buffer_full FAIL"})

FAULT(pebs_status62_missing,
      .what = "[any] GLOBAL_STATUS[62] is not set at the threshold",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL"})

FAULT(pebs_threshold_early,
      .what = "[any] the interrupt comes one record before the threshold",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL"})

FAULT(pebs_late_record,
      .what = "[any] a record is written long after the documented stop",
      .caught = {"skylake-2017 on 1 pebs_stop_order FAIL"})

FAULT(pebs_counter3_silent, .what = "[any] counter 3 makes no record",
      .caught = {"skylake-2017 on 1 pebs_counter3 FAIL"})

FAULT(pebs_abort_rtm_is_hle,
      .what = "[A B F; C with bit 2] B8H[32] and B8H[33] are swapped",
      .caught = {"haswell on 1 pebs_tx_abort FAIL"})

FAULT(pebs_abort_conflict_swapped,
      .what = "[A B F; C with bit 2] B8H[37] and B8H[38] are swapped",
      .caught = {"haswell on 1 pebs_tx_abort FAIL",
                 "haswell on 2 pebs_tx_conflict FAIL"})

FAULT(pebs_abort_rip_wrong,
      .what = "[A B F; C with bit 2] RIP of an abort's record is the aborting "
              "instruction",
      .caught = {"skylake-2017 on 1 pebs_tx_abort FAIL",
                 "skylake-2017 on 1 pebs_hle_abort FAIL"})

FAULT(pebs_abort_eventing_ip_wrong,
      .what = "[A B F; C with bit 2] EventingIP of an abort's record is where "
              "execution goes on",
      .caught = {"haswell on 1 pebs_tx_abort FAIL"})

FAULT(pebs_abort_rtm_always,
      .what = "[any with record format 2 or 3] B8H[33] is set in records of "
              "no abort",
      .caught = {"haswell on 1 pebs_record_layout FAIL",
                 "haswell on 1 pebs_hle_abort FAIL"})

FAULT(pebs_without_abort,
      .what = "[A B F; C with bit 2] a record inside a transaction does not "
              "abort it",
      .caught = {"skylake-2017 on 1 pebs_inside_tx FAIL"})

FAULT(pdir_skids,
      .what = "[any] PDIR makes its record of an instruction after the one "
              "that overflows",
      .caught = {"sandybridge on 1 pdir_skid FAIL",
                 "icelake-server on 1 pdir_skid FAIL"})

FAULT(pdir_ip_off,
      .what = "[any with record format 2 or 3] EventingIP of PDIR is the "
              "instruction after",
      .caught = {"haswell on 1 pdir_skid FAIL"})

FAULT(pdir_skips_branches,
      .what = "[any] PDIR makes no record of a branch, but of the instruction "
              "after it",
      .caught = {"haswell on 1 pdir_even FAIL"})

#define LATE_INSTRUCTIONS 1000

bool faults_suppress_record(const struct processor *p, unsigned n)
{
    return (n == 3 && has_fault(p, FAULT_pebs_counter3_silent)) ||
           faults_place_silent(p);
}

unsigned faults_pdir_skid(const struct processor *p, uint64_t any,
                          unsigned skid)
{
    if (has_fault(p, FAULT_pdir_skids))
        return 1 + (unsigned)(any % 3);
    if (has_fault(p, FAULT_pdir_ring3_skids) && p->faults.of_user)
        return 1 + (unsigned)(any % 3);
    if (has_fault(p, FAULT_pdir_skips_branches) && p->faults.of_branch)
        return 1;
    return skid;
}

void faults_pebs_disabled(struct processor *p, uint64_t counters)
{
    if (counters == 0 || !has_fault(p, FAULT_pebs_late_record))
        return;
    p->pebs.residual_in = LATE_INSTRUCTIONS;
    p->pebs.residual_area = p->pebs.ds_area;
    p->pebs.residual_counters = counters;
}

uint64_t faults_pebs_index(const struct processor *p, uint64_t old,
                           uint64_t next)
{
    return has_fault(p, FAULT_pebs_index_stuck) ? old : next;
}

uint64_t faults_pebs_reached(const struct processor *p, uint64_t next,
                             unsigned bytes)
{
    if (has_fault(p, FAULT_pebs_threshold_once) && p->faults.reached != 0)
        return 0;
    if (has_fault(p, FAULT_pebs_threshold_late))
        return next - bytes;
    return has_fault(p, FAULT_pebs_threshold_early) ? next + bytes : next;
}

bool faults_hide_ds_ovf(const struct processor *p)
{
    return has_fault(p, FAULT_pebs_status62_missing);
}

uint64_t faults_pebs_reset(const struct processor *p, const struct pebs_ds *ds,
                           unsigned n, uint64_t value)
{
    if (has_fault(p, FAULT_pebs_reset_ignored))
        return p->pmu.counter[n];
    if (has_fault(p, FAULT_pebs_reset_of_counter_0))
        return ds->reset[0] & COUNTER_MASK;
    return value;
}

uint64_t faults_pebs_clears(const struct processor *p, uint64_t counters)
{
    if (has_fault(p, FAULT_pebs_status_second_kept))
        return counters & -counters;
    return has_fault(p, FAULT_pebs_overflow_status_kept) ? 0 : counters;
}

bool faults_pebs_fits(const struct processor *p, const struct pebs_ds *ds,
                      unsigned bytes, bool fits)
{
    if (has_fault(p, FAULT_pebs_record_past_maximum))
        return true;
    if (has_fault(p, FAULT_pebs_maximum_early))
        return ds->maximum - ds->index >= 2 * bytes;
    return fits;
}

static void swap_words(uint64_t *a, uint64_t *b)
{
    uint64_t rest = *a;

    *a = *b;
    *b = rest;
}

static uint64_t swap_bits(uint64_t value, uint64_t a, uint64_t b)
{
    uint64_t rest = value & ~(a | b);

    return rest | ((value & a) != 0 ? b : 0) | ((value & b) != 0 ? a : 0);
}

static void falsify_abort(const struct processor *p, uint64_t *words)
{
    uint64_t *information = &words[WORD_TX_ABORT];

    if (has_fault(p, FAULT_pebs_abort_rtm_always))
        *information |= TX_INFO_RTM;
    if (!p->pebs.of_abort)
        return;
    if (has_fault(p, FAULT_pebs_abort_rtm_is_hle))
        *information = swap_bits(*information, TX_INFO_HLE, TX_INFO_RTM);
    if (has_fault(p, FAULT_pebs_abort_conflict_swapped))
        *information =
            swap_bits(*information, TX_INFO_CONFLICT, TX_INFO_WRITES);
    if (has_fault(p, FAULT_pebs_abort_rip_wrong))
        words[PEBS_RIP] = words[WORD_EVENTING_IP];
    if (has_fault(p, FAULT_pebs_abort_eventing_ip_wrong))
        words[WORD_EVENTING_IP] = words[PEBS_RIP];
}

static bool is_of_pdir(const struct processor *p, uint64_t counters)
{
    return (counters >> COUNTER_PREC_DIST & 1) != 0 &&
           (p->pmu.select[COUNTER_PREC_DIST] & 0xFFFF) == EVENT_PREC_DIST;
}

void faults_pebs_record(struct processor *p, uint64_t counters,
                        struct pebs_record *record)
{
    unsigned format = pebs_format(p);
    uint64_t *words = record->words;

    if (p->machine->fault == FAULT_none)
        return;
    falsify_abort(p, words);
    if (has_fault(p, FAULT_pebs_eventing_ip_off))
        words[WORD_EVENTING_IP] = words[PEBS_RIP];
    if (has_fault(p, FAULT_pdir_ip_off) && is_of_pdir(p, counters))
        words[WORD_EVENTING_IP] = words[PEBS_RIP];
    if (has_fault(p, FAULT_pebs_rip_is_eventing))
        words[PEBS_RIP] = words[WORD_EVENTING_IP];
    if (has_fault(p, FAULT_pebs_registers_swapped))
        swap_words(&words[PEBS_R8], &words[PEBS_R9]);
    if (has_fault(p, FAULT_pebs_record_short))
        record->bytes -= 8;
    if (format < 3 && has_fault(p, FAULT_pebs_status_image_empty))
        words[WORD_STATUS] = 0;
    if (format >= 3 && has_fault(p, FAULT_pebs_applicable_counter_zero))
        words[WORD_STATUS] = 0;
    if (format >= 3 && has_fault(p, FAULT_pebs_applicable_counter_first))
        words[WORD_STATUS] &= -words[WORD_STATUS];
    faults_pebs_fields(p, counters, words);
    faults_pebs_occasion(p, counters, words);
    faults_pebs_words(p, counters, words);
    faults_pebs_place(p, counters, words);
    if (has_fault(p, FAULT_pebs_tsc_stale)) {
        if (p->faults.first_tsc == 0)
            p->faults.first_tsc = words[WORD_TSC];
        words[WORD_TSC] = p->faults.first_tsc;
    }
}

bool faults_record_spares_tx(const struct processor *p)
{
    return has_fault(p, FAULT_pebs_without_abort);
}
