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
%include "tsx_state.inc"

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

global tsx_state_inner
tsx_state_inner:
        end_with INNER

; From a fix-up: RAX is the vector. No register is asked for.
global tsx_state_resume
tsx_state_resume:
        cld
        mov     rdi, [rsp]
        mov     [rdi + OUTCOME], rax

global tsx_state_vectors
tsx_state_vectors:
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

align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
