/* SPDX-License-Identifier: BSD-2-Clause */
/* jobs.c - jobs of the session's own. */
#include "src/harness/jobs.h"

#define IDENTIFY_MS 10000
#define RESTORE_MS  5000

void jobs_run(struct jobs *jobs, unsigned timeout_ms,
              void (*job)(unsigned processor, void *jobs))
{
    for (unsigned p = 0; p < jobs->processors; p++)
        jobs->contexts[p].timeout_ms = timeout_ms;
    hw_run(jobs->set, job, jobs, timeout_ms, jobs->results);
    for (unsigned p = 0; p < jobs->processors; p++)
        if (jobs->set[p])
            context_job_ended(&jobs->contexts[p], &jobs->results[p]);
}

static void identify_job(unsigned processor, void *context)
{
    struct jobs *jobs = context;
    struct test_context *t = &jobs->contexts[processor];

    identity_read(&t->cpu);
    regime_probe(&t->cpu, &t->evidence);
    t->regime = regime_decide(&t->cpu, &t->evidence);
}

/* A job of its own: what it follows, pointers of paging tables, may lead
 * anywhere. */
static void found_job(unsigned processor, void *context)
{
    struct jobs *jobs = context;
    struct test_context *t = &jobs->contexts[processor];

    found_read(&t->found, processor, t->buffer,
               TEST_BUFFER_BYTES + TEST_RECORDS_BYTES);
}

void jobs_find(struct jobs *jobs)
{
    jobs_run(jobs, IDENTIFY_MS, found_job);
}

void jobs_identify(struct jobs *jobs)
{
    jobs_run(jobs, IDENTIFY_MS, identify_job);
}

static void restore_job(unsigned processor, void *context)
{
    struct jobs *jobs = context;

    restore_msrs(&jobs->contexts[processor]);
}

/* Repeated, because an exception may end a restore too; the entry that raised
 * it is then gone. */
void jobs_restore(struct jobs *jobs)
{
    for (unsigned attempt = 0; attempt < JOURNAL_MAX; attempt++) {
        bool any = false;

        for (unsigned p = 0; p < jobs->processors; p++) {
            const struct test_context *t = &jobs->contexts[p];
            jobs->set[p] =
                !t->lost && (t->journal.count != 0 || t->status_known);
            any = any || jobs->set[p];
        }
        if (!any)
            return;
        jobs_run(jobs, RESTORE_MS, restore_job);
    }
}

unsigned jobs_answering(const struct jobs *jobs)
{
    unsigned n = 0;

    for (unsigned p = 0; p < jobs->processors; p++)
        n += !jobs->contexts[p].lost;
    return n;
}
