/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch.h - nobody else watches the boot processor: while it is in a job, the
 * others do that have none. One that shows no life for as long as the job may
 * take gets an NMI, which ends the job; a machine on which that does nothing is
 * reset.
 */
#ifndef EFI_WATCH_H
#define EFI_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* On the boot processor. A job of so many milliseconds begins, and 0: none; the
 * limit that held before is returned. While firmware is called there is none.
 */
unsigned watch_limit(unsigned limit_ms);
/* It lives. */
void watch_beat(void);

/* What a watching processor has seen; zeros at first. */
struct watcher {
    uint64_t beat, since; /* since: by its own clock */
    bool sent;            /* an NMI */
};
/* On another processor, which has no job, again and again. bsp: the boot
 * processor's APIC ID. */
void watch_look(struct watcher *watcher, uint32_t bsp);

#endif
