/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.c - what goes wrong with loads and stores in PEBS records. */
#include "tests/silicon/faults/hooks.h"

FAULT(precise_store_previous,
      .what = "[any with precise store] 98H is the address of the store "
              "before",
      .caught = { "sandybridge on 1 precise_store_address FAIL" })

FAULT(precise_store_off,
      .what = "[any with precise store] 98H is 8 bytes after the store",
      .caught = { "ivybridge on 1 precise_store_address FAIL" })

FAULT(precise_store_hit_inverted,
      .what = "[any with precise store] A0H[0] is set for stores that miss "
              "the L1D",
      .caught = { "sandybridge on 1 precise_store_status FAIL" })

FAULT(precise_store_stlb_never,
      .what = "[any with precise store] A0H[4] is never set",
      .caught = { "sandybridge on 1 precise_store_status FAIL" })

FAULT(precise_store_lock_misplaced,
      .what = "[any with precise store] a locked store sets A0H[4] instead of "
              "A0H[5]",
      .caught = { "ivybridge on 1 precise_store_status FAIL" })

FAULT(precise_store_latency_junk,
      .what = "[any with precise store] A8H is a latency",
      .caught = { "sandybridge on 1 precise_store_address FAIL" })

FAULT(load_threshold_ignored,
      .what = "[any] MSR_PEBS_LD_LAT is ignored: all tagged loads are "
              "recorded",
      .caught = { "haswell on 1 load_latency_threshold FAIL" })

FAULT(load_latency_low,
      .what = "[any] A8H is one less than the threshold that the load has "
              "exceeded",
      .caught = { "sandybridge on 1 load_latency_threshold FAIL" })

FAULT(load_source_shifted,
      .what = "[any] the data source of a load is in A0H[7:4]",
      .caught = { "skylake-2018 on 1 load_latency_source FAIL" })

FAULT(load_source_always_l1,
      .what = "[any] the data source of a load is always the L1D",
      .caught = { "haswell on 1 load_latency_source FAIL" })

FAULT(load_address_line,
      .what = "[any] 98H of a load is the address of its line",
      .caught = { "broadwell on 1 load_latency_address FAIL" })

FAULT(data_address_stale,
      .what = "[any with data addresses] 98H stays that of the first record",
      .caught = { "skylake-2018 on 1 data_address FAIL" })

FAULT(data_address_store_missing,
      .what = "[any with data addresses] 98H of a store is 0",
      .caught = { "haswell on 1 data_address FAIL" })

FAULT(data_address_hit_inverted,
      .what = "[any with data addresses] A0H[0] is set for stores that miss "
              "the L1D",
      .caught = { "broadwell on 1 data_address FAIL" })

FAULT(data_address_status_set,
      .what = "[any with data addresses] A0H[5:4] are not 0",
      .caught = { "skylake-2018 on 1 data_address FAIL" })

FAULT(data_address_latency_set,
      .what = "[any with data addresses] A8H is a latency",
      .caught = { "skylake-2018 on 1 data_address FAIL" })
