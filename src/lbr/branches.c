/* SPDX-License-Identifier: BSD-2-Clause */
/* branches.c - expected branches, and records beside them. */
#include "src/lbr/branches.h"

#include <stddef.h>

#include "asm/trace_window.h"

static uint64_t at(const void *label)
{
    return (uint64_t)(uintptr_t)label;
}

void lbr_branches_clear(struct lbr_branches *b, const uint8_t *body)
{
    b->count = 0;
    b->many = false;
    b->taken_back = false;
    b->body = at(body);
}

void lbr_branches_add(struct lbr_branches *b, uint32_t kind, uint64_t from,
                      uint64_t to)
{
    if (b->count < LBR_BRANCHES_MAX)
        b->at[b->count++] = (struct lbr_branch){kind, from, to};
}

void lbr_branches_row(struct lbr_branches *b, const struct lbr_row *row,
                      uint32_t more)
{
    lbr_branches_add(b, row->kind | more,
                     b->body + (uint64_t)(int64_t)row->from,
                     b->body + (uint64_t)(int64_t)row->to);
}

void lbr_branches_of(struct lbr_branches *b, const uint8_t *body,
                     const struct lbr_row *rows)
{
    lbr_branches_clear(b, body);
    lbr_branches_add(b, LBR_IND_JMP, at(trace_window_on_next), b->body);
    for (; rows->kind != LBR_END; rows++)
        lbr_branches_row(b, rows, 0);
    lbr_branches_add(b, LBR_REL_JMP, b->body + (uint64_t)(int64_t)rows->from,
                     at(trace_window_off));
}

/* Whether a branch at ring 3, or at ring 0, is captured. */
static bool level_captured(uint64_t select, bool user)
{
    return (select &
            (user ? MSR_LBR_SELECT_CPL_NEQ_0 : MSR_LBR_SELECT_CPL_EQ_0)) == 0;
}

void lbr_branches_select(struct lbr_branches *b, uint64_t select,
                         bool architectural)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < b->count; i++) {
        struct lbr_branch branch = b->at[i];
        const bool from =
            level_captured(select, (branch.kind & LBR_FROM_USR) != 0);
        const bool to = level_captured(select, (branch.kind & LBR_TO_USR) != 0);

        if ((select & MSR_LBR_SELECT_KIND(branch.kind & LBR_KIND)) != 0 ||
            (!to && (!from || architectural)))
            continue;
        if (from != to && architectural)
            branch.from = LBR_FROM_OTHER;
        else if (from != to)
            branch.kind |= LBR_MAY;
        b->at[kept++] = branch;
    }
    b->count = kept;
}

const char *lbr_kind_name(uint32_t kind)
{
    static const char *const names[LBR_KINDS] = {
        [LBR_END] = "no record",
        [LBR_JCC] = "a conditional branch",
        [LBR_REL_CALL] = "a relative call",
        [LBR_IND_CALL] = "an indirect call",
        [LBR_RET] = "a near return",
        [LBR_IND_JMP] = "an indirect jump",
        [LBR_REL_JMP] = "a relative jump",
        [LBR_FAR] = "a far branch",
    };

    if ((kind & LBR_ABORT) != 0)
        return "an abort";
    return (kind & LBR_KIND) < LBR_KINDS ? names[kind & LBR_KIND] : "?";
}

void lbr_branches_bits(struct lbr_branches *b, const struct lbr_branches *all,
                       unsigned first, uint64_t bits)
{
    *b = *all;
    b->count = 0;
    for (unsigned n = 0; n < all->count; n++)
        if (n < first || n >= first + LBR_BITS ||
            (bits >> (n - first) & 1) != 0)
            b->at[b->count++] = all->at[n];
}

/* BR_TYPE of a kind; any far one from 8 on. Of aborts the manual does not say.
 */
static bool is_of_type(uint32_t kind, unsigned type)
{
    static const uint8_t types[LBR_KINDS] = {
        [LBR_JCC] = 0,      [LBR_IND_JMP] = 1,  [LBR_REL_JMP] = 2,
        [LBR_IND_CALL] = 3, [LBR_REL_CALL] = 4, [LBR_RET] = 5,
    };

    return (kind & LBR_ABORT) != 0 ||
           ((kind & LBR_KIND) == LBR_FAR ? type >= 8
                                         : type == types[kind & LBR_KIND]);
}

/* NULL where the record is that branch's. */
static const char *differs(const struct lbr_branches *b,
                           const struct lbr_branch *want,
                           const struct lbr_model *model,
                           const struct lbr_record *got)
{
    const bool abort = (want->kind & LBR_ABORT) != 0;
    const bool next = (want->kind & LBR_OR_NEXT) != 0 &&
                      got->from == want->from + LBR_INT_BYTES;

    if ((want->kind & LBR_INSIDE) != 0 ? got->from - b->body >= LBR_BODY_BYTES
                                       : got->from != want->from && !next)
        return "the source address";
    if (got->to != want->to)
        return "the target address";
    if (got->malformed)
        return "the sign extension of an address, or a reserved bit,";
    if (model->types && !is_of_type(want->kind, got->type))
        return "BR_TYPE";
    if (!model->tsx)
        return NULL;
    if (got->abort != abort)
        return "TSX_ABORT";
    /* Of an abort's own record the manual does not say. */
    if (!abort && (want->kind & LBR_MAY) == 0 &&
        got->in_tx != ((want->kind & LBR_IN_TX) != 0))
        return "IN_TSX";
    return NULL;
}

static bool is_empty(const struct lbr_record *record)
{
    return record->from == 0 && record->to == 0;
}

struct lbr_difference lbr_compare(const struct lbr_branches *want,
                                  const struct lbr_model *model,
                                  const struct lbr_record *records,
                                  unsigned *count)
{
    struct lbr_difference d = {.wrong = NULL};
    unsigned next = want->count;

    for (*count = 0; *count < model->depth; ++*count) {
        const struct lbr_record *got = &records[*count];

        d.record = *count;
        for (d.wrong = NULL; next != 0; next--) {
            d.want = want->at[next - 1];
            d.wrong = differs(want, &d.want, model, got);
            if (d.wrong == NULL || (d.want.kind & LBR_MAY) == 0)
                break;
        }
        if (next == 0) {
            d.want = (struct lbr_branch){.kind = LBR_END};
            d.wrong = is_empty(got) || want->taken_back
                          ? NULL
                          : "that there is a record";
            return d;
        }
        if (d.wrong != NULL)
            return d;
        next--;
    }
    return d;
}
