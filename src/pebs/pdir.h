/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pdir.h - precise distribution of instructions retired (PDIR): records of
 * INST_RETIRED.ALL on IA32_PMC1, or with extended PEBS on IA32_FIXED_CTR0, "on
 * the instruction that actually caused the counter overflow", and the same on
 * another counter, which skid. A counter is named by its place (bank.h).
 *
 * SDM 3B, "Precise Distribution of Instructions Retired (PDIR)"; "Reduced Skid
 * PEBS" of later editions; Intel's list of events, ICX, INST_RETIRED.PREC_DIST.
 */
#ifndef SRC_PEBS_PDIR_H
#define SRC_PEBS_PDIR_H

#include "asm/pdir_windows.h"
#include "src/counting/ring3.h"
#include "src/pebs/sampling.h"

/* Instructions from one overflow to the next. Broadwell counts INST_RETIRED
 * with a period of less than 128, or with one of the low 6 bits set, wrongly
 * (BDM11, BDM55); Nehalem needs 32. */
#define PDIR_PERIOD 128
_Static_assert(PDIR_PERIOD >= 128 && PDIR_PERIOD % 64 == 0, "BDM11, BDM55");

/* Windows of pdir_straight(), one for each instruction of the first `tested` to
 * cause the overflow, and what came of them. */
struct pdir_skids {
    unsigned windows, records;
    unsigned none, more; /* windows without a record, with several */
    unsigned earlier;    /* records of an instruction before it */
    unsigned by_skid[PDIR_STRAIGHT]; /* of one so many after it */
    unsigned outside;                /* of an address that has no label */
    unsigned rip_wrong;              /* RIP is not what follows EventingIP */
    unsigned first;    /* the first that was not exact, 0: none, */
    unsigned position; /* and its place in the window, 0: outside */
};

/* Pure. The place of the instruction that a record is of, 1 to `count`; 0:
 * none. By EventingIP; format 1 has only RIP, which is after it: in a loop 1
 * follows `count`. */
unsigned pdir_position(const struct pebs_record *record, const uint32_t at[],
                       unsigned count, bool loop);

/* Enters the records of the window in which instruction `wanted` of the
 * PDIR_STRAIGHT at `at` caused the overflow. */
void pdir_skid_add(struct pdir_skids *s, const struct pebs_record records[],
                   unsigned count, const uint32_t at[], unsigned wanted);

/* Pure. The records that are where PDIR has them. That of Golden Cove and later
 * (PDIR++) is taken "on the next instruction after the one that caused the
 * overflow" (KVM's patches of Sapphire Rapids, alone): whether the record names
 * the one or the other is not certain, but not now this and now that. */
unsigned pdir_exact(const struct pdir_skids *s, bool or_next);

/* Whether the WRMSR that opens a window counts as retired in it, 1 or 0: the
 * manual does not say, RDPMC does. Needs sampling_claim(). False where an
 * access faulted, and where it is another number (FAIL). */
bool pdir_find_opening(struct sampling *p, unsigned counter, uint64_t *opening);

/* Runs these windows on that counter while `others` count, a set of PMC0 to
 * PMC3, and adds to *s. False where an access faulted or a check failed. */
bool pdir_skid_run(struct sampling *p, unsigned counter, unsigned others,
                   uint64_t opening, unsigned tested, struct pdir_skids *s);

/* The same of conditional branches: PDist (precise.h), or not. */
bool pdir_branches_run(struct sampling *p, unsigned counter, unsigned tested,
                       struct pdir_skids *s);

/* The same at ring 3, of a NOP each, alone or not; after ring3_prepare().
 * False, ERROR is said, after an exception there, too. */
bool pdir_ring3_run(struct sampling *p, const struct ring3_session *s,
                    unsigned counter, uint64_t opening, unsigned tested,
                    struct pdir_skids *skids);

/* Records of a long run of pdir_loop(). */
struct pdir_hits {
    unsigned windows, records;
    unsigned of[PDIR_LOOP + 1]; /* by place, 1 to PDIR_LOOP; 0: outside */
    unsigned uneven; /* records not PDIR_PERIOD after the one before */
};

/* PDIR_PERIOD and PDIR_LOOP have no common divisor: 2 * PDIR_LOOP overflows,
 * which PDIR_TURNS turns make, are two of each instruction. */
#define PDIR_RECORDS (2 * PDIR_LOOP)
#define PDIR_TURNS   (PDIR_RECORDS * PDIR_PERIOD / PDIR_LOOP + 1)
_Static_assert(PDIR_PERIOD % PDIR_LOOP != 0 && PDIR_LOOP == 31, "31 is prime");
_Static_assert(PDIR_RECORDS <= PEBS_ROOM_MAX &&
                   PDIR_TURNS * PDIR_LOOP + 8 <
                       (PDIR_RECORDS + 1) * PDIR_PERIOD,
               "not one record more");

/* Runs one such window on that counter and adds to *hits. */
bool pdir_even_run(struct sampling *p, unsigned counter,
                   struct pdir_hits *hits);

/* Pure. True where no instruction has less than half of its share, or more than
 * twice of it, rounded in its favour; *least and *most are what they have. */
bool pdir_even(const struct pdir_hits *hits, unsigned *least, unsigned *most);

/* Windows before a verdict against a processor: where an instruction retired is
 * counted one more or less (HSD140), what follows in a window hits others, and
 * of few records none is of this instruction or that. */
#define PDIR_ENOUGH 8

/* Pure. True where PDIR, uneven as it may be, is no better than the same event
 * without it: records are of no instruction of the loop, an instruction is
 * never hit that has its share without, or as many are never hit; where most
 * records follow at the period, but some instruction is always passed over; and
 * where none is, with or without, but most records do not follow, nor more than
 * without. */
bool pdir_no_better(const struct pdir_hits *with,
                    const struct pdir_hits *without);

/* The counter that PDIR has, and whether others have to be quiet. False with a
 * SKIP where this processor has none. */
bool pdir_counter(struct test_context *t, unsigned *counter, bool *alone);

/* A general-purpose counter without it, whose records skid: not IA32_PMC0 of
 * the 12th generation and later, which makes no record of INST_RETIRED (Intel's
 * lists of events; Linux, arch/x86/events/intel/ds.c, "glc"). */
unsigned pdir_without(const struct test_context *t);

/* Runs job on all processors: at once, or, where the core must be quiet, on one
 * after the other. */
void pdir_everywhere(struct test_context *t,
                     void (*job)(struct test_context *t, unsigned counter));

#endif
