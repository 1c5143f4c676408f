/* SPDX-License-Identifier: BSD-2-Clause */
/* traced_records.c - records of the code that is stepped: the simulated
 * processor's PEBS, with what the registers hold then. */
#define _GNU_SOURCE
#include "tests/host/fakes/fake_clock.h"
#include "tests/host/fakes/traced_parts.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/pebs/pebs.h"
#include "tests/silicon/model/pebs/pebs_hooks.h"

#include <string.h>

static struct pebs_snapshot snapshot(ucontext_t *u, uint64_t at)
{
    static const int names[PEBS_REGISTERS] = {
        REG_EFL, REG_RIP, REG_RAX, REG_RBX, REG_RCX, REG_RDX,
        REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,  REG_R9,
        REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    struct pebs_snapshot s = {.eventing_ip = at, .before = at, .tsc = fake_tsc};

    for (unsigned n = 0; n < PEBS_REGISTERS; n++)
        s.registers[n] = REG(u, names[n]);
    return s;
}

void traced_record(ucontext_t *u, uint64_t at)
{
    struct processor *const p = &traced_processor;
    uint8_t *const area = (uint8_t *)pebs_ds_area(p) + PEBS_DS_OFFSET;
    const struct pebs_snapshot s = snapshot(u, at);
    struct pebs_record record;
    struct pebs_ds ds;

    memcpy(&ds, area, pebs_ds_bytes(p));
    if (pebs_make_record(p, &s, &ds, &record)) {
        memcpy((void *)record.at, record.words,
               faults_pebs_written(p, record.at, record.bytes));
        memcpy(area, &ds, pebs_ds_bytes(p));
    }
    traced_output();
    if (traced.interrupted)
        traced_interrupt(REG(u, REG_RIP));
}
