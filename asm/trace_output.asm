; SPDX-License-Identifier: BSD-2-Clause
;
; trace_output.asm - code that is traced and looks for its output's interrupt.

bits 64
default rel

%include "trace_bodies.inc"

; SDM 4, IA-32 Architectural MSRs: the interrupt is bit 55 of both.
%define IA32_PERF_GLOBAL_STATUS   0x38e
%define IA32_PERF_GLOBAL_OVF_CTRL 0x390
%define TOPA_PMI_OF_EDX           23

section .text

; RDI turns; no packet is made from the reading to the next jump.
global trace_body_int
trace_body_int:
        xor     ebx, ebx
        lea     r8, [.to]
.turn:  jmp     r8
        int3
.to:    mov     ecx, IA32_PERF_GLOBAL_STATUS
        rdmsr
        shr     edx, TOPA_PMI_OF_EDX
        and     edx, 1
        add     rbx, rdx
        shl     edx, TOPA_PMI_OF_EDX
        xor     eax, eax
        mov     ecx, IA32_PERF_GLOBAL_OVF_CTRL
        wrmsr
        dec     rdi
        jnz     .turn
        mov     [r14 + CELLS], rbx
        jmp     near trace_window_off

section .note.GNU-stack noalloc noexec nowrite progbits
