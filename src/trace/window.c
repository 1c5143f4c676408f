/* SPDX-License-Identifier: BSD-2-Clause */
/* window.c - traces the window, and says where its trace leaves the path. */
#include "src/trace/window.h"

#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/smi_guard.h"

/* FUP and TIP.PGD at the WRMSR that clears TraceEn (row 3b). */
static bool end_step(uint64_t index, struct path_step *step)
{
    const struct path_step end[] = {{PATH_FUP, trace_at(trace_window_off_at)},
                                    {PATH_PGD_HIDDEN, 0}};

    if (index >= 2)
        return false;
    *step = end[index];
    return true;
}

static bool has_address(unsigned kind)
{
    return kind == PATH_TIP || kind == PATH_RET || kind == PATH_FUP ||
           kind == PATH_PGE || kind == PATH_PGD || kind == PATH_PGD_DIRECT ||
           kind == PATH_PGD_MAY || kind == PATH_PGD_HIDDEN ||
           kind == PATH_FUP_MAY || kind == PATH_CALL || kind == PATH_RET_OF;
}

static uint64_t row_count(const struct window *w)
{
    uint64_t rows = 0;

    while (w->rows[rows].kind != PATH_END)
        rows++;
    return rows;
}

/* Steps of the body. */
static uint64_t body_count(const struct window *w)
{
    if (w->rows == NULL)
        return 1 + WINDOW_TURN_STEPS * w->code.count;
    return w->repeated ? 1 + (row_count(w) + 1) * w->code.count : row_count(w);
}

static struct path_step row_step(const struct window *w, uint64_t index)
{
    const struct trace_row *row = &w->rows[index];
    const uint64_t at = (uint64_t)(int64_t)row->at,
                   body = trace_at(w->code.body),
                   alias = body + w->code.argument;

    switch (row->kind) {
    case PATH_PIP_OWN:
        return (struct path_step){PATH_PIP, path_pip(w->code.cells[0])};
    case PATH_PIP_OTHER:
        return (struct path_step){PATH_PIP, path_pip(w->code.argument)};
    case PATH_PIP_COUNT:
        return (struct path_step){PATH_PIP, path_pip(w->code.count)};
    case PATH_TIP_HANDLER:
        return (struct path_step){PATH_TIP, trace_at(trace_handler)};
    case PATH_TIP_ERROR:
        return (struct path_step){PATH_TIP, trace_at(trace_handler_error)};
    case PATH_TIP_TRAP:
        return (struct path_step){PATH_TIP, trace_at(trace_handler_trap)};
    case PATH_TIP_ALIAS:
        return (struct path_step){PATH_TIP, alias + at};
    case PATH_TIP_ALIAS_2:
        return (struct path_step){PATH_TIP, alias + TRACE_ALIAS_STEP + at};
    case PATH_FUP_ALIAS:
        return (struct path_step){PATH_FUP, alias + at};
    case PATH_FUP_ALIAS_2:
        return (struct path_step){PATH_FUP, alias + TRACE_ALIAS_STEP + at};
    default:
        return (struct path_step){row->kind,
                                  (has_address(row->kind) ? body : 0) + at};
    }
}

/* The jump to the body; then the rows and a branch each turn. */
static struct path_step repeated_step(const struct window *w, uint64_t index)
{
    const uint64_t steps = row_count(w) + 1, turn = (index - 1) / steps;

    if (index == 0)
        return (struct path_step){PATH_TIP, trace_at(w->code.body)};
    if ((index - 1) % steps != steps - 1)
        return row_step(w, (index - 1) % steps);
    return (struct path_step){
        turn + 1 < w->code.count ? PATH_TAKEN : PATH_NOT_TAKEN, 0};
}

/* The jump to the body; then the jumps and a branch each turn. */
static struct path_step loop_step(const struct window *w, uint64_t index)
{
    const uint64_t turn = (index - 1) / WINDOW_TURN_STEPS,
                   jump = (index - 1) % WINDOW_TURN_STEPS;

    if (index == 0)
        return (struct path_step){PATH_TIP, trace_at(w->code.body)};
    if (jump == TRACE_LOOP_JUMPS)
        return (struct path_step){
            turn + 1 < w->code.count ? PATH_TAKEN : PATH_NOT_TAKEN, 0};
    const bool other = jump == 0 && (w->others[turn / 8] >> turn % 8 & 1) != 0;
    return (struct path_step){PATH_TIP, trace_at(w->code.body) +
                                            trace_body_loop_at[jump] + other};
}

/* The loop: from a target to the next jump or branch, both included; what is
 * before the first jump of a turn goes on to the next label. */
static bool loop_at(const struct window *w, uint64_t index, uint64_t address)
{
    const uint32_t *at = trace_body_loop_at;
    const uint64_t jump = (index - 1) % WINDOW_TURN_STEPS,
                   offset = address - trace_at(w->code.body);

    if (jump == 0)
        return offset < at[2];
    if (jump == 1)
        return offset >= at[0] && offset < at[1];
    if (jump == TRACE_LOOP_JUMPS)
        return offset >= at[3] && offset < TRACE_LOOP_BYTES;
    return offset == at[jump - 1];
}

/* The first step of the body, and what is before and after it, are not known
 * in so far. */
static bool window_at(const void *source, uint64_t index, uint64_t address)
{
    const struct window *w = source;
    const uint64_t first = w->bare ? 0 : 1;

    index %= body_count(w) + (w->bare ? 0 : 3);
    if (w->rows != NULL || index <= first || index - first >= body_count(w))
        return true;
    return loop_at(w, index - first, address);
}

static bool window_step(const void *source, uint64_t index,
                        struct path_step *step)
{
    const struct window *w = source;
    const uint64_t body = body_count(w), all = w->bare ? body : body + 3;

    if (index >= all * w->times)
        return false;
    index %= all;
    if (!w->bare && index == 0) {
        *step = (struct path_step){PATH_PGE, trace_at(trace_window_on_next)};
        return true;
    }
    index -= !w->bare;
    if (index >= body)
        return end_step(index - body, step);
    if (w->repeated)
        *step = repeated_step(w, index);
    else
        *step = w->rows != NULL ? row_step(w, index) : loop_step(w, index);
    return true;
}

void window_set(struct window *w, const uint8_t *body,
                const struct trace_row *rows)
{
    memset(w, 0, sizeof(*w));
    w->code.msr = IA32_RTIT_CTL;
    w->code.body = body;
    w->rows = rows;
    w->times = 1;
    w->path = (struct path){.step = window_step, .at = window_at, .source = w};
}

void window_set_loop(struct window *w, struct test_context *t, unsigned turns)
{
    window_set(w, trace_body_loop, NULL);
    w->code.argument = test_random(t) | 1;
    w->code.count = turns < WINDOW_TURNS_MAX ? turns : WINDOW_TURNS_MAX;
    uint64_t x = w->code.argument;
    for (uint64_t turn = 0; turn < w->code.count; turn++) {
        x = TRACE_LOOP_NEXT(x);
        w->others[turn / 8] |= (uint8_t)(TRACE_LOOP_OTHER(x) << turn % 8);
    }
}

void window_set_silent(struct window *w, const uint8_t *body)
{
    static const struct trace_row none = {PATH_END, 0};

    window_set(w, body, &none);
    w->bare = true;
}

struct attempt {
    struct trace *p;
    struct window *w;
    uint64_t cell; /* what its first one is to begin with */
    int vector;
};

static bool arm(struct trace *p, const struct parts *parts)
{
    return parts == NULL
               ? trace_arm(p)
               : trace_arm_output(p, parts->control, parts->part[0].base,
                                  parts_pointers(parts));
}

static int run(struct window *w)
{
    if (w->gates == NULL)
        return trace_window(&w->code);
    return w->gdt == NULL ? trace_window_gates(&w->code, w->gates)
                          : trace_window_segments(&w->code, w->gates, w->gdt,
                                                  w->gdt_bytes);
}

static bool attempt_once(void *argument)
{
    struct attempt *a = argument;

    a->w->runs++;
    a->w->code.cells[0] = a->cell;
    if (!arm(a->p, a->w->parts))
        return false;
    a->w->code.control = a->p->armed | IA32_RTIT_CTL_TraceEn;
    if (a->w->fixed != 0 && !set_msr(a->p->t, IA32_FIXED_CTR(a->w->fixed), 0))
        return false;
    for (unsigned i = 0; i < a->w->times; i++) {
        if (i != 0 && a->w->status != 0 &&
            !set_msr(a->p->t, IA32_RTIT_STATUS, a->w->status))
            return false;
        a->vector = run(a->w);
    }
    if (a->w->fixed != 0 &&
        !get_msr(a->p->t, IA32_FIXED_CTR(a->w->fixed), &a->w->counted))
        return false;
    return trace_stop(a->p);
}

/* Out of parts the bytes go to the last pages of test_records(). */
static const uint8_t *collect(struct trace *p, const struct parts *parts,
                              size_t *bytes)
{
    uint8_t *copy =
        (uint8_t *)test_records(p->t) + TEST_RECORDS_BYTES - WINDOW_COPY_BYTES;

    *bytes = trace_bytes(p);
    if (parts == NULL)
        return p->memory;
    if (!parts_written(parts, p->stopped_base, p->stopped_pointers, bytes))
        *bytes = 0;
    *bytes = parts_copy(parts, p->memory, *bytes, copy, WINDOW_COPY_BYTES);
    return copy;
}

/* "If BranchEn = 1, the OVF packet will be followed by a FUP", or later by a
 * TIP.PGE; TIP.PGD is that of the window's end. Processors of the Atom family
 * have errata there (APL11, APL12). */
static void judge_overflow(struct trace *p, const struct path_seen *seen)
{
    const unsigned next = seen->after_overflow;

    check(p->t, !seen->astray || !identity_known(test_cpu(p->t)),
          "after OVF, at offset 0x%lx: the %s and what follows it fit no place "
          "of the control flow from packet %lu on",
          seen->offset, next < PT_KINDS ? pt_kind_name(next) : "end",
          seen->step);
    if (next != PT_TNT_8 && next != PT_TNT_64 && next != PT_TIP)
        return;
    check_known(p->t, false, ERRATUM_PT_OVF_WITHOUT_FUP, true,
                "after OVF, at offset 0x%lx: got %s; wanted FUP or TIP.PGE, "
                "with the address where packets are generated again",
                seen->offset, pt_kind_name(next));
}

bool window_trace(struct trace *p, struct window *w, struct path_seen *seen)
{
    struct attempt a = {.p = p, .w = w, .cell = w->code.cells[0]};
    size_t bytes;

    w->runs = 0;
    w->path.any_nr = !identity_is_native(test_cpu(p->t));
    w->path.errata = pt_errata(test_cpu(p->t)->family, test_cpu(p->t)->model);
    for (unsigned i = 0; i < TRACE_TRIES; i++) {
        if (!smi_guard(p->t, attempt_once, &a, NULL))
            return false;
        if (!check(p->t, a.vector == HW_NO_FAULT,
                   "IA32_RTIT_CTL (570H): WRMSR of 0x%lx: got %s, wanted no "
                   "fault",
                   w->code.control, fault_name(a.vector)))
            return false;
        const uint8_t *from = collect(p, w->parts, &bytes);
        path_follow(from, bytes, &w->path, 0, seen);
        if (!seen->overflow)
            return true;
        judge_overflow(p, seen);
        trace_step_back(i);
    }
    return trace_overflowed(p->t, w->code.control, TRACE_TRIES);
}

/* PIP left out; or MODE.Exec, before a TIP that is right by itself. */
static bool is_late_mode(const struct path_seen *seen)
{
    return seen->want.kind == PATH_PIP
               ? seen->got != PT_PIP
               : ((seen->want.kind == PATH_TIP && seen->got == PT_TIP) ||
                  (seen->want.kind == PATH_PGE && seen->got == PT_TIP_PGE)) &&
                     seen->value == seen->want.value;
}

bool window_judge(struct trace *p, const char *what,
                  const struct path_seen *seen)
{
    check_known(p->t, seen->modes_missing == 0, ERRATUM_PT_LATE_MODE, true,
                "%s: got no MODE.Exec between a PSB and the next TIP.PGE; "
                "wanted one",
                what);
    return check_known(
        p->t, seen->wrong == NULL, ERRATUM_PT_LATE_MODE, is_late_mode(seen),
        "%s: packet %lu of the control flow, offset 0x%lx: %s: got %s "
        "0x%lx, wanted %s 0x%lx",
        what, seen->step, seen->offset, seen->wrong != NULL ? seen->wrong : "",
        seen->got < PT_KINDS ? pt_kind_name(seen->got) : "none", seen->value,
        path_step_name(seen->want.kind), seen->want.value);
}

void window_check_status(struct trace *p, const char *what, uint64_t status,
                         uint64_t bits, uint64_t want)
{
    check(p->t, (status & bits) == want,
          "%s: IA32_RTIT_STATUS (571H) = 0x%lx while TraceEn is 1: got [2] "
          "(TriggerEn), [1] (ContextEn), [0] (FilterEn) = %u%u%u; of 0x%lx "
          "wanted 0x%lx",
          what, status, (unsigned)(status >> 2 & 1),
          (unsigned)(status >> 1 & 1), (unsigned)(status & 1), bits, want);
}

bool window_check(struct trace *p, const char *what, struct window *w,
                  struct path_seen *seen)
{
    return window_trace(p, w, seen) && window_judge(p, what, seen);
}

/* Bytes of the output that are TRACE_GUARD by chance. */
static size_t guarded_inside(const struct trace *p, const struct parts *parts,
                             size_t bytes)
{
    size_t count = 0;

    for (size_t at = 0; at < TRACE_BYTES; at++)
        count += p->memory[at] == TRACE_GUARD &&
                 parts_inside(parts, bytes, at, at + 1) != 0;
    return count;
}

bool window_check_parts(struct trace *p, const char *what, struct window *w,
                        const struct parts *parts, struct path_seen *seen)
{
    const uint64_t bits = IA32_RTIT_STATUS_Error | IA32_RTIT_STATUS_Stopped;
    size_t bytes;

    w->parts = parts;
    bool traced = window_trace(p, w, seen);
    w->parts = NULL;
    if (!traced)
        return false;
    check(p->t, (p->status & bits) == 0,
          "%s: IA32_RTIT_STATUS (571H) = 0x%lx: wanted [4] (Error) and [5] "
          "(Stopped) = 0",
          what, p->status);
    if (!check(
            p->t,
            parts_written(parts, p->stopped_base, p->stopped_pointers, &bytes),
            "%s: IA32_RTIT_OUTPUT_BASE (560H) = 0x%lx, "
            "IA32_RTIT_OUTPUT_MASK_PTRS (561H) = 0x%lx at the end: not in "
            "the output, which began at 0x%lx, 0x%lx",
            what, p->stopped_base, p->stopped_pointers, p->base, p->pointers))
        return false;
    const size_t inside = parts_inside(parts, bytes, 0, TRACE_BYTES),
                 untouched = trace_guarded(p, 0, TRACE_BYTES) -
                             guarded_inside(p, parts, bytes);
    check(p->t, untouched + inside == TRACE_BYTES,
          "%s: %lu bytes of memory were written that are not in the output of "
          "%lu bytes",
          what, TRACE_BYTES - untouched - inside, bytes);
    if (seen->wrong != NULL && seen->got == PT_KINDS &&
        seen->want.kind != PATH_END)
        return check_known(p->t, false, ERRATUM_PT_DROPS_ALL,
                           (p->armed & IA32_RTIT_CTL_ToPA) != 0,
                           "%s: the trace ends at offset 0x%lx, before packet "
                           "%lu of the control flow",
                           what, seen->offset, seen->step);
    return window_judge(p, what, seen);
}
