/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore_msr.c - reads and writes of the registers of the uncore. */
#include "tests/silicon/model/uncore/uncore_msr.h"

#include "tests/silicon/model/hooks.h"

/* The counter or select of a pair, at first + 0 or 1; NULL for neither. */
static uint64_t *in_pair(struct uncore_counter pair[2], uint32_t number,
                         uint32_t counter, uint32_t select)
{
    if (number - counter < 2)
        return &pair[number - counter].value;
    if (number - select < 2)
        return &pair[number - select].select;
    return NULL;
}

/* Where a register of the C-Boxes or of the ARB is; *mask: its bits. */
static uint64_t *find_register(struct machine *m, uint32_t number,
                               uint64_t *mask)
{
    uint32_t last =
        MSR_UNC_CBO_0_PERFEVTSEL0 +
        MSR_UNC_CBO_STRIDE * (faults_rule(m, UNCORE_ABSENT_REFUSED, true)
                                  ? m->cpu->uncore->registers
                                  : UNCORE_BOXES_MAX);
    uint32_t at = number % MSR_UNC_CBO_STRIDE;
    bool select;

    if (number >= MSR_UNC_CBO_0_PERFEVTSEL0 && number < last) {
        uint32_t n = (number - MSR_UNC_CBO_0_PERFEVTSEL0) / MSR_UNC_CBO_STRIDE;

        select = at < 2;
        *mask = select ? UNCORE_SELECT : UNCORE_MASK;
        return in_pair(m->uncore.box[n], at, 6, 0);
    }
    select = number >= MSR_UNC_ARB_PERFEVTSEL0;
    *mask = select ? UNCORE_SELECT : UNCORE_MASK;
    return in_pair(m->uncore.arb, number, MSR_UNC_ARB_PERFCTR0,
                   MSR_UNC_ARB_PERFEVTSEL0);
}

bool uncore_is_msr(const struct machine *m, uint32_t number)
{
    const struct uncore_traits *traits = m->cpu->uncore;

    if (traits == NULL)
        return false;
    return number == traits->global_ctrl || number == traits->global_status ||
           (number >= MSR_UNC_PERF_FIXED_CTRL &&
            number <= MSR_UNC_CBO_CONFIG) ||
           (number >= MSR_UNC_ARB_PERFCTR0 &&
            number <= MSR_UNC_ARB_PERFEVTSEL0 + 1) ||
           (number >= MSR_UNC_CBO_0_PERFEVTSEL0 &&
            number < MSR_UNC_CBO_0_PERFEVTSEL0 +
                         MSR_UNC_CBO_STRIDE * UNCORE_BOXES_MAX);
}

static bool read_locked(struct machine *m, uint32_t number, uint64_t *value)
{
    const struct uncore *u = &m->uncore;
    uint64_t mask;
    const uint64_t *stored;

    if (number == m->cpu->uncore->global_ctrl) {
        *value = u->ctrl;
    } else if (number == m->cpu->uncore->global_status) {
        *value = u->status;
        if (!faults_rule(m, UNCORE_READ_KEEPS_STATUS, true))
            m->uncore.status = 0;
    } else if (number == MSR_UNC_PERF_FIXED_CTRL) {
        *value = u->fixed_ctrl;
    } else if (number == MSR_UNC_PERF_FIXED_CTR) {
        *value = u->fixed;
    } else if (number == MSR_UNC_CBO_CONFIG) {
        *value = faults_uncore_config(m, m->cpu->uncore->config);
    } else {
        stored = find_register(m, number, &mask);
        if (stored == NULL)
            return false;
        *value = *stored;
        if (mask == UNCORE_MASK &&
            !faults_rule(m, UNCORE_READ_KEEPS_COUNTER, true))
            *find_register(m, number, &mask) = 0;
    }
    return true;
}

static bool write_locked(struct machine *m, uint32_t number, uint64_t value)
{
    struct uncore *u = &m->uncore;
    uint64_t mask, *stored;
    bool clears = false;

    if (number == m->cpu->uncore->global_ctrl) {
        mask = UNCORE_CTRL_EN | UNCORE_CTRL_WAKE_PMI | UNCORE_CTRL_FREEZE |
               (BIT(m->cpu->uncore->cores) - 1);
        stored = &u->ctrl;
    } else if (number == m->cpu->uncore->global_status) {
        mask = UNCORE_STATUS_FIXED | UNCORE_STATUS_ARB | UNCORE_STATUS_CBOX;
        stored = &u->status;
        clears = u->status_write_clears;
    } else if (number == MSR_UNC_PERF_FIXED_CTRL) {
        mask = UNCORE_OVF_EN | UNCORE_EN;
        stored = &u->fixed_ctrl;
    } else if (number == MSR_UNC_PERF_FIXED_CTR) {
        mask = BIT(m->cpu->uncore->clock_bits) - 1;
        stored = &u->fixed;
    } else if (number == MSR_UNC_CBO_CONFIG) {
        return false;
    } else {
        stored = find_register(m, number, &mask);
    }
    if (stored == NULL || ((value & ~mask) != 0 && !faults_accept_uncore(m)))
        return false;
    if (mask >= UNCORE_MASK && uncore_enabled(m) &&
        !faults_rule(m, UNCORE_TAKES_WHILE_ENABLED, true))
        return true;
    if (stored == &u->ctrl && u->status != 0 &&
        !faults_rule(m, UNCORE_STATUS_LETS_ENABLE, true))
        value &= ~UNCORE_CTRL_EN;
    if (mask >= UNCORE_MASK && !faults_rule(m, UNCORE_WRITE_KEEPS_STATUS, true))
        u->status = 0;
    if (stored == &u->ctrl && (value & ~u->ctrl & UNCORE_CTRL_EN) != 0 &&
        !faults_rule(m, UNCORE_ENABLE_KEEPS_STATUS, true))
        u->status = 0;
    if (stored == &u->ctrl && (value & UNCORE_CTRL_EN) == 0 &&
        !faults_rule(m, UNCORE_STOP_KEEPS_EN, true))
        for (unsigned n = 0; n < 2 * UNCORE_BOXES_MAX; n++)
            u->box[n / 2][n % 2].select &= ~UNCORE_EN;
    if (stored == &u->fixed_ctrl &&
        !faults_rule(m, UNCORE_CTRL_KEEPS_STATUS, true))
        u->status &= ~UNCORE_STATUS_FIXED;
    if (stored == &u->arb[1].select && (value & UNCORE_EN) == 0 &&
        !faults_rule(m, ARB_SELECT_KEEPS_COUNTER, true))
        u->arb[1].value = 0;
    value = faults_uncore_value(m, number, value & mask);
    *stored = clears ? *stored & ~value : value;
    uncore_update_counting(m);
    return true;
}

bool uncore_is_fixed(uint32_t number)
{
    return number == MSR_UNC_PERF_FIXED_CTRL ||
           number == MSR_UNC_PERF_FIXED_CTR;
}

bool uncore_read(struct machine *m, uint32_t number, uint64_t *value)
{
    bool good;

    uncore_lock(m);
    uncore_update_clock(m);
    good = read_locked(m, number, value);
    uncore_unlock(m);
    return good;
}

bool uncore_write(struct machine *m, uint32_t number, uint64_t value)
{
    bool good;

    uncore_lock(m);
    uncore_update_clock(m);
    good = write_locked(m, number, value);
    uncore_unlock(m);
    return good;
}
