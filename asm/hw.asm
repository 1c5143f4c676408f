; SPDX-License-Identifier: BSD-2-Clause
;
; hw.asm - src/base/hw.h, "Instructions": CPUID, RDTSC, and access to MSRs and
; counters whose fault is a value.
;
; X_fault labels the instruction that may fault, X_resume where the exception
; handler goes on with RAX = vector (asm/fixups.c pairs the two). HW_NO_FAULT is
; -1.

bits 64
default rel

section .text

; void hw_cpuid(uint32_t edi leaf, uint32_t esi subleaf, struct hw_cpuid *rdx)
global hw_cpuid
hw_cpuid:
        push    rbx
        mov     r8, rdx
        mov     eax, edi
        mov     ecx, esi
        cpuid
        mov     [r8], eax
        mov     [r8 + 4], ebx
        mov     [r8 + 8], ecx
        mov     [r8 + 12], edx
        pop     rbx
        ret

; uint64_t hw_tsc(void). LFENCE: what came before has ended when it is read
; (SDM 2B, RDTSC).
global hw_tsc
hw_tsc:
        lfence
        rdtsc
        shl     rdx, 32
        or      rax, rdx
        ret

; int hw_msr_read(uint32_t edi msr, uint64_t *rsi)
global hw_msr_read, hw_msr_read_fault, hw_msr_read_resume
hw_msr_read:
        mov     ecx, edi
        or      rdx, -1
hw_msr_read_fault:
        rdmsr
        rol     rdx, 32                 ; its upper half is to be 0
        or      rax, rdx
        mov     [rsi], rax
        mov     eax, -1
hw_msr_read_resume:
        ret

; int hw_msr_write(uint32_t edi msr, uint64_t rsi)
global hw_msr_write, hw_msr_write_fault, hw_msr_write_resume
hw_msr_write:
        mov     ecx, edi
        mov     eax, esi
        mov     rdx, rsi
        shr     rdx, 32
hw_msr_write_fault:
        wrmsr
        mov     eax, -1
hw_msr_write_resume:
        ret

; int hw_pmc_read(uint32_t edi index, uint64_t *rsi). LFENCE: what came before
; has ended when it is read, what follows has not begun (SDM 2B, RDPMC).
global hw_pmc_read, hw_pmc_read_fault, hw_pmc_read_resume
hw_pmc_read:
        mov     ecx, edi
        lfence
hw_pmc_read_fault:
        rdpmc
        lfence
        rol     rdx, 32                 ; its upper half is to be 0
        or      rax, rdx
        mov     [rsi], rax
        mov     eax, -1
hw_pmc_read_resume:
        ret

; uint64_t hw_cr4(void), void hw_set_cr4(uint64_t rdi)
global hw_cr4, hw_set_cr4
hw_cr4:
        mov     rax, cr4
        ret
hw_set_cr4:
        mov     cr4, rdi
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
