/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_fixture.h - a case of Processor Trace over code that is executed and a
 * trace of it (traced_cpu.h): with each fault that has to be caught by it, and
 * without. */
#ifndef TESTS_HOST_CASES_PT_PT_FIXTURE_H
#define TESTS_HOST_CASES_PT_PT_FIXTURE_H

#ifndef PROCESSORS
#define PROCESSORS 1
#endif
#include "src/session/needs.h"
#include "tests/host/cases/case_fixture.h"
#include "tests/host/fakes/traced_cpu.h"

#include <stdio.h>

#define BUFFER_BYTES (TEST_BUFFER_BYTES + TEST_RECORDS_BYTES)
#define PAGE         4096

/* Registers that are the traced processor's: of counters, their selects and
 * controls, and of the trace. */
static const struct {
    uint32_t first, last;
} traced_msrs[] = {{0xc1, 0xc8},   {0x10f, 0x10f}, {0x186, 0x18d},
                   {0x198, 0x198}, {0x1d9, 0x1d9}, {0x309, 0x30c},
                   {0x329, 0x329}, {0x345, 0x345}, {0x38d, 0x390},
                   {0x3f1, 0x3f2}, {0x4c1, 0x4c8}, {0x560, 0x587},
                   {0x600, 0x600}};
#define TRACED_MSRS (sizeof(traced_msrs) / sizeof(traced_msrs[0]))

static bool is_traced_msr(uint32_t number)
{
    for (size_t i = 0; i < TRACED_MSRS; i++)
        if (number >= traced_msrs[i].first && number <= traced_msrs[i].last)
            return true;
    return false;
}

static void make_msrs(void)
{
    uint64_t value;

    for (size_t i = 0; i < TRACED_MSRS; i++)
        for (uint32_t n = traced_msrs[i].first; n <= traced_msrs[i].last; n++) {
            fake_msr_remove(n);
            if (traced_read(n, &value))
                *msr(n) = value;
        }
}

/* With a fault a body goes on to what shows it first. */
static jmp_buf shown;
static bool is_faulty;

/* Another one traces: TraceEn is found to be 1. */
static bool is_taken;
/* The first write of this register raises #GP; 0: none does. */
static uint32_t refused;
static unsigned refusals, trace_writes;

static int access_msr(uint32_t number, const uint64_t *written)
{
    uint64_t value = 0;

    if (is_faulty && t->verdict == VERDICT_FAIL && !traced_stepping())
        longjmp(shown, 1);
    if (!is_traced_msr(number))
        return HW_NO_FAULT;
    if (written != NULL) {
        trace_writes += number >= 0x560 && number <= 0x587;
        if (number == refused && refusals++ == 0)
            return HW_GP;
        if (!traced_write(number, *written))
            return HW_GP;
    }
    /* Who reads counters has branches. */
    if (number >= 0xc1 && number <= 0xc8)
        traced_branches(4);
    if (!traced_read(number, &value))
        return HW_GP;
    if (written == NULL)
        *msr(number) = value | (number == 0x570 && is_taken);
    return HW_NO_FAULT;
}

static unsigned pmis_before;

bool hw_pmi_begin(bool nmi)
{
    (void)nmi;
    pmis_before = traced_pmis();
    traced_pmi_rip = 0;
    traced_interrupts = true;
    fake_pmi = true;
    return true;
}

void hw_pmi_end(void)
{
    fake_pmi = false;
    traced_interrupts = false;
}

unsigned hw_pmi_count(void)
{
    return traced_pmis() - pmis_before;
}

unsigned hw_pmi_masked(void)
{
    return hw_pmi_count();
}

uint64_t hw_pmi_rip(void)
{
    return traced_pmi_rip;
}

static void same_cpuid(uint32_t leaf, uint32_t subleaf)
{
    uint32_t out[4];

    traced_cpuid(leaf, subleaf, out);
    fake_cpuid(leaf, subleaf, out[0], out[1], out[2], out[3]);
}

/* Lower half: pages of 1 GB, each at its own address, but where ring 3 may be.
 */
static void make_page_tables(uint64_t *root)
{
    uint64_t *pages = root + PAGE / sizeof(*root);

    for (unsigned n = 0; n < PAGE / sizeof(*root) / 2; n++)
        root[n] = n == TRACED_USER >> 39 ? 0 : (uint64_t)(uintptr_t)pages | 1;
    for (uint64_t n = 0; n < PAGE / sizeof(*root); n++)
        pages[n] = n << 30 | 0x83;
}

static void power_on(const struct test *test, const char *cpu,
                     const char *fault)
{
    static const uint32_t leaves[] = {0,    1,    4,    7,         10,
                                      0x14, 0x15, 0x16, 0x80000008};
    /* IA32_EFER, STAR, LSTAR, FMASK, FS_BASE, GS_BASE. */
    static const uint32_t of_rings[] = {0xc0000080, 0xc0000081, 0xc0000082,
                                        0xc0000084, 0xc0000100, 0xc0000101};

    fake_reset();
    fake_processors(PROCESSORS);
    traced_interrupts = false;
    fake_tsc = UINT64_C(5) << 32;
    fake_ms_step = 10;
    traced_start(cpu, fault);
    for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
        same_cpuid(leaves[i], 0);
    same_cpuid(0x14, 1);
    /* Not a hypervisor's guest. */
    fake_leaf(1, 0)->ecx &= ~(UINT32_C(1) << 31);
    make_msrs();
    for (size_t i = 0; i < sizeof(of_rings) / sizeof(of_rings[0]); i++)
        *msr(of_rings[i]) = 0;
    uint8_t *memory = traced_memory(BUFFER_BYTES + 2 * PAGE);
    traced_cr3 = (uint64_t)(uintptr_t)memory + BUFFER_BYTES;
    make_page_tables((uint64_t *)(uintptr_t)traced_cr3);
    fake_device = access_msr;
    case_start(test, 0);
    t->buffer = memory;
    traced_catch();
}

static enum verdict run_body(void)
{
    if (setjmp(shown) == 0)
        t->test->body(t);
    return case_close();
}

static void expect(const struct test *test, const char *cpu, const char *fault,
                   enum verdict wanted)
{
    /* What a body does not ask for itself. */
    const struct needs output = {.features = test->needs.features &
                                             (NEED_PT_TOPA | NEED_PT_RANGE |
                                              NEED_PT_EVENT | NEED_PT_DISTNT |
                                              NEED_PT_PTWRITE)};
    char text[NEEDS_TEXT_BYTES];

    is_faulty = wanted == VERDICT_FAIL;
    power_on(test, cpu, fault);
    const enum verdict found =
        needs_met(&output, &t->cpu, t->regime, PROCESSORS, text) ? run_body()
                                                                 : VERDICT_NONE;
    if (found != wanted)
        fail_msg("%s on %s, %s: verdict %d, wanted %d: %s", test->name, cpu,
                 fault, (int)found, (int)wanted, t->text);
}

/* A trace that is another one's is left alone, and a register that does not
 * take what the processor has it for is not passed over. Where jobs follow one
 * another, as those of a test of all processors here, none looks at what an
 * earlier one enabled. */
static inline void expect_access(const struct test *test, const char *cpu)
{
    static const uint32_t numbers[] = {0x560, 0x561, 0x570, 0x571,
                                       0x572, 0x580, 0x581};
    enum verdict found;

    is_faulty = false;
    power_on(test, cpu, "none");
    is_taken = true;
    trace_writes = 0;
    found = run_body();
    is_taken = false;
    if (found != VERDICT_SKIP || trace_writes != 0)
        fail_msg("%s on %s, TraceEn is 1 before it: verdict %d, %u writes: %s",
                 test->name, cpu, (int)found, trace_writes, t->text);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        power_on(test, cpu, "none");
        refused = numbers[i];
        refusals = 0;
        found = run_body();
        refused = 0;
        if (refusals != 0 && found != VERDICT_FAIL && found != VERDICT_ERROR &&
            (test->scope != WHOLE_MACHINE || numbers[i] != 0x570))
            fail_msg("%s on %s, a WRMSR of %XH raises #GP: verdict %d: %s",
                     test->name, cpu, numbers[i], (int)found, t->text);
    }
}

/* Each fault that a boot of this personality catches by this case. */
static inline unsigned expect_faults_on(const struct test *test,
                                        const char *unseen,
                                        const char *personality)
{
    const char *name, *caught;
    unsigned seen = 0;

    for (size_t n = 0; n < traced_faults(); n++)
        for (unsigned boot = 0; traced_fault(n, boot, &name, &caught); boot++) {
            char cpu[32], smt[8], of[48], verdict[16];
            unsigned processors;
            if (sscanf(caught, "%31s %7s %u %47s %15s", cpu, smt, &processors,
                       of, verdict) != 5 ||
                strcmp(of, test->name) != 0 || strcmp(verdict, "FAIL") != 0 ||
                strcmp(cpu, personality) != 0 || strstr(unseen, name) != NULL)
                continue;
            if (seen++ == 0)
                expect(test, cpu, "none", VERDICT_PASS);
            expect(test, cpu, name, VERDICT_FAIL);
        }
    return seen;
}

/* All of them, but `unseen`, which need more than is played here. One processor
 * after the other: what was stepped is kept for one (traced_replay.c). */
static inline unsigned expect_faults(const struct test *test,
                                     const char *unseen)
{
    static const char *const cpus[] = {
        "haswell",        "broadwell",      "cometlake-rtm-2022",
        "icelake-client", "skylake-2017",   "skylake-2018",
        "cometlake-2022", "icelake-server", "skylake-u-2018",
        "alderlake-n",    "sapphirerapids", "arrowlake"};
    unsigned seen = 0;

    for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
        seen += expect_faults_on(test, unseen, cpus[i]);
    return seen;
}

/* A program of these cases: ROW(name, verdict on Broadwell, on Ice Lake, faults
 * that are not seen). Each runs on each of these, and with each of its faults,
 * of which there are some. */
#define TRACED_CASES(ROWS)              \
    TRACED_GROUP(ROWS)                  \
    int main(void)                      \
    {                                   \
        return run_group(NULL) != NULL; \
    }
#define TRACED_GROUP(ROWS)                                              \
    ROWS(TRACED_CASE)                                                   \
    static void *run_group(void *failed)                                \
    {                                                                   \
        const struct CMUnitTest tests[] = {ROWS(TRACED_UNIT)};          \
        return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? failed  \
                                                              : &shown; \
    }
#define TRACED_UNIT(name, broadwell, icelake, unseen) cmocka_unit_test(name),
#define TRACED_CASE(name, broadwell, icelake, unseen)                      \
    extern const struct test test_##name;                                  \
    static void name(void **state)                                         \
    {                                                                      \
        (void)state;                                                       \
        expect(&test_##name, "broadwell", "none", VERDICT_##broadwell);    \
        expect(&test_##name, "icelake-server", "none", VERDICT_##icelake); \
        if (VERDICT_##icelake == VERDICT_PASS)                             \
            expect_access(&test_##name, "icelake-server");                 \
        assert_int_not_equal(expect_faults(&test_##name, unseen), 0);      \
    }

#endif
