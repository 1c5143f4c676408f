/* SPDX-License-Identifier: BSD-2-Clause */
/* enables.c - what must not go on while the firmware has the processor. */
#include "efi/enables.h"
#include "src/base/hw.h"
#include "src/base/msr.h"

static const uint32_t msrs[] = {IA32_PERF_GLOBAL_CTRL, IA32_RTIT_CTL};
#define MSRS (sizeof(msrs) / sizeof(msrs[0]))

struct saved {
    uint64_t value[MSRS];
    bool known[MSRS];
};

static void save(unsigned processor, void *context)
{
    struct saved *saved = context;

    (void)processor;
    for (size_t i = 0; i < MSRS; i++)
        saved->known[i] = hw_msr_read(msrs[i], &saved->value[i]) == HW_NO_FAULT;
}

static void restore(unsigned processor, void *context)
{
    const struct saved *saved = context;

    (void)processor;
    for (size_t i = 0; i < MSRS; i++)
        if (saved->known[i])
            (void)hw_msr_write(msrs[i], saved->value[i]);
}

bool enables_guard(unsigned processor,
                   void (*job)(unsigned processor, void *context),
                   void *context, struct hw_exception *exception)
{
    struct saved saved = {.known = {false}};
    struct hw_exception unused;

    (void)exceptions_guard(processor, save, &saved, &unused);
    bool returned = exceptions_guard(processor, job, context, exception);
    (void)exceptions_guard(processor, restore, &saved, &unused);
    return returned;
}
