/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * force_abort.h - TSX_FORCE_ABORT (10FH), changed only by reading, modifying
 * and writing it, and the CPUID leaves that must or must not follow.
 *
 * White paper 604224, section 2.2 and appendix A.
 */
#ifndef SRC_TSX_FORCE_ABORT_H
#define SRC_TSX_FORCE_ABORT_H

#include "src/cpu/cpuid_bits.h"
#include "src/harness/case.h"

#define FORCE_ABORT_SDV_SKIP                                         \
    "needs the option allow=sdv_enable_rtm, to set TSX_FORCE_ABORT " \
    "(10FH)[2] (SDV_ENABLE_RTM)"

/* Clears, then sets these bits of 10FH, all others as they are; *after is what
 * 10FH reads as then (0 on failure). False where an access faulted (ERROR is
 * said). Refuses, as ERROR, bits 1 and 2 in regime B, where they are reserved;
 * as SKIP, to set bit 2 where the user did not ask for it by name. */
bool force_abort_change(struct test_context *t, uint64_t clear, uint64_t set,
                        uint64_t *after);

/* CPUID.07H.0 and CPUID.0AH, as executed now. */
struct enumeration {
    struct hw_cpuid leaf7, leaf0a;
};

/* Leaf 7 is zero where the processor has none. */
void enumeration_read(const struct identity *id, struct enumeration *out);

/* Checks that both leaves are equal; `state` is for the line. */
void enumeration_check(struct test_context *t, const char *state,
                       const struct enumeration *got,
                       const struct enumeration *want);

/* One check of leaf 0AH alone. */
void enumeration_check_0a(struct test_context *t, const char *state,
                          const struct hw_cpuid *got,
                          const struct hw_cpuid *want);

#endif
