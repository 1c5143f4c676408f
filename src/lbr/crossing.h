/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crossing.h - last branch records of windows that go to ring 3 and come back.
 */
#ifndef SRC_LBR_CROSSING_H
#define SRC_LBR_CROSSING_H

#include "src/counting/ring3.h"
#include "src/lbr/stack.h"

struct lbr_crossing {
    struct ring3_session s;
    uint64_t (*window)(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
    const struct lbr_row *rows; /* of its taken branches */
};

/* window_ring3(). False as of ring3_prepare(). */
bool lbr_crossing_prepare(struct lbr_crossing *c, struct lbr *l);
/* window_ring3_body() at ring 3, with this one, from now on. */
void lbr_crossing_body(struct lbr_crossing *c, const uint8_t *body,
                       const struct lbr_row *rows);

/* All branches of its window; and that window, measured. */
void lbr_crossing_branches(struct lbr_branches *b,
                           const struct lbr_crossing *c);
bool lbr_crossing_window(struct lbr *l, struct lbr_crossing *c);

/* Of windows of their own: a return that goes elsewhere; branches in no regular
 * order, MISPRED of them, and how the cycles of two tell how long each waited;
 * transactions, with the record of an abort. */
void lbr_crossing_returns(struct lbr *l, struct lbr_crossing *c);
void lbr_crossing_random(struct lbr *l, struct lbr_crossing *c);
void lbr_crossing_transaction(struct lbr *l, struct lbr_crossing *c);

/* Without the others: with FREEZE_LBRS_ON_PMI IA32_PMC0 overflows at ring 3,
 * which stops the recording there. After bank_claim(), for all branches (l->
 * select = 0). False where it could not be measured, or the records are frozen
 * still. */
bool lbr_crossing_freeze(struct lbr *l);

/* The same amid transactions, of which the overflow of a counter with IN_TX
 * aborts one; its interrupt comes at the fallback (SDM 1, "Runtime
 * Considerations"): far branches alone are captured, and of both there is a
 * record; with FREEZE_LBRS_ON_PMI it stops the recording. Where transactions
 * can commit; after bank_claim(), which has left the places. */
bool lbr_transaction_freeze(struct lbr *l, uint64_t places);

#endif
