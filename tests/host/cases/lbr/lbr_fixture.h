/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr_fixture.h - a case over a stack of last branch records. */
#ifndef TESTS_HOST_CASES_LBR_LBR_FIXTURE_H
#define TESTS_HOST_CASES_LBR_LBR_FIXTURE_H

#include "src/harness/context.h"
#include "src/lbr/branches.h"
#include "tests/host/fakes/fake_body.h"
#include "tests/host/fakes/fake_hw.h"
#include "tests/host/fakes/lbr_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PROCESSORS 2
static struct test_context all[PROCESSORS];
static struct hw_result results[PROCESSORS];
static _Alignas(4096) uint8_t memory[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];

/* All hold something. */
static void make_msrs(void)
{
    static const uint32_t others[] = {IA32_RTIT_CTL,
                                      IA32_RTIT_STATUS,
                                      IA32_RTIT_OUTPUT_BASE,
                                      IA32_RTIT_OUTPUT_MASK_PTRS,
                                      IA32_FS_BASE,
                                      IA32_GS_BASE,
                                      IA32_EFER,
                                      IA32_STAR,
                                      IA32_LSTAR,
                                      IA32_FMASK};
    const bool arch = lbr_device.format == ARCH;

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        fake_msr(others[i]);
    fake_msr(IA32_DEBUGCTL)->value =
        IA32_DEBUGCTL_FREEZE_WHILE_SMM_EN | IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI;
    fake_msr(arch ? IA32_LBR_CTL : MSR_LBR_SELECT)->value = 4;
    fake_msr(arch ? IA32_LBR_DEPTH : MSR_LASTBRANCH_TOS)->value =
        arch ? lbr_device.depth : 5;
    for (unsigned n = 0; n < lbr_device.depth; n++)
        for (unsigned i = 0; i < 3; i++)
            if (lbr_entry_of(i, n) != NULL)
                *lbr_entry_of(i, n) = 0x1000 * (n + 1) + i;
    fake_msr(IA32_DEBUGCTL)->value |=
        lbr_device.used == BY_LBR  ? IA32_DEBUGCTL_LBR
        : lbr_device.used == BY_TR ? IA32_DEBUGCTL_TR
                                   : 0;
    fake_msr(IA32_RTIT_CTL)->value = lbr_device.used == BY_TRACE;
    if (lbr_device.used == BY_CTL)
        fake_msr(IA32_LBR_CTL)->value |= IA32_LBR_CTL_LBREn;
    if (lbr_device.used == BY_DEPTH)
        fake_msr(IA32_LBR_DEPTH)->value = 8;
    if (lbr_is(MSR_LOSES))
        fake_msr(lbr_device.number)->writable =
            lbr_device.number == MSR_LBR_SELECT ||
                    lbr_device.number == IA32_LBR_CTL
                ? ~BIT(3)
                : ~BIT(0);
}

static void begin(const struct test *test)
{
    fake_reset();
    fake_processors(PROCESSORS);
    memset(all, 0, sizeof(all));
    lbr_device.windows = 0;
    fake_device = lbr_access;
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        make_msrs();
        identity_read(&all[p].cpu);
        all[p].cpu.model = (uint16_t)lbr_device.model;
        all[p].cpu.rtm = all[p].cpu.hle = lbr_device.format != 3;
        all[p].cpu.tsx_force_abort = false;
        all[p].cpu.pdcm = true;
        all[p].cpu.pt = lbr_device.traces;
        all[p].cpu.leaf14_ecx = 1;
        if (lbr_device.version != 0)
            all[p].cpu.perfmon_version = (uint8_t)lbr_device.version;
        all[p].cpu.perf_capabilities = lbr_device.format;
        all[p].cpu.arch_lbr = lbr_device.format == ARCH;
        all[p].cpu.leaf1c_eax = 0x0b; /* 8, 16 and 32 */
        all[p].cpu.leaf1c_ebx = all[p].cpu.leaf1c_ecx = 7;
        all[p].processor = p;
        all[p].all = all;
        all[p].results = results;
        all[p].processors = PROCESSORS;
        all[p].buffer = memory;
        context_begin(&all[p], test, 1);
        context_fill(&all[p]);
    }
    fake_current = 0;
}

/* What a processor's registers hold. */
static uint64_t held(unsigned p)
{
    const bool arch = lbr_device.format == ARCH;
    uint64_t sum;

    fake_current = p;
    sum = fake_msr(IA32_DEBUGCTL)->value << 32 ^
          fake_msr(arch ? IA32_LBR_CTL : MSR_LBR_SELECT)->value << 16 ^
          fake_msr(arch ? IA32_LBR_DEPTH : MSR_LASTBRANCH_TOS)->value;
    for (unsigned n = 0; n < lbr_device.depth; n++)
        for (unsigned i = 0; i < 3; i++)
            if (lbr_entry_of(i, n) != NULL)
                sum = 31 * sum + *lbr_entry_of(i, n);
    fake_current = 0;
    return sum;
}

/* The worst of the two. */
static enum verdict verdict_of(const struct test *test)
{
    enum verdict worst = VERDICT_PASS;

    begin(test);
    const uint64_t before[PROCESSORS] = {held(0), held(1)};
    fake_body(&all[0]);
    for (unsigned p = 0; p < PROCESSORS && lbr_is(RIGHT); p++) {
        fake_current = p;
        restore_msrs(&all[p]);
        fake_current = 0;
        assert_int_equal(held(p), before[p]);
    }
    fake_device = NULL;
    for (unsigned p = 0; p < PROCESSORS; p++) {
        all[p].end = HW_DONE;
        if (p != 0 && all[p].checks == 0)
            continue;
        context_close(&all[p]);
        if (all[p].verdict != VERDICT_PASS)
            worst = all[p].verdict;
    }
    return worst;
}

static void generation(unsigned format)
{
    lbr_device.format = format;
    lbr_device.model = format == 3   ? 0x2a
                       : format == 4 ? 0x3c
                       : format == 5 ? 0x5e
                                     : 0x8f;
    lbr_device.depth = format >= 5 ? 32 : 16;
    lbr_device.is = RIGHT;
}

static inline void passes(const struct test *test, unsigned format)
{
    generation(format);
    enum verdict verdict = verdict_of(test);
    if (verdict != VERDICT_PASS)
        fail_msg("%s, format %u: %d: %s%s", test->name, format, verdict,
                 all[0].text, all[1].text);
}

static inline void seen(const struct test *test, unsigned format, enum wrong is,
                        unsigned number)
{
    generation(format);
    lbr_device.is = is;
    lbr_device.number = number;
    enum verdict verdict = verdict_of(test);
    if (verdict != VERDICT_FAIL)
        fail_msg("%s, format %u: wrong %d, %x: %d", test->name, format, is,
                 number, verdict);
}

#endif
