/* SPDX-License-Identifier: BSD-2-Clause */
/* context_loss.c - processors that do not answer, and jobs that did not end by
 * themselves. */
#include "src/harness/context.h"

#include "src/base/names.h"

#define VECTOR_NMI 2

void context_set_lost(struct test_context *t, const char *how)
{
    if (t->lost)
        return;
    t->lost = true;
    text_format(t->loss, sizeof(t->loss), "processor %u %s", t->processor, how);
    text_format(t->loss_line, sizeof(t->loss_line), "ERROR: %s\n", t->loss);
}

void context_exclude(struct test_context *t)
{
    t->lost = t->excluded = true;
}

void context_job_ended(struct test_context *t, const struct hw_result *result)
{
    const struct hw_exception *e = &result->exception;
    char how[32];

    t->end = result->end;
    text_format(how, sizeof(how), "did not answer in %u s",
                t->timeout_ms / 1000);
    if (result->end == HW_LOST)
        context_set_lost(t, "never came up");
    else if (result->end == HW_TIMEOUT)
        context_set_lost(t, how);
    else if (result->end == HW_EXCEPTION && e->vector == VECTOR_NMI)
        broken(t,
               "an NMI ended it: no answer in %u s, a watchdog, or an error of "
               "the machine; RIP 0x%lx",
               t->timeout_ms / 1000, e->rip);
    else if (result->end == HW_EXCEPTION)
        broken(t,
               "unexpected exception %s: error 0x%lx, RIP 0x%lx, CR2 0x%lx, "
               "RSP 0x%lx, "
               "RAX 0x%lx, RCX 0x%lx, RDX 0x%lx",
               vector_name(e->vector), e->error, e->rip, e->cr2, e->rsp, e->rax,
               e->rcx, e->rdx);
}
