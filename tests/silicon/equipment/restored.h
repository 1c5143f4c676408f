/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * restored.h - is the machine left as found? What the application can change
 * is read before it starts and again when it has ended, and compared: every
 * MSR of the model, the registers and local APIC of each processor around what
 * was run there, tables, and memory that belongs to neither silicon.efi nor
 * the firmware.
 */
#ifndef SILICON_EQUIPMENT_RESTORED_H
#define SILICON_EQUIPMENT_RESTORED_H

#include <efi.h>

#include "tests/silicon/hypervisor/hypervisor.h"

/* Allocates what this needs; once. pages: gives cleared memory, never freed. */
void restored_prepare(void *(*pages)(size_t count));

/* Around the application, on the boot processor, in its guest. Of the image
 * itself, from `base` on, memory is not compared; not `memory`: none is. */
void restored_begin(EFI_BOOT_SERVICES *bs, const void *base, uint64_t bytes,
                    bool memory);
/* Reports each difference in a line, and last how much was compared. */
void restored_end(EFI_BOOT_SERVICES *bs);

/* Around a procedure, on the processor that it runs on, in its guest. */
void restored_enter(const struct vcpu *v);
void restored_leave(const struct vcpu *v);
/* Where the procedure calls firmware: its interrupts must get through. */
void restored_call(const struct vcpu *v);

#endif
