; SPDX-License-Identifier: BSD-2-Clause
;
; counting_kinds.asm - a measured window, as those of counting_window.asm, with
; each kind of branch and each form of instruction that is of interest.

bits 64
default rel

%include "window.inc"

section .text align=4096            ; one instruction lies on two pages

; Branches of every kind, each kind another number of times: conditional ones 6
; taken and 3 not, of them 2 LOOP and 1 JRCXZ (SDM 1, "Conditional Transfer
; Instructions"), 7 calls, 5 returns, 6 jumps, 2 indirect jumps, a far return,
; a far jump and an IRET. (Of two calls the return address is dropped.) Each in the forms
; that it has: short and near, through a register and through memory, with an
; immediate. Then other instructions whose form is of interest: one that lies on
; two pages, the longest, locked ones, fences, prefixes.
OPEN window_branches
        I xor   r11d, r11d
        I nop   dword [rax]
%assign i 0
%rep 3
        B jz    .z %+ i
        int3                            ; never
.z %+ i:
%assign i i + 1
%endrep
%rep 2
        B jnz   .never
%endrep
        I mov   ecx, 2
%assign reps 2
.again:
        B loop  .again
%assign reps 1
        B jrcxz .zero
        int3                            ; never
.zero:
        I mov   ecx, IA32_PERF_GLOBAL_CTRL
%rep 2
        B call  .leaf
%endrep
%rep 2
        B call  .z %+ i
.z %+ i:
        I add   rsp, 8
%assign i i + 1
%endrep
%rep 5
        B jmp   .z %+ i
.z %+ i:
%assign i i + 1
%endrep
        I lea   rax, [.indirect]
        B jmp   rax
.indirect:
        I lea   rax, [.leaf]
        B call  rax
        I push  rax
        B call  [rsp]
        I pop   rax
        I push  rax
        B call  .leaf_immediate
        I lea   rax, [.through_memory]
        I push  rax
        B jmp   [rsp]
.through_memory:
        I pop   rax
        B jmp   strict near .near
.near:
        I or    eax, 1
        B jnz   strict near .near_taken
        int3                            ; never
.near_taken:
        I mov   eax, cs
        I push  rax
        I lea   rax, [.far]
        I push  rax
        B o64 retf
.far:
        I mov   eax, cs
        I push  rax
        I lea   rax, [.far_jump]
        I push  rax
        B o64 jmp far [rsp]
.far_jump:
        I pop   rax
        I pop   rax
        I mov   rax, cr3
        I mov   cr3, rax
        I mov   rax, rsp
        I mov   edx, ss
        I push  rdx
        I push  rax
        I pushfq
        I mov   edx, cs
        I push  rdx
        I lea   rdx, [.over]
        I push  rdx
        B iretq
%assign reps 4
.leaf:
        B ret
%assign reps 1
.leaf_immediate:
        B ret   8
.never:
        ud2
        times   (2 * 4096 - 3 - ($ - $$) % 4096) % 4096 db 0xcc
.over:
        I mov   r11, strict qword 0x123456789abcdef0 ; on two pages
        I db    0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, \
                0, 0, 0, 0, 0           ; a NOP of 15 bytes
        I push  r11
        I lock inc qword [rsp]
        I lock xadd [rsp], r11
        I xchg  r11, [rsp]
        I pop   r11
        I nop
        I pause
        I lfence
        I mfence
        I sfence
        I cli                           ; they are off
        I cld
        I push  rsi
        I lodsb
        I pop   rsi
        I cmovz r11, rax
        I setz  al
        I enter 16, 0
        I leave
        I fnop
        I movd  eax, xmm0
        I prefetcht0 [rsp]
        I rdtsc
        I bswap rax
        I push  byte 1
        I push  strict dword 0x12345678
        I pop   rax
        I bts   qword [rsp], 3
        I pop   rax
        I xorps xmm0, xmm0
        I paddq xmm0, xmm0
        I rdmsr
        I smsw  rax
        I imul  rdx, rax, 3
        I rol   rax, 7
        I cmc
        I cqo
        I mov   r8d, 7
        I mov   eax, 100
        I xor   edx, edx
        I div   r8d
        I cdq
        I idiv  r8d
        I mul   r8d
        I imul  r8d
        I neg   r8
        I not   r8
        I adc   r8, rax
        I sbb   r8, rax
        I shl   r8, 1
        I sar   r8, 3
        I shrd  r8, rax, 5
        I rcr   r8, 1
        I bsf   r9, rax
        I bt    r8, 3
        I btc   r8, 5
        I movzx r9d, al
        I movsx r9, al
        I movsxd r9, eax
        I cwde
        I cdqe
        I cmpxchg r9, r8
        I xadd  r9, r8
        I xchg  r9, r8
        I test  eax, eax
        I cmp   eax, 1
        I and   eax, 1
        I sub   eax, 1
        I inc   eax
        I dec   eax
        I push  rdi
        I push  rsi
        I push  rax
        I push  rax
        I mov   rsi, rsp
        I lea   rdi, [rsp + 8]
        I movsq
        I mov   rdi, rsp
        I stosb
        I scasb
        I cmpsb
        I mov   r9, [rsp]
        I mov   [rsp], r9
        I add   [rsp], r9
        I not   qword [rsp]
        I cmp   byte [rsp], 0
        I fnstcw [rsp]
        I movdqu xmm0, [rsp]
        I clflush [rsp]
        I invlpg [rsp]
        I pop   rax
        I pop   rax
        I pop   rsi
        I pop   rdi
        I std
        I cld
        I stc
        I clc
        I lahf
        I sahf
        I pushfq
        I popfq
        I fld1
        I fstp  st0
        I cvtsi2sd xmm0, eax
        I mulps xmm0, xmm0
        I pxor  xmm0, xmm0
        I movaps xmm0, xmm0
        I shufps xmm0, xmm0, 0
        I mov   rax, cr0
        I mov   rax, dr7
        I str   eax
        I rdmsr
CLOSE window_branches

section .note.GNU-stack noalloc noexec nowrite progbits
