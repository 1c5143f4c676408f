/* SPDX-License-Identifier: BSD-2-Clause */
/* enables.c - what must not go on while the firmware has the processor. */
#include "efi/enables.h"
#include "src/base/hw.h"
#include "src/base/msr.h"

static const uint32_t msrs[ENABLES] = {IA32_PERF_GLOBAL_CTRL, IA32_RTIT_CTL};

static void enables_find(unsigned processor, void *context)
{
    struct enables *e = context;

    (void)processor;
    for (size_t i = 0; i < ENABLES; i++)
        e->known[i] = hw_msr_read(msrs[i], &e->found[i]) == HW_NO_FAULT;
}

/* A job may also have given back what was found. */
static void enables_stop(unsigned processor, void *context)
{
    const struct enables *e = context;
    uint64_t value;

    (void)processor;
    for (size_t i = 0; i < ENABLES; i++)
        if (e->known[i] && hw_msr_read(msrs[i], &value) == HW_NO_FAULT &&
            (value & ~e->found[i]) != 0)
            (void)hw_msr_write(msrs[i], 0);
}

bool enables_guard(struct enables *enables, unsigned processor,
                   void (*job)(unsigned processor, void *context),
                   void *context, struct hw_exception *exception)
{
    struct hw_exception unused;

    if (!enables->looked)
        (void)exceptions_guard(processor, enables_find, enables, &unused);
    enables->looked = true;
    bool returned = exceptions_guard(processor, job, context, exception);
    (void)exceptions_guard(processor, enables_stop, enables, &unused);
    return returned;
}
