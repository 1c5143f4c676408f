/* SPDX-License-Identifier: BSD-2-Clause */
/* pt.c - what goes wrong with Processor Trace: packets, registers, output. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/pt/pt.h"

FAULT(pt_fup_missing, .what = "[PT and TSX] MODE.TSX comes without its FUP",
      .caught = {"skylake-2017 on 1 pt_rtm_commit FAIL"})

FAULT(pt_mode_after_fup, .what = "[PT and TSX] MODE.TSX comes after its FUP",
      .caught = {"broadwell on 1 pt_rtm_commit FAIL"})

FAULT(pt_begin_ip_next,
      .what = "[PT and TSX] the FUP of a begin is the instruction after it",
      .caught = {"skylake-2018 on 1 pt_rtm_commit FAIL"})

FAULT(pt_commit_silent, .what = "[PT and TSX] a commit makes no packet",
      .caught = {"broadwell on 1 pt_hle_commit FAIL"})

FAULT(pt_abort_is_commit,
      .what = "[PT and TSX] MODE.TSX of an abort says TXAbort = 0",
      .caught = {"skylake-2017 on 1 pt_rtm_abort FAIL",
                 "broadwell on 1 pt_hle_abort FAIL"})

FAULT(pt_abort_ip_wrong,
      .what = "[PT and TSX] the FUP of an abort is where execution goes on",
      .caught = {"skylake-2017 on 1 pt_rtm_abort_by_fault FAIL",
                 "broadwell on 1 pt_rtm_abort_causes FAIL",
                 "skylake-2018 on 2 pt_rtm_abort_conflict FAIL"})

FAULT(pt_abort_target_wrong,
      .what = "[PT and TSX] the TIP of an abort is the aborting instruction",
      .caught = {"broadwell on 1 pt_rtm_abort FAIL"})

FAULT(pt_abort_tip_missing, .what = "[PT and TSX] an abort has no TIP",
      .caught = {"skylake-2018 on 1 pt_rtm_abort FAIL"})

FAULT(pt_packets_rolled_back,
      .what = "[PT and TSX] an abort takes back the packets since the begin",
      .caught = {"skylake-2017 on 1 pt_aborted_region_kept FAIL"})

FAULT(pt_branches_lost_in_tx,
      .what = "[PT and TSX] branches in a transaction make no packet",
      .caught = {"broadwell on 1 pt_aborted_region_kept FAIL"})

FAULT(pt_nested_packets,
      .what = "[PT and TSX] a nested begin or end makes packets",
      .caught = {"skylake-2017 on 1 pt_nested_silent FAIL"})

FAULT(pt_hle_silent, .what = "[PT and TSX] transactions of HLE make no packets",
      .caught = {"skylake-2017 on 1 pt_hle_commit FAIL"})

FAULT(pt_mode_without_branch_en,
      .what = "[PT and TSX] MODE.TSX and its FUP come with BranchEn = 0",
      .caught = {"skylake-2017 on 1 pt_no_branch_en FAIL"})

FAULT(pt_aborts_transaction,
      .what = "[PT and TSX] an instruction that is traced aborts its "
              "transaction",
      .caught = {"skylake-2017 on 1 pt_transaction_unchanged FAIL"})

FAULT(pt_psb_without_tx, .what = "[PT and TSX] PSB+ has no MODE.TSX",
      .caught = {"skylake-2017 on 1 pt_in_tx_in_psb FAIL"})

FAULT(pt_psb_never_in_tx,
      .what = "[PT and TSX] MODE.TSX in PSB+ always says InTX = 0",
      .caught = {"broadwell on 1 pt_in_tx_in_psb FAIL"})

FAULT(pt_last_ip_kept, .what = "[PT] PSB does not set last IP to 0",
      .caught = {"skylake-2017 on 1 pt_in_tx_in_psb FAIL"})

FAULT(pt_tnt_reversed, .what = "[PT] a TNT has the youngest branch first",
      .caught = {"skylake-2017 on 1 pt_aborted_region_kept FAIL"})

FAULT(pt_registers_unlocked,
      .what = "[PT] IA32_RTIT_OUTPUT_MASK_PTRS can be written while TraceEn = "
              "1",
      .caught = {"skylake-2017 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_UNLOCKED, .number = IA32_RTIT_OUTPUT_MASK_PTRS)

FAULT(pt_offset_error_missed,
      .what = "[PT] an OutputOffset beyond the output is no error",
      .caught = {"skylake-2017 on 1 pt_output_offset FAIL"})

FAULT(pt_topa_reserved_ignored,
      .what = "[PT] reserved bits of ToPA entries are ignored",
      .caught = {"broadwell on 1 pt_topa_reserved FAIL"})

FAULT(pt_stop_ignored, .what = "[PT] STOP of a ToPA entry is ignored",
      .caught = {"skylake-2017 on 1 pt_topa_output FAIL",
                 "broadwell on 1 pt_topa_output FAIL"})

FAULT(pt_int_missing,
      .what = "[PT] INT of a ToPA entry makes no interrupt and no status",
      .caught = {"skylake-2017 on 1 pt_topa_output FAIL"})

FAULT(pt_int_without_status,
      .what = "[PT] INT of a ToPA entry does not set GLOBAL_STATUS[55]",
      .caught = {"skylake-2017 on 1 pt_topa_output FAIL"})

FAULT(pt_topa_stays,
      .what = "[PT] the first region of a ToPA table is used again and again",
      .caught = {"skylake-2017 on 1 pt_topa_output FAIL"})

FAULT(pt_wrap_missing,
      .what = "[PT with single range] output goes on after the range, for as "
              "long again",
      .caught = {"skylake-2017 on 1 pt_range_wrap FAIL"})

static uint64_t reversed(uint64_t bits, unsigned count)
{
    uint64_t out = 0;

    for (; count > 0; count--, bits >>= 1)
        out = out << 1 | (bits & 1);
    return out;
}

uint64_t faults_tnt(const struct processor *p, uint64_t bits, unsigned count)
{
    return has_fault(p, FAULT_pt_tnt_reversed) ? reversed(bits, count) : bits;
}

bool faults_hide_branch(const struct processor *p)
{
    return p->pt.in_tx && has_fault(p, FAULT_pt_branches_lost_in_tx);
}

static const struct fault *entry_of(const struct processor *p)
{
    return fault_entry(p->machine->fault);
}

bool faults_pt(const struct processor *p, enum pt_rule rule, bool is)
{
    const struct fault *f = entry_of(p);

    return f->rule == rule ? f->is : is;
}

static uint64_t changed(const struct fault *f, uint64_t value)
{
    return ((value & ~f->clear) | f->set) + f->add;
}

uint64_t faults_pt_value(const struct processor *p, enum pt_value what,
                         uint64_t value)
{
    const struct fault *f = entry_of(p);

    return f->value == what ? changed(f, value) : value;
}

bool faults_pt_unlocked(const struct processor *p, uint32_t number)
{
    const struct fault *f = entry_of(p);

    return f->rule == PT_UNLOCKED && f->number == number;
}

uint64_t faults_pt_register(const struct processor *p, enum pt_value what,
                            uint32_t number, uint64_t value)
{
    const struct fault *f = entry_of(p);

    return f->value == what && f->number == number ? changed(f, value) : value;
}

static bool is_shared(const struct processor *p, uint32_t number)
{
    const struct fault *f = entry_of(p);

    return f->rule == PT_SHARED && f->number == number;
}

uint64_t faults_pt_shared(const struct processor *p, uint32_t number,
                          uint64_t value)
{
    return is_shared(p, number) ? p->machine->faults.pt_shared : value;
}

void faults_pt_written_to(struct processor *p, uint32_t number, uint64_t value)
{
    if (is_shared(p, number))
        p->machine->faults.pt_shared = value;
}

bool faults_trace_aborts(const struct processor *p)
{
    return has_fault(p, FAULT_pt_aborts_transaction) ||
           ((p->pt.ctl_active & RTIT_CYC_EN) != 0 &&
            !faults_pt(p, PT_TIMED_COMMITS, true));
}

bool faults_psb_has_tx(const struct processor *p, bool tx)
{
    return tx && !has_fault(p, FAULT_pt_psb_without_tx);
}

bool faults_psb_in_tx(const struct processor *p, bool in_tx)
{
    return in_tx && !has_fault(p, FAULT_pt_psb_never_in_tx);
}

uint64_t faults_psb_last_ip(const struct processor *p, uint64_t ip)
{
    return has_fault(p, FAULT_pt_last_ip_kept) ? p->pt.last_ip : ip;
}

bool faults_offset_accepted(const struct processor *p, bool inside)
{
    return inside || has_fault(p, FAULT_pt_offset_error_missed);
}

uint64_t faults_range_mask(const struct processor *p, uint64_t mask)
{
    return has_fault(p, FAULT_pt_wrap_missing) ? (mask << 1 | 1) : mask;
}

uint64_t faults_topa_reserved(const struct processor *p, uint64_t bits)
{
    return has_fault(p, FAULT_pt_topa_reserved_ignored) ? 0 : bits;
}

uint64_t faults_topa_stop(const struct processor *p, uint64_t bit)
{
    return has_fault(p, FAULT_pt_stop_ignored) ? 0 : bit;
}

bool faults_topa_int_missing(const struct processor *p)
{
    return has_fault(p, FAULT_pt_int_missing);
}

uint64_t faults_topa_status(const struct processor *p, uint64_t bit)
{
    return has_fault(p, FAULT_pt_int_without_status) ? 0 : bit;
}

uint64_t faults_topa_next(const struct processor *p, uint64_t step)
{
    return has_fault(p, FAULT_pt_topa_stays) ? 0 : step;
}

void faults_pt_written(struct processor *p)
{
    struct fault_state *f = &p->faults;

    if (!f->save_output)
        return;
    f->saved_base = p->pt.base;
    f->saved_pointers = p->pt.pointers;
    f->save_output = false;
}

bool faults_tx_traced(const struct processor *p, bool traced)
{
    if (has_fault(p, FAULT_pt_mode_without_branch_en))
        return pt_tracing(p) && p->pt.context_en;
    return traced && !(p->tsx.hle && has_fault(p, FAULT_pt_hle_silent));
}

bool faults_put_mode_tsx(struct processor *p, enum pt_tx_mode mode,
                         const uint64_t *fup)
{
    bool after = has_fault(p, FAULT_pt_mode_after_fup);

    if (fup == NULL || (!after && !has_fault(p, FAULT_pt_fup_missing)))
        return false;
    if (after)
        pt_put_ip(p, PT_FUP, fup);
    pt_put_mode_tsx(p, mode);
    return true;
}

const uint64_t *faults_tx_begin_ip(struct processor *p,
                                   const struct pt_step *now)
{
    p->faults.save_output = true;
    return has_fault(p, FAULT_pt_begin_ip_next) ? &now->next : &now->ip;
}

bool faults_hide_commit(const struct processor *p)
{
    return has_fault(p, FAULT_pt_commit_silent);
}

const uint64_t *faults_tx_abort_ip(const struct processor *p,
                                   const struct pt_step *now)
{
    return has_fault(p, FAULT_pt_abort_ip_wrong) ? &now->next : &now->ip;
}

enum pt_tx_mode faults_tx_abort_mode(const struct processor *p)
{
    return has_fault(p, FAULT_pt_abort_is_commit) ? PT_TX_NONE : PT_TX_ABORT;
}

/* What the transaction has written is to be written over. */
void faults_tx_aborts(struct processor *p)
{
    if (!has_fault(p, FAULT_pt_packets_rolled_back))
        return;
    p->pt.base = p->faults.saved_base;
    p->pt.pointers = p->faults.saved_pointers;
    p->pt.tnt_bits = p->pt.tnt_count = 0;
}

bool faults_hide_abort_tip(const struct processor *p)
{
    return has_fault(p, FAULT_pt_abort_tip_missing);
}

const uint64_t *faults_tx_target(const struct processor *p,
                                 const struct pt_step *now)
{
    return has_fault(p, FAULT_pt_abort_target_wrong) ? &now->ip : &now->next;
}

bool faults_show_nested(const struct processor *p)
{
    return has_fault(p, FAULT_pt_nested_packets);
}

bool faults_abort_traced(const struct processor *p, enum tx_cause cause)
{
    switch (cause) {
    case TX_CAUSE_WRITES:
    case TX_CAUSE_READS:
        return faults_pt(p, PT_ABORT_CAPACITY, true);
    case TX_CAUSE_CONFLICT:
        return faults_pt(p, PT_ABORT_CONFLICT, true);
    case TX_CAUSE_EVENT:
        return faults_pt(p, PT_ABORT_EVENT, true);
    case TX_CAUSE_DEBUG:
        return faults_pt(p, PT_ABORT_OTHER, true) &&
               faults_pt(p, PT_ABORT_OF_INT3, true);
    case TX_CAUSE_NESTING:
        return faults_pt(p, PT_ABORT_OTHER, true) &&
               faults_pt(p, PT_ABORT_OF_NESTING, true);
    default:
        return faults_pt(p, PT_ABORT_OTHER, true);
    }
}
