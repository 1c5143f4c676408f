/* SPDX-License-Identifier: BSD-2-Clause */
/* transitions.c - reads and judges captured traces. */
#include "src/trace/transitions.h"

#include "src/base/mem.h"

static void count_packets(const uint8_t *bytes, size_t size,
                          struct transitions *out)
{
    struct pt_reader reader;
    struct pt_packet packet;
    enum pt_result result;

    out->end = PT_OK;
    pt_open(&reader);
    pt_feed(&reader, bytes, size, true);
    do {
        result = pt_next(&reader, &packet);
        if (result == PT_OK)
            out->packets[packet.kind]++;
        else if (out->end == PT_OK) {
            out->end = result;
            out->end_at = reader.where;
        }
    } while (result != PT_END && result != PT_CUT);
}

static void add_event(struct transitions *out, const struct pt_tsx_event *event,
                      bool *in_tx)
{
    if (event->transition == PT_STATE) {
        out->states++;
        out->inside += event->in_tx && *in_tx;
        out->wrong += event->in_tx != *in_tx;
    }
    if (event->deviation == PT_NO_DEVIATION &&
        (event->transition == PT_STATE || event->transition == PT_OVERFLOW))
        return;
    if (event->transition >= PT_BEGIN && event->transition <= PT_ABORT)
        *in_tx = event->transition == PT_BEGIN;
    if (out->count < TRANSITIONS_MAX)
        out->events[out->count] = *event;
    out->count++;
}

void transitions_read(const uint8_t *bytes, size_t size,
                      struct transitions *out)
{
    struct pt_tsx tsx;
    struct pt_tsx_event event;
    bool in_tx = false;

    memset(out, 0, sizeof(*out));
    count_packets(bytes, size, out);
    pt_tsx_open(&tsx);
    pt_feed(&tsx.reader, bytes, size, true);
    while (pt_tsx_next(&tsx, &event) == PT_OK)
        add_event(out, &event, &in_tx);
}

bool transitions_disturbed(const struct transitions *seen)
{
    return seen->packets[PT_OVF] != 0 || seen->packets[PT_TIP_PGE] > 1;
}

static const char *judge_transition(const struct pt_tsx_event *got,
                                    const struct transition_wanted *wanted,
                                    uint64_t region)
{
    if (got->deviation != PT_NO_DEVIATION)
        return pt_deviation_text(got->deviation);
    if (got->transition != wanted->transition)
        return "another transition";
    if (!got->has_ip || got->ip < wanted->from || got->ip > wanted->to)
        return "another address of the instruction";
    if (got->transition != PT_BEGIN &&
        (!got->has_region || got->region != region))
        return "another address of the begin";
    if (got->transition == PT_ABORT &&
        (!got->has_target || got->target != wanted->target))
        return "another target of the abort";
    /* [from, to] may have code of neither between two parts of it. */
    if (got->transition == PT_ABORT && got->ip == got->target)
        return "an abort where it goes on";
    return NULL;
}

const char *transitions_judge(const struct transitions *seen,
                              const struct transition_wanted wanted[],
                              unsigned count, unsigned *which)
{
    uint64_t region = 0;

    *which = 0;
    if (seen->end != PT_END)
        return pt_result_text(seen->end);
    for (unsigned i = 0; i < count && i < seen->count; i++) {
        *which = i;
        if (i == TRANSITIONS_MAX)
            return "more transitions";
        const char *wrong =
            judge_transition(&seen->events[i], &wanted[i], region);
        if (wrong != NULL)
            return wrong;
        if (wanted[i].transition == PT_BEGIN)
            region = seen->events[i].ip;
    }
    *which = seen->count < count ? seen->count : count;
    if (seen->count < count)
        return "a transition is missing";
    return seen->count > count ? "more transitions" : NULL;
}

unsigned transitions_branches(const uint8_t *bytes, size_t size, uint64_t from,
                              uint64_t to, uint64_t *results)
{
    struct pt_reader reader;
    struct pt_packet packet;
    unsigned count = 0;

    *results = 0;
    pt_open(&reader);
    pt_feed(&reader, bytes, size, true);
    for (;;) {
        uint64_t at = pt_offset(&reader);
        if (at >= to || pt_next(&reader, &packet) != PT_OK)
            return count;
        if (at < from || (packet.kind != PT_TNT_8 && packet.kind != PT_TNT_64))
            continue;
        for (unsigned n = packet.detail; n-- != 0; count++)
            if (count < 64)
                *results |= (packet.payload >> n & 1) << count;
    }
}
