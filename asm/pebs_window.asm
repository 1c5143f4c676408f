; SPDX-License-Identifier: BSD-2-Clause
;
; pebs_window.asm - windows in which records are made: one event after the
; other, at known addresses, with every register known, so that a record says by
; itself which event it is of.
;
; The event is a conditional branch. LEA counts the events and leaves the flags
; alone; it does not fuse with the branch. In pebs_window() no branch is taken:
; each pair is PEBS_EVENT_BYTES long, event k's branch is at pebs_events + (k -
; 1) * PEBS_EVENT_BYTES + PEBS_EVENT_BRANCH, and the next instruction at
; pebs_events + k * PEBS_EVENT_BYTES. In pebs_window_taken() each is, over bytes
; that are no instruction; in pebs_window_back(), to the event before it in
; memory.

bits 64
default rel

%include "preserved.inc"

%define IA32_PERF_GLOBAL_CTRL 0x38f
%define IA32_PEBS_ENABLE      0x3f1
%define EVENTS                256
%define EVENT_BYTES           10
%define EVENT_BRANCH          4
%define TAKEN_BYTES           8
%define BACK_BYTES            8         ; downwards
%define LATE                  32        ; events after each WRMSR that stops
%define TIMED                 64
%define PAGE                  4096
%define PAGE_EVENT            128
%define OPEN_BYTES            255       ; of open_window
%define COMPLEMENT_BIT        63        ; pebs_window.h: PEBS_COMPLEMENT
%define OF_BIT                11
%define OF_BYTES              5         ; of what sets it

%define STATUS_FLAGS          0x8d5     ; OF, SF, ZF, AF, PF, CF

; pebs_window.h: PEBS_PLANTED(n)
%define PLANTED(n) (0x5eb5c0de00000000 + (n) * 0x0101010101)

; As it is, or with each bit the other.
%macro plant 2
        mov     %1, %2
        xor     %1, r15
%endmacro

; RDI goes into 38FH. The flags during the events are those of the caller, with
; RSI for the status flags; RSP, RFLAGS, and ~0 or 0 as RSI has COMPLEMENT_BIT,
; are stored to [RDX]. WRMSR is not guarded.
%macro open_window 0
        push_preserved
        pushfq
        mov     [rdx], rsp              ; as POPFQ below leaves it
        mov     r15, rsi
        sar     r15, 63
        btr     rsi, COMPLEMENT_BIT
        mov     [rdx + 16], r15
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
        plant   rax, PLANTED(0)
        plant   rbx, PLANTED(1)
        plant   rcx, PLANTED(2)
        plant   rdx, PLANTED(3)
        plant   rsi, PLANTED(4)
        plant   rdi, PLANTED(5)
        plant   rbp, PLANTED(6)
        plant   r8, PLANTED(8)
        plant   r9, PLANTED(9)
        plant   r10, PLANTED(10)
        plant   r11, PLANTED(11)
        plant   r12, PLANTED(12)
        plant   r13, PLANTED(13)
        plant   r14, PLANTED(14)
        xor     r15, [planted_15]
        popfq
%endmacro

; The MSR is written with 0; RAX, RCX, RDX and flags change.
%macro clear_msr 1
        mov     ecx, %1
        xor     eax, eax
        xor     edx, edx
        wrmsr
%endmacro

%macro close_window 0
        clear_msr IA32_PERF_GLOBAL_CTRL
        popfq
        pop_preserved
        ret
%endmacro

; So many events, none taken. OF has to be 0.
%macro events 1
%rep %1
        lea     r15, [r15 + 1]
        jo      near %%done
%endrep
%%done:
%endmacro

section .rodata align=8
planted_15:
        dq      PLANTED(15)
planted_xmm:
%assign n 0
%rep 32
        dq      PLANTED(n)
%assign n n + 1
%endrep
planted_complement:
%assign n 0
%rep 32
        dq      ~PLANTED(n)
%assign n n + 1
%endrep

section .text align=4096
code:
        times   PAGE - PAGE_EVENT * EVENT_BYTES - OPEN_BYTES db 0

; void pebs_window(uint64_t rdi enable, uint64_t rsi flags, struct pebs_state
; *rdx)
global pebs_window, pebs_events
pebs_window:
        open_window
pebs_events:
        times   pebs_events - pebs_window - OPEN_BYTES db 0
        times   OPEN_BYTES - (pebs_events - pebs_window) db 0
        events  EVENTS
.done:
        times   -(.done - pebs_events - EVENTS * EVENT_BYTES) db 0
        times   (.done - pebs_events - EVENTS * EVENT_BYTES) db 0
        close_window

; The same with branches that are taken, each over two bytes that are none, and
; with OF.
global pebs_window_taken, pebs_events_taken
        times   2 * PAGE - PAGE_EVENT * TAKEN_BYTES - EVENT_BRANCH - OPEN_BYTES - OF_BYTES - ($ - code) db 0
pebs_window_taken:
        bts     rsi, OF_BIT
        open_window
pebs_events_taken:
%rep EVENTS
        lea     r15, [r15 + 1]
        jo      short $ + 4
        ud2
%endrep
.done:
        times   -(.done - pebs_events_taken - EVENTS * TAKEN_BYTES) db 0
        times   (.done - pebs_events_taken - EVENTS * TAKEN_BYTES) db 0
        close_window

; The same with branches to lower addresses: the first event is the last in
; memory.
global pebs_window_back, pebs_events_back
pebs_window_back:
        bts     rsi, OF_BIT
        open_window
        jmp     near pebs_events_back + EVENTS * BACK_BYTES
pebs_events_back:
        jmp     near .close
        times   BACK_BYTES - ($ - pebs_events_back) db 0
%rep EVENTS
        lea     r15, [r15 + 1]
        jo      short $ - BACK_BYTES - EVENT_BRANCH
        ud2
%endrep
.close:
        times   -(.close - pebs_events_back - (EVENTS + 1) * BACK_BYTES) db 0
        times   (.close - pebs_events_back - (EVENTS + 1) * BACK_BYTES) db 0
        close_window

; pebs_window() with the documented stop in the middle of events: 38FH = 0 after
; EVENTS of them, LATE more, 3F1H = 0, LATE more.
global pebs_window_stopped
pebs_window_stopped:
        open_window
        events  EVENTS
        clear_msr IA32_PERF_GLOBAL_CTRL
        events  LATE
        clear_msr IA32_PEBS_ENABLE
        events  LATE
        close_window

; void pebs_window_timed(uint64_t rdi enable, uint64_t rsi *times, struct
; pebs_state *rdx)
; TIMED events, and the time-stamp counter before each and after the last.
global pebs_window_timed, pebs_timed_end
pebs_window_timed:
        mov     r8, rsi
        xor     esi, esi
        push    r8
        open_window
        mov     rdi, [rsp + 7 * 8]      ; flags and six registers above it
%macro time 0
        lfence
        rdtsc
        shl     rdx, 32
        or      rax, rdx
        mov     [rdi], rax
        lea     rdi, [rdi + 8]
%endmacro
%rep TIMED
        time
        lea     r15, [r15 + 1]
        jo      near .done
%endrep
.done:  time
pebs_timed_end:
        clear_msr IA32_PERF_GLOBAL_CTRL
        popfq
        pop_preserved
        pop     rax
        ret

; pebs_window() with XMM0 to XMM15 planted, which are then as before.
global pebs_window_xmm
pebs_window_xmm:
        sub     rsp, 16 * 16 + 8
        lea     rax, [planted_xmm]
        lea     rcx, [planted_complement]
        test    rsi, rsi                ; COMPLEMENT_BIT
        cmovs   rax, rcx
%assign n 0
%rep 16
        movups  [rsp + 16 * n], xmm %+ n
        movups  xmm %+ n, [rax + 16 * n]
%assign n n + 1
%endrep
        call    pebs_window
%assign n 0
%rep 16
        movups  xmm %+ n, [rsp + 16 * n]
%assign n n + 1
%endrep
        add     rsp, 16 * 16 + 8
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
