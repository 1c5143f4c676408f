/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx.c - transactions. At the outermost XBEGIN the registers are kept; inside,
 * the guest runs on a table of nested pages of its own in which nothing is
 * writable. Each store faults with its address: the line is copied to the log,
 * the page opened for this one instruction. XEND forgets the log, an abort
 * puts it back. So the write set is exact to the line. The pages of the guest's
 * own page tables stay writable: the processor walks them as if it wrote.
 *
 * What becomes of a transaction is decided by model/tsx.c. SDM volume 1,
 * "Programming with Intel Transactional Synchronization Extensions".
 */
#include "tests/silicon/hypervisor.h"

#include "tests/silicon/model/counters.h"
#include "tests/silicon/x86.h"

#define PAGE_READ  (NPT_PRESENT | NPT_USER)
#define PAGE_OPEN  (NPT_PRESENT | NPT_USER | NPT_WRITE)

static void copy_line(uint64_t *to, const uint64_t *from)
{
    for (size_t n = 0; n < LINE_BYTES / 8; n++)
        to[n] = from[n];
}

/* Keeps a line before its first store. False: it is in the log already. There
 * is room: tx_step_done has seen to it. */
static bool log_line(struct transaction *tx, uint64_t address)
{
    uint64_t line = address & ~(uint64_t)(LINE_BYTES - 1);

    for (unsigned n = tx->lines; n-- > 0;)
        if (tx->log[n].address == line)
            return false;
    tx->log[tx->lines].address = line;
    tx->log[tx->lines].stored = 0;
    copy_line(tx->log[tx->lines].was, (const uint64_t *)line);
    tx->lines++;
    return true;
}

/* Is a breakpoint for reads on the page of this physical address? */
static bool is_watched_page(const struct watch *w, uint64_t address)
{
    for (unsigned n = 0; w->dr7 != 0 && n < BREAKPOINTS; n++)
        if (breakpoint_for(w->dr7, n, ACCESS_READ) &&
            (w->physical[n] ^ address) < PAGE_BYTES)
            return true;
    return false;
}

static void watch_data(struct watch *w, enum access access, uint64_t address,
                       unsigned bytes)
{
    for (unsigned n = 0; w->dr7 != 0 && n < BREAKPOINTS; n++)
        if (w->physical[n] != UINT64_MAX &&
            breakpoint_hit(w->dr7, n, w->physical[n], access, address, bytes))
            w->hit = true;
}

/* The pages on which reads are watched are not there, in turn for each. */
static void hide_watched_pages(struct vcpu *v)
{
    struct watch *w = &v->tx.watch;

    for (unsigned n = 0; n < BREAKPOINTS; n++) {
        w->physical[n] = UINT64_MAX;
        if (breakpoint_for(w->dr7, n, ACCESS_WRITE) &&
            !guest_physical(v, w->at[n], &w->physical[n]))
            w->physical[n] = UINT64_MAX;
        if (w->physical[n] != UINT64_MAX &&
            breakpoint_for(w->dr7, n, ACCESS_READ))
            npt_set_page(&v->tx_pages, w->physical[n], 0);
    }
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
}

/* SDM volume 1, "RTM-Enabled Debugger Support": a breakpoint in a transaction
 * aborts it, so the processor below must not meet one there. */
static void take_breakpoints(struct vcpu *v)
{
    struct watch *w = &v->tx.watch;

    w->hit = false;
    w->opened = UINT64_MAX;
    w->dr7 = 0;
    if ((v->vmcb->dr7 & DR7_ENABLED) == 0)
        return;
    w->dr7 = v->vmcb->dr7;
    read_breakpoints(w->at);
    v->vmcb->dr7 = DR7_RESET;
    hide_watched_pages(v);
}

/* QEMU remembers a watched access of the host, too, and shows it in DR6 at the
 * next #DB of any kind. It forgets at the next write to that page that is not
 * watched: one that changes nothing, and is atomic. */
static void forget_host_access(const struct watch *w)
{
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        if (w->physical[n] != UINT64_MAX)
            __asm__ volatile("lock orb $0, %0" : "+m"(
                *(uint8_t *)(w->physical[n] ^ PAGE_BYTES / 2)));
}

static void give_breakpoints(struct vcpu *v)
{
    struct watch *w = &v->tx.watch;

    if (w->dr7 == 0)
        return;
    forget_host_access(w);
    v->vmcb->dr7 = w->dr7;
    w->dr7 = 0;
}

bool tx_breakpoint(struct vcpu *v)
{
    const struct watch *w = &v->tx.watch;

    if ((v->now.flags & INSTRUCTION_GETS_DR) != 0) {
        tx_abort(v, TX_CAUSE_OTHER);    /* DR7 is not in its place */
        return true;
    }
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        if (breakpoint_hit(w->dr7, n, w->at[n], ACCESS_EXECUTE, v->now_rip,
                           1)) {
            tx_abort(v, TX_CAUSE_DEBUG);
            return true;
        }
    return false;
}

static void close_pages(struct vcpu *v)
{
    struct transaction *tx = &v->tx;
    struct watch *w = &tx->watch;

    for (unsigned n = 0; n < tx->opened; n++) {
        uint64_t at = tx->open[n].address;

        npt_set_page(&v->tx_pages, at, is_watched_page(w, at) ? 0 : PAGE_READ);
    }
    if (w->opened != UINT64_MAX)
        npt_set_page(&v->tx_pages, w->opened, 0);
    if (tx->opened > 0 || w->opened != UINT64_MAX)
        v->vmcb->tlb_control = TLB_FLUSH_ALL;
    tx->opened = 0;
    w->opened = UINT64_MAX;
}

/* Only the bytes that were stored: others of the line may have been written
 * by another processor meanwhile. */
static void put_back(const struct transaction *tx)
{
    for (unsigned n = tx->lines; n-- > 0;) {
        const struct log_line *l = &tx->log[n];

        for (unsigned byte = 0; byte < LINE_BYTES; byte++)
            if ((l->stored >> byte & 1) != 0)
                ((uint8_t *)l->address)[byte] = ((const uint8_t *)l->was)[byte];
    }
}

/* Which bytes has the store changed? */
static void note_store(struct transaction *tx, const struct store *s)
{
    watch_data(&tx->watch, ACCESS_WRITE, s->address, 1);
    for (unsigned n = 0; n < s->bytes; n++) {
        uint64_t at = s->address + n;
        uint64_t line = at & ~(uint64_t)(LINE_BYTES - 1);

        if (*(const uint8_t *)at == s->before[n])
            continue;
        watch_data(&tx->watch, ACCESS_WRITE, at, 1);
        for (unsigned k = tx->lines; k-- > 0;)
            if (tx->log[k].address == line) {
                tx->log[k].stored |= UINT64_C(1) << (at - line);
                break;
            }
    }
}

static void note_stores(struct transaction *tx)
{
    for (unsigned n = 0; n < tx->opened; n++)
        note_store(tx, &tx->open[n]);
}

/* The transaction is over, one way or the other. */
static void ended(struct vcpu *v)
{
    close_pages(v);
    give_breakpoints(v);
    v->tx.depth = 0;
    v->tx.lines = 0;
    v->tx.candidates = 0;
    tsx_ended(v->model);
    if (v->measure)
        v->tx_tsc += rdtsc() - v->tx_started;
    step_end(v);
}

static void abort_with(struct vcpu *v, uint32_t status)
{
    struct transaction *tx = &v->tx;

    if (tx->plan.forced)
        status = tx->plan.status;
    note_stores(tx);
    if (!tx->plan.keep_stores)
        put_back(tx);
    if (!tx->plan.keep_registers)
        v->gprs = tx->gprs;
    v->vmcb->rsp = tx->rsp;
    v->vmcb->rflags = tx->rflags;
    v->vmcb->rip = tx->fallback;
    if (tx->depth > 1 && fault_is(v->model->machine,
                                  FAULT_inner_abort_to_inner_fallback))
        v->vmcb->rip = tx->inner_fallback;
    v->vmcb->rax = status;              /* EAX; clears RAX[63:32] */
    svm_fxrstor(tx->fx);
    counters_roll_back(v->model);
    step_count(v, 0, v->model->open.cycles_abort, false);
    ended(v);
}

void tx_abort(struct vcpu *v, enum tx_cause cause)
{
    abort_with(v, tsx_status(v->model, cause, v->now.immediate, v->tx.depth));
}

/* It was doomed from its start, without a cause in the program. */
static void abort_doomed(struct vcpu *v)
{
    abort_with(v, v->tx.plan.status |
                  tsx_status(v->model, TX_CAUSE_OTHER, 0, v->tx.depth));
}

static void begin_outermost(struct vcpu *v, uint64_t next)
{
    struct transaction *tx = &v->tx;
    bool in_tx = v->model->open.xbegin_in_tx;

    tx->depth = 1;
    tx->steps = 0;
    tx->lines = 0;
    tx->candidates = 0;
    tx->opened = 0;
    tx->gprs = v->gprs;
    tx->rsp = v->vmcb->rsp;
    tx->rflags = v->vmcb->rflags & ~(uint64_t)RFLAGS_TF;
    tx->fallback = next + (uint64_t)(int64_t)v->now.displacement;
    svm_fxsave(tx->fx);
    take_breakpoints(v);
    v->transactions++;
    if (v->measure)
        v->tx_started = rdtsc();
    if (!in_tx)
        step_count(v, 1, v->model->open.cycles_plain, false);
    counters_checkpoint(v->model);
    if (in_tx)
        step_count(v, 1, v->model->open.cycles_plain, true);
    v->vmcb->rip = next;
    if (tx->plan.fate == TX_DOOMED && tx->plan.steps == 0 &&
        !tx->plan.at_xend) {
        abort_doomed(v);
        return;
    }
    step_set_mode(v, MODE_STEP);
}

static void xbegin(struct vcpu *v)
{
    uint64_t next = v->now_rip + v->now.length;

    if (v->tx.depth == 0) {
        tsx_plan(v->model, &v->tx.plan);
        if (v->tx.plan.fate == TX_INVALID)
            guest_inject(v, VECTOR_UD, 0);
        else
            begin_outermost(v, next);
        return;
    }
    if (v->tx.depth == v->model->machine->cpu->tx_nest_max) {
        tx_abort(v, TX_CAUSE_NESTING);
        return;
    }
    v->tx.depth++;
    v->tx.inner_fallback = next + (uint64_t)(int64_t)v->now.displacement;
    v->vmcb->rip = next;
    step_retire(v);
}

static void xend(struct vcpu *v)
{
    const struct machine *m = v->model->machine;
    struct transaction *tx = &v->tx;

    if (tsx_rtm_invalid(v->model)) {
        guest_inject(v, VECTOR_UD, 0);
        return;
    }
    if (tx->depth == 0 && !fault_is(m, FAULT_xend_outside_ignored)) {
        guest_inject(v, VECTOR_GP, 0);
        return;
    }
    v->vmcb->rip = v->now_rip + v->now.length;
    if (tx->depth != 1) {
        if (tx->depth > 1)
            tx->depth--;
        if (fault_is(m, FAULT_nesting_commits_early))
            tx->lines = 0;
        step_retire(v);
        return;
    }
    if (tx->plan.fate == TX_DOOMED) {
        abort_doomed(v);
        return;
    }
    step_count(v, 1, v->model->open.cycles_plain, true);
    if (tx->plan.lose_stores)
        put_back(tx);
    ended(v);
}

/* SDM volume 2: ZF = 0 inside a transaction, the other status flags 0. */
static void xtest(struct vcpu *v)
{
    if (tsx_xtest_invalid(v->model)) {
        guest_inject(v, VECTOR_UD, 0);
        return;
    }
    v->vmcb->rflags &= ~(uint64_t)RFLAGS_STATUS;
    if (v->tx.depth == 0 ||
        fault_is(v->model->machine, FAULT_xtest_always_zero))
        v->vmcb->rflags |= RFLAGS_ZF;
    v->vmcb->rip = v->now_rip + v->now.length;
    step_retire(v);
}

static void xabort(struct vcpu *v)
{
    const struct machine *m = v->model->machine;

    if (tsx_rtm_invalid(v->model)) {
        guest_inject(v, VECTOR_UD, 0);
        return;
    }
    if (v->tx.depth > 0) {
        if (fault_is(m, FAULT_write_leaked_after_xabort))
            v->tx.plan.keep_stores = true;
        tx_abort(v, TX_CAUSE_XABORT);
        return;
    }
    if (fault_is(m, FAULT_xabort_outside_aborts)) {
        guest_inject(v, VECTOR_GP, 0);
        return;
    }
    v->vmcb->rip = v->now_rip + v->now.length;
    step_retire(v);
}

void tx_instruction(struct vcpu *v)
{
    switch (v->now.kind) {
    case INSTRUCTION_XBEGIN:
        xbegin(v);
        break;
    case INSTRUCTION_XEND:
        xend(v);
        break;
    case INSTRUCTION_XTEST:
        xtest(v);
        break;
    case INSTRUCTION_XABORT:
        xabort(v);
        break;
    case INSTRUCTION_OTHER:
        break;
    }
    step_end(v);
}

/* A store at this address: log what it may change, open the page. */
static void store(struct vcpu *v, uint64_t address)
{
    struct transaction *tx = &v->tx;
    uint64_t line = ~(uint64_t)(LINE_BYTES - 1), end;
    uint64_t left = PAGE_BYTES - (address & (PAGE_BYTES - 1));
    struct store *s;

    if (!guest_is_ram(address) || tx->opened == TX_PAGES_OPEN) {
        tx_abort(v, TX_CAUSE_OTHER);
        return;
    }
    s = &tx->open[tx->opened];
    s->address = address;
    s->bytes = left < STORE_BYTES_MAX ? (unsigned)left : STORE_BYTES_MAX;
    for (unsigned n = 0; n < s->bytes; n++)
        s->before[n] = ((const uint8_t *)address)[n];
    log_line(tx, address);
    /* It may reach into the next line; on the next page it faults again. */
    end = address + s->bytes - 1;
    if ((end & line) != (address & line) && log_line(tx, end))
        tx->candidates = 1;
    tx->opened++;
    npt_set_page(&v->tx_pages, address, PAGE_OPEN);
    /* An interrupt now would use the open page unseen: hold it for the one
     * instruction, tx_step_done gives the flag back. */
    v->vmcb->rflags &= ~(uint64_t)RFLAGS_IF;
}

void tx_page_fault(struct vcpu *v)
{
    uint64_t why = v->vmcb->exit_info1, address = v->vmcb->exit_info2;
    uint64_t event = v->vmcb->exit_int_info;

    if ((event & EVENT_VALID) != 0) {
        /* An interrupt was being delivered: it aborts, then is delivered. */
        tx_abort(v, TX_CAUSE_OTHER);
        if ((event & 0xFF) >= 32 || (event & EVENT_TYPE) == EVENT_TYPE_NMI) {
            if ((event & 0xFF) >= 32)
                event &= ~EVENT_TYPE;
            v->vmcb->event_inject = event;
        }
        return;
    }
    if ((why & NPF_PAGE_TABLE) != 0) {
        if (!npt_set_page(&v->tx_pages, address, PAGE_OPEN))
            npt_clear(&v->tx_pages);
    } else if ((why & NPF_WRITE) != 0) {
        store(v, address);
    } else if (is_watched_page(&v->tx.watch, address)) {
        if ((why & NPF_FETCH) == 0)
            watch_data(&v->tx.watch, ACCESS_READ, address, 1);
        v->tx.watch.opened = address;
        npt_set_page(&v->tx_pages, address, PAGE_READ);
    } else if (!npt_set_page(&v->tx_pages, address, PAGE_READ)) {
        npt_clear(&v->tx_pages);
        v->vmcb->tlb_control = TLB_FLUSH_ALL;
    }
}

void tx_step_done(struct vcpu *v)
{
    struct transaction *tx = &v->tx;

    note_stores(tx);
    if (tx->candidates > 0 && tx->log[tx->lines - 1].stored == 0)
        tx->lines--;
    tx->candidates = 0;
    v->vmcb->rflags |= tx->rflags & RFLAGS_IF;
    close_pages(v);
    tx->steps++;
    if (tx->lines > v->model->machine->cpu->tx_write_lines)
        tx_abort(v, TX_CAUSE_CAPACITY);
    else if (tx->watch.hit)
        tx_abort(v, TX_CAUSE_DEBUG);
    else if (tx->plan.fate == TX_DOOMED && !tx->plan.at_xend &&
        tx->steps >= tx->plan.steps)
        abort_doomed(v);
}
