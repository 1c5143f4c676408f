/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_ring_fixture.h - records of code at ring 3: where that is, and what is
 * otherwise in one of them. */
#ifndef TESTS_HOST_CASES_PEBS_PEBS_RING_FIXTURE_H
#define TESTS_HOST_CASES_PEBS_PEBS_RING_FIXTURE_H

#include "tests/host/cases/path_fixture.h"

/* As in ring3_window.asm: loops of `times` conditional branches. */
#define FIRST  6 /* from ring3_code on */
#define BACK   12
#define AGAIN  16
#define SECOND 22
#define LAST   25
#define CALL   0x800 /* of ring 0: ring3_system_call, and a loop */
#define LOOP   0x900

const uint8_t ring3_code[3 * 4096] = {0};
#define LABEL(name, offset)      \
    __asm__(".globl " #name "\n" \
            ".set " #name ", ring3_code + " #offset "\n");
LABEL(ring3_code_again, 0x10)
LABEL(ring3_body_calls, 0x1100)
LABEL(ring3_aborts_rtm, 0x2000)
LABEL(ring3_aborts_rtm_at, 0x2010)
LABEL(ring3_aborts_rtm_resume, 0x2020)
LABEL(ring3_aborts_cpuid, 0x2030)
LABEL(ring3_aborts_cpuid_at, 0x2040)
LABEL(ring3_aborts_cpuid_resume, 0x2050)
LABEL(ring3_aborts_ud2, 0x2060)
LABEL(ring3_aborts_ud2_at, 0x2070)
LABEL(ring3_aborts_ud2_resume, 0x2080)
LABEL(ring3_aborts_inner, 0x2090)
LABEL(ring3_aborts_inner_at, 0x20a0)
LABEL(ring3_aborts_inner_resume, 0x20b0)
LABEL(ring3_aborts_hle, 0x2100)
LABEL(ring3_aborts_hle_at, 0x2110)
LABEL(ring3_aborts_hle_resume, 0x2120)
LABEL(ring3_aborts_writes, 0x2500)
LABEL(ring3_aborts_writes_at, 0x2510)
LABEL(ring3_aborts_writes_resume, 0x2520)
LABEL(ring3_aborts_reads, 0x2530)
LABEL(ring3_aborts_reads_at, 0x2540)
LABEL(ring3_aborts_reads_resume, 0x2550)
LABEL(ring3_aborts_held, 0x2560)
LABEL(ring3_aborts_held_at, 0x2570)
LABEL(ring3_aborts_held_resume, 0x2580)
LABEL(ring3_body_loads, 0x2200)
LABEL(ring3_body_loads_pops, 0x2380)
LABEL(ring3_body_crosses, 0x2590)
LABEL(ring3_body_crosses_load, 0x2594)
LABEL(ring3_body_crosses_store, 0x2598)
LABEL(ring3_body_string, 0x2400)
LABEL(ring3_body_string_at, 0x2410)
const struct lbr_row window_ring3_rows[] = {
    {LBR_JCC, LOOP, LOOP - 3},
    {LBR_FAR | LBR_TO_USR, LOOP + 2, 0},
    {LBR_JCC | LBR_FROM_USR | LBR_TO_USR, BACK, FIRST},
    {LBR_FAR | LBR_FROM_USR, BACK + 2, CALL},
    {LBR_JCC | LBR_FROM_USR | LBR_TO_USR, LAST, SECOND},
    {LBR_END, 0, 0}};

#define CONDITIONAL 0x01c4
#define ALL         0x04c4
#define LATER       0x00c4 /* of Ice Lake */
#define ZERO        (BIT(6) | BIT(2))
#define IF          BIT(9)

static struct odd {
    unsigned record; /* whose field at that offset has these bits inverted, */
    unsigned field;  /* 0: none of them */
    uint64_t bits;
    bool all; /* in each record from that one on */
    bool set; /* it has these instead */
    bool any_level, silent, one_ring, silent_in_one;
    unsigned more;                    /* events to the record */
    int64_t vector;                   /* of an exception at ring 3 */
    bool of_ring_3;                   /* its EventingIP */
    bool iret_before, syscall_before; /* the records of these */
    bool no_xmm;
} odd = {.vector = HW_NO_FAULT};

static uint64_t user_code;

static void change(struct pebs_format3 *record, unsigned n)
{
    uint64_t *field = (uint64_t *)(void *)record + odd.field / 8;

    if (odd.of_ring_3 && n == odd.record)
        record->eventing_ip = user_code + BACK;
    if (odd.bits != 0 && (n == odd.record || (odd.all && n > odd.record)))
        *field = (odd.set ? 0 : *field) ^ odd.bits;
}

static void window_opens(void)
{
    window_begins();
    path.change = change;
    for (unsigned i = 0; i < 32; i++)
        path.xmm[i] = odd.no_xmm && i == 6 ? 0 : PEBS_PLANTED(i);
    const uint64_t levels = IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_USR;
    path.silent = odd.silent || (odd.silent_in_one &&
                                 (*msr(IA32_PERFEVTSEL(0)) & levels) != levels);
    path.any_level = odd.any_level;
    path.skid[0] = 1 + odd.more;
}

static enum verdict verdict_of(const struct test *test, unsigned model,
                               unsigned format)
{
    begin(test, model, format);
    t->cpu.rtm = t->cpu.hle = format >= 2;
    return run_case();
}

#define AT(name) (unsigned)offsetof(struct pebs_format3, name)

#endif
