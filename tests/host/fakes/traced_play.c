/* SPDX-License-Identifier: BSD-2-Clause */
/* traced_play.c - instructions that are played: what is privileged, what begins
 * and ends transactions, and what raises an exception. */
#define _GNU_SOURCE
#include "asm/trace_window.h"
#include "tests/host/fakes/fake_clock.h"
#include "tests/host/fakes/traced_parts.h"
#include "tests/silicon/model/counters.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/instructions/operand.h"
#include "tests/silicon/model/pmu_msr.h"

#include <string.h>
#include <unistd.h>

#define VECTOR_DB 1
#define VECTOR_BP 3
#define VECTOR_UD 6
#define VECTOR_GP 13

unsigned traced_conflict;

#define LINE_BYTES 64
#define LINES      512 /* that a transaction may write */

/* In the order of their numbers in instructions. */
static uint64_t *operand(ucontext_t *u, unsigned number)
{
    static const int names[] = {
        REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
        REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

    return &REG(u, names[number]);
}

static void go_on(ucontext_t *u, uint64_t rip)
{
    REG(u, REG_RIP) = rip;
}

static void tx_abort(ucontext_t *u, enum tx_cause cause, uint32_t status);

/* "Intel TSX and PEBS Support": a record in a transaction aborts it first. */
static void record_if_due(ucontext_t *u)
{
    if (traced_processor.pebs.triggered == 0)
        return;
    if (traced.depth != 0 && !faults_record_spares_tx(&traced_processor))
        tx_abort(u, TX_CAUSE_EVENT, 0);
    else
        traced_record(u, traced.at);
}

static void played(ucontext_t *u, unsigned length)
{
    go_on(u, traced.at + length);
    traced_retired(traced.at + length);
    record_if_due(u);
}

static void tx_keep(ucontext_t *u, uint64_t fallback, bool hle)
{
    traced_keep_not();
    memcpy(traced.begun, u->uc_mcontext.gregs, sizeof(traced.begun));
    memcpy(traced.block, traced.kept, traced.kept_bytes);
    memcpy(traced.records, traced_records(), sizeof(traced.records));
    traced.depth = 1;
    traced.lines = traced.steps = 0;
    traced.locks = 0;
    traced.elides = tsx_elides(&traced_processor);
    traced.fallback = fallback;
    traced.hle = hle;
    traced_processor.tsx.user = traced.cpl > 0;
    counters_checkpoint(&traced_processor);
    tsx_began(&traced_processor, hle);
}

static void tx_end(void)
{
    traced_processor.tsx.active = false;
    pt_overflow(&traced_processor, &(struct pt_step){.next = traced.at});
    traced_output();
}

static void tx_abort(ucontext_t *u, enum tx_cause cause, uint32_t status)
{
    const uint64_t fallback = traced.fallback;
    const struct retirement passed = {.cycles =
                                          traced_processor.choices.cycles_abort,
                                      .user = traced.cpl > 0};
    const struct tx_abort how = {.cause = cause,
                                 .depth = traced.depth,
                                 .status = status,
                                 .forced = true,
                                 .eventing_ip = traced.at,
                                 .resume_ip = fallback};

    memcpy(u->uc_mcontext.gregs, traced.begun, sizeof(traced.begun));
    memcpy(traced.kept, traced.block, traced.kept_bytes);
    memcpy(traced_records(), traced.records, sizeof(traced.records));
    REG(u, REG_EFL) |= TRACED_TF;
    traced.depth = traced.locks = 0;
    go_on(u, fallback);
    if (!traced.hle)
        REG(u, REG_RAX) = status;
    traced.elided = traced.hle;
    struct pt_step now = traced_step(traced.at, fallback, passed.cycles);
    now.nested = how.depth > 1;
    if (faults_abort_traced(&traced_processor, cause))
        pt_tx_abort(&traced_processor, &now);
    counters_roll_back(&traced_processor);
    counters_retire(&traced_processor, &passed);
    tsx_aborted(&traced_processor, &how);
    tx_end();
    record_if_due(u);
}

extern const uint8_t trace_window_resume[], tsx_faulted[];

uint64_t traced_handler(unsigned vector)
{
    uint16_t part[8];

    memcpy(part, traced.gates + 16 * vector, sizeof(part));
    return part[0] | (uint64_t)part[3] << 16 | (uint64_t)part[4] << 32 |
           (uint64_t)part[5] << 48;
}

/* To the handler of a gate, with a frame; without gates to a fix-up. */
void traced_deliver(ucontext_t *u, unsigned vector, uint64_t back)
{
    traced_keep_not();
    if (traced.depth != 0) {
        tx_abort(u, TX_CAUSE_INSTRUCTION, 0);
        return;
    }
    if (traced_leave_ring(u, vector))
        return;
    if (!traced.stepped) {
        static const char text[] = "an instruction that is not stepped\n";
        (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
        _exit(1);
    }
    if (traced.gates == NULL) {
        const bool window = traced.at == (uintptr_t)trace_window_on;
        REG(u, REG_RAX) = vector;
        go_on(u, (uintptr_t)(window ? trace_window_resume : tsx_faulted));
        return;
    }
    const uint64_t handler = traced_handler(vector);
    const uint64_t segments = REG(u, REG_CSGSFS);
    const uint64_t frame[] = {0,
                              back,
                              segments & 0xffff,
                              REG(u, REG_EFL),
                              REG(u, REG_RSP),
                              segments >> 48};
    const unsigned left_out = vector == VECTOR_GP ? 0 : 1;
    REG(u, REG_RSP) =
        (REG(u, REG_RSP) & ~UINT64_C(15)) - sizeof(frame) + 8 * left_out;
    memcpy((void *)REG(u, REG_RSP), frame + left_out,
           sizeof(frame) - 8 * left_out);
    struct pt_step now =
        traced_step(vector == VECTOR_DB ? back : traced.at, handler,
                    traced_processor.choices.cycles_slow);
    now.vector = (uint8_t)vector;
    pt_event(&traced_processor, &now);
    traced_output();
    go_on(u, handler);
}

extern int hw_msr_read(uint32_t msr, uint64_t *value);
extern int hw_msr_write(uint32_t msr, uint64_t value);

static void access_msr(ucontext_t *u, bool write)
{
    const uint32_t number = (uint32_t)REG(u, REG_RCX);
    uint64_t value = REG(u, REG_RDX) << 32 | (REG(u, REG_RAX) & UINT32_MAX);
    const bool was = pt_tracing(&traced_processor);
    const int vector =
        write ? hw_msr_write(number, value) : hw_msr_read(number, &value);

    if (write && number == IA32_PERF_GLOBAL_CTRL && vector < 0 &&
        traced_processor.pebs.enable == 0)
        traced_keep_write(number, value);
    else if (traced.at != (uintptr_t)trace_window_on &&
             traced.at != (uintptr_t)trace_window_off_at)
        traced_keep_not();
    if (vector >= 0) {
        traced_deliver(u, (unsigned)vector, traced.at);
        return;
    }
    if (!write) {
        REG(u, REG_RAX) = value & UINT32_MAX;
        REG(u, REG_RDX) = value >> 32;
    }
    if (was && pt_tracing(&traced_processor))
        played(u, 2);
    else
        go_on(u, traced.at + 2);
}

static unsigned find_accesses(ucontext_t *u, struct data_access found[])
{
    struct operand_state state = {.rip = traced.at};

    for (unsigned n = 0; n < 16; n++)
        state.general[n] = *operand(u, n);
    return operand_find(found, &state, (const uint8_t *)traced.at,
                        INSTRUCTION_BYTES_MAX);
}

/* One line after the other, as far as it may. */
static bool writes_too_much(ucontext_t *u)
{
    struct data_access found[DATA_ACCESSES_MAX];
    const unsigned count = find_accesses(u, found);

    for (unsigned n = 0; n < count; n++) {
        const uint64_t line = found[n].linear / LINE_BYTES;
        if (found[n].kind != DATA_STORE || line == traced.line)
            continue;
        traced.line = line;
        traced.lines++;
    }
    return traced.lines > LINES;
}

/* An XBEGIN that is forced to abort, there and then. */
static bool is_doomed(ucontext_t *u, const struct pt_step *now)
{
    struct tx_decision decision = {.fate = TX_RUNS};

    tsx_decide(&traced_processor, &decision);
    if (decision.fate != TX_DOOMED ||
        (!decision.forced && traced_conflict != 0))
        return false;
    pt_tx_begin(&traced_processor, now, true);
    tx_abort(u, TX_CAUSE_INSTRUCTION, decision.status);
    return true;
}

static void tx_instruction(ucontext_t *u)
{
    const uint64_t next = traced.at + traced.current.length;
    const struct pt_step now =
        traced_step(traced.at, next, traced_processor.choices.cycles_other);

    go_on(u, next);
    switch (traced.current.kind) {
    case INSTRUCTION_XBEGIN:
        if (traced.depth != 0) {
            traced.depth++;
            pt_tx_nested(&traced_processor, &now);
            break;
        }
        tx_keep(u, next + (uint64_t)(int64_t)traced.current.displacement,
                false);
        if (is_doomed(u, &now))
            return;
        pt_tx_begin(&traced_processor, &now, false);
        pt_overflow(&traced_processor, &now);
        traced_output();
        return;
    case INSTRUCTION_XEND:
        if (traced.depth == 0) {
            traced_deliver(u, VECTOR_GP, traced.at);
            return;
        }
        if (--traced.depth != 0) {
            pt_tx_nested(&traced_processor, &now);
            break;
        }
        pt_tx_commit(&traced_processor, &now);
        tx_end();
        return;
    case INSTRUCTION_XABORT:
        if (traced.depth != 0) {
            tx_abort(u, TX_CAUSE_XABORT,
                     (uint32_t)traced.current.immediate << 24 | 1 |
                         (traced.depth > 1 ? TX_STATUS_NESTED : 0));
            return;
        }
        break;
    default: /* XTEST */
        REG(u, REG_EFL) &= ~UINT64_C(0x8d5);
        REG(u, REG_EFL) |= traced.depth == 0 ? 0x40 : 0;
        break;
    }
    traced_retired(next);
}

/* MOV to and from control and debug registers, RDTSC, CPUID. */
static bool play_system(ucontext_t *u, const uint8_t *code)
{
    const bool rex = (code[0] & 0xf0) == 0x40;
    const uint8_t *op = code + rex;
    uint64_t *r =
        operand(u, (op[2] & 7u) + (rex && (code[0] & 1) != 0 ? 8u : 0));
    uint64_t *control = (op[2] >> 3 & 7) == 4 ? &traced_cr4 : &traced_cr3;
    uint64_t *debug = &traced.dr[op[2] >> 3 & 7];

    if (op[0] != 0x0f)
        return false;
    switch (op[1]) {
    case 0x20:
        *r = *control;
        break;
    case 0x22:
        traced_keep_not();
        *control = *r;
        break;
    case 0x21:
        *r = *debug;
        break;
    case 0x23:
        traced_keep_not();
        *debug = *r;
        break;
    case 0x31:
        fake_tsc += 10;
        REG(u, REG_RAX) = fake_tsc & UINT32_MAX;
        REG(u, REG_RDX) = fake_tsc >> 32;
        played(u, 2);
        return true;
    case 0xa2:
        REG(u, REG_RAX) = REG(u, REG_RBX) = 0;
        REG(u, REG_RCX) = REG(u, REG_RDX) = 0;
        played(u, 2);
        return true;
    default:
        return false;
    }
    played(u, 3 + rex);
    return true;
}

/* A host may not have it. */
static void play_ptwrite(ucontext_t *u, const uint8_t *code)
{
    struct data_access found[DATA_ACCESSES_MAX];
    unsigned at = 0;

    if (traced.current.locked ||
        (traced.current.prefixed &&
         faults_pt(&traced_processor, PT_PTW_66_REFUSED, true))) {
        traced_deliver(u, VECTOR_UD, traced.at);
        return;
    }
    traced_keep_not();
    while (code[at] != 0x0f)
        at++;
    traced.ptw = *operand(u, (code[at + 2] & 7u) |
                                 ((code[at - 1] & 0xf1) == 0x41 ? 8u : 0));
    if (find_accesses(u, found) != 0)
        memcpy(&traced.ptw, (const void *)found->linear, found->bytes);
    played(u, (unsigned)instruction_bytes(code, INSTRUCTION_BYTES_MAX));
}

static uint64_t pop(ucontext_t *u)
{
    const uint64_t value = *(const uint64_t *)REG(u, REG_RSP);

    REG(u, REG_RSP) += 8;
    return value;
}

/* Far RET, IRET, far JMP and CALL through [RSP]: all with REX.W, and to code as
 * it is. */
static bool play_far(ucontext_t *u, const uint8_t *code)
{
    const bool returns = code[1] == 0xcb || code[1] == 0xcf,
               jumps = code[1] == 0xff && code[3] == 0x24 &&
                       (code[2] == 0x1c || code[2] == 0x2c);

    if (code[0] != 0x48 || (!returns && !jumps))
        return false;
    const uint64_t *const stack = (const uint64_t *)REG(u, REG_RSP);
    const uint64_t next = stack[0];
    if (returns)
        REG(u, REG_RSP) += 16;
    if (code[1] == 0xcf) {
        traced_enter_ring(stack[1]);
        REG(u, REG_EFL) = pop(u) | TRACED_TF;
        REG(u, REG_RSP) = pop(u);
    }
    if (jumps && code[2] == 0x1c) {
        const uint64_t back[] = {traced.at + 4, REG(u, REG_CSGSFS) & 0xffff};
        REG(u, REG_RSP) -= sizeof(back);
        memcpy((void *)REG(u, REG_RSP), back, sizeof(back));
    }
    go_on(u, next);
    traced_retired(next);
    return true;
}

void traced_committed(uint64_t ip)
{
    const struct pt_step now = traced_step(ip, ip, 1);

    pt_tx_begin(&traced_processor, &now, false);
    pt_tx_commit(&traced_processor, &now);
    traced_output();
}

void traced_take_hint(ucontext_t *u)
{
    const enum elide hint = traced.current.elide;

    traced.elide = ELIDE_NONE;
    if (traced.depth == 0)
        traced.elides = tsx_elides(&traced_processor);
    if (hint == ELIDE_ACQUIRE && traced.elides) {
        if (traced.depth != 0)
            traced.depth++;
        else if (!traced.elided)
            tx_keep(u, traced.at, true);
        if (traced.depth != 0)
            traced.elide = hint;
        traced.locks += traced.depth != 0;
        traced.elided = false;
    }
    if (hint == ELIDE_ACQUIRE && traced.elide == ELIDE_NONE)
        traced.elide = ELIDE_IGNORED;
    if (hint == ELIDE_RELEASE && traced.locks != 0) {
        traced.locks--;
        traced.elide = hint;
    }
}

void traced_done(ucontext_t *u)
{
    traced_retired(REG(u, REG_RIP));
    if (traced.depth != 0 && pt_tracing(&traced_processor) &&
        faults_trace_aborts(&traced_processor))
        tx_abort(u, TX_CAUSE_INSTRUCTION, 0);
    record_if_due(u);
}

/* XRELEASE has to bring the lock back. */
void traced_hint_taken(ucontext_t *u)
{
    const struct pt_step now = traced_step(traced.at, REG(u, REG_RIP), 1);
    const bool outermost = traced.depth == 1;

    if (traced.elide == ELIDE_ACQUIRE && outermost) {
        pt_tx_begin(&traced_processor, &now, false);
        traced_output();
        return;
    }
    if (traced.elide == ELIDE_RELEASE && traced.hle && outermost) {
        if (memcmp(traced.records, traced_records(), sizeof(traced.records)) !=
            0) {
            tx_abort(u, TX_CAUSE_INSTRUCTION, 0);
            return;
        }
        traced.depth = 0;
        pt_tx_commit(&traced_processor, &now);
        tx_end();
        return;
    }
    traced.depth -= traced.elide == ELIDE_RELEASE;
    pt_tx_nested(&traced_processor, &now);
    traced_retired(REG(u, REG_RIP));
}

/* What is not left to the traced_processor. */
bool traced_play(ucontext_t *u)
{
    const uint8_t *code = (const uint8_t *)traced.at;

    if (traced.current.kind != INSTRUCTION_OTHER) {
        tx_instruction(u);
        return true;
    }
    if (traced.current.is_ptwrite) {
        play_ptwrite(u, code);
        return true;
    }
    if (traced.depth != 0 && traced.interrupted) {
        tx_abort(u, TX_CAUSE_EVENT, 0);
        traced_interrupt(REG(u, REG_RIP));
        return true;
    }
    if (traced.depth != 0 && ++traced.steps == traced_conflict) {
        tx_abort(u, TX_CAUSE_CONFLICT, TX_STATUS_CONFLICT | TX_STATUS_RETRY);
        return true;
    }
    if (traced.depth != 0 && writes_too_much(u)) {
        tx_abort(u, TX_CAUSE_WRITES, TX_STATUS_CAPACITY);
        return true;
    }
    if (traced.depth != 0 &&
        tsx_aborts(&traced_processor, &traced.current, false)) {
        tx_abort(u, TX_CAUSE_INSTRUCTION, 0);
        return true;
    }
    if (code[0] == 0x0f && (code[1] == 0x30 || code[1] == 0x32)) {
        access_msr(u, code[1] == 0x30);
        return true;
    }
    if (code[0] == 0xcc || code[0] == 0xcd) {
        traced_deliver(u, code[0] == 0xcc ? VECTOR_BP : code[1],
                       traced.at + 1 + (code[0] == 0xcd));
        return true;
    }
    if (code[0] == 0x9d) /* POPF: of what tests run with, IF = 0 */
        traced.if_set = false;
    if (code[0] == 0xfa || code[0] == 0xfb) { /* CLI, STI */
        traced.if_set = code[0] == 0xfb;
        played(u, 1);
        return true;
    }
    if (code[0] == 0x0f && code[1] == 0x0b) {
        traced_deliver(u, VECTOR_UD, traced.at);
        return true;
    }
    return play_far(u, code) || traced_play_ring(u, code) ||
           play_system(u, code);
}
