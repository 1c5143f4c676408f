/* SPDX-License-Identifier: BSD-2-Clause */
/* Reserved bits of the counters' control registers, one at a time: a driver
 * that sets one by mistake must get #GP, not a counter that does something
 * else; and a write that is refused changes nothing. What is not refused is
 * undone at once. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/smi_guard.h"

/* What a write changes: the register, or the status by its two commands. */
static uint32_t changed_by(uint32_t msr)
{
    return msr == IA32_PERF_GLOBAL_OVF_CTRL ||
                   msr == IA32_PERF_GLOBAL_STATUS_SET
               ? IA32_PERF_GLOBAL_STATUS
               : msr;
}

/* Does that hold what it held? Counter 3's select may be microcode's (white
 * paper 604224, section 1.2), and its bit of IA32_PERF_GLOBAL_CTRL. */
static bool holds(struct test_context *t, uint32_t msr, uint64_t want)
{
    uint64_t except =
        msr == IA32_PERF_GLOBAL_CTRL ? IA32_PERF_GLOBAL_CTRL_PMC(3) : 0;

    return msr == IA32_PERFEVTSEL(3) ||
           ((msr_value(t, changed_by(msr)) ^ want) & ~except) == 0;
}

/* Each bit of `reserved` alone, into a register that holds `found` or is a
 * command, with those of `flips` the other way round: they are not reserved. */
struct attempt {
    struct test_context *t;
    uint32_t msr;
    uint64_t found, flips, reserved;
    uint64_t held, accepted, changing;
};

/* A fault leaves the state as it was before the instruction; SMM, where
 * firmware uses counters itself, does not. */
static bool write_each(void *argument)
{
    struct attempt *a = argument;
    struct test_context *t = a->t;
    const uint32_t changed = changed_by(a->msr);

    if (a->found != 0 && !set_msr_again(t, a->msr, a->found))
        return false;
    a->held = changed == a->msr ? a->found : msr_value(t, changed);
    a->accepted = a->changing = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        if ((a->reserved >> bit & 1) == 0)
            continue;
        if (try_set_msr_again(t, a->msr, (a->found ^ a->flips) | BIT(bit)) !=
            HW_GP)
            a->accepted |= BIT(bit);
        else if (holds(t, a->msr, a->held))
            continue;
        else
            a->changing |= BIT(bit);
        set_msr_again(t, a->msr, a->found);
    }
    return true;
}

/* Adds to *tried. */
static void try_bits(struct test_context *t, uint32_t msr, uint64_t found,
                     uint64_t flips, uint64_t reserved, unsigned *tried)
{
    struct attempt a = {t, msr, found, flips, reserved, 0, 0, 0};
    char name[MSR_NAME_BYTES], changed[MSR_NAME_BYTES], bits[BITS_NAME_BYTES];

    /* Measured. */
    if (!smi_guard(t, write_each, &a, NULL))
        return;

    /* Check. */
    for (; reserved != 0; reserved &= reserved - 1)
        ++*tried;
    check(t, a.accepted == 0,
          "%s: reserved bits %s raised no #GP, each written alone; wanted #GP",
          msr_name(msr, name), bits_name(a.accepted, bits));
    check(t, a.changing == 0,
          "%s: a WRMSR with reserved bits %s, each alone, raised #GP, and %s "
          "was 0x%lx no more; wanted no change",
          msr_name(msr, name), bits_name(a.changing, bits),
          msr_name(changed_by(msr), changed), a.held);
}

/* IA32_PERFEVTSELx. IN_TX [32] and IN_TXCP [33] have a test of their own:
 * tsx_in_txcp_counter2. What later processors have, by what enumerates it:
 * SDM 2A, CPUID, leaves 1CH and 23H; which bits these are: Linux,
 * arch/x86/include/asm/perf_event.h. Of the one that trigger tracing has
 * (CPUID.14H.0:EBX[9]) no number is known here. */
static uint64_t reserved_of_selects(const struct identity *id)
{
    uint64_t reserved = BITS(63, 34);

    if ((id->perf_capabilities & IA32_PERF_CAPABILITIES_PEBS_BASELINE) != 0)
        reserved &= ~IA32_PERFEVTSEL_ADAPTIVE;
    if (id->select_counts_lbr)
        reserved &= ~BIT(35);
    if ((id->leaf23_ebx & LEAF23_EQ) != 0)
        reserved &= ~BIT(36);
    if ((id->leaf23_ebx & LEAF23_USER_RDPMC) != 0)
        reserved &= ~BIT(37);
    if ((id->leaf23_ebx & LEAF23_UMASK2) != 0)
        reserved &= ~BITS(47, 40);
    if ((id->leaf14_ebx & LEAF14_TRIGGER) != 0)
        reserved &= ~BITS(39, 37);
    return reserved;
}

/* IA32_FIXED_CTR_CTRL: a field of four bits for each counter, of which there
 * may be some after a hole. AnyThread is of version 3. Of four bits more for
 * each, [32] and on, adaptive PEBS has one and leaf 23H another. */
static uint64_t reserved_of_fixed(const struct identity *id)
{
    uint64_t reserved = 0;

    for (unsigned n = 0; n < 16; n++)
        if ((id->fixed_set >> n & 1) == 0 &&
            !(n == 3 && counters_told_in_part(id)) &&
            !(n < 3 && counters_fixed_untold(id)))
            reserved |= BITS(4 * n + 3, 4 * n);
    for (unsigned n = 0; n < 8; n++) {
        if ((id->perf_capabilities & IA32_PERF_CAPABILITIES_PEBS_BASELINE) != 0)
            reserved &= ~IA32_FIXED_CTR_CTRL_ADAPTIVE(n);
        if ((id->leaf23_ebx & LEAF23_USER_RDPMC) != 0)
            reserved &= ~BIT(33 + 4 * n);
    }
    if (id->perfmon_version < 3)
        for (unsigned n = 0; n < id->fixed_counters && n < 8; n++)
            reserved |= BIT(4 * n + 2);
    return reserved;
}

/* What no counter has, of IA32_PERF_GLOBAL_CTRL and of 390H and 391H: bits
 * below 32 and below the flags in the highest bits. Of bits 4 to 7 where a
 * sibling has the other four counters see counter_enumeration. */
static uint64_t reserved_of_places(const struct identity *id)
{
    const bool metrics =
        (id->perf_capabilities & IA32_PERF_CAPABILITIES_PERF_METRICS) != 0;

    return BITS(54, 8) & ~bank_places(id) &
           ~(metrics ? IA32_PERF_GLOBAL_CTRL_PERF_METRICS : 0) &
           ~(counters_fixed_untold(id) ? BITS(34, 32) : 0);
}

/* What a refused write has to leave, at random: enabled where 38FH is 0. By an
 * erratum the selects of counters 4 to 7 may be read wrongly. */
static uint64_t held_by_select(struct test_context *t, unsigned n)
{
    const uint64_t bits =
        BITS(31, 0) & ~(IA32_PERFEVTSEL_PC | IA32_PERFEVTSEL_ANY);

    return n >= 4 ? 0 : (test_random(t) & bits) | IA32_PERFEVTSEL_EN;
}

static uint64_t held_by_fixed(struct test_context *t)
{
    uint64_t bits = 0;

    for (unsigned n = 0; n < bank_fixed(test_cpu(t)); n++)
        bits |= IA32_FIXED_CTR_CTRL_OS(n) | IA32_FIXED_CTR_CTRL_USR(n) |
                IA32_FIXED_CTR_CTRL_PMI(n);
    return test_random(t) & bits;
}

/* IA32_DEBUGCTL: its figure has nothing in [5:2], and ends at [15]. */
static void try_debugctl(struct test_context *t, unsigned *tried)
{
    uint64_t found;

    if (test_cpu(t)->perfmon_version <= 4 && identity_is_native(test_cpu(t)) &&
        get_msr(t, IA32_DEBUGCTL, &found) && set_msr(t, IA32_DEBUGCTL, found))
        try_bits(t, IA32_DEBUGCTL, found, IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI,
                 BITS(5, 2) | BITS(63, 16), tried);
}

/* 390H, where the status is not 0; 391H. Version 4 has freezing and SGX in
 * [60:58]. */
static void try_commands(struct test_context *t, uint64_t reserved,
                         unsigned *tried)
{
    const uint64_t all = bank_places(test_cpu(t));
    const bool set = test_cpu(t)->perfmon_version >= 4;

    if (set &&
        !check(t,
               try_set_msr_again(t, IA32_PERF_GLOBAL_STATUS_SET, all) ==
                   HW_NO_FAULT,
               "IA32_PERF_GLOBAL_STATUS_SET (391H) faulted, written with "
               "0x%lx: the bits of counters that CPUID.0AH tells, of version "
               "%u",
               all, test_cpu(t)->perfmon_version))
        return;
    try_bits(t, IA32_PERF_GLOBAL_OVF_CTRL, 0, all,
             reserved | (set ? BITS(57, 56) : BITS(60, 56)), tried);
    counters_clear_status(t, all);
    if (set)
        try_bits(t, IA32_PERF_GLOBAL_STATUS_SET, 0, all,
                 reserved | BITS(57, 56), tried);
    counters_clear_status(t, all);
}

TEST(counter_reserved_bits,
     .asks = "Do reserved bits of the counters' control registers raise #GP?",
     .cite = "SDM 3B, \"Layout of IA32_PERFEVTSELx MSRs\", \"Layout of "
             "IA32_FIXED_CTR_CTRL MSR\", \"Layout of IA32_PERF_GLOBAL_CTRL "
             "MSR\", \"Layout of IA32_PERF_GLOBAL_OVF_CTRL MSR\"; SDM 2C, "
             "WRMSR; SDM 3A, \"Exception Classifications\"",
     .needs = {.features = NEED_INTEL | NEED_PMU})
{
    const struct identity *id = test_cpu(t);
    const uint64_t places = reserved_of_places(id);
    unsigned tried = 0;

    /* Later processors have given some of these bits a meaning. */
    if (!counters_all_known(id) && !counters_told_in_part(id)) {
        skip(t,
             "needs a processor whose reserved bits are known; %02X_%02XH is "
             "not among them",
             id->family, id->model);
        return;
    }
    if (!counters_claim(t))
        return;
    if (counters_all_known(id))
        try_bits(t, IA32_PERF_GLOBAL_CTRL,
                 bank_places(id) & ~IA32_PERF_GLOBAL_CTRL_PMC(3), BIT(0),
                 places | BITS(63, 55), &tried);
    if (!set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 0))
        return;
    for (unsigned n = 0; n < counters_available(id); n++)
        try_bits(t, IA32_PERFEVTSEL(n), held_by_select(t, n),
                 n < 4 ? BITS(15, 0) : 0, reserved_of_selects(id), &tried);
    try_bits(t, IA32_FIXED_CTR_CTRL, held_by_fixed(t),
             bank_fixed(id) != 0 ? IA32_FIXED_CTR_CTRL_OS(0) : 0,
             reserved_of_fixed(id), &tried);
    if (counters_all_known(id))
        try_commands(t, places, &tried);
    try_debugctl(t, &tried);
    note(t, "%u reserved bits tried", tried);
}
