/* SPDX-License-Identifier: BSD-2-Clause */
/* case_list.h - the list of all tests, made from the names of the files in
 * src/cases/. A unit test brings its own. */
#ifndef SRC_SESSION_CASE_LIST_H
#define SRC_SESSION_CASE_LIST_H

#include "src/harness/case.h"

/* Ended by NULL; in any order. */
const struct test *const *case_list(void);

#endif
