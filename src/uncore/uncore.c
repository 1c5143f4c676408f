/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore.c - takes over, opens and closes the counters of the uncore. */
#include "src/uncore/uncore.h"

#include "src/base/msr.h"
#include "src/counting/counters.h"

/* 2nd and 3rd generation; MSR_UNC_CBO_CONFIG "report the number of C-Box units
 * with performance counters, including processor cores and processor graphics",
 * and the manual has names for those of 4 cores and one more. */
static const struct uncore sandy_bridge = {
    .global_ctrl = MSR_UNC_PERF_GLOBAL_CTRL,
    .global_status = MSR_UNC_PERF_GLOBAL_STATUS,
    .all_cores = BITS(3, 0),
    .boxes_max = 5,
    .clock_bits = 48,
};

/* 4th and 5th: "Encoded number of C-Box, derive value by -1". */
static const struct uncore haswell = {
    .global_ctrl = MSR_UNC_PERF_GLOBAL_CTRL,
    .global_status = MSR_UNC_PERF_GLOBAL_STATUS,
    .all_cores = BITS(3, 0),
    .boxes_max = 4,
    .clock_bits = 48,
    .one_less = true,
};

/* 6th to 8th: the two moved, a fifth bit of the core select; up to 8 cores, and
 * the graphics. */
static const struct uncore skylake = {
    .global_ctrl = MSR_UNC_PERF_GLOBAL_CTRL_SKYLAKE,
    .global_status = MSR_UNC_PERF_GLOBAL_STATUS_SKYLAKE,
    .all_cores = BITS(4, 0),
    .boxes_max = UNCORE_BOXES_MAX + 1,
    .clock_bits = 44,
};

static const struct {
    uint8_t model;
    const struct uncore *uncore;
} models[] = {
    {0x2a, &sandy_bridge}, {0x3a, &sandy_bridge}, {0x3c, &haswell},
    {0x45, &haswell},      {0x46, &haswell},      {0x3d, &haswell},
    {0x47, &haswell},      {0x4e, &skylake},      {0x5e, &skylake},
    {0x8e, &skylake},      {0x9e, &skylake},
};

const struct uncore *uncore_of(const struct identity *id)
{
    if (!identity_is_native(id))
        return NULL;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (id->family == 6 && id->model == models[i].model)
            return models[i].uncore;
    return NULL;
}

unsigned uncore_boxes(const struct uncore *uncore, uint64_t config)
{
    unsigned number = (unsigned)(config & MSR_UNC_CBO_CONFIG_CBOX);

    return uncore->one_less && number != 0 ? number - 1 : number;
}

/* The eighth, of Coffee Lake, is elsewhere (Linux,
 * arch/x86/events/intel/uncore_snb.c, UNCORE_BOX_FLAG_CFL8_CBOX_MSR_OFFS). */
static uint32_t box_first(unsigned box)
{
    return box == 7 ? 0xf70 : 0x700 + 0x10 * box;
}

uint32_t uncore_box_select(unsigned box, unsigned n)
{
    return box_first(box) + n;
}

uint32_t uncore_box_counter(unsigned box, unsigned n)
{
    return box_first(box) + 6 + n;
}

uint64_t uncore_clear_status(const struct uncore_counters *u)
{
    uint32_t msr = u->uncore->global_status;
    uint64_t left = msr_value(u->t, msr);

    if (left != 0 && try_set_msr_again(u->t, msr, left) == HW_NO_FAULT)
        left = msr_value(u->t, msr);
    if (left != 0 && try_set_msr_again(u->t, msr, 0) == HW_NO_FAULT)
        left = msr_value(u->t, msr);
    return left;
}

static bool clear_pair(struct test_context *t, uint32_t select,
                       uint32_t counter)
{
    return set_msr(t, select, 0) && set_msr(t, counter, 0);
}

/* The last of those that "including processor graphics" counts may be without
 * registers: the manual lists none of its own for the 6th generation. */
static unsigned boxes_with_registers(const struct uncore_counters *u)
{
    uint64_t value;

    if (u->said > UNCORE_BOXES_MAX)
        return UNCORE_BOXES_MAX;
    if (u->uncore->one_less || u->said < 2 ||
        try_get_msr(u->t, uncore_box_select(u->said - 1, 0), &value) ==
            HW_NO_FAULT)
        return u->said;
    return u->said - 1;
}

bool uncore_claim(struct uncore_counters *u, struct test_context *t)
{
    const struct uncore *uncore = uncore_of(test_cpu(t));
    uint64_t ctrl, config;

    if (!get_msr(t, uncore->global_ctrl, &ctrl) ||
        !get_msr(t, MSR_UNC_CBO_CONFIG, &config))
        return false;
    if ((ctrl & UNCORE_GLOBAL_EN) != 0)
        note(t,
             "in use before the test: MSR_UNC_PERF_GLOBAL_CTRL (%XH) = 0x%lx",
             uncore->global_ctrl, ctrl);
    *u = (struct uncore_counters){
        .t = t, .uncore = uncore, .said = uncore_boxes(uncore, config)};
    if (!check(t, u->said >= 1 && u->said <= uncore->boxes_max,
               "MSR_UNC_CBO_CONFIG (396H) is 0x%lx: %u C-Boxes; wanted 1 to %u",
               config, u->said, uncore->boxes_max))
        return false;
    u->boxes = boxes_with_registers(u);

    /* The global control first: the journal gives it back last. */
    bool ok = set_msr(t, uncore->global_ctrl, 0) &&
              hold_msr(t, uncore->global_ctrl) &&
              clear_pair(t, MSR_UNC_PERF_FIXED_CTRL, MSR_UNC_PERF_FIXED_CTR);
    for (unsigned n = 0; ok && n < 2; n++)
        ok = clear_pair(t, MSR_UNC_ARB_PERFEVTSEL(n), MSR_UNC_ARB_PERFCTR(n));
    for (unsigned i = 0; ok && i < 2 * u->boxes; i++)
        ok = clear_pair(t, uncore_box_select(i / 2, i % 2),
                        uncore_box_counter(i / 2, i % 2));
    if (ok)
        uncore_clear_status(u);
    return ok;
}

bool uncore_start(const struct uncore_counters *u)
{
    return set_held_msr(u->t, u->uncore->global_ctrl, UNCORE_GLOBAL_EN);
}

bool uncore_stop(const struct uncore_counters *u)
{
    return set_held_msr(u->t, u->uncore->global_ctrl, 0);
}

bool uncore_clock_mask(const struct uncore_counters *u, uint64_t *mask)
{
    const uint64_t most = BITS(UNCORE_CLOCK_BITS - 1, 0);
    uint64_t held = 0;

    *mask = BITS(u->uncore->clock_bits - 1, 0);
    if (*mask == most ||
        try_set_msr_again(u->t, MSR_UNC_PERF_FIXED_CTR, most) != HW_NO_FAULT)
        return true;
    if (!get_msr(u->t, MSR_UNC_PERF_FIXED_CTR, &held))
        return false;
    if (held == most)
        *mask = most;
    return set_msr_again(u->t, MSR_UNC_PERF_FIXED_CTR, 0);
}
