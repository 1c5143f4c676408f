/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * count.c - a program whose counts are known, by its listing: with N words
 * after its name 3000 * (N + 1) + 5 instructions, of which 1000 * (N + 1) + 1
 * are branches, SYSCALL too. Nothing is linked to it and nothing runs before
 * it.
 */
__asm__(".globl _start\n"
        "_start:\n"
        "        mov     (%rsp), %ecx\n" /* words, its name too */
        "        imul    $1000, %ecx, %ecx\n"
        "1:      nop\n"
        "        dec     %ecx\n"
        "        jnz     1b\n"
        "        mov     $60, %eax\n" /* exit(0) */
        "        mov     $0, %edi\n"
        "        syscall\n");
