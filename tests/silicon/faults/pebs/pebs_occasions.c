/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_occasions.c - what goes wrong with PEBS on one occasion alone: at a
 * page, at ring 3, on one counter, after the DS area was written again, in a
 * transaction of one kind.
 */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/memory/memory_events.h"
#include "tests/silicon/model/pebs/pebs_hooks.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/tsx/tsx.h"

FAULT(pdir_ring3_skids, .what = "[any with PDIR] PDIR skids at ring 3",
      .caught = {"skylake-2018 on 1 pdir_skid FAIL",
                 "sandybridge on 1 pdir_skid FAIL",
                 "icelake-server on 1 pdir_skid FAIL"})

FAULT(pebs_page_start_no_flags,
      .what = "[any] RFLAGS is 0 in a record that begins a page",
      .caught = {"skylake-2018 on 1 pebs_buffer_bounds FAIL",
                 "sandybridge on 1 pebs_buffer_bounds FAIL"})

FAULT(pebs_page_word_lost,
      .what = "[any] the field of a record that begins a page is 0",
      .caught = {"skylake-2018 on 1 pebs_buffer_bounds FAIL",
                 "haswell on 1 pebs_buffer_bounds FAIL"})

FAULT(pebs_ring3_rcx, .what = "[any] RCX of a record of ring 3 is one more",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL",
                 "sandybridge on 1 pebs_ring3 FAIL"},
      .quantity = RECORD_WORD_RING3, .number = 0x20, .add = 1)

FAULT(pebs_ring3_r11, .what = "[any] R11 of a record of ring 3 is one more",
      .caught = {"sandybridge on 1 pebs_ring3 FAIL"},
      .quantity = RECORD_WORD_RING3, .number = 0x68, .add = 1)

FAULT(pebs_ring3_rip, .what = "[any] RIP of a record of ring 3 is one less",
      .caught = {"sandybridge on 1 pebs_ring3 FAIL",
                 "skylake-2018 on 1 pebs_ring3 FAIL"},
      .quantity = RECORD_WORD_RING3, .number = 0x08, .add = (uint64_t)(-1))

FAULT(pebs_ring3_applicable_0,
      .what = "[format 3] the applicable counter (90H) is 0 at ring 3",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL"})

FAULT(pebs_armed_takes_any_level,
      .what = "[any] a counter with OS = 0 that has overflowed makes its "
              "record at ring 0",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL",
                 "sandybridge on 1 pebs_ring3 FAIL"})

FAULT(pebs_bit_stays_beside,
      .what = "[any] a bit of 3F1H that is cleared while others stay has its "
              "effect still",
      .caught = {"skylake-2018 on 1 pebs_enable_bits FAIL",
                 "sandybridge on 1 pebs_enable_bits FAIL"},
      .breaks = PEBS_BITS_CLEARED)

FAULT(pebs_maximum_latched,
      .what = "[any] the absolute maximum is read once after 3F1H is written",
      .caught = {"skylake-2018 on 1 pebs_buffer_full FAIL"})

FAULT(pebs_threshold_latched,
      .what = "[any] the threshold is read once after 3F1H is written",
      .caught = {"skylake-2018 on 1 pebs_buffer_full FAIL"})

FAULT(pebs_resets_latched,
      .what = "[any] the reset values are read once after 3F1H is written",
      .caught = {"skylake-2018 on 1 pebs_buffer_full FAIL"})

FAULT(pebs_threshold_once,
      .what = "[any] the threshold is not compared after it was reached, until "
              "3F1H is written",
      .caught = {"skylake-2018 on 1 pebs_buffer_full FAIL"})

FAULT(pebs_threshold_silent_of_3,
      .what = "[any] a record of IA32_PMC3 that reaches the threshold brings "
              "no interrupt",
      .caught = {"skylake-2018 on 1 pebs_threshold_pmi FAIL"})

FAULT(pebs_threshold_silent_beside,
      .what = "[any] a record that reaches the threshold brings no interrupt "
              "while two counters make records",
      .caught = {"skylake-2018 on 1 pebs_threshold_pmi FAIL",
                 "sandybridge on 1 pebs_threshold_pmi FAIL"})

FAULT(pebs_iret_rsp_before,
      .what = "[any] RSP in the record of IRETQ is that before it",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL",
                 "sandybridge on 1 pebs_ring3 FAIL"},
      .breaks = IRET_STATE_AFTER)

FAULT(pebs_syscall_state,
      .what = "[any] RCX and R11 in the record of SYSCALL are not those that "
              "it leaves",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL",
                 "icelake-server on 1 pebs_ring3 FAIL"},
      .breaks = SYSCALL_STATE_AFTER)

FAULT(adaptive_ring3_xmm_zero,
      .what = "[adaptive records] XMM registers are 0 at ring 3",
      .caught = {"icelake-server on 1 pebs_ring3 FAIL",
                 "alderlake-n on 1 pebs_ring3 FAIL"},
      .breaks = XMM_IN_RING_3)

FAULT(adaptive_ring3_no_branches,
      .what = "[adaptive records] records of ring 3 have no LBR group",
      .caught = {"icelake-server on 1 pebs_ring3 FAIL"},
      .breaks = LBRS_IN_RING_3)

FAULT(adaptive_ring3_fixed_unnamed,
      .what = "[adaptive records] [35:32] of the applicable counters are 0 in "
              "records of ring 3",
      .caught = {"icelake-server on 1 pebs_ring3 FAIL"},
      .breaks = FIXED_NAMED_IN_RING_3)

FAULT(pebs_status_second_kept,
      .what = "[format 1, 2] of counters that overflow together a record "
              "clears the first's status bit alone",
      .caught = {"haswell on 1 pebs_applicable_counter OBSERVED",
                 "sandybridge on 1 pebs_applicable_counter OBSERVED"})

FAULT(load_latency_saturates, .what = "[any] A8H of a load is 200 at most",
      .caught = {"skylake-2018 on 1 load_latency_threshold FAIL"})

FAULT(data_address_latency_left,
      .what = "[format 2, 3] A8H stays what the last load latency record had",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL"})

FAULT(data_address_lock_shown,
      .what = "[format 2, 3] A0H[5] is 1 for a locked access",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL"})

FAULT(data_address_of_first_alone,
      .what = "[format 2, 3] 98H is 0 in records of a counter while one before "
              "it has its bit in 3F1H, too",
      .caught = {"skylake-2018 on 1 data_address FAIL",
                 "haswell on 1 data_address FAIL"})

FAULT(info_rtm_missing_forced,
      .what = "[B] B8H[33] is 0 in the record of a forced abort",
      .caught = {"skylake-2018 on 1 pebs_tx_abort FAIL"})

FAULT(pebs_without_elision_abort,
      .what = "[A with HLE] a record inside an elided section does not abort "
              "it",
      .caught = {"skylake-2017 on 1 pebs_hle_abort FAIL",
                 "haswell on 1 pebs_hle_abort FAIL"},
      .breaks = ELISION_ENDS_FOR_RECORD)

FAULT(pebs_without_nested_abort,
      .what = "[A B F; C with bit 2] a record inside an inner transaction does "
              "not abort",
      .caught = {"skylake-2018 on 1 pebs_inside_tx FAIL",
                 "haswell on 1 pebs_inside_tx FAIL"},
      .breaks = NESTED_ENDS_FOR_RECORD)

FAULT(pebs_1_without_abort,
      .what =
          "[A B F; C with bit 2] a record of counter 1 inside a transaction "
          "does not abort it",
      .caught = {"skylake-2018 on 1 pebs_inside_tx FAIL",
                 "sapphirerapids on 1 pebs_inside_tx FAIL"},
      .quantity = RECORD_ENDS_TX, .number = 1, .clear = 1)

FAULT(pebs_3_without_abort,
      .what = "[A F; C with bit 2] a record of counter 3 inside a transaction "
              "does not abort it",
      .caught = {"skylake-2017 on 1 pebs_inside_tx FAIL",
                 "haswell on 1 pebs_inside_tx FAIL"},
      .quantity = RECORD_ENDS_TX, .number = 3, .clear = 1)

FAULT(pebs_access_without_abort,
      .what = "[A B F; C with bit 2] a record of a load or store inside a "
              "transaction does not abort it",
      .caught = {"skylake-2018 on 1 pebs_inside_tx FAIL",
                 "haswell on 1 pebs_inside_tx FAIL"},
      .breaks = ACCESS_ENDS_FOR_RECORD)

FAULT(pebs_ring3_without_abort,
      .what = "[A B F; C with bit 2] a record inside a transaction at ring 3 "
              "does not abort it",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL",
                 "haswell on 1 pebs_in_contexts FAIL"},
      .breaks = RING3_ENDS_FOR_RECORD)

FAULT(pebs_without_inner_section_abort,
      .what = "[A with HLE] a record inside an elided section that is in "
              "another does not abort it",
      .caught = {"skylake-2017 on 1 pebs_hle_abort FAIL",
                 "haswell on 1 pebs_hle_abort FAIL"},
      .breaks = INNER_SECTION_ENDS_FOR_RECORD)

void faults_pebs_enable_written(struct processor *p)
{
    p->faults.ds_first.valid = false;
    p->faults.reached = 0;
    p->faults.enabled_late = p->pmu.counting;
}

void faults_pebs_area_read(struct processor *p, struct pebs_ds *ds)
{
    if (!p->faults.ds_first.valid) {
        p->faults.ds_first.valid = true;
        p->faults.ds_first.maximum = ds->maximum;
        p->faults.ds_first.threshold = ds->threshold;
        for (unsigned n = 0; n < PEBS_COUNTERS; n++)
            p->faults.ds_first.reset[n] = ds->reset[n];
    }
    if (has_fault(p, FAULT_pebs_maximum_latched))
        ds->maximum = p->faults.ds_first.maximum;
    if (has_fault(p, FAULT_pebs_threshold_latched))
        ds->threshold = p->faults.ds_first.threshold;
    for (unsigned n = 0; n < PEBS_COUNTERS; n++)
        if (has_fault(p, FAULT_pebs_resets_latched))
            ds->reset[n] = p->faults.ds_first.reset[n];
}

void faults_pebs_placed(struct processor *p, uint64_t counters,
                        struct pebs_record *record)
{
    const uint64_t left = 4096 - record->at % 4096;

    p->faults.record_of = counters;
    if (has_fault(p, FAULT_pebs_page_start_no_flags) && left == 4096)
        record->words[PEBS_RFLAGS] = 0;
    if (has_fault(p, FAULT_pebs_page_word_lost) && left < record->bytes)
        record->words[left / 8] = 0;
}

void faults_pebs_reaches(struct processor *p, const struct pebs_ds *ds)
{
    if (ds->index < ds->threshold)
        return;
    p->faults.reached++;
    p->faults.pmi_of_record = p->pmu.pmi;
    if (has_fault(p, FAULT_pebs_threshold_silent_of_3) &&
        (p->faults.record_of & BIT(3)) != 0)
        p->pmu.pmi = false;
    if (has_fault(p, FAULT_pebs_threshold_silent_beside) &&
        (pebs_enabled(p) & (pebs_enabled(p) - 1)) != 0)
        p->pmu.pmi = false;
}

void faults_pebs_counted(struct processor *p)
{
    if (!has_fault(p, FAULT_pebs_armed_takes_any_level) || p->faults.of_user)
        return;
    for (unsigned n = 0; n < PEBS_COUNTERS; n++)
        if ((p->pebs.armed >> n & 1) != 0 &&
            (p->pmu.select[n] & EVTSEL_OS) == 0)
            p->pebs.triggered |= BIT(n);
}

void faults_pebs_words(const struct processor *p, uint64_t counters,
                       uint64_t *words)
{
    if (has_fault(p, FAULT_pebs_ring3_applicable_0) && p->faults.of_user)
        words[WORD_STATUS] = 0;
    if (has_fault(p, FAULT_data_address_of_first_alone) &&
        ((counters - 1) & p->pebs.enable & BITS(3, 0)) != 0)
        words[WORD_ADDRESS] = 0;
    if (has_fault(p, FAULT_info_rtm_missing_forced) && p->pebs.of_abort &&
        (p->tsx.force_abort & RTM_FORCE_ABORT) != 0)
        words[WORD_TX_ABORT] &= ~TX_INFO_RTM;
}

void faults_latency_data(struct processor *p, struct data_record *d)
{
    if (has_fault(p, FAULT_load_latency_saturates) && d->latency > 200)
        d->latency = 200;
    p->faults.load_latency = d->latency;
}

void faults_address_data(const struct processor *p, const struct data_result *r,
                         struct data_record *d)
{
    if (has_fault(p, FAULT_data_address_latency_left))
        d->latency = p->faults.load_latency;
    if (has_fault(p, FAULT_data_address_lock_shown) && r->access.locked)
        d->status |= STATUS_LOCKED;
}
