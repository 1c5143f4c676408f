/* SPDX-License-Identifier: BSD-2-Clause */
/* case_list.c - the list of tests; build/gen/cases.inc has a CASE(name) for
 * each. */
#include "src/session/case_list.h"

#define CASE(name) extern const struct test test_##name;
#include "cases.inc"
#undef CASE

const struct test *const *case_list(void)
{
    static const struct test *const list[] = {
#define CASE(name) &test_##name,
#include "cases.inc"
#undef CASE
        NULL};

    return list;
}
