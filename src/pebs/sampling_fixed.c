/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling_fixed.c - fixed counters around a window with PEBS. */
#include "src/pebs/sampling_fixed.h"

#include "src/base/msr.h"

static unsigned counting(const struct sampling *p)
{
    return p->config.fixed | p->config.fixed_plain;
}

static uint64_t mask(const struct sampling *p)
{
    return BITS(test_cpu(p->t)->fixed_bits - 1, 0);
}

uint64_t sampling_fixed_control(const struct sampling *p)
{
    uint64_t control = 0;

    for (unsigned n = 0; n < BANK_FIXED; n++) {
        if ((counting(p) >> n & 1) != 0)
            control |= IA32_FIXED_CTR_CTRL_OS(n) | IA32_FIXED_CTR_CTRL_USR(n);
        if ((p->config.fixed >> n & 1) != 0 && sampling_adaptive(p) != 0)
            control |= IA32_FIXED_CTR_CTRL_ADAPTIVE(n);
    }
    return control;
}

bool sampling_program_fixed(struct sampling *p)
{
    bool ok = true;

    for (unsigned n = 0; ok && n < BANK_FIXED; n++)
        if ((counting(p) >> n & 1) != 0)
            ok = set_msr_again(p->t, IA32_FIXED_CTR(n),
                               -(uint64_t)p->config.fixed_first[n] & mask(p));
    return ok && (counting(p) == 0 || set_msr_again(p->t, IA32_FIXED_CTR_CTRL,
                                                    sampling_fixed_control(p)));
}

void sampling_read_fixed(struct sampling *p)
{
    for (unsigned n = 0; n < BANK_FIXED; n++)
        if ((counting(p) >> n & 1) != 0)
            p->fixed_value[n] = msr_value(p->t, IA32_FIXED_CTR(n));
}

uint64_t sampling_fixed_counted(const struct sampling *p, unsigned n)
{
    return (p->fixed_value[n] + p->config.fixed_first[n]) & mask(p);
}

uint64_t sampling_fixed_since(const struct sampling *p, unsigned n)
{
    return (p->fixed_value[n] - p->set.pebs_reset[p->fixed_at + n]) & mask(p);
}
