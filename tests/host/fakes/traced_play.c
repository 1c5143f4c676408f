/* SPDX-License-Identifier: BSD-2-Clause */
/* traced_play.c - instructions that are played: what is privileged, and what
 * raises an exception. */
#define _GNU_SOURCE
#include "asm/trace_window.h"
#include "tests/host/fakes/fake_clock.h"
#include "tests/host/fakes/traced_parts.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/instructions/operand.h"
#include "tests/silicon/model/counters/pmu_msr.h"

#include <string.h>
#include <unistd.h>

#define VECTOR_DB 1
#define VECTOR_BP 3
#define VECTOR_UD 6
#define VECTOR_GP 13

/* In the order of their numbers in instructions. */
uint64_t *traced_operand(ucontext_t *u, unsigned number)
{
    static const int names[] = {
        REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
        REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

    return &REG(u, names[number]);
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
        traced_tx_abort(u, TX_CAUSE_INSTRUCTION, 0);
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
        REG(u, REG_RIP) =
            (uintptr_t)(window ? trace_window_resume : tsx_faulted);
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
    REG(u, REG_RIP) = handler;
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
        traced_played(u, 2);
    else
        REG(u, REG_RIP) = traced.at + 2;
}

unsigned traced_accesses(ucontext_t *u, struct data_access found[])
{
    struct operand_state state = {.rip = traced.at};

    for (unsigned n = 0; n < 16; n++)
        state.general[n] = *traced_operand(u, n);
    return operand_find(found, &state, (const uint8_t *)traced.at,
                        INSTRUCTION_BYTES_MAX);
}

/* MOV to and from control and debug registers, RDTSC, CPUID. */
static bool play_system(ucontext_t *u, const uint8_t *code)
{
    const bool rex = (code[0] & 0xf0) == 0x40;
    const uint8_t *op = code + rex;
    uint64_t *r =
        traced_operand(u, (op[2] & 7u) + (rex && (code[0] & 1) != 0 ? 8u : 0));
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
        traced_played(u, 2);
        return true;
    case 0xa2:
        REG(u, REG_RAX) = REG(u, REG_RBX) = 0;
        REG(u, REG_RCX) = REG(u, REG_RDX) = 0;
        traced_played(u, 2);
        return true;
    default:
        return false;
    }
    traced_played(u, 3 + rex);
    return true;
}

/* A host may not have it. */
static void play_ptwrite(ucontext_t *u, const uint8_t *code)
{
    struct data_access found[DATA_ACCESSES_MAX];
    unsigned at = 0;

    if ((traced.current.locked &&
         faults_pt(&traced_processor, PT_PTW_LOCK_REFUSED, true)) ||
        (traced.current.prefixed &&
         faults_pt(&traced_processor, PT_PTW_66_REFUSED, true))) {
        traced_deliver(u, VECTOR_UD, traced.at);
        return;
    }
    traced_keep_not();
    while (code[at] != 0x0f)
        at++;
    traced.ptw = *traced_operand(
        u, (code[at + 2] & 7u) | ((code[at - 1] & 0xf1) == 0x41 ? 8u : 0));
    if (traced_accesses(u, found) != 0)
        memcpy(&traced.ptw, (const void *)found->linear, found->bytes);
    traced_played(u, (unsigned)instruction_bytes(code, INSTRUCTION_BYTES_MAX));
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
    REG(u, REG_RIP) = next;
    traced_retired(next);
    return true;
}

/* What is not left to the traced_processor. */
bool traced_play(ucontext_t *u)
{
    const uint8_t *code = (const uint8_t *)traced.at;

    if (traced.current.kind != INSTRUCTION_OTHER) {
        traced_tx_instruction(u);
        return true;
    }
    if (traced.current.is_ptwrite) {
        play_ptwrite(u, code);
        return true;
    }
    if (traced.depth != 0 && traced_tx_aborts(u))
        return true;
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
        traced_played(u, 1);
        return true;
    }
    if (code[0] == 0x0f && code[1] == 0x0b) {
        traced_deliver(u, VECTOR_UD, traced.at);
        return true;
    }
    return play_far(u, code) || traced_play_ring(u, code) ||
           play_system(u, code);
}
