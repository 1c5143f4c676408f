/* SPDX-License-Identifier: BSD-2-Clause */
/* Reserved bits of the counters' control registers: a driver that sets one by
 * mistake must get #GP, not a counter that does something else. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/counters.h"

#define SHOWN 3

/* How many bits of a register were tried one by one, and what they did. */
struct tried {
    unsigned bits, accepted, shown;
};

static void try_bits(struct test_context *t, struct tried *y, const char *name,
                     uint32_t msr, uint64_t mask)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        if ((mask & BIT(bit)) == 0)
            continue;
        int vector = try_set_msr_again(t, msr, BIT(bit));
        y->bits++;
        y->accepted += vector != HW_GP;
        if (vector != HW_GP && y->shown++ < SHOWN)
            note(t,
                 "%s (%XH) written with bit %u alone: got %s, "
                 "wanted #GP",
                 name, msr, bit, fault_name(vector));
        if (vector == HW_NO_FAULT)
            set_msr_again(t, msr, 0);
    }
}

/* Bits of IA32_PERFEVTSELx that are reserved on every processor. IN_TX [32] and
 * IN_TXCP [33] have a test of their own: tsx_in_txcp_counter2. */
#define SELECT_RESERVED BITS(63, 34)

TEST(counter_reserved_bits,
     .asks = "Do reserved bits of the counters' control registers raise #GP?",
     .cite = "SDM 3B, \"Layout of IA32_PERFEVTSELx MSRs\", \"Layout of "
             "IA32_FIXED_CTR_CTRL MSR\", \"Layout of IA32_PERF_GLOBAL_CTRL "
             "MSR\"; SDM 2C, WRMSR",
     .needs = {.features = NEED_INTEL | NEED_PMU})
{
    const struct identity *id = test_cpu(t);
    struct tried select = {0}, fixed = {0}, global = {0};
    unsigned first_fixed = 4u * id->fixed_counters;

    if (!counters_claim(t))
        return;
    for (unsigned n = 0; n < counters_available(id); n++)
        try_bits(t, &select, "IA32_PERFEVTSELx", IA32_PERFEVTSEL(n),
                 SELECT_RESERVED);
    if (first_fixed < 64)
        try_bits(t, &fixed, "IA32_FIXED_CTR_CTRL", IA32_FIXED_CTR_CTRL,
                 BITS(63, first_fixed));
    /* Versions after 4 have given some of these bits a meaning. */
    if (id->perfmon_version <= 4 && id->fixed_counters < 32)
        try_bits(t, &global, "IA32_PERF_GLOBAL_CTRL", IA32_PERF_GLOBAL_CTRL,
                 BITS(63, 32 + id->fixed_counters));

    check(t, select.accepted == 0,
          "IA32_PERFEVTSELx: %u of %u reserved bits raised no #GP; wanted 0",
          select.accepted, select.bits);
    check(t, fixed.accepted == 0,
          "IA32_FIXED_CTR_CTRL (38DH): %u of %u reserved bits raised no #GP; "
          "wanted 0",
          fixed.accepted, fixed.bits);
    check(t, global.accepted == 0,
          "IA32_PERF_GLOBAL_CTRL (38FH): %u of %u reserved bits raised no #GP; "
          "wanted 0",
          global.accepted, global.bits);
    note(t, "%u reserved bits tried", select.bits + fixed.bits + global.bits);
}
