/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.h - reports of tsxpmu.efi as they lie in a file: what they say, and
 * what is wrong with how they came here. docs/report.md says what the lines
 * mean. Everything points into the text, which has to stay.
 */
#ifndef HOST_REPORT_REPORT_H
#define HOST_REPORT_REPORT_H

#include "host/report/clean.h"
#include "host/report/figure.h"
#include "src/harness/verdict.h"

enum made_on {
    MADE_ON_UNKNOWN, /* the line is lost, or says so */
    MADE_ON_SILICON,
    MADE_ON_VIRTUAL,
    MADE_ON_SIMULATED,
};

/* Processors that are alike, as the head of a pass names them. */
struct kind {
    struct span processors; /* "0-1"; empty where there is one alone */
    struct span vendor, model, stepping, microcode, brand; /* "06_5EH", "CCH" */
    struct span regime, evidence;
};

struct result {
    uint64_t number;
    struct span name; /* with what follows the test's own */
    struct span test, round, revision;
    enum verdict verdict;
    struct span reason; /* of SKIP, ERROR, KNOWN */
    uint64_t n, of;     /* OBSERVED n of N; 0 of 0 where nothing was */
    struct span question;
    size_t first, end; /* its lines: report.lines[first .. end - 1] */
};

struct totals {
    uint64_t pass, fail, error, skip, known;
};

struct report {
    struct span *lines; /* its own ones, without those of others */
    size_t line_count;
    enum made_on made_on;
    struct span made_on_text, version, image_crc, options;
    struct span date, system, bios, machine; /* machine: its id, or empty */
    struct kind *kinds;
    size_t kind_count;
    struct result *results;
    size_t result_count;
    bool has_plan, has_end;
    uint64_t plan;
    struct totals said; /* by the END line */
    uint32_t crc_said, crc;

    /* How it came here. */
    bool headless;     /* the first line is lost */
    size_t columns;    /* of the terminal that wrapped it, 0: none did */
    struct span stamp; /* what a log has before its first line, or empty */
    size_t strange;    /* lines of others inside it */
    size_t no_results; /* lines that begin as results and are none */
    bool reset;        /* the machine was reset in it */
    bool superseded;   /* the next one goes on with it */
    struct span strange_first, no_result_first;
};

struct reports {
    char *text;
    struct report *report;
    size_t count;
    struct cleaned cleaned;
};

/* What is in `text`, which is changed; NUL bytes are allowed. Aborts without
 * memory. */
struct reports reports_read(char *text, size_t bytes);
/* The same of a file; "-" is the standard input. False with errno where it
 * cannot be read. */
bool reports_open(const char *path, struct reports *out);
void reports_close(struct reports *reports);

/* The bytes that the CRC is of, and the END line: to be freed. */
char *report_text(const struct report *report, size_t *bytes);

/* "silicon", "virtual", "SIMULATED", "unknown". */
const char *made_on_name(enum made_on made_on);

/* Its results by verdict. */
struct totals report_totals(const struct report *report);

/* What is wrong with how it came here: one line each, without "\n"; none where
 * it is whole. Returns how many. say: NULL, they are only counted. */
size_t report_problems(const struct report *report,
                       void (*say)(void *context, const char *line),
                       void *context);
/* Things that are worth a word, and no damage: escape sequences, wrapping that
 * the CRC shows to be undone. */
void report_remarks(const struct report *report, const struct cleaned *cleaned,
                    void (*say)(void *context, const char *line),
                    void *context);

/* The raw bytes of a result, of one processor. */
struct raw {
    uint64_t processor, said; /* said: how many there were */
    struct span what;
    uint32_t crc_said;
    uint8_t bytes[4096]; /* docs/report.md, "Raw bytes" */
    size_t count;
    bool damaged; /* a line is lost, or the CRC is not that of the bytes */
};

/* The next one from *line on, which moves past it; false: there is none. */
bool report_raw(const struct report *report, const struct result *result,
                size_t *line, struct raw *out);

#endif
