/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_pt.c - tsxpmu decode pt: the options for host/decode_pt.h. */
#include "host/decode_pt.h"

#include "host/commands/arguments.h"
#include "host/commands/commands.h"
#include "host/plan.h"

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
    {"tsx", 't', NULL, 0,
     "the beginnings, commits and aborts of transactions, and where the "
     "packets deviate from the manual",
     0},
    {"count", 'c', NULL, 0, "how many there are of each packet", 0},
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
    {"cpu", 'p', "NAME", 0,
     "the processor that was traced, for its errata: nehalem, sandybridge, "
     "ivybridge, haswell, broadwell, skylake or a DisplayFamily_DisplayModel "
     "(06_2AH)",
     0},
    {0},
};

static bool small_number(const char *text, unsigned most, unsigned *number)
{
    uint64_t value;

    if (!arguments_number(text, most, &value))
        return false;
    *number = (unsigned)value;
    return true;
}

/* EBX/EAX, neither of them 0. */
static bool ratio(struct pt_clock_config *clock, const char *text)
{
    char *end;
    const unsigned long ebx = strtoul(text, &end, 0);
    const unsigned long eax = *end == '/' ? strtoul(end + 1, &end, 0) : 0;

    clock->ebx = (unsigned)ebx;
    clock->eax = (unsigned)eax;
    return *end == '\0' && ebx != 0 && eax != 0 && ebx <= UINT32_MAX &&
           eax <= UINT32_MAX;
}

static bool errata(struct decode_pt_options *pt, const char *text)
{
    struct constraints_cpu cpu = {0};

    if (!plan_cpu(text, &cpu))
        return false;
    pt->errata = pt_errata(cpu.family, cpu.model);
    return true;
}

static bool option(int key, const char *text, void *context)
{
    struct decode_pt_options *pt = context;

    switch (key) {
    case 't':
        return pt->tsx = true;
    case 'c':
        return pt->count = true;
    case 'p':
        return errata(pt, text);
    case SUMMARY:
        return pt->summary = true;
    case QUIET:
        return pt->quiet = true;
    case JSON:
        return pt->json = true;
    case TIME:
        return pt->time = true;
    case FROM:
        return arguments_number(text, UINT64_MAX, &pt->from);
    case TO:
        pt->has_to = true;
        return arguments_number(text, UINT64_MAX, &pt->to);
    case ONLY:
        pt->only = text;
        return true;
    case MTC_FREQ:
        return small_number(text, 15, &pt->clock.mtc_freq);
    case ART:
        return ratio(&pt->clock, text);
    default:
        return small_number(text, 255, &pt->clock.nominal);
    }
}

static const char *misfit(const void *context)
{
    static char text[80];
    const struct decode_pt_options *pt = context;
    const bool transitions = pt->tsx || pt->summary;
    const char *word = pt->only;

    if (pt->count && transitions)
        return "--count, or --tsx and --summary";
    if (pt->time && !transitions)
        return "--time is for --tsx and --summary";
    if (pt->has_to && pt->to <= pt->from)
        return "nothing is from --from to --to";
    if (word != NULL && *word == '\0')
        return "no name for --only";
    for (; word != NULL && *word != '\0';) {
        const size_t length = strcspn(word, ",");
        if (decode_pt_name(word, length, transitions) < 0) {
            snprintf(text, sizeof(text), "no such name for --only: %.*s",
                     (int)length, word);
            return text;
        }
        word += length + (word[length] == ',');
    }
    return NULL;
}

int command_decode_pt(int argc, char **argv)
{
    static const struct usage usage = {
        .words = "FILE",
        .doc = "Prints a raw stream of Intel Processor Trace, or one in a file "
               "of Linux's perf: every packet, by its name in the manual. "
               "FILE: - is the standard input. Its status is 1 where packets "
               "are not as they should be, 2 where they cannot be read.",
        .options = options,
        .option = option,
        .least = 1,
        .most = 1,
        .misfit = misfit,
    };
    struct decode_pt_options pt = {0};
    const struct arguments arguments = arguments_read(&usage, argc, argv, &pt);
    const char *path = arguments.words[0];
    FILE *file = arguments_open(path);

    if (file == NULL)
        return STATUS_TROUBLE;
    if (decode_pt(file, path, &pt, stdout))
        return STATUS_GOOD;
    return ferror(file) ? STATUS_TROUBLE : STATUS_FOUND;
}
