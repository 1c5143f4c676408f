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
%define SEGMENT 64                      ; MEMORY_SEGMENT

section .text align=64

; void memory_X(uint64_t rdi enable, const struct memory_walk *rsi)
; RDI goes into 38FH, 0 at the end. WRMSR is not guarded. RAX is 0 where a body
; stores it.
%macro OPEN 1
global memory_%1, memory_%1_loop, memory_%1_access, memory_%1_next
global memory_%1_end
%define WALK memory_%1
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

; The access itself, the last instruction before CLOSE.
%macro ACCESS 1+
%[WALK]_access:
        %1
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
        ACCESS  mov     rax, [rdi]
        CLOSE   load

        OPEN    load_wide
        ACCESS  movups  xmm0, [rdi]
        CLOSE   load_wide

        OPEN    load_fs
        ACCESS  mov     rax, [fs:rdi - SEGMENT]
        CLOSE   load_fs

        OPEN    store_fs
        ACCESS  mov     [fs:rdi - SEGMENT], rax
        CLOSE   store_fs

        OPEN    store_gs
        ACCESS  mov     [gs:rdi - SEGMENT], rax
        CLOSE   store_gs

        OPEN    load_flush
        clflush [rdi]
        mfence
        ACCESS  mov     rax, [rdi]
        CLOSE   load_flush

        OPEN    load_turns
        mov     rdx, rdi
        or      rdx, 64
        clflush [rdx]
        mfence
        ACCESS  mov     rax, [rdi]
        CLOSE   load_turns

        OPEN    load_invlpg
        invlpg  [rdi]
        ACCESS  mov     rax, [rdi]
        CLOSE   load_invlpg

        OPEN    store
        ACCESS  mov     [rdi], rax
        CLOSE   store

        OPEN    store_wide
        ACCESS  movups  [rdi], xmm0
        CLOSE   store_wide

        OPEN    store_flush
        clflush [rdi]
        mfence
        ACCESS  mov     [rdi], rax
        CLOSE   store_flush

%macro STORES_BY_TURNS 2
        OPEN    %1
        mov     rdx, rdi
        or      rdx, 64
        clflush [rdx]
        mfence
        ACCESS  %2
        CLOSE   %1
%endmacro
        STORES_BY_TURNS store_turns, {mov [rdi], rax}
        STORES_BY_TURNS store_turns_1, {mov [rdi], al}
        STORES_BY_TURNS store_turns_2, {mov [rdi], ax}
        STORES_BY_TURNS store_turns_4, {mov [rdi], eax}
        STORES_BY_TURNS store_turns_16, {movups [rdi], xmm0}

        OPEN    store_invlpg
        invlpg  [rdi]
        ACCESS  mov     [rdi], rax
        CLOSE   store_invlpg

        OPEN    locked
        ACCESS  lock add qword [rdi], 1
        CLOSE   locked

        OPEN    locked_invlpg
        invlpg  [rdi]
        ACCESS  lock add qword [rdi], 1
        CLOSE   locked_invlpg

        OPEN    locked_flush
        clflush [rdi]
        mfence
        ACCESS  lock add qword [rdi], 1
        CLOSE   locked_flush

        OPEN    exchanged
        ACCESS  xchg    [rdi], rax
        CLOSE   exchanged

        OPEN    load_byte
        ACCESS  movzx   eax, byte [rdi]
        CLOSE   load_byte

; With a prefix that changes nothing.
        OPEN    load_x87
        ACCESS  db 0x3e
        fild    qword [rdi]
        CLOSE   load_x87, {fstp st0}

        OPEN    load_vex
        ACCESS  andn    rax, rdx, [rdi]
        CLOSE   load_vex

; With a prefix that changes nothing; RDI is 8 more after it.
        OPEN    store_string
        ACCESS  db 0x3e
        stosq
        CLOSE   store_string

; Past the caches.
        OPEN    store_direct
        ACCESS  movnti  [rdi], eax
        CLOSE   store_direct

; PUSH RAX, in its long form.
        OPEN    store_push
        mov     rdx, rsp
        lea     rsp, [rdi + 8]
        ACCESS  db 0x48, 0xff, 0xf0
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
        ACCESS  mov     rax, [rdx + r12 * 8 - 64]
        CLOSE   load_indexed, {mov r12, rcx}

        OPEN    store_indexed
        INDEXED
        ACCESS  mov     [rdx + r12 * 8 - 64], rax
        CLOSE   store_indexed, {mov r12, rcx}

; POP RAX, in its long form.
        OPEN    load_pop
        mov     rdx, rsp
        mov     rsp, rdi
        ACCESS  db 0x48, 0x8f, 0xc0
        CLOSE   load_pop, {mov rsp, rdx}

        OPEN    updated
        ACCESS  add     [rdi], rax
        CLOSE   updated

; With a prefix that changes nothing.
        OPEN    locked_byte
        ACCESS  db 0x3e
        lock add byte [rdi], 1
        CLOSE   locked_byte

; What is at the address leads to the next instruction: put there before.
%macro LEAD_ON 1
        lea     rcx, [memory_%1_next]
        mov     [rdi], rcx
%endmacro

        OPEN    load_return
        LEAD_ON load_return
        mov     rdx, rsp
        mov     rsp, rdi
        ACCESS  ret
        CLOSE   load_return, {mov rsp, rdx}

        OPEN    load_jump
        LEAD_ON load_jump
        ACCESS  jmp     [rdi]
        CLOSE   load_jump

%macro LEFT 0
        mov     rsp, rdx
        mov     rbp, rcx
%endmacro

        OPEN    load_leave
        mov     rdx, rsp
        mov     rcx, rbp
        mov     rbp, rdi
        ACCESS  leave
        CLOSE   load_leave, LEFT

        OPEN    load_gs
        ACCESS  mov     rax, [gs:rdi - SEGMENT]
        CLOSE   load_gs

; Of a condition that is false after DEC and JNZ.
        OPEN    load_conditional
        ACCESS  cmovz   rax, [rdi]
        CLOSE   load_conditional

; RDI is the address loaded from after it; it stores to 8 bytes below.
        OPEN    load_string
        mov     rcx, rsi
        mov     rsi, rdi
        sub     rdi, 8
        ACCESS  movsq
        CLOSE   load_string, {mov rsi, rcx}

; Relative to the next instruction, which comes after an immediate.
        OPEN    load_relative
        ACCESS  cmp     dword [memory_cell], strict dword 0x76543210
        CLOSE   load_relative

        OPEN    store_call
        mov     rdx, rsp
        lea     rsp, [rdi + 8]
        ACCESS  call    memory_store_call_next
        CLOSE   store_call, {mov rsp, rdx}

; From there to there.
        OPEN    pushed
        mov     rdx, rsp
        lea     rsp, [rdi + 8]
        ACCESS  push    qword [rdi]
        CLOSE   pushed, {mov rsp, rdx}

; With what is not there, so that it changes nothing.
        OPEN    compared
        lea     rax, [rdi + 1]
        ACCESS  lock cmpxchg [rdi], rdx
        CLOSE   compared, {xor eax, eax}

; The first bit of what is 40 bytes further on.
        OPEN    load_bit
        lea     rcx, [rdi - 40]
        mov     edx, 40 * 8
        ACCESS  bt      [rcx], rdx
        CLOSE   load_bit

; An address of 32 bits, below a register that has more.
        OPEN    load_narrow
        mov     rcx, 1 << 32
        add     rcx, rdi
        ACCESS  mov     rax, [ecx]
        CLOSE   load_narrow

; As load_string, downwards.
%macro UPWARDS 0
        cld
        mov     rsi, rcx
%endmacro

        OPEN    load_down
        mov     rcx, rsi
        mov     rsi, rdi
        add     rdi, 8
        std
        ACCESS  movsq
        CLOSE   load_down, UPWARDS

        OPEN    load_lods
        mov     rcx, rsi
        mov     rsi, rdi
        ACCESS  lodsq
        CLOSE   load_lods, {mov rsi, rcx}

; RDI is 8 more after it.
        OPEN    load_scas
        ACCESS  scasq
        CLOSE   load_scas

        OPEN    load_call
        LEAD_ON load_call
        ACCESS  call    [rdi]
        CLOSE   load_call, {add rsp, 8}

; POP to memory, of what is 64 bytes further on.
        OPEN    store_pop
        mov     rdx, rsp
        lea     rsp, [rdi + 64]
        ACCESS  pop     qword [rdi]
        CLOSE   store_pop, {mov rsp, rdx}

        OPEN    added
        xor     edx, edx
        ACCESS  lock xadd [rdi], rdx
        CLOSE   added

        OPEN    load_far
        clflush [rdi]
        invlpg  [rdi]
        mfence
        ACCESS  mov     rax, [rdi]
        CLOSE   load_far

global memory_cell
        align   64
memory_cell:
        dq      0

section .note.GNU-stack noalloc noexec nowrite progbits
