/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_fixture.h - a processor with TSX, by personality and seed. */
#ifndef TESTS_HOST_MODEL_TSX_FIXTURE_H
#define TESTS_HOST_MODEL_TSX_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/cpuid.h"
#include "tests/silicon/model/memory/lines.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/tsx/tsx.h"

#define FAULTS (-1) /* instead of a value: #GP */

static struct machine machine;
static struct processor processor;

static inline void start(const char *cpu, uint64_t seed)
{
    struct machine_config config = {
        .cpu = personality_find(cpu),
        .seed = seed,
        .smt = true,
        .force_abort = FORCE_ABORT_AS_PERSONALITY,
    };

    assert_non_null(config.cpu);
    machine_start(&machine, &config, 2);
    processor_start(&processor, &machine, 0, 0);
}

/* The bits of CPUID.7 that matter: EBX[11], EBX[4], EDX[13], EDX[11]. */
static inline unsigned enumerated(void)
{
    struct cpuid_result out;

    cpuid_execute(&processor, 7, 0, &out);
    return (out.ebx >> 11 & 1) << 3 | (out.ebx >> 4 & 1) << 2 |
           (out.edx >> 13 & 1) << 1 | (out.edx >> 11 & 1);
}

#endif
