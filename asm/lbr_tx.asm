; SPDX-License-Identifier: BSD-2-Clause
;
; lbr_tx.asm - transactions while last branch records are taken (SDM 3B,
; "MSR_LASTBRANCH_x_FROM_IP with TSX Information", "MSR_LBR_INFO_x"). RSI is a
; lock. EAX is ~0 before XBEGIN.
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code.

bits 64
default rel

%include "lbr_rows.inc"

%define XABORT 0x5a
%define LINES  1024                    ; LBR_LINES

extern trace_window_off

section .text align=4096

; Branches before, within, in and after a nested one, and behind it.
LBR_BODY lbr_body_commit
        mov     eax, -1
.before:
        jmp     short .begin
        ROW     LBR_REL_JMP, .before, .begin
        int3
.begin: xbegin  .aborted
        cmp     eax, eax
.jcc:   je      short .inner
        ROW     LBR_JCC | LBR_IN_TX, .jcc, .inner
        int3
.inner: xbegin  .aborted
.call:  call    .leaf
.called:
        ROW     LBR_REL_CALL | LBR_IN_TX, .call, .leaf
        ROW     LBR_RET | LBR_IN_TX, .leaf, .called
        xend
        lea     rbx, [.end]
.jump:  jmp     rbx
        ROW     LBR_IND_JMP | LBR_IN_TX, .jump, .end
.leaf:  ret
.end:   xend
        mov     qword [r14 + CELLS], 1
.after: jmp     short .out
        ROW     LBR_REL_JMP, .after, .out
.aborted:
        mov     [r14 + CELLS + 8], rax
.out:
LBR_BODY_END

; The rows are the calls that have not returned.
LBR_BODY lbr_body_calls_tx
        mov     eax, -1
        xbegin  .aborted
.call_outer:
        call    .outer
        ROW     LBR_REL_CALL | LBR_IN_TX, .call_outer, .outer
.leaf:  ret
.outer: call    .leaf
        lea     rbx, [.middle]
.call_middle:
        call    rbx
        ROW     LBR_IND_CALL | LBR_IN_TX, .call_middle, .middle
        int3
.middle:
        call    .leaf
        lea     rbx, [.jumped]
        jmp     rbx
        int3
.jumped:
        add     rsp, 16
        xend
        mov     qword [r14 + CELLS], 1
.aborted:
LBR_BODY_END

; RSI are bits.
LBR_BODY lbr_body_bits_tx
        mov     eax, -1
        xbegin  .aborted
        BRANCHES_BY_BITS LBR_JCC | LBR_IN_TX
        xend
        mov     qword [r14 + CELLS], 1
.aborted:
LBR_BODY_END

; Ends by %2, some instructions behind a branch (erratum BDM064).
%macro ABORTS 2+
LBR_BODY %1
        mov     eax, -1
        xor     ecx, ecx
        xor     edx, edx
        xbegin  .fallback
.jump:  jmp     short .jcc
        ROW     LBR_REL_JMP | LBR_IN_TX, .jump, .jcc
        int3
.jcc:   jecxz   .next
        ROW     LBR_JCC | LBR_IN_TX, .jcc, .next
        int3
.next:  times 8 nop
.abort: %2
        ROW     LBR_ABORT, .abort, .fallback
        int3
.fallback:
        mov     [r14 + CELLS + 8], rax
        mov     qword [r14 + CELLS], 1
LBR_BODY_END
%endmacro

        ABORTS  lbr_body_xabort, xabort XABORT
        ABORTS  lbr_body_ud2, ud2
        ABORTS  lbr_body_divide, div ecx
        ABORTS  lbr_body_cpuid, cpuid
        ABORTS  lbr_body_pause, pause
        ABORTS  lbr_body_int3, int3

; To the outermost fallback.
LBR_BODY lbr_body_xabort_nested
        mov     eax, -1
        xbegin  .fallback
        xbegin  .inner
.jump:  jmp     short .next
        ROW     LBR_REL_JMP | LBR_IN_TX, .jump, .next
.inner: int3
.next:  times 8 nop
.abort: xabort  XABORT
        ROW     LBR_ABORT, .abort, .fallback
        int3
.fallback:
        mov     [r14 + CELLS + 8], rax
        mov     qword [r14 + CELLS], 1
LBR_BODY_END

; More lines than a transaction can write, by a loop.
LBR_BODY lbr_body_writes
        mov     eax, -1
        mov     rbx, rsi
        mov     ecx, LINES
        xbegin  .fallback
.turn:  mov     [rbx], rcx
        add     rbx, 64
        dec     ecx
.back:  jnz     short .turn
        ROW     LBR_JCC | LBR_IN_TX, .back, .turn
        xend
.fallback:
        ROW     LBR_ABORT, .turn, .fallback
        mov     [r14 + CELLS + 8], rax
        mov     qword [r14 + CELLS], 1
LBR_BODY_END

; RDI turns after a load from RSI; most of the time is not right behind a branch
; (erratum BDM064).
LBR_BODY lbr_body_held
        mov     eax, -1
        xbegin  .fallback
        mov     rdx, [rsi]
.turn:  times 16 nop
        dec     rdi
.back:  jnz     short .turn
        ROW     LBR_JCC | LBR_IN_TX, .back, .turn
        xend
        jmp     short .committed
.fallback:
        ROW     LBR_ABORT, .turn, .fallback
        mov     [r14 + CELLS + 8], rax
        mov     qword [r14 + CELLS], 1
.committed:
LBR_BODY_END

LBR_BODY lbr_body_elided
.before:
        jmp     short .acquire
        ROW     LBR_REL_JMP, .before, .acquire
        int3
.acquire:
        xacquire lock add dword [rsi], 1
        xtest
        setnz   [r14 + CELLS]
        cmp     eax, eax
.jcc:   je      short .release
        ROW     LBR_JCC | LBR_IN_TX, .jcc, .release
        int3
.release:
        xrelease lock sub dword [rsi], 1
.after: jmp     short .out
        ROW     LBR_REL_JMP, .after, .out
        int3
.out:
LBR_BODY_END

; The jump is taken twice.
LBR_BODY lbr_body_elision_aborts
        xor     eax, eax
.acquire:
        xacquire lock add dword [rsi], 1
.jump:  jmp     short .next
        ROW     LBR_REL_JMP | LBR_IN_TX, .jump, .next
        int3
.next:  times 8 nop
.abort: cpuid
        ROW     LBR_ABORT, .abort, .acquire
        ROW     LBR_REL_JMP, .jump, .next
        xrelease lock sub dword [rsi], 1
        mov     qword [r14 + CELLS], 1
LBR_BODY_END

section .note.GNU-stack noalloc noexec nowrite progbits
