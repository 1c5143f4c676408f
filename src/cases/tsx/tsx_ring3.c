/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions and elided sections at ring 3, where programs have them: they
 * commit and abort as at ring 0, and are counted where USR is set, not where OS
 * alone is. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/counter3.h"
#include "src/counting/ring3.h"
#include "src/counting/selects.h"
#include "src/tsx/hle.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define EACH 4 /* that commit, and that XABORT ends, of each row */
#define TRIES                                                      \
    20 /* of a transaction that may abort for no reason of its own \
        */
#define MORE       2 /* XBEGIN and what ends it may be in the transaction */
#define IMPOSSIBLE (UINT64_C(1) << 32) /* to count so many */
/* "For a brief period" at a change of level (SKL117). */
#define UNDERCOUNT_MOST 2

/* What is counted of one that commits, and of one that XABORT ends. */
static const struct row {
    const char *what;
    uint64_t select;
    uint64_t least[2];
    unsigned more;
} rows[] = {
    {"instructions with IN_TX [32]",
     EVENT_INST_RETIRED | IA32_PERFEVTSEL_IN_TX,
     {RING3_TX_INSTRUCTIONS, RING3_TX_INSTRUCTIONS},
     MORE},
    {"RTM_RETIRED (C9H) .START (01H)",
     EVENT_RTM_RETIRED | UMASK_START,
     {1, 1},
     0},
    {"RTM_RETIRED (C9H) .COMMIT (02H)",
     EVENT_RTM_RETIRED | UMASK_COMMIT,
     {1, 0},
     0},
    {"RTM_RETIRED (C9H) .ABORTED (04H)",
     EVENT_RTM_RETIRED | UMASK_ABORTED,
     {0, 1},
     0},
};

/* White paper 604224: IA32_PMC3 "will report correct values" but in one regime.
 */
static bool has_counter3(const struct ring3_session *s)
{
    return test_cpu(s->t)->counters > 3 && counter3_is_reliable(s->t);
}

/* IA32_PMC0 counts with USR alone, and so does IA32_PMC3; IA32_PMC1 with OS
 * alone; with IN_TX, IA32_PMC2 what commits, with IN_TXCP. */
static struct bank bank_for(const struct ring3_session *s,
                            const struct row *row)
{
    struct bank bank = bank_of(BIT(0) | BIT(1), row->select);

    if (row->more != 0 && test_cpu(s->t)->counters > 2)
        bank = bank_of(BITS(2, 0), row->select);
    bank.select[2] |= bank.select[2] != 0 ? IA32_PERFEVTSEL_IN_TXCP : 0;
    bank.select[0] &= ~IA32_PERFEVTSEL_OS;
    if (has_counter3(s)) {
        bank.ctrl |= BIT(3);
        bank.select[3] = bank.select[0];
    }
    bank.select[1] &= ~IA32_PERFEVTSEL_USR;
    bank.cell = (uintptr_t)s->ring3;
    bank.live = true;
    return bank;
}

/* True where it ended as it is meant to. Anything else but an abort without the
 * bit of XABORT is FAIL. */
static bool check_status(struct test_context *t, const struct ring3 *ring3)
{
    const uint32_t meant = (uint32_t)RING3_TX_CODE << 24 | RTM_STATUS_XABORT;
    const bool other = ring3->status != RTM_STATUS_STARTED &&
                       (ring3->status & RTM_STATUS_XABORT) == 0;
    char text[RTM_STATUS_TEXT];

    check(t,
          other || ring3->status ==
                       (ring3->aborts != 0 ? meant : RTM_STATUS_STARTED),
          "a transaction at ring 3 that ends with %s: %s, EAX = 0x%08x (%s)",
          ring3->aborts != 0 ? "XABORT 33H" : "XEND",
          ring3->status == RTM_STATUS_STARTED ? "it committed" : "it aborted",
          ring3->status, rtm_status_text(ring3->status, text));
    check(t, !other || (ring3->status & RTM_STATUS_RESERVED) == 0,
          "a transaction at ring 3 aborted with reserved bits in EAX, 0x%08x",
          ring3->status);
    return !other;
}

static void check_with_user(const struct ring3_session *s,
                            const struct row *row, const struct bank *after,
                            unsigned n)
{
    const bool aborts = s->ring3->aborts != 0;
    const uint64_t least = row->least[aborts], got = after->pmc[n];
    const struct count_bounds want = {least, least + row->more};
    bool signature;
    const enum erratum erratum =
        bank_erratum(n, row->more != 0, got, want, &signature);

    check_known(s->t, got >= want.least && got <= want.most, erratum, signature,
                "a transaction at ring 3 that ends with %s: %s with USR alone: "
                "IA32_PMC%u %lu; wanted %lu to %lu",
                aborts ? "XABORT" : "XEND", row->what, n, got, want.least,
                want.most);
}

/* One window. False where it could not be tried; *done where the transaction
 * ended as it is meant to, and its counts were checked. */
static bool try_once(const struct ring3_session *s, const struct row *row,
                     bool *done)
{
    const struct bank before = bank_for(s, row);
    const bool aborts = s->ring3->aborts != 0;
    const uint64_t least = row->least[aborts];
    struct bank after;

    /* Measured. */
    if (!ring3_count(s, &before, window_ring3_tx, &after))
        return false;

    /* Check. */
    *done = check_status(s->t, s->ring3);
    if (!*done)
        return true;
    check_with_user(s, row, &after, 0);
    if (has_counter3(s))
        check_with_user(s, row, &after, 3);
    check(s->t, after.pmc[1] == 0,
          "a transaction at ring 3 that ends with %s: %s with OS alone %lu; "
          "wanted 0",
          aborts ? "XABORT" : "XEND", row->what, after.pmc[1]);
    const uint64_t kept = aborts ? 0 : least;
    if (before.select[2] != 0)
        check_known(s->t, after.pmc[2] >= kept && after.pmc[2] <= kept + MORE,
                    ERRATUM_PMC2_OVER_ABORTS, after.pmc[2] > IMPOSSIBLE,
                    "a transaction at ring 3 that ends with %s: instructions "
                    "with IN_TX and IN_TXCP %lu; wanted %lu to %lu",
                    aborts ? "XABORT" : "XEND", after.pmc[2], kept,
                    kept + MORE);
    return true;
}

/* Aborts by one instruction each. Of CPUID the category is named: "due to
 * HLE-unfriendly instructions". */
static const struct kind {
    const char *what;
    const uint8_t *at;
    bool unfriendly, hle;
} kinds[] = {
    {"XABORT", ring3_aborts_rtm, false, false},
    {"CPUID", ring3_aborts_cpuid, true, false},
    {"UD2", ring3_aborts_ud2, false, false},
    {"CPUID in an inner one", ring3_aborts_inner, true, false},
};
static const struct kind of_elision = {"PAUSE in an elided section",
                                       ring3_aborts_hle, false, true};

static const uint64_t umasks[] = {
    UMASK_ABORTED_MEM,     UMASK_ABORTED_TIMER,  UMASK_ABORTED_UNFRIENDLY,
    UMASK_ABORTED_MEMTYPE, UMASK_ABORTED_EVENTS, UMASK_ABORTED};
enum { UNFRIENDLY = 2, EVENTS = 4, ALL, UMASKS };

/* With USR alone. */
static bool count_two(const struct ring3_session *s, const struct kind *kind,
                      uint64_t first, uint64_t second, uint64_t got[2])
{
    struct bank before = bank_of(BITS(1, 0), kind->hle ? EVENT_HLE_RETIRED
                                                       : EVENT_RTM_RETIRED),
                after;

    before.select[0] |= first;
    before.select[1] |= second;
    before.cell = (uintptr_t)s->ring3;
    before.live = true;
    s->ring3->body = (uint32_t)(kind->at - ring3_body);
    s->ring3->level = 3;
    for (unsigned n = 0; n < 2; n++)
        before.select[n] &= ~IA32_PERFEVTSEL_OS;
    hw_poll();
    if (!ring3_count(s, &before, window_ring3_body, &after))
        return false;
    got[0] = after.pmc[0];
    got[1] = after.pmc[1];
    return true;
}

/* Of RING3_ABORTS transactions for each two. */
static bool count_kind(const struct ring3_session *s, const struct kind *kind,
                       uint64_t got[UMASKS])
{
    for (unsigned i = 0; i < UMASKS; i += 2)
        if (!count_two(s, kind, umasks[i], umasks[i + 1], &got[i]))
            return false;
    return true;
}

/* The first ones after the change are missing. */
static bool is_short(uint64_t got, uint64_t want)
{
    return got < want && got + UNDERCOUNT_MOST >= want;
}

/* As at ring 0, where tsx_retired_events has them all: most, because another
 * abort may come before the one that is meant. Not each section is elided. */
static bool try_kind(const struct ring3_session *s, const struct kind *kind)
{
    uint64_t got[UMASKS], sum;
    bool known, all;
    unsigned k = 0;

    do {
        if (!count_kind(s, kind, got))
            return false;
        sum = 0;
        for (unsigned i = 0; i < ALL; i++)
            sum += got[i];
        known = !kind->unfriendly || (2 * got[UNFRIENDLY] >= RING3_ABORTS &&
                                      2 * got[EVENTS] <= RING3_ABORTS);
        known = known && 2 * sum >= (kind->hle ? got[ALL] : RING3_ABORTS);
        all = got[ALL] == RING3_ABORTS ||
              (kind->hle && got[ALL] != 0 && got[ALL] < RING3_ABORTS);
    } while ((!all || !known) && ++k < TRIES);
    return check_known(
        s->t, all && known, ERRATUM_CPL_FILTER_UNDERCOUNTS,
        known && is_short(got[ALL], RING3_ABORTS),
        "%u transactions at ring 3 that %s ends: %s "
        "with USR alone: .ABORTED (04H) %lu, of which _MEM (08H) %lu, "
        "_TIMER (10H) %lu, _UNFRIENDLY (20H) %lu, _MEMTYPE (40H) %lu, "
        "_EVENTS (80H) %lu; wanted all, most in %s",
        RING3_ABORTS, kind->what,
        kind->hle ? "HLE_RETIRED (C8H)" : "RTM_RETIRED (C9H)", got[ALL], got[0],
        got[1], got[2], got[3], got[4],
        kind->unfriendly ? "_UNFRIENDLY" : "one of them");
}

/* Inner transactions are not counted. */
static bool try_inner(const struct ring3_session *s)
{
    const struct ring3_state *state = (void *)(uintptr_t)s->ring3->data;
    const struct kind kind = {.at = ring3_state_commits};
    uint64_t got[2], want = 0;
    bool ok = false;

    for (unsigned k = 0; k < TRIES && !ok; k++) {
        if (!count_two(s, &kind, UMASK_START, UMASK_COMMIT, got))
            return false;
        if (s->ring3->status != RTM_STATUS_STARTED)
            continue;
        want = RING3_STATE_BEGUN -
               state->results[RING3_STATE_TESTS + 1]; /* aborted */
        ok = got[0] == RING3_STATE_BEGUN && got[1] == want;
    }
    if (want != 0)
        check_known(
            s->t, ok, ERRATUM_CPL_FILTER_UNDERCOUNTS,
            is_short(got[0], RING3_STATE_BEGUN) &&
                (got[1] == want || is_short(got[1], want)),
            "%u transactions at ring 3, some with others inside: RTM_RETIRED "
            "(C9H) with USR alone: .START (01H) %lu, .COMMIT (02H) %lu; wanted "
            "%u, %lu",
            RING3_STATE_BEGUN, got[0], got[1], RING3_STATE_BEGUN, want);
    return true;
}

/* Elided sections. */
static const struct sections {
    const char *what;
    const uint8_t *at;
    uint32_t lock; /* afterwards */
    bool aborts;
} sections[] = {
    {"elided sections at ring 3", ring3_sections_match, 0, false},
    {"sections at ring 3 that release another value", ring3_sections_other, 2,
     true},
};

/* Memory is as without the prefixes, whatever aborts. */
static void check_sections(const struct ring3_session *s,
                           const struct sections *row, const uint64_t got[3])
{
    const struct ring3_sections *data = (void *)(uintptr_t)s->ring3->data;
    const unsigned elided = s->ring3->status;

    const uint64_t ended = got[1] + got[2];
    const bool more = got[2] > RING3_ABORTS;
    const bool ran = data->lock == row->lock && data->ran == RING3_ABORTS &&
                     data->register_sum == RING3_ABORTS;
    check_known(s->t, ran && data->locks == RING3_ABORTS, ERRATUM_HLE_OLD_VALUE,
                ran && data->locks < RING3_ABORTS,
                "%s: %u of %u ran, their locks read %u together, a register is "
                "%u; the lock is %u afterwards, wanted %u",
                row->what, data->ran, RING3_ABORTS, data->locks,
                data->register_sum, data->lock, row->lock);
    check_known(s->t,
                got[1] == elided && got[0] == ended && got[0] <= RING3_ABORTS &&
                    (!row->aborts || elided == 0),
                more ? ERRATUM_PMC2_OVER_ABORTS
                     : ERRATUM_CPL_FILTER_UNDERCOUNTS,
                more || ((got[0] == ended || is_short(got[0], ended)) &&
                         (got[1] == elided || is_short(got[1], elided)) &&
                         (!row->aborts || elided == 0)),
                "%s: %u elided to their end; HLE_RETIRED (C8H) with USR alone: "
                ".START (01H) %lu, .COMMIT (02H) %lu, .ABORTED (04H) %lu",
                row->what, elided, got[0], got[1], got[2]);
}

/* Also where an SMI has hit the sections, and they are run again. */
static void clear_sections(uint64_t cell)
{
    const struct ring3 *ring3 = (const void *)(uintptr_t)cell;

    *(struct ring3_sections *)(uintptr_t)ring3->data =
        (struct ring3_sections){.lock = 0};
}

static bool try_sections(const struct ring3_session *s,
                         const struct sections *row)
{
    struct bank before = bank_of(BITS(2, 0), EVENT_HLE_RETIRED), after;
    uint64_t started = 0;

    before.cell = (uintptr_t)s->ring3;
    before.prepare = clear_sections;
    before.live = true;
    for (unsigned n = 0; n < 3; n++) {
        before.select[n] &= ~IA32_PERFEVTSEL_OS;
        before.select[n] |= UMASK_START << n;
    }
    s->ring3->body = (uint32_t)(row->at - ring3_body);
    s->ring3->level = 3;
    for (unsigned k = 0; k < TRIES && started == 0; k++) {
        hw_poll();

        /* Measured. */
        if (!ring3_count(s, &before, window_ring3_body, &after))
            return false;

        /* Check. */
        check_sections(s, row, after.pmc);
        started += row->aborts ? after.pmc[2] : after.pmc[1];
    }
    return check(s->t, started != 0,
                 "%s: HLE_RETIRED (C8H) %s 0 in %u tries; wanted some",
                 row->what, row->aborts ? ".ABORTED (04H)" : ".COMMIT (02H)",
                 TRIES);
}

TEST(tsx_ring3,
     .asks = "Do transactions at ring 3 commit and abort as at ring 0, and "
             "count there?",
     .cite = "SDM 1, \"RTM Abort Status Definition\"; SDM 3B, "
             "\"Architectural Performance Monitoring Version 1 Facilities\": "
             "USR, OS; \"Intel TSX support\": IN_TX; SDM 1, \"Hardware Lock "
             "Elision\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM, .counters = 2})
{
    struct ring3_session s;
    const bool elides = hle_elides(t); /* while no ring 3 is there */
    unsigned tried = 0, ended = 0;

    if (!probe_set_up(t) || !counters_claim(t) || !ring3_prepare(&s, t))
        return;
    FOR_EACH_ROW (t, i, rows)
        for (unsigned n = 0; n < 2 * EACH; n++) {
            bool done = false;

            hw_poll();
            s.ring3->aborts = n % 2;
            for (unsigned k = 0; k < TRIES && !done; k++, tried++)
                if (!try_once(&s, &rows[i], &done))
                    return;
            ended += done;
        }
    check(t, ended >= EACH * sizeof(rows) / sizeof(rows[0]),
          "of %u transactions at ring 3, up to %u tries of each, %u ended as "
          "meant",
          tried, TRIES, ended);
    note(t, "%u transactions at ring 3, %u of them ended as meant", tried,
         ended);
    FOR_EACH_ROW (t, i, kinds)
        if (!try_kind(&s, &kinds[i]))
            return;
    if (!try_inner(&s) || !elides || !try_kind(&s, &of_elision) ||
        test_cpu(t)->counters < 3)
        return;
    for (unsigned i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
        if (!try_sections(&s, &sections[i]))
            return;
}
