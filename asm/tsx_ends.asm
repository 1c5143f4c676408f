; SPDX-License-Identifier: BSD-2-Clause
;
; tsx_ends.asm - what ends a transaction that has changed registers (tsx_state.h).
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code.

bits 64
default rel

%include "tsx_state.inc"

extern tsx_state_commit, tsx_state_inner, tsx_state_vectors

section .text align=4096

%macro ending 1
global tsx_end_%1
tsx_end_%1:
%endmacro
; What should have aborted has not.
%define NOT_ABORTED jmp tsx_state_commit

ending xabort
        xabort  0x77
        NOT_ABORTED

; Outside.
ending ignored
        xabort  0x77
        end_with COMMITTED

; Outside; and inside. All flags but the status flags stay.
%macro TESTED 0
        seto    al
        lahf
        xtest
        add     al, 0x7f                ; OF: where AL was 1
        sahf
        mov     rax, [rsp]
        mov     rax, [rax + BEFORE]
%endmacro
ending tested
        TESTED
        end_with COMMITTED

ending tested_commit
        TESTED
        jmp     tsx_state_commit

ending nested
        xbegin  tsx_state_inner
        xabort  0x77
        xend
        NOT_ABORTED

global tsx_end_nested_load_fault
ending nested_load
        xbegin  tsx_state_inner
        mov     rax, 1 << 63            ; not canonical
tsx_end_nested_load_fault:
        mov     rax, [rax]
        xend
        NOT_ABORTED

; One in another, more than any processor nests.
ending deep
        times 64 xbegin tsx_state_inner
        NOT_ABORTED

; Commits: the transaction goes on after the inner ones.
ending inner
        xbegin  tsx_state_inner
        xbegin  tsx_state_inner
        xend
        xend
        jmp     tsx_state_commit

ending pause
        pause
        NOT_ABORTED

ending cpuid
        xor     eax, eax
        cpuid
        NOT_ABORTED

global tsx_end_ud2_fault
ending ud2
tsx_end_ud2_fault:
        ud2
        NOT_ABORTED

global tsx_end_load_fault
ending load
        mov     rax, 1 << 63            ; not canonical
tsx_end_load_fault:
        mov     rax, [rax]
        NOT_ABORTED

global tsx_end_int3_trap
ending int3
        int3
tsx_end_int3_trap:
        NOT_ABORTED

; One store to each of 1024 lines, from the argument on.
ending capacity
        mov     rax, [rsp]
        mov     rax, [rax + ARGUMENT]
        mov     ecx, 1024
.next:  mov     [rax], rcx
        add     rax, 64
        dec     ecx
        jnz     .next
        NOT_ABORTED

; The same by one instruction, of which RCX and RDI say how far it has come.
ending string
        cld
        mov     rdi, [rsp]
        mov     rdi, [rdi + ARGUMENT]
        mov     ecx, 1024 * 8
        rep stosq
        NOT_ABORTED

; Loads a quadword at the argument and changes nothing. RSP stays, which a wrong processor
; would keep; an interrupt, which would use what is below it, aborts.
ending read
        mov     [rsp - 48], rax
        mov     rax, [rsp]
        mov     rax, [rax + ARGUMENT]
        mov     rax, [rax]
        mov     rax, [rsp - 48]
        NOT_ABORTED

; Loads one quadword of each of so many lines from the argument on, without a
; change of a register or a flag.
ending reads
        lea     rsp, [rsp - 32]         ; as below
        push    rax
        push    rcx
        push    rdx
        mov     rax, [rsp + 56]
        mov     rcx, [rax + COUNT]
        mov     rax, [rax + ARGUMENT]
.next:  jrcxz   .read
        mov     rdx, [rax]
        lea     rax, [rax + 64]
        lea     rcx, [rcx - 1]
        jmp     .next
.read:  pop     rdx
        pop     rcx
        pop     rax
        lea     rsp, [rsp + 32]
        NOT_ABORTED

; 32 bytes in a line and 32 over its end, from the argument on.
; RAX: the block.
%macro store_wide 0
        mov     rax, [rax + ARGUMENT]
        vmovups [rax + 8], ymm3
        vmovups [rax + 104], ymm4
%endmacro
ending wide
        mov     rax, [rsp]
        store_wide
        xabort  0x77
        NOT_ABORTED

ending wide_commit
        lea     rsp, [rsp - 32]         ; as in "hold"
        push    rax
        mov     rax, [rsp + 40]
        store_wide
        pop     rax
        lea     rsp, [rsp + 32]
        NOT_ABORTED

; Loads the line of the argument and stays, without a change of a register or a
; flag: some microseconds.
%macro HOLD 0
        lea     rsp, [rsp - 32]         ; below the blocks: a store may not be undone
        push    rax
        push    rcx
        mov     rax, [rsp + 48]
        mov     rax, [rax + ARGUMENT]
        mov     rcx, [rax]
        mov     ecx, 4096
.next:  lea     rcx, [rcx - 1]
        jrcxz   .held
        jmp     .next
.held:  pop     rcx
        pop     rax
        lea     rsp, [rsp + 32]
%endmacro
ending hold
        HOLD
        NOT_ABORTED

ending hold_inner
        xbegin  tsx_state_inner
        HOLD
        xend
        NOT_ABORTED

align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
