; SPDX-License-Identifier: BSD-2-Clause
;
; trace_contexts.asm - what runs in the window of a trace and changes whether it
; is traced, or is interrupted: ranges of addresses, CR3, exceptions.

bits 64
default rel

%include "trace_bodies.inc"

%define IA32_RTIT_CTL    0x570
%define IA32_RTIT_STATUS 0x571

section .text

; Into and out of [trace_range_first, trace_range_last], whose ends are one byte
; long, as the bytes before and after them are; and what a filter of that range
; leaves of it. Of a TIP.PGD by a direct jump the address is there, of one by a
; conditional branch it is not.
TRACED trace_body_range
        call    trace_range_before
        call    trace_range_first
.first: OUT     PGE, trace_range_first
        OUT     PGD, .first
        call    trace_range_after
        call    trace_range_last
.last:  OUT     PGE, trace_range_last
        OUT     PGD, .last
        jmp     short .direct
        int3
.direct:
        lea     rbx, [range_leaves]
        jmp     near range_in
        OUT     PGE, range_in
        OUT     TAKEN
        OUT     NOT_TAKEN
        OUT     TIP, range_leaves
range_out:
        OUT     PGD_DIRECT, range_out
        lea     rbx, [range_in_indirect]
        jmp     rbx
        OUT     PGE, range_in_indirect
        OUT     NOT_TAKEN
range_out_conditional:
        OUT     PGD_HIDDEN, range_out_conditional
        lea     rdx, [range_out_indirect]
        cmp     rax, rax
        je      near range_in_conditional
        OUT     PGE, range_in_conditional
        int3
range_out_indirect:
        OUT     PGD, range_out_indirect
        lea     rdx, [range_out_call]
        jmp     near range_call
        OUT     PGE, range_call
        OUT     RETURN, range_called
        int3
range_out_call:
        OUT     PGD, range_out_call
        pop     rax
        lea     rdx, [range_out_between] ; out and in between call and return
        lea     rbx, [range_out_between_end]
        jmp     near range_call_between
        OUT     PGE, range_call_between
range_out_between:
        OUT     PGD, range_out_between
        jmp     near range_returns
        OUT     PGE, range_returns
        OUT     TIP, range_called_between
range_out_between_end:
        OUT     PGD, range_out_between_end
        jmp     near range_calls_out
        OUT     PGE, range_calls_out
range_out_direct_call:
        OUT     PGD_DIRECT, range_out_direct_call
        pop     rax
TRACED_END

; A return to where its call was, which a filter up to there leaves out; and
; the next, outside.
TRACED trace_body_range_return
        call    range_return
        OUT     PGE, range_return
        OUT     PGD_MAY, trace_range_last
TRACED_END

global trace_range_before, trace_range_first, trace_range_taken
global trace_range_last, trace_range_after
align 16, db 0xcc
trace_range_before:
        ret
trace_range_first:
        ret
range_in:
        cmp     rax, rax
        je      short trace_range_taken
        int3
trace_range_taken:
        jne     short range_out
        jmp     rbx
        int3
range_leaves:
        jmp     near range_out          ; direct
range_in_indirect:
        cmp     rax, rax
        jne     near range_out
        je      near range_out_conditional
        int3
range_in_conditional:
        jmp     rdx
        int3
range_call:
        call    range_leaf              ; to and fro within
range_called:
        call    rdx
        int3
range_leaf:
        ret
range_call_between:
        call    range_leaves_between
range_called_between:
        jmp     rbx
        int3
range_leaves_between:
        jmp     rdx
        int3
range_calls_out:
        call    range_out_direct_call
        times 3 int3
range_returns:
        ret
        times 3 int3                    ; the last one's place modulo 8
range_return:
        call    trace_range_first
trace_range_last:
        ret
trace_range_after:
        ret

; Called from outside of a filter that begins where the return goes.
TRACED trace_body_range_called
        call    trace_called_last
global trace_called_first, trace_called_last
trace_called_first:
        jmp     short called_out
trace_called_last:
        ret
called_out:
        OUT     PGE, trace_called_last
        OUT     TIP, trace_called_first
        OUT     PGD_DIRECT, called_out
TRACED_END

; Calls either byte beside the range, then what the argument says.
global trace_body_stop, trace_body_stop_at
align 16, db 0xcc
trace_body_stop:
        call    trace_range_before
stop_before:
        call    trace_range_after
stop_after:
        call    rsi
        jmp     near trace_window_off

section .rodata
        align   4, db 0
trace_body_stop_at:
        dd      stop_before - trace_body_stop, stop_after - trace_body_stop
section .text

; The first cell has what CR3 holds, the second CR4.
global trace_body_cr3_read
trace_body_cr3_read:
        mov     rax, cr3
        mov     [r14 + CELLS], rax
        mov     rax, cr4
        mov     [r14 + CELLS + 8], rax
        jmp     near trace_window_off

; IA32_RTIT_STATUS, read again and again, for it may be late; the last goes into
; the first cell, IA32_RTIT_CTL into the second.
TRACED trace_body_status
        OUT     TIP, trace_body_status
        mov     ecx, IA32_RTIT_STATUS
%rep 32
        rdmsr
%endrep
        mov     [r14 + CELLS], eax
        mov     [r14 + CELLS + 4], edx
        dec     ecx                     ; IA32_RTIT_CTL
        rdmsr
        mov     [r14 + CELLS + 8], eax
        mov     [r14 + CELLS + 12], edx
TRACED_END

; CR3 is written with what it holds; then with the argument, and back. The first
; cell has what it holds.
TRACED trace_body_cr3
        OUT     TIP, trace_body_cr3
        mov     rax, cr3
        mov     [r14 + CELLS], rax
        cmp     rax, rax
        jne     trace_body_cr3_own
        OUT     NOT_TAKEN
global trace_body_cr3_own
trace_body_cr3_own:
        mov     cr3, rax
        OUT     PIP_OWN
        lea     rbx, [.between]
        je      .swap                   ; its result is due where CR3 changes
        OUT     TAKEN
        int3
.swap:  mov     cr3, rsi
        OUT     PIP_OTHER
        jmp     rbx
        int3
.between:
        OUT     TIP, .between
        mov     cr3, rax
global trace_body_cr3_back, trace_body_cr3_end
trace_body_cr3_back:
        OUT     PIP_OWN
        lea     rbx, [trace_body_cr3_end]
        jmp     rbx
        int3
trace_body_cr3_end:
        OUT     TIP, trace_body_cr3_end
TRACED_END

; A call, in which TraceEn becomes 0 and 1 again, and its return, which the trace
; has not seen the call of. IA32_RTIT_CTL is as before then.
TRACED trace_body_restart
        OUT     TIP, trace_body_restart
        call    .leaf
.back:  jmp     short .end
.leaf:  mov     ecx, IA32_RTIT_CTL
        rdmsr
        xor     eax, 1                  ; TraceEn
.off:   wrmsr
        OUT     FUP, .off
        OUT     PGD_HIDDEN, .off
        xor     eax, 1
        wrmsr
.on:    ret
        OUT     PGE, .on
        OUT     TIP, .back
.end:
TRACED_END

; Exceptions and software interrupts under the gates of trace_window_gates():
; the address of the instruction, that of the handler, and where it returns to.
; A fault is where the instruction is, a trap after it.
%define TRACE_INT 0x81

TRACED trace_body_events
        OUT     TIP, trace_body_events
        lea     rbx, [.after_ud2]
        cmp     rax, rax
        jne     .ud2
        OUT     NOT_TAKEN
        je      .ud2
        OUT     TAKEN
        int3
.ud2:   ud2
.after_ud2:
        OUT     FUP, .ud2
        OUT     TIP_HANDLER
        OUT     TIP, .after_ud2
        lea     rbx, [.after_div]
        xor     ecx, ecx
.div:   div     ecx
.after_div:
        OUT     FUP, .div
        OUT     TIP_HANDLER
        OUT     TIP, .after_div
        lea     rbx, [.after_load]
        mov     rax, 1 << 63
.load:  mov     rax, [rax]              ; #GP: not canonical
.after_load:
        OUT     FUP, .load
        OUT     TIP_ERROR
        OUT     TIP, .after_load
.int3:  int3
.after_int3:
        OUT     FUP, .int3
        OUT     TIP_TRAP
        OUT     TIP, .after_int3
        cmp     rax, rax
        jne     .int
        OUT     NOT_TAKEN
.int:   int     TRACE_INT
.after_int:
        OUT     FUP, .int
        OUT     TIP_TRAP
        OUT     TIP, .after_int
        lea     rbx, [r14 + CELLS]
        xor     eax, eax
        mov     rcx, dr0
        mov     rdx, dr7
        mov     rsi, dr6
        mov     dr0, rbx
        mov     ebx, 0x000d0002         ; writes of 8 bytes at DR0, global
        bts     ebx, 10
        mov     dr7, rbx
        cmp     rax, rax
        jne     .stored
        OUT     NOT_TAKEN
        mov     [r14 + CELLS], rax
.stored:
        nop
        mov     dr7, rdx
        mov     dr6, rsi
        mov     dr0, rcx
        OUT     FUP, .stored
        OUT     TIP_TRAP
        OUT     TIP, .stored
TRACED_END
global trace_body_events_end
trace_body_events_end:

; Page faults: loads from RSI and from RDI, where nothing is mapped.
TRACED trace_body_page_faults
        OUT     TIP, trace_body_page_faults
        lea     rbx, [.after_first]
.first: mov     rax, [rsi]
.after_first:
        OUT     FUP, .first
        OUT     TIP_ERROR
        OUT     TIP, .after_first
        lea     rbx, [.after_second]
.second:
        mov     rax, [rdi]
.after_second:
        OUT     FUP, .second
        OUT     TIP_ERROR
        OUT     TIP, .after_second
TRACED_END

; RFLAGS.IF set and cleared, by no branch; STI holds interrupts off for one
; instruction, which is the CLI.
TRACED trace_body_if
        OUT     TIP, trace_body_if
        pushfq
        cli
        pushfq
        sti
        cli
        sti
        popfq                           ; IF = 0 again: nothing comes before it
        popfq
TRACED_END

; IA32_RTIT_CTL is written with what it holds.
TRACED trace_body_rewrite
        OUT     TIP, trace_body_rewrite
        mov     ecx, IA32_RTIT_CTL
        rdmsr
        cmp     ecx, ecx
        jne     .again                  ; its result is due after the write
        OUT     NOT_TAKEN
.again: wrmsr
        je      .twice
        OUT     TAKEN
        int3
.twice: wrmsr
TRACED_END

section .note.GNU-stack noalloc noexec nowrite progbits
