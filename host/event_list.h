/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event_list.h - events as perf writes them, and lists of events in the form of
 * perf's JSON files: EventName, EventCode, UMask, Counter, CounterMask, Invert,
 * EdgeDetect, AnyThread, MSRIndex, MSRValue (Linux, tools/perf/pmu-events).
 */
#ifndef HOST_EVENT_LIST_H
#define HOST_EVENT_LIST_H

#include "src/counting/constraints.h"

#include <jansson.h>
#include <stdio.h>

#define EVENT_NAME_BYTES 128

/* An event that somebody asked for. */
struct event {
    struct event_wanted wanted;
    unsigned counters; /* the list allows these alone; 0: any */
    char name[EVENT_NAME_BYTES];
    bool user, kernel; /* :u, :k; neither: both */
    const char *pmu;   /* perf's: "cpu_core"; NULL: none was said */
};

/* Reads the list; NULL with a line on the standard error. */
json_t *event_list_read(const char *path);

/* What of it is no number that an event can have ("EventCode"), or NULL. */
const char *event_list_malformed(const json_t *list, const char *name);

/* The event whose name `text` begins with: of the list (NULL: there is none),
 * or perf's own ("cycles"). How long the name is, 0: it is none of these. Only
 * a fixed counter that is not planned counts it: counters is then
 * EVENT_UNPLANNED. */
#define EVENT_UNPLANNED (~0u)
size_t event_list_find(const json_t *list, const char *text,
                       struct event *event);
/* The name in the list of an event that is written by its numbers, or NULL. */
const char *event_list_name(const json_t *list, uint64_t select);

/* "r01c4": how long that is, 0: it is no such event. */
size_t event_raw(const char *text, struct event *event);
/* "cpu/event=0xc4,umask=1,in_tx=1/" or "cpu/inst_retired.any/", of hybrids
 * "cpu_core/" and "cpu_atom/", up to the last "/"; 0: it is no such event. */
size_t event_pmu(const json_t *list, const char *text, struct event *event);

#endif
