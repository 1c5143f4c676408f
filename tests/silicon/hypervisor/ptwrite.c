/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ptwrite.c - PTWRITE, carried out here: the host processor raises #UD for it.
 * SDM volume 2B, "PTWRITE": #UD with 66H or LOCK, or where CPUID.14H.0:EBX[4]
 * is 0.
 */
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/pt.h"

#define PF_USER 4u /* of its error code */

static bool is_refused(const struct vcpu *v, const struct instruction *i)
{
    return !i->is_ptwrite || (pt_leaf(v->model, 0).ebx & PT_EBX_PTWRITE) == 0 ||
           i->locked ||
           (i->prefixed && faults_pt(v->model, PT_PTW_66_REFUSED, true));
}

/* The general register that ModR/M and REX.B name. */
static uint64_t register_of(const struct vcpu *v, const uint8_t *bytes)
{
    struct operand_state s;
    unsigned at = 0;

    memory_registers(v, &s);
    while (bytes[at] != 0x0F)
        at++;
    return s.general[(bytes[at + 2] & 7) |
                     ((bytes[at - 1] & 0xF1) == 0x41 ? 8 : 0)];
}

static struct action page_fault(struct vcpu *v, uint64_t linear)
{
    v->vmcb->cr2 = linear;
    return action_raise(VECTOR_PF, v->vmcb->cpl == 3 ? PF_USER : 0);
}

struct action ptwrite(struct vcpu *v)
{
    struct data_access found[DATA_ACCESSES_MAX];
    uint8_t buffer[INSTRUCTION_BYTES_MAX];
    struct instruction i;
    size_t length;
    const uint8_t *bytes = guest_code(v, buffer, &length);
    unsigned count = memory_accesses(v, found, bytes, length);

    instruction_classify(&i, bytes, length);
    if (is_refused(v, &i))
        return action_raise(VECTOR_UD, 0);
    v->ptw = count == 0 ? register_of(v, bytes) : 0;
    if (count > 0 && v->tx.depth > 0 && !tx_memory_expect(v, found, count))
        return action_of(ACTION_RESUME);
    if (count > 0 &&
        !guest_copy(v, found->linear, &v->ptw, found->bytes, false))
        return page_fault(v, found->linear);
    length = instruction_bytes(bytes, length);
    return v->mode == MODE_STEP
               ? action_complete(ACTION_RETIRE, (unsigned)length)
               : exit_retire(v, (unsigned)length);
}
