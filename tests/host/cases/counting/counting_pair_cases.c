/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_pair_cases.c - the cases of what another processor counts and
 * writes: it is its own; and on processors where one register, one interrupt or
 * one count is not. */
#include "tests/host/cases/counting/counting_pairs.h"

#include <stdio.h>

extern const struct test test_counter_thread_scope;

#define SMI_PLACES 30

static uint64_t selected(void)
{
    uint64_t bits = 0;

    for (unsigned n = 0; n < counters; n++)
        if ((*msr(IA32_PERFEVTSEL(n)) & IA32_PERFEVTSEL_EVENT) != 0)
            bits |= BIT(n);
    return bits;
}

/* Firmware that uses fixed counters has them in SMM, on all processors. */
static void smi(void)
{
    const unsigned here = fake_current;

    for (fake_current = 0; fake_current < PROCESSORS; fake_current++) {
        ++*msr(MSR_SMI_COUNT);
        *msr(IA32_FIXED_CTR_CTRL) = 0x330;
        *msr(IA32_PERF_GLOBAL_STATUS) = 0;
    }
    fake_current = here;
}

static int access_shared(uint32_t number, const uint64_t *written)
{
    const unsigned here = fake_current;
    const int vector = access_counters(number, written);

    if (number == IA32_PERF_GLOBAL_INUSE) {
        uint64_t bits = selected();
        fake_current = 1 - here;
        bits |= pair.in_use_shared ? selected() : 0;
        fake_current = here;
        *msr(number) = bits;
    }
    if (written == NULL)
        return vector;
    if (number == IA32_PERF_GLOBAL_CTRL && *written == 0 &&
        ++pair.zeros == pair.smi_at)
        smi();
    const uint64_t value =
        number - IA32_A_PMC(0) < counters ? *msr(number) : *written;
    if (number == IA32_A_PMC(0) + (pair.register_shared - IA32_PMC(0)) ||
        number == pair.register_shared ||
        (number == IA32_PERF_GLOBAL_STATUS_RESET && pair.clear_shared)) {
        fake_current = 1 - here;
        if (number == IA32_PERF_GLOBAL_STATUS_RESET)
            *msr(IA32_PERF_GLOBAL_STATUS) &= ~*written;
        else
            *msr(pair.register_shared) = value;
        fake_current = here;
    }
    return vector;
}

/* What window_long() of one overflows on the other. */
static void share_overflows(void)
{
    fake_current = 1 - fake_current;
    *msr(IA32_PERF_GLOBAL_STATUS) |= pair.overflow_shared;
    if (pair.ctrl_lost)
        *msr(IA32_PERF_GLOBAL_CTRL) = 0;
    fake_current = 1 - fake_current;
}

static int access_windows(uint32_t number, const uint64_t *written)
{
    static unsigned seen;

    if (device.windows != seen) {
        seen = device.windows;
        if (pair.overflow_shared != 0 || pair.ctrl_lost)
            share_overflows();
    }
    return access_shared(number, written);
}

void hw_pmi_send(unsigned processor)
{
    assert_int_equal(fake_current, 1);
    assert_int_equal(processor, 0);
    device.pmi[0].pmis++;
    pair.heard_sent++;
}

/* Until the other one sends an interrupt. Then what has counted meanwhile. */
void hw_pmi_halt(void)
{
    const uint64_t since = fake_tsc;

    while (device.pmi[0].pmis == 0)
        step();
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((pair.halted >> p & 1) != 0 &&
            enabled(p, *msr(IA32_PERF_GLOBAL_CTRL)))
            add(p, (fake_tsc - since) / pair.rate);
}

static void begin_scope(bool parallel)
{
    memset(&pair, 0, sizeof(pair));
    counting_begin(&test_counter_thread_scope, 4, 0);
    memset(buffers[0], 0, sizeof(struct pair));
    fake_device = access_windows;
    fake_beside = parallel ? step : NULL;
}

/* By either of them. */
static void expect_scope(enum verdict wanted, const char *line)
{
    enum verdict worst = VERDICT_NONE;
    bool said = false;

    /* What is shared is found otherwise; an SMI may be the last that writes. */
    if (pair.register_shared != 0 || pair.smi_at != 0)
        (void)case_end();
    else
        (void)counting_end();
    for (unsigned p = 0; p < PROCESSORS; p++) {
        all[p].text[all[p].text_bytes] = '\0';
        worst = verdict_worst(worst, all[p].verdict);
        said = said || strstr(all[p].text, line) != NULL;
    }
    if (worst != wanted || !said)
        fail_msg("%d, wanted %d and \"%s\": %s%s", (int)worst, (int)wanted,
                 line, all[0].text, all[1].text);
}

static void each_its_own(void **state)
{
    static const uint32_t shared[] = {0xc1,  0xc2,  0xc3,  0xc4,  0x186,
                                      0x187, 0x188, 0x189, 0x309, 0x30a,
                                      0x30b, 0x38d, 0x38f, 0x1d9};

    (void)state;
    begin_scope(true);
    expect_scope(VERDICT_PASS, "");
    assert_true(pair.heard_sent != 0);
    begin_scope(false);
    expect_scope(VERDICT_PASS, "");
    assert_int_equal(pair.heard_sent, 0);
    for (unsigned i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
        char line[20];

        snprintf(line, sizeof(line), "(%XH) was written", shared[i]);
        begin_scope(true);
        pair.register_shared = shared[i];
        expect_scope(VERDICT_FAIL, line);
    }
}

static void status_its_own(void **state)
{
    (void)state;
    for (unsigned p = 0; p < PLACES_END; p++) {
        if (!has_place(p) && p != FIXED(2))
            continue;
        begin_scope(true);
        pair.overflow_shared = BIT(p);
        expect_scope(VERDICT_FAIL, "wanted none of its bits");
        begin_scope(true);
        device.no_status = BIT(p);
        expect_scope(VERDICT_FAIL,
                     "all counters overflowed: IA32_PERF_GLOBAL_STATUS");
    }
    begin_scope(true);
    pair.clear_shared = true;
    expect_scope(VERDICT_FAIL,
                 "after other processors wrote 390H with 0x70000000f; wanted");
    begin_scope(true);
    pair.in_use_shared = true;
    expect_scope(VERDICT_FAIL, "(392H) is 0xf with no event selected here");
    begin_scope(true);
    pair.in_use_shared = true;
    all[1].cpu.perfmon_version = all[0].cpu.perfmon_version = 3;
    expect_scope(VERDICT_PASS, "");
}

static void interrupts_its_own(void **state)
{
    (void)state;
    begin_scope(true);
    device.pmi_elsewhere = true;
    expect_scope(VERDICT_FAIL, "none of whose counters counts, had 3");
    begin_scope(true);
    device.freezes_elsewhere = true;
    expect_scope(
        VERDICT_FAIL,
        "(38EH)[59:58] is 2, IA32_PERF_GLOBAL_CTRL (38FH) 0x1; wanted");
    begin_scope(true);
    pair.ctrl_lost = true;
    expect_scope(VERDICT_FAIL, "(38FH)");
    for (unsigned each = 1; each <= 2; each++) {
        begin_scope(true);
        device.no_pmi_each = each;
        expect_scope(VERDICT_FAIL, each == 1 ? "this processor in 0 of them"
                                             : "this processor in 4 of them");
    }
    begin_scope(true);
    pair.hangs = true;
    expect_scope(VERDICT_ERROR, "makes no progress");
}

/* One anywhere, but between a look and the one before it. */
static void smis_write(void **state)
{
    (void)state;
    for (unsigned at = 1; at <= SMI_PLACES; at++) {
        begin_scope(true);
        fake_msr(MSR_SMI_COUNT);
        pair.smi_at = at;
        expect_scope(VERDICT_PASS, "");
    }
}

/* Unhalted cycles; where the other one is another thread of the core, of
 * reference cycles nothing is said. */
static void halted(void **state)
{
    static const struct {
        unsigned place;
        bool core;
        const char *line;
    } rows[] = {
        {0, true, "IA32_PMC0 (C1H) counted"},
        {1, false, "IA32_PMC1 (C2H) counted"},
        {2, true, "IA32_PMC2 (C3H) counted"},
        {3, false, "IA32_PMC3 (C4H) counted"},
        {FIXED(1), true, "IA32_FIXED_CTR1 (30AH) counted"},
        {FIXED(2), false, "IA32_FIXED_CTR2 (30BH) counted"},
    };

    (void)state;
    for (unsigned i = 0; i < 6; i++)
        for (unsigned siblings = 0; siblings < 2; siblings++) {
            begin_scope(true);
            all[1].cpu.apic_id = siblings != 0 ? 1 : 2;
            pair.halted = BIT(rows[i].place);
            pair.rate = 2;
            const bool fails = rows[i].core || siblings == 0;
            expect_scope(fails ? VERDICT_FAIL : VERDICT_PASS,
                         fails ? rows[i].line : "");
        }
}

/* The work around it takes some of the bus's cycles, of the TSC's more; which
 * 3CH/01H has is known of known processors. */
static void halted_by_the_bus(void **state)
{
    (void)state;
    for (unsigned known = 0; known < 2; known++) {
        begin_scope(true);
        if (!known)
            all[0].cpu.model = all[1].cpu.model = 0x86;
        all[1].cpu.apic_id = 2;
        pair.halted = BIT(1);
        pair.rate = 64;
        expect_scope(known ? VERDICT_FAIL : VERDICT_PASS,
                     known ? "IA32_PMC1 (C2H) counted" : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_its_own),       cmocka_unit_test(status_its_own),
        cmocka_unit_test(interrupts_its_own), cmocka_unit_test(halted),
        cmocka_unit_test(halted_by_the_bus),  cmocka_unit_test(smis_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
