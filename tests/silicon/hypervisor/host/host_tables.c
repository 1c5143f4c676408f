/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * host_tables.c - what the host runs on when an operating system has taken the
 * firmware's memory: page tables, descriptor tables and handlers of its own. Up
 * to then it shares the firmware's with the guest.
 *
 * AMD64 APM volume 2, "Page Translation and Protection", long mode; the tables
 * are those of nested paging.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#define HOST_VECTORS    32
#define HOST_STUB_BYTES 16 /* host_tables.asm */
#define GDT_BYTES_MAX   512
#define TABLES_PAGES    72 /* root, one of 512 GiB, and up to 70 GiB */
#define LARGE_BYTES     UINT64_C(0x200000)
/* PSE, PGE, SMEP, SMAP. */
#define CR4_OF_PAGES                                           \
    (UINT64_C(1) << 4 | UINT64_C(1) << 7 | UINT64_C(1) << 20 | \
     UINT64_C(1) << 21)
#define FOUR_GIB (UINT64_C(1) << 32)

extern const char host_stubs[];

struct host_frame {
    uint64_t vector, error, rip;
};
void host_exception(const struct host_frame *frame) __attribute__((noreturn));

static struct npt pages;
static struct gate gates[HOST_VECTORS];
static uint8_t gdt[GDT_BYTES_MAX];
static struct table_register gdtr;

void host_exception(const struct host_frame *frame)
{
    log_panic(vcpu_current(), "an exception of silicon itself", frame->vector,
              frame->rip);
}

bool host_tables_prepare(void *(*allocate)(size_t count))
{
    uint64_t end = FOUR_GIB;
    bool good = true;

    npt_start(&pages, allocate(TABLES_PAGES), TABLES_PAGES,
              NPT_PRESENT | NPT_WRITE);
    for (unsigned n = 0; n < hypervisor.ram_ranges; n++)
        if (hypervisor.ram[n].end > end)
            end = hypervisor.ram[n].end;
    for (uint64_t at = 0; good && at < end; at += LARGE_BYTES)
        good = npt_fill(&pages, at);
    return good;
}

/* Selectors stay what they are: the firmware's segments, in a table of ours. */
static void copy_gdt(void)
{
    struct table_register theirs;

    __asm__ volatile("sgdt %0" : "=m"(theirs));
    gdtr.limit =
        theirs.limit < GDT_BYTES_MAX ? theirs.limit : GDT_BYTES_MAX - 1;
    gdtr.base = (uint64_t)gdt;
    __builtin_memcpy(gdt, (const void *)theirs.base, (size_t)gdtr.limit + 1);
    for (unsigned n = 0; n < HOST_VECTORS; n++)
        gate_set(&gates[n], host_stubs + n * HOST_STUB_BYTES);
}

void host_tables_load(struct vcpu *v)
{
    struct table_register idtr = {sizeof(gates) - 1, (uint64_t)gates};

    if (gdtr.base == 0)
        copy_gdt();
    __asm__ volatile("lgdt %0" : : "m"(gdtr));
    __asm__ volatile("lidt %0" : : "m"(idtr));
    write_cr3((uint64_t)pages.root);
    direct_never(v);
}

/* Where VMRUN or its exit changes one of these bits, QEMU forgets what it
 * remembers of memory once more. No page of the host's is a user's. */
void host_tables_follow(const struct vcpu *v)
{
    const uint64_t cr4 = read_cr4(),
                   differ = (cr4 ^ v->vmcb->cr4) & CR4_OF_PAGES;

    if (differ != 0)
        write_cr4(cr4 ^ differ);
}
