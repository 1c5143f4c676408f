/* SPDX-License-Identifier: BSD-2-Clause */
/* smi_guard.c - the one loop over windows that SMIs hit. */
#include "src/counting/smi_guard.h"

#include "src/base/msr.h"

uint64_t smi_count(struct test_context *t)
{
    uint64_t count = 0;

    return try_get_msr(t, MSR_SMI_COUNT, &count) == HW_NO_FAULT ? count : 0;
}

bool smi_guard(struct test_context *t, bool (*attempt)(void *argument),
               void *argument, unsigned *repeated)
{
    const unsigned refused = test_refused(t);
    uint64_t before = 0, after = 0;

    for (unsigned i = 0; i < SMI_RETRIES_MAX; i++) {
        bool known = try_get_msr(t, MSR_SMI_COUNT, &before) == HW_NO_FAULT;
        if (!attempt(argument) || test_refused(t) != refused)
            return false;
        if (!known || (get_msr(t, MSR_SMI_COUNT, &after) && after == before))
            return true;
        if (repeated != NULL)
            ++*repeated;
    }
    broken(t, "%u windows in a row were hit by an SMI (MSR_SMI_COUNT, 34H)",
           SMI_RETRIES_MAX);
    return false;
}
