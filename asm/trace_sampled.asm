; SPDX-License-Identifier: BSD-2-Clause
;
; trace_sampled.asm - the window of records, asm/pebs_window.asm, traced.

bits 64
default rel

%include "trace_bodies.inc"

%define EVENTS 256                      ; PEBS_EVENTS of pebs_window.h

extern pebs_window

; RSI opens the window, RDI is where it leaves RSP and RFLAGS.
TRACED trace_body_sampled
        OUT     TIP, trace_body_sampled
        mov     rdx, rdi
        mov     rdi, rsi
        xor     esi, esi
        call    pebs_window
%rep EVENTS
        OUT     NOT_TAKEN
%endrep
.back:  OUT     RETURN, .back
TRACED_END

section .note.GNU-stack noalloc noexec nowrite progbits
