/* SPDX-License-Identifier: BSD-2-Clause */
/* jobs.h - what a session has processors do, and what it does about those that
 * do not answer. */
#ifndef SRC_HARNESS_JOBS_H
#define SRC_HARNESS_JOBS_H

#include "src/harness/context.h"

struct jobs {
    unsigned processors;
    struct test_context *contexts; /* one each, by number */
    struct hw_result *results;     /* likewise */
    bool set[HW_PROCESSORS_MAX];   /* that run the next job */
};

/* Runs job(processor, jobs) on every processor of the set and enters how it
 * ended. */
void jobs_run(struct jobs *jobs, unsigned timeout_ms,
              void (*job)(unsigned processor, void *jobs));

/* The processors of the set say how they were found; first of all. */
void jobs_find(struct jobs *jobs);

/* The processors of the set identify themselves and decide the regime. */
void jobs_identify(struct jobs *jobs);

/* Restores what a job ended by an exception had changed, and what the peers of
 * a WHOLE_MACHINE test have. */
void jobs_restore(struct jobs *jobs);

/* How many processors are not lost. */
unsigned jobs_answering(const struct jobs *jobs);

#endif
