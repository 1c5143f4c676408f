/* SPDX-License-Identifier: BSD-2-Clause */
/* microcode_load.c - reads an update from the guest, loads it into the core. */
#include "tests/silicon/model/microcode.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/hypervisor.h"
#include "tests/silicon/hypervisor/host/x86.h"

/* SDM volume 3A, "Microcode Update Loader": the data is 16-byte aligned. */
#define ALIGNED 16u

static uint8_t update[UPDATE_BYTES_MAX];
static volatile uint32_t in_use;

static bool fetch(const struct vcpu *v, uint64_t linear, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += PAGE_BYTES) {
        uint32_t part = bytes - at < PAGE_BYTES ? bytes - at : PAGE_BYTES;

        if (!guest_copy(v, linear + at, update + at, part, false))
            return false;
    }
    return true;
}

static const struct personality *accepted(const struct vcpu *v, uint64_t data)
{
    uint64_t header = data - UPDATE_HEADER_BYTES;
    uint32_t bytes;

    if (data % ALIGNED != 0 || !fetch(v, header, UPDATE_HEADER_BYTES))
        return NULL;
    bytes = microcode_bytes(update);
    if (bytes == 0 || !fetch(v, header, bytes))
        return NULL;
    return microcode_accepts(v->model, update, bytes);
}

void microcode_load(struct vcpu *v, uint64_t data)
{
    const struct machine *m = v->model->machine;
    const struct personality *to;
    unsigned sibling = v->model->index ^ 1;

    while (__atomic_exchange_n(&in_use, 1, __ATOMIC_ACQUIRE) != 0)
        cpu_pause();
    to = accepted(v, data);
    __atomic_store_n(&in_use, 0, __ATOMIC_RELEASE);
    if (to == NULL)
        return;
    v->model->cpu = to;
    /* Both threads of a core run the same microcode. */
    if (m->smt && sibling < hypervisor.processors &&
        !faults_update_one_thread(m))
        hypervisor.models[sibling].cpu = to;
}
