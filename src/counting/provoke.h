/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * provoke.h - counter 3 enabled, counting and short of overflow while
 * transactions run, with counter 1 as its twin: what its registers hold right
 * afterwards, before anything else is written.
 *
 * White paper 604224, section 1.2: IA32_PMC3, IA32_PERFEVTSEL3,
 * IA32_PERF_GLOBAL_CTRL[3] and IA32_PERF_GLOBAL_INUSE[3] "may contain
 * unexpected values". Erratum SKL179.
 */
#ifndef SRC_COUNTING_PROVOKE_H
#define SRC_COUNTING_PROVOKE_H

#include "src/harness/case.h"

/* Rounds in which a register was not as it had to be. */
struct provoked {
    unsigned rounds, wrong; /* wrong: in any of: */
    unsigned select, control, in_use, count, status;
    uint64_t got_select, want_select; /* IA32_PERFEVTSEL3, of the last wrong */
    uint64_t got_count, want_count;   /* what counters 3 and 1 counted */
};

/* One round: programs counters 1 and 3 alike, runs work(argument) while they
 * count, looks. `turn` picks select and preset. Needs counters_claim(). False
 * where an access faulted. */
bool provoke(struct test_context *t, unsigned turn,
             void (*work)(void *argument), void *argument,
             struct provoked *out);

/* A line a register: FAIL where counter 3 is promised, else OBSERVED. `what` is
 * "transactions that commit". */
void provoke_report(struct test_context *t, bool promised, const char *what,
                    const struct provoked *provoked);

#endif
