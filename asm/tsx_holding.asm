; SPDX-License-Identifier: BSD-2-Clause
;
; tsx_holding.asm - bodies (tsx_bodies.h) that hold lines while time passes.
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code.

bits 64
default rel

%include "tsx_body.inc"

extern tsx_fallback, tsx_inner_fallback

section .text align=4096

; Loads by %2, lets RDX turns pass, loads again by %3: flags change where the two
; differ.
%macro HOLD 3
body hold_%1
        %2
.turn:  dec     rdx
        jnz     .turn
        cmp     rcx, %3
        je      .same
        not     qword [rdi + RFLAGS]
.same:  NEXT
%endmacro

; Stores ~0 at RSI by %2, lets RDX turns pass, stores 0, and does %3: flags change
; where ~0 is no longer there in between.
%macro HOLD_STORE 2-3
body hold_%1
        %2
.turn:  dec     rdx
        jnz     .turn
        cmp     rcx, [rsi]
        je      .same
        not     qword [rdi + RFLAGS]
.same:  mov     [rsi], rdx
        %3
        NEXT
%endmacro

; The same without a look at it: it is not in the read set.
body hold_written
        mov     qword [rsi], -1
.turn:  dec     rdx
        jnz     .turn
        mov     [rsi], rdx
        NEXT

; A quadword of a line; one on two lines; a line by a locked addition of 0.
        HOLD    load, {mov rcx, [rsi]}, [rsi]
        HOLD    split, {mov rcx, [rsi + 60]}, [rsi + 60]

%macro ADD_LOCKED 0
        xor     ecx, ecx
        lock xadd [rsi], rcx
%endmacro
        HOLD    locked, ADD_LOCKED, [rsi]

%macro LOAD_VECTOR 0
        movups  xmm0, [rsi]
        movq    rcx, xmm0
%endmacro
        HOLD    vector, LOAD_VECTOR, [rsi]

; A quadword of a line, in a transaction that stores nothing: that of
; tsx_inside() ends, and what it has changed is put back, as an abort has to
; leave it; tsx_inside() ends a third one.
body hold_unstored
        xend
        change  REGISTERS
        not     qword [rdi + CELL]
        xbegin  tsx_fallback
        mov     rax, [rsi]
.turn:  dec     rdx
        jnz     .turn
        xor     rax, [rsi]
        xend
        mov     rdx, [rdi + COUNT]
        test    rax, rax
        mov     eax, -1
        jz      .same
        not     qword [rdi + RFLAGS]
.same:  xbegin  tsx_fallback
        not     qword [rdi + CELL]
        NEXT

; A quadword of a line, in so many inner transactions.
%macro HOLD_INNER 2
body hold_%1
%rep %2
        xbegin  tsx_inner_fallback
%endrep
        mov     rcx, [rsi]
.turn:  dec     rdx
        jnz     .turn
        cmp     rcx, [rsi]
        je      .same
        not     qword [rdi + RFLAGS]
.same:
%rep %2
        xend
%endrep
        NEXT
%endmacro
        HOLD_INNER nested, 1
        HOLD_INNER deep, 2

; In one that has ended.
%macro LOAD_ENDED 0
        xbegin  tsx_inner_fallback
        mov     rcx, [rsi]
        xend
%endmacro
        HOLD    ended, LOAD_ENDED, [rsi]

; XSUSLDTRK (F2 0F 01 E8) and XRESLDTRK (F2 0F 01 E9): loads between the two
; are not tracked. Nothing looks again: that would be a load that is.
%macro SUSPEND 0
        db      0xf2, 0x0f, 0x01, 0xe8
%endmacro
%macro RESUME 0
        db      0xf2, 0x0f, 0x01, 0xe9
%endmacro

body hold_untracked
        SUSPEND
        mov     rcx, [rsi]
        RESUME
.turn:  dec     rdx
        jnz     .turn
        NEXT

; A load after the two; a load before and one between them.
%macro LOAD_RESUMED 0
        SUSPEND
        RESUME
        mov     rcx, [rsi]
%endmacro
        HOLD    resumed, LOAD_RESUMED, [rsi]

%macro LOAD_BEFORE 0
        mov     rcx, [rsi]
        SUSPEND
        mov     rcx, [rsi]
        RESUME
%endmacro
        HOLD    before, LOAD_BEFORE, [rsi]

; A store between them.
%macro STORE_SUSPENDED 0
        mov     rcx, -1
        SUSPEND
        mov     [rsi], rcx
        RESUME
%endmacro
        HOLD_STORE suspended_store, STORE_SUSPENDED

; Outside of such: a load, then a store.
%macro LOAD_STORE 0
        mov     rcx, [rsi]
        mov     rcx, -1
        mov     [rsi], rcx
%endmacro
        HOLD_STORE both, LOAD_STORE

; Between them a store, and the end, a beginning, the first again.
%define STORE_FLAGS mov [rdi + RFLAGS], rdi
body suspended_end
        SUSPEND
        STORE_FLAGS
        NEXT
body suspended_begin
        SUSPEND
        STORE_FLAGS
        xbegin  tsx_inner_fallback
        xend
        RESUME
        NEXT
body suspended_twice
        SUSPEND
        STORE_FLAGS
        SUSPEND
        RESUME
        NEXT
body suspended_once
        SUSPEND
        STORE_FLAGS
        RESUME
        NEXT

; Two quadwords by one instruction.
%macro LOAD_STRING 0
        mov     r8, rax
        mov     r9, rsi
        mov     ecx, 2
        rep lodsq
        mov     rsi, r9
        mov     rcx, rax
        mov     rax, r8
%endmacro
        HOLD    string, LOAD_STRING, [rsi + 8]

; The same with a quadword of each of 192 lines, not in an inner one.
body hold_loads
        xor     ecx, ecx
%assign n 0
%rep 192
        add     rcx, [rsi + 64 * n]
%assign n n+1
%endrep
.turn:  dec     rdx
        jnz     .turn
%assign n 0
%rep 192
        sub     rcx, [rsi + 64 * n]
%assign n n+1
%endrep
        jz      .same
        not     qword [rdi + RFLAGS]
.same:  NEXT

; A load of each of so many lines, by another instruction each; nothing looks
; again.
body hold_kinds
        mov     r8, rsp
        mov     rsp, rsi
        pop     rcx
        mov     rsp, r8
        cmp     [rsi + 64], rcx
        test    [rsi + 64 * 2], rcx
        movzx   ecx, byte [rsi + 64 * 3]
        bt      dword [rsi + 64 * 4], 3
        imul    rcx, [rsi + 64 * 5], 3
        clc
        cmovc   rcx, [rsi + 64 * 6]
        mov     r8, rdi
        mov     r9, rsi
        mov     r10, rax
        lea     rsi, [r9 + 64 * 7]
        lodsq
        lea     rdi, [r9 + 64 * 8]
        scasq
        mov     rdi, r8
        mov     rsi, r9
        mov     rax, r10
        push    qword [rsi + 64 * 9]
        pop     rcx
        paddq   xmm0, [rsi + 64 * 10]
        cvtsi2sd xmm0, qword [rsi + 64 * 11]
        movsxd  rcx, dword [rsi + 64 * 12]
        mov     cl, [rsi + 64 * 13]
        mov     cx, [rsi + 64 * 14]
        mov     ecx, [rsi + 64 * 15]
        movdqa  xmm0, [rsi + 64 * 16]
        cmp     qword [rsi + 64 * 17], 3
        test    dword [rsi + 64 * 18], 3
        and     rcx, [rsi + 64 * 19]
        bsf     rcx, [rsi + 64 * 20]
        mov     rax, rdi                ; not what is there: a comparison alone
        cmpxchg [rsi + 64 * 21], rcx
        mov     rax, [rsi + 64 * 22]
        mul     qword [rsi + 64 * 23]
        mov     rdx, [rdi + COUNT]
        mov     rax, r10
.turn:  dec     rdx
        jnz     .turn
        NEXT

; A store to each of so many lines, by another instruction each, where each
; quadword is 0; after the turns 0 again.
body hold_store_kinds
        mov     r8, rdi
        mov     r9, rax
        mov     rcx, -1
        mov     [rsi], cl
        mov     [rsi + 64], cx
        mov     [rsi + 64 * 2], ecx
        mov     r10, rsp
        lea     rsp, [rsi + 64 * 3 + 8]
        push    rcx
        lea     rsp, [rsi + 64 * 4 + 8]
        call    .called
.called:
        mov     rsp, r10
        lea     rdi, [rsi + 64 * 5]
        mov     rax, rcx
        stosq
        movq    xmm0, rcx
        punpcklqdq xmm0, xmm0
        movups  [rsi + 64 * 6], xmm0
        movq    [rsi + 64 * 7], xmm0
        movaps  [rsi + 64 * 8], xmm0
        or      [rsi + 64 * 9], rcx
        not     qword [rsi + 64 * 10]
        mov     qword [rsi + 64 * 11], -1
        xor     eax, eax
        cmpxchg [rsi + 64 * 12], rcx
        bts     qword [rsi + 64 * 13], 3
        setz    [rsi + 64 * 14]
        mov     rdi, r8
        mov     rax, r9
.turn:  dec     rdx
        jnz     .turn
%assign n 0
%rep 15
        mov     [rsi + 64 * n], rdx
        mov     [rsi + 64 * n + 8], rdx
%assign n n+1
%endrep
        NEXT

; Stores ~0 to 128 lines, as HOLD_STORE to one.
body hold_stores
        mov     rcx, -1
%assign n 0
%rep 128
        mov     [rsi + 64 * n], rcx
%assign n n+1
%endrep
.turn:  dec     rdx
        jnz     .turn
%assign n 0
%rep 128
        and     rcx, [rsi + 64 * n]
        mov     [rsi + 64 * n], rdx
%assign n n+1
%endrep
        inc     rcx
        jz      .same
        not     qword [rdi + RFLAGS]
.same:  NEXT

; The same stored in an inner one, which then ends.
%macro STORE_ENDED 0
        xbegin  tsx_inner_fallback
        mov     rcx, -1
        mov     [rsi], rcx
        xend
%endmacro
        HOLD_STORE store_ended, STORE_ENDED

; The same in an inner one, which lasts.
%macro STORE_NESTED 0
        xbegin  tsx_inner_fallback
        mov     rcx, -1
        mov     [rsi], rcx
%endmacro
        HOLD_STORE store_nested, STORE_NESTED, xend

; One line.
%macro STORE 0
        mov     rcx, -1
        mov     [rsi], rcx
%endmacro
        HOLD_STORE store, STORE

align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
