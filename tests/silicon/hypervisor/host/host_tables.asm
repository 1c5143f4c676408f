; SPDX-License-Identifier: BSD-2-Clause
;
; host_tables.asm - where exceptions of the host itself go when the firmware's
; handlers are gone: host_exception(struct host_frame *), which does not return.

bits 64
default rel

extern host_exception

WITH_ERROR equ 1 << 8 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 17

section .text

; HOST_STUB_BYTES each.
global host_stubs
align 16
host_stubs:
%assign vector 0
%rep 32
        align   16
%if (WITH_ERROR >> vector & 1) == 0
        push    0
%endif
        push    vector
        jmp     strict near to_c
%assign vector vector + 1
%endrep
to_c:
        mov     rdi, rsp
        and     rsp, -16
        call    host_exception

section .note.GNU-stack noalloc noexec nowrite progbits
