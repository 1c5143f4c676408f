/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsx_state.h - a transaction that changes registers, and all registers as they
 * are after it (asm/tsx_state.asm, asm/tsx_changes.asm, asm/tsx_ends.asm).
 */
#ifndef ASM_TSX_STATE_H
#define ASM_TSX_STATE_H

#include <stddef.h>
#include <stdint.h>

/* Components of XCR0 and of an XSAVE area (SDM 1, "Managing State Using the
 * XSAVE Feature Set", "XSAVE-Supported Features and State-Component Bitmaps").
 */
#define XCR0_X87       UINT64_C(0x1)
#define XCR0_SSE       UINT64_C(0x2)
#define XCR0_AVX       UINT64_C(0x4)
#define XCR0_OPMASK    UINT64_C(0x20)
#define XCR0_ZMM_HI256 UINT64_C(0x40)
#define XCR0_HI16_ZMM  UINT64_C(0x80)

#define TSX_STATE_AREA      0x1000
#define TSX_STATE_REGISTERS 16

/* At the start of a page. In this order for tsx_state.inc. The caller fills
 * what is called before, change, end, argument and components; before[4] (RSP)
 * is tsx_state()'s own, and IF of flags_before. */
struct tsx_state {
    uint64_t before[TSX_STATE_REGISTERS]; /* RAX, RCX, RDX, RBX, RSP, .. */
    uint64_t after[TSX_STATE_REGISTERS];
    uint64_t flags_before, flags_after;
    const uint8_t *change, *end;
    uint64_t argument;   /* of the end */
    uint64_t components; /* of XCR0; 0: FXSAVE, no XSAVE */
    uint64_t outcome, old_rsp, old_xcr0, old_cr4;
    const uint8_t *begin; /* of these: */
    uint64_t count;       /* of the end, too */
    uint8_t padding[0x1fc - 0x160];
    uint8_t stored[8]; /* tsx_change_memory inverts: on two lines, */
    uint8_t padding_inner[0x240 - 0x204];
    uint64_t stored_inner; /* and in an inner transaction */
    uint8_t padding_area[TSX_STATE_AREA - 0x248];
    uint8_t x_before[TSX_STATE_AREA]; /* areas of XSAVE, or of FXSAVE */
    uint8_t x_after[TSX_STATE_AREA];
    uint8_t x_old[TSX_STATE_AREA];
};
_Static_assert(offsetof(struct tsx_state, flags_before) == 0x100, "flags");
_Static_assert(offsetof(struct tsx_state, begin) == 0x150, "begin");
_Static_assert(offsetof(struct tsx_state, count) == 0x158, "count");
_Static_assert(offsetof(struct tsx_state, stored) == 0x1fc, "stored");
_Static_assert(offsetof(struct tsx_state, stored_inner) == 0x240, "inner");
_Static_assert(offsetof(struct tsx_state, components) == 0x128, "components");
_Static_assert(offsetof(struct tsx_state, x_before) == 0x1000, "before");
_Static_assert(offsetof(struct tsx_state, x_old) == 0x3000, "old");

/* TSX_COMMITTED, TSX_ABORTED, TSX_INNER or a vector, as tsx_inside() (asm/
 * tsx_bodies.h). CR4, XCR0 and the vector registers are put back. */
int tsx_state(struct tsx_state *state);

/* XBEGIN; nothing; and XACQUIRE of a quadword that is free and that before[5]
 * (RBP) is the address of: after the abort the lock is taken and released
 * without elision, RAX is 0 and the outcome TSX_ABORTED. The end that commits
 * is tsx_end_xrelease, of a lock that RBP still points to. */
extern const uint8_t tsx_state_begin[], tsx_state_outside[], tsx_begin_hle[];

/* What the transaction changes: nothing; all registers and status flags, each
 * bit, and RSP by TSX_STATE_POPPED; DF; XMM0 to 15 and MXCSR; YMM0 to 15; their
 * upper halves, to 0; ZMM0 to 31 and K0 to 7; the x87; memory; of it stored[]
 * alone, without an XBEGIN. */
extern const uint8_t tsx_change_nothing[], tsx_change_general[],
    tsx_change_direction[], tsx_change_xmm[], tsx_change_both[],
    tsx_change_ymm[], tsx_change_upper[], tsx_change_zmm[], tsx_change_x87[],
    tsx_change_memory[], tsx_change_stored[];
#define TSX_STATE_POPPED 16

/* What then ends it: XEND, the same after two inner ones, XABORT 77H, the
 * same, and #GP, in an inner transaction, ... ; "deep" is too many of these;
 * "capacity" stores to 64 KB from the argument on, "string" by one REP STOS,
 * "hold" loads from there and stays for some microseconds, "hold_inner" the
 * same in an inner transaction, "read" loads a quadword from there, "reads"
 * from count lines, "wide" stores TSX_STATE_WIDE bytes, and XABORT,
 * "wide_commit" the same, and XEND. */
extern const uint8_t tsx_state_commit[], tsx_end_inner[], tsx_end_xrelease[],
    tsx_end_xabort[], tsx_end_nested[], tsx_end_nested_load[], tsx_end_deep[],
    tsx_end_pause[], tsx_end_cpuid[], tsx_end_ud2[], tsx_end_load[],
    tsx_end_int3[], tsx_end_capacity[], tsx_end_string[], tsx_end_ignored[],
    tsx_end_tested[], tsx_end_tested_commit[], tsx_end_hold[],
    tsx_end_hold_inner[], tsx_end_read[], tsx_end_reads[], tsx_end_wide[],
    tsx_end_wide_commit[];
#define TSX_STATE_WIDE 136 /* of these 32 from each of: */
#define TSX_STATE_WIDE_PLACES \
    {                         \
        8, 104                \
    }

/* Where an exception that is delivered all the same is reported; all go on at
 * tsx_state_resume. */
#define TSX_STATE_FAULTS(AT)      \
    AT(tsx_state_begin)           \
    AT(tsx_begin_hle)             \
    AT(tsx_state_commit)          \
    AT(tsx_state_fallback)        \
    AT(tsx_end_xabort)            \
    AT(tsx_end_ignored)           \
    AT(tsx_end_ud2_fault)         \
    AT(tsx_end_nested_load_fault) \
    AT(tsx_end_load_fault)        \
    AT(tsx_end_int3_trap)

#endif
