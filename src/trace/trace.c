/* SPDX-License-Identifier: BSD-2-Clause */
/* trace.c - takes traces. */
#include "src/trace/trace.h"

#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/tsx/probe.h"

#define RANGE_BYTES 4096u /* no errata are known for one page */

_Static_assert(2 * TRACE_BYTES <= TEST_BUFFER_BYTES, "aligned within");
_Static_assert(TRACE_BYTES == TOPA_REGION_BYTES << 3, "a size of ToPA");
#define TRACE_SIZE    3
#define REFUSED_TURNS 16

static bool trace_is_free(struct test_context *t)
{
    uint64_t control, debugctl = 0;

    if (!get_msr(t, IA32_RTIT_CTL, &control))
        return false;
    if ((control & IA32_RTIT_CTL_TraceEn) != 0) {
        skip(t, "needs Processor Trace unused; IA32_RTIT_CTL (570H)[0] "
                "(TraceEn) is 1");
        return false;
    }
    if (!output_excludes_lbr(test_cpu(t)))
        return true;
    if (!get_msr(t, IA32_DEBUGCTL, &debugctl))
        return false;
    if ((debugctl & IA32_DEBUGCTL_LBR) != 0)
        skip(t, "needs IA32_DEBUGCTL (1D9H)[0] (LBR) = 0, which excludes a "
                "trace on this processor");
    return (debugctl & IA32_DEBUGCTL_LBR) == 0;
}

static bool has_topa(const struct test_context *t)
{
    return (test_cpu(t)->leaf14_ecx & LEAF14_TOPA) != 0;
}

bool trace_claim(struct trace *p, struct test_context *t)
{
    uint8_t *buffer = test_buffer(t);

    *p = (struct trace){
        .t = t,
        .control = output_control(test_cpu(t), has_topa(t)),
        .memory = buffer + (-(uintptr_t)buffer & (TRACE_BYTES - 1)),
        .table = test_records(t),
    };
    /* Erratum SKL172: a table elsewhere may hang the processor. */
    if (!test_memory_is_write_back(t)) {
        skip(t, "needs write-back memory for the table of a trace; by the "
                "MTRRs and PAT it is not");
        return false;
    }
    return trace_is_free(t);
}

bool trace_claim_transactions(struct trace *p, struct test_context *t)
{
    return probe_set_up(t) && trace_claim(p, t);
}

void trace_table_behind(struct trace *p)
{
    p->table = (uint64_t *)(p->memory + TRACE_BYTES);
}

bool trace_stop_may_hang(const struct identity *id)
{
    /* SKL043; the server of that core is not said to be free of it. */
    return id->family != 6 || id->model == 0x4e || id->model == 0x5e ||
           id->model == 0x55;
}

bool trace_match_other_cr3(struct trace *p)
{
    return (test_cpu(p->t)->leaf14_ebx & LEAF14_CR3) != 0 &&
           set_msr(p->t, IA32_RTIT_CR3_MATCH, trace_at(p->table));
}

#define ENTRIES_MAX 16 /* of a table of a test, over all that END leads to */

/* Whether the trace could stop of itself. A table is followed until END leads
 * back to it. */
static bool could_stop(uint64_t control, uint64_t base)
{
    const uint64_t *entry = (const uint64_t *)(uintptr_t)base;

    for (unsigned n = 0; n < 4; n++)
        if ((control >> (32 + 4 * n) & 0xf) == IA32_RTIT_ADDR_STOP)
            return true;
    if ((control & IA32_RTIT_CTL_ToPA) == 0)
        return false; /* round and round in its range */
    for (unsigned i = 0; i < ENTRIES_MAX; i++) {
        if ((*entry & TOPA_STOP) != 0)
            return true;
        if ((*entry & TOPA_END) == 0) {
            entry++;
            continue;
        }
        if ((*entry & BITS(51, 12)) == base)
            return false;
        entry = (const uint64_t *)(uintptr_t)(*entry & BITS(51, 12));
    }
    return true;
}

/* Of a value that CPUID leaf 14H allows: not taking it is the processor's
 * fault.
 */
static bool put(struct trace *p, uint32_t msr, uint64_t value)
{
    char name[MSR_NAME_BYTES];
    int vector = try_set_msr(p->t, msr, value);

    return vector == HW_NO_FAULT ||
           check(p->t, false,
                 "%s: WRMSR of 0x%lx: got %s, wanted no fault: CPUID leaf 14H "
                 "enumerates it",
                 msr_name(msr, name), value, fault_name(vector));
}

/* IA32_RTIT_CTL last: the journal gives it back first, so that the others are
 * written with TraceEn = 0 then too. */
bool trace_arm_output(struct trace *p, uint64_t control, uint64_t base,
                      uint64_t pointers)
{
    if (!p->may_stop && could_stop(control, base)) {
        broken(p->t, "refused: an output that may stop, with transactions "
                     "traced: erratum SKL043, a hang");
        return false;
    }
    hw_poll();
    memset(p->memory, TRACE_GUARD, TRACE_BYTES);
    p->armed = control;
    p->base = base;
    p->pointers = pointers;
    return put(p, IA32_RTIT_STATUS, 0) && put(p, IA32_RTIT_OUTPUT_BASE, base) &&
           put(p, IA32_RTIT_OUTPUT_MASK_PTRS, pointers) &&
           put(p, IA32_RTIT_CTL, control);
}

bool trace_arm(struct trace *p)
{
    uint64_t memory = trace_at(p->memory), table = trace_at(p->table);

    if (!has_topa(p->t))
        return trace_arm_output(p, p->control, memory,
                                output_range_pointers(RANGE_BYTES, 0));
    output_topa_table(p->table, table, memory, 1, TRACE_SIZE, 0);
    return trace_arm_output(p, p->control, table, output_topa_pointers(0, 0));
}

bool trace_start(struct trace *p)
{
    return put(p, IA32_RTIT_CTL, p->armed | IA32_RTIT_CTL_TraceEn);
}

/* Of an output that lies elsewhere all that is not TRACE_GUARD. */
static void keep_raw(struct trace *p)
{
    const volatile uint8_t *memory = p->memory; /* the processor wrote to it */
    size_t from = 0, to = trace_bytes(p);

    if (memory[0] == TRACE_GUARD) {
        to = TRACE_BYTES;
        while (from < to && memory[from] == TRACE_GUARD)
            from++;
        while (to > from && memory[to - 1] == TRACE_GUARD)
            to--;
    }
    test_raw(p->t, "Processor Trace", p->memory + from, to - from);
}

bool trace_stop(struct trace *p)
{
    struct hw_cpuid ignored;

    if (!put(p, IA32_RTIT_CTL, p->armed))
        return false;
    hw_cpuid(0, 0, &ignored); /* serialises: now the packets are in memory */
    bool read = get_msr(p->t, IA32_RTIT_STATUS, &p->status) &&
                get_msr(p->t, IA32_RTIT_OUTPUT_BASE, &p->stopped_base) &&
                get_msr(p->t, IA32_RTIT_OUTPUT_MASK_PTRS, &p->stopped_pointers);
    keep_raw(p);
    return read;
}

size_t trace_bytes(const struct trace *p)
{
    size_t room = has_topa(p->t) ? TRACE_BYTES : RANGE_BYTES;
    size_t offset = output_offset(p->stopped_pointers);

    return offset < room ? offset : room;
}

size_t trace_guarded(const struct trace *p, size_t from, size_t to)
{
    const volatile uint8_t *memory = p->memory; /* the processor wrote to it */
    size_t count = 0;

    for (; from < to; from++)
        count += memory[from] == TRACE_GUARD;
    return count;
}

size_t trace_untouched(const struct trace *p, size_t from, size_t to)
{
    const volatile uint8_t *memory = p->memory;
    size_t count = 0, run = 0;

    for (; from < to; from++) {
        run = memory[from] == TRACE_GUARD ? run + 1 : 0;
        if (run >= TRACE_GUARD_RUN)
            count += run == TRACE_GUARD_RUN ? TRACE_GUARD_RUN : 1;
    }
    return count;
}

static bool trace_once(struct trace *p, bool (*workload)(void *argument),
                       void *argument, bool *as_wanted,
                       struct transitions *seen)
{
    if (!trace_arm(p) || !trace_start(p))
        return false;
    *as_wanted = workload(argument);
    if (!trace_stop(p))
        return false;
    transitions_read(p->memory, trace_bytes(p), seen);
    return check(p->t, (p->status & IA32_RTIT_STATUS_Error) == 0,
                 "IA32_RTIT_STATUS (571H) = 0x%lx: [4] (Error) is 1 with a "
                 "legal output",
                 p->status);
}

bool trace_try(struct trace *p, bool (*workload)(void *argument),
               void *argument, struct transitions *seen)
{
    unsigned disturbed = 0;
    bool as_wanted = false;

    for (unsigned i = 0; i < TRACE_TRIES; i++) {
        if (!trace_once(p, workload, argument, &as_wanted, seen))
            return false;
        if (as_wanted && !transitions_disturbed(seen))
            return true;
        disturbed += as_wanted;
    }
    skip(p->t,
         "needs a traced workload that goes as wanted: %u of %u did not, %u "
         "were disturbed (OVF, SMI)",
         TRACE_TRIES - disturbed, TRACE_TRIES, disturbed);
    return false;
}

#define PAUSES 4096 /* about 0.1 to 0.5 ms */

void trace_step_back(unsigned tries)
{
    for (unsigned n = 0; n < tries * PAUSES; n++)
        __asm__ volatile("pause");
}

bool trace_overflowed(struct test_context *t, uint64_t control, unsigned traces)
{
    if (test_shares_core(t) || (control & IA32_RTIT_CTL_CYCEn) != 0)
        skip(t, "needs a trace without overflow (OVF): %u had one", traces);
    else
        check(t, false,
              "each of %u traces had an overflow (OVF), which is to be rare",
              traces);
    return false;
}

static bool run_transaction(void *argument)
{
    const struct trace_transaction *tx = argument;
    struct tsx_block block = {
        .body = tx->body, .argument = tx->argument, .count = tx->count};

    return (tx->dr7 != 0
                ? tsx_watched(tsx_inside, &block, tx->argument, tx->dr7)
                : tsx_inside(&block)) == tx->want &&
           (tx->want != TSX_ABORTED ||
            (block.status & tx->status) == tx->status);
}

bool trace_transaction(struct trace *p, const struct trace_transaction *tx,
                       struct transitions *seen)
{
    struct trace_transaction copy = *tx;

    return trace_try(p, run_transaction, &copy, seen);
}

bool trace_check(struct trace *p, const char *what,
                 const struct transitions *seen,
                 const struct transition_wanted wanted[], unsigned count)
{
    static const struct pt_tsx_event none;
    static const struct transition_wanted nothing;
    unsigned which;
    const char *wrong = transitions_judge(seen, wanted, count, &which);
    const struct pt_tsx_event *got =
        which < seen->count && which < TRANSITIONS_MAX ? &seen->events[which]
                                                       : &none;
    const struct transition_wanted *want =
        which < count ? &wanted[which] : &nothing;

    return check(
        p->t, wrong == NULL,
        "%s: event %u: %s: got %s at 0x%lx, target 0x%lx, offset 0x%lx; "
        "wanted %s at 0x%lx to 0x%lx, target 0x%lx",
        what, which, wrong != NULL ? wrong : "",
        pt_transition_name(got->transition), got->ip, got->target, got->offset,
        pt_transition_name(want->transition), want->from, want->to,
        want->target);
}

bool trace_check_commit(struct trace *p, const char *what,
                        const struct transitions *seen)
{
    const uint64_t begin = trace_at(tsx_xbegin_at), end = trace_at(tsx_xend_at);
    const struct transition_wanted wanted[] = {{PT_BEGIN, begin, begin, 0},
                                               {PT_COMMIT, end, end, 0}};

    return trace_check(p, what, seen, wanted, 2);
}

bool trace_check_refused(struct trace *p, const char *what, uint64_t control,
                         uint64_t base, uint64_t pointers)
{
    struct test_context *t = p->t;

    /* Measured. Jumps outside of a transaction are all. */
    const bool may_stop = p->may_stop;
    p->may_stop = true;
    const bool armed = trace_arm_output(p, control, base, pointers);
    p->may_stop = may_stop;
    if (!armed)
        return false;
    int vector = try_set_msr(t, IA32_RTIT_CTL, control | IA32_RTIT_CTL_TraceEn);
    (void)trace_jumps(REFUSED_TURNS);
    uint64_t running, status;
    if (!get_msr(t, IA32_RTIT_CTL, &running) ||
        !get_msr(t, IA32_RTIT_STATUS, &status) || !trace_stop(p))
        return false;

    /* Check. */
    check(t, vector == HW_NO_FAULT,
          "%s: WRMSR to IA32_RTIT_CTL (570H) raised vector %d; wanted no fault",
          what, vector);
    check(t,
          (p->status & (IA32_RTIT_STATUS_Error | IA32_RTIT_STATUS_Stopped |
                        IA32_RTIT_STATUS_TriggerEn)) == IA32_RTIT_STATUS_Error,
          "%s: IA32_RTIT_STATUS (571H) = 0x%lx: wanted [4] (Error) = 1, [5] "
          "(Stopped) = 0, [2] (TriggerEn) = 0",
          what, p->status);
    check(t,
          (status & IA32_RTIT_STATUS_Error) == 0 ||
              (status & IA32_RTIT_STATUS_TriggerEn) == 0,
          "%s: IA32_RTIT_STATUS (571H) = 0x%lx while TraceEn is 1: wanted [2] "
          "(TriggerEn) = 0 where [4] (Error) = 1",
          what, status);
    check(t, running == (control | IA32_RTIT_CTL_TraceEn),
          "%s: IA32_RTIT_CTL (570H) = 0x%lx while Error is 1; wanted 0x%lx: "
          "only TriggerEn is cleared",
          what, running, control | IA32_RTIT_CTL_TraceEn);
    check(t, trace_guarded(p, 0, TRACE_BYTES) == TRACE_BYTES,
          "%s: %lu bytes were written; wanted none", what,
          TRACE_BYTES - trace_guarded(p, 0, TRACE_BYTES));
    return true;
}

bool trace_jumps(unsigned turns)
{
    struct tsx_block block = {.body = tsx_body_jumps, .count = turns};

    return tsx_outside(&block) == TSX_RAN;
}
