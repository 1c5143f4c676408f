/* SPDX-License-Identifier: BSD-2-Clause */
/* exceptions.h - vectors 0 to 31 while a processor is ours. */
#ifndef EFI_EXCEPTIONS_H
#define EFI_EXCEPTIONS_H

#include "src/base/hw.h"

#define IDT_GATES 256

struct idt_gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};
_Static_assert(sizeof(struct idt_gate) == 16, "SDM 3A, 64-Bit IDT Gate");

struct idt_register {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));
_Static_assert(sizeof(struct idt_register) == 10, "SDM 2A, SIDT");

/* A processor's exceptions while it is ours. */
struct exceptions {
    struct idt_gate gates[IDT_GATES]; /* the firmware's, some replaced */
    struct idt_register firmware;     /* what to go back to */
};

/* On the calling processor. */
void exceptions_install(struct exceptions *mine);
void exceptions_remove(const struct exceptions *mine);

/* Runs job(processor, context) on the calling processor, whose number is
 * `processor`, and on processors_stack(). False where an exception that no
 * fix-up knows ended it; it is then in *exception. */
bool exceptions_guard(unsigned processor,
                      void (*job)(unsigned processor, void *context),
                      void *context, struct hw_exception *exception);

#endif
