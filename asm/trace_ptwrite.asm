; SPDX-License-Identifier: BSD-2-Clause
;
; trace_ptwrite.asm - PTWRITE of each kind of operand, traced. SDM 2B, PTWRITE.

bits 64
default rel

%include "ptwrite.inc"
%include "trace_bodies.inc"

section .text

; RSI and RDI are written: half of RSI, RSI, and RDI by memory, a register above
; R7, memory. A branch before the first and one after it.
TRACED trace_body_ptwrite
        OUT     TIP, trace_body_ptwrite
        mov     r9, rdi
        mov     [r14 + CELLS], rdi
        cmp     rax, rax
        jne     .end
        OUT     NOT_TAKEN
.half:  PTWRITE esi
        je      .whole
        OUT     TAKEN
        int3
.whole: PTWRITE rsi
.memory_half:
        PTWRITE dword [r14 + CELLS]
.above: PTWRITE r9
.memory:
        PTWRITE qword [r14 + CELLS]
.end:
TRACED_END

section .rodata
        align   4, db 0
global trace_body_ptwrite_at
trace_body_ptwrite_at:
        dd      trace_body_ptwrite.half - trace_body_ptwrite
        dd      trace_body_ptwrite.whole - trace_body_ptwrite
        dd      trace_body_ptwrite.memory_half - trace_body_ptwrite
        dd      trace_body_ptwrite.above - trace_body_ptwrite
        dd      trace_body_ptwrite.memory - trace_body_ptwrite
section .text

; With 66H, and with LOCK: #UD, under the gates of trace_body_events.
TRACED trace_body_ptwrite_refused
        OUT     TIP, trace_body_ptwrite_refused
        lea     rbx, [.after_66]
.with_66:
        db      0x66
        PTWRITE esi
.after_66:
        OUT     FUP, .with_66
        OUT     TIP_HANDLER
        OUT     TIP, .after_66
        lea     rbx, [.after_lock]
.with_lock:
        db      0xf0
        PTWRITE dword [r14 + CELLS]
.after_lock:
        OUT     FUP, .with_lock
        OUT     TIP_HANDLER
        OUT     TIP, .after_lock
TRACED_END

section .note.GNU-stack noalloc noexec nowrite progbits
