/* SPDX-License-Identifier: BSD-2-Clause */
/* constraints.c - the table, and what it says of an event. */
#include "src/counting/constraints.h"

#include "src/cpu/generation.h"
#include "src/base/msr.h"
#include "src/base/text.h"

#define ANY_GENERATION (~0u)
#define ANY_COUNTER    0x3ffu
/* The processors with PDIR and off-core response of two MSRs. */
#define FROM_SANDY_BRIDGE \
    (SANDY_BRIDGE | IVY_BRIDGE | HASWELL | BROADWELL | SKYLAKE)
#define BUT_LATER (~(unsigned)SINCE_ICE_LAKE)
#define CODE      (IA32_PERFEVTSEL_EVENT | IA32_PERFEVTSEL_UMASK)

static const struct row {
    const char *name;
    uint64_t mask, select; /* of the events it is about: IA32_PERFEVTSELx */
    bool precise;          /* about those that make records only */
    bool tsx;              /* needs HLE or RTM */
    unsigned only;         /* generations that it is about, 0: all but */
    unsigned except;       /* these, where the event is another */
    unsigned generations;  /* that have it; of others the event is none */
    unsigned alone;        /* generations where others must be quiet */
    unsigned counters;     /* that may be used, but for */
    unsigned free;         /* generations where any may */
    uint32_t msr;          /* that goes with it */
} rows[] = {
    /* SDM 3B, "Precise Distribution of Instructions Retired (PDIR)"; table
     * "Precise Events for the Skylake Microarchitecture", note 1. Not
     * INST_RETIRED.ALL_CYCLES, which has a CMASK. On 06_2A and 06_2D "the tool
     * .. should quiesce the rest of the programmable counters". */
    {.name = "INST_RETIRED.ALL",
     .mask = CODE | IA32_PERFEVTSEL_CMASK,
     .select = 0x01c0,
     .generations = FROM_SANDY_BRIDGE,
     .alone = SANDY_BRIDGE,
     .counters = BIT(1)},
    /* SDM 3B, "Precise Store Facility". From the 4th generation on data address
     * profiling takes its place. */
    {.name = "MEM_TRANS_RETIRED.PRECISE_STORE",
     .mask = CODE,
     .select = 0x02cd,
     .except = SINCE_GOLDEN_COVE,
     .generations = SANDY_BRIDGE | IVY_BRIDGE,
     .counters = BIT(3)},
    /* Intel's lists of events SPR and ADL, and Linux,
     * arch/x86/events/intel/ds.c, intel_glc_pebs_event_constraints: these two
     * from the 12th generation on. */
    {.name = "MEM_TRANS_RETIRED.STORE_SAMPLE",
     .mask = CODE,
     .select = 0x02cd,
     .only = GOLDEN_COVE,
     .generations = ANY_GENERATION,
     .counters = BIT(0)},
    {.name = "MEM_TRANS_RETIRED.LOAD_LATENCY",
     .mask = CODE,
     .select = 0x01cd,
     .only = GOLDEN_COVE,
     .generations = ANY_GENERATION,
     .counters = BITS(7, 1)},
    /* Intel's list of events LNL; Linux, intel_lnc_pebs_event_constraints. */
    {.name = "MEM_TRANS_RETIRED.STORE_SAMPLE",
     .mask = CODE,
     .select = 0x02cd,
     .only = LION_COVE,
     .generations = ANY_GENERATION,
     .counters = BITS(1, 0)},
    {.name = "MEM_TRANS_RETIRED.LOAD_LATENCY",
     .mask = CODE,
     .select = 0x01cd,
     .only = LION_COVE,
     .generations = ANY_GENERATION,
     .counters = BITS(9, 2)},
    /* Intel's list of events ADL, and Linux, intel_grt_pebs_event_constraints.
     */
    {.name = "MEM_UOPS_RETIRED.LOAD_LATENCY",
     .mask = CODE,
     .select = 0x05d0,
     .only = GRACEMONT,
     .generations = ANY_GENERATION,
     .counters = BITS(1, 0),
     .msr = 0x3f6},
    /* SDM 3B, "Load Latency Performance Monitoring Facility": one threshold for
     * all counters. Counter 3 on 06_2A to 06_3E: the tables of events of these
     * processors, and Linux, arch/x86/events/intel/ds.c. */
    {.name = "MEM_TRANS_RETIRED.LOAD_LATENCY",
     .mask = CODE,
     .select = 0x01cd,
     .generations = FROM_SANDY_BRIDGE | SINCE_ICE_LAKE,
     .counters = BIT(3),
     .free = HASWELL | BROADWELL | SKYLAKE | SINCE_ICE_LAKE,
     .msr = 0x3f6},
    /* SDM 3B, "Off-core Response Performance Monitoring": "only with a specific
     * pair of event select and counter MSR". On Ice Lake: as below. */
    {.name = "OFF_CORE_RESPONSE_0",
     .mask = CODE,
     .select = 0x01b7,
     .except = SINCE_GOLDEN_COVE,
     .generations = ANY_GENERATION,
     .counters = BITS(3, 0),
     .free = BUT_LATER,
     .msr = 0x1a6},
    {.name = "OFF_CORE_RESPONSE_1",
     .mask = CODE,
     .select = 0x01bb,
     .except = SINCE_GOLDEN_COVE,
     .generations = FROM_SANDY_BRIDGE | SINCE_ICE_LAKE,
     .counters = BITS(3, 0),
     .free = BUT_LATER,
     .msr = 0x1a7},
    /* Intel's lists of events SPR, GNR and ADL, OCR: other event selects; of
     * Lion Cove the counters are Linux', intel_lnc_event_constraints. */
    {.name = "OFF_CORE_RESPONSE_0",
     .mask = CODE,
     .select = 0x012a,
     .only = SINCE_GOLDEN_COVE,
     .generations = ANY_GENERATION,
     .counters = BITS(3, 0),
     .msr = 0x1a6},
    {.name = "OFF_CORE_RESPONSE_1",
     .mask = CODE,
     .select = 0x012b,
     .only = SINCE_GOLDEN_COVE,
     .generations = ANY_GENERATION,
     .counters = BITS(3, 0),
     .msr = 0x1a7},
    /* Intel's lists of events of Ice Lake and later (github.com/intel/perfmon,
     * ICX, SPR, LNL): MEM_INST_RETIRED to MEM_LOAD_L3_MISS_RETIRED, D0H to D3H,
     * and TX_MEM count on the first four counters. */
    {.name = "MEM_INST_RETIRED",
     .mask = 0xfc,
     .select = 0xd0,
     .generations = ANY_GENERATION,
     .counters = BITS(3, 0),
     .free = BUT_LATER},
    {.name = "TX_MEM",
     .mask = IA32_PERFEVTSEL_EVENT,
     .select = 0x54,
     .generations = ANY_GENERATION,
     .counters = BITS(3, 0),
     .free = BUT_LATER},
    /* SDM 3B, "Precise Events for the Skylake Microarchitecture", note 3. */
    {.name = "FRONTEND_RETIRED",
     .mask = CODE,
     .select = 0x01c6,
     .generations = SKYLAKE | SINCE_ICE_LAKE,
     .counters = ANY_COUNTER,
     .msr = 0x3f7},
    /* SDM 3B, "Performance Monitoring and Intel TSX". */
    {.name = "IN_TX",
     .mask = IA32_PERFEVTSEL_IN_TX,
     .select = IA32_PERFEVTSEL_IN_TX,
     .tsx = true,
     .generations = ANY_GENERATION,
     .counters = ANY_COUNTER},
    {.name = "IN_TXCP",
     .mask = IA32_PERFEVTSEL_IN_TXCP,
     .select = IA32_PERFEVTSEL_IN_TXCP,
     .tsx = true,
     .generations = ANY_GENERATION,
     .counters = BIT(2)},
    /* SDM 3B, tables "PEBS Facility Comparison"; from Ice Lake on any:
     * "Extended PEBS". */
    {.name = "PEBS",
     .precise = true,
     .generations = ANY_GENERATION,
     .counters = BITS(3, 0),
     .free = SINCE_ICE_LAKE | GRACEMONT},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const enum regime as_documented =
    REGIME_A | REGIME_C | REGIME_C_PRIME | REGIME_D | REGIME_F;

bool constraints_counter3(enum regime regime, bool rtm, uint64_t force_abort)
{
    if (regime == REGIME_B)
        return !rtm || (force_abort & TSX_FORCE_ABORT_RTM_FORCE_ABORT) != 0;
    return (regime & as_documented) != 0;
}

struct constraints_cpu constraints_cpu_of(const struct identity *id,
                                          enum regime regime,
                                          uint64_t force_abort)
{
    return (struct constraints_cpu){
        .family = id->family,
        .model = id->model,
        .core_type = id->core_type,
        .counters = id->counters < PLACE_FIXED ? id->counters : PLACE_FIXED,
        .tsx = id->hle || id->rtm,
        .regime = regime,
        .rtm = id->rtm,
        .force_abort = force_abort,
    };
}

/* "1", "0 to 3" */
static void name_counters(unsigned set, char text[16])
{
    unsigned first = (unsigned)__builtin_ctz(set);
    unsigned last = 31 - (unsigned)__builtin_clz(set);

    if (first == last)
        text_format(text, 16, "%u", first);
    else
        text_format(text, 16, "%u to %u", first, last);
}

/* Why no counter of `allowed`, which all the rows have in common, is there. */
static void explain(const struct constraints_cpu *cpu, unsigned allowed,
                    char why[CONSTRAINTS_WHY_BYTES])
{
    char names[16] = "";

    if (cpu->counters == 0)
        text_append(why, CONSTRAINTS_WHY_BYTES, "%s; there is none",
                    why[0] == '\0' ? "needs a counter" : "");
    else if (allowed == 0)
        text_append(why, CONSTRAINTS_WHY_BYTES, " at once");
    else if (cpu->counters <= 3 || (allowed & BIT(3)) == 0) {
        name_counters((1u << cpu->counters) - 1, names);
        text_append(why, CONSTRAINTS_WHY_BYTES, "; there is counter %s", names);
    } else if (cpu->regime == REGIME_B)
        text_append(why, CONSTRAINTS_WHY_BYTES,
                    ", which is not usable in regime B without "
                    "RTM_FORCE_ABORT");
    else
        text_append(why, CONSTRAINTS_WHY_BYTES,
                    ", and no document says that it is usable in this regime");
}

/* SDM 3B, table "Association of Fixed-Function Performance Counters with
 * Architectural Performance Events": 0 instructions retired, 1 unhalted core
 * cycles. The third counts at another rate than the event of its name. */
static unsigned fixed_places(const struct constraints_cpu *cpu,
                             const struct event_wanted *event)
{
    static const uint64_t counted[] = {0x00c0, 0x003c};
    const uint64_t plain =
        ~(IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_PC |
          IA32_PERFEVTSEL_INT | IA32_PERFEVTSEL_EN);

    for (unsigned n = 0; n < 2 && n < cpu->fixed && !event->precise; n++)
        if ((event->select & plain) == counted[n])
            return (unsigned)BIT(PLACE_FIXED + n);
    return 0;
}

static bool is_about(const struct row *row, const struct event_wanted *event,
                     unsigned generation)
{
    return (row->only == 0 || (row->only & generation) != 0) &&
           (row->except & generation) == 0 &&
           (event->select & row->mask) == row->select &&
           (event->precise || !row->precise);
}

/* True where the processor has what the row is about; else why[] says it. */
static bool is_present(const struct constraints_cpu *cpu, unsigned generation,
                       const struct row *row, char *why)
{
    if (row->generations != ANY_GENERATION &&
        (row->generations & generation) == 0)
        text_format(why, CONSTRAINTS_WHY_BYTES,
                    "%s is not an event of %02X_%02XH", row->name, cpu->family,
                    cpu->model);
    else if (row->tsx && !cpu->tsx)
        text_format(why, CONSTRAINTS_WHY_BYTES,
                    "%s needs a processor with HLE or RTM", row->name);
    else
        return true;
    return false;
}

bool constraints_find(const struct constraints_cpu *cpu,
                      const struct event_wanted *event, struct placement *out,
                      char why[CONSTRAINTS_WHY_BYTES])
{
    const unsigned generation =
        generation_of(cpu->family, cpu->model, cpu->core_type);
    unsigned allowed = ANY_COUNTER, there = (1u << cpu->counters) - 1;
    const char *needs = "needs counter";
    char names[16];

    *out = (struct placement){0};
    why[0] = '\0';
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        if (!is_about(row, event, generation))
            continue;
        if (!is_present(cpu, generation, row, why))
            return false;
        out->alone |= (row->alone & generation) != 0;
        if (row->msr != 0) {
            out->msr = row->msr;
            out->value = event->with;
        }
        if ((row->free & generation) != 0 || (allowed & ~row->counters) == 0)
            continue;
        allowed &= row->counters;
        name_counters(row->counters, names);
        text_append(why, CONSTRAINTS_WHY_BYTES, "%s %s (%s)", needs, names,
                    row->name);
        needs = " and counter";
    }
    if (!constraints_counter3(cpu->regime, cpu->rtm, cpu->force_abort))
        there &= ~(unsigned)BIT(3);
    out->counters = (allowed & there) | fixed_places(cpu, event);
    if (out->counters == 0)
        explain(cpu, allowed, why);
    return out->counters != 0;
}
