; SPDX-License-Identifier: BSD-2-Clause
;
; trace_addresses.asm - code that is traced under more than one address.

bits 64
default rel

%include "ptwrite.inc"
%include "trace_bodies.inc"

%define FAR_FIRST  21                   ; TRACE_FAR_FIRST
%define FAR_BITS   26                   ; TRACE_FAR_BITS

section .text

; The same code at other addresses. CR3 of RDI maps it RSI higher, and 2 MB
; above that once more. A direct jump leads to the exception, so that its FUP is
; the first address of its page, and its handler lies 2 MB below it.
TRACED trace_body_alias
        OUT     TIP, trace_body_alias
        TO_ALIAS
        lea     rbx, [.higher]
        add     rbx, ALIAS_STEP
        jmp     rbx
.higher:
        OUT     TIP_ALIAS_2, .higher
        lea     rbx, [.lower]
        sub     rbx, ALIAS_STEP
        jmp     rbx
.lower: OUT     TIP_ALIAS, .lower
        jmp     near .trap + ALIAS_STEP ; direct
.trap:  int3
        OUT     FUP_ALIAS_2, .trap
        OUT     TIP_ALIAS, trace_alias_handler
        OUT     TIP_ALIAS_2, .after
.after: lea     rbx, [.down]
        sub     rbx, ALIAS_STEP
        jmp     rbx
.down:  OUT     TIP_ALIAS, .down
        FROM_ALIAS
TRACED_END
global trace_alias_handler
trace_alias_handler:
        iretq

; The same with a PTWRITE, whose FUP is the first address of its page. The rows
; have no PTW.
TRACED trace_body_alias_ptwrite
        OUT     TIP, trace_body_alias_ptwrite
        TO_ALIAS
        jmp     near .there + ALIAS_STEP ; direct
.there: PTWRITE rsi
        OUT     FUP_ALIAS_2, .there
        lea     rbx, [.down]
        sub     rbx, ALIAS_STEP
        jmp     rbx
.down:  OUT     TIP_ALIAS, .down
        FROM_ALIAS
TRACED_END

; The same by a call, a return that goes elsewhere than to it, a jump through
; memory and a far return.
TRACED trace_body_alias_calls
        OUT     TIP, trace_body_alias_calls
        TO_ALIAS
        lea     rbx, [.callee]
        add     rbx, ALIAS_STEP
        call    rbx
.called:
        int3
.callee:
        OUT     TIP_ALIAS_2, .callee
        add     qword [rsp], .other - .called
        ret
.other: OUT     TIP_ALIAS, .other
        lea     rbx, [.higher]
        add     rbx, ALIAS_STEP
        push    rbx
        jmp     [rsp]
.higher:
        OUT     TIP_ALIAS_2, .higher
        lea     rbx, [.lower]
        sub     rbx, ALIAS_STEP
        mov     edx, cs
        mov     [rsp], rdx
        push    rbx
        o64 retf
.lower: OUT     TIP_ALIAS, .lower
        FROM_ALIAS
TRACED_END

; RSI: to the alias. RDI: a CR3 that maps it, and each a bit of the address
; higher. To it, to each of these and back, by a return that goes to where its
; call was but for that bit.
TRACED trace_body_far
        OUT     TIP, trace_body_far
        TO_ALIAS
%assign bit FAR_FIRST
%rep FAR_BITS
        mov     rdx, 1 << bit
        lea     rbx, [.far%+bit]
        add     rbx, rdx
        jmp     rbx
.far%+bit:
        OUT     TIP_ALIAS, .far%+bit    ; a bit higher
        call    .nearer
.back%+bit:
        OUT     TIP_ALIAS, .back%+bit
%assign bit bit + 1
%endrep
        FROM_ALIAS
        jmp     short .end
.nearer:
        sub     [rsp], rdx
        ret
.end:
TRACED_END

section .note.GNU-stack noalloc noexec nowrite progbits
