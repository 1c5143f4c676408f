/* SPDX-License-Identifier: BSD-2-Clause */
/* regime_letters.h - regimes by their letters, for tables of them. */
#ifndef TESTS_HOST_FAKES_REGIME_LETTERS_H
#define TESTS_HOST_FAKES_REGIME_LETTERS_H

#include "src/cpu/regime.h"

#define A  REGIME_A
#define B  REGIME_B
#define C  REGIME_C
#define C_ REGIME_C_PRIME
#define D  REGIME_D
#define E  REGIME_E
#define F  REGIME_F
#define X  REGIME_CONTRADICTORY

#endif
