/* SPDX-License-Identifier: BSD-2-Clause */
/* counting.c - what goes wrong with counters, their MSRs and interrupts. */
#include "tests/silicon/faults/hooks.h"

FAULT(rtm_start_counts_one_more,
      .what = "[any with RTM] RTM_RETIRED.START counts the first transaction "
              "of a window twice",
      .caught = { "skylake-2017 on 1 tsx_retired_events FAIL" })

FAULT(rtm_aborted_not_counted,
      .what = "[any with RTM] RTM_RETIRED.ABORTED leaves out aborts by XABORT",
      .caught = { "skylake-2017 on 1 tsx_retired_events FAIL" })

FAULT(rtm_commit_counts_aborts,
      .what = "[any with RTM] RTM_RETIRED.COMMIT counts aborts, too",
      .caught = { "skylake-2017 on 1 tsx_retired_events FAIL" })

FAULT(hle_events_count_rtm,
      .what = "[any with HLE] HLE_RETIRED counts transactions begun by XBEGIN",
      .caught = { "haswell on 1 tsx_retired_events FAIL" })

FAULT(in_tx_counts_outside,
      .what = "[any with RTM] IN_TX counts outside of transactions, too",
      .caught = { "skylake-2017 on 1 tsx_in_tx_counts FAIL" })

FAULT(in_txcp_keeps_aborted,
      .what = "[any with RTM] IN_TXCP counts what an abort has undone",
      .caught = { "skylake-2017 on 1 tsx_in_tx_counts FAIL" })

FAULT(in_tx_without_tsx,
      .what = "[any without TSX] IN_TX can be set",
      .caught = { "sandybridge on 1 tsx_in_txcp_counter2 FAIL" })

FAULT(counter3_garbles_though_forced,
      .what = "[B] counter 3 misbehaves although bit 0 is set",
      .caught = { "skylake-2018 on 1 counter3_counts_force_abort FAIL",
                  "skylake-server-2019 on 1 counter3_counts_force_abort FAIL" })

FAULT(counter3_loses_one,
      .what = "[any] one window in 10 misses one event of counter 3",
      .caught = { "haswell on 1 counter3_counts_alone FAIL",
                  "skylake-2018 on 1 events_in_groups FAIL" })

FAULT(counter3_garbles_in_a,
      .what = "[A] counter 3 misbehaves around transactions",
      .caught = { "skylake-2017 on 1 counter3_counts_under_rtm FAIL" })

FAULT(counter3_garbles_in_c,
      .what = "[C] counter 3 misbehaves around forced aborts",
      .caught = { "skylake-2021 on 1 counter3_counts_under_rtm FAIL" })

FAULT(counter3_garbles_in_sdv,
      .what = "[C] counter 3 misbehaves while bit 2 is set",
      .caught = { "skylake-2021 on 1 counter3_counts_sdv FAIL" })

FAULT(counter3_branches_off,
      .what = "[any] counter 3 counts one branch too many in a window",
      .caught = { "sandybridge on 1 counter3_counts_alone FAIL",
                  "sandybridge on 1 events_in_groups FAIL" })

FAULT(counter3_cycles_twice,
      .what = "[any] counter 3 counts every cycle twice",
      .caught = { "skylake-2017 on 1 counter3_counts_alone FAIL" })

FAULT(evtsel3_rewritten,
      .what = "[A C F] PERFEVTSEL3 changes by itself after a transaction",
      .caught = { "skylake-2017 on 1 counter3_registers_hold FAIL",
                  "skylake-2021 on 1 counter3_registers_hold FAIL" })

FAULT(global_ctrl3_cleared,
      .what = "[A C F] GLOBAL_CTRL[3] is cleared after a transaction",
      .caught = { "cometlake-2022 on 1 counter3_registers_hold FAIL" })

FAULT(inuse3_stuck,
      .what = "[any with perfmon 4] GLOBAL_INUSE[3] is always 1",
      .caught = { "skylake-2017 on 1 counter3_registers_hold FAIL" })

FAULT(alias_split,
      .what = "[any] 4C4H and C4H are two registers",
      .caught = { "skylake-2017 on 1 counter3_full_width_alias FAIL" })

FAULT(alias_no_sign_extension,
      .what = "[any] a write to C4H is not sign-extended",
      .caught = { "haswell on 1 counter3_full_width_alias FAIL" })

FAULT(full_width_no_gp,
      .what = "[any] 4C4H takes a value wider than the counter",
      .caught = { "sandybridge on 1 counter3_full_width_alias FAIL" })

FAULT(overflow_late,
      .what = "[any] counter 3 overflows one event late",
      .caught = { "skylake-2017 on 1 counter3_overflow FAIL" })

FAULT(overflow_sets_bit2,
      .what = "[any] overflow of counter 3 sets GLOBAL_STATUS[2] too",
      .caught = { "skylake-2018 on 1 counter3_overflow FAIL" })

FAULT(overflow_silent,
      .what = "[any] overflow of counter 3 sets no status",
      .caught = { "haswell on 1 counter3_overflow FAIL" })

FAULT(rdpmc3_stale,
      .what = "[any] RDPMC of counter 3 returns the value before the last "
              "write",
      .caught = { "skylake-2018 on 1 counter3_full_width_alias FAIL" })

FAULT(counter5_dead,
      .what = "[any with 8 counters] counter 5 never counts",
      .caught = { "skylake-2018 off 1 counters_above_3 FAIL" })

FAULT(counter7_faults,
      .what = "[any with 8 counters] the registers of counter 7 raise #GP",
      .caught = { "skylake-2017 off 1 counters_above_3 ERROR" })

FAULT(counter_count_shrinks,
      .what = "[B] CPUID 0AH says 3 counters while bit 0 is clear",
      .caught = { "skylake-2018 on 1 counter_count_constant FAIL" })

FAULT(evtsel_reserved_accepted,
      .what = "[any] reserved bits of PERFEVTSELn do not raise #GP",
      .caught = { "sandybridge on 1 counter_reserved_bits FAIL",
                  "sandybridge on 1 tsx_in_txcp_counter2 FAIL" })

FAULT(msr_gp_surprise,
      .what = "[any] IA32_PERF_GLOBAL_CTRL raises #GP",
      .caught = { "skylake-2018 on 1 counter3_counts_alone ERROR" })

FAULT(pmi_missing,
      .what = "[any] no performance monitoring interrupt is sent",
      .caught = { "skylake-2017 on 1 pebs_threshold_pmi FAIL" })

FAULT(pmi_twice,
      .what = "[any] each performance monitoring interrupt is sent twice",
      .caught = { "skylake-2017 on 1 pebs_threshold_pmi FAIL" })
