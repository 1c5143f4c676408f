/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * journal.h - the old values of the MSRs that a test writes, so that each has
 * it back afterwards. Pure bookkeeping around hw_msr_*: reports nothing itself.
 *
 * All calls for one journal on the logical processor whose MSRs it saves.
 */
#ifndef SRC_HARNESS_JOURNAL_H
#define SRC_HARNESS_JOURNAL_H

#include "src/cpu/identity.h"

#define JOURNAL_MAX 160 /* different MSRs in one test */

struct journal {
    unsigned count;
    struct journal_entry {
        uint32_t msr;
        uint64_t old;
    } entries[JOURNAL_MAX]; /* in the order of the first writes */
};

enum journal_access {
    JOURNAL_WRITTEN,      /* or, by journal_save(), saved */
    JOURNAL_READ_FAULTED, /* nothing written */
    JOURNAL_WRITE_FAULTED,
    JOURNAL_FULL,      /* nothing written */
    JOURNAL_NOT_SAVED, /* nothing written: no value to restore */
};

/* Saves the value that the MSR has, if none is saved: something that the test
 * does may change it. *vector is HW_NO_FAULT or what RDMSR raised. */
enum journal_access journal_save(struct journal *journal,
                                 const struct identity *id, uint32_t msr,
                                 int *vector);

/* Writes the MSR; before the first write of it, saves the value it has. *vector
 * is HW_NO_FAULT or what RDMSR or WRMSR raised.
 *
 * A command register (IA32_PERF_GLOBAL_STATUS_RESET 390H; STATUS_SET 391H from
 * perfmon version 4; the uncore's status, whose bits a write can only clear;
 * IA32_BIOS_SIGN_ID 8BH, which CPUID.1 loads)
 * has no value to restore: written, not saved. */
enum journal_access journal_write(struct journal *journal,
                                  const struct identity *id, uint32_t msr,
                                  uint64_t value, int *vector);

/* True where a write of the MSR can be undone: its value is saved, by either
 * name of a counter that has two (C1H, 4C1H), or it is a command register. */
bool journal_has(const struct journal *journal, const struct identity *id,
                 uint32_t msr);

/* A further write of an MSR that journal_has(), else JOURNAL_NOT_SAVED. */
enum journal_access journal_write_again(const struct journal *journal,
                                        const struct identity *id, uint32_t msr,
                                        uint64_t value, int *vector);

/* Why an entry could not be undone. */
struct journal_failure {
    uint32_t msr;
    int vector;        /* of WRMSR or RDMSR, or HW_NO_FAULT: */
    uint64_t old, got; /* then it reads as got */
};

/* Gives every register its old value back, the last saved first, reads each
 * back, and empties the journal; before that counters and PEBS are disabled,
 * where they are in it, and IA32_PERF_GLOBAL_CTRL, which has its bits set from
 * power-up on, comes last, after IA32_PEBS_ENABLE. report() is called for each
 * that does not hold its old value; of IA32_RTIT_STATUS, FilterEn, ContextEn
 * and TriggerEn are the processor's and not compared. A general-purpose counter
 * is written by its full-width name where it has one (C1H takes 32 bits only).
 * It, a fixed counter and the uncore's clock are not compared: they may count.
 */
void journal_undo(struct journal *journal, const struct identity *id,
                  void (*report)(void *context,
                                 const struct journal_failure *failure),
                  void *context);

#endif
