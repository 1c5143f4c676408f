/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fake_trace_window.c - stands in for asm/trace_window.asm and trace_bodies.asm
 * on the host, where no MSR can be written: nothing is run. Weak, so that a
 * test can bring its own.
 */
#include "asm/trace_window.h"
#include "src/base/hw.h"

#define FAKE __attribute__((weak))

FAKE const uint8_t trace_window_on_next[1] = {0};
FAKE const uint8_t trace_window_off_at[1] = {0};
FAKE const uint8_t trace_window_off[1] = {0};
FAKE const uint8_t trace_body_loop[TRACE_LOOP_BYTES] = {0};
FAKE const uint32_t trace_body_loop_at[TRACE_LOOP_JUMPS] = {8, 16, 24, 32};

#define FAKE_BODY(name)               \
    FAKE const uint8_t name[1] = {0}; \
    FAKE const struct trace_row name##_path[1] = {{0, 0}};
FAKE_BODY(trace_body_conditions)
FAKE_BODY(trace_body_pattern)
FAKE_BODY(trace_body_transfers)
FAKE_BODY(trace_body_returns)
FAKE_BODY(trace_body_calls)
FAKE_BODY(trace_body_page_faults)
FAKE_BODY(trace_body_events)
FAKE_BODY(trace_body_nothing)

FAKE const uint8_t trace_handler[1] = {0};
FAKE const uint8_t trace_handler_end[1] = {0};
FAKE const uint8_t trace_handler_error[1] = {0};
FAKE const uint8_t trace_handler_trap[1] = {0};

FAKE int trace_window_gates(struct trace_window *window,
                            uint8_t gates[TRACE_GATES_BYTES])
{
    (void)gates;
    return trace_window(window);
}

FAKE int trace_window_segments(struct trace_window *window,
                               uint8_t gates[TRACE_GATES_BYTES],
                               const void *gdt, uint16_t bytes)
{
    (void)gdt;
    (void)bytes;
    return trace_window_gates(window, gates);
}

FAKE int trace_window(struct trace_window *window)
{
    (void)window;
    return HW_NO_FAULT;
}
