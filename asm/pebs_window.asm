; SPDX-License-Identifier: BSD-2-Clause
;
; pebs_window.asm - the window in which records are made: one event after the
; other, at known addresses, with every register known, so that a record says by
; itself which event it is of.
;
; The event is a conditional branch that is not taken. LEA counts the events and
; leaves the flags alone; it does not fuse with the branch. Each pair is
; PEBS_EVENT_BYTES long: event k's branch is at pebs_events + (k - 1) *
; PEBS_EVENT_BYTES + PEBS_EVENT_BRANCH, and the next instruction at pebs_events
; + k * PEBS_EVENT_BYTES.

bits 64
default rel

%include "preserved.inc"

%define IA32_PERF_GLOBAL_CTRL 0x38f
%define EVENTS                256
%define EVENT_BYTES           10
%define EVENT_BRANCH          4

%define STATUS_FLAGS          0x8d5     ; OF, SF, ZF, AF, PF, CF

; pebs_window.h: PEBS_PLANTED(n)
%define PLANTED(n) (0x5eb5c0de00000000 + (n) * 0x0101010101)

section .text align=64

; void pebs_window(uint64_t rdi enable, uint64_t rsi flags, struct pebs_state
; *rdx) RDI goes into 38FH, 0 at the end. The status flags during the events are
; RSI, OF is 0; RSP and RFLAGS are stored to [RDX]. WRMSR is not guarded.
global pebs_window, pebs_events
pebs_window:
        push_preserved
        pushfq
        mov     [rdx], rsp              ; as POPFQ below leaves it
        mov     rax, [rsp]
        and     rax, ~STATUS_FLAGS
        or      rax, rsi
        mov     [rdx + 8], rax
        push    rax
        mov     ecx, IA32_PERF_GLOBAL_CTRL
        mov     rax, rdi
        mov     rdx, rdi
        shr     rdx, 32
        wrmsr
        mov     rax, PLANTED(0)
        mov     rbx, PLANTED(1)
        mov     rcx, PLANTED(2)
        mov     rdx, PLANTED(3)
        mov     rsi, PLANTED(4)
        mov     rdi, PLANTED(5)
        mov     rbp, PLANTED(6)
        mov     r8, PLANTED(8)
        mov     r9, PLANTED(9)
        mov     r10, PLANTED(10)
        mov     r11, PLANTED(11)
        mov     r12, PLANTED(12)
        mov     r13, PLANTED(13)
        mov     r14, PLANTED(14)
        mov     r15, PLANTED(15)
        popfq
pebs_events:
%rep EVENTS
        lea     r15, [r15 + 1]
        jo      near .done
%endrep
.done:
        times   -(.done - pebs_events - EVENTS * EVENT_BYTES) db 0
        times   (.done - pebs_events - EVENTS * EVENT_BYTES) db 0
        mov     ecx, IA32_PERF_GLOBAL_CTRL
        xor     eax, eax
        xor     edx, edx
        wrmsr
        popfq
        pop_preserved
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
