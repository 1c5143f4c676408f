/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr_fixture.h - a stack of last branch records: it records the rows of a
 * body as its branches, as the manual says, or with one thing otherwise; and a
 * case over it. */
#ifndef TESTS_HOST_CASES_LBR_FIXTURE_H
#define TESTS_HOST_CASES_LBR_FIXTURE_H

#include "asm/ring3_window.h"
#include "asm/rtm_store.h"
#include "src/tsx/status.h"
#include "asm/trace_window.h"
#include "src/harness/context.h"
#include "src/lbr/branches.h"
#include "tests/host/fakes/fake_body.h"
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
    ENTRY_MISPREDICTED, /* alone: the way into a body */
    KIND_MISPREDICTED,  /* `number`, enum lbr_kind */
    KIND_PREDICTED,     /* the same */
    MISPREDICTED_STAYS, /* in an entry with another record */
    AGAIN_EMPTIES,      /* LBR = 1 where it is 1 */
    CYCLES_LOW,
    CYCLES_HIGH,
    CYCLES_WRAP,
    CYCLES_OF_LEFT_OUT, /* from the last of those on */
    SELECT_IGNORED,     /* bit `number` */
    SELECT_TAKES,       /* so does this kind, where another is left out */
    LEVEL_IGNORED,
    LEVELS_CANCEL,    /* both bits of them are as neither */
    KIND_CANCELS,     /* the level, where a kind is left out too, */
    LEVEL_CANCELS,    /* or the kind, where a level is */
    JUMPS_TAKE_CALLS, /* so that indirect ones leave out calls and returns */
    NO_LENGTH_KEPT,   /* a call of no length, with EN_CALLSTACK */
    RETURNED_KEPT,
    IN_TX_NEVER,
    IN_TX_PREDICTED, /* always */
    IN_TX_ALWAYS,
    ABORT_NEVER,
    ABORT_ALWAYS,
    ABORT_MISSING,
    ABORT_FROM,
    ABORT_TO,
    NOT_ELIDED,  /* what is to abort */
    MSR_MISSING, /* `number` */
    MSR_LOSES,   /* a bit of it */
    MSR_SHARED,
    RESERVED_KEPT,
    BIT_KEPT,    /* this one that is reserved, `number` */
    BIT_REFUSED, /* this one that is not */
    ANY_ADDRESS, /* also one that is not canonical */
    DEPTH_ANY,   /* architectural ones: any depth is taken, */
    DEPTH_KEEPS, /* which leaves the entries */
    DEPTH_READS, /* those from the depth on can be read */
    TYPE_OF_NEXT,
    UNTIMED,
    NO_CYCLES,        /* of any branch */
    EXCEPTION_UNSAID, /* the branch to the handler of vector `number`, */
    EXCEPTION_LATE,   /* or it is from the next instruction */
    RETURN_UNSAID,    /* from a handler */
    RETURN_OF_RING3,  /* is from the next byte */
    RING3_PREDICTED,  /* branches there, */
    RING3_ADDS_UP,    /* and their cycles go on in the next record */
    CONTROL_HELD,     /* IA32_LBR_CTL, written with LBREn = 1 before */
    DEBUG_SAID,       /* a debug exception is recorded, */
    DEBUG_GOES_ON,    /* does not stop the recording, */
    DEBUG_SAYS_SO,    /* or only says that it does not, */
    DEBUG_KEEPS_BTF,
    DEBUG_CLEARS, /* or clears bit `number` of IA32_DEBUGCTL, too */
};

/* device.format of architectural ones, as 345H[5:0] has it. */
#define ARCH 0x3f

static struct {
    enum wrong is;
    unsigned number;
    unsigned model, format, depth;
    unsigned version; /* of performance monitoring, 0: as most */
    bool traces;      /* it has Processor Trace, with ToPA */
    enum { BY_NOBODY, BY_LBR, BY_TR, BY_TRACE, BY_CTL, BY_DEPTH } used;
    unsigned windows;
    bool enters;          /* the branch is the way into a body */
    bool stopped;         /* nothing is recorded */
    const uint8_t *gates; /* NULL: exceptions are not for a body */
    void (*before)(uint32_t msr, const uint64_t *written); /* each access */
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
BODY(lbr_body_writes, {LBR_JCC | LBR_IN_TX, 8, 4}, {LBR_ABORT, 4, 24})
BODY(lbr_body_elided, {LBR_JCC, 0, 4}, {LBR_JCC | LBR_IN_TX, 6, 8})
BODY(lbr_body_elision_aborts, {LBR_REL_JMP | LBR_IN_TX, 4, 8},
     {LBR_ABORT, 20, 0}, {LBR_REL_JMP, 4, 8})
BODY(lbr_body_exceptions, {LBR_FAR, 0, 4}, {LBR_REL_JMP, 4, 8},
     {LBR_FAR, 8, 12}, {LBR_FAR, 12, 16})
BODY(lbr_body_debug, {LBR_REL_JMP, 0, 4})
const uint8_t lbr_body_nothing[1];
const struct lbr_row lbr_body_nothing_rows[] = {{LBR_END, 0, 0}};
const struct lbr_row window_ring3_rows[] = {
    {LBR_JCC, 0, 4},
    {LBR_FAR | LBR_TO_USR, 4, 8},
    {LBR_JCC | LBR_FROM_USR | LBR_TO_USR, 8, 12},
    {LBR_FAR | LBR_FROM_USR, 12, 16},
    {LBR_END, 16, 16}};
const struct lbr_row ring3_body_changes_rows[] = {
    {LBR_FAR | LBR_TO_USR, 4, 8},
    {LBR_REL_CALL | LBR_FROM_USR | LBR_TO_USR, 8, 12},
    {LBR_RET | LBR_FROM_USR | LBR_TO_USR, 12, 10},
    {LBR_FAR | LBR_FROM_USR, 12, 16},
    {LBR_END, 16, 16}};
#define RING3_ROW(kind, from, to)                        \
    {                                                    \
        (kind) | LBR_FROM_USR | LBR_TO_USR, (from), (to) \
    }
#define RING3_BIT(n) RING3_ROW(LBR_JCC, 16 + (n), 32 + (n))
const struct lbr_row ring3_body_bits_rows[] = {{LBR_FAR | LBR_TO_USR, 4, 8},
                                               RING3_ROW(LBR_IND_JMP, 8, 10),
                                               RING3_ROW(LBR_REL_JMP, 10, 12),
                                               RING3_ROW(LBR_REL_JMP, 12, 16),
                                               RING3_BIT(0),
                                               RING3_BIT(1),
                                               RING3_BIT(2),
                                               RING3_BIT(3),
                                               RING3_BIT(4),
                                               RING3_BIT(5),
                                               RING3_BIT(6),
                                               RING3_BIT(7),
                                               RING3_BIT(8),
                                               RING3_BIT(9),
                                               RING3_BIT(10),
                                               RING3_BIT(11),
                                               {LBR_FAR | LBR_FROM_USR, 12, 16},
                                               {LBR_END, 16, 16}};
const struct lbr_row ring3_body_kinds_rows[] = {
    {LBR_FAR | LBR_TO_USR, 4, 8},
    RING3_ROW(LBR_IND_JMP, 8, 10),
    RING3_ROW(LBR_JCC, 10, 12),
    RING3_ROW(LBR_JCC, 12, 14),
    RING3_ROW(LBR_REL_JMP, 14, 16),
    RING3_ROW(LBR_IND_JMP, 16, 18),
    RING3_ROW(LBR_REL_CALL, 18, 20),
    RING3_ROW(LBR_IND_CALL, 20, 22),
    RING3_ROW(LBR_RET, 22, 24),
    {LBR_FAR | LBR_FROM_USR, 12, 16},
    {LBR_END, 16, 16}};
const struct lbr_row window_ring3_tx_rows[] = {
    {LBR_FAR | LBR_TO_USR, 4, 8},
    {LBR_JCC | LBR_IN_TX | LBR_FROM_USR | LBR_TO_USR, 8, 12},
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
    {lbr_body_writes, lbr_body_writes_rows},
    {lbr_body_elided, lbr_body_elided_rows},
    {lbr_body_elision_aborts, lbr_body_elision_aborts_rows},
    {lbr_body_exceptions, lbr_body_exceptions_rows},
    {lbr_body_debug, lbr_body_debug_rows},
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
    if (wrong(KIND_CANCELS) && (select & MSR_LBR_SELECT_KINDS) != 0)
        select &= ~BITS(1, 0);
    if (wrong(LEVEL_CANCELS) && (select & BITS(1, 0)) != 0)
        select &= ~MSR_LBR_SELECT_KINDS;
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
        ((kind & LBR_KIND) != LBR_IND_JMP ||
         (!wrong(TARGETS_PREDICTED) && !wrong(ENTRY_MISPREDICTED))))
        flags |= BIT(63);
    if ((kind & LBR_IN_TX) != 0 && wrong(IN_TX_PREDICTED))
        flags &= ~BIT(63);
    if ((kind & LBR_FROM_USR) != 0 && wrong(RING3_PREDICTED))
        flags &= ~BIT(63);
    if (wrong(KIND_PREDICTED) && (kind & LBR_KIND) == device.number)
        flags &= ~BIT(63);
    if ((device.enters && wrong(ENTRY_MISPREDICTED)) ||
        (wrong(KIND_MISPREDICTED) && (kind & LBR_KIND) == device.number))
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
    if (wrong(NO_CYCLES))
        cycles = 0;
    const unsigned depth = wrong(HALF_DEEP) ? device.depth / 2 : device.depth;
    const bool abort = (kind & LBR_ABORT) != 0;

    if (device.stopped || !captured(kind) || (abort && wrong(ABORT_MISSING)))
        return;
    from += (kind == (LBR_RET | LBR_FROM_USR | LBR_TO_USR) &&
             wrong(RETURN_OF_RING3));
    from += wrong(FROM_OFF) || (abort && wrong(ABORT_FROM)) ? 256 : 0;
    to += wrong(TO_OFF) || (abort && wrong(ABORT_TO)) ? 1 : 0;
    if (device.format == ARCH) {
        const bool user = (kind & LBR_FROM_USR) != 0;
        if (user != ((kind & LBR_TO_USR) != 0) &&
            (selected() & BIT(user ? 1 : 0)) != 0)
            from = UINT64_MAX;
        push(depth, from, to, flags_of(kind) | info_of(kind) | cycles);
        return;
    }
    struct fake_msr *tos = fake_msr(MSR_LASTBRANCH_TOS);
    const unsigned n = (unsigned)(tos->value + 1) % depth;
    if (!wrong(TOS_STUCK))
        tos->value = n;
    uint64_t *flagged =
        &fake_msr(device.format == 5 ? MSR_LBR_INFO(n)
                                     : MSR_LASTBRANCH_FROM_IP(n))
             ->value;
    const uint64_t stays =
        wrong(MISPREDICTED_STAYS) ? *flagged & LBR_MISPRED : 0;
    fake_msr(MSR_LASTBRANCH_FROM_IP(n))->value = from;
    fake_msr(MSR_LASTBRANCH_TO_IP(n))->value = to;
    *flagged = (device.format == 5 ? cycles : from) | flags_of(kind) | stays;
}

/* SDM 3A, "64-Bit IDT Gate Descriptors". */
static uint64_t handler_of(unsigned vector)
{
    uint16_t part[8];

    memcpy(part, device.gates + 16 * vector, sizeof(part));
    return part[0] | (uint64_t)part[3] << 16 | (uint64_t)part[4] << 32 |
           (uint64_t)part[5] << 48;
}

/* #UD, #DE, and INT n, whose record is from the next. */
static void exception(unsigned vector, uint64_t from, uint64_t next)
{
    const bool is = wrong(EXCEPTION_LATE) && device.number == vector;

    if (!wrong(EXCEPTION_UNSAID) || device.number != vector)
        record(LBR_FAR,
               is                    ? next
               : vector == TRACE_INT ? from + LBR_INT_BYTES
                                     : from,
               handler_of(vector), 7);
    if (!wrong(RETURN_UNSAID) || device.number != vector)
        record(LBR_FAR, at(trace_handler_end), next, 7);
}

/* "It clears LBR and BTF". */
static void debug_exception(struct trace_window *w, uint64_t from)
{
    const bool arch = device.format == ARCH;
    uint64_t *own = &fake_msr(IA32_DEBUGCTL)->value;
    uint64_t debugctl = arch ? *own : w->control;

    if (wrong(DEBUG_SAID))
        record(LBR_FAR, from, handler_of(1), 7);
    if (!wrong(DEBUG_KEEPS_BTF))
        debugctl &= ~IA32_DEBUGCTL_BTF;
    if (wrong(DEBUG_CLEARS))
        debugctl &= ~BIT(device.number);
    w->cells[1] = ((arch ? w->control : debugctl) & ~UINT64_C(1)) |
                  (wrong(DEBUG_GOES_ON) || wrong(DEBUG_SAYS_SO));
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
    if (wrong(CYCLES_OF_LEFT_OUT) && w->body == lbr_body_between)
        return 7;
    if (wrong(CYCLES_LOW))
        return cycles / 2 & 0xffff;
    if (wrong(CYCLES_HIGH) && !is_long)
        return cycles * 2;
    return cycles > 0xffff && !wrong(CYCLES_WRAP) ? 0xffff : cycles & 0xffff;
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
        record(row->kind, at(body) + 8, at(body) + 4, 7);
    static const unsigned vectors[] = {6, 0, TRACE_INT};
    unsigned exceptions = 0;

    for (unsigned n = 0; row->kind != LBR_END; row++, n++) {
        const bool lower =
            (w->body == lbr_body_targets || w->body == lbr_body_callees) &&
            n % 2 == 0 && (w->argument >> n / 2 & 1) == 0;
        if (((row->kind & LBR_MAY) != 0 && !wrong(NO_LENGTH_KEPT)) ||
            (is_deep(w) && n >= w->argument && !wrong(RETURNED_KEPT)) ||
            (w->body == lbr_body_again && n == 0 && wrong(AGAIN_EMPTIES)))
            continue;
        if ((row->kind & (LBR_IN_TX | LBR_ABORT)) != 0 && wrong(NOT_ELIDED) &&
            w->body == lbr_body_elision_aborts)
            continue;
        if (device.gates != NULL && row->kind == LBR_FAR) {
            exception(vectors[exceptions++], at(body) + (uint64_t)row->from,
                      at(body) + (uint64_t)row->to);
            continue;
        }
        if ((w->body != lbr_body_bits && w->body != lbr_body_bits_tx) ||
            (w->argument >> n & 1) != 0)
            record(row->kind, at(body) + (uint64_t)row->from,
                   at(body) + (uint64_t)row->to - lower,
                   n != 0 || w->body == lbr_body_waits ? cycles : 7);
    }
    if (w->body != lbr_body_debug || wrong(DEBUG_GOES_ON))
        record(LBR_REL_JMP, at(body) + (uint64_t)row->from,
               at(trace_window_off), 7);
}

int trace_window(struct trace_window *w)
{
    const bool chain =
        w->body >= lbr_body_chain && w->body < lbr_body_chain + 256;

    /* Nothing freezes but where a body is about that; the rest is as found. */
    const uint64_t debugctl =
        device.format == ARCH ? fake_msr(IA32_DEBUGCTL)->value : w->control;
    if (w->body != lbr_body_debug)
        assert_int_equal(debugctl & ~IA32_DEBUGCTL_LBR,
                         IA32_DEBUGCTL_FREEZE_WHILE_SMM_EN);
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
    device.enters = true;
    record(LBR_IND_JMP, at(trace_window_on_next), at(w->body), 7);
    device.enters = false;
    run_rows(w,
             chain        ? lbr_body_chain
             : is_deep(w) ? lbr_body_deep
                          : w->body,
             cycles);
    if (wrong(RETURNED_KEPT) && w->body == lbr_body_calls)
        record(LBR_REL_CALL, 1, 2, 7);
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
    device.gates = gates;
    const int vector = trace_window(w);
    device.gates = NULL;
    return vector;
}

/* Is this row of a window one that leaves a record? */
static bool remains(const struct lbr_row *rows, unsigned n,
                    const struct ring3 *ring3)
{
    const uint32_t *data = (const uint32_t *)(uintptr_t)ring3->data;
    const bool calls = device.format == ARCH
                           ? (fake_msr(IA32_LBR_CTL)->value & BIT(3)) != 0
                           : (fake_msr(MSR_LBR_SELECT)->value & BIT(9)) != 0;
    const unsigned bit = n - (RING3_BITS_FAST + 1);

    if (calls && !wrong(RETURNED_KEPT))
        return n == RING3_KINDS_CALL;
    return rows != ring3_body_bits_rows || bit >= LBR_BITS ||
           (*data >> bit & 1) != 0;
}

static uint64_t cross(uint64_t enable, uint64_t cells[WINDOW_CELLS],
                      const struct lbr_row *rows)
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    uint64_t cycles = 0;

    assert_int_equal(ring3->msr,
                     device.format == ARCH ? IA32_LBR_CTL : IA32_DEBUGCTL);
    assert_int_equal(enable & 1, 1);
    ring3->vector = HW_NO_FAULT;
    ring3->status = UINT32_MAX;
    device.windows++;
    for (const struct lbr_row *row = rows; row->kind != LBR_END; row++) {
        const unsigned n = (unsigned)(row - rows);

        if (!remains(rows, n, ring3))
            continue;
        cycles = (wrong(RING3_ADDS_UP) ? cycles : 0) +
                 (n == RING3_BITS_FAST - 1 ? 200 : 7);
        record(row->kind,
               ((row->kind & LBR_FROM_USR) != 0 ? ring3->user_code
                                                : at(ring3_code)) +
                   (uint64_t)row->from,
               ((row->kind & LBR_TO_USR) != 0 ? ring3->user_code
                                              : at(ring3_code)) +
                   (uint64_t)row->to,
               cycles);
    }
    return 0;
}

uint64_t window_ring3(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    return cross(enable, cells, window_ring3_rows);
}

/* Aborts by other causes. */
const uint8_t ring3_ends[0x90] = {0};
#define LABEL(name, offset)      \
    __asm__(".globl " #name "\n" \
            ".set " #name ", ring3_ends + " #offset "\n");
LABEL(ring3_aborts_ud2, 0x00)
LABEL(ring3_aborts_ud2_at, 0x10)
LABEL(ring3_aborts_ud2_resume, 0x20)
LABEL(ring3_aborts_cpuid, 0x30)
LABEL(ring3_aborts_cpuid_at, 0x40)
LABEL(ring3_aborts_cpuid_resume, 0x50)
LABEL(ring3_aborts_inner, 0x60)
LABEL(ring3_aborts_inner_at, 0x70)
LABEL(ring3_aborts_inner_resume, 0x80)

static bool abort_by(const struct ring3 *ring3)
{
    static const struct {
        const uint8_t *body, *at, *resume;
    } causes[] = {
        {ring3_aborts_ud2, ring3_aborts_ud2_at, ring3_aborts_ud2_resume},
        {ring3_aborts_cpuid, ring3_aborts_cpuid_at, ring3_aborts_cpuid_resume},
        {ring3_aborts_inner, ring3_aborts_inner_at, ring3_aborts_inner_resume},
    };
    const uint64_t user = ring3->user_code - at(ring3_code);

    for (unsigned i = 0; i < 3; i++)
        if (ring3->body == (uint32_t)(causes[i].body - ring3_body)) {
            record(LBR_FAR | LBR_ABORT | LBR_FROM_USR | LBR_TO_USR,
                   user + at(causes[i].at), user + at(causes[i].resume), 7);
            return true;
        }
    return false;
}

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    const struct ring3 *ring3 = (const struct ring3 *)(uintptr_t)cells[0];

    assert_int_equal(ring3->level, 3);
    if (abort_by(ring3)) {
        cross(enable, cells, window_ring3_tx_rows + 3);
        return 0;
    }
    if (ring3->body == (uint32_t)(ring3_body_bits - ring3_body))
        return cross(enable, cells, ring3_body_bits_rows);
    if (ring3->body == (uint32_t)(ring3_body_kinds - ring3_body))
        return cross(enable, cells, ring3_body_kinds_rows);
    assert_int_equal(ring3->body, (uint32_t)(ring3_body_changes - ring3_body));
    return cross(enable, cells, ring3_body_changes_rows);
}

const uint8_t ring3_tx_abort[1] = {0}, ring3_tx_fallback[1] = {0};

uint64_t window_ring3_tx(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    const uint64_t user = ring3->user_code - at(ring3_code);

    cross(enable, cells, window_ring3_tx_rows);
    if (ring3->aborts == 0)
        return 0;
    record(LBR_FAR | LBR_ABORT | LBR_FROM_USR | LBR_TO_USR,
           user + at(ring3_tx_abort), user + at(ring3_tx_fallback), 7);
    record(LBR_FAR, user, at(ring3_code) + 16, 7);
    ring3->status = RTM_STATUS_XABORT | RING3_TX_CODE << 24;
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
    const uint64_t kept = wrong(RESERVED_KEPT) ? UINT64_MAX
                          : wrong(BIT_KEPT)    ? BIT(device.number)
                                               : 0;

    if (msr == IA32_LBR_CTL || msr == MSR_LBR_SELECT) {
        const uint64_t bits = msr == IA32_LBR_CTL ? UINT64_C(0x7f000f) : select;
        return (value & ~bits & ~kept) != 0 ||
               (wrong(BIT_REFUSED) && (value >> device.number & 1) != 0);
    }
    if (msr == IA32_LBR_DEPTH)
        return value != 8 && value != 16 && value != 32 && !wrong(DEPTH_ANY);
    return address && device.format == 5 && !wrong(ANY_ADDRESS) &&
           value >> 47 != 0 && value >> 47 != BITS(16, 0);
}

/* Is it of an architectural entry from the depth on? */
static bool is_beyond(uint32_t msr)
{
    const uint64_t from = fake_msr(IA32_LBR_DEPTH)->value;

    for (uint64_t n = from; n < device.depth; n++)
        if (msr == IA32_LBR_FROM_IP(n) || msr == IA32_LBR_TO_IP(n) ||
            msr == IA32_LBR_INFO(n))
            return true;
    return false;
}

/* Writes: what a register refuses, loses, or shares. */
static int access(uint32_t msr, const uint64_t *written)
{
    if (device.before != NULL)
        device.before(msr, written);
    if (wrong(MSR_MISSING) && msr == device.number)
        return HW_GP;
    if (device.format == 63 && is_beyond(msr) && !wrong(DEPTH_READS))
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
    if (wrong(CONTROL_HELD) && msr == IA32_LBR_CTL)
        fake_msr(msr)->writable =
            (fake_msr(msr)->value & *written & 1) != 0 ? 1 : UINT64_MAX;
    if (wrong(MSR_SHARED) && msr == device.number) {
        const unsigned here = fake_current;

        fake_current = !here;
        fake_msr(msr)->value = *written;
        fake_current = here;
    }
    return HW_NO_FAULT;
}

/* --- Running a case ------------------------------------------------------ */

#define PROCESSORS 2
static struct test_context all[PROCESSORS];
static struct hw_result results[PROCESSORS];
static _Alignas(4096) uint8_t memory[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];

/* Register n of one of a processor's entries; NULL: there is none. */
static uint64_t *entry_of(unsigned n, unsigned entry)
{
    static const uint32_t first[2][3] = {
        {MSR_LASTBRANCH_FROM_IP(0), MSR_LASTBRANCH_TO_IP(0), MSR_LBR_INFO(0)},
        {IA32_LBR_FROM_IP(0), IA32_LBR_TO_IP(0), IA32_LBR_INFO(0)}};

    return n == 2 && device.format < 5
               ? NULL
               : &fake_msr(first[device.format == ARCH][n] + entry)->value;
}

/* All hold something. */
static void make_msrs(void)
{
    static const uint32_t others[] = {IA32_RTIT_CTL,
                                      IA32_RTIT_STATUS,
                                      IA32_RTIT_OUTPUT_BASE,
                                      IA32_RTIT_OUTPUT_MASK_PTRS,
                                      IA32_FS_BASE,
                                      IA32_GS_BASE,
                                      IA32_EFER,
                                      IA32_STAR,
                                      IA32_LSTAR,
                                      IA32_FMASK};
    const bool arch = device.format == ARCH;

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        fake_msr(others[i]);
    fake_msr(IA32_DEBUGCTL)->value =
        IA32_DEBUGCTL_FREEZE_WHILE_SMM_EN | IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI;
    fake_msr(arch ? IA32_LBR_CTL : MSR_LBR_SELECT)->value = 4;
    fake_msr(arch ? IA32_LBR_DEPTH : MSR_LASTBRANCH_TOS)->value =
        arch ? device.depth : 5;
    for (unsigned n = 0; n < device.depth; n++)
        for (unsigned i = 0; i < 3; i++)
            if (entry_of(i, n) != NULL)
                *entry_of(i, n) = 0x1000 * (n + 1) + i;
    fake_msr(IA32_DEBUGCTL)->value |= device.used == BY_LBR  ? IA32_DEBUGCTL_LBR
                                      : device.used == BY_TR ? IA32_DEBUGCTL_TR
                                                             : 0;
    fake_msr(IA32_RTIT_CTL)->value = device.used == BY_TRACE;
    if (device.used == BY_CTL)
        fake_msr(IA32_LBR_CTL)->value |= IA32_LBR_CTL_LBREn;
    if (device.used == BY_DEPTH)
        fake_msr(IA32_LBR_DEPTH)->value = 8;
    if (wrong(MSR_LOSES))
        fake_msr(device.number)->writable =
            device.number == MSR_LBR_SELECT || device.number == IA32_LBR_CTL
                ? ~BIT(3)
                : ~BIT(0);
}

static void begin(const struct test *test)
{
    fake_reset();
    fake_processors(PROCESSORS);
    memset(all, 0, sizeof(all));
    device.windows = 0;
    fake_device = access;
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        make_msrs();
        identity_read(&all[p].cpu);
        all[p].cpu.model = (uint16_t)device.model;
        all[p].cpu.rtm = all[p].cpu.hle = device.format != 3;
        all[p].cpu.tsx_force_abort = false;
        all[p].cpu.pdcm = true;
        all[p].cpu.pt = device.traces;
        all[p].cpu.leaf14_ecx = 1;
        if (device.version != 0)
            all[p].cpu.perfmon_version = (uint8_t)device.version;
        all[p].cpu.perf_capabilities = device.format;
        all[p].cpu.arch_lbr = device.format == ARCH;
        all[p].cpu.leaf1c_eax = 0x0b; /* 8, 16 and 32 */
        all[p].cpu.leaf1c_ebx = all[p].cpu.leaf1c_ecx = 7;
        all[p].processor = p;
        all[p].all = all;
        all[p].results = results;
        all[p].processors = PROCESSORS;
        all[p].buffer = memory;
        context_begin(&all[p], test, 1);
        context_fill(&all[p]);
    }
    fake_current = 0;
}

/* What a processor's registers hold. */
static uint64_t held(unsigned p)
{
    const bool arch = device.format == ARCH;
    uint64_t sum;

    fake_current = p;
    sum = fake_msr(IA32_DEBUGCTL)->value << 32 ^
          fake_msr(arch ? IA32_LBR_CTL : MSR_LBR_SELECT)->value << 16 ^
          fake_msr(arch ? IA32_LBR_DEPTH : MSR_LASTBRANCH_TOS)->value;
    for (unsigned n = 0; n < device.depth; n++)
        for (unsigned i = 0; i < 3; i++)
            if (entry_of(i, n) != NULL)
                sum = 31 * sum + *entry_of(i, n);
    fake_current = 0;
    return sum;
}

/* The worst of the two. */
static enum verdict verdict_of(const struct test *test)
{
    enum verdict worst = VERDICT_PASS;

    begin(test);
    const uint64_t before[PROCESSORS] = {held(0), held(1)};
    fake_body(&all[0]);
    for (unsigned p = 0; p < PROCESSORS && wrong(RIGHT); p++) {
        fake_current = p;
        restore_msrs(&all[p]);
        fake_current = 0;
        assert_int_equal(held(p), before[p]);
    }
    fake_device = NULL;
    for (unsigned p = 0; p < PROCESSORS; p++) {
        all[p].end = HW_DONE;
        if (p != 0 && all[p].checks == 0)
            continue;
        context_close(&all[p]);
        if (all[p].verdict != VERDICT_PASS)
            worst = all[p].verdict;
    }
    return worst;
}

static void generation(unsigned format)
{
    device.format = format;
    device.model = format == 3   ? 0x2a
                   : format == 4 ? 0x3c
                   : format == 5 ? 0x5e
                                 : 0x8f;
    device.depth = format >= 5 ? 32 : 16;
    device.is = RIGHT;
}

static inline void passes(const struct test *test, unsigned format)
{
    generation(format);
    enum verdict verdict = verdict_of(test);
    if (verdict != VERDICT_PASS)
        fail_msg("%s, format %u: %d: %s%s", test->name, format, verdict,
                 all[0].text, all[1].text);
}

static inline void seen(const struct test *test, unsigned format, enum wrong is,
                        unsigned number)
{
    generation(format);
    device.is = is;
    device.number = number;
    enum verdict verdict = verdict_of(test);
    if (verdict != VERDICT_FAIL)
        fail_msg("%s, format %u: wrong %d, %x: %d", test->name, format, is,
                 number, verdict);
}

#endif
