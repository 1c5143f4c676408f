/* SPDX-License-Identifier: BSD-2-Clause */
/* The uncore's global control holds its bits, and its registers are one set for
 * all processors. Whether reserved bits of the
 * control registers raise #GP: of these registers no document says so, and
 * those that there are not do not fault on some processors (HSD079). */
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

static void read_identity(struct test_context *peer, void *argument)
{
    *(struct identity *)argument = *test_cpu(peer);
}

/* 2 where processor 1 is of another core than the boot processor. */
static unsigned cores_at_least(struct test_context *t)
{
    struct identity other;

    return hw_processors() > 1 && on_processor(t, 1, read_identity, &other) &&
                   !identity_siblings(test_cpu(t), &other)
               ? 2
               : 1;
}

/* Each defined bit of the global control alone. There may be fewer cores to
 * select than bits. Nothing counts, as no unit is enabled. */
static void check_global(const struct uncore_counters *u)
{
    const struct uncore *uncore = u->uncore;
    const uint64_t bits = uncore->all_cores | UNCORE_GLOBAL_EN |
                          UNCORE_GLOBAL_WAKE | UNCORE_GLOBAL_FREEZE;
    unsigned cores = 0, there = cores_at_least(u->t);
    struct test_context *t = u->t;

    for (unsigned bit = 0; bit < 32; bit++) {
        if ((bits >> bit & 1) == 0)
            continue;
        if (!set_msr_again(t, uncore->global_ctrl, BIT(bit)))
            return;
        uint64_t got = msr_value(t, uncore->global_ctrl);
        if ((uncore->all_cores >> bit & 1) != 0)
            cores += got == BIT(bit);
        else
            check(t, got == BIT(bit),
                  "MSR_UNC_PERF_GLOBAL_CTRL (%XH) written with 0x%lx reads as "
                  "0x%lx",
                  uncore->global_ctrl, BIT(bit), got);
    }
    set_msr_again(t, uncore->global_ctrl, 0);
    check(t, cores >= there,
          "MSR_UNC_PERF_GLOBAL_CTRL (%XH): %u of the bits 0x%lx that select a "
          "core hold a 1; there are %u cores at least",
          uncore->global_ctrl, cores, uncore->all_cores, there);
}

/* What processor 1 reads of the same registers. */
#define SHARED 6
struct shared {
    uint32_t msrs[SHARED];
    uint64_t got[SHARED];
};

static void read_shared(struct test_context *peer, void *argument)
{
    struct shared *s = argument;

    for (unsigned i = 0; i < SHARED; i++)
        s->got[i] = msr_value(peer, s->msrs[i]);
}

/* One set for the package: what one processor writes, another reads. */
static void check_shared(const struct uncore_counters *u)
{
    static const uint64_t values[SHARED] = {UNC_CBO_CACHE_LOOKUP_READ,
                                            0x12345,
                                            UNC_ARB_TRK_REQUESTS,
                                            0x54321,
                                            UNCORE_OVF_EN,
                                            0x21436587};
    struct shared s = {
        .msrs = {uncore_box_select(0, 0), uncore_box_counter(0, 0),
                 MSR_UNC_ARB_PERFEVTSEL(1), MSR_UNC_ARB_PERFCTR(1),
                 MSR_UNC_PERF_FIXED_CTRL, MSR_UNC_PERF_FIXED_CTR}};

    if (hw_processors() < 2)
        return;
    for (unsigned i = 0; i < SHARED; i++)
        if (!set_msr_again(u->t, s.msrs[i], values[i]))
            return;
    if (!on_processor(u->t, 1, read_shared, &s))
        return;
    for (unsigned i = 0; i < SHARED; i++) {
        check_msr_is(u->t, s.msrs[i], s.got[i], values[i],
                     ", of the package, read by processor 1");
        set_msr_again(u->t, s.msrs[i], 0);
    }
}

TEST(uncore_reserved,
     .asks = "Does the uncore's global control hold its bits, and do reserved "
             "ones of all controls raise #GP?",
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
    check_global(&u);
    check_shared(&u);
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
