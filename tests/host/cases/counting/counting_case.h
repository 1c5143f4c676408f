/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_case.h - the registers and interrupts of counters that count the
 * pieces of counting_pieces.h, and a case over them. */
#ifndef TESTS_HOST_CASES_COUNTING_COUNTING_CASE_H
#define TESTS_HOST_CASES_COUNTING_COUNTING_CASE_H

#include "asm/ring3_window.h"
#include "tests/host/cases/counting/counting_pieces.h"

/* --- Registers ----------------------------------------------------------- */

/* What has to be 0. */
static uint64_t reserved(uint32_t number)
{
    uint64_t places = 0;

    for (unsigned p = 0; p < PLACES_END; p++)
        places |= has_place(p) ? BIT(p) : 0;
    if (number - IA32_A_PMC(0) < counters ||
        number - IA32_FIXED_CTR(0) < fixed_counters)
        return ~WIDTH;
    if (number - IA32_PERFEVTSEL(0) < counters)
        return BITS(63, 35);
    if (number == IA32_PERF_GLOBAL_CTRL)
        return ~(places | IA32_PERF_GLOBAL_CTRL_PERF_METRICS);
    return 0;
}

/* C1H and 4C1H are one counter (SDM 3B, "Full-Width Writes"). */
static int access_counters(uint32_t number, const uint64_t *written)
{
    if (written == NULL)
        return HW_NO_FAULT;
    if ((*written & reserved(number)) != 0)
        return HW_GP;
    if (number - IA32_PMC(0) < counters)
        *msr(number) = *msr(IA32_A_PMC(number - IA32_PMC(0))) =
            (uint64_t)(int64_t)(int32_t)(uint32_t)*written & WIDTH;
    if (number - IA32_A_PMC(0) < counters)
        *msr(IA32_PMC(number - IA32_A_PMC(0))) = *msr(number) = *written;
    if (number == IA32_PERF_GLOBAL_STATUS_RESET)
        *msr(IA32_PERF_GLOBAL_STATUS) &= ~*written;
    if (number == IA32_PERF_GLOBAL_STATUS_SET)
        *msr(IA32_PERF_GLOBAL_STATUS) |= *written;
    return HW_NO_FAULT;
}

/* What a test may write, as it was found. */
#define STATE_MSRS 64
static struct {
    uint32_t number;
    uint64_t value;
} kept[PROCESSORS][STATE_MSRS];

/* With so many counters. */
static void counting_begin(const struct test *test, unsigned count,
                           uint32_t trials)
{
    memset(&device, 0, sizeof(device));
    counters = count;
    fixed_counters = 3;
    case_begin(test, trials);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        unsigned n = 0;

        fake_current = p;
        all[p].cpu.counters = (uint8_t)counters;
        for (unsigned c = 0; c < counters; c++) {
            fake_msr(IA32_PERFEVTSEL(c));
            fake_msr(IA32_PMC(c))->writable = 0;
            fake_msr(IA32_A_PMC(c))->writable = 0;
        }
        fake_msr(IA32_PERF_GLOBAL_STATUS)->writable = 0;
        static const uint32_t more[] = {IA32_FS_BASE, IA32_GS_BASE, IA32_EFER,
                                        IA32_STAR,    IA32_LSTAR,   IA32_FMASK};
        for (unsigned i = 0; i < sizeof(more) / sizeof(more[0]); i++)
            *msr(more[i]) = 0x100 + i;
        for (uint32_t c = 0; c < counters; c++) {
            kept[p][n++].number = IA32_PERFEVTSEL(c);
            kept[p][n++].number = IA32_PMC(c);
        }
        for (uint32_t c = 0; c < 3; c++)
            kept[p][n++].number = IA32_FIXED_CTR(c);
        kept[p][n++].number = IA32_FIXED_CTR_CTRL;
        kept[p][n++].number = IA32_PERF_GLOBAL_CTRL;
        kept[p][n++].number = IA32_DEBUGCTL;
        for (unsigned i = 0; i < sizeof(more) / sizeof(more[0]); i++)
            kept[p][n++].number = more[i];
        /* Something of each that is to be given back. */
        for (unsigned i = 0; i < n; i++) {
            const uint32_t number = kept[p][i].number;
            if (number - IA32_PMC(0) < counters)
                *msr(number) = *msr(IA32_A_PMC(number - IA32_PMC(0))) = 7 + i;
            else if (number - IA32_FIXED_CTR(0) < 3)
                *msr(number) = 7 + i;
            kept[p][i].value = *msr(number);
        }
        kept[p][n].number = 0;
    }
    fake_current = 0;
    fake_device = access_counters;
}

/* The verdict; all that was written is as it was found. */
static inline enum verdict counting_end(void)
{
    fake_body(t);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        restore_msrs(&all[p]);
        for (unsigned i = 0; kept[p][i].number != 0; i++)
            if (*msr(kept[p][i].number) != kept[p][i].value)
                fail_msg("%s leaves 0x%lx in %XH of processor %u, found 0x%lx",
                         t->test->name, (long)*msr(kept[p][i].number),
                         kept[p][i].number, p, (long)kept[p][i].value);
    }
    return case_close();
}

/* --- Interrupts ---------------------------------------------------------- */

bool hw_pmi_begin(bool nmi)
{
    (void)nmi;
    device.pmi[fake_current].open = true;
    device.pmi[fake_current].masked = false;
    device.pmi[fake_current].pmis = device.pmi[fake_current].late;
    device.pmi[fake_current].left_masked = device.pmi[fake_current].late = 0;
    return true;
}

void hw_pmi_mask(void)
{
    device.pmi[fake_current].masked = true;
}

unsigned hw_pmi_count(void)
{
    return device.pmi[fake_current].pmis;
}

unsigned hw_pmi_masked(void)
{
    return device.pmi[fake_current].left_masked;
}

uint64_t hw_pmi_rip(void)
{
    return device.pmi_behind ? 0 : (uintptr_t)ring3_code;
}

void hw_pmi_end(void)
{
    device.pmi[fake_current].open = false;
}

/* The test that was begun, where no window is without an SMI: that is said, and
 * nothing judged. */
static inline void hit_by_smis(void)
{
    device.smis = true;
    assert_int_equal(counting_end(), VERDICT_ERROR);
    const char *said = strstr(t->text, "ERROR: ");
    if (said == NULL ||
        strstr(said, "windows in a row were hit by an") == NULL ||
        strstr(said + 1, "ERROR: ") != NULL ||
        strstr(t->text, "FAIL: ") != NULL)
        fail_msg("%s: %s", t->test->name, t->text);
}

#endif
