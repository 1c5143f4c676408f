/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixed counters take every bit of their width, each its own, and none
 * above. Nothing counts meanwhile. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

/* By RDMSR and by RDPMC; false where both read as `want`. */
static void check_reads(struct test_context *t, unsigned n, uint64_t want)
{
    uint64_t value = msr_value(t, IA32_FIXED_CTR(n)), rdpmc = ~want;
    int vector = hw_pmc_read(RDPMC_FIXED | n, &rdpmc);

    check(t, value == want && rdpmc == want,
          "IA32_FIXED_CTR%u (%XH) written with 0x%lx reads 0x%lx, and RDPMC of "
          "40000000H + %u 0x%lx (%s)",
          n, IA32_FIXED_CTR(n), want, value, n, rdpmc, fault_name(vector));
}

static bool write_within(struct test_context *t, unsigned n, uint64_t mask)
{
    const uint64_t values[] = {mask,
                               0,
                               mask & UINT64_C(0x5555555555555555),
                               mask & UINT64_C(0xaaaaaaaaaaaaaaaa),
                               mask ^ mask >> 1,
                               mask & test_random(t)};

    for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (!set_msr_again(t, IA32_FIXED_CTR(n), values[i]))
            return false;
        check_reads(t, n, values[i]);
    }
    return true;
}

/* "Reserved and must be written as zeros." */
static bool write_beyond(struct test_context *t, unsigned n, uint64_t mask)
{
    char bits[BITS_NAME_BYTES];
    uint64_t accepted = 0;

    if (!set_msr_again(t, IA32_FIXED_CTR(n), 0x1234))
        return false;
    for (unsigned bit = 0; bit < 64; bit++)
        if ((mask >> bit & 1) == 0 &&
            try_set_msr_again(t, IA32_FIXED_CTR(n), BIT(bit)) != HW_GP)
            accepted |= BIT(bit);
    check(t, accepted == 0 || !identity_is_native(test_cpu(t)),
          "IA32_FIXED_CTR%u (%XH): bits %s above its width raised no #GP, each "
          "written alone; wanted #GP",
          n, IA32_FIXED_CTR(n), bits_name(accepted, bits));
    if (accepted == 0)
        check_reads(t, n, 0x1234);
    return true;
}

/* Nor does a field of 38DH change any of them, cleared and set by itself. */
static void try_fields(struct test_context *t, unsigned fixed, uint64_t mask)
{
    uint64_t all = 0;

    for (unsigned n = 0; n < fixed; n++)
        all |= IA32_FIXED_CTR_CTRL_OS(n) | IA32_FIXED_CTR_CTRL_USR(n);
    for (unsigned field = 0; field < fixed; field++) {
        bool ok = set_msr_again(t, IA32_FIXED_CTR_CTRL, all);

        /* Another value in each. */
        for (unsigned n = 0; ok && n < fixed; n++)
            ok = set_msr_again(t, IA32_FIXED_CTR(n), mask / (n + 2));
        if (!ok ||
            !set_msr_again(t, IA32_FIXED_CTR_CTRL,
                           all & ~BITS(4 * field + 3, 4 * field)) ||
            !set_msr_again(t, IA32_FIXED_CTR_CTRL, all))
            return;
        WITH_PREFIX (t,
                     "IA32_FIXED_CTR_CTRL (38DH)[%u:%u] written with 0, and "
                     "with 3 again",
                     4 * field + 3, 4 * field)
            for (unsigned n = 0; n < fixed; n++)
                check_reads(t, n, mask / (n + 2));
    }
    set_msr_again(t, IA32_FIXED_CTR_CTRL, 0);
}

TEST(fixed_counter_writes,
     .asks = "Do the fixed counters hold every bit of their width, and no "
             "other?",
     .cite = "SDM 3B, \"Fixed-function Performance Counters\"; SDM 2B, RDPMC",
     .needs = {.features = NEED_INTEL | NEED_PMU})
{
    const struct identity *id = test_cpu(t);
    const unsigned fixed = bank_fixed(id);
    const uint64_t mask = bank_mask(id, PLACE_FIXED0);

    if (fixed == 0) {
        skip(t, "needs a fixed counter; CPUID.0AH:EDX[4:0] is 0");
        return;
    }
    if (!counters_claim(t))
        return;
    for (unsigned n = 0; n < fixed; n++)
        if (!write_within(t, n, mask) || !write_beyond(t, n, mask))
            return;
    try_fields(t, fixed, mask);
}
