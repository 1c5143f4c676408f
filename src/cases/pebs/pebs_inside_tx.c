/* SPDX-License-Identifier: BSD-2-Clause */
/* An event inside a transaction, about to make a record, aborts it first. */
#include "src/harness/case.h"
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/pebs/abort_check.h"
#include "src/pebs/sampling.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define TRIES 10
/* Lines written, and as many branches. A transaction can write as many. */
#define LINES 128

/* Overflows in the middle of a transaction: what is outside has far fewer
 * branches. */
static const struct sampling_config config = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0,
    .first_period = {LINES / 2},
    .room = 8,
    .threshold = 8,
};

/* What a record does not do, by EAX. */
#define OTHERS (RTM_STATUS_CAUSES & ~RTM_STATUS_NESTED)

/* Where the branches are, in the transaction or in one inside it. */
static const struct row {
    const char *what;
    const uint8_t *body;
} rows[] = {
    {"a transaction", tsx_body_write_lines},
    {"an inner transaction", tsx_body_nest_write_lines},
};

/* The longest body that the branch may be in. */
#define BODY_BYTES 64

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

static void check_record(struct sampling *p, const uint8_t *body, uint32_t eax)
{
    const struct pebs_abort abort = {
        .eax = eax, .resume = (uint64_t)(uintptr_t)tsx_fallback};
    struct pebs_record record;
    bool ok = false;

    if (!sampling_record(p, 0, &record))
        return;
    WITH_PREFIX (p->t, "a branch in a transaction that made a record")
        ok = abort_check(p, &record, &abort);
    if (!ok)
        return;
    check(p->t, record.eventing_ip - (uint64_t)(uintptr_t)body < BODY_BYTES,
          "a branch in a transaction that made a record: EventingIP (B0H) is "
          "0x%lx; the transaction's branches follow 0x%lx",
          record.eventing_ip, (uintptr_t)body);
}

/* With IN_TX = 1 nothing outside of a transaction counts: no record is due. */
static void try_outside(struct sampling *p)
{
    struct sampling_config outside = config;

    /* Measured. */
    outside.select |= IA32_PERFEVTSEL_IN_TX;
    if (!sampling_run(p, &outside, 0))
        return;

    /* Check. */
    check(p->t, p->records == 0 && ((p->value[0] + LINES / 2) & p->mask) == 0,
          "IA32_PMC0 (C1H) with IN_TX = 1 counted %lu of %u events outside of "
          "transactions, and made %u records; wanted none",
          (p->value[0] + LINES / 2) & p->mask, PEBS_EVENTS, p->records);
}

struct tried {
    const uint8_t *body;
    struct tsx_block block;
    bool committed;
};

static void run_transaction(struct sampling *p, uint64_t argument)
{
    struct tried *tried = (struct tried *)(uintptr_t)argument;

    tried->block =
        (struct tsx_block){.body = tried->body,
                           .argument = (uint64_t)(uintptr_t)test_buffer(p->t),
                           .count = LINES};
    memset(test_buffer(p->t), 0, LINES * 64);
    tried->committed =
        sampling_start(p) && tsx_inside(&tried->block) == TSX_COMMITTED;
}

static bool try_body(struct sampling *p, const uint8_t *body)
{
    struct test_context *t = p->t;
    unsigned trials = test_trials(t, TRIES, TRIES), committed = 0, records = 0,
             alone = 0;
    uint32_t status = 0;
    char text[RTM_STATUS_TEXT];

    for (unsigned i = 0; i < trials; i++) {
        struct tried tried = {.body = body};

        /* Measured. */
        if (!sampling_around(p, &config, run_transaction,
                             (uint64_t)(uintptr_t)&tried))
            return false;
        committed += tried.committed;

        /* Check. What aborts before the overflow makes no record. */
        check(t, p->records <= 1, "one overflow made %u records", p->records);
        if (p->records == 1) {
            check_record(p, body, tried.block.status);
            check_restored(t, &tried.block);
            alone += (tried.block.status & OTHERS) == 0;
            status = tried.block.status;
        }
        records += p->records;
    }
    check(t, committed == 0,
          "%u of %u transactions committed although a branch inside was to "
          "make a record; wanted 0",
          committed, trials);
    check(t, records != 0,
          "%u transactions, each with the overflow in its middle, made no "
          "record",
          trials);
    check(t, records == 0 || alone != 0,
          "each of %u aborts by a record names another cause in EAX: the last "
          "is 0x%08x (%s)",
          records, status, rtm_status_text(status, text));
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

    /* Measured and checked. */
    FOR_EACH_ROW (t, i, rows)
        WITH_PREFIX (t, "%s", rows[i].what)
            if (!try_body(&p, rows[i].body))
                return;
    try_outside(&p);
}
