/* SPDX-License-Identifier: BSD-2-Clause */
/* exit_fixture.h - a processor whose exits are handled one by one. */
#ifndef TESTS_HOST_HYPERVISOR_EXIT_FIXTURE_H
#define TESTS_HOST_HYPERVISOR_EXIT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"

#define GP_  (EVENT_VALID | EVENT_HAS_ERROR | EVENT_TYPE_EXCEPTION | VECTOR_GP)
#define UD_  (EVENT_VALID | EVENT_TYPE_EXCEPTION | VECTOR_UD)
#define DB_  (EVENT_VALID | EVENT_TYPE_EXCEPTION | VECTOR_DB)
#define NMI_ (EVENT_VALID | EVENT_TYPE_NMI | VECTOR_NMI)

static struct vcpu *start(void)
{
    fake_cpu_start("skylake-2018", "none");
    return fake_cpu_vcpu(0);
}

static unsigned offset(const struct vcpu *v)
{
    return (unsigned)(v->vmcb->rip - (uint64_t)fake_cpu_page(0));
}

/* Runs to the first exit that is no nested page fault, and its handler. */
static void one_exit(struct vcpu *v)
{
    do
        assert_true(fake_cpu_rounds(v, 1));
    while (v->vmcb->exit_code == EXIT_NPF);
}

#endif
