/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psb.h - the place to begin at: Packet Stream Boundary.
 *
 * SDM 3C, Intel Processor Trace, "PSB Packet Definition": 02H 82H eight times.
 * One 82H is also a short TNT, so that only the whole pattern is a PSB; and
 * since no PSB holds the start of another, a pattern of more than 16 bytes is
 * something cut short, then a PSB: its last 16 bytes are the PSB.
 */
#ifndef SRC_PT_PSB_H
#define SRC_PT_PSB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PSB_LENGTH 16

/* The bytes at the start of these that are 02H 82H over and over; even. */
size_t psb_pattern_bytes(const uint8_t *bytes, size_t size);

/* Looks for the first PSB. True: it is at *at. False: there is none before *at,
 * which leaves less than PSB_LENGTH + 2 bytes that may be the start of one; or
 * none at all where no bytes follow (last), and then *at is size. */
bool psb_find(const uint8_t *bytes, size_t size, bool last, size_t *at);

#endif
