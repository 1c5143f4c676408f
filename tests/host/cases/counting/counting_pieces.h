/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_pieces.h - processors whose counters count what the pieces of a
 * window have, by ring and in transactions, as the manual says; or one counter
 * counts one event otherwise. */
#ifndef TESTS_HOST_CASES_COUNTING_COUNTING_PIECES_H
#define TESTS_HOST_CASES_COUNTING_COUNTING_PIECES_H

#include "asm/counting_window.h"
#include "src/counting/bank.h"
#include "src/cpu/generation.h"
#include "tests/host/cases/case_fixture.h"

#define WIDTH BITS(47, 0)
#define LATER (ICE_LAKE | GOLDEN_COVE)

/* What is executed in a row, at one ring, in a transaction or not. */
struct piece {
    unsigned ring;
    bool tx, aborted;
    uint32_t instructions;
    uint32_t taken, falling, calls, returns, jumps, indirect, indirect_calls;
    uint32_t far;
    uint32_t mispredicted;
    uint32_t loads, stores, locked, split_loads, split_stores;
    uint32_t references, misses; /* of the last level */
    uint32_t cycles;             /* 0: ten an instruction */
};

/* Of window_plain(). */
static const struct piece piece_plain = {.instructions = 21,
                                         .taken = 4,
                                         .falling = 1,
                                         .calls = 1,
                                         .returns = 1,
                                         .jumps = 1};

#define EVERYWHERE 0xff /* of a ring */

static struct {
    /* What one counter counts more, or less, of one event, at one ring; 0 is
     * any event. In one window, or all. */
    struct {
        unsigned place;
        uint64_t event; /* and umask */
        unsigned ring, window;
        bool tx, levels_ignored;
        int64_t more;
    } wrong;
    /* A window in which more is executed, or each (0): seen by all counters. */
    struct {
        uint32_t instructions, branches;
        unsigned window;
    } more;
    uint64_t no_status, no_pmi; /* places */
    unsigned no_pmi_each;       /* so manieth window has none; 0: all have */
    bool smis;                  /* in each window */
    bool freezes_not, freezes_late, leaves_mask, pmi_repeats, pmi_while_masked;
    bool inv_ignored, edge_ignored, cmask_ignored;
    bool pmi_behind;                       /* what is measured */
    bool pmi_elsewhere, freezes_elsewhere; /* on processor 1, for processor 0 */
    uint64_t any_ignored, any_always;      /* places: what ANY adds */
    bool any_levels_ignored;               /* USR, OS and IN_TX, of ANY alone */
    int64_t inv_more;       /* of IA32_PMC0 with INV and USR alone */
    unsigned any_user_lost; /* events of the other's ring 3, each time */
    bool pmi_is_usr; /* a fixed counter's PMI bit has it count ring 3, too */
    /* What is going on. */
    unsigned windows;
    struct {
        bool open, masked;
        unsigned pmis, left_masked, late;
    } pmi[PROCESSORS];
} device;
static unsigned counters, fixed_counters; /* general-purpose ones; others */

static bool has_place(unsigned place)
{
    return place < counters || place - PLACE_FIXED0 < fixed_counters;
}

static uint32_t near_taken(const struct piece *p)
{
    return p->taken + p->calls + p->returns + p->jumps + p->indirect;
}

static uint64_t cycles_of(const struct piece *p)
{
    return p->cycles != 0 ? p->cycles : 10 * (uint64_t)p->instructions;
}

/* SDM 3B, tables of events, BR_INST_RETIRED; Intel's lists ICX, ADL. */
static uint64_t branches_of(uint64_t umask, const struct piece *p)
{
    const unsigned g = (unsigned)identity_generation(&all[0].cpu);

    switch (umask) {
    case 0x00:
        return near_taken(p) + p->falling + p->far;
    case 0x01:
        return p->taken + ((g & LATER) != 0 ? 0 : p->falling);
    case 0x11:
    case 0x7e:
        return p->taken + p->falling;
    case 0x02:
    case 0xf9:
        return p->calls;
    case 0x08:
    case 0xf7:
        return p->returns;
    case 0x10:
        return p->falling;
    case 0x20:
    case 0xc0:
        return near_taken(p);
    case 0x40:
    case 0xbf:
        return p->far;
    case 0x80:
    case 0xeb:
        return p->indirect + p->indirect_calls;
    case 0xfe:
        return p->taken;
    }
    return 0;
}

static uint64_t events_of(uint64_t select, const struct piece *p)
{
    switch (select & 0xffff) {
    case 0x00c0:
    case 0x01c0:
        return p->instructions;
    case 0x003c:
        return cycles_of(p);
    case 0x013c:
        return cycles_of(p) / 24;
    case 0x00c5:
        return p->mispredicted;
    case 0x81d0:
        return p->loads;
    case 0x82d0:
        return p->stores;
    case 0x21d0:
        return p->locked;
    case 0x41d0:
        return p->split_loads;
    case 0x42d0:
        return p->split_stores;
    case 0x4f2e:
        return p->references;
    case 0x412e:
    case 0x01b7:
        return p->misses;
    case 0x01a4:
        return 4 * cycles_of(p);
    }
    return (select & 0xff) == 0xc4 ? branches_of(select >> 8 & 0xff, p) : 0;
}

/* Each event in a cycle of its own. */
static uint64_t by_cycles(uint64_t select, const struct piece *p)
{
    const uint64_t events = events_of(select, p), cmask = select >> 24 & 0xff;

    if (cmask == 0 || device.cmask_ignored)
        return events;
    const uint64_t met = cmask > 1 ? 0 : events;
    const bool inv = (select & IA32_PERFEVTSEL_INV) != 0;
    if ((select & IA32_PERFEVTSEL_E) != 0 && !device.edge_ignored)
        return inv ? met == 0 : met;
    return inv && !device.inv_ignored ? cycles_of(p) - met : met;
}

/* Of its levels, bit 0: ring 0, bit 1: the others. */
static bool at_level(uint64_t levels, const struct piece *p)
{
    return (levels >> (p->ring != 0) & 1) != 0;
}

static uint64_t count_of(unsigned place, const struct piece *p)
{
    uint64_t fixed = *msr(IA32_FIXED_CTR_CTRL) >> 4 * (place & 7);

    if (device.pmi_is_usr)
        fixed |= fixed >> 2 & 2;
    if (place >= PLACE_FIXED0)
        return !at_level(fixed, p)          ? 0
               : place == PLACE_FIXED0      ? p->instructions
               : place == PLACE_FIXED0 + 3u ? 4 * cycles_of(p)
                                            : cycles_of(p);
    const uint64_t select = *msr(IA32_PERFEVTSEL(place));
    const uint64_t levels = (select >> 17 & 1) | (select >> 16 & 1) << 1;
    if (!at_level(levels, p) ||
        ((select & IA32_PERFEVTSEL_IN_TX) != 0 && !p->tx) ||
        ((select & IA32_PERFEVTSEL_IN_TXCP) != 0 && p->aborted))
        return 0;
    const bool other = place == 0 && levels == 2 && cycles_of(p) > 1000 &&
                       (select & IA32_PERFEVTSEL_INV) != 0 &&
                       (select & IA32_PERFEVTSEL_E) == 0;
    return by_cycles(select, p) + (other ? (uint64_t)device.inv_more : 0);
}

static bool enabled(unsigned place, uint64_t enable)
{
    const uint64_t own =
        place < PLACE_FIXED0
            ? *msr(IA32_PERFEVTSEL(place)) & IA32_PERFEVTSEL_EN
            : *msr(IA32_FIXED_CTR_CTRL) >> 4 * (place - PLACE_FIXED0) & 3;
    const bool frozen =
        (*msr(IA32_PERF_GLOBAL_STATUS) & IA32_PERF_GLOBAL_STATUS_CTR_FRZ) != 0;
    const bool ignored =
        device.wrong.levels_ignored && device.wrong.place == place;

    return (enable >> place & 1) != 0 && (own != 0 || ignored) && !frozen;
}

static bool is_wrong(unsigned place, const struct piece *p)
{
    return device.wrong.more != 0 && device.wrong.place == place &&
           (device.wrong.event == 0 || place >= PLACE_FIXED0 ||
            device.wrong.event == (*msr(IA32_PERFEVTSEL(place)) & 0xffff)) &&
           (device.wrong.ring == EVERYWHERE || device.wrong.ring == p->ring) &&
           (!device.wrong.tx || p->tx) &&
           (device.wrong.window == 0 || device.wrong.window == device.windows);
}

/* Returns whether it has frozen the counters. */
static bool interrupt(unsigned place)
{
    const bool asked =
        place < PLACE_FIXED0
            ? (*msr(IA32_PERFEVTSEL(place)) & IA32_PERFEVTSEL_INT) != 0
            : (*msr(IA32_FIXED_CTR_CTRL) &
               IA32_FIXED_CTR_CTRL_PMI(place - PLACE_FIXED0)) != 0;

    if (!asked || (device.no_pmi >> place & 1) != 0 ||
        (device.no_pmi_each != 0 && device.windows % device.no_pmi_each == 0))
        return false;
    if (device.pmi[fake_current].open &&
        (!device.pmi[fake_current].masked || device.pmi_while_masked)) {
        device.pmi[fake_current].pmis += device.pmi_repeats ? 2 : 1;
        device.pmi[fake_current].left_masked += device.leaves_mask ? 0 : 1;
    }
    if (device.pmi_elsewhere)
        device.pmi[1].late++;
    const uint64_t debugctl = *msr(IA32_DEBUGCTL);
    const bool freezes = (debugctl & IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI) != 0;
    if (device.freezes_elsewhere && freezes &&
        (debugctl & IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI) != 0) {
        fake_current = 1;
        *msr(IA32_PERF_GLOBAL_STATUS) |= IA32_PERF_GLOBAL_STATUS_CTR_FRZ;
        fake_current = 0;
    }
    if (!freezes || device.freezes_not)
        return false;
    if (t->cpu.perfmon_version >= 4)
        *msr(IA32_PERF_GLOBAL_STATUS) |= IA32_PERF_GLOBAL_STATUS_CTR_FRZ;
    return !device.freezes_late;
}

static void add(unsigned place, uint64_t n)
{
    uint64_t *value = msr(bank_msr(place));
    const uint64_t before = *value;

    *value = (before + n) & WIDTH;
    if (place < PLACE_FIXED0)
        *msr(IA32_A_PMC(place)) = *value;
    if (*value >= before)
        return;
    if ((device.no_status >> place & 1) == 0)
        *msr(IA32_PERF_GLOBAL_STATUS) |= BIT(place);
    if (interrupt(place))
        *value = 0; /* of what was still to come */
}

/* What the other thread of the core does, where ANY adds it. */
static inline void run_beside(uint64_t enable, const struct piece *p)
{
    for (unsigned place = 0; place < PLACES_END; place++) {
        if (!has_place(place) || !enabled(place, enable))
            continue;
        const bool any =
            place < PLACE_FIXED0
                ? (*msr(IA32_PERFEVTSEL(place)) & IA32_PERFEVTSEL_ANY) != 0
                : (*msr(IA32_FIXED_CTR_CTRL) >> 4 * (place - PLACE_FIXED0) &
                   4) != 0;
        if (((any && (device.any_ignored >> place & 1) == 0) ||
             (device.any_always >> place & 1) != 0)) {
            uint64_t n = count_of(place, p);
            if (device.any_levels_ignored && place < PLACE_FIXED0)
                n = by_cycles(*msr(IA32_PERFEVTSEL(place)), p);
            if (n >= device.any_user_lost && p->ring == 3 &&
                place < PLACE_FIXED0)
                n -= device.any_user_lost;
            if (n != 0)
                add(place, n);
        }
    }
}

static void run_piece(uint64_t enable, const struct piece *piece)
{
    struct piece all_of_it = *piece;
    const struct piece *p = &all_of_it;
    bool counts[PLACES_END];

    if (device.smis)
        ++*msr(MSR_SMI_COUNT);
    if (device.more.window == 0 || device.more.window == device.windows) {
        all_of_it.instructions += device.more.instructions;
        all_of_it.jumps += device.more.branches;
    }

    for (unsigned place = 0; place < PLACES_END; place++)
        counts[place] = has_place(place) && enabled(place, enable);
    for (unsigned place = 0; place < PLACES_END; place++) {
        uint64_t n = counts[place] ? count_of(place, p) : 0;
        if (counts[place] && is_wrong(place, p) &&
            (n != 0 || device.wrong.levels_ignored))
            n += (uint64_t)device.wrong.more;
        if (n != 0)
            add(place, n);
    }
}

/* A whole window. */
static inline void run_window(uint64_t enable, const struct piece *pieces,
                              unsigned n)
{
    device.windows++;
    for (unsigned i = 0; i < n; i++)
        run_piece(enable, &pieces[i]);
}

/* One of a single piece. */
#define WINDOW(name)                                                      \
    uint64_t window_##name(uint64_t enable, uint64_t cells[WINDOW_CELLS]) \
    {                                                                     \
        (void)cells;                                                      \
        run_window(enable, &piece_##name, 1);                             \
        return 0;                                                         \
    }

#endif
