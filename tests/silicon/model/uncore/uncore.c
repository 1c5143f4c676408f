/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore.c - what the counters of the uncore count, overflow, interrupts. */
#include "tests/silicon/model/uncore/uncore.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/uncore/uncore_msr.h"

#define TOPIC_UNCORE 102

/* UNC_CBO_CACHE_LOOKUP: states, to be combined with what has asked. */
#define EVENT_CACHE_LOOKUP 0x34u
#define LOOKUP_M           0x01u
#define LOOKUP_E           0x02u
#define LOOKUP_S           0x04u
#define LOOKUP_I           0x08u
#define LOOKUP_READ        0x10u
#define LOOKUP_WRITE       0x20u
#define LOOKUP_ANY         0x80u

/* UNC_CBO_XSNP_RESPONSE: responses, and whose snoop it was: of a core's memory
 * request, as all are here. */
#define EVENT_XSNP_RESPONSE 0x22u
#define XSNP_MISS           0x01u
#define XSNP_INVAL          0x02u
#define XSNP_HIT            0x04u
#define XSNP_HITM           0x08u
#define XSNP_INVAL_M        0x10u
#define XSNP_XCORE          0x40u

#define EVENT_TRK_OCCUPANCY     0x80u /* counter 0 alone */
#define EVENT_TRK_REQUESTS      0x81u
#define EVENT_COH_TRK_OCCUPANCY 0x83u /* counter 0 alone */
#define EVENT_COH_TRK_REQUESTS  0x84u
#define TRK_ALL                 0x01u
#define TRK_WRITES              0x20u

void uncore_start(struct machine *m)
{
    struct uncore *u = &m->uncore;

    random_start(&u->random, m->seed, 0, TOPIC_UNCORE);
    u->status_write_clears = random_next(&u->random) % 2 != 0;
    u->status_of_all = random_next(&u->random) % 2 != 0;
    u->status_without_pmi = random_next(&u->random) % 2 != 0;
}

void uncore_lock(struct machine *m)
{
    while (__atomic_exchange_n(&m->uncore.lock, 1, __ATOMIC_ACQUIRE) != 0)
        ;
}

void uncore_unlock(struct machine *m)
{
    __atomic_store_n(&m->uncore.lock, 0, __ATOMIC_RELEASE);
}

bool uncore_enabled(const struct machine *m)
{
    return (m->uncore.ctrl & UNCORE_CTRL_EN) != 0 ||
           !faults_rule(m, UNCORE_NEEDS_ENABLE, true);
}

static bool any_selected(const struct machine *m)
{
    const struct uncore *u = &m->uncore;
    uint64_t all = u->arb[0].select | u->arb[1].select;

    for (unsigned n = 0; n < UNCORE_BOXES_MAX; n++)
        all |= u->box[n][0].select | u->box[n][1].select;
    return (all & UNCORE_EN) != 0;
}

void uncore_update_counting(struct machine *m)
{
    uint64_t interrupts = UNCORE_EN | UNCORE_OVF_EN;

    m->uncore.counting =
        uncore_enabled(m) &&
        (any_selected(m) || (m->uncore.fixed_ctrl & interrupts) == interrupts);
}

/* OVF_EN propagates the overflow. FREEZE: "when this bit is set, and a counter
 * overflow occurs, the uncore PMU logic will clear the global enable bit". */
static void on_overflow(struct machine *m, uint64_t status, uint64_t ctrl)
{
    struct uncore *u = &m->uncore;
    bool propagates = (ctrl & UNCORE_OVF_EN) != 0;

    if ((propagates || u->status_of_all) && !faults_hide_uncore_status(m) &&
        (u->status == 0 || faults_rule(m, UNCORE_STATUS_ADDS, true)))
        u->status |=
            faults_quantity(m, UNCORE_OVERFLOWS, (uint32_t)status, status);
    if (!propagates && faults_rule(m, UNCORE_PMI_NEEDS_OVF_EN, true))
        return;
    if (!faults_hide_uncore_pmi(m)) {
        u->pmi_cores = u->ctrl & (BIT(m->cpu->uncore->cores) - 1);
        u->pmis++;
    }
    if (((u->ctrl & UNCORE_CTRL_FREEZE) == 0 &&
         faults_rule(m, UNCORE_FREEZE_ASKED_FOR, true)) ||
        faults_uncore_runs_on(m))
        return;
    if (faults_rule(m, UNCORE_FREEZE_OF_ALL, true))
        u->ctrl &= ~UNCORE_CTRL_EN;
    else
        u->fixed_ctrl &= ~UNCORE_EN;
    if (!faults_rule(m, UNCORE_FREEZE_KEEPS_FIXED, true))
        u->fixed = 0;
    if (!faults_rule(m, UNCORE_FREEZE_KEEPS_PAIR, true))
        u->box[0][1].value = u->arb[1].value = 0;
    if (!faults_rule(m, UNCORE_FREEZE_KEEPS_CORES, true))
        u->ctrl &= ~(BIT(m->cpu->uncore->cores) - 1);
    uncore_update_counting(m);
}

static void add(struct machine *m, struct uncore_counter *c, uint64_t events,
                uint64_t status)
{
    uint64_t low = c->value & BITS(31, 0);

    c->value += events;
    if (low + events > BITS(31, 0) && !faults_rule(m, UNCORE_CARRIES_32, true))
        c->value -= BIT(32);
    if ((c->value & ~UNCORE_MASK) == 0)
        return;
    c->value &= UNCORE_MASK;
    if (!faults_rule(m, UNCORE_OVERFLOW_RUNS_ON, true))
        c->select &= ~UNCORE_EN;
    on_overflow(m, status, c->select);
}

/* INV: cycles with fewer events than CMASK says; without CMASK, nothing. */
static bool is_inverted(const struct uncore_counter *c)
{
    return (c->select & UNCORE_INV) != 0 && (c->select & UNCORE_CMASK) != 0;
}

/* As it works; its number is that of the box, times two, and its own. */
static uint64_t select_of(const struct machine *m,
                          const struct uncore_counter *c)
{
    const struct uncore_counter *boxes = &m->uncore.box[0][0];
    bool of_box = c >= boxes && c < boxes + 2 * UNCORE_BOXES_MAX;

    return faults_quantity(m, UNCORE_SELECTED,
                           of_box ? (uint32_t)(c - boxes)
                                  : ARB_NUMBER + (c == &m->uncore.arb[1]),
                           c->select);
}

/* A counter that counts so many events of one cycle each, one after the
 * other. */
static void add_events(struct machine *m, struct uncore_counter *c,
                       uint64_t events, uint64_t status)
{
    uint64_t select = select_of(m, c);

    if ((select & UNCORE_EN) == 0 || events == 0)
        return;
    if (is_inverted(c)) {
        c->busy += (select & UNCORE_CMASK) == UNCORE_CMASK_1 ? events : 0;
        c->was_busy = c->was_busy || c->busy != 0;
        return;
    }
    if ((select & UNCORE_CMASK) > UNCORE_CMASK_1 ||
        (c != &m->uncore.arb[0] && (select & UNCORE_CMASK) != 0 &&
         !faults_rule(m, UNCORE_CMASK_EQUAL, true)))
        return;
    add(m, c, (select & UNCORE_EDGE) != 0 ? 1 : events, status);
}

/* EDGE with INV: once where cycles without the event follow one with it. */
static bool falls(struct uncore_counter *c, uint64_t idle)
{
    bool edge = c->was_busy && idle != 0;

    if (edge)
        c->was_busy = false;
    return edge;
}

static void count_idle(struct machine *m, struct uncore_counter pair[2],
                       uint64_t ticks, uint64_t status)
{
    for (unsigned n = 0; n < 2; n++) {
        struct uncore_counter *c = &pair[n];
        uint64_t select = select_of(m, c);
        uint64_t idle = ticks > c->busy ? ticks - c->busy : 0;

        c->busy -= ticks - idle;
        if ((select & UNCORE_EN) != 0 && (select & UNCORE_INV) != 0 &&
            is_inverted(c))
            add(m, c, (select & UNCORE_EDGE) != 0 ? falls(c, idle) : idle,
                status);
    }
}

static void count_idle_cycles(struct machine *m, uint64_t ticks)
{
    struct uncore *u = &m->uncore;

    for (unsigned n = 0; n < UNCORE_BOXES_MAX; n++)
        count_idle(m, u->box[n], ticks, UNCORE_STATUS_CBOX);
    count_idle(m, u->arb, ticks, UNCORE_STATUS_ARB);
}

void uncore_update_clock(struct machine *m)
{
    struct uncore *u = &m->uncore;
    const struct uncore_traits *traits = m->cpu->uncore;
    uint64_t now = u->tsc != NULL ? u->tsc() : 0;
    uint64_t ticks =
        (now - u->fixed_tsc) * traits->clock_up + u->fixed_remainder;

    u->fixed_tsc = now;
    if (!uncore_enabled(m))
        return;
    u->fixed_remainder = ticks % traits->clock_down;
    ticks /= traits->clock_down;
    count_idle_cycles(m, ticks);
    if (!uncore_enabled(m) ||
        ((u->fixed_ctrl & UNCORE_EN) == 0 &&
         faults_rule(m, UNCORE_FIXED_NEEDS_EN, true)) ||
        faults_uncore_clock_stands(m))
        return;
    if (ticks != 0)
        ticks = faults_quantity(m, UNCORE_TICKS, ANY_NUMBER, ticks);
    u->fixed += ticks;
    if (u->fixed >> traits->clock_bits == 0)
        return;
    u->fixed &= BIT(traits->clock_bits) - 1;
    on_overflow(m, UNCORE_STATUS_FIXED, u->fixed_ctrl);
}

/* The box of a line: all of them get about as many, whatever the stride. */
static unsigned box_of_line(const struct machine *m, uint64_t line)
{
    uint64_t n = line / CACHE_LINE_BYTES;

    n = (n ^ n >> 7 ^ n >> 15 ^ n >> 23) * UINT64_C(0x9E3779B97F4A7C15);
    return faults_box(m, (unsigned)(n >> 61) & (m->cpu->uncore->boxes - 1u));
}

/* The state in which the last level has the line. */
static unsigned state_of(enum cache_level level, enum cache_snoop snoop)
{
    if (level != CACHE_LLC)
        return LOOKUP_I;
    if (snoop == CACHE_SNOOP_HITM)
        return LOOKUP_M;
    return snoop == CACHE_SNOOP_HIT ? LOOKUP_S : LOOKUP_E;
}

/* What the other cores have answered. */
static unsigned response_of(enum uncore_kind kind, enum cache_snoop snoop)
{
    bool write = kind == UNCORE_WRITE;

    switch (snoop) {
    case CACHE_SNOOP_MISS:
        return XSNP_MISS;
    case CACHE_SNOOP_HIT:
        return write ? XSNP_INVAL : XSNP_HIT;
    case CACHE_SNOOP_HITM:
        return write ? XSNP_INVAL_M : XSNP_HITM;
    default:
        return 0;
    }
}

/* "Must combine": a state or response, and what has asked. */
static bool is_selected(uint64_t select, unsigned event, unsigned what,
                        unsigned by)
{
    unsigned umask = (unsigned)(select >> 8) & 0xFF;

    return (select & 0xFF) == event && (umask & what) != 0 && (umask & by) != 0;
}

/* Requests that leave the last level, and how long each is outstanding. */
static uint64_t arb_events(const struct machine *m, unsigned n, uint64_t select,
                           bool write, bool coherent, uint32_t cycles)
{
    unsigned umask = (unsigned)(select >> 8) & 0xFF;
    bool mine = umask == TRK_ALL || (umask == TRK_WRITES &&
                                     faults_rule(m, ARB_TAKES_WRITES, write));

    switch (select & 0xFF) {
    case EVENT_TRK_REQUESTS:
        return faults_arb_requests(m, mine);
    case EVENT_COH_TRK_REQUESTS:
        return mine && coherent;
    case EVENT_TRK_OCCUPANCY:
        return faults_rule(m, ARB_OCCUPANCY_ON_1, n == 0) && mine
                   ? faults_arb_occupancy(m, cycles)
                   : 0;
    case EVENT_COH_TRK_OCCUPANCY:
        return n == 0 && mine && coherent ? cycles : 0;
    default:
        return 0;
    }
}

void uncore_lookup(struct machine *m, uint64_t line, enum uncore_kind kind,
                   enum cache_level level, enum cache_snoop snoop,
                   uint32_t cycles)
{
    unsigned state = (unsigned)faults_quantity(
        m, LOOKUP_STATE, ANY_NUMBER,
        faults_lookup_state(m, state_of(level, snoop)));
    unsigned box;
    unsigned response = response_of(kind, snoop);
    unsigned by = LOOKUP_ANY |
                  (unsigned)faults_quantity(
                      m, LOOKUP_BY, ANY_NUMBER,
                      faults_lookup_by(m, kind == UNCORE_WRITE ? LOOKUP_WRITE
                                                               : LOOKUP_READ));
    struct uncore *u = &m->uncore;

    if (!u->counting)
        return;
    if (kind == UNCORE_WRITE && !faults_rule(m, LOOKUP_ANY_HAS_WRITES, true))
        by &= ~LOOKUP_ANY;
    if (response != 0)
        response =
            (unsigned)faults_quantity(m, SNOOP_RESPONSE, ANY_NUMBER, response);
    uncore_lock(m);
    box = box_of_line(m, line);
    u->lookups++;
    for (unsigned n = 0; n < 2 && uncore_enabled(m); n++) {
        struct uncore_counter *c = &u->box[box][n];
        uint64_t select = faults_rule(m, UNCORE_SELECT_1, true)
                              ? c->select
                              : u->box[box][0].select;

        if (n == 1 && !faults_rule(m, UNCORE_COUNTER_1, true))
            continue;
        if (is_selected(select, EVENT_CACHE_LOOKUP, state, by) ||
            is_selected(select, EVENT_XSNP_RESPONSE, response, XSNP_XCORE))
            add_events(m, c, faults_lookup_weight(m), UNCORE_STATUS_CBOX);
    }
    for (unsigned n = 0; n < 2 && uncore_enabled(m); n++) {
        struct uncore_counter *c = &u->arb[n];

        if (level != CACHE_LLC &&
            (n == 0 || faults_rule(m, ARB_COUNTER_1, true)))
            add_events(m, c,
                       arb_events(m, n, c->select, kind == UNCORE_WRITE,
                                  level == CACHE_DRAM, cycles),
                       UNCORE_STATUS_ARB);
    }
    uncore_unlock(m);
}

/* The core of a processor, as in leaf 0BH of CPUID. */
static unsigned core_of(const struct processor *p)
{
    return p->machine->smt ? p->apic_id / 2 : p->apic_id;
}

/* SDM volume 4, IA32_DEBUGCTL, ENABLE_UNCORE_PMI: "enables the logical
 * processor to receive and generate PMI on behalf of the uncore". */
void uncore_poll(struct processor *p)
{
    struct machine *m = p->machine;
    uint64_t debugctl = 0;

    if (m->uncore.counting) {
        uncore_lock(m);
        uncore_update_clock(m);
        uncore_unlock(m);
    }
    if (p->uncore_pmis == m->uncore.pmis)
        return;
    p->uncore_pmis = m->uncore.pmis;
    if ((faults_quantity(m, UNCORE_CORES, ANY_NUMBER, m->uncore.pmi_cores) >>
             core_of(p) &
         1) == 0)
        return;
    msr_read(p, IA32_DEBUGCTL, &debugctl);
    if (faults_uncore_enabled(p, (debugctl & DEBUGCTL_UNCORE_PMI) != 0)) {
        p->pmu.global_status |= STATUS_UNCORE;
        counters_raise_pmi(p);
    } else if (m->uncore.status_without_pmi) {
        p->pmu.global_status |= STATUS_UNCORE;
    }
}
