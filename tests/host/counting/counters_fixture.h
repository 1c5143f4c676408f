/* SPDX-License-Identifier: BSD-2-Clause */
/* counters_fixture.h - counters that count a window, into which an SMI may
 * come. */
#ifndef TESTS_HOST_COUNTING_COUNTERS_FIXTURE_H
#define TESTS_HOST_COUNTING_COUNTERS_FIXTURE_H

#include "src/counting/counters.h"
#include "src/base/msr.h"
#include "tests/host/fakes/one_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct pmu_event event = EVENT_INSTRUCTIONS;
static unsigned windows, smi_in; /* the window in which an SMI comes */

static inline void smi(void)
{
    fake_msr(MSR_SMI_COUNT)->value++;
    fake_msr(IA32_FIXED_CTR_CTRL)->value = 0xb0;
    fake_msr(IA32_PERFEVTSEL(1))->value = 0;
}

static inline uint64_t window(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)cells;
    for (unsigned n = 0; n < 4; n++)
        if ((enable >> n & 1) != 0 &&
            fake_msr(IA32_PERFEVTSEL(n))->value == 0x4300c0)
            fake_msr(IA32_PMC(n))->value += 21;
    if ((enable >> 32 & 1) != 0 && fake_msr(IA32_FIXED_CTR_CTRL)->value == 0x3)
        fake_msr(IA32_FIXED_CTR(0))->value += 21;
    if (++windows == smi_in)
        smi();
    return 0;
}

static inline void check_counts(const struct sample *s)
{
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(s->gp[n], 21);
    assert_int_equal(s->fixed, 21);
}

static inline int set_up(void **state)
{
    (void)state;
    fake_reset();
    begin_context(REGIME_A, NULL);
    return 0;
}

/* Its place among all writes. */
static inline unsigned last_write(uint32_t msr)
{
    unsigned n = fake_written_count;

    while (n > 0 && fake_written[n - 1] != msr)
        n--;
    assert_true(n > 0);
    return n;
}

/* --- Which there are ----------------------------------------------------- */

#endif
