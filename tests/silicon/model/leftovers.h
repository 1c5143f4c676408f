/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leftovers.h - registers as firmware may leave them: each that a program can
 * write has a value drawn by SEED, not that after reset. Nothing is enabled.
 */
#ifndef SILICON_MODEL_LEFTOVERS_H
#define SILICON_MODEL_LEFTOVERS_H

#include "tests/silicon/model/machine.h"

/* After reset, before any program. */
void leftovers_draw(struct processor *p);

#endif
