; SPDX-License-Identifier: BSD-2-Clause
;
; lbr_times.asm - what runs while last branch records say how long it took, as in
; lbr_bodies.asm.

bits 64
default rel

%include "lbr_rows.inc"

%define IA32_PERF_GLOBAL_CTRL 0x38f

extern trace_window_off

section .text

; IA32_PERF_GLOBAL_CTRL is %1.
%macro ENABLE 1
        mov     ecx, IA32_PERF_GLOBAL_CTRL
        mov     eax, %1
        xor     edx, edx
        wrmsr
%endmacro

; RDPMC of IA32_PMC0 before and after each of two jumps.
%macro TIME 1
        lfence
        xor     ecx, ecx
        rdpmc
        lfence
        shl     rdx, 32
        or      rax, rdx
        mov     [r14 + CELLS + 8 * %1], rax
%endmacro

; %2 PAUSEs before, %3 between, %4 times, with conditional branches.
%macro TIMED 4
LBR_BODY %1
        ENABLE  1
        times %2 pause
        TIME    0
.first: jmp     short .begun
        ROW     LBR_REL_JMP, .first, .begun
        int3
.begun: TIME    1
        mov     ebx, %4
.turn:  times %3 pause
%if %4 > 1
        dec     ebx
.back:  jnz     .turn
%rep %4 - 1
        ROW     LBR_JCC, .back, .turn
%endrep
%endif
        TIME    2
.last:  jmp     short .ended
        ROW     LBR_REL_JMP, .last, .ended
        int3
.ended: TIME    3
        ENABLE  0
LBR_BODY_END
%endmacro

        TIMED   lbr_body_short, 64, 4, 1
        TIMED   lbr_body_long, 0, 1700, 1
        TIMED   lbr_body_between, 0, 32, 10

; Each kind of near branch after a long wait.
%macro WAIT 0
        times 64 imul eax, eax          ; each waits for the one before
%endmacro
LBR_BODY lbr_body_waits
        WAIT
        cmp     ebx, ebx
.jcc:   je      .after
        ROW     LBR_JCC, .jcc, .after
        int3
.after: WAIT
.jump:  jmp     short .near
        ROW     LBR_REL_JMP, .jump, .near
        int3
.near:  lea     rbx, [.indirect]
        WAIT
.jump_register:
        jmp     rbx
        ROW     LBR_IND_JMP, .jump_register, .indirect
        int3
.indirect:
        lea     rbx, [.leaf]
        WAIT
.call:  call    .leaf
.called:
        ROW     LBR_REL_CALL, .call, .leaf
        ROW     LBR_RET, .ret, .called
        WAIT
.call_register:
        call    rbx
.called_again:
        ROW     LBR_IND_CALL, .call_register, .leaf
        ROW     LBR_RET, .ret, .called_again
        WAIT
.over:  jmp     near .end
.leaf:  WAIT
.ret:   ret
.end:
        ROW     LBR_REL_JMP, .over, .end
LBR_BODY_END

section .note.GNU-stack noalloc noexec nowrite progbits
