/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_hw.c - the machine in tables. */
#include "tests/host/fakes/fake_hw.h"

#include "tests/host/fakes/fake_body.h"

#include "src/session/session.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define LEAVES 40
#define MSRS   192

struct leaf {
    uint32_t leaf, subleaf;
    struct hw_cpuid out;
};

static struct processor {
    struct leaf leaves[LEAVES];
    unsigned leaves_count;
    struct fake_msr msrs[MSRS];
    unsigned msrs_count;
    bool lost;
} machine[FAKE_PROCESSORS];

static unsigned count = 1;
unsigned fake_current;
uint32_t fake_written[1024];
unsigned fake_written_count;
unsigned fake_fault_at;
uint64_t fake_ms, fake_ms_step;
unsigned fake_nmis, fake_machine_checks;
uint32_t fake_explosive;
uint32_t fake_lvt;
uint64_t fake_physical;
unsigned fake_pat;
bool fake_mapped;
int (*fake_device)(uint32_t msr, const uint64_t *written);
bool fake_absent[FAKE_PROCESSORS];
bool fake_pmi;
void (*fake_beside)(void);
uint64_t fake_tsc;

static jmp_buf *way_out;
static struct hw_result *ending;

/* --- Tables -------------------------------------------------------------- */

struct hw_cpuid *fake_leaf(uint32_t leaf, uint32_t subleaf)
{
    struct processor *p = &machine[fake_current];

    for (unsigned i = 0; i < p->leaves_count; i++)
        if (p->leaves[i].leaf == leaf && p->leaves[i].subleaf == subleaf)
            return &p->leaves[i].out;
    if (p->leaves_count == LEAVES)
        abort();
    p->leaves[p->leaves_count] = (struct leaf){leaf, subleaf, {0, 0, 0, 0}};
    return &p->leaves[p->leaves_count++].out;
}

void fake_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx,
                uint32_t ecx, uint32_t edx)
{
    *fake_leaf(leaf, subleaf) = (struct hw_cpuid){eax, ebx, ecx, edx};
}

static struct fake_msr *find(uint32_t msr)
{
    struct processor *p = &machine[fake_current];

    for (unsigned i = 0; i < p->msrs_count; i++)
        if (p->msrs[i].msr == msr)
            return &p->msrs[i];
    return NULL;
}

uint64_t fake_value(uint32_t msr)
{
    const struct fake_msr *m = find(msr);

    return m != NULL ? m->value : 0;
}

struct fake_msr *fake_msr(uint32_t msr)
{
    struct processor *p = &machine[fake_current];
    struct fake_msr *m = find(msr);

    if (m != NULL)
        return m;
    if (p->msrs_count == MSRS)
        abort();
    m = &p->msrs[p->msrs_count++];
    *m = (struct fake_msr){.msr = msr,
                           .writable = UINT64_MAX,
                           .read_vector = HW_NO_FAULT,
                           .write_vector = HW_NO_FAULT};
    return m;
}

void fake_msr_remove(uint32_t msr)
{
    struct fake_msr *m = find(msr);

    if (m != NULL)
        *m = machine[fake_current].msrs[--machine[fake_current].msrs_count];
}

static void text_leaf(uint32_t leaf, const char text[16])
{
    memcpy(fake_leaf(leaf, 0), text, 16);
}

void fake_reset(void)
{
    static const uint32_t plain[] = {
        0x8b,  0x10f, 0x186, 0x187, 0x188, 0x189, 0xc1,  0xc2,  0xc3,
        0xc4,  0x309, 0x30a, 0x30b, 0x345, 0x38d, 0x38e, 0x38f, 0x390,
        0x391, 0x392, 0x4c1, 0x4c2, 0x4c3, 0x4c4, 0x1d9};

    fake_copy_ends();
    memset(machine, 0, sizeof(machine));
    memset(fake_absent, 0, sizeof(fake_absent));
    count = 1;
    fake_current = fake_written_count = fake_fault_at = 0;
    fake_explosive = 0;
    fake_device = NULL;
    fake_beside = NULL;
    fake_ms = fake_ms_step = 0;
    fake_nmis = fake_machine_checks = 0;
    fake_pmi = false;
    fake_lvt = 0x10000;
    fake_physical = 0x40000000;
    fake_pat = 0;
    fake_mapped = true;
    fake_report_reset();
    fake_cpuid(0, 0, 0x16, 0x756e6547, 0x6c65746e, 0x49656e69);
    fake_cpuid(1, 0, 0x000506e3, 0x00100800, 1u << 15, 1u << 21);
    fake_cpuid(7, 0, 0, 1u << 11 | 1u << 4, 0, 1u << 13);
    fake_cpuid(0xa, 0, 0x07300404, 0, 0, 0x603);
    fake_cpuid(0xa, 1, 0x07300404, 0, 0, 0x603); /* no sub-leaves */
    fake_cpuid(0xb, 0, 1, 2, 0x100, 0);
    fake_cpuid(0xb, 1, 4, 8, 0x201, 0);
    fake_cpuid(0x80000000, 0, 0x80000008, 0, 0, 0);
    text_leaf(0x80000002, "   Fake(R) CPU @");
    text_leaf(0x80000003, " 3.40GHz\0\0\0\0\0\0\0");
    text_leaf(0x80000004, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    for (unsigned i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
        fake_msr(plain[i]);
    fake_msr(0x8b)->value = 0xc6ull << 32;
    fake_msr(0x8b)->writable = 0;
    fake_msr(0x345)->value = 0x2300; /* format 3, full-width writes */
}

void fake_processors(unsigned processors)
{
    count = processors;
    for (unsigned p = 1; p < processors; p++) {
        machine[p] = machine[0];
        fake_current = p;
        fake_leaf(0xb, 0)->edx = fake_leaf(0xb, 1)->edx = p;
    }
    fake_current = 0;
}

/* --- src/base/hw.h ------------------------------------------------------- */

/* Weak, so that a test can bring its own. */
__attribute__((weak)) void hw_cpuid(uint32_t leaf, uint32_t subleaf,
                                    struct hw_cpuid *out)
{
    *out = *fake_leaf(leaf, subleaf);
}

uint64_t hw_tsc(void)
{
    if (fake_beside != NULL && fake_current == 0)
        fake_beside();
    return fake_tsc += 100;
}

static bool swept(void)
{
    return fake_fault_at != 0 && --fake_fault_at == 0;
}

int hw_msr_read(uint32_t msr, uint64_t *value)
{
    struct fake_msr *m = find(msr);

    if (msr == fake_explosive && msr != 0 && fake_current == 1)
        fake_raise(18, 0x1234);
    if (m == NULL || swept())
        return HW_GP;
    m->reads++;
    if (fake_device != NULL && fake_device(msr, NULL) != HW_NO_FAULT)
        return HW_GP;
    if (m->read_vector == HW_NO_FAULT)
        *value = m->value;
    return m->read_vector;
}

int hw_pmc_read(uint32_t index, uint64_t *value)
{
    return hw_msr_read(index >> 30 != 0 ? 0x309 + (index & 7) : 0xc1 + index,
                       value);
}

static uint64_t cr4;

uint64_t hw_cr4(void)
{
    return cr4;
}

void hw_set_cr4(uint64_t value)
{
    cr4 = value;
}

/* No local APIC. Weak, so that a test can bring its own. */
__attribute__((weak)) bool hw_pmi_begin(bool nmi)
{
    (void)nmi;
    return false;
}

__attribute__((weak)) void hw_pmi_mask(void)
{
}

__attribute__((weak)) void hw_pmi_hold(void)
{
}

__attribute__((weak)) void hw_pmi_outrank(void)
{
}

__attribute__((weak)) void hw_pmi_halt(void)
{
}

__attribute__((weak)) void hw_pmi_send(unsigned processor)
{
    (void)processor;
}

__attribute__((weak)) unsigned hw_pmi_count(void)
{
    return 0;
}

__attribute__((weak)) unsigned hw_pmi_masked(void)
{
    return 0;
}

__attribute__((weak)) unsigned hw_pmi_vector(void)
{
    return 0xfd;
}

__attribute__((weak)) uint64_t hw_pmi_rip(void)
{
    return 0;
}

__attribute__((weak)) void hw_pmi_end(void)
{
}

int hw_msr_write(uint32_t msr, uint64_t value)
{
    struct fake_msr *m = find(msr);

    if (m == NULL || swept() || fake_refuses(msr))
        return HW_GP;
    m->writes++;
    if (fake_device != NULL && fake_device(msr, &value) != HW_NO_FAULT)
        return HW_GP;
    if (m->write_vector != HW_NO_FAULT)
        return m->write_vector;
    if (fake_written_count < 1024)
        fake_written[fake_written_count++] = msr;
    m->value = (m->value & ~m->writable) | (value & m->writable);
    return HW_NO_FAULT;
}

bool hw_found_lvt(unsigned processor, uint32_t *entry)
{
    *entry = fake_lvt;
    return fake_lvt != 0 && processor < count;
}

/* Weak, so that a test can bring its own. */
__attribute__((weak)) bool hw_physical(const void *at, uint64_t *physical,
                                       unsigned *pat)
{
    (void)at;
    *physical = fake_physical;
    *pat = fake_pat;
    fake_physical += 4096;
    return fake_mapped;
}

unsigned hw_nmis(void)
{
    return fake_nmis;
}

unsigned hw_machine_checks(void)
{
    return fake_machine_checks;
}

uint64_t hw_ms(void)
{
    return fake_ms += fake_ms_step;
}

unsigned hw_processors(void)
{
    return count;
}

bool hw_x2apic(void)
{
    return false;
}

bool hw_run_is_parallel(void)
{
    return fake_beside != NULL;
}

void fake_raise(uint64_t vector, uint64_t rip)
{
    ending->end = HW_EXCEPTION;
    ending->exception.vector = vector;
    ending->exception.rip = rip;
    longjmp(*way_out, 1);
}

void fake_hang(void)
{
    ending->end = HW_TIMEOUT;
    machine[fake_current].lost = true;
    longjmp(*way_out, 1);
}

static void run_one(unsigned p, void (*job)(unsigned, void *), void *context,
                    struct hw_result *result)
{
    jmp_buf here, *outer = way_out;
    struct hw_result *outer_ending = ending;
    unsigned caller = fake_current;

    memset(result, 0, sizeof(*result));
    result->end = HW_DONE;
    way_out = &here;
    ending = result;
    fake_current = p;
    if (setjmp(here) == 0)
        job(p, context);
    way_out = outer;
    ending = outer_ending;
    fake_current = caller;
}

void hw_run(const bool set[], void (*job)(unsigned processor, void *context),
            void *context, unsigned timeout_ms, struct hw_result results[])
{
    (void)timeout_ms;
    for (unsigned p = 0; p < count; p++) {
        if (!set[p])
            results[p].end = HW_NOT_SELECTED;
        else if (machine[p].lost || fake_absent[p])
            results[p].end = HW_LOST;
        else
            run_one(p, job, context, &results[p]);
    }
}
