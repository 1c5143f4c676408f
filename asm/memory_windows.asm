; SPDX-License-Identifier: BSD-2-Clause
;
; memory_windows.asm - windows of single loads and stores, each at an address
; that RDI holds while it executes and for some instructions after, so that a
; record says by itself which access it is of.
;
; No other instruction of a loop reads or writes memory. CLFLUSH and INVLPG have
; the access's own address. LFENCE keeps one turn's access out of the next, and
; gives the record of an access the time to be made before RDI changes.

bits 64
default rel

%define IA32_PERF_GLOBAL_CTRL 0x38f

; memory_windows.h: struct memory_walk
%define BASE  0
%define STEP  8
%define MASK  16
%define COUNT 24
%define FS_BASE 64                      ; MEMORY_FS_BASE

section .text align=64

; void memory_X(uint64_t rdi enable, const struct memory_walk *rsi)
; RDI goes into 38FH, 0 at the end. WRMSR is not guarded. RAX is 0 where a body
; stores it.
%macro OPEN 1
global memory_%1, memory_%1_loop, memory_%1_next, memory_%1_end
        align   64
memory_%1:
        mov     rax, rdi
        mov     rdx, rdi
        shr     rdx, 32
        xor     r8d, r8d                ; offset
        mov     r9, [rsi + STEP]
        mov     r10, [rsi + MASK]
        mov     r11, [rsi + COUNT]
        mov     rsi, [rsi + BASE]
        mov     rdi, rsi
        mov     ecx, IA32_PERF_GLOBAL_CTRL
        wrmsr
        xor     eax, eax
memory_%1_loop:
        lea     rdi, [rsi + r8]
%endmacro

%macro CLOSE 1-2
memory_%1_next:
%if %0 > 1
        %2
%endif
        lfence
        add     r8, r9
        and     r8, r10
        dec     r11
        jnz     near memory_%1_loop
memory_%1_end:
        mov     ecx, IA32_PERF_GLOBAL_CTRL
        xor     eax, eax
        xor     edx, edx
        wrmsr
        ret
%endmacro

        OPEN    load
        mov     rax, [rdi]
        CLOSE   load

        OPEN    load_wide
        movups  xmm0, [rdi]
        CLOSE   load_wide

        OPEN    load_fs
        mov     rax, [fs:rdi - FS_BASE]
        CLOSE   load_fs

        OPEN    load_flush
        clflush [rdi]
        mfence
        mov     rax, [rdi]
        CLOSE   load_flush

        OPEN    load_invlpg
        invlpg  [rdi]
        mov     rax, [rdi]
        CLOSE   load_invlpg

        OPEN    store
        mov     [rdi], rax
        CLOSE   store

        OPEN    store_wide
        movups  [rdi], xmm0
        CLOSE   store_wide

        OPEN    store_flush
        clflush [rdi]
        mfence
        mov     [rdi], rax
        CLOSE   store_flush

        OPEN    store_invlpg
        invlpg  [rdi]
        mov     [rdi], rax
        CLOSE   store_invlpg

        OPEN    locked
        lock add qword [rdi], 1
        CLOSE   locked

        OPEN    exchanged
        xchg    [rdi], rax
        CLOSE   exchanged

        OPEN    load_byte
        movzx   eax, byte [rdi]
        CLOSE   load_byte

; With a prefix that changes nothing, for its length.
        OPEN    load_x87
        db      0x3e
        fild    qword [rdi]
        CLOSE   load_x87, {fstp st0}

        OPEN    load_vex
        andn    rax, rdx, [rdi]
        CLOSE   load_vex

; With a prefix that changes nothing, for its length; RDI is 8 more after it.
        OPEN    store_string
        db      0x3e
        stosq
        CLOSE   store_string

; Past the caches.
        OPEN    store_direct
        movnti  [rdi], eax
        CLOSE   store_direct

; PUSH RAX, in its long form.
        OPEN    store_push
        mov     rdx, rsp
        lea     rsp, [rdi + 8]
        db      0x48, 0xff, 0xf0
        CLOSE   store_push, {mov rsp, rdx}

; Base, index and displacement; the index is one that only a prefix tells from
; none. With the byte that has the 8 bits of a displacement below 0.
%macro INDEXED 0
        mov     rcx, r12
        mov     r12d, 3
        lea     rdx, [rdi - 3 * 8 + 64]
%endmacro

        OPEN    load_indexed
        INDEXED
        mov     rax, [rdx + r12 * 8 - 64]
        CLOSE   load_indexed, {mov r12, rcx}

        OPEN    store_indexed
        INDEXED
        mov     [rdx + r12 * 8 - 64], rax
        CLOSE   store_indexed, {mov r12, rcx}

; POP RAX, in its long form.
        OPEN    load_pop
        mov     rdx, rsp
        mov     rsp, rdi
        db      0x48, 0x8f, 0xc0
        CLOSE   load_pop, {mov rsp, rdx}

        OPEN    updated
        add     [rdi], rax
        CLOSE   updated

; With a prefix that changes nothing, for its length.
        OPEN    locked_byte
        db      0x3e
        lock add byte [rdi], 1
        CLOSE   locked_byte

section .note.GNU-stack noalloc noexec nowrite progbits
