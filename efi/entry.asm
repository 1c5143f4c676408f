; SPDX-License-Identifier: BSD-2-Clause
;
; entry.asm - the first instruction of an image: relocates it, calls efi_main.
;
; The firmware calls with the Microsoft convention: RCX = image handle,
; RDX = system table; RDI, RSI and XMM6-15 belong to it. Everything of ours is
; System V code built without vector registers, so RDI and RSI are all there is
; to save. Also carries the one base relocation block without which some
; firmware refuses the image; efi.lds puts its section before .data.

bits 64
default rel

extern image_relocate
extern efi_main
extern ImageBase
extern _DYNAMIC

section .text
global _start
_start:
        push    rdi
        push    rsi
        push    rcx
        push    rdx
        sub     rsp, 8                  ; 16-byte aligned for the calls
        lea     rdi, [ImageBase]
        lea     rsi, [_DYNAMIC]
        call    image_relocate
        mov     rdi, [rsp + 16]
        mov     rsi, [rsp + 8]
        call    efi_main
        add     rsp, 24
        pop     rsi
        pop     rdi
        ret

section .reloc alloc noexec nowrite align=4
        dd      0x1000, 12              ; page RVA, block size
        dw      0, 0                    ; two entries of type ABSOLUTE: padding

section .note.GNU-stack noalloc noexec nowrite progbits
