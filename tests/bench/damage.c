/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * damage.c - how much is left of the transactions of a trace with 1000 damaged
 * bytes. Run by `make damage`, for several random choices of these.
 *
 * Right: the transition is in the trace that is not damaged, at that offset,
 * with these addresses. Incomplete: it is there, is said to deviate, and an
 * address is unknown. False: all others. With an argument, a seed: that one,
 * and a line for each of the latter two.
 */
#include "host/pt_salvage.h"
#include "tests/bench/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BYTES   (UINT64_C(64) << 20)
#define DAMAGED 1000
#define SEEDS   10

/* The transitions of a trace, in their order. */
struct list {
    struct pt_tsx_event *events;
    size_t count, room;
};

static void add(struct list *list, const struct pt_tsx_event *event)
{
    if (event->transition != PT_NO_TRANSITION &&
        event->transition <= PT_ABORT && list->count < list->room)
        list->events[list->count++] = *event;
}

static void read_trace(const struct stream *in, struct list *out)
{
    static struct pt_salvage salvage;
    struct pt_tsx tsx;
    struct pt_tsx_event event;
    enum pt_result result;

    out->count = 0;
    pt_tsx_open(&tsx);
    tsx.doubts = true;
    pt_feed(&tsx.reader, in->bytes, in->size, true);
    while ((result = pt_tsx_next(&tsx, &event)) != PT_END) {
        if (result == PT_OK)
            add(out, &event);
        if (result == PT_LOST && pt_salvage_open(&salvage, &tsx.reader))
            while (pt_salvage_next(&salvage, &event))
                add(out, &event);
    }
}

static bool same(const struct pt_tsx_event *a, const struct pt_tsx_event *b)
{
    return a->transition == b->transition && a->has_ip == b->has_ip &&
           a->ip == b->ip && a->has_target == b->has_target &&
           a->target == b->target;
}

/* Nothing that is said of it is wrong. */
static bool incomplete(const struct pt_tsx_event *got,
                       const struct pt_tsx_event *want)
{
    return got->transition == want->transition &&
           got->deviation != PT_NO_DEVIATION &&
           (!got->has_ip || got->ip == want->ip) &&
           (!got->has_target || got->target == want->target);
}

struct figures {
    size_t right, incomplete, wrong;
};

/* Both lists are in the order of offsets. */
static void compare(const struct list *whole, const struct list *damaged,
                    bool print, struct figures *out)
{
    size_t at = 0;

    *out = (struct figures){0};
    for (size_t i = 0; i < damaged->count; i++) {
        const struct pt_tsx_event *got = &damaged->events[i];
        while (at < whole->count && whole->events[at].offset < got->offset)
            at++;
        const struct pt_tsx_event *want =
            at < whole->count ? &whole->events[at] : &(struct pt_tsx_event){0};
        if (want->offset == got->offset && same(got, want)) {
            out->right++;
            continue;
        }
        if (want->offset == got->offset && incomplete(got, want))
            out->incomplete++;
        else
            out->wrong++;
        if (print)
            printf("0x%" PRIx64 " %s IP 0x%" PRIx64 " target 0x%" PRIx64
                   ", %s; %s 0x%" PRIx64 " 0x%" PRIx64 "\n",
                   got->offset, pt_transition_name(got->transition), got->ip,
                   got->target, pt_deviation_text(got->deviation),
                   want->offset == got->offset ? "was" : "nothing there,",
                   want->ip, want->target);
    }
}

static void damage(struct stream *in, uint64_t seed, uint8_t *before,
                   size_t *places)
{
    uint64_t random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);

    for (unsigned i = 0; i < DAMAGED; i++) {
        places[i] = (size_t)(next(&random) % in->size);
        before[i] = in->bytes[places[i]];
        in->bytes[places[i]] ^= (uint8_t)(1 + next(&random) % 255);
    }
}

int main(int argc, char **argv)
{
    static uint8_t before[DAMAGED];
    static size_t places[DAMAGED];
    struct stream in = {.room = BYTES};
    struct list whole = {.room = BYTES / 64}, damaged = whole;
    double all_right = 0, all_wrong = 0;
    struct figures figures;

    in.bytes = malloc(in.room);
    whole.events = calloc(whole.room, sizeof(whole.events[0]));
    damaged.events = calloc(damaged.room, sizeof(damaged.events[0]));
    if (in.bytes == NULL || whole.events == NULL || damaged.events == NULL)
        return 1;
    fill(&in);
    read_trace(&in, &whole);
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
    const uint64_t end = argc > 1 ? seed + 1 : SEEDS;
    const uint64_t seeds = end - seed;
    for (; seed < end; seed++) {
        damage(&in, seed, before, places);
        read_trace(&in, &damaged);
        for (unsigned i = DAMAGED; i-- != 0;)
            in.bytes[places[i]] = before[i];
        compare(&whole, &damaged, argc > 1, &figures);
        const double right = 100 * (double)figures.right / (double)whole.count;
        printf("seed %" PRIu64 ": of %zu transitions %.2f %% right, %zu "
               "incomplete; %zu false\n",
               seed, whole.count, right, figures.incomplete, figures.wrong);
        all_right += right / (double)seeds;
        all_wrong += (double)figures.wrong / (double)seeds;
    }
    printf("mean: %.2f %% right, %.1f false\n", all_right, all_wrong);
    free(in.bytes);
    free(whole.events);
    free(damaged.events);
    return 0;
}
