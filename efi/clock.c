/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock.c - time and bounded waits: the time-stamp counter, measured once
 * against the firmware's clock.
 */
#include "efi/clock.h"
#include "efi/platform.h"
#include "src/base/hw.h"

#define MEASURE_MS 4
#define MEASURES   3 /* the shortest counts: an SMI makes one longer */
/* Counts in a millisecond: fewer no processor has; and where there are. */
#define LEAST UINT64_C(1000)
#define USUAL UINT64_C(2000000)

static uint64_t tsc_per_ms = 1, started;

void clock_start(struct warnings *warnings)
{
    uint64_t shortest = UINT64_MAX;

    started = hw_tsc();
    for (unsigned i = 0; i < MEASURES; i++) {
        uint64_t before = hw_tsc();
        platform_boot->Stall(MEASURE_MS * 1000);
        uint64_t ticks = hw_tsc() - before;
        shortest = ticks < shortest ? ticks : shortest;
    }
    tsc_per_ms = shortest / MEASURE_MS;
    if (tsc_per_ms >= LEAST)
        return;
    tsc_per_ms = USUAL;
    warnings_add(warnings, "firmware's Stall() does not wait: times are as if "
                           "the time-stamp counter ran at 2 GHz");
}

uint64_t hw_ms(void)
{
    return (hw_tsc() - started) / tsc_per_ms;
}

uint64_t clock_ticks(uint64_t ms)
{
    return ms * tsc_per_ms;
}

uint64_t clock_deadline(uint64_t ms)
{
    return hw_tsc() + clock_ticks(ms);
}

bool clock_passed(uint64_t deadline)
{
    return (int64_t)(hw_tsc() - deadline) >= 0;
}
