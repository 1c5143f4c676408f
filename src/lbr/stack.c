/* SPDX-License-Identifier: BSD-2-Clause */
/* stack.c - takes last branch records. */
#include "src/lbr/stack.h"

#include "src/base/names.h"
#include "src/counting/smi_guard.h"

unsigned lbr_entry_msrs(const struct lbr_model *model)
{
    return model->info ? 3 : 2;
}

uint32_t lbr_entry_msr(const struct lbr_model *model, unsigned n,
                       unsigned entry)
{
    static const uint32_t first[2][3] = {
        {MSR_LASTBRANCH_FROM_IP(0), MSR_LASTBRANCH_TO_IP(0), MSR_LBR_INFO(0)},
        {IA32_LBR_FROM_IP(0), IA32_LBR_TO_IP(0), IA32_LBR_INFO(0)}};

    return first[model->arch][n] + entry;
}

uint64_t lbr_flags(const struct lbr *l)
{
    const struct identity *id = test_cpu(l->t);

    return (id->rtm || id->hle) && l->model.tsx ? BITS(63, 61) : LBR_MISPRED;
}

unsigned lbr_flags_in(const struct lbr_model *model)
{
    return model->info ? 2 : 0;
}

uint64_t lbr_on(const struct lbr *l)
{
    return l->model.arch ? lbr_control(l->select) | IA32_LBR_CTL_LBREn
                         : l->off | IA32_DEBUGCTL_LBR;
}

const char *lbr_enable_name(const struct lbr *l)
{
    return l->model.arch ? "IA32_LBR_CTL (14CEH)[0], LBREn"
                         : "IA32_DEBUGCTL (1D9H)[0], LBR";
}

static bool is_there(struct lbr *l, uint32_t msr, const char *access,
                     int vector)
{
    char name[MSR_NAME_BYTES], there[48] = "CPUID.7.0:EDX[19] is 1";

    if (!l->model.arch)
        text_format(there, sizeof(there),
                    "IA32_PERF_CAPABILITIES (345H)[5:0] is %u",
                    l->model.format);
    return vector == HW_NO_FAULT ||
           check(l->t, false, "%s: %s: got %s, wanted no fault: %s",
                 msr_name(msr, name), access, fault_name(vector), there);
}

bool lbr_put(struct lbr *l, uint32_t msr, uint64_t value)
{
    return is_there(l, msr, "WRMSR", try_set_msr(l->t, msr, value));
}

bool lbr_get(struct lbr *l, uint32_t msr, uint64_t *value)
{
    return is_there(l, msr, "RDMSR", try_get_msr(l->t, msr, value));
}

bool lbr_filter(struct lbr *l)
{
    return l->model.arch ? lbr_put(l, IA32_LBR_CTL, lbr_control(l->select))
                         : lbr_put(l, MSR_LBR_SELECT, l->select);
}

static uint64_t debugctl_of(const struct lbr *l, uint64_t debugctl, bool on)
{
    return l->off | debugctl |
           (on && !l->model.arch ? IA32_DEBUGCTL_LBR : UINT64_C(0));
}

static uint64_t control_of(const struct lbr *l, bool on)
{
    return on ? lbr_on(l) : lbr_control(l->select);
}

bool lbr_turn(struct lbr *l, uint64_t debugctl, bool on)
{
    return set_msr(l->t, IA32_DEBUGCTL, debugctl_of(l, debugctl, on)) &&
           (!l->model.arch || set_msr(l->t, IA32_LBR_CTL, control_of(l, on)));
}

bool lbr_hold(struct lbr *l)
{
    return hold_msr(l->t, IA32_DEBUGCTL) &&
           (!l->model.arch || hold_msr(l->t, IA32_LBR_CTL));
}

bool lbr_turn_held(struct lbr *l, uint64_t debugctl, bool on)
{
    const uint64_t freeze = debugctl_of(l, debugctl, on);

    /* A second write of an MSR is long where few events are left. */
    return ((l->model.arch && msr_value(l->t, IA32_DEBUGCTL) == freeze) ||
            set_held_msr(l->t, IA32_DEBUGCTL, freeze)) &&
           (!l->model.arch ||
            set_held_msr(l->t, IA32_LBR_CTL, control_of(l, on)));
}

bool lbr_is_on(struct lbr *l)
{
    return (msr_value(l->t, l->msr) & 1) != 0;
}

/* At its full depth: another one empties it. */
static bool arch_is_free(struct lbr *l)
{
    uint64_t control, depth;

    if (!lbr_get(l, IA32_LBR_CTL, &control) ||
        !lbr_get(l, IA32_LBR_DEPTH, &depth))
        return false;
    if ((control & IA32_LBR_CTL_LBREn) == 0 && depth == l->model.depth)
        return true;
    skip(l->t,
         "needs branch records unused and %u of them; IA32_LBR_CTL (14CEH) is "
         "0x%lx, IA32_LBR_DEPTH (14CFH) %lu",
         l->model.depth, control, depth);
    return false;
}

/* Nobody else's, and no trace, which on some processors excludes them (SDM 3C,
 * "Model Specific Capability Restrictions"). */
static bool lbr_is_free(struct lbr *l)
{
    uint64_t control = 0;

    if (!get_msr(l->t, IA32_DEBUGCTL, &l->off) ||
        (test_cpu(l->t)->pt && !get_msr(l->t, IA32_RTIT_CTL, &control)))
        return false;
    if ((l->off & (IA32_DEBUGCTL_LBR | IA32_DEBUGCTL_TR)) != 0)
        skip(l->t, "needs branch records unused; IA32_DEBUGCTL (1D9H) is 0x%lx",
             l->off);
    else if ((control & IA32_RTIT_CTL_TraceEn) != 0)
        skip(l->t, "needs Processor Trace unused; IA32_RTIT_CTL (570H)[0] "
                   "(TraceEn) is 1");
    else
        return !l->model.arch || arch_is_free(l);
    return false;
}

/* But for those of l->zeros, of which none is sure afterwards. */
static bool empty_used(struct lbr *l)
{
    const uint32_t zeros = l->zeros;

    l->zeros = 0;
    /* "On a software write to IA32_LBR_DEPTH, all LBR entries are reset to 0."
     */
    if (l->model.arch && l->saved)
        return lbr_put(l, IA32_LBR_DEPTH, l->model.depth);
    for (unsigned entry = 0; entry < l->model.depth; entry++)
        for (unsigned n = 0; n < lbr_entry_msrs(&l->model); n++)
            if ((zeros >> entry & 1) == 0 &&
                !lbr_put(l, lbr_entry_msr(&l->model, n, entry), 0))
                return false;
    return true;
}

bool lbr_empty(struct lbr *l)
{
    l->zeros = 0;
    return empty_used(l);
}

static bool read_tos(struct lbr *l, unsigned *tos)
{
    uint64_t value;

    *tos = 0;
    if (l->model.arch)
        return true;
    if (!lbr_get(l, MSR_LASTBRANCH_TOS, &value))
        return false;
    *tos = (unsigned)value & (l->model.depth - 1);
    return value == *tos ||
           check(l->t, false,
                 "MSR_LASTBRANCH_TOS (1C9H) is %lu; wanted 0 to %u", value,
                 l->model.depth - 1);
}

/* What is beside the entries. */
static bool claim_registers(struct lbr *l)
{
    unsigned tos;

    if (l->model.arch)
        return lbr_put(l, IA32_LBR_DEPTH, l->model.depth) && lbr_filter(l);
    return read_tos(l, &tos) && lbr_put(l, MSR_LASTBRANCH_TOS, tos) &&
           lbr_filter(l);
}

bool lbr_claim(struct lbr *l, struct test_context *t)
{
    *l = (struct lbr){.t = t};
    if (!lbr_of(test_cpu(t), &l->model) || !lbr_is_free(l))
        return false;
    l->msr = l->model.arch ? IA32_LBR_CTL : IA32_DEBUGCTL;
    l->off &= ~(IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI |
                IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI);
    l->saved = lbr_empty(l) && claim_registers(l);
    return l->saved && set_msr(t, IA32_DEBUGCTL, l->off);
}

static bool read_entries(struct lbr *l, uint32_t *zeros)
{
    *zeros = 0;
    if (!read_tos(l, &l->tos))
        return false;
    for (unsigned i = 0; i < l->model.depth; i++) {
        const unsigned entry =
            l->model.arch ? i : (l->tos - i) & (l->model.depth - 1);
        uint64_t as_read[3] = {0};

        for (unsigned n = 0; n < lbr_entry_msrs(&l->model); n++)
            if (!lbr_get(l, lbr_entry_msr(&l->model, n, entry), &as_read[n]))
                return false;
        const struct lbr_entry e = {as_read[0], as_read[1], as_read[2]};
        l->records[i] = lbr_decode(&l->model, &e);
        if ((e.from | e.to | e.info) == 0)
            *zeros |= UINT32_C(1) << entry;
    }
    return true;
}

bool lbr_read(struct lbr *l)
{
    uint32_t zeros;

    return read_entries(l, &zeros);
}

const struct lbr_record *lbr_newest_abort(const struct lbr *l)
{
    const struct lbr_record *record = l->records;

    for (unsigned n = 1; n < l->model.depth && !record->abort; n++)
        record++;
    return record;
}

struct attempt {
    struct lbr *l;
    bool (*work)(struct lbr *l, void *argument);
    void *argument;
};

/* Of architectural ones IA32_DEBUGCTL stays as a window left it. */
static bool stop(struct lbr *l)
{
    return l->model.arch ? lbr_filter(l) : set_msr(l->t, IA32_DEBUGCTL, l->off);
}

static bool attempt(void *argument)
{
    struct attempt *a = argument;
    struct lbr *l = a->l;

    hw_poll();
    return empty_used(l) && read_tos(l, &l->tos_before) && lbr_filter(l) &&
           (!l->model.arch || set_msr(l->t, IA32_DEBUGCTL, l->off)) &&
           a->work(l, a->argument) && stop(l) && read_entries(l, &l->zeros);
}

bool lbr_around(struct lbr *l, bool (*work)(struct lbr *l, void *argument),
                void *argument)
{
    struct attempt a = {l, work, argument};

    return smi_guard(l->t, attempt, &a, NULL);
}

static bool run_window(struct lbr *l, void *argument)
{
    struct trace_window *code = argument;

    code->msr = l->msr;
    code->control = lbr_on(l);
    for (unsigned i = 0; i < 4; i++)
        code->cells[i] = 0;
    return is_there(l, l->msr, "WRMSR that enables",
                    l->gates == NULL ? trace_window(code)
                                     : trace_window_gates(code, l->gates));
}

bool lbr_window(struct lbr *l, struct trace_window *code)
{
    return lbr_around(l, run_window, code);
}

bool lbr_body(struct lbr *l, const uint8_t *body)
{
    struct trace_window code = {.body = body};

    return lbr_window(l, &code);
}

static bool judge_records(struct lbr *l, const char *what,
                          const struct lbr_branches *want, unsigned *count)
{
    const struct lbr_difference d =
        lbr_compare(want, &l->model, l->records, count);
    const struct lbr_record *got = &l->records[d.record];

    if (d.wrong == NULL)
        return true;
    return check(l->t, false,
                 "%s: record %u, 0 being the newest: from 0x%lx to 0x%lx, "
                 "IN_TSX %u, TSX_ABORT %u, BR_TYPE %u; wanted %s%s from 0x%lx "
                 "to 0x%lx: %s "
                 "is wrong",
                 what, d.record, got->from, got->to, got->in_tx, got->abort,
                 got->type, lbr_kind_name(d.want.kind),
                 (d.want.kind & LBR_IN_TX) != 0 ? " in a transaction" : "",
                 d.want.from, d.want.to, d.wrong);
}

bool lbr_judge(struct lbr *l, const char *what, const struct lbr_branches *want)
{
    const unsigned depth = l->model.depth;
    unsigned count;

    if (!judge_records(l, what, want, &count))
        return false;
    if (want->many)
        return true;
    if (l->model.arch) /* without a TOS */
        return check(l->t, true, "%s", what);
    const unsigned all = count < depth ? count : want->count;
    return check(l->t, l->tos == ((l->tos_before + all) & (depth - 1)),
                 "%s: MSR_LASTBRANCH_TOS (1C9H) was %u, and is %u after %u "
                 "records; wanted %u, modulo %u",
                 what, l->tos_before, l->tos, all,
                 (l->tos_before + all) & (depth - 1), depth);
}

bool lbr_check(struct lbr *l, const char *what, const uint8_t *body,
               const struct lbr_row *rows)
{
    struct lbr_branches want;

    lbr_branches_of(&want, body, rows);
    lbr_branches_select(&want, l->select, l->model.arch);
    if (!lbr_body(l, body))
        return false;
    lbr_judge(l, what, &want);
    return true;
}

bool lbr_check_random(struct lbr *l, const char *what, const uint8_t *body,
                      const struct lbr_row *rows, bool in_tx,
                      struct lbr_random *random)
{
    const unsigned trials = test_trials(l->t, 32, 8);
    uint64_t cycles = 0;
    struct lbr_branches all;

    *random = (struct lbr_random){0, 0};
    lbr_branches_of(&all, body, rows);
    for (unsigned i = 0; i < trials; i++) {
        const uint64_t bits = test_random(l->t) & BITS(LBR_BITS - 1, 0);
        struct trace_window code = {.body = body, .argument = bits};
        struct lbr_branches want;

        lbr_branches_bits(&want, &all, 1, bits);
        if (!lbr_window(l, &code))
            return false;
        if (in_tx && code.cells[0] != 1)
            continue;
        if (!lbr_judge(l, what, &want))
            return false;
        for (unsigned n = 1; n + 1 < want.count; n++, random->records++) {
            random->mispredicted += l->records[n].mispredicted;
            cycles += l->records[n].cycles;
        }
    }
    if (random->records < LBR_BITS)
        return true;
    check(l->t, random->mispredicted != 0 || !l->model.mispredicts,
          "%s: MISPRED is 0 in all of %u records; wanted 1 in some", what,
          random->records);
    check(l->t, cycles != 0 || !l->model.cycles,
          "%s: %u records say 0 cycles together; wanted some", what,
          random->records);
    return true;
}
