/* SPDX-License-Identifier: BSD-2-Clause */
/* offcore_beside.c - two threads of a core, and off-core requests of one. */
#include "src/uncore/offcore_beside.h"

#include "src/uncore/offcore_window.h"

#define TRIES  3 /* where too much is counted: noise only adds */
#define BESIDE 4 /* waits for the other thread, of a window at least each */

/* Two threads of one core, of which one reads, and both count. */
struct beside {
    struct pair pair;
    struct offcore here, there;
    struct lines lines[2];  /* of here, and of there */
    volatile uint64_t made; /* what the other has counted, of its own */
};

static bool select_reads(struct offcore *o, struct test_context *t,
                         struct lines *lines)
{
    return offcore_prepare(o, t, lines) &&
           offcore_write(t, o->table, 0, OFFCORE_DMND_DATA_RD | OFFCORE_ANY);
}

static void read_there(struct test_context *peer, void *argument)
{
    struct beside *b = argument;

    if ((b->there.t != NULL || select_reads(&b->there, peer, &b->lines[1])) &&
        offcore_window(&b->there, offcore_read_misses))
        b->made += b->there.got.least;
}

static void wait_beside(const struct offcore *o)
{
    for (unsigned i = 0; i < BESIDE && pair_wait(o->t, o->pair); i++)
        ;
}

/* AnyThread is 0: "the specific thread". */
static void count_beside(struct test_context *t, void *argument)
{
    struct beside *b = argument;

    if (!select_reads(&b->here, t, &b->lines[0]))
        return;
    uint64_t made = 0;

    /* An SMI's reads would be of this thread, too. */
    b->here.pair = &b->pair;
    for (unsigned k = 0; k < TRIES && b->here.got.most >= made / 2; k++) {
        made = b->made;
        if (!offcore_window(&b->here, wait_beside))
            return;
        made = b->made - made;
    }
    check(t, made >= BESIDE * OFFCORE_LEAST && b->here.got.most <= made / 2,
          "data reads, any response: the other thread of this core counted %lu "
          "of its own, and IA32_PMC0-%u here up to %lu meanwhile; wanted %u or "
          "more, and no more than half",
          made, b->here.counters - 1, b->here.got.most, BESIDE * OFFCORE_LEAST);
}

void offcore_check_beside(struct test_context *t)
{
    struct beside *b = test_buffer(t);

    *b = (struct beside){.made = 0};
    if (test_sibling(t) != test_processor(t) && hw_run_is_parallel())
        (void)pair_run_beside(t, &b->pair, test_sibling(t), count_beside,
                              read_there, b);
}
