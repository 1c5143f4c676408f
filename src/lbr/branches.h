/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branches.h - the branches that a window is known to take, and records
 * compared with them. Pure.
 */
#ifndef SRC_LBR_BRANCHES_H
#define SRC_LBR_BRANCHES_H

#include "asm/lbr_bodies.h"
#include "src/lbr/record.h"

/* In `kind` beside the bits of lbr_bodies.h; from: anywhere in the body. */
#define LBR_INSIDE 0x4000u
/* From there, or from the next instruction, LBR_INT_BYTES further. */
#define LBR_OR_NEXT   0x8000u
#define LBR_INT_BYTES 2

#define LBR_BODY_BYTES 256u /* LBR_INSIDE, from its start on */

struct lbr_branch {
    uint32_t kind; /* enum lbr_kind, with bits */
    uint64_t from, to;
};

#define LBR_BRANCHES_MAX 96
struct lbr_branches {
    unsigned count;  /* in the order of execution */
    uint64_t body;   /* its address */
    bool many;       /* before them are more, of no stated number */
    bool taken_back; /* records were: what else is in the stack is not said */
    struct lbr_branch at[LBR_BRANCHES_MAX];
};

/* None; that body. */
void lbr_branches_clear(struct lbr_branches *b, const uint8_t *body);
void lbr_branches_add(struct lbr_branches *b, uint32_t kind, uint64_t from,
                      uint64_t to);
/* One row of its body, with these bits more. */
void lbr_branches_row(struct lbr_branches *b, const struct lbr_row *row,
                      uint32_t more);
/* All of trace_window() with this body: the jump into it, the rows, the jump
 * out of it. */
void lbr_branches_of(struct lbr_branches *b, const uint8_t *body,
                     const struct lbr_row *rows);
/* All of these but, of the LBR_BITS from the first on, those whose bit is 0. */
void lbr_branches_bits(struct lbr_branches *b, const struct lbr_branches *all,
                       unsigned first, uint64_t bits);

/* What MSR_LBR_SELECT = select leaves of them. A branch that changes the
 * privilege level may be left or not where the two levels differ in that; of
 * architectural records the level that it reaches decides, and one from a level
 * that is left out has LBR_FROM_OTHER as its source ("CPL-Based Filtering"). */
#define LBR_FROM_OTHER UINT64_MAX
void lbr_branches_select(struct lbr_branches *b, uint64_t select,
                         bool architectural);

const char *lbr_kind_name(uint32_t kind);

/* Where records and branches differ. */
struct lbr_difference {
    const char *wrong;      /* NULL: nowhere */
    unsigned record;        /* 0: the newest */
    struct lbr_branch want; /* kind LBR_END: no record */
};

/* `records`, the newest first, `depth` of them, all zeros before the window.
 * *count: how many of them are of the branches. */
struct lbr_difference lbr_compare(const struct lbr_branches *want,
                                  const struct lbr_model *model,
                                  const struct lbr_record *records,
                                  unsigned *count);

#endif
