; SPDX-License-Identifier: BSD-2-Clause
;
; pdir_windows.asm - windows of instructions of which each differs in length or
; kind from those around it, and has a label, so that the address in a record
; says which of them the record is of. None fuses with its neighbour: a compare
; does not stand before a branch.
;
; RSP is unchanged, R9 is a divisor, R8 counts turns; the rest of the registers
; that a caller does not expect back is used as it comes.

bits 64
default rel

%define IA32_PERF_GLOBAL_CTRL 0x38f
%define NOPS_MAX              160
%define BRANCHES_MAX          128

%macro OPEN 0
        mov     ecx, IA32_PERF_GLOBAL_CTRL
        mov     rax, rdi
        mov     rdx, rdi
        shr     rdx, 32
        wrmsr
%endmacro
%macro CLOSE 0
        mov     ecx, IA32_PERF_GLOBAL_CTRL
        xor     eax, eax
        xor     edx, edx
        wrmsr
%endmacro

; L: an instruction with its label, PREFIX_1, PREFIX_2 ..
%macro L 1+
%assign at at + 1
%[prefix]%[at]:
        %1
%endmacro

; 15 instructions, 1 to 10 bytes long, one of them slow.
%macro DISTINCT 0
        L nop
        L mov   r10, rax
        L mov   eax, 0x12345678
        L cdq
        L lea   r11, [r10 + rax * 2 + 0x1000]
        L mov   rsi, 0x123456789abcdef0
        L xor   edx, edx
        L div   r9
        L imul  r11, r10, 0x1234
        L bswap r10
        L mov   rax, [rsp]
        L db    0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0   ; a NOP of 9 bytes
        L add   r10, 1
        L movzx eax, r10b
        L shl   rax, 3
%endmacro

%macro TABLE 2                          ; name, instructions
global %1
%1:
%assign i 0
%rep %2 + 1
%assign i i + 1
        dd      %[prefix]%[i] - pdir_code
%endrep
%endmacro

section .rodata
        align   4, db 0
%define prefix straight_
TABLE pdir_straight_at, 48
%define prefix loop_
TABLE pdir_loop_at, 31
%define prefix branch_
TABLE pdir_branches_at, 48

section .text align=64
global pdir_code
pdir_code:

; void pdir_straight(uint64_t rdi enable, uint64_t rsi nops)
global pdir_straight
pdir_straight:
        lea     r8, [.labelled]
        sub     r8, rsi                 ; a NOP is a byte long
        mov     r9d, 3
        OPEN
        jmp     r8
        times   NOPS_MAX nop
.labelled:
%define prefix straight_
%assign at 0
%rep 3
        DISTINCT
        L not   eax
%endrep
%assign at at + 1
straight_%[at]:
        CLOSE
        ret

; void pdir_loop(uint64_t rdi enable, uint64_t rsi turns)
global pdir_loop
pdir_loop:
        mov     r8, rsi
        mov     r9d, 3
        OPEN
%define prefix loop_
%assign at 0
        DISTINCT
        L mov   eax, r8d
        L test  r10, r10
        L setc  al
        L lea   r11, [r11 + 8]
        L not   r10
        L mov   rsi, 0x0fedcba987654321
        L cwde
        L movzx edx, al
        L sub   r11, rsi
        L mov   rdx, rsp
        L xchg  r10, r11
        L sar   r11, 7
        L add   eax, 0x11223344
        L dec   r8
        L lea   r10, [r10 + 1]          ; leaves the flags of DEC alone
        L jnz   near loop_1
%assign at at + 1
loop_%[at]:
        CLOSE
        ret

; JC to the next instruction, in 6 bytes.
%macro BRANCH 0
        db      0x0f, 0x82, 0, 0, 0, 0
%endmacro

; void pdir_branches(uint64_t rdi enable, uint64_t rsi before)
global pdir_branches
pdir_branches:
        lea     r8, [.labelled]
        imul    rsi, rsi, 6
        sub     r8, rsi
        OPEN
        clc
        jmp     r8
%rep BRANCHES_MAX
        BRANCH
%endrep
.labelled:
%define prefix branch_
%assign at 0
%rep 48
        L BRANCH
%endrep
%assign at at + 1
branch_%[at]:
        CLOSE
        ret

; uint64_t pdir_opening(uint64_t rdi enable, uint32_t esi index)
; Between the WRMSR and RDPMC are two instructions; LFENCE waits until what is
; before it has completed.
global pdir_opening
pdir_opening:
        OPEN
        mov     ecx, esi
        lfence
        rdpmc
        mov     r8d, eax
        shl     rdx, 32
        or      r8, rdx
        CLOSE
        mov     rax, r8
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
