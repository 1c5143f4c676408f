/* SPDX-License-Identifier: BSD-2-Clause */
/* state_fixture.h - registers after a transaction that changes them, as
 * asm/tsx_state.h says: after its abort, and after its commit. */
#ifndef TESTS_HOST_CASES_STATE_FIXTURE_H
#define TESTS_HOST_CASES_STATE_FIXTURE_H

#include "asm/tsx_bodies.h"
#include "asm/tsx_state.h"
#include "tests/host/cases/case_fixture.h"

/* SDM 1, "Format of an FXSAVE Area", and the upper halves of YMM where
 * CPUID.0DH.2 has them. */
#define STATE_MXCSR 24
#define STATE_XMM   160
#define STATE_YMM   576
#define STATE_BYTES 256 /* of 16 registers */

/* CPUID with XSAVE of these components. */
static inline void state_enumerate(uint32_t components)
{
    fake_leaf(1, 0)->ecx |= 1u << 26;
    fake_cpuid(0xd, 0, components, 0, 0, 0);
    fake_cpuid(0xd, 2, STATE_BYTES, STATE_YMM, 0, 0);
    fake_cpuid(0xd, 5, 64, 1088, 0, 0);
    fake_cpuid(0xd, 6, 512, 1152, 0, 0);
    fake_cpuid(0xd, 7, 1024, 1664, 0, 0);
}

static void state_invert(uint8_t *area, unsigned at)
{
    for (unsigned i = 0; i < STATE_BYTES; i++)
        area[at + i] = (uint8_t)~area[at + i];
}

static void state_change(struct tsx_state *s)
{
    const bool both = s->change == tsx_change_both;

    if (s->change == tsx_change_general || both) {
        for (unsigned n = 0; n < TSX_STATE_REGISTERS; n++)
            s->after[n] = ~s->before[n];
        s->after[4] = s->before[4] + TSX_STATE_POPPED;
        s->flags_after ^= 0x8d5;
    }
    if (s->change == tsx_change_direction) {
        s->after[0] = 0x1234; /* by way of RAX */
        s->flags_after ^= 0x400;
    }
    if (s->change == tsx_change_xmm || both) {
        s->x_after[STATE_MXCSR] = 0x6a;
        s->x_after[STATE_MXCSR + 1] = 0xa0;
        s->x_after[STATE_MXCSR + 2] = s->x_after[STATE_MXCSR + 3] = 0;
    }
    if (s->change == tsx_change_xmm || both || s->change == tsx_change_ymm)
        state_invert(s->x_after, STATE_XMM);
    if (s->change == tsx_change_ymm)
        state_invert(s->x_after, STATE_YMM);
    if (s->change == tsx_change_memory || s->change == tsx_change_stored)
        for (unsigned i = 0; i < sizeof(s->stored); i++)
            s->stored[i] = (uint8_t)~s->stored[i];
    if (s->change == tsx_change_memory)
        s->stored_inner = ~s->stored_inner;
}

/* For tsx_state(). */
static inline int state_end(struct tsx_state *s, bool commits)
{
    memcpy(s->after, s->before, sizeof(s->after));
    s->flags_after = s->flags_before;
    memcpy(s->x_after, s->x_before, sizeof(s->x_after));
    if (commits)
        state_change(s);
    else
        s->after[0] = 0x77000001; /* EAX, the status */
    return commits ? TSX_COMMITTED : TSX_ABORTED;
}

#endif
