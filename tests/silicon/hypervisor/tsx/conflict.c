/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * conflict.c - transactions and the other processors. A conflict is detected by
 * the line, SDM volume 1, "Data Conflicts"; nested paging has pages.
 *
 * So each processor has nested tables of its own. Before a transaction touches
 * a line, its page is held from the others: the right to write it, or, once
 * the transaction has stored there, all access. It is held until they miss
 * it: an access faults, and is compared, by the line, with the sets of all
 * transactions. In a conflict the transaction loses; the access waits until
 * its stores are undone. Without one, the page is granted for the instruction;
 * if no transaction is on the page any more, it is released.
 *
 * A processor that is in its guest may still have a translation that it has
 * lost: it is made to exit, and the transaction waits until it has (kick.c).
 */
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/hooks.h"

#define PAGE_READ (NPT_PRESENT | NPT_USER)
#define RIGHTS    (NPT_PRESENT | NPT_WRITE)
#define KNOWN     (NPT_NX | NPT_CODE | NPT_STEPPED) /* of code_scan.c */

/* The later access wins. */
static void disturb(struct vcpu *v, struct vcpu *o, bool write)
{
    o->tx.conflict = true;
    o->model->faults.was_read = !write;
    if (!faults_rule(v->model->machine, CONFLICT_OF_ITS_OWN, true))
        tsx_count_causes(v->model, TX_MEM_CONFLICT, 0);
}

/* Lets others run. */
static void yield_unlocked(struct vcpu *v)
{
    pages_unlock();
    turns_yield(v);
    pages_lock();
}

/* Leaves these rights alone to the page, in all tables. False: no tables. */
static bool hold_page(struct vcpu *v, uint64_t address, uint64_t leave)
{
    struct npt *const pages[] = {&v->pages_free, &v->pages_step,
                                 &v->pages_catch};
    bool changed = false;

    for (size_t n = 0; n < sizeof(pages) / sizeof(pages[0]); n++) {
        uint64_t entry;

        /* Else it would be mapped with all rights when it is first missed. */
        if (!npt_fill(pages[n], address))
            return false;
        entry = npt_entry(pages[n], address);
        if ((entry & RIGHTS & ~leave) == 0 &&
            (entry & (NPT_CODE | NPT_HELD)) != NPT_CODE)
            continue;
        if (!npt_set_page(pages[n], address,
                          (entry & KNOWN) | NPT_HELD | leave))
            return false;
        changed = true;
    }
    if (changed)
        kick_flush_tlb(v);
    return true;
}

static void release_page(struct vcpu *v, uint64_t address)
{
    struct npt *const pages[] = {&v->pages_free, &v->pages_step,
                                 &v->pages_catch};

    for (size_t n = 0; n < sizeof(pages) / sizeof(pages[0]); n++) {
        uint64_t known = npt_entry(pages[n], address) & KNOWN;

        npt_set_page(pages[n], address, known | npt_rights(known));
    }
}

/* Of an elided section what it has read, or written, beside its locks. */
static bool is_unmonitored(struct vcpu *o, uint64_t address)
{
    if (!o->tx.hle || hle_lock_at(o, address) != NULL)
        return false;
    return !faults_rule(&hypervisor.machine,
                        (lines_find(&o->tx.lines, address) & LINE_WRITTEN) != 0
                            ? ELISION_WRITES
                            : ELISION_READS,
                        true);
}

/* By a fault: nobody else may read its elided lock. */
static bool keeps_lock(struct vcpu *o, uint64_t address)
{
    return !faults_rule(&hypervisor.machine, LOCK_READS_SHARED, true) &&
           hle_lock_at(o, address) != NULL;
}

/* Another processor, with whose transaction this access conflicts. */
static struct vcpu *conflicting_vcpu(const struct vcpu *v, uint64_t address,
                                     bool write)
{
    const struct machine *m = &hypervisor.machine;

    if (v->tx.depth > 0 && !faults_rule(m, TX_CONFLICTS, true))
        return NULL;
    if (v->vmcb->cpl > 0 && !faults_rule(m, RING3_CONFLICTS, true))
        return NULL;
    for (unsigned n = 0; n < hypervisor.processors; n++) {
        struct vcpu *o = &hypervisor.vcpus[n];

        if ((o->tx.depth > 1 && !faults_rule(m, OUTER_WHILE_NESTED, true)) ||
            (o->tx.depth > 2 && !faults_rule(m, DEEP_MONITORED, true)))
            continue;
        if (!o->tx.hle && o->tx.lines.writes == 0 &&
            !faults_rule(m, UNSTORED_MONITORED, true))
            continue;
        if (is_unmonitored(o, address) ||
            (o->tx.depth > 1 && !write && !faults_rule(m, INNER_WRITES, true)))
            continue;
        if (o != v && o->tx.active &&
            (tsx_conflict(m, lines_find(&o->tx.lines, address), write) ||
             keeps_lock(o, address)))
            return o;
    }
    return NULL;
}

/* The same of all of an access: on the next page it faults again. */
static struct vcpu *conflicting_access(struct vcpu *v, uint64_t address,
                                       bool write)
{
    const struct machine *m = &hypervisor.machine;
    const unsigned bytes =
        memory_bytes(v, address, write ? DATA_STORE : DATA_LOAD);
    const uint64_t next = (address | (LINE_BYTES - 1)) + 1;
    struct vcpu *o;

    if (faults_about(m, write ? STORES_UNSEEN : LOADS_UNSEEN, bytes))
        return NULL;
    o = conflicting_vcpu(v, address, write);
    if (o == NULL && next % PAGE_BYTES != 0 && bytes > next - address &&
        faults_rule(m, write ? SPLIT_STORES_CONFLICT : SPLIT_LOADS_CONFLICT,
                    true))
        o = conflicting_vcpu(v, next, write);
    return o;
}

/* Another processor, whose transaction is on the page at all. */
static struct vcpu *holder(const struct vcpu *v, uint64_t address)
{
    for (unsigned n = 0; n < hypervisor.processors; n++) {
        struct vcpu *o = &hypervisor.vcpus[n];

        if (o != v && o->tx.active && lines_on_page(&o->tx.lines, address))
            return o;
    }
    return NULL;
}

void conflict_begin(struct vcpu *v)
{
    pages_lock();
    lines_clear(&v->tx.lines);
    v->tx.conflict = false;
    v->tx.active = true;
    pages_unlock();
}

bool conflict_end(struct vcpu *v, bool commit)
{
    bool good;

    pages_lock();
    good = !commit || !v->tx.conflict;
    if (good)
        v->tx.active = false;
    pages_unlock();
    return good;
}

bool conflict_add_line(struct vcpu *v, uint64_t address, unsigned flags)
{
    const struct machine *m = v->model->machine;
    const bool write = (flags & LINE_WRITTEN) != 0,
               reads_shared =
                   faults_rule(m, READS_ARE_SHARED, true) &&
                   (!v->tx.hle || faults_rule(m, LOCK_READS_SHARED, true));
    struct vcpu *o;
    bool good;

    pages_lock();
    while (!v->tx.conflict &&
           (o = conflicting_vcpu(v, address, write)) != NULL) {
        disturb(v, o, write);
        yield_unlocked(v);
    }
    good = !v->tx.conflict && lines_add(&v->tx.lines, address, flags);
    for (unsigned n = 0; good && flags != 0 && n < hypervisor.processors; n++)
        if (&hypervisor.vcpus[n] != v)
            good = hold_page(&hypervisor.vcpus[n], address,
                             write || !reads_shared ? 0 : PAGE_READ);
    pages_unlock();
    return good;
}

/* Grants the page to the instruction that missed it. */
static void grant_page(struct vcpu *v, uint64_t address)
{
    struct granted_page *p = &v->granted[v->grants++];

    p->address = address;
    p->entry = npt_entry(&v->pages_step, address);
    npt_set_page(&v->pages_step, address,
                 (p->entry & NPT_CODE) | npt_rights(p->entry));
    /* A handler of an interrupt would use it, too. */
    v->vmcb->interrupt_shadow = SHADOW_ON;
    step_set_mode(v, MODE_STEP);
}

void conflict_revoke_grants(struct vcpu *v)
{
    v->stores = false;
    if (v->grants == 0)
        return;
    pages_lock();
    while (v->grants > 0) {
        const struct granted_page *p = &v->granted[--v->grants];
        uint64_t entry = npt_entry(&v->pages_step, p->address);

        /* Else it has been held again meanwhile. */
        if ((entry & NPT_HELD) == 0)
            npt_set_page(&v->pages_step, p->address,
                         NPT_HELD | (entry & NPT_CODE) |
                             (p->entry & PAGE_READ));
    }
    pages_unlock();
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
    if (v->if_masked)
        v->vmcb->rflags |= RFLAGS_IF;
    v->if_masked = false;
}

bool conflict_page_fault(struct vcpu *v, struct npt *pages)
{
    uint64_t npf = v->vmcb->exit_info1, address = v->vmcb->exit_info2;
    bool write = (npf & NPF_WRITE) != 0, fetch = (npf & NPF_FETCH) != 0;
    struct vcpu *o;
    uint64_t entry;
    bool whole;

    pages_lock();
    entry = npt_entry(pages, address);
    if ((entry & NPT_HELD) == 0 || (fetch && (entry & NPT_PRESENT) != 0)) {
        pages_unlock();
        return false;
    }
    /* These are of no single instruction: they may access each line. */
    whole = (npf & NPF_PAGE_TABLE) != 0 || v->grants == TX_PAGES_OPEN ||
            (v->vmcb->exit_int_info & EVENT_VALID) != 0;
    while ((o = whole   ? holder(v, address)
                : fetch ? NULL
                        : conflicting_access(v, address, write)) != NULL) {
        disturb(v, o, write);
        yield_unlocked(v);
    }
    if (holder(v, address) != NULL)
        grant_page(v, address);
    else
        release_page(v, address);
    pages_unlock();
    return true;
}

/* Ends all transactions of others that are on the page. */
static void clear_page(struct vcpu *v, uint64_t address)
{
    struct vcpu *o;

    while ((o = holder(v, address)) != NULL) {
        o->tx.conflict = true;
        yield_unlocked(v);
    }
}

void conflict_map_overlay(struct vcpu *v, struct overlay_page *page)
{
    uint64_t entry;

    pages_lock();
    clear_page(v, page->address);
    if ((npt_entry(&v->pages_step, page->address) & NPT_HELD) != 0)
        release_page(v, page->address);
    __builtin_memcpy(page->copy, (const void *)page->address, PAGE_BYTES);
    __builtin_memcpy(page->before, page->copy, PAGE_BYTES);
    entry = npt_entry(&v->pages_step, page->address);
    npt_map_page(&v->pages_step, page->address, (uint64_t)page->copy,
                 (entry & NPT_CODE) | npt_rights(0));
    pages_unlock();
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
}

void conflict_unmap_overlay(struct vcpu *v, struct overlay_page *page)
{
    uint8_t *memory = (uint8_t *)page->address;
    bool stored = false;
    uint64_t entry;

    pages_lock();
    /* Its operand may be on the page that it is on itself. */
    for (size_t n = 0; n < PAGE_BYTES; n++)
        if (page->copy[n] != page->before[n]) {
            clear_page(v, page->address);
            memory[n] = page->copy[n];
            stored = true;
        }
    if (stored)
        code_scan_changed(v, page->address);
    entry = npt_entry(&v->pages_step, page->address);
    /* Else it has been held meanwhile. */
    if ((entry & NPT_HELD) == 0)
        npt_set_page(&v->pages_step, page->address,
                     (entry & NPT_CODE) | npt_rights(entry));
    pages_unlock();
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
}
