/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vmcb.h - the control block of an AMD-V guest, as far as it is used here.
 *
 * AMD64 Architecture Programmer's Manual, volume 2, appendix "Layout of VMCB",
 * tables "VMCB Layout, Control Area" and "VMCB Layout, State Save Area", and
 * appendix "SVM Intercept Exit Codes".
 */
#ifndef SILICON_HYPERVISOR_HOST_VMCB_H
#define SILICON_HYPERVISOR_HOST_VMCB_H

#include <stddef.h>
#include <stdint.h>

struct vmcb_segment {
    uint16_t selector, attributes; /* bits 55:52 and 47:40 of a descriptor */
    uint32_t limit;
    uint64_t base;
};

struct vmcb {
    uint32_t intercept_cr, intercept_dr, intercept_exceptions;
    uint32_t intercept_misc1, intercept_misc2;
    uint8_t reserved_014[0x040 - 0x014];
    uint64_t iopm_base, msrpm_base, tsc_offset;
    uint32_t asid;
    uint8_t tlb_control, reserved_05d[3];
    uint64_t vintr, interrupt_shadow;
    uint64_t exit_code, exit_info1, exit_info2, exit_int_info;
    uint64_t nested_control;
    uint8_t reserved_098[0x0A8 - 0x098];
    uint64_t event_inject, nested_cr3;
    uint8_t reserved_0b8[0x400 - 0x0B8];
    struct vmcb_segment es, cs, ss, ds, fs, gs, gdtr, ldtr, idtr, tr;
    uint8_t reserved_4a0[0x4CB - 0x4A0];
    uint8_t cpl;
    uint8_t reserved_4cc[0x4D0 - 0x4CC];
    uint64_t efer;
    uint8_t reserved_4d8[0x548 - 0x4D8];
    uint64_t cr4, cr3, cr0, dr7, dr6, rflags, rip;
    uint8_t reserved_580[0x5D8 - 0x580];
    uint64_t rsp;
    uint8_t reserved_5e0[0x5F8 - 0x5E0];
    uint64_t rax;
    uint8_t reserved_600[0x640 - 0x600];
    uint64_t cr2;
    uint8_t reserved_648[0x668 - 0x648];
    uint64_t g_pat;
    uint8_t reserved_670[0x1000 - 0x670];
};
#define VMCB_AT(offset, field) \
    _Static_assert(offsetof(struct vmcb, field) == (offset), #field)
VMCB_AT(0x010, intercept_misc2);
VMCB_AT(0x040, iopm_base);
VMCB_AT(0x050, tsc_offset);
VMCB_AT(0x058, asid);
VMCB_AT(0x05C, tlb_control);
VMCB_AT(0x068, interrupt_shadow);
VMCB_AT(0x070, exit_code);
VMCB_AT(0x088, exit_int_info);
VMCB_AT(0x090, nested_control);
VMCB_AT(0x0A8, event_inject);
VMCB_AT(0x0B0, nested_cr3);
VMCB_AT(0x400, es);
VMCB_AT(0x460, gdtr);
VMCB_AT(0x480, idtr);
VMCB_AT(0x490, tr);
VMCB_AT(0x4CB, cpl);
VMCB_AT(0x4D0, efer);
VMCB_AT(0x548, cr4);
VMCB_AT(0x570, rflags);
VMCB_AT(0x578, rip);
VMCB_AT(0x5D8, rsp);
VMCB_AT(0x5F8, rax);
VMCB_AT(0x640, cr2);
VMCB_AT(0x668, g_pat);
_Static_assert(sizeof(struct vmcb) == 0x1000, "VMCB");

#define INTERCEPT_CR4_WRITE (UINT32_C(1) << 20) /* intercept_cr */
/* intercept_misc1 and intercept_misc2 */
#define INTERCEPT1_INTR     (UINT32_C(1) << 0)
#define INTERCEPT1_NMI      (UINT32_C(1) << 1)
#define INTERCEPT1_RDPMC    (UINT32_C(1) << 15)
#define INTERCEPT1_CPUID    (UINT32_C(1) << 18)
#define INTERCEPT1_IRET     (UINT32_C(1) << 20)
#define INTERCEPT1_INTN     (UINT32_C(1) << 21)
#define INTERCEPT1_PAUSE    (UINT32_C(1) << 23)
#define INTERCEPT1_HLT      (UINT32_C(1) << 24)
#define INTERCEPT1_INVLPGA  (UINT32_C(1) << 26)
#define INTERCEPT1_IOIO     (UINT32_C(1) << 27)
#define INTERCEPT1_MSR      (UINT32_C(1) << 28)
#define INTERCEPT1_SHUTDOWN (UINT32_C(1) << 31)
#define INTERCEPT2_VMRUN    (UINT32_C(1) << 0)
#define INTERCEPT2_VMMCALL  (UINT32_C(1) << 1)
#define INTERCEPT2_VMLOAD   (UINT32_C(1) << 2)
#define INTERCEPT2_VMSAVE   (UINT32_C(1) << 3)
#define INTERCEPT2_STGI     (UINT32_C(1) << 4)
#define INTERCEPT2_CLGI     (UINT32_C(1) << 5)
#define INTERCEPT2_SKINIT   (UINT32_C(1) << 6)

/* vmcb_segment.attributes of CS: 64-bit mode. */
#define CS_L UINT16_C(0x200)

/* interrupt_shadow: no interrupt before the next instruction is complete. */
#define SHADOW_ON UINT64_C(1)

#define TLB_DO_NOTHING 0
#define TLB_FLUSH_ALL  1

#define NESTED_PAGING UINT64_C(1)

/* event_inject, and exit_int_info likewise */
#define EVENT_VALID          (UINT64_C(1) << 31)
#define EVENT_HAS_ERROR      (UINT64_C(1) << 11)
#define EVENT_TYPE           (UINT64_C(7) << 8)
#define EVENT_TYPE_EXTERNAL  (UINT64_C(0) << 8)
#define EVENT_TYPE_NMI       (UINT64_C(2) << 8)
#define EVENT_TYPE_EXCEPTION (UINT64_C(3) << 8)
#define EVENT_TYPE_SOFTWARE  (UINT64_C(4) << 8)

#define EXIT_CR4_WRITE    0x014
#define EXIT_EXCEPTION_0  0x040 /* + vector */
#define EXIT_EXCEPTION_31 0x05F
#define EXIT_INTR         0x060
#define EXIT_NMI          0x061
#define EXIT_RDPMC        0x06F
#define EXIT_CPUID        0x072
#define EXIT_IRET         0x074
#define EXIT_INTN         0x075
#define EXIT_PAUSE        0x077
#define EXIT_HLT          0x078
#define EXIT_INVLPGA      0x07A
#define EXIT_IOIO         0x07B
#define EXIT_MSR          0x07C
#define EXIT_SHUTDOWN     0x07F
#define EXIT_VMRUN        0x080
#define EXIT_VMMCALL      0x081
#define EXIT_VMLOAD       0x082
#define EXIT_SKINIT       0x086
#define EXIT_NPF          0x400

/* exit_info1 of a nested page fault */
#define NPF_PRESENT    (UINT64_C(1) << 0)
#define NPF_WRITE      (UINT64_C(1) << 1)
#define NPF_FETCH      (UINT64_C(1) << 4)
#define NPF_PAGE_TABLE (UINT64_C(1) << 33) /* while walking the guest's */

/* Bits of DR6, the same as Intel's. */
#define DR6_B   UINT64_C(0xF)
#define DR6_BS  (UINT64_C(1) << 14)
#define DR6_RTM (UINT64_C(1) << 16) /* clear: in a transaction, debugged */

#define VECTOR_DB  1
#define VECTOR_NMI 2
#define VECTOR_BP  3
#define VECTOR_OF  4
#define VECTOR_UD  6
#define VECTOR_GP  13
#define VECTOR_PF  14

#define RFLAGS_CF     0x0001u
#define RFLAGS_ZF     0x0040u
#define RFLAGS_TF     0x0100u
#define RFLAGS_IF     0x0200u
#define RFLAGS_DF     0x0400u
#define RFLAGS_RF     0x10000u
#define RFLAGS_AC     0x40000u
#define RFLAGS_STATUS 0x08D5u

#define MSR_EFER        0xC0000080u
#define EFER_SCE        UINT64_C(1)
#define EFER_SVME       (UINT64_C(1) << 12)
#define MSR_VM_CR       0xC0010114u
#define VM_CR_SVMDIS    (UINT64_C(1) << 4)
#define MSR_VM_HSAVE_PA 0xC0010117u

#endif
