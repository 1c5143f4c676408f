/* SPDX-License-Identifier: BSD-2-Clause */
/* RDPMC at ring 3 raises #GP while CR4.PCE is 0, and reads each counter where
 * it is 1, and no other. It takes ECX, not RCX, and clears the upper halves of
 * RAX and RDX. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/ring3.h"

#define WIDE       UINT64_C(0x92345600)
#define WIDE_FIXED UINT64_C(0x123492345600) /* all of it can be written */
#define SLOTS      3 /* IA32_FIXED_CTR3, which the metrics are of */

static void try_each(struct ring3_session *s, uint64_t places, bool pce)
{
    struct test_context *t = s->t;
    char name[MSR_NAME_BYTES];

    for (unsigned p = 0; p < PLACES_END; p++) {
        if ((places >> p & 1) == 0)
            continue;
        uint32_t index =
            p < PLACE_FIXED0 ? p : RDPMC_FIXED | (p - PLACE_FIXED0);
        uint64_t want = msr_value(t, bank_msr(p));

        /* Measured. */
        ring3_begin(s);
        uint64_t got = ring3_rdpmc(s->ring3, index);
        ring3_end(s);

        /* Check. */
        int vector = (int)s->ring3->vector;
        check(t, pce ? vector == HW_NO_FAULT && got == want : vector == HW_GP,
              "RDPMC of %s at ring 3 with CR4.PCE = %d: 0x%lx (%s); wanted "
              "%s",
              msr_name(bank_msr(p), name), pce, got, fault_name(vector),
              pce ? "what RDMSR reads" : "#GP");
    }
}

/* CR4.PCE is heeded whatever ECX is. */
static void try_metrics(struct ring3_session *s, bool pce)
{
    const struct identity *id = test_cpu(s->t);

    if ((id->perf_capabilities & IA32_PERF_CAPABILITIES_PERF_METRICS) == 0 ||
        (id->fixed_set >> SLOTS & 1) == 0)
        return;

    /* Measured. */
    ring3_begin(s);
    ring3_rdpmc(s->ring3, RDPMC_METRICS);
    ring3_end(s);

    /* Check. */
    int vector = (int)s->ring3->vector;
    check(s->t, vector == (pce ? HW_NO_FAULT : HW_GP),
          "RDPMC with ECX = %XH, of MSR_PERF_METRICS (329H), at ring 3 with "
          "CR4.PCE = %d: got %s, wanted %s",
          RDPMC_METRICS, pce, fault_name(vector), pce ? "no exception" : "#GP");
}

/* The first of each kind that is not there; rdpmc_indices has them all, and
 * why not of later versions. */
static void try_beyond(struct ring3_session *s)
{
    const struct identity *id = test_cpu(s->t);
    const uint32_t beyond[] = {id->counters, RDPMC_FIXED | bank_fixed(id)};

    if (id->perfmon_version < 3 || !counters_all_known(id))
        return;
    for (unsigned i = 0; i < 2; i++) {
        ring3_begin(s);
        ring3_rdpmc(s->ring3, beyond[i]);
        ring3_end(s);
        check(s->t, s->ring3->vector == HW_GP,
              "RDPMC at ring 3 with CR4.PCE = 1 and ECX = %XH, a counter that "
              "is not there: got %s, wanted #GP",
              beyond[i], fault_name((int)s->ring3->vector));
    }
}

TEST(rdpmc_ring3,
     .asks = "Does RDPMC at ring 3 depend on CR4.PCE, and then read every "
             "counter?",
     .cite = "SDM 2B, RDPMC; SDM 3A, \"Control Registers\": CR4.PCE",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const uint64_t cr4 = hw_cr4();
    uint64_t places = bank_claim(t);
    struct ring3_session s;

    if (places == 0 || !ring3_prepare(&s, t))
        return;
    /* Sign-extended where a write is of 32 bits. */
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) != 0 &&
            !set_msr_again(t, bank_msr(p),
                           p < PLACE_FIXED0
                               ? WIDE + p
                               : (WIDE_FIXED + p) & bank_mask(test_cpu(t), p)))
            return;
    for (unsigned pce = 0; pce < 2; pce++) {
        hw_set_cr4(pce != 0 ? cr4 | HW_CR4_PCE : cr4 & ~HW_CR4_PCE);
        try_each(&s, places, pce != 0);
        try_metrics(&s, pce != 0);
        if (pce != 0)
            try_beyond(&s);
        hw_set_cr4(cr4);
    }
}
