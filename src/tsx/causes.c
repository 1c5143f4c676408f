/* SPDX-License-Identifier: BSD-2-Clause */
/* causes.c - meets each cause of an abort. */
#include "src/tsx/causes.h"

#include "src/base/msr.h"
#include "src/tsx/status.h"

#define LINE_BYTES 64
#define VGA        UINT64_C(0xa0000)
#define DEEP       64 /* more than any processor nests; tsx_nesting */

/* SDM 3B, "Debug Control Register (DR7)": [10] is always 1, L0 [0], 8 bytes
 * (LEN0 [19:18] = 2) written to (R/W0 [17:16] = 1). */
#define DR7_WRITES_OF_8 UINT64_C(0x90401)

const struct cause causes[CAUSES] = {
    [CAUSE_XABORT] = {"XABORT", tsx_bodies_xabort + 0x5a * TSX_XABORT_BYTES,
                      RTM_STATUS_XABORT, true},
    [CAUSE_XABORT_INNER] = {"XABORT in an inner transaction",
                            tsx_body_nest_xabort,
                            RTM_STATUS_XABORT | RTM_STATUS_NESTED, true},
    [CAUSE_CPUID] = {"CPUID", tsx_body_cpuid, 0, true},
    [CAUSE_PAUSE] = {"PAUSE", tsx_body_pause, 0, true},
    [CAUSE_EXCEPTION] = {"#UD", tsx_body_ud2, 0, true},
    [CAUSE_DIVIDE] = {"#DE", tsx_body_divide, 0, true},
    [CAUSE_WRITES] = {"stores to many lines", tsx_body_write_lines,
                      RTM_STATUS_CAPACITY, false},
    [CAUSE_READS] = {"loads from many lines", tsx_body_read_lines,
                     RTM_STATUS_CAPACITY, false},
    [CAUSE_BREAKPOINT] = {"data breakpoint", tsx_body_store,
                          RTM_STATUS_BREAKPOINT, true},
    [CAUSE_NESTING] = {"too many levels", tsx_body_nest, 0, true},
    [CAUSE_MEMORY_TYPE] = {"load of uncacheable memory", tsx_body_load, 0,
                           false},
};

/* In one more inside; NULL: any body is as it is. */
static const uint8_t *inner_of(enum cause_id id)
{
    if (id == CAUSE_WRITES)
        return tsx_body_nest_write_lines;
    return id == CAUSE_READS ? tsx_body_nest_read_lines : NULL;
}

uint64_t cause_uncacheable(struct test_context *t)
{
    uint64_t type, enables;

    if (try_get_msr(t, IA32_MTRR_FIX16K_A0000, &type) != HW_NO_FAULT ||
        try_get_msr(t, IA32_MTRR_DEF_TYPE, &enables) != HW_NO_FAULT)
        return 0;
    return (type & BITS(7, 0)) == 0 && (enables & BITS(11, 10)) == BITS(11, 10)
               ? VGA
               : 0;
}

int cause_provoke(struct test_context *t, enum cause_id id, bool inner,
                  uint32_t *eax)
{
    struct tsx_block block = {.body = causes[id].body,
                              .argument = (uint64_t)(uintptr_t)test_buffer(t)};
    int outcome;

    if (id == CAUSE_MEMORY_TYPE &&
        (block.argument = cause_uncacheable(t)) == 0) {
        *eax = RTM_STATUS_STARTED;
        return TSX_COMMITTED;
    }
    if (id == CAUSE_NESTING) {
        block.count = DEEP;
    } else if (inner && inner_of(id) != NULL) {
        block.body = inner_of(id);
    } else if (inner) {
        block.count = (uint64_t)(uintptr_t)block.body;
        block.body = tsx_body_nest_jump;
    }
    if (id == CAUSE_WRITES)
        block.count = TEST_BUFFER_BYTES / LINE_BYTES;
    if (id == CAUSE_READS) {
        block.argument = (uint64_t)(uintptr_t)test_source(t);
        block.count = TEST_SOURCE_BYTES / (8 * LINE_BYTES);
    }
    outcome =
        id == CAUSE_BREAKPOINT
            ? tsx_watched(tsx_inside, &block, block.argument, DR7_WRITES_OF_8)
            : tsx_inside(&block);
    *eax = block.status;
    return outcome;
}
