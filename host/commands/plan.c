/* SPDX-License-Identifier: BSD-2-Clause */
/* plan.c - tsxpmu plan: the options for host/plan.h. */
#include "host/plan.h"

#include "host/commands/arguments.h"
#include "host/commands/commands.h"

#include <stdlib.h>

struct planning {
    struct plan plan;
    const char *events;
};

static bool option(int key, const char *text, void *context)
{
    struct planning *planning = context;
    struct constraints_cpu *cpu = &planning->plan.cpu;
    uint64_t number;

    switch (key) {
    case 'n':
        if (!arguments_number(text, 8, &number) || number == 0)
            return false;
        cpu->counters = (unsigned)number;
        return true;
    case 'x':
        if (!arguments_number(text, 2, &number))
            return false;
        cpu->fixed = (unsigned)number;
        return true;
    case 'p':
        return plan_cpu(text, cpu);
    case 'r':
        return plan_regime(text, cpu);
    case 'a':
        cpu->force_abort = 1;
        return true;
    case 'e':
        planning->events = text;
        return true;
    default:
        return plan_form(text, &planning->plan.form);
    }
}

int command_plan(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"counters", 'n', "N", 0,
         "general-purpose counters of a logical processor, 1 to 8 (4)", 0},
        {"fixed", 'x', "N", 0, "fixed counters to use too, 0 to 2 (0)", 0},
        {"cpu", 'p', "NAME", 0,
         "nehalem, sandybridge, ivybridge, haswell, broadwell, skylake (the "
         "usual) or a DisplayFamily_DisplayModel (06_2AH)",
         0},
        {"regime", 'r', "X", 0,
         "A to F (A), of TSX and counter 3; in B counter 3 is left out "
         "without --force-abort",
         0},
        {"force-abort", 'a', NULL, 0, "RTM_FORCE_ABORT = 1", 0},
        {"events", 'e', "FILE", 0, "a list of events in perf's JSON form", 0},
        {"form", 'o', "FORM", 0,
         "command lines for perf (perf stat), pcm (pcm-core) or likwid "
         "(likwid-perfctr); counters is the usual",
         0},
        {0},
    };
    static const struct usage usage = {
        .words = "EVENT...",
        .doc = "Prints the fewest groups of events that can each be counted at "
               "once. EVENT is a name in the manual or EVENT/UMASK in "
               "hexadecimal (C4H/01H), then what there is of :pebs (it makes "
               "records), :in_tx, :in_txcp, and =VALUE of the MSR that goes "
               "with it; or as perf writes it: a name of its own (cycles) or "
               "of --events, r01c4, cpu/event=0xc4,umask=1/ (of hybrids "
               "cpu_core/, cpu_atom/), with :u, :k, :p. "
               "Its status is 1 where an event is none, or fits nowhere.",
        .options = options,
        .option = option,
        .least = 1,
        .most = SCHEDULE_EVENTS_MAX,
    };
    struct planning planning = {
        .plan.cpu = {.counters = 4, .regime = REGIME_A}};

    plan_cpu("skylake", &planning.plan.cpu);
    const struct arguments arguments =
        arguments_read(&usage, argc, argv, &planning);
    if (planning.events != NULL &&
        (planning.plan.list = event_list_read(planning.events)) == NULL)
        return STATUS_TROUBLE;
    const bool good =
        plan_events(&planning.plan, (const char *const *)arguments.words,
                    (unsigned)arguments.count, stdout);
    json_decref(planning.plan.list);
    return good ? STATUS_GOOD : STATUS_FOUND;
}
