; SPDX-License-Identifier: BSD-2-Clause
;
; rtm_store.asm - transactions tried once each, with every outcome a value.
;
; SDM 1, "Programming with Intel Transactional Synchronization Extensions":
; XBEGIN that starts a transaction leaves EAX alone; an abort goes on at the
; fallback address with the abort status in EAX and every other register and all
; memory as at XBEGIN. EAX is ~0 before XBEGIN, so that no abort status can be
; taken for a start. An exception inside a transaction aborts it and is not
; delivered, so XBEGIN can fault (#UD) and XEND can fault (#GP, or #UD) only
; where no transaction runs: both have a fix-up.
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code.

bits 64
default rel

%define COMMITTED  -1
%define ABORTED    -2
%define UNRESTORED -3

section .text align=4096

; int rtm_store(uint64_t *rdi, uint64_t rsi, uint32_t *rdx) Stores RSI at RDI
; and changes RCX inside a transaction. *RDX is EAX as found at the end of it:
; ~0 after a commit, the abort status after an abort, untouched by a fault.
global rtm_store, rtm_store_fault, rtm_store_end_fault, rtm_store_resume
rtm_store:
        mov     rcx, rsi
        mov     eax, -1
rtm_store_fault:
        xbegin  rtm_store_fallback
        mov     [rdi], rsi
        not     rcx
rtm_store_end_fault:
        xend
        mov     [rdx], eax
        mov     eax, COMMITTED
rtm_store_resume:
        ret
rtm_store_fallback:
        mov     [rdx], eax
        mov     eax, ABORTED
        cmp     rcx, rsi
        je      .restored
        mov     eax, UNRESTORED
.restored:
        ret

; int rtm_empty(void) A transaction with nothing in it.
global rtm_empty, rtm_empty_fault, rtm_empty_end_fault, rtm_empty_resume
rtm_empty:
        mov     eax, -1
rtm_empty_fault:
        xbegin  rtm_empty_fallback
rtm_empty_end_fault:
        xend
        mov     eax, COMMITTED
rtm_empty_resume:
        ret
rtm_empty_fallback:
        mov     eax, ABORTED
        ret

; void rtm_shadow(bool dil)
; XBEGIN, where DIL is not 0, where only a wrong prediction comes to: the RET is predicted to go back
; behind the CALL, and goes elsewhere. Architecturally no transaction begins.
global rtm_shadow
rtm_shadow:
        test    dil, dil
        jz      .plain
        call    .over
        xbegin  .fallback
        nop
        xend
        jmp     .fallback
.plain: call    .over
        jmp     .fallback
.fallback:
        lfence
        jmp     .fallback               ; of a speculation, which ends
.over:  mov     rax, -1                 ; where it goes is known late
        mov     r8d, 3
%rep 6
        xor     edx, edx
        div     r8
%endrep
        and     rax, 0
        lea     rdx, [.out]
        add     rax, rdx
        mov     [rsp], rax
        ret
.out:   ret

align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
