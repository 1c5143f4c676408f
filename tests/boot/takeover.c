/* SPDX-License-Identifier: BSD-2-Clause */
/* takeover.c - a machine without its firmware: QEMU's q35. */
#include "tests/boot/takeover.h"

#define PM1_CNT    0x604
#define SLEEP_S5   0x2000
#define COM1       0x3F8
#define COM1_LINE  (COM1 + 5)
#define LINE_EMPTY 0x20

static UINT8 map[65536];

bool take_over(EFI_HANDLE image, EFI_BOOT_SERVICES *bs)
{
    UINTN bytes = sizeof(map), key, each;
    UINT32 version;

    if (EFI_ERROR(bs->GetMemoryMap(&bytes, (EFI_MEMORY_DESCRIPTOR *)map, &key,
                                   &each, &version)) ||
        EFI_ERROR(bs->ExitBootServices(image, key)))
        return false;
    __asm__ volatile("cli");
    return true;
}

void power_off(void)
{
    __asm__ volatile("outw %w0, %w1" : : "a"(SLEEP_S5), "d"(PM1_CNT));
}

void wrmsr(uint32_t number, uint64_t value)
{
    __asm__ volatile("wrmsr"
                     :
                     : "a"((uint32_t)value), "d"((uint32_t)(value >> 32)),
                       "c"(number));
}

void say(char c)
{
    uint8_t line;

    do
        __asm__ volatile("inb %w1, %0" : "=a"(line) : "d"(COM1_LINE));
    while ((line & LINE_EMPTY) == 0);
    __asm__ volatile("outb %0, %w1" : : "a"(c), "d"(COM1));
}

void say_text(const char *text)
{
    while (*text != '\0')
        say(*text++);
}

void say_number(const char *what, uint64_t number)
{
    char digits[20];
    unsigned n = 0;

    say_text(what);
    do
        digits[n++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    while (n > 0)
        say(digits[--n]);
}
