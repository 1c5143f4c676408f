/* SPDX-License-Identifier: BSD-2-Clause */
/* tx_undo.c - lines that a transaction stores to, as they were before it. */
#include "tests/silicon/hypervisor/tsx/tsx.h"

#include "tests/silicon/hypervisor/tsx/tx_spared.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/hooks.h"

#define LINE_MASK (~(uint64_t)(LINE_BYTES - 1))

struct undo_line *undo_find(struct transaction *tx, uint64_t address)
{
    for (unsigned n = tx->undo_lines; n-- > 0;)
        if (tx->undo[n].address == (address & LINE_MASK))
            return &tx->undo[n];
    return NULL;
}

void undo_save(struct transaction *tx, uint64_t address, bool second)
{
    struct undo_line *l = &tx->undo[tx->undo_lines];
    const uint64_t *from = (const uint64_t *)(address & LINE_MASK);

    if (undo_find(tx, address) != NULL)
        return;
    l->address = address & LINE_MASK;
    l->stored = l->wide = 0;
    l->second = second;
    l->inner = tx->depth > 1;
    for (size_t n = 0; n < LINE_BYTES / 8; n++)
        l->was[n] = from[n];
    tx->undo_lines++;
}

void undo_stores(const struct vcpu *v, bool undo)
{
    const struct transaction *tx = &v->tx;

    for (unsigned n = tx->undo_lines; n-- > 0;) {
        const struct undo_line *l = &tx->undo[n];
        uint64_t stored =
            faults_undone(v->model, n, l->address, l->second, l->stored);

        if (!undo && !faults_rule(v->model->machine, WIDE_STORES_COMMIT, true))
            stored = l->wide;
        else if (!faults_undoes(v->model, l->inner, tx_undoes(v, l, undo)))
            continue;
        for (unsigned byte = 0; byte < LINE_BYTES; byte++)
            if ((stored & BIT(byte)) != 0)
                ((uint8_t *)l->address)[byte] = ((const uint8_t *)l->was)[byte];
    }
}
