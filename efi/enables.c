/* SPDX-License-Identifier: BSD-2-Clause */
/* enables.c - what must not go on while the firmware has the processor. */
#include "efi/enables.h"
#include "src/base/hw.h"
#include "src/base/msr.h"

static const uint32_t msrs[ENABLES] = {IA32_PERF_GLOBAL_CTRL, IA32_RTIT_CTL};

static void look(uint64_t values[ENABLES], bool known[ENABLES])
{
    for (size_t i = 0; i < ENABLES; i++)
        known[i] = hw_msr_read(msrs[i], &values[i]) == HW_NO_FAULT;
}

static void enables_begin(unsigned processor, void *context)
{
    struct enables *e = context;

    (void)processor;
    uint64_t values[ENABLES];

    look(values, e->known);
    for (size_t i = 0; i < ENABLES; i++) {
        if (!e->stopped[i])
            e->before[i] = values[i];
        if (!e->found_known)
            e->found[i] = values[i];
    }
    e->found_known = true;
}

/* By then the selects are a test's: no bits but those from before, or as found,
 * which are given back; and none where the job has not come to its end. */
static void enables_end(unsigned processor, void *context)
{
    struct enables *e = context;
    uint64_t values[ENABLES];
    bool known[ENABLES];

    (void)processor;
    look(values, known);
    for (size_t i = 0; i < ENABLES; i++) {
        const uint64_t may = e->found[i] | e->before[i];
        const bool stays = e->returned && (values[i] & ~may) == 0;
        if (!known[i] || !e->known[i])
            continue;
        /* The next job has given back the rest. */
        if (stays && e->stopped[i] && values[i] == 0)
            (void)hw_msr_write(msrs[i], e->before[i]);
        e->stopped[i] = !stays;
        if (!stays)
            (void)hw_msr_write(msrs[i], 0);
    }
}

bool enables_guard(struct enables *enables, unsigned processor,
                   void (*job)(unsigned processor, void *context),
                   void *context, struct hw_exception *exception)
{
    struct hw_exception unused;

    (void)exceptions_guard(processor, enables_begin, enables, &unused);
    enables->returned = exceptions_guard(processor, job, context, exception);
    (void)exceptions_guard(processor, enables_end, enables, &unused);
    return enables->returned;
}
