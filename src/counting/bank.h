/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bank.h - all counters of this logical processor at once, each with a select
 * and a value of its own, over one window. (The same event on all of them:
 * counters.h.)
 *
 * A counter's place is its bit in IA32_PERF_GLOBAL_CTRL (38FH) and
 * IA32_PERF_GLOBAL_STATUS (38EH): n of IA32_PMCn, 32 + n of IA32_FIXED_CTRn
 * (SDM 3B, "Architectural Performance Monitoring Version 2" and "Version 3").
 */
#ifndef SRC_COUNTING_BANK_H
#define SRC_COUNTING_BANK_H

#include "src/counting/count_bounds.h"
#include "src/counting/counters.h"

#define BANK_FIXED   4 /* IA32_FIXED_CTR0 to 3 */
#define PLACE_FIXED0 32
#define PLACES_END   (PLACE_FIXED0 + BANK_FIXED)

/* What is written before a window, or read after it. */
struct bank {
    /* hw_pmi_begin(), and hw_pmi_mask(), hw_pmi_hold() or hw_pmi_outrank() */
    enum bank_pmi {
        BANK_NO_PMI,
        BANK_PMI,
        BANK_PMI_AS_NMI,
        BANK_PMI_MASKED,
        BANK_PMI_HELD,
        BANK_PMI_OUTRANKED
    } pmi;
    uint64_t select[COUNTERS_MAX]; /* IA32_PERFEVTSELx, whole */
    uint64_t pmc[COUNTERS_MAX];
    uint64_t fixed_ctrl; /* IA32_FIXED_CTR_CTRL */
    uint64_t fixed[BANK_FIXED];
    uint64_t cell; /* written only: the first cell of the window */
    void (*prepare)(uint64_t cell); /* before each attempt; NULL: nothing */
    bool live;     /* it writes registers of counters, or aborts transactions:
                      what they do to them is for the test to judge */
    uint64_t ctrl; /* opens the window; read: as bank_work() left it, else 0 */
    uint64_t status;   /* read only: what the window set in 38EH */
    uint64_t stale;    /* read only: bits of 38EH that could not be cleared */
    uint64_t tsc;      /* read only: from before to after the window */
    uint64_t debugctl; /* read only: IA32_DEBUGCTL */
    /* Read only, with `pmi`: hw_pmi_count(), hw_pmi_masked(), hw_pmi_rip(). */
    unsigned interrupts, masked;
    uint64_t rip;
};

/* Fixed counters there are from IA32_FIXED_CTR0 on, without a hole, by either
 * list of CPUID.0AH (SDM 3B, "Architectural Performance Monitoring Version 5");
 * at most BANK_FIXED. */
unsigned bank_fixed(const struct identity *id);

/* The places of all counters: n of the general-purpose ones and 32 + n. */
uint64_t bank_places(const struct identity *id);

/* Of those, the ones that count with USR alone: on some processors IA32_PMC4 to
 * 7 never do (BDM126; counter_privilege asks for it). */
uint64_t bank_user_places(const struct identity *id, uint64_t places);

/* Those that the manual promises to work as things are: of counter 3
 * counter3_is_reliable(). Transactions commit still. */
uint64_t bank_promised(struct test_context *t);

/* counters_claim(), after counter 3 was made to work where it can be, even if
 * no transaction commits then. Returns bank_promised(); 0 where the registers
 * could not be taken over (ERROR is said). Where counter 3 is left out, a line
 * says so. */
uint64_t bank_claim(struct test_context *t);

/* The highest value of the counter at that place: all bits of its width. */
uint64_t bank_mask(const struct identity *id, unsigned place);
/* True where a WRMSR can give it that value: all of its width, or, by C1H
 * without full-width writes, 32 bits sign-extended. */
bool bank_can_hold(const struct identity *id, unsigned place, uint64_t value);
/* The MSR of the counter at that place. */
uint32_t bank_msr(unsigned place);
uint64_t *bank_value(struct bank *bank, unsigned place);
static inline uint64_t bank_count(const struct bank *bank, unsigned place)
{
    return place < PLACE_FIXED0 ? bank->pmc[place]
                                : bank->fixed[place - PLACE_FIXED0];
}

/* All counters of `places` programmed with that event (event and umask bits,
 * any others of IA32_PERFEVTSELx; OS, USR and EN are added), or their own fixed
 * one, from 0; ctrl = places. */
struct bank bank_of(uint64_t places, uint64_t select);

/* Writes every select and counter, clears the status, runs the window (again
 * where an SMI hit it), reads all of them back; FAIL where a select,
 * IA32_FIXED_CTR_CTRL or IA32_DEBUGCTL is not as it was, a counter that is not
 * enabled has moved, or a status bit is set or not against its counter. After
 * bank_claim(). False where an access faulted, or SMIs do not end (ERROR is
 * said), or interrupts were asked for and there is no local APIC (SKIP is
 * said). */
bool bank_window(struct test_context *t, const struct bank *before,
                 window_function *window, struct bank *after);

/* The same with window_live(): `live` is for its cell, and `before` is told. */
bool bank_live(struct test_context *t, struct bank *before,
               struct window_live *live, struct bank *after);

/* The same around work(argument), which counts as well: the instructions of a
 * call. It writes no MSR by name. */
bool bank_work(struct test_context *t, const struct bank *before,
               void (*work)(void *argument), void *argument,
               struct bank *after);

/* Pure. What the counter at that place may count over a window that lasts no
 * longer than `tsc`, with EVENT_BRANCHES in its select where it has one.
 * Reference cycles (IA32_FIXED_CTR2) come in steps of no stated size, maybe
 * none; slots (IA32_FIXED_CTR3) are some in each core cycle. */
struct count_bounds bank_bounds(unsigned place,
                                const struct window_shape *shape, uint64_t tsc);

/* Pure. The erratum that a count at that place outside its bounds may be of,
 * for check_known(), where instructions retired are counted; *signature:
 * whether this deviation looks like it. Other events have none. */
enum erratum bank_erratum(unsigned place, bool instructions, uint64_t counted,
                          struct count_bounds want, bool *signature);

#endif
