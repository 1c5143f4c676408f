/* SPDX-License-Identifier: BSD-2-Clause */
/* traced_cpu.c - by RFLAGS.TF: each instruction is looked at before it is
 * executed, or played, and the model is told of it after. */
#define _GNU_SOURCE
#include "tests/host/fakes/traced_cpu.h"

#include "asm/hle_regions.h"
#include "asm/ring3_window.h"
#include "asm/rtm_store.h"
#include "asm/trace_window.h"
#include "asm/tsx_bodies.h"
#include "tests/host/fakes/traced_parts.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define VECTOR_DE 0
#define VECTOR_DB 1
#define VECTOR_UD 6
#define VECTOR_GP 13

/* A write to where DR0 points: the one that DR7 is set for here. */
static bool is_watched(void)
{
    const uint8_t *code = (const uint8_t *)traced.at;

    return (traced.dr[7] & 3) != 0 && code[0] == 0x49 && code[1] == 0x89;
}

static void arrived(ucontext_t *u)
{
    for (;;) {
        traced.at = REG(u, REG_RIP);
        instruction_classify(&traced.current, (const uint8_t *)traced.at,
                             INSTRUCTION_BYTES_MAX);
        traced.next = traced.at + 2;
        if (!traced_play(u))
            break;
    }
    traced_take_hint(u);
    traced.native = true;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    const bool watched = signal == SIGTRAP && traced.native && is_watched();

    (void)info;
    traced.native = false;
    if (signal == SIGFPE)
        traced_deliver(u, VECTOR_DE, traced.at);
    else if (signal != SIGTRAP)
        traced_deliver(u, signal == SIGILL ? VECTOR_UD : VECTOR_GP, traced.at);
    else if (traced.at != 0 && traced.elide != ELIDE_NONE)
        traced_hint_taken(u);
    else if (traced.at != 0)
        traced_done(u);
    if (watched)
        traced_deliver(u, VECTOR_DB, REG(u, REG_RIP));
    arrived(u);
}

void traced_catch(void)
{
    static const int signals[] = {SIGTRAP, SIGFPE, SIGILL, SIGSEGV, SIGBUS};
    const struct sigaction action = {.sa_sigaction = on_signal,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK};
    static stack_t stack = {.ss_size = 1u << 18};

    /* Not that of what is stepped, which may be a page with others. Mapped:
     * AddressSanitizer unmaps it at the end of the thread. */
    if (stack.ss_sp == NULL) {
        stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL) != 0)
            abort();
    }

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaction(signals[i], &action, NULL);
}

#define SET_TF(op, value)                                        \
    __asm__ volatile("pushfq; " op " $" value ", (%%rsp); popfq" \
                     :                                           \
                     :                                           \
                     : "memory", "cc")

static void begin(void *kept, size_t bytes)
{
    traced.kept = kept;
    traced.kept_bytes = bytes;
    traced.at = 0;
    traced.native = false;
    traced.stepped = true;
    SET_TF("orq", "0x100");
}

bool traced_stepping(void)
{
    return traced.stepped;
}

static void end(void)
{
    SET_TF("andq", "~0x100");
    traced.stepped = false;
    traced.at = traced.next = 0;
}

/* --- What of asm/ is so executed ----------------------------------------- */

#define STEPPED(type, name, argument_type)            \
    extern type stepped_##name(argument_type *block); \
    type name(argument_type *block)                   \
    {                                                 \
        begin(block, sizeof(*block));                 \
        const type result = stepped_##name(block);    \
        end();                                        \
        return result;                                \
    }

STEPPED(int, tsx_inside, struct tsx_block)

int tsx_watched(int (*enter)(struct tsx_block *), struct tsx_block *block,
                uint64_t dr0, uint64_t dr7)
{
    (void)dr7;
    traced_watched = dr0;
    const int outcome = enter(block);
    traced_watched = 0;
    return outcome;
}

#define REGION(name, before, held, words)               \
    extern void stepped_hle_##name(struct hle_block *); \
    void hle_##name(struct hle_block *block)            \
    {                                                   \
        begin(block, sizeof(*block));                   \
        stepped_hle_##name(block);                      \
        end();                                          \
    }
#define RING3_WINDOW(name)                                       \
    extern uint64_t stepped_##name(uint64_t, uint64_t *);        \
    uint64_t name(uint64_t enable, uint64_t cells[WINDOW_CELLS]) \
    {                                                            \
        begin(cells, WINDOW_CELLS * sizeof(cells[0]));           \
        const uint64_t result = stepped_##name(enable, cells);   \
        end();                                                   \
        return result;                                           \
    }

RING3_WINDOW(window_ring3)
RING3_WINDOW(window_ring3_body)
RING3_WINDOW(window_ring3_tx)

extern uint64_t stepped_ring3_rdpmc(struct ring3 *, uint32_t);
uint64_t ring3_rdpmc(struct ring3 *ring3, uint32_t index)
{
    begin(ring3, sizeof(*ring3));
    const uint64_t result = stepped_ring3_rdpmc(ring3, index);
    end();
    return result;
}

/* Of asm/pebs_window.h, whose structure has a name of the model's. */
#define STATE_BYTES 24
extern void stepped_pebs_window(uint64_t, uint64_t, void *state);
void pebs_window(uint64_t enable, uint64_t flags, void *state);
void pebs_window(uint64_t enable, uint64_t flags, void *state)
{
    begin(state, STATE_BYTES);
    stepped_pebs_window(enable, flags, state);
    end();
}

REGION(xchg, 0, 1, "")
REGION(other_value, 0, 1, "")
REGION(again, 0, 1, "")
REGION(stores, 0, 1, "")

extern int stepped_trace_window(struct trace_window *);
int trace_window(struct trace_window *window)
{
    int vector;

    if (traced_rows(window, &vector))
        return vector;
    if (traced.gates == NULL && traced_replay(window))
        return -1;
    traced_keep_begin(window->body, window->argument, window->count);
    begin(window, sizeof(*window));
    vector = stepped_trace_window(window);
    end();
    traced_keep_end(window, sizeof(*window), vector);
    return vector;
}

extern int stepped_tsx_outside(struct tsx_block *);
int tsx_outside(struct tsx_block *block)
{
    int result;

    if (traced_replay_block(block, &result))
        return result;
    traced_keep_begin(block->body, block->argument, block->count);
    begin(block, sizeof(*block));
    result = stepped_tsx_outside(block);
    end();
    if (result != TSX_RAN)
        traced_keep_not();
    traced_keep_end(block, sizeof(*block), result);
    return result;
}

/* Not stepped: it is tried hundreds of times. */
int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax)
{
    traced_committed((uintptr_t)rtm_store);
    *cell = value;
    *eax = UINT32_MAX;
    return RTM_COMMITTED;
}

int trace_window_gates(struct trace_window *window,
                       uint8_t gates[TRACE_GATES_BYTES])
{
    traced.gates = gates;
    const int vector = trace_window(window);
    traced.gates = NULL;
    return vector;
}

int trace_window_segments(struct trace_window *window,
                          uint8_t gates[TRACE_GATES_BYTES], const void *gdt,
                          uint16_t bytes)
{
    traced.gdt = gdt;
    traced.gdt_bytes = bytes;
    return trace_window_gates(window, gates);
}

void trace_gates(uint8_t gates[TRACE_GATES_BYTES])
{
    memset(gates, 0, TRACE_GATES_BYTES);
}
