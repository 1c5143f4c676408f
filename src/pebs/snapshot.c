/* SPDX-License-Identifier: BSD-2-Clause */
/* snapshot.c - windows whose records have counters, and what they have to be.
 */
#include "src/pebs/snapshot.h"

#include "src/base/names.h"
#include "src/counting/bank.h"

#define SLOTS     3    /* IA32_FIXED_CTR3 */
#define FRACTIONS 4    /* of MSR_PERF_METRICS, of the first level */
#define WHOLE     0xff /* all slots */
#define ROUNDING  2    /* of each fraction */
#define APART     16   /* events, between one and its record */

/* Where IA32_PMCn begins, with all of its upper bits, and how far from its
 * overflow IA32_FIXED_CTRn, so that no other's value can be taken for its own.
 */
#define BEGINS(n) ((uint64_t)INT32_MIN + ((uint64_t)(n) << 20))
#define FAR(n)    (((uint32_t)1 << 30) + ((uint32_t)(n) << 24))

static struct sampling_config config_of(const struct identity *id)
{
    struct sampling_config config = {
        .select = PRECISE_CONDITIONAL_BRANCHES,
        .counters = 1 << 0,
        .count_only = (unsigned)BITS(counters_available(id) - 1, 1),
        .fixed_plain = (unsigned)BITS(bank_fixed(id) - 1, 0),
        .first_period = {40},
        .period = {60},
        .room = 8,
        .threshold = 8,
    };

    for (unsigned n = 0; n < BANK_FIXED; n++)
        config.fixed_first[n] = FAR(n);
    return config;
}

static bool has_metrics(const struct sampling *p)
{
    const struct identity *id = test_cpu(p->t);

    return (id->perf_capabilities & IA32_PERF_CAPABILITIES_PERF_METRICS) != 0 &&
           bank_fixed(id) > SLOTS;
}

/* Every counter on, and the metrics. */
static void run_all(struct sampling *p, uint64_t unused)
{
    const uint64_t metrics =
        has_metrics(p) ? IA32_PERF_GLOBAL_CTRL_PERF_METRICS : 0;

    (void)unused;
    for (unsigned n = 1; n < counters_available(test_cpu(p->t)); n++)
        if (!set_msr_again(p->t, IA32_PMC(n), BEGINS(n)))
            return;
    if (metrics != 0 && !set_msr(p->t, MSR_PERF_METRICS, 0))
        return;
    pebs_window(sampling_enable(&p->config) | metrics, 0, &p->state);
}

/* A record as it is looked at. */
struct looked {
    unsigned n, event;
    const uint8_t *bytes;
    struct pebs_record record;
};

static uint64_t value_at(const struct looked *l, unsigned place)
{
    return pebs_group_value(l->bytes, &l->record, PEBS_GROUP_COUNTERS,
                            pebs_counter_at(l->record.selection, place));
}

/* Events so far, by its number of them. */
static void check_general(struct sampling *p, const struct looked *l,
                          unsigned n)
{
    const uint64_t got = value_at(l, n);
    const uint64_t since = (got - BEGINS(n)) & p->mask;
    const uint64_t reloaded = (got + p->config.period[0]) & p->mask;
    const bool near = since + APART >= l->event && since <= l->event + APART;
    char name[MSR_NAME_BYTES];

    check(p->t, n == 0 ? got <= APART || reloaded <= APART : near,
          "record %u of event %u has %s = 0x%lx; wanted what it counted, 0x%lx "
          "and up%s",
          l->n, l->event, msr_name(IA32_PMC(n), name), got,
          n == 0 ? 0 : (BEGINS(n) + l->event) & p->mask,
          n == 0 ? ", or the reset" : "");
}

/* Not more than in the record after it, and at the end. */
static uint64_t check_rising(struct sampling *p, const struct looked *l,
                             const char *name, unsigned place, uint64_t least)
{
    const unsigned n =
        place == PEBS_METRICS_BASE ? SLOTS : place - PLACE_FIXED0;
    const uint64_t mask = BITS(test_cpu(p->t)->fixed_bits - 1, 0);
    const uint64_t counted = (value_at(l, place) + FAR(n)) & mask;
    const uint64_t most = sampling_fixed_counted(p, n);

    check(p->t, counted >= least && counted <= most,
          "record %u of event %u has %s = 0x%lx, %lu after its first value; "
          "wanted %lu, as in the record before, to %lu, as at the end",
          l->n, l->event, name, value_at(l, place), counted, least, most);
    return counted;
}

static void check_metrics(struct sampling *p, const struct looked *l)
{
    const uint64_t metrics = value_at(l, PEBS_METRICS_DATA);
    uint64_t sum = 0;

    for (unsigned i = 0; i < FRACTIONS; i++)
        sum += metrics >> 8 * i & WHOLE;
    check(p->t, sum != 0 && sum <= WHOLE + FRACTIONS * ROUNDING,
          "record %u of event %u has Metrics Data = 0x%lx: the fractions [7:0] "
          "to [31:24] are %lu together; wanted 255, or %u more at most",
          l->n, l->event, metrics, sum, FRACTIONS * ROUNDING);
}

/* What is selected is there, and as it was. */
static void check_records(struct sampling *p, uint64_t selection)
{
    uint64_t counted[BANK_FIXED] = {1}, base = 1; /* an instruction, a slot */
    struct looked l;
    char name[MSR_NAME_BYTES];

    check(p->t, p->records != 0,
          "IA32_PMC0 (C1H) overflowed every 60 of %u events, and made no "
          "record",
          PEBS_EVENTS);
    for (l.n = 0; l.n < p->records; l.n++) {
        l.bytes = p->buffer + l.n * p->size;
        if (!sampling_record(p, l.n, &l.record) ||
            (l.event = sampling_event(p, &l.record)) == 0)
            return;
        if (!check(p->t, l.record.selection == selection,
                   "record %u has the groups 0x%lx, by Record Format and the "
                   "sets in its counters' header; wanted 0x%lx",
                   l.n, l.record.selection, selection))
            return;
        for (unsigned n = 0; n < PRECISE_COUNTERS; n++)
            if (pebs_counter_at(selection, n) != 0)
                check_general(p, &l, n);
        for (unsigned n = 0; n < BANK_FIXED; n++)
            if (pebs_counter_at(selection, PLACE_FIXED0 + n) != 0)
                counted[n] =
                    check_rising(p, &l, msr_name(IA32_FIXED_CTR(n), name),
                                 PLACE_FIXED0 + n, counted[n]);
        if ((selection & PEBS_DATA_METRICS) == 0)
            continue;
        base = check_rising(p, &l, "Metrics Base", PEBS_METRICS_BASE, base);
        check_metrics(p, &l);
    }
}

static bool try_selection(struct sampling *p, uint64_t sets, bool adaptive)
{
    const struct sampling_config config = config_of(test_cpu(p->t));
    const uint64_t selection = PEBS_DATA_GPRS | sets;
    bool ok = false;

    WITH_PREFIX (p->t, "MSR_PEBS_DATA_CFG (3F2H) 0x%lx%s", selection,
                 adaptive ? "" : ", Adaptive_Record 0") {
        /* Measured. */
        ok = sampling_groups(p, selection, adaptive) &&
             sampling_around(p, &config, run_all, 0);

        /* Check. Of a basic record the size is checked. */
        if (ok && adaptive)
            check_records(p, selection);
    }
    return ok;
}

bool snapshot_try(struct sampling *p)
{
    const uint64_t sets = PEBS_DATA_SETS_OF(bank_places(test_cpu(p->t)));
    const uint64_t metrics = has_metrics(p) ? PEBS_DATA_METRICS : 0;
    const uint64_t all = PEBS_DATA_COUNTERS | sets | metrics;
    bool ok = true;

    for (unsigned bit = 32; ok && bit < 56; bit++)
        if ((sets >> bit & 1) != 0)
            ok = try_selection(p, PEBS_DATA_COUNTERS | BIT(bit), true);
    return ok && (metrics == 0 || try_selection(p, metrics, true)) &&
           try_selection(p, all, false) && try_selection(p, all, true) &&
           try_selection(
               p, all | PEBS_DATA_XMM | PEBS_DATA_LBRS | PEBS_DATA_MEMORY,
               true);
}
