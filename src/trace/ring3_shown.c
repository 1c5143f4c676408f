/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_shown.c - shows ring 3 the pages of the bodies, and traces one. */
#include "src/trace/ring3_shown.h"

#include "src/base/msr.h"

#define PAGE_BYTES 4096u

/* What ring3_body_elsewhere reads on the data page. */
struct elsewhere {
    uint64_t at, count, argument;
};

static uint64_t page_of(const uint8_t *label)
{
    return trace_at(label) & ~(uint64_t)(PAGE_BYTES - 1);
}

/* The pages from the lowest to the highest of what is executed. */
bool ring3_show_bodies(struct ring3_shown *b)
{
    static const uint8_t *const parts[] = {
        trace_body_conditions, trace_body_pattern, trace_body_transfers,
        trace_body_returns,    trace_body_calls,   trace_body_page_faults,
        trace_body_events,     trace_window_off};
    uint64_t last = 0;

    b->first = UINT64_MAX;
    for (unsigned n = 0; n < sizeof(parts) / sizeof(parts[0]); n++) {
        const uint64_t page = page_of(parts[n]);
        b->first = page < b->first ? page : b->first;
        last = page > last ? page : last;
    }
    const uint64_t pages = (last - b->first) / PAGE_BYTES + 2;
    if (pages > RING3_SHOWN)
        return false;
    b->shown = ring3_show(b->ring3, b->first, (unsigned)pages);
    return true;
}

const uint8_t *ring3_shown_at(const struct ring3_shown *b, const uint8_t *label)
{
    return (const uint8_t *)(uintptr_t)(b->shown + trace_at(label) - b->first);
}

uint64_t ring3_shown_code(const struct ring3_shown *b, const uint8_t *label)
{
    return ring3_at(b->ring3->ring3, label);
}

bool ring3_shown_trace(const struct ring3_shown *b, const struct window *w,
                       uint64_t bits, uint64_t counters)
{
    struct ring3 *ring3 = b->ring3->ring3;

    *(struct elsewhere *)(uintptr_t)ring3->data = (struct elsewhere){
        trace_at(w->code.body), w->code.count, w->code.argument};
    ring3->body = (uint32_t)(ring3_body_elsewhere - ring3_body);
    ring3->level = 3;
    hw_poll();
    return ring3_trace_anew(b->p, b->ring3, IA32_RTIT_CTL_User | bits, counters,
                            window_ring3_body);
}

void ring3_shown_set(struct window *w, const struct ring3_shown *b,
                     const uint8_t *body, const struct trace_row *rows)
{
    window_set(w, ring3_shown_at(b, body), rows);
    w->bare = true;
}
