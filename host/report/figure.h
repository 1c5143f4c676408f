/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * figure.h - a line of evidence, by its shape: docs/report.grammar, from WHO
 * on. A shape is the first of these that the line fits.
 */
#ifndef HOST_REPORT_FIGURE_H
#define HOST_REPORT_FIGURE_H

#include "host/report/span.h"

enum shape {
    SHAPE_FAIL,    /* a check that failed: what */
    SHAPE_TROUBLE, /* the tool could not look: what */
    SHAPE_ERRATUM, /* failed as erratum `what` says: more */
    SHAPE_SKIP,    /* what */
    SHAPE_CUT,     /* a lines were left out */
    SHAPE_FEW,     /* a trials are fewer than b */
    SHAPE_MAY,     /* what was OBSERVED, or not, in a of b */
    SHAPE_COUNTED, /* what counted a to b */
    SHAPE_CHANGE,  /* what: before a, after b */
    SHAPE_VALUE,   /* what = a */
    SHAPE_SHARE,   /* what: a of b */
    SHAPE_AMOUNT,  /* a, of what */
    SHAPE_NAMED,   /* what: more */
    SHAPE_SENTENCE,
};

/* Several processors' numbers: least and most. */
struct range {
    uint64_t least, most;
};

struct figure {
    enum shape shape;
    struct span processors; /* "0-1"; empty where none are named */
    struct span what, more;
    struct range a, b;
    bool observed; /* of SHAPE_MAY: it was */
};

/* False where the line begins as those of the run do ("# running ..."). */
bool figure_read(struct span line, struct figure *out);

/* The rule's name in docs/report.grammar: "fail", "may". */
const char *figure_shape(enum shape shape);
/* How many of a and b the shape has: 0 to 2; *hexadecimal: as registers are
 * said. */
unsigned figure_numbers(enum shape shape, bool *hexadecimal);

#endif
