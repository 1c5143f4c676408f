/* SPDX-License-Identifier: BSD-2-Clause */
/* IA32_PMC3 and IA32_A_PMC3 are two names of one register, of its own width. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"

#define SHOWN 3

/* What went wrong on one counter. Nothing counts while it is written: all
 * selects and GLOBAL_CTRL are 0. */
struct alias {
    struct test_context *t;
    unsigned counter, tried, wrong, shown;
};

/* Both names, where there are two, and RDPMC must read as `want` after one was
 * written. */
static void check_reads(struct alias *a, uint32_t written, uint64_t value,
                        uint64_t want)
{
    uint64_t pmc = msr_value(a->t, IA32_PMC(a->counter));
    uint64_t full = test_cpu(a->t)->full_width_writes
                        ? msr_value(a->t, IA32_A_PMC(a->counter))
                        : want;
    uint64_t rdpmc = ~want;
    int vector = hw_pmc_read(a->counter, &rdpmc);
    bool ok = pmc == want && full == want && rdpmc == want;

    a->tried++;
    a->wrong += !ok;
    if (!ok && a->shown++ < SHOWN)
        note(a->t,
             "MSR %XH written with 0x%lx: IA32_PMC%u (%XH) reads 0x%lx, "
             "IA32_A_PMC%u (%XH) reads 0x%lx, RDPMC 0x%lx (%s); "
             "wanted 0x%lx",
             written, value, a->counter, IA32_PMC(a->counter), pmc, a->counter,
             IA32_A_PMC(a->counter), full, rdpmc, fault_name(vector), want);
}

/* Every bit of the width, through the full-width name. */
static void write_full(struct alias *a, uint64_t mask)
{
    const uint64_t values[] = {0,
                               mask,
                               mask & UINT64_C(0x5555555555555555),
                               mask & UINT64_C(0xaaaaaaaaaaaaaaaa),
                               mask ^ mask >> 1,
                               mask & test_random(a->t)};
    uint32_t msr = IA32_A_PMC(a->counter);

    for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (set_msr_again(a->t, msr, values[i]))
            check_reads(a, msr, values[i], values[i]);
}

/* EAX[31:0], sign-extended to the width, through the old name. */
static void write_narrow(struct alias *a, uint64_t mask)
{
    /* EDX does not matter. */
    static const uint64_t values[] = {0,
                                      1,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0xdeadbeef,
                                      UINT64_C(0x123400000005),
                                      UINT64_C(0x80000001)};
    uint32_t msr = IA32_PMC(a->counter);

    for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (set_msr_again(a->t, msr, values[i]))
            check_reads(a, msr, values[i],
                        (uint64_t)(int64_t)(int32_t)(uint32_t)values[i] & mask);
}

/* Each bit above the width raises #GP, and nothing is written. */
static void write_beyond(struct alias *a, unsigned bits)
{
    uint32_t msr = IA32_A_PMC(a->counter);

    if (!set_msr_again(a->t, msr, 0x1234))
        return;
    for (unsigned bit = bits; bit < 64; bit++) {
        int vector = try_set_msr_again(a->t, msr, BIT(bit));
        a->tried++;
        a->wrong += vector != HW_GP;
        if (vector != HW_GP && a->shown++ < SHOWN)
            note(a->t,
                 "IA32_A_PMC%u (%XH) written with bit %u set, above its %u "
                 "bits: got %s, wanted #GP",
                 a->counter, msr, bit, bits, fault_name(vector));
    }
    check_reads(a, msr, 0x1234, 0x1234);
}

static struct alias try_counter(struct test_context *t, unsigned counter)
{
    const struct identity *id = test_cpu(t);
    uint64_t mask = BITS(id->counter_bits - 1, 0);
    struct alias a = {.t = t, .counter = counter};

    if (id->full_width_writes)
        write_full(&a, mask);
    write_narrow(&a, mask);
    if (id->full_width_writes)
        write_beyond(&a, id->counter_bits);
    return a;
}

TEST(counter3_full_width_alias,
     .asks =
         "Are IA32_PMC3 and IA32_A_PMC3 one register, written as documented?",
     .cite = "SDM 3B, \"Full-Width Writes to Performance Counter Registers\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 4})
{
    uint64_t value;

    if (!test_cpu(t)->full_width_writes) {
        int vector = try_get_msr(t, IA32_A_PMC(3), &value);
        check(t, vector == HW_GP || !identity_is_native(test_cpu(t)),
              "IA32_PERF_CAPABILITIES (345H)[13] = 0 and RDMSR of IA32_A_PMC3 "
              "(4C4H): got %s, wanted #GP",
              fault_name(vector));
    }
    bool promised = counter3_make_reliable(t);
    if (!counters_claim(t))
        return;
    struct alias third = try_counter(t, 3);

    for (unsigned n = 0; n < counters_available(test_cpu(t)); n++) {
        if (n == 3)
            continue;
        struct alias control = try_counter(t, n);
        check(t, control.wrong == 0,
              "IA32_PMC%u (%XH) and IA32_A_PMC%u (%XH): wrong answers to "
              "writes: %u of %u; wanted 0",
              n, IA32_PMC(n), n, IA32_A_PMC(n), control.wrong, control.tried);
    }
    counter3_report(t, promised,
                    "IA32_PMC3 (C4H) and IA32_A_PMC3 (4C4H): wrong "
                    "answers to writes",
                    third.wrong, third.tried);
}
