; SPDX-License-Identifier: BSD-2-Clause
;
; exception_entry.asm - entry stubs for vectors 0 to 31 and PMI_VECTOR, and the
; guard around a job.
;
; SDM 3A, "Exception and Interrupt Vectors" and "64-Bit Mode Stack Frame". A
; stub makes every frame look alike: vector, error code (0 where the processor
; pushes none), then what the processor pushed. In 64-bit mode it aligns the
; stack to 16 bytes and always pushes SS:RSP, so the frame has one size:
;
;   +00 R15 .. R8, RDI, RSI, RBP, RBX, RDX, RCX, RAX    fifteen registers
;   +78 vector   +80 error code
;   +88 RIP   +90 CS   +98 RFLAGS   +A0 RSP   +A8 SS

bits 64
default rel

%include "preserved.inc"

extern exception_handle

%define VECTORS 32
%define PMI_VECTOR 0xfd                 ; efi/platform.h

section .text

%assign v 0
%rep VECTORS
stub_ %+ v:
%if v != 8 && (v < 10 || v > 14) && v != 17 && v != 21 && v != 29 && v != 30
        push    qword 0                 ; no error code of its own
%endif
        push    qword v
        jmp     entered
%assign v v+1
%endrep

stub_pmi:
        push    qword 0
        push    qword PMI_VECTOR
        jmp     entered

entered:
        push    rax
        push    rcx
        push    rdx
        push    rbx
        push    rbp
        push    rsi
        push    rdi
        push    r8
        push    r9
        push    r10
        push    r11
        push    r12
        push    r13
        push    r14
        push    r15
        cld
        mov     rdi, rsp
        call    exception_handle        ; may change any part of the frame
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     r11
        pop     r10
        pop     r9
        pop     r8
        pop     rdi
        pop     rsi
        pop     rbp
        pop     rbx
        pop     rdx
        pop     rcx
        pop     rax
        add     rsp, 16                 ; vector, error code
        iretq

; bool exception_guard_call(unsigned rdi, void *rsi, void (*rdx)(unsigned, void
; *),
;                           uint64_t *rcx, void *r8)
; Stores the stack pointer to come back to in *RCX, calls RDX(RDI, RSI), on the
; stack that begins at R8 unless that is NULL, returns true. Where an exception ends the job, exception_guard_unwind goes on with RSP
; as stored, and false is returned.
global exception_guard_call
exception_guard_call:
        push_preserved
        sub     rsp, 8
        mov     [rcx], rsp
        mov     rbx, rsp
        test    r8, r8
        cmovnz  rsp, r8
        call    rdx
        mov     rsp, rbx
        mov     eax, 1
.out:
        add     rsp, 8
        pop_preserved
        ret
global exception_guard_unwind
exception_guard_unwind:
        xor     eax, eax
        jmp     exception_guard_call.out

; void exception_stubs(uint64_t stubs[33]): the addresses, at run time; the last
; is PMI_VECTOR's.
global exception_stubs
exception_stubs:
%assign v 0
%rep VECTORS
        lea     rax, [stub_ %+ v]
        mov     [rdi + 8 * v], rax
%assign v v+1
%endrep
        lea     rax, [stub_pmi]
        mov     [rdi + 8 * VECTORS], rax
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
