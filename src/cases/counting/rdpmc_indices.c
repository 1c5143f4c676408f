/* SPDX-License-Identifier: BSD-2-Clause */
/* RDPMC reads each counter, general-purpose or fixed, as RDMSR does, at ring 0
 * whatever CR4.PCE is, and raises #GP for counters that are not there. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define BRANCHES   0xc4
#define RDPMC_FAST BIT(31)

/* Each reads another value. */
static void check_each(struct test_context *t, uint64_t places,
                       const char *when)
{
    char name[MSR_NAME_BYTES];

    for (unsigned p = 0; p < PLACES_END; p++) {
        if ((places >> p & 1) == 0)
            continue;
        uint32_t index =
            p < PLACE_FIXED0 ? p : RDPMC_FIXED | (p - PLACE_FIXED0);
        uint64_t want = msr_value(t, bank_msr(p)), got = ~want;
        int vector = hw_pmc_read(index, &got);
        check(t, vector == HW_NO_FAULT && got == want,
              "RDPMC with ECX = %XH, %s: got 0x%lx (%s); wanted 0x%lx, as "
              "RDMSR of %s",
              index, when, got, fault_name(vector), want,
              msr_name(bank_msr(p), name));
    }
}

static void check_gp(struct test_context *t, uint32_t index, const char *why)
{
    uint64_t value;
    int vector = hw_pmc_read(index, &value);

    check(t, vector == HW_GP, "RDPMC with ECX = %XH, %s: got %s, wanted #GP",
          index, why, fault_name(vector));
}

/* Beyond the last. Metrics have an index of their own: perf_metrics. */
static void check_beyond(struct test_context *t)
{
    const struct identity *id = test_cpu(t);

    if (!counters_all_known(id))
        return;
    /* Xeon 7400: 0 to 9, of which 0 and 1 are general-purpose. */
    const bool special = id->family == 6 && id->model == 0x1d;
    for (uint32_t n = special ? 10 : id->counters; n < 16; n++)
        check_gp(t, n, "a counter that is not there");
    for (unsigned bit = 4; bit < 30; bit++)
        if (BIT(bit) != RDPMC_METRICS ||
            (id->perf_capabilities & IA32_PERF_CAPABILITIES_PERF_METRICS) == 0)
            check_gp(t, (uint32_t)BIT(bit), "a counter that is not there");
    for (unsigned n = counters_fixed_untold(id) ? 3 : bank_fixed(id); n < 8;
         n++)
        check_gp(t, RDPMC_FIXED | n, "a fixed counter that is not there");
}

/* As a handler of the interrupt reads them: the bit of 38EH is still 1. */
static bool check_overflowed(struct test_context *t, uint64_t places)
{
    struct bank before = bank_of(places, BRANCHES), after;

    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) != 0)
            *bank_value(&before, p) = bank_mask(test_cpu(t), p);
    if (!bank_window(t, &before, window_long, &after))
        return false;
    check_each(t, places, "its counter having overflowed");
    return true;
}

TEST(rdpmc_indices,
     .asks = "Does RDPMC read every counter as RDMSR does, and no other?",
     .cite = "SDM 2B, RDPMC, \"Valid General and Special Purpose Performance "
             "Counter Index Range for RDPMC\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const uint64_t cr4 = hw_cr4();
    uint64_t places = bank_claim(t), value;

    if (places == 0)
        return;
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) != 0 &&
            !set_msr_again(t, bank_msr(p), 0x12345600 + p))
            return;
    for (unsigned pce = 0; pce < 2; pce++) {
        hw_set_cr4(pce != 0 ? cr4 | HW_CR4_PCE : cr4 & ~HW_CR4_PCE);
        check_each(t, places, pce != 0 ? "CR4.PCE = 1" : "CR4.PCE = 0");
        hw_set_cr4(cr4);
    }
    if (!check_overflowed(t, places))
        return;
    check_beyond(t);
    /* The manual has the fast form for other processors. */
    observe(t, "RDPMC takes ECX[31], the fast form, here",
            hw_pmc_read((uint32_t)RDPMC_FAST, &value) == HW_NO_FAULT, 1);
}
