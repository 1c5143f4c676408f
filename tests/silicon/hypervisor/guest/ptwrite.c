/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ptwrite.c - PTWRITE, carried out here: the host processor raises #UD for it.
 * SDM volume 2B, "PTWRITE": #UD with 66H or LOCK, or where CPUID.14H.0:EBX[4]
 * is 0.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/pt/pt.h"

#define PF_USER 4u /* of its error code */

static bool is_refused(const struct vcpu *v, const struct instruction *i)
{
    return !i->is_ptwrite || (pt_leaf(v->model, 0).ebx & PT_EBX_PTWRITE) == 0 ||
           (i->locked && faults_pt(v->model, PT_PTW_LOCK_REFUSED, true)) ||
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

/* ACTION_RESUME where it cannot be: the transaction has aborted, or #PF. */
static struct action load(struct vcpu *v, const struct data_access *a)
{
    v->ptw = 0;
    if (v->tx.depth > 0 && !tx_memory_expect(v, a, 1))
        return action_of(ACTION_RESUME);
    if (guest_copy(v, a->linear, &v->ptw, a->bytes, false))
        return action_of(ACTION_EXECUTE);
    v->vmcb->cr2 = a->linear;
    return action_raise(VECTOR_PF, v->vmcb->cpl == 3 ? PF_USER : 0);
}

struct action ptwrite(struct vcpu *v)
{
    struct data_access found[DATA_ACCESSES_MAX];
    uint8_t buffer[INSTRUCTION_BYTES_MAX];
    struct instruction i;
    size_t length;
    const uint8_t *bytes = guest_code(v, buffer, &length);
    struct action a = action_of(ACTION_EXECUTE);

    instruction_classify(&i, bytes, length);
    if (is_refused(v, &i))
        return action_raise(VECTOR_UD, 0);
    if (memory_accesses(v, found, bytes, length) > 0)
        a = load(v, found);
    else
        v->ptw = register_of(v, bytes);
    if (a.kind != ACTION_EXECUTE)
        return a;
    length = instruction_bytes(bytes, length);
    return v->mode == MODE_STEP
               ? action_complete(ACTION_RETIRE, (unsigned)length)
               : exit_retire(v, (unsigned)length);
}
