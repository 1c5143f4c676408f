/* SPDX-License-Identifier: BSD-2-Clause */
/* tx_information.c - what goes wrong with the TX Abort Information, and the
 * addresses, of an abort: SDM volume 3B, "TX Abort Information Field
 * Definition". */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/tsx/tsx.h"

FAULT(info_short_while_traced,
      .what = "[A B F] B8H[39:34] of the record of an abort are 0 while "
              "TraceEn is 1",
      .caught = {"skylake-2017 on 1 pt_sampled_aborts FAIL"})

FAULT(info_34_with_conflict,
      .what = "[A B F; C with bit 2] B8H[34] is set too after a conflict",
      .caught = {"haswell on 2 pebs_tx_conflict FAIL"})

FAULT(info_conflict_missing,
      .what = "[A B F; C with bit 2] B8H[37] is never set",
      .caught = {"haswell on 2 pebs_tx_conflict FAIL"})

FAULT(info_conflict_with_xabort,
      .what = "[A B F; C with bit 2] B8H[37] is set after XABORT",
      .caught = {"haswell on 2 pebs_tx_abort FAIL"})

FAULT(info_kind_of_reads_missing,
      .what = "[A B F; C with bit 2] B8H[35:34] are 0 where reads exceed the "
              "capacity",
      .caught = {"haswell on 1 pebs_tx_abort FAIL"})

FAULT(info_kind_of_writes_missing,
      .what = "[A B F; C with bit 2] B8H[35:34] are 0 where writes exceed the "
              "capacity",
      .caught = {"haswell on 1 pebs_tx_abort FAIL"})

FAULT(info_writes_missing, .what = "[A B F; C with bit 2] B8H[38] is never set",
      .caught = {"haswell on 1 pebs_tx_abort FAIL"})

FAULT(info_rtm_missing,
      .what =
          "[A B F; C with bit 2] B8H[33] is not set in the record of an abort",
      .caught = {"haswell on 1 pebs_inside_tx FAIL",
                 "haswell on 1 pebs_tx_abort FAIL"})

FAULT(info_both_kinds, .what = "[A B F; C with bit 2] B8H[33:32] are both set",
      .caught = {"haswell on 1 pebs_hle_abort FAIL",
                 "haswell on 1 pebs_inside_tx FAIL"})

FAULT(info_reserved_set, .what = "[A B F; C with bit 2] B8H[40] is set",
      .caught = {"haswell on 1 pebs_hle_abort OBSERVED",
                 "haswell on 1 pebs_inside_tx OBSERVED"})

FAULT(info_34_35_swapped,
      .what = "[A B F; C with bit 2] B8H[34] and B8H[35] are swapped",
      .caught = {"skylake-2017 on 2 pebs_hle_abort FAIL"})

FAULT(info_38_39_swapped,
      .what = "[A B F; C with bit 2] B8H[38] and B8H[39] are swapped",
      .caught = {"haswell on 1 pebs_tx_abort FAIL"})

FAULT(info_cycles_constant,
      .what = "[A B F; C with bit 2] B8H[31:0] is always the same",
      .caught = {"haswell on 1 pebs_tx_cycles FAIL",
                 "haswell on 1 pebs_hle_abort FAIL"})

FAULT(info_cycles_go_on,
      .what = "[A B F; C with bit 2] B8H[31:0] counts from the transaction "
              "before, too",
      .caught = {"skylake-2017 on 2 pebs_hle_abort FAIL"})

FAULT(info_cycles_doubled,
      .what = "[A B F; C with bit 2] B8H[31:0] is the square of the cycles",
      .caught = {"skylake-2017 on 2 pebs_hle_abort FAIL"})

FAULT(info_eventing_ip_begin,
      .what = "[A B F; C with bit 2] EventingIP of an abort is the fallback of "
              "its transaction",
      .caught = {"haswell on 1 pebs_inside_tx FAIL",
                 "haswell on 1 pebs_tx_abort FAIL"})

FAULT(info_hle_rip_acquire,
      .what = "[A with HLE] RIP of an HLE abort is the XACQUIRE itself",
      .caught = {"haswell on 1 pebs_hle_abort FAIL"})

FAULT(info_hle_ip_inner,
      .what = "[A with HLE] EventingIP of an HLE abort is not the start of an "
              "instruction",
      .caught = {"skylake-2017 on 2 pebs_hle_abort FAIL"})

#define OF(cause) BIT(TX_CAUSE_##cause)
#define KINDS     (TX_INFO_INSTRUCTION | TX_INFO_NON_INSTRUCTION)

/* clang-format off */
static const struct {
    enum fault_id fault;
    uint64_t causes, clear, set;
} rows[] = {
    {FAULT_info_34_with_conflict, OF(CONFLICT), 0, TX_INFO_INSTRUCTION},
    {FAULT_info_conflict_missing, UINT64_MAX, TX_INFO_CONFLICT, 0},
    {FAULT_info_conflict_with_xabort, OF(XABORT), 0, TX_INFO_CONFLICT},
    {FAULT_info_kind_of_reads_missing, OF(READS), KINDS, 0},
    {FAULT_info_kind_of_writes_missing, OF(WRITES), KINDS, 0},
    {FAULT_info_writes_missing, UINT64_MAX, TX_INFO_WRITES, 0},
    {FAULT_info_rtm_missing, UINT64_MAX, TX_INFO_RTM, 0},
    {FAULT_info_both_kinds, UINT64_MAX, 0, TX_INFO_RTM | TX_INFO_HLE},
    {FAULT_info_reserved_set, UINT64_MAX, 0, BIT(40)},
};
/* clang-format on */

static uint64_t swap_bits(uint64_t value, uint64_t a, uint64_t b)
{
    uint64_t rest = value & ~(a | b);

    return rest | ((value & a) != 0 ? b : 0) | ((value & b) != 0 ? a : 0);
}

static uint64_t cycles(const struct processor *p, uint64_t value)
{
    if (has_fault(p, FAULT_info_cycles_constant))
        value = 100;
    if (has_fault(p, FAULT_info_cycles_doubled))
        value *= value;
    return value & BITS(31, 0);
}

uint64_t faults_tx_information(const struct processor *p,
                               const struct tx_abort *how, uint64_t value)
{
    if (p->machine->fault == FAULT_none)
        return value;
    value = (value & ~BITS(31, 0)) | cycles(p, value & BITS(31, 0));
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        if (has_fault(p, rows[n].fault) && (rows[n].causes >> how->cause & 1))
            value = (value & ~rows[n].clear) | rows[n].set;
    if (p->tsx.user)
        value =
            faults_quantity(p->machine, RING3_INFORMATION, how->cause, value);
    if (how->depth > 1)
        value =
            faults_quantity(p->machine, INNER_INFORMATION, how->cause, value);
    if (has_fault(p, FAULT_info_34_35_swapped))
        value = swap_bits(value, TX_INFO_INSTRUCTION, TX_INFO_NON_INSTRUCTION);
    if (has_fault(p, FAULT_info_38_39_swapped))
        value = swap_bits(value, TX_INFO_WRITES, TX_INFO_READS);
    return value;
}

bool faults_cycles_go_on(const struct processor *p)
{
    return has_fault(p, FAULT_info_cycles_go_on);
}

/* What a record of this abort lacks. */
static void spoil_record(struct processor *p, const struct tx_abort *how)
{
    const struct machine *m = p->machine;
    struct last_abort *abort = &p->tsx.last_abort;

    if (p->tsx.user && how->cause == TX_CAUSE_INSTRUCTION &&
        !faults_rule(m, how->depth > 1 ? NESTED_CPUID_INFO : RING3_CPUID_INFO,
                     true))
        abort->information ^= TX_INFO_INSTRUCTION | TX_INFO_NON_INSTRUCTION;
    if (p->tsx.hle && !faults_rule(m, ELISION_HAS_CONFLICT, true))
        abort->information &= ~TX_INFO_CONFLICT;
    if (p->tsx.hle && how->cause == TX_CAUSE_CONFLICT &&
        !faults_rule(m, ELISION_CONFLICT_ALONE, true))
        abort->information |= TX_INFO_WRITES;
    if (p->tsx.hle && !faults_rule(m, ELISION_HAS_CAPACITY, true))
        abort->information &= ~(TX_INFO_READS | TX_INFO_WRITES);
    if (how->depth > 1 && !faults_rule(m, NESTED_HAS_CONFLICT, true))
        abort->information &= ~TX_INFO_CONFLICT;
    if (how->cause == TX_CAUSE_CONFLICT && p->faults.was_read &&
        !faults_rule(m, READS_HAVE_CONFLICT, true))
        abort->information &= ~TX_INFO_CONFLICT;
    if (how->cause == TX_CAUSE_CONFLICT &&
        !faults_rule(m, CONFLICT_HAS_IP, true))
        abort->eventing_ip = 0;
    if ((how->depth > 1 && !faults_rule(m, NESTED_SETS_CYCLES, true)) ||
        (p->tsx.user && !faults_rule(m, RING3_SETS_CYCLES, true)) ||
        ((how->cause == TX_CAUSE_READS || how->cause == TX_CAUSE_WRITES) &&
         !faults_rule(m, CAPACITY_SETS_CYCLES, true)))
        abort->information &= ~(uint64_t)UINT32_MAX;
}

void faults_tx_record(struct processor *p, const struct tx_abort *how)
{
    struct last_abort *abort = &p->tsx.last_abort;

    spoil_record(p, how);
    if (has_fault(p, FAULT_info_eventing_ip_begin))
        abort->eventing_ip = how->resume_ip;
    if (has_fault(p, FAULT_info_hle_rip_acquire) && p->tsx.hle)
        abort->resume_ip = how->begin_ip;
    if (has_fault(p, FAULT_info_hle_ip_inner) && p->tsx.hle)
        abort->eventing_ip++;
    if (has_fault(p, FAULT_info_short_while_traced) && pt_tracing(p))
        abort->information &= BITS(33, 0);
}

FAULT(info_hle_conflict_missing,
      .what = "[A with HLE] B8H[37] is 0 in records of HLE aborts",
      .caught = {"haswell on 2 pebs_tx_conflict FAIL"},
      .breaks = ELISION_HAS_CONFLICT)

FAULT(info_hle_conflict_capacity,
      .what = "[A with HLE] B8H[38] is 1 too in records of HLE aborts by a "
              "conflict",
      .caught = {"haswell on 2 pebs_tx_conflict FAIL"},
      .breaks = ELISION_CONFLICT_ALONE)

FAULT(info_hle_capacity_missing,
      .what = "[A with HLE] B8H[39:38] are 0 in records of HLE aborts",
      .caught = {"haswell on 1 pebs_hle_abort FAIL"},
      .breaks = ELISION_HAS_CAPACITY)

FAULT(info_conflict_without_ip,
      .what = "[A B F; C with bit 2] EventingIP of an abort by a conflict is 0",
      .caught = {"skylake-2018 on 2 pebs_tx_conflict FAIL"},
      .breaks = CONFLICT_HAS_IP)

FAULT(info_nested_cycles_zero,
      .what = "[A B F; C with bit 2] B8H[31:0] is 0 after an abort in a nested "
              "region",
      .caught = {"skylake-2018 on 1 pebs_tx_cycles FAIL"},
      .breaks = NESTED_SETS_CYCLES)

FAULT(info_ring3_cpuid_late,
      .what = "[A B F; C with bit 2] after CPUID at ring 3 B8H has "
              "Non_Instruction_Abort in place of Instruction_Abort",
      .caught = {"skylake-2017 on 1 pebs_in_contexts FAIL",
                 "icelake-server on 1 pebs_in_contexts FAIL"},
      .breaks = RING3_CPUID_INFO)

FAULT(info_nested_writes_missing,
      .what = "[A B F; C with bit 2] B8H[38] is 0 after too many stores in a "
              "nested region",
      .caught = {"haswell on 1 pebs_tx_abort FAIL"},
      .quantity = INNER_INFORMATION, .number = TX_CAUSE_WRITES,
      .clear = BIT(38))

FAULT(info_nested_reads_missing,
      .what = "[A B F; C with bit 2] B8H[39] is 0 after too many loads in a "
              "nested region",
      .caught = {"haswell on 1 pebs_tx_abort FAIL"},
      .quantity = INNER_INFORMATION, .number = TX_CAUSE_READS, .clear = BIT(39))

FAULT(info_nested_cpuid_late,
      .what = "[A B F; C with bit 2] after CPUID in a nested region at ring 3 "
              "B8H has Non_Instruction_Abort in place of Instruction_Abort",
      .caught = {"skylake-2017 on 1 pebs_in_contexts FAIL"},
      .breaks = NESTED_CPUID_INFO)

FAULT(info_ring3_retry_missing,
      .what = "[A B F; C with bit 2] B8H[36] is 0 after a conflict at ring 3",
      .caught = {"skylake-2017 on 2 pebs_tx_conflict FAIL",
                 "icelake-server on 2 pebs_tx_conflict FAIL"},
      .quantity = RING3_INFORMATION, .number = TX_CAUSE_CONFLICT,
      .clear = TX_INFO_RETRY)

FAULT(info_ring3_conflict_missing,
      .what = "[A B F; C with bit 2] B8H[37] is 0 after a conflict at ring 3",
      .caught = {"skylake-2017 on 2 pebs_tx_conflict FAIL"},
      .quantity = RING3_INFORMATION, .number = TX_CAUSE_CONFLICT,
      .clear = TX_INFO_CONFLICT)

FAULT(info_inner_pause_late,
      .what = "[A B F; C with bit 2] B8H[35:34] are 0 after PAUSE or CPUID in "
              "a nested region",
      .caught = {"skylake-2017 on 1 pebs_tx_abort FAIL"},
      .quantity = INNER_INFORMATION, .number = TX_CAUSE_INSTRUCTION,
      .clear = KINDS)

FAULT(info_deep_of_nothing,
      .what = "[A B F; C with bit 2] B8H[35:34] are 0 where one XBEGIN is too "
              "many",
      .caught = {"haswell on 1 pebs_tx_abort FAIL",
                 "icelake-server on 1 pebs_tx_abort FAIL"},
      .quantity = INFORMATION, .number = TX_CAUSE_NESTING, .clear = KINDS)

FAULT(info_deep_conflicts,
      .what = "[A B F; C with bit 2] B8H[37] is 1 where one XBEGIN is too many",
      .caught = {"skylake-2017 on 1 pebs_tx_abort FAIL"},
      .quantity = INFORMATION, .number = TX_CAUSE_NESTING,
      .set = TX_INFO_CONFLICT)

FAULT(info_memory_type_of_nothing,
      .what = "[A B F; C with bit 2] B8H[35:34] are 0 after a load of "
              "uncacheable memory",
      .caught = {"haswell on 1 pebs_tx_abort FAIL"}, .quantity = INFORMATION,
      .number = TX_CAUSE_MEMORY_TYPE, .clear = KINDS)

FAULT(info_memory_type_conflicts,
      .what = "[A B F; C with bit 2] B8H[37] is 1 after a load of uncacheable "
              "memory",
      .caught = {"haswell on 1 pebs_tx_abort FAIL"}, .quantity = INFORMATION,
      .number = TX_CAUSE_MEMORY_TYPE, .set = TX_INFO_CONFLICT)

FAULT(info_ring3_writes_missing,
      .what =
          "[A B F; C with bit 2] B8H[38] is 0 after too many stores at ring 3",
      .caught = {"skylake-2017 on 1 pebs_in_contexts FAIL",
                 "icelake-server on 1 pebs_in_contexts FAIL"},
      .quantity = RING3_INFORMATION, .number = TX_CAUSE_WRITES,
      .clear = TX_INFO_WRITES)

FAULT(info_ring3_writes_are_reads,
      .what = "[A B F; C with bit 2] B8H[39] is 1 too after too many stores at "
              "ring 3",
      .caught = {"skylake-2017 on 1 pebs_in_contexts FAIL",
                 "icelake-server on 1 pebs_in_contexts FAIL"},
      .quantity = RING3_INFORMATION, .number = TX_CAUSE_WRITES,
      .set = TX_INFO_READS)

FAULT(
    info_ring3_reads_missing,
    .what = "[A B F; C with bit 2] B8H[39] is 0 after too many loads at ring 3",
    .caught = {"skylake-2017 on 1 pebs_in_contexts FAIL",
               "icelake-server on 1 pebs_in_contexts FAIL"},
    .quantity = RING3_INFORMATION, .number = TX_CAUSE_READS,
    .clear = TX_INFO_READS)

FAULT(
    info_ring3_reads_conflict,
    .what =
        "[A B F; C with bit 2] B8H[37] is 1 too after too many loads at ring 3",
    .caught = {"skylake-2017 on 1 pebs_in_contexts FAIL",
               "icelake-server on 1 pebs_in_contexts FAIL"},
    .quantity = RING3_INFORMATION, .number = TX_CAUSE_READS,
    .set = TX_INFO_CONFLICT)

FAULT(info_ring3_event_of_nothing,
      .what =
          "[A B F; C with bit 2] B8H[35:34] are 0 after an interrupt at ring 3",
      .caught = {"skylake-2017 on 1 pebs_in_contexts FAIL",
                 "icelake-server on 1 pebs_in_contexts FAIL"},
      .quantity = RING3_INFORMATION, .number = TX_CAUSE_EVENT, .clear = KINDS)

FAULT(info_ring3_event_instruction,
      .what = "[A B F; C with bit 2] B8H[34] is 1 after an interrupt at ring 3",
      .caught = {"skylake-2017 on 1 pebs_in_contexts FAIL",
                 "icelake-server on 1 pebs_in_contexts FAIL"},
      .quantity = RING3_INFORMATION, .number = TX_CAUSE_EVENT, .clear = KINDS,
      .set = TX_INFO_INSTRUCTION)

FAULT(info_ring3_event_conflicts,
      .what = "[A B F; C with bit 2] B8H[37] is 1 after an interrupt at ring 3",
      .caught = {"skylake-2017 on 1 pebs_in_contexts FAIL",
                 "icelake-server on 1 pebs_in_contexts FAIL"},
      .quantity = RING3_INFORMATION, .number = TX_CAUSE_EVENT,
      .set = TX_INFO_CONFLICT)

FAULT(info_read_conflict_missing,
      .what = "[A B F; C with bit 2] B8H[37] is 0 where another processor only "
              "reads what was written",
      .caught = {"skylake-2018 on 2 pebs_tx_conflict FAIL",
                 "sapphirerapids on 2 pebs_tx_conflict FAIL"},
      .breaks = READS_HAVE_CONFLICT)

FAULT(info_missing_by_1,
      .what = "[A B F; C with bit 2] B8H[39:32] are 0 in the record of an "
              "abort that IA32_PMC1 makes",
      .caught = {"haswell on 1 pebs_tx_abort FAIL",
                 "skylake-2017 on 1 pebs_tx_abort FAIL"},
      .breaks = ABORT_RECORD_OF_1)
