/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_default_cases.c - the cases of TSX_FORCE_ABORT with the microcode of
 * 2021: what it is by default and what TSX_CPUID_CLEAR does, over a processor
 * that does as the white paper says, and over the same with one thing
 * otherwise. */
#include "asm/rtm_store.h"
#include "asm/tsx_bodies.h"
#include "asm/tsx_state.h"
#include "src/tsx/status.h"
#include "tests/host/cases/ring3_fixture.h"

extern const struct test test_always_abort_default, test_tsx_cpuid_clear;

#define FORCE  BIT(0)
#define CLEAR  BIT(1)
#define RTM    (1u << 11) /* of EBX */
#define HLE    (1u << 4)
#define ALWAYS (1u << 11) /* of EDX */

static struct device {
    bool forced_off;                /* RTM_FORCE_ABORT reads 0 */
    bool writable;                  /* and takes what is written */
    bool refused;                   /* a write raises #GP */
    unsigned commits_at, status_at; /* this transaction, from 1 */
    bool unsaid;                    /* EDX[11] is 0 */
    bool sticks;                    /* TSX_CPUID_CLEAR, once it is 1 */
    bool clear_lost;
    uint32_t shown;      /* of EBX while it is 1 */
    uint32_t stays_away; /* after it */
    uint32_t others;     /* XORed to EBX while it is 1 */
    uint32_t ring3;      /* the same at ring 3 alone */
    bool commits_ring3;
    bool without;           /* RTM is not there at all */
    const uint8_t *kept;    /* what this changes stays: R9 */
    const uint8_t *lasting; /* and this commits */
    unsigned tries;
} device;

static void show(bool clear)
{
    struct hw_cpuid *leaf = fake_leaf(7, 0);

    if (clear)
        leaf->ebx =
            (leaf->ebx & ~((RTM | HLE) & ~device.shown)) ^ device.others;
    else
        leaf->ebx |= (RTM | HLE) & ~device.stays_away;
}

static int access(uint32_t number, const uint64_t *written)
{
    struct fake_msr *m = fake_msr(TSX_FORCE_ABORT);

    if (number != TSX_FORCE_ABORT || written == NULL)
        return HW_NO_FAULT;
    if (device.refused)
        return HW_GP;
    if (device.sticks && (m->value & CLEAR) != 0)
        m->writable &= ~CLEAR;
    if (((m->value ^ *written) & m->writable & CLEAR) != 0)
        show((*written & CLEAR) != 0);
    return HW_NO_FAULT;
}

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    assert_int_equal(enable, 0);
    ring3_leaf7(cells, device.ring3);
    return 0;
}

uint64_t window_ring3_tx(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];

    (void)enable;
    ring3->vector = HW_NO_FAULT;
    ring3->status = device.commits_ring3 ? RTM_STATUS_STARTED : 0;
    return 0;
}

int rtm_store(volatile uint64_t *cell, uint64_t stored, uint32_t *eax)
{
    device.tries++;
    if (device.tries == device.commits_at) {
        *cell = stored;
        *eax = RTM_STATUS_STARTED;
        return RTM_COMMITTED;
    }
    *eax = device.tries == device.status_at ? RTM_STATUS_RETRY : 0;
    return RTM_ABORTED;
}

int tsx_state(struct tsx_state *s)
{
    memcpy(s->after, s->before, sizeof(s->after));
    s->after[0] = 0; /* EAX */
    s->flags_after = s->flags_before;
    memcpy(s->x_after, s->x_before, sizeof(s->x_after));
    if (s->change == device.kept)
        s->after[9] ^= 1;
    return s->change == device.lasting ? TSX_COMMITTED : TSX_ABORTED;
}

static enum verdict verdict_of(const struct test *test, enum regime regime,
                               struct device is)
{
    case_begin(test, 0);
    ring3_firmware();
    device = is;
    t->regime = regime;
    t->cpu.tsx_force_abort = true;
    *msr(TSX_FORCE_ABORT) = regime == REGIME_C && !is.forced_off ? FORCE : 0;
    fake_msr(TSX_FORCE_ABORT)->writable =
        (is.clear_lost ? 0 : CLEAR) | (is.writable ? FORCE : 0);
    fake_leaf(7, 0)->ebx |= RTM | HLE;
    if (is.without)
        fake_leaf(7, 0)->ebx &= ~RTM;
    if (!is.unsaid)
        fake_leaf(7, 0)->edx |= ALWAYS;
    fake_device = access;
    return case_end();
}

struct row {
    struct device is;
    const char *line;
};

static void each(const struct test *test, enum regime regime,
                 const struct row rows[], size_t count)
{
    expect_case(verdict_of(test, regime, (struct device){0}), VERDICT_PASS, "");
    for (size_t i = 0; i < count; i++)
        expect_case(verdict_of(test, regime, rows[i].is), VERDICT_FAIL,
                    rows[i].line);
}

static void by_default(void **state)
{
    static const struct row rows[] = {
        {{.forced_off = true}, "TSX_FORCE_ABORT (10FH)[0] by default"},
        {{.writable = true}, "after writing 0x0 to [0]"},
        {{.refused = true}, "got #GP, wanted the write ignored"},
        {{.commits_at = 1}, "after 0 was written to RTM_FORCE_ABORT"},
        {{.commits_at = 10000}, "after 0 was written to RTM_FORCE_ABORT"},
        {{.commits_ring3 = true}, "16 of 16 transactions at ring 3"},
        {{.unsaid = true}, "EDX[11] (RTM_ALWAYS_ABORT)"},
        {{.kept = tsx_change_both}, "MXCSR changed, after the abort: R9"},
        {{.kept = tsx_change_direction}, "DF changed, after the abort: R9"},
        {{.kept = tsx_change_x87}, "the x87 changed, after the abort: R9"},
        {{.kept = tsx_change_stored}, "memory changed, after the abort: R9"},
        {{.lasting = tsx_change_x87}, "the x87 changed: 100 of 100 committed"},
    };

    (void)state;
    each(&test_always_abort_default, REGIME_C, rows,
         sizeof(rows) / sizeof(rows[0]));
    expect_case(verdict_of(&test_always_abort_default, REGIME_C,
                           (struct device){.status_at = 500}),
                VERDICT_PASS, "came before the forced one: 1 of 10000");
}

static void cpuid_clear(void **state)
{
    static const struct row rows[] = {
        {{.without = true}, "wanted [11] (RTM) = 1"},
        {{.clear_lost = true}, "TSX_FORCE_ABORT (10FH)[1] set"},
        {{.sticks = true}, "TSX_FORCE_ABORT (10FH)[1] cleared again"},
        {{.shown = RTM}, "with TSX_CPUID_CLEAR = 1"},
        {{.shown = HLE}, "with TSX_CPUID_CLEAR = 1"},
        {{.others = 1u << 5}, "with TSX_CPUID_CLEAR = 1"},
        {{.ring3 = RTM}, "CPUID.07H.0 at ring 3: EBX = 0x"},
        {{.stays_away = HLE}, "with TSX_CPUID_CLEAR = 0 again"},
    };

    (void)state;
    each(&test_tsx_cpuid_clear, REGIME_D, rows, sizeof(rows) / sizeof(rows[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_default),
        cmocka_unit_test(cpuid_clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
