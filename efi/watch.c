/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch.c - a heartbeat, and what is done when it stops. Clocks of processors
 * may differ: each compares its own with itself.
 *
 * The reset is that of Intel's chipsets, "Reset Control Register" (I/O port
 * CF9H): no firmware can be called beside the boot processor.
 */
#include "efi/watch.h"
#include "efi/apic.h"
#include "efi/clock.h"
#include "src/base/hw.h"

#define RESET_MS   10000 /* after an NMI without effect */
#define RESET_PORT 0xcf9
#define RESET_HARD 0x02 /* then with bit 2: now */
#define RESET_NOW  0x06

/* Both change at each beat and at each change of the limit, so that a watcher
 * never counts time of two jobs together. */
static uint64_t beats, told; /* told: the last beat that an NMI was sent for */
static unsigned limit;

static void beat(void)
{
    __atomic_store_n(&beats, beats + 1, __ATOMIC_RELEASE);
}

unsigned watch_limit(unsigned limit_ms)
{
    unsigned before = limit;

    __atomic_store_n(&limit, limit_ms, __ATOMIC_RELEASE);
    beat();
    return before;
}

void watch_beat(void)
{
    beat();
}

static void reset(void)
{
    hw_io_write(false, RESET_PORT, 1, RESET_HARD);
    hw_io_write(false, RESET_PORT, 1, RESET_NOW);
}

/* One of the watching processors sends it. */
static void send(uint64_t now, uint32_t bsp)
{
    uint64_t last = __atomic_load_n(&told, __ATOMIC_ACQUIRE);

    if (last != now &&
        __atomic_compare_exchange_n(&told, &last, now, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        apic_send_nmi(bsp);
}

void watch_look(struct watcher *watcher, uint32_t bsp)
{
    unsigned limit_ms = __atomic_load_n(&limit, __ATOMIC_ACQUIRE);
    uint64_t now = __atomic_load_n(&beats, __ATOMIC_ACQUIRE);

    if (limit_ms == 0 || now != watcher->beat || watcher->since == 0) {
        *watcher = (struct watcher){.beat = now, .since = clock_deadline(0)};
        return;
    }
    if (!clock_passed(watcher->since + clock_ticks(limit_ms)))
        return;
    if (!watcher->sent) {
        send(now, bsp);
        watcher->sent = true;
        return;
    }
    if (clock_passed(watcher->since + clock_ticks(limit_ms + RESET_MS)))
        reset();
}
