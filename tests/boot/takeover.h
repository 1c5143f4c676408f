/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * takeover.h - for an application that takes the machine over as an operating
 * system does: what it still has without the firmware.
 */
#ifndef TESTS_BOOT_TAKEOVER_H
#define TESTS_BOOT_TAKEOVER_H

#include <efi.h>

#include <stdbool.h>
#include <stdint.h>

/* Boot services have ended, and interrupts are off. */
bool take_over(EFI_HANDLE image, EFI_BOOT_SERVICES *bs);

void power_off(void);

void wrmsr(uint32_t number, uint64_t value);

/* On the serial port. */
void say(char c);
void say_text(const char *text);
void say_number(const char *what, uint64_t number);

#endif
