; SPDX-License-Identifier: BSD-2-Clause
;
; counting_window.asm - measured windows: one WRMSR to IA32_PERF_GLOBAL_CTRL
; (38FH) opens and one closes, with a body between of which every instruction is
; counted here by the assembler.
;
;   uint64_t window_X(uint64_t rdi enable, uint64_t *rsi cells)
;
; RDI goes into 38FH whole; 0 goes into it at the end. Returns the number of
; transactions that reached their fallback path. WRMSR to 38FH is not guarded:
; the caller has tried the value before. RSI: four cells that a body may write.
;
; window_X_shape is four dwords (struct window_shape): the instructions and
; branches strictly between the two WRMSRs, the transactions among them, and how
; many of the instructions lie from XBEGIN to XEND. A body must leave ECX alone.
; Bodies with transactions lie on pages of their own, as in rtm_store.asm.

bits 64
default rel

%include "window.inc"

; A transaction with one store. Committed: 4 instructions inside and the JMP.
; Aborted: 0 to 4 of those inside (the manual does not say where an abort comes)
; and the ADD in place of the JMP, so one branch less.
%macro TRANSACTION 0
%assign transactions transactions + 1
        T xbegin %%fallback
        T mov   [rsi], r8
        T add   r8, 1
        T xend
        B jmp   %%next
%%fallback:
        add     r10, 1                  ; instead of the JMP above: not counted
%%next:
%endmacro

; Time without many instructions: dependent divisions.
%macro DIVISIONS 1
%rep %1
        I xor   edx, edx
        I div   r9
%endrep
%endmacro

; So many branches, and as many instructions and one more.
%macro BRANCHES_OF 1
        I mov   r8d, %1
%assign reps %1
%%loop:
        I dec   r8d
        B jnz   %%loop
%assign reps 1
%endmacro

section .text align=4096

; No transactions: 21 instructions, 8 branches of four kinds (a conditional one
; taken and not taken, a call, a return, a jump).
OPEN window_plain
        I mov   r8d, 5
%assign reps 5
.loop:
        I add   r11, r8
        I dec   r8d
        B jnz   .loop
%assign reps 1
        B call  .leaf
        B jmp   .over
.leaf:
        B ret
.over:
CLOSE window_plain

; No transactions, some hundred cycles: 20 instructions, no branch.
OPEN window_slow
        I mov   rax, -1
        I mov   r11, rax
        DIVISIONS 8
CLOSE window_slow

; Thousands of cycles, for what counts slowly: 128 divisions' instructions and 8
; branches.
OPEN window_long
        I mov   rax, -1
%assign i 0
%rep 8
        DIVISIONS 8
        B jmp   .part %+ i
.part %+ i:
%assign i i + 1
%endrep
CLOSE window_long

; 64 branches that are taken where cells[0] has a 1, from bit 0 up, in a loop:
; random ones cannot be predicted. Where taken, there is an instruction less.
OPEN window_random
        I mov   rax, [rsi]
        I mov   r8d, 64
%assign reps 64
.loop:
        I shr   rax, 1
        B jc    .taken
        I nop
.taken:
        I dec   r8d
        B jnz   .loop
%assign reps 1
CLOSE window_random

; 32 returns to where nothing was called from, to one of two places by cells[0],
; from bit 0 up.
OPEN window_returns
        I mov   rax, [rsi]
        I mov   r8d, 32
        I lea   r11, [.further]
%assign reps 32
.loop:
        I lea   rdi, [.near]
        I shr   rax, 1
        I cmovc rdi, r11
        I push  rdi
        B ret
.near:
        I nop
.further:
        I dec   r8d
        B jnz   .loop
%assign reps 1
CLOSE window_returns

; 32 jumps through a register, to one of two places by cells[0], from bit 0 up.
OPEN window_indirect
        I mov   rax, [rsi]
        I mov   r8d, 32
        I lea   r11, [.further]
%assign reps 32
.loop:
        I lea   rdi, [.near]
        I shr   rax, 1
        I cmovc rdi, r11
        B jmp   rdi
.near:
        I nop
.further:
        I dec   r8d
        B jnz   .loop
%assign reps 1
CLOSE window_indirect

; Eight instructions that load twice each.
OPEN window_compare
        I lea   rsi, [window_compare]
        I mov   rdi, rsi
%rep 8
        I cmpsb
%endrep
CLOSE window_compare

; One instruction with REP that goes round as often as the first of the bytes at
; cells[0] say, and over these, one that does not, and CPUID three times.
OPEN window_rep
        I mov   rsi, [rsi]
        I mov   ecx, [rsi]
        I rep   lodsb
        I xor   ecx, ecx
        I rep   lodsb
        I mov   rsi, rbx
%rep 3
        I xor   eax, eax
        I cpuid
%endrep
        I mov   rbx, rsi
        I mov   ecx, IA32_PERF_GLOBAL_CTRL
CLOSE window_rep

; void counting_work(void *): WORK_BRANCHES jumps, far apart in time, without a
; WRMSR: for what an interrupt stops.
global counting_work
counting_work:
        mov     r9d, 3
        mov     rax, -1
%assign i 0
%rep 12
%rep 4
        xor     edx, edx
        div     r9
%endrep
        jmp     .part %+ i
.part %+ i:
%assign i i + 1
%endrep
        ret
        align   16, db 0xcc

; Of 12 branches of one kind, 3 before IA32_PERF_GLOBAL_CTRL is written with 0
; and 4 after it was written with RDI again; those between are not counted here.
OPEN window_paused
        I mov   r8d, 3
%assign reps 3
.before:
        I dec   r8d
        B jnz   .before
%assign reps 1
        I xor   eax, eax
        I xor   edx, edx
        wrmsr                           ; as a closing one: not counted here
        mov     r8d, 5
.between:
        dec     r8d
        jnz     .between
        mov     rax, rdi
        mov     rdx, rdi
        shr     rdx, 32
        wrmsr
        I mov   r8d, 4
%assign reps 4
.after:
        I dec   r8d
        B jnz   .after
%assign reps 1
CLOSE window_paused

; Of 12 branches of one kind, 3 before a register is written that cells[0] names
; and 4 after it was written a second time; just before each write counters are
; read, once the branches before have retired: neither read waits for that by
; itself. cells[0] is the address of a struct window_live.
OPEN window_live
        I mov   rsi, [rsi]
%assign part 0
%rep 2
        BRANCHES_OF 3 + 2 * part
        I mov   ecx, [rsi]
        I lfence
        I rdpmc
        I mov   [rsi + 32 + 8 * part], eax
        I mov   [rsi + 36 + 8 * part], edx
        I mov   ecx, [rsi + 4]
        I lfence
        I rdmsr
        I mov   [rsi + 48 + 8 * part], eax
        I mov   [rsi + 52 + 8 * part], edx
        I mov   ecx, [rsi + 8]
        I mov   eax, [rsi + 16 + 8 * part]
        I mov   edx, [rsi + 20 + 8 * part]
        I wrmsr
%assign part part + 1
%endrep
        BRANCHES_OF 4
        I mov   ecx, IA32_PERF_GLOBAL_CTRL
CLOSE window_live

align 4096, db 0xcc

; Two transactions: 28 instructions, 5 branches where both commit.
OPEN window_rtm
        I mov   rax, -1
        TRANSACTION
        DIVISIONS 4
        TRANSACTION
        I mov   r11d, 3
%assign reps 3
.loop:
        I dec   r11d
        B jnz   .loop
%assign reps 1
CLOSE window_rtm

; One transaction with 27 instructions inside, to see how far an aborted one
; came: 30 instructions, 1 branch where it commits.
OPEN window_rtm_long
%assign transactions transactions + 1
        T xbegin .fallback
        T mov   [rsi], r8
%rep 24
        T nop
%endrep
        T xend
        B jmp   .next
.fallback:
        add     r10, 1                  ; instead of the JMP above: not counted
.next:
CLOSE window_rtm_long

align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
