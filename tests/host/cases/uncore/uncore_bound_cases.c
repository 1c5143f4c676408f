/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore_bound_cases.c - the cases of C-Boxes, the ARB unit and overflows of
 * both over units that count what they have to, and over one register that is
 * more or less after a window: at each bound, and one beyond. */
#include "asm/line_access.h"
#include "asm/memory_windows.h"
#include "tests/host/cases/uncore/uncore_fixture.h"

extern const struct test test_uncore_arb, test_uncore_cboxes,
    test_uncore_overflow;

#define LINES     32
#define STRAY     (LINES / 4)
#define SHARE     (LINES / BOXES)
#define OCCUPANCY 960
#define TOP       BITS(43, 0)

enum wrong {
    RIGHT,
    STRAYS,       /* counts without the global enable */
    EN_CLEARS,    /* the status */
    WRITE_CLEARS, /* the same, of a counter */
    EN_STUCK,     /* at 0 where the status is not 0 */
    WRITE_LOST,   /* of a counter, where EN is 1 */
    ONE_BOX,      /* has all lines */
};

static struct {
    enum wrong is;
    unsigned windows;        /* that began, with EN */
    unsigned from, to, step; /* after these of them, */
    uint32_t msr;            /* this register */
    int64_t more;            /* has so many more */
    bool flushed, stored, open;
} device;

static void add(unsigned unit, uint64_t n)
{
    const uint64_t select = *msr(select_of(unit));
    uint64_t *counter = msr(counter_of(unit));

    if ((select & UNCORE_EN) == 0 ||
        ((*msr(CTRL) & BIT(29)) == 0 && device.is != STRAYS))
        return;
    *counter += n;
    if (*counter <= TOP)
        return;
    *counter &= TOP;
    if ((select & UNCORE_OVF_EN) != 0)
        *msr(STATUS) |= unit < 2 * BOXES ? 8 : 2;
    if ((*msr(CTRL) & BIT(31)) != 0)
        *msr(CTRL) &= ~BIT(29);
}

static uint64_t requests_of(uint64_t select, bool writes)
{
    switch (select & 0xffff) {
    case 0x0181:
        return LINES;
    case 0x2081:
        return writes ? LINES : 0;
    case 0x0180:
        return OCCUPANCY;
    default:
        return 0;
    }
}

static void work(bool writes)
{
    const unsigned by = fake_current;

    fake_current = 0;
    for (unsigned unit = 0; unit < UNITS; unit++) {
        const uint64_t share = device.is != ONE_BOX ? SHARE
                               : unit < 2           ? LINES
                                                    : 0;
        add(unit, unit < 2 * BOXES
                      ? share
                      : requests_of(*msr(select_of(unit)), writes));
    }
    if ((*msr(CTRL) & BIT(29)) != 0 && (*msr(0x394) & UNCORE_EN) != 0) {
        const uint64_t clock = *msr(0x395) + 1000;
        *msr(0x395) = clock & BITS(47, 0);
        *msr(STATUS) |= clock >> 48;
    }
    fake_current = by;
}

void lines_flush(const void *const lines[], uint64_t count)
{
    (void)lines;
    (void)count;
    device.flushed = true;
}

/* Reads make none where nothing has been flushed. */
void lines_read(const void *const lines[], uint64_t count)
{
    (void)lines;
    (void)count;
    if (device.flushed)
        work(false);
    device.flushed = false;
}

void memory_store_flush(uint64_t enable, const struct memory_walk *walk)
{
    (void)enable;
    (void)walk;
    work(device.stored);
    device.stored = !device.stored;
}

static bool is_counter(uint32_t number)
{
    for (unsigned unit = 0; unit < UNITS; unit++)
        if (counter_of(unit) == number)
            return true;
    return number == 0x395;
}

static void begin_or_end(uint64_t written)
{
    const bool opens = (written & BIT(29)) != 0;
    const unsigned n = device.windows - 1;

    for (unsigned unit = 0; unit < UNITS; unit++)
        fake_msr(counter_of(unit))->writable = UINT64_MAX;
    fake_msr(0x395)->writable = UINT64_MAX;
    if (opens) {
        device.windows++;
        if (device.is == EN_CLEARS)
            *msr(STATUS) = 0;
    } else if (device.open && n >= device.from && n <= device.to &&
               (n - device.from) % device.step == 0 && device.msr != 0) {
        *msr(device.msr) += (uint64_t)device.more;
    }
    device.open = opens;
}

/* It is one of all processors: as the boot processor has it. */
static int access(uint32_t number, const uint64_t *written)
{
    const unsigned by = fake_current;

    if (by != 0 && number == CTRL && written != NULL) {
        fake_current = 0;
        *msr(CTRL) = *written;
        begin_or_end(*written);
        fake_current = by;
        return HW_NO_FAULT;
    }
    const bool on = (*msr(CTRL) & BIT(29)) != 0;

    if (written == NULL)
        return HW_NO_FAULT;
    const bool opens = (*written & BIT(29)) != 0;
    if (number == CTRL) {
        fake_msr(CTRL)->writable =
            device.is == EN_STUCK && opens && *msr(STATUS) != 0 ? ~BIT(29)
                                                                : UINT64_MAX;
        begin_or_end(*written);
    }
    if (is_counter(number))
        fake_msr(number)->writable =
            on && device.is == WRITE_LOST ? 0 : UINT64_MAX;
    if (is_counter(number) && on && device.is == WRITE_CLEARS)
        *msr(STATUS) = 0;
    return HW_NO_FAULT;
}

struct row {
    enum wrong is;
    unsigned from, to, step;
    uint32_t msr;
    int64_t more;
    enum verdict verdict;
    unsigned windows; /* more than usual */
    const char *line;
};

static void begin(const struct test *test, const struct row *row)
{
    memset(&device, 0, sizeof(device));
    device.is = row->is;
    device.from = row->from;
    device.to = row->to;
    device.step = row->step;
    device.msr = row->msr;
    device.more = row->more;
    case_begin(test, 0);
    units_begin();
    fake_device = access;
}

static void run_rows(const struct test *test, const struct row *rows, size_t n,
                     unsigned windows)
{
    for (size_t i = 0; i < n; i++) {
        begin(test, &rows[i]);
        expect_case(case_end(), rows[i].verdict, rows[i].line);
        if (device.windows != windows + rows[i].windows)
            fail_msg("%s, row %u: %u windows, wanted %u", test->name,
                     (unsigned)i, device.windows, windows + rows[i].windows);
    }
}
#define RUN(test, windows) \
    run_rows(&test, rows, sizeof(rows) / sizeof(rows[0]), windows)

/* Windows: reads that miss, reads that hit, again where others came between;
 * reads, stores, and reads for their occupancy. */
static void arb(void **state)
{
    static const struct row rows[] = {
        {RIGHT, 0, 0, 1, 0, 0, VERDICT_PASS, 0, "occupancy 960"},
        {RIGHT, 0, 0, 1, 0x3b0, -1, VERDICT_FAIL, 0, "got 31 for 32 reads"},
        {RIGHT, 0, 0, 1, 0x3b1, -1, VERDICT_FAIL, 0, "(3B1H)"},
        {RIGHT, 0, 0, 1, 0x3b1, 1000, VERDICT_PASS, 0, ""},
        {RIGHT, 1, 1, 1, 0x3b0, STRAY, VERDICT_PASS, 0, ""},
        {RIGHT, 1, 1, 1, 0x3b0, STRAY + 1, VERDICT_PASS, 2, ""},
        {RIGHT, 1, 1, 1, 0x3b1, STRAY + 1, VERDICT_PASS, 2, ""},
        {RIGHT, 1, 7, 2, 0x3b0, STRAY + 1, VERDICT_PASS, 8, ""},
        {RIGHT, 1, 9, 2, 0x3b0, STRAY + 1, VERDICT_FAIL, 8,
         "got 9 for 32 cached reads in the quietest of 5 windows"},
        {RIGHT, 1, 9, 2, 0x3b1, STRAY + 1, VERDICT_FAIL, 8, "(3B1H)"},
        {RIGHT, 2, 2, 1, 0x3b1, STRAY, VERDICT_PASS, 0, ""},
        {RIGHT, 2, 2, 1, 0x3b1, STRAY + 1, VERDICT_PASS, 1, ""},
        {RIGHT, 2, 5, 1, 0x3b1, STRAY + 1, VERDICT_PASS, 4, ""},
        {RIGHT, 2, 6, 1, 0x3b1, STRAY + 1, VERDICT_FAIL, 4,
         "WRITES (81H/20H): got 9 for 32 reads"},
        {RIGHT, 3, 3, 1, 0x3b1, -LINES / 2, VERDICT_PASS, 0, ""},
        {RIGHT, 3, 3, 1, 0x3b1, -LINES / 2 - 1, VERDICT_FAIL, 0,
         "got 15 writes (20H), 64 in all"},
        {RIGHT, 3, 3, 1, 0x3b0, -LINES, VERDICT_PASS, 0, ""},
        {RIGHT, 3, 3, 1, 0x3b0, -LINES - 1, VERDICT_FAIL, 0,
         "got 32 writes (20H), 31 in all"},
        {RIGHT, 4, 4, 1, 0x3b0, 8 * LINES - OCCUPANCY, VERDICT_PASS, 0, ""},
        {RIGHT, 4, 4, 1, 0x3b0, 8 * LINES - OCCUPANCY - 1, VERDICT_FAIL, 0,
         "got 255 for 32 reads"},
        {RIGHT, 4, 4, 1, 0x3b1, -OCCUPANCY, VERDICT_PASS, 0,
         "NOT OBSERVED occupancy (80H) counts on counter 1"},
    };

    (void)state;
    RUN(test_uncore_arb, 5);
}

/* Windows: reads that miss, reads that hit. */
static void cboxes(void **state)
{
    static const struct row rows[] = {
        {RIGHT, 0, 0, 1, 0, 0, VERDICT_PASS, 0, "32 lookups in 2 of 2 C-Boxes"},
        {RIGHT, 0, 0, 1, 0x706, -1, VERDICT_FAIL, 0, "got 31 for 32 reads"},
        {RIGHT, 0, 0, 1, 0x717, -1, VERDICT_FAIL, 0,
         "found in I: got 31 for 32 reads"},
        {RIGHT, 0, 0, 1, 0x717, 1, VERDICT_FAIL, 0,
         "found in I: got 33 for 32 reads flushed out, of 32 in any state"},
        {RIGHT, 0, 0, 1, 0x716, 100, VERDICT_PASS, 0, "132 lookups"},
        {RIGHT, 0, 0, 1, 0x3b0, -STRAY, VERDICT_PASS, 0, ""},
        {RIGHT, 0, 0, 1, 0x3b0, -STRAY - 1, VERDICT_FAIL, 0,
         "got 32 for 23 UNC_ARB_TRK_REQUESTS"},
        {RIGHT, 1, 1, 1, 0x716, STRAY, VERDICT_PASS, 0, ""},
        {RIGHT, 1, 1, 1, 0x716, STRAY + 1, VERDICT_PASS, 2, ""},
        {RIGHT, 1, 7, 2, 0x706, STRAY + 1, VERDICT_PASS, 8, ""},
        {RIGHT, 1, 9, 2, 0x706, STRAY + 1, VERDICT_FAIL, 8,
         "got 9 for 32 cached reads in the quietest of 5 windows"},
        {ONE_BOX, 0, 0, 1, 0, 0, VERDICT_PASS, 0, "in 1 of 2 C-Boxes"},
    };

    (void)state;
    RUN(test_uncore_cboxes, 3);
    /* Of three, the last of which is no slice of the L3. */
    const struct row three = {ONE_BOX, 0, 0, 1, 0, 0, VERDICT_FAIL, 0, ""};
    begin(&test_uncore_cboxes, &three);
    *msr(0x396) = BOXES + 1;
    for (uint32_t n = 0; n < 8; n++)
        *msr(0x720 + n) = 0;
    expect_case(case_end(), VERDICT_FAIL, "in 1 of 3 C-Boxes; wanted more");
    /* One more than 396H says is there. */
    for (unsigned more = 0; more < 2; more++) {
        const struct row row = {RIGHT, 0, 0, 1, 0, 0, 0, 0, ""};
        begin(&test_uncore_cboxes, &row);
        if (more != 0)
            *msr(0x726) = 0;
        expect_case(case_end(), VERDICT_PASS,
                    more != 0
                        ? "C-Boxes beyond MSR_UNC_CBO_CONFIG answer: 1 of"
                        : "C-Boxes beyond MSR_UNC_CBO_CONFIG answer: 0 of");
    }
}

/* Windows of each unit: three from 0, over bit 32, over the last, with FREEZE;
 * of all units, and one more. */
#define PLAIN  2
#define CARRY  3
#define OVER   4
#define FROZEN 5
#define EACH   6
#define ALL    (EACH * UNITS)
static void overflow(void **state)
{
    static const struct row rows[] = {
        {RIGHT, 0, 0, 1, 0, 0, VERDICT_PASS, 0, ""},
        {STRAYS, 0, 0, 1, 0, 0, VERDICT_FAIL, 0,
         "C-Box 0, counter 0 (706H) counted 16 while EN [29]"},
        {RIGHT, PLAIN, PLAIN, 1, STATUS, 8, VERDICT_FAIL, 0,
         "(706H) went from 0 to 16, and"},
        {RIGHT, PLAIN, PLAIN, 1, 0x706, -SHARE, VERDICT_PASS, -3u, ""},
        {RIGHT, CARRY, CARRY, 1, 0x706, -SHARE / 2, VERDICT_PASS, 0, ""},
        {RIGHT, CARRY, CARRY, 1, 0x706, -SHARE / 2 - 1, VERDICT_FAIL, 0,
         "went from 0xffffffff to 0x100000006"},
        {RIGHT, CARRY, CARRY, 1, STATUS, 8, VERDICT_FAIL, 0,
         "went from 0xffffffff to 0x10000000f"},
        {RIGHT, OVER, OVER, 1, 0x706, 4 * LINES - SHARE + 1, VERDICT_PASS, 0,
         ""},
        {RIGHT, OVER, OVER, 1, 0x706, 4 * LINES - SHARE + 2, VERDICT_FAIL, 0,
         "it holds 0x81 after it"},
        {RIGHT, OVER, OVER, 1, 0x706, -SHARE / 2, VERDICT_PASS, 0, ""},
        {RIGHT, OVER, OVER, 1, 0x706, -SHARE / 2 - 1, VERDICT_FAIL, 0,
         "it counted 6 after it, of 16"},
        {RIGHT, OVER, OVER, 1, 0x700, 1, VERDICT_FAIL, 0, "and its select is"},
        {RIGHT, OVER, OVER, 1, STATUS, 2, VERDICT_FAIL, 0,
         "overflow of C-Box 0, counter 0 (706H): MSR_UNC_PERF_GLOBAL_STATUS"},
        {RIGHT, OVER, OVER, 1, STATUS, -8, VERDICT_FAIL, 0, "wanted 0x8"},
        {RIGHT, OVER, OVER, 1, 0x707, 1, VERDICT_FAIL, 0,
         "707H, which does not count"},
        {RIGHT, OVER, OVER, 1, 0x395, -1000, VERDICT_PASS, 0, ""},
        {RIGHT, OVER, OVER, 1, 0x395, -1001, VERDICT_FAIL, 0,
         "(395H) from 0x5a5a5a50000 to 0x5a5a5a4ffff"},
        {RIGHT, FROZEN, FROZEN, 1, STATUS, 2, VERDICT_FAIL, 0, "wanted 0x8"},
        {RIGHT, FROZEN, FROZEN, 1, 0x707, -1, VERDICT_FAIL, 0,
         "FREEZE [31] = 1: 707H"},
        {RIGHT, EACH + OVER, EACH + OVER, 1, 0x706, 1, VERDICT_FAIL, 0,
         "706H, which does not count"},
        {RIGHT, ALL - EACH + OVER, ALL - EACH + OVER, 1, STATUS, 8,
         VERDICT_FAIL, 0, "overflow of ARB unit 0, counter 1 (3B1H)"},
        {RIGHT, ALL, ALL, 1, STATUS, -8, VERDICT_FAIL, 0, ""},
        {RIGHT, ALL, ALL, 1, STATUS, -2, VERDICT_FAIL, 0, ""},
        {RIGHT, ALL, ALL, 1, STATUS, -1, VERDICT_FAIL, 0, ""},
        {EN_CLEARS, 0, 0, 1, 0, 0, VERDICT_FAIL, 0,
         "after EN [29] of MSR_UNC_PERF_GLOBAL_CTRL was set"},
        {WRITE_CLEARS, 0, 0, 1, 0, 0, VERDICT_FAIL, 0,
         "after counters and selects of the uncore"},
        {EN_STUCK, 0, 0, 1, 0, 0, VERDICT_FAIL, 0, "wanted [29] = 1"},
        {WRITE_LOST, 0, 0, 1, 0, 0, VERDICT_FAIL, 0,
         "a counter of a C-Box, written with EN [29] = 1"},
    };

    (void)state;
    RUN(test_uncore_overflow, ALL + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arb),
        cmocka_unit_test(cboxes),
        cmocka_unit_test(overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
