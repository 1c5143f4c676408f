/* SPDX-License-Identifier: BSD-2-Clause */
/* tx_status.c - what goes wrong with the status of an abort in EAX: SDM volume
 * 1, "RTM Abort Status Definition". */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/tsx/tsx.h"

FAULT(xabort_code_lost,
      .what = "[A B F; C with bit 2] EAX[31:24] is 0 after XABORT",
      .caught = {"skylake-2017 on 1 tsx_xabort_codes FAIL"})

FAULT(xabort_bit0_missing,
      .what = "[A B F; C with bit 2] EAX[0] is 0 after XABORT",
      .caught = {"skylake-2017 on 1 tsx_xabort_codes FAIL"})

FAULT(nested_bit_missing,
      .what = "[A B F; C with bit 2] EAX[5] is 0 after an abort in a nested "
              "region",
      .caught = {"skylake-2017 on 1 tsx_nesting FAIL"})

FAULT(capacity_bit_missing,
      .what = "[A B F; C with bit 2] EAX[3] is 0 after too many stores",
      .caught = {"skylake-2017 on 1 tsx_write_capacity FAIL",
                 "skylake-2017 on 1 pebs_tx_abort FAIL"})

FAULT(debug_bit_missing,
      .what = "[A B F; C with bit 2] EAX[4] is 0 after a breakpoint",
      .caught = {"skylake-2017 on 1 tsx_debug_breakpoint FAIL"})

FAULT(retry_bit_with_xabort,
      .what = "[A B F; C with bit 2] EAX[1] is 1 after XABORT",
      .caught = {"skylake-2017 on 1 tsx_xabort_codes FAIL"})

FAULT(conflict_bit_missing,
      .what = "[A B F; C with bit 2] EAX[2] is 0 after a conflict",
      .caught = {"skylake-2017 on 2 tsx_conflict_retry FAIL"})

FAULT(read_capacity_bit_missing,
      .what = "[A B F; C with bit 2] EAX[3] is 0 after too many loads",
      .caught = {"skylake-2017 on 1 tsx_read_capacity FAIL"})

FAULT(xabort_code_signed,
      .what =
          "[A B F; C with bit 2] EAX[31] is 0 after XABORT, whatever its code",
      .caught = {"skylake-2017 on 1 tsx_xabort_codes FAIL"})

FAULT(capacity_sets_bit0,
      .what = "[A B F; C with bit 2] EAX[0] is 1 after too many stores",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL"})

FAULT(conflict_sets_bit0,
      .what = "[A B F; C with bit 2] EAX[0] is 1 after a conflict",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL",
                 "skylake-2017 on 2 tsx_conflict_retry FAIL"})

FAULT(exception_sets_bit0,
      .what = "[A B F; C with bit 2] EAX[0] is 1 after an exception",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL",
                 "skylake-2017 on 1 tsx_exceptions_abort FAIL"})

FAULT(exception_sets_debug,
      .what = "[A B F; C with bit 2] EAX[4] is 1 after an exception that is no "
              "#DB or #BP",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL",
                 "skylake-2017 on 1 tsx_exceptions_abort FAIL"})

FAULT(instruction_sets_bit0,
      .what =
          "[A B F; C with bit 2] EAX[0] is 1 after an instruction that aborts",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL",
                 "skylake-2017 on 1 tsx_aborting_instructions FAIL"})

FAULT(debug_sets_bit0,
      .what = "[A B F; C with bit 2] EAX[0] is 1 after a breakpoint",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL"})

FAULT(status_reserved_set,
      .what = "[A B F; C with bit 2] EAX[6] is 1 after every abort",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL",
                 "skylake-2017 on 1 tsx_aborting_instructions FAIL"})

FAULT(status_reserved_high_set,
      .what = "[A B F; C with bit 2] EAX[23] is 1 after XABORT",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL",
                 "skylake-2017 on 1 tsx_nesting FAIL"})

FAULT(event_sets_code,
      .what = "[A B F; C with bit 2] EAX[31:24] is 1 after an exception, with "
              "EAX[0] = 0",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL",
                 "skylake-2017 on 1 tsx_exceptions_abort FAIL"})

FAULT(nested_bit_always,
      .what = "[A B F; C with bit 2] EAX[5] is 1 after an abort in a region "
              "that is not nested",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL",
                 "skylake-2017 on 1 tsx_aborting_instructions FAIL"})

FAULT(nested_xabort_code_lost,
      .what = "[A B F; C with bit 2] EAX[31:24] is 0 after an XABORT in a "
              "nested region",
      .caught = {"skylake-2017 on 1 tsx_nesting FAIL"})

#define OF(cause) BIT(TX_CAUSE_##cause)

/* clang-format off */
static const struct {
    enum fault_id fault;
    uint64_t causes;
    uint32_t clear, set;
} rows[] = {
    {FAULT_nested_bit_missing, UINT64_MAX, TX_STATUS_NESTED, 0},
    {FAULT_xabort_bit0_missing, OF(XABORT), TX_STATUS_XABORT, 0},
    {FAULT_xabort_code_lost, OF(XABORT), TX_STATUS_CODE(0xFF), 0},
    {FAULT_xabort_code_signed, OF(XABORT), TX_STATUS_CODE(0x80), 0},
    {FAULT_conflict_bit_missing, OF(CONFLICT), TX_STATUS_CONFLICT, 0},
    {FAULT_retry_bit_with_xabort, OF(XABORT), 0, TX_STATUS_RETRY},
    {FAULT_capacity_bit_missing, OF(WRITES), TX_STATUS_CAPACITY, 0},
    {FAULT_read_capacity_bit_missing, OF(READS), TX_STATUS_CAPACITY, 0},
    {FAULT_debug_bit_missing, OF(DEBUG), TX_STATUS_DEBUG, 0},
    {FAULT_capacity_sets_bit0, OF(WRITES), 0, TX_STATUS_XABORT},
    {FAULT_conflict_sets_bit0, OF(CONFLICT), 0, TX_STATUS_XABORT},
    {FAULT_exception_sets_bit0, OF(EXCEPTION), 0, TX_STATUS_XABORT},
    {FAULT_exception_sets_debug, OF(EXCEPTION), 0, TX_STATUS_DEBUG},
    {FAULT_instruction_sets_bit0, OF(INSTRUCTION), 0, TX_STATUS_XABORT},
    {FAULT_debug_sets_bit0, OF(DEBUG), 0, TX_STATUS_XABORT},
    {FAULT_status_reserved_set, UINT64_MAX, 0, BIT(6)},
    {FAULT_status_reserved_high_set, OF(XABORT), 0, BIT(23)},
    {FAULT_event_sets_code, OF(EXCEPTION), 0, TX_STATUS_CODE(1)},
};
/* clang-format on */

uint32_t faults_abort_status(const struct processor *p,
                             const struct tx_abort *how, uint32_t status)
{
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        if (has_fault(p, rows[n].fault) && (rows[n].causes >> how->cause & 1))
            status = (status & ~rows[n].clear) | rows[n].set;
    if (how->depth > 1)
        status = (uint32_t)faults_quantity(p->machine, INNER_STATUS, how->cause,
                                           status);
    if (how->inner_ended)
        status = (uint32_t)faults_quantity(p->machine, ENDED_STATUS, how->cause,
                                           status);
    if (has_fault(p, FAULT_nested_bit_always))
        status |= TX_STATUS_NESTED;
    if (has_fault(p, FAULT_nested_xabort_code_lost) && how->depth > 1)
        status &= ~TX_STATUS_CODE(0xFF);
    return status;
}

FAULT(xabort_has_debug,
      .what = "[A B F; C with bit 2] EAX[4] is 1 too after XABORT",
      .caught = {"skylake-2017 off 1 tsx_xabort_codes FAIL"},
      .quantity = ABORT_STATUS, .number = TX_CAUSE_XABORT, .set = 0x10)

FAULT(inner_debug_bit_missing,
      .what = "[A B F; C with bit 2] EAX[4] is 0 after INT3 in a nested region",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL"},
      .quantity = INNER_STATUS, .number = TX_CAUSE_DEBUG, .clear = 0x10)

FAULT(inner_cpuid_has_xabort,
      .what = "[A B F; C with bit 2] EAX[0] is 1 after CPUID or PAUSE in a "
              "nested region",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL"},
      .quantity = INNER_STATUS, .number = TX_CAUSE_INSTRUCTION, .set = 1)

FAULT(ended_cpuid_has_xabort,
      .what = "[A B F; C with bit 2] EAX[0] is 1 after CPUID or PAUSE where an "
              "inner region has ended",
      .caught = {"skylake-2018 on 1 tsx_abort_status FAIL"},
      .quantity = ENDED_STATUS, .number = TX_CAUSE_INSTRUCTION, .set = 1)
