/* SPDX-License-Identifier: BSD-2-Clause */
/* conflict.c - one processor in transactions, one that comes between. */
#include "src/tsx/conflict.h"

#include "src/tsx/pair.h"
#include "src/tsx/status.h"

#define LINE_BYTES  64
#define TURNS_FIRST 64
/* Where no conflict comes, transactions are made as long as this, then longer
 * for so much of the job's time, and until the other has accessed beside so
 * many: it may not run for long, and then for as long outside of them. The
 * longest are repeated for twice that time. */
#define TURNS_ENOUGH  512
#define TIME_PART     64
#define BESIDE_ENOUGH 8
#define INNER_ENOUGH  8 /* aborts by conflicts */

/* At the start of the boot processor's buffer. The two lines are in the middle
 * of a page, and everything else on another. */
struct arena {
    uint64_t before[256];
    volatile uint64_t line[LINE_BYTES / 8], next[LINE_BYTES / 8];
    uint64_t after[240];
    struct pair pair;
    struct conflict *c;
    volatile uint64_t seen;
    uint64_t until_ms, give_up_ms;
    uint64_t unused[4096 / 8 - (sizeof(struct pair) + 32) / 8];
    /* Beyond the end of a page. */
    volatile uint64_t many[TSX_HELD_LINES * LINE_BYTES / 8];
};
_Static_assert(offsetof(struct arena, pair) == 4096, "a page of its own");
_Static_assert(offsetof(struct arena, many) == 2 * 4096, "a page's end");

/* By one instruction, each of another kind. */
static void store_by(enum conflict_access access, volatile uint64_t *place,
                     uint64_t value)
{
    uint64_t count = 1;

    switch (access) {
    case CONFLICT_WORD:
        *(volatile uint16_t *)place = (uint16_t)value;
        break;
    case CONFLICT_DOUBLE:
        *(volatile uint32_t *)place = (uint32_t)value;
        break;
    case CONFLICT_WIDE: /* nothing here uses XMM0 */
        __asm__ volatile("movq %0, %%xmm0\n\tmovups %%xmm0, (%1)"
                         :
                         : "r"(value), "r"(place)
                         : "memory");
        break;
    case CONFLICT_STRING:
        __asm__ volatile("rep stosq"
                         : "+D"(place), "+c"(count)
                         : "a"(value)
                         : "memory");
        break;
    default: /* else it may stay in a buffer, and the next ones with it */
        __asm__ volatile("movnti %0, (%1)\n\tsfence"
                         :
                         : "r"(value), "r"(place)
                         : "memory");
    }
}

/* The same of loads: all ones where the place holds TSX_HELD. */
static uint64_t load_by(enum conflict_access access,
                        const volatile uint64_t *place)
{
    int64_t found;
    uint64_t count = 1;

    switch (access) {
    case CONFLICT_LOAD:
        return *place;
    case CONFLICT_LOAD_BYTE:
        found = *(const volatile int8_t *)place;
        break;
    case CONFLICT_LOAD_WORD:
        found = *(const volatile int16_t *)place;
        break;
    case CONFLICT_LOAD_DOUBLE:
        found = *(const volatile int32_t *)place;
        break;
    case CONFLICT_LOAD_WIDE:
        __asm__ volatile("movups (%1), %%xmm0\n\tmovq %%xmm0, %0"
                         : "=r"(found)
                         : "r"(place)
                         : "memory");
        break;
    case CONFLICT_LOAD_STRING:
        __asm__ volatile("rep lodsq"
                         : "=a"(found), "+S"(place), "+c"(count)
                         :
                         : "memory");
        break;
    default:
        __asm__ volatile("movslq -2(%1), %0\n\tsarq $16, %0"
                         : "=r"(found)
                         : "r"(place)
                         : "memory", "cc");
    }
    return (uint64_t)found;
}

static void access_line(struct test_context *peer, void *argument)
{
    struct arena *a = argument;
    volatile uint64_t *const places[] = {
        [CONFLICT_SAME] = a->line,
        [CONFLICT_LINE] = &a->line[LINE_BYTES / 8 - 1],
        [CONFLICT_SECOND] = a->next,
        [CONFLICT_PAGE] = a->many,
        [CONFLICT_BESIDE] = a->next,
        [CONFLICT_MANY] = &a->many[a->c->line * (LINE_BYTES / 8)],
    };
    volatile uint64_t *place = places[a->c->place];
    const uint64_t other = a->pair.rounds % 0x7fff + 1; /* never TSX_HELD */
    uint64_t found = 0;

    if (a->c->every != 0 && a->pair.rounds % a->c->every != 0)
        return;
    if (a->c->by != NULL) {
        a->c->by(peer, place, a->c->with);
        return;
    }
    switch (a->c->access) {
    case CONFLICT_STORE: /* another value each time */
        *place = other;
        break;
    case CONFLICT_LOCKED:
        found = __atomic_fetch_add(place, 1, __ATOMIC_SEQ_CST);
        break;
    case CONFLICT_BYTE:
        *(volatile uint8_t *)place = (uint8_t)(a->pair.rounds % 128);
        break;
    case CONFLICT_SPLIT:
        __asm__ volatile("movl %0, -2(%1)"
                         :
                         : "r"((uint32_t)(a->pair.rounds % 0x7fff) << 16),
                           "r"(place)
                         : "memory");
        break;
    case CONFLICT_XCHG:
        found = __atomic_exchange_n(place, other, __ATOMIC_SEQ_CST);
        break;
    case CONFLICT_WORD:
    case CONFLICT_DOUBLE:
    case CONFLICT_WIDE:
    case CONFLICT_STRING:
    case CONFLICT_NONTEMPORAL:
        store_by(a->c->access, place, other);
        break;
    default:
        found = load_by(a->c->access, place);
        break;
    }
    a->seen += found == TSX_HELD;
}

/* Where the transaction's access begins. */
static uint64_t place_of(const struct arena *a)
{
    const struct conflict *c = a->c;
    const volatile uint64_t *line = a->line;

    if (c->place == CONFLICT_MANY || c->place == CONFLICT_PAGE)
        line = a->many;
    else if (c->first != 0)
        line = a->next;
    return (uint64_t)(uintptr_t)line - c->first;
}

/* So many tries of one length. */
static void hold_line(struct arena *a, unsigned turns)
{
    struct conflict *c = a->c;
    const struct tsx_block block = {
        .body = c->body, .argument = place_of(a), .count = turns};

    for (unsigned i = 0; i < c->tries; i++) {
        unsigned matched = c->tally.matched;
        uint64_t rounds;
        if (c->measure == NULL) /* else it would be counted */
            hw_poll();
        if (c->prepare != NULL)
            c->prepare();
        rounds = a->pair.rounds;
        probe_once(&block, RTM_STATUS_CONFLICT, &c->tally);
        c->beside += a->pair.rounds - rounds > c->every;
        if (c->tally.matched == matched)
            continue;
        c->without_retry += (c->tally.status & RTM_STATUS_RETRY) == 0;
        c->nested += (c->tally.status & RTM_STATUS_NESTED) != 0;
    }
}

/* One that comes between the end of the inner transaction and that of the outer
 * is not nested. */
static bool is_enough(const struct conflict *c)
{
    const unsigned matched = c->tally.matched;

    return c->tally.flagged != 0 ||
           (matched != 0 &&
            (!c->inner || 2 * c->nested >= matched || matched >= INNER_ENOUGH));
}

static void hold_lines(void *argument)
{
    struct arena *a = argument;
    struct conflict *c = a->c;

    rtm_clear(&c->tally);
    c->without_retry = c->nested = 0;
    c->beside = 0;
    c->lasted = c->turns != 0 ? c->turns : TURNS_FIRST;
    for (;;) {
        hold_line(a, c->lasted);
        if (c->turns != 0 || is_enough(c) ||
            (c->lasted >= TURNS_ENOUGH &&
             hw_ms() >=
                 (c->beside >= BESIDE_ENOUGH ? a->until_ms : a->give_up_ms)))
            return;
        if (c->lasted < CONFLICT_TURNS_MAX)
            c->lasted *= 2;
    }
}

static void run_transactions(struct test_context *t, void *argument)
{
    struct arena *a = argument;

    if (a->c->measure != NULL)
        a->c->measure(t, hold_lines, a, a->c->measured);
    else
        hold_lines(a);
}

bool conflict_run(struct test_context *t, struct conflict *c)
{
    struct arena *a = test_buffer(t);

    _Static_assert(sizeof(*a) <= TEST_BUFFER_BYTES, "fits");
    a->c = c;
    a->seen = 0;
    a->until_ms = hw_ms() + test_timeout_ms(t) / TIME_PART;
    a->give_up_ms = a->until_ms + test_timeout_ms(t) / TIME_PART;
    for (unsigned i = 0; i < LINE_BYTES / 8; i++)
        a->line[i] = a->next[i] = 0;
    for (unsigned i = 0; i < sizeof(a->many) / sizeof(a->many[0]); i++)
        a->many[i] = 0;
    if (!pair_run(t, &a->pair, run_transactions, access_line, a))
        return false;
    c->rounds = a->pair.rounds;
    c->seen = a->seen;
    return true;
}

static void judge(struct test_context *t, const struct conflict *c)
{
    const struct rtm_tally *tally = &c->tally;
    char text[RTM_STATUS_TEXT];

    probe_check(t, tally);
    check(t, tally->flagged == 0,
          "%u of %u transactions committed although it came between; "
          "wanted 0",
          tally->flagged, tally->committed);
    check(t, c->seen == 0,
          "%lu of %lu saw a store that was not committed; wanted 0", c->seen,
          c->rounds);
    if (c->place == CONFLICT_BESIDE)
        return;
    if (tally->matched == 0 && tally->flagged == 0 && tally->inner == 0 &&
        c->seen == 0 && c->beside < BESIDE_ENOUGH) {
        broken(t, "beside %u of %u transactions only, too few to tell",
               c->beside, tally->tried);
        return;
    }
    check(t, tally->matched != 0,
          "none of %u transactions, of up to %u turns, set EAX[2] "
          "(conflict); %u aborted, EAX = 0x%08x (%s)",
          tally->tried, c->lasted, tally->aborted, tally->status,
          rtm_status_text(tally->status, text));
    probe_check_status(
        t, 0,
        RTM_STATUS_CONFLICT |
            (c->inner || c->maybe_nested ? RTM_STATUS_NESTED : 0),
        tally);
    check(t, !c->inner || 2 * c->nested >= tally->matched,
          "EAX[5] (nested) is 1 in %u of %u aborts with EAX[2] (conflict) in "
          "an inner transaction; wanted it in most",
          c->nested, tally->matched);
    /* Of the many kinds of accesses the others say only what is amiss. */
    if (tally->matched != tally->tried ||
        (c->place == CONFLICT_SAME && c->access <= CONFLICT_STORE))
        note(t, "%u of %u set EAX[2]; EAX = 0x%x", tally->matched, tally->tried,
             tally->status);
}

void conflict_judge(struct test_context *t, const struct conflict *c)
{
    WITH_PREFIX (t, "%s", c->what)
        judge(t, c);
}
