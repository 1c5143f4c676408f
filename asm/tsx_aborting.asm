; SPDX-License-Identifier: BSD-2-Clause
;
; tsx_aborting.asm - bodies (tsx_bodies.h) of one instruction each that may abort, and of
; each XABORT.
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code.

bits 64
default rel

%include "iret_frame.inc"
%include "tsx_body.inc"

section .text align=4096

; What some processor may carry out after all must do no harm: 80H is the port
; of power-on codes, DR0 and the flags are put back, CR2 belongs to the handler of the next #PF, the other
; control registers are written with what they hold.

body cpuid
        xor     eax, eax
        xor     ecx, ecx
        cpuid
        NEXT

body pause
        pause
        NEXT

body rdmsr
        mov     ecx, 0x10
        rdmsr
        NEXT

body wrmsr
        mov     ecx, esi
        mov     eax, edx
        xor     edx, edx
        wrmsr
        NEXT

body in
        in      al, 0x80
        NEXT

body out
        xor     eax, eax
        out     0x80, al
        NEXT

body cli
        cli
        NEXT

body sti
        sti
        NEXT

body popfq
        pushfq
        popfq
        NEXT

body iretq
        IRET_FRAME .next
        iretq
.next:  NEXT

body mov_cr0
        mov     rax, cr0
        mov     cr0, rax
        NEXT

body mov_cr3
        mov     rax, cr3
        mov     cr3, rax
        NEXT

body mov_cr4
        mov     rax, cr4
        mov     cr4, rax
        NEXT

body mov_cr8
        mov     rax, cr8
        mov     cr8, rax
        NEXT

body mov_cr2
        mov     cr2, rsi
        NEXT

body mov_dr0
        mov     dr0, rsi
        NEXT

body mov_es
        mov     eax, es
        mov     es, eax
        NEXT

body sgdt
        sgdt    [rsi]
        NEXT

body fxsave
        fxsave  [rsi]
        NEXT

body sldt
        sldt    eax
        NEXT

body clflush
        clflush [rsi]
        NEXT

body invlpg
        invlpg  [rsi]
        NEXT

body movnti
        movnti  [rsi], rdx
        NEXT

body fnop
        fnop
        NEXT

; XABORT with each code there is, 8 bytes apart.
align 8
global tsx_bodies_xabort
tsx_bodies_xabort:
%assign code 0
%rep 256
        xabort  code
        NEXT
        align   8, db 0xcc
%assign code code+1
%endrep

align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
