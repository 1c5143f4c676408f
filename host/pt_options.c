/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_options.c - reads the options of `decode pt`. */
#include "host/pt_options.h"

#include "src/pt/tsx_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUMMARY = 0x100,
    QUIET,
    JSON,
    FROM,
    TO,
    ONLY,
    TIME,
    MTC_FREQ,
    ART,
    NOMINAL
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Processor Trace:", 2},
    {"tsx", 't', NULL, 0,
     "the beginnings, commits and aborts of transactions, and where the "
     "packets deviate from the manual",
     0},
    {"count", 'c', NULL, 0,
     "how many there are of each packet; pebs: records, by counter and cause "
     "of an abort",
     0},
    {"summary", SUMMARY, NULL, 0,
     "transactions in figures: in all, by region, data lost, time; with --tsx, "
     "after them",
     0},
    {"from", FROM, "OFFSET", 0, "what begins there or later; 0x.. or decimal",
     0},
    {"to", TO, "OFFSET", 0, "what begins before", 0},
    {"only", ONLY, "NAMES", 0,
     "packets of these names, tip,fup; with --tsx these of begin, commit, "
     "abort, state, overflow, deviation",
     0},
    {"quiet", QUIET, NULL, 0,
     "no packets, transitions or complaints: the exit status, and the figures "
     "of --summary and --count",
     0},
    {"json", JSON, NULL, 0, "each line is a JSON object", 0},
    {"time", TIME, NULL, 0,
     "with --tsx or --summary: the TSC at each event, estimated", 0},
    {"mtc-freq", MTC_FREQ, "N", 0,
     "IA32_RTIT_CTL.MTCFreq of the trace (0), for --time", 0},
    {"art", ART, "EBX/EAX", 0,
     "CPUID.15H of the traced processor: MTC packets give time", 0},
    {"nominal", NOMINAL, "N", 0,
     "MSR_PLATFORM_INFO[15:8] of it: CYC packets give time", 0},
    {0},
};

static uint64_t number(const char *text, uint64_t most, const char *option,
                       struct argp_state *state)
{
    char *end;

    errno = 0;
    const unsigned long long value = strtoull(text, &end, 0);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 ||
        value > most)
        argp_error(state, "not a number for --%s: %s", option, text);
    return value;
}

/* EBX/EAX, neither of them 0. */
static void ratio(struct pt_clock_config *clock, const char *text,
                  struct argp_state *state)
{
    char *end;
    const unsigned long ebx = strtoul(text, &end, 0);
    const unsigned long eax = *end == '/' ? strtoul(end + 1, &end, 0) : 0;

    if (*end != '\0' || ebx == 0 || eax == 0 || ebx > UINT32_MAX ||
        eax > UINT32_MAX)
        argp_error(state, "not a ratio for --art: %s", text);
    clock->ebx = (unsigned)ebx;
    clock->eax = (unsigned)eax;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct decode_pt_options *pt = state->input;

    if (key >= 0x100 && key <= NOMINAL)
        pt->given = pt->of_pt = true;
    switch (key) {
    case 't':
        pt->given = pt->of_pt = pt->tsx = true;
        return 0;
    case 'c':
        pt->given = pt->count = true;
        return 0;
    case SUMMARY:
        pt->summary = true;
        return 0;
    case QUIET:
        pt->quiet = true;
        return 0;
    case JSON:
        pt->json = true;
        return 0;
    case TIME:
        pt->time = true;
        return 0;
    case FROM:
        pt->from = number(text, UINT64_MAX, "from", state);
        return 0;
    case TO:
        pt->to = number(text, UINT64_MAX, "to", state);
        pt->has_to = true;
        return 0;
    case ONLY:
        pt->only = text;
        return 0;
    case MTC_FREQ:
        pt->clock.mtc_freq = (unsigned)number(text, 15, "mtc-freq", state);
        return 0;
    case ART:
        ratio(&pt->clock, text, state);
        return 0;
    case NOMINAL:
        pt->clock.nominal = (unsigned)number(text, 255, "nominal", state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp pt_options = {.options = options, .parser = parse};

void pt_options_check(const struct decode_pt_options *pt,
                      struct argp_state *state)
{
    const bool transitions = pt->tsx || pt->summary;
    const char *word = pt->only;

    if (pt->count && transitions)
        argp_error(state, "--count, or --tsx and --summary");
    if (pt->time && !transitions)
        argp_error(state, "--time is for --tsx and --summary");
    if (pt->has_to && pt->to <= pt->from)
        argp_error(state, "nothing is from --from to --to");
    if (word != NULL && *word == '\0')
        argp_error(state, "no name for --only");
    for (; word != NULL && *word != '\0';) {
        const size_t length = strcspn(word, ",");
        if (decode_pt_name(word, length, transitions) < 0)
            argp_error(state, "no such name for --only: %.*s", (int)length,
                       word);
        word += length + (word[length] == ',');
    }
}
