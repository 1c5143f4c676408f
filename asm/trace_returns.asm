; SPDX-License-Identifier: BSD-2-Clause
;
; trace_returns.asm - calls and returns between which a trace had nothing of the
; control flow to say: none of the returns is compressed; and far ones.

bits 64
default rel

%include "trace_bodies.inc"

section .text

; A call in which CR3 becomes RSI and what it was; then one that is made while it
; is RSI. The rows are those of a filter of CR3 as it is; cells[0] has it.
TRACED trace_body_cr3_returns
        OUT     TIP, trace_body_cr3_returns
        mov     rax, cr3
        mov     [r14 + CELLS], rax
        call    .away
.first: mov     cr3, rsi
        call    .home
.second:
        jmp     near .end
.away:  mov     cr3, rsi
        OUT     PGD_HIDDEN, .away
        mov     cr3, rax
        OUT     PIP_OWN
.back:  ret
        OUT     PGE, .back
        OUT     TIP, .first
        OUT     PGD_HIDDEN, .first
.home:  mov     cr3, rax
        OUT     PIP_OWN
.there: ret
        OUT     PGE, .there
        OUT     TIP, .second
.end:
TRACED_END

; A call in which INT3 goes to a handler outside of [trace_body_event_returns,
; trace_event_returns_end), which a filter has; and its return.
TRACED trace_body_event_returns
        OUT     PGE, trace_body_event_returns
        call    .callee
.after: jmp     near trace_event_returns_off
.callee:
        int3
.back:  ret
        OUT     FUP, .callee
        OUT     PGD, trace_event_returns_handler
        OUT     PGE, .back
        OUT     TIP, .after
        OUT     PGD_DIRECT, trace_event_returns_off
global trace_event_returns_end, trace_event_returns_handler
trace_event_returns_end:
trace_event_returns_handler:
        iretq
trace_event_returns_off:
        jmp     near trace_window_off
section .rodata
        dd      0, 0
section .text

; INT3 has its handler in [trace_far_first, trace_far_last], which a filter has,
; and IRETQ leads out of it; then in and out by a far return.
TRACED trace_body_far_ways
        OUT     PGE, trace_far_first
        int3
.after: OUT     PGD, .after
        mov     eax, cs
        lea     rbx, [.out]
        lea     rcx, [far_in]
        push    rax
        push    rbx
        push    rax
        push    rcx
        o64 retf
        int3
.out:   OUT     PGE, far_in
        OUT     PGD, .out
        jmp     near trace_window_off
global trace_far_first, trace_far_last
trace_far_first:
        iretq
far_in:
trace_far_last:
        o64 retf
section .rodata
        dd      0, 0
section .text

section .note.GNU-stack noalloc noexec nowrite progbits
