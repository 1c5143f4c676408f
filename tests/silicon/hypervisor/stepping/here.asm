; SPDX-License-Identifier: BSD-2-Clause
;
; here.asm - a block of the guest's that the host executes itself, with the
; guest's registers.

bits 64
default rel

%include "tests/silicon/hypervisor/guest/vcpu.inc"

section .text

; uint64_t svm_here(struct vcpu *, const void *code, uint64_t rflags) - the code
; takes the guest's RSP, and at its end puts it back and returns by the host's.
; Gives RFLAGS.
global svm_here
svm_here:
        push    rbx
        push    rbp
        push    r12
        push    r13
        push    r14
        push    r15
        pushfq
        push    rdi
        lea     rax, [.back]
        push    rax
        mov     [rdi + HOST_RSP_], rsp
        push    rsi
        push    rdx
        mov     rax, [rdi + VMCB_]
        mov     rax, [rax + RAX_]
        mov     rbx, [rdi + RBX_]
        mov     rcx, [rdi + RCX_]
        mov     rdx, [rdi + RDX_]
        mov     rsi, [rdi + RSI_]
        mov     rbp, [rdi + RBP_]
%assign n 8
%rep 8
        mov     r %+ n, [rdi + R8_ + 8 * (n - 8)]
%assign n n + 1
%endrep
        mov     rdi, [rdi + RDI_]
        popfq
        ret                             ; to the code
.back:
        pushfq
        xchg    rdi, [rsp + 8]          ; RDI = vcpu, [RSP + 8] = the guest's
        mov     [rdi + RBX_], rbx
        mov     [rdi + RCX_], rcx
        mov     [rdi + RDX_], rdx
        mov     [rdi + RSI_], rsi
        mov     [rdi + RBP_], rbp
%assign n 8
%rep 8
        mov     [rdi + R8_ + 8 * (n - 8)], r %+ n
%assign n n + 1
%endrep
        mov     rbx, [rdi + VMCB_]
        mov     [rbx + RAX_], rax
        pop     rax
        pop     qword [rdi + RDI_]
        popfq
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbp
        pop     rbx
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
