/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters' control registers hold each bit that is written to them, and
 * none of them holds another's, nor does a counter. Nothing counts meanwhile.
 * SMM may write them, where firmware uses counters itself: then it is done
 * again. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/smi_guard.h"
#include "src/counting/writes_beside.h"

#define REGISTERS (COUNTERS_MAX + 2)

/* A register and the bits of it that can be written. */
struct held {
    uint32_t msr;
    uint64_t writable;
    bool read_badly; /* an erratum is known */
};

/* What adaptive PEBS adds to a select, on processors known to have it. */
static uint64_t adaptive(const struct identity *id, uint64_t bit)
{
    return identity_known(id) && (id->perf_capabilities &
                                  IA32_PERF_CAPABILITIES_PEBS_BASELINE) != 0
               ? bit
               : 0;
}

/* And version 6, by CPUID.23H. */
static uint64_t enumerated(const struct identity *id)
{
    return !counters_all_known(id)
               ? 0
               : ((id->leaf23_ebx & LEAF23_EQ) != 0 ? IA32_PERFEVTSEL_EQ : 0) |
                     ((id->leaf23_ebx & LEAF23_UMASK2) != 0
                          ? IA32_PERFEVTSEL_UMASK2
                          : 0);
}

static unsigned list_registers(struct test_context *t, uint64_t places,
                               struct held held[REGISTERS])
{
    const struct identity *id = test_cpu(t);
    const uint64_t pc = counters_have_pc(t, places) ? 0 : IA32_PERFEVTSEL_PC;
    const uint64_t any = identity_known(id) && counters_enumerate_anythread(id)
                             ? 0
                             : IA32_PERFEVTSEL_ANY;
    const uint64_t select =
        adaptive(id, IA32_PERFEVTSEL_ADAPTIVE) | enumerated(id);
    uint64_t fixed = 0;
    unsigned count = 0;

    for (unsigned n = 0; n < counters_available(id); n++)
        if ((places >> n & 1) != 0)
            held[count++] =
                (struct held){IA32_PERFEVTSEL(n),
                              (BITS(31, 0) & ~any & ~pc) | select, n >= 4};
    for (unsigned n = 0; n < bank_fixed(id); n++)
        fixed |= (BITS(4 * n + 3, 4 * n) & ~(any != 0 ? BIT(4 * n + 2) : 0)) |
                 adaptive(id, IA32_FIXED_CTR_CTRL_ADAPTIVE(n));
    held[count++] = (struct held){IA32_FIXED_CTR_CTRL, fixed, false};
    held[count++] = (struct held){IA32_PERF_GLOBAL_CTRL, places, false};
    return count;
}

/* What is written, and what it reads as. */
struct writes {
    struct test_context *t;
    const struct held *held;
    unsigned count;
    uint64_t places;
    uint64_t lost; /* of one register: bits that read wrong */
    uint64_t value[REGISTERS], got[REGISTERS];
    uint64_t counter[PLACES_END], counter_got[PLACES_END];
    uint64_t before, after; /* the status */
    struct hw_cpuid leaf;   /* 0AH, before the counters were written */
};

/* One bit set, and all but one. */
static bool write_each_bit(void *argument)
{
    struct writes *w = argument;
    const struct held *h = w->held;

    w->lost = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        if ((h->writable >> bit & 1) == 0)
            continue;
        const uint64_t values[] = {BIT(bit), h->writable & ~BIT(bit)};
        for (unsigned i = 0; i < 2; i++) {
            if (!set_msr_again(w->t, h->msr, values[i]))
                return false;
            w->lost |= msr_value(w->t, h->msr) ^ values[i];
        }
    }
    return true;
}

static void try_each_bit(struct writes *w)
{
    char name[MSR_NAME_BYTES], bits[BITS_NAME_BYTES];
    const struct held *h = w->held;

    if (!smi_guard(w->t, write_each_bit, w, NULL))
        return;
    check_known(w->t, w->lost == 0, ERRATUM_EVTSEL4_TO_7_READ, h->read_badly,
                "%s does not hold what is written to it: bits %s read wrong; "
                "wanted every bit as written",
                msr_name(h->msr, name), bits_name(w->lost, bits));
    set_msr_again(w->t, h->msr, 0);
}

/* Another value in each: none shows in another. GLOBAL_CTRL is left 0. */
static bool write_all(void *argument)
{
    struct writes *w = argument;

    for (unsigned i = 0; i + 1 < w->count; i++) {
        w->value[i] = test_random(w->t) & w->held[i].writable;
        if (!set_msr_again(w->t, w->held[i].msr, w->value[i]))
            return false;
    }
    for (unsigned i = 0; i + 1 < w->count; i++)
        w->got[i] = msr_value(w->t, w->held[i].msr);
    return true;
}

static void try_all(struct writes *w)
{
    char name[MSR_NAME_BYTES];

    if (!smi_guard(w->t, write_all, w, NULL))
        return;
    for (unsigned i = 0; i + 1 < w->count; i++)
        check_known(w->t, w->got[i] == w->value[i], ERRATUM_EVTSEL4_TO_7_READ,
                    w->held[i].read_badly,
                    "%s was written with 0x%lx, then the other registers with "
                    "other values: it reads 0x%lx",
                    msr_name(w->held[i].msr, name), w->value[i], w->got[i]);
    for (unsigned i = 0; i + 1 < w->count; i++)
        set_msr_again(w->t, w->held[i].msr, 0);
}

/* With nothing enabled but in IA32_PERF_GLOBAL_CTRL: what the controls hold. */
static uint64_t control_of(const struct test_context *t, uint64_t places,
                           uint32_t msr)
{
    if (msr == IA32_PERF_GLOBAL_CTRL)
        return places;
    if (msr == IA32_FIXED_CTR_CTRL)
        return 0;
    return (0xc4u + 0x0100u * (msr & 7) + 0x10000u * (test_processor(t) & 1)) |
           IA32_PERFEVTSEL_OS;
}

static void check_controls(const struct writes *w, const char *after)
{
    char name[MSR_NAME_BYTES];

    for (unsigned i = 0; i < w->count; i++)
        check_known(w->t, w->got[i] == w->value[i], ERRATUM_EVTSEL4_TO_7_READ,
                    w->held[i].read_badly,
                    "%s is 0x%lx after %s, and was written with 0x%lx",
                    msr_name(w->held[i].msr, name), w->got[i], after,
                    w->value[i]);
}

/* Values through a counter's highest, and back: no overflow was counted. */
static void write_counters(struct test_context *t, uint64_t places,
                           uint64_t values[PLACES_END])
{
    const struct identity *id = test_cpu(t);

    for (unsigned p = 0; p < PLACES_END; p++) {
        if ((places >> p & 1) == 0)
            continue;
        const uint64_t top = bank_mask(id, p);
        values[p] = test_random(t) & BITS(30, 0);
        set_msr_again(t, bank_msr(p), top);
        set_msr_again(t, bank_msr(p), 0);
        if (p < PLACE_FIXED0 && id->full_width_writes) {
            set_msr_again(t, IA32_A_PMC(p), top);
            set_msr_again(t, IA32_A_PMC(p), values[p]);
        } else {
            set_msr_again(t, bank_msr(p), values[p]);
        }
    }
}

/* Both of its addresses read all of a counter. */
static void check_alias(struct test_context *t, unsigned p)
{
    const uint64_t want = bank_mask(test_cpu(t), p) / 3 + p;
    char name[MSR_NAME_BYTES];

    set_msr_again(t, IA32_A_PMC(p), want);
    uint64_t got = msr_value(t, bank_msr(p));
    uint64_t wide = msr_value(t, IA32_A_PMC(p));
    check(t, got == want && wide == want,
          "%s, written with 0x%lx through %XH, reads 0x%lx and through %XH "
          "0x%lx",
          msr_name(bank_msr(p), name), want, IA32_A_PMC(p), got, IA32_A_PMC(p),
          wide);
}

/* The counters written while the controls hold something, and the controls
 * while the counters do. */
static bool write_beside(void *argument)
{
    struct writes *w = argument;
    struct test_context *t = w->t;

    for (unsigned i = 0; i < w->count; i++) {
        w->value[i] = control_of(t, w->places, w->held[i].msr);
        if (!set_msr_again(t, w->held[i].msr, w->value[i]))
            return false;
    }
    w->before = msr_value(t, IA32_PERF_GLOBAL_STATUS);
    hw_cpuid(0x0a, 0, &w->leaf);
    write_counters(t, w->places, w->counter);
    for (unsigned i = 0; i < w->count; i++)
        w->got[i] = msr_value(t, w->held[i].msr);
    for (unsigned i = 0; i < w->count; i++)
        set_msr_again(t, w->held[i].msr, 0);
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((w->places >> p & 1) != 0)
            w->counter_got[p] = msr_value(t, bank_msr(p));
    w->after = msr_value(t, IA32_PERF_GLOBAL_STATUS);
    return true;
}

/* Neither changes the other, nor the status. */
static void try_counters_beside(struct writes *w)
{
    struct test_context *t = w->t;
    char name[MSR_NAME_BYTES];

    if (!smi_guard(t, write_beside, w, NULL))
        return;
    check(t, w->before == 0,
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx after all that was set was "
          "cleared through 390H, and nothing has counted; wanted 0",
          w->before);
    check(t, w->leaf.eax == test_cpu(t)->leaf0a_eax,
          "CPUID.0AH:EAX is 0x%x while IA32_PERF_GLOBAL_CTRL (38FH) is 0x%lx; "
          "wanted 0x%x, as at the start",
          w->leaf.eax, w->places, test_cpu(t)->leaf0a_eax);
    check_controls(w, "all counters were written");
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((w->places >> p & 1) != 0) {
            check(t, w->counter_got[p] == w->counter[p],
                  "%s is 0x%lx after all controls were written, and was "
                  "written with 0x%lx",
                  msr_name(bank_msr(p), name), w->counter_got[p],
                  w->counter[p]);
            if (p < PLACE_FIXED0 && test_cpu(t)->full_width_writes)
                check_alias(t, p);
        }
    check(t, w->after == w->before,
          "IA32_PERF_GLOBAL_STATUS (38EH) went from 0x%lx to 0x%lx by writes "
          "of counters and their controls; wanted no change",
          w->before, w->after);
}

static void try_other_name(struct test_context *t, uint32_t name, uint32_t msr,
                           uint64_t value)
{
    char text[MSR_NAME_BYTES];
    const int vector = try_set_msr(t, name, value);
    const uint64_t got = msr_value(t, msr);

    check(t, vector == HW_NO_FAULT && got == value && msr_value(t, name) == got,
          "%XH, another address of %s, was written with 0x%lx (%s), and the "
          "register reads 0x%lx; wanted that value, at both",
          name, msr_name(msr, text), value, fault_name(vector), got);
}

/* Of version 6. */
static void try_other_names(struct test_context *t, uint64_t places)
{
    for (unsigned p = 0; p < PLACES_END; p++) {
        const uint64_t value = bank_mask(test_cpu(t), p) / 5 + p;

        if ((places >> p & 1) == 0)
            continue;
        try_other_name(t,
                       p < PLACE_FIXED0 ? IA32_PMC_GP_CTR(p)
                                        : IA32_PMC_FX_CTR(p - PLACE_FIXED0),
                       bank_msr(p), value);
        if (p < PLACE_FIXED0)
            try_other_name(t, IA32_PMC_GP_CFG_A(p), IA32_PERFEVTSEL(p),
                           control_of(t, places, IA32_PERFEVTSEL(p)));
    }
}

/* "Freeze while SMM" is there where IA32_PERF_CAPABILITIES says so. Hypervisors
 * refuse their guests some of these bits. */
static void try_debugctl(struct test_context *t)
{
    const struct identity *id = test_cpu(t);
    unsigned refused = 0;
    const uint64_t bits = IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI |
                          IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI | IA32_DEBUGCTL_BTF |
                          (id->pdcm && (id->perf_capabilities >> 12 & 1) != 0
                               ? IA32_DEBUGCTL_FREEZE_WHILE_SMM_EN
                               : 0);
    uint64_t found;

    if (!get_msr(t, IA32_DEBUGCTL, &found))
        return;
    for (unsigned bit = 0; bit < 64; bit++) {
        if ((bits >> bit & 1) == 0)
            continue;
        const uint64_t want = (found & ~bits) | BIT(bit);
        int vector = try_set_msr(t, IA32_DEBUGCTL, want);
        uint64_t got = msr_value(t, IA32_DEBUGCTL);
        const bool held = vector == HW_NO_FAULT && got == want;
        refused += !held;
        check(t, held || !identity_is_native(id),
              "IA32_DEBUGCTL (1D9H) written with 0x%lx, to set [%u]: %s, reads "
              "0x%lx; wanted no fault, and what was written",
              want, bit, fault_name(vector), got);
    }
    if (!identity_is_native(id))
        note(t, "IA32_DEBUGCTL (1D9H): %u bits refused by the hypervisor",
             refused);
    set_msr(t, IA32_DEBUGCTL, found);
}

TEST(counter_registers,
     .asks = "Do the counters' control registers hold each bit written to "
             "them?",
     .cite = "SDM 3B, \"Layout of IA32_PERFEVTSELx MSRs Supporting "
             "Architectural Performance Monitoring Version 3\", "
             "\"IA32_FIXED_CTR_CTRL MSR Supporting Architectural Performance "
             "Monitoring Version 3\", \"Layout of Global Performance "
             "Monitoring Control MSR\", \"Layout of IA32_DEBUGCTL MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    uint64_t places = bank_claim(t);
    struct held held[REGISTERS];

    if (places == 0)
        return;
    struct writes w = {.t = t, .held = held, .places = places};
    w.count = list_registers(t, places, held);

    for (unsigned i = 0; i < w.count; i++) {
        w.held = &held[i];
        try_each_bit(&w);
    }
    w.held = held;
    try_all(&w);
    try_counters_beside(&w);
    writes_beside_try(t, places);
    if (test_cpu(t)->perfmon_version >= 6 && counters_all_known(test_cpu(t)))
        try_other_names(t, places);
    try_debugctl(t);

    /* Writing what it holds: no change, even where it is not refused. */
    const uint32_t read_only[] = {IA32_PERF_GLOBAL_STATUS,
                                  IA32_PERF_CAPABILITIES};
    for (unsigned i = 0; i < (test_cpu(t)->pdcm ? 2 : 1); i++) {
        char name[MSR_NAME_BYTES];
        int vector = try_rewrite_msr(t, read_only[i]);
        check(t, vector == HW_GP,
              "WRMSR to %s, which is read-only: got %s, wanted #GP",
              msr_name(read_only[i], name), fault_name(vector));
    }
}
