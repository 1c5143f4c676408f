/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore_fixture.h - the registers of two C-Boxes and the ARB unit, two
 * counters each, on the fake hardware. */
#ifndef TESTS_HOST_CASES_UNCORE_UNCORE_FIXTURE_H
#define TESTS_HOST_CASES_UNCORE_UNCORE_FIXTURE_H

#include "src/uncore/uncore.h"
#include "tests/host/cases/case_fixture.h"

#define BOXES  2
#define UNITS  (2 * BOXES + 2)
#define CTRL   0xe01
#define STATUS 0xe02

static uint32_t select_of(unsigned unit)
{
    return unit < 2 * BOXES ? uncore_box_select(unit / 2, unit % 2)
                            : 0x3b2 + (unit - 2 * BOXES);
}

static uint32_t counter_of(unsigned unit)
{
    return unit < 2 * BOXES ? uncore_box_counter(unit / 2, unit % 2)
                            : 0x3b0 + (unit - 2 * BOXES);
}

static void units_begin(void)
{
    *msr(0x396) = BOXES;
    *msr(CTRL) = *msr(STATUS) = *msr(0x394) = *msr(0x395) = 0;
    for (unsigned i = 0; i < UNITS; i++)
        *msr(select_of(i)) = *msr(counter_of(i)) = 0;
}

#endif
