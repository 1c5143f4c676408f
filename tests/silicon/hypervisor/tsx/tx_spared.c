/* SPDX-License-Identifier: BSD-2-Clause */
/* tx_spared.c - lines that a fault leaves out of what a transaction monitors,
 * and bytes out of what its abort undoes: tx_memory.c. */
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/tsx/tx_spared.h"
#include "tests/silicon/model/hooks.h"

#define MOVUPS      0x100Fu /* 0FH 10H */
#define POP         0x58u   /* and up to 5FH */
#define XCHG_BYTE   0x86u   /* and the next: of another size */
#define PUSHF       0x9Cu
#define MOVSS       0x110FF3u /* F3H 0FH 11H */
#define REX_W       0x48u
#define STACK_BYTES 256 /* below RSP */
/* And OR, ADC, SBB, AND, SUB, XOR; CMP stores nothing. */
#define ADD_REGISTER 0x01u

/* Behind prefixes; of two bytes with 0FH in [15:8]. */
static uint32_t opcode_of(const struct vcpu *v)
{
    const uint8_t *at = (const uint8_t *)v->decoded->words;

    while (*at == 0x66 || *at == 0xF2 || *at == 0xF3 || *at == 0xF0)
        at++;
    if ((*at & 0xF0) == 0x40) /* REX */
        at++;
    return at[0] == 0x0F ? 0x0F00u | at[1] : at[0];
}

unsigned tx_spared(struct vcpu *v, uint64_t address, bool write)
{
    const struct machine *m = v->model->machine;
    const struct elision *e = &v->tx.elision;
    bool acquires = v->tx.hle && e->now == ELIDE_ACQUIRE;

    if (faults_about(m, write ? UNWRITTEN_FORMS : UNREAD_FORMS, opcode_of(v)) ||
        (v->current.locked && !v->tx.hle &&
         !faults_rule(m, LOCKED_MONITORED, true)) ||
        (write &&
         v->tx.lines.writes >= faults_quantity(m, MONITORED, 1, UINT32_MAX)) ||
        (acquires && (v->current.hinted & ~1u) != XCHG_BYTE &&
         !faults_rule(m, LOCKED_LOCK_MONITORED, true)) ||
        (write && v->tx.depth > 1 &&
         !faults_rule(m, INNER_WRITES_MONITORED, true)) ||
        (!write && (v->current.flags & INSTRUCTION_REPEATS) != 0 &&
         !faults_rule(m, STRINGS_MONITORED, true)) ||
        (!write && (v->decoded->words[0] & BITS(7, 3)) == POP &&
         !faults_rule(m, POPS_MONITORED, true)) ||
        (!write && (v->decoded->words[0] & BITS(15, 0)) == MOVUPS &&
         !faults_rule(m, VECTORS_MONITORED, true)) ||
        (!write && address % PAGE_BYTES == 0 &&
         !faults_rule(m, READS_SECOND_PAGE, true) &&
         memory_bytes(v, address, DATA_LOAD) < 8) ||
        (acquires && e->locks > 0 &&
         !faults_rule(m, INNER_LOCK_MONITORED, true)))
        return LINE_SPARED;
    return 0;
}

unsigned tx_watched(const struct vcpu *v, const struct open_page *page)
{
    const struct machine *m = v->model->machine;

    if (v->tx.depth > 1 && !faults_rule(m, INNER_STORES_WATCHED, true))
        return 0;
    return page->known != 0 && faults_rule(m, STORES_WATCHED_WHOLE, true)
               ? page->known
               : 1;
}

bool tx_undoes(const struct vcpu *v, const struct undo_line *l, bool undo)
{
    const uint64_t lock = v->tx.elision.lock[0].address;
    const uint64_t kept =
        faults_quantity(v->model->machine, KEPT_LINES, v->tx.cause, 0);

    if (undo && v->tx.cause == TX_CAUSE_XABORT && l - v->tx.undo >= 64 &&
        !faults_rule(v->model->machine, MANY_LINES_UNDONE, true))
        return false;
    if (undo &&
        ((l->second && (kept & 1) != 0) || (l->inner && (kept & 2) != 0)))
        return false;
    if (!v->tx.hle || (lock ^ l->address) / LINE_BYTES != 0)
        return undo;
    return undo == faults_rule(v->model->machine,
                               undo ? LOCK_LINE_UNDONE : LOCK_LINE_COMMITS,
                               true);
}

bool tx_kept(const struct vcpu *v, const struct open_page *page, unsigned n)
{
    const struct machine *m = v->model->machine;
    const uint64_t at = page->address + n;

    const uint16_t opcode = (uint16_t)(v->decoded->words[0] >> 8);

    return faults_about(m, KEPT_FORMS, opcode_of(v)) ||
           ((v->decoded->words[0] & BITS(7, 0)) == PUSHF &&
            !faults_rule(m, FLAGS_STORES_UNDONE, true)) ||
           ((opcode & ~UINT16_C(0x38)) % 256 == ADD_REGISTER &&
            (v->decoded->words[0] & BITS(7, 0)) == REX_W &&
            !faults_rule(m, REGISTER_ADDS_UNDONE, true)) ||
           ((v->decoded->words[0] & BITS(23, 0)) == MOVSS &&
            !faults_rule(m, VECTOR_STORES_UNDONE, true)) ||
           ((opcode == 0xAB0F || opcode == 0xBA0F) &&
            !faults_rule(m, BIT_STORES_UNDONE, true)) ||
           (v->current.tx == TX_MAY_HINT &&
            !faults_rule(m, NONTEMPORAL_UNDONE, true)) ||
           ((v->current.flags & INSTRUCTION_REPEATS) != 0 &&
            !faults_rule(m, REP_STORES_UNDONE, true)) ||
           (n >= 16 && !faults_rule(m, WIDE_STORES_UNDONE, true)) ||
           (v->tx.suspended && !faults_rule(m, SUSPENDED_UNDONE, true)) ||
           (n >= 8 && v->current.tx == TX_MAY_X87 &&
            !faults_rule(m, X87_STORES_UNDONE, true)) ||
           (v->tx.rsp - at - 1 < STACK_BYTES &&
            !faults_rule(m, PUSHES_UNDONE, true)) ||
           (n >= 8 && v->current.locked &&
            !faults_rule(m, PAIR_STORES_UNDONE, true)) ||
           (at % LINE_BYTES == LINE_BYTES - 1 && v->tx.depth > 1 &&
            !faults_rule(m, NESTED_LAST_UNDONE, true));
}
