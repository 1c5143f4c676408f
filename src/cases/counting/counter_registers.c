/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters' control registers hold each bit that is written to them, and
 * none of them holds another's. Nothing counts meanwhile. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define LEAF0A_EDX_ANYTHREAD_GONE 15
#define REGISTERS                 (COUNTERS_MAX + 2)

/* A register and the bits of it that can be written. */
struct held {
    uint32_t msr;
    uint64_t writable;
    bool read_badly; /* an erratum is known */
};

static bool has_anythread(const struct identity *id)
{
    return id->perfmon_version >= 3 &&
           (id->leaf0a_edx >> LEAF0A_EDX_ANYTHREAD_GONE & 1) == 0;
}

static unsigned list_registers(const struct identity *id, uint64_t places,
                               struct held held[REGISTERS])
{
    const uint64_t any = has_anythread(id) ? 0 : IA32_PERFEVTSEL_ANY;
    uint64_t fixed = 0;
    unsigned count = 0;

    for (unsigned n = 0; n < counters_available(id); n++)
        if ((places >> n & 1) != 0)
            held[count++] =
                (struct held){IA32_PERFEVTSEL(n), BITS(31, 0) & ~any, n >= 4};
    for (unsigned n = 0; n < bank_fixed(id); n++)
        fixed |= BITS(4 * n + 3, 4 * n) & ~(any != 0 ? BIT(4 * n + 2) : 0);
    held[count++] = (struct held){IA32_FIXED_CTR_CTRL, fixed, false};
    held[count++] = (struct held){IA32_PERF_GLOBAL_CTRL, places, false};
    return count;
}

/* One bit set, and all but one. */
static void try_each_bit(struct test_context *t, const struct held *h)
{
    char name[MSR_NAME_BYTES], bits[BITS_NAME_BYTES];
    uint64_t lost = 0;

    for (unsigned bit = 0; bit < 64; bit++) {
        if ((h->writable >> bit & 1) == 0)
            continue;
        const uint64_t values[] = {BIT(bit), h->writable & ~BIT(bit)};
        for (unsigned i = 0; i < 2; i++) {
            if (!set_msr_again(t, h->msr, values[i]))
                return;
            lost |= msr_value(t, h->msr) ^ values[i];
        }
    }
    check_known(t, lost == 0, ERRATUM_EVTSEL4_TO_7_READ, h->read_badly,
                "%s does not hold what is written to it: bits %s read wrong; "
                "wanted every bit as written",
                msr_name(h->msr, name), bits_name(lost, bits));
    set_msr_again(t, h->msr, 0);
}

/* Another value in each: none shows in another. GLOBAL_CTRL is left 0. */
static void try_all(struct test_context *t, const struct held held[],
                    unsigned count)
{
    char name[MSR_NAME_BYTES];
    uint64_t value[REGISTERS];

    for (unsigned i = 0; i + 1 < count; i++) {
        value[i] = test_random(t) & held[i].writable;
        if (!set_msr_again(t, held[i].msr, value[i]))
            return;
    }
    for (unsigned i = 0; i + 1 < count; i++) {
        uint64_t got = msr_value(t, held[i].msr);
        check_known(t, got == value[i], ERRATUM_EVTSEL4_TO_7_READ,
                    held[i].read_badly,
                    "%s was written with 0x%lx, then the other registers with "
                    "other values: it reads 0x%lx",
                    msr_name(held[i].msr, name), value[i], got);
    }
    for (unsigned i = 0; i + 1 < count; i++)
        set_msr_again(t, held[i].msr, 0);
}

TEST(counter_registers,
     .asks = "Do the counters' control registers hold each bit written to "
             "them?",
     .cite = "SDM 3B, \"Layout of IA32_PERFEVTSELx MSRs Supporting "
             "Architectural Performance Monitoring Version 3\", "
             "\"IA32_FIXED_CTR_CTRL MSR Supporting Architectural Performance "
             "Monitoring Version 3\", \"Layout of Global Performance "
             "Monitoring Control MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    uint64_t places = bank_claim(t);
    struct held held[REGISTERS];

    if (places == 0)
        return;
    unsigned count = list_registers(test_cpu(t), places, held);

    for (unsigned i = 0; i < count; i++)
        try_each_bit(t, &held[i]);
    try_all(t, held, count);

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
