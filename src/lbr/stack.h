/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack.h - the last branch records of this logical processor: emptied, taken
 * around a window, read, judged.
 *
 * SDM 3B, "IA32_DEBUGCTL MSR", "LBR Stack", "Filtering of Last Branch Records";
 * of architectural ones, where IA32_LBR_CTL is in place of the two, and there
 * is no TOS: "Last Branch Records" of later editions. Needs NEED_INTEL,
 * NEED_LBR. Every register of the stack goes into the journal first, for the
 * processor writes to them too; what turns it on goes last, so that it is given
 * back before them. Meanwhile the stack is emptied before each window, by
 * writes of 0, or of IA32_LBR_DEPTH.
 */
#ifndef SRC_LBR_STACK_H
#define SRC_LBR_STACK_H

#include "asm/trace_window.h"
#include "src/harness/case.h"
#include "src/lbr/branches.h"

struct lbr {
    struct test_context *t;
    struct lbr_model model;
    uint64_t off;    /* IA32_DEBUGCTL (1D9H) outside of windows, LBR = 0 */
    uint64_t select; /* MSR_LBR_SELECT of windows */
    uint32_t msr;    /* whose [0] turns it on: 1D9H, or IA32_LBR_CTL (14CEH) */
    bool saved;      /* the journal has all entries */
    uint8_t *gates;  /* the IDT in windows; NULL: as it is */
    uint32_t zeros;  /* entries that the window before left so, a bit each */
    /* After a window. */
    unsigned tos_before, tos;                 /* MSR_LASTBRANCH_TOS */
    struct lbr_record records[LBR_DEPTH_MAX]; /* the newest first */
};

/* False, with a SKIP, where something else uses them, or Processor Trace; with
 * a FAIL where a register is not there; or where an access faulted (ERROR is
 * said). */
bool lbr_claim(struct lbr *l, struct test_context *t);

/* MSR n of an entry's one to three, and how many that is. */
unsigned lbr_entry_msrs(const struct lbr_model *model);
uint32_t lbr_entry_msr(const struct lbr_model *model, unsigned n,
                       unsigned entry);

/* The flags that the register of an entry with flags holds, and which of its
 * registers that is. Of transactions it need not without TSX (erratum HSD172).
 */
uint64_t lbr_flags(const struct lbr *l);
unsigned lbr_flags_in(const struct lbr_model *model);

/* What l->msr is while branches are recorded by l->select. The bit's name:
 * "IA32_DEBUGCTL (1D9H)[0], LBR". */
uint64_t lbr_on(const struct lbr *l);
const char *lbr_enable_name(const struct lbr *l);
/* Takes over l->select, outside of windows. */
bool lbr_filter(struct lbr *l);
/* Records branches from now on or not, with these bits of IA32_DEBUGCTL beside
 * l->off. The second is for windows: lbr_hold() before. */
bool lbr_turn(struct lbr *l, uint64_t debugctl, bool on);
bool lbr_hold(struct lbr *l);
bool lbr_turn_held(struct lbr *l, uint64_t debugctl, bool on);
bool lbr_is_on(struct lbr *l);

/* An access to one of its registers, of which 345H[5:0] says that it is there.
 * False, with a FAIL, where it faulted. */
bool lbr_put(struct lbr *l, uint32_t msr, uint64_t value);
bool lbr_get(struct lbr *l, uint32_t msr, uint64_t *value);

/* All zeros. */
bool lbr_empty(struct lbr *l);
/* Reads records and tos, by the TOS. */
bool lbr_read(struct lbr *l);
/* Of those read the newest of an abort; where none is, the oldest. */
const struct lbr_record *lbr_newest_abort(const struct lbr *l);

/* Empties it, runs work(argument), which records while it likes, reads it;
 * again where an SMI came between. What was empty after the window before is
 * taken to be so still: who records elsewhere calls lbr_empty(). */
bool lbr_around(struct lbr *l, bool (*work)(struct lbr *l, void *argument),
                void *argument);
/* The same of trace_window(); code.body, argument and count are the caller's.
 */
bool lbr_window(struct lbr *l, struct trace_window *code);
bool lbr_body(struct lbr *l, const uint8_t *body);

/* Records and TOS after a window against what it has to leave. Says nothing
 * where all is as wanted. `what` is for the line. */
bool lbr_judge(struct lbr *l, const char *what,
               const struct lbr_branches *want);
/* lbr_branches_of() and lbr_branches_select(), measured and judged. False where
 * it could not be measured. */
bool lbr_check(struct lbr *l, const char *what, const uint8_t *body,
               const struct lbr_row *rows);

/* Some windows of a body of LBR_BITS branches that are taken at random, judged;
 * in_tx: those of a transaction that commits (cells[0] = 1) alone. Some
 * are to have MISPRED, and cycles. False where one could not be measured, or
 * records are not as wanted (said). */
struct lbr_random {
    unsigned records, mispredicted; /* with MISPRED */
};
bool lbr_check_random(struct lbr *l, const char *what, const uint8_t *body,
                      const struct lbr_row *rows, bool in_tx,
                      struct lbr_random *random);

#endif
