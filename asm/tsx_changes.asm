; SPDX-License-Identifier: BSD-2-Clause
;
; tsx_changes.asm - changes of registers in a transaction (tsx_state.h). [RSP] is
; the block.
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code.

bits 64
default rel

%include "tsx_state.inc"

extern tsx_state_inner

section .text align=4096

%macro change 1
global tsx_change_%1
tsx_change_%1:
%endmacro
%define NEXT jmp qword [rsp + AT_END]

change nothing
        NEXT

; Every bit of every register, the six status flags, and RSP.
change general
        seto    al
        lahf
        xor     al, 1
        xor     ah, 0xd5                ; SF, ZF, AF, PF, CF
        add     al, 0x7f                ; OF: where AL was 1
        sahf
        mov     rax, [rsp]
        mov     rax, [rax + BEFORE]
        invert  LOW, rbp, rsi, rdi, HIGH
        lea     rsp, [rsp + POPPED]
        jmp     qword [rsp + AT_END - POPPED]

; DF alone: a change of it may abort by itself.
change direction
        pushfq
        pop     rax
        test    ah, 4
        jnz     .clear
        std
        NEXT
.clear: cld
        NEXT

%macro CHANGE_XMM 0
%assign n 0
%rep 16
        pxor    xmm%+n, [ones]
%assign n n+1
%endrep
        ldmxcsr [mxcsr]
%endmacro
change xmm
        CHANGE_XMM
        NEXT

; Both, one after the other.
change both
        CHANGE_XMM
        jmp     tsx_change_general

change ymm
%assign n 0
%rep 16
        vxorps  ymm%+n, ymm%+n, [ones]
%assign n n+1
%endrep
        NEXT

change upper
        vzeroupper
        NEXT

change zmm
%assign n 0
%rep 32
        vpternlogd zmm%+n, zmm%+n, zmm%+n, 0x55
%assign n n+1
%endrep
%assign n 0
%rep 8
        knotw   k%+n, k%+n
%assign n n+1
%endrep
        NEXT

change x87
        fninit
%rep 4
        fldpi
        fld1
%endrep
%assign n 0
%rep 8                                  ; and all are empty
        ffree   st%+n
%assign n n + 1
%endrep
        fldcw   [control]
        NEXT

; Memory: a quadword on two lines.
change stored
        lea     rsp, [rsp - 32]
        push    rax
        mov     rax, [rsp + 40]
        not     qword [rax + STORED]
        pop     rax
        lea     rsp, [rsp + 32]
        NEXT

; The same, and one in an inner transaction, which ends.
change memory
        lea     rsp, [rsp - 32]         ; as in "hold"
        push    rax
        mov     rax, [rsp + 40]
        not     qword [rax + STORED]
        xbegin  tsx_state_inner
        not     qword [rax + STORED_INNER]
        xend
        pop     rax
        lea     rsp, [rsp + 32]
        NEXT

align 64, db 0xcc
ones:   times 64 db 0xff
mxcsr:  dd 0xa06a
control: dw 0x0c40
align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
