/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore_select_cases.c - the case of selects of the uncore over units that
 * count what each select has to, and over one that in some windows counts more
 * or less: at each bound, and one beyond. */
#include "asm/line_access.h"
#include "tests/host/cases/uncore/uncore_fixture.h"

extern const struct test test_uncore_selects;

#define LINES     32
#define CLOCK     50000
#define SHARE     (LINES / BOXES) /* of a box */
#define OCCUPANCY 960
#define SOME      900
#define NONE      40000

static struct {
    unsigned windows, from, to; /* in these, */
    unsigned unit;              /* this unit has so many more */
    unsigned step; /* of the windows from the first on, each so many */
    int64_t more;
    bool stray; /* counts without EN */
    bool both;  /* two lines of each read were flushed */
    bool other; /* counter 1 of a box goes by the select of counter 0 */
} device;

/* What a unit counts of reads that miss. */
static uint64_t figure(uint64_t select)
{
    const unsigned event = select & 0xff, umask = select >> 8 & 0xff;
    const bool edge = (select & UNCORE_E) != 0;
    const bool inverted = (select & UNCORE_INV) != 0;
    const uint64_t cmask = select >> 24 & 31;

    if (cmask == 31)
        return !inverted ? 0 : edge ? CLOCK / 16 : CLOCK / 2;
    if (event == 0x34)
        return umask == 0x1f || umask == 0x18 || umask == 0x88 || umask == 0x8f
                   ? SHARE
                   : 0;
    if (event == 0x81)
        return LINES;
    if (event != 0x80)
        return 0;
    if (cmask == 0)
        return OCCUPANCY;
    return inverted ? NONE : edge ? LINES : SOME;
}

/* Windows, in their order. */
#define TRIES          5
#define FIRST          1 /* of those of all units, after one more */
#define ALONE          (FIRST + TRIES) /* one a unit, where it is as before */
#define UMASKS         (ALONE + UNITS) /* seven, one each */
#define FILTERS        (UMASKS + 7)  /* five: all, CMASK, E, INV, CMASK = 31 */
#define FILTER_WINDOWS 4             /* but the last, together again */
#define EACH           (FILTERS + 5) /* three */
#define APART          (EACH + 3)    /* two, of each counter of a box */
#define SPLIT          (APART + 2)   /* of two lines each */
#define STORED         (SPLIT + TRIES) /* one */
#define STRAY          (LINES / 4)
#define ARB            (2 * BOXES)
#define WINDOWS        (STORED + 1)

void lines_flush(const void *const lines[], uint64_t count)
{
    (void)lines;
    device.both = count > LINES;
}

void lines_read(const void *const lines[], uint64_t count)
{
    (void)lines;
    (void)count;
}

static void end_window(void)
{
    const unsigned n = device.windows++;

    for (unsigned unit = 0; unit < UNITS; unit++) {
        const bool other = device.other && unit % 2 != 0 && unit < 2 * BOXES;
        const uint64_t select = *msr(select_of(unit - other));
        if ((select & UNCORE_EN) != 0)
            *msr(counter_of(unit)) += figure(select) << device.both;
        if (((select & UNCORE_EN) != 0 || device.stray) &&
            unit == device.unit && n >= device.from && n <= device.to &&
            (n - device.from) % device.step == 0)
            *msr(counter_of(unit)) += (uint64_t)device.more;
    }
    *msr(0x395) += CLOCK;
}

static int access(uint32_t number, const uint64_t *written)
{
    if (number == CTRL && written != NULL && (*msr(CTRL) & BIT(29)) != 0 &&
        (*written & BIT(29)) == 0)
        end_window();
    return HW_NO_FAULT;
}

static void begin(unsigned from, unsigned to, unsigned unit, int64_t more)
{
    memset(&device, 0, sizeof(device));
    device.from = from;
    device.to = to;
    device.unit = unit;
    device.step = 1;
    device.more = more;
    case_begin(&test_uncore_selects, 0);
    units_begin();
    fake_device = access;
}

static void bounds(void **state)
{
    static const struct {
        unsigned from, to, unit;
        int64_t more;
        enum verdict verdict;
        unsigned windows; /* more than usual */
        const char *line;
    } rows[] = {
        /* Others only add, but not in each of the windows. */
        {FIRST, FIRST + TRIES - 2, 0, 1000, VERDICT_PASS, 0, ""},
        {FIRST + 1, FIRST + TRIES - 1, 0, 1000, VERDICT_PASS, 0, ""},
        {FIRST, FIRST + TRIES - 1, 0, STRAY, VERDICT_PASS, 0, ""},
        {FIRST, FIRST + TRIES - 1, 0, STRAY + 1, VERDICT_FAIL, 0,
         "C-Box 0, counter 0 (706H) alone counted 16 to 16"},
        {ALONE, ALONE, 0, STRAY, VERDICT_PASS, 0, ""},
        {ALONE, ALONE, 0, STRAY + 1, VERDICT_PASS, 1, ""},
        {ALONE, ALONE + TRIES - 2, 0, STRAY + 1, VERDICT_PASS, TRIES - 1, ""},
        {ALONE, ALONE + TRIES - 1, 0, STRAY + 1, VERDICT_FAIL, TRIES - 1,
         "alone counted 25 to 25"},
        {ALONE, ALONE, 0, -STRAY, VERDICT_PASS, 0, ""},
        {ALONE, ALONE, 0, -STRAY - 1, VERDICT_FAIL, 0, "alone counted 7 to 7"},
        {ALONE + ARB + 1, ALONE + ARB + 1, ARB + 1, -STRAY - 1, VERDICT_FAIL, 0,
         "ARB unit, counter 1 (3B1H) alone counted 23 to 23"},
        /* The three that count, and the three that do not. */
        {UMASKS, UMASKS, 0, -1, VERDICT_FAIL, 0, "34H/1FH"},
        {UMASKS + 1, UMASKS + 1, 0, -1, VERDICT_FAIL, 0, "34H/18H"},
        {UMASKS + 2, UMASKS + 2, 2, -1, VERDICT_FAIL, 0, "34H/88H"},
        {UMASKS, UMASKS, 0, STRAY, VERDICT_PASS, 0, ""},
        {UMASKS, UMASKS, 0, STRAY + 1, VERDICT_PASS, 1, ""},
        {UMASKS, UMASKS + 4, 0, 1000, VERDICT_PASS, 4, ""},
        {UMASKS + 3, UMASKS + 3, 0, STRAY, VERDICT_PASS, 0, ""},
        {UMASKS + 3, UMASKS + 3, 0, STRAY + 1, VERDICT_PASS, 1, ""},
        {UMASKS + 3, UMASKS + 2 + TRIES, 0, STRAY + 1, VERDICT_FAIL, TRIES - 1,
         "34H/17H"},
        {UMASKS + 4, UMASKS + 3 + TRIES, 0, STRAY + 1, VERDICT_FAIL, TRIES - 1,
         "34H/2FH"},
        {UMASKS + 5, UMASKS + 4 + TRIES, 0, STRAY + 1, VERDICT_FAIL, TRIES - 1,
         "34H/4FH"},
        {UMASKS + 6, UMASKS + 6, 0, -1, VERDICT_FAIL, 0,
         "reads, CMASK [28:24] = 1: got 31"},
        /* At most a quarter more than all; half of the reads, to half of the
         * cycles. */
        {FILTERS + 1, FILTERS + 1, ARB, OCCUPANCY * 5 / 4 - SOME, VERDICT_PASS,
         0, "occupancy of 32 reads: 960; cycles with a request 1200"},
        {FILTERS + 2, FILTERS + 2, ARB, -LINES / 2, VERDICT_PASS, 0, ""},
        {FILTERS + 2, FILTERS + 2, ARB, SOME / 2 - LINES, VERDICT_PASS, 0, ""},
        {FILTERS + 3, FILTERS + 3, ARB, CLOCK, VERDICT_PASS, 0, ""},
        {FILTERS + 3, FILTERS + 3, ARB, -NONE, VERDICT_FAIL, 0, "0 with INV"},
        {FILTERS + 4, FILTERS + 4, ARB, 1, VERDICT_FAIL, 0,
         "1 with CMASK [28:24] = 31"},
        /* Of each unit: none, from half of the cycles to all, a sixteenth; an
         * eighth and 64 more. */
        {EACH, EACH, 3, 1, VERDICT_FAIL, 0, "wanted 0 to 0"},
        {EACH + 1, EACH + 1, 3, -1, VERDICT_FAIL, 0, "wanted 25000 to 56314"},
        {EACH + 1, EACH + 1, 3, 31314, VERDICT_PASS, 0, ""},
        {EACH + 1, EACH + 1, 3, 31315, VERDICT_FAIL, 0,
         "wanted 25000 to 56314"},
        /* By whatever clock, but there is one. */
        {EACH + 1, EACH + 1, ARB, 31315, VERDICT_PASS, 0, ""},
        {EACH + 1, EACH + 1, ARB, -25000, VERDICT_FAIL, 0, "wanted 1 to"},
        {EACH + 2, EACH + 2, ARB + 1, 454, VERDICT_PASS, 0, ""},
        {EACH + 2, EACH + 2, ARB + 1, 455, VERDICT_FAIL, 0, "wanted 0 to 3579"},
        {EACH + 2, EACH + 2, ARB + 1, -CLOCK / 16, VERDICT_PASS, 0, ""},
        /* All of them, at least. */
        {STORED, STORED, 0, 0, VERDICT_PASS, 0, ""},
        {STORED, STORED, 0, -1, VERDICT_FAIL, 0, "34H/8FH"},
        {SPLIT, SPLIT, 0, -17, VERDICT_PASS, 0, ""},
        {SPLIT, SPLIT, 0, -18, VERDICT_FAIL, 0, "got 46 for 31 reads of two"},
        /* Half of the other one, and two more. */
        {APART, APART, 0, SHARE / 2 + 2, VERDICT_PASS, 0, ""},
        {APART, APART, 2, SHARE / 2 + 3, VERDICT_PASS, 1, ""},
        {APART, APART + TRIES - 1, 2, SHARE / 2 + 3, VERDICT_FAIL, TRIES - 1,
         "the set 0x2: counter 0 with reads"},
    };

    (void)state;
    begin(1, 0, 0, 0);
    expect_case(case_end(), VERDICT_PASS, "beginnings 32");
    assert_int_equal(device.windows, WINDOWS);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(rows[i].from, rows[i].to, rows[i].unit, rows[i].more);
        expect_case(case_end(), rows[i].verdict, rows[i].line);
        assert_int_equal(device.windows, WINDOWS + rows[i].windows);
    }
}

/* What does not fit is measured again, FILTER_WINDOWS of them, TRIES times. */
static void filters(void **state)
{
    static const struct {
        unsigned window;
        int64_t more;
        const char *line;
    } rows[] = {
        {1, OCCUPANCY * 5 / 4 - SOME + 1, "1201 with CMASK"},
        {1, -SOME, "0 with CMASK"},
        {2, -LINES / 2 - 1, "15 with E [18]"},
        {2, SOME / 2 - LINES + 1, "451 with E [18]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (unsigned wrong = 1; wrong <= TRIES; wrong++) {
            const unsigned from = FILTERS + rows[i].window,
                           more = wrong < TRIES ? wrong : TRIES - 1;

            begin(from, from + (wrong - 1) * FILTER_WINDOWS, ARB, rows[i].more);
            device.step = FILTER_WINDOWS;
            expect_case(case_end(), wrong < TRIES ? VERDICT_PASS : VERDICT_FAIL,
                        wrong < TRIES ? "" : rows[i].line);
            assert_int_equal(device.windows, WINDOWS + more * FILTER_WINDOWS);
        }
}

static void select_of_other(void **state)
{
    (void)state;
    begin(1, 0, 0, 0);
    device.other = true;
    expect_case(case_end(), VERDICT_FAIL, "the set 0x3: counter 1 with reads");
}

/* One that counts though its own EN is 0. */
static void strays(void **state)
{
    (void)state;
    for (unsigned unit = 0; unit < UNITS; unit++) {
        const unsigned other = unit == 0 ? 1 : 0;
        begin(ALONE + other, ALONE + other, unit, 1);
        device.stray = true;
        expect_case(case_end(), VERDICT_FAIL, "counted 1 while EN [22]");
    }
}

/* Each bit that there is, of select and counter. What loses one cannot be given
 * back either. */
static void registers(void **state)
{
    (void)state;
    for (unsigned unit = 0; unit < UNITS; unit++)
        for (unsigned bit = 0; bit < UNCORE_COUNTER_BITS; bit++) {
            begin(1, 0, 0, 0);
            fake_msr(counter_of(unit))->writable = ~BIT(bit);
            (void)case_end();
            assert_non_null(strstr(t->text, "of 44 bits, reads as"));
            begin(1, 0, 0, 0);
            if ((UNCORE_DEFINED >> bit & 1) == 0)
                continue;
            fake_msr(select_of(unit))->writable = ~BIT(bit);
            (void)case_end();
            assert_non_null(strstr(t->text, ": its select ("));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds),          cmocka_unit_test(filters),
        cmocka_unit_test(select_of_other), cmocka_unit_test(strays),
        cmocka_unit_test(registers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
