/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * induction.h - what the instructions of a loop do to general registers, so
 * that the addresses of its later rounds are known in its first.
 */
#ifndef SILICON_INSTRUCTIONS_INDUCTION_H
#define SILICON_INSTRUCTIONS_INDUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct induction {
    uint64_t general[16]; /* as ModR/M numbers them */
    uint16_t lost;        /* a bit for each whose value is not known */
};

/* Constants are added; a register that is written otherwise is lost. False: an
 * instruction that is not known here. */
bool induction_step(struct induction *s, const uint8_t *bytes, size_t length);

#endif
