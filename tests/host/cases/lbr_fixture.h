/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr_fixture.h - a stack of last branch records for lbr_cases.c: it records
 * the rows of a body as its branches, as the manual says, or with one thing
 * otherwise. */
#ifndef TESTS_HOST_CASES_LBR_FIXTURE_H
#define TESTS_HOST_CASES_LBR_FIXTURE_H

#include "asm/ring3_window.h"
#include "asm/rtm_store.h"
#include "asm/trace_window.h"
#include "src/harness/context.h"
#include "src/lbr/branches.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum wrong {
    RIGHT,
    FROM_OFF,
    TO_OFF,
    TOS_STUCK,
    HALF_DEEP,
    ALWAYS_ON,
    MISPREDICTED,
    PREDICTED,
    TARGETS_PREDICTED,
    CYCLES_LOW,
    CYCLES_HIGH,
    CYCLES_WRAP,
    CYCLES_OF_LEFT_OUT, /* from the last of those on */
    SELECT_IGNORED,     /* bit `number` */
    SELECT_TAKES,       /* so does this kind, where another is left out */
    LEVEL_IGNORED,
    LEVELS_CANCEL,    /* both bits of them are as neither */
    JUMPS_TAKE_CALLS, /* so that indirect ones leave out calls and returns */
    NO_LENGTH_KEPT,   /* a call of no length, with EN_CALLSTACK */
    RETURNED_KEPT,
    IN_TX_NEVER,
    IN_TX_ALWAYS,
    ABORT_NEVER,
    ABORT_ALWAYS,
    ABORT_MISSING,
    ABORT_FROM,
    ABORT_TO,
    MSR_MISSING, /* `number` */
    MSR_LOSES,   /* a bit of it */
    MSR_SHARED,
    RESERVED_KEPT,
    ANY_ADDRESS, /* also one that is not canonical */
    DEPTH_ANY,   /* architectural ones: any depth is taken, */
    DEPTH_KEEPS, /* which leaves the entries */
    TYPE_OF_NEXT,
    UNTIMED,
};

/* device.format of architectural ones, as 345H[5:0] has it. */
#define ARCH 0x3f

static struct {
    enum wrong is;
    unsigned number;
    unsigned model, format, depth;
    unsigned windows;
} device;

static _Alignas(4096) uint64_t root[512];
static uint64_t gdt[1];

/* --- Bodies: addresses and rows alone ------------------------------------ */

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
BODY(lbr_body_calls, {LBR_REL_CALL, 0, 8}, {LBR_REL_CALL | LBR_MAY, 8, 9},
     {LBR_IND_CALL, 9, 16})
BODY(lbr_body_short, {LBR_REL_JMP, 0, 4}, {LBR_REL_JMP, 8, 12})
BODY(lbr_body_long, {LBR_REL_JMP, 0, 4}, {LBR_REL_JMP, 8, 12})
BODY(lbr_body_between, {LBR_REL_JMP, 0, 4}, {LBR_JCC, 6, 5},
     {LBR_REL_JMP, 8, 12})
#define TARGET_ROWS(n)                        \
    {LBR_IND_JMP, 8 * (n), 8 * (n) + 4},      \
    {                                         \
        LBR_REL_JMP, 8 * (n) + 4, 8 * (n) + 8 \
    }
BODY(lbr_body_targets, TARGET_ROWS(0), TARGET_ROWS(1), TARGET_ROWS(2),
     TARGET_ROWS(3), TARGET_ROWS(4), TARGET_ROWS(5))
#define BIT_ROW(n)                    \
    {                                 \
        LBR_JCC, 4 * (n), 4 * (n) + 2 \
    }
#define BIT_ROWS(n) BIT_ROW(n), BIT_ROW((n) + 1), BIT_ROW((n) + 2)
BODY(lbr_body_bits, BIT_ROWS(0), BIT_ROWS(3), BIT_ROWS(6), BIT_ROWS(9))
#define JUMP(n)                           \
    {                                     \
        LBR_REL_JMP, 3 * (n), 3 * (n) + 3 \
    }
#define JUMPS(n)  JUMP(n), JUMP((n) + 1), JUMP((n) + 2), JUMP((n) + 3)
#define JUMPS4(n) JUMPS(n), JUMPS((n) + 4), JUMPS((n) + 8), JUMPS((n) + 12)
BODY(lbr_body_chain, JUMPS4(0), JUMPS4(16), JUMPS4(32), JUMPS4(48), JUMPS4(64))
#define ABORTS                                                     \
    {LBR_REL_JMP | LBR_IN_TX, 4, 8}, {LBR_RET | LBR_IN_TX, 8, 12}, \
    {                                                              \
        LBR_ABORT, 20, 24                                          \
    }
BODY(lbr_body_commit, {LBR_JCC, 0, 4}, {LBR_JCC | LBR_IN_TX, 6, 8},
     {LBR_JCC, 9, 12})
BODY(lbr_body_xabort, ABORTS)
BODY(lbr_body_xabort_nested, ABORTS)
BODY(lbr_body_ud2, ABORTS)
BODY(lbr_body_divide, ABORTS)
BODY(lbr_body_cpuid, ABORTS)
BODY(lbr_body_pause, ABORTS)
BODY(lbr_body_writes, {LBR_JCC | LBR_IN_TX, 8, 4}, {LBR_ABORT, 4, 24})
BODY(lbr_body_elided, {LBR_JCC, 0, 4}, {LBR_JCC | LBR_IN_TX, 6, 8})
BODY(lbr_body_elision_aborts, {LBR_REL_JMP | LBR_IN_TX, 4, 8},
     {LBR_ABORT, 20, 0}, {LBR_REL_JMP, 4, 8})
const uint8_t lbr_body_nothing[1];
const struct lbr_row lbr_body_nothing_rows[] = {{LBR_END, 0, 0}};
const struct lbr_row window_ring3_rows[] = {
    {LBR_JCC, 0, 4},
    {LBR_FAR | LBR_TO_USR, 4, 8},
    {LBR_JCC | LBR_FROM_USR | LBR_TO_USR, 8, 12},
    {LBR_FAR | LBR_FROM_USR, 12, 16},
    {LBR_END, 16, 16}};

static const struct {
    const uint8_t *body;
    const struct lbr_row *rows;
} bodies[] = {
    {lbr_body_nothing, lbr_body_nothing_rows},
    {lbr_body_kinds, lbr_body_kinds_rows},
    {lbr_body_flags, lbr_body_flags_rows},
    {lbr_body_signs, lbr_body_signs_rows},
    {lbr_body_bits, lbr_body_bits_rows},
    {lbr_body_chain, lbr_body_chain_rows},
    {lbr_body_calls, lbr_body_calls_rows},
    {lbr_body_short, lbr_body_short_rows},
    {lbr_body_long, lbr_body_long_rows},
    {lbr_body_between, lbr_body_between_rows},
    {lbr_body_targets, lbr_body_targets_rows},
    {lbr_body_commit, lbr_body_commit_rows},
    {lbr_body_xabort, lbr_body_xabort_rows},
    {lbr_body_xabort_nested, lbr_body_xabort_nested_rows},
    {lbr_body_ud2, lbr_body_ud2_rows},
    {lbr_body_divide, lbr_body_divide_rows},
    {lbr_body_cpuid, lbr_body_cpuid_rows},
    {lbr_body_pause, lbr_body_pause_rows},
    {lbr_body_writes, lbr_body_writes_rows},
    {lbr_body_elided, lbr_body_elided_rows},
    {lbr_body_elision_aborts, lbr_body_elision_aborts_rows},
};

/* --- The processor ------------------------------------------------------- */

static uint64_t at(const void *label)
{
    return (uintptr_t)label;
}

static bool wrong(enum wrong is)
{
    return device.is == is;
}

/* IA32_LBR_CTL as MSR_LBR_SELECT would have it: 1 leaves out. */
static uint64_t selected(void)
{
    static const uint8_t captures[] = {1, 2, 16, 19, 20, 21, 18, 17, 22};
    uint64_t select = 0;

    if (device.format != ARCH)
        return fake_msr(MSR_LBR_SELECT)->value;
    for (unsigned n = 0; n < sizeof(captures); n++)
        if ((fake_msr(IA32_LBR_CTL)->value >> captures[n] & 1) == 0)
            select |= BIT(n);
    return select;
}

static bool captured(uint32_t kind)
{
    uint64_t select = selected();
    const bool user = (kind & LBR_TO_USR) != 0;

    if (wrong(SELECT_IGNORED))
        select &= ~BIT(device.number);
    if (wrong(SELECT_TAKES) && (select & MSR_LBR_SELECT_KINDS) != 0)
        select |= BIT(device.number);
    if (wrong(JUMPS_TAKE_CALLS))
        select |= (select >> 6 & 1) * BITS(5, 4) | (select >> 7 & 1) * BIT(3);
    if (wrong(LEVELS_CANCEL) && (select & BITS(1, 0)) == BITS(1, 0))
        select &= ~BITS(1, 0);
    if ((select & BIT(user ? 1 : 0)) != 0)
        return wrong(LEVEL_IGNORED);
    return (select & MSR_LBR_SELECT_KIND(kind & LBR_KIND)) == 0;
}

static uint64_t flags_of(uint32_t kind)
{
    const bool abort = (kind & LBR_ABORT) != 0;
    uint64_t flags = 0;

    if (((kind & LBR_IN_TX) != 0 && !wrong(IN_TX_NEVER)) || wrong(IN_TX_ALWAYS))
        flags |= BIT(62);
    if ((abort && !wrong(ABORT_NEVER)) || wrong(ABORT_ALWAYS))
        flags |= BIT(61);
    if ((wrong(MISPREDICTED) || device.windows % 2 != 0) && !wrong(PREDICTED) &&
        ((kind & LBR_KIND) != LBR_IND_JMP || !wrong(TARGETS_PREDICTED)))
        flags |= BIT(63);
    return device.format == 3 ? flags & BIT(63) : flags;
}

/* CYC_CNT_VALID, BR_TYPE: JCC, relative and indirect call, return, indirect and
 * relative jump, and others. */
static uint64_t info_of(uint32_t kind)
{
    static const uint64_t types[] = {8, 0, 4, 3, 5, 1, 2, 8, 8};
    const bool next = wrong(TYPE_OF_NEXT);

    if (device.format != ARCH)
        return 0;
    return (wrong(UNTIMED) ? 0 : BIT(60)) | types[(kind & LBR_KIND) + next]
                                                << 56;
}

/* The newest is entry 0. */
static void push(unsigned depth, uint64_t from, uint64_t to, uint64_t info)
{
    for (unsigned n = depth - 1; n > 0; n--) {
        fake_msr(IA32_LBR_FROM_IP(n))->value =
            fake_msr(IA32_LBR_FROM_IP(n - 1))->value;
        fake_msr(IA32_LBR_TO_IP(n))->value =
            fake_msr(IA32_LBR_TO_IP(n - 1))->value;
        fake_msr(IA32_LBR_INFO(n))->value =
            fake_msr(IA32_LBR_INFO(n - 1))->value;
    }
    fake_msr(IA32_LBR_FROM_IP(0))->value = from;
    fake_msr(IA32_LBR_TO_IP(0))->value = to;
    fake_msr(IA32_LBR_INFO(0))->value = info;
}

static void record(uint32_t kind, uint64_t from, uint64_t to, uint64_t cycles)
{
    const unsigned depth = wrong(HALF_DEEP) ? device.depth / 2 : device.depth;
    const bool abort = (kind & LBR_ABORT) != 0;

    if (!captured(kind) || (abort && wrong(ABORT_MISSING)))
        return;
    from += wrong(FROM_OFF) || (abort && wrong(ABORT_FROM)) ? 256 : 0;
    to += wrong(TO_OFF) || (abort && wrong(ABORT_TO)) ? 1 : 0;
    if (device.format == ARCH) {
        push(depth, from, to, flags_of(kind) | info_of(kind) | cycles);
        return;
    }
    struct fake_msr *tos = fake_msr(MSR_LASTBRANCH_TOS);
    const unsigned n = (unsigned)(tos->value + 1) % depth;
    if (!wrong(TOS_STUCK))
        tos->value = n;
    fake_msr(MSR_LASTBRANCH_FROM_IP(n))->value =
        from | (device.format == 5 ? 0 : flags_of(kind));
    fake_msr(MSR_LASTBRANCH_TO_IP(n))->value = to;
    if (device.format == 5)
        fake_msr(MSR_LBR_INFO(n))->value = flags_of(kind) | cycles;
}

/* The second jump's time. */
static uint64_t time_of(struct trace_window *w)
{
    const bool is_long = w->body == lbr_body_long;
    uint64_t cycles = is_long ? 70000 : 900;

    if (w->body != lbr_body_short && !is_long && w->body != lbr_body_between)
        return 7;
    w->cells[0] = 100;
    w->cells[1] = 110;
    w->cells[2] = 110 + cycles;
    w->cells[3] = 120 + cycles;
    if (wrong(CYCLES_OF_LEFT_OUT) && w->body == lbr_body_between)
        return 7;
    if (wrong(CYCLES_LOW))
        return cycles / 2 & 0xffff;
    if (wrong(CYCLES_HIGH) && !is_long)
        return cycles * 2;
    return cycles > 0xffff && !wrong(CYCLES_WRAP) ? 0xffff : cycles & 0xffff;
}

static const struct lbr_row *rows_of(const struct trace_window *w)
{
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        if (bodies[i].body == w->body)
            return bodies[i].rows;
        if (bodies[i].body == lbr_body_chain && w->body > lbr_body_chain &&
            w->body < lbr_body_chain + 256)
            return bodies[i].rows + (w->body - lbr_body_chain) / 3;
    }
    fail_msg("no body");
    return NULL;
}

static void run_rows(const struct trace_window *w, const uint8_t *body,
                     uint64_t cycles)
{
    const struct lbr_row *row = rows_of(w);

    for (unsigned n = 0; w->body == lbr_body_writes && n < LBR_LINES / 2; n++)
        record(row->kind, at(body) + 8, at(body) + 4, 7);
    for (unsigned n = 0; row->kind != LBR_END; row++, n++) {
        const bool lower = w->body == lbr_body_targets &&
                           row->kind == LBR_IND_JMP &&
                           (w->argument >> n / 2 & 1) == 0;
        if ((row->kind & LBR_MAY) != 0 && !wrong(NO_LENGTH_KEPT))
            continue;
        if (w->body != lbr_body_bits || (w->argument >> n & 1) != 0)
            record(row->kind, at(body) + (uint64_t)row->from,
                   at(body) + (uint64_t)row->to - lower, n != 0 ? cycles : 7);
    }
    record(LBR_REL_JMP, at(body) + (uint64_t)row->from, at(trace_window_off),
           7);
}

int trace_window(struct trace_window *w)
{
    const bool chain =
        w->body >= lbr_body_chain && w->body < lbr_body_chain + 256;

    device.windows++;
    w->cells[1] = 0x5a000001;
    if (w->body == lbr_body_ud2 || w->body == lbr_body_divide ||
        w->body == lbr_body_cpuid || w->body == lbr_body_pause)
        w->cells[1] = 0;
    if (w->body == lbr_body_writes)
        w->cells[1] = 8;
    w->cells[0] = 1;
    const uint64_t cycles = time_of(w);
    if ((w->control & 1) == 0 && !wrong(ALWAYS_ON))
        return HW_NO_FAULT;
    record(LBR_IND_JMP, at(trace_window_on_next), at(w->body), 7);
    run_rows(w, chain ? lbr_body_chain : w->body, cycles);
    if (wrong(RETURNED_KEPT) && w->body == lbr_body_calls)
        record(LBR_REL_CALL, 1, 2, 7);
    return HW_NO_FAULT;
}

uint64_t window_ring3(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];

    assert_int_equal(ring3->msr,
                     device.format == ARCH ? IA32_LBR_CTL : IA32_DEBUGCTL);
    assert_int_equal(enable & 1, 1);
    ring3->vector = HW_NO_FAULT;
    for (const struct lbr_row *row = window_ring3_rows; row->kind != LBR_END;
         row++)
        record(row->kind,
               ((row->kind & LBR_FROM_USR) != 0 ? ring3->user_code
                                                : at(ring3_code)) +
                   (uint64_t)row->from,
               ((row->kind & LBR_TO_USR) != 0 ? ring3->user_code
                                              : at(ring3_code)) +
                   (uint64_t)row->to,
               7);
    return 0;
}

void ring3_read(struct ring3_registers *out)
{
    *out = (struct ring3_registers){.cr3 = at(root), .gdt.base = at(gdt)};
}

int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax)
{
    *cell = value;
    *eax = UINT32_MAX;
    return RTM_COMMITTED;
}

/* Reserved bits; and in format 5, where no flags are beside them, addresses
 * that are not canonical. */
static bool is_refused(uint32_t msr, uint64_t value)
{
    const uint64_t select = device.format == 3 ? BITS(8, 0) : BITS(9, 0);
    const bool address =
        msr >= MSR_LASTBRANCH_FROM_IP(0) && msr <= MSR_LASTBRANCH_TO_IP(31);

    if (msr == IA32_LBR_CTL)
        return (value & ~UINT64_C(0x7f000f)) != 0 && !wrong(RESERVED_KEPT);
    if (msr == IA32_LBR_DEPTH)
        return value != 8 && value != 16 && value != 32 && !wrong(DEPTH_ANY);
    if (msr == MSR_LBR_SELECT)
        return (value & ~select) != 0 && !wrong(RESERVED_KEPT);
    return address && device.format == 5 && !wrong(ANY_ADDRESS) &&
           value >> 47 != 0 && value >> 47 != BITS(16, 0);
}

/* Writes: what a register refuses, loses, or shares. */
static int access(uint32_t msr, const uint64_t *written)
{
    if (wrong(MSR_MISSING) && msr == device.number)
        return HW_GP;
    if (written == NULL)
        return HW_NO_FAULT;
    if (is_refused(msr, *written))
        return HW_GP;
    for (unsigned n = 0; msr == IA32_LBR_DEPTH && n < device.depth; n++)
        if (!wrong(DEPTH_KEEPS))
            fake_msr(IA32_LBR_FROM_IP(n))->value =
                fake_msr(IA32_LBR_TO_IP(n))->value =
                    fake_msr(IA32_LBR_INFO(n))->value = 0;
    if (wrong(MSR_SHARED) && msr == device.number) {
        const unsigned here = fake_current;

        fake_current = !here;
        fake_msr(msr)->value = *written;
        fake_current = here;
    }
    return HW_NO_FAULT;
}

#endif
