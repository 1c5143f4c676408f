/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_spared.h - between tx_memory.c and tx_spared.c: what a fault leaves out of
 * what a transaction monitors, watches and undoes.
 */
#ifndef SILICON_HYPERVISOR_TSX_TX_SPARED_H
#define SILICON_HYPERVISOR_TSX_TX_SPARED_H

#include "tests/silicon/hypervisor/guest/vcpu.h"

/* LINE_SPARED where a fault does not monitor this access. */
unsigned tx_spared(struct vcpu *v, uint64_t address, bool write);
/* The bytes of a store that breakpoints watch: all that are known; where it is
 * not known how many, the first, and those that change. */
unsigned tx_watched(const struct vcpu *v, const struct open_page *page);
/* Does the end of the transaction undo what was stored to this line? */
bool tx_undoes(const struct vcpu *v, const struct undo_line *l, bool undo);
/* Does it leave this byte of a store that an abort has to undo? */
bool tx_kept(const struct vcpu *v, const struct open_page *page, unsigned n);

#endif
