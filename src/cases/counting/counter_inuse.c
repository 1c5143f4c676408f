/* SPDX-License-Identifier: BSD-2-Clause */
/* IA32_PERF_GLOBAL_INUSE is an image of the selects, the fixed counters'
 * control and what asks for interrupts: each bit of it apart. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/smi_guard.h"

#define FIELDS 4 /* bits of IA32_FIXED_CTR_CTRL for one counter */
#define FIXED  3 /* counters whose bits are documented, FC0 to FC2 */

/* What the bits of one register's place have shown. */
struct images {
    struct test_context *t;
    uint64_t looked;   /* at these bits of 392H: counter 3 may be left out */
    uint64_t left_out; /* bits of selects: not on every processor */
    unsigned tried;
};

/* 392H after this register was written, and all others hold 0; firmware that
 * counts, too, may have written 38DH in SMM. */
struct image {
    struct images *i;
    uint32_t msr;
    uint64_t value, got;
    uint64_t places; /* of write_all() */
};

static uint64_t in_use_of(struct images *i)
{
    return msr_value(i->t, IA32_PERF_GLOBAL_INUSE) & i->looked;
}

static void check_image(const struct image *image, uint64_t want)
{
    char name[MSR_NAME_BYTES];

    image->i->tried++;
    check(image->i->t, image->got == want,
          "%s = 0x%lx alone: IA32_PERF_GLOBAL_INUSE (392H) is 0x%lx; wanted "
          "0x%lx",
          msr_name(image->msr, name), image->value, image->got, want);
}

static bool write_once(void *argument)
{
    struct image *image = argument;
    struct test_context *t = image->i->t;

    if (!set_msr_again(t, IA32_FIXED_CTR_CTRL, 0) ||
        !set_msr_again(t, image->msr, image->value))
        return false;
    image->got = in_use_of(image->i);
    return set_msr_again(t, image->msr, 0);
}

static void try_value(struct images *i, uint32_t msr, uint64_t value,
                      uint64_t want)
{
    struct image image = {.i = i, .msr = msr, .value = value};

    if (smi_guard(i->t, write_once, &image, NULL))
        check_image(&image, want);
}

/* Each bit of IA32_PERFEVTSELx alone: the event's say "in use", INT says that
 * of interrupts, the others nothing. Counting is off. */
static void try_select(struct images *i, unsigned n)
{
    uint32_t msr = IA32_PERFEVTSEL(n);

    for (unsigned bit = 0; bit < 32; bit++)
        if ((i->left_out >> bit & 1) == 0)
            try_value(i, msr, BIT(bit),
                      (BIT(bit) & IA32_PERFEVTSEL_EVENT) != 0
                          ? IA32_PERF_GLOBAL_INUSE_PERFEVTSEL(n)
                      : BIT(bit) == IA32_PERFEVTSEL_INT
                          ? IA32_PERF_GLOBAL_INUSE_PMI
                          : 0);
    try_value(i, msr, BITS(15, 0), IA32_PERF_GLOBAL_INUSE_PERFEVTSEL(n));
}

static void try_fixed(struct images *i, unsigned n)
{
    const uint64_t in_use = IA32_PERF_GLOBAL_INUSE_FC(n);
    const uint64_t want[FIELDS] = {in_use, in_use, 0,
                                   IA32_PERF_GLOBAL_INUSE_PMI};

    for (unsigned bit = 0; bit < FIELDS; bit++)
        if (bit != 2) /* AnyThread */
            try_value(i, IA32_FIXED_CTR_CTRL, BIT(FIELDS * n + bit), want[bit]);
    try_value(i, IA32_FIXED_CTR_CTRL, BITS(FIELDS * n + 1, FIELDS * n), in_use);
}

/* A PEBS counter asks for interrupts too. Its select is 0, so that it makes no
 * record. Which counters can make records is of the generation: of Goldmont
 * only the first (SDM 3B, "Performance Monitoring for Processors Based on
 * Goldmont Microarchitecture"; Linux, arch/x86/events/intel/ds.c). */
static void try_pebs(struct images *i)
{
    const struct identity *id = test_cpu(i->t);
    const unsigned counters = identity_known(id) ? 4 : 1;
    uint64_t value;

    if (!id->ds || id->pebs_unavailable || id->pebs_format == 0 ||
        try_get_msr(i->t, IA32_PEBS_ENABLE, &value) != HW_NO_FAULT ||
        !set_msr(i->t, IA32_PEBS_ENABLE, 0))
        return;
    for (unsigned n = 0; n < counters; n++)
        if ((i->looked >> n & 1) != 0)
            try_value(i, IA32_PEBS_ENABLE, IA32_PEBS_ENABLE_PMC(n),
                      IA32_PERF_GLOBAL_INUSE_PMI);
}

static bool write_all(void *argument)
{
    struct image *image = argument;
    struct test_context *t = image->i->t;
    const struct identity *id = test_cpu(t);
    const struct bank bank = bank_of(image->places, 0xc4);

    for (unsigned n = 0; n < counters_available(id); n++)
        if (!set_msr_again(t, IA32_PERFEVTSEL(n), bank.select[n]))
            return false;
    if (!set_msr_again(t, IA32_FIXED_CTR_CTRL, bank.fixed_ctrl))
        return false;
    image->value = bank.fixed_ctrl;
    image->got = in_use_of(image->i);
    for (unsigned n = 0; n < counters_available(id); n++)
        set_msr_again(t, IA32_PERFEVTSEL(n), 0);
    return set_msr_again(t, IA32_FIXED_CTR_CTRL, 0);
}

/* All at once, each by another value, and what is read is not what is written
 * last. */
static void try_all(struct images *i, uint64_t places)
{
    struct image image = {.i = i, .msr = IA32_FIXED_CTR_CTRL, .places = places};

    if (smi_guard(i->t, write_all, &image, NULL))
        check_image(&image, places & i->looked);
}

TEST(counter_inuse,
     .asks = "Does IA32_PERF_GLOBAL_INUSE show every counter in use, and "
             "interrupts?",
     .cite = "SDM 3B, \"IA32_PERF_GLOBAL_INUSE MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PERFMON_4,
               .counters = 1})
{
    const struct identity *id = test_cpu(t);
    uint64_t places = bank_claim(t);
    struct images i = {.t = t,
                       .looked = (places & BITS(PLACE_FIXED0 + FIXED - 1, 0)) |
                                 IA32_PERF_GLOBAL_INUSE_PMI};

    if (places == 0)
        return;
    if (id->perfmon_version == 4)
        i.looked |= ~bank_places(id); /* reserved: 0 */
    i.left_out = IA32_PERFEVTSEL_ANY |
                 (counters_have_pc(t, places) ? 0 : IA32_PERFEVTSEL_PC);
    try_value(&i, IA32_FIXED_CTR_CTRL, 0, 0);
    for (unsigned n = 0; n < counters_available(id); n++)
        if ((places >> n & 1) != 0)
            try_select(&i, n);
    for (unsigned n = 0; n < bank_fixed(id) && n < FIXED; n++)
        try_fixed(&i, n);
    try_pebs(&i);
    try_value(&i, IA32_PERF_GLOBAL_CTRL, places, 0);
    try_all(&i, places);

    /* Writing what it holds: no change, even where it is not refused. */
    int vector = try_rewrite_msr(t, IA32_PERF_GLOBAL_INUSE);
    check(t, vector == HW_GP,
          "WRMSR to IA32_PERF_GLOBAL_INUSE (392H), which is read-only: got %s, "
          "wanted #GP",
          fault_name(vector));
    note(t, "%u values of the registers that it reflects", i.tried);
}
