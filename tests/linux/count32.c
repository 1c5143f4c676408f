/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * count32.c - count.c in compatibility mode, where DEC ECX is 49H, a prefix of
 * 64-bit mode: 3000 * (N + 1) + 5 instructions, of which 1000 * (N + 1) + 1 are
 * branches, INT 80H too.
 */
__asm__(".globl _start\n"
        "_start:\n"
        "        mov     (%esp), %ecx\n" /* words, its name too */
        "        imul    $1000, %ecx, %ecx\n"
        "1:      nop\n"
        "        dec     %ecx\n"
        "        jnz     1b\n"
        "        mov     $1, %eax\n" /* exit(0) */
        "        mov     $0, %ebx\n"
        "        int     $0x80\n");
