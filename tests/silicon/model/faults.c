/* SPDX-License-Identifier: BSD-2-Clause */
/* faults.c - names of the faults. */
#include "tests/silicon/model/faults.h"

#include "tests/silicon/model/text.h"

static const struct {
    const char *name, *what;
} faults[FAULT_COUNT] = {
    { "none", "no deviation" },
#define FAULT(name, what) { #name, what },
#include "tests/silicon/model/faults.def"
#undef FAULT
};

const char *fault_name(size_t fault)
{
    return fault < FAULT_COUNT ? faults[fault].name : NULL;
}

const char *fault_what(size_t fault)
{
    return fault < FAULT_COUNT ? faults[fault].what : NULL;
}

bool fault_find(const char *name, enum fault_id *fault)
{
    if (*name == '\0') {
        *fault = FAULT_none;
        return true;
    }
    for (size_t n = 0; n < FAULT_COUNT; n++)
        if (text_equal(faults[n].name, name)) {
            *fault = (enum fault_id)n;
            return true;
        }
    return false;
}
