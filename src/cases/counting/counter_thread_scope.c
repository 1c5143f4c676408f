/* SPDX-License-Identifier: BSD-2-Clause */
/* Each logical processor has counters and controls of its own: what one writes,
 * counts and overflows shows on no other, be it of the same core. */
#include "src/harness/case.h"
#include "src/base/hw.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/halted.h"
#include "src/counting/smi_guard.h"
#include "src/tsx/pair.h"

#define BRANCHES 0xc4
#define OTHERS   8 /* processors that look on, but for the sibling, at most */

#define OVERFLOWS 8
#define LISTENING 200 /* turns of a loop */

/* All of the boot processor's counters; MSR_SMI_COUNT of each processor, before
 * it wrote its own. */
struct owned {
    uint64_t places;
    uint64_t smis[OTHERS + 1];
};

/* Of these counters those that this one has: there are hybrid processors. */
static uint64_t own_places(const struct test_context *t, const void *owned)
{
    return ((const struct owned *)owned)->places & bank_places(test_cpu(t));
}

static uint64_t *smis_of(const struct test_context *t, void *owned)
{
    const unsigned p = test_processor(t);

    return &((struct owned *)owned)->smis[p < OTHERS ? p : OTHERS];
}

/* Firmware that uses counters itself may write them anew in SMM: what they hold
 * then is not another processor's doing. */
static bool disturbed(struct test_context *t, void *owned)
{
    return smi_count(t) != *smis_of(t, owned);
}

/* Every register holds something that says whose it is. Nothing counts:
 * counter 0 lacks its own enable, all others lack theirs in 38FH, where nothing
 * stays enabled after a job if jobs only follow one another. */
static struct bank bank_for(const struct test_context *t, uint64_t places)
{
    const unsigned p = test_processor(t);
    struct bank bank = bank_of(places, BRANCHES);

    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0) {
            bank.select[n] |= (uint64_t)p % 255 << 24; /* CMASK */
            bank.pmc[n] = 0x10000 * (p + 1u) + n;
        }
    bank.select[0] &= ~IA32_PERFEVTSEL_EN;
    for (unsigned n = 0; n < BANK_FIXED; n++)
        bank.fixed[n] = 0x20000 * (p + 1u) + n;
    bank.fixed_ctrl &= p % 2 == 0 ? UINT64_C(0x3333) : UINT64_C(0x2222);
    bank.ctrl = p % 2 == 0 && hw_run_is_parallel() ? BIT(0) : 0;
    return bank;
}

/* Of IA32_DEBUGCTL a bit that no SMI changes. */
static uint64_t debugctl_for(const struct test_context *t, uint64_t found)
{
    return test_processor(t) % 2 == 0
               ? found | IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI
               : found & ~IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI;
}

static void write_own(struct test_context *peer, void *argument)
{
    const uint64_t places = own_places(peer, argument);
    struct bank bank = bank_for(peer, places);

    *smis_of(peer, argument) = smi_count(peer);
    set_msr_again(peer, IA32_PERF_GLOBAL_CTRL, 0);
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0) {
            set_msr_again(peer, bank_msr(n), bank.pmc[n]);
            set_msr_again(peer, IA32_PERFEVTSEL(n), bank.select[n]);
        }
    for (unsigned n = 0; n < bank_fixed(test_cpu(peer)); n++)
        set_msr_again(peer, IA32_FIXED_CTR(n), bank.fixed[n]);
    set_msr_again(peer, IA32_FIXED_CTR_CTRL, bank.fixed_ctrl);
    set_msr_again(peer, IA32_PERF_GLOBAL_CTRL, bank.ctrl);
    uint64_t debugctl;
    if (counters_can_freeze(peer) && get_msr(peer, IA32_DEBUGCTL, &debugctl))
        set_msr(peer, IA32_DEBUGCTL, debugctl_for(peer, debugctl));
}

/* Nothing is in use here yet; on the boot processor everything is. */
static void claim_and_write(struct test_context *peer, void *argument)
{
    if (bank_claim(peer) == 0)
        return;
    if (test_cpu(peer)->perfmon_version >= 4) {
        uint64_t in_use = msr_value(peer, IA32_PERF_GLOBAL_INUSE);
        check(peer, (in_use & own_places(peer, argument)) == 0,
              "IA32_PERF_GLOBAL_INUSE (392H) is 0x%lx with no event selected "
              "here, but on another processor; wanted 0",
              in_use);
    }
    write_own(peer, argument);
}

static void look(struct test_context *peer, uint32_t msr, uint64_t want)
{
    char name[MSR_NAME_BYTES];
    uint64_t got = msr_value(peer, msr);

    check(peer, got == want,
          "%s was written with 0x%lx here, and reads 0x%lx after another "
          "processor wrote and used its own",
          msr_name(msr, name), want, got);
}

static void judge_own(struct test_context *peer, uint64_t places)
{
    const struct identity *id = test_cpu(peer);
    struct bank bank = bank_for(peer, places);

    for (unsigned n = 0; n < counters_available(id); n++)
        if ((places >> n & 1) != 0) {
            look(peer, bank_msr(n), bank.pmc[n]);
            look(peer, IA32_PERFEVTSEL(n), bank.select[n]);
        }
    for (unsigned n = 0; n < bank_fixed(id); n++)
        look(peer, IA32_FIXED_CTR(n), bank.fixed[n]);
    look(peer, IA32_FIXED_CTR_CTRL, bank.fixed_ctrl);
    look(peer, IA32_PERF_GLOBAL_CTRL, bank.ctrl);
    uint64_t debugctl;
    if (counters_can_freeze(peer) && get_msr(peer, IA32_DEBUGCTL, &debugctl))
        look(peer, IA32_DEBUGCTL, debugctl_for(peer, debugctl));
    uint64_t status = msr_value(peer, IA32_PERF_GLOBAL_STATUS) & places;
    check(peer, status == 0,
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx here while another "
          "processor's shows that its counters overflowed; wanted none of its "
          "bits",
          status);
}

static void look_at_own(struct test_context *peer, void *argument)
{
    const uint64_t places = own_places(peer, argument);

    if (test_refused(peer) != 0)
        return; /* nothing is known of what was not written */
    if (disturbed(peer, argument))
        write_own(peer, argument);
    else
        judge_own(peer, places);
    /* It clears its own, which is 0, and not the other's. */
    counters_clear_status(peer, places);
}

/* All of this processor's counters count and overflow, and its status says so
 * until clear_own(). */
static void use_own(struct test_context *peer, void *argument)
{
    const struct identity *id = test_cpu(peer);
    const uint64_t places = own_places(peer, argument);
    struct bank after, before = bank_of(places, BRANCHES);

    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) != 0)
            *bank_value(&before, p) = bank_mask(id, p);
    if (!bank_window(peer, &before, window_long, &after))
        return;
    check(peer, (after.status & places) == places,
          "all counters overflowed: IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx; "
          "wanted 0x%lx",
          after.status & places, places);
    if (id->perfmon_version >= 4)
        set_msr(peer, IA32_PERF_GLOBAL_STATUS_SET, places);
    write_own(peer, argument);
}

static void clear_own(struct test_context *peer, void *argument)
{
    const uint64_t places = own_places(peer, argument);
    uint64_t status = msr_value(peer, IA32_PERF_GLOBAL_STATUS) & places;

    if (test_refused(peer) != 0)
        return;
    check(peer, status == places || disturbed(peer, argument),
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx here after other processors "
          "wrote 390H with 0x%lx; wanted 0x%lx, the overflows of this one",
          status, places, places);
    counters_clear_status(peer, places);
}

/* Counter 0 lacks its own enable: write_own(). */
#define SILENT_CTRL BIT(0)

static void silence(struct test_context *peer, void *argument)
{
    (void)argument;
    set_msr_again(peer, IA32_PERF_GLOBAL_CTRL, SILENT_CTRL);
}

/* The other processor's part: interrupts that come to it, while its counters
 * stand still, and what freezes there. */
struct listener {
    struct pair pair;
    uint64_t places, smis; /* MSR_SMI_COUNT, before it was silenced */
    volatile unsigned heard;
    volatile uint64_t status, ctrl; /* of 38EH, [59:58] alone; 38FH */
};

static void note_freeze(struct test_context *peer, struct listener *l)
{
    if (test_cpu(peer)->perfmon_version >= 4)
        l->status |=
            msr_value(peer, IA32_PERF_GLOBAL_STATUS) &
            (IA32_PERF_GLOBAL_STATUS_CTR_FRZ | IA32_PERF_GLOBAL_STATUS_LBR_FRZ);
    l->ctrl &= msr_value(peer, IA32_PERF_GLOBAL_CTRL);
}

static void listen(struct test_context *peer, void *argument)
{
    struct listener *l = argument;

    if (!hw_pmi_begin(false))
        return;
    for (volatile unsigned i = 0; i < LISTENING; i++)
        ;
    l->heard += hw_pmi_count();
    hw_pmi_end();
    note_freeze(peer, l);
}

static void judge_listener(struct test_context *t, const struct listener *l)
{
    check(t, l->heard == 0,
          "processor %u, none of whose counters counts, had %u "
          "performance-monitoring interrupts while counters of this one "
          "overflowed in %u windows; wanted none",
          l->pair.other, l->heard, OVERFLOWS);
    check(t,
          (l->status == 0 && l->ctrl == SILENT_CTRL) || smi_count(t) != l->smis,
          "interrupts of this processor froze its counters and branch records, "
          "and on processor %u IA32_PERF_GLOBAL_STATUS (38EH)[59:58] is %lu, "
          "IA32_PERF_GLOBAL_CTRL (38FH) 0x%lx; wanted 0, and 0x%lx as it was "
          "written there",
          l->pair.other, l->status >> 58, l->ctrl, SILENT_CTRL);
}

static void overflow_beside(struct test_context *t, void *argument)
{
    struct listener *l = argument;
    struct bank after, before = bank_of(l->places, BRANCHES);
    unsigned came = 0;
    uint64_t debugctl;

    if (!counters_can_freeze(t) || !get_msr(t, IA32_DEBUGCTL, &debugctl) ||
        !set_msr(t, IA32_DEBUGCTL,
                 debugctl | IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI |
                     IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI))
        return;
    before.pmi = BANK_PMI;
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if (before.select[n] != 0) {
            before.select[n] |= IA32_PERFEVTSEL_INT;
            before.pmc[n] = bank_mask(test_cpu(t), n);
        }
    for (unsigned i = 0; i < OVERFLOWS; i++) {
        if (!bank_window(t, &before, window_long, &after) ||
            !pair_wait(t, &l->pair))
            return;
        came += after.interrupts != 0;
    }
    check(t, came == OVERFLOWS,
          "overflows in %u windows interrupted this processor in %u of them",
          OVERFLOWS, came);
    judge_listener(t, l);
    set_msr(t, IA32_DEBUGCTL, debugctl);
}

static bool looks_on(unsigned p, unsigned other)
{
    return p < OTHERS || p == other;
}

static bool use_beside(struct test_context *t, unsigned user, unsigned other,
                       struct owned *owned)
{
    if (!on_processor(t, user, use_own, owned))
        return false;
    for (unsigned p = 0; p < hw_processors(); p++)
        if (p != user && looks_on(p, other) &&
            !on_processor(t, p, look_at_own, owned))
            return false;
    return on_processor(t, user, clear_own, owned);
}

TEST(counter_thread_scope,
     .asks = "Does each logical processor have counters and controls of its "
             "own?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 1\": "
             "configuration facilities and counters are not shared between "
             "logical processors sharing a processor core",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_TWO_PROCESSORS,
               .counters = 2})
{
    struct owned owned = {.places = bank_claim(t)};
    unsigned count = hw_processors();
    /* The thread that it shares a core with, where there is one. */
    const unsigned other = test_sibling(t) != 0 ? test_sibling(t) : 1;

    if (owned.places == 0)
        return;
    write_own(t, &owned);
    for (unsigned p = 1; p < count; p++)
        if (looks_on(p, other) && !on_processor(t, p, claim_and_write, &owned))
            return;
    for (unsigned user = 0; user < count; user++)
        if (looks_on(user, other) && !use_beside(t, user, other, &owned))
            return;
    struct listener *l = test_buffer(t);
    l->smis = smi_count(t);
    if (!hw_run_is_parallel() || !on_processor(t, other, silence, NULL))
        return;
    l->places = owned.places;
    l->heard = 0;
    l->status = 0;
    l->ctrl = SILENT_CTRL;
    if (pair_run_beside(t, &l->pair, other, overflow_beside, listen, l))
        halted_try(t, other, owned.places);
}
