/* SPDX-License-Identifier: BSD-2-Clause */
/* USR is for rings 1 and 2 as it is for ring 3, and OS for none of them: one
 * body is at each of the three, and counts the same. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/ring3.h"

#define BRANCHES 0xc4
/* IRETQ and SYSCALL, of which no manual says where they count, and what may not
 * be counted near them (SKL117). */
#define ENDS   2
#define PERIOD 4
#define TIMES  4

static bool is_user(unsigned place)
{
    return place % 2 == 0;
}

/* Every second counter for rings 1 to 3, the others for ring 0. */
static struct bank bank_for(uint64_t places, const struct ring3 *ring3)
{
    struct bank bank = bank_of(places, BRANCHES);

    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0)
            bank.select[n] &=
                is_user(n) ? ~IA32_PERFEVTSEL_OS : ~IA32_PERFEVTSEL_USR;
    for (unsigned n = 0; n < BANK_FIXED; n++)
        bank.fixed_ctrl &= is_user(PLACE_FIXED0 + n)
                               ? ~IA32_FIXED_CTR_CTRL_OS(n)
                               : ~IA32_FIXED_CTR_CTRL_USR(n);
    bank.cell = (uintptr_t)ring3;
    return bank;
}

static void judge(struct test_context *t, unsigned ring, unsigned place,
                  uint64_t got, uint64_t at_3)
{
    const struct count_bounds want = {at_3 > ENDS ? at_3 - ENDS : 0,
                                      at_3 + ENDS};
    bool signature = got < want.least && got + 2 * PERIOD >= want.least;
    enum erratum erratum = ERRATUM_CPL_FILTER_UNDERCOUNTS;
    char name[MSR_NAME_BYTES];

    if (place == PLACE_FIXED0)
        erratum = bank_erratum(place, true, got, want, &signature);
    check_known(t, got >= want.least && got <= want.most, erratum, signature,
                "%s, for %s alone, counted %lu of a body at ring %u; wanted "
                "%lu to %lu, as at ring 3",
                msr_name(bank_msr(place), name),
                is_user(place) ? "rings 1 to 3" : "ring 0", got, ring,
                want.least, want.most);
}

/* The body once, at the session's ring; false where it could not be run. */
static bool run_body(struct ring3_session *session, uint64_t places,
                     struct bank *after)
{
    struct bank before = bank_for(places, session->ring3);

    return ring3_count(session, &before, window_ring3_body, after);
}

/* What the others are compared with. IA32_FIXED_CTR0 may count 32 more than
 * there are, by an erratum: the least of several. */
static bool run_at_3(struct ring3_session *session, uint64_t places,
                     uint64_t at_3[PLACES_END])
{
    struct bank after;

    for (unsigned i = 0; i < TIMES; i++) {
        if (!run_body(session, places, &after))
            return false;
        for (unsigned p = 0; p <= PLACE_FIXED0; p++) {
            if ((places >> p & 1) == 0)
                continue;
            const uint64_t got = *bank_value(&after, p);
            if (i == 0 || (p == PLACE_FIXED0 && got < at_3[p]))
                at_3[p] = got;
        }
    }
    check(session->t, at_3[0] >= ring3_body_shape.branches,
          "IA32_PMC0 (C1H), for rings 1 to 3 alone, counted %lu branches "
          "of a body at ring 3; wanted %u or more",
          at_3[0], ring3_body_shape.branches);
    return true;
}

TEST(counter_inner_rings, .asks = "Does USR count rings 1 and 2, and OS not?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 1 "
             "Facilities\": USR, \"privilege levels 1, 2 or 3\", and OS; "
             "\"Architectural Performance Monitoring Version 2\": \"at ring "
             "greater than 0\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    uint64_t places = bank_claim(t), at_3[PLACES_END] = {0};
    struct ring3_session session;

    /* Set-up. */
    if (places == 0 || !ring3_prepare(&session, t))
        return;
    session.ring3->level = 3; /* or 2 or 1: not 0 */
    session.ring3->body = (uint32_t)(ring3_body_plain - ring3_body);
    if (!run_at_3(&session, places, at_3))
        return;
    for (unsigned ring = 2; ring > 0; ring--) {
        struct bank after;

        ring3_be_ring(&session, ring);
        if (!run_body(&session, places, &after))
            return;
        for (unsigned p = 0; p <= PLACE_FIXED0; p++)
            if ((places >> p & 1) != 0)
                judge(t, ring, p, *bank_value(&after, p), at_3[p]);
    }
}
