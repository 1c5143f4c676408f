/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_forms.c - what goes wrong with the loads and stores of one form of
 * instruction, or of address, alone. */
#include "tests/silicon/model/fault.h"

FAULT(returns_load_above,
      .what = "[any with addresses in records] 98H of RET is that above",
      .caught = {"haswell on 1 data_address FAIL",
                 "skylake-2018 on 1 load_latency_address FAIL"},
      .breaks = RETURNS_LOAD_AT_RSP)

FAULT(calls_store_above,
      .what = "[any with addresses in records] 98H of CALL is RSP as it was",
      .caught = {"haswell on 1 data_address FAIL",
                 "sandybridge on 1 precise_store_address FAIL"},
      .breaks = CALLS_STORE_BELOW_RSP)

FAULT(leaves_are_no_loads,
      .what = "[any with events of memory] LEAVE is no load",
      .caught = {"haswell on 1 data_address FAIL",
                 "skylake-2018 on 1 memory_counts FAIL"},
      .breaks = LEAVES_ARE_LOADS)

FAULT(branches_load_nothing,
      .what = "[any with events of memory] JMP and CALL through memory are no "
              "loads",
      .caught = {"haswell on 1 data_address FAIL",
                 "skylake-2018 on 1 memory_counts FAIL"},
      .breaks = BRANCHES_LOAD)

FAULT(pushes_load_nothing,
      .what = "[any with events of memory] PUSH of memory is no load",
      .caught = {"haswell on 1 data_address FAIL",
                 "sandybridge on 1 memory_counts FAIL"},
      .breaks = PUSHES_LOAD)

FAULT(cmov_loads_nothing,
      .what = "[any with events of memory] CMOVcc is no load",
      .caught = {"haswell on 1 data_address FAIL",
                 "skylake-2018 on 1 memory_counts FAIL"},
      .breaks = FALSE_CONDITIONS_LOAD)

FAULT(string_load_at_rdi,
      .what = "[any with addresses in records] 98H of the load of MOVS is that "
              "of its store",
      .caught = {"haswell on 1 data_address FAIL"},
      .breaks = STRING_LOADS_AT_RSI)

FAULT(address_without_gs,
      .what = "[any with addresses in records] 98H leaves out the base of GS",
      .caught = {"haswell on 1 data_address FAIL",
                 "skylake-2018 on 1 data_address FAIL"},
      .breaks = ADDRESS_HAS_GS_BASE)

FAULT(address_before_immediate,
      .what = "[any with addresses in records] 98H relative to RIP leaves out "
              "the immediate",
      .caught = {"haswell on 1 data_address FAIL",
                 "skylake-2018 on 1 load_latency_address FAIL"},
      .breaks = ADDRESS_AFTER_IMMEDIATE)

FAULT(address_without_bit_offset,
      .what = "[any with addresses in records] 98H of BT leaves out the bit "
              "offset in RDX",
      .caught = {"haswell on 1 data_address FAIL"},
      .breaks = ADDRESS_HAS_BIT_OFFSET)

FAULT(address_narrow_not_wrapped,
      .what = "[any with addresses in records] 98H of a load with the prefix "
              "67H has more than 32 bits",
      .caught = {"haswell on 1 data_address FAIL"},
      .breaks = ADDRESSES_WRAP_AT_4G)

FAULT(string_down_after,
      .what = "[any with addresses in records] with DF = 1 98H of MOVS is what "
              "RSI is after it",
      .caught = {"haswell on 1 data_address FAIL"},
      .breaks = STRINGS_DOWN_FROM_RSI)

FAULT(lods_loads_nothing, .what = "[any with events of memory] LODS is no load",
      .caught = {"haswell on 1 data_address FAIL",
                 "sandybridge on 1 memory_counts FAIL"},
      .breaks = LODS_LOADS)

FAULT(scas_loads_above,
      .what = "[any with addresses in records] 98H of SCAS is what RDI is "
              "after it",
      .caught = {"haswell on 1 data_address FAIL"}, .breaks = SCAS_LOADS_AT_RDI)

FAULT(pops_store_on_stack,
      .what = "[any with addresses in records] 98H of the store of POP to "
              "memory is RSP",
      .caught = {"haswell on 1 data_address FAIL"},
      .breaks = POPS_STORE_AT_OPERAND)

FAULT(xadd_not_locked,
      .what = "[any with load latency] A0H[5] (Lock) of LOCK XADD is 0",
      .caught = {"skylake-2018 on 1 load_latency_address FAIL"},
      .breaks = XADD_IS_LOCKED)

FAULT(load_threshold_latched,
      .what = "[2nd to 6th generation] a write of 3F6H takes effect with the "
              "next one of IA32_PEBS_ENABLE",
      .caught = {"skylake-2018 on 1 load_latency_enable FAIL"},
      .breaks = LOAD_THRESHOLD_AT_ONCE)

FAULT(offcore_of_first_line,
      .what = "[any with off-core response] a load of two lines is one request",
      .caught = {"skylake-2018 on 1 offcore_counts FAIL"},
      .breaks = OFFCORE_OF_BOTH_LINES)

FAULT(load_threshold_equal_1,
      .what = "[4th to 6th generation] on IA32_PMC1 a load that takes as long "
              "as 3F6H says makes a record, too",
      .caught = {"skylake-2018 on 1 load_latency_threshold FAIL"},
      .breaks = LOAD_GREATER_ON_1)

FAULT(
    memory_of_ring_0_on_2,
    .what =
        "[any with events of memory] IA32_PMC2 counts loads and stores of ring "
        "0 with OS = 0",
    .caught = {"icelake-server on 1 memory_counts FAIL"},
    .breaks = MEMORY_HAS_LEVELS)

FAULT(offcore_of_ring_0_on_2,
      .what = "[any with off-core response] IA32_PMC2 counts requests of ring "
              "0 with OS = 0",
      .caught = {"skylake-2018 on 1 offcore_counts FAIL"},
      .breaks = OFFCORE_HAS_LEVELS)

FAULT(store_hit_of_previous,
      .what = "[2nd to 6th generation] A0H[0] (L1D Hit) is 1 in the record "
              "after that of a store that hits, too",
      .caught = {"sandybridge on 1 precise_store_status FAIL",
                 "haswell on 1 data_address FAIL"},
      .breaks = L1_HIT_OF_ITS_STORE)

FAULT(load_l1_after_miss,
      .what = "[CDH] a load that hits the L1 names the L2 in the record after "
              "that of one that misses",
      .caught = {"skylake-2018 on 1 load_latency_source FAIL",
                 "sapphirerapids on 1 load_latency_source FAIL",
                 "arrowlake off 1 load_latency_source FAIL"},
      .breaks = L1_AFTER_A_MISS)

FAULT(locked_state_before,
      .what = "[any] RCX and RBP in the record of a locked access are those "
              "before it",
      .caught = {"sapphirerapids on 1 pebs_in_contexts FAIL"},
      .breaks = LOCKED_STATE_AFTER)

FAULT(split_at_its_end,
      .what = "[any with events of memory] D0H/41H and 42H count what ends "
              "with its line",
      .caught = {"haswell off 1 memory_counts FAIL",
                 "skylake-2018 on 1 memory_counts FAIL"},
      .breaks = SPLIT_BEYOND_ITS_LINE)

FAULT(split_by_a_byte_lost,
      .what = "[any with events of memory] D0H/41H and 42H leave out what has "
              "one byte in the next line",
      .caught = {"skylake-2018 on 1 memory_counts FAIL",
                 "icelake-server on 1 memory_counts FAIL"},
      .breaks = SPLIT_BY_A_BYTE)

FAULT(split_over_pages_lost,
      .what = "[any with events of memory] D0H/41H and 42H leave out what "
              "crosses a page's end",
      .caught = {"skylake-2018 on 1 memory_counts FAIL",
                 "haswell on 1 memory_counts FAIL"},
      .breaks = SPLIT_OVER_PAGES)

FAULT(split_of_16_bytes_lost,
      .what = "[any with events of memory] D0H/41H and 42H leave out accesses "
              "of 16 bytes",
      .caught = {"skylake-2018 on 1 memory_counts FAIL",
                 "icelake-server on 1 memory_counts FAIL"},
      .breaks = SPLIT_OF_16_BYTES)

FAULT(llc_misses_of_loads,
      .what = "[any] event 2EH/41H leaves out stores and locked accesses",
      .caught = {"haswell on 1 counter_enumeration FAIL",
                 "icelake-server on 1 counter_enumeration FAIL"},
      .breaks = STORES_MISS_LLC)

FAULT(llc_references_of_loads,
      .what = "[any] event 2EH/4FH leaves out stores and locked accesses",
      .caught = {"haswell on 1 counter_enumeration FAIL",
                 "icelake-server on 1 counter_enumeration FAIL"},
      .breaks = STORES_REFER_LLC)

FAULT(address_line_of_misses,
      .what = "[any with data addresses] 98H of records of D1H to D3H is the "
              "address of the line",
      .caught = {"skylake-2018 on 1 data_address FAIL",
                 "haswell on 1 data_address FAIL",
                 "icelake-client on 1 data_address FAIL"},
      .breaks = ADDRESS_IN_LINE_OF_D1)

FAULT(address_line_of_missed_stores,
      .what = "[any with addresses in records] 98H of a store that misses the "
              "L1 data cache is the address of its line",
      .caught = {"skylake-2018 on 1 data_address FAIL",
                 "sandybridge on 1 precise_store_status FAIL"},
      .breaks = ADDRESS_IN_LINE_OF_MISS)

FAULT(store_hit_never_1,
      .what = "[precise store; data address profiling] a store of a byte never "
              "hits the L1 in its record",
      .caught = {"sandybridge on 1 precise_store_status FAIL",
                 "skylake-2018 on 1 data_address FAIL"},
      .quantity = STORE_HITS, .number = 1, .clear = 1)

FAULT(store_hit_always_1,
      .what = "[precise store; data address profiling] a store of a byte "
              "always hits the L1 in its record",
      .caught = {"sandybridge on 1 precise_store_status FAIL",
                 "skylake-2018 on 1 data_address FAIL"},
      .quantity = STORE_HITS, .number = 1, .set = 1)

FAULT(store_hit_never_2,
      .what = "[precise store; data address profiling] a store of two bytes "
              "never hits the L1 in its record",
      .caught = {"skylake-2018 on 1 data_address FAIL"}, .quantity = STORE_HITS,
      .number = 2, .clear = 1)

FAULT(store_hit_always_2,
      .what = "[precise store; data address profiling] a store of two bytes "
              "always hits the L1 in its record",
      .caught = {"skylake-2018 on 1 data_address FAIL"}, .quantity = STORE_HITS,
      .number = 2, .set = 1)

FAULT(store_hit_never_4,
      .what = "[precise store; data address profiling] a store of four bytes "
              "never hits the L1 in its record",
      .caught = {"skylake-2018 on 1 data_address FAIL"}, .quantity = STORE_HITS,
      .number = 4, .clear = 1)

FAULT(store_hit_always_4,
      .what = "[precise store; data address profiling] a store of four bytes "
              "always hits the L1 in its record",
      .caught = {"skylake-2018 on 1 data_address FAIL"}, .quantity = STORE_HITS,
      .number = 4, .set = 1)

FAULT(store_hit_never_16,
      .what = "[precise store; data address profiling] a store of 16 bytes "
              "never hits the L1 in its record",
      .caught = {"skylake-2018 on 1 data_address FAIL"}, .quantity = STORE_HITS,
      .number = 16, .clear = 1)

FAULT(store_hit_always_16,
      .what = "[precise store; data address profiling] a store of 16 bytes "
              "always hits the L1 in its record",
      .caught = {"skylake-2018 on 1 data_address FAIL"}, .quantity = STORE_HITS,
      .number = 16, .set = 1)

FAULT(store_address_without_fs,
      .what = "[any with addresses in records] 98H of a store leaves out the "
              "base of FS",
      .caught = {"skylake-2018 on 1 data_address FAIL",
                 "sandybridge on 1 precise_store_address FAIL"},
      .quantity = STORE_BASE, .number = 0x64, .clear = UINT64_MAX)

FAULT(store_address_without_gs,
      .what = "[any with addresses in records] 98H of a store leaves out the "
              "base of GS",
      .caught = {"icelake-server on 1 data_address FAIL"},
      .quantity = STORE_BASE, .number = 0x65, .clear = UINT64_MAX)

FAULT(store_address_over_page,
      .what = "[any with addresses in records] 98H of a store that crosses a "
              "page's end is in the second page",
      .caught = {"haswell on 1 data_address FAIL"},
      .quantity = PAGE_END_ADDRESS, .number = 2, .add = 4)

FAULT(ring3_load_address_over_page,
      .what = "[format 2 to 4] 98H of a load that crosses a page's end at ring "
              "3 is in the second page",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL",
                 "icelake-server on 1 pebs_in_contexts FAIL"},
      .quantity = PAGE_END_ADDRESS, .number = 1, .add = 4)

FAULT(ring3_store_address_over_page,
      .what = "[format 2 to 4] 98H of a store that crosses a page's end at "
              "ring 3 is in the second page",
      .caught = {"haswell on 1 pebs_in_contexts FAIL"},
      .quantity = PAGE_END_ADDRESS, .number = 3, .add = 4)
