; SPDX-License-Identifier: BSD-2-Clause
;
; hle_nested.asm - critical sections in one another, in RTM transactions and
; around them; and prefixes on instructions that do not take them.
;
; SDM 1, "Programming with Intel Transactional Synchronization Extensions",
; "Transactional Nesting"; SDM 2, XACQUIRE/XRELEASE, "Description". Elided or
; not, memory and registers are as without the prefixes.
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code.

bits 64
default rel

; struct hle_nest of hle_nested.h
%define OUTER   0x00
%define INNER   0x08
%define ASK     0x10
%define DATA    0x18
%define SEEN0   0x20                    ; the locks inside both
%define SEEN1   0x28
%define INSIDE  0x30                    ; what XTEST said: inside,
%define BETWEEN 0x38                    ; after the inner release, or in it too,
%define OUTSIDE 0x40                    ; at the end
%define STATUS  0x48

; R10: 1 where XTEST says that a transaction runs, to [RDI + %1].
%macro ask 1
        xor     r10d, r10d
        cmp     qword [rdi + ASK], 0
        je      %%not
        xtest
        setnz   r10b
%%not:  mov     [rdi + %1], r10
%endmacro

%macro begin 1
global hle_%1
hle_%1: mov     rsi, [rdi + OUTER]
        mov     rdx, [rdi + INNER]
        mov     ecx, 1
        xor     eax, eax
%endmacro

%macro look 0
        mov     r8d, [rsi]
        mov     [rdi + SEEN0], r8
        mov     r8d, [rdx]
        mov     [rdi + SEEN1], r8
        inc     qword [rdi + DATA]
%endmacro

section .text align=4096

; One lock in another. Asked before the inner one: where the outer is not elided
; the inner may be, by itself. BETWEEN: in the inner one, too.
begin nested
        xacquire xchg [rsi], ecx
        mov     ecx, 1
        ask     INSIDE
        xacquire xchg [rdx], ecx
        ask     BETWEEN
        mov     r9, r10
        look
        xrelease mov dword [rdx], 0
        ask     BETWEEN
        and     [rdi + BETWEEN], r9
        xrelease mov dword [rsi], 0
        ask     OUTSIDE
        ret

; The same, with a PAUSE between the releases: where the outer is elided that
; aborts, so it is done again, and INSIDE and DATA are of the second time.
begin released
        xacquire xchg [rsi], ecx
        mov     ecx, 1
        ask     INSIDE
        xacquire xchg [rdx], ecx
        look
        xrelease mov dword [rdx], 0
        pause
        ask     BETWEEN
        xrelease mov dword [rsi], 0
        ask     OUTSIDE
        ret

; A PAUSE inside of both aborts: what comes before the inner one is done again,
; too, once in memory and, in STATUS, in a register.
begin paused
        xacquire xchg [rsi], ecx
        mov     ecx, 1
        ask     INSIDE
        inc     eax
        look
        xacquire xchg [rdx], ecx
        mov     r8d, [rdx]
        mov     [rdi + SEEN1], r8
        pause
        xrelease mov dword [rdx], 0
        ask     BETWEEN
        xrelease mov dword [rsi], 0
        mov     [rdi + STATUS], eax
        ask     OUTSIDE
        ret

; Released in the order in which they were taken.
begin crossed
        xacquire xchg [rsi], ecx
        mov     ecx, 1
        ask     INSIDE
        xacquire xchg [rdx], ecx
        look
        xrelease mov dword [rsi], 0
        ask     BETWEEN
        xrelease mov dword [rdx], 0
        ask     OUTSIDE
        ret

; The same lock twice: the second XCHG finds it taken.
begin recursive
        xacquire xchg [rsi], ecx
        mov     ecx, 1
        xacquire xchg [rsi], ecx
        mov     [rdi + STATUS], ecx
        ask     INSIDE
        look
        xrelease mov dword [rsi], 1
        ask     BETWEEN
        xrelease mov dword [rsi], 0
        ask     OUTSIDE
        ret

; The lock is written without XRELEASE.
begin written
        xacquire xchg [rsi], ecx
        mov     dword [rsi], 5
        ask     INSIDE
        look
        ask     BETWEEN
        xrelease mov dword [rsi], 0
        ask     OUTSIDE
        ret

; A transaction of RTM in a critical section; the fallback does its work too.
begin around_rtm
        xacquire xchg [rsi], ecx
        ask     INSIDE
        xbegin  .fallback
        look
        xend
        jmp     .done
.fallback:
        look
.done:  ask     BETWEEN
        xrelease mov dword [rsi], 0
        ask     OUTSIDE
        ret

; A critical section in a transaction of RTM. STATUS: EAX, ~0 after a commit. No
; XEND where XTEST, that has said a transaction runs, says then that none does:
; it would raise #GP.
begin in_rtm
        mov     eax, -1
        xbegin  .fallback
        xacquire xchg [rsi], ecx
        ask     INSIDE
        look
        xrelease mov dword [rsi], 0
        ask     BETWEEN
        cmp     r10, [rdi + INSIDE]
        jne     .fallback
        xend
.fallback:
        mov     [rdi + STATUS], eax
        ask     OUTSIDE
        ret

; F2H before instructions that are not XACQUIRE-enabled: MOV; ADD without LOCK.
; An elision would end by the XRELEASE, which is a MOV without one.
begin odd_mov
        db      0xf2
        mov     [rsi], ecx
        ask     INSIDE
        look
        xrelease mov dword [rsi], 0
        ask     OUTSIDE
        ret

begin odd_add
        db      0xf2
        add     [rsi], ecx
        ask     INSIDE
        look
        xrelease mov dword [rsi], 0
        ask     OUTSIDE
        ret

; The prefix next to the opcode counts: F2H F3H is XRELEASE, of nothing here.
begin odd_first
        db      0xf2, 0xf3
        xchg    [rsi], ecx
        ask     INSIDE
        look
        mov     dword [rsi], 0
        ask     OUTSIDE
        ret

; XRELEASE without XACQUIRE.
begin odd_release
        xrelease xchg [rsi], ecx
        ask     INSIDE
        look
        xrelease mov dword [rsi], 0
        ask     OUTSIDE
        ret

; F3H F2H is XACQUIRE.
begin last_prefix
        db      0xf3, 0xf2
        xchg    [rsi], ecx
        ask     INSIDE
        look
        xrelease mov dword [rsi], 0
        ask     OUTSIDE
        ret

align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
