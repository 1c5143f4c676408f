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
    cpu->tsx = cpu->rtm = (generation_of(cpu->family, cpu->model) &
                           (HASWELL | BROADWELL | SKYLAKE)) != 0;
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

/* The name, or EVENT/UMASK; *text is moved past it. */
static bool parse_code(const char **text, uint64_t *select)
{
    const size_t length = strcspn(*text, ":=");
    uint64_t event, umask;

    for (size_t i = 0; i < COUNT(events); i++)
        if (strlen(events[i].name) == length &&
            strncasecmp(*text, events[i].name, length) == 0) {
            *select = events[i].select;
            *text += length;
            return true;
        }
    if (!parse_hex(text, 0xff, &event) || *(*text)++ != '/' ||
        !parse_hex(text, 0xff, &umask))
        return false;
    *select = event | umask << 8;
    return true;
}

static bool parse_event(const char *text, struct event_wanted *event)
{
    static const struct {
        const char *word;
        uint64_t bits;
    } words[] = {
        {":pebs", 0},
        {":in_txcp", IA32_PERFEVTSEL_IN_TXCP},
        {":in_tx", IA32_PERFEVTSEL_IN_TX},
    };

    *event = (struct event_wanted){0};
    if (!parse_code(&text, &event->select))
        return false;
    while (*text == ':') {
        size_t i = 0;
        while (i < COUNT(words) &&
               strncasecmp(text, words[i].word, strlen(words[i].word)) != 0)
            i++;
        if (i == COUNT(words))
            return false;
        event->select |= words[i].bits;
        event->precise |= words[i].bits == 0;
        text += strlen(words[i].word);
    }
    if (*text == '=') {
        text++;
        if (!parse_hex(&text, UINT64_MAX, &event->with))
            return false;
    }
    return *text == '\0';
}

/* False with a line where the event is none, or fits nowhere. */
static bool place_event(const struct constraints_cpu *cpu, const char *name,
                        struct placement *place)
{
    struct event_wanted event;
    char why[CONSTRAINTS_WHY_BYTES];

    if (!parse_event(name, &event))
        fprintf(stderr,
                "tsxpmu: %s: not an event: a name in the manual, or "
                "EVENT/UMASK in hexadecimal\n",
                name);
    else if (!constraints_find(cpu, &event, place, why))
        fprintf(stderr, "tsxpmu: %s: %s\n", name, why);
    else if (event.with != 0 && place->msr == 0)
        fprintf(stderr, "tsxpmu: %s: no MSR goes with this event\n", name);
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

bool plan_events(const struct constraints_cpu *cpu, const char *const names[],
                 unsigned count, FILE *out)
{
    struct placement places[SCHEDULE_EVENTS_MAX];
    struct schedule schedule;
    bool good = true;

    for (unsigned e = 0; e < count; e++)
        good &= place_event(cpu, names[e], &places[e]);
    if (!good)
        return false;
    enum schedule_error error = schedule_make(places, count, &schedule);
    if (error != SCHEDULE_OK) {
        fprintf(stderr, "tsxpmu: %s\n", schedule_error_text(error));
        return false;
    }
    for (unsigned g = 0; g < schedule.groups; g++) {
        fprintf(out, "group %u\n", g + 1);
        for (unsigned c = 0; c < PLACES; c++)
            for (unsigned e = 0; e < count; e++)
                if (schedule.group[e] == g && schedule.counter[e] == c)
                    print_event(names[e], &places[e], c, out);
    }
    return true;
}
