/* SPDX-License-Identifier: BSD-2-Clause */
/* traced_replay.c - windows whose instructions depend on nothing but the body
 * and its numbers: stepped once. */
#include "tests/host/fakes/fake_clock.h"
#include "tests/host/fakes/traced_parts.h"

#include <stdlib.h>
#include <string.h>

#define WINDOWS   1024
#define STEPS_MAX 100000
#define RDTSC     0x310f

struct kept_step {
    uint64_t at, next;
    struct instruction instruction;
    uint32_t msr; /* a write of it; 0: an instruction that has retired */
    uint64_t value;
};

static struct kept {
    const uint8_t *body;
    uint64_t argument, count;
    bool open; /* TraceEn before it */
    struct kept_step *steps;
    size_t count_of_steps;
    union {
        struct trace_window window;
        struct tsx_block block;
    } after;
    int result;
} windows[WINDOWS];
static unsigned next_window;
static struct kept *now; /* being kept; NULL: none */
static struct kept_step steps[STEPS_MAX];

extern int hw_msr_write(uint32_t msr, uint64_t value);

static bool is_open(void)
{
    return (traced_processor.pt.ctl & RTIT_TRACE_EN) != 0;
}

void traced_forget(void)
{
    for (unsigned n = 0; n < WINDOWS; n++)
        windows[n].body = NULL;
}

void traced_keep_begin(const uint8_t *body, uint64_t argument, uint64_t count)
{
    now = &windows[next_window++ % WINDOWS];
    free(now->steps);
    *now = (struct kept){
        .body = body, .argument = argument, .count = count, .open = is_open()};
}

void traced_keep(uint64_t next)
{
    if (now == NULL || !is_open())
        return;
    if (now->count_of_steps == STEPS_MAX)
        abort();
    steps[now->count_of_steps++] = (struct kept_step){
        .at = traced.at, .next = next, .instruction = traced.current};
}

void traced_keep_write(uint32_t msr, uint64_t value)
{
    if (now == NULL || !is_open())
        return;
    if (now->count_of_steps == STEPS_MAX)
        abort();
    steps[now->count_of_steps++] =
        (struct kept_step){.msr = msr, .value = value};
}

void traced_keep_not(void)
{
    if (now != NULL)
        now->body = NULL;
    now = NULL;
}

void traced_keep_end(const void *after, size_t bytes, int result)
{
    if (result >= 0)
        traced_keep_not();
    if (now == NULL)
        return;
    const size_t size = now->count_of_steps * sizeof(steps[0]);
    now->steps = malloc(size + 1);
    memcpy(now->steps, steps, size);
    memcpy(&now->after, after, bytes);
    now->result = result;
    now = NULL;
}

static const struct kept *find(const uint8_t *body, uint64_t argument,
                               uint64_t count)
{
    for (unsigned n = 0; n < WINDOWS; n++)
        if (windows[n].steps != NULL && windows[n].body == body &&
            windows[n].argument == argument && windows[n].count == count &&
            windows[n].open == is_open())
            return &windows[n];
    return NULL;
}

static bool is_rdtsc(uint64_t at)
{
    uint16_t opcode;

    memcpy(&opcode, (const void *)at, sizeof(opcode));
    return opcode == RDTSC;
}

/* The time goes to the cells in their order, from the second on. */
static void do_again(const struct kept *kept, volatile uint64_t *cells)
{
    unsigned times = 0;

    for (size_t n = 0; n < kept->count_of_steps; n++) {
        if (kept->steps[n].msr != 0) {
            hw_msr_write(kept->steps[n].msr, kept->steps[n].value);
            continue;
        }
        traced.at = kept->steps[n].at;
        traced.current = kept->steps[n].instruction;
        if (cells != NULL && is_rdtsc(traced.at))
            cells[++times] = fake_tsc;
        traced_retired(kept->steps[n].next);
    }
}

bool traced_replay(struct trace_window *window)
{
    const struct kept *kept =
        find(window->body, window->argument, window->count);
    const uint64_t control = window->control;

    if (kept == NULL)
        return false;
    traced.at = (uintptr_t)trace_window_on;
    traced.next = (uintptr_t)trace_window_on_next;
    if (hw_msr_write(window->msr, control) >= 0)
        return false;
    *window = kept->after.window;
    window->control = control;
    window->tsc = fake_tsc;
    do_again(kept, window->cells);
    traced.at = (uintptr_t)trace_window_off_at;
    traced.next = traced.at + 2;
    hw_msr_write(window->msr, control & ~UINT64_C(1));
    traced.at = traced.next = 0;
    return true;
}

bool traced_replay_block(struct tsx_block *block, int *result)
{
    const struct kept *kept = find(block->body, block->argument, block->count);

    if (kept == NULL)
        return false;
    *block = kept->after.block;
    *result = kept->result;
    do_again(kept, NULL);
    traced.at = traced.next = 0;
    return true;
}
