; SPDX-License-Identifier: BSD-2-Clause
;
; trace_tx_range.asm - transactions over the bounds of a filter, in the window of
; a trace (SDM 3C, Intel Processor Trace, "TSX and IP Filtering"). RSI is a lock;
; what a body counts, and its pages, are as in trace_tx.asm.

bits 64
default rel

%include "trace_bodies.inc"
%include "trace_tx.inc"

section .text align=4096

; Over the bounds of a filter, [trace_tx_first, trace_tx_last], within
; transactions: begun outside, seen inside, committed outside; begun inside,
; committed outside; aborted inside, going on outside; and the other way round;
; aborted outside, and then seen inside; begun outside, committed inside; the
; same, aborted inside.
TRACED trace_body_tx_range
        mov     eax, -1
        xbegin  .out
        MODE_TSX_MAY BEGUN              ; without a FUP
        lea     rbx, [.one]
        jmp     near trace_tx_first
        OUT     PGE, trace_tx_first
.one:   OUT     PGD, .one
        xend
        MODE_TSX_MAY COMMITTED
        inc     qword [r14 + CELLS]

        lea     rbx, [.two]
        jmp     near tx_begins
        OUT     PGE, tx_begins
        MODE_TSX BEGUN
        OUT     FUP, tx_begins
.two:   OUT     PGD, .two
        xend
        MODE_TSX_MAY COMMITTED
        inc     qword [r14 + CELLS]

        mov     eax, -1
        xbegin  .three
        MODE_TSX_MAY BEGUN
        jmp     near tx_aborts
        OUT     PGE, tx_aborts
.three: MODE_TSX ABORTED
        OUT     FUP_MAY, tx_aborts
        OUT     PGD, .three
        call    tx_checks

        mov     eax, -1
        lea     rbx, [.four]
        jmp     near tx_has_fallback
        OUT     PGE, tx_has_fallback
        MODE_TSX BEGUN
        OUT     FUP, tx_has_fallback
.four:  OUT     PGD, .four
        xabort  TRACE_XABORT
        MODE_TSX ABORTED
        OUT     PGE, tx_fallback
.five:  OUT     PGD, .five
        call    tx_checks

        xbegin  .six                    ; all of it outside
        MODE_TSX_MAY BEGUN
        xabort  TRACE_XABORT
        MODE_TSX_MAY ABORTED
        int3
.six:   call    tx_checks
        lea     rbx, [.after]
        jmp     near trace_tx_first     ; the status is known there
        OUT     PGE, trace_tx_first
.after: OUT     PGD, .after

        lea     rbx, [.seven]
        xbegin  .out
        MODE_TSX_MAY BEGUN
        jmp     near tx_commits
        OUT     PGE, tx_commits
        MODE_TSX COMMITTED
        OUT     FUP, tx_commits
.seven: OUT     PGD, .seven
        inc     qword [r14 + CELLS]

        mov     eax, -1
        xbegin  tx_falls_back
        MODE_TSX_MAY BEGUN
        jmp     near tx_aborts
        OUT     PGE, tx_aborts
        MODE_TSX ABORTED
        OUT     FUP, tx_aborts
        OUT     TIP, tx_falls_back
.eight: OUT     PGD, .eight
        call    tx_checks
.out:
TRACED_END

; Elisions over the bounds of a filter, [trace_tx_first, trace_tx_last]: begun
; outside, seen inside, committed outside, and then seen inside, where XTEST says
; whether it was one; begun inside, aborted outside, going on inside; begun
; outside, aborted inside, going on outside. After an abort there is none.
TRACED trace_body_elision_seen
        mov     qword [r14 + CELLS], 0
        xacquire lock add dword [rsi], 1
        MODE_TSX_MAY BEGUN
        xtest
        setnz   [r14 + CELLS]
        lea     rbx, [.one]
        jmp     near trace_tx_first
        OUT     PGE, trace_tx_first
.one:   OUT     PGD, .one
        xrelease lock sub dword [rsi], 1
        MODE_TSX_MAY COMMITTED
        lea     rbx, [.out]
        jmp     near trace_tx_first
        OUT     PGE, trace_tx_first
.out:   OUT     PGD, .out
TRACED_END

TRACED trace_body_elision_back
        lea     rbx, [.outside]
        jmp     near tx_elides
        OUT     PGE, tx_elides
        MODE_TSX BEGUN
        OUT     FUP, tx_elides
.outside:
        OUT     PGD, .outside
        xtest
        jz      .release
        pause
        MODE_TSX ABORTED
        OUT     PGE, tx_elides
        OUT     PGD, .outside
.release:
        xrelease lock sub dword [rsi], 1
TRACED_END

TRACED trace_body_elision_out
.acquire:
        xacquire lock add dword [rsi], 1
        MODE_TSX_MAY BEGUN
        xtest
        jz      .release
        jmp     near tx_pauses
        OUT     PGE, tx_pauses
        MODE_TSX ABORTED
        OUT     FUP_MAY, tx_pauses
        OUT     PGD, .acquire
.release:
        xrelease lock sub dword [rsi], 1
TRACED_END

; Counts an abort by XABORT.
tx_checks:
        test    eax, 1
        jz      short .other
        inc     qword [r14 + CELLS]
.other: mov     eax, -1
        ret

global trace_tx_first, trace_tx_last
trace_tx_first:
        jmp     rbx
        int3
tx_begins:
        xbegin  trace_body_tx_range.out
        jmp     rbx
        int3
tx_aborts:
        xabort  TRACE_XABORT
        int3
tx_has_fallback:
        xbegin  tx_fallback
        jmp     rbx
        int3
tx_fallback:
        lea     rbx, [trace_body_tx_range.five]
        jmp     rbx
        int3
tx_elides:
        xacquire lock add dword [rsi], 1
        jmp     rbx
        int3
tx_pauses:
        pause
        int3
tx_commits:
        xend
        jmp     rbx
        int3
tx_falls_back:
        lea     rbx, [trace_body_tx_range.eight]
        jmp     rbx
trace_tx_last:
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
