/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hypervisor_direct_apart.c - steps without VMRUN in ring 3, and by page tables
 * that are not the host's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/host/fakes/fake_cpu.h"
#include "tests/silicon/model/counters/pmu_msr.h"

#define CS_L     UINT16_C(0x200)
#define CR0_PG   (UINT64_C(1) << 31)
#define CODE_AT  UINT64_C(0x80000000) /* linear */
#define DATA_AT  UINT64_C(0x80001000)
#define ALIAS_AT (UINT64_C(5) << 39)
#define TABLES   12

/* SDM volume 3A, "Page-Directory Entry", "Page-Table Entry": present, writable,
 * user, accessed, dirty. */
#define P   UINT64_C(1)
#define W   UINT64_C(2)
#define U   UINT64_C(4)
#define A   UINT64_C(0x20)
#define D   UINT64_C(0x40)
#define NX  (UINT64_C(1) << 63)
#define ALL (P | W | U | A | D)

static uint64_t tables[TABLES][512] __attribute__((aligned(4096)));
static unsigned used;

/* Of 4 levels; all that leads to the page has `above`. */
static void map(uint64_t root, uint64_t linear, uint64_t to, uint64_t flags,
                uint64_t above)
{
    uint64_t *table = (uint64_t *)root;

    for (unsigned level = 3; level > 0; level--) {
        uint64_t *entry = &table[linear >> (12 + 9 * level) & 511];

        if (*entry == 0) {
            assert_true(used < TABLES);
            *entry = (uint64_t)tables[used++];
        }
        *entry = (*entry & ~ALL) | above;
        table = (uint64_t *)(*entry & ~UINT64_C(0xFFF));
    }
    table[linear >> 12 & 511] = to | flags;
}

struct row {
    unsigned cpl;
    bool own;            /* tables */
    uint64_t code, data; /* of its entry */
    uint64_t above;
    unsigned page; /* where its tables have the data */
    bool stores, direct;
};

static const struct row rows[] = {
    {0, false, P | A, P | A, P | W | A, 8, false, true},
    {3, false, P | U | A, P | U | A, P | U | A, 8, false, true},
    {3, false, P | A, P | U | A, P | U | A, 8, false, false},
    {3, false, P | U | A, P | A, P | U | A, 8, false, false},
    {3, false, P | U | A, P | U | A, P | A, 8, false, false},
    {3, false, P | U | A, ALL, P | W | U | A, 8, true, true},
    {3, false, P | U | A, ALL & ~W, P | W | U | A, 8, true, false},
    {3, false, P | U | A, ALL & ~D, P | W | U | A, 8, true, false},
    {3, false, P | U | A, ALL & ~D, P | W | U | A, 8, false, true},
    {3, false, P | U | A, ALL & ~A, P | W | U | A, 8, false, false},
    {3, false, P | U | A, ALL, P | W | U, 8, false, false},
    {3, false, P | U | A | NX, ALL, P | W | U | A, 8, false, false},
    {3, false, P | U | A, ALL | NX, P | W | U | A, 8, false, true},
    {0, true, P | A, P | A, P | A, 8, false, true},
    {0, true, P | A, P | A, P | A, 9, false, false},
    {0, true, P | A, P | A | W | D, P | W | A, 8, true, true},
    {0, true, P | A, P | A | D, P | W | A, 8, true, false},
    {3, true, ALL, ALL, ALL, 8, true, true},
    {3, true, ALL, ALL, ALL, 9, true, false},
};

static struct vcpu *start(const struct row *r)
{
    uint64_t root, code = (uint64_t)fake_cpu_page(0);
    uint64_t data = (uint64_t)fake_cpu_page(r->page);
    struct vcpu *v;

    fake_cpu_start("skylake-2018", "none");
    v = fake_cpu_vcpu(0);
    memset(tables, 0, sizeof(tables));
    root = (uint64_t)tables[0];
    used = 2;
    v->vmcb->rflags &= ~(uint64_t)RFLAGS_IF;
    v->vmcb->cs.attributes = CS_L;
    v->vmcb->cr0 |= CR0_PG;
    v->vmcb->cr3 = root;
    v->model->pmu.fixed_ctrl = 3;
    v->model->pmu.global_ctrl = UINT64_C(1) << 32;
    pmu_update(v->model);
    for (unsigned n = 0; n < FAKE_CPU_PAGES; n++)
        assert_true(npt_fill(&v->pages_step, (uint64_t)fake_cpu_page(n)));
    direct_start(v);
    if (r->own) {
        map(root, CODE_AT, code, ALL, ALL);
        map(root, DATA_AT, (uint64_t)fake_cpu_page(8), ALL, ALL);
        root = v->vmcb->cr3 = (uint64_t)tables[1];
    }
    map(root, CODE_AT, code, r->code, r->above);
    map(root, DATA_AT, data, r->data, r->above);
    v->vmcb->cpl = (uint8_t)r->cpl;
    v->vmcb->rip = CODE_AT;
    v->gprs.rdi = DATA_AT;
    step_end(v);
    return v;
}

/* What its own tables forbid or would be written by, and what they have
 * elsewhere, is VMRUN's. */
static void reaches_what_the_host_does(void **state)
{
    static const uint8_t load[] = {LOAD_, NOP_}, store[] = {STORE_, NOP_};

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct vcpu *v = start(&rows[n]);

        memcpy(fake_cpu_page(0), rows[n].stores ? store : load, sizeof(load));
        assert_int_equal(step_begin(v).kind, ACTION_EXECUTE);
        assert_true(v->direct.may);
        v->vmcb->rflags |= RFLAGS_TF;
        fake_cpu.direct_faults = true; /* it is not executed */
        direct_step(v);
        if (fake_cpu.directs != rows[n].direct)
            fail_msg("row %zu", n);
    }
}

/* Where the firmware's tables have nothing, those of the host get what the
 * guest's have; elsewhere they stay. */
static void takes_what_the_host_lacks(void **state)
{
    const struct row row = {3, true, ALL, ALL, ALL, 8, false, true};
    static uint64_t root[512] __attribute__((aligned(4096)));
    enum { ALIKE, NOT_THERE, FIRMWARE_HAS, WAYS };

    (void)state;
    for (unsigned way = 0; way < WAYS; way++) {
        struct vcpu *v = start(&row);
        uint64_t *firmware = tables[0], *guest = tables[1];

        direct_end(v);
        v->vmcb->cr3 = (uint64_t)firmware;
        v->direct.root = root;
        direct_start(v);
        assert_true(fake_cpu.cr3 == (uint64_t)root);
        v->vmcb->cr3 = (uint64_t)guest;
        fake_cpu_page(0)[0] = NOP_;
        if (way != NOT_THERE)
            map((uint64_t)guest, ALIAS_AT, (uint64_t)fake_cpu_page(0), ALL,
                ALL);
        if (way == FIRMWARE_HAS)
            firmware[ALIAS_AT >> 39] = firmware[0];
        v->vmcb->rip = way == NOT_THERE ? CODE_AT : ALIAS_AT;
        assert_int_equal(step_begin(v).kind, ACTION_EXECUTE);
        assert_true(v->direct.may);
        v->vmcb->rip = ALIAS_AT;
        v->vmcb->rflags |= RFLAGS_TF;
        fake_cpu.cr3 = 0;
        fake_cpu.direct_faults = true;
        direct_step(v);
        assert_int_equal(fake_cpu.directs, way == ALIKE);
        assert_true(fake_cpu.cr3 == (way == ALIKE ? (uint64_t)root : 0));
        assert_true(root[ALIAS_AT >> 39] ==
                    (way == ALIKE ? guest[ALIAS_AT >> 39] : 0));
        direct_end(v);
        assert_true(fake_cpu.cr3 == (uint64_t)firmware);
    }
}

/* SDM volume 3A, "Control Registers", "System Flags and Fields in the EFLAGS
 * Register": what ring 3 is refused, or checked for. */
static void privilege_makes_no_difference(void **state)
{
    static const struct {
        uint64_t cr4, rflags;
    } heeded[] = {{1u << 2, 0},  {1u << 12, 0}, {1u << 20, 0}, {1u << 21, 0},
                  {1u << 22, 0}, {1u << 23, 0}, {0, 1u << 18}};
    const struct row row = {3, true, ALL, ALL, ALL, 8, false, true};

    (void)state;
    for (size_t n = 0; n < sizeof(heeded) / sizeof(heeded[0]); n++) {
        struct vcpu *v = start(&row);

        fake_cpu_page(0)[0] = NOP_;
        v->vmcb->cr4 |= heeded[n].cr4;
        v->direct.cr4 |= heeded[n].cr4;
        v->vmcb->rflags |= heeded[n].rflags;
        assert_int_equal(step_begin(v).kind, ACTION_EXECUTE);
        if (v->direct.may)
            fail_msg("row %zu", n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaches_what_the_host_does),
        cmocka_unit_test(takes_what_the_host_lacks),
        cmocka_unit_test(privilege_makes_no_difference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
