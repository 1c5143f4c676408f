/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether reserved bits of the uncore's control registers raise #GP: of these
 * registers no document says so, and those that there are not do not fault on
 * some processors (HSD079). */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/uncore/uncore.h"

#define SHOWN 2

/* [63:29], [21], [19], [17:16] */
#define RESERVED_OF_SELECT 39

struct tally {
    unsigned tried, refused, shown;
};

static void try_bit(struct test_context *t, struct tally *y, uint32_t msr,
                    unsigned bit)
{
    char name[MSR_NAME_BYTES];
    int vector = try_set_msr_again(t, msr, BIT(bit));

    y->tried++;
    y->refused += vector == HW_GP;
    if (vector == HW_NO_FAULT)
        (void)try_set_msr_again(t, msr, 0);
    if (vector != HW_GP && y->shown++ < SHOWN)
        note(t, "%s written with bit %u alone: got %s, wanted #GP",
             msr_name(msr, name), bit, fault_name(vector));
}

TEST(uncore_reserved,
     .asks = "Do reserved bits of the uncore's control registers raise #GP?",
     .cite =
         "SDM 3B, \"Layout of Uncore PERFEVTSEL MSR for a C-Box Unit or the "
         "ARB Unit\", \"Layout of MSR_UNC_PERF_GLOBAL_CTRL MSR for Uncore\"; "
         "SDM 2C, WRMSR",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_UNCORE})
{
    struct uncore_counters u;
    struct tally y = {0};

    /* Set-up: in the journal, and stopped. */
    if (!uncore_claim(&u, t))
        return;
    const uint32_t registers[] = {
        u.uncore->global_ctrl,
        MSR_UNC_PERF_FIXED_CTRL,
        MSR_UNC_ARB_PERFEVTSEL(0),
        MSR_UNC_ARB_PERFEVTSEL(1),
    };

    /* The upper half is reserved in all of them, in every edition. */
    for (unsigned i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
        for (unsigned bit = 32; bit < 64; bit++)
            try_bit(t, &y, registers[i], bit);
    for (unsigned i = 0; i < 2 * u.boxes; i++)
        for (unsigned bit = 16; bit < 64; bit++)
            if ((UNCORE_DEFINED >> bit & 1) == 0)
                try_bit(t, &y, uncore_box_select(i / 2, i % 2), bit);
    const unsigned all = 32 * sizeof(registers) / sizeof(registers[0]) +
                         u.boxes * 2 * RESERVED_OF_SELECT;
    if (y.tried != all)
        broken(t, "%u of %u reserved bits were tried", y.tried, all);
    observe(t, "reserved bits of the uncore's control registers that are taken",
            y.tried - y.refused, y.tried);
}
