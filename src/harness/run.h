/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run.h - one logical processor's part of a test: what the functions of
 * case.h store while it runs, for the session to read when it has ended.
 *
 * A processor that did not answer may still write to it: from then on only
 * the fields marked (session) are read.
 */
#ifndef SRC_HARNESS_RUN_H
#define SRC_HARNESS_RUN_H

#include "src/harness/case.h"
#include "src/harness/journal.h"

#define RUN_LINE_BYTES   240 /* the longest line, without its prefix */
#define RUN_TEXT_BYTES   3072
#define RUN_REASON_BYTES 160

struct run {
    /* (session) For the whole session. */
    unsigned processor;
    struct identity cpu;
    struct regime_evidence evidence;
    enum regime regime;
    bool lost;          /* did not answer once, and runs no more jobs */
    bool excluded;      /* lost from the start: processors= leaves it out */
    char loss[64];      /* "processor 1 did not answer in 30 s" */
    char loss_line[80]; /* the same as a line of text[] */

    /* (session) For one test. */
    const struct test *test;
    uint32_t trials;     /* the option; 0: each test's usual number */
    unsigned allow;      /* the option */
    unsigned timeout_ms; /* of one job */
    enum hw_end end;     /* of the last job, HW_NOT_ASKED before the first */
    struct run *all;     /* every processor's, by number */
    struct hw_result *results; /* room for on_processors() */
    unsigned processors;
    void *buffer;       /* of run_buffer(); run_records() after it */
    const void *source; /* of run_source() */
    const void *raw;    /* of run_raw(); NULL: none */
    size_t raw_bytes;
    const char *raw_what;

    enum verdict verdict;
    /* Of the observe() that saw the greatest part of its trials: */
    uint64_t observed, observed_of; /* 0: nothing was observed */
    bool no_trials_line; /* the note of few trials is made once */
    uint64_t random;
    struct journal journal;
    bool status_known;
    uint64_t status; /* IA32_PERF_GLOBAL_STATUS (38EH) at the start */
    char reason[RUN_REASON_BYTES]; /* the first line of the worst verdict */
    char text[RUN_TEXT_BYTES];     /* lines, each ended by "\n" */
    size_t text_bytes;
    unsigned left_out; /* lines for which there was no room */
};

/* Begins a test: clears all but the fields for the session. */
void run_begin(struct run *t, const struct test *test, uint64_t seed);

/* On its processor, before anything of the test: what changes without being
 * written is saved too. Counter 3's registers, which transactions may change
 * (white paper, section 1.2, "Implications for PMU drivers and performance
 * tools"), go into the journal; restore_msrs() clears what was set meanwhile in
 * IA32_PERF_GLOBAL_STATUS. */
void run_keep(struct run *t);

/* Ends a test, where the processor is not lost: adds how many lines were left
 * out, and an ERROR where it had to check something and did not. */
void run_close(struct run *t);

/* From now on the processor runs no jobs; how: "never came up". */
void run_lose(struct run *t, const char *how);

/* The user excluded the processor: lost, and not reported. */
void run_exclude(struct run *t);

/* Enters how a job ended: an exception or a loss is ERROR with its line. */
void run_ended(struct run *t, const struct hw_result *result);

#endif
