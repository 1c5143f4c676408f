; SPDX-License-Identifier: BSD-2-Clause
;
; svm.asm - in and out of the guest: what C cannot say about AMD-V.

bits 64
default rel

%include "tests/silicon/hypervisor/guest/vcpu.inc"

extern vcpu_main

section .text

%macro push_preserved 0
        push    rbx
        push    rbp
        push    r12
        push    r13
        push    r14
        push    r15
%endmacro

%macro pop_preserved 0
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbp
        pop     rbx
%endmacro

; The guest's registers but for RAX and RSP, which the VMCB has. RDI is the vcpu;
; load_guest ends with the guest's, save_guest leaves that to its user.
%macro load_guest 0
        mov     rbx, [rdi + RBX_]
        mov     rcx, [rdi + RCX_]
        mov     rdx, [rdi + RDX_]
        mov     rsi, [rdi + RSI_]
        mov     rbp, [rdi + RBP_]
        mov     r8, [rdi + R8_]
        mov     r9, [rdi + R9_]
        mov     r10, [rdi + R10_]
        mov     r11, [rdi + R11_]
        mov     r12, [rdi + R12_]
        mov     r13, [rdi + R13_]
        mov     r14, [rdi + R14_]
        mov     r15, [rdi + R15_]
        mov     rdi, [rdi + RDI_]
%endmacro

%macro save_guest 0
        mov     [rdi + RBX_], rbx
        mov     [rdi + RCX_], rcx
        mov     [rdi + RDX_], rdx
        mov     [rdi + RSI_], rsi
        mov     [rdi + RBP_], rbp
        mov     [rdi + R8_], r8
        mov     [rdi + R9_], r9
        mov     [rdi + R10_], r10
        mov     [rdi + R11_], r11
        mov     [rdi + R12_], r12
        mov     [rdi + R13_], r13
        mov     [rdi + R14_], r14
        mov     [rdi + R15_], r15
%endmacro

; void svm_vmrun(struct vcpu *) - runs the guest until its next exit.
global svm_vmrun
svm_vmrun:
        push_preserved
        push    rdi
        mov     rax, [rdi + VMCB_]
        load_guest
        vmrun                           ; of RAX; the host's RAX, RSP survive
        xchg    rdi, [rsp]              ; RDI = vcpu, [RSP] = the guest's RDI
        save_guest
        pop     rax
        mov     [rdi + RDI_], rax
        pop_preserved
        ret

; bool svm_direct(struct vcpu *, const void *idtr) - one instruction of the
; guest without VMRUN: its RFLAGS has TF set. The descriptor table sends #DB to
; svm_direct_trap, all else to svm_direct_fault, both by the stack that has the
; vcpu above the frame, at a multiple of 64.
global svm_direct
svm_direct:
        push_preserved
        pushfq
        sub     rsp, 16
        sidt    [rsp]
        mov     [rdi + HOST_RSP_], rsp
        lidt    [rsi]
        mov     rax, [rdi + VMCB_]
        mov     ecx, ss
        push    rcx
        push    qword [rax + RSP_]
        push    qword [rax + RFLAGS_]
        mov     ecx, cs
        push    rcx
        push    qword [rax + RIP_]
        mov     rax, [rax + RAX_]
        load_guest
        iretq                           ; TF traps after the next instruction

; The frame: RIP, CS, RFLAGS, RSP, SS; no error code.
global svm_direct_trap
svm_direct_trap:
        push    rdi
        mov     rdi, [rsp + 48]
        save_guest
        mov     rbx, [rdi + VMCB_]
        mov     [rbx + RAX_], rax
        pop     qword [rdi + RDI_]
        pop     qword [rbx + RIP_]
        pop     rax
        pop     qword [rbx + RFLAGS_]
        pop     qword [rbx + RSP_]
        mov     eax, 1
        jmp     direct_back
global svm_direct_fault
svm_direct_fault:
        and     rsp, -64
        mov     rdi, [rsp + 64]
        xor     eax, eax
direct_back:
        mov     rsp, [rdi + HOST_RSP_]
        lidt    [rsp]
        add     rsp, 16
        popfq
        pop_preserved
        ret

; void svm_vmsave(struct vmcb *), void svm_vmload(const struct vmcb *)
global svm_vmsave
svm_vmsave:
        mov     rax, rdi
        vmsave
        ret
global svm_vmload
svm_vmload:
        mov     rax, rdi
        vmload
        ret

; void svm_enter(struct vcpu *) - returns to its caller as the guest. The host
; goes on in vcpu_main(vcpu, guest's RSP, guest's RIP) on a stack of its own.
global svm_enter
svm_enter:
        push_preserved
        pushfq
        clgi
        mov     rsi, rsp
        lea     rdx, [.guest]
        mov     rsp, [rdi + STACK_]
        call    vcpu_main               ; never returns
        ud2
.guest:
        popfq
        pop_preserved
        ret

; void vcpu_leave(void) - asks the host to end the guest: returns outside it.
global vcpu_leave
global vcpu_leave_point
vcpu_leave:
vcpu_leave_point:
        vmmcall
        ret

; void vcpu_wake(void) - asks the host to wake processors that have work.
global vcpu_wake
global vcpu_wake_point
vcpu_wake:
vcpu_wake_point:
        vmmcall
        ret

; void vcpu_os_takes_over(void) - tells the host that firmware's memory is gone.
global vcpu_os_takes_over
global vcpu_takeover_point
vcpu_os_takes_over:
vcpu_takeover_point:
        vmmcall
        vmmcall                         ; nothing in between: levels.c
        ret

; void svm_leave(struct vcpu *, rsp, rflags) - goes on where the guest was,
; after the VMMCALL of vcpu_leave, as the host. The global interrupt flag stays
; clear: an NMI that was for the guest may still come, and the firmware's
; descriptor table has no handler for it.
global svm_leave
svm_leave:
        mov     rbx, [rdi + RBX_]
        mov     rbp, [rdi + RBP_]
        mov     r12, [rdi + R12_]
        mov     r13, [rdi + R13_]
        mov     r14, [rdi + R14_]
        mov     r15, [rdi + R15_]
        mov     rsp, rsi
        push    rdx
        popfq
        ret

; void svm_take_nmi(const void *idtr, uint32_t *pending) - delivers what is held
; back while the global interrupt flag is clear, on the host's descriptor table.
global svm_take_nmi
svm_take_nmi:
        pushfq
        sub     rsp, 16
        sidt    [rsp]
        cli
        lidt    [rdi]
        stgi
        nop
        clgi
        lidt    [rsp]
        add     rsp, 16
        popfq
        ret
global svm_nmi_handler
svm_nmi_handler:
        mov     dword [rsi], 0
        iretq

; void svm_setjmp(uint64_t jump_buffer[8]) - saves where its caller is, which
; must not return; svm_longjmp(jump_buffer) returns there once more.
global svm_setjmp
svm_setjmp:
        pop     rax
        mov     [rdi], rbx
        mov     [rdi + 8], rbp
        mov     [rdi + 16], r12
        mov     [rdi + 24], r13
        mov     [rdi + 32], r14
        mov     [rdi + 40], r15
        mov     [rdi + 48], rsp
        mov     [rdi + 56], rax
        jmp     rax
global svm_longjmp
svm_longjmp:
        mov     rbx, [rdi]
        mov     rbp, [rdi + 8]
        mov     r12, [rdi + 16]
        mov     r13, [rdi + 24]
        mov     r14, [rdi + 32]
        mov     r15, [rdi + 40]
        mov     rsp, [rdi + 48]
        jmp     [rdi + 56]

; void svm_clgi(void)
global svm_clgi
svm_clgi:
        clgi
        ret

; void svm_sleep(const void *idtr, uint32_t *pending, const uint32_t *awake) -
; with the global interrupt flag clear. An NMI that comes between STGI and HLT
; is not slept over: its handler goes on after both.
global svm_sleep
svm_sleep:
        pushfq
        sub     rsp, 16
        sidt    [rsp]
        cli
        lidt    [rdi]
        jmp     .check
.halt:
        stgi
        hlt
.after:
        clgi
.check:
        cmp     dword [rdx], 0
        je      .halt
        cmp     dword [rsi], 0
        jne     .halt
        lidt    [rsp]
        add     rsp, 16
        popfq
        ret
global svm_sleep_handler
svm_sleep_handler:
        mov     dword [rsi], 0
        push    rax
        lea     rax, [svm_sleep.after]
        mov     [rsp + 8], rax
        pop     rax
        iretq

; void svm_wait_until_tsc(uint64_t tsc, uint64_t instruction_tsc) -
; far from it by rounds, of which PAUSE lets QEMU go on with the
; other processors, near it by NOPs.
NOPS   equ 64
global svm_wait_until_tsc
svm_wait_until_tsc:
        mov     r8, rsi
        imul    r8, NOPS
.round:
        pause
        rdtsc
        shl     rdx, 32
        or      rax, rdx
        sub     rdi, rax
        jbe     .late
        xchg    rax, rdi                ; ticks left
        add     rdi, rax
        cmp     rax, r8
        ja      .round
        xor     edx, edx
        div     rsi
        lea     rcx, [.end]
        sub     rcx, rax
        jmp     rcx
        times   NOPS nop
.end:
.late:
        ret

; uint32_t svm_tsc_per_64(void) - what 64 instructions take.
global svm_tsc_per_64
svm_tsc_per_64:
        rdtsc
        mov     ecx, eax
        times   62 nop
        rdtsc
        sub     eax, ecx
        ret

; void svm_halt(const void *idtr, volatile uint32_t *eoi) - until an interrupt,
; whose handler on that descriptor table is svm_halt_handler.
global svm_halt
svm_halt:
        pushfq
        sub     rsp, 16
        sidt    [rsp]
        cli
        lidt    [rdi]
        sti
        hlt
        cli
        lidt    [rsp]
        add     rsp, 16
        popfq
        ret
global svm_halt_handler
svm_halt_handler:
        mov     dword [rsi], 0
        iretq

; void svm_take_interrupt(const void *idtr, volatile uint32_t *eoi) - the same
; for one that is pending, while the global interrupt flag is clear.
global svm_take_interrupt
svm_take_interrupt:
        pushfq
        sub     rsp, 16
        sidt    [rsp]
        cli
        lidt    [rdi]
        stgi
        sti
        nop
        nop
        cli
        clgi
        lidt    [rsp]
        add     rsp, 16
        popfq
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
