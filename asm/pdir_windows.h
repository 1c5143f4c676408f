/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pdir_windows.h - windows of instructions that all differ, each at a known
 * address (asm/pdir_windows.asm), to see which of them a record is of.
 */
#ifndef ASM_PDIR_WINDOWS_H
#define ASM_PDIR_WINDOWS_H

#include <stdint.h>

/* Offsets from pdir_code of the instructions 1 to PDIR_x in order, at [0] on,
 * and of the one after them. */
#define PDIR_STRAIGHT 48
#define PDIR_LOOP     31
extern const uint8_t pdir_code[];
extern const uint32_t pdir_straight_at[PDIR_STRAIGHT + 1];
extern const uint32_t pdir_loop_at[PDIR_LOOP + 1];
extern const uint32_t pdir_branches_at[PDIR_STRAIGHT + 1];

/* Each writes `enable` to IA32_PERF_GLOBAL_CTRL (38FH) and 0 at the end; a
 * value that it refuses raises an exception that ends the job. Between the two
 * WRMSRs are
 *   straight: one jump, `nops` NOPs (0 to PDIR_NOPS_MAX), instructions 1 to
 *             PDIR_STRAIGHT, and what closes the window;
 *   loop:     instructions 1 to PDIR_LOOP, `turns` times (1 at least),
 *   branches: one jump, `before` conditional branches (0 to PDIR_BRANCHES_MAX)
 *             and PDIR_STRAIGHT more, none of which is taken,
 * likewise.
 */
#define PDIR_NOPS_MAX     160
#define PDIR_BRANCHES_MAX 128
void pdir_straight(uint64_t enable, uint64_t nops);
void pdir_loop(uint64_t enable, uint64_t turns);
void pdir_branches(uint64_t enable, uint64_t before);

/* Such a window, in which RDPMC reads counter `index` after PDIR_BEFORE
 * instructions that have retired: the answer. */
#define PDIR_BEFORE 2
uint64_t pdir_opening(uint64_t enable, uint32_t index);

#endif
