/* SPDX-License-Identifier: BSD-2-Clause */
/* tx_state.c - what an abort does not restore, and what the instructions of TSX
 * change that they should not. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/memory/lines.h"
#include "tests/silicon/model/tsx/tsx.h"

FAULT(abort_keeps_rcx,
      .what = "[A B F; C with bit 2] an abort does not restore RCX",
      .caught = {"skylake-2017 on 2 tsx_exceptions_abort FAIL",
                 "skylake-2017 on 2 tsx_aborting_instructions FAIL"})

FAULT(abort_keeps_rdi,
      .what = "[A B F; C with bit 2] an abort does not restore RDI",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(abort_keeps_rbp,
      .what = "[A B F; C with bit 2] an abort does not restore RBP",
      .caught = {"skylake-2017 on 1 tsx_exceptions_abort FAIL",
                 "skylake-2017 on 1 tsx_aborting_instructions FAIL"})

FAULT(abort_keeps_r8,
      .what = "[A B F; C with bit 2] an abort does not restore R8",
      .caught = {"skylake-2017 on 1 tsx_exceptions_abort FAIL",
                 "skylake-2017 on 1 tsx_aborting_instructions FAIL"})

FAULT(abort_keeps_r15,
      .what = "[A B F; C with bit 2] an abort does not restore R15",
      .caught = {"skylake-2017 on 1 tsx_exceptions_abort FAIL",
                 "skylake-2017 on 1 tsx_aborting_instructions FAIL"})

FAULT(abort_keeps_rsp,
      .what = "[A B F; C with bit 2] an abort does not restore RSP",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(abort_keeps_df,
      .what = "[A B F; C with bit 2] an abort does not restore RFLAGS.DF",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(abort_keeps_cf,
      .what = "[A B F; C with bit 2] an abort does not restore RFLAGS.CF",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(abort_keeps_af,
      .what = "[A B F; C with bit 2] an abort does not restore RFLAGS.AF",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(abort_keeps_x87_top,
      .what = "[A B F; C with bit 2] an abort does not restore the TOP of the "
              "x87 status word",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(abort_keeps_x87_control,
      .what = "[A B F; C with bit 2] an abort does not restore the control "
              "word of x87",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(abort_keeps_x87_tags,
      .what = "[A B F; C with bit 2] an abort does not restore which x87 "
              "registers are empty",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(abort_keeps_st0,
      .what = "[A B F; C with bit 2] an abort does not restore ST(0)",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(abort_keeps_mxcsr,
      .what = "[A B F; C with bit 2] an abort does not restore MXCSR",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(abort_keeps_xmm0,
      .what = "[A B F; C with bit 2] an abort does not restore XMM0",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(abort_keeps_xmm15,
      .what = "[A B F; C with bit 2] an abort does not restore XMM15",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(abort_keeps_ymm_high,
      .what = "[A B F; C with bit 2] an abort does not restore the upper "
              "halves of YMM0 to YMM15",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(abort_keeps_byte_63,
      .what = "[A B F; C with bit 2] an abort does not undo what was stored to "
              "the last byte of a line",
      .caught = {"skylake-2017 on 1 tsx_nesting FAIL",
                 "skylake-2017 on 1 tsx_rollback_bytes FAIL"})

FAULT(abort_keeps_byte_0,
      .what = "[A B F; C with bit 2] an abort does not undo what was stored to "
              "the first byte of a line",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL",
                 "skylake-2017 on 1 tsx_debug_breakpoint FAIL"})

FAULT(abort_keeps_second_line,
      .what = "[A B F; C with bit 2] an abort does not undo the second line of "
              "a store across two",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"})

FAULT(abort_keeps_second_page,
      .what = "[A B F; C with bit 2] an abort does not undo the second page of "
              "a store across two",
      .caught = {"skylake-2017 on 1 tsx_write_capacity FAIL"})

FAULT(abort_keeps_ninth_line,
      .what = "[A B F; C with bit 2] an abort does not undo the ninth line "
              "that the body stored to",
      .caught = {"skylake-2017 on 1 tsx_write_capacity FAIL"})

FAULT(abort_keeps_inner_stores,
      .what = "[A B F; C with bit 2] an abort does not undo what transactions "
              "within another have stored",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"})

FAULT(commit_loses_inner_stores,
      .what = "[A B F; C with bit 2] a commit loses what transactions within "
              "another have stored",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"})

FAULT(xbegin_clears_eax,
      .what = "[A B F; C with bit 2] an XBEGIN that begins a transaction also "
              "sets EAX to 0",
      .caught = {"skylake-2017 on 1 tsx_commit FAIL"})

FAULT(xbegin_sets_cf, .what = "[A B F; C with bit 2] XBEGIN sets RFLAGS.CF",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(xend_sets_zf,
      .what = "[A B F; C with bit 2] XEND that commits sets RFLAGS.ZF",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(ring3_abort_keeps_inner,
      .what = "[A B F; C with bit 2] an abort at ring 3 does not undo what an "
              "inner transaction has stored",
      .caught = {"skylake-2017 on 1 tsx_ring3_state FAIL"})

FAULT(ring3_xend_sets_zf,
      .what = "[A B F; C with bit 2] XEND that commits at ring 3 sets "
              "RFLAGS.ZF",
      .caught = {"skylake-2017 on 1 tsx_ring3_state FAIL"})

FAULT(ring3_xbegin_sets_cf,
      .what = "[A B F; C with bit 2] XBEGIN at ring 3 sets RFLAGS.CF",
      .caught = {"skylake-2017 on 1 tsx_ring3_state FAIL"})

FAULT(xend_changes_eax,
      .what = "[A B F; C with bit 2] XEND that commits sets EAX to 0",
      .caught = {"skylake-2017 on 1 tsx_commit FAIL"})

FAULT(xtest_sets_cf, .what = "[A B F; C with bit 2] XTEST sets RFLAGS.CF",
      .caught = {"skylake-2017 on 2 tsx_xtest FAIL"})

FAULT(xtest_zero_nested,
      .what = "[A B F; C with bit 2] XTEST sets ZF in a nested region",
      .caught = {"skylake-2017 on 1 tsx_nesting FAIL"})

FAULT(xabort_outside_sets_eax,
      .what = "[A B F; C with bit 2] XABORT outside a transaction changes EAX",
      .caught = {"skylake-2017 on 1 tsx_xabort_outside FAIL"})

FAULT(xabort_outside_sets_zf,
      .what = "[A B F; C with bit 2] XABORT outside a transaction sets ZF",
      .caught = {"skylake-2017 on 1 tsx_xabort_outside FAIL"})

FAULT(xtest_outside_sets_eax,
      .what = "[A B F; C with bit 2] XTEST outside a transaction sets EAX to 0",
      .caught = {"skylake-2017 on 1 tsx_xabort_outside FAIL"})

FAULT(nested_xbegin_sets_cf,
      .what = "[A B F; C with bit 2] a nested XBEGIN sets CF",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(deep_xbegin_sets_cf,
      .what = "[A B F; C with bit 2] an XBEGIN at the third level sets CF",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(inner_xend_eax,
      .what = "[A B F; C with bit 2] the XEND of a nested region sets EAX to 0",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(inner_xend_commits,
      .what = "[A B F; C with bit 2] the XEND of a nested region ends the "
              "transaction",
      .caught = {"skylake-2017 on 1 tsx_nesting FAIL"})

/* In the order of struct gprs, then RSP. */
enum {
    RBX_,
    RCX_,
    RDX_,
    RSI_,
    RDI_,
    RBP_,
    R8_,
    R9_,
    R10_,
    R11_,
    R12_,
    R13_,
    R14_,
    R15_,
    RSP_,
    GPRS_
};

/* clang-format off */
static const struct {
    enum fault_id fault;
    uint32_t registers;
} kept[] = {
    {FAULT_abort_keeps_rcx, 1u << RCX_},
    {FAULT_abort_keeps_rdi, 1u << RDI_},
    {FAULT_abort_keeps_rbp, 1u << RBP_},
    {FAULT_abort_keeps_r8, 1u << R8_},
    {FAULT_abort_keeps_r15, 1u << R15_},
    {FAULT_abort_keeps_rsp, 1u << RSP_},
};

/* SDM volume 1, "FXSAVE Area" and "XSAVE Area"; XSTATE_BV is the first byte of
 * the header. */
#define FXSAVE_FCW  0
#define FXSAVE_FSW  2
#define FXSAVE_FTW  4
#define FXSAVE_MXCSR 24
#define FXSAVE_ST0  32
#define FXSAVE_XMM(n) (160 + 16 * (n))
#define XSTATE_BV   512
#define XSTATE_YMM  4u
#define XSAVE_YMM   576

static const struct {
    enum fault_id fault;
    uint16_t at, bytes;
} pieces[] = {
    {FAULT_abort_keeps_x87_control, FXSAVE_FCW, 2},
    {FAULT_abort_keeps_x87_top, FXSAVE_FSW, 2},
    {FAULT_abort_keeps_x87_tags, FXSAVE_FTW, 1},
    {FAULT_abort_keeps_st0, FXSAVE_ST0, 10},
    {FAULT_abort_keeps_mxcsr, FXSAVE_MXCSR, 4},
    {FAULT_abort_keeps_xmm0, FXSAVE_XMM(0), 16},
    {FAULT_abort_keeps_xmm15, FXSAVE_XMM(15), 16},
    {FAULT_abort_keeps_ymm_high, XSAVE_YMM, 256},
};

static const struct {
    enum fault_id fault;
    uint64_t flags;
} flags_kept[] = {
    {FAULT_abort_keeps_df, BIT(10)},
    {FAULT_abort_keeps_cf, BIT(0)},
    {FAULT_abort_keeps_af, BIT(4)},
};
/* clang-format on */

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

uint32_t faults_kept_registers(const struct processor *p,
                               const struct tx_decision *decision, bool hle)
{
    (void)hle;
    uint32_t keep = decision->leak_registers ? (1u << RSP_) - 1 : 0;

    for (size_t n = 0; n < ROWS(kept); n++)
        if (has_fault(p, kept[n].fault))
            keep |= kept[n].registers;
    return keep;
}

uint64_t faults_kept_flags(const struct processor *p)
{
    for (size_t n = 0; n < ROWS(flags_kept); n++)
        if (has_fault(p, flags_kept[n].fault))
            return flags_kept[n].flags;
    return 0;
}

bool faults_keep_extended(const struct processor *p)
{
    for (size_t n = 0; n < ROWS(pieces); n++)
        if (has_fault(p, pieces[n].fault))
            return true;
    return has_fault(p, FAULT_abort_keeps_mxcsr_ftz);
}

void faults_kept_extended(const struct processor *p, uint8_t *saved,
                          const uint8_t *now)
{
    for (size_t n = 0; n < ROWS(pieces); n++)
        for (size_t at = pieces[n].at; has_fault(p, pieces[n].fault) &&
                                       at < pieces[n].at + pieces[n].bytes;
             at++)
            saved[at] = now[at];
    if (has_fault(p, FAULT_abort_keeps_mxcsr_ftz)) /* bit 15 */
        saved[FXSAVE_MXCSR + 1] = (uint8_t)((saved[FXSAVE_MXCSR + 1] & 0x7F) |
                                            (now[FXSAVE_MXCSR + 1] & 0x80));
    if (has_fault(p, FAULT_abort_keeps_ymm_high))
        saved[XSTATE_BV] = (uint8_t)((saved[XSTATE_BV] & ~XSTATE_YMM) |
                                     (now[XSTATE_BV] & XSTATE_YMM));
}

uint64_t faults_undone(const struct processor *p, unsigned nth,
                       uint64_t address, bool second, uint64_t stored)
{
    if (has_fault(p, FAULT_abort_keeps_byte_63))
        stored &= ~BIT(63);
    if (has_fault(p, FAULT_abort_keeps_byte_0))
        stored &= ~BIT(0);
    if (has_fault(p, FAULT_abort_keeps_second_line) && second)
        stored = 0;
    if (has_fault(p, FAULT_abort_keeps_second_page) && address % 4096 == 0)
        stored &= ~BITS(6, 0);
    if (has_fault(p, FAULT_abort_keeps_ninth_line) && nth == 8)
        stored = 0;
    return stored;
}

bool faults_undoes(const struct processor *p, bool inner, bool undo)
{
    if (inner && undo)
        return !has_fault(p, FAULT_abort_keeps_inner_stores) &&
               (!p->tsx.user || !has_fault(p, FAULT_ring3_abort_keeps_inner));
    return undo || (inner && has_fault(p, FAULT_commit_loses_inner_stores));
}

#define AT_3 BIT(63) /* at ring 3 alone; no flag */
/* clang-format off */
static const struct {
    enum fault_id fault;
    enum instruction_kind kind;
    unsigned least, most; /* levels after it */
    uint64_t eax; /* a mask: these bits are cleared */
    uint64_t flags;
} changes[] = {
    {FAULT_xbegin_clears_eax, INSTRUCTION_XBEGIN, 1, 1, 0xFFFFFFFF, 0},
    {FAULT_xbegin_sets_cf, INSTRUCTION_XBEGIN, 1, 1, 0, BIT(0)},
    {FAULT_xend_sets_zf, INSTRUCTION_XEND, 0, 0, 0, BIT(6)},
    {FAULT_ring3_xend_sets_zf, INSTRUCTION_XEND, 0, 0, 0, AT_3 | BIT(6)},
    {FAULT_ring3_xbegin_sets_cf, INSTRUCTION_XBEGIN, 1, 1, 0, AT_3 | BIT(0)},
    {FAULT_xend_changes_eax, INSTRUCTION_XEND, 0, 0, 0xFFFFFFFF, 0},
    {FAULT_xabort_outside_sets_zf, INSTRUCTION_XABORT, 0, 0, 0, BIT(6)},
    {FAULT_xtest_outside_sets_eax, INSTRUCTION_XTEST, 0, 0, 0xFFFFFFFF, 0},
    {FAULT_nested_xbegin_sets_cf, INSTRUCTION_XBEGIN, 2, 99, 0, BIT(0)},
    {FAULT_deep_xbegin_sets_cf, INSTRUCTION_XBEGIN, 3, 3, 0, BIT(0)},
    {FAULT_inner_xend_eax, INSTRUCTION_XEND, 1, 99, 0xFFFFFFFF, 0},
    {FAULT_xtest_sets_cf, INSTRUCTION_XTEST, 0, 99, 0, BIT(0)},
    {FAULT_xtest_zero_nested, INSTRUCTION_XTEST, 2, 99, 0, BIT(6)},
    {FAULT_xabort_outside_sets_eax, INSTRUCTION_XABORT, 0, 0, 0xFFFFFFFF, 0},
};
/* clang-format on */

void faults_tx_instruction(const struct processor *p,
                           enum instruction_kind kind, unsigned depth,
                           uint64_t *rax, uint64_t *rflags)
{
    for (size_t n = 0; n < ROWS(changes); n++)
        if (has_fault(p, changes[n].fault) && kind == changes[n].kind &&
            depth >= changes[n].least && depth <= changes[n].most &&
            ((changes[n].flags & AT_3) == 0 || p->tsx.user)) {
            *rax &= ~changes[n].eax;
            *rflags |= changes[n].flags & ~AT_3;
        }
}

bool faults_inner_commits(const struct processor *p)
{
    return has_fault(p, FAULT_inner_xend_commits);
}
