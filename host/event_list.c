/* SPDX-License-Identifier: BSD-2-Clause */
/* event_list.c - looks events up in a JSON list, and reads perf's terms. */
#include "host/event_list.h"

#include "src/base/msr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Linux, arch/x86/events/intel/core.c, intel_perfmon_event_map, and the manual
 * page of perf-list. ref-cycles is of fixed counter 2 alone. */
static const struct {
    const char *name;
    uint64_t select;
} generic[] = {
    {"cpu-cycles", 0x003c},   {"cycles", 0x003c},
    {"instructions", 0x00c0}, {"cache-references", 0x4f2e},
    {"cache-misses", 0x412e}, {"branch-instructions", 0x00c4},
    {"branches", 0x00c4},     {"branch-misses", 0x00c5},
    {"bus-cycles", 0x013c},   {"ref-cycles", 0x0300},
};

/* "EventCode" 0 is of fixed counters: which event each is by "UMask". SDM 3B,
 * "Association of Fixed-Function Performance Counters with Architectural
 * Performance Events". */
static void of_fixed_counter(struct event *event)
{
    static const uint64_t selects[] = {0x00c0, 0x003c};
    const uint64_t umask = (event->wanted.select & IA32_PERFEVTSEL_UMASK) >> 8;

    if ((event->wanted.select & IA32_PERFEVTSEL_EVENT) != 0)
        return;
    event->counters = 0;
    if (umask == 1 || umask == 2)
        event->wanted.select = selects[umask - 1];
    else
        event->counters = EVENT_UNPLANNED;
}

json_t *event_list_read(const char *path)
{
    json_error_t error;
    json_t *list = json_load_file(path, 0, &error);

    if (list == NULL && error.line > 0)
        fprintf(stderr, "tsxpmu: %s:%d: %s\n", path, error.line, error.text);
    else if (list == NULL)
        fprintf(stderr, "tsxpmu: %s\n", error.text);
    /* Intel's own files have a header beside the list. */
    if (json_is_object(list)) {
        json_t *events = json_incref(json_object_get(list, "Events"));
        json_decref(list);
        list = events;
    } else if (list == NULL) {
        return NULL;
    }
    if (json_is_array(list))
        return list;
    fprintf(stderr, "tsxpmu: %s: no list of events\n", path);
    json_decref(list);
    return NULL;
}

/* A field that is a number, decimal or hexadecimal, the first of several. */
static uint64_t field(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_integer(value))
        return (uint64_t)json_integer_value(value);
    return json_is_string(value) ? strtoull(json_string_value(value), NULL, 0)
                                 : 0;
}

/* "0,1,2,3"; "Fixed counter 0" is no set. */
static unsigned counters_of(const json_t *object)
{
    const char *text = json_string_value(json_object_get(object, "Counter"));
    unsigned set = 0;

    for (; text != NULL && *text != '\0'; text++)
        if (*text >= '0' && *text < '0' + PLACE_FIXED)
            set |= 1u << (*text - '0');
        else if (*text != ',' && *text != ' ')
            return 0;
    return set;
}

static const struct {
    const char *key;
    unsigned shift;
} fields[] = {{"EventCode", 0},  {"UMask", 8},   {"EdgeDetect", 18},
              {"AnyThread", 21}, {"Invert", 23}, {"CounterMask", 24}};

/* "0xC0", or "0xB7, 0xBB"; not there is 0. */
static bool fits(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    char *end;

    if (text == NULL)
        return value == NULL || json_is_integer(value)
                   ? field(object, key) <= 0xff
                   : false;
    return strtoull(text, &end, 0) <= 0xff && end != text &&
           (*end == '\0' || *end == ',');
}

const char *event_list_malformed(const json_t *list, const char *name)
{
    const json_t *object;
    size_t index;

    json_array_foreach(list, index, object)
    {
        const char *text =
            json_string_value(json_object_get(object, "EventName"));
        if (text != NULL && strcasecmp(text, name) == 0)
            for (size_t i = 0; i < COUNT(fields); i++)
                if (!fits(object, fields[i].key))
                    return fields[i].key;
    }
    return NULL;
}

static void fill(const json_t *object, struct event *event)
{
    event->wanted.select = 0;
    for (size_t i = 0; i < COUNT(fields); i++)
        event->wanted.select |= (field(object, fields[i].key) & 0xff)
                                << fields[i].shift;
    if (field(object, "MSRIndex") != 0)
        event->wanted.with = field(object, "MSRValue");
    event->counters = counters_of(object);
    of_fixed_counter(event);
}

static bool ends_name(char c)
{
    return c == '\0' || strchr(":=/,", c) != NULL;
}

size_t event_list_find(const json_t *list, const char *text,
                       struct event *event)
{
    const json_t *object, *best = NULL;
    size_t index, length = 0;

    json_array_foreach(list, index, object)
    {
        const char *name =
            json_string_value(json_object_get(object, "EventName"));
        const size_t bytes = name == NULL ? 0 : strlen(name);
        if (bytes > length && bytes < EVENT_NAME_BYTES &&
            strncasecmp(text, name, bytes) == 0 && ends_name(text[bytes])) {
            best = object;
            length = bytes;
        }
    }
    if (best != NULL)
        fill(best, event);
    for (size_t i = 0; i < COUNT(generic) && best == NULL; i++) {
        const size_t bytes = strlen(generic[i].name);
        if (strncmp(text, generic[i].name, bytes) == 0 &&
            ends_name(text[bytes])) {
            length = bytes;
            event->wanted.select = generic[i].select;
            of_fixed_counter(event);
        }
    }
    snprintf(event->name, sizeof(event->name), "%.*s", (int)length, text);
    return length;
}

const char *event_list_name(const json_t *list, uint64_t select)
{
    const json_t *object;
    size_t index;

    json_array_foreach(list, index, object)
    {
        struct event event = {0};
        fill(object, &event);
        if (event.wanted.select == select && event.wanted.with == 0)
            return json_string_value(json_object_get(object, "EventName"));
    }
    return NULL;
}

size_t event_raw(const char *text, struct event *event)
{
    char *end;

    if (*text != 'r' || strspn(text + 1, "0123456789abcdefABCDEF") == 0)
        return 0;
    errno = 0;
    event->wanted.select = strtoull(text + 1, &end, 16);
    if (errno != 0 || !ends_name(*end))
        return 0;
    of_fixed_counter(event);
    return (size_t)(end - text);
}

/* One of perf's terms with its value. Linux, /sys/devices/cpu/format. */
static bool add_term(const char *key, uint64_t value, struct event *event)
{
    static const struct {
        const char *key;
        uint64_t most;
        unsigned shift;
    } terms[] = {{"event", 0xff, 0},  {"umask", 0xff, 8},
                 {"edge", 1, 18},     {"pc", 1, 19},
                 {"any", 1, 21},      {"inv", 1, 23},
                 {"cmask", 0xff, 24}, {"in_tx", 1, 32},
                 {"in_tx_cp", 1, 33}, {"config", UINT64_MAX, 0}};

    for (size_t i = 0; i < COUNT(terms); i++)
        if (strcmp(key, terms[i].key) == 0) {
            event->wanted.select |= value << terms[i].shift;
            return value <= terms[i].most;
        }
    if (strcmp(key, "offcore_rsp") != 0 && strcmp(key, "ldlat") != 0 &&
        strcmp(key, "frontend") != 0)
        return strcmp(key, "period") == 0;
    event->wanted.with = value;
    return true;
}

/* `text` is changed. */
static bool read_terms(const json_t *list, char *text, struct event *event)
{
    char *rest = text, *end;

    for (char *term; (term = strsep(&rest, ",")) != NULL;) {
        char *value = strchr(term, '=');
        if (value == NULL) {
            struct event named = {0};
            if (event_list_find(list, term, &named) == strlen(term) &&
                *term != '\0')
                *event = named;
            else if (!add_term(term, 1, event))
                return false;
            continue;
        }
        *value++ = '\0';
        if (strcmp(term, "name") == 0) {
            snprintf(event->name, sizeof(event->name), "%s", value);
            continue;
        }
        errno = 0;
        uint64_t number = strtoull(value, &end, 0);
        if (*value < '0' || *value > '9' || *end != '\0' || errno != 0 ||
            !add_term(term, number, event))
            return false;
    }
    return true;
}

size_t event_pmu(const json_t *list, const char *text, struct event *event)
{
    /* Linux, /sys/devices; a hybrid has a PMU for each kind of core. */
    static const char *const pmus[] = {"cpu", "cpu_core", "cpu_atom"};
    const size_t begin = strcspn(text, "/") + 1;
    const char *last = NULL;
    char *terms;
    bool good;
    size_t i = 0;

    while (i < COUNT(pmus) && (strlen(pmus[i]) + 1 != begin ||
                               memcmp(text, pmus[i], begin - 1) != 0))
        i++;
    if (i < COUNT(pmus) && text[begin - 1] == '/')
        last = strchr(text + begin, '/');
    if (last == NULL)
        return 0;
    terms = strndup(text + begin, (size_t)(last - text) - begin);
    if (terms == NULL)
        abort();
    good = read_terms(list, terms, event);
    event->pmu = pmus[i];
    free(terms);
    if (!good || (event->wanted.select == 0 && event->counters == 0))
        return 0;
    of_fixed_counter(event);
    return (size_t)(last + 1 - text);
}
