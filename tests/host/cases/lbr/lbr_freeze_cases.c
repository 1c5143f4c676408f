/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr_freeze_cases.c - FREEZE_LBRS_ON_PMI over a stack, and counters that
 * overflow, that do as the manual says, and over the same with one thing
 * otherwise. */
#include "asm/tsx_bodies.h"
#include "src/counting/bank.h"
#include "tests/host/cases/lbr/lbr_fixture.h"

extern const struct test test_lbr_freeze_on_pmi;

#define PMC_MASK BITS(47, 0)
#define A_BRANCH 10 /* instructions */
#define HANDLER  UINT64_C(0xffff800000000000)
#define FRZ      IA32_PERF_GLOBAL_STATUS_LBR_FRZ

static struct odd {
    bool never, always, without_int; /* freezes */
    bool by_fixed_not, by_1_not;     /* not by these counters */
    bool beside_not, beside_counts;  /* with FREEZE_PERFMON_ON_PMI */
    bool unsaid, said;               /* LBR_Frz */
    bool turns_off;                  /* with version 4, too */
    bool stays_on;                   /* without it */
    bool counters_stop, others_stop;
    bool loses_bit; /* 11 */
    bool no_pmi, pmi_always;
    bool late;          /* the interrupt is recorded first */
    bool newest_is_pmi; /* the newest record is from there */
    bool waits;         /* once LBR_Frz is cleared, for a write that enables */
    bool stays;         /* frozen */
    bool by_software_not;
    bool pmi_unrecorded, return_unrecorded;
    bool nmi_unrecorded; /* the interrupt, as one */
    bool abort_unrecorded;
    bool by_ring3_not, ring3_unsaid, ring3_no_pmi;
    bool no_apic;
} odd;

static struct {
    bool on;
    bool waiting; /* frozen, whatever the status says */
    bool nmi;
    unsigned pmis;
    uint64_t rip;
    uint64_t place; /* of the next branch */
    bool filtered;  /* by MSR_LBR_SELECT */
    bool user;
} cpu;
static unsigned other_model; /* 0: that of the format */

static uint64_t *reg(uint32_t msr)
{
    return &fake_msr(msr)->value;
}

static uint32_t enabling(void)
{
    return lbr_device.format == ARCH ? IA32_LBR_CTL : IA32_DEBUGCTL;
}

static bool is_frozen(void)
{
    return cpu.waiting || (lbr_device.version >= 4 &&
                           (*reg(IA32_PERF_GLOBAL_STATUS) & FRZ) != 0);
}

static void branch(uint32_t kind, uint64_t from, uint64_t to)
{
    if (cpu.on && !is_frozen())
        lbr_add(kind, from, to, 7);
}

static void freeze(unsigned place)
{
    const bool streamlined = lbr_device.version >= 4;

    if (streamlined && !odd.unsaid && !(cpu.user && odd.ring3_unsaid))
        *reg(IA32_PERF_GLOBAL_STATUS) |= FRZ;
    if (!streamlined && !odd.stays_on)
        cpu.on = false;
    if (!cpu.on || odd.turns_off)
        *reg(enabling()) &= ~UINT64_C(1);
    cpu.waiting = odd.unsaid || odd.stays_on;
    if (odd.counters_stop || odd.others_stop)
        *reg(IA32_PERF_GLOBAL_CTRL) &= odd.others_stop ? BIT(place) : 0;
}

static void interrupt(unsigned place, bool asked)
{
    const bool told =
        ((*reg(IA32_DEBUGCTL) & IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI) != 0 ||
         odd.always) &&
        !odd.never && !(cpu.user && odd.by_ring3_not) &&
        (place != 1 || !odd.by_1_not) &&
        (place != PLACE_FIXED0 || !odd.by_fixed_not) &&
        (!odd.beside_not ||
         (*reg(IA32_DEBUGCTL) & IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI) == 0);

    if (!asked && !odd.pmi_always) {
        if (odd.without_int && told)
            freeze(place);
        return;
    }
    cpu.pmis += !odd.no_pmi && !(cpu.user && odd.ring3_no_pmi);
    cpu.rip = cpu.place;
    if (odd.said)
        *reg(IA32_PERF_GLOBAL_STATUS) |= FRZ;
    if (odd.newest_is_pmi && told)
        branch(LBR_FAR, cpu.rip, cpu.place + 8);
    if (odd.late && told) {
        branch(LBR_FAR, cpu.rip, HANDLER);
        branch(LBR_JCC, HANDLER, HANDLER + 8);
    }
    if (told)
        freeze(place);
    if ((*reg(IA32_DEBUGCTL) & IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI) != 0 &&
        !odd.beside_counts)
        *reg(IA32_PERF_GLOBAL_CTRL) = 0;
    if (odd.loses_bit)
        *reg(IA32_DEBUGCTL) &= ~IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI;
    if (!odd.pmi_unrecorded && !(odd.nmi_unrecorded && cpu.nmi))
        branch(LBR_FAR, cpu.rip, HANDLER);
    if (!odd.return_unrecorded)
        branch(LBR_FAR, HANDLER + 8, cpu.rip);
}

static void count(unsigned place, uint64_t n)
{
    const uint64_t was = *reg(bank_msr(place));
    const bool asks =
        place < 32 ? (*reg(IA32_PERFEVTSEL(place)) & IA32_PERFEVTSEL_INT) != 0
                   : (*reg(IA32_FIXED_CTR_CTRL) &
                      IA32_FIXED_CTR_CTRL_PMI(place - 32)) != 0;

    *reg(bank_msr(place)) = (was + n) & PMC_MASK;
    if (((was + n) & PMC_MASK) >= was)
        return;
    *reg(IA32_PERF_GLOBAL_STATUS) |= BIT(place);
    interrupt(place, asks);
}

void counting_work(void *unused)
{
    static unsigned piece;

    (void)unused;
    piece++;
    for (unsigned i = 0; i < WORK_BRANCHES; i++) {
        cpu.place = 0x100000 + UINT64_C(0x40) * (i + piece % 7);
        branch(LBR_JCC, cpu.place, cpu.place + 0x10);
        cpu.place += 4;
        for (unsigned place = 0; place <= PLACE_FIXED0; place++)
            if ((*reg(IA32_PERF_GLOBAL_CTRL) >> place & 1) != 0)
                count(place, place == PLACE_FIXED0 ? A_BRANCH : 1);
    }
}

static void at_ring3(uint64_t user_code)
{
    cpu.user = true;
    branch(LBR_FAR | LBR_TO_USR, 0x1000, user_code);
    for (unsigned n = 0; n < 100; n++) {
        cpu.place = user_code + 2 * n;
        if (n % 10 == 0)
            branch(LBR_JCC | LBR_FROM_USR | LBR_TO_USR, cpu.place,
                   cpu.place + 2);
        count(0, 1);
    }
    cpu.user = false;
    branch(LBR_FAR | LBR_FROM_USR, cpu.place, 0x1010);
}

/* The first is aborted by its interrupt. */
int tsx_inside(struct tsx_block *block)
{
    (void)block;
    if (cpu.pmis != 0)
        return TSX_COMMITTED;
    if (!odd.abort_unrecorded)
        branch(LBR_FAR | LBR_ABORT, cpu.place - 8, cpu.place);
    interrupt(0, true);
    return TSX_ABORTED;
}

static void before(uint32_t msr, const uint64_t *written)
{
    if (written == NULL)
        return;
    cpu.filtered |= msr == MSR_LBR_SELECT && (*written & ~UINT64_C(4)) != 0;
    if (msr >= IA32_A_PMC(0) && msr <= IA32_A_PMC(3))
        *reg(msr - IA32_A_PMC(0) + IA32_PMC(0)) = *written;
    if (msr == IA32_PERF_GLOBAL_STATUS_RESET) {
        cpu.waiting = (*written & FRZ) != 0 && (odd.waits || odd.stays);
        *reg(IA32_PERF_GLOBAL_STATUS) &= ~*written;
    }
    if (msr == IA32_PERF_GLOBAL_STATUS_SET && !odd.by_software_not)
        *reg(IA32_PERF_GLOBAL_STATUS) |= *written;
    if (msr != enabling())
        return;
    if (!cpu.on && (*written & 1) != 0 && !odd.stays)
        cpu.waiting = false;
    cpu.on = (*written & 1) != 0;
}

bool hw_pmi_begin(bool nmi)
{
    cpu.nmi = nmi;
    cpu.pmis = 0;
    return !odd.no_apic;
}

unsigned hw_pmi_count(void)
{
    return cpu.pmis;
}

unsigned hw_pmi_masked(void)
{
    return cpu.pmis;
}

uint64_t hw_pmi_rip(void)
{
    return cpu.rip;
}

static enum verdict verdict(unsigned format)
{
    generation(format);
    if (other_model != 0)
        lbr_device.model = other_model;
    lbr_device.before = before;
    lbr_device.plain = at_ring3;
    lbr_device.version = format < 5 ? 3 : format == 5 ? 4 : 5;
    memset(&cpu, 0, sizeof(cpu));
    return verdict_of(&test_lbr_freeze_on_pmi);
}

static void expect(unsigned format, enum verdict wanted, const char *line)
{
    const enum verdict found = verdict(format);

    if (found != wanted || strstr(all[0].text, line) == NULL)
        fail_msg("format %u: %d, wanted %d and \"%s\": %s", format, (int)found,
                 (int)wanted, line, all[0].text);
}

static void healthy(void **state)
{
    (void)state;
    odd = (struct odd){.never = false};
    for (unsigned format = 3; format <= 5; format++)
        expect(format, VERDICT_PASS, "");
    expect(ARCH, VERDICT_PASS, "");
    odd.no_apic = true;
    expect(5, VERDICT_SKIP, "local APIC");
}

#define EARLY 1u /* before version 4 */
#define LATE  2u
#define BOTH  3u

static void deviations(void **state)
{
    static const struct {
        unsigned versions;
        const char *line;
        struct odd odd;
    } rows[] = {
        {BOTH, "wanted none", {.never = true}},
        {BOTH, "FREEZE_LBRS_ON_PMI = 0: ", {.always = true}},
        {BOTH, "an overflow without INT: ", {.without_int = true}},
        {BOTH, "IA32_PMC1: ", {.by_1_not = true}},
        {BOTH, "a fixed counter: ", {.by_fixed_not = true}},
        {BOTH, "both FREEZE bits = 1, IA32_PMC1: ", {.beside_not = true}},
        {BOTH, "wanted it to stop before", {.beside_counts = true}},
        {LATE, "is 0 after it; wanted 1", {.unsaid = true}},
        {BOTH, "is 1 after it; wanted 0", {.said = true}},
        {LATE, "(1D9H)[0], LBR, is 0 after it; wanted 1", {.turns_off = true}},
        {EARLY, "(1D9H)[0], LBR, is 1 after it; wanted 0", {.stays_on = true}},
        {BOTH, "IA32_PMC1 (C2H) counted 48 of 96", {.counters_stop = true}},
        {BOTH, "IA32_PMC1 (C2H) counted 48 of 96", {.others_stop = true}},
        {BOTH, "IA32_PMC0 (C1H) counted 49 of 96", {.others_stop = true}},
        {BOTH, "FREEZE_LBRS_ON_PMI, as it was, 1", {.loses_bit = true}},
        {BOTH, "overflow of IA32_PMC0 (C1H): 0 performance", {.no_pmi = true}},
        {BOTH, "wanted none", {.pmi_always = true}},
        {BOTH, "wanted none after the overflow", {.late = true}},
        {BOTH, "the newest record is from", {.newest_is_pmi = true}},
        {LATE, "no branch was recorded until", {.waits = true}},
        {LATE, "records changed in 0 of 4", {.stays = true}},
        {LATE,
         "set through IA32_PERF_GLOBAL_STATUS_SET",
         {.by_software_not = true}},
        {BOTH, "no record is from there", {.pmi_unrecorded = true}},
        {BOTH, "none from the handler", {.return_unrecorded = true}},
        {BOTH, "a PMI, as NMI, came", {.nmi_unrecorded = true}},
        {BOTH, "at ring 3: ", {.by_ring3_not = true}},
        {LATE, "at ring 3: LBR_Frz", {.ring3_unsaid = true}},
        {BOTH, "and made no interrupt", {.ring3_no_pmi = true}},
        {LATE, "no record has TSX_ABORT", {.abort_unrecorded = true}},
        {BOTH, "follows that of the abort", {.pmi_unrecorded = true}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        odd = rows[i].odd;
        if ((rows[i].versions & EARLY) != 0)
            expect(4, VERDICT_FAIL, rows[i].line);
        if ((rows[i].versions & LATE) != 0)
            expect(5, VERDICT_FAIL, rows[i].line);
    }
}

/* BJ094 is Sandy Bridge's alone. */
static void newest_record(void **state)
{
    (void)state;
    odd = (struct odd){.newest_is_pmi = true};
    for (other_model = 0x2a; other_model <= 0x3a; other_model += 0x10)
        expect(3, other_model == 0x2a ? VERDICT_KNOWN : VERDICT_FAIL,
               "the newest record is from");
    other_model = 0;
}

/* The threads of a core of Nehalem share MSR_LBR_SELECT. */
static void shared_select(void **state)
{
    (void)state;
    odd = (struct odd){.never = false};
    expect(3, VERDICT_PASS, "");
    assert_true(cpu.filtered);
    other_model = 0x1a;
    expect(3, VERDICT_PASS, "");
    assert_false(cpu.filtered);
    other_model = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),
        cmocka_unit_test(deviations),
        cmocka_unit_test(newest_record),
        cmocka_unit_test(shared_select),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
