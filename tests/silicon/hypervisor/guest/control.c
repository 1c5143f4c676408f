/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * control.c - MOV to CR4. The host processor takes reserved bits, and would
 * refuse the next VMRUN.
 *
 * SDM volume 3A, "Control Registers"; volume 2B, "MOV--Move to/from Control
 * Registers".
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/instructions/operand.h"

#define OPCODE_BYTES 3 /* 0F 22 /4, after a REX prefix or none */
#define REX_B        1u

#define CR4_ALWAYS BITS(10, 0)

/* Bits of CR4, and of CPUID.7 or CPUID.1 that enumerate them. */
static uint64_t valid_bits(void)
{
    uint32_t one[4], seven[4];
    uint64_t valid = CR4_ALWAYS;

    cpuid(1, 0, one);
    cpuid(7, 0, seven);
    valid |= (seven[2] & BIT(2)) != 0 ? BIT(11) : 0;  /* UMIP */
    valid |= (seven[1] & BIT(0)) != 0 ? BIT(16) : 0;  /* FSGSBASE */
    valid |= (one[2] & BIT(17)) != 0 ? BIT(17) : 0;   /* PCIDE */
    valid |= (one[2] & BIT(26)) != 0 ? BIT(18) : 0;   /* OSXSAVE */
    valid |= (seven[1] & BIT(7)) != 0 ? BIT(20) : 0;  /* SMEP */
    valid |= (seven[1] & BIT(20)) != 0 ? BIT(21) : 0; /* SMAP */
    valid |= (seven[2] & BIT(3)) != 0 ? BIT(22) : 0;  /* PKE */
    return valid;
}

struct action control_cr4(struct vcpu *v)
{
    uint8_t buffer[INSTRUCTION_BYTES_MAX];
    struct operand_state s;
    size_t length;
    const uint8_t *b = guest_code(v, buffer, &length);
    unsigned rex = (b[0] & 0xF0) == 0x40, from = b[rex + 2] & 7;

    if (length < OPCODE_BYTES + rex)
        return action_raise(VECTOR_UD, 0);
    if (rex != 0 && (b[0] & REX_B) != 0)
        from |= 8;
    memory_registers(v, &s);
    if (v->vmcb->cpl != 0 || (s.general[from] & ~valid_bits()) != 0)
        return action_raise(VECTOR_GP, 0);
    v->vmcb->cr4 = s.general[from];
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
    return exit_retire(v, OPCODE_BYTES + rex);
}
