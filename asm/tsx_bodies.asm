; SPDX-License-Identifier: BSD-2-Clause
;
; tsx_bodies.asm - bodies (tsx_bodies.h) of what most tests of transactions need:
; one in another, stores to lines, what raises exceptions, branches.
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code.

bits 64
default rel

%include "tsx_body.inc"

extern tsx_inner_fallback

%define RDPMC_AMID 24                   ; tsx_bodies.h

section .text align=4096

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

; Writes the first eight bytes of so many lines from RSI on, the last one first.
body write_lines
        shl     rdx, 6
.next:  mov     [rsi + rdx - 64], rdx
        sub     rdx, 64
        jnz     .next
        NEXT

; The same; then XABORT.
body write_lines_xabort
        shl     rdx, 6
.next:  mov     [rsi + rdx - 64], rdx
        sub     rdx, 64
        jnz     .next
        xabort  0x65
        NEXT

; Those in an inner transaction.
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

; The same with a store to the next line in between.
body elided
        mov     ecx, 1
raising elided
        xacquire xchg [rsi], ecx
        mov     [rsi + 64], rdx
trapped elided
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
