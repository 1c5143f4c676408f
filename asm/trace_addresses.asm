; SPDX-License-Identifier: BSD-2-Clause
;
; trace_addresses.asm - code that is traced under more than one address, each
; another bit away.

bits 64
default rel

%include "trace_bodies.inc"

; TRACE_FAR_FIRST, TRACE_FAR_BITS
%define FAR_FIRST 21
%define FAR_BITS  26

section .text

; RSI: to the alias. RDI: a CR3 that maps it, and each a bit of the address
; higher. To it, to each of these and back.
TRACED trace_body_far
        OUT     TIP, trace_body_far
        mov     rax, cr3
        mov     [r14 + CELLS], rax
        mov     cr3, rdi
        OUT     PIP_COUNT
        lea     rbx, [.near]
        add     rbx, rsi
        jmp     rbx
.near:  OUT     TIP_ALIAS, .near
%assign bit FAR_FIRST
%rep FAR_BITS
        mov     rdx, 1 << bit
        lea     rbx, [.far%+bit]
        add     rbx, rdx
        jmp     rbx
.far%+bit:
        OUT     TIP_ALIAS, .far%+bit    ; a bit higher
        lea     rbx, [.back%+bit]
        sub     rbx, rdx
        jmp     rbx
.back%+bit:
        OUT     TIP_ALIAS, .back%+bit
%assign bit bit + 1
%endrep
        lea     rbx, [.low]
        sub     rbx, rsi
        jmp     rbx
.low:   OUT     TIP, .low
        mov     cr3, rax
        OUT     PIP_OWN
TRACED_END

; IA32_RTIT_CTL is written with what it holds.
%define IA32_RTIT_CTL 0x570

TRACED trace_body_rewrite
        OUT     TIP, trace_body_rewrite
        mov     ecx, IA32_RTIT_CTL
        rdmsr
        cmp     ecx, ecx
        jne     .again                  ; its result is due after the write
        OUT     NOT_TAKEN
.again: wrmsr
        je      .twice
        OUT     TAKEN
        int3
.twice: wrmsr
TRACED_END

section .note.GNU-stack noalloc noexec nowrite progbits
