/* SPDX-License-Identifier: BSD-2-Clause */
/* clock.h - time in units of the time-stamp counter. */
#ifndef EFI_CLOCK_H
#define EFI_CLOCK_H

#include "efi/warnings.h"

#include <stdbool.h>
#include <stdint.h>

/* Measures the counter against the firmware's Stall(); takes 12 ms. */
void clock_start(struct warnings *warnings);
/* The counter's value after so many milliseconds from now. */
uint64_t clock_ticks(uint64_t ms); /* of the time-stamp counter */
uint64_t clock_deadline(uint64_t ms);
bool clock_passed(uint64_t deadline);

#endif
