/* SPDX-License-Identifier: BSD-2-Clause */
/* A carry goes through every bit of every counter, and out of the last one.
 * Each counter crosses another bit than the others do at the same time. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define BRANCHES 0xc4 /* Branch Instruction Retired */
#define STEP     5    /* bits from one counter to the next, in one window */

/* Of one counter. */
struct carries {
    unsigned tried, wrong, unsaid;
    uint64_t from, to; /* of the first that went wrong */
    struct count_bounds want;
    uint64_t counted;
};

/* Just below 2^bit, so that the events of a window carry into that bit; of
 * counters that may count one event only, by that one. */
static uint64_t start_at(const struct identity *id, unsigned place,
                         unsigned bit)
{
    uint64_t below = place > PLACE_FIXED0 ? 1 : 3;
    uint64_t start = bit < 2 ? 0 : ((BIT(bit) - below));

    start &= bank_mask(id, place);
    return bank_can_hold(id, place, start) ? start : 0;
}

/* Bit of a counter that the window number `turn` goes through; its width stands
 * for the overflow. */
static unsigned bit_of(const struct identity *id, unsigned place, unsigned turn)
{
    unsigned bits = place < PLACE_FIXED0 ? id->counter_bits : id->fixed_bits;

    return (turn + STEP * (place & 31)) % (bits + 1);
}

static void look(struct carries *c, uint64_t mask, uint64_t from, uint64_t to,
                 struct count_bounds want, bool overflow)
{
    uint64_t counted = (to - from) & mask;
    bool wrong = counted < want.least || counted > want.most || to > mask;

    if (wrong && c->wrong++ == 0) {
        c->from = from;
        c->to = to;
        c->want = want;
        c->counted = counted;
    }
    /* Where only the upper bound would overflow, either is right. */
    if (to < from)
        c->unsaid += !overflow;
    else if (!wrong)
        c->unsaid += overflow;
    c->tried++;
}

static void report(struct test_context *t, unsigned place,
                   const struct carries *c)
{
    char name[MSR_NAME_BYTES];
    bool signature;
    enum erratum erratum = bank_erratum(place, place == PLACE_FIXED0,
                                        c->counted, c->want, &signature);

    msr_name(bank_msr(place), name);
    check_known(
        t, c->wrong == 0, erratum, signature,
        "%s does not carry from bit to bit as it counts: %u of %u windows; "
        "the first went from 0x%lx to 0x%lx, wanted %lu to %lu more",
        name, c->wrong, c->tried, c->from, c->to, c->want.least, c->want.most);
    check(t, c->unsaid == 0,
          "%s and its bit %u of IA32_PERF_GLOBAL_STATUS (38EH) disagree on an "
          "overflow in %u of %u windows; wanted 0",
          name, place, c->unsaid, c->tried);
}

TEST(counter_carry,
     .asks = "Does every counter carry through each bit of its width?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 1 "
             "Facilities\", \"Fixed-function Performance Counters\"; SDM 2A, "
             "CPUID, \"Architectural Performance Monitoring Leaf\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const struct identity *id = test_cpu(t);
    struct carries carries[PLACES_END] = {{0}};
    uint64_t places = bank_claim(t);
    unsigned turns = 1u + (id->counter_bits > id->fixed_bits ? id->counter_bits
                                                             : id->fixed_bits);

    /* Set-up. */
    if (places == 0)
        return;
    struct bank bank = bank_of(places, BRANCHES);

    for (unsigned turn = 0; turn < turns; turn++) {
        /* Reference cycles come slowly: a longer window now and then. */
        bool slow = turn % 6 == 0;
        struct bank after;

        /* Measured. */
        for (unsigned p = 0; p < PLACES_END; p++)
            if ((places >> p & 1) != 0)
                *bank_value(&bank, p) = start_at(id, p, bit_of(id, p, turn));
        if (!bank_window(t, &bank, slow ? window_long : window_plain, &after))
            return;

        /* Check. */
        for (unsigned p = 0; p < PLACES_END; p++)
            if ((places >> p & 1) != 0)
                look(&carries[p], bank_mask(id, p), *bank_value(&bank, p),
                     *bank_value(&after, p),
                     bank_bounds(
                         p, slow ? &window_long_shape : &window_plain_shape,
                         after.tsc),
                     (after.status >> p & 1) != 0);
    }
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) != 0)
            report(t, p, &carries[p]);
}
