/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers and flags, all different, lie in a record where the format has
 * them; records have the format's length. */
#include "src/harness/case.h"
#include "src/pebs/sampling.h"

/* Overflows 20 events apart, for at most 12 records. */
static const struct sampling_config config = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0,
    .first_period = {20},
    .period = {20},
    .room = 32,
    .threshold = 32,
};

/* Of CF, PF, AF, ZF, SF, and of DF [10], IOPL [13:12], NT [14], AC [18], ID
 * [21], which do nothing here: each set in one and clear in another; and so is
 * each bit of the registers. */
static const uint64_t flags[] = {0x2000d5, 0x2041, 0x45094,
                                 PEBS_COMPLEMENT | 0x441};

/* One record. False where something was wrong with it. */
static bool check_record(struct sampling *p, unsigned n)
{
    struct pebs_record record;

    if (!sampling_record(p, n, &record) || sampling_event(p, &record) == 0)
        return false;
    bool abort =
        pebs_has(&record, PEBS_TX_ABORT) &&
        (record.tx_abort & (TX_ABORT_HLE_ABORT | TX_ABORT_RTM_ABORT)) != 0;
    check(p->t, !abort,
          "TX Abort Information (B8H) of a record outside of transactions is "
          "0x%lx; wanted [33:32] = 0",
          record.tx_abort);
    return !abort;
}

/* SDM 3B, "Layout of IA32_PERF_CAPABILITIES MSR". */
#define PEBS_TRAP      BIT(6)
#define PEBS_ARCH_REGS BIT(7)

TEST(pebs_record_layout,
     .asks = "Does a PEBS record hold every register where its format says?",
     .cite = "SDM 3B, \"PEBS Data Format\", tables \"PEBS Record Format\" of "
             "each processor family",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS})
{
    struct sampling p;
    unsigned records = 0;

    /* Set-up. */
    if (!sampling_claim(&p, t))
        return;

    const uint64_t says = test_cpu(t)->perf_capabilities;
    check(t, (says & PEBS_TRAP) != 0 && (says & PEBS_ARCH_REGS) != 0,
          "IA32_PERF_CAPABILITIES (345H) is 0x%lx; wanted PEBSTrap [6] = 1, as "
          "RIP of a record is the next instruction's, and PEBSSaveArchRegs [7] "
          "= 1, as it has the registers",
          says);
    FOR_EACH_ROW (t, i, flags) {
        /* Measured. */
        if (!sampling_run(&p, &config, flags[i]))
            return;

        /* Check. */
        check(t, p.records != 0,
              "IA32_PMC0 (C1H) overflowed every 20 of %u events, and made no "
              "record",
              PEBS_EVENTS);
        for (unsigned n = 0; n < p.records; n++)
            if (!check_record(&p, n))
                return;
        records += p.records;
    }
    note(t, "format %u: %u records of %lu bytes each", p.format, records,
         p.size);
}
