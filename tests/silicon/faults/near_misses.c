/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * near_misses.c - what an application that knows published errata must not take
 * for one: an erratum of other processors, or another deviation at its place.
 */
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/fault.h"

#define HAS(e) (UINT64_C(1) << ERRATUM_##e)

FAULT(near_instructions,
      .what = "[Skylake] HSD140: instructions are counted once more or less",
      .caught = {"skylake-2018 on 1 counter_pause FAIL"},
      .errata = HAS(INSTRUCTIONS))

FAULT(near_instructions_many,
      .what = "[Haswell] HSD140 and HSD143, but by many, on a general counter: "
              "event C0H counts each instruction twice",
      .caught = {"haswell on 1 counter_rep FAIL",
                 "haswell on 1 branch_kinds FAIL"},
      .quantity = COUNTED, .number = 0xC0, .add = 1)

FAULT(near_fixed0_32,
      .what = "[Skylake] HSD143: fixed counter 0 begins 32 too high with HT",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"},
      .errata = HAS(FIXED0_32))

FAULT(near_fixed0_many,
      .what = "[Haswell] HSD143, but each instruction counts twice",
      .caught = {"haswell on 1 counter_carry FAIL"}, .quantity = FIXED_COUNTED,
      .number = 0, .add = 1)

FAULT(near_branches,
      .what = "[Skylake] BJ090: C4H/10H and C4H/20H count too many",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"},
      .errata = HAS(BRANCHES))

FAULT(near_pmc2,
      .what = "[Broadwell] SKL194: counter 2 has another value after an abort",
      .caught = {"broadwell on 1 tsx_in_tx_counts FAIL"}, .errata = HAS(PMC2))

FAULT(near_select_5,
      .what = "[Skylake with 8 counters] BV080: PERFEVTSEL5[7:0] reads 0",
      .caught = {"skylake-2018 off 1 counter_registers FAIL"},
      .quantity = OF_MSR_READ, .number = 0x18B, .clear = 0xFF)

FAULT(near_select_1, .what = "[Ivy Bridge] BV080, but of PERFEVTSEL1",
      .caught = {"ivybridge off 1 counter_registers FAIL"},
      .quantity = OF_MSR_READ, .number = 0x187, .clear = 0xFF)

FAULT(near_overflow_stays,
      .what = "[Haswell] BJ058: 390H does not clear the bit of counter 3",
      .caught = {"haswell on 1 counter3_overflow FAIL",
                 "haswell on 1 counter_overflow_bits FAIL"},
      .quantity = STATUS_RESET, .number = ANY_NUMBER, .clear = 8)

FAULT(near_overflow_always,
      .what =
          "[Sandy Bridge] BJ058, but always: 390H does not clear the bit of "
          "counter 3",
      .caught = {"sandybridge on 1 counter3_overflow FAIL"},
      .quantity = STATUS_RESET, .number = ANY_NUMBER, .clear = 8)

FAULT(near_usr_4_to_7,
      .what = "[Skylake with 8 counters] BDM126: counters 4 to 7 do not count "
              "USR alone",
      .caught = {"skylake-2018 off 1 counter_privilege FAIL"},
      .errata = HAS(USR_4_TO_7))

FAULT(near_set_55, .what = "[Kaby Lake] SKL051: 391H[55] raises #GP",
      .caught = {"kabylake-u-2019 on 1 global_status_set FAIL"},
      .errata = HAS(SET_BIT_55))

FAULT(near_set_54, .what = "[Skylake] SKL164, but of 391H[54]",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL"},
      .quantity = OF_MSR_TAKEN, .number = 0x391, .set = UINT64_C(1) << 54)

FAULT(near_pmi_again,
      .what = "[Skylake] HSD091: an interrupt comes again until the overflow "
              "bit is cleared",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"},
      .errata = HAS(PMI_AGAIN))

FAULT(near_rfo_less,
      .what = "[Skylake] SKL095, but too few: RFOs count nothing",
      .caught = {"skylake-2018 on 1 offcore_counts FAIL"},
      .quantity = OFFCORE_REQUEST, .number = 2, .clear = 2)

FAULT(near_record_after,
      .what = "[Kaby Lake] SKL104: a record comes after PEBS was disabled",
      .caught = {"kabylake-u-2019 on 1 pebs_reload FAIL"},
      .errata = HAS(RECORD_AFTER))

FAULT(
    near_mode_at_psb,
    .what = "[Skylake] BDM060: MODE.Exec and PIP come with the next PSB+ alone",
    .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
    .errata = HAS(MODE_AT_PSB))

FAULT(near_stops_soon,
      .what = "[Skylake] BDM049: STOP of a ToPA entry stops too soon",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .errata = HAS(STOPS_SOON))

FAULT(near_all_dropped,
      .what = "[Broadwell] SKL171: packets are dropped after a ToPA entry",
      .caught = {"broadwell on 1 pt_topa_output FAIL"},
      .errata = HAS(ALL_DROPPED))

FAULT(near_lock_looks_free,
      .what = "[Skylake] BDM051: an elided lock reads as it was",
      .caught = {"skylake-2017 on 1 hle_elision FAIL"},
      .errata = HAS(LOCK_LOOKS_FREE))

FAULT(near_eventing_ip,
      .what = "[Skylake] SKL120, but each time: EventingIP is 16 bytes too low",
      .caught = {"skylake-2018 on 1 pebs_eventing_ip FAIL"},
      .quantity = RECORD_WORD, .number = 0xB0, .add = (uint64_t)(-16))

FAULT(
    near_topa_no_freeze,
    .what = "[Broadwell] SKL125: the interrupt of a ToPA entry freezes nothing",
    .caught = {"broadwell on 1 pt_pmi_freezes FAIL"},
    .errata = HAS(TOPA_NO_FREEZE))

FAULT(near_branches_thread_0,
      .what = "[Broadwell] BDD101, but on thread 0: C4H/40H counts each far "
              "branch twice",
      .caught = {"broadwell on 1 branch_kinds FAIL"}, .quantity = COUNTED,
      .number = 0x40C4, .add = 1)

FAULT(near_memory_one_cpl,
      .what =
          "[Ice Lake] SKL128: events of loads and stores miss some with USR "
          "alone",
      .caught = {"icelake-server on 1 events_in_contexts FAIL"},
      .errata = HAS(MEMORY_ONE_CPL))

FAULT(near_call_of_no_length,
      .what = "[Skylake] HSD080: EN_CALLSTACK records a call of no length",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL"},
      .errata = HAS(CALL_OF_NO_LENGTH))
