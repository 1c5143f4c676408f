; SPDX-License-Identifier: BSD-2-Clause
;
; elision_try.asm - one attempt to run a critical section with its lock elided.
;
; SDM 1, "Programming with Intel Transactional Synchronization Extensions", "RTM
; Software Interface": the lock is tested inside the transaction, and so is in
; its read set. The critical section of the tests is here too.
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code.

bits 64
default rel

%define LOCK_BUSY 0xff                  ; ELISION_LOCK_BUSY

section .text align=4096

; uint32_t elision_try(volatile uint32_t *rdi, void (*rsi)(void *), void *rdx)
; EAX is ~0 where the section has run, else the abort status.
global elision_try
elision_try:
        push    rbx
        push    rbp
        push    r12
        mov     rbx, rdi
        mov     rbp, rsi
        mov     r12, rdx
        mov     eax, -1
        xbegin  .fallback
        cmp     dword [rbx], 0
        jne     .busy
        mov     rdi, r12
        call    rbp
        xend
        mov     eax, -1
.fallback:
        pop     r12
        pop     rbp
        pop     rbx
        ret
.busy:  xabort  LOCK_BUSY
        ud2                             ; XABORT did nothing in a transaction

; void elision_count(void *rdi): adds 1 to the first of two quadwords, over as
; many turns of a loop as the second says.
global elision_count
elision_count:
        mov     rax, [rdi]
        mov     rcx, [rdi + 8]
.turn:  dec     rcx
        jnz     .turn
        inc     rax
        mov     [rdi], rax
        ret

align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
