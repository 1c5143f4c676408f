; SPDX-License-Identifier: BSD-2-Clause
;
; ring3_window.asm - ring3_window.h: to ring 3 and back.
;
; SDM 2A, IRET; 2B, SYSCALL and SYSRET. RBX is the struct ring3 all the time.
; The stack pointer stays what it is at ring 3, where nothing uses it (it could
; not), so that SYSCALL comes back with a good one. Interrupts are off. An
; exception at ring 3 is handled on the stack of the TSS and goes on at
; ring3_fault.

bits 64
default rel

%include "components.inc"
%include "preserved.inc"
%include "ptwrite.inc"
%include "window.inc"
%include "lbr_rows.inc"

%define KERNEL_RSP 0x00
%define USER_CODE  0x08
%define CS_        0x10
%define SS_        0x18
%define USER_CS    0x20
%define USER_SS    0x28
%define VECTOR     0x30
%define ABORTS     0x38
%define STATUS     0x3c
%define MSR        0x40
%define DATA       0x48
%define USER_DATA  0x50
%define BODY       0x58
%define LEVEL      0x44
%define COMPONENTS 0x5c
%define OLD_XCR0   0x60
%define OLD_CR4    0x68

%define TX_TURNS   7                    ; RING3_TX_TURNS, RING3_TX_INSTRUCTIONS

; As I and B of window.inc, executed at ring 3.
%macro U 1+
        %1
%assign user_instructions user_instructions + reps
%endmacro
%macro UB 1+
        %1
%assign user_instructions user_instructions + reps
%assign user_branches user_branches + reps
%endmacro
%assign user_instructions 0
%assign user_branches 0
%assign reps 1

; What IRETQ takes, to go to a label of ring3_code.
%macro PUSH_USER 1
        mov     rdx, rsp
        push    qword [rbx + USER_SS]
        push    rdx
        pushfq
        push    qword [rbx + USER_CS]
        mov     rax, [rbx + USER_CODE]
        add     rax, %1 - ring3_code
        push    rax
%endmacro

; To there, with so many system calls in the window: IRETQ follows.
%macro LEAD_TO 2
        mov     [rbx + KERNEL_RSP], rsp
        mov     qword [rbx + VECTOR], -1
        mov     r13d, %2
        xor     r14d, r14d
        PUSH_USER %1
%endmacro

; RDI to the MSR: the window begins. `done` writes 0 to it.
%macro ENABLE 0
        mov     ecx, [rbx + MSR]
        mov     rax, rdi
        mov     rdx, rdi
        shr     rdx, 32
        wrmsr
%endmacro

section .text align=4096

; --- At ring 3 ----------------------------------------------------------------

global ring3_code
ring3_code:
user_part:
        U mov   r8d, 5
%assign reps 5
.first:
        U add   r11, r8
        U dec   r8d
.first_back:
        UB jnz  .first
%assign reps 1
.first_call:
        syscall
global ring3_code_again
ring3_code_again:
        U mov   r8d, 6
%assign reps 6
.second:
        U dec   r8d
.second_back:
        UB jnz  .second
%assign reps 1
.second_call:
        syscall
        ud2                             ; never

global ring3_rdpmc_code, ring3_rdpmc_at
ring3_rdpmc_code:
        bts     rcx, 32                 ; ignored
        or      rax, -1
        or      rdx, -1
        jz      .never                  ; two results for a trace
        js      ring3_rdpmc_at
.never: ud2
ring3_rdpmc_at:
        rdpmc
        rol     rdx, 32                 ; its upper half is to be 0
        or      rax, rdx
        mov     r14, rax
        syscall
        ud2

; Away from the changes of ring.
global ring3_tx, ring3_tx_begin, ring3_tx_end, ring3_tx_abort, ring3_tx_fallback
ring3_tx:
        times   16 nop
ring3_tx_begin:
        xbegin  ring3_tx_fallback
        mov     r8d, TX_TURNS
.turn:
        dec     r8d
.back:  jnz     .turn
        test    r12d, r12d
        jnz     ring3_tx_abort
ring3_tx_end:
        xend
        times   16 nop
.call:  syscall
ring3_tx_abort:
        xabort  0x33
ring3_tx_fallback:
        mov     r14d, eax
        times   16 nop
        syscall
global ring3_ud2
ring3_ud2:
        ud2
        align   4096, db 0xcc

%include "ring3_body.inc"

; --- At ring 0 ----------------------------------------------------------------

; uint64_t window_ring3(uint64_t rdi enable, uint64_t *rsi cells)
        SHAPE
global window_ring3
window_ring3:
        push_preserved
        mov     rbx, [rsi]
        LEAD_TO user_part, 2
        mov     r11, rbx
        ENABLE
        I mov   r8d, 3
%assign reps 3
.before:
        I dec   r8d
.back:  B jnz   .before
%assign reps 1
.leave: iretq

; SYSCALL: RCX is where it came from, R11 the flags. Twice in the window.
global ring3_system_call
ring3_system_call:
%assign reps 2
        I dec   r13d
.end:   B jz    done
%assign reps 1
        I nop
.leave: o64 sysret
global ring3_fault
ring3_fault:
        mov     [rbx + VECTOR], rax
        mov     rsp, [rbx + KERNEL_RSP]
        push    2                       ; its flags are no more than its own
        popfq
done:
        I mov   ecx, [rbx + MSR]
        I xor   eax, eax
        I xor   edx, edx
        wrmsr
        mov     rsp, [rbx + KERNEL_RSP]
        mov     rax, [rbx + CS_]
        push    rax
        lea     rax, [.reload]
        push    rax
        o64 retf
.reload:
        mov     rax, [rbx + SS_]
        mov     ss, ax
        mov     [rbx + STATUS], r14d
        cmp     dword [rbx + COMPONENTS], 0
        je      .back
        COMPONENTS_RESTORE rbx
.back:  mov     rax, r14
        pop_preserved
        ret
        align   16, db 0xcc
        SHAPED  window_ring3_kernel_shape

%assign instructions user_instructions
%assign branches user_branches
        SHAPED  window_ring3_user_shape

; The branches of window_ring3().
        ROWS    window_ring3_rows, ring3_code
%rep 2
        ROW     LBR_JCC, window_ring3.back, window_ring3.before
%endrep
        ROW     LBR_FAR | LBR_TO_USR, window_ring3.leave, ring3_code
%rep 4
        ROW     LBR_JCC | LBR_FROM_USR | LBR_TO_USR, \
                user_part.first_back, user_part.first
%endrep
        ROW     LBR_FAR | LBR_FROM_USR, user_part.first_call, ring3_system_call
        ROW     LBR_FAR | LBR_TO_USR, ring3_system_call.leave, ring3_code_again
%rep 5
        ROW     LBR_JCC | LBR_FROM_USR | LBR_TO_USR, \
                ring3_code_again.second_back, ring3_code_again.second
%endrep
        ROW     LBR_FAR | LBR_FROM_USR, ring3_code_again.second_call, \
                ring3_system_call
        ROW     LBR_JCC, ring3_system_call.end, done
        ROW     LBR_END, done, done

; uint64_t window_ring3_tx(uint64_t rdi enable, uint64_t *rsi cells)
global window_ring3_tx
window_ring3_tx:
        push_preserved
        mov     rbx, [rsi]
        LEAD_TO ring3_tx, 1
        mov     r12d, [rbx + ABORTS]
        mov     r14d, -1
        ENABLE
.leave: iretq

; Where it commits.
        ROWS    window_ring3_tx_rows, ring3_code
        ROW     LBR_FAR | LBR_TO_USR, window_ring3_tx.leave, ring3_tx
%rep TX_TURNS - 1
        ROW     LBR_JCC | LBR_IN_TX | LBR_FROM_USR | LBR_TO_USR, \
                ring3_tx_begin.back, ring3_tx_begin.turn
%endrep
        ROW     LBR_FAR | LBR_FROM_USR, ring3_tx_end.call, ring3_system_call
        ROW     LBR_JCC, ring3_system_call.end, done
        ROW     LBR_END, done, done

; The lines that the body loads, by R11: RING3_BODY_AROUND counts these too.
%macro FLUSH_LINES 0
%assign line 0
%rep BODY_TURNS
        clflush [r11 + BODY_LINES + 64 * line]
%assign line line + 1
%endrep
        mfence
%endmacro

; uint64_t window_ring3_body(uint64_t rdi enable, uint64_t *rsi cells)
        SHAPE
global window_ring3_body
window_ring3_body:
        push_preserved
        mov     rbx, [rsi]
        cmp     dword [rbx + COMPONENTS], 0
        je      .enabled
        COMPONENTS_ENABLE rbx
.enabled:
        mov     rbp, [rbx + DATA]
        mov     r11, rbp
        mov     r12d, [rbx + BODY]
        cmp     dword [rbx + LEVEL], 0
        je      .ring0
        LEAD_TO ring3_body, 1
        mov     rbp, [rbx + USER_DATA]
        xor     r15d, r15d
        mov     r14d, -1
        ENABLE
        FLUSH_LINES
.leave: iretq
.ring0:
        mov     [rbx + KERNEL_RSP], rsp
        mov     qword [rbx + VECTOR], -1
        lea     r15, [done]
        mov     r14d, -1
        ENABLE
        FLUSH_LINES
        jmp     near ring3_body

; By the way ring3_body_changes at ring 3.
        ROWS    ring3_body_changes_rows, ring3_code
        ROW     LBR_FAR | LBR_TO_USR, window_ring3_body.leave, ring3_body
        ROW     LBR_IND_JMP | LBR_FROM_USR | LBR_TO_USR, \
                ring3_body.way, ring3_body_changes
        ROW     LBR_REL_CALL | LBR_FROM_USR | LBR_TO_USR, \
                ring3_body_changes, ring3_body_changes.callee
        ROW     LBR_RET | LBR_FROM_USR | LBR_TO_USR, \
                ring3_body_changes.returns, ring3_body_changed
        ROW     LBR_REL_JMP | LBR_FROM_USR | LBR_TO_USR, \
                ring3_body_changed, body_leave
        ROW     LBR_JCC | LBR_FROM_USR | LBR_TO_USR, \
                body_leave.end, body_leave.system
        ROW     LBR_FAR | LBR_FROM_USR, body_leave.system, ring3_system_call
        ROW     LBR_JCC, ring3_system_call.end, done
        ROW     LBR_END, done, done

; uint64_t ring3_rdpmc(struct ring3 *rdi, uint32_t esi index)
global ring3_rdpmc
ring3_rdpmc:
        push_preserved
        mov     rbx, rdi
        LEAD_TO ring3_rdpmc_code, 1
        mov     ecx, esi
        iretq

; void ring3_read(struct ring3_registers *rdi)
global ring3_read
ring3_read:
        sgdt    [rdi]
        str     [rdi + 10]
        mov     [rdi + 12], cs
        mov     [rdi + 14], ss
        mov     [rdi + 16], ds
        mov     [rdi + 18], es
        mov     [rdi + 20], fs
        mov     [rdi + 22], gs
        mov     rax, cr3
        mov     [rdi + 24], rax
        mov     rax, cr4
        mov     [rdi + 32], rax
        mov     rax, cr0
        mov     [rdi + 40], rax
        ret

; void ring3_load(const struct ring3_registers *rdi)
global ring3_load
ring3_load:
        lgdt    [rdi]
        mov     rax, [rdi + 24]
        mov     cr3, rax
        mov     ds, [rdi + 16]
        mov     es, [rdi + 18]
        mov     fs, [rdi + 20]
        mov     gs, [rdi + 22]
        cmp     word [rdi + 10], 0
        je      .no_task
        ltr     [rdi + 10]
.no_task:
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
