/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * transactions.c - of 100 RTM transactions every second one is aborted by
 * XABORT 5AH; then one HLE section. Says how many committed, aborted with that
 * status, and left memory as it was. Exit status 0 where that is right.
 *
 * SDM volume 1, "RTM Abort Status Definition".
 */
#include "tests/linux/say.h"

#define TRANSACTIONS 100
#define EXPLICIT     0x5A000001u /* XABORT, and its operand */
#define TRIES        20          /* what else aborts is tried again */

static volatile unsigned cell, lock;

/* Adds 1 to the cell in a transaction. ~0: it has committed. */
static unsigned add_one(int aborted)
{
    unsigned status = ~0u;

    __asm__ volatile("xbegin 1f\n"
                     "incl %1\n"
                     "test $1, %2\n"
                     "jz 2f\n"
                     "xabort $0x5A\n"
                     "2: xend\n"
                     "1:\n"
                     : "+a"(status), "+m"(cell)
                     : "r"(aborted)
                     : "memory", "cc");
    return status;
}

/* Adds 1 to the cell under the lock. */
static void add_elided(void)
{
    unsigned one = 1;

    __asm__ volatile("1: xacquire lock xchgl %0, %1\n"
                     "test %0, %0\n"
                     "jnz 1b\n"
                     "incl %2\n"
                     "xrelease movl $0, %1\n"
                     : "+r"(one), "+m"(lock), "+m"(cell)
                     :
                     : "memory", "cc");
}

void _start(void)
{
    unsigned committed = 0, aborted = 0;

    cell = lock = 0; /* their page is there */
    for (int n = 0; n < TRANSACTIONS; n++) {
        unsigned before = cell, tries = 0, status;

        do
            status = add_one(n);
        while (status != ~0u && (status & 1) == 0 && ++tries < TRIES);
        if (status == ~0u)
            committed += cell == before + 1;
        else
            aborted += status == EXPLICIT && cell == before;
    }
    add_elided();
    say("transactions: committed ", committed);
    say("transactions: aborted by XABORT 5AH, undone ", aborted);
    say("transactions: the cell is ", cell);
    call(SYS_EXIT,
         committed + aborted != TRANSACTIONS || cell != committed + 1 || lock,
         0, 0);
    __builtin_unreachable();
}
