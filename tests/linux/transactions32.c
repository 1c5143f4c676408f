/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * transactions32.c - RTM in compatibility mode: a store, and XABORT 5AH. Exit
 * status 0 where EAX has that and the store has been undone.
 *
 * SDM volume 1, "RTM Abort Status Definition".
 */
__asm__(".globl _start\n"
        "_start:\n"
        "        mov     $20, %edi\n" /* what else aborts is tried again */
        "        mov     $7, %esi\n"
        "        push    %esi\n"
        "1:      dec     %edi\n"
        "        jz      3f\n"
        "        xbegin  2f\n"
        "        incl    (%esp)\n"
        "        xabort  $0x5A\n"
        "2:      test    $1, %al\n"
        "        jz      1b\n"
        "3:      mov     %eax, %ebx\n"
        "        sub     $0x5A000001, %ebx\n"
        "        sub     (%esp), %esi\n"
        "        or      %esi, %ebx\n"
        "        mov     $1, %eax\n"
        "        jz      4f\n"
        "        mov     $1, %ebx\n"
        "4:      int     $0x80\n");
