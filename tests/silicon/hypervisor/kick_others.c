/* SPDX-License-Identifier: BSD-2-Clause */
/* kick_others.c - the other processors all together: conflict.c has how one is
 * made to exit. */
#include "tests/silicon/hypervisor/hypervisor.h"

void kick_others(const struct vcpu *v)
{
    for (unsigned n = 0; n < hypervisor.processors; n++) {
        struct vcpu *o = &hypervisor.vcpus[n];

        if (o != v && o->entered && !turns_enabled() &&
            o->model->uncore_pmis != hypervisor.machine.uncore.pmis)
            kick_send(o);
    }
}

bool kick_others_in_guest(const struct vcpu *v)
{
    for (unsigned n = 0; n < hypervisor.processors; n++)
        if (&hypervisor.vcpus[n] != v && hypervisor.vcpus[n].entered)
            return true;
    return false;
}
