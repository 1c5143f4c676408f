/* SPDX-License-Identifier: BSD-2-Clause */
/* An adaptive record has the groups that MSR_PEBS_DATA_CFG selects, each where
 * those before it end, and with Adaptive_Record 0 the basic group alone; that
 * of the LBRs has the branches up to the record, the youngest first. */
#include "src/harness/case.h"
#include "src/lbr/stack.h"
#include "src/pebs/adaptive_apart.h"
#include "src/pebs/sampling_check.h"
#include "src/pebs/sampling_ring3.h"
#include "src/pebs/snapshot.h"

/* Of the LBR group, some and all that there are. */
#define ENTRIES     8
#define ENTRIES_ALL 32
#define APART       4  /* branches, that LBR[0] and the record's may be */
#define LATE        12 /* branches, from an overflow to the window's end */

static const struct sampling_config config = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0,
    .first_period = {40},
    .period = {60},
    .room = 8,
    .threshold = 8,
};

/* Of the basic group, which each record has. */
static bool check_basic(struct sampling *p, const struct pebs_record *record,
                        uint64_t selection)
{
    const uint64_t from =
        record->eventing_ip - (uint64_t)(uintptr_t)pebs_events;

    return sampling_check_format(p, record, selection) &&
           check(p->t, from <= PEBS_EVENTS * PEBS_EVENT_BYTES,
                 "Instruction Pointer (08H) is 0x%lx; wanted an address of the "
                 "window's events, 0x%lx and up",
                 record->eventing_ip, record->eventing_ip - from) &&
           check(p->t, record->applicable_counter == 1,
                 "Applicable Counter (10H) is 0x%lx; wanted 0x1",
                 record->applicable_counter) &&
           check(p->t,
                 record->tsc >= p->tsc_before && record->tsc <= p->tsc_after,
                 "TSC (18H) is 0x%lx; wanted 0x%lx to 0x%lx, those around the "
                 "window",
                 record->tsc, p->tsc_before, p->tsc_after);
}

/* Of the others: registers as they are planted, no abort. What is in LBRs,
 * which do not record, is not known. */
static void check_record(struct sampling *p, unsigned n, uint64_t selection)
{
    struct pebs_record record;
    enum pebs_error error =
        pebs_decode(p->buffer + n * p->size, p->size, p->format, &record);

    if (!check(p->t, error == PEBS_OK || error == PEBS_TX_ABORT_RESERVED,
               "record %u: %s", n, pebs_error_text(error)) ||
        !check_basic(p, &record, selection))
        return;
    if (pebs_has(&record, PEBS_RIP))
        check(p->t, sampling_event(p, &record) != 0,
              "record %u is of no event of the window", n);
    check(p->t,
          (record.tx_abort & (TX_ABORT_HLE_ABORT | TX_ABORT_RTM_ABORT)) == 0,
          "TSX Auxiliary Info (%02XH) of a record outside of transactions is "
          "0x%lx; wanted [33:32] = 0",
          (unsigned)pebs_field_offset(&record, PEBS_TX_ABORT), record.tx_abort);
    if ((selection & PEBS_DATA_XMM) != 0) {
        char which[16];
        text_format(which, sizeof(which), "record %u", n);
        sampling_check_xmm(p, n, &record, which);
    }
}

static void check_made(struct sampling *p)
{
    check(p->t, p->records != 0,
          "IA32_PMC0 (C1H) overflowed every 60 of %u events, and made no "
          "record",
          PEBS_EVENTS);
}

/* From one window to the next all that is planted changes. */
static void run_planted(struct sampling *p, uint64_t flags)
{
    pebs_window_xmm(sampling_enable(&p->config), flags, &p->state);
}

static bool try_groups(struct sampling *p, uint64_t selection, bool adaptive)
{
    const bool planted = adaptive && (selection & PEBS_DATA_XMM) != 0;

    /* Set-up and measured. */
    if (!sampling_groups(p, selection, adaptive) ||
        !(planted
              ? sampling_around(
                    p, &config, run_planted,
                    (selection & PEBS_DATA_MEMORY) != 0 ? PEBS_COMPLEMENT : 0)
              : sampling_run(p, &config, 0)))
        return false;

    /* Check. */
    check_made(p);
    for (unsigned n = 0; n < p->records; n++)
        check_record(p, n, adaptive ? selection : 0);
    return true;
}

static struct lbr_entry entry_of(const uint8_t *bytes,
                                 const struct pebs_record *record, unsigned e)
{
    uint64_t words[3];

    for (unsigned i = 0; i < 3; i++)
        words[i] =
            pebs_group_value(bytes, record, PEBS_GROUP_LBRS, (size_t)3 * e + i);
    return (struct lbr_entry){words[0], words[1], words[2]};
}

/* The branches of a window that has no others, of which each entry has the one
 * before that of the entry in front of it. */
static void check_entries(struct sampling *p, const struct lbr *lbr, unsigned n,
                          unsigned entries, uint64_t *cycles)
{
    const uint8_t *bytes = p->buffer + n * p->size;
    const uint64_t first =
        (uint64_t)(uintptr_t)pebs_events_taken + PEBS_EVENT_BRANCH;
    struct pebs_record record;
    enum pebs_error error = pebs_decode(bytes, p->size, p->format, &record);
    uint64_t from;

    if (!check(p->t, error == PEBS_OK, "record %u: %s", n,
               pebs_error_text(error)))
        return;
    from = pebs_group_value(bytes, &record, PEBS_GROUP_LBRS, 0);
    check(p->t,
          from - first < PEBS_EVENTS * PEBS_TAKEN_BYTES &&
              (from - first) % PEBS_TAKEN_BYTES == 0,
          "LBR[0].FROM of record %u is 0x%lx; wanted a branch of the window, "
          "0x%lx and every %u bytes",
          n, from, first, PEBS_TAKEN_BYTES);
    const uint64_t apart = APART * PEBS_TAKEN_BYTES;
    check(p->t, from + apart - record.eventing_ip <= 2 * apart,
          "LBR[0].FROM of record %u is 0x%lx, and the record is of the branch "
          "at 0x%lx; wanted that one, or one of the %u before or after",
          n, from, record.eventing_ip, APART);
    for (unsigned e = 0; e < entries; e++) {
        const uint64_t want = from - (uint64_t)e * PEBS_TAKEN_BYTES;
        const uint64_t want_to = want + PEBS_TAKEN_BYTES - PEBS_EVENT_BRANCH;
        const struct lbr_entry entry = entry_of(bytes, &record, e);
        const struct lbr_record decoded = lbr_decode(&lbr->model, &entry);

        check(p->t, entry.from == want && entry.to == want_to,
              "LBR[%u] of record %u: FROM is 0x%lx, TO is 0x%lx; wanted 0x%lx "
              "and 0x%lx",
              e, n, entry.from, entry.to, want, want_to);
        check(p->t,
              !decoded.malformed && !decoded.in_tx && !decoded.abort &&
                  decoded.type == 0,
              "LBR[%u] of record %u: INFO is 0x%lx; wanted that of a "
              "conditional branch outside of transactions",
              e, n, entry.info);
        *cycles += decoded.cycles;
    }
}

/* Branches are recorded in the window alone: between two the firmware may have
 * the processor (hw_poll()). */
static void run_taken(struct sampling *p, uint64_t argument)
{
    struct lbr *lbr = (struct lbr *)(uintptr_t)argument;

    if (!lbr_turn_held(lbr, 0, true))
        return;
    pebs_window_taken(sampling_enable(&p->config), 0, &p->state);
    lbr_turn_held(lbr, 0, false);
}

/* The LBR group while branches are recorded, all of them. False: an access
 * failed. */
static bool try_entries(struct sampling *p, struct lbr *lbr, unsigned entries)
{
    const uint64_t selection = PEBS_DATA_LBRS | PEBS_DATA_ENTRIES_OF(entries);
    uint64_t cycles = 0; /* between branches, in all */

    if (!sampling_groups(p, selection, true) || !lbr_hold(lbr) ||
        !sampling_around(p, &config, run_taken, (uint64_t)(uintptr_t)lbr))
        return false;
    check_made(p);
    for (unsigned n = 0; n < p->records; n++)
        check_entries(p, lbr, n, entries, &cycles);
    check(p->t,
          entries < ENTRIES || p->records == 0 || cycles != 0 ||
              !lbr->model.cycles,
          "LBR[0 to %u].INFO [15:0] (Cycle Count) is 0 in each of %u records",
          entries - 1, p->records);
    return true;
}

/* The same, with few branches between the window and the end of recording. */
static void run_briefly(struct sampling *p, uint64_t argument)
{
    struct lbr *lbr = (struct lbr *)(uintptr_t)argument;
    const uint64_t off = lbr_on(lbr) & ~UINT64_C(1);

    if (!lbr_turn_held(lbr, 0, true))
        return;
    pebs_window_taken(sampling_enable(&p->config), 0, &p->state);
    set_held_msr(p->t, lbr->msr, off);
}

/* One record, so near to the window's end that the registers hold some of its
 * entries still: both are the same, flags and all. */
static bool try_registers(struct sampling *p, struct lbr *lbr)
{
    const uint64_t selection =
        PEBS_DATA_LBRS | PEBS_DATA_ENTRIES_OF(ENTRIES_ALL);
    struct sampling_config late = config;
    struct pebs_record record;
    unsigned since = 0;

    late.first_period[0] = PEBS_EVENTS - LATE;
    late.period[0] = 2 * PEBS_EVENTS;
    if (!sampling_groups(p, selection, true) || !lbr_hold(lbr) ||
        !sampling_around(p, &late, run_briefly, (uint64_t)(uintptr_t)lbr) ||
        !lbr_read(lbr))
        return false;
    check_made(p);
    if (p->records == 0 ||
        pebs_decode(p->buffer, p->size, p->format, &record) != PEBS_OK)
        return true;
    const uint64_t newest =
        pebs_group_value(p->buffer, &record, PEBS_GROUP_LBRS, 0);
    while (since < lbr->model.depth && lbr->records[since].from != newest)
        since++;
    check(p->t, since < lbr->model.depth,
          "LBR[0].FROM of a record %u events before the window's end is 0x%lx; "
          "no register has it after that",
          LATE, newest);
    for (unsigned e = 0; e + since < lbr->model.depth; e++) {
        const struct lbr_entry entry = entry_of(p->buffer, &record, e);
        const struct lbr_record got = lbr_decode(&lbr->model, &entry),
                                *want = &lbr->records[e + since];

        check(p->t,
              got.from == want->from && got.to == want->to &&
                  got.mispredicted == want->mispredicted &&
                  got.cycles == want->cycles && got.type == want->type,
              "LBR[%u] of a record: FROM 0x%lx, TO 0x%lx, INFO 0x%lx; the "
              "registers have 0x%lx to 0x%lx, %u cycles, mispredicted %u",
              e, entry.from, entry.to, entry.info, want->from, want->to,
              want->cycles, want->mispredicted);
    }
    return true;
}

/* Of entry n: addresses of no code here, and its own cycles. */
#define PLANTED(n)      (UINT64_C(0x10000) + 16 * (n))
#define PLANTED_TO      8
#define PLANTED_INFO(n) ((0x100 + (n)) | ((n) % 2 != 0 ? LBR_MISPRED : 0))

/* Into entries that hold something of their own each. */
static void run_into_planted(struct sampling *p, uint64_t argument)
{
    struct lbr *lbr = (struct lbr *)(uintptr_t)argument;

    for (unsigned n = 0; n < lbr->model.depth; n++) {
        const uint64_t values[3] = {PLANTED(n), PLANTED(n) + PLANTED_TO,
                                    PLANTED_INFO(n)};
        for (unsigned i = 0; i < 3; i++)
            if (!set_msr_again(p->t, lbr_entry_msr(&lbr->model, i, n),
                               values[i]))
                return;
    }
    run_taken(p, argument);
}

/* A record so early that entries are left of before the window: each is whole,
 * and they are in the order of their age. */
static bool try_planted(struct sampling *p, struct lbr *lbr)
{
    const uint64_t selection =
        PEBS_DATA_LBRS | PEBS_DATA_ENTRIES_OF(ENTRIES_ALL);
    const unsigned depth = lbr->model.depth;
    struct sampling_config early = config;
    struct pebs_record record;
    unsigned left = 0;

    early.first_period[0] = 1;
    early.period[0] = 2 * PEBS_EVENTS;
    if (!sampling_groups(p, selection, true) || !lbr_hold(lbr) ||
        !sampling_around(p, &early, run_into_planted, (uint64_t)(uintptr_t)lbr))
        return false;
    if (p->records == 0 ||
        pebs_decode(p->buffer, p->size, p->format, &record) != PEBS_OK)
        return false;
    for (unsigned e = 0, n = 0; e < depth && e < ENTRIES_ALL; e++) {
        const struct lbr_entry entry = entry_of(p->buffer, &record, e);
        const uint64_t number = (entry.from - PLANTED(0)) / 16;

        if (left == 0 && number >= depth)
            continue;
        n = left++ == 0 ? (unsigned)number : n + (lbr->model.arch ? 1 : -1u);
        n %= depth;
        const uint64_t info = entry.info & (LBR_MISPRED | BITS(15, 0));
        if (!check(p->t,
                   entry.from == PLANTED(n) &&
                       entry.to == PLANTED(n) + PLANTED_TO &&
                       info == PLANTED_INFO(n),
                   "LBR[%u] of a record, of before the window: FROM 0x%lx, TO "
                   "0x%lx, INFO 0x%lx; wanted 0x%lx, 0x%lx and 0x%lx",
                   e, entry.from, entry.to, info, PLANTED(n),
                   PLANTED(n) + PLANTED_TO, PLANTED_INFO(n)))
            break;
    }
    if (left == 0) /* as many branches may lie before it */
        note(p->t, "an early record has no entry of before, of %u", depth);
    return true;
}

#define CYCLES 1         /* IA32_FIXED_CTR1 */
#define FAR    (1 << 30) /* from its overflow */

/* Retire Latency of an event that is not the window's first is no more than the
 * cycles of the window; that may be of ring 3. */
static bool try_latency(struct sampling *p, const struct ring3_session *s)
{
    struct sampling_config timed = config;
    struct pebs_record record;

    if (s != NULL)
        timed.first_period[0] = timed.period[0] = 1;
    timed.fixed_plain = 1 << CYCLES;
    timed.fixed_first[CYCLES] = FAR;
    if (!sampling_groups(p, SAMPLING_GROUPS, true) ||
        !(s == NULL ? sampling_run(p, &timed, 0)
                    : sampling_around(p, &timed, sampling_ring3,
                                      (uint64_t)(uintptr_t)s)))
        return false;
    check_made(p);
    for (unsigned n = 0; n < p->records; n++) {
        if (!sampling_record(p, n, &record))
            return true;
        const uint64_t latency =
            (record.record_format & PEBS_RETIRE_LATENCY) >> 32;
        const uint64_t most = sampling_fixed_counted(p, CYCLES);
        check(p->t, !p->timing || latency <= most,
              "Retire Latency (00H[47:32]) of record %u is %lu core cycles, of "
              "a window of %lu (IA32_FIXED_CTR1); wanted no more",
              n, latency, most);
    }
    return true;
}

TEST(pebs_adaptive_groups,
     .asks = "Does an adaptive record have the groups that MSR_PEBS_DATA_CFG "
             "selects, and no others?",
     .cite = "SDM 3B, \"Adaptive PEBS\", \"MSR_PEBS_DATA_CFG\", "
             "\"Adaptive_Record\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS |
                           NEED_ADAPTIVE_PEBS | NEED_LBR})
{
    bool ok = true;
    struct ring3_session ring3;
    struct sampling p;
    struct lbr lbr;

    /* Set-up. */
    if (!lbr_claim(&lbr, t) || !sampling_claim(&p, t))
        return;

    /* Measured, and checked one by one. */
    for (uint64_t groups = 0; ok && groups < 16; groups++) {
        const uint64_t selection = groups | ((groups & PEBS_DATA_LBRS) != 0
                                                 ? PEBS_DATA_ENTRIES_OF(ENTRIES)
                                                 : 0);
        WITH_PREFIX (t, "MSR_PEBS_DATA_CFG (3F2H) 0x%lx", selection)
            ok = try_groups(&p, selection, true);
        if (ok)
            WITH_PREFIX (t, "MSR_PEBS_DATA_CFG (3F2H) 0x%lx, Adaptive_Record 0",
                         selection)
                ok = try_groups(&p, selection, false);
    }
    ok = ok && adaptive_apart_try(&p) && try_latency(&p, NULL);
    if (ok)
        WITH_PREFIX (t, "branches recorded") {
            ok = try_registers(&p, &lbr);
            for (unsigned n = 1; ok && n <= ENTRIES_ALL; n *= 2)
                ok = try_entries(&p, &lbr, n);
            ok = ok && try_planted(&p, &lbr);
        }
    if (ok && test_cpu(t)->pebs_counters)
        ok = snapshot_try(&p);
    if (ok && ring3_prepare(&ring3, t))
        WITH_PREFIX (t, "with ring 3")
            (void)try_latency(&p, &ring3);
}
