; SPDX-License-Identifier: BSD-2-Clause
;
; tsx_memory.asm - bodies (tsx_bodies.h) that store at any address and of any
; width, and bodies of many transactions in one another.
;
; The pages of this file hold nothing else: execution of transactional code can
; then be watched by page without slowing other code.

bits 64
default rel

%include "tsx_body.inc"

extern tsx_inner_fallback

section .text align=4096

; Stores of the low bytes of RDX at RSI, inverted first, which are read again:
; flags change where they are not there. Then XABORT 77H where RDX[63] is 1.
%macro stored 2
body store_%1
        not     %2
        mov     [rsi], %2
        not     %2
        mov     [rsi], %2
        cmp     [rsi], %2
        jmp     end_store
%endmacro

stored 1, dl
stored 2, dx
stored 4, edx
stored 8, rdx

body store_16
        movq    xmm0, rdx
        punpcklqdq xmm0, xmm0
        movups  [rsi], xmm0
        cmp     [rsi], rdx
        jne     end_store
        cmp     [rsi + 8], rdx
        jmp     end_store

body store_nt
        movnti  [rsi], rdx
        cmp     [rsi], rdx
        jmp     end_store

; The same by instructions that read, change and write in one; the old value was
; 0.
body store_xchg
        mov     rcx, rdx
        xchg    [rsi], rcx
        cmp     [rsi], rdx
        jmp     end_store

body store_xadd
        mov     rcx, rdx
        lock xadd [rsi], rcx
        cmp     [rsi], rdx
        jmp     end_store

body store_pair
        mov     r8, rdx
        mov     r9, rax
        mov     r10, rbx
        mov     rbx, rdx
        mov     rcx, rdx
        xor     eax, eax
        xor     edx, edx
        lock cmpxchg16b [rsi]
        mov     rbx, r10
        mov     rax, r9
        mov     rdx, r8
        cmp     [rsi], rdx
        jne     end_store
        cmp     [rsi + 8], rdx
        jmp     end_store

; Ten bytes: a quadword, and its first two again.
body store_x87
        mov     [rsp - 32], rdx
        mov     [rsp - 24], dx
        fld     tword [rsp - 32]
        fstp    tword [rsi]
        cmp     [rsi], rdx
        jne     end_store
        cmp     [rsi + 8], dx
        jmp     end_store

; Five quadwords by one instruction.
body store_rep
        mov     r8, rdi
        mov     r9, rax
        mov     rdi, rsi
        mov     rax, rdx
        mov     ecx, 5
        rep stosq
        mov     rax, r9
        mov     rdi, r8
        cmp     [rsi], rdx
        jmp     end_store

end_store:
        je      .same
        not     qword [rdi + RFLAGS]
.same:  test    rdx, rdx
        js      .abort
        NEXT
.abort: xabort  0x77
        NEXT

; By instructions of many kinds, each to a quadword of its own.
body store_kinds
        mov     r8, rdi
        mov     r9, rax
        mov     r10, rsi
        stc
        setc    byte [rsi]
        bts     qword [rsi + 8], 40
        btc     dword [rsi + 16], 20
        lea     rdi, [rsi + 24]
        mov     al, 0x5a
        stosb
        lea     rdi, [rsi + 32]
        movsq
        mov     rsi, r10
        mov     rax, [rsi + 40]
        lea     rcx, [rax + 1]
        cmpxchg [rsi + 40], rcx
        not     qword [rsi + 48]
        shl     qword [rsi + 56], 1
        add     dword [rsi + 64], 3
        inc     byte [rsi + 72]
        xadd    [rsi + 80], rcx
        rol     word [rsi + 88], 3
        mov     [rsi + 96], cs
        push    rcx
        pop     qword [rsi + 104]
        mov     rcx, rsp
        lea     rsp, [rsi + 120]
        call    .called
.called:
        lea     rsp, [rsi + 128]
        pushfq
        lea     rsp, [rsi + 136]
        push    0x11
        lea     rsp, [rsi + 144]
        push    qword [rsi]
        mov     rsp, rcx
        mov     dword [rsi + 144], 0x11
        adc     dword [rsi + 152], 0x11
        sub     byte [rsi + 160], 0x11
        and     qword [rsi + 168], 0x11
        or      qword [rsi + 176], 0x78
        xor     word [rsi + 184], 0x11
        sbb     dword [rsi + 192], 0x11
        neg     qword [rsi + 200]
        dec     word [rsi + 208]
        sar     qword [rsi + 216], 3
        rcr     dword [rsi + 224], 3
        shld    [rsi + 232], rsi, 9
        shrd    [rsi + 240], rsi, 9
        btr     dword [rsi + 248], 28
        movq    xmm0, rsi
        punpcklqdq xmm0, xmm0
        movq    [rsi + 256], xmm0
        movss   [rsi + 264], xmm0
        movhps  [rsi + 272], xmm0
        lock or qword [rsi + 280], 0x78
        movaps  [rsi + 288], xmm0
        movdqa  [rsi + 304], xmm0
        movd    [rsi + 320], xmm0
        ror     qword [rsi + 328], 5
        stc
        rcl     dword [rsi + 336], 2
        mov     rax, 0x8f5e4d7c6b6a5978 ; what is there has few of these bits
        add     [rsi + 344], rax
        or      [rsi + 352], rax
        stc
        adc     [rsi + 360], rax
        stc
        sbb     [rsi + 368], rax
        and     [rsi + 376], rax
        sub     [rsi + 384], rax
        xor     [rsi + 392], rax
        mov     r11, rdx
        mov     rax, [rsi + 400]        ; and its halves exchanged
        mov     rdx, rax
        shr     rdx, 32
        mov     ecx, eax
        mov     ebx, edx
        cmpxchg8b [rsi + 400]
        mov     rdx, r11
        mov     rcx, rsp
        mov     r11, rbp
        lea     rsp, [rsi + 416]
        enter   0, 0
        mov     rsp, rcx
        mov     rbp, r11
        movsd   [rsi + 416], xmm0
        movhpd  [rsi + 424], xmm0
        mov     cl, 0x11
        xchg    [rsi + 432], cl
        mov     rdi, r8
        mov     rax, r9
        test    rdx, rdx
        js      end_store.abort
        NEXT

; RDX to a quadword of each of four pages: in the outermost transaction, in one
; inside, in one inside that, and after both; there by a PUSH, too. Then XABORT
; 77H where RDX[63] is 1.
body store_nested
        mov     [rsi], rdx
        xbegin  tsx_inner_fallback
        mov     [rsi + 4096], rdx
        xbegin  tsx_inner_fallback
        mov     [rsi + 2 * 4096], rdx
        xend
        xend
        mov     [rsi + 3 * 4096], rdx
        mov     rcx, rsp
        lea     rsp, [rsi + 3 * 4096 + 16]
        push    rdx
        mov     rsp, rcx
        test    rdx, rdx
        js      end_store.abort
        NEXT

; RDX to the first bytes of each of eight lines from RSI on, upwards; and
; downwards.
body publish_up
%assign line 0
%rep 8
        mov     [rsi + 64 * line], rdx
%assign line line+1
%endrep
        NEXT

body publish_down
%assign line 7
%rep 8
        mov     [rsi + 64 * line], rdx
%assign line line-1
%endrep
        NEXT

body push_xabort
%rep 3                                  ; TSX_BELOW
        push    rdx
%endrep
        xabort  0x77
        NEXT

; So many more transactions, one in another, as the count says; then all XEND.
; Where XTEST says that no transaction runs, XABORT 44H. TSX_NEST_LEVEL
; instructions each.
body nest
        mov     rcx, rdx
.begin: xbegin  tsx_inner_fallback
        xtest
        jz      .none
        cmp     eax, -1                 ; as before XBEGIN
        jne     .changed
        dec     rcx
        jnz     .begin
.end:   xend
        xtest
        jz      .none
        dec     rdx
        jnz     .end
        NEXT
.none:  xabort  0x44
        NEXT
.changed:
        xabort  0x45
        NEXT

; The same, and XABORT in the innermost.
body nest_deep
        mov     rcx, rdx
.begin: xbegin  tsx_inner_fallback
        dec     rcx
        jnz     .begin
        xabort  0xa5
        NEXT

align 4096, db 0xcc

section .note.GNU-stack noalloc noexec nowrite progbits
