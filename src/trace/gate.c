/* SPDX-License-Identifier: BSD-2-Clause */
/* gate.c - descriptors of gates. */
#include "src/trace/gate.h"

struct gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};
_Static_assert(sizeof(struct gate) == 16, "SDM 3A, 64-Bit IDT Gate");
#define GATE_INTERRUPT 0x8e /* present, DPL 0, 64-bit interrupt gate */

void gates_set_events(uint8_t gates[TRACE_GATES_BYTES])
{
    const uint64_t handler = (uint64_t)(uintptr_t)trace_handler,
                   error = (uint64_t)(uintptr_t)trace_handler_error,
                   trap = (uint64_t)(uintptr_t)trace_handler_trap;

    gates_set(gates, GATE_UD, handler);
    gates_set(gates, GATE_DE, handler);
    gates_set(gates, GATE_GP, error);
    gates_set(gates, GATE_PF, error);
    gates_set(gates, GATE_BP, trap);
    gates_set(gates, GATE_DB, trap);
    gates_set(gates, TRACE_INT, trap);
}

void gates_set(uint8_t gates[TRACE_GATES_BYTES], unsigned vector,
               uint64_t handler)
{
    struct gate *all = (void *)gates;

    all[vector] = (struct gate){
        .offset_low = (uint16_t)handler,
        .selector = all[GATE_UD].selector,
        .type = GATE_INTERRUPT,
        .offset_middle = (uint16_t)(handler >> 16),
        .offset_high = (uint32_t)(handler >> 32),
    };
}
