; SPDX-License-Identifier: BSD-2-Clause
;
; trace_window.asm - the window of a trace: one WRMSR to IA32_RTIT_CTL (570H)
; opens, one closes, and every branch between is known; or to IA32_DEBUGCTL
; (1D9H), for the last branch records.

bits 64
default rel

%include "preserved.inc"

; struct trace_window of trace_window.h
%define CONTROL 0x00
%define BODY    0x08
%define ARGUMENT 0x10
%define COUNT   0x18
%define TSC     0x40
%define MSR     0x48

%define ENABLE  1                       ; TraceEn of 570H, LBR of 1D9H

%define GATES_BYTES 4096

section .text

; int trace_window(struct trace_window *rdi)
global trace_window, trace_window_on, trace_window_on_next
global trace_window_off, trace_window_off_at, trace_window_resume
trace_window:
        push_preserved
        pushfq
        mov     r14, rdi
        rdtsc
        mov     [r14 + TSC], eax
        mov     [r14 + TSC + 4], edx
        mov     ecx, [r14 + MSR]
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
        mov     ecx, [r14 + MSR]
        mov     rax, [r14 + CONTROL]
        and     rax, ~ENABLE
        mov     rdx, rax
        shr     rdx, 32
trace_window_off_at:
        wrmsr
        mov     eax, -1
trace_window_resume:
        popfq
        pop_preserved
        ret

; void trace_gates(uint8_t *rdi) The gates of the current IDT, of 256, to RDI;
; zeros for those that it does not have.
global trace_gates
trace_gates:
        sub     rsp, 16
        sidt    [rsp]
        movzx   edx, word [rsp]
        mov     rsi, [rsp + 2]
        add     rsp, 16
        inc     edx                     ; bytes
        mov     ecx, GATES_BYTES
        cmp     edx, ecx
        cmova   edx, ecx
        sub     ecx, edx
        xchg    ecx, edx
        cld
        rep movsb
        mov     ecx, edx
        xor     eax, eax
        rep stosb
        ret

; int trace_window_gates(struct trace_window *rdi, uint8_t *rsi gates)
; trace_window() while the IDT is these 256 gates.
global trace_window_gates
trace_window_gates:
        sub     rsp, 40
        sidt    [rsp]
        mov     word [rsp + 16], GATES_BYTES - 1
        mov     [rsp + 18], rsi
        lidt    [rsp + 16]
        call    trace_window
        lidt    [rsp]
        add     rsp, 40
        ret

; int trace_window_segments(struct trace_window *rdi, uint8_t *rsi gates,
;                           const void *rdx, uint16_t ecx)
; The same while the GDT is RDX, of ECX bytes.
global trace_window_segments
trace_window_segments:
        sub     rsp, 40
        sgdt    [rsp]
        dec     ecx
        mov     [rsp + 16], cx
        mov     [rsp + 18], rdx
        lgdt    [rsp + 16]
        call    trace_window_gates
        lgdt    [rsp]
        add     rsp, 40
        ret

; Handlers for such gates: RBX is where they go on, without and with an error
; code; or as the processor has it.
global trace_handler, trace_handler_end
global trace_handler_error, trace_handler_trap
trace_handler:
        mov     [rsp], rbx
trace_handler_end:
        iretq
trace_handler_error:
        add     rsp, 8
        mov     [rsp], rbx
trace_handler_trap:
        iretq

section .note.GNU-stack noalloc noexec nowrite progbits
