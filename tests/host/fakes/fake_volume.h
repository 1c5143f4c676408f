/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fake_volume.h - a volume in memory, behind src/store/volume.h, whose writes
 * fail or are cut short, and whose power fails.
 */
#ifndef TESTS_HOST_FAKES_FAKE_VOLUME_H
#define TESTS_HOST_FAKES_FAKE_VOLUME_H

#include "src/store/volume.h"

/* None: volume_open() and volume_create() say VOLUME_NONE until
 * fake_volume_reset(). */
void fake_volume_none(void);
/* An empty one, with a clock at 2026-11-21 09:07. */
void fake_volume_reset(void);

/* What changes the volume is counted from 1: creating, writing, flushing,
 * shortening, deleting. */
extern unsigned fake_volume_changes;

/* The n-th change from now on fails in this way, and each one after it; 0:
 * none. VOLUME_FULL: only where it would make a file longer. */
extern unsigned fake_volume_fail_at;
extern enum volume_end fake_volume_fail_with;

/* At the n-th change from now on the power fails: of what was not flushed, each
 * write is lost, or torn, or made, as the seed has it; power_off() is
 * then called, which must not return. 0: never. */
extern unsigned fake_volume_off_at, fake_volume_off_seed;
extern void (*fake_volume_power_off)(void);
/* The same now, without the call. */
void fake_volume_cut_power(void);

/* Nothing is open any more; all is flushed. */
void fake_volume_power_on(void);

extern bool fake_volume_clock;

/* The text of a file, ended by NUL; NULL where there is none. */
char *fake_volume_file(const char *name);
size_t fake_volume_size(const char *name);
/* The name of the n-th file beside the state's, from 0; NULL at the end. */
const char *fake_volume_report(unsigned n);

#endif
