/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_elided.c - traces elided sections at ring 3: each begins at its
 * XACQUIRE, and ends at its XRELEASE or by going on at the XACQUIRE. */
#include "src/trace/ring3_elided.h"

#include "src/base/msr.h"
#include "src/trace/window.h"

#define STEPS_AT  (2 * 4096u) /* of test_records() */
#define STEPS_MAX 256

static const struct section {
    const char *what;
    const uint8_t *at, *acquire, *end; /* end: what is to end them */
    bool aborts, counts; /* counts: the status is those to `end` */
    unsigned turns;      /* of a loop before `end` */
} sections[] = {
    {"elided sections at ring 3", ring3_sections_match,
     ring3_sections_match_acquire, ring3_sections_match_release, false, true,
     0},
    {"elided sections at ring 3 that release another value",
     ring3_sections_other, ring3_sections_other_acquire,
     ring3_sections_other_release, true, true, 0},
    {"elided sections at ring 3 with PAUSE", ring3_aborts_hle,
     ring3_aborts_hle_acquire, ring3_aborts_hle_at, true, false,
     RING3_HLE_TURNS},
};

struct elided {
    struct trace *p;
    struct ring3_session *ring3;
    struct transitions seen;
    struct path_list list;
    struct path_step *steps;
};

/* Where ring 3 sees it. */
static uint64_t seen_at(const struct elided *e, const uint8_t *label)
{
    return ring3_at(e->ring3->ring3, label);
}

static bool trace_one(struct elided *e, const struct section *row)
{
    struct ring3 *ring3 = e->ring3->ring3;

    *(struct ring3_sections *)(uintptr_t)ring3->data =
        (struct ring3_sections){.lock = 0};
    ring3->body = (uint32_t)(row->at - ring3_body);
    ring3->level = 3;
    hw_poll();
    if (!ring3_trace_anew(e->p, e->ring3, IA32_RTIT_CTL_User, 0,
                          window_ring3_body))
        return false;
    transitions_read(e->p->memory, trace_bytes(e->p), &e->seen);
    return true;
}

/* Whatever was elided: begin and end by turns, each where it may be. False
 * where it is not so; *meant: how many ended by `end`. */
static bool check_transitions(struct elided *e, const struct section *row,
                              unsigned *meant)
{
    const uint64_t acquire = seen_at(e, row->acquire),
                   end = seen_at(e, row->end);
    struct transition_wanted wanted[TRANSITIONS_MAX];
    unsigned count = e->seen.count, commits = 0;

    *meant = 0;

    count += count % 2;
    count = count < TRANSITIONS_MAX ? count : TRANSITIONS_MAX;
    for (unsigned n = 0; n < count; n += 2) {
        const struct pt_tsx_event *event = &e->seen.events[n + 1];
        const bool aborts = row->aborts || (n + 1 < e->seen.count &&
                                            event->transition == PT_ABORT);
        wanted[n] = (struct transition_wanted){PT_BEGIN, acquire, acquire, 0};
        wanted[n + 1] =
            aborts ? (struct transition_wanted){PT_ABORT, acquire, end, acquire}
                   : (struct transition_wanted){PT_COMMIT, end, end, 0};
        commits += !aborts;
        *meant += aborts == row->aborts && event->ip == end;
    }
    return trace_check(e->p, row->what, &e->seen, wanted, count) &&
           (!row->counts ||
            check(e->p->t, commits == e->ring3->ring3->status,
                  "%s: %u commits in the trace; wanted %u, as XTEST has it",
                  row->what, commits, e->ring3->ring3->status));
}

static void add(struct elided *e, unsigned kind, uint64_t value)
{
    if (e->list.count < STEPS_MAX)
        e->steps[e->list.count++] = (struct path_step){kind, value};
}

static void add_loop(struct elided *e, const struct section *row)
{
    for (unsigned n = 1; n <= row->turns; n++)
        add(e, n < row->turns ? PATH_TAKEN : PATH_NOT_TAKEN, 0);
}

/* Each is elided, and ends as it is meant to. */
static void check_path(struct elided *e, const struct section *row)
{
    const uint64_t acquire = seen_at(e, row->acquire);
    const struct path path = {.step = path_list_step, .source = &e->list};
    struct path_seen seen;

    e->list = (struct path_list){e->steps, 0};
    add(e, PATH_PGE, seen_at(e, ring3_body));
    add(e, PATH_TIP, seen_at(e, row->at));
    for (unsigned n = 1; n <= RING3_ABORTS; n++) {
        add(e, PATH_MODE_TSX, PT_MODE_TSX_INTX);
        add(e, PATH_FUP, acquire);
        add_loop(e, row);
        add(e, PATH_MODE_TSX, row->aborts ? PT_MODE_TSX_TXABORT : 0);
        add(e, PATH_FUP, seen_at(e, row->end));
        if (row->aborts) {
            add(e, PATH_TIP, acquire);
            add_loop(e, row);
        }
        add(e, n < RING3_ABORTS ? PATH_TAKEN : PATH_NOT_TAKEN, 0);
    }
    add(e, PATH_TAKEN, 0); /* to SYSCALL */
    add(e, PATH_PGD_HIDDEN, 0);
    path_follow(e->p->memory, trace_bytes(e->p), &path, 0, &seen);
    if (!seen.overflow)
        window_judge(e->p, row->what, &seen);
}

void ring3_elided_check(struct trace *p, struct ring3_session *ring3)
{
    /* Erratum BDM64: a wrong target of the branch before an abort. */
    const bool any_target = output_is_broadwell(test_cpu(p->t));
    struct elided e = {
        .p = p,
        .ring3 = ring3,
        .steps =
            (struct path_step *)((uint8_t *)test_records(p->t) + STEPS_AT)};

    for (unsigned i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
        const struct section *row = &sections[i];
        bool all = false;

        for (unsigned n = 0; n < TRACE_TRIES && !all; n++) {
            unsigned meant;

            if (!trace_one(&e, row))
                return;
            if (transitions_disturbed(&e.seen))
                continue;
            if (!check_transitions(&e, row, &meant))
                return;
            all = meant == RING3_ABORTS && e.seen.count == 2 * RING3_ABORTS;
        }
        if (all && !(any_target && row->aborts))
            check_path(&e, row);
    }
}
