/* SPDX-License-Identifier: BSD-2-Clause */
/* guest_memory.c - the guest's memory. */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/hypervisor.h"

/* AMD64 APM volume 2, "Page Translation and Protection", long mode. */
#define PTE_PRESENT  UINT64_C(1)
#define PTE_WRITE    UINT64_C(2)
#define PTE_USER     UINT64_C(4)
#define PTE_ACCESSED UINT64_C(0x20)
#define PTE_DIRTY    UINT64_C(0x40)
#define PTE_LARGE    UINT64_C(0x80)
#define PTE_NX       (UINT64_C(1) << 63)
#define PTE_ADDRESS  UINT64_C(0x000FFFFFFFFFF000)
#define CR0_PG       (UINT64_C(1) << 31)
#define CR4_SMAP     (UINT64_C(1) << 21)
#define CR4_PKE      (UINT64_C(1) << 22)

struct translation {
    uint64_t physical;
    uint64_t last, all, any; /* its entry; bits of all its levels, of any */
};

static bool translate(uint64_t cr3, uint64_t linear, struct translation *t)
{
    const uint64_t *table = (const uint64_t *)(cr3 & PTE_ADDRESS);

    t->all = UINT64_MAX;
    t->any = 0;
    for (unsigned level = 4; level-- > 0;) {
        unsigned shift = 12 + 9 * level;
        uint64_t entry = table[(linear >> shift) & 511];
        uint64_t offset = linear & ((UINT64_C(1) << shift) - 1);

        t->all &= entry;
        t->any |= entry;
        if ((entry & PTE_PRESENT) == 0)
            return false;
        if (level == 0 || (level < 3 && (entry & PTE_LARGE) != 0)) {
            t->last = entry;
            t->physical =
                (entry & PTE_ADDRESS & ~((UINT64_C(1) << shift) - 1)) + offset;
            return true;
        }
        table = (const uint64_t *)(entry & PTE_ADDRESS);
    }
    return false;
}

bool guest_physical(const struct vcpu *v, uint64_t linear, uint64_t *physical)
{
    struct translation t = {.physical = linear};
    bool found =
        (v->vmcb->cr0 & CR0_PG) == 0 || translate(v->vmcb->cr3, linear, &t);

    if (found)
        *physical = t.physical;
    return found;
}

bool guest_sees_as_by(const struct vcpu *v, uint64_t cr3, uint64_t linear,
                      enum access access)
{
    bool user = v->vmcb->cpl == 3, write = access == ACCESS_WRITE;
    struct translation guest, host;

    return (v->vmcb->cr0 & CR0_PG) != 0 &&
           translate(v->vmcb->cr3, linear, &guest) &&
           (guest.all & PTE_ACCESSED) != 0 &&
           (!user || (guest.all & PTE_USER) != 0) &&
           (!write ||
            ((guest.all & PTE_WRITE) != 0 && (guest.last & PTE_DIRTY) != 0)) &&
           (access != ACCESS_EXECUTE || (guest.any & PTE_NX) == 0) &&
           translate(cr3, linear, &host) && host.physical == guest.physical;
}

bool guest_reaches(const struct vcpu *v, uint64_t linear, bool writes,
                   uint64_t *physical)
{
    const bool user = v->vmcb->cpl == 3;
    const uint64_t keys = user ? CR4_PKE : CR4_PKE | CR4_SMAP;
    struct translation t;

    if ((v->vmcb->cr0 & CR0_PG) == 0 ||
        (uint64_t)((int64_t)(linear << 16) >> 16) != linear ||
        !translate(v->vmcb->cr3, linear, &t) || (t.all & PTE_ACCESSED) == 0 ||
        (user && (t.all & PTE_USER) == 0) ||
        ((t.all & PTE_USER) != 0 && (v->vmcb->cr4 & keys) != 0) ||
        (writes && ((t.all & PTE_WRITE) == 0 || (t.last & PTE_DIRTY) == 0)))
        return false;
    *physical = t.physical;
    return guest_is_ram(t.physical);
}

bool guest_is_code(const struct vcpu *v, uint64_t linear)
{
    struct translation t;

    return (v->vmcb->cr0 & CR0_PG) != 0 &&
           translate(v->vmcb->cr3, linear, &t) && (t.any & PTE_NX) == 0;
}

bool guest_is_ram(uint64_t physical)
{
    for (unsigned n = 0; n < hypervisor.ram_ranges; n++)
        if (physical >= hypervisor.ram[n].start &&
            physical < hypervisor.ram[n].end)
            return true;
    return false;
}

/* Where the byte is, in RAM; NULL if it is not there. */
static uint8_t *guest_byte(const struct vcpu *v, uint64_t linear)
{
    uint64_t at;

    if (!guest_physical(v, linear, &at) || !guest_is_ram(at))
        return NULL;
    return (uint8_t *)at;
}

bool guest_copy(const struct vcpu *v, uint64_t linear, void *buffer,
                size_t bytes, bool write)
{
    uint8_t *ours = buffer;

    if (guest_byte(v, linear) == NULL ||
        guest_byte(v, linear + bytes - 1) == NULL)
        return false;
    while (bytes > 0) {
        uint8_t *theirs = guest_byte(v, linear);
        size_t part = (size_t)(PAGE_BYTES - (linear & (PAGE_BYTES - 1)));

        if (part > bytes)
            part = bytes;
        __builtin_memcpy(write ? theirs : ours, write ? ours : theirs, part);
        linear += part;
        ours += part;
        bytes -= part;
    }
    return true;
}

/* The last translation is cached: code does not move while it runs, but for
 * what an operating system maps. */
static bool code_physical(struct vcpu *v, uint64_t rip, uint64_t *physical)
{
    uint64_t page = rip & ~(PAGE_BYTES - 1);

    if (v->code_page != page || v->code_cr3 != v->vmcb->cr3 ||
        hypervisor.has_os) {
        if (!guest_physical(v, page, &v->code_physical))
            return false;
        v->code_page = page;
        v->code_cr3 = v->vmcb->cr3;
        v->code_marked =
            (npt_entry(&v->pages_free, v->code_physical) & NPT_NX) != 0;
    }
    *physical = v->code_physical + (rip - page);
    return true;
}

uint64_t guest_rip(const struct vcpu *v)
{
    bool wide = (v->vmcb->cs.attributes & CS_L) != 0;

    return v->vmcb->rip + (wide ? 0 : v->vmcb->cs.base);
}

const uint8_t *guest_code(struct vcpu *v, uint8_t *buffer, size_t *length)
{
    uint64_t rip = guest_rip(v), at, next;
    size_t left = (size_t)(PAGE_BYTES - (rip & (PAGE_BYTES - 1)));

    *length = 0;
    if (!code_physical(v, rip, &at))
        return buffer;
    *length = INSTRUCTION_BYTES_MAX;
    if (left >= INSTRUCTION_BYTES_MAX)
        return (const uint8_t *)at;
    for (size_t n = 0; n < left; n++)
        buffer[n] = ((const uint8_t *)at)[n];
    *length = left;
    if (!guest_physical(v, rip + left, &next))
        return buffer;
    for (size_t n = left; n < INSTRUCTION_BYTES_MAX; n++)
        buffer[n] = ((const uint8_t *)next)[n - left];
    *length = INSTRUCTION_BYTES_MAX;
    return buffer;
}
