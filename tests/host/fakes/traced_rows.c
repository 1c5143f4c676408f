/* SPDX-License-Identifier: BSD-2-Clause */
/* traced_rows.c - code that a host cannot execute, of other modes and at other
 * addresses: the model is told what its rows say that it does. */
#include "asm/trace_window.h"
#include "tests/host/fakes/traced_parts.h"

#include <string.h>

/* As in asm/trace_bodies.inc. */
#define TIP         3
#define FUP         5
#define TX          9
#define PIP_OWN     14
#define TIP_ALIAS   20
#define TIP_ALIAS_2 21
#define FUP_ALIAS_2 22
#define PIP_COUNT   23
#define MODE_EXEC   26
#define FUP_ALIAS   27

#define MODE_64       1
#define MODE_32       2
#define MODE_16       0
#define MOV_BYTES     3 /* MOV to CR3 */
#define BEGUN         1 /* of TX */
#define COMMITTED     0
#define XBEGIN_BYTES  6
#define XEND_BYTES    3
#define FAR_PAIRS     3 /* the first row of trace_body_far that is of a pair */
#define PTWRITE_BYTES 6
#define VECTOR_BP     3
#define VECTOR_PF     14

/* Of entries of page tables. */
#define PRESENT   1u
#define PAGE_SIZE (1u << 7)
#define ADDRESS   UINT64_C(0x000ffffffffff000)

static const struct {
    const uint8_t *body;
    const struct trace_row *rows;
} bodies[] = {{trace_body_alias, trace_body_alias_path},
              {trace_body_far, trace_body_far_path},
              {trace_body_alias_ptwrite, trace_body_alias_ptwrite_path},
              {trace_body_alias_calls, trace_body_alias_calls_path},
              {trace_body_alias_tx, trace_body_alias_tx_path},
              {trace_body_modes, trace_body_modes_path}};

extern int hw_msr_write(uint32_t msr, uint64_t value);

struct rows {
    struct trace_window *window;
    uint64_t at; /* where it is */
    int mode;
    uint64_t raised;            /* an exception, there; 0: none */
    bool aborts;                /* a transaction, by the next branch */
    const struct trace_row *tx; /* of the next FUP; NULL: it is of none */
    bool lost; /* it went where nothing is, or something else */
};

/* "4-Level Paging"; 0: not mapped. */
static uint64_t physical(uint64_t address)
{
    uint64_t entry = traced_cr3;

    for (unsigned shift = 39; shift >= 12; shift -= 9) {
        const uint64_t *table = (const uint64_t *)(uintptr_t)(entry & ADDRESS);
        const uint64_t rest = (UINT64_C(1) << shift) - 1;

        entry = table == NULL ? 0 : table[address >> shift & 511];
        if ((entry & PRESENT) == 0)
            return 0;
        if (shift == 12 || (shift < 39 && (entry & PAGE_SIZE) != 0))
            return (entry & ADDRESS & ~rest) | (address & rest);
    }
    return 0;
}

/* A descriptor of code: what its L and D make of it. */
static int mode_of(const struct rows *r, int wanted)
{
    const uint64_t selector = r->window->argument + (wanted == MODE_16 ? 8 : 0);
    uint64_t descriptor;

    if (wanted == MODE_64 || selector + 8 > traced.gdt_bytes)
        return MODE_64;
    memcpy(&descriptor, traced.gdt + selector, sizeof(descriptor));
    return (descriptor >> 54 & 1) != 0 ? MODE_32 : MODE_16;
}

static struct pt_step step(const struct rows *r, uint64_t next)
{
    struct pt_step now = traced_step(r->at, next, 1);

    now.cs_l = r->mode == MODE_64;
    now.cs_d = r->mode == MODE_32;
    return now;
}

static void retire(struct rows *r, uint32_t flags, uint64_t next)
{
    const struct instruction i = {.flags = flags};
    const struct pt_step now = step(r, next);

    pt_retired(&traced_processor, &i, &now);
    traced_output();
    r->at = next;
}

static void write_cr3(struct rows *r, uint64_t cr3)
{
    traced_cr3 = cr3;
    retire(r, INSTRUCTION_SETS_CR3, r->at + MOV_BYTES);
    r->lost |= physical(r->at) == 0;
}

/* To the handler of an exception, or by a branch. */
static void go(struct rows *r, uint64_t next)
{
    const bool far = r->window->body == trace_body_modes;

    if (r->aborts) {
        const struct pt_step now = step(r, next);
        pt_tx_abort(&traced_processor, &now);
        r->window->cells[1] = (uint64_t)TRACE_XABORT << 24 | 1;
        r->aborts = false;
        r->at = next;
        return;
    }
    if (r->raised == 0) {
        retire(r,
               far ? INSTRUCTION_FAR | INSTRUCTION_RETURN
                   : INSTRUCTION_BRANCH | INSTRUCTION_INDIRECT,
               next);
        return;
    }
    r->lost |= traced_handler(VECTOR_BP) != next;
    struct pt_step now = step(r, next);
    now.vector = VECTOR_BP;
    pt_event(&traced_processor, &now);
    traced_output();
    r->raised = 0;
    r->at = next;
}

/* What begins a transaction or ends it. */
static void change(struct rows *r)
{
    const int32_t bits = r->tx->at;
    const struct pt_step now =
        step(r, r->at + (bits == BEGUN ? XBEGIN_BYTES : XEND_BYTES));

    r->tx = NULL;
    if (bits == BEGUN) {
        pt_tx_begin(&traced_processor, &now, false);
    } else if (bits == COMMITTED) {
        pt_tx_commit(&traced_processor, &now);
        r->window->cells[2] = UINT32_MAX;
    } else {
        r->aborts = true;
        return;
    }
    r->at = now.next;
}

static void write_ptw(struct rows *r)
{
    const struct instruction i = {.is_ptwrite = true, .operand_bytes = 8};
    struct pt_step now = step(r, r->at + PTWRITE_BYTES);

    now.ptw = r->window->argument;
    pt_retired(&traced_processor, &i, &now);
    traced_output();
    r->at = now.next;
}

static void fup(struct rows *r, uint64_t at)
{
    /* A direct jump led there. */
    if (r->at != at)
        retire(r, INSTRUCTION_BRANCH, at);
    if (r->window->body == trace_body_alias_ptwrite)
        write_ptw(r);
    else if (r->tx != NULL)
        change(r);
    else
        r->raised = at;
}

static void play(struct rows *r, const struct trace_row *row, unsigned number)
{
    const uint64_t low =
                       (uintptr_t)r->window->body + (uint64_t)(int64_t)row->at,
                   alias = low + r->window->argument;
    const unsigned pair = number - FAR_PAIRS;

    switch (row->kind) {
    case TIP:
        go(r, low);
        break;
    case TIP_ALIAS:
        r->lost |= physical(alias) != low;
        go(r, alias + (r->window->body == trace_body_far &&
                               number >= FAR_PAIRS && pair % 2 == 0
                           ? UINT64_C(1) << (TRACE_FAR_FIRST + pair / 2)
                           : 0));
        break;
    case TIP_ALIAS_2:
        r->lost |= physical(alias + TRACE_ALIAS_STEP) != low;
        go(r, alias + TRACE_ALIAS_STEP);
        break;
    case FUP:
        fup(r, low);
        break;
    case FUP_ALIAS_2:
        fup(r, alias + TRACE_ALIAS_STEP);
        break;
    case FUP_ALIAS:
        fup(r, alias);
        break;
    case TX:
        r->tx = row;
        break;
    case PIP_COUNT:
        r->window->cells[0] = traced_cr3;
        write_cr3(r, r->window->count);
        break;
    case PIP_OWN:
        write_cr3(r, r->window->cells[0]);
        break;
    default: /* MODE_EXEC */
        r->mode = mode_of(r, row->at);
    }
}

bool traced_rows(struct trace_window *window, int *vector)
{
    struct rows r = {.window = window, .mode = MODE_64};
    const struct trace_row *rows = NULL;

    for (unsigned n = 0; n < sizeof(bodies) / sizeof(bodies[0]); n++)
        if (bodies[n].body == window->body)
            rows = bodies[n].rows;
    if (rows == NULL)
        return false;
    traced.at = (uintptr_t)trace_window_on;
    traced.next = r.at = (uintptr_t)trace_window_on_next;
    *vector = hw_msr_write(window->msr, window->control);
    if (*vector >= 0)
        return true;
    for (unsigned n = 0; rows[n].kind != 0 && !r.lost; n++)
        play(&r, &rows[n], n);
    retire(&r, INSTRUCTION_BRANCH, (uintptr_t)trace_window_off);
    traced.at = (uintptr_t)trace_window_off_at;
    traced.next = traced.at + 2;
    hw_msr_write(window->msr, window->control & ~UINT64_C(1));
    traced.at = traced.next = 0;
    if (r.lost)
        *vector = VECTOR_PF;
    return true;
}
