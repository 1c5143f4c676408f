; SPDX-License-Identifier: BSD-2-Clause
;
; tsx_displaced.asm - bodies (tsx_bodies.h) for tsx_outside() that begin a
; transaction of their own, with the fallback far before it or far behind.
;
; SDM 2, XBEGIN: C7 F8 rel32, with 66H rel16, which does not truncate the
; address to 16 bits. Between them there is nothing but INT3, from all of which
; the fix-up leads back: whatever else a displacement is taken for ends there.

bits 64
default rel

%include "tsx_body.inc"

%define AREA_BYTES 0x11000              ; TSX_DISPLACED_BYTES

; The next byte is so far from the beginning of the area.
%macro place 1
        times (%1) - ($ - tsx_displaced) db 0xcc
%endmacro

; A fallback: its number goes to the flags. Before and behind its first
; instruction there is INT3, too.
%macro landing 2
        place   %1
landing_%2:
        jmp     short %%on
        times   16 db 0xcc
%%on:   mov     qword [rdi + RFLAGS], %2
        NEXT
%endmacro

; What XABORT has not aborted has no number.
%macro begin 3+
        place   %1
body %2
        %3
        not     rsi
        not     rcx
        xabort  0x21
        NEXT
%endmacro

; XBEGIN, with rel16 to the landing.
%macro begin16 1
        db      0x66, 0xc7, 0xf8
        dw      landing_%1 - ($ + 2)
%endmacro

section .text align=4096

global tsx_displaced
tsx_displaced:
        landing 0x0040, 1
        landing 0x0100, 4

        begin   0x0180, far_forward, xbegin landing_3
        begin   0x4000, near_backward, begin16 1
        begin   0x4100, near_forward, begin16 2

        begin   0x6ffd, on_two_pages, xbegin landing_5
        landing 0x7800, 5
        landing 0xb000, 2
        landing 0x10300, 3

        begin   0x10500, far_backward, xbegin landing_4
        place   AREA_BYTES

section .note.GNU-stack noalloc noexec nowrite progbits
