/* SPDX-License-Identifier: BSD-2-Clause */
/* plan.c - reads events, schedules their groups and prints them. */
#include "host/plan.h"

#include "src/cpu/generation.h"
#include "src/base/msr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The usual model of each. */
static const struct {
    const char *name;
    uint8_t model;
} processors[] = {
    {"nehalem", 0x1a}, {"sandybridge", 0x2a}, {"ivybridge", 0x3a},
    {"haswell", 0x3c}, {"broadwell", 0x3d},   {"skylake", 0x5e},
};

static const struct {
    const char *name;
    enum regime regime;
} regimes[] = {
    {"A", REGIME_A}, {"B", REGIME_B}, {"C", REGIME_C}, {"C'", REGIME_C_PRIME},
    {"D", REGIME_D}, {"E", REGIME_E}, {"F", REGIME_F},
};

/* SDM 3B, "Pre-defined Architectural Performance Events", and the tables of
 * events of the processors. Any other: by its numbers. */
static const struct {
    const char *name;
    uint64_t select;
} events[] = {
    {"CPU_CLK_UNHALTED.THREAD_P", 0x003c},
    {"INST_RETIRED.ANY_P", 0x00c0},
    {"INST_RETIRED.ALL", 0x01c0},
    {"LONGEST_LAT_CACHE.REFERENCE", 0x4f2e},
    {"LONGEST_LAT_CACHE.MISS", 0x412e},
    {"BR_INST_RETIRED.ALL_BRANCHES", 0x00c4},
    {"BR_INST_RETIRED.CONDITIONAL", 0x01c4},
    {"BR_MISP_RETIRED.ALL_BRANCHES", 0x00c5},
    {"RTM_RETIRED.START", 0x01c9},
    {"RTM_RETIRED.COMMIT", 0x02c9},
    {"RTM_RETIRED.ABORTED", 0x04c9},
    {"HLE_RETIRED.ABORTED", 0x04c8},
    {"OFF_CORE_RESPONSE_0", 0x01b7},
    {"OFF_CORE_RESPONSE_1", 0x01bb},
    {"FRONTEND_RETIRED", 0x01c6},
    {"MEM_TRANS_RETIRED.LOAD_LATENCY", 0x01cd},
    {"MEM_TRANS_RETIRED.PRECISE_STORE", 0x02cd},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* "5EH", "0x5e" or "5e"; *text is moved past it. */
static bool parse_hex(const char **text, uint64_t most, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(*text, &end, 16);
    if (end == *text || **text == '-' || **text == '+' || errno != 0 ||
        *value > most)
        return false;
    *text = end + (*end == 'H' || *end == 'h');
    return true;
}

bool plan_cpu(const char *name, struct constraints_cpu *cpu)
{
    const char *text = name;
    uint64_t family = 6, model = 0;
    size_t i = 0;

    while (i < COUNT(processors) && strcasecmp(name, processors[i].name) != 0)
        i++;
    if (i < COUNT(processors))
        model = processors[i].model;
    else if (!parse_hex(&text, 0xff, &family) || *text++ != '_' ||
             !parse_hex(&text, 0xff, &model) || *text != '\0')
        return false;
    cpu->family = (uint16_t)family;
    cpu->model = (uint16_t)model;
    cpu->tsx = cpu->rtm =
        (generation_of(cpu->family, cpu->model, 0) &
         (HASWELL | BROADWELL | SKYLAKE | ICE_LAKE | GOLDEN_COVE)) != 0;
    return true;
}

bool plan_regime(const char *name, struct constraints_cpu *cpu)
{
    for (size_t i = 0; i < COUNT(regimes); i++)
        if (strcasecmp(name, regimes[i].name) == 0) {
            cpu->regime = regimes[i].regime;
            return true;
        }
    return false;
}

/* A name of ours, of the list or of perf; EVENT/UMASK; or perf's other ways to
 * write an event. *text is moved past it. */
static bool parse_code(const json_t *list, const char **text,
                       struct event *event)
{
    const size_t length = strcspn(*text, ":=");
    uint64_t code, umask;
    size_t known;

    for (size_t i = 0; i < COUNT(events); i++)
        if (strlen(events[i].name) == length &&
            strncasecmp(*text, events[i].name, length) == 0) {
            event->wanted.select = events[i].select;
            *text += length;
            return true;
        }
    if ((known = event_list_find(list, *text, event)) != 0 ||
        (known = event_raw(*text, event)) != 0 ||
        (known = event_pmu(list, *text, event)) != 0) {
        *text += known;
        return true;
    }
    if (!parse_hex(text, 0xff, &code) || *(*text)++ != '/' ||
        !parse_hex(text, 0xff, &umask))
        return false;
    event->wanted.select = code | umask << 8;
    return true;
}

/* Perf's modifiers, which stand together: ":upp"; after "/" without ":". */
static bool take_modifiers(const char **text, struct event *event)
{
    const size_t length = strspn(*text, "ukp");

    if (length == 0 || strchr(":=", (*text)[length]) == NULL)
        return false;
    for (size_t i = 0; i < length; i++) {
        event->user |= (*text)[i] == 'u';
        event->kernel |= (*text)[i] == 'k';
        event->wanted.precise |= (*text)[i] == 'p';
    }
    *text += length;
    return true;
}

static bool parse_words(const char **text, struct event *event)
{
    static const struct {
        const char *word;
        uint64_t bits;
    } words[] = {
        {":pebs", 0},
        {":in_txcp", IA32_PERFEVTSEL_IN_TXCP},
        {":in_tx", IA32_PERFEVTSEL_IN_TX},
    };

    while (**text == ':') {
        const char *after = *text + 1;
        size_t i = 0;
        while (i < COUNT(words) &&
               strncasecmp(*text, words[i].word, strlen(words[i].word)) != 0)
            i++;
        if (i < COUNT(words)) {
            event->wanted.select |= words[i].bits;
            event->wanted.precise |= words[i].bits == 0;
            *text += strlen(words[i].word);
        } else if (take_modifiers(&after, event)) {
            *text = after;
        } else {
            return false;
        }
    }
    return true;
}

static bool parse_event(const json_t *list, const char *text,
                        struct event *event)
{
    const char *begin = text;

    *event = (struct event){0};
    if (!parse_code(list, &text, event))
        return false;
    if (text[-1] == '/' && *text != ':' && *text != '\0' &&
        !take_modifiers(&text, event))
        return false;
    if (event->name[0] == '\0')
        snprintf(event->name, sizeof(event->name), "%.*s", (int)(text - begin),
                 begin);
    if (!parse_words(&text, event))
        return false;
    if (*text == '=') {
        text++;
        if (!parse_hex(&text, UINT64_MAX, &event->wanted.with))
            return false;
    }
    return *text == '\0';
}

/* False with a line where the event is none, or fits nowhere. */
static bool place_event(const struct plan *plan, const char *name,
                        struct event *event, struct placement *place)
{
    char why[CONSTRAINTS_WHY_BYTES];
    const char *field;

    if (!parse_event(plan->list, name, event))
        fprintf(stderr,
                "tsxpmu: %s: not an event: a name in the manual, or "
                "EVENT/UMASK in hexadecimal\n",
                name);
    else if ((field = event_list_malformed(plan->list, event->name)) != NULL)
        fprintf(stderr, "tsxpmu: %s: %s in the list is none of an event's\n",
                name, field);
    else if (event->counters == EVENT_UNPLANNED)
        fprintf(stderr,
                "tsxpmu: %s: needs a fixed counter that is not planned\n",
                name);
    else if (!constraints_find(&plan->cpu, &event->wanted, place, why))
        fprintf(stderr, "tsxpmu: %s: %s\n", name, why);
    else if (event->wanted.with != 0 && place->msr == 0)
        fprintf(stderr, "tsxpmu: %s: no MSR goes with this event\n", name);
    else if (event->counters != 0 &&
             (place->counters &= event->counters | 3u << PLACE_FIXED) == 0)
        fprintf(stderr,
                "tsxpmu: %s: the list has no counter for it that is "
                "there\n",
                name);
    else
        return true;
    return false;
}

static void print_event(const char *name, const struct placement *place,
                        unsigned counter, FILE *out)
{
    char text[24];

    snprintf(text, sizeof(text), "IA32_%s%u",
             counter < PLACE_FIXED ? "PMC" : "FIXED_CTR",
             counter % PLACE_FIXED);
    fprintf(out, "  %-16s %s", text, name);
    if (place->msr != 0)
        fprintf(out, ", MSR %XH = 0x%" PRIx64, place->msr, place->value);
    fprintf(out, "%s\n",
            place->alone ? ", all other counters of the core quiet" : "");
}

/* The events of group g, by counters. */
static unsigned group_of(unsigned g, const struct schedule *schedule,
                         const struct event events_of[],
                         const struct placement places[], unsigned count,
                         struct planned out[PLACES])
{
    unsigned found = 0;

    for (unsigned c = 0; c < PLACES; c++)
        for (unsigned e = 0; e < count; e++)
            if (schedule->group[e] == g && schedule->counter[e] == c)
                out[found++] = (struct planned){&events_of[e], &places[e], c};
    return found;
}

/* All events get the PMU that some of them name; one command counts on one kind
 * of core. False with a line where two are named. */
static bool take_pmu(struct event events_of[], const char *const names[],
                     unsigned count)
{
    const char *pmu = NULL;

    for (unsigned e = 0; e < count; e++) {
        if (events_of[e].pmu == NULL)
            continue;
        if (pmu != NULL && strcmp(pmu, events_of[e].pmu) != 0) {
            fprintf(stderr,
                    "tsxpmu: %s: other events are of %s, and each kind of "
                    "core is planned by itself\n",
                    names[e], pmu);
            return false;
        }
        pmu = events_of[e].pmu;
    }
    for (unsigned e = 0; e < count; e++)
        events_of[e].pmu = pmu != NULL ? pmu : "cpu";
    return true;
}

bool plan_events(const struct plan *plan, const char *const names[],
                 unsigned count, FILE *out)
{
    struct event wanted[SCHEDULE_EVENTS_MAX];
    struct placement places[SCHEDULE_EVENTS_MAX];
    struct schedule schedule;
    bool good = true;

    for (unsigned e = 0; e < count; e++)
        good &= place_event(plan, names[e], &wanted[e], &places[e]);
    if (!good || !take_pmu(wanted, names, count))
        return false;
    enum schedule_error error = schedule_make(places, count, &schedule);
    if (error != SCHEDULE_OK) {
        fprintf(stderr, "tsxpmu: %s\n", schedule_error_text(error));
        return false;
    }
    plan_before(plan->form, &plan->cpu, out);
    for (unsigned g = 0; g < schedule.groups; g++) {
        struct planned group[PLACES];
        unsigned n = group_of(g, &schedule, wanted, places, count, group);
        if (plan->form != FORM_COUNTERS) {
            good &=
                plan_command(plan->form, &plan->cpu, plan->list, group, n, out);
            continue;
        }
        fprintf(out, "group %u\n", g + 1);
        for (unsigned i = 0; i < n; i++)
            print_event(names[group[i].event - wanted], group[i].place,
                        group[i].counter, out);
    }
    return good;
}
