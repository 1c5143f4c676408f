/* SPDX-License-Identifier: BSD-2-Clause */
/* An event inside a transaction, about to make a record, aborts it first:
 * whichever counter makes it, and of whichever event. */
#include "src/harness/case.h"
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/memory/datala.h"
#include "src/pebs/abort_check.h"
#include "src/pebs/sampling.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define TRIES 10
/* Lines written, and as many branches. A transaction can write as many. */
#define LINES 128

/* Overflows in the middle of a transaction: what is outside has far fewer
 * branches. */
static struct sampling_config config_of(uint64_t select, unsigned counter)
{
    struct sampling_config config = {
        .select = select,
        .counters = 1u << counter,
        .room = 8,
        .threshold = 8,
    };

    config.first_period[counter] = LINES / 2;
    return config;
}

/* What a record does not do, by EAX. */
#define OTHERS (RTM_STATUS_CAUSES & ~RTM_STATUS_NESTED)

/* Where the events are, in the transaction or in one inside it. Those of
 * accesses may have the other thread's in them (HSD29), and IA32_PMC2 may hold
 * anything beside aborts (SKL194): there the overflow may come before. */
static const struct row {
    const char *what;
    const uint8_t *body;
    uint64_t select;
    unsigned counter;
    bool early;     /* the overflow may be before the transaction */
    unsigned turns; /* of the body */
} rows[] = {
    {"a transaction", tsx_body_write_lines, PRECISE_CONDITIONAL_BRANCHES, 0,
     false, LINES},
    {"an inner transaction", tsx_body_nest_write_lines,
     PRECISE_CONDITIONAL_BRANCHES, 0, false, LINES},
    {"a transaction, by IA32_PMC1", tsx_body_write_lines,
     PRECISE_CONDITIONAL_BRANCHES, 1, false, LINES},
    {"a transaction, by IA32_PMC2", tsx_body_write_lines,
     PRECISE_CONDITIONAL_BRANCHES, 2, true, LINES},
    {"stores of a transaction", tsx_body_write_lines, DATALA_ALL_STORES, 0,
     true, LINES},
    {"loads of a transaction", tsx_body_read_lines, DATALA_ALL_LOADS, 0, true,
     LINES / 8},
};

/* The longest body that the event may be in. */
#define BODY_BYTES 96

/* All is as before XBEGIN: registers, and the lines, which held 0. */
static void check_restored(struct test_context *t,
                           const struct tsx_block *tried)
{
    const volatile uint8_t *lines = test_buffer(t);
    unsigned written = 0;

    for (unsigned n = 0; n < LINES; n++)
        written += *(const volatile uint64_t *)(lines + 64 * n) != 0;
    check(t, written == 0 && tried->unrestored == 0 && tried->cell == 0,
          "after an abort by a record %u of %u lines written and %u registers "
          "are not as before XBEGIN",
          written, LINES, tried->unrestored);
}

static bool is_inside(const struct pebs_record *record, const uint8_t *body)
{
    return record->eventing_ip - (uint64_t)(uintptr_t)body < BODY_BYTES;
}

static void check_record(struct sampling *p, const uint8_t *body,
                         const struct pebs_record *record, uint32_t eax)
{
    const struct pebs_abort abort = {
        .eax = eax, .resume = (uint64_t)(uintptr_t)tsx_fallback};
    bool ok = false;

    WITH_PREFIX (p->t, "an event in a transaction that made a record")
        ok = abort_check(p, record, &abort);
    if (!ok)
        return;
    check(p->t, is_inside(record, body),
          "an event in a transaction that made a record: EventingIP (B0H) is "
          "0x%lx; the transaction's events follow 0x%lx",
          record->eventing_ip, (uintptr_t)body);
}

/* With IN_TX = 1 nothing outside of a transaction counts: no record is due. */
static void try_outside(struct sampling *p)
{
    const struct sampling_config outside =
        config_of(PRECISE_CONDITIONAL_BRANCHES | IA32_PERFEVTSEL_IN_TX, 0);

    /* Measured. */
    if (!sampling_run(p, &outside, 0))
        return;

    /* Check. */
    check(p->t, p->records == 0 && ((p->value[0] + LINES / 2) & p->mask) == 0,
          "IA32_PMC0 (C1H) with IN_TX = 1 counted %lu of %u events outside of "
          "transactions, and made %u records; wanted none",
          (p->value[0] + LINES / 2) & p->mask, PEBS_EVENTS, p->records);
}

struct tried {
    const struct row *row;
    struct tsx_block block;
    bool committed;
};

static void run_transaction(struct sampling *p, uint64_t argument)
{
    struct tried *tried = (struct tried *)(uintptr_t)argument;

    tried->block =
        (struct tsx_block){.body = tried->row->body,
                           .argument = (uint64_t)(uintptr_t)test_buffer(p->t),
                           .count = tried->row->turns};
    memset(test_buffer(p->t), 0, LINES * 64);
    tried->committed =
        sampling_start(p) && tsx_inside(&tried->block) == TSX_COMMITTED;
}

static bool try_row(struct sampling *p, const struct row *row)
{
    const struct sampling_config config = config_of(row->select, row->counter);
    struct test_context *t = p->t;
    unsigned trials = test_trials(t, TRIES, TRIES), committed = 0, records = 0,
             alone = 0;
    struct pebs_record record;
    uint32_t status = 0;
    char text[RTM_STATUS_TEXT];

    for (unsigned i = 0; i < trials; i++) {
        struct tried tried = {.row = row};

        /* Measured. */
        if (!sampling_around(p, &config, run_transaction,
                             (uint64_t)(uintptr_t)&tried))
            return false;

        /* Check. What aborts before the overflow makes no record. */
        check(t, p->records <= 1, "one overflow made %u records", p->records);
        if (p->records != 1 || !sampling_record(p, 0, &record)) {
            committed += tried.committed && !row->early;
            continue;
        }
        if (row->early && !is_inside(&record, row->body))
            continue;
        committed += tried.committed;
        if (!row->early || !tried.committed) {
            check_record(p, row->body, &record, tried.block.status);
            check_restored(t, &tried.block);
        }
        alone += (tried.block.status & OTHERS) == 0;
        status = tried.block.status;
        records++;
    }
    check(t, committed == 0,
          "%u of %u transactions committed although an event inside was to "
          "make a record; wanted 0",
          committed, trials);
    check(t, records != 0 || row->early,
          "%u transactions, each with the overflow in its middle, made no "
          "record",
          trials);
    check(t, records == 0 || alone != 0,
          "each of %u aborts by a record names another cause in EAX: the last "
          "is 0x%08x (%s)",
          records, status, rtm_status_text(status, text));
    if (row->counter == 0 && !row->early)
        note(t, "%u of %u transactions made a record", records, trials);
    return true;
}

TEST(pebs_inside_tx,
     .asks = "Does an event that makes a record abort its transaction first?",
     .cite = "SDM 3B, \"Intel TSX and PEBS Support\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS | NEED_PEBS_2 |
                           NEED_RTM})
{
    struct sampling p;

    /* Set-up. */
    if (!probe_set_up(t) || !sampling_claim(&p, t))
        return;
    static const struct row by_counter3 = {"a transaction, by IA32_PMC3",
                                           tsx_body_write_lines,
                                           PRECISE_CONDITIONAL_BRANCHES,
                                           3,
                                           false,
                                           LINES};

    /* Measured and checked. */
    FOR_EACH_ROW (t, i, rows)
        WITH_PREFIX (t, "%s", rows[i].what)
            if (!try_row(&p, &rows[i]))
                return;
    if (counter3_is_reliable(t))
        WITH_PREFIX (t, "%s", by_counter3.what)
            if (!try_row(&p, &by_counter3))
                return;
    try_outside(&p);
}
