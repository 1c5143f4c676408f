/* SPDX-License-Identifier: BSD-2-Clause */
/* in_tx_device.h - counters that have IN_TX and IN_TXCP and count what
 * transactions run, and an interrupt that aborts one; or one count, or what the
 * interrupt does, otherwise. */
#ifndef TESTS_HOST_CASES_IN_TX_DEVICE_H
#define TESTS_HOST_CASES_IN_TX_DEVICE_H

#include "src/counting/bank.h"
#include "tests/host/cases/state_fixture.h"
#include "tests/host/cases/tsx/tsx_fixture.h"

const uint8_t tsx_end_hold[1] = {0}, tsx_end_hold_inner[1] = {0},
              tsx_body_spin[8] = {0};

#define TRIALS      25
#define TRIES       5
#define CLEAN       100 /* windows tried for one without another abort */
#define LATER       UINT32_MAX
#define WIDTH       BITS(47, 0)
#define IN_TX       1u /* of a select's [33:32] */
#define IN_TXCP     2u
#define CORE_CYCLES 0x3c

/* What is otherwise. */
static struct {
    /* What is added to the count of each transaction, on counters with such
     * bits, of this body, which commits or aborts. */
    const uint8_t *body; /* NULL: any */
    int tx;              /* -1: any */
    int place;           /* -1: any general-purpose one */
    int64_t add;
    uint64_t percent;                /* of what it counts */
    unsigned from, to, transactions; /* those of them */
    bool edge;                       /* EDGE alone */
    uint64_t only;                   /* this event; 0: any */
    bool status_lost; /* an abort clears what it has set in 38EH */
    bool select_lost; /* an overflow clears EN */
    int64_t read;     /* added to the difference of two RDPMCs, */
    uint32_t index;   /* of this one */
    int64_t outside;  /* added to loads, stores and mispredicts there */
    /* An interrupt. */
    bool none, late; /* none comes; the transaction commits */
    uint32_t status; /* of such an abort, */
    unsigned rarely; /* of all but one in so many */
    unsigned unsaid; /* so many aborts of this event are not counted, */
    uint64_t event;
    unsigned more; /* and so many more are */
    bool no_apic, state_wrong, unnested;
    /* So far. */
    unsigned interrupts, all, held, aborts;
    bool pmi;
} wrong;

static bool is_event(uint64_t select, uint64_t event)
{
    return (select & 0xffff) == event;
}

/* Loads, stores and mispredicted branches, of which there are about as many as
 * branches. */
static bool is_rough(uint64_t select)
{
    return is_event(select, 0xc5) || is_event(select, 0x81d0) ||
           is_event(select, 0x82d0);
}

/* A counter goes through 0: its status bit, and the interrupt. */
static bool add_to(unsigned place, uint64_t count)
{
    uint64_t *value =
        msr(place < PLACE_FIXED0 ? IA32_PMC(place)
                                 : IA32_FIXED_CTR(place - PLACE_FIXED0));
    const bool over = *value + count > WIDTH;

    *value = (*value + count) & WIDTH;
    if (over)
        *msr(IA32_PERF_GLOBAL_STATUS) |= BIT(place);
    return over;
}

static bool is_counting(unsigned place)
{
    return (*msr(IA32_PERF_GLOBAL_CTRL) >> place & 1) != 0;
}

/* SDM 3B, "Performance Monitoring and Intel TSX": IN_TX counts what is inside,
 * IN_TXCP leaves out what is aborted. */
static uint64_t counted(unsigned n, uint64_t select, const struct tsx_block *b,
                        uint64_t inside, uint64_t beside, bool aborts)
{
    const unsigned tx = select >> 32 & 3;
    uint64_t count = inside + ((tx & IN_TX) != 0 ? 0 : beside);

    if (aborts && (tx & IN_TXCP) != 0)
        count -= inside;
    if ((select & IA32_PERFEVTSEL_E) != 0)
        count = count != 0;
    if ((wrong.body != NULL && wrong.body != b->body) ||
        (wrong.tx >= 0 && wrong.tx != (int)tx) ||
        (wrong.place >= 0 ? wrong.place != (int)n : n >= PLACE_FIXED0) ||
        (wrong.edge && (select & IA32_PERFEVTSEL_E) == 0) ||
        (wrong.only != 0 && !is_event(select, wrong.only)))
        return count;
    const unsigned which = wrong.transactions++;
    if (which < wrong.from || which > wrong.to)
        return count;
    return (uint64_t)((int64_t)(count * wrong.percent / 100) + wrong.add);
}

/* One transaction's; true where an interrupt has come. */
static bool count_work(const struct tsx_block *b, uint64_t instructions,
                       uint64_t branches, bool aborts)
{
    const uint64_t before = *msr(IA32_PERF_GLOBAL_STATUS);
    bool interrupt = false;

    for (unsigned n = 0; n < 4; n++) {
        uint64_t *select = msr(IA32_PERFEVTSEL(n));
        const bool each = is_event(*select, EVENT_INST_RETIRED) ||
                          is_event(*select, CORE_CYCLES);
        if (!is_counting(n) ||
            (!each && !is_event(*select, 0xc4) && !is_rough(*select)))
            continue;
        const bool over =
            add_to(n, counted(n, *select, b, each ? instructions : branches,
                              each ? 10 : 1, aborts));
        interrupt |= over && (*select & IA32_PERFEVTSEL_INT) != 0;
        if (over && wrong.select_lost)
            *select &= ~IA32_PERFEVTSEL_EN;
    }
    if (is_counting(PLACE_FIXED0) && (*msr(IA32_FIXED_CTR_CTRL) & 3) == 3)
        add_to(PLACE_FIXED0,
               counted(PLACE_FIXED0, 0, b, instructions, 10, aborts));
    if (aborts && wrong.status_lost)
        *msr(IA32_PERF_GLOBAL_STATUS) = before;
    return interrupt && wrong.pmi;
}

/* Outside of transactions, when the counters are stopped. */
static void count_rough(void)
{
    for (unsigned n = 0; n < 3; n++) {
        const unsigned tx = *msr(IA32_PERFEVTSEL(n)) >> 32 & 3;
        const uint64_t count = (tx & IN_TX) != 0 ? 0 : 100;

        if (is_rough(*msr(IA32_PERFEVTSEL(n))) && is_counting(n))
            add_to(n,
                   count + (wrong.tx == (int)tx ? (uint64_t)wrong.outside : 0));
    }
}

static int access(uint32_t number, const uint64_t *written)
{
    if (written == NULL)
        return HW_NO_FAULT;
    if (number == IA32_PERF_GLOBAL_CTRL && *written == 0)
        count_rough();
    if (number >= IA32_A_PMC(0) && number < IA32_A_PMC(4))
        *msr(IA32_PMC(number - IA32_A_PMC(0))) = *written;
    if (number == IA32_PERF_GLOBAL_STATUS_RESET)
        *msr(IA32_PERF_GLOBAL_STATUS) &= ~*written;
    return HW_NO_FAULT;
}

/* --- Interrupts -------------------------------------------------------------
 */

bool hw_pmi_begin(bool nmi)
{
    assert_false(nmi);
    wrong.pmi = fake_pmi = !wrong.no_apic;
    wrong.interrupts = 0;
    return wrong.pmi;
}

void hw_pmi_end(void)
{
    wrong.pmi = fake_pmi = false;
}

unsigned hw_pmi_count(void)
{
    return wrong.interrupts;
}

static uint32_t interrupted(void)
{
    wrong.interrupts++;
    wrong.all++;
    return wrong.rarely == 0 || wrong.all % wrong.rarely != 0 ? wrong.status
                                                              : 0;
}

static struct end jump_end(const struct tsx_block *b)
{
    const bool comes = count_work(b, 3 * b->count, 2 * b->count, true);

    assert_int_equal(b->count, 4000);
    if (!comes || wrong.none)
        return committed();
    const uint32_t status = interrupted();
    return wrong.late ? committed() : aborted(status);
}

int tsx_state(struct tsx_state *s)
{
    const struct tsx_block b = {.body = s->change};

    assert_true(s->end == tsx_end_hold || s->end == tsx_end_hold_inner);
    wrong.held++;
    const bool comes = count_work(&b, 3000, 2000, true) && !wrong.none;
    wrong.interrupts += comes;
    const int outcome = state_end(s, !comes);
    if (comes && s->end == tsx_end_hold_inner && !wrong.unnested)
        s->after[0] = RTM_STATUS_NESTED;
    s->after[7] ^= comes && wrong.state_wrong;
    return outcome;
}

/* --- Transactions -----------------------------------------------------------
 */

static bool counted_end(const struct tsx_block *b, struct end *end)
{
    const uint64_t levels = 3 * b->count + 2;

    *end = committed();
    if (b->body == tsx_body_jumps) {
        *end = jump_end(b);
        if (end->outcome == TSX_ABORTED && wrong.unsaid > wrong.aborts++)
            count_event(wrong.event, UINT64_MAX); /* one less */
        if (end->outcome == TSX_ABORTED && wrong.more >= wrong.aborts)
            count_event(wrong.event, 1);
    } else if (b->body == tsx_body_long) {
        count_work(b, TSX_LONG + 4, 2, false);
    } else if (b->body == tsx_body_long_xabort) {
        count_work(b, TSX_LONG + 4, 1, true);
        *end = aborted(RTM_STATUS_XABORT | 0x64000000);
    } else if (b->body == tsx_body_write_lines) {
        count_work(b, 600, 200, true);
        *end = aborted(RTM_STATUS_CAPACITY);
    } else if (b->body == tsx_body_nest_deep) {
        count_work(b, levels, 1, true);
        *end = aborted(RTM_STATUS_XABORT | RTM_STATUS_NESTED | 0xa5000000);
    } else if (b->body == tsx_body_nest_xend_xabort) {
        count_work(b, levels, 1, true);
        *end = aborted(RTM_STATUS_XABORT | 0x33000000);
    } else if (b->body == tsx_body_nest) {
        count_work(b, TSX_NEST_LEVEL * b->count + 2, 1, false);
    } else if (b->body == tsx_body_nothing) {
        count_work(b, 6, 2, false);
    } else if (b->body == tsx_body_rdpmc) {
        end->status = (uint32_t)(TSX_RDPMC_AMID +
                                 (b->argument == wrong.index ? wrong.read : 0));
    } else {
        return false;
    }
    return true;
}

/* As many are beside a transaction. */
static void counted_outside(const struct tsx_block *b)
{
    if (b->body == tsx_body_spin)
        count_work(b, 0, 0, false);
}

static void begin(const struct test *test)
{
    tsx_begin(test, TRIALS);
    t->cpu.hle = false; /* elided sections are tried in boots alone */
    own_outside = counted_outside;
    memset(&wrong, 0, sizeof(wrong));
    wrong.tx = wrong.place = -1;
    wrong.percent = 100;
    wrong.to = LATER;
    own_end = counted_end;
    fake_device = access;
}

#endif
