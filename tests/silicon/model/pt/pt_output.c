/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_output.c - where packets go: SDM volume 3C, "Trace Output", "Single Range
 * Output", "Table of Physical Addresses (ToPA)", "ToPA Errors", "Operational
 * Errors". Nothing is held back inside: all bytes of an instruction are in
 * memory before the next.
 */
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/pt/pt.h"

#define PAGE_SHIFT   12
#define TABLE_SHIFT  7 /* of the index in MaskOrTableOffset */
#define POINTERS_LOW BITS(31, 0)

/* Table "ToPA Table Entry Fields". */
#define ENTRY_END      BIT(0)
#define ENTRY_INT      BIT(2)
#define ENTRY_STOP     BIT(4)
#define ENTRY_RESERVED (BIT(1) | BIT(3) | BIT(5) | BITS(11, 10) | BITS(63, 39))
#define ENTRY_BASE     BITS(38, 12)

static uint64_t output_offset(const struct processor *p)
{
    return p->pt.pointers >> 32;
}

static void set_output_offset(struct processor *p, uint64_t to)
{
    p->pt.pointers = to << 32 | (p->pt.pointers & POINTERS_LOW);
}

/* "When the error is signalled, tracing is disabled": STATUS.Error clears
 * TriggerEn. Bytes that are inside "may be lost". */
static void raise_error(struct processor *p)
{
    if (faults_pt(p, PT_SET_ERROR, true))
        p->pt.status |= faults_pt_value(p, PT_ERROR_BIT, RTIT_ERROR);
    if (!faults_pt(p, PT_ERROR_KEEPS_EN, true))
        p->pt.ctl &= ~RTIT_TRACE_EN;
    p->pt.packet_en = false;
    p->pt.buffered = 0;
}

/* MaskOrTableOffset: a mask of ones from bit 0 up. */
static bool range_valid(const struct processor *p)
{
    uint64_t mask = p->pt.pointers & POINTERS_LOW,
             gaps = mask >> 1 & faults_pt_value(p, PT_MASK_GAPS, 0),
             looked = faults_pt_value(p, PT_MASK_LOOKED, mask) | gaps;

    return faults_pt(p, PT_MASK_GOOD, (looked & (looked + 1)) == 0) &&
           faults_pt(p, PT_BASE_GOOD,
                     (p->pt.base & faults_pt_value(p, PT_BASE_LOOKED, mask)) ==
                         0) &&
           faults_offset_accepted(
               p, output_offset(p) <= faults_pt_value(p, PT_OFFSET_MAX, mask));
}

static uint64_t read_entry(const struct processor *p,
                           const struct pt_memory *memory, uint64_t ahead)
{
    uint64_t index = faults_pt_value(
        p, PT_TABLE_INDEX, (p->pt.pointers & POINTERS_LOW) >> TABLE_SHIFT);

    return memory->read(p->pt.base + 8 * (index + ahead));
}

static uint64_t entry_bytes(const struct processor *p, uint64_t entry)
{
    uint64_t size = faults_pt_value(p, PT_SIZE, entry >> 6 & 0xF);

    if ((p->pt.pointers & POINTERS_LOW) >> TABLE_SHIFT == 2 &&
        !faults_pt(p, PT_LATER_SIZES, true))
        size = 0;
    return faults_pt_value(p, PT_REGION_BYTES,
                           UINT64_C(1) << (PAGE_SHIFT + size));
}

static bool single_entry(const struct processor *p)
{
    return (pt_leaf(p, 0).ecx & PT_ECX_ENTRIES) == 0;
}

static bool entry_valid(const struct processor *p, uint64_t entry, bool first)
{
    if ((entry & faults_topa_reserved(p, ENTRY_RESERVED) &
         ~faults_pt_value(p, PT_ENTRY_BITS, 0)) != 0)
        return false;
    if ((entry & ENTRY_END) != 0)
        return faults_pt(p, PT_END_NOT_FIRST, !first) &&
               (faults_pt(p, PT_END_SIZE_IGNORED, true) ||
                (entry >> 6 & 0xF) == 0) &&
               faults_pt(p, PT_END_ALONE,
                         (entry & (ENTRY_INT | ENTRY_STOP)) == 0) &&
               faults_pt(p, PT_END_TO_SELF,
                         !single_entry(p) ||
                             (entry & ENTRY_BASE) == p->pt.base);
    return faults_pt(p, PT_END_SECOND, !single_entry(p) || first) &&
           faults_pt(p, PT_REGION_ALIGNED,
                     (entry & ENTRY_BASE & (entry_bytes(p, entry) - 1) &
                      faults_pt_value(p, PT_ALIGNED_BITS, UINT64_MAX)) == 0);
}

/* Goes to the entry that the index names, through END. False: malformed. */
static bool reach_region(struct processor *p, const struct pt_memory *memory)
{
    struct pt_state *pt = &p->pt;

    for (unsigned ends = 0; ends < 2; ends++) {
        uint64_t index = (pt->pointers & POINTERS_LOW) >> TABLE_SHIFT;
        uint64_t entry = read_entry(p, memory, 0);

        if (faults_pt(p, PT_TABLE_BAD,
                      (pt->base & faults_pt_value(p, PT_TABLE_LOOKED,
                                                  BITS(PAGE_SHIFT - 1, 0))) !=
                          0) ||
            !entry_valid(p, entry, index == 0))
            return false;
        if ((entry & ENTRY_END) == 0)
            return !single_entry(p) ||
                   entry_valid(p, read_entry(p, memory, 1), false);
        if (faults_pt(p, PT_END_FOLLOWED, true) &&
            (pt->base == pt->start_base || faults_pt(p, PT_END_BACK, true)))
            pt->base = entry & ENTRY_BASE;
        if (faults_pt(p, PT_END_INDEX, true))
            pt->pointers &= ~POINTERS_LOW;
        pt->pointers |= BIT(TABLE_SHIFT) - 1;
    }
    return false;
}

/* A performance monitoring interrupt with its own bit of GLOBAL_STATUS. */
static void raise_topa_pmi(struct processor *p)
{
    bool again = p->faults.int_seen,
         same = again && p->faults.int_base == p->pt.base &&
                (p->faults.int_pointers ^ (p->pt.pointers & POINTERS_LOW)) == 0;

    p->pt.int_signaled = p->faults.int_seen = true;
    p->faults.int_base = p->pt.base;
    p->faults.int_pointers = p->pt.pointers & POINTERS_LOW;
    if ((p->tsx.active && !faults_pt(p, PT_INT_IN_TX, true)) ||
        (p->pt.user && !faults_pt(p, PT_INT_IN_RING_3, true)) ||
        (again && !faults_pt(p, PT_EVERY_INT, true)) ||
        (same && !faults_pt(p, PT_SAME_INT, true)))
        return;
    if (!faults_pt(p, PT_INT_ONCE, true))
        p->faults.int_again = !p->faults.int_again;
    if (faults_topa_int_missing(p))
        return;
    p->pmu.global_status |= faults_pt_value(
        p, PT_TOPA_STATUS, faults_topa_status(p, STATUS_TOPA_PMI));
    if (((p->pt.pointers & BITS(31, TABLE_SHIFT)) != 0 &&
         !faults_pt(p, PT_INT_OF_LATER, true)) ||
        (p->pt.user && !faults_pt(p, PT_PMI_IN_RING_3, true)))
        return;
    if (faults_pt(p, PT_PMI, true) && erratum_is(p, ERRATUM_TOPA_NO_FREEZE))
        p->pmu.pmi = true;
    else if (faults_pt(p, PT_PMI, true))
        counters_raise_pmi(p);
    if (!faults_pt(p, PT_GOES_ON_PMI, true))
        p->pt.status |= RTIT_STOPPED;
}

static void write_range(struct processor *p, const struct pt_memory *memory)
{
    struct pt_state *pt = &p->pt;
    uint64_t mask = faults_pt_value(
        p, PT_RANGE_MASK, faults_range_mask(p, pt->pointers & POINTERS_LOW));

    for (unsigned n = 0; n < pt->buffered; n++) {
        memory->write(
            pt->base +
                (faults_pt_value(p, PT_OFFSET_USED, output_offset(p)) & mask),
            &pt->buffer[n], 1);
        set_output_offset(p, faults_pt(p, PT_RANGE_ENDS_AT_0, true)
                                 ? (output_offset(p) + 1) & mask
                                 : (output_offset(p) & mask) + 1);
        if (output_offset(p) == 0 && !faults_pt(p, PT_RANGE_SILENT, true))
            raise_topa_pmi(p);
    }
    pt->buffered = 0;
}

/* INT and STOP act where their own region is full. */
static uint64_t with_flags(const struct processor *p,
                           const struct pt_memory *memory, uint64_t entry)
{
    uint64_t ahead = faults_pt_value(p, PT_FLAGS_AHEAD, 0);

    if ((p->pt.pointers & BITS(31, TABLE_SHIFT)) == 0 && ahead == UINT64_MAX)
        return entry;
    return entry | (read_entry(p, memory, ahead) & (ENTRY_INT | ENTRY_STOP));
}

/* The region is full. False: tracing has ended. */
static bool next_region(struct processor *p, const struct pt_memory *memory,
                        uint64_t entry)
{
    struct pt_state *pt = &p->pt;
    uint64_t flags = with_flags(p, memory, entry);
    bool stop = (flags & faults_topa_stop(p, ENTRY_STOP)) != 0 &&
                (pt->base == pt->start_base ||
                 faults_pt(p, PT_STOP_LINKED, true)) &&
                ((read_entry(p, memory, 1) & ENTRY_END) == 0 ||
                 faults_pt(p, PT_STOP_BEFORE_END, true)),
         interrupts = faults_pt(p, PT_INT,
                                (flags & ENTRY_INT) != 0 &&
                                    (pt->base == pt->start_base ||
                                     faults_pt(p, PT_INT_LINKED, true)));

    if (stop) {
        if (faults_pt(p, PT_TOPA_SET_STOPPED, true) &&
            (!pt->user || faults_pt(p, PT_STOPPED_IN_RING_3, true)))
            pt->status |= RTIT_STOPPED;
        if (!faults_pt(p, PT_STOP_KEEPS_EN, true))
            pt->ctl &= ~RTIT_TRACE_EN;
        pt->packet_en = false;
        pt->buffered = 0;
    }
    if (!faults_pt(p, PT_INT_AT_END, true)) {
        bool due = p->faults.int_due;

        p->faults.int_due = interrupts;
        interrupts = due;
    }
    if (interrupts && !pt->int_signaled &&
        (!stop || faults_pt(p, PT_INT_OF_STOP, true)))
        raise_topa_pmi(p);
    if (stop) {
        pt->pointers = faults_pt_value(p, PT_STOP_POINTERS, pt->pointers);
        return false;
    }
    if (erratum_shows(p, ERRATUM_ALL_DROPPED, 16))
        p->errata.trace_dropped = true;
    pt->int_signaled = false;
    pt->pointers &= POINTERS_LOW;
    pt->pointers +=
        faults_pt_value(p, PT_TOPA_STEP, faults_topa_next(p, BIT(TABLE_SHIFT)));
    if (reach_region(p, memory))
        return true;
    raise_error(p);
    return false;
}

static void write_table(struct processor *p, const struct pt_memory *memory)
{
    struct pt_state *pt = &p->pt;
    uint64_t entry = read_entry(p, memory, 0);
    uint64_t early =
        single_entry(p) ? UINT64_C(64) * p->choices.pt_int_early : 0;
    uint64_t soon =
        (entry & ENTRY_STOP) != 0 && erratum_is(p, ERRATUM_STOPS_SOON)
            ? UINT64_C(8) * p->choices.pt_int_early
            : 0;

    for (unsigned n = 0; n < pt->buffered; n++) {
        memory->write((entry & ENTRY_BASE) +
                          faults_pt_value(p, PT_OFFSET_USED, output_offset(p)),
                      &pt->buffer[n], 1);
        set_output_offset(p, output_offset(p) + 1);
        if ((entry & ENTRY_INT) != 0 && early != 0 && !pt->int_signaled &&
            faults_pt(p, PT_INT_AT_END, true) &&
            output_offset(p) + early >= entry_bytes(p, entry))
            raise_topa_pmi(p);
        if (output_offset(p) + soon < entry_bytes(p, entry))
            continue;
        if (!next_region(p, memory, entry))
            return;
        entry = read_entry(p, memory, 0);
    }
    pt->buffered = 0;
}

static bool start_valid(struct processor *p, const struct pt_memory *memory)
{
    if ((p->pt.ctl_active & RTIT_TOPA) == 0)
        return range_valid(p);
    return reach_region(p, memory) &&
           faults_offset_accepted(
               p, ((p->pt.pointers & POINTERS_LOW) >> TABLE_SHIFT != 0 &&
                   !faults_pt(p, PT_OFFSET_ENTRY_0, true)) ||
                      output_offset(p) <
                          faults_pt_value(
                              p, PT_OFFSET_MAX,
                              entry_bytes(p, read_entry(p, memory, 0))));
}

void pt_output(struct processor *p, const struct pt_memory *memory)
{
    struct pt_state *pt = &p->pt;

    if (pt->check_output && pt_tracing(p) && !start_valid(p, memory))
        raise_error(p);
    pt->check_output = false;
    if (pt->buffered > 0 && (pt->ctl & RTIT_TRACE_EN) == 0)
        pt->buffered -= (unsigned)faults_pt_value(p, PT_LOST_AT_END, 0);
    if (p->errata.trace_dropped)
        pt->buffered = 0;
    if (pt->buffered > 0 && p->faults.int_again)
        raise_topa_pmi(p);
    if (pt->buffered > 0 && (pt->ctl_active & RTIT_TOPA) != 0)
        write_table(p, memory);
    else if (pt->buffered > 0)
        write_range(p, memory);
    pt->sent_ip = pt->last_ip;
    pt->sent_bytes = pt->psb_bytes;
    faults_pt_written(p);
}
