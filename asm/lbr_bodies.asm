; SPDX-License-Identifier: BSD-2-Clause
;
; lbr_bodies.asm - what runs while last branch records are taken: branches of
; every kind, each with the record that it has to leave. R14 is the struct
; trace_window of trace_window.h.

bits 64
default rel

%include "iret_frame.inc"
%include "lbr_rows.inc"

%define MSR   0x48
%define INT_VECTOR            0x81      ; TRACE_INT of trace_window.h

extern trace_window_off

section .text

LBR_BODY lbr_body_nothing
LBR_BODY_END

; Each kind that MSR_LBR_SELECT tells apart; with the two of the window not more
; than 16. The indirect jump is through memory: ring3_body_kinds has one through a
; register.
LBR_BODY lbr_body_kinds
        cmp     eax, eax
.jcc:   je      short .next
        ROW     LBR_JCC, .jcc, .next
        int3
.next:
        jne     short .jcc
.jcc_near:
        je      strict near .after
        ROW     LBR_JCC, .jcc_near, .after
        int3
.after: mov     ecx, 2
.loop:  loop    .jump
        ROW     LBR_JCC, .loop, .jump
        int3
.leaf:  ret
.pops:  ret     8
.jump:  jmp     short .near
        ROW     LBR_REL_JMP, .jump, .near
        int3
.near:  lea     rbx, [.indirect]
        push    rbx
.jump_memory:
        jmp     qword [rsp]
        ROW     LBR_IND_JMP, .jump_memory, .indirect
        int3
.indirect:
        pop     rbx
        lea     rbx, [.leaf]
.call:  call    .leaf
.called:
        ROW     LBR_REL_CALL, .call, .leaf
        ROW     LBR_RET, .leaf, .called
.call_register:
        call    rbx
.called_again:
        ROW     LBR_IND_CALL, .call_register, .leaf
        ROW     LBR_RET, .leaf, .called_again
        lea     rbx, [.pops]
        push    rbx
.call_memory:
        call    qword [rsp]
.popped:
        ROW     LBR_IND_CALL, .call_memory, .pops
        ROW     LBR_RET, .pops, .popped
        mov     eax, cs
        lea     rbx, [.far]
        push    rax
        push    rbx
.retf:  o64 retf
        ROW     LBR_FAR, .retf, .far
.far:   lea     rbx, [.far_again]
        push    rax
        push    rbx
.jump_far:
        o64 jmp far [rsp]
        ROW     LBR_FAR, .jump_far, .far_again
.far_again:
        add     rsp, 16
        IRET_FRAME .interrupted
.iret:  iretq
        ROW     LBR_FAR, .iret, .interrupted
.interrupted:
LBR_BODY_END

; Each condition, taken and not: CMP of %2 and %3 satisfies %1, CMP of %4 and %5
; does not.
%macro CONDITION 5
        mov     al, %2
        cmp     al, %3
%%jump: j%+1    short %%taken
        ROW     LBR_JCC, %%jump, %%taken
        int3
%%taken:
        mov     al, %4
        cmp     al, %5
        j%+1    near %%jump
%endmacro

LBR_BODY lbr_body_flags
        CONDITION o, 0x80, 1, 1, 0
        CONDITION no, 1, 0, 0x80, 1
        CONDITION b, 0, 1, 1, 0
        CONDITION ae, 1, 0, 0, 1
        CONDITION e, 1, 1, 1, 0
        CONDITION ne, 1, 0, 1, 1
        CONDITION be, 0, 1, 1, 0
        CONDITION a, 1, 0, 0, 1
LBR_BODY_END

LBR_BODY lbr_body_signs
        CONDITION s, 0, 1, 1, 0
        CONDITION ns, 1, 0, 0, 1
        CONDITION p, 3, 0, 1, 0
        CONDITION np, 1, 0, 3, 0
        CONDITION l, 0, 1, 1, 0
        CONDITION ge, 1, 0, 0, 1
        CONDITION le, 0, 1, 1, 0
        CONDITION g, 1, 0, 0, 1
        xor     ecx, ecx
.rcx:   jrcxz   .zero
        ROW     LBR_JCC, .rcx, .zero
        int3
.zero:  mov     ecx, 1
        loop    .rcx                    ; not taken: RCX is 0
        inc     ecx
        jrcxz   .rcx
        inc     ecx
.self:  loop    .self                   ; once
        ROW     LBR_JCC, .self, .self
        jmp     short .below
.above: jmp     short .end
.below: jmp     short .above
        ROW     LBR_REL_JMP, .above - 2, .below
        ROW     LBR_REL_JMP, .below, .above
        ROW     LBR_REL_JMP, .above, .end
        int3
.end:
LBR_BODY_END

; What enables it is written as it is.
LBR_BODY lbr_body_again
.before:
        jmp     short .write
        ROW     LBR_REL_JMP, .before, .write
        int3
.write: mov     ecx, [r14 + MSR]
        rdmsr
        wrmsr
.after: jmp     short .end
        ROW     LBR_REL_JMP, .after, .end
        int3
.end:
LBR_BODY_END

; Conditional branches, taken where RSI has a 1.
LBR_BODY lbr_body_bits
        BRANCHES_BY_BITS LBR_JCC
LBR_BODY_END

; To one of two places a NOP apart, by bit i of RSI, by %1: a row of %2.
%macro TO_EITHER 2
        lea     rbx, [.lower_%+i]
        lea     rcx, [.upper_%+i]
        bt      esi, i
        cmovc   rbx, rcx
.goes_%+i:
        %1      rbx
        ROW     %2, .goes_%+i, .upper_%+i
        int3
.lower_%+i:
        nop
.upper_%+i:
%endmacro

; By jumps, and from there on.
LBR_BODY lbr_body_targets
%assign i 0
%rep 6
        TO_EITHER jmp, LBR_IND_JMP
        jmp     short .next_%+i
        ROW     LBR_REL_JMP, .upper_%+i, .next_%+i
        int3
.next_%+i:
%assign i i + 1
%endrep
LBR_BODY_END

; By calls, which return to elsewhere than where they come from.
LBR_BODY lbr_body_callees
%assign i 0
%rep 6
        TO_EITHER call, LBR_IND_CALL
        lea     rax, [.next_%+i]
        mov     [rsp], rax
.back_%+i:
        ret
        ROW     LBR_RET, .back_%+i, .next_%+i
        int3
.next_%+i:
%assign i i + 1
%endrep
LBR_BODY_END

; Jumps, each to the next; entered at any of them.
LBR_BODY lbr_body_chain
%assign i 0
%rep 80
.chain_%+i:
        jmp     short .to_%+i
.to_%+i:
        ROW     LBR_REL_JMP, .chain_%+i, .to_%+i
%assign i i + 1
%endrep
LBR_BODY_END

; Calls, of which two have not returned in the end, and branches of other kinds.
LBR_BODY lbr_body_calls
        lea     rbx, [.middle]
        call    .leaf
.call_next:
        call    .next                   ; of no length
        ROW     LBR_REL_CALL | LBR_MAY, .call_next, .next
.next:  pop     rax
.call_outer:
        call    .outer
        ROW     LBR_REL_CALL, .call_outer, .outer
.leaf:  ret
.pops:  ret     8
.outer: call    .leaf
        push    rbx
        call    .pops
.call_middle:
        call    rbx
        ROW     LBR_IND_CALL, .call_middle, .middle
        int3
.middle:
        call    .leaf
        jmp     short .condition
        int3
.condition:
        cmp     eax, eax
        je      .indirect
        int3
.indirect:
        lea     rbx, [.far]
        jmp     rbx
        int3
.far:   lea     rbx, [.stay]
        mov     eax, cs
        push    rax
        push    rbx
        o64 retf
        int3
.stay:  add     rsp, 16
LBR_BODY_END

; Calls, each from where the one before leads to, the last of which return.
; Entered at any of them; RSI is how many will not have returned.
%define CALLS    40
%define RETURNED 4
LBR_BODY lbr_body_deep
%assign i 0
%rep CALLS
.call_%+i:
        call    .to_%+i
.back_%+i:
%if i > CALLS - RETURNED
        ret
%elif i == CALLS - RETURNED
        jmp     near .done
%endif
        nop
.to_%+i:
        ROW     LBR_REL_CALL, .call_%+i, .to_%+i
%assign i i + 1
%endrep
        ret
.done:  lea     rsp, [rsp + rsi * 8]
LBR_BODY_END

; #UD, #DE and INT n, between branches; a row of each is of the way there and
; back.
LBR_BODY lbr_body_exceptions
        xor     ecx, ecx
        lea     rbx, [.after_ud2]
.ud2:   ud2
        ROW     LBR_FAR, .ud2, .after_ud2
        int3
.after_ud2:
        jmp     short .next
        ROW     LBR_REL_JMP, .after_ud2, .next
        int3
.next:  lea     rbx, [.after_div]
.div:   div     ecx
        ROW     LBR_FAR, .div, .after_div
        int3
.after_div:
        lea     rbx, [.after_int]
.int:   int     INT_VECTOR
        ROW     LBR_FAR, .int, .after_int
        int3
.after_int:
LBR_BODY_END

; A store that DR0 watches, between jumps. The rows end with it.
LBR_BODY lbr_body_debug
        lea     rbx, [r14 + CELLS]
        mov     r8, dr0
        mov     r9, dr7
        mov     r10, dr6
        mov     dr0, rbx
        mov     ebx, 0x000d0402         ; writes of 8 bytes at DR0, global
        mov     dr7, rbx
.before:
        jmp     short .store
        ROW     LBR_REL_JMP, .before, .store
        int3
.store: mov     qword [r14 + CELLS], 1
        mov     ecx, [r14 + MSR]
        rdmsr
        mov     [r14 + CELLS + 8], eax
        jmp     short .after
        int3
.after: mov     dr7, r9
        mov     dr6, r10
        mov     dr0, r8
LBR_BODY_END

section .note.GNU-stack noalloc noexec nowrite progbits
