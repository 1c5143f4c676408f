/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_scan.c - XBEGIN on whatever page an operating system executes. To the
 * host processor it is a MOV. So no page is executable to a guest that runs
 * freely until its bytes have been looked at, and then it is not writable; a
 * store makes it unknown again, but where both come in turns all the time, as
 * on the only page of a small program: there XBEGIN is not seen. A page with an
 * XBEGIN stays no-execute: on it the guest is stepped. Other transactional
 * instructions raise #UD: exits.c.
 *
 * SDM volume 2, XBEGIN (C7 F8 rel32): by chance those two bytes are on one page
 * of code in sixteen, but then they hardly lead to somewhere near.
 */
#include "tests/silicon/hypervisor/hypervisor.h"

#define NEAR_BYTES   (64 * 1024)
#define XBEGIN_BYTES 6
#define EACH_BYTE    UINT64_C(0x0101010101010101)

/* How often a page has been stored to and executed again. */
#define STORES(entry) ((entry) >> 52 & 7)
#define ONE_STORE     (UINT64_C(1) << 52)
#define STORES_MAX    7

#define PAGE_DATA  (NPT_PRESENT | NPT_USER | NPT_WRITE | NPT_NX)
#define PAGE_CODE  (NPT_PRESENT | NPT_USER)
#define PAGE_MIXED (NPT_PRESENT | NPT_USER | NPT_WRITE)
#define PAGE_STEPS (PAGE_DATA | NPT_STEPPED)

static bool is_xbegin(const uint8_t *b)
{
    int32_t to;

    if (b[0] != 0xC7 || b[1] != 0xF8)
        return false;
    __builtin_memcpy(&to, b + 2, sizeof(to));
    return to > -NEAR_BYTES && to < NEAR_BYTES;
}

/* Any of eight bytes: one that is 0 without the bits of C7. */
static bool has_c7(const uint8_t *b)
{
    uint64_t word;

    __builtin_memcpy(&word, b, sizeof(word));
    word ^= EACH_BYTE * 0xC7;
    return ((word - EACH_BYTE) & ~word & (EACH_BYTE << 7)) != 0;
}

/* rip: on the page; what follows on the next one belongs to it. */
static bool has_xbegin(const struct vcpu *v, uint64_t rip, uint64_t physical)
{
    const uint8_t *page = (const uint8_t *)(physical & ~(PAGE_BYTES - 1));
    uint8_t seam[2 * XBEGIN_BYTES] = {0};
    uint64_t next = (rip & ~(PAGE_BYTES - 1)) + PAGE_BYTES;

    for (size_t n = 0; n < PAGE_BYTES; n += 8)
        for (size_t k = n; has_c7(&page[n]) && k < n + 8; k++)
            if (k + XBEGIN_BYTES <= PAGE_BYTES && is_xbegin(&page[k]))
                return true;
    __builtin_memcpy(seam, page + PAGE_BYTES - XBEGIN_BYTES, XBEGIN_BYTES);
    guest_copy(v, next, seam + XBEGIN_BYTES, XBEGIN_BYTES, false);
    for (size_t n = 1; n < XBEGIN_BYTES; n++)
        if (is_xbegin(&seam[n]))
            return true;
    return false;
}

void code_scan_start(struct vcpu *v)
{
    if (!hypervisor.for_os || !v->model->cpu->has_rtm)
        return;
    npt_clear(&v->pages_free);
    v->pages_free.flags |= NPT_NX;
    v->vmcb->nested_cr3 = (uint64_t)v->pages_free.root;
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
}

bool code_scan_is_stepped(const struct vcpu *v)
{
    return (v->pages_free.flags & NPT_NX) != 0 && v->mode == MODE_STEP &&
           v->code_page == (v->vmcb->rip & ~(PAGE_BYTES - 1)) &&
           (npt_entry(&v->pages_free, v->code_physical) & NPT_STEPPED) != 0;
}

/* A page of code is stored to. */
static bool on_store(struct vcpu *v, uint64_t address)
{
    uint64_t entry = npt_entry(&v->pages_free, address);
    uint64_t stores = entry & STORES_MAX * ONE_STORE;

    if ((entry & (NPT_PRESENT | NPT_WRITE | NPT_HELD)) != NPT_PRESENT)
        return false;
    if (STORES(entry) == STORES_MAX)
        return npt_set_page(&v->pages_free, address, PAGE_MIXED | stores);
    return npt_set_page(&v->pages_free, address,
                        PAGE_DATA | (stores + ONE_STORE));
}

bool code_scan_fault(struct vcpu *v)
{
    uint64_t npf = v->vmcb->exit_info1, address = v->vmcb->exit_info2, flags;

    if ((v->pages_free.flags & NPT_NX) == 0 || v->mode != MODE_FREE ||
        (npf & NPF_PRESENT) == 0)
        return false;
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
    if ((npf & NPF_FETCH) == 0)
        return (npf & NPF_WRITE) != 0 && on_store(v, address);
    if ((npt_entry(&v->pages_free, address) & NPT_STEPPED) != 0)
        return false; /* it is about to be stepped */
    flags = guest_is_ram(address) && has_xbegin(v, v->vmcb->rip, address)
                ? PAGE_STEPS
                : PAGE_CODE;
    flags |= npt_entry(&v->pages_free, address) & STORES_MAX * ONE_STORE;
    return npt_set_page(&v->pages_free, address, flags) &&
           (flags & NPT_NX) == 0;
}
