/* SPDX-License-Identifier: BSD-2-Clause */
/* rows.c - that a test has tried all that it is to try (case.h): with a row
 * lost it would pass, and nobody would see. */
#include "src/harness/context.h"

unsigned rows_begin(struct test_context *t, unsigned rows)
{
    t->rows += rows;
    t->checks_before_row = t->checks;
    return rows;
}

void row_ended(struct test_context *t)
{
    t->rows_tried += t->checks != t->checks_before_row;
    t->checks_before_row = t->checks;
}
