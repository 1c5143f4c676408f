; SPDX-License-Identifier: BSD-2-Clause
;
; hle_regions.asm - critical sections between XACQUIRE and XRELEASE, one for
; each instruction that may have the prefix.
;
; SDM 2, XACQUIRE/XRELEASE; SDM 1, "Programming with Intel Transactional
; Synchronization Extensions", "HLE Software Interface". Where the lock is
; elided and the transaction aborts, all of it runs again from the XACQUIRE on,
; without elision. Processors without HLE ignore both prefixes.
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code.

bits 64
default rel

; struct hle_block of hle_regions.h
%define LOCK    0x00
%define TEST    0x08
%define DATA    0x10
%define SEEN    0x18
%define INSIDE  0x20
%define OUTSIDE 0x28
%define RAX_INSIDE    0x30
%define TURNS   0x40
%define FAR     0x80

; R10: 1 where XTEST says that a transaction runs; 0 where it may not be asked.
%macro ask 1
        xor     %1d, %1d
        test    r9, r9
        jz      %%not
        xtest
        setnz   %1b
%%not:
%endmacro

; region NAME, register for the lock's value, acquire, release Before the
; acquire RAX is HLE_RAX, ECX, EDX are 0 and EBX is 1; before the release EAX is
; 1, EBX, ECX, EDX are 0, R8D is -1. CF is 0 each time. RSI is the lock.
%macro region 4
global hle_%1
hle_%1:
        push    rbx
        mov     rsi, [rdi + LOCK]
        mov     r9, [rdi + TEST]
        mov     ebx, 1
        mov     rax, 1 << 63
        xor     ecx, ecx
        xor     edx, edx
global hle_%1_acquire
hle_%1_acquire:
        %3
global hle_%1_acquired
hle_%1_acquired:
        ask     r10
        xor     r8d, r8d
        mov     %2, [rsi]
        mov     [rdi + SEEN], r8
        mov     [rdi + RAX_INSIDE], rax
        inc     qword [rdi + DATA]
        inc     qword [rdi + FAR]
        mov     r11, [rdi + TURNS]      ; here: an abort may not have restored it
%%turn: dec     r11
        jnz     %%turn
        mov     eax, 1
        mov     r8d, -1
        mov     ebx, 0
        mov     ecx, 0
        xor     edx, edx
global hle_%1_release, hle_%1_released
hle_%1_release:
        %4
hle_%1_released:
        ask     r11
        mov     [rdi + INSIDE], r10
        mov     [rdi + OUTSIDE], r11
        pop     rbx
        ret
%endmacro

section .text align=4096

region xchg, r8d, {xacquire xchg [rsi], ebx}, {xrelease xchg [rsi], ebx}
region xchg_mov, r8d, {xacquire xchg [rsi], ebx}, {xrelease mov [rsi], ebx}
region xchg_imm, r8d, {xacquire xchg [rsi], ebx}, {xrelease mov dword [rsi], 0}
region xchg_byte, r8b, {xacquire xchg [rsi], bl}, {xrelease mov [rsi], bl}
region xchg_word, r8w, {xacquire xchg [rsi], bx}, {xrelease mov [rsi], bx}
region xchg_quad, r8, {xacquire xchg [rsi], rbx}, {xrelease mov [rsi], rbx}
region xchg_byte_imm, r8b, {xacquire xchg [rsi], bl}, {xrelease mov byte [rsi], 0}
region xchg_quad_imm, r8, {xacquire xchg [rsi], rbx}, {xrelease mov qword [rsi], 0}
region lock_xchg, r8d, {xacquire lock xchg [rsi], ebx}, {xrelease lock xchg [rsi], ebx}
region add, r8d, {xacquire lock add dword [rsi], 1}, {xrelease lock sub dword [rsi], 1}
region sub, r8d, {xacquire lock sub dword [rsi], 1}, {xrelease lock add dword [rsi], 1}
region adc, r8d, {xacquire lock adc dword [rsi], 1}, {xrelease lock sbb dword [rsi], 1}
region sbb, r8d, {xacquire lock sbb dword [rsi], 1}, {xrelease lock adc dword [rsi], 1}
region and, r8d, {xacquire lock and dword [rsi], 0}, {xrelease lock or dword [rsi], 1}
region or, r8d, {xacquire lock or dword [rsi], 1}, {xrelease lock and dword [rsi], 0}
region xor, r8d, {xacquire lock xor dword [rsi], 1}, {xrelease lock xor dword [rsi], 1}
region bts, r8d, {xacquire lock bts dword [rsi], 0}, {xrelease lock btr dword [rsi], 0}
region btr, r8d, {xacquire lock btr dword [rsi], 0}, {xrelease lock bts dword [rsi], 0}
region btc, r8d, {xacquire lock btc dword [rsi], 0}, {xrelease lock btc dword [rsi], 0}
region inc, r8d, {xacquire lock inc dword [rsi]}, {xrelease lock dec dword [rsi]}
region dec, r8d, {xacquire lock dec dword [rsi]}, {xrelease lock inc dword [rsi]}
region neg, r8d, {xacquire lock neg dword [rsi]}, {xrelease lock neg dword [rsi]}
region not, r8d, {xacquire lock not dword [rsi]}, {xrelease lock not dword [rsi]}
region not_quad, r8, {xacquire lock not qword [rsi]}, {xrelease lock not qword [rsi]}
region xadd, r8d, {xacquire lock xadd [rsi], ebx}, {xrelease lock xadd [rsi], r8d}
region cmpxchg, r8d, {xacquire lock cmpxchg [rsi], ebx}, {xrelease lock cmpxchg [rsi], ebx}
region cmpxchg8b, r8, {xacquire lock cmpxchg8b [rsi]}, {xrelease lock cmpxchg8b [rsi]}

; One lock in another, 64 bytes after it. RBX is 0 before the releases.
%macro acquire_two 0
        xacquire xchg [rsi], ebx
        mov     r8d, 1
        xacquire xchg [rsi + 64], r8d
%endmacro
%macro release_two 0
        xrelease mov dword [rsi + 64], 2
        xrelease mov [rsi], ebx
%endmacro

%macro release_both 0
        xrelease mov [rsi + 64], ebx
        xrelease mov [rsi], ebx
%endmacro
region two, r8d, acquire_two, release_both

; Releases that do not match the acquire: another value, one in the highest byte
; alone, in each of the two before it, in the upper half of 8 bytes alone, in
; locks of 1 and 2 bytes, in an inner lock, address, size. Then the same as the
; first without the prefixes.
region other_value, r8d, {xacquire xchg [rsi], ebx}, {xrelease mov dword [rsi], 2}
region other_byte, r8d, {xacquire xchg [rsi], ebx}, {xrelease mov dword [rsi], 1 << 24}
region other_second, r8d, {xacquire xchg [rsi], ebx}, {xrelease mov dword [rsi], 1 << 8}
region other_third, r8d, {xacquire xchg [rsi], ebx}, {xrelease lock xor dword [rsi], 1 << 16 | 1}
region other_in_byte, r8b, {xacquire xchg [rsi], bl}, {xrelease mov [rsi], al}
region other_in_word, r8w, {xacquire xchg [rsi], bx}, {xrelease mov word [rsi], 1 << 8}
region other_inner, r8d, acquire_two, release_two
region other_half, r8, {xacquire xchg [rsi], rbx}, {xrelease lock add [rsi], r8}
region other_address, r8d, {xacquire xchg [rsi], ebx}, {xrelease mov [rsi + 64], ebx}
region other_size, r8d, {xacquire xchg [rsi], ebx}, {xrelease mov [rsi], bl}
region plain, r8d, {xchg [rsi], ebx}, {xchg [rsi], ebx}

; One lock in another, 64 bytes after it; a PAUSE inside aborts. Then it runs
; again from the outer XACQUIRE, without elision; the inner lock is left alone,
; which would otherwise be an outermost one. XTEST has to exist.
global hle_inner, hle_inner_acquired, hle_inner_pause
hle_inner:
        push    rbx
        mov     rsi, [rdi + LOCK]
        mov     r11, [rdi + TURNS]
        mov     ebx, 1
        mov     eax, 1
        xacquire xchg [rsi], ebx
hle_inner_acquired:
        xtest
        jz      hle_inner_release
        xacquire xchg [rsi + 64], eax
.turn:  dec     r11
        jnz     .turn
        inc     qword [rdi + DATA]
hle_inner_pause:
        pause
        xor     eax, eax
        xrelease xchg [rsi + 64], eax
hle_inner_release:
        xor     ebx, ebx
        xrelease xchg [rsi], ebx
        pop     rbx
        ret

; A store to each of so many lines, from 4096 bytes after the lock on.
global hle_stores, hle_stores_acquire, hle_stores_acquired
hle_stores:
        push    rbx
        mov     rsi, [rdi + LOCK]
        mov     ebx, 1
hle_stores_acquire:
        xacquire xchg [rsi], ebx
hle_stores_acquired:
        mov     r11, [rdi + TURNS]
        lea     rax, [rsi + 4096]
.next:  mov     [rax], r11
        add     rax, 64
        dec     r11
        jnz     .next
        xrelease mov dword [rsi], 0
        pop     rbx
        ret

; A store beside the lock, on its line, and one elsewhere.
global hle_line
hle_line:
        push    rbx
        mov     rsi, [rdi + LOCK]
        mov     r9, [rdi + TEST]
        mov     ebx, 1
        xacquire xchg [rsi], ebx
        inc     qword [rsi + 8]
        inc     qword [rdi + DATA]
        ask     r10
        test    r10, r10
        jz      .release
        pause
.release:
        xrelease mov dword [rsi], 0
        pop     rbx
        ret

; A PAUSE in an elided section, which aborts. Where it is elided again, and again
; after that, it ends by the TSC in TURNS. XTEST has to exist.
global hle_again
hle_again:
        mov     rsi, [rdi + LOCK]
        mov     r8, [rdi + TURNS]
        xor     r10d, r10d
        xacquire lock add dword [rsi], 1
        xtest
        jz      .release
        rdtsc
        shl     rdx, 32
        or      rax, rdx
        cmp     rax, r8
        seta    r10b
        ja      .release
        pause
.release:
        xrelease lock sub dword [rsi], 1
        mov     [rdi + INSIDE], r10
        ret

; An instruction that aborts: INSIDE is 1 where a transaction still runs after
; it. Without elision, and so after the abort, it is left out. XTEST has to
; exist.
%macro stays 2
global hle_stays_%1
hle_stays_%1:
        push    rbx
        mov     rsi, [rdi + LOCK]
        xor     r10d, r10d
        xor     ecx, ecx
global hle_stays_%1_acquire, hle_stays_%1_at
hle_stays_%1_acquire:
        xacquire lock add dword [rsi], 1
        xtest
        jz      %%release
        xor     eax, eax
hle_stays_%1_at:
        %2
        xtest
        setnz   r10b
%%release:
        xrelease lock sub dword [rsi], 1
        mov     [rdi + INSIDE], r10
        pop     rbx
        ret
%endmacro
stays cpuid, cpuid
stays pause, pause
stays divide, div ecx

align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
