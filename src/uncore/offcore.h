/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * offcore.h - off-core response: which bits of MSR_OFFCORE_RSP_0 and
 * MSR_OFFCORE_RSP_1 mean what on which processor, and whether a value selects
 * anything.
 *
 * SDM 3B, "Off-core Response Performance Monitoring" of Sandy Bridge, of the
 * 4th and of the 6th generation; later servers: Intel's lists of events (ICX,
 * SPR, EMR, GNR), of which OCR.x have the bits that are used, and Linux,
 * arch/x86/events/intel/core.c, the valid masks of extra_reg.
 */
#ifndef SRC_UNCORE_OFFCORE_H
#define SRC_UNCORE_OFFCORE_H

#include "src/harness/case.h"
#include "src/base/msr.h"

/* "Off-Core Response Event Encoding": IA32_PERFEVTSELx [15:0] for MSR n, on
 * IA32_PMC0 to IA32_PMC3. */
#define OFFCORE_EVENT(n)             ((n) == 0 ? UINT64_C(0x01b7) : UINT64_C(0x01bb))
#define OFFCORE_EVENT_GOLDEN_COVE(n) (UINT64_C(0x012a) + (n))
#define OFFCORE_COUNTERS             4

/* "Request_Type Field Definition", "Response Supplier Info Field Definition":
 * what is the same on all processors. */
#define OFFCORE_DMND_DATA_RD BIT(0)
#define OFFCORE_DMND_RFO     BIT(1)
#define OFFCORE_DMND_IFETCH  BIT(2)
#define OFFCORE_ANY          BIT(16)
#define OFFCORE_NO_SUPP      BIT(17) /* of the suppliers: none is known */
#define OFFCORE_NON_DRAM     BIT(37) /* of the snoops */

struct offcore_table {
    bool golden_cove;     /* the events are others */
    uint64_t request;     /* of [15:0] */
    uint64_t not_read;    /* of these, which neither a read nor a prefetch is */
    uint64_t supplier;    /* of [30:17] */
    uint64_t snoop;       /* of [37:31] */
    uint64_t all_or_none; /* suppliers of which all or none are to be set */
    uint64_t l3_hit;      /* suppliers: found in the L3, in whatever state */
    uint64_t cluster;     /* suppliers: caches of another cluster, and DRAM */
    uint64_t memory;      /* suppliers: DRAM; 0 where it is not known */
    /* Bits that a write must refuse. The manual reserves more; those are known
     * to be taken (Linux, arch/x86/events/intel/core.c, the valid masks of
     * extra_reg). */
    uint64_t refused;
};

/* The table of this processor, by DisplayFamily and DisplayModel; NULL where
 * the manual has none, and then the two MSRs are not to be touched. Pure. */
const struct offcore_table *offcore_of(const struct identity *id);

/* The event of MSR n. */
uint64_t offcore_event(const struct offcore_table *table, unsigned n);

/* What is wrong with a value for MSR_OFFCORE_RSP_x; the first that applies. */
enum offcore_fault {
    OFFCORE_VALID = 0,
    OFFCORE_RESERVED,    /* a bit that the table does not have */
    OFFCORE_NO_REQUEST,  /* no request type */
    OFFCORE_NO_RESPONSE, /* neither Any nor both a supplier and a snoop */
    OFFCORE_INCOMPLETE,  /* some of `all_or_none`, but not all */
};

/* Pure. "A valid response type must be a non-zero value of ANY | [('OR' of
 * Supplier Info Bits) & ('OR' of Snoop Info Bits)]"; "a valid request type must
 * have at least one bit set in the non-reserved bits of 15:0". */
enum offcore_fault offcore_validate(const struct offcore_table *table,
                                    uint64_t value);

/* Writes MSR_OFFCORE_RSP_n, n 0 or 1, through the journal. A value that does
 * not validate is not written. False where it was not (ERROR is said). */
bool offcore_write(struct test_context *t, const struct offcore_table *table,
                   unsigned n, uint64_t value);

#endif
