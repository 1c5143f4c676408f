/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_adaptive.c - adaptive PEBS records: the fields of the older ones in
 * groups that software asks for, and XMM registers, last branches, counters.
 *
 * SDM volume 3B, "Adaptive PEBS", tables "Basic Info Group", "Memory Access
 * Info Group", "GPRs", "XMMs", "LBRs". What is said of the fields of older
 * records holds for them here.
 */
#include "tests/silicon/model/pebs/pebs.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/lbr/lbr.h"
#include "tests/silicon/model/counters/metrics.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/counters/pmu_msr.h"

#define SIZE_SHIFT 48

/* What is in a record: its groups with their words, so far. */
struct filling {
    const struct machine *machine;
    uint64_t *words;
    unsigned count;
    uint32_t group; /* 0 for the basic one, then one by one */
    unsigned start; /* of the group, in words */
};

static void begin_group(struct filling *f, uint32_t group)
{
    f->group = group;
    f->start = f->count;
}

static void put(struct filling *f, uint64_t word)
{
    uint32_t at = ADAPTIVE_AT(f->group, 8 * (f->count - f->start));

    f->words[f->count++] = faults_quantity(f->machine, ADAPTIVE_WORD, at, word);
}

/* Has any of these counters Adaptive_Record set? Without it a record has the
 * basic group alone. */
static bool is_asked_for(const struct processor *p, uint64_t counters)
{
    const struct machine *m = p->machine;

    if (!faults_rule(m, ADAPTIVE_OF_ITS_COUNTER, true))
        counters = pebs_enabled(p);
    for (unsigned n = 0; n < p->counters; n++)
        if ((counters & BIT(n)) != 0 &&
            ((p->pmu.select[n] & EVTSEL_ADAPTIVE) != 0 ||
             !faults_rule(m, ADAPTIVE_WHERE_ASKED, true)))
            return true;
    for (unsigned n = 0; n < p->fixed_counters; n++)
        if ((counters & BIT(32 + n)) != 0 &&
            ((p->pmu.fixed_ctrl & FIXED_ADAPTIVE(n)) != 0 ||
             !faults_rule(m, FIXED_WHERE_ASKED, true)))
            return true;
    return false;
}

/* The groups of a record, as in MSR_PEBS_DATA_CFG; no more entries of branches
 * than there are. */
static uint64_t groups_of(struct processor *p, uint64_t counters)
{
    uint64_t cfg = 0;

    if (!is_asked_for(p, counters) || !msr_read(p, MSR_PEBS_DATA_CFG, &cfg))
        return 0;
    if (p->faults.of_user && !faults_rule(p->machine, LBRS_IN_RING_3, true))
        cfg &= ~DATA_CFG_LBRS;
    return faults_quantity(p->machine, ADAPTIVE_GROUPS, ANY_NUMBER, cfg);
}

/* Of later ones: [15:0] from the dispatch of the instruction on, [47:32] of the
 * cache access alone. Linux, events/intel/ds.c, "Alder Lake and later". How
 * much longer the first is, is not said. */
static uint64_t latency_of(const struct processor *p, uint64_t cache)
{
    uint64_t all = cache + p->choices.cycles_other;

    if (!p->cpu->latency_in_two || cache == 0)
        return cache;
    if (cache > 0xFF && !faults_rule(p->machine, LATENCY_OF_CACHE_WHOLE, true))
        cache = 0xFF;
    if (all > 0xFFFF)
        all = 0xFFFF;
    return faults_rule(p->machine, LATENCY_OF_INSTRUCTION_FIRST, true)
               ? all | cache << 32
               : cache | all << 32;
}

/* With these groups in the record. */
static void put_memory(const struct processor *p, struct filling *f,
                       uint64_t *fixed, uint64_t groups)
{
    const struct machine *m = f->machine;
    bool last = faults_rule(m, TX_INFO_IS_LAST, true);

    if ((groups & DATA_CFG_LBRS) != 0 &&
        !faults_rule(m, INFO_BESIDE_LBRS, true))
        fixed[WORD_TX_ABORT] = 0;
    if ((groups & DATA_CFG_LBRS) != 0 &&
        !faults_rule(m, LATENCY_BESIDE_LBRS, true))
        fixed[WORD_LATENCY] = 0;
    if ((groups & DATA_CFG_XMM) != 0 &&
        !faults_rule(m, ADDRESS_BESIDE_XMM, true))
        fixed[WORD_ADDRESS] = 0;
    if ((groups & DATA_CFG_XMM) != 0 &&
        !faults_rule(m, SOURCE_BESIDE_XMM, true))
        fixed[WORD_SOURCE] = 0;
    fixed[WORD_LATENCY] = latency_of(p, fixed[WORD_LATENCY]);
    begin_group(f, 1);
    put(f, fixed[WORD_ADDRESS]);
    put(f, fixed[WORD_SOURCE]);
    put(f, fixed[last ? WORD_LATENCY : WORD_TX_ABORT]);
    put(f, fixed[last ? WORD_TX_ABORT : WORD_LATENCY]);
}

/* In the order of their numbers in instructions, not that of older records. */
static void put_registers(struct filling *f, const uint64_t *fixed)
{
    /* clang-format off */
    static const uint8_t order[PEBS_REGISTERS] = {
        PEBS_RFLAGS, PEBS_RIP, PEBS_RAX, PEBS_RCX, PEBS_RDX, PEBS_RBX, PEBS_RSP,
        PEBS_RBP, PEBS_RSI, PEBS_RDI, PEBS_R8, PEBS_R9, PEBS_R10, PEBS_R11,
        PEBS_R12, PEBS_R13, PEBS_R14, PEBS_R15,
    };
    /* clang-format on */
    bool by_number = faults_rule(f->machine, GPRS_BY_NUMBER, true);

    begin_group(f, 2);
    for (unsigned n = 0; n < PEBS_REGISTERS; n++)
        put(f, fixed[by_number ? order[n] : n]);
}

static void put_xmm(struct processor *p, struct filling *f,
                    const struct pebs_snapshot *s)
{
    bool shown =
        !p->faults.of_user || faults_rule(f->machine, XMM_IN_RING_3, true);
    bool now = faults_rule(f->machine, XMM_OF_THIS_RECORD, true);

    begin_group(f, 3);
    for (unsigned n = 0; n < XMM_WORDS; n++) {
        put(f, !now ? p->faults.xmm[n] : shown ? s->xmm[n] : 0);
        p->faults.xmm[n] = s->xmm[n];
    }
}

/* INFO of an entry, as the group has it. */
static uint64_t info_of(const struct processor *p, uint64_t info)
{
    const struct machine *m = p->machine;

    if (p->faults.of_user && !faults_rule(m, LBR_TYPES_IN_RING_3, true))
        info &= ~LBR_INFO_TYPE;
    if (p->faults.of_user && !faults_rule(m, LBR_CYCLES_OF_RING_3, true))
        info &= ~LBR_INFO_CYCLES;
    if (!faults_rule(m, LBR_GROUP_HAS_ABORT, true))
        info &= ~LBR_INFO_ABORT;
    if (!faults_rule(m, LBR_GROUP_HAS_IN_TX, true))
        info &= ~LBR_INFO_IN_TSX;
    return info;
}

/* From the one at TOS on backwards. */
static void put_branches(struct processor *p, struct filling *f,
                         unsigned entries)
{
    const struct lbr_state *l = &p->lbr;
    bool backwards = faults_rule(f->machine, LBRS_NEWEST_FIRST, true);
    uint64_t hidden = faults_rule(f->machine, RECORD_LBRS_HAVE_FLAGS, true)
                          ? 0
                          : LBR_INFO_MISPRED;
    unsigned skipped = entries >= lbr_depth(p) ||
                               faults_rule(f->machine, LBRS_ARE_NEWEST, true)
                           ? 0
                           : lbr_depth(p) - entries;

    begin_group(f, 4);
    for (unsigned n = 0; n < entries; n++) {
        unsigned at = lbr_index(
            p, backwards ? n + skipped : lbr_depth(p) - 1 - n % lbr_depth(p));
        bool is = n < lbr_depth(p) &&
                  ((l->info[at] & LBR_INFO_TYPE) !=
                       LBR_TYPE_OTHER << LBR_INFO_TYPE_SHIFT ||
                   faults_rule(f->machine, LBR_GROUP_HAS_FAR, true));
        unsigned own =
            n + 1 < entries && n + 1 < lbr_depth(p) &&
                    !faults_rule(f->machine, LBRS_HAVE_OWN_INFO, true)
                ? lbr_index(p, n + 1)
                : at;

        put(f, is ? l->from[at] : 0);
        put(f, is ? l->to[at] : 0);
        put(f, is && faults_rule(f->machine, RECORD_LBRS_HAVE_INFO, true)
                   ? info_of(p, l->info[own] & ~hidden)
                   : 0);
    }
}

/* Counters as they are while the record is made, before they are reloaded:
 * "HW will reload the value right after the overflow" (the patch). After a
 * header that says which: general-purpose ones, fixed ones, then "Metrics base
 * and Metrics Data": slots, and IA32_PERF_METRICS. */
static void put_counters(struct processor *p, struct filling *f, uint64_t cfg)
{
    const struct machine *m = f->machine;
    const bool metrics = (cfg & DATA_CFG_METRICS) != 0;
    const bool counters = (cfg & DATA_CFG_COUNTERS) != 0;
    const bool now = faults_rule(m, SNAPSHOT_NOW, true);
    uint64_t general = counters ? DATA_CFG_GENERAL(cfg) : 0;
    uint64_t fixed = counters ? DATA_CFG_FIXED(cfg) : 0;

    begin_group(f, 5);
    put(f, general | fixed << 32);
    put(f, metrics ? 3 : 0);
    for (unsigned n = 0; n < p->counters; n++)
        if ((general >> n & 1) != 0) {
            put(f, (now ? p->pmu.counter[n] : p->faults.snapshot[n]) &
                       (faults_rule(m, SNAPSHOT_WHOLE, true) ? UINT64_MAX
                                                             : BITS(31, 0)));
            p->faults.snapshot[n] = p->pmu.counter[n];
        }
    for (unsigned n = 0; n < p->fixed_counters; n++)
        if ((fixed >> n & 1) != 0)
            put(f,
                p->pmu.fixed[n == 1 && !faults_rule(m, SNAPSHOT_FIXED_OWN, true)
                                 ? 0
                                 : n]);
    if (metrics) {
        bool base = faults_rule(m, SNAPSHOT_BASE_FIRST, true);

        put(f, base ? p->pmu.fixed[FIXED_SLOTS] : metrics_value(p));
        put(f, base ? metrics_value(p) : p->pmu.fixed[FIXED_SLOTS]);
    }
}

/* IA32_PERF_CAPABILITIES[17]: "the number of elapsed core clocks between the
 * retirement of the instruction .. and the retirement of the prior instruction"
 * (Linux, "Support Retire Latency"), in 16 bits. */
static uint64_t retire_latency(const struct processor *p)
{
    if ((p->cpu->perf_capabilities & BIT(17)) == 0)
        return 0;
    if (p->faults.of_user &&
        !faults_rule(p->machine, RETIRE_LATENCY_RING_3, true))
        return 0xFFFF;
    return p->pebs.latency < 0xFFFF ? p->pebs.latency : 0xFFFF;
}

void pebs_adapt_record(struct processor *p, const struct pebs_snapshot *s,
                       uint64_t counters, struct pebs_record *record)
{
    const struct machine *m = p->machine;
    uint64_t fixed[PEBS_WORDS_FIXED], groups = groups_of(p, counters), size;
    unsigned entries = (unsigned)DATA_CFG_ENTRIES(groups);
    struct filling f = {.machine = m, .words = record->words};

    if (entries == 1 && !faults_rule(m, ONE_ENTRY_RECORDED, true))
        entries = 0;
    __builtin_memcpy(fixed, record->words, sizeof(fixed));
    put(&f, 0);
    put(&f, fixed[faults_rule(m, BASIC_HAS_EVENTING_IP, true) ? WORD_EVENTING_IP
                                                              : PEBS_RIP]);
    put(&f, p->faults.of_user && !faults_rule(m, FIXED_NAMED_IN_RING_3, true)
                ? fixed[WORD_STATUS] & BITS(31, 0)
                : fixed[WORD_STATUS]);
    put(&f, fixed[WORD_TSC]);
    if ((groups & DATA_CFG_MEMORY) != 0)
        put_memory(p, &f, fixed, groups);
    if ((groups & DATA_CFG_GPRS) != 0)
        put_registers(&f, fixed);
    if ((groups & DATA_CFG_XMM) != 0)
        put_xmm(p, &f, s);
    if ((groups & DATA_CFG_LBRS) != 0)
        put_branches(p, &f, entries < LBR_DEPTH_MAX ? entries : LBR_DEPTH_MAX);
    if ((groups & (DATA_CFG_COUNTERS | DATA_CFG_METRICS)) != 0)
        put_counters(p, &f, groups);
    record->bytes = 8 * f.count;
    size = faults_quantity(m, ADAPTIVE_SIZE, ANY_NUMBER, record->bytes);
    record->words[0] = faults_quantity(
        m, ADAPTIVE_FORMAT, ANY_NUMBER,
        (groups & BITS(31, 0)) | retire_latency(p) << 32 | size << SIZE_SHIFT);
}
