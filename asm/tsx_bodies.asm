; SPDX-License-Identifier: BSD-2-Clause
;
; tsx_bodies.asm - one block of code, a body, run once inside a transaction or
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
; then be watched by page without slowing other code.

bits 64
default rel

%include "preserved.inc"
%include "tsx_body.inc"

%define RDPMC_AMID 24                   ; tsx_bodies.h
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

; --- Bodies ------------------------------------------------------------------

; An instruction that raises an exception.
%macro raising 1
global tsx_body_%1_fault
tsx_body_%1_fault:
%endmacro

; Where a trap goes on: after the instruction.
%macro trapped 1
global tsx_body_%1_trap
tsx_body_%1_trap:
%endmacro

body nothing
        NEXT

; ZF as before XTEST is 1 where the argument is 0; OF, SF, AF, PF, CF are 1.
body rdpmc
        mov     ecx, esi
        lfence
        rdpmc
        mov     esi, eax
        times   RDPMC_AMID - 3 nop
        lfence
        rdpmc
        sub     eax, esi
        NEXT

body xtest
        mov     ah, 0xd5                ; SF, ZF, AF, PF, CF
        test    rsi, rsi
        jz      .zero
        mov     ah, 0x95
.zero:  mov     al, 1
        add     al, 0x7f                ; OF
        sahf
raising xtest
        xtest
        pushfq
        pop     qword [rdi + RFLAGS]
        mov     eax, -1                 ; as before XBEGIN
        NEXT

; 64 instructions that do nothing; the second then aborts.
body long
        times 64 nop
        NEXT

body long_xabort
        times 64 nop
        xabort  0x64
        NEXT

body xend
raising xend
        xend
        NEXT

; With LOCK, which none of them takes.
%macro locked 1+
        db      0xf0
        %1
%endmacro
body lock_xend
raising lock_xend
        locked  xend
        NEXT

body lock_xtest
raising lock_xtest
        locked  xtest
        NEXT

body lock_xabort
raising lock_xabort
        locked  xabort 1
        NEXT

body lock_xbegin
raising lock_xbegin
        locked  xbegin .fallback
        xend
.fallback:
        NEXT

; With one of the prefixes that XEND and XTEST do not take either.
%macro prefixed 3
body %1
raising %1
        db      %2
        %3
        NEXT
%endmacro
        prefixed op_xend, 0x66, xend
        prefixed f2_xend, 0xf2, xend
        prefixed f3_xend, 0xf3, xend
        prefixed op_xtest, 0x66, xtest
        prefixed f2_xtest, 0xf2, xtest
        prefixed f3_xtest, 0xf3, xtest

; XABORT in an inner transaction.
body nest_xabort
        xbegin  tsx_inner_fallback
        not     rsi
global tsx_body_nest_xabort_at
tsx_body_nest_xabort_at:
        xabort  0x5a
        xend
        NEXT

; XABORT after the XEND of an inner transaction; 44H where XTEST says that no
; transaction is left.
body nest_xend_xabort
        xbegin  tsx_inner_fallback
        not     rsi
        not     qword [rdi + RFLAGS]
        xend
        xtest
        jz      .none
        xabort  0x33
        NEXT
.none:  xabort  0x44
        NEXT

; An abort that goes on here has not gone to the outermost fallback.
global tsx_inner_fallback
tsx_inner_fallback:
        mov     rdi, [rsp]
        mov     [rdi + STATUS], eax
        mov     eax, INNER
        jmp     tsx_resume

; Writes the first eight bytes of so many lines from RSI on, the last one first.
body write_lines
        shl     rdx, 6
.next:  mov     [rsi + rdx - 64], rdx
        sub     rdx, 64
        jnz     .next
        NEXT

; The same in an inner transaction.
body nest_write_lines
        xbegin  tsx_inner_fallback
        shl     rdx, 6
.next:  mov     [rsi + rdx - 64], rdx
        sub     rdx, 64
        jnz     .next
        xend
        NEXT

; Reads from eight lines so many times, from RSI on, the last eight first.
%macro READ_LINES 0
        shl     rdx, 9
.next:
%assign line 0
%rep 8
        mov     rcx, [rsi + rdx - 512 + 64 * line]
%assign line line+1
%endrep
        sub     rdx, 512
        jnz     .next
%endmacro

body read_lines
        READ_LINES
        NEXT

body nest_read_lines
        xbegin  tsx_inner_fallback
        READ_LINES
        xend
        NEXT

body read_lines_xabort
        READ_LINES
        xabort  0x65
        NEXT

; Lets RDX turns pass; the second then aborts.
body spin
.turn:  dec     rdx
        jnz     .turn
        NEXT

body spin_xabort
.turn:  dec     rdx
        jnz     .turn
        xabort  0x65
        NEXT

; The same before an inner transaction, in which the XABORT is.
body spin_nest_xabort
.turn:  dec     rdx
        jnz     .turn
        xbegin  tsx_inner_fallback
        xabort  0x65
        xend
        NEXT

; The same in an inner transaction.
body nest_spin_xabort
        xbegin  tsx_inner_fallback
.turn:  dec     rdx
        jnz     .turn
        xabort  0x65
        xend
        NEXT

body store
raising store
        mov     [rsi], rdx
trapped store
        nop
        NEXT

; The same in an inner transaction.
body nest_store
global tsx_body_nest_store_begin
tsx_body_nest_store_begin:
        xbegin  tsx_inner_fallback
        mov     [rsi], rdx
        nop
        xend
        NEXT

; A body that RDX names, in an inner transaction that it does not end.
body nest_jump
        xbegin  tsx_inner_fallback
        jmp     rdx

; The same after an inner transaction that has ended.
body ended_jump
        xbegin  tsx_inner_fallback
        xend
        jmp     rdx

body load
raising load
        mov     rcx, [rsi]
trapped load
        nop
        NEXT

body int1
        int1
trapped int1
        NEXT

body ud2
raising ud2
        ud2
        NEXT

; A lock that is taken and given back, with the hints.
body hint
        mov     ecx, 1
raising hint
        xacquire xchg [rsi], ecx
raising unhint
        xrelease mov dword [rsi], 0
        NEXT

; Device not available where CR0.TS is 1; a division by zero that is not masked,
; where CR0.NE is.
body sse
raising sse
        movaps  xmm0, xmm0
        NEXT

body x87
        fninit
        fldcw   [divides]
        fld1
        fldz
        fdivp
raising x87
        fwait
        NEXT
divides: dw     0x37b                   ; ZM = 0

body hint_xabort
        mov     ecx, 1
        xacquire xchg [rsi], ecx
        xrelease mov dword [rsi], 0
        xabort  0x66
        NEXT

body divide
        xor     ecx, ecx
        xor     edx, edx
raising divide
        div     ecx
        NEXT

body int3
        int3
trapped int3
        NEXT

; Eight conditional branches over one byte, taken where the argument's bit is 1,
; the lowest first; and the same followed by an XABORT.
%macro branches 0
%assign n 0
%rep 8
        bt      rsi, n
        jc      short $+3
        nop
%assign n n+1
%endrep
%endmacro

body branches
        branches
        NEXT

body branches_xabort
        branches
global tsx_body_branches_xabort_at
tsx_body_branches_xabort_at:
        xabort  0x42
        NEXT

; So many indirect jumps as the count says, each followed by a conditional
; branch.
body jumps
        not     rsi
        lea     rcx, [.to]
.from:  jmp     rcx
.to:    dec     rdx
        jnz     .from
        NEXT

align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
