/* SPDX-License-Identifier: BSD-2-Clause */
/* figures.c - what a run cost the simulator. */
#include "tests/silicon/boot/figures.h"

#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/hypervisor.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/text.h"

#define CALIBRATE_US 20000

/* a / b with one decimal, in microseconds. */
static void add_us(struct text *t, uint64_t tsc, uint64_t count,
                   uint64_t tsc_per_ms)
{
    uint64_t tenths =
        count == 0 || tsc_per_ms == 0 ? 0 : tsc * 10000 / tsc_per_ms / count;

    text_add_unsigned(t, tenths / 10);
    text_add(t, ".");
    text_add_unsigned(t, tenths % 10);
    text_add(t, " us");
}

void figures_print(EFI_BOOT_SERVICES *bs)
{
    uint64_t steps = 0, step_tsc = 0, transactions = 0, tx_tsc = 0, exits = 0;
    uint64_t tsc = rdtsc();
    char line[200];
    struct text t;

    bs->Stall(CALIBRATE_US);
    tsc = (rdtsc() - tsc) / (CALIBRATE_US / 1000);
    for (unsigned n = 0; n < hypervisor.processors; n++) {
        const struct vcpu *v = &hypervisor.vcpus[n];

        steps += v->steps;
        step_tsc += v->step_tsc;
        transactions += v->transactions;
        tx_tsc += v->tx_tsc;
        exits += v->exit_log.count;
    }
    text_start(&t, line, sizeof(line));
    text_add(&t, "figures: exits ");
    text_add_unsigned(&t, exits);
    text_add(&t, ", steps ");
    text_add_unsigned(&t, steps);
    text_add(&t, " of ");
    add_us(&t, step_tsc, steps, tsc);
    text_add(&t, ", transactions ");
    text_add_unsigned(&t, transactions);
    text_add(&t, " of ");
    add_us(&t, tx_tsc, transactions, tsc);
    log_print(line);
}
