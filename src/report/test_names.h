/* SPDX-License-Identifier: BSD-2-Clause */
/* test_names.h - the names of all tests, for what speaks of one by its name:
 * one that no file in src/cases/ has does not compile. */
#ifndef SRC_REPORT_TEST_NAMES_H
#define SRC_REPORT_TEST_NAMES_H

enum test_id {
#define CASE(name) TEST_##name,
#include "cases.inc"
#undef CASE
    TEST_IDS
};

/* Never NULL. */
static inline const char *test_name(enum test_id id)
{
    static const char *const names[] = {
#define CASE(name) #name,
#include "cases.inc"
#undef CASE
    };

    return names[id];
}

#endif
