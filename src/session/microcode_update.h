/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * microcode_update.h - a microcode update between two passes over the tests: it
 * is loaded on every core, and every processor is identified again. It stays
 * until the machine is reset.
 *
 * SDM 3A, "Microcode Update Loader" and its topics on Intel Hyper-Threading
 * Technology and on dual-core technology; "Update Signature and Verification".
 */
#ifndef SRC_SESSION_MICROCODE_UPDATE_H
#define SRC_SESSION_MICROCODE_UPDATE_H

#include "src/cpu/microcode_file.h"
#include "src/harness/jobs.h"
#include "src/session/session.h"

/* The update as the report counts it; it is in no list of tests. */
extern const struct test update_test;

struct update {
    struct microcode_update found; /* of revision 0: none */
    char why[MICROCODE_WHY_BYTES]; /* then the reason */
};

/* True where the options ask for one: by file, and by allow=. */
bool update_asked_for(const struct options *options);

/* Checks the file for the boot processor, the only one that runs for it. */
void update_choose(struct update *out, const struct session_setup *setup,
                   struct jobs *jobs);

/* Loads it on one logical processor of each core, one after another, the others
 * waiting in loops of their own, and has all identify themselves again. Its
 * lines are in the contexts, as those of update_test. Returns how many
 * processors show the new revision; 0 where it was not tried. */
unsigned update_load(const struct update *update, struct jobs *jobs);

#endif
