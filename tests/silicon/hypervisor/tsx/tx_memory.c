/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_memory.c - loads and stores of a transaction. The guest runs on a table
 * of nested pages of its own in which no page is there: each load and store
 * faults with its address, or is known before it is made. Its line joins a set,
 * the page is opened for this one instruction; the first store to a line copies
 * it to the log, an abort restores it. So both sets are exact to the line, but
 * for a vector load's second line where it crosses into one, and for loads from
 * the page that the code is on. The guest's own page tables are writable for as
 * long as it lasts: the processor walks them as if it wrote.
 *
 * A page with an elided lock is shown as a copy with the lock's elided value.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/tsx/tx_spared.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/bits.h"

#define PAGE_READ (NPT_PRESENT | NPT_USER)
#define PAGE_OPEN (NPT_PRESENT | NPT_USER | NPT_WRITE)
#define PAGE_MASK (~(PAGE_BYTES - 1))

/* Of the loads whose size is known: operand.h. */
#define LOAD_BYTES_MAX 16

/* What was a page table may hold data by now, and stores to it are to fault. */
void tx_memory_begin(struct vcpu *v)
{
    struct transaction *tx = &v->tx;

    tx->undo_lines = 0;
    tx->opened = 0;
    for (unsigned n = 0; n < tx->tables_open; n++)
        npt_set_page(&v->tx_pages, tx->tables[n], 0);
    tx->tables_open = 0;
}

/* What the guest sees of an open page. */
static uint8_t *view_of(const struct transaction *tx,
                        const struct open_page *page)
{
    if (!page->shadowed)
        return (uint8_t *)(page->address & PAGE_MASK);
    return tx->shadow + (size_t)(page - tx->open) * PAGE_BYTES;
}

static void make_overlay(struct vcpu *v, const struct open_page *page)
{
    const uint64_t *from = (const uint64_t *)(page->address & PAGE_MASK);
    uint64_t *to = (uint64_t *)view_of(&v->tx, page);

    for (size_t n = 0; n < PAGE_BYTES / 8; n++)
        to[n] = from[n];
    hle_overlay(v, page->address & PAGE_MASK, (uint8_t *)to);
    hint_replace_overlay(v, page->address & PAGE_MASK, (uint8_t *)to);
}

static bool has_lock(struct vcpu *v, uint64_t address)
{
    const struct elision *e = &v->tx.elision;

    for (unsigned n = 0; v->tx.hle && n < e->locks; n++)
        if ((e->lock[n].address & PAGE_MASK) == (address & PAGE_MASK))
            return true;
    return false;
}

/* The entry for this page, new or not; NULL: too many are open. */
static struct open_page *open_page_entry(struct transaction *tx,
                                         uint64_t address)
{
    struct open_page *page;

    for (unsigned n = 0; n < tx->opened; n++)
        if ((tx->open[n].address & PAGE_MASK) == (address & PAGE_MASK))
            return &tx->open[n];
    if (tx->opened == TX_PAGES_OPEN)
        return NULL;
    page = &tx->open[tx->opened++];
    *page = (struct open_page){.address = address};
    return page;
}

/* Before a store: saves its bytes, and the lines that may have to be undone.
 * It may reach into the next line; on the next page it faults again. Of bytes
 * that it does not store another processor may be the one that changes them
 * meanwhile: where its size is known, no more are looked at. */
static void save_bytes(struct vcpu *v, struct open_page *page)
{
    uint64_t address = page->address;
    uint64_t left = PAGE_BYTES - (address & ~PAGE_MASK);
    const uint8_t *view = view_of(&v->tx, page) + (address & ~PAGE_MASK);
    unsigned known = memory_bytes(v, address, DATA_STORE);

    page->known = known;
    page->bytes =
        known > 0 && known < STORE_BYTES_MAX ? known : STORE_BYTES_MAX;
    if (page->bytes > left)
        page->bytes = (unsigned)left;
    for (unsigned n = 0; n < page->bytes; n++)
        page->before[n] = view[n];
    undo_save(&v->tx, address, false);
    undo_save(&v->tx, address + page->bytes - 1, true);
}

/* The line joins the set that the access puts it in, if any. False: aborted. An
 * elided lock is in the read set alone. */
static bool add_line_to_set(struct vcpu *v, uint64_t address, bool write)
{
    unsigned flag = write ? LINE_WRITTEN : v->tx.untracked ? 0 : LINE_READ;

    if (write && v->tx.suspended &&
        !faults_rule(v->model->machine, SUSPENDED_STORES, true))
        flag = 0;
    if ((lines_find(&v->tx.lines, address) & flag) != 0)
        return true;
    if (!write &&
        v->tx.lines.reads >=
            faults_quantity(v->model->machine, MONITORED, 0, UINT32_MAX))
        return true;
    if (conflict_add_line(v, address,
                          flag == 0 ? 0 : flag | tx_spared(v, address, write)))
        return true;
    tx_abort(v, TX_CAUSE_CONFLICT);
    return false;
}

/* A load may reach into the next line; on the next page it faults again. */
static bool add_second_line(struct vcpu *v, uint64_t address)
{
    uint64_t next = (address | (LINE_BYTES - 1)) + 1;

    if (next % PAGE_BYTES == 0 || next - address >= LOAD_BYTES_MAX ||
        memory_bytes(v, address, DATA_LOAD) <=
            next - address +
                !faults_rule(v->model->machine, READS_LAST_BYTE, true) ||
        !faults_rule(v->model->machine, READS_SECOND_LINE, true))
        return true;
    return add_line_to_set(v, next, false);
}

/* There are no more nested tables: each page faults again. */
static void start_over(struct vcpu *v)
{
    npt_clear(&v->tx_pages);
    v->tx.tables_open = 0;
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
}

/* The host processor walks the guest's tables, and may set bits in them. */
static void open_table(struct vcpu *v, uint64_t address)
{
    struct transaction *tx = &v->tx;

    if (tx->tables_open == TX_TABLES_OPEN ||
        !npt_set_page(&v->tx_pages, address, PAGE_OPEN))
        start_over(v);
    else
        tx->tables[tx->tables_open++] = address;
}

static void access_memory(struct vcpu *v, uint64_t address, bool write)
{
    struct transaction *tx = &v->tx;
    bool lock =
        tx->hle && write &&
        (tx->elision.now == ELIDE_ACQUIRE || hle_lock_at(v, address) != NULL);
    struct open_page *page;

    if (!guest_is_ram(address)) {
        tx_abort(v, TX_CAUSE_MEMORY_TYPE);
        return;
    }
    if (!add_line_to_set(v, address, write && !lock) ||
        (!write && !add_second_line(v, address)))
        return;
    page = open_page_entry(tx, address);
    if (page == NULL) {
        tx_abort(v, TX_CAUSE_EVENT);
        return;
    }
    if (!write) {
        const unsigned known =
            tx->watch.dr7 != 0 ? memory_bytes(v, address, DATA_LOAD) : 0;

        watch_data(&tx->watch, ACCESS_READ, address, known != 0 ? known : 1);
    } else if (!page->written) {
        page->written = true;
        page->address = address;
    }
    if (!page->shadowed && (lock || has_lock(v, address) ||
                            hint_replace_on_page(v, address & PAGE_MASK))) {
        page->shadowed = true;
        make_overlay(v, page);
    }
    if (write) {
        code_scan_store(v, &v->pages_step, address);
        save_bytes(v, page);
        /* An interrupt would use the open page unseen: masked for this one
         * instruction, until tx_memory_step. */
        v->vmcb->rflags &= ~(uint64_t)RFLAGS_IF;
    }
    if (!npt_map_page(&v->tx_pages, address, (uint64_t)view_of(tx, page),
                      page->written ? PAGE_OPEN : PAGE_READ))
        start_over(v);
}

struct action tx_page_fault(struct vcpu *v)
{
    uint64_t npf = v->vmcb->exit_info1, address = v->vmcb->exit_info2;
    uint64_t event = v->vmcb->exit_int_info;

    if ((event & EVENT_VALID) != 0) {
        /* An interrupt was being delivered: it aborts, then is delivered. */
        tx_abort(v, TX_CAUSE_EVENT);
        if ((event & 0xFF) >= 32 &&
            faults_rule(v->model->machine, ABORTING_EVENT_DELIVERED, true))
            return action_event(event & ~EVENT_TYPE);
        if ((event & EVENT_TYPE) == EVENT_TYPE_NMI)
            return action_event(event);
        return action_of(ACTION_RESUME);
    }
    if ((npf & NPF_PAGE_TABLE) != 0)
        open_table(v, address);
    else if ((npf & NPF_FETCH) == 0)
        access_memory(v, address, (npf & NPF_WRITE) != 0);
    else if (!npt_set_page(&v->tx_pages, address, PAGE_READ))
        start_over(v);
    return action_of(ACTION_RESUME);
}

/* An access is a fault for each page that it is on. */
static bool expect_page(struct vcpu *v, uint64_t linear, bool write)
{
    uint64_t physical;

    if (guest_physical(v, linear, &physical))
        access_memory(v, physical, write);
    return v->tx.depth > 0;
}

bool tx_memory_expect(struct vcpu *v, const struct data_access *access,
                      unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        bool write = access[n].kind == DATA_STORE;
        uint64_t first = access[n].linear;
        uint64_t last = (first + access[n].bytes - 1) & PAGE_MASK;

        if (!expect_page(v, first, write) ||
            (last > first && !expect_page(v, last, write)))
            return false;
    }
    return true;
}

bool tx_memory_is_plain(const struct vcpu *v)
{
    for (unsigned n = 0; n < v->tx.opened; n++)
        if (v->tx.open[n].shadowed)
            return false;
    return true;
}

/* Which bytes has the store changed? */
static void note_store(struct vcpu *v, const struct open_page *page)
{
    struct transaction *tx = &v->tx;
    const uint8_t *view = view_of(tx, page) + (page->address & ~PAGE_MASK);
    const unsigned watched = tx_watched(v, page);

    if (watched != 0)
        watch_data(&tx->watch, ACCESS_WRITE, page->address, watched);
    for (unsigned n = 0; n < page->bytes; n++) {
        uint64_t at = page->address + n;
        struct undo_line *l = undo_find(tx, at);

        if (view[n] == page->before[n] || l == NULL)
            continue;
        if (tx_kept(v, page, n))
            continue;
        if ((l->stored >> at % LINE_BYTES & 1) != 0 &&
            !faults_rule(v->model->machine, SECOND_STORE_UNDONE, true))
            ((uint8_t *)l->was)[at % LINE_BYTES] = page->before[n];
        if (page->known == 0 && watched != 0)
            watch_data(&tx->watch, ACCESS_WRITE, at, 1);
        l->stored |= BIT(at % LINE_BYTES);
        if (n >= 16)
            l->wide |= BIT(at % LINE_BYTES);
        if (page->shadowed)
            *(uint8_t *)at = view[n];
    }
}

static bool note_stores(struct vcpu *v)
{
    struct transaction *tx = &v->tx;

    for (unsigned n = 0; n < tx->opened; n++) {
        const struct open_page *page = &tx->open[n];
        enum hle_store what = HLE_STORE_DATA;

        if (!page->written)
            continue;
        if (page->shadowed)
            what = hle_stored(v, page, view_of(tx, page));
        if (what == HLE_STORE_ABORTED)
            return false;
        if (what == HLE_STORE_DATA)
            note_store(v, page);
    }
    return true;
}

/* Lines that were logged in case they are written: were they? */
static bool trim_undo(struct vcpu *v)
{
    struct transaction *tx = &v->tx;

    while (tx->undo_lines > 0) {
        const struct undo_line *l = &tx->undo[tx->undo_lines - 1];

        if ((lines_find(&tx->lines, l->address) & LINE_WRITTEN) != 0)
            break;
        if (l->stored != 0)
            return add_line_to_set(v, l->address, true);
        tx->undo_lines--;
    }
    return true;
}

static void close_pages(struct vcpu *v)
{
    struct transaction *tx = &v->tx;

    for (unsigned n = 0; n < tx->opened; n++)
        npt_set_page(&v->tx_pages, tx->open[n].address, 0);
    if (tx->opened > 0)
        v->vmcb->tlb_control = TLB_FLUSH_ALL;
    tx->opened = 0;
}

bool tx_memory_step(struct vcpu *v)
{
    if (!note_stores(v) || !trim_undo(v))
        return false;
    v->vmcb->rflags |= v->tx.rflags & RFLAGS_IF;
    close_pages(v);
    return true;
}

void tx_memory_end(struct vcpu *v, bool undo)
{
    struct transaction *tx = &v->tx;

    /* An instruction cut short may have stored already. */
    for (unsigned n = 0; n < tx->opened; n++)
        if (tx->open[n].written && !tx->open[n].shadowed)
            note_store(v, &tx->open[n]);
    undo_stores(v, undo);
    close_pages(v);
    hint_replace_end(v);
    tx->undo_lines = 0;
}
