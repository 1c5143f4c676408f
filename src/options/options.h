/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.h - the options of a run, as data, and the one grammar they have
 * wherever they come from: key=value, separated by blanks or newlines; '#' at
 * the start of a word begins a comment. Later ones win. docs/user.md,
 * "Options", says what each does.
 */
#ifndef SRC_OPTIONS_OPTIONS_H
#define SRC_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIONS_TESTS_BYTES    256
#define OPTIONS_FILE_BYTES     64
#define OPTIONS_MACHINE_BYTES  32
#define OPTIONS_PROCESSORS_MAX 256
#define OPTIONS_REPEATS_MAX    10000
#define OPTIONS_SOAK_MAX       10080 /* minutes: a week */
#define OPTIONS_COUNTDOWN_MAX  600
#define OPTIONS_WARNING_BYTES  160
#define OPTIONS_LINE_BYTES     512

enum at_end {
    AT_END_MENU,     /* the last screen stays; keys lead to the menu */
    AT_END_FIRMWARE, /* return to what started the program */
    AT_END_POWEROFF,
    AT_END_REBOOT,
};

enum verbosity {
    VERBOSITY_QUIET, /* of a test that passes or skips its result only */
    VERBOSITY_NORMAL,
    VERBOSITY_VERBOSE, /* also its citation, and how long it took */
};

enum raw {
    RAW_FAILED, /* the raw bytes of the first processor that failed a test */
    RAW_ALL,
    RAW_OFF,
};

enum identity_shown {
    IDENTITY_HASH, /* of serial numbers */
    IDENTITY_FULL, /* the numbers themselves */
};

/* What is done only where it is asked for by name: a set. */
#define ALLOW_SDV_ENABLE_RTM (1u << 0) /* writing 10FH[2] = 1 */
#define ALLOW_MICROCODE      (1u << 1) /* loading an update */

/* Which threads of a core run a test of single processors. */
enum ht {
    HT_ALL, /* at the same time */
    HT_ONE, /* one after another, while the others wait */
};

enum serial_choice { SERIAL_AUTO, SERIAL_OFF, SERIAL_AT };

/* The words for enum verbosity, enum raw and enum at_end. */
extern const char *const options_verbosities[],
    *const options_raws[], *const options_ends[], *const options_hts[];

struct options {
    char tests[OPTIONS_TESTS_BYTES]; /* names or patterns between commas */
    uint64_t processors[OPTIONS_PROCESSORS_MAX / 64]; /* a set; all: all */
    uint32_t repeats; /* of the whole list, 1 or more */
    uint32_t soak;   /* seconds for the whole list, each test again and again */
    uint32_t trials; /* 0 is each test's own usual number */
    uint64_t seed;   /* of the run's own random numbers */
    enum ht ht;
    enum verbosity verbosity;
    enum raw raw;
    enum at_end at_end;
    unsigned countdown; /* seconds before the run starts; 0: at once */
    enum serial_choice serial;
    uint64_t serial_address; /* SERIAL_AT: an I/O port below 10000H, else
                              * memory */
    unsigned serial_stride;  /* bytes from register to register: 1, 2, 4, 8 */
    uint32_t speed;          /* bits a second; 0: as the port is known to be */
    unsigned allow;          /* ALLOW_* */
    char machine[OPTIONS_MACHINE_BYTES]; /* its name in the report; "": none */
    enum identity_shown identity;
    bool send; /* the report, to the server that the program came from */
    char
        microcode[OPTIONS_FILE_BYTES]; /* a file of the boot volume; "": none */
};

void options_default(struct options *out);

/* Reads `bytes` of text into *out. Calls warn(context, line) once for each word
 * that is no option or no value for it; never fails. */
void options_parse(struct options *out, const char *text, size_t bytes,
                   void (*warn)(void *context, const char *line),
                   void *context);

/* The same for load options: whatever the loader gave
 * (src/options/options_text.c). Leading words without '=' are the program's
 * name. Bytes that are not text are one warning, and nothing is read from them.
 */
void options_load(struct options *out, const void *loaded, size_t bytes,
                  void (*warn)(void *context, const char *line), void *context);

/* Makes text of a file's or a loader's bytes: ASCII, or UTF-8 or UTF-16 with or
 * without a byte order mark, up to the first NUL. Writes at most `size`
 * characters, those that are not ASCII as '?'; returns how many. *not_ascii:
 * how many were none. */
size_t options_text(const void *from, size_t bytes, char *text, size_t size,
                    size_t *not_ascii);

/* True where load options ask for help: "--help", "-h", "-?", "/?" or "help"
 * among words without '='. */
bool options_ask_help(const void *loaded, size_t bytes);
/* Calls line(context, text) for each line of the help. */
void options_help(void (*line)(void *context, const char *text), void *context);

bool options_want_processor(const struct options *options, unsigned processor);

/* The options that differ from options_default(), as words; what a run that
 * reads them does is the same. Ended by NUL. Returns the length. */
size_t options_write(const struct options *options,
                     char line[OPTIONS_LINE_BYTES]);

#endif
