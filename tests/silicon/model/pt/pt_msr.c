/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_msr.c - the registers of Processor Trace. SDM volume 3C, "Enabling and
 * Configuration MSRs": "any MSR write that attempts to change bits marked
 * reserved, or utilize encodings marked reserved, will cause a #GP fault", and
 * so does one that "begins and ends with IA32_RTIT_CTL.TraceEn set".
 */
#include "tests/silicon/model/pt/pt.h"

#include "tests/silicon/model/hooks.h"

#define LEAF_PT            0x14u
#define PHYSICAL_BITS      39 /* CPUID.80000008H:EAX[7:0] */
#define POINTERS_FIXED     BITS(6, 0)
#define PACKET_BYTES_SHIFT 32
#define PACKET_BYTES       BITS(48, 32)
#define ADDR0_CFG_SHIFT    32
#define ADDR_CFG_MAX       2 /* TraceStop */

struct cpuid_row pt_leaf(const struct processor *p, uint32_t subleaf)
{
    struct cpuid_row row = personality_leaf(p->cpu, LEAF_PT, subleaf);

    /* The crystal is that of QEMU's timer then, and too fast for MTC: between
     * two instructions that are stepped its eight bits wrap. */
    if (p->machine->os && subleaf == 0)
        row.ebx &= ~(uint32_t)PT_EBX_MTC;
    else if (p->machine->os)
        row.eax &= 0xFFFF; /* its periods */
    return row;
}

bool pt_is_msr(uint32_t number)
{
    return (number >= IA32_RTIT_OUTPUT_BASE &&
            number <= IA32_RTIT_OUTPUT_MASK_PTRS) ||
           (number >= IA32_RTIT_CTL && number <= IA32_RTIT_CR3_MATCH) ||
           (number >= IA32_RTIT_ADDR0_A &&
            number < IA32_RTIT_ADDR0_A + 2 * PT_RANGES_MAX);
}

static unsigned address_ranges(const struct processor *p)
{
    if ((pt_leaf(p, 0).ebx & PT_EBX_IP_FILTER) == 0)
        return 0;
    return pt_leaf(p, 1).eax & 7;
}

static bool msr_exists(const struct processor *p, uint32_t number)
{
    struct cpuid_row leaf = pt_leaf(p, 0);

    if (leaf.ecx == 0)
        return faults_pt(p, PT_MSRS_ANYWAY, false);
    if (number == IA32_RTIT_CR3_MATCH)
        return faults_pt(p, PT_HAS_CR3_MATCH, (leaf.ebx & PT_EBX_CR3) != 0);
    if (number >= IA32_RTIT_ADDR0_A)
        return number - IA32_RTIT_ADDR0_A <
               faults_pt_value(p, PT_ADDRESSES, 2 * address_ranges(p));
    return true;
}

static uint64_t read_status(const struct processor *p)
{
    const struct pt_state *pt = &p->pt;
    uint64_t value = pt->status;

    if (faults_pt(p, PT_READ_TRIGGER_EN,
                  pt_tracing(p) || ((pt->ctl & RTIT_TRACE_EN) != 0 &&
                                    (!faults_pt(p, PT_STOPPED_TRIGGER, true) ||
                                     (!faults_pt(p, PT_ERROR_TRIGGER, true) &&
                                      (pt->status & RTIT_ERROR) != 0)))))
        value |= RTIT_TRIGGER_EN;
    if (pt_tracing(p) || p->choices.pt_enables_stay) {
        value |= faults_pt(p, PT_READ_CONTEXT_EN, pt->context_en)
                     ? RTIT_CONTEXT_EN
                     : 0;
        value |=
            faults_pt(p, PT_READ_FILTER_EN, pt->filter_en) ? RTIT_FILTER_EN : 0;
    }
    if ((pt_leaf(p, 0).ebx & PT_EBX_CONFIGURABLE) != 0)
        value |= faults_pt_value(p, PT_PACKET_BYTES, pt->psb_bytes)
                     << PACKET_BYTES_SHIFT &
                 PACKET_BYTES;
    return value;
}

bool pt_read(const struct processor *p, uint32_t number, uint64_t *value)
{
    const struct pt_state *pt = &p->pt;

    if (!msr_exists(p, number))
        return false;
    switch (number) {
    case IA32_RTIT_OUTPUT_BASE:
        *value = pt->base;
        break;
    case IA32_RTIT_OUTPUT_MASK_PTRS:
        *value = pt->pointers | POINTERS_FIXED;
        if ((pt->pointers & BITS(31, 7)) != 0 &&
            (pt->ctl_active & RTIT_TOPA) != 0 &&
            !faults_pt(p, PT_OFFSET_WHOLE, true))
            *value &= ~BITS(34, 32);
        break;
    case IA32_RTIT_CTL:
        *value = pt->ctl;
        break;
    case IA32_RTIT_STATUS:
        *value = read_status(p);
        break;
    case IA32_RTIT_CR3_MATCH:
        *value = pt->cr3_match;
        break;
    default:
        *value = pt->address[faults_pt_value(p, PT_ADDRESS_INDEX,
                                             number - IA32_RTIT_ADDR0_A)];
    }
    *value = faults_pt_shared(p, number,
                              faults_pt_register(p, PT_READ, number, *value));
    return true;
}

/* Bits of IA32_RTIT_CTL that are not reserved on this processor. */
static uint64_t ctl_writable(const struct processor *p)
{
    struct cpuid_row leaf = pt_leaf(p, 0);
    uint64_t mask = RTIT_TRACE_EN | RTIT_OS | RTIT_USER | RTIT_TSC_EN |
                    RTIT_DIS_RETC | RTIT_BRANCH_EN;

    if ((leaf.ecx & PT_ECX_TOPA) != 0)
        mask |= RTIT_TOPA;
    if ((leaf.ebx & PT_EBX_CR3) != 0)
        mask |= RTIT_CR3_FILTER;
    if ((leaf.ebx & PT_EBX_CONFIGURABLE) != 0)
        mask |= RTIT_CYC_EN | RTIT_CYC_THRESH | RTIT_PSB_FREQ;
    if ((leaf.ebx & PT_EBX_MTC) != 0)
        mask |= RTIT_MTC_EN | RTIT_MTC_FREQ;
    if ((leaf.ebx & PT_EBX_PTWRITE) != 0)
        mask |= RTIT_PTW_EN | RTIT_FUP_ON_PTW;
    if ((leaf.ebx & PT_EBX_PRESERVE) != 0)
        mask |= RTIT_INJECT;
    if ((leaf.ebx & PT_EBX_EVENT) != 0)
        mask |= RTIT_EVENT_EN;
    if ((leaf.ebx & PT_EBX_DIS_TNT) != 0)
        mask |= RTIT_DIS_TNT;
    for (unsigned n = 0; n < address_ranges(p); n++)
        mask |= BITS(3, 0) << (ADDR0_CFG_SHIFT + 4 * n);
    return faults_pt_value(p, PT_CTL_BITS, mask);
}

/* Leaf 14H subleaf 1 has a bit for each encoding of these fields; where the
 * field is not there, 0 alone is left by ctl_writable. */
static bool encodings_valid(const struct processor *p, uint64_t ctl)
{
    struct cpuid_row leaf = pt_leaf(p, 0), more = pt_leaf(p, 1);

    for (unsigned n = 0; n < PT_RANGES_MAX; n++)
        if ((ctl >> (ADDR0_CFG_SHIFT + 4 * n) & 0xF) >
            faults_pt_value(p, PT_CFG_MAX, ADDR_CFG_MAX))
            return false;
    more.eax |= (uint32_t)faults_pt_value(p, PT_MTC_PERIODS, 0) << 16;
    more.ebx |= (uint32_t)faults_pt_value(p, PT_CYC_THRESHOLDS, 0);
    more.ebx |= (uint32_t)faults_pt_value(p, PT_PSB_PERIODS, 0) << 16;
    if ((leaf.ebx & PT_EBX_MTC) != 0 &&
        (more.eax >> 16 >> ((ctl & RTIT_MTC_FREQ) >> 14) & 1) == 0)
        return false;
    return (leaf.ebx & PT_EBX_CONFIGURABLE) == 0 ||
           ((more.ebx >> ((ctl & RTIT_CYC_THRESH) >> 19) & 1) != 0 &&
            (more.ebx >> 16 >> ((ctl & RTIT_PSB_FREQ) >> 24) & 1) != 0);
}

static bool stopped(const struct processor *p)
{
    return (p->pt.status & RTIT_STOPPED) != 0;
}

static bool write_ctl(struct processor *p, uint64_t value)
{
    bool on = (value & RTIT_TRACE_EN) != 0;

    bool was = (p->pt.ctl & RTIT_TRACE_EN) != 0;

    if (faults_pt(p, PT_SAME_CTL, value == p->pt.ctl) ||
        (was && on &&
         ((value ^ p->pt.ctl) & ~faults_pt_value(p, PT_CTL_IGNORED, 0)) == 0 &&
         value != p->pt.ctl))
        return true;
    if (was && !on && !faults_pt(p, PT_CLEAR_AND_CHANGE, true) &&
        value != (p->pt.ctl & ~RTIT_TRACE_EN))
        return false;
    if (faults_pt(p, PT_CTL_LOCKED,
                  on && was &&
                      (!stopped(p) || faults_pt(p, PT_STOPPED_CTL, true))) ||
        ((value & ~ctl_writable(p)) != 0 &&
         (!on || faults_pt(p, PT_RESERVED_ON, true)) &&
         (!was || on || faults_pt(p, PT_RESERVED_OFF, true))) ||
        !encodings_valid(p, value))
        return false;
    if (on && (value & RTIT_TOPA) == 0 &&
        faults_pt(p, PT_NEEDS_TOPA,
                  (pt_leaf(p, 0).ecx & PT_ECX_SINGLE_RANGE) == 0))
        return false;
    if ((value & RTIT_DIS_RETC) != 0 && (value & RTIT_CR3_FILTER) != 0 &&
        !faults_pt(p, PT_CTL_COMBINES, true))
        return false;
    if (on && (value & RTIT_BRANCH_EN) == 0 && p->cpu->pt_needs_branch_en)
        return false;
    p->pt.ctl = value;
    return true;
}

/* FilterEn, ContextEn, TriggerEn: "writes are ignored". */
static bool write_status(struct processor *p, uint64_t value)
{
    const bool preserves = (pt_leaf(p, 0).ebx & PT_EBX_PRESERVE) != 0;
    uint64_t writable =
        RTIT_ERROR | RTIT_STOPPED | (preserves ? RTIT_PENDING : 0);
    bool configurable = (pt_leaf(p, 0).ebx & PT_EBX_CONFIGURABLE) != 0;

    if (!faults_pt(p, PT_TRIGGER_READ_ONLY, true))
        writable |= RTIT_TRIGGER_EN;
    if (faults_pt(p, PT_STATUS_IGNORES, true))
        value &=
            ~(RTIT_FILTER_EN | RTIT_CONTEXT_EN | RTIT_TRIGGER_EN) | writable;
    value &= faults_pt_value(p, PT_STATUS_BITS, UINT64_MAX);
    if ((value & ~(writable | (faults_pt(p, PT_TAKES_PACKET_BYTES, configurable)
                                   ? PACKET_BYTES
                                   : 0))) != 0) {
        if (!faults_pt(p, PT_STATUS_REFUSED, true))
            p->pt.psb_bytes = 0;
        return false;
    }
    p->pt.status = faults_pt_value(p, PT_STATUS_WRITTEN, value & writable);
    if (configurable)
        p->pt.psb_bytes = (uint32_t)faults_pt_value(p, PT_PACKET_BYTES_WRITTEN,
                                                    (value & PACKET_BYTES) >>
                                                        PACKET_BYTES_SHIFT);
    return true;
}

static bool is_canonical(uint64_t address)
{
    uint64_t high = address >> 47;

    return high == 0 || high == UINT64_MAX >> 47;
}

/* While TraceEn = 1 a write changes nothing. */
static bool refuse_write(struct processor *p, uint32_t number, uint64_t value)
{
    uint64_t *held = number == IA32_RTIT_CR3_MATCH ? &p->pt.cr3_match
                     : number >= IA32_RTIT_ADDR0_A
                         ? &p->pt.address[number - IA32_RTIT_ADDR0_A]
                         : NULL;

    if (held != NULL)
        *held = faults_pt_register(p, PT_REFUSED, number, *held);
    if (number == IA32_RTIT_OUTPUT_BASE && !faults_pt(p, PT_BASE_REFUSED, true))
        p->pt.base = value;
    if (number == IA32_RTIT_OUTPUT_MASK_PTRS &&
        !faults_pt(p, PT_POINTERS_HELD, true))
        p->pt.pointers = value | POINTERS_FIXED;
    if (number == IA32_RTIT_STATUS && !faults_pt(p, PT_STATUS_HELD, true))
        p->pt.status = value & RTIT_ERROR;
    return !faults_pt(p, PT_WRITES_REFUSED, true);
}

static bool write_register(struct processor *p, uint32_t number, uint64_t value)
{
    struct pt_state *pt = &p->pt;

    if (!msr_exists(p, number))
        return false;
    if (number == IA32_RTIT_CTL)
        return write_ctl(p, value);
    if ((pt->ctl & RTIT_TRACE_EN) != 0 && !faults_pt_unlocked(p, number) &&
        (!stopped(p) || faults_pt(p, PT_STOPPED_LOCKED, true)))
        return refuse_write(p, number, value);
    value = faults_pt_register(p, PT_WRITTEN, number, value);
    switch (number) {
    case IA32_RTIT_OUTPUT_BASE:
        if ((value & ~BITS(PHYSICAL_BITS - 1, 7)) != 0)
            return false;
        pt->base = value;
        if (!faults_pt(p, PT_BASE_KEEPS_OFFSET, true))
            pt->pointers &= BITS(31, 0);
        return true;
    case IA32_RTIT_OUTPUT_MASK_PTRS:
        if (!faults_pt(p, PT_POINTERS_LOW_IGNORED, true) &&
            (value & POINTERS_FIXED) != POINTERS_FIXED)
            return false;
        pt->pointers = value | POINTERS_FIXED;
        if (!faults_pt(p, PT_POINTERS_KEEP_STATUS, true))
            pt->status &= ~RTIT_STOPPED;
        return true;
    case IA32_RTIT_STATUS:
        return write_status(p, value);
    case IA32_RTIT_CR3_MATCH:
        if ((value & BITS(4, 0)) != 0)
            return false;
        pt->cr3_match = value;

        return true;
    default:
        if (faults_pt(p, PT_ADDRESS_BAD, !is_canonical(value)))
            return false;
        pt->address[faults_pt_value(p, PT_ADDRESS_INDEX,
                                    number - IA32_RTIT_ADDR0_A)] = value;
        return true;
    }
}

bool pt_write(struct processor *p, uint32_t number, uint64_t value)
{
    const bool on = (p->pt.ctl & RTIT_TRACE_EN) != 0;
    bool good = write_register(p, number, value);

    if (good)
        faults_pt_written_to(p, number, value);
    else if (on && !faults_pt(p,
                              number == IA32_RTIT_CTL ? PT_REFUSED_CTL_TRACED
                                                      : PT_REFUSED_TRACED,
                              true))
        p->errata.trace_dropped = true;
    return good;
}
