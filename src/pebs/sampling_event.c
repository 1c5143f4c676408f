/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling_event.c - of each record of a window that plants registers, besides
 * these. */
#include "src/pebs/sampling_check.h"

#include "src/counting/bank.h"

/* Of the windows that plant registers: the first event, and how far the next is
 * from each. */
static const struct events {
    const uint8_t *first;
    int bytes;
} windows[] = {
    {pebs_events, PEBS_EVENT_BYTES},
    {pebs_events_taken, PEBS_TAKEN_BYTES},
    {PEBS_EVENTS_BACK, PEBS_BACK_BYTES},
};
#define WINDOWS (sizeof(windows) / sizeof(windows[0]))

static uint64_t begin_of(const struct events *e, unsigned event)
{
    return pebs_event_at(e->first, e->bytes, event);
}

/* NULL: of none. */
static const struct events *events_of(const struct pebs_record *record)
{
    for (unsigned i = 0; i < WINDOWS; i++) {
        const uint64_t first = begin_of(&windows[i], 1),
                       end = begin_of(&windows[i], PEBS_EVENTS + 1);

        if (first < end ? record->rip - first <= end - first
                        : record->rip - end <= first - end)
            return &windows[i];
    }
    return NULL;
}

bool sampling_is_planted(const struct pebs_record *record)
{
    return events_of(record) != NULL;
}

/* Where the branch of the event is, and what execution goes on with. */
struct place {
    uint64_t begin, branch, next;
};

static struct place place_of(const struct events *e, unsigned event)
{
    const uint64_t begin = begin_of(e, event);

    return (struct place){begin, begin + PEBS_EVENT_BRANCH,
                          begin_of(e, event + 1)};
}

/* By an erratum some have the instruction before; by another, branches that are
 * not taken. A record that is looked at again is no second one. */
static void check_eventing_ip(struct sampling *p, const struct pebs_record *r,
                              const struct place *place, unsigned event)
{
    enum erratum erratum =
        r->rip != place->next ? ERRATUM_RECORD_OF_LATER : ERRATUM_EVENTING_IP;
    struct erratum_found found;

    if (!pebs_has(r, PEBS_EVENTING_IP) || r->eventing_ip == place->branch)
        return;
    if (r->eventing_ip == place->begin &&
        errata_find(test_cpu(p->t), ERRATUM_EVENTING_IP_BEFORE_JCC, &found))
        erratum = ERRATUM_EVENTING_IP_BEFORE_JCC;
    p->event_ip_wrong += p->first_look;
    check_known(p->t, false, erratum,
                erratum != ERRATUM_EVENTING_IP ||
                    p->event_ip_wrong <= p->records / 2 + 1,
                "EventingIP (%02XH) of the record of event %u is 0x%lx; wanted "
                "0x%lx",
                (unsigned)pebs_field_offset(r, PEBS_EVENTING_IP), event,
                r->eventing_ip, place->branch);
}

static void check_time(struct sampling *p, const struct pebs_record *r,
                       const char *of, unsigned n)
{
    const uint64_t now = hw_tsc();

    if (pebs_has(r, PEBS_TSC) && (r->tsc < p->tsc_before || r->tsc > now))
        check(p->t, false,
              "TSC (%02XH) of the record of %s %u is 0x%lx; wanted 0x%lx to "
              "0x%lx",
              (unsigned)pebs_field_offset(r, PEBS_TSC), of, n, r->tsc,
              p->tsc_before, now);
}

static void check_counters(struct sampling *p, const struct pebs_record *r,
                           const char *of, unsigned n)
{
    const uint64_t all = p->config.counters | (uint64_t)p->config.fixed
                                                  << PLACE_FIXED0;
    const uint64_t got = r->applicable_counter;

    if (pebs_has(r, PEBS_APPLICABLE_COUNTER) && (got == 0 || (got & ~all) != 0))
        check(p->t, false,
              "Applicable Counter (%02XH) of the record of %s %u is 0x%lx; "
              "wanted some of 0x%lx, the counters that make records",
              (unsigned)pebs_field_offset(r, PEBS_APPLICABLE_COUNTER), of, n,
              got, all);
}

void sampling_check_made(struct sampling *p, const struct pebs_record *record,
                         const char *of, unsigned n)
{
    check_time(p, record, of, n);
    check_counters(p, record, of, n);
}

void sampling_check_event(struct sampling *p, const struct pebs_record *record,
                          unsigned event)
{
    const uint64_t abort = TX_ABORT_HLE_ABORT | TX_ABORT_RTM_ABORT;
    const struct place place = place_of(events_of(record), event);

    if (record->rip != place.next)
        check_known(p->t, false, ERRATUM_RECORD_OF_LATER, true,
                    "RIP (%02XH) of the record of event %u is 0x%lx; wanted "
                    "0x%lx",
                    (unsigned)pebs_field_offset(record, PEBS_RIP), event,
                    record->rip, place.next);
    check_eventing_ip(p, record, &place, event);
    if (pebs_has(record, PEBS_TX_ABORT) && (record->tx_abort & abort) != 0)
        check(p->t, false,
              "TX Abort Information (%02XH) of the record of event %u is "
              "0x%lx; wanted [33:32] = 0, it is of no abort",
              (unsigned)pebs_field_offset(record, PEBS_TX_ABORT), event,
              record->tx_abort);
    sampling_check_made(p, record, "event", event);
}
