/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branches.h - a branch predictor, for BR_MISP_RETIRED. "Branch prediction
 * hardware is implementation-specific": two bits a conditional branch, the last
 * target of an indirect one, a stack of return addresses.
 */
#ifndef SILICON_MODEL_LBR_BRANCHES_H
#define SILICON_MODEL_LBR_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

#define PREDICTED_DIRECTIONS 256
#define PREDICTED_TARGETS    64
#define PREDICTED_RETURNS    16

struct instruction;

struct predictor {
    uint8_t direction[PREDICTED_DIRECTIONS]; /* 0, 1: not taken; 2, 3: taken */
    struct {
        uint64_t from, to;
    } target[PREDICTED_TARGETS];
    uint64_t returns[PREDICTED_RETURNS];
    unsigned calls;
};

/* The branch at ip goes on at `next`: was it predicted so? Learns from it. */
bool branches_predicted(struct predictor *b, const struct instruction *i,
                        uint64_t ip, uint64_t next, bool taken);

/* It said no: where had it expected this branch to go on? 0: not known. */
uint64_t branches_expected(const struct predictor *b,
                           const struct instruction *i, uint64_t ip,
                           bool taken);

#endif
