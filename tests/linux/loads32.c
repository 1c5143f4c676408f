/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loads32.c - loads of 32-bit code: of an address in the instruction, and of
 * the word after it by registers, 200 times each. `word` is where they are.
 */
__asm__(".globl _start, word\n"
        ".data\n"
        ".balign 64\n"
        "word:   .long 1, 2\n"
        ".text\n"
        "_start: mov     $200, %ecx\n"
        "        mov     $word - 8, %edx\n"
        "        mov     $3, %esi\n"
        "1:      mov     word, %eax\n"
        "        mov     (%edx, %esi, 4), %ebx\n"
        "        dec     %ecx\n"
        "        jnz     1b\n"
        "        mov     $1, %eax\n"
        "        xor     %ebx, %ebx\n"
        "        int     $0x80\n");
