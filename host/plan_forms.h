/* SPDX-License-Identifier: BSD-2-Clause */
/* plan_forms.h - a group of events as other tools' command lines. */
#ifndef HOST_PLAN_FORMS_H
#define HOST_PLAN_FORMS_H

#include "host/event_list.h"
#include "src/counting/schedule.h"

enum plan_form {
    FORM_COUNTERS, /* a line for each event: counter, name, MSR */
    FORM_PERF,
    FORM_PCM,
    FORM_LIKWID,
};

/* An event, and the counter that it has in its group. */
struct planned {
    const struct event *event;
    const struct placement *place;
    unsigned counter;
};

bool plan_form(const char *name, enum plan_form *out);

/* What has to be so before: TSX_FORCE_ABORT, in regime B. */
void plan_before(enum plan_form form, const struct constraints_cpu *cpu,
                 FILE *out);
/* One command line; planned[] by counters. False with a line on the standard
 * error where the tool has no way to say it. */
bool plan_command(enum plan_form form, const struct constraints_cpu *cpu,
                  const json_t *list, const struct planned planned[],
                  unsigned count, FILE *out);

#endif
