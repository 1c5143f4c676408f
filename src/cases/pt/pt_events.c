/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions, software interrupts and a debug trap, through gates of our own: a
 * FUP where it was, a TIP to the handler, and a TIP where IRET returns to. */
#include "src/trace/gate.h"
#include "src/trace/window.h"

TEST(pt_events,
     .asks = "Does a trace say where exceptions and interrupts came from and "
             "went?",
     .cite = "SDM 3C, Intel Processor Trace, table \"FUP Cases and IP "
             "Payload\"; \"Packet Generation under Different Enable "
             "Conditions\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    uint8_t *bytes = (uint8_t *)test_records(t) + TRACE_GATES_BYTES;
    struct trace p;
    struct window w;
    struct path_seen seen;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;
    trace_gates(bytes);
    gates_set(bytes, GATE_UD, trace_at(trace_handler));
    gates_set(bytes, GATE_DE, trace_at(trace_handler));
    gates_set(bytes, GATE_GP, trace_at(trace_handler_error));
    gates_set(bytes, GATE_BP, trace_at(trace_handler_trap));
    gates_set(bytes, GATE_DB, trace_at(trace_handler_trap));
    gates_set(bytes, TRACE_INT, trace_at(trace_handler_trap));
    window_set(&w, trace_body_events, trace_body_events_path);
    w.gates = bytes;

    /* Measured and checked. */
    window_check(&p, "#UD, #DE, #GP, #BP, INT 81H, #DB", &w, &seen);
}
