/* SPDX-License-Identifier: BSD-2-Clause */
/* blocks_fixture.h - a stepped guest of an operating system, on page tables of
 * its own. */
#ifndef TESTS_HOST_HYPERVISOR_BLOCKS_FIXTURE_H
#define TESTS_HOST_HYPERVISOR_BLOCKS_FIXTURE_H

#include <string.h>

#include "tests/host/hypervisor/os_guest_fixture.h"

#define CYCLES   (OS | 0x3C)
#define TAKEN    (OS | 0x20C4) /* near, taken */
#define CR0_PG   (UINT64_C(1) << 31)
#define DR7_NONE UINT64_C(0x400)

/* SDM volume 3A, "Paging": present, writable, accessed, dirty. */
#define ALL UINT64_C(0x63)

static uint64_t tables[8][512] __attribute__((aligned(4096)));
static unsigned used;

/* Where it is in memory. */
static void map(const uint8_t *page)
{
    uint64_t *table = tables[0];

    for (unsigned level = 3; level > 0; level--) {
        uint64_t *entry = &table[(uint64_t)page >> (12 + 9 * level) & 511];

        if (*entry == 0) {
            assert_true(used < sizeof(tables) / sizeof(tables[0]));
            *entry = (uint64_t)tables[used++] | ALL;
        }
        table = (uint64_t *)(*entry & ~UINT64_C(0xFFF));
    }
    table[(uint64_t)page >> 12 & 511] = (uint64_t)page | ALL;
}

/* It counts branches and the event, from this value on. */
static struct vcpu *start(uint64_t event, uint64_t from)
{
    struct vcpu *v = start_os_guest();

    v->vmcb->dr7 = DR7_NONE;
    v->vmcb->dr6 = 0xFFFF0FF0;
    memset(tables, 0, sizeof(tables));
    used = 1;
    map(fake_cpu_page(0));
    map(fake_cpu_page(3)); /* its stack */
    v->vmcb->cr0 |= CR0_PG;
    v->vmcb->cr3 = (uint64_t)tables[0];
    for (unsigned n = 0; n < FAKE_CPU_PAGES; n++)
        assert_true(npt_fill(&v->pages_step, (uint64_t)fake_cpu_page(n)));
    fake_cpu.breakpoints[0] = 0x1234;
    start_counting(v, event, from);
    return v;
}

#endif
