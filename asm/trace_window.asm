; SPDX-License-Identifier: BSD-2-Clause
;
; trace_window.asm - the window of a trace: one WRMSR to IA32_RTIT_CTL (570H)
; opens, one closes, and every branch between is known.

bits 64
default rel

%include "preserved.inc"

; struct trace_window of trace_window.h
%define CONTROL 0x00
%define BODY    0x08
%define ARGUMENT 0x10
%define COUNT   0x18

%define IA32_RTIT_CTL         0x570
%define IA32_RTIT_CTL_TraceEn 1

section .text

; int trace_window(struct trace_window *rdi)
global trace_window, trace_window_on, trace_window_on_next
global trace_window_off, trace_window_off_at, trace_window_resume
trace_window:
        push_preserved
        pushfq
        mov     r14, rdi
        mov     ecx, IA32_RTIT_CTL
        mov     rax, [r14 + CONTROL]
        mov     rdx, rax
        shr     rdx, 32
        mov     rsi, [r14 + ARGUMENT]
        mov     rdi, [r14 + COUNT]
trace_window_on:
        wrmsr
trace_window_on_next:
        jmp     qword [r14 + BODY]

; Bodies come here by a direct jump.
trace_window_off:
        mov     ecx, IA32_RTIT_CTL
        mov     rax, [r14 + CONTROL]
        and     rax, ~IA32_RTIT_CTL_TraceEn
        mov     rdx, rax
        shr     rdx, 32
trace_window_off_at:
        wrmsr
        mov     eax, -1
trace_window_resume:
        popfq
        pop_preserved
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
