/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * provoke.h - counter 3 enabled and counting while transactions run, with
 * counter 1 as its twin: what its registers hold right afterwards, before
 * anything else is written. Counter 0 counts the same: it and the twin have to
 * agree whatever counter 3 does.
 *
 * White paper 604224, section 1.2: IA32_PMC3, IA32_PERFEVTSEL3,
 * IA32_PERF_GLOBAL_CTRL[3] and IA32_PERF_GLOBAL_INUSE[3] "may contain
 * unexpected values". Erratum SKL179.
 */
#ifndef SRC_COUNTING_PROVOKE_H
#define SRC_COUNTING_PROVOKE_H

#include "src/harness/case.h"

/* The values of a window that was not as it had to be; alike where all but
 * `times` are. */
struct provoked_values {
    uint64_t select, wanted; /* IA32_PERFEVTSEL3, and as it was written */
    uint64_t control, in_use;
    uint32_t off; /* PMC3 and its twin differ by: 0, 8 or fewer, 1000, more */
    uint32_t times;
};
#define PROVOKED_VALUES 6 /* different ones that are kept */

/* Windows in which a register was not as it had to be. */
struct provoked {
    uint32_t rounds, wrong; /* wrong: in any of: */
    uint32_t select, control, in_use, count, status;
    uint32_t dropped; /* windows that an SMI hit: in none of the others */
    uint64_t got_select, want_select; /* IA32_PERFEVTSEL3, of the last wrong */
    uint64_t got_count, want_count;   /* what counters 3 and 1 counted */
    /* Windows in which counters 0 and 1 were not alike and as written, in none
     * of the figures above; of the last one: what each counted, the bits in
     * which a select was otherwise, [1:0] of 38FH, and in [3:2] of 38EH. */
    uint32_t others, other_bits;
    uint64_t other_counts[2], other_selects;
};

struct provoked_histogram {
    struct provoked_values values[PROVOKED_VALUES];
    uint32_t others; /* windows for whose values there was no room */
};

/* Where counter 3 and its twin begin. */
enum provoked_from {
    FROM_0,      /* far from overflow */
    SHORT_OF_IT, /* up to 240 events before it, another number each turn */
};

/* Transactions in a window: few at first, and more, while there is time, up to
 * 512. `times`: of the window before. */
#define PROVOKE_FEW 2
unsigned provoke_more(unsigned times);

/* One round: programs counters 0, 1 and 3 alike, runs work(argument) while they
 * count, looks. `turn` picks the select. A window that an SMI hit is dropped.
 * Needs counters_claim(). histogram: or NULL. False where an access faulted. */
bool provoke(struct test_context *t, unsigned turn, enum provoked_from from,
             void (*work)(void *argument), void *argument, struct provoked *out,
             struct provoked_histogram *histogram);

/* A line a register: FAIL where counter 3 is promised, else a figure. `what` is
 * "transactions that commit". FAIL where counters 0 and 1 were wrong. */
void provoke_report(struct test_context *t, bool promised, const char *what,
                    const struct provoked *provoked);

/* A line for each different set of values. `rounds`: of how many windows. */
void provoke_report_values(struct test_context *t,
                           const struct provoked_histogram *histogram,
                           uint64_t rounds);

#endif
