/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_cases.c - the cases of records of the window's branches, over a
 * processor that makes those of format 3, and over the same with one thing
 * otherwise: at each bound, and one beyond. */
#include "src/pebs/sampling.h"
#include "tests/host/cases/case_fixture.h"

extern const struct test test_pebs_adaptive_groups,
    test_pebs_applicable_counter, test_pebs_counter3, test_pebs_enable_bits,
    test_pebs_events, test_pebs_record_layout, test_pebs_reload, test_pebs_tsc;

#define COUNTERS 4
#define MASK     BITS(47, 0)

struct device {
    int late[2];           /* events: the first record, those after it */
    uint64_t over;         /* that a record counts too */
    unsigned lost;         /* this record is not made, from 1 */
    uint64_t field;        /* XORed to 90H */
    uint64_t tx_abort;     /* B8H */
    unsigned of;           /* of these counters alone, 0: of all; */
    unsigned only;         /* in this record alone, from 1, 0: in all: */
    int64_t rip, ip, tsc;  /* added to RIP, EventingIP, TSC */
    uint64_t rax, rflags;  /* bits that are lost */
    bool without_bit;      /* a counter without its bit makes them too */
    bool while_off;        /* and one that does not count */
    bool plain_reloads;    /* from the DS area */
    bool plain_silent;     /* no overflow in the status */
    bool status_stays;     /* of a counter, after its record */
    bool clears_all;       /* a record does, in the status */
    bool idle_moves;       /* a counter that does not overflow */
    unsigned misses;       /* events that a plain counter loses */
    bool any_kind;         /* selects of other branches make records */
    bool backwards;        /* the records' order */
    unsigned instructions; /* more, where records are made */
    enum { INSIDE, AT_BEGIN, AT_END, LOW_ZERO } time;
    bool disables;   /* clears its bit of IA32_PEBS_ENABLE */
    bool needs_stop; /* that makes no record where the counter counts */
    bool enabled;    /* .. and is written there */
    bool silent;     /* makes no record */
    unsigned windows, made;
    unsigned recorded; /* windows with IA32_DEBUGCTL.LBR = 1 */
};
static struct device device;

static struct pebs_ds_area *area(void)
{
    return (struct pebs_ds_area *)(uintptr_t)*msr(IA32_DS_AREA);
}

static void enabled_later(uint64_t global);

static int access(uint32_t number, const uint64_t *written)
{
    if (number == 0x390 && written != NULL)
        *msr(0x38e) &= ~*written;
    if (number == IA32_PERF_GLOBAL_CTRL && written != NULL)
        enabled_later(*written);
    if (number == IA32_PEBS_ENABLE && written != NULL)
        device.enabled = *written != 0 && *msr(IA32_PERF_GLOBAL_CTRL) != 0;
    return HW_NO_FAULT;
}

/* RSP is 0, as in *state. */
static void plant(struct pebs_format3 *record, const struct pebs_state *state)
{
    static const enum pebs_field fields[] = {
        PEBS_RAX, PEBS_RBX, PEBS_RCX, PEBS_RDX, PEBS_RSI, PEBS_RDI, PEBS_RBP,
        PEBS_R8,  PEBS_R9,  PEBS_R10, PEBS_R11, PEBS_R12, PEBS_R13, PEBS_R14};
    const struct pebs_record form = {.format = 3};

    record->rflags = state->rflags & ~device.rflags;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        uint64_t value =
            PEBS_PLANTED((uint64_t)(fields[i] - PEBS_RAX)) ^ state->complement;
        if (fields[i] == PEBS_RAX)
            value &= ~device.rax;
        memcpy((uint8_t *)record + pebs_field_offset(&form, fields[i]), &value,
               8);
    }
}

static struct window {
    struct pebs_state state;
    const uint8_t *at; /* of event 0's end */
    unsigned bytes;    /* of an event */
    bool taken;
    unsigned events;
    uint64_t *times;
} window;

static void make_record(unsigned counters, unsigned k)
{
    const uint64_t rip = (uintptr_t)window.at + (uint64_t)k * window.bytes;
    struct pebs_format3 record = {
        .rip = rip,
        .r15 = (PEBS_PLANTED(15) ^ window.state.complement) +
               (device.backwards ? PEBS_EVENTS - k : k),
        .eventing_ip = rip - window.bytes + PEBS_EVENT_BRANCH,
        .applicable_counter = counters ^ device.field,
        .tsc = hw_tsc()};

    if (++device.made == device.lost ||
        area()->pebs_index + sizeof(record) > area()->pebs_absolute_maximum)
        return;
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
    }
    memcpy((void *)(uintptr_t)area()->pebs_index, &record, sizeof(record));
    area()->pebs_index += sizeof(record);
    *msr(0x38e) &= device.clears_all     ? 0
                   : device.status_stays ? ~UINT64_C(0)
                                         : ~(uint64_t)counters;
    if (device.status_stays)
        *msr(0x38e) |= counters;
    if (area()->pebs_index >= area()->pebs_interrupt_threshold)
        *msr(0x38e) |= BIT(62);
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
    const bool on = (enable >> n & 1) != 0 &&
                    (select & IA32_PERFEVTSEL_EN) != 0 &&
                    (select & IA32_PERFEVTSEL_OS) != 0;

    if (!on && !(device.while_off && (*msr(IA32_PEBS_ENABLE) >> n & 1) != 0))
        return false;
    return event == 0x1c4 || event == 0x4c4 || device.any_kind ||
           (event == 0x20c4 && window.taken);
}

/* One event on one counter; whether it makes a record. */
static bool step(unsigned n, unsigned pending[COUNTERS], unsigned made)
{
    const bool bit = (*msr(IA32_PEBS_ENABLE) >> n & 1) != 0;
    uint64_t *value = msr(IA32_PMC(n));

    if (pending[n] != 0 && --pending[n] == 0) {
        *value = (area()->pebs_counter_reset[n] + device.over) & MASK;
        pending[n] =
            *value == 0 && device.over != 0; /* the next one makes one */
        return true;
    }
    *value = (*value + 1) & MASK;
    if (*value != 0)
        return false;
    if (bit || device.without_bit) {
        pending[n] = (unsigned)(1 + device.late[made != 0]);
        return pending[n] == 0;
    }
    if (!device.plain_silent)
        *msr(0x38e) |= BIT(n);
    if (device.plain_reloads)
        *value = area()->pebs_counter_reset[n];
    return false;
}

static void run(uint64_t enable, struct pebs_state *state)
{
    unsigned pending[COUNTERS] = {0}, made = 0;

    device.windows++;
    device.recorded += (*msr(IA32_DEBUGCTL) & IA32_DEBUGCTL_LBR) != 0;
    *state = window.state;
    for (unsigned k = 1; k <= window.events; k++) {
        unsigned set = 0;
        for (unsigned n = 0; n < COUNTERS; n++)
            if (!device.silent && counts(n, enable) && step(n, pending, made))
                set |= 1u << n;
        if (window.times != NULL)
            window.times[k] = window.times[k - 1] + 1000 +
                              (device.time == LOW_ZERO ? 0x20000 : 0);
        if (set != 0)
            make_record(set, k);
        made += set != 0;
    }
    for (unsigned n = 0; n < COUNTERS; n++)
        if ((enable >> n & 1) != 0 && (*msr(IA32_PEBS_ENABLE) >> n & 1) == 0 &&
            *msr(IA32_PMC(n)) != 0)
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

    return (struct pebs_state){.rflags = flags & ~PEBS_COMPLEMENT,
                               .complement = complement};
}

void pebs_window(uint64_t enable, uint64_t flags, struct pebs_state *state)
{
    window = (struct window){state_of(flags), pebs_events, PEBS_EVENT_BYTES,
                             false,           PEBS_EVENTS, NULL};
    run(enable, state);
}

void pebs_window_taken(uint64_t enable, uint64_t flags,
                       struct pebs_state *state)
{
    window = (struct window){state_of(flags | BIT(11)),
                             pebs_events_taken,
                             PEBS_TAKEN_BYTES,
                             true,
                             PEBS_EVENTS,
                             NULL};
    run(enable, state);
}

void pebs_window_timed(uint64_t enable, uint64_t times[PEBS_TIMED + 1],
                       struct pebs_state *state)
{
    times[0] = 0x1234567;
    window = (struct window){
        state_of(0), (const uint8_t *)(uintptr_t)pebs_window_timed,
        0,           false,
        PEBS_TIMED,  times};
    run(enable, state);
}

static void begin(const struct test *test)
{
    memset(&device, 0, sizeof(device));
    case_begin(test, 25);
    t->cpu.perf_capabilities = 0x33c0;
    t->cpu.pebs_format = 3;
    *msr(IA32_DS_AREA) = 0x1234;
    *msr(IA32_PEBS_ENABLE) = 0;
    fake_device = access;
}

static void passes(const struct test *test, const char *line)
{
    begin(test);
    expect_case(case_end(), VERDICT_PASS, line);
}

static void healthy(void **state)
{
    (void)state;
    passes(&test_pebs_applicable_counter, "");
    passes(&test_pebs_counter3, "25 windows, ");
    passes(&test_pebs_enable_bits, "");
    passes(&test_pebs_events, "");
    passes(&test_pebs_record_layout, "format 3: 48 records of 200 bytes");
    passes(&test_pebs_reload, "");
    passes(&test_pebs_tsc, "");
}

static void deviations(void **state)
{
    static const struct {
        const struct test *test;
        enum verdict verdict;
        const char *line;
        struct device device;
    } rows[] = {
#define ROW(name, verdict, line, ...)               \
    {                                               \
        &test_pebs_##name, VERDICT_##verdict, line, \
        {                                           \
            __VA_ARGS__                             \
        }                                           \
    }
        ROW(reload, PASS, "", .late = {64, 63}),
        ROW(reload, FAIL, "record 0 is of event 116", .late = {65, 0}),
        ROW(reload, FAIL, "record 1 is of event", .late = {0, 64}),
        ROW(reload, FAIL, "record 0 is of event 50", .late = {-1, 0}),
        ROW(reload, PASS, "", .over = 1),
        ROW(reload, FAIL, "or one more", .over = 2),
        ROW(reload, FAIL, "or one more", .over = MASK),
        ROW(reload, FAIL, "counted 255 of 256 events", .misses = 1),
        ROW(reload, FAIL, "did not overflow, and is", .idle_moves = true),
        ROW(reload, FAIL, "which did not overflow since", .status_stays = true),
        ROW(reload, FAIL, "made 0 records; wanted 1", .lost = 7),
        ROW(reload, FAIL, "IA32_FIXED_CTR0 (309H) counted 3001 instructions",
            .instructions = 1),
        ROW(reload, FAIL, "RIP (08H) of the record of event", .rip = -1,
            .of = 8),
        ROW(reload, FAIL, "RIP (08H) of the record of event", .rip = 1,
            .of = 2),
        ROW(reload, KNOWN, "EventingIP (B0H) of the record of event",
            .ip = -PEBS_EVENT_BRANCH, .only = 7),
        ROW(reload, FAIL, "EventingIP (B0H) of the record of event", .ip = 1,
            .of = 4),
        ROW(reload, FAIL, "wanted [33:32] = 0, it is of no abort",
            .tx_abort = BIT(33), .of = 2),
        ROW(reload, FAIL, "wanted [33:32] = 0, it is of no abort",
            .tx_abort = BIT(32), .of = 1),
        ROW(reload, PASS, "", .tx_abort = BITS(31, 0)),
        ROW(reload, FAIL, "TSC (C0H) of the record of event", .of = 4,
            .tsc = -0x1000000),
        ROW(reload, FAIL, "TSC (C0H) of the record of event", .of = 8,
            .tsc = 0x1000000),
        ROW(reload, FAIL, "the counters that make records", .field = 16),
        ROW(record_layout, FAIL, "RAX (10H) of a record", .rax = 1),
        ROW(record_layout, FAIL, "RAX (10H) of a record", .rax = BIT(63)),
        ROW(record_layout, FAIL, "RFLAGS (00H) of a record", .rflags = BIT(10)),
        ROW(events, FAIL, "RFLAGS (00H) of a record", .rflags = BIT(11)),
        ROW(enable_bits, FAIL, "counted, which overflowed later",
            .needs_stop = true),
        ROW(enable_bits, FAIL, "started 60 events before", .without_bit = true),
        ROW(enable_bits, FAIL, "0 records made; wanted 1", .lost = 1),
        ROW(enable_bits, FAIL, "0 records made; wanted 1", .lost = 4),
        ROW(enable_bits, FAIL, "no value of the DS area",
            .plain_reloads = true),
        ROW(enable_bits, FAIL, "", .misses = 1),
        ROW(enable_bits, FAIL, "wanted none, and no change", .while_off = true),
        ROW(enable_bits, FAIL, "IA32_PEBS_ENABLE (3F1H) is 0x0 after records",
            .disables = true),
        ROW(counter3, FAIL, "are wrong", .field = 1),
        ROW(counter3, FAIL, "are wrong", .field = 8),
        ROW(counter3, PASS, "", .field = BIT(32)),
        ROW(record_layout, FAIL, "(B8H) of a record outside",
            .tx_abort = BIT(32)),
        ROW(record_layout, FAIL, "(B8H) of a record outside",
            .tx_abort = BIT(33)),
        ROW(record_layout, PASS, "", .tx_abort = BIT(34)),
        ROW(events, FAIL,
            "IA32_PMC1 (C2H), which makes no records, counted "
            "255 of 256",
            .misses = 1),
        ROW(events, FAIL, "wanted none", .any_kind = true),
        ROW(events, FAIL, "wanted a later one", .backwards = true),
        ROW(tsc, FAIL, "wanted more than", .time = AT_BEGIN),
        ROW(tsc, FAIL, "wanted more than", .time = AT_END),
        ROW(tsc, FAIL, "[15:0] is 0 in all of them", .time = LOW_ZERO),
        ROW(applicable_counter, FAIL, "counters one by one", .field = 1),
        ROW(applicable_counter, FAIL, "counters one by one", .field = 16),
        ROW(applicable_counter, FAIL, "and 0 records were made", .lost = 1),
        ROW(applicable_counter, FAIL, "started 21 events before its overflow",
            .clears_all = true),
        ROW(applicable_counter, FAIL, "as a record clears those",
            .status_stays = true),
        ROW(applicable_counter, FAIL, "and the events since", .over = 300),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(rows[i].test);
        device = rows[i].device;
        expect_case(case_end(), rows[i].verdict, rows[i].line);
    }
}

/* What IA32_PERF_CAPABILITIES has to say of such records. */
static void capabilities(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 14; bit++) {
        begin(&test_pebs_record_layout);
        t->cpu.perf_capabilities &= ~BIT(bit);
        expect_case(
            case_end(), bit == 6 || bit == 7 ? VERDICT_FAIL : VERDICT_PASS,
            bit == 6 || bit == 7 ? "IA32_PERF_CAPABILITIES (345H)" : "");
    }
}

/* Where the user says nothing of trials. */
static void usual_trials(void **state)
{
    (void)state;
    begin(&test_pebs_counter3);
    t->trials = 0;
    expect_case(case_end(), VERDICT_PASS, "50 windows");
    begin(&test_pebs_counter3);
    t->trials = 10;
    expect_case(case_end(), VERDICT_PASS, "10 windows");
    assert_null(strstr(t->text, "is fewer than"));
    begin(&test_pebs_counter3);
    t->trials = 9;
    expect_case(case_end(), VERDICT_PASS, "is fewer than the 10");
}

/* Which events there are, and one that an erratum makes unsure. */
static void generations(void **state)
{
    static const struct {
        uint16_t model;
        bool any_kind;
        enum verdict verdict;
        unsigned windows;
    } rows[] = {
        {0x5e, false, VERDICT_PASS, 10}, {0x3c, false, VERDICT_PASS, 10},
        {0x3a, false, VERDICT_PASS, 10}, {0x2a, false, VERDICT_PASS, 10},
        {0x1a, false, VERDICT_SKIP, 0},  {0x5e, true, VERDICT_FAIL, 10},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_pebs_events);
        t->cpu.model = rows[i].model;
        t->cpu.microcode_known = false;
        device.any_kind = rows[i].any_kind;
        expect_case(case_end(), rows[i].verdict, "");
        assert_int_equal(device.windows, rows[i].windows);
    }
}

/* Branch records of adaptive records: the firmware, which may have the
 * processor before each window, is not recorded (hw_poll()). No record is made
 * here. */
static void branches_apart(void **state)
{
    (void)state;
    begin(&test_pebs_adaptive_groups);
    t->cpu.model = 0x6a;
    t->cpu.stepping = 6;
    t->cpu.pebs_format = 4;
    t->cpu.perf_capabilities = 0x34c5;
    for (uint32_t n = 0; n < 32; n++) {
        fake_msr(0x680 + n);
        fake_msr(0x6c0 + n);
        fake_msr(0xdc0 + n);
    }
    fake_msr(0x1c8);
    fake_msr(0x1c9);
    fake_msr(MSR_PEBS_DATA_CFG);
    device.silent = true;
    expect_case(case_end(), VERDICT_FAIL, "and made no record");
    assert_int_equal(device.windows, 33);
    assert_true(window.taken);
    assert_int_equal(device.recorded, 1);
    assert_int_equal(*msr(IA32_DEBUGCTL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),      cmocka_unit_test(deviations),
        cmocka_unit_test(capabilities), cmocka_unit_test(usual_trials),
        cmocka_unit_test(generations),  cmocka_unit_test(branches_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
