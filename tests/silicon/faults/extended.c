/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * extended.c - what goes wrong with the bits that ask for adaptive records.
 */
#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/bits.h"

FAULT(fixed_adaptive_drops_0, .what = "[adaptive records] 38DH[32] stays 0",
      .caught = {"icelake-server on 1 counter_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x38D, .clear = BIT(32))

FAULT(select_adaptive_drops_6,
      .what = "[adaptive records] PERFEVTSEL6.Adaptive_Record stays 0",
      .caught = {"icelake-server on 1 counter_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x18C, .clear = BIT(34))
