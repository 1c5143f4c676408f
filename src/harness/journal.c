/* SPDX-License-Identifier: BSD-2-Clause */
/* journal.c - saves and restores the values of MSRs. */
#include "src/harness/journal.h"

#include "src/base/hw.h"
#include "src/base/msr.h"

#define COUNTERS 10 /* IA32_PMC0-9 and their aliases */
#define FIXED    4

static bool is_command(const struct identity *id, uint32_t msr)
{
    return msr == IA32_PERF_GLOBAL_STATUS_RESET || msr == IA32_BIOS_SIGN_ID ||
           (msr == IA32_PERF_GLOBAL_STATUS_SET && id->perfmon_version >= 4) ||
           msr == MSR_UNC_PERF_GLOBAL_STATUS ||
           msr == MSR_UNC_PERF_GLOBAL_STATUS_SKYLAKE;
}

static bool is_counter(uint32_t msr)
{
    return msr - IA32_PMC(0) < COUNTERS || msr - IA32_A_PMC(0) < COUNTERS ||
           msr - IA32_FIXED_CTR(0) < FIXED || msr == MSR_PERF_METRICS ||
           msr == MSR_UNC_PERF_FIXED_CTR;
}

/* The bits that have to read back as written. */
static uint64_t compared_bits(uint32_t msr)
{
    if (is_counter(msr))
        return 0;
    return msr == IA32_RTIT_STATUS ? ~IA32_RTIT_STATUS_ENABLES : UINT64_MAX;
}

static bool has_saved(const struct journal *journal, uint32_t msr)
{
    for (unsigned i = 0; i < journal->count; i++)
        if (journal->entries[i].msr == msr)
            return true;
    return false;
}

enum journal_access journal_save(struct journal *journal,
                                 const struct identity *id, uint32_t msr,
                                 int *vector)
{
    uint64_t old;

    *vector = HW_NO_FAULT;
    if (is_command(id, msr) || has_saved(journal, msr))
        return JOURNAL_WRITTEN;
    if (journal->count == JOURNAL_MAX)
        return JOURNAL_FULL;
    *vector = hw_msr_read(msr, &old);
    if (*vector != HW_NO_FAULT)
        return JOURNAL_READ_FAULTED;
    journal->entries[journal->count].msr = msr;
    journal->entries[journal->count].old = old;
    journal->count++;
    return JOURNAL_WRITTEN;
}

enum journal_access journal_write(struct journal *journal,
                                  const struct identity *id, uint32_t msr,
                                  uint64_t value, int *vector)
{
    /* Before the write: it may raise what no fix-up expects. */
    enum journal_access saved = journal_save(journal, id, msr, vector);

    if (saved != JOURNAL_WRITTEN)
        return saved;
    *vector = hw_msr_write(msr, value);
    return *vector == HW_NO_FAULT ? JOURNAL_WRITTEN : JOURNAL_WRITE_FAULTED;
}

/* The other of a general-purpose counter's two names; else the same. */
static uint32_t other_name(uint32_t msr)
{
    if (msr - IA32_PMC(0) < COUNTERS)
        return IA32_A_PMC(msr - IA32_PMC(0));
    if (msr - IA32_A_PMC(0) < COUNTERS)
        return IA32_PMC(msr - IA32_A_PMC(0));
    return msr;
}

bool journal_has(const struct journal *journal, const struct identity *id,
                 uint32_t msr)
{
    return is_command(id, msr) || has_saved(journal, msr) ||
           has_saved(journal, other_name(msr));
}

enum journal_access journal_write_again(const struct journal *journal,
                                        const struct identity *id, uint32_t msr,
                                        uint64_t value, int *vector)
{
    *vector = HW_NO_FAULT;
    if (!journal_has(journal, id, msr))
        return JOURNAL_NOT_SAVED;
    *vector = hw_msr_write(msr, value);
    return *vector == HW_NO_FAULT ? JOURNAL_WRITTEN : JOURNAL_WRITE_FAULTED;
}

static int undo_one(const struct identity *id, struct journal_failure *entry)
{
    uint32_t msr = entry->msr;

    if (id->full_width_writes && msr - IA32_PMC(0) < COUNTERS)
        msr = IA32_A_PMC(msr - IA32_PMC(0));
    int vector = hw_msr_write(msr, entry->old);
    if (vector != HW_NO_FAULT)
        return vector;
    return hw_msr_read(entry->msr, &entry->got);
}

/* The register, where it is saved, is given back last. */
static void put_last(struct journal *journal, uint32_t msr)
{
    for (unsigned i = 0; i < journal->count; i++) {
        const struct journal_entry entry = journal->entries[i];

        if (entry.msr != msr)
            continue;
        for (; i > 0; i--)
            journal->entries[i] = journal->entries[i - 1];
        journal->entries[0] = entry;
    }
}

void journal_undo(struct journal *journal, const struct identity *id,
                  void (*report)(void *context,
                                 const struct journal_failure *failure),
                  void *context)
{
    /* So that no counter counts on from its restored value, and no register is
     * refused because of what is still enabled. */
    if (has_saved(journal, IA32_PERF_GLOBAL_CTRL))
        (void)hw_msr_write(IA32_PERF_GLOBAL_CTRL, 0);
    if (has_saved(journal, IA32_PEBS_ENABLE))
        (void)hw_msr_write(IA32_PEBS_ENABLE, 0);
    put_last(journal, IA32_PEBS_ENABLE);
    put_last(journal, IA32_PERF_GLOBAL_CTRL);
    while (journal->count != 0) {
        unsigned last = journal->count - 1;
        struct journal_failure entry = {
            .msr = journal->entries[last].msr,
            .old = journal->entries[last].old,
        };

        /* First, so that an exception in here cannot repeat for ever. */
        journal->count = last;
        entry.vector = undo_one(id, &entry);
        if (entry.vector != HW_NO_FAULT ||
            ((entry.got ^ entry.old) & compared_bits(entry.msr)) != 0)
            report(context, &entry);
    }
}
