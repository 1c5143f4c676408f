/* SPDX-License-Identifier: BSD-2-Clause */
/* other_core.c - processor 1 takes lines. */
#include "src/uncore/other_core.h"

#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/cpu/caches.h"

/* SDM 3B, tables of events of 06_2AH and later: loads, stores that retire. */
#define LOADS  UINT64_C(0x81d0)
#define STORES UINT64_C(0x82d0)

struct taken {
    struct memory_walk walk;
    bool modified;
};

struct memory_walk other_core_walk(struct test_context *t)
{
    return (struct memory_walk){.base = (uint64_t)(uintptr_t)test_buffer(t),
                                .step = UINT64_C(37) * 64,
                                .mask = 0xffc0,
                                .count = OTHER_CORE_LINES};
}

static void read_identity(struct test_context *peer, void *argument)
{
    *(struct identity *)argument = *test_cpu(peer);
}

bool other_core_there(struct test_context *t)
{
    struct identity other;

    if (!on_processor(t, 1, read_identity, &other))
        return false;
    if (identity_siblings(test_cpu(t), &other) ||
        !identity_one_package(test_cpu(t), &other) ||
        test_cpu(t)->core_type != other.core_type) {
        skip(t, "needs processors 0 and 1 to be of two cores of one package, "
                "and of one kind");
        return false;
    }
    const unsigned shift = caches_l2_shift(test_cpu(t));

    if (test_cpu(t)->apic_id >> shift != other.apic_id >> shift)
        return true;
    skip(t, "needs processors 0 and 1 to have each its own L2");
    return false;
}

static void take(struct test_context *peer, void *argument)
{
    const struct taken *taken = argument;

    if (!counters_claim(peer) ||
        !set_msr_again(peer, IA32_PERFEVTSEL(0),
                       (taken->modified ? STORES : LOADS) |
                           IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS |
                           IA32_PERFEVTSEL_EN) ||
        !hold_msr(peer, IA32_PERF_GLOBAL_CTRL))
        return;
    if (taken->modified)
        memory_store_flush(BIT(0), &taken->walk);
    else
        memory_load_flush(BIT(0), &taken->walk);
}

bool other_core_takes(struct test_context *t, bool modified)
{
    struct taken taken = {other_core_walk(t), modified};

    return on_processor(t, 1, take, &taken);
}
