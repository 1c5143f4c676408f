; SPDX-License-Identifier: BSD-2-Clause
;
; trace_bodies.asm - what runs in the window of a trace: conditional branches,
; indirect and far transfers, calls and returns (SDM 3C, Intel Processor Trace,
; table "COFI Type for Branch Instructions").

bits 64
default rel

%include "iret_frame.inc"
%include "trace_bodies.inc"

; Once taken and once not, over an instruction: CMP of %2 and %3 satisfies the
; condition %1, CMP of %4 and %5 does not.
%macro CONDITION 5
        mov     al, %2
        cmp     al, %3
        j%+1    short %%first
        nop
%%first:
        OUT     TAKEN
        mov     al, %4
        cmp     al, %5
        j%+1    near %%second
        nop
%%second:
        OUT     NOT_TAKEN
%endmacro

; LOOP and its like: RCX is 2, then 1.
%macro LOOPS 2
        mov     ecx, 2
        cmp     ecx, %2
        %1      %%first
        nop
%%first:
        OUT     TAKEN
        mov     ecx, 1
        cmp     ecx, %2
        %1      %%second
        nop
%%second:
        OUT     NOT_TAKEN
%endmacro

section .text

TRACED trace_body_nothing
        OUT     TIP, trace_body_nothing
TRACED_END

TRACED trace_body_conditions
        OUT     TIP, trace_body_conditions
        CONDITION o, 0x80, 1, 1, 0
        CONDITION no, 1, 0, 0x80, 1
        CONDITION b, 0, 1, 1, 0
        CONDITION ae, 1, 0, 0, 1
        CONDITION e, 1, 1, 1, 0
        CONDITION ne, 1, 0, 1, 1
        CONDITION be, 0, 1, 1, 0
        CONDITION a, 1, 0, 0, 1
        CONDITION s, 0, 1, 1, 0
        CONDITION ns, 1, 0, 0, 1
        CONDITION p, 3, 0, 1, 0
        CONDITION np, 1, 0, 3, 0
        CONDITION l, 0, 1, 1, 0
        CONDITION ge, 1, 0, 0, 1
        CONDITION le, 0, 1, 1, 0
        CONDITION g, 1, 0, 0, 1
        LOOPS   loop, 0
        LOOPS   loopne, 0
        mov     ecx, 2
        cmp     ecx, ecx
        loope   .equal                  ; taken: ZF
        nop
.equal: OUT     TAKEN
        mov     ecx, 2
        cmp     ecx, 0
        loope   .unequal                ; not taken: no ZF
        nop
.unequal:
        OUT     NOT_TAKEN
        xor     ecx, ecx
        jrcxz   .zero
        nop
.zero:  OUT     TAKEN
        jecxz   .zero_again
        nop
.zero_again:
        OUT     TAKEN
        inc     ecx
        jrcxz   .one
        nop
.one:   OUT     NOT_TAKEN
        jecxz   .one_again
        nop
.one_again:
        OUT     NOT_TAKEN
TRACED_END

; By a shift register, so that no TNT is like the one before.
TRACED trace_body_pattern
        OUT     TIP, trace_body_pattern
        xor     eax, eax                ; ZF = 1
%assign state 0x2b5
%rep 120
%assign bit ((state >> 9) ^ (state >> 6)) & 1
%assign state ((state << 1) | bit) & 0x3ff
%if bit
        je      short $+3
        OUT     TAKEN
%else
        jne     short $+3
        OUT     NOT_TAKEN
%endif
        nop
%endrep
TRACED_END

; Direct jumps and calls leave nothing.
TRACED trace_body_transfers
        OUT     TIP, trace_body_transfers
        jmp     short .direct
.back:  ret
.direct:
        jmp     near .register
        int3
.register:
        lea     rax, [.memory]
        jmp     rax
.memory:
        OUT     TIP, .memory
        lea     rax, [.call]
        push    rax
        lea     rbx, [rsp]
        jmp     qword [rbx]
.call:  OUT     TIP, .call
        pop     rax
        lea     rax, [.back]
        call    rax
        OUT     TIP, .back
.returned:
        OUT     RETURN, .returned
        push    rax
        mov     rbx, rsp
        call    qword [rbx]
        OUT     TIP, .back
.again: OUT     RETURN, .again
        pop     rax
        call    .back
.third: OUT     RETURN, .third
        sub     rsp, 16
        call    .frees
.fourth:
        OUT     RETURN, .fourth
        mov     eax, cs                 ; far, to the same code segment
        lea     rbx, [.far]
        push    rax
        push    rbx
        o64 retf
        int3
.far:   OUT     TIP, .far
        IRET_FRAME .interrupted
        iretq
        int3
.interrupted:
        OUT     TIP, .interrupted
        mov     eax, cs                 ; through memory, with REX.W
        lea     rbx, [.jumped]
        push    rax
        push    rbx
        o64 jmp far [rsp]
        int3
.jumped:
        OUT     TIP, .jumped
        lea     rbx, [.far_leaf]
        mov     [rsp], rbx
        o64 call far [rsp]
        OUT     TIP, .far_leaf
        OUT     TIP, .far_called
.far_called:
        lea     rbx, [.far_near]        ; whose near RET is not compressed
        mov     [rsp], rbx
        o64 call far [rsp]
        OUT     TIP, .far_near
        OUT     TIP, .far_pops
.far_pops:
        add     rsp, 24
        jmp     short .end
.frees: ret     16
.far_leaf:
        o64 retf
.far_near:
        ret
.end:
TRACED_END

; So many calls deep, of which a decoder knows the youngest 64 ("Indirect
; Transfer Compression for Returns (RET)").
%define DEPTH 80
%define STACK 64

TRACED trace_body_returns
        OUT     TIP, trace_body_returns
        call    .leaf
.after_leaf:
        OUT     RETURN, .after_leaf
        call    .outer
.after_outer:
        ; .inner leaves its own first
        OUT     RETURN, .after_inner
        OUT     RETURN, .after_outer
        lea     rax, [.pushed]          ; a return without a call
        push    rax
        ret
        int3
.pushed:
        OUT     TIP, .pushed
        call    .changes                ; a return that goes elsewhere
        int3
.changed:
        OUT     TIP, .changed
        sub     rsp, 16
        call    .changes_16             ; the same, with an operand
        int3
.changed_16:
        OUT     TIP, .changed_16
        call    .skips                  ; whose return leaves out a frame
.skipped:
        OUT     TIP, .skipped
        call    .changes_again          ; and to where one would have gone
.left:  jmp     short .after_left
.changed_again:
        OUT     TIP, .changed_again
        lea     rax, [.left]
        push    rax
        ret
        OUT     TIP, .left
.after_left:
        call    .next                   ; not a call that has a return
.next:  pop     rax
        call    .leaf
.after_next:
        OUT     RETURN, .after_next
        lea     rax, [.after_zero]      ; not one either, and a return to it
        push    rax
        call    .zero
.zero:  ret
        OUT     TIP, .zero
        OUT     TIP, .after_zero
.after_zero:
        mov     ecx, DEPTH
        call    .deep
.after_deep:
        ; .deep: a branch before each call, taken at the innermost
%rep DEPTH - 1
        OUT     NOT_TAKEN
%endrep
        OUT     TAKEN
%rep STACK
        OUT     RETURN, .after_call
%endrep
%rep DEPTH - 1 - STACK
        OUT     TIP, .after_call
%endrep
        OUT     TIP, .after_deep
        jmp     short .end
.leaf:  ret
.outer: call    .inner
.after_inner:
        ret
.inner: ret
.changes:
        lea     rax, [.changed]
        mov     [rsp], rax
        ret
.changes_16:
        lea     rax, [.changed_16]
        mov     [rsp], rax
        ret     16
.changes_again:
        lea     rax, [.changed_again]
        mov     [rsp], rax
        ret
.skips: call    .skipper
        int3
.skipper:
        pop     rax
        ret
.deep:  dec     ecx
        jz      short .innermost
        call    .deep
.after_call:
.innermost:
        ret
.end:
TRACED_END

; Three calls in one another, with jumps before, between and after; again and
; again, so that a PSB comes within one of them.
%macro JUMP 1
        lea     rbx, [%1]
        jmp     rbx
        int3
%1:     OUT     TIP, %1
%endmacro

TRACED trace_body_calls
.turn:  JUMP    .begun
        call    .outer
.after_outer:
        ; .outer leaves its own first
        OUT     CALLED, .after_outer
        OUT     TIP, .in_outer
        OUT     CALLED, .after_middle
        OUT     TIP, .in_middle
        OUT     CALLED, .after_inner
        OUT     TIP, .in_inner
        OUT     TIP, .more_inner
        OUT     RETURN_OF, .after_inner
        OUT     TIP, .end_middle
        OUT     RETURN_OF, .after_middle
        OUT     TIP, .end_outer
        OUT     RETURN_OF, .after_outer
        dec     rdi
        jnz     .turn
        jmp     near trace_window_off
section .rodata
        dd      0, 0
section .text
%macro QUIET_JUMP 1
        lea     rbx, [%1]
        jmp     rbx
        int3
%1:
%endmacro
.outer: QUIET_JUMP .in_outer
        call    .middle
.after_middle:
        QUIET_JUMP .end_outer
        ret
.middle:
        QUIET_JUMP .in_middle
        call    .inner
.after_inner:
        QUIET_JUMP .end_middle
        ret
.inner: QUIET_JUMP .in_inner
        QUIET_JUMP .more_inner
        ret

; Turns of two jumps, the second after a chain of multiplications and so many
; CPUID, which take thousands of cycles. IA32_PERF_GLOBAL_CTRL is RSI
; meanwhile.
%define CHAIN  16

%macro COUNTED 2
TRACED %1
        COUNT_BY_RSI
        mov     r8d, 3
.turn:  JUMP    .soon
        times CHAIN imul r8, r8
%rep %2
        xor     eax, eax
        cpuid
%endrep
        lea     rbx, [.late]
        add     rbx, r8
        sub     rbx, r8                 ; only now
        jmp     rbx
        int3
.late:  OUT     TIP, .late
        dec     rdi
        jnz     .turn
        COUNT_NOTHING
TRACED_END
%endmacro
        COUNTED trace_body_counted, 128
        COUNTED trace_body_dense, 0

section .note.GNU-stack noalloc noexec nowrite progbits
