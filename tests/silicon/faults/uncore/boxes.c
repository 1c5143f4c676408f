/* SPDX-License-Identifier: BSD-2-Clause */
/* boxes.c - what goes wrong with the bits of the uncore's registers and of
 * MSR_OFFCORE_RSP_x. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/uncore/uncore_msr.h"

FAULT(uncore_stop_clears_selects,
      .what = "[any with an uncore] EN of the C-Boxes' selects becomes 0 where "
              "the global one does",
      .caught = {"skylake-2018 on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_STOP_KEEPS_EN)

FAULT(lookups_of_processor_0,
      .what = "[any with an uncore] lookups of other processors are not "
              "counted",
      .caught = {"skylake-2018 on 2 uncore_cboxes FAIL"},
      .breaks = LOOKUPS_OF_ALL)

FAULT(uncore_select_drops_ovf_en,
      .what = "[any client] OVF_EN of a box stays 0",
      .caught = {"haswell on 1 uncore_pmi FAIL"})

FAULT(uncore_counter_32_bits,
      .what = "[any client] counters of boxes have 32 bits",
      .caught = {"haswell on 1 uncore_pmi FAIL"})

FAULT(uncore_fixed_44_bits,
      .what = "[any client] MSR_UNC_PERF_FIXED_CTR has 44 bits",
      .caught = {"haswell on 1 uncore_pmi FAIL"})

FAULT(uncore_fixed_read_only,
      .what = "[any client] a write of MSR_UNC_PERF_FIXED_CTR is lost",
      .caught = {"haswell on 1 uncore_pmi FAIL"})

FAULT(uncore_ctrl_drops_freeze,
      .what = "[any client] MSR_UNC_PERF_GLOBAL_CTRL[31] stays 0",
      .caught = {"haswell on 1 uncore_pmi FAIL"})

FAULT(uncore_pmi_not_asked_for,
      .what = "[any client] an interrupt of the uncore comes without "
              "DEBUGCTL[13]",
      .caught = {"haswell on 1 uncore_pmi FAIL"})

FAULT(uncore_lookup_state_inverted,
      .what = "[any client] C-Boxes take lines that are there for invalid "
              "ones",
      .caught = {"haswell on 1 uncore_cboxes FAIL"})

FAULT(uncore_lookup_swapped,
      .what = "[any client] C-Boxes take reads for writes",
      .caught = {"haswell on 1 uncore_cboxes FAIL"})

FAULT(offcore_any_ignored,
      .what = "[any] MSR_OFFCORE_RSP_x[16] changes nothing",
      .caught = {"haswell on 1 offcore_counts FAIL"})

FAULT(offcore_any_always,
      .what = "[any] MSR_OFFCORE_RSP_x counts every supplier and snoop",
      .caught = {"haswell on 1 offcore_counts FAIL"})

FAULT(offcore_needs_no_supplier,
      .what = "[any] MSR_OFFCORE_RSP_x counts with a snoop and no supplier",
      .caught = {"haswell on 1 offcore_counts FAIL"})

FAULT(offcore_request_swapped,
      .what = "[any] MSR_OFFCORE_RSP_x takes reads for RFOs",
      .caught = {"haswell on 1 offcore_counts FAIL"})

FAULT(offcore_no_request,
      .what = "[any] MSR_OFFCORE_RSP_x counts reads without a request bit",
      .caught = {"haswell on 1 offcore_counts FAIL"})

FAULT(offcore_zero_is_all,
      .what = "[any] MSR_OFFCORE_RSP_x = 0 counts every request",
      .caught = {"haswell on 1 offcore_counts FAIL",
                 "icelake-server on 1 offcore_counts FAIL"})

FAULT(offcore_two_counters,
      .what = "[any] off-core response counts on IA32_PMC0 and 1 alone",
      .caught = {"haswell on 1 offcore_counts FAIL"})

static bool is_select(uint32_t number)
{
    return (number >= MSR_UNC_CBO_0_PERFEVTSEL0 &&
            number % MSR_UNC_CBO_STRIDE < 2) ||
           number - MSR_UNC_ARB_PERFEVTSEL0 < 2;
}

static bool is_counter(uint32_t number)
{
    return (number >= MSR_UNC_CBO_0_PERFEVTSEL0 &&
            number % MSR_UNC_CBO_STRIDE >= 6) ||
           number - MSR_UNC_ARB_PERFCTR0 < 2;
}

static uint64_t select_value(const struct machine *m, uint64_t value)
{
    switch (m->fault) {
    case FAULT_uncore_select_drops_ovf_en:
        return value & ~UNCORE_OVF_EN;
    default:
        return value;
    }
}

static uint64_t ctrl_value(const struct machine *m, uint64_t value)
{
    switch (m->fault) {
    case FAULT_uncore_ctrl_drops_freeze:
        return value & ~UNCORE_CTRL_FREEZE;
    default:
        return value;
    }
}

uint64_t faults_uncore_value(const struct machine *m, uint32_t number,
                             uint64_t value)
{
    if (m->fault == FAULT_none)
        return value;
    if (number == m->cpu->uncore->global_ctrl)
        return ctrl_value(m, value);
    if (number == MSR_UNC_PERF_FIXED_CTR &&
        fault_is(m, FAULT_uncore_fixed_44_bits))
        return value & UNCORE_MASK;
    if (number == MSR_UNC_PERF_FIXED_CTR &&
        fault_is(m, FAULT_uncore_fixed_read_only))
        return m->uncore.fixed;
    if (is_counter(number) && fault_is(m, FAULT_uncore_counter_32_bits))
        return value & BITS(31, 0);
    return is_select(number) ? select_value(m, value) : value;
}

unsigned faults_lookup_state(const struct machine *m, unsigned state)
{
    if (fault_is(m, FAULT_uncore_lookup_state_inverted))
        return state == 8 ? 2 : 8;
    return state;
}

unsigned faults_lookup_by(const struct machine *m, unsigned by)
{
    return fault_is(m, FAULT_uncore_lookup_swapped) ? by ^ 0x30 : by;
}

bool faults_uncore_enabled(const struct processor *p, bool enabled)
{
    return enabled || has_fault(p, FAULT_uncore_pmi_not_asked_for);
}

uint64_t faults_offcore_response(const struct processor *p, uint64_t response)
{
    switch (p->machine->fault) {
    case FAULT_offcore_any_needs_snoop:
        return (response & BITS(30, 17)) != 0 ? response & ~BIT(16) : response;
    case FAULT_offcore_any_ignored:
        return response & ~BIT(16);
    case FAULT_offcore_any_always:
        return response | BIT(16);
    case FAULT_offcore_needs_no_supplier:
        return (response & BITS(37, 31)) != 0 ? response | BITS(30, 17)
                                              : response;
    case FAULT_offcore_request_swapped:
        return (response & ~BITS(1, 0)) | (response & 1) << 1 |
               (response >> 1 & 1);
    case FAULT_offcore_no_request:
        return response | BIT(0);
    case FAULT_offcore_zero_is_all:
        return response == 0 ? BITS(16, 0) : response;
    default:
        return response;
    }
}

unsigned faults_offcore_counters(const struct processor *p, unsigned counters)
{
    return has_fault(p, FAULT_offcore_two_counters) ? 2 : counters;
}
