/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event_rules.c - what counts too often or not at all, also in transactions.
 * Each entry names what it breaks: rules.h.
 */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/fault.h"

FAULT(ring0_reference_is_core,
      .what = "[any] fixed counter 2 with OS alone counts core cycles",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .breaks = REFERENCE_AT_RING_0)

FAULT(ring3_cycles_on_1,
      .what = "[any] IA32_PMC1 counts reference cycles for core cycles at "
              "ring 3",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = CYCLES_ON_1_RING_3)

FAULT(ring3_slots_of_one,
      .what = "[4 fixed counters] a cycle at ring 3 has one slot",
      .caught = {"icelake-server on 1 events_in_contexts FAIL"},
      .breaks = SLOTS_RING_3)

FAULT(ring3_conditional_lost,
      .what = "[any] conditional branches of ring 3 are not counted as such",
      .caught = {"arrowlake on 1 events_in_contexts FAIL",
                 "skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = CONDITIONAL_RING_3)

FAULT(counter1_umask_ignored, .what = "[any] IA32_PMC1 takes UMASK for 0",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"}, .quantity = SELECTED,
      .number = 1, .clear = 0xFF00)

FAULT(counter2_event_of_instructions,
      .what = "[any] IA32_PMC2 counts C0H for C4H",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"}, .quantity = SELECTED,
      .number = 2, .clear = 4)

FAULT(cycles_one_more,
      .what = "[any] 3CH/00H counts one cycle too many per instruction",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = COUNTED, .number = 0x3C, .add = 1)

FAULT(bus_cycles_twice,
      .what = "[any] 3CH/01H counts each cycle of the bus twice",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = COUNTED, .number = 0x13C, .add = 1)

FAULT(calls_twice, .what = "[any] C4H/02H counts each CALL twice",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"}, .quantity = COUNTED,
      .number = 0x2C4, .add = 1)

FAULT(llc_misses_twice, .what = "[any] 2EH/41H counts each miss twice",
      .caught = {"haswell on 1 counter_enumeration FAIL"}, .quantity = COUNTED,
      .number = 0x412E, .add = 1)

FAULT(fixed1_one_more,
      .what = "[any] fixed counter 1 counts one cycle too many per "
              "instruction",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = FIXED_COUNTED, .number = 1, .add = 1)

FAULT(fixed1_one_less,
      .what = "[any] fixed counter 1 counts one cycle too few per "
              "instruction",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = FIXED_COUNTED, .number = 1, .add = (uint64_t)(-1))

FAULT(fixed0_one_more,
      .what = "[any] fixed counter 0 counts each instruction twice",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"},
      .quantity = FIXED_COUNTED, .number = 0, .add = 1)

FAULT(rep_rounds_counted,
      .what = "[any] each round of a string instruction with REP is an "
              "instruction",
      .caught = {"skylake-2018 on 1 counter_rep FAIL"},
      .breaks = ROUNDS_NOT_COUNTED)

FAULT(in_tx_inverted,
      .what = "[any with RTM] IN_TX counts outside of transactions alone",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = IN_TX_INSIDE)

FAULT(in_txcp_inside_alone,
      .what = "[any with RTM] IN_TXCP counts in transactions alone",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = TXCP_OUTSIDE)

FAULT(abort_rolls_all_back,
      .what = "[any with RTM] an abort takes back what all general "
              "counters have counted",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = TXCP_OF_ITS_COUNTER)

FAULT(commit_rolls_back,
      .what = "[any with RTM] IN_TXCP leaves out what has committed",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = TXCP_KEEPS_COMMITTED)

FAULT(in_txcp_to_zero,
      .what = "[any with RTM] an abort sets a counter with IN_TXCP to 0",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .quantity = TXCP_RESTORED, .number = ANY_NUMBER, .clear = UINT64_MAX)

FAULT(in_txcp_refused,
      .what = "[any with RTM] IN_TXCP of PERFEVTSEL2 raises #GP",
      .caught = {"skylake-2017 on 1 tsx_in_txcp_counter2 FAIL"},
      .quantity = SELECT_BITS, .number = 2, .clear = BIT(33))

FAULT(in_tx_refused_on_1,
      .what = "[any with RTM] IN_TX of PERFEVTSEL1 raises #GP",
      .caught = {"skylake-2017 on 1 tsx_in_txcp_counter2 FAIL"},
      .quantity = SELECT_BITS, .number = 1, .clear = BIT(32))

FAULT(counter_2_garbles,
      .what = "[any with RTM] counter 2 counts one too many at each "
              "transaction",
      .caught = {"skylake-2018 on 1 counter3_counts_under_rtm FAIL"},
      .breaks = COUNTER_2_USABLE)

FAULT(counter_4_garbles,
      .what = "[any with RTM and 8 counters] counter 4 counts one too "
              "many at each transaction",
      .caught = {"skylake-2018 off 1 counters_above_3 FAIL"},
      .breaks = COUNTER_4_USABLE)

FAULT(fixed_0_garbles,
      .what = "[any with RTM] fixed counter 0 counts one too many at each "
              "transaction",
      .caught = {"skylake-2018 on 1 counter3_counts_force_abort FAIL"},
      .breaks = FIXED_0_USABLE)

FAULT(rtm_start_twice,
      .what = "[any with RTM] RTM_RETIRED.START counts each start twice",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
      .quantity = COUNTED, .number = 0x1C9, .add = 1)

FAULT(rtm_aborted_twice,
      .what = "[any with RTM] RTM_RETIRED.ABORTED counts each abort twice",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
      .quantity = COUNTED, .number = 0x4C9, .add = 1)

FAULT(hle_start_twice,
      .what = "[A with HLE] HLE_RETIRED.START counts each start twice",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
      .quantity = COUNTED, .number = 0x1C8, .add = 1)

FAULT(hle_commit_twice,
      .what = "[A with HLE] HLE_RETIRED.COMMIT counts each commit twice",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
      .quantity = COUNTED, .number = 0x2C8, .add = 1)

FAULT(hle_aborted_zero,
      .what = "[A with HLE] HLE_RETIRED.ABORTED counts nothing",
      .caught = {"skylake-2017 on 1 pebs_hle_abort FAIL"}, .quantity = COUNTED,
      .number = 0x4C8, .add = (uint64_t)(-1))

FAULT(rtm_events_count_hle,
      .what = "[A with HLE] RTM_RETIRED counts elided sections",
      .caught = {"haswell on 1 tsx_retired_events FAIL"},
      .breaks = ELISION_NOT_AS_RTM)

FAULT(
    abort_counts_levels,
    .what = "[any with RTM] RTM_RETIRED.ABORTED counts each level of an abort",
    .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
    .breaks = ABORT_COUNTS_ONCE)

FAULT(nested_counts_start,
      .what = "[any with RTM] RTM_RETIRED.START counts nested XBEGINs",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
      .quantity = NESTED_EVENTS, .number = 1, .set = 1)

FAULT(nested_counts_commit,
      .what = "[any with RTM] RTM_RETIRED.COMMIT counts nested XENDs",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
      .quantity = NESTED_EVENTS, .number = 0, .set = 2)

FAULT(in_txcp_on_0,
      .what = "[any with RTM] IN_TXCP of PERFEVTSEL0 can be set, and works",
      .caught = {"skylake-2017 on 1 tsx_in_txcp_counter2 FAIL"},
      .quantity = SELECT_BITS, .number = 0, .set = BIT(33))

FAULT(in_txcp_on_5,
      .what = "[any with RTM and 8 counters] IN_TXCP of PERFEVTSEL5 can be set",
      .caught = {"skylake-2017 off 1 tsx_in_txcp_counter2 FAIL"},
      .quantity = SELECT_BITS, .number = 5, .set = BIT(33))

FAULT(in_tx_misses_elision,
      .what = "[A with HLE] IN_TX counts nothing in elided sections",
      .caught = {"skylake-2017 on 1 hle_elision FAIL"},
      .breaks = IN_TX_HAS_ELISION)

FAULT(abort_rolls_fixed_back,
      .what =
          "[any with RTM] an abort takes back what fixed counters have counted",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = ABORT_KEEPS_FIXED)

FAULT(loop_not_conditional,
      .what = "[any] LOOP and JRCXZ are no conditional branches for C4H/01H",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"},
      .breaks = LOOP_CONDITIONAL)

FAULT(cpuid_counts_twice, .what = "[any] CPUID counts as two instructions",
      .caught = {"skylake-2018 on 1 counter_rep FAIL"},
      .breaks = CPUID_COUNTS_ONCE)

/* --- What a WRMSR changes that raises #GP -------------------------------- */

FAULT(refused_select_written,
      .what = "[any] a WRMSR of IA32_PERFEVTSELx with a reserved bit raises "
              "#GP, and writes the others",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL",
                 "haswell on 1 counter_reserved_bits FAIL"},
      .breaks = REFUSED_SELECT_KEPT)

FAULT(refused_fixed_written, .what = "[any] the same of IA32_FIXED_CTR_CTRL",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL",
                 "icelake-server on 1 counter_reserved_bits FAIL"},
      .breaks = REFUSED_FIXED_KEPT)

FAULT(refused_ctrl_written, .what = "[any] the same of IA32_PERF_GLOBAL_CTRL",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL",
                 "haswell on 1 counter_reserved_bits FAIL"},
      .breaks = REFUSED_CTRL_KEPT)

FAULT(refused_reset_clears,
      .what = "[perfmon 4] a WRMSR of 390H with a reserved bit raises #GP, and "
              "clears what the others name",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL",
                 "icelake-server on 1 counter_reserved_bits FAIL"},
      .breaks = REFUSED_STATUS_KEPT)

FAULT(refused_pebs_enable_written,
      .what = "[PEBS] a WRMSR of IA32_PEBS_ENABLE with a reserved bit raises "
              "#GP, and writes the others",
      .caught = {"skylake-2018 on 1 pebs_registers FAIL",
                 "haswell on 1 pebs_registers FAIL"},
      .breaks = REFUSED_ENABLE_KEPT)

FAULT(refused_lbr_written,
      .what = "[any with LBR] a WRMSR of MSR_LBR_SELECT or IA32_LBR_CTL with a "
              "reserved bit raises #GP, and writes the others",
      .caught = {"skylake-2018 on 1 lbr_registers FAIL",
                 "sapphirerapids on 1 lbr_registers FAIL"},
      .breaks = REFUSED_LBR_KEPT)

FAULT(in_tx_of_misses_ignored,
      .what =
          "[any with RTM] IN_TX is not heeded for mispredicted branches (C5H)",
      .caught = {"skylake-2018 on 1 tsx_in_tx_counts FAIL"},
      .quantity = SELECT_OF_EVENT, .number = 0xC5, .clear = BIT(32))

FAULT(in_tx_of_memory_ignored,
      .what = "[any with RTM] IN_TX is not heeded for events of memory (D0H)",
      .caught = {"skylake-2018 on 1 tsx_in_tx_counts FAIL"},
      .quantity = SELECT_OF_EVENT, .number = 0xD0, .clear = BIT(32))

FAULT(txcp_of_memory_ignored,
      .what = "[any with RTM] IN_TXCP is not heeded for events of memory (D0H)",
      .caught = {"skylake-2018 on 1 tsx_in_tx_counts FAIL"},
      .quantity = SELECT_OF_EVENT, .number = 0xD0, .clear = BIT(33))
