/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr_bodies.c - the bodies of asm/lbr_bodies.asm, addresses and rows alone,
 * and the window around them, whose branches go to the stack. */
#include "asm/trace_window.h"
#include "src/lbr/branches.h"
#include "tests/host/fakes/lbr_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BODY(name, ...)      \
    const uint8_t name[256]; \
    const struct lbr_row name##_rows[] = {__VA_ARGS__, {LBR_END, 99, 99}};
#define KINDS                                                              \
    {LBR_JCC, 0, 4}, {LBR_REL_JMP, 4, 8}, {LBR_IND_JMP, 8, 12},            \
        {LBR_REL_CALL, 12, 40}, {LBR_RET, 40, 16}, {LBR_IND_CALL, 16, 40}, \
        {LBR_RET, 40, 20},                                                 \
    {                                                                      \
        LBR_FAR, 20, 24                                                    \
    }
BODY(lbr_body_kinds, KINDS)
BODY(lbr_body_flags, {LBR_JCC, 0, 4})
BODY(lbr_body_signs, {LBR_JCC, 4, 8})
BODY(lbr_body_again, {LBR_REL_JMP, 0, 4}, {LBR_REL_JMP, 4, 8})
BODY(lbr_body_calls, {LBR_REL_CALL, 0, 8}, {LBR_REL_CALL | LBR_MAY, 8, 9},
     {LBR_IND_CALL, 9, 16})
BODY(lbr_body_short, {LBR_REL_JMP, 0, 4}, {LBR_REL_JMP, 8, 12})
BODY(lbr_body_long, {LBR_REL_JMP, 0, 4}, {LBR_REL_JMP, 8, 12})
BODY(lbr_body_waits, {LBR_REL_JMP, 0, 4}, {LBR_JCC, 6, 8})
BODY(lbr_body_between, {LBR_REL_JMP, 0, 4}, {LBR_JCC, 6, 5},
     {LBR_REL_JMP, 8, 12})
#define THERE_AND_BACK(there, back, n) \
    {there, 8 * (n), 8 * (n) + 4},     \
    {                                  \
        back, 8 * (n) + 4, 8 * (n) + 8 \
    }
#define SIX_TIMES(there, back)                                          \
    THERE_AND_BACK(there, back, 0), THERE_AND_BACK(there, back, 1),     \
        THERE_AND_BACK(there, back, 2), THERE_AND_BACK(there, back, 3), \
        THERE_AND_BACK(there, back, 4), THERE_AND_BACK(there, back, 5)
BODY(lbr_body_targets, SIX_TIMES(LBR_IND_JMP, LBR_REL_JMP))
BODY(lbr_body_callees, SIX_TIMES(LBR_IND_CALL, LBR_RET))
#define BIT_ROW(n)                    \
    {                                 \
        LBR_JCC, 4 * (n), 4 * (n) + 2 \
    }
#define BIT_ROWS(n) BIT_ROW(n), BIT_ROW((n) + 1), BIT_ROW((n) + 2)
BODY(lbr_body_bits, BIT_ROWS(0), BIT_ROWS(3), BIT_ROWS(6), BIT_ROWS(9))
#define TX_ROW(n)                                 \
    {                                             \
        LBR_JCC | LBR_IN_TX, 4 * (n), 4 * (n) + 2 \
    }
#define TX_ROWS(n) TX_ROW(n), TX_ROW((n) + 1), TX_ROW((n) + 2)
BODY(lbr_body_bits_tx, TX_ROWS(0), TX_ROWS(3), TX_ROWS(6), TX_ROWS(9))
#define JUMP(n)                           \
    {                                     \
        LBR_REL_JMP, 3 * (n), 3 * (n) + 3 \
    }
#define JUMPS(n)  JUMP(n), JUMP((n) + 1), JUMP((n) + 2), JUMP((n) + 3)
#define JUMPS4(n) JUMPS(n), JUMPS((n) + 4), JUMPS((n) + 8), JUMPS((n) + 12)
BODY(lbr_body_chain, JUMPS4(0), JUMPS4(16), JUMPS4(32), JUMPS4(48), JUMPS4(64))
#define CALL(n)                            \
    {                                      \
        LBR_REL_CALL, 3 * (n), 3 * (n) + 3 \
    }
#define CALLS(n) \
    CALL(n), CALL((n) + 1), CALL((n) + 2), CALL((n) + 3), CALL((n) + 4)
#define CALLS4(n) CALLS(n), CALLS((n) + 5), CALLS((n) + 10), CALLS((n) + 15)
BODY(lbr_body_deep, CALLS4(0), CALLS4(20))
#define ABORTS                                                     \
    {LBR_REL_JMP | LBR_IN_TX, 4, 8}, {LBR_RET | LBR_IN_TX, 8, 12}, \
    {                                                              \
        LBR_ABORT, 20, 24                                          \
    }
BODY(lbr_body_commit, {LBR_JCC, 0, 4}, {LBR_JCC | LBR_IN_TX, 6, 8},
     {LBR_JCC, 9, 12})
BODY(lbr_body_calls_tx, {LBR_REL_CALL | LBR_IN_TX, 0, 8},
     {LBR_IND_CALL | LBR_IN_TX, 9, 16})
BODY(lbr_body_xabort, ABORTS)
BODY(lbr_body_xabort_nested, ABORTS)
BODY(lbr_body_ud2, ABORTS)
BODY(lbr_body_divide, ABORTS)
BODY(lbr_body_cpuid, ABORTS)
BODY(lbr_body_pause, ABORTS)
BODY(lbr_body_int3, ABORTS)
BODY(lbr_body_writes, {LBR_JCC | LBR_IN_TX, 8, 4}, {LBR_ABORT, 4, 24})
BODY(lbr_body_held, {LBR_JCC | LBR_IN_TX, 8, 4}, {LBR_ABORT, 4, 24})
BODY(lbr_body_elided, {LBR_JCC, 0, 4}, {LBR_JCC | LBR_IN_TX, 6, 8})
BODY(lbr_body_elision_aborts, {LBR_REL_JMP | LBR_IN_TX, 4, 8},
     {LBR_ABORT, 20, 0}, {LBR_REL_JMP, 4, 8})
BODY(lbr_body_exceptions, {LBR_FAR, 0, 4}, {LBR_REL_JMP, 4, 8},
     {LBR_FAR, 8, 12}, {LBR_FAR, 12, 16})
BODY(lbr_body_debug, {LBR_REL_JMP, 0, 4})
const uint8_t lbr_body_nothing[1];
const struct lbr_row lbr_body_nothing_rows[] = {{LBR_END, 0, 0}};
static const struct {
    const uint8_t *body;
    const struct lbr_row *rows;
} bodies[] = {
    {lbr_body_nothing, lbr_body_nothing_rows},
    {lbr_body_kinds, lbr_body_kinds_rows},
    {lbr_body_flags, lbr_body_flags_rows},
    {lbr_body_signs, lbr_body_signs_rows},
    {lbr_body_again, lbr_body_again_rows},
    {lbr_body_bits, lbr_body_bits_rows},
    {lbr_body_bits_tx, lbr_body_bits_tx_rows},
    {lbr_body_chain, lbr_body_chain_rows},
    {lbr_body_deep, lbr_body_deep_rows},
    {lbr_body_calls, lbr_body_calls_rows},
    {lbr_body_short, lbr_body_short_rows},
    {lbr_body_long, lbr_body_long_rows},
    {lbr_body_between, lbr_body_between_rows},
    {lbr_body_waits, lbr_body_waits_rows},
    {lbr_body_targets, lbr_body_targets_rows},
    {lbr_body_callees, lbr_body_callees_rows},
    {lbr_body_commit, lbr_body_commit_rows},
    {lbr_body_calls_tx, lbr_body_calls_tx_rows},
    {lbr_body_xabort, lbr_body_xabort_rows},
    {lbr_body_xabort_nested, lbr_body_xabort_nested_rows},
    {lbr_body_ud2, lbr_body_ud2_rows},
    {lbr_body_divide, lbr_body_divide_rows},
    {lbr_body_cpuid, lbr_body_cpuid_rows},
    {lbr_body_pause, lbr_body_pause_rows},
    {lbr_body_int3, lbr_body_int3_rows},
    {lbr_body_writes, lbr_body_writes_rows},
    {lbr_body_held, lbr_body_held_rows},
    {lbr_body_elided, lbr_body_elided_rows},
    {lbr_body_elision_aborts, lbr_body_elision_aborts_rows},
    {lbr_body_exceptions, lbr_body_exceptions_rows},
    {lbr_body_debug, lbr_body_debug_rows},
};

static uint64_t at(const void *label)
{
    return (uintptr_t)label;
}

/* SDM 3A, "64-Bit IDT Gate Descriptors". */
static uint64_t handler_of(unsigned vector)
{
    uint16_t part[8];

    memcpy(part, lbr_device.gates + 16 * vector, sizeof(part));
    return part[0] | (uint64_t)part[3] << 16 | (uint64_t)part[4] << 32 |
           (uint64_t)part[5] << 48;
}

/* #UD, #DE, and INT n, whose record is from the next. */
static void exception(unsigned vector, uint64_t from, uint64_t next)
{
    const bool is = lbr_is(EXCEPTION_LATE) && lbr_device.number == vector;

    if (!lbr_is(EXCEPTION_UNSAID) || lbr_device.number != vector)
        lbr_add(LBR_FAR,
                is                    ? next
                : vector == TRACE_INT ? from + LBR_INT_BYTES
                                      : from,
                handler_of(vector), 7);
    if (!lbr_is(RETURN_UNSAID) || lbr_device.number != vector)
        lbr_add(LBR_FAR, at(trace_handler_end), next, 7);
}

/* "It clears LBR and BTF". */
static void debug_exception(struct trace_window *w, uint64_t from)
{
    const bool arch = lbr_device.format == ARCH;
    uint64_t *own = &fake_msr(IA32_DEBUGCTL)->value;
    uint64_t debugctl = arch ? *own : w->control;

    if (lbr_is(DEBUG_SAID))
        lbr_add(LBR_FAR, from, handler_of(1), 7);
    if (!lbr_is(DEBUG_KEEPS_BTF))
        debugctl &= ~IA32_DEBUGCTL_BTF;
    if (lbr_is(DEBUG_CLEARS))
        debugctl &= ~BIT(lbr_device.number);
    w->cells[1] = ((arch ? w->control : debugctl) & ~UINT64_C(1)) |
                  (lbr_is(DEBUG_GOES_ON) || lbr_is(DEBUG_SAYS_SO));
    if (arch)
        *own = debugctl;
}

/* The second jump's time. */
static uint64_t time_of(struct trace_window *w)
{
    const bool is_long = w->body == lbr_body_long;
    uint64_t cycles = is_long ? 70000 : 900;

    if (w->body == lbr_body_waits)
        return cycles;
    if (w->body != lbr_body_short && !is_long && w->body != lbr_body_between)
        return 7;
    w->cells[0] = 100;
    w->cells[1] = 110;
    w->cells[2] = 110 + cycles;
    w->cells[3] = 120 + cycles;
    if (lbr_is(CYCLES_OF_LEFT_OUT) && w->body == lbr_body_between)
        return 7;
    if (lbr_is(CYCLES_LOW))
        return cycles / 2 & 0xffff;
    if (lbr_is(CYCLES_HIGH) && !is_long)
        return cycles * 2;
    return cycles > 0xffff && !lbr_is(CYCLES_WRAP) ? 0xffff : cycles & 0xffff;
}

static bool is_deep(const struct trace_window *w)
{
    return w->body >= lbr_body_deep && w->body < lbr_body_deep + 256;
}

static const struct lbr_row *rows_of(const struct trace_window *w)
{
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        if (bodies[i].body == w->body)
            return bodies[i].rows;
        if (bodies[i].body == lbr_body_chain && w->body > lbr_body_chain &&
            w->body < lbr_body_chain + 256)
            return bodies[i].rows + (w->body - lbr_body_chain) / 3;
        if (bodies[i].body == lbr_body_deep && is_deep(w))
            return bodies[i].rows + (w->body - lbr_body_deep) / 3;
    }
    fail_msg("no body");
    return NULL;
}

static void run_rows(const struct trace_window *w, const uint8_t *body,
                     uint64_t cycles)
{
    const struct lbr_row *row = rows_of(w);

    for (unsigned n = 0; w->body == lbr_body_writes && n < LBR_LINES / 2; n++)
        lbr_add(row->kind, at(body) + 8, at(body) + 4, 7);
    static const unsigned vectors[] = {6, 0, TRACE_INT};
    unsigned exceptions = 0;

    for (unsigned n = 0; row->kind != LBR_END; row++, n++) {
        const bool lower =
            (w->body == lbr_body_targets || w->body == lbr_body_callees) &&
            n % 2 == 0 && (w->argument >> n / 2 & 1) == 0;
        if (((row->kind & LBR_MAY) != 0 && !lbr_is(NO_LENGTH_KEPT)) ||
            (is_deep(w) && n >= w->argument && !lbr_is(RETURNED_KEPT)) ||
            (w->body == lbr_body_again && n == 0 && lbr_is(AGAIN_EMPTIES)))
            continue;
        if ((row->kind & (LBR_IN_TX | LBR_ABORT)) != 0 && lbr_is(NOT_ELIDED) &&
            w->body == lbr_body_elision_aborts)
            continue;
        if (lbr_device.gates != NULL && row->kind == LBR_FAR) {
            exception(vectors[exceptions++], at(body) + (uint64_t)row->from,
                      at(body) + (uint64_t)row->to);
            continue;
        }
        if ((w->body != lbr_body_bits && w->body != lbr_body_bits_tx) ||
            (w->argument >> n & 1) != 0)
            lbr_add(row->kind, at(body) + (uint64_t)row->from,
                    at(body) + (uint64_t)row->to - lower,
                    n != 0 || w->body == lbr_body_waits ? cycles : 7);
    }
    if (w->body != lbr_body_debug || lbr_is(DEBUG_GOES_ON))
        lbr_add(LBR_REL_JMP, at(body) + (uint64_t)row->from,
                at(trace_window_off), 7);
}

int trace_window(struct trace_window *w)
{
    const bool chain =
        w->body >= lbr_body_chain && w->body < lbr_body_chain + 256;

    /* Nothing freezes but where a body is about that; the rest is as found. */
    const uint64_t debugctl =
        lbr_device.format == ARCH ? fake_msr(IA32_DEBUGCTL)->value : w->control;
    if (w->body != lbr_body_debug)
        assert_int_equal(debugctl & ~IA32_DEBUGCTL_LBR,
                         IA32_DEBUGCTL_FREEZE_WHILE_SMM_EN);
    lbr_device.windows++;
    w->cells[1] = 0x5a000001;
    if (w->body == lbr_body_ud2 || w->body == lbr_body_divide ||
        w->body == lbr_body_cpuid || w->body == lbr_body_pause)
        w->cells[1] = 0;
    if (w->body == lbr_body_writes)
        w->cells[1] = 8;
    if (w->body == lbr_body_int3)
        w->cells[1] = 16;
    w->cells[0] = 1;
    const uint64_t cycles = time_of(w);
    if ((w->control & 1) == 0 && !lbr_is(ALWAYS_ON))
        return HW_NO_FAULT;
    lbr_device.enters = true;
    lbr_add(LBR_IND_JMP, at(trace_window_on_next), at(w->body), 7);
    lbr_device.enters = false;
    run_rows(w,
             chain        ? lbr_body_chain
             : is_deep(w) ? lbr_body_deep
                          : w->body,
             cycles);
    if (lbr_is(RETURNED_KEPT) && w->body == lbr_body_calls)
        lbr_add(LBR_REL_CALL, 1, 2, 7);
    if (w->body == lbr_body_debug)
        debug_exception(w, at(w->body) + 4);
    return HW_NO_FAULT;
}

void trace_gates(uint8_t gates[TRACE_GATES_BYTES])
{
    memset(gates, 0, TRACE_GATES_BYTES);
}

int trace_window_gates(struct trace_window *w, uint8_t gates[TRACE_GATES_BYTES])
{
    lbr_device.gates = gates;
    const int vector = trace_window(w);
    lbr_device.gates = NULL;
    return vector;
}
