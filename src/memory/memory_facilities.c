/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_facilities.c - which generation has which of the facilities. */
#include "src/memory/memory_sampling.h"

#include "src/cpu/cpuid_bits.h"

#define WITH_PRECISE_STORE (SANDY_BRIDGE | IVY_BRIDGE)
#define WITH_DATA_ADDRESS  (HASWELL | BROADWELL | SKYLAKE | SINCE_ICE_LAKE)

static bool has_facility(struct test_context *t, unsigned generations,
                         const char *what, const char *instead)
{
    const struct identity *id = test_cpu(t);
    enum generation generation = identity_generation(id);

    if ((generation & generations) != 0)
        return true;
    skip(t, "needs %s; %02X_%02XH %s", what, id->family, id->model,
         (generation & ~(unsigned)GRACEMONT) == GENERATION_UNKNOWN
             ? "is not known to have it"
             : instead);
    return false;
}

bool memory_has_load_latency(struct test_context *t)
{
    return has_facility(t, WITH_PRECISE_STORE | WITH_DATA_ADDRESS | GRACEMONT,
                        "the load latency facility with event CDH/01H",
                        "has an older one");
}

bool memory_has_precise_store(struct test_context *t)
{
    return has_facility(
        t, WITH_PRECISE_STORE, "precise store (2nd and 3rd generation)",
        (identity_generation(test_cpu(t)) & WITH_DATA_ADDRESS) != 0
            ? "has data address profiling"
            : "is older");
}

bool memory_has_data_address(struct test_context *t)
{
    return has_facility(
        t, WITH_DATA_ADDRESS,
        "data address profiling (4th generation and later)",
        (identity_generation(test_cpu(t)) & WITH_PRECISE_STORE) != 0
            ? "has its predecessor, precise store"
            : "is older");
}

bool memory_has_vex_loads(const struct identity *id)
{
    return (id->leaf7_ebx & LEAF7_EBX_BMI1) != 0;
}
