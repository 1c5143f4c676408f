/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * context_rows.h - events of the body of ring3_window.h, for counts of it at
 * each level, in and out of transactions. Pure.
 *
 * SDM 3B, "Pre-defined Architectural Performance Events", and the tables of
 * events of the 4th to 6th generation; later: Intel's lists, ICX, SPR and LNL.
 */
#ifndef SRC_COUNTING_CONTEXT_ROWS_H
#define SRC_COUNTING_CONTEXT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

enum context_kind {
    INSTRUCTIONS,
    BRANCHES,
    EVENTS,
    CORE, /* cycles */
    PAIRS,
    ONCE,
    SOME,
    CLOCK
};

struct context_row {
    const char *what;
    uint64_t select;
    enum context_kind kind;
    uint16_t tables;   /* whose tables have it; 0: all */
    unsigned ends;     /* events before and after the body */
    bool all;          /* tried everywhere */
    uint32_t kinds;    /* of accesses: RING3_BODY_LOAD .. */
    uint64_t requests; /* of MSR_OFFCORE_RSP_0, whose event it is then */
};

/* The first two are INSTRUCTIONS and BRANCHES. */
extern const struct context_row context_rows[];
extern const unsigned context_row_count;

/* Accesses of the body that an event of D0H is of, at least. */
uint64_t context_accesses(const struct context_row *row);
/* What the assembler counts; 0 where it does not. */
uint64_t context_written(const struct context_row *row);

#endif
