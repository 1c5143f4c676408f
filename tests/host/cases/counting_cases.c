/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_cases.c - the cases of single counters over a device that counts as
 * the manual says, and over its deviations, each of which one case has to
 * see. */
#include "asm/ring3_window.h"
#include "src/base/msr.h"
#include "src/counting/bank.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define CASES(C)             \
    C(counter_carry)         \
    C(counter_enable_bits)   \
    C(counter_inuse)         \
    C(counter_mask_edge)     \
    C(counter_overflow_bits) \
    C(counter_pause)         \
    C(counter_pmi)           \
    C(counter_registers)     \
    C(counter_reserved_bits) \
    C(counter_while_running) \
    C(counters_independent)  \
    C(fixed_counter_writes)  \
    C(freeze_on_pmi)         \
    C(global_status_set)
#define DECLARE(name) extern const struct test test_##name;
CASES(DECLARE)

enum deviation {
    NONE,
    CARRY_LOST_AT_20,
    CARRY_LOST_IN_FIXED,
    OVERFLOW_UNSAID,
    OVERFLOW_OF_NEIGHBOUR,
    OVERFLOW_EARLY,
    STATUS_CLEARED_ALL,
    STATUS_CLEARED_BY_WRITE,
    STATUS_NOT_STICKY,
    GLOBAL_CTRL_IGNORED,
    ENABLE_IGNORED,
    FIXED_ENABLE_IGNORED,
    PAUSE_COUNTS,
    INUSE_WITHOUT_FIXED,
    INUSE_BY_UMASK,
    INUSE_WRITABLE,
    CMASK_IGNORED,
    INV_IGNORED,
    EDGE_COUNTS_CYCLES,
    PMI_MISSING,
    PMI_ALWAYS,
    PMI_TWICE,
    PMI_LEAVES_UNMASKED,
    PMI_LATE,
    PMI_WHILE_OFF,      /* though RFLAGS.IF = 0 */
    PMI_LOST_WHILE_OFF, /* not only held */
    PMI_OUTRANKS,       /* CR8 = 15 */
    SELECT_BIT_LOST,
    RESERVED_TAKEN,
    SELECTS_SHARED,
    FIXED_WIDTH_IGNORED,
    SET_REFUSED,
    SET_SETS_MORE,
    FREEZE_MISSING,
    FREEZE_CLEARS_CTRL,
    COUNTERS_LINKED,
    WRITE_IGNORED_RUNNING,
    SELECT_CLEARS_COUNTER,
    ENABLE_TAKEN_LATE,
    CTRL_CLEARS_COUNTERS,
    RDPMC_OF_START,
    STATUS_SET_FREEZES,
};

static struct {
    enum deviation is;
    bool pmi, pmi_masked, pmi_held; /* hw_pmi_begin(), _mask(), _hold() */
    unsigned pmis, masked;
    uint64_t enable; /* of a window that runs: IA32_PERF_GLOBAL_CTRL */
} device;

static _Alignas(4096) uint8_t memory[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];
static struct test_context all[1];
static struct test_context *const t = &all[0];

#define MASK   BITS(47, 0)
#define PLACES UINT64_C(0x70000000f)

static uint16_t device_model = 0x5e;

static uint64_t *reg(uint32_t msr)
{
    return &fake_msr(msr)->value;
}

/* --- Counting ------------------------------------------------------------ */

static bool frozen(void)
{
    return (*reg(IA32_PERF_GLOBAL_STATUS) & IA32_PERF_GLOBAL_STATUS_CTR_FRZ) !=
           0;
}

static void interrupt(unsigned place)
{
    bool asked = place < 32
                     ? (*reg(IA32_PERFEVTSEL(place)) & IA32_PERFEVTSEL_INT) != 0
                     : (*reg(IA32_FIXED_CTR_CTRL) &
                        IA32_FIXED_CTR_CTRL_PMI(place - 32)) != 0;

    if (!asked && device.is != PMI_ALWAYS)
        return;
    if (device.pmi && !device.pmi_masked && device.is != PMI_MISSING &&
        (!device.pmi_held || device.is != PMI_LOST_WHILE_OFF)) {
        device.pmis += device.is == PMI_TWICE ? 2 : 1;
        device.masked += device.is == PMI_TWICE ? 2 : 1;
        if (device.is == PMI_LEAVES_UNMASKED)
            device.masked = 0;
    }
    if (asked &&
        (*reg(IA32_DEBUGCTL) & IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI) != 0 &&
        device.is != FREEZE_MISSING) {
        *reg(IA32_PERF_GLOBAL_STATUS) |= IA32_PERF_GLOBAL_STATUS_CTR_FRZ;
        if (device.is == FREEZE_CLEARS_CTRL)
            *reg(IA32_PERF_GLOBAL_CTRL) = 0;
    }
}

static void add(unsigned place, uint64_t n)
{
    uint64_t *value = reg(bank_msr(place));
    uint64_t before = *value, said = BIT(place);

    *value = (before + n) & MASK;
    if (device.is == CARRY_LOST_AT_20 && place == 1 &&
        ((before ^ *value) & BIT(20)) != 0)
        *value &= ~BIT(20);
    if (device.is == CARRY_LOST_IN_FIXED && place == 32 &&
        ((before ^ *value) & BIT(40)) != 0)
        *value &= ~BIT(40);
    if (device.is == OVERFLOW_OF_NEIGHBOUR && place == 2)
        said = BIT(1);
    bool over = *value < before ||
                (device.is == OVERFLOW_EARLY && place == 1 && *value == MASK);
    if (!over)
        return;
    if (device.is != OVERFLOW_UNSAID || place != 33)
        *reg(IA32_PERF_GLOBAL_STATUS) |= said;
    interrupt(place);
}

/* What a select counts of so many branches, each in a cycle of its own. */
static uint64_t count_of(uint64_t select, uint64_t instructions,
                         uint64_t branches, uint64_t cycles)
{
    uint64_t events = (select & 0xff) == 0xc4   ? branches
                      : (select & 0xff) == 0xc0 ? instructions
                                                : cycles;
    uint64_t cmask = select >> 24 & 0xff;

    if (cmask == 0 || device.is == CMASK_IGNORED)
        return events;
    bool inv = (select & IA32_PERFEVTSEL_INV) != 0 && device.is != INV_IGNORED;
    uint64_t met = cmask > 1 ? 0 : events;
    if ((select & IA32_PERFEVTSEL_E) != 0 && device.is != EDGE_COUNTS_CYCLES)
        return met == cycles ? 0 : met; /* what always holds never rises */
    return inv ? cycles - met : met;
}

static bool counts(unsigned place, uint64_t enable)
{
    const uint64_t needed = IA32_PERFEVTSEL_EN | IA32_PERFEVTSEL_OS;
    uint64_t own =
        place < 32
            ? (*reg(IA32_PERFEVTSEL(place)) & needed) == needed
            : *reg(IA32_FIXED_CTR_CTRL) & (UINT64_C(3) << 4 * (place - 32));

    if (device.is == GLOBAL_CTRL_IGNORED && place == 2)
        enable |= BIT(2);
    if (device.is == ENABLE_IGNORED && place == 0)
        own = 1;
    if (device.is == FIXED_ENABLE_IGNORED && place == 33)
        own = 1;
    return (enable >> place & 1) != 0 && own != 0 && !frozen();
}

/* One branch after another, so that an overflow stops the others in between. */
static void run(uint64_t enable, uint64_t instructions, uint64_t branches)
{
    for (uint64_t i = 0; i <= branches; i++) {
        uint64_t b = i < branches,
                 n = i < branches ? 2 : instructions - 2 * branches;
        uint64_t now[36];
        for (unsigned p = 0; p < PLACES_END; p++)
            now[p] = counts(p, enable);
        for (unsigned p = 0; p < PLACES_END; p++) {
            if (!now[p] || (PLACES >> p & 1) == 0)
                continue;
            uint64_t one =
                p == 32   ? n
                : p == 33 ? 10 * n
                : p == 34 ? n
                          : count_of(*reg(IA32_PERFEVTSEL(p)), n, b, 10 * n);
            if (device.is == COUNTERS_LINKED && p == 1 &&
                (*reg(IA32_PERFEVTSEL(0)) & 0xff) == 0x2e)
                one = 0;
            if (one != 0)
                add(p, one);
        }
    }
}

static uint64_t window(uint64_t enable, const struct window_shape *shape)
{
    unsigned before = device.pmis;

    run(enable, shape->instructions, shape->branches);
    if (device.pmis != before && device.is != PMI_LATE && !device.pmi_held)
        run(enable, 20, 5); /* the handler */
    return 0;
}

#define WINDOW(name)                                                      \
    uint64_t window_##name(uint64_t enable, uint64_t cells[WINDOW_CELLS]) \
    {                                                                     \
        (void)cells;                                                      \
        return window(enable, &window_##name##_shape);                    \
    }
WINDOW(plain)
WINDOW(long)
const struct window_shape window_rep_shape = {8, 0, 0, 0};
WINDOW(rep)
const struct window_shape window_branches_shape = {40, 31, 0, 0};
WINDOW(branches)
static const struct window_shape window_random_shape = {200, 128, 0, 0};
WINDOW(random)
static const struct window_shape window_compare_shape = {12, 0, 0, 0};
WINDOW(compare)

uint64_t window_paused(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)cells;
    run(enable, window_paused_shape.instructions, window_paused_shape.branches);
    if (device.is == PAUSE_COUNTS)
        run(enable, 10, 5);
    return 0;
}

uint64_t window_live(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct window_live *live = (void *)(uintptr_t)cells[0];
    const uint64_t from = *reg(live->rdmsr);

    device.enable = enable;
    for (unsigned i = 0; i < 2; i++) {
        run(device.enable, i == 0 ? 19 : 23, i == 0 ? LIVE_FIRST : LIVE_SECOND);
        live->by_rdpmc[i] = live->by_rdmsr[i] = *reg(live->rdmsr);
        if (device.is == RDPMC_OF_START)
            live->by_rdpmc[i] = from;
        if (live->msr != IA32_PERF_GLOBAL_CTRL)
            assert_int_equal(hw_msr_write(live->msr, live->value[i]),
                             HW_NO_FAULT);
        else
            device.enable = live->value[i];
        for (unsigned n = 0; n < 4; n++)
            if (device.is == CTRL_CLEARS_COUNTERS && i == 1 &&
                live->msr == IA32_PERF_GLOBAL_CTRL)
                *reg(IA32_PMC(n)) = 0;
    }
    run(device.enable, 13, 4);
    device.enable = 0;
    return 0;
}

void counting_work(void *unused)
{
    unsigned before = device.pmis;

    (void)unused;
    run(*reg(IA32_PERF_GLOBAL_CTRL), 120, WORK_BRANCHES);
    if (device.pmis != before)
        run(*reg(IA32_PERF_GLOBAL_CTRL), 20, 5);
}

const uint8_t window_long_end[1] = {0};
const struct window_shape window_ring3_kernel_shape = {0, 0, 0, 0};
const struct window_shape window_ring3_user_shape = {0, 0, 0, 0};

uint64_t window_ring3(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)enable;
    (void)cells;
    return 0;
}

uint64_t ring3_rdpmc(struct ring3 *ring3, uint32_t index)
{
    (void)ring3;
    return index;
}

bool hw_pmi_begin(bool nmi)
{
    (void)nmi;
    device.pmi = true;
    device.pmi_masked = device.pmi_held = false;
    device.pmis = device.masked = 0;
    return true;
}

void hw_pmi_mask(void)
{
    device.pmi_masked = true;
}

void hw_pmi_hold(void)
{
    device.pmi_held = device.is != PMI_WHILE_OFF;
}

void hw_pmi_outrank(void)
{
    device.pmi_held = device.is != PMI_OUTRANKS;
}

unsigned hw_pmi_count(void)
{
    return device.pmis;
}

unsigned hw_pmi_masked(void)
{
    return device.masked;
}

uint64_t hw_pmi_rip(void)
{
    return device.is == PMI_LATE || device.pmi_held ? (uintptr_t)window_long_end
                                                    : (uintptr_t)window_long;
}

void hw_pmi_end(void)
{
    device.pmi = false;
}

/* --- Registers ----------------------------------------------------------- */

static uint64_t in_use(void)
{
    uint64_t bits = 0;

    for (unsigned n = 0; n < 4; n++) {
        uint64_t select = *reg(IA32_PERFEVTSEL(n));
        uint64_t looked = device.is == INUSE_BY_UMASK ? 0xffff : 0xff;
        bits |= (select & looked) != 0 ? BIT(n) : 0;
        bits |= (select & IA32_PERFEVTSEL_INT) != 0 ? BIT(63) : 0;
        bits |= (*reg(IA32_PEBS_ENABLE) >> n & 1) != 0 ? BIT(63) : 0;
    }
    for (unsigned n = 0; n < 3; n++) {
        uint64_t field = *reg(IA32_FIXED_CTR_CTRL) >> 4 * n & 15;
        bits |= (field & 3) != 0 && device.is != INUSE_WITHOUT_FIXED
                    ? BIT(32 + n)
                    : 0;
        bits |= (field & 8) != 0 ? BIT(63) : 0;
    }
    return bits;
}

#define SETTABLE (PLACES | BIT(58) | BIT(59) | BIT(61) | BIT(62))

static int write_status(uint32_t msr, uint64_t written)
{
    uint64_t *status = reg(IA32_PERF_GLOBAL_STATUS);

    if (msr == IA32_PERF_GLOBAL_STATUS ||
        (msr == IA32_PERF_GLOBAL_STATUS_SET &&
         (written & ~SETTABLE & ~BIT(55) & ~BIT(60)) != 0) ||
        (msr == IA32_PERF_GLOBAL_STATUS_SET && device.is == SET_REFUSED &&
         (written & BIT(62)) != 0) ||
        (msr == IA32_PERF_GLOBAL_STATUS_RESET &&
         (written & (BITS(57, 56) | BITS(54, 35) | BITS(31, 4))) != 0))
        return HW_GP;
    if (device.is == STATUS_SET_FREEZES && msr == IA32_PERF_GLOBAL_STATUS_SET &&
        written == PLACES)
        device.enable = 0;
    if (msr == IA32_PERF_GLOBAL_STATUS_SET)
        *status |= written | (device.is == SET_SETS_MORE && written == 2);
    else if (device.is == STATUS_CLEARED_ALL && written != 0)
        *status = 0;
    else
        *status &= ~written;
    return HW_NO_FAULT;
}

static int write_counter(uint32_t msr, uint64_t written)
{
    if (msr - IA32_FIXED_CTR(0) < 3) {
        if ((written & ~MASK) != 0 && device.is != FIXED_WIDTH_IGNORED)
            return HW_GP;
        *reg(msr) = written & MASK;
        return HW_NO_FAULT;
    }
    if (device.is == WRITE_IGNORED_RUNNING && device.enable != 0)
        return HW_NO_FAULT;
    unsigned n = msr >= IA32_A_PMC(0) ? msr - IA32_A_PMC(0) : msr - IA32_PMC(0);
    if (device.is == STATUS_CLEARED_BY_WRITE)
        *reg(IA32_PERF_GLOBAL_STATUS) &= ~BIT(n);
    if (msr < IA32_A_PMC(0))
        written = (uint64_t)(int64_t)(int32_t)(uint32_t)written;
    *reg(IA32_PMC(n)) = *reg(IA32_A_PMC(n)) = written & MASK;
    return HW_NO_FAULT;
}

static int write_control(uint32_t msr, uint64_t written)
{
    uint64_t reserved = msr == IA32_FIXED_CTR_CTRL     ? BITS(63, 12)
                        : msr == IA32_PERF_GLOBAL_CTRL ? ~PLACES
                                                       : BITS(63, 34);

    if ((written & reserved & ~(device.is == RESERVED_TAKEN ? BIT(40) : 0)) !=
        0)
        return HW_GP;
    if (device.is == SELECT_BIT_LOST && msr == IA32_PERFEVTSEL(2))
        written &= ~BIT(19);
    if (device.is == SELECT_CLEARS_COUNTER && device.enable != 0 &&
        msr == IA32_PERFEVTSEL(3))
        *reg(IA32_PMC(3)) = 0;
    if (device.is == ENABLE_TAKEN_LATE && device.enable != 0)
        return HW_NO_FAULT;
    *reg(msr) = written;
    if (device.is == SELECTS_SHARED && msr == IA32_PERFEVTSEL(3))
        *reg(IA32_PERFEVTSEL(1)) = written;
    if (device.is == STATUS_NOT_STICKY && msr == IA32_FIXED_CTR_CTRL)
        *reg(IA32_PERF_GLOBAL_STATUS) &= BITS(31, 0);
    return HW_NO_FAULT;
}

/* Registers that the device writes itself are not writable in the table. */
static int access_msr(uint32_t msr, const uint64_t *written)
{
    if (msr == IA32_PERF_GLOBAL_INUSE && written != NULL)
        return device.is == INUSE_WRITABLE ? HW_NO_FAULT : HW_GP;
    if (msr == IA32_PERF_CAPABILITIES && written != NULL)
        return HW_GP;
    if (msr == IA32_PERF_GLOBAL_INUSE)
        *reg(msr) = in_use();
    if (written == NULL)
        return HW_NO_FAULT;
    if (msr == IA32_DEBUGCTL && (*written & ~(BITS(15, 6) | BITS(1, 0))) != 0)
        return HW_GP;
    if (msr - IA32_PERF_GLOBAL_STATUS < 4 && msr != IA32_PERF_GLOBAL_CTRL)
        return write_status(msr, *written);
    if (msr - IA32_PMC(0) < 4 || msr - IA32_A_PMC(0) < 4 ||
        msr - IA32_FIXED_CTR(0) < 3)
        return write_counter(msr, *written);
    if (msr == IA32_PERF_GLOBAL_CTRL || msr == IA32_FIXED_CTR_CTRL ||
        msr - IA32_PERFEVTSEL(0) < 4)
        return write_control(msr, *written);
    return HW_NO_FAULT;
}

static void power_on(const struct test *test, enum deviation deviation)
{
    memset(&device, 0, sizeof(device));
    memset(all, 0, sizeof(all));
    fake_reset();
    device.is = deviation;
    t->cpu = (struct identity){.vendor = "GenuineIntel",
                               .family = 6,
                               .model = device_model,
                               .perfmon_version = 4,
                               .counters = 4,
                               .counter_bits = 48,
                               .fixed_counters = 3,
                               .fixed_set = 7,
                               .fixed_bits = 48,
                               .leaf0a_eax = 0x07300404,
                               .pdcm = true,
                               .ds = true,
                               .pebs_format = 3,
                               .full_width_writes = true};
    t->regime = REGIME_A;
    t->all = all;
    t->processors = 1;
    t->buffer = memory;
    context_begin(t, test, 1);
    for (unsigned n = 0; n < 4; n++) {
        fake_msr(IA32_PMC(n))->writable = 0;
        fake_msr(IA32_A_PMC(n))->writable = 0;
        fake_msr(IA32_PERFEVTSEL(n))->writable = 0;
    }
    for (unsigned n = 0; n < 3; n++)
        fake_msr(IA32_FIXED_CTR(n))->writable = 0;
    for (uint32_t msr = IA32_FIXED_CTR_CTRL; msr <= IA32_PERF_GLOBAL_INUSE;
         msr++)
        fake_msr(msr)->writable = 0;
    fake_msr(IA32_PEBS_ENABLE)->value = 0;
    fake_msr(IA32_DEBUGCTL)->value = 0;
    fake_msr(IA32_PERF_CAPABILITIES)->value = 0x2300;
    fake_device = access_msr;
}

static enum verdict verdict_of(const struct test *test,
                               enum deviation deviation)
{
    power_on(test, deviation);
    test->body(t);
    restore_msrs(t);
    fake_device = NULL;
    t->text[t->text_bytes] = '\0';
    return t->verdict;
}

static void as_the_manual_says(void **state)
{
    (void)state;
#define PASSES(name)                                    \
    if (verdict_of(&test_##name, NONE) != VERDICT_PASS) \
        fail_msg("%s: %s", #name, t->text);
    CASES(PASSES)
}

static const struct {
    enum deviation deviation;
    const struct test *catcher;
} catchers[] = {
    {CARRY_LOST_AT_20, &test_counter_carry},
    {CARRY_LOST_IN_FIXED, &test_counter_carry},
    {OVERFLOW_UNSAID, &test_counter_carry},
    {OVERFLOW_UNSAID, &test_counter_overflow_bits},
    {OVERFLOW_OF_NEIGHBOUR, &test_counter_overflow_bits},
    {OVERFLOW_EARLY, &test_counter_overflow_bits},
    {STATUS_CLEARED_ALL, &test_counter_overflow_bits},
    {STATUS_CLEARED_BY_WRITE, &test_counter_overflow_bits},
    {STATUS_NOT_STICKY, &test_counter_overflow_bits},
    {GLOBAL_CTRL_IGNORED, &test_counter_enable_bits},
    {ENABLE_IGNORED, &test_counter_enable_bits},
    {FIXED_ENABLE_IGNORED, &test_counter_enable_bits},
    {PAUSE_COUNTS, &test_counter_pause},
    {INUSE_WITHOUT_FIXED, &test_counter_inuse},
    {INUSE_BY_UMASK, &test_counter_inuse},
    {INUSE_WRITABLE, &test_counter_inuse},
    {CMASK_IGNORED, &test_counter_mask_edge},
    {INV_IGNORED, &test_counter_mask_edge},
    {EDGE_COUNTS_CYCLES, &test_counter_mask_edge},
    {PMI_MISSING, &test_counter_pmi},
    {PMI_ALWAYS, &test_counter_pmi},
    {PMI_TWICE, &test_counter_pmi},
    {PMI_LEAVES_UNMASKED, &test_counter_pmi},
    {PMI_LATE, &test_counter_pmi},
    {PMI_WHILE_OFF, &test_counter_pmi},
    {PMI_LOST_WHILE_OFF, &test_counter_pmi},
    {PMI_OUTRANKS, &test_counter_pmi},
    {SELECT_BIT_LOST, &test_counter_registers},
    {SELECTS_SHARED, &test_counter_registers},
    {RESERVED_TAKEN, &test_counter_reserved_bits},
    {FIXED_WIDTH_IGNORED, &test_fixed_counter_writes},
    {SET_REFUSED, &test_global_status_set},
    {SET_SETS_MORE, &test_global_status_set},
    {STATUS_CLEARED_ALL, &test_global_status_set},
    {FREEZE_MISSING, &test_freeze_on_pmi},
    {FREEZE_CLEARS_CTRL, &test_freeze_on_pmi},
    {COUNTERS_LINKED, &test_counters_independent},
    {WRITE_IGNORED_RUNNING, &test_counter_while_running},
    {SELECT_CLEARS_COUNTER, &test_counter_while_running},
    {ENABLE_TAKEN_LATE, &test_counter_while_running},
    {CTRL_CLEARS_COUNTERS, &test_counter_while_running},
    {RDPMC_OF_START, &test_counter_while_running},
    {STATUS_SET_FREEZES, &test_counter_while_running},
};

static void sees_each_deviation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(catchers) / sizeof(catchers[0]); i++)
        if (verdict_of(catchers[i].catcher, catchers[i].deviation) !=
            VERDICT_FAIL)
            fail_msg("deviation %d passed %s: %s", catchers[i].deviation,
                     catchers[i].catcher->name, t->text);
}

/* Where nothing is known of the processor, how late is not judged. */
static void late_interrupts(void **state)
{
    (void)state;
    device_model = 0x97;
    if (verdict_of(&test_counter_pmi, PMI_LATE) != VERDICT_PASS)
        fail_msg("%s", t->text);
    assert_int_equal(verdict_of(&test_counter_pmi, PMI_MISSING), VERDICT_FAIL);
    device_model = 0x5e;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_manual_says),
        cmocka_unit_test(sees_each_deviation),
        cmocka_unit_test(late_interrupts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
