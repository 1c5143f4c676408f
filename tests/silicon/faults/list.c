/* SPDX-License-Identifier: BSD-2-Clause */
/* list.c - the faults by name. */
#include "tests/silicon/model/fault.h"

#include "tests/silicon/model/text.h"

#define FAULT_ENTRY(name) extern const struct fault fault_##name;
#include "faults.inc"
#undef FAULT_ENTRY

static const struct fault none = {.name = "none", .what = "no deviation"};

const struct fault *const fault_entries[FAULT_COUNT] = {
    &none,
#define FAULT_ENTRY(name) &fault_##name,
#include "faults.inc"
#undef FAULT_ENTRY
};

const struct fault *fault_entry(size_t fault)
{
    return fault < FAULT_COUNT ? fault_entries[fault] : NULL;
}

const char *fault_name(size_t fault)
{
    return fault < FAULT_COUNT ? fault_entries[fault]->name : NULL;
}

const char *fault_what(size_t fault)
{
    return fault < FAULT_COUNT ? fault_entries[fault]->what : NULL;
}

bool fault_find(const char *name, enum fault_id *fault)
{
    if (*name == '\0') {
        *fault = FAULT_none;
        return true;
    }
    for (size_t n = 0; n < FAULT_COUNT; n++)
        if (text_equal(fault_entries[n]->name, name)) {
            *fault = (enum fault_id)n;
            return true;
        }
    return false;
}
