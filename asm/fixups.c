/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fixups.c - the table of instructions that may fault. A C array of the labels:
 * a section of its own would be lost, or left without relocations, on the way
 * into the image.
 */
#include "asm/fixups.h"

#include "asm/tsx_bodies.h"
#include "asm/tsx_state.h"

#include <stdbool.h>
#include <stddef.h>

#define LABELS(name) extern const uint8_t name##_fault[], name##_resume[]
LABELS(hw_msr_read);
LABELS(hw_msr_write);
LABELS(hw_pmc_read);
LABELS(rtm_store);
LABELS(rtm_empty);
extern const uint8_t trace_window_on[], trace_window_resume[];
extern const uint8_t rtm_store_end_fault[], rtm_empty_end_fault[];
#define LABEL_OF_BODY(at) extern const uint8_t at[];
TSX_FAULTS(LABEL_OF_BODY)
TSX_STATE_FAULTS(LABEL_OF_BODY)
extern const uint8_t tsx_refused[], tsx_faulted[];
extern const uint8_t tsx_state_resume[], tsx_inner_fallback[];

static const struct {
    const uint8_t *fault, *resume;
} fixups[] = {{hw_msr_read_fault, hw_msr_read_resume},
              {hw_msr_write_fault, hw_msr_write_resume},
              {hw_pmc_read_fault, hw_pmc_read_resume},
              {rtm_store_fault, rtm_store_resume},     /* XBEGIN */
              {rtm_store_end_fault, rtm_store_resume}, /* XEND */
              {rtm_empty_fault, rtm_empty_resume},
              {rtm_empty_end_fault, rtm_empty_resume},
              {tsx_fallback, tsx_faulted},
              {tsx_xbegin_at, tsx_refused},
              {tsx_body_nest_store_begin, tsx_inner_fallback},
              {trace_window_on, trace_window_resume},
#define ROW_OF_BODY(at) {at, tsx_faulted},
              TSX_FAULTS(ROW_OF_BODY)
#define ROW_OF_PREFIXED(name, what) {tsx_body_##name##_fault, tsx_faulted},
                  TSX_PREFIXED(ROW_OF_PREFIXED)
#define ROW_OF_STATE(at) {at, tsx_state_resume},
                      TSX_STATE_FAULTS(ROW_OF_STATE)};

/* One of the 256 XABORTs, which lie at equal distances. */
static bool is_xabort(uint64_t rip)
{
    uint64_t at = rip - (uint64_t)(uintptr_t)tsx_bodies_xabort;

    return at < 256 * TSX_XABORT_BYTES && at % TSX_XABORT_BYTES == 0;
}

/* In the area where a displacement leads that is taken for another. */
static bool is_displaced(uint64_t rip)
{
    return rip - (uint64_t)(uintptr_t)tsx_displaced <= TSX_DISPLACED_BYTES;
}

uint64_t fixup_find(uint64_t rip)
{
    for (size_t i = 0; i < sizeof(fixups) / sizeof(fixups[0]); i++)
        if ((uint64_t)(uintptr_t)fixups[i].fault == rip)
            return (uint64_t)(uintptr_t)fixups[i].resume;
    return is_xabort(rip) || is_displaced(rip)
               ? (uint64_t)(uintptr_t)tsx_faulted
               : 0;
}
