/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - takes over, programs and reads the performance counters. */
#include "src/counting/counters.h"

#include "src/base/msr.h"
#include "src/counting/bank.h"
#include "src/counting/smi_guard.h"
#include "src/cpu/errata.h"
#include "src/cpu/generation.h"

#define LEAF0A_EDX_ANYTHREAD_GONE 15

unsigned counters_available(const struct identity *id)
{
    return id->counters < COUNTERS_MAX ? id->counters : COUNTERS_MAX;
}

bool counters_have_event(const struct identity *id,
                         const struct pmu_event *event)
{
    return event->missing < id->leaf0a_eax >> 24 &&
           (id->leaf0a_ebx >> event->missing & 1) == 0;
}

bool counters_all_known(const struct identity *id)
{
    return id->perfmon_version <= 4 ||
           (id->perfmon_version <= 6 && identity_known(id) &&
            !counters_told_in_part(id));
}

bool counters_told_in_part(const struct identity *id)
{
    return id->core_type == CORE_TYPE_CORE && id->leaf_max < 0x23;
}

bool counters_fixed_untold(const struct identity *id)
{
    return id->perfmon_version == 2 && id->fixed_counters == 0;
}

bool counters_enumerate_anythread(const struct identity *id)
{
    return id->perfmon_version >= 3 &&
           (id->leaf0a_edx >> LEAF0A_EDX_ANYTHREAD_GONE & 1) == 0;
}

bool counters_have_pc(struct test_context *t, uint64_t places)
{
    const struct identity *id = test_cpu(t);
    bool held = identity_generation(id) == NEHALEM;

    for (unsigned n = 0; n < counters_available(id); n++) {
        if ((places >> n & 1) == 0)
            continue;
        int vector =
            try_set_msr_again(t, IA32_PERFEVTSEL(n), IA32_PERFEVTSEL_PC);
        held = held ||
               (vector == HW_NO_FAULT &&
                (msr_value(t, IA32_PERFEVTSEL(n)) & IA32_PERFEVTSEL_PC) != 0);
        set_msr_again(t, IA32_PERFEVTSEL(n), 0);
    }
    return held;
}

bool counters_clear_status(struct test_context *t, uint64_t bits)
{
    return set_msr_again(t, IA32_PERF_GLOBAL_STATUS_RESET, bits);
}

/* Firmware, a debugger or a hypervisor may count already: what the head of the
 * report has of that is not said again. */
static void note_in_use(struct test_context *t, const struct identity *id)
{
    uint64_t ctrl, select, fixed;

    if (wrote_msr(t, IA32_PERF_GLOBAL_CTRL) ||
        !get_msr(t, IA32_PERF_GLOBAL_CTRL, &ctrl))
        return;
    for (unsigned n = 0; n < counters_available(id); n++)
        if (get_msr(t, IA32_PERFEVTSEL(n), &select) &&
            (select & IA32_PERFEVTSEL_EN) != 0)
            note(t,
                 "in use before the test: IA32_PERFEVTSEL%u (%XH) = 0x%lx, "
                 "IA32_PERF_GLOBAL_CTRL (38FH) = 0x%lx",
                 n, IA32_PERFEVTSEL(n), select, ctrl);
    if (get_msr(t, IA32_FIXED_CTR_CTRL, &fixed) && fixed != 0 &&
        fixed != found_msr(t, IA32_FIXED_CTR_CTRL))
        note(t,
             "in use before the test: IA32_FIXED_CTR_CTRL (38DH) = 0x%lx, "
             "IA32_PERF_GLOBAL_CTRL (38FH) = 0x%lx",
             fixed, ctrl);
}

/* DEBUGCTL could stop the counters on a PMI, or start them after an SMI. PEBS
 * could write records. Neither is written where it is clear. */
static bool clear_controls(struct test_context *t)
{
    const uint64_t freeze = IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI |
                            IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI |
                            IA32_DEBUGCTL_FREEZE_WHILE_SMM_EN;
    uint64_t value;

    if (try_get_msr(t, IA32_PEBS_ENABLE, &value) == HW_NO_FAULT && value != 0) {
        if (value != found_msr(t, IA32_PEBS_ENABLE))
            note(t, "in use before the test: IA32_PEBS_ENABLE (3F1H) = 0x%lx",
                 value);
        if (!set_msr(t, IA32_PEBS_ENABLE, 0))
            return false;
    }
    return try_get_msr(t, IA32_DEBUGCTL, &value) != HW_NO_FAULT ||
           (value & freeze) == 0 || set_msr(t, IA32_DEBUGCTL, value & ~freeze);
}

/* MSR_PERF_METRICS goes with IA32_FIXED_CTR3, which is written first ("The
 * fixed counter 3 has to be written before": Linux,
 * arch/x86/events/intel/core.c): so it is saved first, to be given back last.
 */
static bool clear_fixed(struct test_context *t)
{
    const struct identity *id = test_cpu(t);
    const bool metrics =
        (id->perf_capabilities & IA32_PERF_CAPABILITIES_PERF_METRICS) != 0;
    bool ok = !metrics || set_msr(t, MSR_PERF_METRICS, 0);

    for (unsigned n = 0; ok && n < bank_fixed(id); n++)
        ok = set_msr(t, IA32_FIXED_CTR(n), 0);
    return ok && (!metrics || set_msr_again(t, MSR_PERF_METRICS, 0));
}

/* Selects and counters of all; the latter by their full-width name, where it
 * exists, which can give the value back. */
static bool clear_all(struct test_context *t)
{
    const struct identity *id = test_cpu(t);
    bool ok = true;

    for (unsigned n = 0; ok && n < counters_available(id); n++) {
        uint32_t pmc = id->full_width_writes ? IA32_A_PMC(n) : IA32_PMC(n);
        ok = set_msr(t, IA32_PERFEVTSEL(n), 0) && set_msr(t, pmc, 0);
    }
    return ok;
}

bool counters_clear_monitoring(struct test_context *t)
{
    static const uint32_t selects[] = {0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1};
    const struct identity *id = test_cpu(t);
    bool ok = true;

    if (identity_generation(id) != NEHALEM || counters_available(id) < 4)
        return true;
    for (unsigned n = 0; ok && n < 4; n++)
        ok = set_msr(t, IA32_PERFEVTSEL(n), selects[n]) &&
             set_msr(t, IA32_PMC(n), 0);
    return ok && set_msr(t, IA32_PERF_GLOBAL_CTRL, BITS(3, 0)) &&
           set_msr(t, IA32_PERF_GLOBAL_CTRL, 0) && clear_all(t);
}

bool counters_claim(struct test_context *t)
{
    uint64_t status;

    note_in_use(t, test_cpu(t));
    /* A bit that reads as 1 exists, and may so be written back as 1. In version
     * 4 CTR_Frz is among them, and holds every counter while it is set. */
    return set_msr(t, IA32_PERF_GLOBAL_CTRL, 0) && clear_controls(t) &&
           set_msr(t, IA32_FIXED_CTR_CTRL, 0) && clear_all(t) &&
           counters_clear_monitoring(t) && clear_fixed(t) &&
           get_msr(t, IA32_PERF_GLOBAL_STATUS, &status) &&
           (status == 0 || counters_clear_status(t, status));
}

bool counters_overflow_stays(struct test_context *t, uint64_t places)
{
    const uint64_t status = msr_value(t, IA32_PERF_GLOBAL_STATUS) & places;
    struct erratum_found found;

    if (status == 0 ||
        !errata_find(test_cpu(t), ERRATUM_OVERFLOW_STAYS, &found))
        return false;
    check_known(t, false, ERRATUM_OVERFLOW_STAYS, true,
                "IA32_PERF_GLOBAL_STATUS (38EH): bits 0x%lx stay set after all "
                "was cleared through 390H",
                status);
    return true;
}

/* Linux 5.9, arch/x86/events/intel/core.c, counter_freezing_ucodes[]: "CPU
 * errata" before these. */
static bool freezing_is_spoiled(const struct identity *id)
{
    static const struct {
        uint8_t model, stepping, microcode;
    } mended[] = {
        {0x5c, 2, 0x0e}, {0x5c, 9, 0x2e}, {0x5c, 10, 0x08},
        {0x5f, 1, 0x28}, {0x7a, 1, 0x28}, {0x7a, 8, 0x06},
    };

    for (size_t i = 0; i < sizeof(mended) / sizeof(mended[0]); i++)
        if (id->family == 6 && id->model == mended[i].model &&
            id->stepping == mended[i].stepping && id->microcode_known &&
            id->microcode < mended[i].microcode)
            return true;
    return false;
}

bool counters_can_freeze(struct test_context *t)
{
    uint64_t found;

    if (freezing_is_spoiled(test_cpu(t)))
        return false;
    if (identity_is_native(test_cpu(t)))
        return true;
    if (!get_msr(t, IA32_DEBUGCTL, &found))
        return false;
    const int vector = try_set_msr(t, IA32_DEBUGCTL,
                                   found | IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI);
    return set_msr(t, IA32_DEBUGCTL, found) && vector == HW_NO_FAULT;
}

/* Reads a register back. Counter 3 may fail to hold where nothing is promised.
 */
static void check_reads_back(struct counters *c, bool promised,
                             const char *name, uint32_t msr, uint64_t want)
{
    uint64_t got = msr_value(c->t, msr);

    if (got == want)
        return;
    if (promised)
        check(c->t, false, "%s (%XH) written with 0x%lx reads as 0x%lx", name,
              msr, want, got);
    else
        note(c->t, "%s (%XH) written with 0x%lx reads as 0x%lx", name, msr,
             want, got);
}

/* GLOBAL_CTRL takes the value that will open the window. Tried while nothing is
 * selected, so nothing counts; the WRMSR in the window has no fix-up. */
static bool try_enable(struct counters *c, bool counter3_promised)
{
    uint64_t got;

    if (!hold_msr(c->t, IA32_PERF_GLOBAL_CTRL) ||
        !set_held_msr(c->t, IA32_PERF_GLOBAL_CTRL, c->enable))
        return false;
    got = msr_value(c->t, IA32_PERF_GLOBAL_CTRL);
    if (!counter3_promised)
        got = (got & ~IA32_PERF_GLOBAL_CTRL_PMC(3)) |
              (c->enable & IA32_PERF_GLOBAL_CTRL_PMC(3));
    check_equal(c->t, "IA32_PERF_GLOBAL_CTRL (38FH) as it opens a window", got,
                c->enable);
    return set_held_msr(c->t, IA32_PERF_GLOBAL_CTRL, 0);
}

static uint64_t fixed_control(const struct counters *c)
{
    unsigned f = c->event->fixed;

    return c->fixed ? IA32_FIXED_CTR_CTRL_OS(f) | IA32_FIXED_CTR_CTRL_USR(f)
                    : 0;
}

static void read_counters(struct counters *c)
{
    for (unsigned n = 0; n < c->count; n++)
        c->last[n] = msr_value(c->t, IA32_PMC(n));
    if (c->fixed)
        c->last_fixed = msr_value(c->t, IA32_FIXED_CTR(c->event->fixed));
}

static bool write_counters(struct counters *c)
{
    bool ok = set_msr_again(c->t, IA32_PERF_GLOBAL_CTRL, 0) &&
              counters_clear_monitoring(c->t) &&
              set_msr_again(c->t, IA32_FIXED_CTR_CTRL, fixed_control(c));

    for (unsigned n = 0; ok && n < c->count; n++)
        ok = set_msr_again(c->t, IA32_PMC(n), 0) &&
             set_msr_again(c->t, IA32_PERFEVTSEL(n), c->select);
    if (c->fixed)
        ok = ok && set_msr_again(c->t, IA32_FIXED_CTR(c->event->fixed), 0);
    return ok;
}

static uint64_t smis_now(struct test_context *t)
{
    uint64_t smis = 0;

    return try_get_msr(t, MSR_SMI_COUNT, &smis) == HW_NO_FAULT ? smis : 0;
}

bool counters_program(struct counters *c, struct test_context *t,
                      unsigned count, const struct pmu_event *event,
                      bool counter3_promised)
{
    const struct identity *id = test_cpu(t);

    *c = (struct counters){
        .t = t,
        .event = event,
        .count = count,
        .fixed =
            event->fixed != PMU_NO_FIXED && event->fixed < id->fixed_counters,
        .gp_mask = BITS(id->counter_bits - 1, 0),
        .fixed_mask = id->fixed_bits != 0 ? BITS(id->fixed_bits - 1, 0) : 0,
        .enable = BITS(count - 1, 0),
        .select = event->event | (uint64_t)event->umask << 8 |
                  IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_EN,
    };
    if (c->fixed)
        c->enable |= IA32_PERF_GLOBAL_CTRL_FIXED_CTR(event->fixed);

    c->smis = smis_now(t);
    for (unsigned n = 0; n < count; n++)
        if (!set_msr_again(t, IA32_PERFEVTSEL(n), 0))
            return false;
    if (!set_msr_again(t, IA32_FIXED_CTR_CTRL, 0) ||
        !try_enable(c, counter3_promised) || !write_counters(c))
        return false;
    for (unsigned n = 0; n < count; n++)
        check_reads_back(c, n != 3 || counter3_promised, "IA32_PERFEVTSELx",
                         IA32_PERFEVTSEL(n), c->select);
    check_reads_back(c, true, "IA32_FIXED_CTR_CTRL", IA32_FIXED_CTR_CTRL,
                     fixed_control(c));
    read_counters(c);
    return true;
}

void counters_repair(struct counters *c)
{
    if (write_counters(c))
        read_counters(c);
}

struct sample_call {
    struct counters *c;
    window_function *window;
    struct sample *out;
};

/* After an SMI, in a window or between two: SMM may have written what a window
 * rests on. */
static bool program_again(struct counters *c, uint64_t smis)
{
    uint64_t fixed = msr_value(c->t, IA32_FIXED_CTR_CTRL);

    c->smis = smis;

    if (fixed != fixed_control(c) && !c->smi_told) {
        c->smi_told = true;
        note(c->t,
             "an SMI changed IA32_FIXED_CTR_CTRL (38DH) from 0x%lx to 0x%lx",
             fixed_control(c), fixed);
    }
    if (!write_counters(c))
        return false;
    read_counters(c);
    return true;
}

static bool sample_once(void *argument)
{
    struct sample_call *call = argument;
    struct counters *c = call->c;
    struct sample *out = call->out;
    uint64_t cells[WINDOW_CELLS] = {0};

    hw_poll();
    const uint64_t smis = smis_now(c->t);
    if (smis != c->smis && !program_again(c, smis))
        return false;
    const struct counters before = *c;
    out->aborted = call->window(c->enable, cells);
    read_counters(c);
    for (unsigned n = 0; n < c->count; n++)
        out->gp[n] = (c->last[n] - before.last[n]) & c->gp_mask;
    out->fixed = (c->last_fixed - before.last_fixed) & c->fixed_mask;
    return true;
}

bool counters_sample(struct counters *c, window_function *window,
                     struct sample *out)
{
    struct sample_call call = {c, window, out};

    return smi_guard(c->t, sample_once, &call, &c->repeated);
}
