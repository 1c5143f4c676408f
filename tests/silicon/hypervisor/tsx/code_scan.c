/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_scan.c - XBEGIN, XABORT and XACQUIRE on whatever page an operating
 * system executes. To the host processor they are a MOV, a MOV and nothing. So
 * no page is executable to a guest that runs freely until its bytes have been
 * looked at, and from then on no processor can store there, in any mode. A
 * store makes the page unknown again on all of them; it is stepped, because
 * what stores may be on that page itself. A page with one of the three stays
 * no-execute: on it the guest is stepped. Other transactional instructions
 * raise #UD: exits.c. What a device stores is not seen, nor an XABORT or
 * XACQUIRE over a page's end.
 *
 * SDM volume 2, XBEGIN (C7 F8 rel32, with 66H rel16): by chance those two bytes
 * are on one page of code in sixteen, but then they hardly lead to somewhere
 * near, or to other code. Those of XABORT (C6 F8 imm8) and XACQUIRE (F2 before
 * a locked instruction or XCHG) lead nowhere: there an instruction has to
 * begin.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/bits.h"

#define NEAR_BYTES   (64 * 1024)
#define XBEGIN_BYTES 6

#define PAGE_READ (NPT_PRESENT | NPT_USER)

/* What is known of a page. */
#define LOOKED_AT NPT_CODE
#define UNKNOWN   UINT64_C(0)

static bool is_xbegin(const struct vcpu *v, uint64_t rip, const uint8_t *b)
{
    int32_t to;

    if (b[0] != 0xC7 || b[1] != 0xF8)
        return false;
    __builtin_memcpy(&to, b + 2, sizeof(to));
    return (to > -NEAR_BYTES && to < NEAR_BYTES) ||
           guest_is_code(v, rip + XBEGIN_BYTES + (uint64_t)to);
}

/* XABORT, or XACQUIRE where it elides locks; their first byte but prefixes is
 * at `at`. */
static bool is_hinted(const uint8_t *page, size_t at)
{
    const size_t first = instruction_prefixes(page, at);
    struct instruction i;

    instruction_classify(&i, &page[first], PAGE_BYTES - first);
    return (i.kind == INSTRUCTION_XABORT ||
            (i.elide == ELIDE_ACQUIRE && hypervisor.machine.cpu->has_hle)) &&
           instruction_begins(page, PAGE_BYTES, first, at);
}

/* What follows on the next page belongs to this one; where that is not there
 * yet, it may be anything. */
static bool has_xbegin_at_end(const struct vcpu *v, uint64_t rip,
                              const uint8_t *end)
{
    uint8_t seam[2 * XBEGIN_BYTES] = {0};

    __builtin_memcpy(seam, end - XBEGIN_BYTES, XBEGIN_BYTES);
    if (!guest_copy(v, rip + PAGE_BYTES, seam + XBEGIN_BYTES, XBEGIN_BYTES,
                    false))
        return end[-1] == 0xC7;
    for (unsigned n = 1; n < XBEGIN_BYTES; n++)
        if (is_xbegin(v, rip + PAGE_BYTES - XBEGIN_BYTES + n, &seam[n]))
            return true;
    return false;
}

/* Is this the first byte, but for prefixes, of one of the three? */
static bool is_marked(const struct vcpu *v, uint64_t rip, const uint8_t *page,
                      size_t at)
{
    if (page[at] == 0xC6 || page[at] == 0xF2)
        return is_hinted(page, at);
    if (page[at] != 0xC7 || at + XBEGIN_BYTES > PAGE_BYTES)
        return false;
    return is_xbegin(v, rip + at, &page[at]) ||
           (at > 0 && page[at - 1] == 0x66 && page[at + 1] == 0xF8);
}

static bool is_transactional(const struct vcpu *v, uint64_t physical)
{
    const uint8_t *page = (const uint8_t *)(physical & ~(PAGE_BYTES - 1));
    uint64_t rip = guest_rip(v) & ~(PAGE_BYTES - 1);

    for (size_t n = 0; n < PAGE_BYTES; n += 8) {
        if (!has_byte(&page[n], 0xC6) && !has_byte(&page[n], 0xC7) &&
            !has_byte(&page[n], 0xF2))
            continue;
        for (size_t k = n; k < n + 8; k++)
            if (is_marked(v, rip, page, k))
                return true;
    }
    return has_xbegin_at_end(v, rip, page + PAGE_BYTES);
}

/* Rights that a transaction holds stay with it: conflict.c. */
static bool set_page(struct npt *pages, uint64_t address, uint64_t flags,
                     bool *lost)
{
    uint64_t entry, now;

    if (!npt_fill(pages, address))
        return false;
    entry = npt_entry(pages, address);
    now = (entry & NPT_HELD) != 0
              ? flags | (entry & (NPT_HELD | PAGE_READ | NPT_WRITE))
              : flags | npt_rights(flags);
    *lost |= (entry & ~now & NPT_WRITE) != 0 || (now & ~entry & NPT_NX) != 0;
    return npt_set_page(pages, address, now);
}

/* On all processors, before this one goes on. known: what is known of the page;
 * NPT_NX: nobody executes it freely. False: no more tables. */
static bool set_all(struct vcpu *v, uint64_t address, uint64_t known)
{
    bool good = true;

    for (unsigned n = 0; n < hypervisor.processors; n++) {
        struct vcpu *o = &hypervisor.vcpus[n];
        uint64_t code = known & NPT_CODE;
        bool lost = false;

        good = set_page(&o->pages_free, address, known, &lost) &&
               set_page(&o->pages_step, address, code, &lost) &&
               set_page(&o->pages_catch, address, code | NPT_NX, &lost) && good;
        if (lost && o != v)
            kick_flush_tlb(o);
    }
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
    return good;
}

void code_scan_start(struct vcpu *v)
{
    if (!hypervisor.for_os || !hypervisor.machine.cpu->has_rtm)
        return;
    for (unsigned n = 0; n < hypervisor.processors; n++) {
        struct vcpu *o = &hypervisor.vcpus[n];

        npt_clear(&o->pages_free);
        o->pages_free.flags |= NPT_NX;
        if (o != v)
            kick_flush_tlb(o);
    }
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
}

static bool is_on(const struct vcpu *v)
{
    return (v->pages_free.flags & NPT_NX) != 0;
}

bool code_scan_is_stepped(const struct vcpu *v)
{
    return is_on(v) && v->mode == MODE_STEP &&
           v->code_page == (guest_rip(v) & ~(PAGE_BYTES - 1)) &&
           (npt_entry(&v->pages_free, v->code_physical) & NPT_STEPPED) != 0;
}

void code_scan_changed(struct vcpu *v, uint64_t address)
{
    if (is_on(v))
        set_all(v, address, UNKNOWN | NPT_NX);
}

bool code_scan_store(struct vcpu *v, const struct npt *pages, uint64_t address)
{
    if ((npt_entry(pages, address) & NPT_CODE) == 0)
        return false;
    pages_lock();
    code_scan_changed(v, address);
    v->stores = v->mode == MODE_STEP;
    v->stores_to = address & ~(PAGE_BYTES - 1);
    pages_unlock();
    return true;
}

/* By a processor that is about to. */
static bool is_stored_to(uint64_t address)
{
    for (unsigned n = 0; n < hypervisor.processors; n++) {
        const struct vcpu *o = &hypervisor.vcpus[n];

        if (o->stores && o->stores_to == (address & ~(PAGE_BYTES - 1)))
            return true;
    }
    return false;
}

/* False: it is to be stepped. */
static bool look(struct vcpu *v, uint64_t address)
{
    uint64_t entry = npt_entry(&v->pages_free, address);

    if ((entry & NPT_NX) == 0)
        return true; /* another one has just looked */
    if ((entry & NPT_STEPPED) != 0 || is_stored_to(address) ||
        !set_all(v, address, LOOKED_AT | NPT_NX))
        return false;
    hypervisor.pages++;
    if (guest_is_ram(address) && is_transactional(v, address)) {
        hypervisor.stepped++;
        set_all(v, address, LOOKED_AT | NPT_NX | NPT_STEPPED);
        return false;
    }
    return set_all(v, address, LOOKED_AT);
}

/* What stores is stepped, but for the delivery of an event. */
static bool store_fault(struct vcpu *v, const struct npt *pages,
                        uint64_t address)
{
    if ((npt_entry(pages, address) & NPT_CODE) == 0)
        return false;
    if ((v->vmcb->exit_int_info & EVENT_VALID) == 0)
        levels_passes_gate(v);
    return code_scan_store(v, pages, address);
}

bool code_scan_fault(struct vcpu *v, const struct npt *pages)
{
    uint64_t npf = v->vmcb->exit_info1, address = v->vmcb->exit_info2;
    bool good;

    if ((npf & NPF_WRITE) != 0)
        return store_fault(v, pages, address);
    if (!is_on(v) || v->mode != MODE_FREE || (npf & NPF_PRESENT) == 0 ||
        (npf & NPF_FETCH) == 0)
        return false;
    pages_lock();
    good = look(v, address);
    pages_unlock();
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
    return good;
}
