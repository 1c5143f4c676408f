/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ptws.h - the PTW packets of a trace. SDM 3C, Intel Processor Trace, "PTW
 * Packet Definition".
 */
#ifndef SRC_TRACE_PTWS_H
#define SRC_TRACE_PTWS_H

#include "src/trace/trace.h"

#define PTWS_MAX   8
#define PTWS_FORMS 4

struct ptws {
    unsigned count;       /* all of them; `of` has the first PTWS_MAX */
    unsigned without_fup; /* with IP = 1, and no FUP is next */
    bool lost;            /* packets were: OVF */
    struct ptw {
        uint64_t payload;
        uint64_t fup;     /* the address of the FUP that is next; 0: none */
        unsigned results; /* of conditional branches, before it */
        bool whole;       /* 8 bytes, else 4 */
        bool ip;          /* IP = 1 */
    } of[PTWS_MAX];
};

void ptws_read(const struct trace *p, struct ptws *out);

/* Checks that they are those of this operand, whole, half, whole, half. */
void ptws_check_forms(struct test_context *t, const char *what,
                      const struct ptws *found, uint64_t operand);

#endif
