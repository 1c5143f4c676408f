/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions, software interrupts and a debug trap, through gates of our own: a
 * FUP where it was, a TIP to the handler, and a TIP where IRET returns to. */
#include "src/base/mem.h"
#include "src/trace/window.h"

/* SDM 3A, "64-Bit IDT Gate Descriptors". */
struct gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};
_Static_assert(sizeof(struct gate) == 16, "SDM 3A, 64-Bit IDT Gate");
#define GATE_INTERRUPT 0x8e /* present, DPL 0, 64-bit interrupt gate */

#define DE 0
#define DB 1
#define BP 3
#define UD 6
#define GP 13

/* With the code segment of the gate for #UD, which the harness has. */
static void set_gate(struct gate gates[], unsigned vector,
                     const uint8_t *handler)
{
    const uint64_t at = trace_at(handler);

    gates[vector] = (struct gate){
        .offset_low = (uint16_t)at,
        .selector = gates[UD].selector,
        .type = GATE_INTERRUPT,
        .offset_middle = (uint16_t)(at >> 16),
        .offset_high = (uint32_t)(at >> 32),
    };
}

TEST(pt_events,
     .asks = "Does a trace say where exceptions and interrupts came from and "
             "went?",
     .cite = "SDM 3C, Intel Processor Trace, table \"FUP Cases and IP "
             "Payload\"; \"Packet Generation under Different Enable "
             "Conditions\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    uint8_t *bytes = (uint8_t *)test_records(t) + TRACE_GATES_BYTES;
    struct gate *gates = (void *)bytes;
    struct trace p;
    struct window w;
    struct path_seen seen;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;
    trace_gates(bytes);
    set_gate(gates, UD, trace_handler);
    set_gate(gates, DE, trace_handler);
    set_gate(gates, GP, trace_handler_error);
    set_gate(gates, BP, trace_handler_trap);
    set_gate(gates, DB, trace_handler_trap);
    set_gate(gates, TRACE_INT, trace_handler_trap);
    window_set(&w, trace_body_events, trace_body_events_path);
    w.gates = bytes;

    /* Measured and checked. */
    window_check(&p, "#UD, #DE, #GP, #BP, INT 81H, #DB", &w, &seen);
}
