/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_fixture.h - the records that pebs_device.h makes of the branches of a
 * window, and a case over them. */
#ifndef TESTS_HOST_CASES_PEBS_PEBS_FIXTURE_H
#define TESTS_HOST_CASES_PEBS_PEBS_FIXTURE_H

#include "tests/host/cases/pebs/pebs_device.h"

static struct window {
    struct pebs_state state;
    const uint8_t *at; /* of event 0's end */
    int bytes;         /* of an event */
    bool taken;
    unsigned events;
    uint64_t *times;
    bool frozen;
} window;
static unsigned pending[COUNTERS]; /* events up to the record, and it */

static bool has_room(void)
{
    return area()->pebs_index + sizeof(struct pebs_format3) <=
           held(OLD_END)->pebs_absolute_maximum + (uint64_t)device.beyond;
}

/* "Streamlined Freeze_LBRs_On_PMI", from version 4 on. */
static void freeze_branches(bool is)
{
    const bool asked = (*msr(IA32_DEBUGCTL) & BIT(11)) != 0 ||
                       device.branches == BRANCHES_FREEZE_UNASKED;
    const bool streamlined = t->cpu.perfmon_version >= 4;

    if (device.not_taken_recorded)
        *msr(MSR_LASTBRANCH_FROM_IP(2)) = (uintptr_t)pebs_events + 4;
    if (!asked || device.branches == BRANCHES_GO_ON ||
        (!is && device.branches != BRANCHES_FREEZE_EARLY))
        return;
    if (streamlined && device.branches != BRANCHES_FREEZE_UNSAID)
        *msr(0x38e) |= BIT(58);
    if (streamlined == (device.branches == BRANCHES_OTHERWISE))
        *msr(IA32_DEBUGCTL) &= ~IA32_DEBUGCTL_LBR;
}

/* With the area's index after the record: is that the threshold? */
static void reached(void)
{
    const uint64_t at = held(OLD_THRESHOLD)->pebs_interrupt_threshold +
                        (uint64_t)device.threshold;
    const bool freezes = (*msr(IA32_DEBUGCTL) & BIT(12)) != 0 &&
                         device.freezes != FREEZES_NOT &&
                         !(pmi.nmi && device.no_nmi);
    const bool is = area()->pebs_index >= at;

    if (is)
        *msr(0x38e) |= BIT(62);
    const uint64_t enabled = *msr(IA32_PEBS_ENABLE);
    const bool hidden = device.no_pmi_beside && (enabled & (enabled - 1)) != 0;
    if ((is && !device.no_pmi && !hidden) || device.pmi_each)
        interrupt();
    freeze_branches(is);
    if (freezes && (is || device.freezes == FREEZES_FIRST)) {
        window.frozen = device.freezes != FREEZES_LATE;
        if (device.freezes != FREEZES_UNSAID && t->cpu.perfmon_version >= 4)
            *msr(0x38e) |= BIT(59);
    }
}

static void put(const struct pebs_format3 *record)
{
    const uint64_t to =
        device.from_base ? area()->pebs_buffer_base : area()->pebs_index;
    const size_t page = 4096 - to % 4096;

    memcpy((void *)(uintptr_t)to, record,
           device.cut && page < sizeof(*record) ? page : sizeof(*record));
    area()->pebs_index += sizeof(*record);
    if (device.goes_round && !has_room())
        area()->pebs_index = area()->pebs_buffer_base;
}

static void make_record(unsigned counters, unsigned k)
{
    const uint64_t rip =
        (uintptr_t)window.at + (uint64_t)((int64_t)k * window.bytes);
    struct pebs_format3 record = {
        .rip = rip,
        .r15 = (PEBS_PLANTED(15) ^ window.state.complement) +
               (device.backwards ? PEBS_EVENTS - k : k),
        .eventing_ip = rip - (uint64_t)window.bytes + PEBS_EVENT_BRANCH,
        .applicable_counter = counters,
        .tsc = hw_tsc()};

    if (++device.made == device.lost || !has_room()) {
        if (device.disables_full && !has_room())
            *msr(IA32_PEBS_ENABLE) = 0;
        if (device.moves_index && !has_room())
            area()->pebs_index += sizeof(record);
        if (device.pmi_full && !has_room())
            interrupt();
        return;
    }
    plant(&record, &window.state);
    if (window.times != NULL)
        record.tsc = device.time == AT_BEGIN ? window.times[k - 1]
                     : device.time == AT_END ? window.times[k]
                     : device.time == LOW_ZERO
                         ? (window.times[k] - 1) & ~UINT64_C(0xffff)
                         : window.times[k] - 1;
    if ((device.of == 0 || (device.of & counters) != 0) &&
        (device.only == 0 || device.only == device.made)) {
        record.rip += (uint64_t)device.rip;
        record.eventing_ip += (uint64_t)device.ip;
        record.tsc += (uint64_t)device.tsc;
        record.tx_abort = device.tx_abort;
        record.applicable_counter ^= device.field;
    }
    put(&record);
    *msr(0x38e) &= device.clears_all     ? 0
                   : device.status_stays ? ~UINT64_C(0)
                                         : ~(uint64_t)counters;
    if (device.status_stays)
        *msr(0x38e) |= counters;
    reached();
    if (device.disables)
        *msr(IA32_PEBS_ENABLE) = 0;
}

/* 38FH is written by itself where code of C is what counts; IA32_PEBS_ENABLE
 * was, between two such writes. */
static void enabled_later(uint64_t global)
{
    if (global == 0 && device.enabled && !device.needs_stop)
        make_record(1, 1);
    device.enabled = false;
}

static bool counts(unsigned n, uint64_t enable)
{
    const uint64_t select = *msr(IA32_PERFEVTSEL(n));
    const uint64_t event = select & 0xffff;
    const bool bit = (*msr(IA32_PEBS_ENABLE) >> n & 1) != 0;
    const int but = bit ? (int)device.counts_while : NEVER;

    if ((select & IA32_PERFEVTSEL_IN_TX) != 0 && !device.outside_too)
        return false;
    if (((enable >> n & 1) == 0 && but != GLOBAL_OFF) ||
        ((select & IA32_PERFEVTSEL_EN) == 0 && but != SELECT_OFF) ||
        ((select & IA32_PERFEVTSEL_OS) == 0 && but != RING_OFF))
        return false;
    return event == 0x1c4 || event == 0x4c4 || device.any_kind ||
           (event == 0x20c4 && window.taken);
}

/* What an overflow does where its counter makes no record. */
static void overflow(unsigned n)
{
    if (!device.plain_silent)
        *msr(0x38e) |= BIT(n);
    if (device.plain_reloads)
        *msr(IA32_PMC(n)) = area()->pebs_reset[n];
}

/* One event on one counter; whether it makes a record. */
static bool step(unsigned n, unsigned made)
{
    const bool bit = (*msr(IA32_PEBS_ENABLE) >> n & 1) != 0;
    uint64_t *value = msr(IA32_PMC(n));

    if (pending[n] != 0 && --pending[n] == 0) {
        if (has_room() || device.reloads_skipped) {
            *value = (held(OLD_RESET)->pebs_reset[n] + device.over) & MASK;
            pending[n] =
                *value == 0 && device.over != 0; /* the next one makes one */
            return true;
        }
        pending[n] = device.stays_armed ? 1 : 0;
        *value = (*value + 1) & MASK;
        return !device.stays_armed;
    }
    *value = (*value + 1) & MASK;
    if (*value != 0 ||
        (device.not_highest && held(OLD_RESET)->pebs_reset[n] == MASK))
        return false;
    if ((*msr(IA32_PERFEVTSEL(n)) & IA32_PERFEVTSEL_INT) != 0 &&
        !device.overflow_silent)
        interrupt();
    if (bit || device.without_bit) {
        pending[n] = (unsigned)(1 + device.late[made != 0]);
        return pending[n] == 0;
    }
    overflow(n);
    return false;
}

static void step_all(uint64_t enable, unsigned k, unsigned *made)
{
    unsigned set = 0;

    for (unsigned n = 0; n < COUNTERS; n++)
        if (!device.silent &&
            !(window.frozen && (n != 0 || device.freezes != FREEZES_OTHERS)) &&
            counts(n, enable) && step(n, *made))
            set |= 1u << n;
    if (set != 0)
        make_record(set, k);
    *made += set != 0;
}

static void run(uint64_t enable, struct pebs_state *state)
{
    unsigned made = 0;

    device.windows++;
    const uint64_t left = -*msr(IA32_PMC(0)) & MASK;
    if (device.windows == 1 || left < device.nearest)
        device.nearest = left;
    device.third += (enable >> 3 & *msr(IA32_PERFEVTSEL(3)) >> 22 & 1) != 0;
    device.recorded += (*msr(IA32_DEBUGCTL) & IA32_DEBUGCTL_LBR) != 0;
    *state = window.state;
    if (device.writes_late && *msr(IA32_PEBS_ENABLE) == 0)
        ((struct pebs_format3 *)(uintptr_t)area()->pebs_buffer_base)->rax++;
    for (unsigned n = 0; n < COUNTERS; n++)
        if (!device.stays_armed)
            pending[n] = 0;
    for (unsigned k = 1; k <= window.events; k++) {
        if (window.times != NULL)
            window.times[k] = window.times[k - 1] + 1000 +
                              (device.time == LOW_ZERO ? 0x20000 : 0);
        step_all(enable, k, &made);
    }
    for (unsigned n = 0; n < COUNTERS; n++)
        if ((enable >> n & 1) != 0 && (*msr(IA32_PEBS_ENABLE) >> n & 1) == 0 &&
            *msr(IA32_PMC(n)) != 0 &&
            (device.misses_of == 0 ||
             device.misses_of == (uint16_t)*msr(IA32_PERFEVTSEL(n))))
            *msr(IA32_PMC(n)) -= device.misses;
    if (device.idle_moves)
        for (unsigned n = 0; n < COUNTERS; n++)
            if (*msr(IA32_PMC(n)) >> 47 != 0 && pending[n] == 0)
                *msr(IA32_PMC(n)) += 1;
    if ((enable >> 32 & 1) != 0)
        *msr(0x309) =
            (*msr(0x309) + 3000 + (made != 0 ? device.instructions : 0)) & MASK;
    if ((enable >> 32 & 1) != 0 && *msr(0x309) < 100000)
        *msr(0x38e) |= BIT(32);
}

static struct pebs_state state_of(uint64_t flags)
{
    const uint64_t complement =
        (flags & PEBS_COMPLEMENT) != 0 ? ~UINT64_C(0) : 0;

    return (struct pebs_state){.rflags = (flags & ~PEBS_COMPLEMENT) |
                                         (pmi.on && !pmi.nmi ? BIT(9) : 0),
                               .complement = complement};
}

void pebs_window(uint64_t enable, uint64_t flags, struct pebs_state *state)
{
    window = (struct window){state_of(flags),
                             pebs_events,
                             PEBS_EVENT_BYTES,
                             false,
                             PEBS_EVENTS,
                             NULL,
                             false};
    run(enable, state);
}

/* A record of an event after the stop is of a counter that overflowed. */
void pebs_window_stopped(uint64_t enable, uint64_t flags,
                         struct pebs_state *state)
{
    pebs_window(enable, flags, state);
    if (device.after_stop != 0 && pending[0] != 0 &&
        (device.out_of == 0 || device.out_of == device.windows)) {
        *msr(IA32_PMC(0)) = area()->pebs_reset[0];
        make_record(1, PEBS_EVENTS + device.after_stop);
    }
    if (device.overflow_lost && pending[0] != 0)
        *msr(IA32_PMC(0)) -= 1;
}

void pebs_window_taken(uint64_t enable, uint64_t flags,
                       struct pebs_state *state)
{
    window = (struct window){state_of(flags | BIT(11)),
                             pebs_events_taken,
                             PEBS_TAKEN_BYTES,
                             true,
                             PEBS_EVENTS,
                             NULL,
                             false};
    run(enable, state);
}

void pebs_window_back(uint64_t enable, uint64_t flags, struct pebs_state *state)
{
    window = (struct window){state_of(flags | BIT(11)),
                             PEBS_EVENTS_BACK,
                             PEBS_BACK_BYTES,
                             true,
                             PEBS_EVENTS,
                             NULL,
                             false};
    run(enable, state);
}

void pebs_window_timed(uint64_t enable, uint64_t times[PEBS_TIMED + 1],
                       struct pebs_state *state)
{
    times[0] = 0x1234567;
    window = (struct window){
        state_of(0), (const uint8_t *)(uintptr_t)pebs_window_timed,
        0,           false,
        PEBS_TIMED,  times,
        false};
    run(enable, state);
}

static void begin(const struct test *test)
{
    memset(&device, 0, sizeof(device));
    memset(pending, 0, sizeof(pending));
    case_begin(test, 25);
    t->cpu.perf_capabilities = 0x33c0;
    t->cpu.pebs_format = 3;
    *msr(IA32_DS_AREA) = 0x1234;
    *msr(IA32_PEBS_ENABLE) = 0;
    fake_device = access;
}

static inline void passes(const struct test *test, const char *line)
{
    begin(test);
    expect_case(case_end(), VERDICT_PASS, line);
}

/* A device with one thing otherwise, and what a case says of it. */
struct row {
    const struct test *test;
    enum verdict verdict;
    const char *line;
    struct device device;
};
#define ROW(name, verdict, line, ...)               \
    {                                               \
        &test_pebs_##name, VERDICT_##verdict, line, \
        {                                           \
            __VA_ARGS__                             \
        }                                           \
    }

static inline void expect_rows(const struct row rows[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        begin(rows[i].test);
        device = rows[i].device;
        expect_case(case_end(), rows[i].verdict, rows[i].line);
    }
}

#endif
