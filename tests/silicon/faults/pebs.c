/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs.c - what goes wrong with PEBS records, the DS area and PDIR. */
#include "tests/silicon/faults/hooks.h"

FAULT(pebs_eventing_ip_off,
      .what = "[any with record format 2 or 3] EventingIP (B0H) is the "
              "instruction after the eventing one",
      .caught = { "skylake-2017 on 1 pebs_eventing_ip FAIL",
                  "haswell on 1 pdir_skid FAIL" })

FAULT(pebs_rip_is_eventing,
      .what = "[any] RIP (08H) is the eventing instruction",
      .caught = { "haswell on 1 pebs_eventing_ip FAIL",
                  "sandybridge on 1 pdir_skid FAIL",
                  "skylake-2017 on 1 pebs_inside_tx FAIL" })

FAULT(pebs_registers_swapped,
      .what = "[any] R8 and R9 are swapped",
      .caught = { "ivybridge on 1 pebs_record_layout FAIL" })

FAULT(pebs_record_short,
      .what = "[any] records are 8 bytes shorter than their format says",
      .caught = { "skylake-2017 on 1 pebs_record_layout FAIL" })

FAULT(pebs_status_image_empty,
      .what = "[any with record format 1 or 2] 90H is 0 instead of "
              "GLOBAL_STATUS",
      .caught = { "haswell on 1 pebs_applicable_counter FAIL" })

FAULT(pebs_applicable_counter_zero,
      .what = "[any with record format 3] 90H is 0 instead of the applicable "
              "counter",
      .caught = { "skylake-2017 on 1 pebs_applicable_counter FAIL" })

FAULT(pebs_applicable_counter_first,
      .what = "[any with record format 3] 90H names the first of several "
              "counters alone",
      .caught = { "skylake-2017 on 1 pebs_applicable_counter FAIL" })

FAULT(pebs_tsc_stale,
      .what = "[any with record format 3] TSC (C0H) stays that of the first "
              "record",
      .caught = { "skylake-2017 on 1 pebs_tsc FAIL" })

FAULT(pebs_index_stuck,
      .what = "[any] the PEBS index does not advance",
      .caught = { "sandybridge on 1 pebs_record_layout FAIL" })

FAULT(pebs_reset_ignored,
      .what = "[any] the counter is not reloaded after a record",
      .caught = { "skylake-2017 on 1 pebs_reload FAIL",
                  "haswell on 1 pdir_even FAIL" })

FAULT(pebs_reset_of_counter_0,
      .what = "[any] every counter is reloaded from the reset value of "
              "counter 0",
      .caught = { "skylake-2017 on 1 pebs_reload FAIL" })

FAULT(pebs_overflow_status_kept,
      .what = "[any] the overflow status of the counter outlives its record",
      .caught = { "skylake-2017 on 1 pebs_reload FAIL" })

FAULT(pebs_record_past_maximum,
      .what = "[any] records go on beyond the absolute maximum",
      .caught = { "haswell on 1 pebs_buffer_full FAIL" })

FAULT(pebs_maximum_early,
      .what = "[any] the last record that fits is skipped",
      .caught = { "skylake-2017 on 1 pebs_buffer_full FAIL" })

FAULT(pebs_status62_missing,
      .what = "[any] GLOBAL_STATUS[62] is not set at the threshold",
      .caught = { "skylake-2017 on 1 pebs_threshold_pmi FAIL" })

FAULT(pebs_threshold_early,
      .what = "[any] the interrupt comes one record before the threshold",
      .caught = { "skylake-2017 on 1 pebs_threshold_pmi FAIL" })

FAULT(pebs_late_record,
      .what = "[any] a record is written long after the documented stop",
      .caught = { "skylake-2017 on 1 pebs_stop_order FAIL" })

FAULT(pebs_counter3_silent,
      .what = "[any] counter 3 makes no record",
      .caught = { "skylake-2017 on 1 pebs_counter3 FAIL" })

FAULT(pebs_abort_rtm_is_hle,
      .what = "[A B F; C with bit 2] B8H[32] and B8H[33] are swapped",
      .caught = { "haswell on 1 pebs_tx_abort FAIL" })

FAULT(pebs_abort_conflict_swapped,
      .what = "[A B F; C with bit 2] B8H[37] and B8H[38] are swapped",
      .caught = { "haswell on 1 pebs_tx_abort FAIL",
                  "haswell on 2 pebs_tx_conflict FAIL" })

FAULT(pebs_abort_rip_wrong,
      .what = "[A B F; C with bit 2] RIP of an abort's record is the aborting "
              "instruction",
      .caught = { "skylake-2017 on 1 pebs_tx_abort FAIL",
                  "skylake-2017 on 1 pebs_hle_abort FAIL" })

FAULT(pebs_abort_eventing_ip_wrong,
      .what = "[A B F; C with bit 2] EventingIP of an abort's record is where "
              "execution goes on",
      .caught = { "haswell on 1 pebs_tx_abort FAIL" })

FAULT(pebs_abort_rtm_always,
      .what = "[any with record format 2 or 3] B8H[33] is set in records of "
              "no abort",
      .caught = { "haswell on 1 pebs_record_layout FAIL",
                  "haswell on 1 pebs_hle_abort FAIL" })

FAULT(pebs_without_abort,
      .what = "[A B F; C with bit 2] a record inside a transaction does not "
              "abort it",
      .caught = { "skylake-2017 on 1 pebs_inside_tx FAIL" })

FAULT(pdir_skids,
      .what = "[any] PDIR makes its record of an instruction after the one "
              "that overflows",
      .caught = { "sandybridge on 1 pdir_skid FAIL" })

FAULT(pdir_ip_off,
      .what = "[any with record format 2 or 3] EventingIP of PDIR is the "
              "instruction after",
      .caught = { "haswell on 1 pdir_skid FAIL" })

FAULT(pdir_skips_branches,
      .what = "[any] PDIR makes no record of a branch, but of the instruction "
              "after it",
      .caught = { "haswell on 1 pdir_even FAIL" })
