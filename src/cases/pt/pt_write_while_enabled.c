/* SPDX-License-Identifier: BSD-2-Clause */
/* While a trace runs, its MSRs cannot be written: not even with what they hold,
 * but for IA32_RTIT_CTL, which takes the same value again and any value with
 * which TraceEn is cleared. What is refused changes nothing, and the trace goes
 * on. */
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/trace/packets.h"
#include "src/trace/registers.h"
#include "src/trace/trace.h"

#define BITS_OF_CONTROL 64
#define CHANGES         (BITS_OF_CONTROL + 16)
#define OTHER_HALF      (TRACE_BYTES / 2)
#define TRIES           3

struct answers {
    int of_register[REGISTERS_COUNT];
    int of_control[CHANGES]; /* with that change; [0]: none */
    uint64_t control;        /* afterwards */
};

/* In the journal, with what it holds. A fault is pt_registers' affair. */
static bool hold(struct test_context *t, uint32_t msr, uint64_t *value)
{
    char name[MSR_NAME_BYTES];
    int vector = try_get_msr(t, msr, value);

    if (vector == HW_NO_FAULT)
        vector = try_set_msr(t, msr, *value);
    return check(t, vector == HW_NO_FAULT,
                 "%s: WRMSR of what it holds: got %s, wanted no fault",
                 msr_name(msr, name), fault_name(vector));
}

/* Of each bit, then of MTCFreq, whose encodings that a processor has may all
 * differ in two bits. */
static uint64_t change_of(unsigned n)
{
    return n < BITS_OF_CONTROL ? BIT(n)
                               : IA32_RTIT_CTL_MTCFreq(n - BITS_OF_CONTROL);
}

/* Those that are legal while TraceEn is 0: only TraceEn can be why these raise
 * #GP. */
static bool is_tried(const struct trace *p, unsigned n)
{
    const uint64_t change = change_of(n);

    return change != 0 &&
           registers_control(test_cpu(p->t), p->armed ^ change) ==
               REGISTER_TAKES;
}

/* What is written: where the trace does not depend on it, another value; of
 * OUTPUT_BASE a table that is as good, of MASK_PTRS a place in the other half
 * of its region. */
static uint64_t other_value(const struct trace *p,
                            const struct register_rule *rule, uint64_t value)
{
    if (rule->msr == IA32_RTIT_OUTPUT_BASE && value == trace_at(p->table))
        return value + TOPA_REGION_BYTES;
    if (rule->msr == IA32_RTIT_OUTPUT_MASK_PTRS &&
        (p->armed & IA32_RTIT_CTL_ToPA) != 0)
        return value ^ (uint64_t)OTHER_HALF << 32;
    if (rule->msr == IA32_RTIT_STATUS)
        return value ^ IA32_RTIT_STATUS_Error;
    return rule->msr >= IA32_RTIT_CR3_MATCH
               ? value ^ (rule->writable & -rule->writable)
               : value;
}

static bool measure(struct trace *p, uint64_t values[], struct answers *out)
{
    struct test_context *t = p->t;
    const uint64_t on = p->armed | IA32_RTIT_CTL_TraceEn;

    if (!trace_start(p))
        return false;
    for (unsigned i = 0; i < REGISTERS_COUNT; i++) {
        struct register_rule rule = registers_rule(test_cpu(t), i);
        if (rule.present)
            out->of_register[i] = try_set_msr_again(
                t, rule.msr, other_value(p, &rule, values[i]));
    }
    out->of_control[0] = try_set_msr_again(t, IA32_RTIT_CTL, on);
    for (unsigned n = 1; n < CHANGES; n++)
        if (is_tried(p, n))
            out->of_control[n] =
                try_set_msr_again(t, IA32_RTIT_CTL, on ^ change_of(n));
    return get_msr(t, IA32_RTIT_CTL, &out->control) && trace_stop(p);
}

static void check_registers(struct trace *p, const uint64_t values[],
                            const struct answers *answers)
{
    char name[MSR_NAME_BYTES];
    uint64_t got = 0;

    for (unsigned i = 0; i < REGISTERS_COUNT; i++) {
        struct register_rule rule = registers_rule(test_cpu(p->t), i);
        if (!rule.present)
            continue;
        check(p->t, answers->of_register[i] == HW_GP,
              "%s: WRMSR while TraceEn is 1: got %s, wanted #GP",
              msr_name(rule.msr, name), fault_name(answers->of_register[i]));
        if (rule.msr >= IA32_RTIT_CR3_MATCH && get_msr(p->t, rule.msr, &got))
            check_msr_is(p->t, rule.msr, got, values[i],
                         " after a WRMSR while TraceEn is 1");
    }
}

static void check_control(struct trace *p, const struct answers *answers)
{
    unsigned tried = 0, accepted = 0, last = 0;

    for (unsigned n = 1; n < CHANGES; n++)
        if (is_tried(p, n)) {
            tried++;
            last = answers->of_control[n] != HW_GP ? n : last;
            accepted += answers->of_control[n] != HW_GP;
        }
    check(p->t, accepted == 0,
          "IA32_RTIT_CTL (570H): %u of %u changes of one bit or of MTCFreq "
          "while TraceEn stays 1 raised no #GP, such as of 0x%lx; wanted 0",
          accepted, tried, change_of(last));
    check(p->t, answers->of_control[0] == HW_NO_FAULT,
          "IA32_RTIT_CTL (570H): WRMSR of the same value while TraceEn is 1: "
          "got %s, wanted no fault",
          fault_name(answers->of_control[0]));
    check_equal(p->t, "IA32_RTIT_CTL (570H) after all writes", answers->control,
                p->armed | IA32_RTIT_CTL_TraceEn);
}

static const char *end_name(unsigned kind)
{
    return kind == PT_KINDS ? "none" : pt_kind_name(kind);
}

/* Of the trace in memory, without PSB+: the last two packets of its control
 * flow, and the FUPs before. */
struct ending {
    unsigned kinds[2], fups;
    bool overflow;
};

static struct ending read_ending(const struct trace *p)
{
    struct ending end = {.kinds = {PT_KINDS, PT_KINDS}};
    struct packets packets;
    struct pt_packet packet;
    bool in_psb = false;

    packets_open(&packets, p->memory, trace_bytes(p));
    while (packets_next(&packets, &packet)) {
        end.overflow |= packet.kind == PT_OVF;
        in_psb = (in_psb || packet.kind == PT_PSB) && packet.kind != PT_PSBEND;
        if (in_psb || (packet.kind != PT_FUP && packet.kind != PT_TIP &&
                       packet.kind != PT_TIP_PGE && packet.kind != PT_TIP_PGD))
            continue;
        end.kinds[0] = end.kinds[1];
        end.kinds[1] = packet.kind;
        end.fups += packet.kind == PT_FUP;
    }
    return end;
}

static unsigned count_refused(const struct trace *p,
                              const struct answers *answers)
{
    unsigned refused = 0;

    for (unsigned i = 0; i < REGISTERS_COUNT; i++)
        refused += registers_rule(test_cpu(p->t), i).present &&
                   answers->of_register[i] == HW_GP;
    for (unsigned n = 1; n < CHANGES; n++)
        refused += is_tried(p, n) && answers->of_control[n] == HW_GP;
    return refused;
}

/* Each #GP has left a FUP, and clearing TraceEn a FUP and TIP.PGD. Of packets
 * that an overflow lost, and of a single range, which may be shorter, nothing
 * is said. */
static bool is_whole(const struct trace *p, const struct answers *answers)
{
    const struct ending end = read_ending(p);

    return end.overflow || (p->armed & IA32_RTIT_CTL_ToPA) == 0 ||
           (end.fups > count_refused(p, answers) && end.kinds[0] == PT_FUP &&
            end.kinds[1] == PT_TIP_PGD);
}

static void check_whole(struct trace *p, const struct answers *answers)
{
    const struct ending end = read_ending(p);

    check(p->t, is_whole(p, answers),
          "the trace has %u FUP, and ends with %s and %s, in each of %u tries; "
          "wanted one for each of %u WRMSRs that raised #GP meanwhile, and FUP "
          "and TIP.PGD where TraceEn is cleared",
          end.fups, end_name(end.kinds[0]), end_name(end.kinds[1]), TRIES,
          count_refused(p, answers));
}

/* A write with a reserved bit raises #GP whether it sets TraceEn or clears it,
 * and leaves TraceEn as `held` has it. */
static void check_reserved(struct trace *p, bool sets)
{
    const uint64_t trace_en = sets ? IA32_RTIT_CTL_TraceEn : 0,
                   held = p->armed | (trace_en ^ IA32_RTIT_CTL_TraceEn);
    unsigned tried = 0, taken = 0, last = 0;

    for (unsigned bit = 1; bit < BITS_OF_CONTROL; bit++) {
        if (registers_control(test_cpu(p->t), p->armed | BIT(bit)) !=
            REGISTER_REFUSES)
            continue;
        tried++;
        if (try_set_msr_again(p->t, IA32_RTIT_CTL,
                              p->armed | BIT(bit) | trace_en) == HW_GP)
            continue;
        taken++;
        last = bit;
        set_msr_again(p->t, IA32_RTIT_CTL, p->armed);
        set_msr_again(p->t, IA32_RTIT_CTL, held);
    }
    check(p->t, taken == 0,
          "IA32_RTIT_CTL (570H): %u of %u reserved bits, in a write that %s "
          "TraceEn, raised no #GP, such as bit %u; wanted 0",
          taken, tried, sets ? "sets" : "clears", last);
}

/* TraceEn cleared by a write that changes another bit as well, and by none that
 * has a reserved one. */
static void check_clearing(struct trace *p)
{
    const uint64_t other = p->armed ^ IA32_RTIT_CTL_TSCEn;
    uint64_t control;

    if (!trace_arm(p) || !trace_start(p))
        return;
    check_reserved(p, false);
    int vector = try_set_msr_again(p->t, IA32_RTIT_CTL, other);
    if (!get_msr(p->t, IA32_RTIT_CTL, &control) || !trace_stop(p))
        return;
    check(p->t, vector == HW_NO_FAULT && control == other,
          "IA32_RTIT_CTL (570H): WRMSR that clears TraceEn and changes TSCEn: "
          "got %s, then 0x%lx; wanted no fault, 0x%lx",
          fault_name(vector), control, other);
}

TEST(pt_write_while_enabled,
     .asks = "Do writes of the trace's MSRs raise #GP while TraceEn is 1?",
     .cite = "SDM 3C, Intel Processor Trace, \"Intel Processor Trace MSRs\", "
             "\"IA32_RTIT_CTL MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    uint64_t values[REGISTERS_COUNT] = {0};
    struct answers answers = {0};
    struct trace p;

    /* Set-up: each is in the journal, and written with what it holds. */
    if (!trace_claim(&p, t) || !trace_arm(&p))
        return;
    for (unsigned i = 0; i < REGISTERS_COUNT; i++) {
        struct register_rule rule = registers_rule(test_cpu(t), i);
        if (rule.present && !hold(t, rule.msr, &values[i]))
            return;
    }

    memcpy(p.table + TOPA_REGION_BYTES / sizeof(*p.table), p.table,
           TOPA_REGION_BYTES);

    /* Measured: again where packets are missing, which erratum SKL171 may drop
     * without an OVF. */
    if (!measure(&p, values, &answers))
        return;
    for (unsigned i = 1; i < TRIES && !is_whole(&p, &answers); i++)
        if (!trace_arm(&p) || !measure(&p, values, &answers))
            return;

    /* Check. */
    check_registers(&p, values, &answers);
    check_control(&p, &answers);
    check_whole(&p, &answers);
    check_equal(t, "IA32_RTIT_OUTPUT_BASE (560H) afterwards", p.stopped_base,
                p.base);
    check(t,
          (p.armed & IA32_RTIT_CTL_ToPA) == 0 || trace_bytes(&p) < OTHER_HALF,
          "IA32_RTIT_OUTPUT_MASK_PTRS (561H) = 0x%lx afterwards: wanted an "
          "OutputOffset below 0x%x, which was refused",
          p.stopped_pointers, OTHER_HALF);
    check_equal(t, "IA32_RTIT_STATUS (571H)[5:4] (Stopped, Error) afterwards",
                p.status & (IA32_RTIT_STATUS_Stopped | IA32_RTIT_STATUS_Error),
                0);
    check_clearing(&p);
    if (trace_arm(&p))
        check_reserved(&p, true);
}
