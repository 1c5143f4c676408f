/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_fixture.h - a device that counts as the manual says, or with one
 * deviation. */
#ifndef TESTS_HOST_CASES_COUNTING_COUNTING_FIXTURE_H
#define TESTS_HOST_CASES_COUNTING_COUNTING_FIXTURE_H

#include "tests/host/cases/counting/counting_deviations.h"

/* --- Counting ------------------------------------------------------------ */

static bool frozen(void)
{
    return (*reg(IA32_PERF_GLOBAL_STATUS) & IA32_PERF_GLOBAL_STATUS_CTR_FRZ) !=
           0;
}

static void interrupt(unsigned place)
{
    bool asked = place < 32
                     ? (*reg(IA32_PERFEVTSEL(place)) & IA32_PERFEVTSEL_INT) != 0
                     : (*reg(IA32_FIXED_CTR_CTRL) &
                        IA32_FIXED_CTR_CTRL_PMI(place - 32)) != 0;

    const bool of = place == device.place;
    if (!asked && device.is != PMI_ALWAYS && (device.is != PMI_UNASKED || !of))
        return;
    if (device.is == PMI_MISSING_OF && of)
        return;
    if (device.pmi && !device.pmi_masked && device.is != PMI_MISSING &&
        (!device.pmi_held || device.is != PMI_LOST_WHILE_OFF)) {
        device.pmis +=
            device.is == PMI_TWICE ||
                    (device.is == PMI_MANY && device.pmis - device.before >= 2)
                ? 2
                : 1;
        device.masked += device.is == PMI_TWICE ? 2 : 1;
        if (device.is == PMI_LEAVES_UNMASKED)
            device.masked = 0;
    }
    if (asked &&
        (*reg(IA32_DEBUGCTL) & IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI) != 0 &&
        device.is != FREEZE_MISSING &&
        (device.is != FREEZES_ONCE || !device.has_frozen)) {
        device.has_frozen = true;
        if (device.is != FREEZE_LEGACY)
            *reg(IA32_PERF_GLOBAL_STATUS) |= IA32_PERF_GLOBAL_STATUS_CTR_FRZ;
        if (device.is == FREEZE_CLEARS_CTRL || device.is == FREEZE_LEGACY)
            *reg(IA32_PERF_GLOBAL_CTRL) = 0;
    }
}

static void add(unsigned place, uint64_t n)
{
    uint64_t *value = reg(bank_msr(place));
    uint64_t before = *value, said = BIT(place);

    *value = (before + n) & MASK;
    const bool of = place == device.place;
    if (device.is == CARRY_LOST && of && (~before & *value & BIT(device.bit)))
        *value &= ~BIT(device.bit);
    if (device.is == OVERFLOW_OF_NEIGHBOUR && of)
        said = BIT(place ^ 1);
    bool over = *value < before ||
                (device.is == OVERFLOW_EARLY && of && *value == MASK);
    if (!over)
        return;
    if ((device.is != OVERFLOW_UNSAID || !of) &&
        (device.is != OVERFLOW_ONCE || !of || !device.overflowed))
        *reg(IA32_PERF_GLOBAL_STATUS) |= said;
    device.overflowed = device.overflowed || of;
    if (*value == 0 || device.is != PMI_OF_0_ALONE)
        interrupt(place);
}

/* What a select counts of so many branches, each in a cycle of its own. */
static uint64_t count_of(uint64_t select, uint64_t instructions,
                         uint64_t branches, uint64_t cycles)
{
    uint64_t events = (select & 0xffff) == 0x8c4 ? 0 /* returns */
                      : (select & 0xff) == 0xc4  ? branches
                      : (select & 0xff) == 0xc0  ? instructions
                                                 : cycles;
    uint64_t cmask = select >> 24 & 0xff;

    if (cmask == 0 || device.is == CMASK_IGNORED)
        return events;
    bool inv = (select & IA32_PERFEVTSEL_INV) != 0 && device.is != INV_IGNORED;
    uint64_t met = cmask > 1 ? 0 : events;
    if ((select & IA32_PERFEVTSEL_E) != 0 && device.is != EDGE_COUNTS_CYCLES)
        return met == cycles ? 0 : met; /* what always holds never rises */
    return inv ? cycles - met : met;
}

/* Core cycles with INV have one where the clock stops. */
static bool sees_stop(unsigned place)
{
    return place < 32 && device.stops != 0 &&
           (*reg(IA32_PERFEVTSEL(place)) & (0xff | IA32_PERFEVTSEL_INV)) ==
               (0x3c | IA32_PERFEVTSEL_INV);
}

static bool counts(unsigned place, uint64_t enable)
{
    const uint64_t needed = IA32_PERFEVTSEL_EN | IA32_PERFEVTSEL_OS;
    uint64_t own =
        place < 32
            ? (*reg(IA32_PERFEVTSEL(place)) & needed) == needed
            : *reg(IA32_FIXED_CTR_CTRL) & (UINT64_C(1) << 4 * (place - 32));

    const bool of = place == device.place;
    if (device.is == GLOBAL_CTRL_IGNORED && of)
        enable |= BIT(place);
    if (device.is == ENABLE_IGNORED && of)
        own = 1;
    if (device.is == FREEZE_LEGACY && *reg(IA32_PERF_GLOBAL_CTRL) == 0 &&
        device.pmis != 0)
        return false;
    device.froze |= frozen();
    if (device.is == FREEZE_STAYS && of && device.froze)
        return false;
    return (enable >> place & 1) != 0 && own != 0 &&
           (!frozen() || (device.is == FREEZE_NOT_OF && of));
}

/* One branch after another, so that an overflow stops the others in between. */
static void run(uint64_t enable, uint64_t instructions, uint64_t branches)
{
    const unsigned stop = sees_stop(0);

    if (device.is == SMI_ALWAYS)
        ++*reg(MSR_SMI_COUNT);
    for (uint64_t i = 0; i <= branches; i++) {
        uint64_t b = i < branches,
                 n = i < branches ? 2 : instructions - 2 * branches;
        uint64_t now[36];
        for (unsigned p = 0; p < PLACES_END; p++)
            now[p] = counts(p, enable);
        for (unsigned p = 0; p < PLACES_END; p++) {
            if (!now[p] || (PLACES >> p & 1) == 0)
                continue;
            uint64_t one =
                p == 32   ? n
                : p == 33 ? 10 * n
                : p == 34 ? n
                          : count_of(*reg(IA32_PERFEVTSEL(p)), n, b, 10 * n);
            if (p >= 33 && i == 0)
                one += device.late;
            if (device.is == COUNTERS_LINKED && p == 1 &&
                (*reg(IA32_PERFEVTSEL(0)) & 0xff) == 0x2e)
                one = 0;
            if (p == device.place && one != 0 && i == 0)
                one += device.is == COUNTS_MORE       ? 2000
                       : device.is == COUNTS_FEW_MORE ? 4
                                                      : 0;
            if (device.is == COUNTS_LESS && p == device.place)
                one -= one / 4;
            if (i == 0 && sees_stop(p))
                one++;
            if (one != 0)
                add(p, one);
        }
    }
    device.stops -= stop;
}

static uint64_t window(uint64_t enable, const struct window_shape *shape)
{
    device.before = device.pmis;
    device.overflowed = false;
    device.late += device.slower;
    run(enable, shape->instructions, shape->branches);
    if (device.pmis != device.before && device.is != PMI_LATE &&
        device.is != PMI_AT_CLOSE && !device.pmi_held)
        run(enable, 20, 5); /* the handler */
    return 0;
}

#define WINDOW(name)                                                      \
    uint64_t window_##name(uint64_t enable, uint64_t cells[WINDOW_CELLS]) \
    {                                                                     \
        (void)cells;                                                      \
        return window(enable, &window_##name##_shape);                    \
    }
WINDOW(plain)
WINDOW(long)
const struct window_shape window_rep_shape = {8, 0, 0, 0};
WINDOW(rep)
const struct window_shape window_branches_shape = {40, 32, 0, 0};
WINDOW(branches)
static const struct window_shape window_random_shape = {200, 128, 0, 0};
WINDOW(random)
static const struct window_shape window_returns_shape = {232, 64, 0, 0};
WINDOW(returns)
static const struct window_shape window_indirect_shape = {200, 64, 0, 0};
WINDOW(indirect)
static const struct window_shape window_compare_shape = {12, 0, 0, 0};
WINDOW(compare)

uint64_t window_paused(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)cells;
    run(enable, window_paused_shape.instructions, window_paused_shape.branches);
    if (device.is == PAUSE_COUNTS)
        run(enable, 10, 5);
    return 0;
}

static void change_enable(uint64_t enable)
{
    const uint64_t both = device.enable != enable ? device.enable & enable : 0;

    device.enable = enable;
    for (unsigned n = 0; n < 4 && device.is == CTRL_LOSES_ONE; n++)
        if ((both >> n & 1) != 0 && (*reg(IA32_PERFEVTSEL(n)) & 0xff) == 0xc0)
            --*reg(IA32_PMC(n));
}

uint64_t window_live(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct window_live *live = (void *)(uintptr_t)cells[0];
    const uint64_t from = *reg(live->rdmsr);

    device.enable = enable;
    for (unsigned i = 0; i < 2; i++) {
        run(device.enable, i == 0 ? 21 : 25, i == 0 ? LIVE_FIRST : LIVE_SECOND);
        live->by_rdpmc[i] = live->by_rdmsr[i] = *reg(live->rdmsr);
        if (device.is == RDPMC_OF_START)
            live->by_rdpmc[i] = from;
        fake_unguarded = true;
        if (live->msr != IA32_PERF_GLOBAL_CTRL)
            assert_int_equal(hw_msr_write(live->msr, live->value[i]),
                             HW_NO_FAULT);
        else
            change_enable(live->value[i]);
        fake_unguarded = false;
        for (unsigned n = 0; n < 4; n++)
            if (device.is == CTRL_CLEARS_COUNTERS && i == 1 &&
                live->msr == IA32_PERF_GLOBAL_CTRL)
                *reg(IA32_PMC(n)) = 0;
    }
    run(device.enable, 13, 4);
    device.enable = 0;
    return 0;
}

void memory_load_flush(uint64_t enable, const struct memory_walk *walk)
{
    run(enable, 30 + 40 * walk->count, 7 + walk->count);
}

void counting_work(void *unused)
{
    unsigned before = device.pmis;

    (void)unused;
    run(*reg(IA32_PERF_GLOBAL_CTRL), 120, WORK_BRANCHES);
    if (device.pmis != before)
        run(*reg(IA32_PERF_GLOBAL_CTRL), 20, 5);
}

/* As the assembler has them, of two bytes here. */
__asm__(".pushsection .rodata\n"
        ".globl window_long_closing, window_long_end\n"
        "window_long_closing: .byte 0, 0\n"
        "window_long_end: .byte 0\n"
        ".popsection");
const struct window_shape window_ring3_kernel_shape = {0, 0, 0, 0};
const struct window_shape window_ring3_user_shape = {0, 0, 0, 0};

uint64_t window_ring3(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)enable;
    (void)cells;
    return 0;
}

uint64_t ring3_rdpmc(struct ring3 *ring3, uint32_t index)
{
    (void)ring3;
    return index;
}

bool hw_pmi_begin(bool nmi)
{
    device.nmis += nmi;
    device.lbrs_too += (*reg(IA32_DEBUGCTL) & BITS(12, 11)) == BITS(12, 11);
    device.pmi = true;
    device.pmi_masked = device.pmi_held = false;
    device.pmis = device.masked = 0;
    return true;
}

void hw_pmi_mask(void)
{
    device.pmi_masked = true;
    device.masks++;
}

void hw_pmi_hold(void)
{
    device.pmi_held = device.is != PMI_WHILE_OFF;
    device.holds++;
}

void hw_pmi_outrank(void)
{
    device.pmi_held = device.is != PMI_OUTRANKS;
    device.outranks++;
}

unsigned hw_pmi_count(void)
{
    return device.pmis;
}

unsigned hw_pmi_masked(void)
{
    return device.masked;
}

uint64_t hw_pmi_rip(void)
{
    return device.is == PMI_LATE || device.pmi_held ? (uintptr_t)window_long_end
           : device.is == PMI_AT_CLOSE ? (uintptr_t)window_long_closing + 1
                                       : (uintptr_t)window_long;
}

/* An SMI may clear the bit that freezes (HSD052). */
void hw_pmi_end(void)
{
    device.pmi = false;
    if (device.smis == 0)
        return;
    device.smis--;
    *reg(IA32_DEBUGCTL) &= ~IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI;
}

#endif
