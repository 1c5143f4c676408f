/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * host_root.c - the top of the page tables by which a processor steps its guest
 * without VMRUN: a copy of the firmware's. Where that has nothing, a guest's
 * own tables may have something, as pages of ring 3: the entry is taken from
 * there.
 *
 * AMD64 APM volume 2, "Page Translation and Protection", long mode.
 */
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"

#define ADDRESS UINT64_C(0x000FFFFFFFFFF000)

void host_root_start(struct vcpu *v)
{
    struct direct *d = &v->direct;

    if (d->root == NULL)
        return;
    __builtin_memcpy(d->root, (const void *)(d->cr3 & ADDRESS), PAGE_BYTES);
    write_cr3((uint64_t)d->root);
}

void host_root_end(const struct vcpu *v)
{
    if (v->direct.root != NULL)
        write_cr3(v->direct.cr3);
}

bool host_root_takes(struct vcpu *v, uint64_t linear)
{
    const unsigned n = linear >> 39 & 511;
    const uint64_t *firmware = (const uint64_t *)(v->direct.cr3 & ADDRESS),
                   *guest = (const uint64_t *)(v->vmcb->cr3 & ADDRESS);
    uint64_t *root = v->direct.root;

    if (root == NULL || (firmware[n] & NPT_PRESENT) != 0 ||
        (guest[n] & NPT_PRESENT) == 0 || root[n] == guest[n])
        return false;
    root[n] = guest[n];
    write_cr3((uint64_t)root);
    return true;
}
