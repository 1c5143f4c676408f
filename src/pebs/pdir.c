/* SPDX-License-Identifier: BSD-2-Clause */
/* pdir.c - windows in which a known instruction causes the overflow. */
#include "src/pebs/pdir.h"

#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/constraints.h"
#include "src/counting/counters.h"

bool pdir_counter(struct test_context *t, unsigned *counter, bool *alone)
{
    const struct event_wanted event = {PRECISE_INSTRUCTIONS, true, 0};
    const struct constraints_cpu cpu =
        constraints_cpu_of(test_cpu(t), test_regime(t), 0);
    struct placement place;
    char why[CONSTRAINTS_WHY_BYTES];

    if (test_cpu(t)->pebs_format == PEBS_FORMAT_ADAPTIVE) {
        *counter = PLACE_FIXED0;
        *alone = false;
        return true;
    }
    if (!constraints_find(&cpu, &event, &place, why)) {
        skip(t, "%s", why);
        return false;
    }
    *counter = (unsigned)__builtin_ctz(place.counters);
    *alone = place.alone;
    return true;
}

unsigned pdir_without(const struct test_context *t)
{
    return precise_without_skid(test_cpu(t));
}

struct body_call {
    void (*body)(struct test_context *t, unsigned counter);
    unsigned counter;
};

static void call_body(struct test_context *t, void *argument)
{
    const struct body_call *body_call = argument;

    body_call->body(t, body_call->counter);
    /* Firmware may have the processor when a peer's job ends: not with system
     * calls of ours. */
    restore_msrs(t);
}

void pdir_everywhere(struct test_context *t,
                     void (*body)(struct test_context *t, unsigned counter))
{
    struct body_call body_call = {.body = body};
    bool alone;

    if (!pdir_counter(t, &body_call.counter, &alone))
        return;
    for (unsigned p = 0; p < hw_processors(); p++) {
        bool set[HW_PROCESSORS_MAX] = {false};
        for (unsigned q = p; q < (alone ? p + 1 : hw_processors()); q++)
            set[q] = true;
        if (!on_processors(t, set, call_body, &body_call) || !alone)
            return;
    }
}

/* From 1; count + 1: after them; 0: none of them. */
static unsigned place_of(uint64_t address, const uint32_t at[], unsigned count)
{
    for (unsigned i = 0; i <= count; i++)
        if (address == (uint64_t)(uintptr_t)pdir_code + at[i])
            return i + 1;
    return 0;
}

unsigned pdir_position(const struct pebs_record *record, const uint32_t at[],
                       unsigned count, bool run_loop)
{
    if (pebs_has(record, PEBS_EVENTING_IP)) {
        unsigned place = place_of(record->eventing_ip, at, count);
        return place <= count ? place : 0;
    }
    unsigned next = place_of(record->rip, at, count);
    if (next == 1)
        return run_loop ? count : 0;
    return next == 0 ? 0 : next - 1;
}

void pdir_skid_add(struct pdir_skids *s, const struct pebs_record records[],
                   unsigned count, const uint32_t at[], unsigned wanted)
{
    unsigned exact = s->by_skid[0];

    s->windows++;
    s->records += count;
    s->none += count == 0;
    s->more += count > 1;
    for (unsigned n = 0; n < count; n++) {
        unsigned place = pdir_position(&records[n], at, PDIR_STRAIGHT, false);
        if (place == 0)
            s->outside++;
        else if (place < wanted)
            s->earlier++;
        else
            s->by_skid[place - wanted]++;
        s->rip_wrong +=
            place != 0 &&
            records[n].rip != (uint64_t)(uintptr_t)pdir_code + at[place];
        if (s->first == 0 && place != wanted) {
            s->first = wanted;
            s->position = place;
        }
    }
    if (s->first == 0 && (count != 1 || s->by_skid[0] != exact + 1))
        s->first = wanted;
}

unsigned pdir_exact(const struct pdir_skids *s, bool or_next)
{
    return or_next && s->by_skid[1] > s->by_skid[0] ? s->by_skid[1]
                                                    : s->by_skid[0];
}

/* The least of so many: an SMI adds what its handler retires. */
#define OPENINGS 4

bool pdir_find_opening(struct sampling *p, unsigned counter, uint64_t *opening)
{
    struct test_context *t = p->t;
    const bool fixed = counter == PLACE_FIXED0;
    char name[MSR_NAME_BYTES];

    if (!(fixed ? set_msr_again(t, IA32_FIXED_CTR_CTRL,
                                IA32_FIXED_CTR_CTRL_OS(0) |
                                    IA32_FIXED_CTR_CTRL_USR(0))
                : set_msr_again(t, IA32_PERFEVTSEL(counter),
                                PRECISE_INSTRUCTIONS | IA32_PERFEVTSEL_USR |
                                    IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_EN)))
        return false;
    *opening = UINT64_MAX;
    for (unsigned i = 0; i < OPENINGS; i++) {
        if (!set_msr_again(t, bank_msr(counter), 0))
            return false;
        const uint64_t got =
            pdir_opening(BIT(counter), fixed ? RDPMC_FIXED : counter) -
            PDIR_BEFORE;
        *opening = got < *opening ? got : *opening;
    }
    return check(t, *opening <= 1,
                 "%s, read by RDPMC after %u instructions, has counted %lu; "
                 "wanted %u or one more",
                 msr_name(bank_msr(counter), name), PDIR_BEFORE,
                 *opening + PDIR_BEFORE, PDIR_BEFORE);
}

#define PDIR_ONCE (UINT32_C(1) << 30) /* more than a window has */

static struct sampling_config config_of(unsigned counter, uint32_t period)
{
    struct sampling_config config = {
        .select = PRECISE_INSTRUCTIONS,
        .room = PEBS_ROOM_MAX,
        .threshold = PEBS_ROOM_MAX,
    };

    if (counter == PLACE_FIXED0) {
        config.fixed = 1 << 0;
        config.fixed_first[0] = PDIR_PERIOD;
        config.fixed_period[0] = period != 0 ? period : PDIR_ONCE;
        return config;
    }
    config.counters = 1u << counter;
    config.first_period[counter] = PDIR_PERIOD;
    config.period[counter] = period;
    return config;
}

static void run_straight(struct sampling *p, uint64_t nops)
{
    pdir_straight(sampling_enable(&p->config), nops);
}

/* Records that are examined of one window: one is right. */
#define EXAMINED_MAX 4

static bool add_window(struct sampling *p, const uint32_t at[], unsigned wanted,
                       struct pdir_skids *s)
{
    struct pebs_record records[EXAMINED_MAX];
    unsigned count = p->records < EXAMINED_MAX ? p->records : EXAMINED_MAX;

    for (unsigned n = 0; n < count; n++) {
        if (!sampling_record(p, n, &records[n]))
            return false;
        sampling_check_made(p, &records[n], "overflow", n + 1);
    }
    pdir_skid_add(s, records, count, at, wanted);
    return true;
}

bool pdir_skid_run(struct sampling *p, unsigned counter, unsigned others,
                   uint64_t opening, unsigned tested, struct pdir_skids *s)
{
    struct sampling_config config = config_of(counter, 0);

    config.count_only = others;

    /* The opening, the jump, the NOPs and `wanted` make the period. */
    for (unsigned wanted = 1; wanted <= tested; wanted++)
        if (!sampling_around(p, &config, run_straight,
                             PDIR_PERIOD - 1 - opening - wanted) ||
            !add_window(p, pdir_straight_at, wanted, s))
            return false;
    return true;
}

static void run_branches(struct sampling *p, uint64_t before)
{
    pdir_branches(sampling_enable(&p->config), before);
}

bool pdir_branches_run(struct sampling *p, unsigned counter, unsigned tested,
                       struct pdir_skids *s)
{
    struct sampling_config config = config_of(counter, 0);

    _Static_assert(PDIR_PERIOD <= PDIR_BRANCHES_MAX, "all but `wanted`");
    config.select = PRECISE_CONDITIONAL_BRANCHES;
    for (unsigned wanted = 1; wanted <= tested; wanted++)
        if (!sampling_around(p, &config, run_branches, PDIR_PERIOD - wanted) ||
            !add_window(p, pdir_branches_at, wanted, s))
            return false;
    return true;
}

static void run_ring3(struct sampling *p, uint64_t session)
{
    const struct ring3_session *s =
        (const struct ring3_session *)(uintptr_t)session;
    uint64_t cells[WINDOW_CELLS] = {(uintptr_t)s->ring3};

    ring3_begin(s);
    window_ring3_body(sampling_enable(&p->config), cells);
    ring3_end(s);
}

/* wanted: the address of the NOP that overflows. */
static bool add_ring3(struct sampling *p, uint64_t wanted, unsigned number,
                      struct pdir_skids *s)
{
    const unsigned exact = s->by_skid[0];
    struct pebs_record record;

    s->windows++;
    s->records += p->records;
    s->none += p->records == 0;
    s->more += p->records > 1;
    for (unsigned n = 0; n < p->records && n < EXAMINED_MAX; n++) {
        if (!sampling_record(p, n, &record))
            return false;
        sampling_check_made(p, &record, "overflow", n + 1);
        const uint64_t at = pebs_has(&record, PEBS_EVENTING_IP)
                                ? record.eventing_ip
                                : record.rip - 1;
        if (at - wanted < PDIR_STRAIGHT)
            s->by_skid[at - wanted]++;
        else
            s->outside++;
        s->rip_wrong += record.rip != at + 1;
    }
    if (s->first == 0 && s->by_skid[0] != exact + 1)
        s->first = number;
    return true;
}

bool pdir_ring3_run(struct sampling *p, const struct ring3_session *s,
                    unsigned counter, uint64_t opening, unsigned tested,
                    struct pdir_skids *skids)
{
    const struct sampling_config config = config_of(counter, 0);
    const uint32_t straight = (uint32_t)(ring3_body_straight - ring3_body);
    /* What the opening and the way leave of the period, to the last NOP. */
    const uint64_t last =
        PDIR_PERIOD - opening - RING3_STRAIGHT_BEFORE - UINT64_C(1);
    const uint64_t at = ring3_at(s->ring3, ring3_body_straight);

    _Static_assert(PDIR_PERIOD + PDIR_STRAIGHT <= RING3_STRAIGHT_NOPS,
                   "more NOPs than are tested");
    s->ring3->level = 3;
    for (unsigned n = 0; n < tested; n++) {
        s->ring3->body = straight + n;
        if (!sampling_around(p, &config, run_ring3, (uint64_t)(uintptr_t)s))
            return false;
        if (s->ring3->vector != HW_NO_FAULT) {
            broken(p->t, "%s at ring 3", fault_name((int)s->ring3->vector));
            return false;
        }
        if (!add_ring3(p, at + n + last, n + 1, skids))
            return false;
    }
    return true;
}

static void run_loop(struct sampling *p, uint64_t turns)
{
    pdir_loop(sampling_enable(&p->config), turns);
}

bool pdir_even_run(struct sampling *p, unsigned counter, struct pdir_hits *hits)
{
    const struct sampling_config config = config_of(counter, PDIR_PERIOD);
    unsigned before = 0;

    if (!sampling_around(p, &config, run_loop, PDIR_TURNS))
        return false;
    hits->windows++;
    hits->records += p->records;
    for (unsigned n = 0; n < p->records; n++) {
        struct pebs_record record;
        if (!sampling_record(p, n, &record))
            return false;
        sampling_check_made(p, &record, "overflow", n + 1);
        unsigned place = pdir_position(&record, pdir_loop_at, PDIR_LOOP, true);
        hits->of[place]++;
        hits->uneven +=
            n != 0 && place != (before + PDIR_PERIOD - 1) % PDIR_LOOP + 1;
        before = place;
    }
    return true;
}

bool pdir_no_better(const struct pdir_hits *with,
                    const struct pdir_hits *without)
{
    unsigned lost = 0, lost_without = 0;

    for (unsigned i = 1; i <= PDIR_LOOP; i++) {
        if (with->of[i] == 0 && without->of[i] * PDIR_LOOP >= without->records)
            return true;
        lost += with->of[i] == 0;
        lost_without += without->of[i] == 0;
    }
    if (with->of[0] != 0)
        return true;
    /* Nothing is passed over: a share may be small by chance. */
    if (lost == 0)
        return lost_without == 0 && with->uneven * 2 > with->records &&
               with->uneven * without->records >=
                   without->uneven * with->records;
    return lost >= lost_without || with->uneven * 4 < with->records;
}

bool pdir_even(const struct pdir_hits *hits, unsigned *least, unsigned *most)
{
    *least = *most = hits->of[1];
    for (unsigned i = 2; i <= PDIR_LOOP; i++) {
        *least = hits->of[i] < *least ? hits->of[i] : *least;
        *most = hits->of[i] > *most ? hits->of[i] : *most;
    }
    return hits->records >= PDIR_LOOP && hits->of[0] == 0 &&
           *least * 2 >= hits->records / PDIR_LOOP &&
           *most * PDIR_LOOP <= hits->records * 2 + PDIR_LOOP - 1;
}
