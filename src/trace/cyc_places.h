/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cyc_places.h - which packets of a trace have a CYC of their own.
 *
 * SDM 3C, Intel Processor Trace, "Cycle-Accurate Mode": packets that are
 * CYC-eligible.
 */
#ifndef SRC_TRACE_CYC_PLACES_H
#define SRC_TRACE_CYC_PLACES_H

#include "src/trace/window.h"

enum cyc_place {
    CYC_OF_TNT,
    CYC_OF_PIP,
    CYC_OF_PGE,
    CYC_OF_PGD,
    CYC_OF_MTC,
    CYC_OF_TX,    /* MODE.TSX of a begin or a commit */
    CYC_OF_ABORT, /* MODE.TSX of an abort */
    CYC_OF_EVENT, /* the TIP of an exception, which a FUP is before */
    CYC_OF_PTW,
    CYC_PLACES
};

/* all: packets; with: those with a CYC since the last branch or MTC, or the
 * last of their kind. Not what follows a PSB+, whose CYC may be its own. zeros:
 * CYC that come in the cycle of another. */
struct cyc_places {
    unsigned all[CYC_PLACES], with[CYC_PLACES], zeros;
};

/* Adds those of the trace in memory. */
void cyc_places_count(const struct trace *p, struct cyc_places *places);
/* Those of a trace of this window with these bits of IA32_RTIT_CTL more. */
void cyc_places_trace(struct trace *p, struct window *w, uint64_t bits,
                      struct cyc_places *places);

/* Of packets of each kind half come after a CYC of their own, or more: some
 * come in the cycle of another one, which has it. Of MTC and PTW any does:
 * there is a branch in most cycles. No CYC says 0 cycles since another. */
void cyc_places_check(struct test_context *t, const char *where,
                      const struct cyc_places *places);

/* Cycles of the first CYC of the trace in memory, or of all. */
uint64_t cyc_cycles(const struct trace *p, bool all);

#endif
