/* SPDX-License-Identifier: BSD-2-Clause */
/* MSR_OFFCORE_RSP_x hold every value that selects something, and refuse the
 * bits that no table has. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/uncore/offcore.h"

#define SHOWN 2

struct tally {
    unsigned tried, wrong;    /* values that validate */
    unsigned refused, of;     /* bits that must raise #GP */
    unsigned changed;         /* by writes that did */
    unsigned optional, taken; /* reserved bits that need not */
    unsigned shown;
};

/* The smallest value with the bit that selects something. */
static uint64_t valid_with(const struct offcore_table *table, uint64_t bit)
{
    uint64_t value = OFFCORE_DMND_DATA_RD | bit;

    if ((bit & table->supplier) != 0)
        return value | table->snoop |
               ((bit & table->all_or_none) != 0 ? table->all_or_none
                                                : UINT64_C(0));
    if ((bit & table->snoop) != 0)
        return value | table->supplier;
    return value | OFFCORE_ANY;
}

static void try_valid(struct test_context *t, struct tally *y, unsigned n,
                      const struct offcore_table *table, uint64_t value)
{
    uint64_t got = 0;

    y->tried++;
    if (!offcore_write(t, table, n, value) ||
        !get_msr(t, MSR_OFFCORE_RSP(n), &got) || got == value)
        return;
    y->wrong++;
    if (y->shown++ < SHOWN)
        note(t, "MSR_OFFCORE_RSP_%u (%XH) written with 0x%lx reads as 0x%lx", n,
             MSR_OFFCORE_RSP(n), value, got);
}

static void try_reserved(struct test_context *t, struct tally *y, unsigned n,
                         const struct offcore_table *table, unsigned bit)
{
    bool must = (table->refused & BIT(bit)) != 0;
    uint64_t before = msr_value(t, MSR_OFFCORE_RSP(n));
    int vector = try_set_msr_again(
        t, MSR_OFFCORE_RSP(n), OFFCORE_DMND_DATA_RD | OFFCORE_ANY | BIT(bit));

    y->changed += vector == HW_GP && msr_value(t, MSR_OFFCORE_RSP(n)) != before;
    if (!must) {
        y->optional++;
        y->taken += vector == HW_NO_FAULT;
        return;
    }
    y->of++;
    y->refused += vector == HW_GP;
    if (vector != HW_GP && y->shown++ < SHOWN)
        note(t,
             "MSR_OFFCORE_RSP_%u (%XH) written with reserved bit %u: got %s, "
             "wanted #GP",
             n, MSR_OFFCORE_RSP(n), bit, fault_name(vector));
}

static void check_processor(struct test_context *peer, void *argument)
{
    const struct offcore_table *table = offcore_of(test_cpu(peer));
    struct tally y = {0};

    (void)argument;
    if (table == NULL) {
        skip(peer, "needs the same model on every processor");
        return;
    }
    for (unsigned n = 0; n < 2; n++) {
        /* The first write puts the register into the journal. */
        try_valid(peer, &y, n, table,
                  table->request | table->supplier | table->snoop);
        try_valid(peer, &y, n, table, table->request | OFFCORE_ANY);
        for (unsigned bit = 0; bit < 64; bit++)
            if (offcore_validate(table, valid_with(table, BIT(bit))) ==
                OFFCORE_VALID)
                try_valid(peer, &y, n, table, valid_with(table, BIT(bit)));
            else
                try_reserved(peer, &y, n, table, bit);
    }

    /* Another value in each: neither shows in the other. */
    const uint64_t own[2] = {table->request | OFFCORE_ANY,
                             OFFCORE_DMND_DATA_RD | table->supplier |
                                 table->snoop};
    if (offcore_write(peer, table, 0, own[0]) &&
        offcore_write(peer, table, 1, own[1]))
        for (unsigned n = 0; n < 2; n++) {
            uint64_t got = msr_value(peer, MSR_OFFCORE_RSP(n));
            check_msr_is(peer, MSR_OFFCORE_RSP(n), got, own[n],
                         " after the other one was written");
        }

    check(peer, y.wrong == 0,
          "MSR_OFFCORE_RSP_0 and 1 (1A6H, 1A7H): %u of %u valid values did not "
          "hold; wanted 0",
          y.wrong, y.tried);
    check(peer, y.refused == y.of,
          "MSR_OFFCORE_RSP_0 and 1 (1A6H, 1A7H): %u of %u reserved bits raised "
          "#GP; wanted all",
          y.refused, y.of);
    check(peer, y.changed == 0,
          "MSR_OFFCORE_RSP_0 and 1 (1A6H, 1A7H): %u writes raised #GP and "
          "changed the register all the same; wanted 0",
          y.changed);
    if (y.optional != 0)
        observe(peer,
                "bits reserved for this model in 1A6H, 1A7H that are taken",
                y.taken, y.optional);
}

/* SDM 3C, MSR_OFFCORE_RSP_0 and _1, scope: thread. Another value on the next
 * processor, which may be of the same core. */
static uint64_t own_value(const struct test_context *peer, unsigned n)
{
    return BIT((test_processor(peer) + n) % 2) | OFFCORE_ANY;
}

static void write_own(struct test_context *peer, void *unused)
{
    const struct offcore_table *table = offcore_of(test_cpu(peer));

    (void)unused;
    for (unsigned n = 0; n < 2 && table != NULL; n++)
        (void)offcore_write(peer, table, n, own_value(peer, n));
}

static void check_own(struct test_context *peer, void *unused)
{
    (void)unused;
    for (unsigned n = 0; n < 2 && offcore_of(test_cpu(peer)) != NULL; n++) {
        uint64_t got = msr_value(peer, MSR_OFFCORE_RSP(n));
        check_msr_is(peer, MSR_OFFCORE_RSP(n), got, own_value(peer, n),
                     " after other processors wrote theirs");
    }
}

TEST(offcore_reserved,
     .asks = "Do the off-core response registers hold what is valid, and "
             "refuse reserved bits?",
     .cite = "SDM 3B, \"MSR_OFFCORE_RSP_x Request_Type Definition\", \".. "
             "Supplier Info Field Definition\", \".. Snoop Info Field "
             "Definition\"; SDM 2C, WRMSR",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_OFFCORE})
{
    /* In turn: should two of a core share the registers, that is seen by the
     * last of these alone. */
    on_all_in_turn(t, check_processor);
    on_all_in_turn(t, write_own);
    on_all_in_turn(t, check_own);
}
