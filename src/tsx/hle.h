/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hle.h - critical sections with hardware lock elision, tried and checked.
 *
 * SDM 1, "Programming with Intel Transactional Synchronization Extensions",
 * "HLE Software Interface": elided or not, an execution is functionally
 * equivalent to one without the prefixes.
 */
#ifndef SRC_TSX_HLE_H
#define SRC_TSX_HLE_H

#include "asm/hle_regions.h"
#include "src/harness/case.h"

struct hle_form {
    const char *name;
    hle_region *region;
    uint64_t before, held; /* the lock outside and inside */
};
#define HLE_FORMS 27
extern const struct hle_form hle_forms[HLE_FORMS];
#define HLE_FORMS_XCHG 9 /* the first; the others have a LOCK prefix */

struct hle_tally {
    unsigned tried, elided;
    unsigned lock_wrong;    /* the lock is not as before afterwards */
    unsigned seen_wrong;    /* not as held, inside */
    unsigned seen_before;   /* of these: as it was before */
    unsigned data_wrong;    /* the section's store was not made exactly once */
    unsigned still_running; /* a transaction still ran after the XRELEASE */
};

/* True where XTEST may be executed (RTM or HLE is enumerated). */
bool hle_can_ask(const struct test_context *t);

/* False, with a FAIL, where one of the prefixes raises an exception, or where a
 * section is elided again after its abort, without end: then no critical
 * section can be tried. */
bool hle_hints(struct test_context *t);

/* True where a lock is elided, by CPUID and the regime, and hle_hints(). Never
 * in a guest: its hypervisor may hide the register that says otherwise. */
bool hle_elides(struct test_context *t);

/* Adds so many executions of the form to *tally; asks XTEST where
 * hle_can_ask(), or, the second, where `ask`. */
void hle_try(struct test_context *t, const struct hle_form *form,
             unsigned times, struct hle_tally *tally);

void hle_try_asking(struct test_context *t, const struct hle_form *form,
                    unsigned times, bool ask, struct hle_tally *tally);

/* Sections whose XRELEASE stores another value: those elided abort once. */
static inline void hle_mismatch(struct test_context *t, unsigned times)
{
    volatile uint64_t *lock = test_buffer(t);

    for (unsigned i = 0; i < times; i++) {
        struct hle_block block = {.lock = lock, .turns = 1};
        *lock = 0;
        hle_other_value(&block);
    }
}

/* Checks all of it but whether it was elided. */
void hle_check(struct test_context *t, const struct hle_tally *tally);

#endif
