/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of PEBS hold each defined bit, refuse each reserved one and an
 * address that is not canonical, and are each processor's own. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/cpu/generation.h"
#include "src/pebs/sampling.h"
#include "src/trace/registers.h"

/* Of one register. Bits that are neither are not promised. */
struct layout {
    uint32_t msr;
    uint64_t defined, reserved;
};

#define ENABLES (BITS(3, 0) | BITS(35, 32))

/* "Layout of IA32_PEBS_ENABLE MSR", with [63] on the 2nd and 3rd generation and
 * without it on the others: there it is not tried. Load latency: of all. */
static const struct layout layouts[] = {
    {IA32_PEBS_ENABLE, ENABLES, ~(ENABLES | IA32_PEBS_ENABLE_PS_EN)},
    {MSR_PEBS_LD_LAT, MSR_PEBS_LD_LAT_THRHLD, ~MSR_PEBS_LD_LAT_THRHLD},
};

/* SDM 3B, "Adaptive PEBS": the bits of the counters that there are, general-
 * purpose and fixed; the groups. What no counter could have is reserved. */
#define EXTENDED (BITS(7, 0) | BITS(35, 32))
static const struct layout adaptive = {MSR_PEBS_DATA_CFG, PEBS_DATA_DEFINED,
                                       ~PEBS_DATA_DEFINED};

/* PMI_AFTER_REC [60] and PEBS_OUTPUT [62:61] are where records can go to a
 * trace of Processor Trace: SDM 3B, "PEBS Output to Processor Trace". The
 * E-cores of hybrid processors can, whose IA32_PERF_CAPABILITIES says what all
 * cores have (Linux, arch/x86/events/intel/core.c, pebs_output_pt_available).
 */
static struct layout extended_of(const struct identity *id)
{
    const bool output =
        identity_generation(id) == GRACEMONT ||
        (id->perf_capabilities & IA32_PERF_CAPABILITIES_PEBS_OUTPUT_PT) != 0;

    return (struct layout){IA32_PEBS_ENABLE, 0,
                           ~(EXTENDED | (output ? BITS(62, 60) : 0))};
}

static void check_value(struct test_context *t, uint32_t msr, uint64_t value)
{
    char name[MSR_NAME_BYTES];
    uint64_t got;

    if (set_msr_again(t, msr, value) && get_msr(t, msr, &got))
        check_equal(t, msr_name(msr, name), got, value);
}

/* The write must raise #GP; one that does not is undone at once. */
static void check_refused(struct test_context *t, uint32_t msr, uint64_t value,
                          uint64_t held, const char *why)
{
    char name[MSR_NAME_BYTES];
    int vector = try_set_msr_again(t, msr, value);

    uint64_t got = msr_value(t, msr);

    if (got != held || vector == HW_NO_FAULT)
        set_msr_again(t, msr, held);
    check(t, vector == HW_GP && got == held,
          "%s, which is 0x%lx: WRMSR of 0x%lx (%s) raises %s, and it is 0x%lx; "
          "wanted #GP, and no change",
          msr_name(msr, name), held, value, why, fault_name(vector), got);
}

/* With its low bits set a threshold is one that may be programmed. What is
 * refused has another bit than it holds, too. */
static void try_layout(struct test_context *t, const struct layout *layout,
                       uint64_t defined)
{
    const uint64_t least =
        layout->msr == MSR_PEBS_LD_LAT ? MSR_PEBS_LD_LAT_THRHLD_MIN : 0;
    const uint64_t held =
        least | BIT(0); /* that a refused write has to leave */
    char why[32];

    for (unsigned bit = 0; bit < 64; bit++) {
        if ((defined >> bit & 1) != 0)
            check_value(t, layout->msr, BIT(bit) | least);
        if (!set_msr_again(t, layout->msr, held))
            return;
        text_format(why, sizeof(why), "[%u] is reserved", bit);
        if ((layout->reserved >> bit & 1) != 0)
            check_refused(t, layout->msr, BIT(bit) | (held ^ BIT(1)), held,
                          why);
    }
    check_value(t, layout->msr, defined);
    check_value(t, layout->msr, least);
}

/* With format 6 the sets of counters that there are, too, and metrics where
 * they are; of what else there may be no document is known. A processor of more
 * counters has more of them. */
static void try_later(struct test_context *t)
{
    const struct identity *id = test_cpu(t);
    const uint64_t places = bank_places(id);
    const bool metrics =
        (id->perf_capabilities & IA32_PERF_CAPABILITIES_PERF_METRICS) != 0;
    const struct layout enable = {IA32_PEBS_ENABLE, 0, 0},
                        data = {MSR_PEBS_DATA_CFG, 0, 0};

    try_layout(t, &enable, places & BITS(35, 0));
    try_layout(t, &data,
               PEBS_DATA_DEFINED | PEBS_DATA_COUNTERS |
                   (metrics ? PEBS_DATA_METRICS : 0) |
                   PEBS_DATA_SETS_OF(places));
}

/* Nothing counts, so nothing is written there. */
static void try_ds_area(struct test_context *t, uint64_t held)
{
    const unsigned sign = registers_linear_bits(test_cpu(t)) - 1;

    for (unsigned bit = 3; bit < sign; bit++)
        check_value(t, IA32_DS_AREA, BIT(bit));
    check_value(t, IA32_DS_AREA, BITS(sign - 1, 3));
    check_value(t, IA32_DS_AREA, BITS(63, sign));
    check_value(t, IA32_DS_AREA, held);
    for (unsigned bit = sign; bit < 64; bit++)
        check_refused(t, IA32_DS_AREA, held | BIT(bit), held,
                      "not a canonical address");
}

/* A driver for several generations may set it. */
static void observe_precise_store(struct test_context *t)
{
    int vector = try_set_msr_again(t, IA32_PEBS_ENABLE, IA32_PEBS_ENABLE_PS_EN);

    if (vector == HW_NO_FAULT)
        set_msr_again(t, IA32_PEBS_ENABLE, 0);
    observe(t, "IA32_PEBS_ENABLE (3F1H)[63] can be set, without precise store",
            vector == HW_NO_FAULT, 1);
}

static bool claim(struct test_context *t)
{
    struct sampling p;

    return sampling_claim(&p, t) &&
           set_msr(t, MSR_PEBS_LD_LAT, MSR_PEBS_LD_LAT_THRHLD_MIN);
}

static void try_registers(struct test_context *t, void *unused)
{
    const unsigned with_precise_store = SANDY_BRIDGE | IVY_BRIDGE;
    const struct identity *id = test_cpu(t);
    uint64_t more = (identity_generation(id) & with_precise_store) != 0
                        ? IA32_PEBS_ENABLE_PS_EN
                        : 0;

    (void)unused;
    if (!claim(t))
        return;
    if (id->pebs_counters)
        try_later(t);
    else if (id->pebs_format == 4) {
        const struct layout extended = extended_of(id);
        try_layout(t, &extended, bank_places(id) & EXTENDED);
        try_layout(t, &adaptive, adaptive.defined);
    } else
        try_layout(t, &layouts[0], layouts[0].defined | more);
    try_layout(t, &layouts[1], layouts[1].defined);
    try_ds_area(t, (uint64_t)(uintptr_t)test_records(t));
    if (more == 0 && id->pebs_format < 4)
        observe_precise_store(t);
}

/* No two processors' are the same. */
static uint64_t own_value(const struct test_context *t, uint32_t msr)
{
    const unsigned number = test_processor(t);

    if (msr == IA32_DS_AREA)
        return (uint64_t)(uintptr_t)test_records(t) + 64 * (number % 64 + 1);
    if (msr == MSR_PEBS_DATA_CFG)
        return PEBS_DATA_LBRS | PEBS_DATA_ENTRIES_OF(number % 32 + 1);
    return msr == IA32_PEBS_ENABLE ? number % 15 + 1 : 0x100 + number;
}

/* The last one is of adaptive records. Of processors that are not known not
 * even the others are. */
static const uint32_t own_msrs[] = {IA32_PEBS_ENABLE, MSR_PEBS_LD_LAT,
                                    IA32_DS_AREA, MSR_PEBS_DATA_CFG};

static size_t own_count(const struct test_context *t)
{
    const size_t all = sizeof(own_msrs) / sizeof(own_msrs[0]);

    if (!precise_conditional_branches(test_cpu(t)))
        return 0;
    return test_cpu(t)->pebs_format == 4 ? all : all - 1;
}

static void write_own(struct test_context *t, void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < own_count(t); i++)
        set_msr(t, own_msrs[i], own_value(t, own_msrs[i]));
}

static void check_own(struct test_context *t, void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < own_count(t); i++)
        check_msr_is(t, own_msrs[i], msr_value(t, own_msrs[i]),
                     own_value(t, own_msrs[i]),
                     " after other processors wrote theirs");
    restore_msrs(t);
}

TEST(pebs_registers,
     .asks = "Do the registers of PEBS hold what is defined, refuse the rest, "
             "and belong to one processor each?",
     .cite = "SDM 3B, \"Layout of IA32_PEBS_ENABLE MSR\", \"Layout of "
             "MSR_PEBS_LD_LAT MSR\"; SDM 2B, WRMSR",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS})
{
    on_all_but(t, HW_PROCESSORS_MAX, try_registers, NULL);
    on_all_in_turn(t, write_own);
    on_all_in_turn(t, check_own);
}
