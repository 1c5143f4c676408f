/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3.c - builds and loads what ring 3 needs. */
#include "src/counting/ring3.h"

#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/base/names.h"

#define GDT_BYTES     2048 /* firmware's at most, with those added */
#define ADDED         7    /* descriptors; the TSS's is two */
#define TSS           4    /* of them */
#define CODE_32       6
#define PAGE_BYTES    4096
#define STACK_BYTES   4096
#define TABLE_ENTRIES 512
#define DEPTH_MAX     4 /* tables below the root */
#define MORE_PAGES    (RING3_MORE_BYTES / PAGE_BYTES)
#define PAGES         (RING3_CODE_PAGES + 1 + MORE_PAGES)
_Static_assert(PAGES + RING3_SHOWN <= TABLE_ENTRIES, "one table");

#define ENTRY_PRESENT BIT(0)
#define ENTRY_WRITE   BIT(1)
#define ENTRY_USER    BIT(2)
#define ENTRY_ADDRESS BITS(51, 12)
/* Accessed and Dirty, bits 5 and 6: to set them a transaction may abort (SDM 1,
 * "Runtime Considerations"). */
#define ENTRY_FLAGS (ENTRY_PRESENT | ENTRY_WRITE | ENTRY_USER | BITS(6, 5))
#define CR4_LA57    BIT(12)
#define CR4_CET     BIT(23)
#define CR4_PKE     BIT(22)

#define DESCRIPTOR_PRESENT BIT(47)
#define DESCRIPTOR_SEGMENT BIT(44) /* not a system one */
#define DESCRIPTOR_CODE    BIT(43)
#define DESCRIPTOR_WRITE   BIT(41) /* of data; readable, of code */
#define DESCRIPTOR_LONG    BIT(53)
#define DESCRIPTOR_32      BIT(54)
#define DESCRIPTOR_4_GB    (BIT(55) | BITS(51, 48) | BITS(15, 0))
#define TYPE_TSS           UINT64_C(9)  /* available */
#define TYPE_TSS_BUSY      UINT64_C(11) /* in TR */
#define DESCRIPTOR_TYPE(d) ((d) >> 40 & 0x1f)

/* "64-Bit TSS Format". */
struct tss {
    uint32_t reserved;
    uint64_t rsp0;
    uint8_t rest[90];
    uint16_t io_map;
} __attribute__((packed));
_Static_assert(sizeof(struct tss) == 104, "the 64-bit TSS");

struct ring3_tables {
    uint64_t root[TABLE_ENTRIES];
    uint64_t below[DEPTH_MAX][TABLE_ENTRIES];
    /* For exceptions at ring 3; what is above, ring3_window.h knows. */
    uint8_t stack[STACK_BYTES];
    uint8_t data[PAGE_BYTES]; /* of window_ring3_body() */
    uint64_t gdt[GDT_BYTES / 8];
    struct tss tss;
    struct ring3 ring3;
};
_Static_assert(sizeof(struct ring3_tables) <= TEST_BUFFER_BYTES, "fits");

uint64_t ring3_descriptor(bool code, unsigned level)
{
    return DESCRIPTOR_PRESENT | DESCRIPTOR_SEGMENT | DESCRIPTOR_WRITE |
           (uint64_t)level << 45 |
           (code ? DESCRIPTOR_CODE | DESCRIPTOR_LONG : 0);
}

/* Of the TSS, the lower eight bytes; the upper are the address [63:32]. */
static uint64_t tss_descriptor(uint64_t address)
{
    return (sizeof(struct tss) - 1) | (address & BITS(23, 0)) << 16 |
           TYPE_TSS << 40 | DESCRIPTOR_PRESENT | (address >> 24 & 0xff) << 56;
}

unsigned ring3_map(uint64_t root[512], uint64_t tables[][512], unsigned depth,
                   const void *const pages[], unsigned count)
{
    unsigned entry = TABLE_ENTRIES / 2 - 1;

    while (entry != 0 && root[entry] != 0)
        entry--;
    if (entry == 0)
        return 0;
    uint64_t *at = &root[entry];
    for (unsigned i = 0; i < depth; i++) {
        memset(tables[i], 0, sizeof(tables[i]));
        *at = (uint64_t)(uintptr_t)tables[i] | ENTRY_FLAGS;
        at = &tables[i][0];
    }
    for (unsigned i = 0; i < count; i++)
        at[i] = (uint64_t)(uintptr_t)pages[i] | ENTRY_FLAGS;
    return entry;
}

/* Of what all read, for each processor another part while there are some: the
 * last ones. */
static const uint8_t *more_of(const struct test_context *t)
{
    const unsigned parts = TEST_SOURCE_BYTES / RING3_MORE_BYTES;
    const uint8_t *source = test_source(t);

    return source + (parts - 1 - test_processor(t) % parts) * RING3_MORE_BYTES;
}

/* Page tables: of the present ones, which map memory one to one. */
static bool prepare_paging(struct ring3_session *s)
{
    struct ring3_tables *tables = s->tables;
    const bool five = (s->firmware.cr4 & CR4_LA57) != 0;
    const void *root =
        (const void *)(uintptr_t)(s->firmware.cr3 & ENTRY_ADDRESS);

    memcpy(tables->root, root, sizeof(tables->root));
    const void *pages[PAGES] = {[RING3_CODE_PAGES] = tables->data};
    for (unsigned i = 0; i < RING3_CODE_PAGES; i++)
        pages[i] = ring3_code + i * PAGE_BYTES;
    for (unsigned i = 0; i < MORE_PAGES; i++)
        pages[RING3_CODE_PAGES + 1 + i] = more_of(s->t) + i * PAGE_BYTES;
    unsigned entry =
        ring3_map(tables->root, tables->below, five ? 4 : 3, pages, PAGES);
    if (entry == 0 || (s->firmware.cr4 & (CR4_CET | CR4_PKE)) != 0) {
        skip(s->t,
             "needs a free entry in the root table of paging, and neither CET "
             "nor protection keys: CR3 = 0x%lx, CR4 = 0x%lx",
             s->firmware.cr3, s->firmware.cr4);
        return false;
    }
    s->ours.cr3 =
        (uint64_t)(uintptr_t)tables->root | (s->firmware.cr3 & ~ENTRY_ADDRESS);
    tables->ring3.user_code = (uint64_t)entry << (five ? 48 : 39);
    tables->ring3.data = (uint64_t)(uintptr_t)tables->data;
    tables->ring3.user_data = tables->ring3.user_code + RING3_CODE_BYTES;
    return true;
}

/* The GDT: for SYSCALL code and data of ring 0, for SYSRET data and code of
 * ring 3 from 8 bytes after its base, then the TSS and code of 32 bits. */
static bool prepare_gdt(struct ring3_session *s, uint64_t *star)
{
    struct ring3_tables *tables = s->tables;
    const unsigned bytes = (s->firmware.gdt.limit + 1u + 7) & ~7u;
    const unsigned first = bytes / 8;

    if (bytes + 8 * ADDED > GDT_BYTES) {
        skip(s->t, "needs a GDT of at most %u bytes; firmware's has %u",
             GDT_BYTES - 8 * ADDED, bytes);
        return false;
    }
    memcpy(tables->gdt, (const void *)(uintptr_t)s->firmware.gdt.base,
           s->firmware.gdt.limit + 1u);
    tables->gdt[first] = ring3_descriptor(true, 0);
    tables->gdt[first + 1] = ring3_descriptor(false, 0);
    tables->gdt[first + 2] = ring3_descriptor(false, 3);
    tables->gdt[first + 3] = ring3_descriptor(true, 3);
    tables->gdt[first + TSS] = tss_descriptor((uintptr_t)&tables->tss);
    tables->gdt[first + TSS + 1] = (uint64_t)(uintptr_t)&tables->tss >> 32;
    tables->gdt[first + CODE_32] =
        (ring3_descriptor(true, 2) & ~DESCRIPTOR_LONG) | DESCRIPTOR_32 |
        DESCRIPTOR_4_GB;
    memset(&tables->tss, 0, sizeof(tables->tss));
    uint64_t *above = (uint64_t *)(uintptr_t)(tables->stack + STACK_BYTES) - 2;
    above[0] = (uintptr_t)&tables->ring3;
    tables->tss.rsp0 = (uintptr_t)above;
    tables->tss.io_map = sizeof(struct tss);

    s->ours.gdt.base = (uintptr_t)tables->gdt;
    s->ours.gdt.limit = (uint16_t)(bytes + 8 * ADDED - 1);
    s->ours.tr = (uint16_t)(bytes + 8 * TSS);
    tables->ring3.user_ss = bytes + 16 + 3;
    tables->ring3.user_cs = bytes + 24 + 3;
    *star = (uint64_t)bytes << 32 | (uint64_t)(bytes + 8 + 3) << 48;
    return true;
}

uint64_t ring3_show(struct ring3_session *s, uint64_t first, unsigned pages)
{
    const unsigned last = (s->firmware.cr4 & CR4_LA57) != 0 ? 3 : 2;
    uint64_t *at = &s->tables->below[last][PAGES];

    for (unsigned i = 0; i < pages && i < RING3_SHOWN; i++)
        at[i] = (first + i * PAGE_BYTES) | ENTRY_FLAGS;
    return s->ring3->user_code + PAGES * PAGE_BYTES;
}

bool ring3_executes(const struct ring3_session *s, uint64_t ip)
{
    return ip - s->ring3->user_code < RING3_CODE_BYTES;
}

bool ring3_prepare(struct ring3_session *s, struct test_context *t)
{
    uint64_t star, base;

    *s = (struct ring3_session){.t = t, .tables = test_buffer(t)};
    s->ring3 = &s->tables->ring3;
    ring3_read(&s->firmware);
    s->ours = s->firmware;
    s->ring3->cs = s->firmware.cs;
    s->ring3->ss = s->firmware.ss;
    s->ring3->msr = IA32_PERF_GLOBAL_CTRL;
    s->ring3->components = 0;
    if (!prepare_paging(s) || !prepare_gdt(s, &star))
        return false;
    /* IRET to ring 3 empties FS and GS: their bases are saved. */
    if (!get_msr(t, IA32_FS_BASE, &base) || !set_msr(t, IA32_FS_BASE, base) ||
        !get_msr(t, IA32_GS_BASE, &base) || !set_msr(t, IA32_GS_BASE, base) ||
        !get_msr(t, IA32_EFER, &s->found[0]) ||
        !get_msr(t, IA32_STAR, &s->found[1]) ||
        !get_msr(t, IA32_LSTAR, &s->found[2]) ||
        !get_msr(t, IA32_FMASK, &s->found[3]) ||
        !set_msr(t, IA32_EFER, s->found[0] | IA32_EFER_SCE) ||
        !set_msr(t, IA32_STAR, star) ||
        !set_msr(t, IA32_LSTAR, (uintptr_t)ring3_system_call) ||
        !set_msr(t, IA32_FMASK, IA32_FMASK_ALL))
        return false;
    if (s->firmware.tr == 0) /* else firmware's comes back, or it is ours */
        note(t, "TR holds a TSS of the tests' from now on");
    return true;
}

void ring3_finish(const struct ring3_session *s)
{
    set_msr(s->t, IA32_FMASK, s->found[3]);
    set_msr(s->t, IA32_LSTAR, s->found[2]);
    set_msr(s->t, IA32_STAR, s->found[1]);
    set_msr(s->t, IA32_EFER, s->found[0]);
}

void ring3_be_ring(struct ring3_session *s, unsigned ring)
{
    struct ring3 *ring3 = s->ring3;

    ring3->user_cs = (ring3->user_cs & ~UINT64_C(3)) | ring;
    ring3->user_ss = (ring3->user_ss & ~UINT64_C(3)) | ring;
    s->tables->gdt[ring3->user_cs / 8] = ring3_descriptor(true, ring);
    s->tables->gdt[ring3->user_ss / 8] = ring3_descriptor(false, ring);
    ring3->user_code = (uintptr_t)ring3_code;
    ring3->user_data = ring3->data;
}

uint64_t ring3_code_32(const struct ring3_session *s)
{
    return s->ours.tr + 8u * (CODE_32 - TSS) + 2;
}

void ring3_begin(const struct ring3_session *s)
{
    /* Not busy: it may have been loaded before. */
    uint64_t *descriptor = &s->tables->gdt[s->ours.tr / 8];

    *descriptor = tss_descriptor((uintptr_t)&s->tables->tss);
    ring3_load(&s->ours);
}

void ring3_end(const struct ring3_session *s)
{
    struct ring3_registers back = s->firmware;
    uint64_t *gdt = (uint64_t *)(uintptr_t)back.gdt.base;

    /* Firmware's own TSS, if it has one, and not one that was left here. */
    if (back.tr == 0 || back.tr + 7u > back.gdt.limit ||
        DESCRIPTOR_TYPE(gdt[back.tr / 8]) != TYPE_TSS_BUSY)
        back.tr = 0;
    else
        gdt[back.tr / 8] &= ~BIT(41);
    ring3_load(&back);
}

bool ring3_count(const struct ring3_session *s, const struct bank *before,
                 window_function *window, struct bank *after)
{
    const uint64_t inner = s->ring3->level;

    ring3_begin(s);
    const bool ok = bank_window(s->t, before, window, after);
    ring3_end(s);
    if (ok && s->ring3->vector != HW_NO_FAULT)
        broken(s->t, "%s at ring %u", fault_name((int)s->ring3->vector),
               inner != 0 ? (unsigned)inner : 3);
    return ok && s->ring3->vector == HW_NO_FAULT;
}
