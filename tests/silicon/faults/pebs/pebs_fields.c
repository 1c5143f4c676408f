/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_fields.c - what goes wrong with the fields of PEBS records. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/pebs/pebs.h"

FAULT(pebs_ip_while_traced,
      .what = "[any with Processor Trace] EventingIP is RIP while TraceEn is 1",
      .caught = {"skylake-2017 on 1 pt_while_sampling FAIL"})

FAULT(pebs_rax_while_traced,
      .what = "[any with Processor Trace] RAX is 0 while TraceEn is 1",
      .caught = {"skylake-2017 on 1 pt_while_sampling FAIL"})

FAULT(pebs_state_before,
      .what = "[any] RFLAGS and RSP of a record are those before the "
              "instruction",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL"},
      .quantity = REGISTERS_BEFORE, .number = ANY_NUMBER,
      .set = BIT(PEBS_RFLAGS) | BIT(PEBS_RSP))

FAULT(pebs_rbx_before,
      .what = "[any] RBX of a record is that before the instruction",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL"},
      .quantity = REGISTERS_BEFORE, .number = ANY_NUMBER, .set = BIT(PEBS_RBX))

FAULT(pebs_r13_before,
      .what = "[any] R13 of a record is that before the instruction",
      .caught = {"icelake-server on 1 pebs_in_contexts FAIL",
                 "alderlake on 1 pebs_in_contexts FAIL"},
      .quantity = REGISTERS_BEFORE, .number = ANY_NUMBER, .set = BIT(PEBS_R13))

FAULT(pebs_rep_ip_next,
      .what = "[any] EventingIP of a string instruction is after its REP",
      .caught = {"icelake-server on 1 pebs_in_contexts FAIL"},
      .breaks = REP_IS_EVENTING)

FAULT(pebs_rax_rbx_swapped, .what = "[any] RAX and RBX are swapped",
      .caught = {"skylake-2017 on 1 pebs_counter3 FAIL",
                 "skylake-2017 on 1 pebs_record_layout FAIL"})

FAULT(pebs_rcx_rdx_swapped, .what = "[any] RCX and RDX are swapped",
      .caught = {"skylake-2017 on 1 pebs_counter3 FAIL",
                 "skylake-2017 on 1 pebs_record_layout FAIL"})

FAULT(pebs_rsi_rdi_swapped, .what = "[any] RSI and RDI are swapped",
      .caught = {"skylake-2017 on 1 pebs_counter3 FAIL",
                 "skylake-2017 on 1 pebs_record_layout FAIL"})

FAULT(pebs_rbp_rsp_swapped, .what = "[any] RBP and RSP are swapped",
      .caught = {"skylake-2017 on 1 pebs_counter3 FAIL",
                 "skylake-2017 on 1 pebs_record_layout FAIL"})

FAULT(pebs_r10_r11_swapped, .what = "[any] R10 and R11 are swapped",
      .caught = {"skylake-2017 on 1 pebs_counter3 FAIL",
                 "skylake-2017 on 1 pebs_record_layout FAIL"})

FAULT(pebs_r12_r13_swapped, .what = "[any] R12 and R13 are swapped",
      .caught = {"skylake-2017 on 1 pebs_counter3 FAIL",
                 "skylake-2017 on 1 pebs_record_layout FAIL"})

FAULT(pebs_r14_r15_swapped, .what = "[any] R14 and R15 are swapped",
      .caught = {"skylake-2017 on 1 pebs_buffer_full FAIL",
                 "skylake-2017 on 1 pebs_counter3 FAIL"})

FAULT(pebs_r15_zero, .what = "[any] R15 is 0",
      .caught = {"skylake-2017 on 1 pebs_buffer_full FAIL",
                 "skylake-2017 on 1 pebs_counter3 FAIL"})

FAULT(pebs_rsp_off, .what = "[any] RSP is 8 more than it was",
      .caught = {"skylake-2017 on 1 pebs_counter3 FAIL",
                 "skylake-2017 on 1 pebs_record_layout FAIL"})

FAULT(pebs_rflags_zero, .what = "[any] RFLAGS is 0",
      .caught = {"skylake-2017 on 1 pebs_counter3 FAIL",
                 "skylake-2017 on 1 pebs_record_layout FAIL"})

FAULT(pebs_rflags_no_status, .what = "[any] the status flags are 0 in RFLAGS",
      .caught = {"skylake-2017 on 1 pebs_record_layout FAIL"})

FAULT(pebs_rflags_if, .what = "[any] RFLAGS.IF is set though it was not",
      .caught = {"skylake-2017 on 1 pebs_counter3 FAIL",
                 "skylake-2017 on 1 pebs_record_layout FAIL"})

FAULT(pebs_rflags_tf, .what = "[any] RFLAGS.TF is set though it was not",
      .caught = {"skylake-2017 on 1 pebs_counter3 FAIL",
                 "skylake-2017 on 1 pebs_record_layout FAIL"})

FAULT(pebs_rip_off, .what = "[any] RIP is one byte after the next instruction",
      .caught = {"skylake-2017 on 1 pebs_eventing_ip FAIL",
                 "skylake-2017 on 1 pebs_hle_abort FAIL"})

FAULT(pebs_eventing_ip_zero,
      .what = "[any with record format 2 or 3] EventingIP is 0",
      .caught = {"skylake-2017 on 1 pebs_eventing_ip FAIL",
                 "skylake-2017 on 1 pebs_inside_tx FAIL"})

FAULT(pebs_eventing_ip_line,
      .what = "[any with record format 2 or 3] EventingIP is aligned downwards "
              "to 16 bytes",
      .caught = {"skylake-2017 on 1 pebs_eventing_ip FAIL",
                 "skylake-2017 on 1 pebs_tx_abort FAIL"})

FAULT(pebs_tsc_32_bits, .what = "[any with record format 3] TSC[63:32] is 0",
      .caught = {"skylake-2017 on 1 pebs_tsc FAIL"})

FAULT(pebs_tsc_zero, .what = "[any with record format 3] TSC is 0",
      .caught = {"skylake-2017 on 1 pebs_tsc FAIL"})

FAULT(pebs_tsc_ahead,
      .what =
          "[any with record format 3] TSC is that of a tenth of a second later",
      .caught = {"skylake-2017 on 1 pebs_tsc FAIL",
                 "skylake-2018 on 1 pebs_in_contexts FAIL"})

FAULT(pebs_registers_32_bits, .what = "[any] bits 63:32 of the registers are 0",
      .caught = {"skylake-2017 on 1 pebs_buffer_full FAIL",
                 "skylake-2017 on 1 pebs_counter3 FAIL"})

FAULT(pebs_rax_stale, .what = "[any] RAX is that of the record before",
      .caught = {"skylake-2017 on 1 pebs_record_layout FAIL"})

FAULT(pebs_tsc_of_previous,
      .what = "[any with record format 3] TSC is that of the record before",
      .caught = {"skylake-2017 on 1 pebs_tsc FAIL"})

FAULT(pebs_cycles_missing,
      .what = "[any with record format 2 or 3] B8H[31:0] is 0 in all records "
              "that are of no abort",
      .caught = {"skylake-2017 on 1 pebs_tx_cycles FAIL"})

FAULT(pebs_status_no_fixed,
      .what = "[any with record format 1 or 2] 90H lacks the fixed counters",
      .caught = {"haswell on 1 pebs_applicable_counter FAIL"})

FAULT(pebs_status_bit61,
      .what = "[any with record format 1 or 2] 90H[61] is set",
      .caught = {"haswell on 1 pebs_applicable_counter FAIL"})

FAULT(pebs_applicable_bit62,
      .what = "[any with record format 3] 90H[62] is set",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL"})

FAULT(pebs_status_own_only,
      .what = "[any with record format 1 or 2] 90H does not show overflows of "
              "other counters",
      .caught = {"haswell on 1 pebs_applicable_counter FAIL"})

FAULT(pebs_status_after,
      .what = "[any with record format 1 or 2] 90H lacks the counter that the "
              "record is of",
      .caught = {"haswell on 1 pebs_applicable_counter FAIL",
                 "haswell on 1 pebs_counter3 FAIL"})

FAULT(pebs_applicable_status,
      .what = "[any with record format 3] 90H is GLOBAL_STATUS, as in format 2",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL"})

FAULT(pebs_applicable_index,
      .what = "[any with record format 3] 90H is the number of the counter",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL",
                 "skylake-2017 on 1 pebs_counter3 FAIL"})

FAULT(pebs_applicable_shifted,
      .what = "[any with record format 3] 90H names the counter after",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL",
                 "skylake-2017 on 1 pebs_counter3 FAIL"})

/* clang-format off */
static const struct {
    enum fault_id fault;
    uint8_t a, b;
} swaps[] = {
    {FAULT_pebs_rax_rbx_swapped, PEBS_RAX, PEBS_RBX},
    {FAULT_pebs_rcx_rdx_swapped, PEBS_RCX, PEBS_RDX},
    {FAULT_pebs_rsi_rdi_swapped, PEBS_RSI, PEBS_RDI},
    {FAULT_pebs_rbp_rsp_swapped, PEBS_RBP, PEBS_RSP},
    {FAULT_pebs_r10_r11_swapped, PEBS_R10, PEBS_R11},
    {FAULT_pebs_r12_r13_swapped, PEBS_R12, PEBS_R13},
    {FAULT_pebs_r14_r15_swapped, PEBS_R14, PEBS_R15},
};

/* In this order. */
static const struct {
    enum fault_id fault;
    uint8_t word;
    uint64_t and, or, add;
} changes[] = {
    {FAULT_pebs_r15_zero, PEBS_R15, 0, 0, 0},
    {FAULT_pebs_rsp_off, PEBS_RSP, UINT64_MAX, 0, 8},
    {FAULT_pebs_rflags_zero, PEBS_RFLAGS, 0, 0, 0},
    {FAULT_pebs_rflags_no_status, PEBS_RFLAGS, ~UINT64_C(0x8D5), 0, 0},
    {FAULT_pebs_rflags_if, PEBS_RFLAGS, UINT64_MAX, BIT(9), 0},
    {FAULT_pebs_rflags_tf, PEBS_RFLAGS, UINT64_MAX, BIT(8), 0},
    {FAULT_pebs_rip_off, PEBS_RIP, UINT64_MAX, 0, 1},
    {FAULT_pebs_eventing_ip_zero, WORD_EVENTING_IP, 0, 0, 0},
    {FAULT_pebs_eventing_ip_line, WORD_EVENTING_IP, ~UINT64_C(15), 0, 0},
    {FAULT_pebs_tsc_32_bits, WORD_TSC, BITS(31, 0), 0, 0},
    {FAULT_pebs_tsc_zero, WORD_TSC, 0, 0, 0},
    {FAULT_pebs_tsc_ahead, WORD_TSC, UINT64_MAX, 0, 300000000},
};

static const struct {
    enum fault_id fault;
    bool format3;
    uint64_t and, or;
} states[] = {
    {FAULT_pebs_status_no_fixed, false, ~BITS(34, 32), 0},
    {FAULT_pebs_status_bit61, false, UINT64_MAX, BIT(61)},
    {FAULT_pebs_applicable_bit62, true, UINT64_MAX, BIT(62)},
};
/* clang-format on */

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static void change_status(const struct processor *p, uint64_t counters,
                          uint64_t *status)
{
    bool format3 = pebs_format(p) >= 3;

    for (size_t n = 0; n < ROWS(states); n++)
        if (has_fault(p, states[n].fault) && states[n].format3 == format3)
            *status = (*status & states[n].and) | states[n].or ;
    if (has_fault(p, FAULT_pebs_status_own_only) && !format3)
        *status &= counters;
    if (has_fault(p, FAULT_pebs_status_after) && !format3)
        *status &= ~counters;
    if (has_fault(p, FAULT_pebs_applicable_status) && format3)
        *status = p->pmu.global_status;
    if (has_fault(p, FAULT_pebs_applicable_index) && format3)
        *status = counters != 0 ? (uint64_t)__builtin_ctzll(counters) : 0;
    if (has_fault(p, FAULT_pebs_applicable_shifted) && format3)
        *status <<= 1;
}

static void change_while_traced(const struct processor *p, uint64_t *words)
{
    if (!pt_tracing(p))
        return;
    if (has_fault(p, FAULT_pebs_ip_while_traced))
        words[WORD_EVENTING_IP] = words[PEBS_RIP];
    if (has_fault(p, FAULT_pebs_rax_while_traced))
        words[PEBS_RAX] = 0;
}

static void take_previous(struct processor *p, uint64_t *word)
{
    uint64_t now = *word;

    *word = p->faults.previous_word;
    p->faults.previous_word = now;
}

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t was = *a;

    *a = *b;
    *b = was;
}

void faults_pebs_fields(struct processor *p, uint64_t counters, uint64_t *words)
{
    for (size_t n = 0; n < ROWS(swaps); n++)
        if (has_fault(p, swaps[n].fault))
            swap(&words[swaps[n].a], &words[swaps[n].b]);
    for (size_t n = 0; n < ROWS(changes); n++)
        if (has_fault(p, changes[n].fault)) {
            uint64_t *word = &words[changes[n].word];

            *word = ((*word & changes[n].and) | changes[n].or) + changes[n].add;
        }
    for (unsigned n = PEBS_RAX; n < PEBS_REGISTERS; n++)
        if (has_fault(p, FAULT_pebs_registers_32_bits))
            words[n] &= BITS(31, 0);
    if (has_fault(p, FAULT_pebs_rax_stale))
        take_previous(p, &words[PEBS_RAX]);
    if (has_fault(p, FAULT_pebs_tsc_of_previous))
        take_previous(p, &words[WORD_TSC]);
    if (has_fault(p, FAULT_pebs_cycles_missing) && !p->pebs.of_abort)
        words[WORD_TX_ABORT] = 0;
    change_status(p, counters, &words[WORD_STATUS]);
    change_while_traced(p, words);
}
