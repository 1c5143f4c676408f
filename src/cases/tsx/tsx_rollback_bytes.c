/* SPDX-License-Identifier: BSD-2-Clause */
/* One store of each width at each offset of a line, across lines and pages, and
 * in transactions in one another: an abort leaves no byte of it, a commit each
 * byte, and neither touches another. */
#include "src/harness/case.h"
#include "src/base/mem.h"
#include "src/tsx/probe.h"
#include "src/tsx/state.h"
#include "src/tsx/status.h"

#define LINE_BYTES 64
#define PAGE_BYTES 4096
#define AROUND     LINE_BYTES /* bytes looked at before and after a line */
#define VALUE      UINT64_C(0x70a1b2839495a687)
#define WIDE_TRIES 4

static const struct width {
    const char *name;
    const uint8_t *body;
    unsigned bytes;
    bool reads; /* the old value, which has to be 0 */
} widths[] = {
    {"store of 1 byte", tsx_body_store_1, 1, false},
    {"store of 2 bytes", tsx_body_store_2, 2, false},
    {"store of 4 bytes", tsx_body_store_4, 4, false},
    {"store of 8 bytes", tsx_body_store_8, 8, false},
    {"store of 16 bytes", tsx_body_store_16, 16, false},
    {"MOVNTI of 8 bytes", tsx_body_store_nt, 8, false},
    {"XCHG of 8 bytes", tsx_body_store_xchg, 8, true},
    {"LOCK XADD of 8 bytes", tsx_body_store_xadd, 8, true},
    {"FSTP of 10 bytes", tsx_body_store_x87, 10, false},
    {"REP STOS of 40 bytes", tsx_body_store_rep, 40, false},
};
#define WIDTHS (sizeof(widths) / sizeof(widths[0]))
/* SDM 2, CMPXCHG16B: at a multiple of 16, else #GP. */
static const struct width pair = {"LOCK CMPXCHG16B", tsx_body_store_pair, 16,
                                  true};

struct found {
    struct rtm_tally tally;
    unsigned wrong, at; /* transactions; the first one's byte of the page */
    unsigned unread;    /* commits of a store that did not read back */
    uint8_t got, want;
    const struct width *width;
    unsigned offset;
    bool aborted;
};

/* Wherever a store lies, none that a byte of VALUE has, with bit 63 or without.
 */
static uint8_t old_byte(const struct width *w, unsigned i)
{
    return w->reads ? 0 : (uint8_t)(0xc0 + i);
}

/* line: a line of AROUND bytes before and after it. */
static void try_store(struct found *f, uint8_t *line, const struct width *w,
                      unsigned offset, bool aborts)
{
    uint64_t value = VALUE | (aborts ? TSX_STORE_ABORTS : 0);
    const struct tsx_block block = {.body = w->body,
                                    .argument =
                                        (uint64_t)(uintptr_t)(line + offset),
                                    .count = value};
    uint8_t *from = line - AROUND;

    for (unsigned i = 0; i < 3 * LINE_BYTES; i++)
        from[i] = old_byte(w, i);
    unsigned flagged = f->tally.flagged;
    bool stored = probe_once(&block, 0, &f->tally) == TSX_COMMITTED;
    f->unread += f->tally.flagged != flagged;

    bool wrong = false;
    for (unsigned i = 0; i < 3 * LINE_BYTES && !wrong; i++) {
        unsigned in = i - AROUND - offset; /* of the store; large: outside */
        uint8_t want = old_byte(w, i);
        if (stored && in < w->bytes)
            want = (uint8_t)(value >> in % 8 * 8);
        wrong = from[i] != want;
        if (wrong && f->wrong++ == 0) {
            f->width = w;
            f->offset = offset;
            f->aborted = !stored;
            f->at = i - AROUND;
            f->got = from[i];
            f->want = want;
        }
    }
}

/* Of the last line of a page: where some bytes of it are on the next one. */
static unsigned over_end(const struct width *w)
{
    return LINE_BYTES - (w->bytes > 2 ? w->bytes / 2 + 1 : 1);
}

static void judge(struct test_context *t, const struct found *f)
{
    probe_check(t, &f->tally);
    check(t, f->wrong == 0,
          "memory is wrong after %u of %u transactions; first: %s at offset "
          "%u, %s: byte %d is %02XH, wanted %02XH",
          f->wrong, f->tally.tried, f->width != NULL ? f->width->name : "",
          f->offset, f->aborted ? "aborted" : "committed", (int)f->at, f->got,
          f->want);
    check_none(t, "a store did not read back inside its transaction", f->unread,
               f->tally.committed);
    note(t, "%u transactions, %u of them committed", f->tally.tried,
         f->tally.committed);
}

/* by: what stored; wrong: after so many of the transactions, for each. */
static void check_stored(struct test_context *t, const char *const by[],
                         const unsigned wrong[], unsigned count,
                         const struct rtm_tally *tally)
{
    probe_check(t, tally);
    for (unsigned n = 0; n < count; n++)
        check(t, wrong[n] == 0,
              "what %s stored is wrong after %u of %u transactions, %u of them "
              "committed; wanted it after a commit alone",
              by[n], wrong[n], tally->tried, tally->committed);
}

/* Neither end that is wanted has come yet. */
static bool goes_on(unsigned tries, const struct rtm_tally *tally)
{
    return tries < PROBE_TRIES && tally->committed == 0 &&
           (tally->ever & RTM_STATUS_XABORT) == 0;
}

/* Transactions in one another, a page each, and PUSH: from the first byte of a
 * line on, or to its last. */
static void try_nested(struct test_context *t, uint8_t *pages, bool aborts)
{
    static const unsigned places[] = TSX_NESTED_PLACES;
    static const char *const by[] = {"the outermost", "the second", "the third",
                                     "the outermost, after the others",
                                     "PUSH in the outermost"};
    const uint64_t value = VALUE | (aborts ? TSX_STORE_ABORTS : 0);
    const struct tsx_block block = {.body = tsx_body_store_nested,
                                    .argument = (uint64_t)(uintptr_t)pages,
                                    .count = value};
    unsigned wrong[sizeof(places) / sizeof(places[0])] = {0};
    struct rtm_tally tally;

    rtm_clear(&tally);
    for (unsigned i = 0; goes_on(i, &tally); i++) {
        for (unsigned n = 0; n < sizeof(places) / sizeof(places[0]); n++)
            *(volatile uint64_t *)(void *)(pages + places[n]) = n;
        bool stored = probe_once(&block, 0, &tally) == TSX_COMMITTED;
        for (unsigned n = 0; n < sizeof(places) / sizeof(places[0]); n++)
            wrong[n] += *(volatile uint64_t *)(void *)(pages + places[n]) !=
                        (stored ? value : n);
    }
    check_stored(t, by, wrong, sizeof(places) / sizeof(places[0]), &tally);
}

/* By instructions of many kinds: a commit makes each change, an abort none. */
static void try_kinds(struct test_context *t, volatile uint64_t *words,
                      bool aborts)
{
    static const char *const by[] = TSX_STORE_KINDS;
    const unsigned kinds = sizeof(by) / sizeof(by[0]);
    const struct tsx_block block = {.body = tsx_body_store_kinds,
                                    .argument = (uint64_t)(uintptr_t)words,
                                    .count = aborts ? TSX_STORE_ABORTS : 0};
    unsigned wrong[sizeof(by) / sizeof(by[0])] = {0};
    struct rtm_tally tally;

    rtm_clear(&tally);
    for (unsigned i = 0; goes_on(i, &tally); i++) {
        for (unsigned n = 0; n < kinds; n++)
            words[n] = VALUE + n;
        const bool stored = probe_once(&block, 0, &tally) == TSX_COMMITTED;
        for (unsigned n = 0; n < kinds; n++)
            wrong[n] += (words[n] == VALUE + n) == stored;
    }
    check_stored(t, by, wrong, kinds, &tally);
}

/* What is pushed where the stack was at XBEGIN. An interrupt may push there,
 * after the abort. */
static void try_pushes(struct test_context *t)
{
    const struct tsx_block block = {.body = tsx_body_push_xabort,
                                    .count = VALUE};
    const unsigned tries = probe_row_tries(t);
    unsigned below = 0;
    struct rtm_tally tally;

    rtm_clear(&tally);
    for (unsigned i = 0; i < tries; i++)
        below += probe_below(&block, 0, &tally) != 0;
    probe_check(t, &tally);
    check(t, below < tally.aborted || below < WIDE_TRIES,
          "three PUSHes, then XABORT: memory below RSP changed, in each of %u "
          "aborts; wanted it as before XBEGIN",
          below);
}

/* Stores of 32 bytes, which need AVX. */
static void try_wide(struct test_context *t)
{
    static const struct state_row row = {.what =
                                             "stores of 32 bytes, then XABORT",
                                         .change = tsx_change_nothing,
                                         .end = tsx_end_wide,
                                         .components = XCR0_AVX};
    uint8_t *bytes = (uint8_t *)state_argument(t);
    const uint64_t components = state_components(test_cpu(t));
    unsigned wrong = 0, first = 0;

    if ((components & XCR0_AVX) == 0)
        return;
    for (unsigned i = 0; i < TSX_STATE_WIDE; i++)
        bytes[i] = (uint8_t)(0x40 + i);
    state_try(t, &row, components, WIDE_TRIES);
    for (unsigned i = TSX_STATE_WIDE; i-- != 0;)
        if (bytes[i] != (uint8_t)(0x40 + i)) {
            wrong++;
            first = i;
        }
    check(
        t, wrong == 0,
        "%u bytes of memory are wrong after %u transactions with stores of 32 "
        "bytes and XABORT; the first is byte %u: %02XH, wanted %02XH",
        wrong, WIDE_TRIES, first, bytes[first], 0x40 + first);
}

/* The same, then XEND: each quadword of both is another than before. */
static void try_wide_commit(struct test_context *t)
{
    static const struct state_row row = {.what =
                                             "stores of 32 bytes, then XEND",
                                         .change = tsx_change_nothing,
                                         .end = tsx_end_wide_commit,
                                         .components = XCR0_AVX};
    static const unsigned places[] = TSX_STATE_WIDE_PLACES;
    uint64_t *words = state_argument(t);
    const uint64_t components = state_components(test_cpu(t));
    unsigned left = 0, commits = 0;

    if ((components & XCR0_AVX) == 0)
        return;
    for (unsigned i = 0; i < WIDE_TRIES && commits == 0; i++) {
        for (unsigned n = 0; n < TSX_STATE_WIDE / sizeof(*words); n++)
            words[n] = VALUE;
        commits += state_try(t, &row, components, 1);
    }
    for (unsigned n = 0; n < 2 * 4; n++)
        left += words[places[n / 4] / sizeof(*words) + n % 4] == VALUE;
    check(t, commits == 0 || left == 0,
          "%u of 8 quadwords hold the old value after a commit of two stores "
          "of 32 bytes",
          left);
}

TEST(tsx_rollback_bytes,
     .asks = "Does an abort undo, and a commit make, each byte of a store, "
             "wherever it lies?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"Intel Transactional Synchronization Extensions\" "
             "and \"RTM Memory Ordering\"",
     .needs = {.features = NEED_INTEL | NEED_RTM})
{
    uint8_t *middle = (uint8_t *)test_buffer(t) + PAGE_BYTES + 16 * LINE_BYTES;
    uint8_t *last = (uint8_t *)test_buffer(t) + 2 * PAGE_BYTES - LINE_BYTES;
    struct found in_page = {0}, across = {0};

    /* Set-up. */
    if (!probe_set_up(t))
        return;
    rtm_clear(&in_page.tally);
    rtm_clear(&across.tally);

    /* Measured: at each offset one width, the next time another; over the end
     * of a page each width. */
    for (unsigned offset = 0; offset < LINE_BYTES; offset++)
        for (unsigned aborts = 0; aborts < 2; aborts++) {
            hw_poll();
            try_store(&in_page, middle, &widths[(offset + aborts * 3) % WIDTHS],
                      offset, aborts != 0);
        }
    for (unsigned offset = 0; offset < LINE_BYTES; offset += pair.bytes)
        for (unsigned aborts = 0; aborts < 2; aborts++)
            try_store(&in_page, middle, &pair, offset, aborts != 0);
    for (unsigned w = 0; w < WIDTHS; w++)
        for (unsigned aborts = 0; aborts < 2; aborts++)
            try_store(&across, last, &widths[w], over_end(&widths[w]),
                      aborts != 0);

    /* Check. */
    WITH_PREFIX (t, "stores in a page")
        judge(t, &in_page);
    WITH_PREFIX (t, "stores over the end of a page")
        judge(t, &across);
    WITH_PREFIX (t, "transactions in one another") {
        try_nested(t, test_buffer(t), false);
        try_nested(t, test_buffer(t), true);
        try_nested(t, (uint8_t *)test_buffer(t) + LINE_BYTES - 8, true);
    }
    WITH_PREFIX (t, "stores of many kinds") {
        try_kinds(t, test_buffer(t), false);
        try_kinds(t, test_buffer(t), true);
    }
    try_pushes(t);
    try_wide(t);
    try_wide_commit(t);
}
