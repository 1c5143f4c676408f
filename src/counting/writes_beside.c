/* SPDX-License-Identifier: BSD-2-Clause */
/* writes_beside.c - all before it is judged, for SMM may write counters. */
#include "src/counting/writes_beside.h"

#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/smi_guard.h"

/* Events that MSR_OFFCORE_RSP_0 and _1 are for. */
#define OFFCORE_0 0x1b7
#define OFFCORE_1 0x1bb

static const uint32_t others[] = {IA32_DS_AREA,          IA32_PEBS_ENABLE,
                                  MSR_PEBS_LD_LAT,       MSR_OFFCORE_RSP(0),
                                  MSR_OFFCORE_RSP(1),    MSR_LBR_SELECT,
                                  IA32_PERF_GLOBAL_CTRL, IA32_DEBUGCTL};
#define OTHERS (sizeof(others) / sizeof(others[0]))

struct writes_beside {
    struct test_context *t;
    uint64_t places;
    bool written[OTHERS];
    uint64_t got[OTHERS][PLACES_END];
};

static uint64_t value_of(const struct test_context *t, unsigned place)
{
    return bank_mask(test_cpu(t), place) - place;
}

static bool write_others(void *argument)
{
    struct writes_beside *w = argument;
    uint64_t value;

    for (unsigned i = 0; i < OTHERS; i++) {
        for (unsigned p = 0; p < PLACES_END; p++)
            if ((w->places >> p & 1) != 0)
                set_msr_again(w->t, bank_msr(p), value_of(w->t, p));
        w->written[i] = try_get_msr(w->t, others[i], &value) == HW_NO_FAULT &&
                        try_set_msr(w->t, others[i], value) == HW_NO_FAULT;
        for (unsigned p = 0; p < PLACES_END; p++)
            if ((w->places >> p & 1) != 0)
                w->got[i][p] = msr_value(w->t, bank_msr(p));
    }
    return true;
}

void writes_beside_try(struct test_context *t, uint64_t places)
{
    struct writes_beside w = {.t = t, .places = places};
    char name[MSR_NAME_BYTES], other[MSR_NAME_BYTES];

    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0)
            set_msr_again(t, IA32_PERFEVTSEL(n),
                          (n % 2 == 0 ? OFFCORE_1 : OFFCORE_0) |
                              IA32_PERFEVTSEL_OS);
    if (!smi_guard(t, write_others, &w, NULL))
        return;
    for (unsigned i = 0; i < OTHERS; i++)
        for (unsigned p = 0; p < PLACES_END; p++)
            if (w.written[i] && (places >> p & 1) != 0)
                check(t, w.got[i][p] == value_of(t, p),
                      "%s, at 0x%lx, is 0x%lx after %s was written with what "
                      "it held; wanted no change",
                      msr_name(bank_msr(p), name), value_of(t, p), w.got[i][p],
                      msr_name(others[i], other));
}
