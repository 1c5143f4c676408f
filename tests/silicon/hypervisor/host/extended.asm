; SPDX-License-Identifier: BSD-2-Clause
;
; extended.asm - x87, SSE and AVX state, saved and restored.

bits 64
default rel

section .text

; void svm_fxsave(uint8_t *), void svm_fxrstor(const uint8_t *)
global svm_fxsave
svm_fxsave:
        fxsave64 [rdi]
        ret
global svm_fxrstor
svm_fxrstor:
        fxrstor64 [rdi]
        ret

; void svm_xsave(uint8_t *), void svm_xrstor(const uint8_t *) - all that the
; guest has enabled in XCR0, which it shares with the host; CR4 it does not.
CR4_OSXSAVE equ 1 << 18
STATES equ 7                            ; x87, SSE, AVX
global svm_xsave
svm_xsave:
        mov     rcx, cr4
        mov     rdx, rcx
        or      rdx, CR4_OSXSAVE
        mov     cr4, rdx
        mov     eax, STATES
        xor     edx, edx
        xsave64 [rdi]
        mov     cr4, rcx
        ret
global svm_xrstor
svm_xrstor:
        mov     rcx, cr4
        mov     rdx, rcx
        or      rdx, CR4_OSXSAVE
        mov     cr4, rdx
        mov     eax, STATES
        xor     edx, edx
        xrstor64 [rdi]
        mov     cr4, rcx
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
