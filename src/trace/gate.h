/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gate.h - gates for trace_window_gates(): the calling processor's, with
 * handlers of asm/trace_window.h in some of them.
 *
 * SDM 3A, "64-Bit IDT Gate Descriptors".
 */
#ifndef SRC_TRACE_GATE_H
#define SRC_TRACE_GATE_H

#include "asm/trace_window.h"

#define GATE_DE 0
#define GATE_DB 1
#define GATE_BP 3
#define GATE_UD 6
#define GATE_GP 13
#define GATE_PF 14

/* With the code segment of the gate for #UD, which the harness has. */
void gates_set(uint8_t gates[TRACE_GATES_BYTES], unsigned vector,
               uint64_t handler);

/* Those that trace_body_events and trace_body_page_faults need. */
void gates_set_events(uint8_t gates[TRACE_GATES_BYTES]);

#endif
