/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_poll.c - hw_poll(): the firmware runs, for which no counter may count,
 * no branch be recorded and no trace go on. */
#include "tests/host/fakes/fake_hw.h"

#include <stdlib.h>

static void (*poll_call)(void *context);
static void *poll_context;

void hw_on_poll(void (*call)(void *context), void *context)
{
    poll_call = call;
    poll_context = context;
}

/* One that its select or field, and IA32_PERF_GLOBAL_CTRL, have enabled. */
static bool counts(void)
{
    const uint64_t enable = fake_value(0x38f), fields = fake_value(0x38d);

    for (unsigned n = 0; n < 8; n++)
        if ((enable >> n & 1) != 0 &&
            (fake_value(0x186 + n) & UINT64_C(1) << 22) != 0)
            return true;
    for (unsigned n = 0; n < 4; n++)
        if ((enable >> (32 + n) & 1) != 0 && (fields >> 4 * n & 3) != 0)
            return true;
    return false;
}

/* What the firmware may not meet: it would be followed, and counted, too. */
static bool is_followed(void)
{
    static const struct {
        uint32_t msr;
        uint64_t mask;
    } running[] = {
        {0x1d9, 3}, /* branch records, single steps by branches */
        {0x570, 1}, /* a trace */
    };

    for (size_t i = 0; i < sizeof(running) / sizeof(running[0]); i++)
        if ((fake_value(running[i].msr) & running[i].mask) != 0)
            return true;
    return counts();
}

void hw_poll(void)
{
    if (fake_pmi)
        return;
    if (fake_current == 0 && is_followed())
        abort();
    if (poll_call != NULL && fake_current == 0)
        poll_call(poll_context);
}
