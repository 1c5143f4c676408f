/* SPDX-License-Identifier: BSD-2-Clause */
/* options.c - the grammar of the options. */
#include "src/options/options.h"

#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/base/words.h"

#define WORD_SHOWN 40 /* of a word that is not an option */

/* --- The values, in the order of the table below ------------------------- */

static bool parse_name(const struct word *value, char *out, size_t size)
{
    if (value->bytes == 0 || value->bytes >= size)
        return false;
    memcpy(out, value->at, value->bytes);
    out[value->bytes] = '\0';
    return true;
}

/* The index of the value in names[], or -1. */
static int parse_choice(const struct word *value, const char *const names[],
                        unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (word_is(value, names[i]))
            return (int)i;
    return -1;
}

static bool parse_tests(struct options *out, const struct word *value)
{
    if (parse_name(value, out->tests, sizeof(out->tests)))
        return true;
    /* Not all tests instead: that may take long, and is not what was meant. */
    out->tests[0] = '\0';
    return false;
}

/* "3" or "1-3". */
static bool parse_range(struct word part, uint64_t *first, uint64_t *last)
{
    struct word from = part;
    const uint64_t max = OPTIONS_PROCESSORS_MAX - 1;

    for (from.bytes = 0; from.bytes < part.bytes; from.bytes++)
        if (part.at[from.bytes] == '-')
            break;
    if (!word_number(from, max, first))
        return false;
    *last = *first;
    if (from.bytes == part.bytes)
        return true;
    part = (struct word){part.at + from.bytes + 1, part.bytes - from.bytes - 1};
    return word_number(part, max, last) && *first <= *last;
}

static bool parse_processors(struct options *out, const struct word *value)
{
    uint64_t set[OPTIONS_PROCESSORS_MAX / 64] = {0}, first, last;
    struct word rest = *value;

    if (word_is(value, "all")) {
        memset(out->processors, 0xff, sizeof(out->processors));
        return true;
    }
    do {
        if (!parse_range(word_next_part(&rest), &first, &last))
            return false;
        for (uint64_t p = first; p <= last; p++)
            set[p / 64] |= UINT64_C(1) << p % 64;
    } while (rest.bytes != 0);
    memcpy(out->processors, set, sizeof(set));
    return true;
}

static bool parse_small(const struct word *value, uint32_t least, uint32_t max,
                        uint32_t *out)
{
    uint64_t number;

    if (!word_number(*value, max, &number) || number < least)
        return false;
    *out = (uint32_t)number;
    return true;
}

static bool parse_repeats(struct options *out, const struct word *value)
{
    return parse_small(value, 1, OPTIONS_REPEATS_MAX, &out->repeats);
}

/* Minutes; or seconds, "90s". */
static bool parse_soak(struct options *out, const struct word *value)
{
    struct word number = *value;
    bool seconds = value->bytes != 0 && value->at[value->bytes - 1] == 's';
    uint32_t soak;

    number.bytes -= seconds;
    if (!parse_small(&number, 0, OPTIONS_SOAK_MAX * (seconds ? 60 : 1), &soak))
        return false;
    out->soak = seconds ? soak : 60 * soak;
    return true;
}

static bool parse_trials(struct options *out, const struct word *value)
{
    return parse_small(value, 0, UINT32_MAX, &out->trials);
}

static bool parse_seed(struct options *out, const struct word *value)
{
    return word_number(*value, UINT64_MAX, &out->seed);
}

const char *const options_verbosities[] = {"quiet", "normal", "verbose"};
const char *const options_raws[] = {"failed", "all", "off"};
const char *const options_ends[] = {"menu", "firmware", "poweroff", "reboot"};
const char *const options_hts[] = {"all", "one"};
static const char *const identities[] = {"hash", "full"};
static const char *const sends[] = {"off", "tftp"};
static const char *const serials[] = {"auto", "off"};

static bool parse_ht(struct options *out, const struct word *value)
{
    int i = parse_choice(value, options_hts, 2);

    if (i >= 0)
        out->ht = (enum ht)i;
    return i >= 0;
}

static bool parse_verbosity(struct options *out, const struct word *value)
{
    int i = parse_choice(value, options_verbosities, 3);

    if (i >= 0)
        out->verbosity = (enum verbosity)i;
    return i >= 0;
}

static bool parse_raw(struct options *out, const struct word *value)
{
    int i = parse_choice(value, options_raws, 3);

    if (i >= 0)
        out->raw = (enum raw)i;
    return i >= 0;
}

static bool parse_at_end(struct options *out, const struct word *value)
{
    int i = parse_choice(value, options_ends, 4);

    if (i >= 0)
        out->at_end = (enum at_end)i;
    return i >= 0;
}

static bool parse_countdown(struct options *out, const struct word *value)
{
    return parse_small(value, 0, OPTIONS_COUNTDOWN_MAX, &out->countdown);
}

/* auto, off, or an address, with the registers' distance after a '/'. */
static bool parse_serial(struct options *out, const struct word *value)
{
    int i = parse_choice(value, serials, 2);
    struct word address = *value;
    uint64_t at;
    uint32_t stride = 1;

    if (i >= 0) {
        out->serial = (enum serial_choice)i;
        return true;
    }
    for (address.bytes = 0; address.bytes < value->bytes; address.bytes++)
        if (value->at[address.bytes] == '/')
            break;
    if (address.bytes < value->bytes) {
        struct word rest = {value->at + address.bytes + 1,
                            value->bytes - address.bytes - 1};
        if (!parse_small(&rest, 1, 8, &stride) || (stride & (stride - 1)) != 0)
            return false;
    }
    if (!word_number(address, UINT64_MAX >> 12, &at) || at == 0)
        return false;
    out->serial = SERIAL_AT;
    out->serial_address = at;
    out->serial_stride = stride;
    return true;
}

static bool parse_speed(struct options *out, const struct word *value)
{
    uint32_t speed;

    if (!parse_small(value, 50, 115200, &speed) || 115200 % speed != 0)
        return false;
    out->speed = speed;
    return true;
}

static bool parse_allow(struct options *out, const struct word *value)
{
    struct word rest = *value;
    unsigned set = 0;

    if (word_is(value, "nothing")) {
        out->allow = 0;
        return true;
    }
    do {
        struct word part = word_next_part(&rest);
        if (word_is(&part, "sdv_enable_rtm"))
            set |= ALLOW_SDV_ENABLE_RTM;
        else if (word_is(&part, "microcode"))
            set |= ALLOW_MICROCODE;
        else
            return false;
    } while (rest.bytes != 0);
    out->allow = set;
    return true;
}

static bool parse_microcode(struct options *out, const struct word *value)
{
    return parse_name(value, out->microcode, sizeof(out->microcode));
}

static bool parse_machine(struct options *out, const struct word *value)
{
    return parse_name(value, out->machine, sizeof(out->machine));
}

static bool parse_identity(struct options *out, const struct word *value)
{
    int i = parse_choice(value, identities, 2);

    if (i >= 0)
        out->identity = (enum identity_shown)i;
    return i >= 0;
}

static bool parse_send(struct options *out, const struct word *value)
{
    int i = parse_choice(value, sends, 2);

    if (i >= 0)
        out->send = i == 1;
    return i >= 0;
}

static const struct key {
    const char *name;
    bool (*parse)(struct options *out, const struct word *value);
    const char *wanted;
} keys[] = {
    {"tests", parse_tests, "names or patterns, 255 characters at most"},
    {"processors", parse_processors, "all, or a list like 0,2-3"},
    {"repeats", parse_repeats, "1 to 10000"},
    {"soak", parse_soak, "minutes, 0 to 10080, or seconds like 90s"},
    {"trials", parse_trials, "0 to 4294967295"},
    {"ht", parse_ht, "all or one"},
    {"seed", parse_seed, "a number of 64 bits"},
    {"verbosity", parse_verbosity, "quiet, normal or verbose"},
    {"raw", parse_raw, "failed, all or off"},
    {"exit", parse_at_end, "menu, firmware, poweroff or reboot"},
    {"countdown", parse_countdown, "seconds, 0 to 600"},
    {"serial", parse_serial, "auto, off or an address, 0x3f8 or 0xfe000000/4"},
    {"speed", parse_speed, "115200 or a whole fraction of it"},
    {"allow", parse_allow, "nothing, sdv_enable_rtm, microcode"},
    {"microcode", parse_microcode, "the name of a file"},
    {"machine", parse_machine, "a name, 31 characters at most"},
    {"identity", parse_identity, "hash or full"},
    {"send", parse_send, "off or tftp"},
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

void options_help(void (*line)(void *context, const char *text), void *context)
{
    char text[OPTIONS_WARNING_BYTES];

    line(context, "Tests the performance counters, PEBS, TSX and Processor "
                  "Trace of this machine.");
    line(context, "Words after its name, or in \\tsxpmu.cfg beside \\tsxpmu:");
    for (size_t i = 0; i < KEYS; i++) {
        text_format(text, sizeof(text), "  %s=  %s", keys[i].name,
                    keys[i].wanted);
        line(context, text);
    }
    line(context, "docs/user.md says what each is for. Without any all tests "
                  "are run; for a rack:");
    line(context, "  countdown=0 exit=poweroff");
}

static const char no_such[] = "no such option";

/* What is wrong with the word, or NULL. */
static const char *parse_word(struct options *out, const struct word *word)
{
    for (size_t i = 0; i < KEYS; i++) {
        struct word value = word_value(word, keys[i].name);
        if (value.at != NULL)
            return keys[i].parse(out, &value) ? NULL : keys[i].wanted;
    }
    return no_such;
}

static void warn_of_word(const struct word *word, const char *why,
                         void (*warn)(void *context, const char *line),
                         void *context)
{
    char shown[WORD_SHOWN + 1], line[OPTIONS_WARNING_BYTES];
    size_t bytes = word->bytes < WORD_SHOWN ? word->bytes : WORD_SHOWN;

    memcpy(shown, word->at, bytes);
    shown[bytes] = '\0';
    text_format(line, sizeof(line), "option %s%s: %s%s", shown,
                bytes < word->bytes ? ".." : "",
                why == no_such ? "" : "wanted ", why);
    warn(context, line);
}

void options_default(struct options *out)
{
    *out = (struct options){
        .tests = "*",
        .repeats = 1,
        .seed = 1,
        .verbosity = VERBOSITY_NORMAL,
        .countdown = 5,
        .serial_stride = 1,
    };
    memset(out->processors, 0xff, sizeof(out->processors));
}

void options_parse(struct options *out, const char *text, size_t bytes,
                   void (*warn)(void *context, const char *line), void *context)
{
    struct word word;
    size_t at = 0;

    while (words_next(text, bytes, &at, &word)) {
        const char *why = parse_word(out, &word);
        if (why != NULL)
            warn_of_word(&word, why, warn, context);
    }
}

bool options_want_processor(const struct options *options, unsigned processor)
{
    return processor < OPTIONS_PROCESSORS_MAX &&
           (options->processors[processor / 64] >> processor % 64 & 1) != 0;
}
