/* SPDX-License-Identifier: BSD-2-Clause */
/* faults.h - the named deviations of faults.def. */
#ifndef SILICON_MODEL_FAULTS_H
#define SILICON_MODEL_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

enum fault_id {
    FAULT_none,
#define FAULT(name, what) FAULT_##name,
#include "tests/silicon/model/faults.def"
#undef FAULT
    FAULT_COUNT
};

/* Its name; "none" for FAULT_none; NULL past the end. */
const char *fault_name(size_t fault);

/* One line on what goes wrong; NULL past the end. */
const char *fault_what(size_t fault);

/* False if there is no such fault. "none" and "" are FAULT_none. */
bool fault_find(const char *name, enum fault_id *fault);

#endif
