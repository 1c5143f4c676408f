/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * conflict.h - a transaction that holds a line on one processor, while another
 * reads or writes that line, or its neighbour, again and again.
 *
 * SDM 1, "Programming with Intel Transactional Synchronization Extensions",
 * "Intel TSX Overview": a data conflict, at the granularity of a cache line.
 */
#ifndef SRC_TSX_CONFLICT_H
#define SRC_TSX_CONFLICT_H

#include "src/tsx/probe.h"

enum conflict_access {
    CONFLICT_LOAD,
    CONFLICT_STORE,  /* without a load */
    CONFLICT_LOCKED, /* LOCK XADD */
    CONFLICT_BYTE,   /* a store of one byte */
    CONFLICT_SPLIT,  /* one of 4 bytes, which begins 2 bytes before */
    CONFLICT_WORD,   /* of 2, 4 and 16 bytes, */
    CONFLICT_DOUBLE,
    CONFLICT_WIDE,
    CONFLICT_STRING,      /* by REP STOS, of 8 */
    CONFLICT_NONTEMPORAL, /* by MOVNTI */
    CONFLICT_XCHG,
    CONFLICT_LOAD_BYTE, /* loads of 1, 2, 4 and 16 bytes, */
    CONFLICT_LOAD_WORD,
    CONFLICT_LOAD_DOUBLE,
    CONFLICT_LOAD_WIDE,
    CONFLICT_LOAD_STRING, /* by REP LODS, of 8, */
    CONFLICT_LOAD_SPLIT,  /* of 4, which begins 2 bytes before */
};
enum conflict_place {
    CONFLICT_SAME,   /* what the transaction accesses */
    CONFLICT_LINE,   /* the last bytes of that line */
    CONFLICT_SECOND, /* the next line, by tsx_body_hold_split, or of `first` */
    CONFLICT_PAGE,   /* the first line of the next page, of `first` */
    CONFLICT_BESIDE, /* the next line of the same page */
    CONFLICT_MANY,   /* one of those of tsx_body_hold_loads, or _stores */
};

struct conflict {
    /* Asked. */
    const char *what;    /* "a write to a line that a transaction has read" */
    const uint8_t *body; /* tsx_body_hold_load or tsx_body_hold_store */
    enum conflict_access access; /* what the other does */
    enum conflict_place place;
    bool inner;        /* the body is in an inner transaction */
    bool maybe_nested; /* or was in one: no manual says what EAX[5] is */
    unsigned every;    /* 0: 1; the other accesses in each so many rounds, lest
                          all conflicts come at the beginning */
    unsigned line;     /* CONFLICT_MANY: which */
    unsigned first; /* bytes on the first line, of an access on two; 0: none */
    /* NULL, or what accesses the place instead, with this. */
    void (*by)(struct test_context *peer, volatile uint64_t *place, void *with);
    void *with;
    void (*prepare)(void); /* before each transaction; NULL: nothing */
    unsigned tries;        /* of each length */
    unsigned turns;        /* how long a transaction lasts; 0: doubled, up to
                              CONFLICT_TURNS_MAX, until there is a conflict */
    /* NULL, or what calls work(argument), all the transactions, once or again:
     * t is that of the boot processor's job. */
    void (*measure)(struct test_context *t, void (*work)(void *argument),
                    void *argument, void *measured);
    void *measured;
    /* Found. */
    unsigned lasted;        /* how long the last transactions */
    struct rtm_tally tally; /* matched: EAX[2] is set */
    unsigned without_retry; /* of the matched: EAX[1] is 0; */
    unsigned nested;        /* EAX[5] is 1 */
    unsigned beside;        /* transactions beside which the other accessed */
    uint64_t rounds;        /* its accesses in all, */
    uint64_t seen;          /* of them: a store that was not committed */
};
#define CONFLICT_TURNS_MAX 65536
#define CONFLICT_SELDOM    16

/* Runs it on the boot processor, which must be set up (probe_set_up()), and
 * processor 1; t is a WHOLE_MACHINE test's. Nothing waits without bound. False
 * where it could not: an ERROR or SKIP says why. */
bool conflict_run(struct test_context *t, struct conflict *c);

/* Checks what holds however the conflict is resolved: a transaction that
 * committed was alone, nothing uncommitted was seen, nothing of an aborted one
 * is left; and, but for CONFLICT_BESIDE, that EAX[2] reported a conflict. */
void conflict_judge(struct test_context *t, const struct conflict *c);

#endif
