/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan_forms.c - perf stat, Intel PCM's pcm-core, LIKWID's likwid-perfctr.
 *
 * perf chooses counters by itself, from the same constraints. pcm-core gives
 * them in the order of its events, and counts instructions and cycles on fixed
 * counters always (pcm-core.cpp). likwid-perfctr is told each counter, but
 * takes names of its own alone (src/includes/perfmon_*_events.txt).
 */
#include "host/plan_forms.h"

#include "src/base/msr.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#define MSR_OFFCORE_RSP_0 0x1a6
#define MSR_OFFCORE_RSP_1 0x1a7

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool plan_form(const char *name, enum plan_form *out)
{
    static const char *const names[] = {"counters", "perf", "pcm", "likwid"};

    for (unsigned i = 0; i < COUNT(names); i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (enum plan_form)i;
            return true;
        }
    return false;
}

void plan_before(enum plan_form form, const struct constraints_cpu *cpu,
                 FILE *out)
{
    const int forced = cpu->force_abort != 0;

    if (cpu->regime != REGIME_B || form == FORM_COUNTERS)
        return;
    if (form == FORM_PERF)
        fprintf(out, "echo %d >/sys/devices/cpu/allow_tsx_force_abort\n",
                forced);
    else if (form == FORM_LIKWID)
        fprintf(out,
                "# with RTM_FORCE_ABORT (10FH[0]) = %d on each processor "
                "that counts\n",
                forced);
}

/* Terms that perf and PCM have alike. */
static void print_terms(const struct planned *planned, FILE *out)
{
    static const struct {
        const char *key;
        uint64_t mask;
        unsigned shift;
    } terms[] = {{"edge", 1, 18},     {"any", 1, 21},   {"inv", 1, 23},
                 {"cmask", 0xff, 24}, {"in_tx", 1, 32}, {"in_tx_cp", 1, 33}};
    const uint64_t select = planned->event->wanted.select;

    fprintf(out, "%s/event=0x%02" PRIx64 ",umask=0x%02" PRIx64,
            planned->event->pmu, select & 0xff, select >> 8 & 0xff);
    for (size_t i = 0; i < COUNT(terms); i++)
        if ((select >> terms[i].shift & terms[i].mask) != 0)
            fprintf(out, ",%s=%" PRIu64, terms[i].key,
                    select >> terms[i].shift & terms[i].mask);
    if (planned->place->msr != 0)
        fprintf(out, ",%s=0x%" PRIx64,
                planned->place->msr == MSR_OFFCORE_RSP_0 ||
                        planned->place->msr == MSR_OFFCORE_RSP_1
                    ? "offcore_rsp"
                : planned->place->msr == MSR_PEBS_LD_LAT ? "ldlat"
                                                         : "frontend",
                planned->place->value);
}

/* The name, where both tools' grammars take it; perf's takes r01c4 for an event
 * wherever it stands. */
static void print_name(const struct planned *planned, FILE *out)
{
    const char *name = planned->event->name;
    struct event raw = {0};

    if (event_raw(name, &raw) != 0)
        return;
    for (const char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
            return;
    if (isalpha((unsigned char)*name))
        fprintf(out, ",name=%s", name);
}

static bool refuse(const struct planned *planned, const char *why)
{
    fprintf(stderr, "tsxpmu: %s: %s\n", planned->event->name, why);
    return false;
}

static bool print_perf(const struct planned planned[], unsigned count,
                       FILE *out)
{
    fprintf(out, "perf stat -e '{");
    for (unsigned i = 0; i < count; i++) {
        const struct event *event = planned[i].event;
        fprintf(out, "%s", i == 0 ? "" : ",");
        print_terms(&planned[i], out);
        print_name(&planned[i], out);
        fprintf(out, "/%s%s%s", event->user ? "u" : "",
                event->kernel ? "k" : "", event->wanted.precise ? "p" : "");
    }
    fprintf(out, "}'\n");
    return true;
}

/* pcm-core's events are on counters 0, 1, ..; what no event is planned for
 * counts core cycles. Off-core requests take the MSR of their place. */
static bool print_pcm(const struct constraints_cpu *cpu,
                      const struct planned planned[], unsigned count, FILE *out)
{
    unsigned next = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct planned *p = &planned[i];
        if (strcmp(p->event->pmu, "cpu") != 0)
            return refuse(p, "PCM and LIKWID name no kind of core");
        if (p->event->wanted.precise)
            return refuse(p, "PCM makes no PEBS records");
        if (p->event->user != p->event->kernel)
            return refuse(p, "PCM counts all privilege levels");
        if (p->place->msr != 0 &&
            (p->place->msr < MSR_OFFCORE_RSP_0 ||
             p->place->msr - MSR_OFFCORE_RSP_0 != p->counter))
            return refuse(p, "PCM writes its MSR for no event of this place");
    }
    fprintf(out, "pcm-core%s",
            cpu->regime == REGIME_B && cpu->force_abort != 0
                ? " -force-rtm-abort-mode"
                : "");
    for (unsigned i = 0; i < count; i++) {
        if (planned[i].counter >= PLACE_FIXED)
            continue;
        for (; next < planned[i].counter; next++)
            fprintf(out, " -e cpu/event=0x3c,umask=0x00,name=unused/");
        fprintf(out, " -e ");
        print_terms(&planned[i], out);
        print_name(&planned[i], out);
        fprintf(out, "/");
        next++;
    }
    fprintf(out, "\n");
    return true;
}

/* LIKWID's name of an event: "." is "_" there, but for these. */
static void likwid_name(const struct planned *planned, const char *name,
                        char out[EVENT_NAME_BYTES])
{
    static const struct {
        uint64_t select;
        const char *name, *fixed;
    } others[] = {
        {0x00c0, "INST_RETIRED_ANY", "INSTR_RETIRED_ANY"},
        {0x003c, "CPU_CLOCK_UNHALTED_THREAD_P", "CPU_CLK_UNHALTED_CORE"},
        {0x01b7, "OFFCORE_RESPONSE_0_OPTIONS", ""},
        {0x01bb, "OFFCORE_RESPONSE_1_OPTIONS", ""},
    };
    const uint64_t code = planned->event->wanted.select &
                          (IA32_PERFEVTSEL_EVENT | IA32_PERFEVTSEL_UMASK);
    size_t i = 0;

    while (i < COUNT(others) && others[i].select != code)
        i++;
    if (i < COUNT(others))
        name =
            planned->counter < PLACE_FIXED ? others[i].name : others[i].fixed;
    snprintf(out, EVENT_NAME_BYTES, "%s", name != NULL ? name : "");
    for (char *c = out; *c != '\0'; c++)
        *c = *c == '.' ? '_' : (char)toupper((unsigned char)*c);
}

static bool print_likwid(const json_t *list, const struct planned planned[],
                         unsigned count, FILE *out)
{
    char names[PLACES][EVENT_NAME_BYTES];

    for (unsigned i = 0; i < count; i++) {
        const struct planned *p = &planned[i];
        const uint64_t select = p->event->wanted.select;
        const char *name = strchr(p->event->name, '_') != NULL &&
                                   strchr(p->event->name, '/') == NULL
                               ? p->event->name
                               : event_list_name(list, select & 0xffff);
        likwid_name(p, name, names[i]);
        if (strcmp(p->event->pmu, "cpu") != 0)
            return refuse(p, "PCM and LIKWID name no kind of core");
        if (names[i][0] == '\0')
            return refuse(p, "LIKWID takes names of its own alone, and the "
                             "list has none");
        if (p->event->wanted.precise)
            return refuse(p, "LIKWID makes no PEBS records");
        if (p->event->kernel && !p->event->user)
            return refuse(p, "LIKWID counts no event in the kernel alone");
        if (p->place->msr > MSR_OFFCORE_RSP_1)
            return refuse(p, "LIKWID writes its MSR for none of its events");
    }
    fprintf(out, "likwid-perfctr -C 0 -g ");
    for (unsigned i = 0; i < count; i++) {
        const struct planned *p = &planned[i];
        const uint64_t select = p->event->wanted.select;
        fprintf(out, "%s%s:%s%u", i == 0 ? "" : ",", names[i],
                p->counter < PLACE_FIXED ? "PMC" : "FIXC",
                p->counter % PLACE_FIXED);
        if (p->place->msr != 0)
            fprintf(out, ":MATCH0=0x%" PRIx64 ":MATCH1=0x%" PRIx64,
                    p->place->value & 0xffff, p->place->value >> 16);
        if ((select & IA32_PERFEVTSEL_IN_TX) != 0)
            fprintf(out, ":IN_TRANS");
        if ((select & IA32_PERFEVTSEL_IN_TXCP) != 0)
            fprintf(out, ":IN_TRANS_ABORTED");
        if ((select >> 24 & 0xff) != 0)
            fprintf(out, ":THRESHOLD=0x%" PRIx64, select >> 24 & 0xff);
        fprintf(out, "%s%s%s%s",
                (select & (1u << 18)) != 0 ? ":EDGEDETECT" : "",
                (select & (1u << 23)) != 0 ? ":INVERT" : "",
                (select & (1u << 21)) != 0 ? ":ANYTHREAD" : "",
                p->event->kernel == p->event->user ? ":KERNEL" : "");
    }
    fprintf(out, "\n");
    return true;
}

bool plan_command(enum plan_form form, const struct constraints_cpu *cpu,
                  const json_t *list, const struct planned planned[],
                  unsigned count, FILE *out)
{
    switch (form) {
    case FORM_PERF:
        return print_perf(planned, count, out);
    case FORM_PCM:
        return print_pcm(cpu, planned, count, out);
    default:
        return print_likwid(list, planned, count, out);
    }
}
