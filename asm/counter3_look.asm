; SPDX-License-Identifier: BSD-2-Clause
;
; counter3_look.asm - the registers of counter 3, one RDMSR after the other:
; what a transaction left in them is seen before anything is written.
;
; White paper 604224, section 1.2.

bits 64
default rel

%macro READ 2
        mov     ecx, %1
        rdmsr
        mov     [rdi + %2], eax
        mov     [rdi + %2 + 4], edx
%endmacro

section .text

; void counter3_look(struct counter3_seen *rdi, bool sil)
; Between C4H and C2H there is no branch: of branches both have to count alike.
global counter3_look
counter3_look:
        READ    0x0c4, 0x18
        READ    0x0c2, 0x20
        READ    0x189, 0x00
        READ    0x38f, 0x08
        test    sil, sil
        jz      .end
        READ    0x392, 0x10
.end:   ret

section .note.GNU-stack noalloc noexec nowrite progbits
