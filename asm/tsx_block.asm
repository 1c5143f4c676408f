; SPDX-License-Identifier: BSD-2-Clause
;
; tsx_block.asm - one block of code, a body, run once inside a transaction or
; outside, with every outcome a value.
;
; SDM 1, "Programming with Intel Transactional Synchronization Extensions". An
; abort goes on at the fallback address of the outermost transaction, with the
; abort status in EAX and every other register and all memory as at XBEGIN: so
; registers are planted before and compared there. EAX is ~0 before XBEGIN, so
; that no abort status can be taken for a start. Instructions that may raise an
; exception have a fix-up, for processors that deliver one.
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code. Files are linked by name,
; so that the bodies that a trace is asked about lie behind tsx_xbegin_at: an
; abort there is from that to the end of the body.

bits 64
default rel

%include "preserved.inc"
%include "tsx_body.inc"

%define TSX_BELOW  3
; From RSP at an exception, aligned: exception_entry.asm.
%define FRAME_ERROR 0x30
%define FRAME_RAX   0x38                ; where the vector was: exceptions.c

%define COMMITTED  -1
%define ABORTED    -2
%define INNER      -3
%define RAN        -4

%define PLANTED    0x1b2c3d00           ; and the register's place in the list

%macro plant 1-*
  %assign i 0
  %rep %0
        mov     %1, PLANTED + i
    %rotate 1
    %assign i i+1
  %endrep
%endmacro

; Below the stack: where a frame of an exception would be.
%macro plant_below 0
  %assign i 1
  %rep TSX_BELOW
        mov     qword [rsp - 8 * i], PLANTED + i
    %assign i i+1
  %endrep
%endmacro

%macro compare_below 0
        mov     dword [rdi + BELOW], 0
  %assign i 1
  %rep TSX_BELOW
        cmp     qword [rsp - 8 * i], PLANTED + i
        je      %%same_ %+ i
        inc     dword [rdi + BELOW]
%%same_ %+ i:
    %assign i i+1
  %endrep
%endmacro

%macro compare 1-*
  %assign i 0
  %rep %0
        cmp     %1, PLANTED + i
        je      %%same_ %+ i
        inc     dword [rdi + UNRESTORED]
%%same_ %+ i:
    %rotate 1
    %assign i i+1
  %endrep
%endmacro

; Saves what C wants preserved, plants the registers; [RSP] is the block.
%macro enter_block 0
        push_preserved
        pushfq
        push    rdi
        mov     dword [rdi + UNRESTORED], 0
        mov     rsi, [rdi + ARGUMENT]
        mov     rdx, [rdi + COUNT]
        plant_below
        plant   REGISTERS
        mov     eax, -1
%endmacro

; Counts the registers that differ from what enter_block left there.
%macro compare_registers 0
        cmp     rdi, [rsp]
        mov     rdi, [rsp]
        je      %%rdi
        inc     dword [rdi + UNRESTORED]
%%rdi:  mov     [rdi + STATUS], eax
        cmp     rsi, [rdi + ARGUMENT]
        je      %%rsi
        inc     dword [rdi + UNRESTORED]
%%rsi:  cmp     rdx, [rdi + COUNT]
        je      %%rdx
        inc     dword [rdi + UNRESTORED]
%%rdx:  compare REGISTERS
%endmacro

section .text align=4096

; int tsx_inside(struct tsx_block *rdi) Inside a transaction: changes the
; planted registers and the cell, runs the body.
global tsx_inside, tsx_xbegin_at, tsx_xend_at, tsx_resume
tsx_inside:
        lea     rax, [tsx_xend_at]
        mov     [rdi + END], rax
        enter_block
tsx_xbegin_at:
        xbegin  tsx_fallback
        change  REGISTERS
        not     qword [rdi + CELL]
        jmp     qword [rdi + BODY]
tsx_xend_at:
        xend
        mov     rdi, [rsp]
        mov     [rdi + STATUS], eax
        mov     eax, COMMITTED
        jmp     tsx_resume
global tsx_fallback
tsx_fallback:
        compare_registers
        compare_below
        mov     eax, ABORTED
        jmp     tsx_resume

; int tsx_outside(struct tsx_block *rdi)
; The same body with no transaction.
global tsx_outside
tsx_outside:
        lea     rax, [tsx_outside_end]
        mov     [rdi + END], rax
        enter_block
        jmp     qword [rdi + BODY]
tsx_outside_end:
        compare_registers
        mov     eax, RAN
        jmp     tsx_resume

; From the fix-up of the outermost XBEGIN, and from those of others: EAX is the
; vector.
global tsx_refused, tsx_faulted
tsx_refused:
        compare_registers
        mov     eax, [rdi + STATUS]
tsx_faulted:
        mov     rdi, [rsp]
        mov     rcx, rsp
        and     rcx, -16
        mov     rdx, [rcx - FRAME_RAX]
        mov     [rdi + FAULT_RAX], rdx
        mov     edx, [rcx - FRAME_ERROR]
        mov     [rdi + ERROR], edx

; The way back to C, with the answer in EAX: from here, and from a fix-up.
tsx_resume:
        pop     rdi
        popfq
        pop_preserved
        ret

; int tsx_watched(int (*rdi)(struct tsx_block *), struct tsx_block *rsi,
;                 uint64_t rdx, uint64_t rcx)
; RDI(RSI) while DR0 to DR3 are RDX and DR7 is RCX.
global tsx_watched
tsx_watched:
        push    rbx
        push    r12
        push    r13
        push    rax                     ; for the alignment
        mov     rbx, dr1
        push    rbx
        mov     rbx, dr2
        push    rbx
        mov     rbx, dr3
        push    rbx
        mov     rbx, dr0
        mov     r12, dr6
        mov     r13, dr7
        mov     rax, rdi
        mov     rdi, rsi
        mov     dr0, rdx
        mov     dr1, rdx
        mov     dr2, rdx
        mov     dr3, rdx
        mov     dr7, rcx
        call    rax
        mov     dr7, r13
        mov     dr6, r12
        mov     dr0, rbx
        pop     rbx
        mov     dr3, rbx
        pop     rbx
        mov     dr2, rbx
        pop     rbx
        mov     dr1, rbx
        pop     rbx
        pop     r13
        pop     r12
        pop     rbx
        ret

; int tsx_debugged(int (*rdi)(struct tsx_block *), struct tsx_block *rsi,
;                  struct tsx_debug *rdx)
; The same with DR6 set as well; what DR6 and DR7 hold then goes to RDX.
global tsx_debugged
tsx_debugged:
        push    rbx
        push    rbp
        push    r12
        push    r13
        push    r14
        mov     rbp, rdx
        mov     rbx, dr0
        mov     r12, dr6
        mov     r13, dr7
        mov     rax, rdi
        mov     rdi, rsi
        mov     rcx, [rbp]
        mov     dr0, rcx
        mov     rcx, [rbp + 8]
        mov     dr6, rcx
        mov     rcx, [rbp + 16]
        mov     dr7, rcx
        call    rax
        mov     rcx, dr6
        mov     [rbp + 24], rcx
        mov     rcx, dr7
        mov     [rbp + 32], rcx
        mov     dr7, r13
        mov     dr6, r12
        mov     dr0, rbx
        pop     r14
        pop     r13
        pop     r12
        pop     rbp
        pop     rbx
        ret

; int tsx_with_cr0(int (*rdi)(struct tsx_block *), struct tsx_block *rsi,
;                  uint64_t rdx)
; The same with the bits of RDX set in CR0; x87 and SSE state is put back, too.
%define FX_BYTES 512
global tsx_with_cr0
tsx_with_cr0:
        push    rbp
        mov     rbp, rsp
        push    rbx
        sub     rsp, FX_BYTES + 8
        and     rsp, -16
        fxsave64 [rsp]
        mov     rbx, cr0
        or      rdx, rbx
        mov     cr0, rdx
        mov     rax, rdi
        mov     rdi, rsi
        call    rax
        mov     cr0, rbx
        fxrstor64 [rsp]
        mov     rbx, [rbp - 8]
        leave
        ret

; uint64_t tsx_cr2_get(void), void tsx_cr2_set(uint64_t rdi)
global tsx_cr2_get, tsx_cr2_set
tsx_cr2_get:
        mov     rax, cr2
        ret
tsx_cr2_set:
        mov     cr2, rdi
        ret

; An abort that goes on here has not gone to the outermost fallback.
global tsx_inner_fallback
tsx_inner_fallback:
        mov     rdi, [rsp]
        mov     [rdi + STATUS], eax
        mov     eax, INNER
        jmp     tsx_resume

align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
