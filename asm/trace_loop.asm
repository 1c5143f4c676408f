; SPDX-License-Identifier: BSD-2-Clause
;
; trace_loop.asm - a loop of indirect jumps in the window of a trace, as long as is asked for.

bits 64
default rel

%include "trace_bodies.inc"

section .text

; COUNT turns of four indirect jumps, the first to one of two places, and of a
; conditional branch. Which of the two follows from the argument, an odd number:
; x = x * LOOP_FACTOR, and its highest bit (trace_window.h). CR3 goes into the
; first cell, the time-stamp counter before and after into the next two.
%define LOOP_FACTOR 0x5851f42d4c957f2d

global trace_body_loop, trace_body_loop_at
align 16, db 0xcc
trace_body_loop:
        mov     rax, cr3
        mov     [r14 + CELLS], rax
        rdtsc
        mov     [r14 + CELLS + 8], eax
        mov     [r14 + CELLS + 12], edx
        mov     rdx, LOOP_FACTOR
        lea     r8, [loop_to]
        lea     r9, [loop_second]
        lea     r10, [loop_third]
        lea     r11, [loop_fourth]
.turn:  imul    rsi, rdx
        mov     rcx, rsi
        shr     rcx, 63
        add     rcx, r8
        jmp     rcx
loop_third:
        jmp     r11
        int3
loop_to:
        nop                             ; one byte: the other place is next
        jmp     r9
        int3
loop_second:
        jmp     r10
        int3
loop_fourth:
        dec     rdi
        jnz     trace_body_loop.turn
        rdtsc
        mov     [r14 + CELLS + 16], eax
        mov     [r14 + CELLS + 20], edx
        jmp     near trace_window_off

section .rodata
        align   4, db 0
trace_body_loop_at:
        dd      loop_to - trace_body_loop, loop_second - trace_body_loop
        dd      loop_third - trace_body_loop, loop_fourth - trace_body_loop

section .note.GNU-stack noalloc noexec nowrite progbits
