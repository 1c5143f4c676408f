/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * start.c - what an image needs before its first line of C: relocation, and
 * the four memory functions that a freestanding compiler may call.
 *
 * ELF: System V gABI, "Dynamic Section"; x86-64 psABI, "Relocation Types".
 */
#include "efi/start.h"

#include <stddef.h>
#include <stdint.h>

#define DT_NULL           0
#define DT_RELA           7
#define DT_RELASZ         8
#define R_X86_64_RELATIVE 8

struct elf_dyn {
    int64_t tag;
    uint64_t value;
};

struct elf_rela {
    uint64_t offset;
    uint32_t type, symbol;
    int64_t addend;
};
_Static_assert(sizeof(struct elf_rela) == 24, "Elf64_Rela");

void image_relocate(uint64_t base, const struct elf_dyn *dyn)
{
    const struct elf_rela *rela = NULL;
    uint64_t bytes = 0;

    for (; dyn->tag != DT_NULL; dyn++) {
        if (dyn->tag == DT_RELA)
            rela = (const struct elf_rela *)(base + dyn->value);
        if (dyn->tag == DT_RELASZ)
            bytes = dyn->value;
    }
    for (uint64_t i = 0; i < bytes / sizeof(*rela); i++)
        if (rela[i].type == R_X86_64_RELATIVE)
            *(uint64_t *)(base + rela[i].offset) =
                base + (uint64_t)rela[i].addend;
}

/* By eight bytes, then what is left: QEMU takes the same time for a round of
 * REP that it takes for another. */
void *memset(void *to, int byte, size_t bytes)
{
    void *start = to;
    uint64_t all = (uint8_t)byte * UINT64_C(0x0101010101010101);
    size_t words = bytes / 8, rest = bytes % 8;

    __asm__ volatile("rep stosq; mov %2, %1; rep stosb"
                     : "+D"(to), "+c"(words)
                     : "r"(rest), "a"(all)
                     : "memory");
    return start;
}

void *memcpy(void *to, const void *from, size_t bytes)
{
    void *start = to;
    size_t words = bytes / 8, rest = bytes % 8;

    __asm__ volatile("rep movsq; mov %3, %2; rep movsb"
                     : "+D"(to), "+S"(from), "+c"(words)
                     : "r"(rest)
                     : "memory");
    return start;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    if ((uintptr_t)to - (uintptr_t)from >= bytes)
        return memcpy(to, from, bytes);
    for (size_t i = bytes; i-- > 0;)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const unsigned char *x = a, *y = b;

    for (size_t i = 0; i < bytes; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}
