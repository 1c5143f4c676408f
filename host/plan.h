/* SPDX-License-Identifier: BSD-2-Clause */
/* plan.h - a list of events, as typed, split into groups. */
#ifndef HOST_PLAN_H
#define HOST_PLAN_H

#include "host/plan_forms.h"

/* The processor of that name, or of that DisplayFamily_DisplayModel ("06_2AH");
 * the regime of that letter ("B"). False, and nothing is changed, where there
 * is none. Processors from Haswell on count as having TSX, RTM with it. */
bool plan_cpu(const char *name, struct constraints_cpu *cpu);
bool plan_regime(const char *name, struct constraints_cpu *cpu);

/* How to plan: for which counters, with events of which list (NULL: of none
 * but the tool's own), to be printed in which form. */
struct plan {
    struct constraints_cpu cpu;
    json_t *list;
    enum plan_form form;
};

/* Prints the groups of these events, 1 to SCHEDULE_EVENTS_MAX: counters, names,
 * and the MSRs that go with them, or another tool's command line. False where
 * one is no event or fits nowhere: then one line for each of these goes to the
 * standard error, and nothing to `out`; or where the other tool cannot say it.
 * Not checked: `out`. */
bool plan_events(const struct plan *plan, const char *const names[],
                 unsigned count, FILE *out);

#endif
