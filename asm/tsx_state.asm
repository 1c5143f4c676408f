; SPDX-License-Identifier: BSD-2-Clause
;
; tsx_state.asm - a transaction that changes registers, and all registers as
; they are after it.
;
; SDM 1, "Programming with Intel Transactional Synchronization Extensions",
; "RTM Software Interface": an abort goes on with the architectural state of the
; start of XBEGIN, but for EAX; SDM 2, XBEGIN and XEND, "Flags Affected": none.
;
; A change, then an end: the end is what aborts the transaction, or nothing. The
; block is found by RSP alone, and lies there three times, because RSP is one of
; the registers that may not have been restored.
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code.

bits 64
default rel

%include "components.inc"
%include "preserved.inc"

; struct tsx_state of tsx_state.h
%define BEFORE       0x000
%define AFTER        0x080
%define FLAGS_BEFORE 0x100
%define FLAGS_AFTER  0x108
%define CHANGE       0x110
%define END          0x118
%define ARGUMENT     0x120
%define COMPONENTS   0x128
%define OUTCOME      0x130
%define OLD_RSP      0x138
%define OLD_XCR0     0x140
%define OLD_CR4      0x148
%define BEGIN        0x150
%define COUNT        0x158
%define STORED       0x1fc              ; on two lines
%define STORED_INNER 0x240
%define X_BEFORE     0x1000
%define X_AFTER      0x2000
%define X_OLD        0x3000

%define COMMITTED    -1
%define ABORTED      -2
%define INNER        -3

%define RFLAGS_IF    1 << 9

; From RSP on, before the transaction: the block three times, then these.
%define AT_CHANGE    24
%define AT_END       32
%define AT_BEGIN     40
%define POPPED       16                 ; what a change adds to RSP

; In the order of their numbers, as in the block; RSP and RDI apart.
%define LOW          rax, rcx, rdx, rbx
%define HIGH         r8, r9, r10, r11, r12, r13, r14, r15

%macro load 2-*
  %assign at %1
  %rotate 1
  %rep %0 - 1
        mov     %1, [rdi + BEFORE + 8 * at]
    %rotate 1
    %assign at at+1
  %endrep
%endmacro

%macro store 2-*
  %assign at %1
  %rotate 1
  %rep %0 - 1
        mov     [rdi + AFTER + 8 * at], %1
    %rotate 1
    %assign at at+1
  %endrep
%endmacro

%macro invert 1-*
  %rep %0
        not     %1
    %rotate 1
  %endrep
%endmacro

; All registers and flags into the block, which is at [RSP].
%macro end_with 1
        push    rdi
        mov     rdi, [rsp + 8]
        pop     qword [rdi + AFTER + 8 * 7]
        store   0, LOW, rsp, rbp, rsi
        store   8, HIGH
        pushfq
        pop     qword [rdi + FLAGS_AFTER]
        mov     qword [rdi + OUTCOME], %1
        jmp     save_vectors
%endmacro

section .text align=4096

; int tsx_state(struct tsx_state *rdi)
global tsx_state
tsx_state:
        push_preserved
        pushfq
        mov     [rdi + OLD_RSP], rsp
        cmp     qword [rdi + COMPONENTS], 0
        je      .legacy
        COMPONENTS_ENABLE rdi
        mov     eax, [rdi + COMPONENTS]
        xor     edx, edx
        xsave64 [rdi + X_OLD]
        xrstor64 [rdi + X_BEFORE]
        jmp     .loaded
.legacy:
        fxsave64 [rdi + X_OLD]
        fxrstor64 [rdi + X_BEFORE]
.loaded:
        push    qword [rdi + BEGIN]
        push    qword [rdi + END]
        push    qword [rdi + CHANGE]
        push    rdi
        push    rdi
        push    rdi
        mov     [rdi + BEFORE + 8 * 4], rsp
        pushfq                          ; IF stays as it is
        pop     rax
        and     eax, RFLAGS_IF
        or      [rdi + FLAGS_BEFORE], rax
        push    qword [rdi + FLAGS_BEFORE]
        popfq
        load    0, LOW
        load    5, rbp, rsi
        load    8, HIGH
        mov     rdi, [rdi + BEFORE + 8 * 7]
        jmp     qword [rsp + AT_BEGIN]

; By HLE: RBP is the lock, which is free. What aborts executes it again without
; elision; XTEST then says so. Status flags are kept in AX over it: POPF may
; abort.
%macro flags_back 0
        add     al, 0x7f                ; OF: where AL was 1
        sahf
        mov     ax, 0                   ; what XCHG has put there
%endmacro

global tsx_begin_hle
tsx_begin_hle:
        xacquire xchg [rbp], rax
        seto    al
        lahf
        xtest
        jz      .executed
        flags_back
        jmp     qword [rsp + AT_CHANGE]
.executed:
        flags_back
        mov     rax, [rbp]              ; what XCHG has stored
        mov     qword [rbp], 0
        end_with ABORTED

; By RTM.
global tsx_state_begin
tsx_state_begin:
        xbegin  tsx_state_fallback
        jmp     qword [rsp + AT_CHANGE]

; In no transaction.
global tsx_state_outside
tsx_state_outside:
        jmp     qword [rsp + AT_CHANGE]

global tsx_state_commit
tsx_state_commit:
        xend
        end_with COMMITTED

global tsx_end_xrelease
tsx_end_xrelease:
        xrelease mov qword [rbp], 0
        end_with COMMITTED

global tsx_state_fallback
tsx_state_fallback:
        end_with ABORTED

inner_fallback:
        end_with INNER

; From a fix-up: RAX is the vector. No register is asked for.
global tsx_state_resume
tsx_state_resume:
        cld
        mov     rdi, [rsp]
        mov     [rdi + OUTCOME], rax

save_vectors:
        cld
        mov     rsp, [rdi + OLD_RSP]
        mov     eax, [rdi + COMPONENTS]
        xor     edx, edx
        test    eax, eax
        jz      .legacy
        xsave64 [rdi + X_AFTER]
        xrstor64 [rdi + X_OLD]
        COMPONENTS_RESTORE rdi
        jmp     .done
.legacy:
        fxsave64 [rdi + X_AFTER]
        fxrstor64 [rdi + X_OLD]
.done:  mov     eax, [rdi + OUTCOME]
        popfq
        pop_preserved
        ret

; --- Changes
; -------------------------------------------------------------------- [RSP] is
; the block.

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

; Memory: a quadword on two lines, and one in an inner transaction, which ends.
change memory
        lea     rsp, [rsp - 32]         ; as in "hold"
        push    rax
        mov     rax, [rsp + 40]
        not     qword [rax + STORED]
        xbegin  inner_fallback
        not     qword [rax + STORED_INNER]
        xend
        pop     rax
        lea     rsp, [rsp + 32]
        NEXT

; --- Ends ------------------------------------------------------------------

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
        xbegin  inner_fallback
        xabort  0x77
        xend
        NOT_ABORTED

; Commits: the transaction goes on after the inner ones.
ending inner
        xbegin  inner_fallback
        xbegin  inner_fallback
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
        xbegin  inner_fallback
        HOLD
        xend
        NOT_ABORTED

align 64, db 0xcc
ones:   times 64 db 0xff
mxcsr:  dd 0xa06a
control: dw 0x0c40

align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
