/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hint_replace.c - an instruction without its hint. F2H and F3H before one
 * that may be elided are XACQUIRE and XRELEASE, and nothing where no lock is
 * elided: SDM volume 2, "XACQUIRE/XRELEASE". Some host processors raise #UD
 * for them before some of these instructions. Such a one is retried, on a
 * copy of the page it is on, which has a prefix without effect instead.
 *
 * The copy is mapped for that instruction alone. It sees its own page as data
 * there, too; what it stores there is copied to memory after it.
 */
#include "tests/silicon/hypervisor.h"

#define PAGE_MASK (~(PAGE_BYTES - 1))
#define ADDRESS   UINT64_C(0x000FFFFFFFFFF000)

static struct npt *table_of(struct vcpu *v)
{
    return v->shown_in_tx ? &v->tx_pages : &v->pages_step;
}

/* Another processor may have held the page before it was accessed. */
static bool is_shown(struct vcpu *v)
{
    for (unsigned n = 0; n < v->showing; n++)
        if ((npt_entry(table_of(v), v->shown[n].address) & ADDRESS) !=
            (uint64_t)v->shown[n].copy)
            return false;
    return v->showing > 0;
}

static void show(struct vcpu *v, uint64_t address)
{
    struct shown_page *page = &v->shown[v->showing];

    if (plain_is_on(v, address))
        return;
    page->address = address;
    v->showing++;
    if (!v->shown_in_tx) {
        share_show(v, page);
        return;
    }
    __builtin_memcpy(page->copy, (const void *)address, PAGE_BYTES);
    npt_map_page(&v->tx_pages, address, (uint64_t)page->copy,
                 NPT_PRESENT | NPT_USER);
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
}

bool plain_is_on(const struct vcpu *v, uint64_t page)
{
    for (unsigned n = 0; n < v->showing; n++)
        if (v->shown[n].address == page)
            return true;
    return false;
}

/* Where the instruction at RIP has hints: a bit for each byte. */
static uint32_t hints(struct vcpu *v, uint8_t *instead)
{
    uint8_t buffer[INSTRUCTION_BYTES_MAX];
    struct instruction i;
    size_t length;
    const uint8_t *bytes = guest_code(v, buffer, &length);

    instruction_look(&i, bytes, length);
    if (i.elide == ELIDE_NONE)
        return 0;
    return instruction_hints(bytes, length, instead);
}

void plain_show(struct vcpu *v, uint64_t page, uint8_t *copy)
{
    uint8_t instead;
    uint32_t found;
    uint64_t at;

    if (!plain_is_on(v, page))
        return;
    found = hints(v, &instead);
    for (unsigned n = 0; found >> n != 0; n++)
        if ((found >> n & 1) != 0 && guest_physical(v, v->vmcb->rip + n, &at) &&
            (at & PAGE_MASK) == page)
            copy[at & ~PAGE_MASK] = instead;
}

bool plain_begin(struct vcpu *v)
{
    uint8_t instead;
    uint32_t found = hints(v, &instead);
    uint64_t at;

    if (found == 0 || is_shown(v))
        return false;
    if (v->mode != MODE_STEP) {
        step_set_mode(v, MODE_STEP);    /* there it raises #UD once more */
        return true;
    }
    plain_end(v);
    v->shown_in_tx = v->tx.depth > 0;
    for (unsigned n = 0; found >> n != 0; n++)
        if ((found >> n & 1) != 0 && guest_physical(v, v->vmcb->rip + n, &at))
            show(v, at & PAGE_MASK);
    for (unsigned n = 0; n < v->showing; n++) {
        plain_show(v, v->shown[n].address, v->shown[n].copy);
        plain_show(v, v->shown[n].address, v->shown[n].before);
    }
    return true;
}

void plain_end(struct vcpu *v)
{
    while (v->showing > 0) {
        struct shown_page *page = &v->shown[--v->showing];

        if (!v->shown_in_tx) {
            share_hide(v, page);
            continue;
        }
        npt_set_page(&v->tx_pages, page->address, 0);
        v->vmcb->tlb_control = TLB_FLUSH_ALL;
    }
}
