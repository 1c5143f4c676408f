/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_state.c - plants the data page, compares. */
#include "src/counting/ring3_state.h"

#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/tsx/state.h"

#define AC     BIT(18)
#define CR0_AM BIT(18) /* SDM 3A: with it AC has accesses that raise #AC */
#define RSP    4
/* SDM 1, table "Format of an FXSAVE Area" */
#define FTW_END  5 /* FCW, FSW, abridged FTW */
#define MXCSR_AT 24
#define X87_AT   32 /* ST0 to ST7: */
#define ST_BYTES 10 /* of 16: FXSAVE need not write the reserved ones */
#define XMM_AT   160

static uint8_t pattern(unsigned at)
{
    return (uint8_t)(at * 7 + at / 256 + 1);
}

void ring3_state_plant(const struct ring3_session *s)
{
    struct ring3_state *state = (void *)(uintptr_t)s->ring3->data;

    for (unsigned i = 0; i < RING3_STATE_BYTES; i++)
        state->memory[i] = pattern(i);
    state->inner = 0;
    memset(state->found, 0, sizeof(state->found));
    memset(state->before, 0, sizeof(state->before));
    memset(state->after, 0xa5, sizeof(state->after));
    state->planted_flags = RING3_STATE_FLAGS | (s->ours.cr0 & CR0_AM ? 0 : AC);
    state->wide = (state_components(test_cpu(s->t)) & XCR0_AVX) != 0;
    s->ring3->components =
        state->wide != 0 ? XCR0_X87 | XCR0_SSE | XCR0_AVX : 0;
}

static unsigned differ(const struct ring3_state *state, unsigned from,
                       unsigned end)
{
    unsigned count = 0;

    for (unsigned i = from; i < end; i++)
        count += state->before[i] != state->after[i];
    return count;
}

void ring3_state_check(const struct ring3_session *s, const char *what)
{
    const struct ring3_state *state = (void *)(uintptr_t)s->ring3->data;
    unsigned x87 = differ(state, 0, FTW_END);
    const unsigned xmm = differ(state, MXCSR_AT, MXCSR_AT + 4) +
                         differ(state, XMM_AT, XMM_AT + 256);
    unsigned registers = 0, bytes = 0, upper = 0;

    for (unsigned at = X87_AT; at < XMM_AT; at += 16)
        x87 += differ(state, at, at + ST_BYTES);
    for (unsigned n = 1; n < 16; n++)
        registers += state->found[n] !=
                     (n == RSP ? s->ring3->user_data + RING3_BODY_STACK
                               : RING3_STATE_PLANTED + n);
    for (unsigned i = 0; i < RING3_STATE_BYTES; i++)
        bytes += state->memory[i] != pattern(i);
    for (unsigned i = 0; state->wide != 0 && i < sizeof(state->upper_after);
         i++)
        upper += state->upper_after[i] != pattern(RING3_STATE_UPPER + i);
    check(s->t, upper == 0,
          "%s: %u bytes of the upper halves of YMM0 to YMM15 are not as before "
          "XBEGIN",
          what, upper);
    check(s->t, registers == 0 && bytes == 0 && xmm == 0 && x87 == 0,
          "%s: %u of 15 registers, %u bytes of memory, %u bytes of MXCSR and "
          "XMM0 to XMM15 and %u of the x87 state are not as before XBEGIN",
          what, registers, bytes, xmm, x87);
    check(s->t,
          (state->flags & (RING3_STATE_FLAGS | AC)) == state->planted_flags,
          "%s: RFLAGS is 0x%lx; wanted 0x%lx as before XBEGIN, in bits 0x%lx",
          what, state->flags, state->planted_flags, RING3_STATE_FLAGS | AC);
    /* The abort status, a write of EAX. */
    check(s->t,
          state->found[0] >> 32 == 0 ||
              state->found[0] >> 32 == RING3_STATE_PLANTED >> 32,
          "%s: RAX is 0x%lx; wanted 0 in bits 63:32, or as before XBEGIN", what,
          state->found[0]);
}
