/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsxpmu.c - the host tool: reads what the application has written.
 *
 *   tsxpmu decode pebs FILE --format N [--count]
 *   tsxpmu decode pt FILE [--tsx | --summary | --count] [..]
 *   tsxpmu plan EVENT... [--counters N] [--fixed N] [--cpu NAME] [--regime X]
 *
 * Here are the command line and what is said of errors; decode_*.c and plan.c
 * do the work, commands/ what reads reports. Exit status: 0 done, 1 the input
 * is not as it should be, 2 wrong use, or what cannot be written.
 */
#include "host/commands/commands.h"
#include "host/decode_pebs.h"
#include "host/decode_pt.h"
#include "host/plan.h"
#include "host/pt_options.h"
#include "src/pt/packet.h"
#include "version.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NO_FORMAT UINT_MAX
#define TROUBLE   2 /* exit status, as grep's */

const char *argp_program_version = "tsxpmu " TSXPMU_RELEASE;

static const char doc[] =
    "Reads what tsxpmu.efi writes. --help after a command explains those that "
    "read reports; the options here are of the others.\n\n"
    "decode: prints what FILE (- is the standard input) holds, by its name in "
    "the manual: pebs, every field of every record of a raw buffer of PEBS "
    "records; pt, every packet of a raw stream of Intel Processor Trace.\n\n"
    "plan: the fewest groups of events that can each be counted at once. EVENT "
    "is a name in the manual or EVENT/UMASK in hexadecimal (C4H/01H), then "
    "what there is of :pebs (it makes records), :in_tx, :in_txcp, and =VALUE "
    "of the MSR that goes with it; or as perf writes it: a name of its own "
    "(cycles) or of --events, r01c4, cpu/event=0xc4,umask=1/, with :u, :k, "
    ":p.";

static const struct argp_option options[] = {
    {"format", 'f', "N", 0,
     "pebs: the record format, 0 to 4 (4: adaptive records, which say "
     "themselves what they hold): IA32_PERF_CAPABILITIES (345H)[11:8] of the "
     "processor that wrote the buffer",
     0},
    {"counters", 'n', "N", 0,
     "plan: general-purpose counters of a logical processor, 1 to 8 (4)", 0},
    {"fixed", 'x', "N", 0, "plan: fixed counters to use too, 0 to 2 (0)", 0},
    {"cpu", 'p', "NAME", 0,
     "plan: nehalem, sandybridge, ivybridge, haswell, broadwell, skylake (the "
     "usual) or a DisplayFamily_DisplayModel (06_2AH); pt: the processor that "
     "was traced, for its errata",
     0},
    {"regime", 'r', "X", 0,
     "plan: A to F (A), of TSX and counter 3; in B counter 3 is left out "
     "without --force-abort",
     0},
    {"force-abort", 'a', NULL, 0, "plan: RTM_FORCE_ABORT = 1", 0},
    {"events", 'e', "FILE", 0, "plan: a list of events in perf's JSON form", 0},
    {"form", 'o', "FORM", 0,
     "plan: command lines for perf (perf stat), pcm (pcm-core) or likwid "
     "(likwid-perfctr); counters is the usual",
     0},
    {0},
};

struct arguments {
    const char
        *words[SCHEDULE_EVENTS_MAX + 1]; /* decode pebs|pt FILE, plan EVENT.. */
    unsigned word_count;
    unsigned format;
    struct decode_pt_options pt;
    bool has_cpu;
    struct plan plan;
    const char *events;
    bool of_plan; /* an option of plan is given */
};

static unsigned parse_number(const char *text, unsigned least, unsigned most,
                             const char *option, struct argp_state *state)
{
    char *end;

    errno = 0;
    unsigned long value = strtoul(text, &end, 0);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 ||
        value < least || value > most)
        argp_error(state, "not a number for --%s: %s", option, text);
    return (unsigned)value;
}

/* The words and options fit each other, or this does not return. */
static void check_usage(const struct arguments *arguments,
                        struct argp_state *state)
{
    const bool pt = strcmp(arguments->words[1], "pt") == 0;
    const bool plan = strcmp(arguments->words[0], "plan") == 0;

    if (plan && (arguments->format != NO_FORMAT || arguments->pt.given))
        argp_error(state, "options of decode, not of plan");
    else if (plan)
        return;
    else if (strcmp(arguments->words[0], "decode") != 0)
        argp_error(state, "no such command: %s", arguments->words[0]);
    else if (arguments->word_count < 3)
        argp_error(state, "too few arguments");
    else if (arguments->word_count > 3)
        argp_error(state, "one argument too many: %s", arguments->words[3]);
    else if (arguments->of_plan)
        argp_error(state, "options of plan, not of decode");
    else if (!pt && strcmp(arguments->words[1], "pebs") != 0)
        argp_error(state, "cannot decode: %s", arguments->words[1]);
    else if (!pt && arguments->format == NO_FORMAT)
        argp_error(state, "--format is missing");
    else if (pt && arguments->format != NO_FORMAT)
        argp_error(state, "--format is for pebs");
    else if (!pt && (arguments->pt.of_pt || arguments->has_cpu))
        argp_error(state, "options of decode pt");
    else if (pt)
        pt_options_check(&arguments->pt, state);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    arguments->of_plan |= key != 0 && key < 0x80 && strchr("nxraeo", key);
    switch (key) {
    case 'f':
        arguments->format =
            parse_number(text, 0, NO_FORMAT - 1, "format", state);
        return 0;
    case 'n':
        arguments->plan.cpu.counters =
            parse_number(text, 1, 8, "counters", state);
        return 0;
    case 'x':
        arguments->plan.cpu.fixed = parse_number(text, 0, 2, "fixed", state);
        return 0;
    case 'p':
        if (!plan_cpu(text, &arguments->plan.cpu))
            argp_error(state, "no such processor: %s", text);
        arguments->has_cpu = true;
        return 0;
    case 'r':
        if (!plan_regime(text, &arguments->plan.cpu))
            argp_error(state, "no such regime: %s", text);
        return 0;
    case 'a':
        arguments->plan.cpu.force_abort = 1;
        return 0;
    case 'e':
        arguments->events = text;
        return 0;
    case 'o':
        if (!plan_form(text, &arguments->plan.form))
            argp_error(state, "no such form: %s", text);
        return 0;
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->pt;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num >= SCHEDULE_EVENTS_MAX + 1)
            argp_error(state, "one argument too many: %s", text);
        else
            arguments->words[arguments->word_count++] = text;
        return 0;
    case ARGP_KEY_END:
        if (state->arg_num < 2)
            argp_error(state, "too few arguments");
        else
            check_usage(arguments, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool decode(const struct arguments *arguments)
{
    const char *path = arguments->words[2];
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");

    if (file == NULL) {
        fprintf(stderr, "tsxpmu: %s: %s\n", path, strerror(errno));
        return false;
    }
    if (strcmp(arguments->words[1], "pebs") == 0)
        return (arguments->pt.count ? count_pebs : decode_pebs)(
            file, path, arguments->format, stdout);
    struct decode_pt_options pt = arguments->pt;
    if (arguments->has_cpu)
        pt.errata =
            pt_errata(arguments->plan.cpu.family, arguments->plan.cpu.model);
    return decode_pt(file, path, &pt, stdout);
}

static bool plan(struct arguments *arguments)
{
    bool good;

    if (arguments->events != NULL &&
        (arguments->plan.list = event_list_read(arguments->events)) == NULL)
        return false;
    good = plan_events(&arguments->plan, arguments->words + 1,
                       arguments->word_count - 1, stdout);
    json_decref(arguments->plan.list);
    return good;
}

int main(int argc, char **argv)
{
    static const struct argp_child children[] = {{&pt_options, 0, NULL, 0},
                                                 {0}};
    static const struct argp argp = {
        .children = children,
        .options = options,
        .parser = parse_option,
        .args_doc = "show REPORT...\ncheck REPORT...\ndiff REPORT REPORT\n"
                    "judge REPORT...\ndecode report REPORT...\n"
                    "json REPORT...\ncsv REPORT...\ntap REPORT...\n"
                    "junit REPORT...\nimport DB REPORT...\n"
                    "query DB QUESTION\npage DB|REPORT...\ndecode pebs "
                    "FILE\ndecode pt FILE\n"
                    "plan EVENT...",
        .doc = doc,
    };
    struct arguments arguments = {
        .format = NO_FORMAT, .plan.cpu = {.counters = 4, .regime = REGIME_A}};

    int status;

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-h") == 0)
            argv[i] = "--help";
    argp_err_exit_status = TROUBLE;
    if (!commands_run(argc, argv, &status)) {
        plan_cpu("skylake", &arguments.plan.cpu);
        argp_parse(&argp, argc, argv, 0, NULL, &arguments);
        bool good = strcmp(arguments.words[0], "plan") == 0
                        ? plan(&arguments)
                        : decode(&arguments);
        status = good ? 0 : 1;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "tsxpmu: standard output: %s\n", strerror(errno));
        status = TROUBLE;
    }
    return status;
}
