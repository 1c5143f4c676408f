; SPDX-License-Identifier: BSD-2-Clause
;
; line_access.asm - cache lines flushed, and read one after the other.
;
; SDM 2A, CLFLUSH: out of every level of the cache hierarchy. MFENCE orders it
; before the loads that follow; LFENCE keeps each load from starting before the
; last has its data, so that no two misses of one line can be merged.

bits 64
default rel

section .text

; void lines_flush(const void *const *rdi lines, uint64_t rsi count)
global lines_flush
lines_flush:
        mov     rax, [rdi]
        clflush [rax]
        add     rdi, 8
        dec     rsi
        jnz     lines_flush
        mfence
        ret

; void lines_read(const void *const *rdi lines, uint64_t rsi count)
global lines_read
lines_read:
        mov     rax, [rdi]
        mov     rax, [rax]
        lfence
        add     rdi, 8
        dec     rsi
        jnz     lines_read
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
