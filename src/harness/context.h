/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * context.h - one logical processor's part of a test: what the functions of
 * case.h store while it runs, for the session to read when it has ended.
 *
 * A processor that did not answer may still write to it: from then on only
 * the fields marked (session) are read.
 */
#ifndef SRC_HARNESS_CONTEXT_H
#define SRC_HARNESS_CONTEXT_H

#include "src/harness/case.h"
#include "src/harness/journal.h"
#include "src/cpu/found.h"

#define CONTEXT_LINE_BYTES   240 /* the longest line, without its prefix */
#define CONTEXT_TEXT_BYTES   3072
#define CONTEXT_REASON_BYTES 160
#define CONTEXT_PREFIX_BYTES 128
#define CONTEXT_PREFIXES     4

struct test_context {
    /* (session) For the whole session. */
    unsigned processor;
    struct identity cpu;
    struct found found; /* before anything was written */
    struct regime_evidence evidence;
    enum regime regime;
    _Alignas(8) uint8_t carried[TEST_CARRIED_BYTES]; /* of test_carried() */
    bool lost;          /* did not answer once, and runs no more jobs */
    bool excluded;      /* lost from the start: processors= leaves it out */
    char loss[64];      /* "processor 1 did not answer in 30 s" */
    char loss_line[80]; /* the same as a line of text[] */

    /* (session) For one test. */
    const struct test *test;
    uint32_t trials;     /* the option; 0: each test's usual number */
    unsigned allow;      /* the option */
    unsigned timeout_ms; /* of one job */
    enum hw_end end;     /* of the last job, HW_NOT_SELECTED before the first */
    struct test_context *all;  /* every processor's, by number */
    struct hw_result *results; /* room for on_processors() */
    unsigned processors;
    void *buffer;       /* of test_buffer(); test_records() after it */
    const void *source; /* of test_source() */
    struct provoked_windows
        windows[PROVOKED_BESIDES]; /* of windows_provoked() */
    const void *raw;               /* of test_raw(); NULL: none */
    size_t raw_bytes;
    const char *raw_what;

    enum verdict verdict;
    /* Of the observe() that saw the greatest part of its trials: */
    uint64_t observed, observed_of; /* 0: nothing was observed */
    uint64_t known; /* set of enum erratum that check_known() said */
    unsigned known_times[ERRATUM_COUNT]; /* how often */
    bool no_trials_line; /* the note of few trials is made once */
    unsigned checks;     /* made so far, observations too */
    unsigned rows, rows_tried, checks_before_row; /* FOR_EACH_ROW */
    uint64_t random;
    unsigned refused; /* accesses that must not fault, and did */
    struct journal journal;
    bool status_known;
    uint64_t status; /* IA32_PERF_GLOBAL_STATUS (38EH) at the start */
    char reason[CONTEXT_REASON_BYTES]; /* the first line of the worst verdict */
    char prefix[CONTEXT_PREFIX_BYTES]; /* of lines: WITH_PREFIX */
    size_t prefix_starts[CONTEXT_PREFIXES];
    unsigned prefixes;
    char text[CONTEXT_TEXT_BYTES]; /* lines, each ended by "\n" */
    size_t text_bytes;
    unsigned left_out; /* lines for which there was no room */
};

/* Begins a test: clears all but the fields for the session. */
void context_begin(struct test_context *t, const struct test *test,
                   uint64_t seed);

/* After it: test_buffer() and test_records() hold bytes by the seed, test and
 * processor, and not what the test before has left. */
void context_fill(struct test_context *t);

/* On its processor, before anything of the test: what changes without being
 * written is saved too. Counter 3's registers, which transactions may change
 * (white paper, section 1.2, "Implications for PMU drivers and performance
 * tools"), go into the journal; restore_msrs() clears what was set meanwhile in
 * IA32_PERF_GLOBAL_STATUS. */
void context_save(struct test_context *t);

/* Ends a test, where the processor is not lost: adds how many lines were left
 * out, and an ERROR where it had to check something and did not, or passed
 * without a row of its tables. */
void context_close(struct test_context *t);

/* From now on the processor runs no jobs; how: "never came up". */
void context_set_lost(struct test_context *t, const char *how);

/* The user excluded the processor: lost, and not reported. */
void context_exclude(struct test_context *t);

/* Enters how a job ended: an exception or a loss is ERROR with its line. */
void context_job_ended(struct test_context *t, const struct hw_result *result);

#endif
