; SPDX-License-Identifier: BSD-2-Clause
;
; trace_modes.asm - what runs in the window of a trace in 32-bit and in 16-bit code.

bits 64
default rel

%include "trace_bodies.inc"

section .text

; To 32-bit and to 16-bit code by far RETs, back by INT3 and, from the former,
; to and fro by IRETQ. RSI is the 32-bit code segment, the 16-bit one is next;
; code and stack lie below 4 GB. The upper halves of registers may be lost, and
; R8 to R15. The handler goes on at RBX, in the code segment of RCX, where EDX
; has become 0.
%define MODE_64 1
%define MODE_32 2
%define MODE_16 0

%macro MODE 1
section .rodata
        dd      MODE_EXEC, %1
section .text
%endmacro

; INT3, whose handler goes on at the label.
%macro TRAPPED 2
        OUT     FUP, %1
        MODE    MODE_64
        OUT     TIP, trace_mode_handler
        MODE    %2
%endmacro

TRACED trace_body_modes
        OUT     TIP, trace_body_modes
        push    r14
        mov     ecx, cs
        mov     edx, 2
        lea     rbx, [.back]
        lea     rax, [.legacy]
        push    rsi
        push    rax
        o64 retf
.legacy:
        int3
.again: int3
        MODE    MODE_32
        OUT     TIP, .legacy
        TRAPPED .legacy, MODE_32
        OUT     TIP, .again
        OUT     FUP, .again
        MODE    MODE_64
        OUT     TIP, trace_mode_handler
        OUT     TIP, .back
.back:  inc     edx
        add     esi, 8
        lea     rbx, [.end]
        lea     rax, [.sixteen]
        push    rsi
        push    rax
        o64 retf
.sixteen:
        int3
        MODE    MODE_16
        OUT     TIP, .sixteen
        OUT     FUP, .sixteen
        MODE    MODE_64
        OUT     TIP, trace_mode_handler
        OUT     TIP, .end
global trace_modes_end
trace_modes_end equ .end
.end:   pop     r14
TRACED_END
; The same where a filter has all before trace_modes_end.
section .rodata
global trace_body_modes_range_path
trace_body_modes_range_path:
section .text
        OUT     PGE, trace_body_modes
        MODE    MODE_32
        OUT     TIP, trace_body_modes.legacy
        OUT     FUP, trace_body_modes.legacy
        OUT     PGD, trace_mode_handler
        OUT     PGE, trace_body_modes.again
        OUT     FUP, trace_body_modes.again
        OUT     PGD, trace_mode_handler
        MODE    MODE_64
        OUT     PGE, trace_body_modes.back
        MODE    MODE_16
        OUT     TIP, trace_body_modes.sixteen
        OUT     FUP, trace_body_modes.sixteen
        OUT     PGD, trace_mode_handler
section .rodata
        dd      0, 0
section .text
global trace_mode_handler
trace_mode_handler:
        dec     edx
        mov     rax, [rsp]
        mov     rdi, [rsp + 8]
        cmovz   rax, rbx
        cmovz   rdi, rcx
        mov     [rsp], rax
        mov     [rsp + 8], rdi
        iretq

section .note.GNU-stack noalloc noexec nowrite progbits
