/* SPDX-License-Identifier: BSD-2-Clause */
/* RIP is the instruction that execution went on with, EventingIP the event's
 * own: of branches that are not taken, and of taken ones, forwards and
 * backwards, where the two are not one after the other. */
#include "src/harness/case.h"
#include "src/pebs/sampling.h"

/* All over the window; then around the middle of its events, where a page
 * begins, each of them in one of the windows. */
static const struct {
    unsigned first, period;
} periods[] = {{30, 25},
               {PEBS_PAGE_EVENT - 17, 2},
               {PEBS_PAGE_EVENT - 16, 2},
               {PEBS_PAGE_EVENT - 15, 2}};

/* What there are windows of. */
static const struct form {
    const char *name;
    const uint8_t *events;
    int bytes; /* from each event to the next */
    void (*window)(uint64_t enable, uint64_t flags, struct pebs_state *state);
} forms[] = {
    {"not taken", pebs_events, PEBS_EVENT_BYTES, pebs_window},
    {"taken", pebs_events_taken, PEBS_TAKEN_BYTES, pebs_window_taken},
    {"taken backwards", PEBS_EVENTS_BACK, PEBS_BACK_BYTES, pebs_window_back},
};

/* Where the instructions of an event are. */
static uint64_t count_at(const struct form *form, unsigned event)
{
    return pebs_event_at(form->events, form->bytes, event);
}

static uint64_t branch_at(const struct form *form, unsigned event)
{
    return count_at(form, event) + PEBS_EVENT_BRANCH;
}

/* True for a record whose registers are those after one instruction more, which
 * counted the next event. */
static bool is_of_later(const struct form *form,
                        const struct pebs_record *record, unsigned event)
{
    return event > 1 && record->rip == branch_at(form, event) &&
           record->eventing_ip == branch_at(form, event - 1);
}

static void check_address(struct test_context *t, const struct form *form,
                          enum erratum erratum, bool signature,
                          const char *what, uint64_t got, uint64_t want,
                          unsigned event)
{
    check_known(t, got == want, erratum, signature,
                "a branch that is %s: %s of the record of event %u: got 0x%lx, "
                "wanted 0x%lx; the first event's code is at 0x%lx, the "
                "next %d bytes on",
                form->name, what, event, got, want, (uintptr_t)form->events,
                form->bytes);
}

/* Which erratum makes EventingIP the instruction before: of a branch that is
 * not taken in any record, else in few. */
static enum erratum erratum_of_before(const struct test_context *t,
                                      const struct form *form)
{
    struct erratum_found found;

    return form == &forms[0] &&
                   errata_find(test_cpu(t), ERRATUM_EVENTING_IP_BEFORE_JCC,
                               &found)
               ? ERRATUM_EVENTING_IP_BEFORE_JCC
               : ERRATUM_EVENTING_IP;
}

static bool is_before(const struct form *form, const struct pebs_record *record)
{
    for (unsigned event = 1; event <= PEBS_EVENTS; event++)
        if (record->eventing_ip == count_at(form, event))
            return true;
    return false;
}

static void check_record(struct sampling *p, const struct form *form,
                         const struct pebs_record *record, bool few)
{
    unsigned event = sampling_event(p, record);

    if (event == 0)
        return;
    bool later = is_of_later(form, record, event);
    enum erratum erratum = erratum_of_before(p->t, form);
    bool before = record->eventing_ip == count_at(form, event) &&
                  (erratum == ERRATUM_EVENTING_IP_BEFORE_JCC || few);
    check_address(p->t, form, ERRATUM_RECORD_OF_LATER, later, "RIP (08H)",
                  record->rip, count_at(form, event + 1), event);
    if (pebs_has(record, PEBS_EVENTING_IP))
        check_address(p->t, form, before ? erratum : ERRATUM_RECORD_OF_LATER,
                      before || later, "EventingIP (B0H)", record->eventing_ip,
                      branch_at(form, event), event);
}

static void run_form(struct sampling *p, uint64_t form)
{
    forms[form].window(sampling_enable(&p->config), 0, &p->state);
}

/* One window. False where it could not be tried. */
static bool try_form(struct sampling *p, unsigned i, unsigned first,
                     unsigned period)
{
    const struct form *form = &forms[i];
    const struct sampling_config config = {
        .select = PRECISE_CONDITIONAL_BRANCHES,
        .counters = 1 << 0,
        .first_period = {first},
        .period = {period},
        .room = PEBS_ROOM_MAX,
        .threshold = PEBS_ROOM_MAX,
    };
    struct pebs_record record;
    unsigned before = 0;

    /* Measured. */
    if (!sampling_around(p, &config, run_form, i))
        return false;

    /* Check. */
    check(p->t, p->records != 0,
          "%u branches that are %s and an overflow after %u of them, and every "
          "%u then, made no record",
          PEBS_EVENTS, form->name, first, period);
    for (unsigned n = 0; n < p->records; n++)
        before += sampling_record(p, n, &record) && is_before(form, &record);
    for (unsigned n = 0; n < p->records; n++)
        if (sampling_record(p, n, &record))
            check_record(p, form, &record, 2 * before < p->records);
    return true;
}

TEST(pebs_eventing_ip,
     .asks = "Is RIP of a record the instruction after the event, and "
             "EventingIP the event's?",
     .cite = "SDM 3B, \"Processor Event Based Sampling (PEBS)\" of Nehalem; "
             "table \"PEBS Record Format for 4th Generation Intel Core "
             "Processor Family\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS})
{
    unsigned records = 0;
    struct sampling p;

    /* Set-up. */
    if (!sampling_claim(&p, t))
        return;

    FOR_EACH_ROW (t, i, forms)
        for (unsigned k = 0; k < sizeof(periods) / sizeof(periods[0]); k++) {
            if (!try_form(&p, i, periods[k].first, periods[k].period))
                return;
            records += p.records;
        }
    note(t, "%u records%s", records,
         p.format < 2 ? "; format 1 has no EventingIP" : "");
}
