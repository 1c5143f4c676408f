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
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#define PAGE_MASK (~(PAGE_BYTES - 1))
#define ADDRESS   UINT64_C(0x000FFFFFFFFFF000)

static struct npt *nested_table_of(struct vcpu *v)
{
    return v->overlays_in_tx ? &v->tx_pages : &v->pages_step;
}

/* Another processor may have held the page before it was accessed. */
static bool is_overlaid(struct vcpu *v)
{
    for (unsigned n = 0; n < v->overlay_count; n++)
        if ((npt_entry(nested_table_of(v), v->overlays[n].address) & ADDRESS) !=
            (uint64_t)v->overlays[n].copy)
            return false;
    return v->overlay_count > 0;
}

static void overlay_page_at(struct vcpu *v, uint64_t address)
{
    struct overlay_page *page = &v->overlays[v->overlay_count];

    if (hint_replace_on_page(v, address))
        return;
    page->address = address;
    v->overlay_count++;
    if (!v->overlays_in_tx) {
        conflict_map_overlay(v, page);
        return;
    }
    __builtin_memcpy(page->copy, (const void *)address, PAGE_BYTES);
    npt_map_page(&v->tx_pages, address, (uint64_t)page->copy,
                 NPT_PRESENT | NPT_USER);
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
}

bool hint_replace_on_page(const struct vcpu *v, uint64_t page)
{
    for (unsigned n = 0; n < v->overlay_count; n++)
        if (v->overlays[n].address == page)
            return true;
    return false;
}

/* Where the instruction at RIP has hints: a bit for each byte. */
static uint32_t find_hints(struct vcpu *v, uint8_t *neutral)
{
    uint8_t buffer[INSTRUCTION_BYTES_MAX];
    struct instruction i;
    size_t length;
    const uint8_t *bytes = guest_code(v, buffer, &length);

    instruction_classify(&i, bytes, length);
    if (i.elide == ELIDE_NONE)
        return 0;
    return instruction_hints(bytes, length, neutral);
}

void hint_replace_overlay(struct vcpu *v, uint64_t page, uint8_t *copy)
{
    uint8_t neutral;
    uint32_t found;
    uint64_t at;

    if (!hint_replace_on_page(v, page))
        return;
    found = find_hints(v, &neutral);
    for (unsigned n = 0; found >> n != 0; n++)
        if ((found >> n & 1) != 0 && guest_physical(v, v->vmcb->rip + n, &at) &&
            (at & PAGE_MASK) == page)
            copy[at & ~PAGE_MASK] = neutral;
}

bool hint_replace_begin(struct vcpu *v)
{
    uint8_t neutral;
    uint32_t found = find_hints(v, &neutral);
    uint64_t at;

    if (found == 0 || is_overlaid(v))
        return false;
    if (v->mode != MODE_STEP) {
        step_set_mode(v, MODE_STEP); /* there it raises #UD once more */
        return true;
    }
    hint_replace_end(v);
    v->overlays_in_tx = v->tx.depth > 0;
    for (unsigned n = 0; found >> n != 0; n++)
        if ((found >> n & 1) != 0 && guest_physical(v, v->vmcb->rip + n, &at))
            overlay_page_at(v, at & PAGE_MASK);
    for (unsigned n = 0; n < v->overlay_count; n++) {
        hint_replace_overlay(v, v->overlays[n].address, v->overlays[n].copy);
        hint_replace_overlay(v, v->overlays[n].address, v->overlays[n].before);
    }
    return true;
}

void hint_replace_end(struct vcpu *v)
{
    while (v->overlay_count > 0) {
        struct overlay_page *page = &v->overlays[--v->overlay_count];

        if (!v->overlays_in_tx) {
            conflict_unmap_overlay(v, page);
            continue;
        }
        npt_set_page(&v->tx_pages, page->address, 0);
        v->vmcb->tlb_control = TLB_FLUSH_ALL;
    }
}
