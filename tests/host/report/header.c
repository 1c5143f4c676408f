/* SPDX-License-Identifier: BSD-2-Clause */
/* header.c - what a report says of the machine before the first test. */
#include "src/report/header.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MOST 200

static struct test_context all[MOST];
static const struct test none = {.name = "none"};

/* A Skylake of regime B, one core to each pair of processors. */
static void make(unsigned count)
{
    memset(all, 0, sizeof(all));
    for (unsigned p = 0; p < count; p++) {
        struct test_context *t = &all[p];
        t->processor = p;
        context_begin(t, &none, 1);
        t->cpu = (struct identity){.vendor = "GenuineIntel",
                                   .brand = "Core i7",
                                   .family = 6,
                                   .model = 0x5e,
                                   .stepping = 3,
                                   .microcode_known = true,
                                   .microcode = 0xc6,
                                   .perfmon_version = 4,
                                   .counters = 4,
                                   .counter_bits = 48,
                                   .fixed_counters = 3,
                                   .fixed_bits = 40,
                                   .pebs_format = 2,
                                   .rtm = true,
                                   .tsx_force_abort = true,
                                   .topology_known = true,
                                   .smt_shift = 1,
                                   .apic_id = p};
        t->regime = REGIME_B;
        t->evidence = (struct regime_evidence){
            HW_NO_FAULT, 1, REGIME_NOT_READ, REGIME_NOT_READ, 0, 0};
    }
}

static struct ktap out;

static void open_report(void)
{
    static struct sink sink;

    fake_reset();
    fake_sink(&sink);
    ktap_open(&out, &sink, 1, 1);
}

static void describe(unsigned count)
{
    open_report();
    header_processors(&out, all, count);
}

static void has(const char *line)
{
    if (strstr(fake_report, line) == NULL) {
        print_error("not there: %s\nin:\n%s", line, fake_report);
        fail();
    }
}

static void lacks(const char *line)
{
    if (strstr(fake_report, line) != NULL) {
        print_error("there: %s\nin:\n%s", line, fake_report);
        fail();
    }
}

static void made_on(const struct identity *id, const char *line)
{
    open_report();
    header_made_on(&out, id);
    has(line);
}

static void on_what_it_was_made(void **state)
{
    (void)state;
    made_on(&(struct identity){.vendor = ""}, "# made on: not known\n");
    made_on(&(struct identity){.vendor = "GenuineIntel"},
            "# made on: a bare machine (no hypervisor enumerated)\n");
    made_on(&(struct identity){.vendor = "GenuineIntel",
                               .hypervisor = true,
                               .hypervisor_name = "SimulatedCPU"},
            "# made on: a SIMULATED processor, not silicon");
    made_on(&(struct identity){.vendor = "GenuineIntel",
                               .hypervisor = true,
                               .hypervisor_name = "KVMKVMKVM"},
            "# made on: a virtual machine, hypervisor \"KVMKVMKVM\"");
}

static void identity_and_features(void **state)
{
    (void)state;
    make(1);
    describe(1);
    has("# GenuineIntel 06_5EH stepping 3, microcode C6H, \"Core i7\"\n");
    has("# performance monitoring version 4, 4 general-purpose counters of 48 "
        "bits, 3 fixed counters of 40 bits, PEBS format 2, full-width writes "
        "no\n");
    has("# HLE 0, RTM 1, RTM_ALWAYS_ABORT 0, TSX_FORCE_ABORT 1\n");
    lacks("core type");
    make(1);
    all[0].cpu.microcode_known = false;
    all[0].cpu.core_type = 0x40;
    all[0].cpu.full_width_writes = true;
    describe(1);
    has("stepping 3, microcode revision not readable, \"Core i7\"\n");
    has("# core type 40H (CPUID.1AH:EAX[31:24]) of a hybrid processor\n");
    has("full-width writes yes\n");
}

static void regime_with_its_evidence(void **state)
{
    (void)state;
    make(1);
    describe(1);
    has("# regime B: RTM_FORCE_ABORT can be set");
    has("# evidence: CPUID.7.0:EDX[13] = 1, EDX[11] = 0, EBX[11] = 1, EBX[4] = "
        "0; TSX_FORCE_ABORT (10FH) = 0x1\n");
    has("# white paper 604224, table 1.2-1: listed, and has the update of "
        "October 2018 (6th generation Core and Xeon E3 v5, Skylake)\n");
    has("# white paper 604224, table 2.2-2: listed, but without");
    make(1);
    all[0].regime = REGIME_F;
    all[0].cpu.model = 0x8c;
    all[0].cpu.tsx_force_abort = false;
    all[0].evidence =
        (struct regime_evidence){REGIME_NOT_READ, 0, HW_NO_FAULT, HW_GP, 3, 0};
    describe(1);
    has("EBX[4] = 0; IA32_TSX_CTRL (122H) = 0x3; RDMSR of IA32_MCU_OPT_CTRL "
        "(123H) raises #GP\n");
    has("table 1.2-1: not listed, and does not enumerate TSX_FORCE_ABORT\n");
    /* No other company's processor is in a paper of Intel's. */
    make(1);
    strcpy(all[0].cpu.vendor, "AuthenticAMD");
    all[0].regime = REGIME_NONE;
    describe(1);
    has("# regime none: ");
    lacks("evidence");
    lacks("white paper");
}

static void which_processors_share_a_core(void **state)
{
    (void)state;
    make(6);
    describe(6);
    has("# processors that share a core: 0+1, 2+3, 4+5\n");
    for (unsigned p = 0; p < 6; p++) /* the second ones come last */
        all[p].cpu.apic_id = p % 3 * 2 + p / 3;
    describe(6);
    has("# processors that share a core: 0+3, 1+4, 2+5\n");
    context_set_lost(&all[0], "never came up");
    context_set_lost(&all[5], "never came up");
    describe(6);
    has("# processors that share a core: 1+4, 2, 3\n");
    make(4);
    for (unsigned p = 0; p < 4; p++)
        all[p].cpu.apic_id = 2 * p;
    describe(4);
    has("# cores: each processor has one of its own\n");
    all[0].cpu.topology_known = false;
    describe(4);
    has("# cores: not known (no CPUID.0BH)\n");
    lacks("# counters: ");
    make(MOST);
    describe(MOST);
    has("# processors that share a core: 0+1, 2+3");
    has("..\n");
}

/* White paper 604224, footnote 1. */
static void counters_of_a_core(void **state)
{
    (void)state;
    make(2);
    describe(2);
    has("# counters: 4 general-purpose ones for each processor, which share "
        "cores");
    lacks("MISMATCH");
    all[0].cpu.counters = 8;
    describe(2);
    has("# counters: 8 general-purpose ones for each processor, which share "
        "cores");
    has(": MISMATCH\n");
    make(1);
    all[0].cpu.counters = 8;
    describe(1);
    has("# counters: 8 general-purpose ones for each processor, which has its "
        "core for itself");
    lacks("MISMATCH");
    all[0].cpu.counters = 0;
    describe(1);
    lacks("# counters: ");
    make(1);
    all[0].cpu.model = 0x8c; /* not in the paper */
    describe(1);
    lacks("# counters: ");
}

static void processors_that_differ(void **state)
{
    (void)state;
    make(1);
    describe(1);
    has("# processors: 1, jobs run one after another\n");
    make(3);
    describe(3);
    has("# processors: 3, jobs run one after another; a line that names no "
        "processor is of all\n");
    lacks("differ");
    make(3);
    all[2].cpu.microcode = 0xc7;
    describe(3);
    has("# processors 0-1: GenuineIntel 06_5EH stepping 3, microcode C6H");
    has("# processor 2: GenuineIntel 06_5EH stepping 3, microcode C7H");
    has("# the processors differ: see the lines");
    make(3);
    context_set_lost(&all[1], "never came up");
    describe(3);
    has("# processor 1: ERROR: processor 1 never came up\n");
    has("# the processors differ: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_what_it_was_made),
        cmocka_unit_test(identity_and_features),
        cmocka_unit_test(regime_with_its_evidence),
        cmocka_unit_test(which_processors_share_a_core),
        cmocka_unit_test(counters_of_a_core),
        cmocka_unit_test(processors_that_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
