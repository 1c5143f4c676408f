; SPDX-License-Identifier: BSD-2-Clause
;
; trace_tx.asm - transactions in the window of a trace (SDM 3C, Intel Processor
; Trace, table "TSX Packet Scenarios"; "TSX and IP Filtering"). RSI is a lock. A
; body counts in the first cell what went as it should; what its path is rests
; on all of these. EAX is ~0 before XBEGIN.
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code.

bits 64
default rel

%include "ptwrite.inc"
%include "trace_bodies.inc"
%include "trace_tx.inc"

section .text align=4096

; One that commits: a nested one, a nested elision, branches, a jump, and returns
; to where they were called and elsewhere, in it; between the second call and its
; return so many bytes that a PSB comes there.
TRACED trace_body_tx_commit
        OUT     TIP, trace_body_tx_commit
        mov     eax, -1
        cmp     rax, rax
        jne     short .begin            ; its result is due before the next
        OUT     NOT_TAKEN
.begin: xbegin  .aborted
        MODE_TSX BEGUN
        OUT     FUP, .begin
        xbegin  .aborted
        cmp     rax, rax
        je      short .taken
        nop
.taken: OUT     TAKEN
        jne     short .jump
        OUT     NOT_TAKEN
.jump:  lea     rbx, [.target]
        jmp     rbx
        int3
.target:
        OUT     TIP, .target
        call    .leaf
.called:
        OUT     RETURN, .called
        call    .long
.returned:
        OUT     CALLED, .returned
        OUT     TIP, .in_1
        OUT     TIP, .in_2
        OUT     TIP, .in_3
        OUT     RETURN_OF, .returned
        call    .elsewhere
.back:  int3
.other: OUT     TIP, .other
        xend
        xacquire lock add dword [rsi], 1
        xrelease lock sub dword [rsi], 1
        cmp     rax, rax
        jne     short .end
        OUT     NOT_TAKEN
.end:   xend
        MODE_TSX COMMITTED
        OUT     FUP, .end
        inc     qword [r14 + CELLS]
        jmp     short .out
.long:
%assign n 1
%rep 3
        lea     rbx, [.in_%+n]
        jmp     rbx
        int3
.in_%+n:
%assign n n + 1
%endrep
        ret
.elsewhere:
        add     qword [rsp], .other - .back
.leaf:  ret
.aborted:
.out:
TRACED_END

; One that aborts in a nested one, after branches, a call and a return; one that
; aborts too; and one that commits after it.
TRACED trace_body_tx_abort
        OUT     TIP, trace_body_tx_abort
        mov     eax, -1
.begin: xbegin  .fallback
        MODE_TSX BEGUN
        OUT     FUP, .begin
        xbegin  .inner
        cmp     rax, rax
        jne     short .inner
        OUT     NOT_TAKEN
        je      short .taken
        int3
.taken: OUT     TAKEN
        call    .leaf
.called:
        OUT     RETURN, .called
        lea     rbx, [.target]
        jmp     rbx
.inner: int3
.leaf:  ret
.target:
        OUT     TIP, .target
        cmp     rax, rax
        jne     short .inner            ; its result is due before the abort,
        OUT     NOT_TAKEN
        call    .leaf                   ; and that of a return
.due:   OUT     RETURN, .due
        times 8 nop                     ; BDM64: no branch just before
        XABORTS .abort, .fallback
.fallback:
global trace_tx_fallback
trace_tx_fallback equ .fallback
        mov     [r14 + CELLS + 8], rax
        mov     eax, -1
.second:
        xbegin  .aborted
        MODE_TSX BEGUN
        OUT     FUP, .second
        times 8 nop
        XABORTS .other, .aborted
.aborted:
        and     [r14 + CELLS + 8], rax  ; of both
        mov     eax, -1
.again: xbegin  .out
        MODE_TSX BEGUN
        OUT     FUP, .again
        nop
.end:   xend
        MODE_TSX COMMITTED
        OUT     FUP, .end
        inc     qword [r14 + CELLS]
        xabort  TRACE_XABORT            ; outside: no operation
        xtest
        xrelease lock add dword [rsi], 0
.out:
TRACED_END

; Turns of one that aborts after a chain of multiplications. RSI is
; IA32_PERF_GLOBAL_CTRL meanwhile. The first cell counts aborts by XABORT.
%define CHAIN 64

TRACED trace_body_tx_counted
        COUNT_BY_RSI
        mov     r8d, 3
        xor     esi, esi
.turn:  mov     eax, -1
.begin: xbegin  .fallback
        MODE_TSX BEGUN
        OUT     FUP, .begin
        times CHAIN imul r8, r8
        XABORTS .abort, .fallback
.fallback:
        and     eax, 1
        add     rsi, rax
        dec     rdi
        jnz     .turn
        COUNT_NOTHING
        mov     [r14 + CELLS], rsi
TRACED_END

; PTWRITE in one that commits, in each form.
TRACED trace_body_tx_ptwrite
        OUT     TIP, trace_body_tx_ptwrite
.begin: xbegin  .out
        MODE_TSX BEGUN
        OUT     FUP, .begin
        mov     [r14 + CELLS + 8], rsi
        PTWRITE rsi
        PTWRITE esi
        PTWRITE qword [r14 + CELLS + 8]
        PTWRITE dword [r14 + CELLS + 8]
.end:   xend
        MODE_TSX COMMITTED
        OUT     FUP, .end
        inc     qword [r14 + CELLS]
.out:
TRACED_END

; An elision that commits, with one nested in it; results are due where it begins
; and where it ends. XTEST in between says whether it is one; the first cell counts
; those that are. Without, there is no packet of a transaction.
TRACED trace_body_tx_elision
        OUT     TIP, trace_body_tx_elision
        cmp     rax, rax
        jne     short .acquire
        OUT     NOT_TAKEN
.acquire:
        xacquire lock add dword [rsi], 1
        MODE_TSX BEGUN
        OUT     FUP, .acquire
        xacquire lock add dword [rsi + 64], 1
        xrelease lock sub dword [rsi + 64], 1
        xtest
        setnz   al
        movzx   eax, al
        add     [r14 + CELLS], rax
        lea     rbx, [.target]
        jmp     rbx
.target:
        OUT     TIP, .target
        call    .leaf
.called:
        OUT     RETURN, .called
        cmp     rax, rax
        jne     short .release
        OUT     NOT_TAKEN
        je      short .release
        OUT     TAKEN
        int3
.release:
        xrelease lock sub dword [rsi], 1
        MODE_TSX COMMITTED
        OUT     FUP, .release
        lea     rbx, [.out]
        jmp     rbx
.leaf:  ret
.out:   OUT     TIP, .out
TRACED_END

; At two addresses, as trace_body_alias: begun at the one, aborted at the other,
; going on at the one; begun at the other, committed at the one.
TRACED trace_body_alias_tx
        OUT     TIP, trace_body_alias_tx
        mov     qword [r14 + CELLS + 16], 0
        TO_ALIAS
        mov     r8, rax
        lea     rbx, [.higher]
        add     rbx, ALIAS_STEP
        jmp     rbx
.higher:
        OUT     TIP_ALIAS_2, .higher
        mov     eax, -1
        jmp     near .begin - ALIAS_STEP
.begin: xbegin  .fallback
        MODE_TSX BEGUN
        OUT     FUP_ALIAS, .begin
        jmp     near .there + ALIAS_STEP
.there: times 8 nop                     ; BDM64: no branch just before
.abort: xabort  TRACE_XABORT
        MODE_TSX ABORTED
        OUT     FUP_ALIAS_2, .abort
        OUT     TIP_ALIAS, .fallback
        int3
.fallback:
        mov     [r14 + CELLS + 8], rax
        mov     eax, -1
        jmp     near .second + ALIAS_STEP
.second:
        xbegin  .out - ALIAS_STEP
        MODE_TSX BEGUN
        OUT     FUP_ALIAS_2, .second
        jmp     near .end - ALIAS_STEP
.end:   xend
        MODE_TSX COMMITTED
        OUT     FUP_ALIAS, .end
        mov     [r14 + CELLS + 16], rax
.out:   mov     rax, r8
        FROM_ALIAS
TRACED_END

section .note.GNU-stack noalloc noexec nowrite progbits
