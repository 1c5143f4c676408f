/* SPDX-License-Identifier: BSD-2-Clause */
/* halted.c - cycles of the core and of the bus on counters in turn. */
#include "src/counting/halted.h"

#include "src/base/hw.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/tsx/pair.h"

#define CYCLES     UINT64_C(0x003c)
#define BUS_CYCLES UINT64_C(0x013c)
#define HALTED_TSC (UINT64_C(1) << 22)
/* What a processor that is not halted counts at least, by the TSC: a core may
 * be slower, the bus or the crystal is; and half of it. */
#define HALTED_CORE 8
#define HALTED_BUS  800

/* A processor that halts until the other one interrupts it. */
struct halted {
    struct pair pair;
    struct test_context *t;
    uint64_t places, tsc;
    volatile bool waits;
};

static void wake(struct test_context *peer, void *argument)
{
    struct halted *h = argument;

    (void)peer;
    if (!h->waits)
        return;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t since = hw_tsc();
        while (h->waits && hw_tsc() - since < HALTED_TSC)
            __asm__ volatile("pause");
        if (i == 0 && h->waits)
            hw_pmi_send(0);
    }
}

/* One more that is on its way is handled, too, before this ends. */
static void halt(void *argument)
{
    struct halted *h = argument;

    h->tsc = 0;
    for (hw_pmi_hold(); hw_pmi_count() == 0; hw_pmi_hold()) {
        uint64_t since = hw_tsc();
        h->waits = true;
        hw_pmi_halt();
        h->tsc += hw_tsc() - since;
    }
    h->waits = false;
    (void)pair_wait(h->t, &h->pair);
}

static void judge_time(struct test_context *t, const struct halted *h,
                       unsigned p, uint64_t counted)
{
    const bool core = p == PLACE_FIXED0 + 1 || (p < PLACE_FIXED0 && p % 2 == 0);
    const bool bus = p < PLACE_FIXED0 && p % 2 != 0;
    const bool slow = bus && identity_known(test_cpu(t)) &&
                      (identity_generation(test_cpu(t)) & BUS_AT_TSC_RATE) == 0;
    const uint64_t most = h->tsc / (slow ? HALTED_BUS : HALTED_CORE);
    char name[MSR_NAME_BYTES];

    /* Of reference cycles the tables say that the core is not halted: where
     * another thread of it is at work, that decides nothing. */
    if (!core && test_sibling(t) == h->pair.other)
        return;
    check(t, counted <= most,
          "%s counted %lu %s cycles%s while this processor was halted by HLT, "
          "%lu cycles of its TSC, and another one ran; wanted %lu at most: the "
          "event is of unhalted cycles",
          msr_name(bank_msr(p), name), counted, core ? "core" : "reference",
          p >= PLACE_FIXED0 ? ""
          : bus             ? " (3CH/01H)"
                            : " (3CH/00H)",
          h->tsc, most);
}

/* Core cycles on every second counter, those of the bus on the others. */
static void halt_beside(struct test_context *t, void *argument)
{
    struct halted *h = argument;
    struct bank after, before = bank_of(h->places, CYCLES);

    before.pmi = BANK_PMI;
    for (unsigned n = 1; n < COUNTERS_MAX; n += 2)
        if (before.select[n] != 0)
            before.select[n] ^= CYCLES ^ BUS_CYCLES;

    /* Measured. */
    if (!bank_work(t, &before, halt, h, &after))
        return;

    /* Check. */
    for (unsigned p = 0; p < PLACE_FIXED0 + 3; p++)
        if ((h->places >> p & 1) != 0 && p != PLACE_FIXED0)
            judge_time(t, h, p, *bank_value(&after, p));
}

bool halted_try(struct test_context *t, unsigned other, uint64_t places)
{
    struct halted *h = test_buffer(t);

    h->t = t;
    h->places = places;
    h->waits = false;
    return pair_run_beside(t, &h->pair, other, halt_beside, wake, h);
}
