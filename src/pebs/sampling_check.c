/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling_check.c - after a window: memory, status, registers. */
#include "src/pebs/sampling_check.h"

#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/smi_guard.h"
#include "src/pebs/sampling_fixed.h"

#define WORD (SAMPLING_GUARD * UINT64_C(0x0101010101010101))

uint64_t sampling_select(const struct sampling *p, unsigned n)
{
    const struct sampling_config *config = &p->config;

    if ((sampling_enable(config) >> n & 1) == 0)
        return 0;
    return (config->beside != 0 && (config->count_only >> n & 1) != 0
                ? config->beside
                : config->select) |
           IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_EN |
           sampling_adaptive(p);
}

uint64_t sampling_adaptive(const struct sampling *p)
{
    return p->format == PEBS_FORMAT_ADAPTIVE && !p->basic
               ? IA32_PERFEVTSEL_ADAPTIVE
               : 0;
}

/* The first byte in [from, to) of test_records() that something wrote to. */
static size_t first_touched(const struct sampling *p, size_t from, size_t to)
{
    const volatile uint8_t *memory = (const volatile uint8_t *)p->area;
    const volatile uint64_t *words = (const volatile uint64_t *)p->area;

    while (from % 8 == 0 && from + 8 <= to && words[from / 8] == WORD)
        from += 8;
    while (from < to && memory[from] == SAMPLING_GUARD)
        from++;
    return from;
}

bool sampling_check_memory(struct sampling *p)
{
    size_t base = (size_t)(p->buffer - (const uint8_t *)p->area);
    size_t end = base + p->records * p->size;
    size_t begin = base + p->config.begun * p->size;
    size_t area = p->area_bytes;
    size_t before = first_touched(p, area, begin);
    size_t after = first_touched(p, end, TEST_RECORDS_BYTES);

    return check(p->t, before == begin,
                 "%lu bytes after the DS area's start a byte was written; "
                 "the area ends at %lXH, and the PEBS index began at %lu",
                 before, area, begin) &&
           check(p->t, after == TEST_RECORDS_BYTES,
                 "the PEBS index is after %u records of %lu bytes, which end "
                 "%lu bytes after the PEBS buffer base, and a byte was written "
                 "%lu bytes after it: beyond the records that it counts",
                 p->records, p->size, end - base, after - base);
}

/* Of the counters, nothing but what counts, and that is in range, overflowed;
 * the buffer, where the index reached the threshold. */
bool sampling_check_status(struct sampling *p)
{
    const uint64_t overflows = BITS(PRECISE_COUNTERS - 1, 0) | BITS(35, 32);
    const uint64_t full = IA32_PERF_GLOBAL_STATUS_OVF_DS_BUFFER;
    uint64_t wrong = p->status & overflows & ~sampling_enable(&p->config);

    return check(p->t, wrong == 0,
                 "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx: the overflow bits "
                 "0x%lx are of counters that do not count",
                 p->status, wrong) &&
           check(p->t,
                 (p->status & full) == 0 || p->records >= p->config.threshold,
                 "IA32_PERF_GLOBAL_STATUS (38EH)[62] (OvfBuf) is 1 after %u "
                 "records with the threshold at %u; wanted 0",
                 p->records, p->config.threshold);
}

/* One that is not said to be wrong is no check. */
static bool check_overflow(struct sampling *p, const char *name, unsigned place,
                           uint64_t events, uint64_t counted)
{
    const bool set = (p->status >> place & 1) != 0, want = counted >= events;

    return set == want ||
           check(p->t, false,
                 "%s, which makes no records, started %lu events before its "
                 "overflow and counted %lu: IA32_PERF_GLOBAL_STATUS (38EH)[%u] "
                 "is %d; wanted %d",
                 name, events, counted, place, set, want);
}

static bool check_overflows(struct sampling *p)
{
    const struct sampling_config *config = &p->config;
    char name[MSR_NAME_BYTES];

    for (unsigned n = 0; n < PRECISE_COUNTERS; n++) {
        const uint64_t events = config->first_period[n];
        if ((config->plain >> n & 1) != 0 &&
            !check_overflow(p, "a counter", n, events,
                            (p->value[n] + events) & p->mask))
            return false;
    }
    for (unsigned n = 0; n < BANK_FIXED; n++)
        if ((config->fixed_plain >> n & 1) != 0 &&
            !check_overflow(p, msr_name(IA32_FIXED_CTR(n), name),
                            PLACE_FIXED0 + n, config->fixed_first[n],
                            sampling_fixed_counted(p, n)))
            return false;
    return true;
}

/* Firmware writes registers that it owns in its SMIs; the window is run again
 * then. */
static bool check_register(struct sampling *p, uint32_t msr, uint64_t want)
{
    uint64_t got = msr_value(p->t, msr);

    return got == want || smi_count(p->t) != p->smis ||
           check_msr_is(p->t, msr, got, want, " after a window with PEBS");
}

/* What nothing has written is as it was. What freezes writes. */
bool sampling_check_registers(struct sampling *p)
{
    const uint64_t freeze =
        IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI | IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI;

    return test_refused(p->t) == p->refused &&
           check_register(p, IA32_DS_AREA, (uint64_t)(uintptr_t)p->area) &&
           ((p->config.fixed | p->config.fixed_plain) == 0 ||
            check_register(p, IA32_FIXED_CTR_CTRL,
                           sampling_fixed_control(p))) &&
           ((p->debugctl & freeze) != 0 ||
            check_register(p, IA32_DEBUGCTL, p->debugctl)) &&
           check_overflows(p);
}

/* Counter 3 is nobody's where nothing is promised of it. */
bool sampling_check_selects(struct sampling *p)
{
    bool ok = true;

    for (unsigned n = 0; ok && n < PRECISE_COUNTERS; n++)
        ok = n == 3 || sampling_select(p, n) == 0 ||
             check_register(p, IA32_PERFEVTSEL(n), sampling_select(p, n));
    return ok;
}

bool sampling_check_format(struct sampling *p, const struct pebs_record *record,
                           uint64_t selection)
{
    const uint64_t want = selection | (uint64_t)p->size << 48;
    const uint64_t got = record->record_format & ~PEBS_RETIRE_LATENCY;

    return check(p->t, got == want,
                 "Record Format (00H) is 0x%lx, but for Retire Latency, of a "
                 "record with IP (08H) 0x%lx; wanted 0x%lx, the groups in "
                 "[31:0] and the size in [63:48]",
                 got, record->eventing_ip, want);
}

void sampling_check_xmm(struct sampling *p, unsigned n,
                        const struct pebs_record *record, const char *which)
{
    const uint8_t *bytes = p->buffer + n * p->size;

    for (unsigned i = 0; i < 2 * PEBS_XMM; i++) {
        const uint64_t got = pebs_group_value(bytes, record, PEBS_GROUP_XMM, i);
        const uint64_t want = PEBS_PLANTED(i) ^ p->state.complement;
        check(p->t, got == want, "XMM%u[%s] of %s is 0x%lx; wanted 0x%lx",
              i / 2, i % 2 != 0 ? "127:64" : "63:0", which, got, want);
    }
}
