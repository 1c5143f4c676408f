/* SPDX-License-Identifier: BSD-2-Clause */
/* Each bit of each MSR of the trace: those that CPUID enumerates can be written
 * and read back, those without a meaning raise #GP. TraceEn stays 0. */
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/trace/registers.h"
#include "src/trace/trace.h"

#define SHOWN    3
#define TOGETHER 24 /* values of IA32_RTIT_CTL with many bits */

struct tried {
    unsigned values, wrong;
};

/* A value that is written has to be there, and the rest 0 (or 1 where ignored
 * bits are 1). */
static bool reads_as(struct test_context *t, uint32_t msr, uint64_t want,
                     uint64_t ignored, uint64_t *got)
{
    return get_msr(t, msr, got) && ((*got ^ want) & ~ignored) == 0;
}

/* Writes the value to a register that is 0 but for ignored bits, and 0 after
 * it. One that it is to refuse must leave there what it holds. */
static void try_value(struct test_context *t, struct tried *y, uint32_t msr,
                      uint64_t value, bool takes, uint64_t ignored,
                      uint64_t held)
{
    const uint64_t want = takes ? value : held;
    char name[MSR_NAME_BYTES], bits[BITS_CHANGE_BYTES];
    uint64_t got = 0;
    int first = takes ? HW_NO_FAULT : try_set_msr_again(t, msr, held);
    /* Of bits that are ignored what they are; of others what is written. */
    const uint64_t found = (value & ignored) != 0 ? msr_value(t, msr) : 0;
    int vector = try_set_msr_again(t, msr, value);
    bool right = reads_as(t, msr, want, ignored, &got) &&
                 vector == (takes ? HW_NO_FAULT : HW_GP) &&
                 first == HW_NO_FAULT &&
                 ((value & ignored) == 0 || ((got ^ found) & ignored) == 0);

    if (vector == HW_NO_FAULT || !takes)
        set_msr_again(t, msr, 0);
    y->values++;
    if (!right && y->wrong++ < SHOWN)
        note(t, "%s: WRMSR of 0x%lx: got %s, then 0x%lx; wanted %s, 0x%lx: %s",
             msr_name(msr, name), value, fault_name(vector), got,
             takes ? "no fault, and that value" : "#GP, and no change", want,
             bits_change(want & ~ignored, got & ~ignored, bits));
}

static void check_absent(struct test_context *t, uint32_t msr)
{
    char name[MSR_NAME_BYTES];
    uint64_t value;
    int vector = try_get_msr(t, msr, &value);

    check(t, vector == HW_GP,
          "%s, which CPUID leaf 14H does not enumerate: RDMSR: got %s, wanted "
          "#GP",
          msr_name(msr, name), fault_name(vector));
}

/* A linear address has to be canonical: the bits from its highest on alike. */
static void try_canonical(struct test_context *t, struct tried *y, uint32_t msr)
{
    const unsigned high = registers_linear_bits(test_cpu(t)) - 1;
    const struct {
        uint64_t value;
        bool takes;
    } rows[] = {
        {BITS(63, high), true}, {BITS(high - 1, 0), true},
        {BITS(63, 0), true},    {BITS(63, high + 1), false},
        {BIT(63), false},       {BITS(63, 57) | BITS(46, 0), false},
        {BIT(62), false},       {BITS(62, high), false},
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        try_value(t, y, msr, rows[i].value, rows[i].takes, 0,
                  BITS(high - 1, 0));
}

static void try_bits(struct test_context *t, struct tried *y,
                     const struct register_rule *rule)
{
    const uint64_t takes = rule->writable | rule->ignored;
    /* Of a linear address the bits of a lower half. */
    const uint64_t held =
        rule->writable & (rule->canonical ? BITS(46, 0) : BITS(63, 0));

    for (unsigned bit = 0; bit < 64; bit++)
        if ((rule->open & BIT(bit)) == 0 &&
            (!rule->canonical || (rule->writable & BIT(bit)) != 0))
            try_value(t, y, rule->msr, BIT(bit), (takes & BIT(bit)) != 0,
                      rule->ignored, held);
    if (rule->canonical)
        try_canonical(t, y, rule->msr);
}

/* 0 is a value of each. */
static bool clear(struct test_context *t, uint32_t msr)
{
    char name[MSR_NAME_BYTES];
    int vector = try_set_msr(t, msr, 0);

    return check(t, vector == HW_NO_FAULT,
                 "%s, which CPUID leaf 14H enumerates: RDMSR, or WRMSR of 0: "
                 "got %s, wanted no fault",
                 msr_name(msr, name), fault_name(vector));
}

/* Every bit alone, and every encoding of every field. */
static void try_control(struct test_context *t, struct tried *y)
{
    static const uint8_t fields[] = {14, 19, 24, 32, 36, 40, 44};
    const struct identity *id = test_cpu(t);

    for (unsigned i = 1; i < 64 + sizeof(fields) * 16; i++) {
        uint64_t value =
            i < 64 ? BIT(i) : (uint64_t)(i % 16) << fields[(i - 64) / 16];
        enum register_answer answer = registers_control(id, value);
        if (answer != REGISTER_OPEN)
            try_value(t, y, IA32_RTIT_CTL, value, answer == REGISTER_TAKES, 0,
                      IA32_RTIT_CTL_OS);
    }
}

/* Many bits at once, of those that may be; single range or ToPA, for TraceEn
 * stays 0. */
static void try_together(struct test_context *t, struct tried *y)
{
    const struct identity *id = test_cpu(t);
    uint64_t all = 0;

    for (unsigned bit = 1; bit < 64; bit++)
        if (registers_control(id, all | BIT(bit)) == REGISTER_TAKES)
            all |= BIT(bit);
    for (unsigned i = 0; i < TOGETHER; i++) {
        const uint64_t value =
            i == 0 ? all : all & test_random(t) & ~UINT64_C(1);

        if (registers_control(id, value) == REGISTER_TAKES)
            try_value(t, y, IA32_RTIT_CTL, value, true, 0, 0);
    }
}

/* Each register holds its own value while the others hold theirs: written from
 * the first to the last, then the other bits from the last to the first. */
static void check_apart(struct test_context *t,
                        const bool held[REGISTERS_COUNT])
{
    struct register_rule rule;
    char name[MSR_NAME_BYTES];
    uint64_t got;

    for (unsigned pass = 0; pass < 4; pass++)
        for (unsigned n = 0; n < REGISTERS_COUNT; n++) {
            const unsigned i = pass < 2 ? n : REGISTERS_COUNT - 1 - n;
            const uint64_t bits = UINT64_C(0x0102030405060708) * (i + 1);
            rule = registers_rule(test_cpu(t), i);
            uint64_t value = rule.writable & (pass < 2 ? bits : ~bits);
            if (!held[i])
                continue;
            if (pass % 2 == 0)
                try_set_msr_again(t, rule.msr, value);
            else if (!reads_as(t, rule.msr, value, rule.ignored, &got))
                check_msr_is(t, rule.msr, got & ~rule.ignored, value,
                             " after the other MSRs were written");
            else
                check(t, true, "%s", name);
        }
}

/* TraceEn with ToPA = 0 where there is no single range; undone where taken. */
static void check_no_range(struct test_context *t)
{
    int vector = try_set_msr_again(t, IA32_RTIT_CTL,
                                   output_control(test_cpu(t), false) |
                                       IA32_RTIT_CTL_TraceEn);

    if (vector == HW_NO_FAULT)
        set_msr_again(t, IA32_RTIT_CTL, 0);
    check(t, vector == HW_GP,
          "IA32_RTIT_CTL (570H): WRMSR of TraceEn = 1, ToPA = 0: got %s, "
          "wanted #GP, since CPUID.14H.0:ECX[2] = 0",
          fault_name(vector));
}

TEST(
    pt_registers,
    .asks = "Do the trace's MSRs take what CPUID enumerates, and nothing else?",
    .cite = "SDM 3C, Intel Processor Trace, \"Enabling and Configuration "
            "MSRs\", table \"CPUID Leaf 14H Enumeration of Intel Processor "
            "Trace Capabilities\"",
    .needs = {.features = NEED_INTEL | NEED_PT})
{
    const struct identity *id = test_cpu(t);
    bool held[REGISTERS_COUNT] = {false};
    struct tried y = {0};
    struct trace p;

    /* Set-up. */
    if (!trace_claim(&p, t) || !clear(t, IA32_RTIT_CTL))
        return;

    /* Measured and checked. */
    for (unsigned i = 0; i < REGISTERS_COUNT; i++) {
        struct register_rule rule = registers_rule(id, i);
        if (!rule.present)
            check_absent(t, rule.msr);
        else {
            held[i] = clear(t, rule.msr);
            if (held[i])
                try_bits(t, &y, &rule);
        }
    }
    try_control(t, &y);
    try_together(t, &y);
    check(t, y.wrong == 0,
          "%u of %u values written to the trace's MSRs were not taken, or not "
          "refused, as CPUID leaf 14H says",
          y.wrong, y.values);
    check_apart(t, held);
    if ((id->leaf14_ecx & LEAF14_RANGE) == 0)
        check_no_range(t);
    note(t,
         "CPUID.14H: EBX = 0x%x, ECX = 0x%x; EAX = 0x%x, EBX = 0x%x; %u "
         "values tried",
         id->leaf14_ebx, id->leaf14_ecx, id->leaf14_1_eax, id->leaf14_1_ebx,
         y.values);
}
