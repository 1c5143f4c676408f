/* SPDX-License-Identifier: BSD-2-Clause */
/* The form of TSX_FORCE_ABORT of June 2021: each of the eight values written,
 * read back, and its effect on CPUID, on RTM and on HLE. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/options/options.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/hle.h"
#include "src/tsx/rtm.h"

#define BIT0  TSX_FORCE_ABORT_RTM_FORCE_ABORT
#define CLEAR TSX_FORCE_ABORT_TSX_CPUID_CLEAR
#define SDV   TSX_FORCE_ABORT_SDV_ENABLE_RTM
#define ALL   (BIT0 | CLEAR | SDV)

/* Bits 1 and 2 as written; bit 0 as 1 unless bit 2 is set, whatever was written
 * to it. */
static void check_register(struct test_context *t, uint64_t written)
{
    uint64_t want =
        (written & (CLEAR | SDV)) | ((written & SDV) != 0 ? 0 : BIT0);
    uint64_t value = 0;

    if (get_msr(t, TSX_FORCE_ABORT, &value))
        check(t, value == want,
              "TSX_FORCE_ABORT (10FH) reads 0x%lx, wanted 0x%lx: [0] "
              "RTM_FORCE_ABORT = 1 unless [2] = 1, [1] TSX_CPUID_CLEAR and [2] "
              "SDV_ENABLE_RTM as written",
              value, want);
}

static void check_bit(struct test_context *t, const char *bit, bool got,
                      bool want)
{
    check(t, got == want, "CPUID.07H.0:%s = %d, wanted %d", bit, got, want);
}

static void check_leaf(struct test_context *t, uint64_t written)
{
    bool shown = (written & CLEAR) == 0, aborts = (written & SDV) == 0;
    struct enumeration now;

    enumeration_read(test_cpu(t), &now);
    check_bit(t, "EBX[11] (RTM)", (now.leaf7.ebx & LEAF7_EBX_RTM) != 0, shown);
    check_bit(t, "EBX[4] (HLE)", (now.leaf7.ebx & LEAF7_EBX_HLE) != 0, shown);
    check_bit(t, "EDX[11] (RTM_ALWAYS_ABORT)",
              (now.leaf7.edx & LEAF7_EDX_RTM_ALWAYS_ABORT) != 0, aborts);
    check_bit(t, "EDX[13] (TSX_FORCE_ABORT)",
              (now.leaf7.edx & LEAF7_EDX_TSX_FORCE_ABORT) != 0, true);
}

/* While RTM is hidden no document says what XBEGIN does; but while bit 2 is 0
 * all transactions are forced to abort. */
static void check_rtm(struct test_context *t, uint64_t written)
{
    bool shown = (written & CLEAR) == 0, aborts = (written & SDV) == 0;
    struct rtm_tally tally;

    rtm_try(test_trials(t, 200, 20), &tally);
    if (aborts && shown) {
        rtm_check_forced(t, &tally);
    } else {
        rtm_check_atomic(t, &tally);
        check(t, !aborts || tally.committed == 0,
              "%u of %u transactions committed; wanted 0", tally.committed,
              tally.tried);
        check(t, !shown || tally.faulted == 0,
              "XBEGIN raised %s, %u of %u; wanted none while RTM is "
              "enumerated",
              fault_name(tally.vector), tally.faulted, tally.tried);
    }
    note(t, "%u transactions committed, %u aborted, %u raised an exception",
         tally.committed, tally.aborted, tally.faulted);
}

/* Disabled in all updates. XTEST exists where RTM or HLE is enumerated. */
static void check_hle(struct test_context *t, uint64_t written)
{
    struct hle_tally all = {0};
    struct enumeration now;

    /* As CPUID has it now, and has to: XTEST raises #UD else. */
    enumeration_read(test_cpu(t), &now);
    bool ask = (written & CLEAR) == 0 &&
               (now.leaf7.ebx & (LEAF7_EBX_RTM | LEAF7_EBX_HLE)) != 0;

    for (unsigned i = 0; i < HLE_FORMS; i++)
        hle_try_asking(t, &hle_forms[i], 1, ask, &all);
    hle_check(t, &all);
    check_none(t,
               "XTEST between XACQUIRE and XRELEASE says that a "
               "transaction runs",
               all.elided, all.tried);
}

static void try_value(struct test_context *t, uint64_t value)
{
    int vector = try_set_msr(t, TSX_FORCE_ABORT, value);

    if (!check(t, vector == HW_NO_FAULT,
               "WRMSR of TSX_FORCE_ABORT raised %s; wanted none",
               fault_name(vector)))
        return;
    check_register(t, value);
    check_leaf(t, value);
    check_rtm(t, value);
    check_hle(t, value);
}

TEST(force_abort_values,
     .asks = "Does each of the eight values of TSX_FORCE_ABORT read back and "
             "act as documented?",
     .cite = "White paper 604224, sections 2, 2.1 and table 2.2-1",
     .needs = {.regimes = REGIME_C | REGIME_C_PRIME | REGIME_D,
               .features = NEED_INTEL})
{
    unsigned left_out = 0;
    uint64_t found;

    if (!get_msr(t, TSX_FORCE_ABORT, &found))
        return;
    for (uint64_t bits = 0; bits <= ALL; bits++) {
        if ((bits & SDV) != 0 && !test_allowed(t, ALLOW_SDV_ENABLE_RTM)) {
            left_out++;
            continue;
        }
        WITH_PREFIX (t, "10FH[2:0] written with %u%u%u", (unsigned)(bits >> 2),
                     (unsigned)(bits >> 1 & 1), (unsigned)(bits & 1))
            try_value(t, (found & ~ALL) | bits);
    }
    if (left_out != 0)
        note(t,
             "not tried: the %u values with [2] (SDV_ENABLE_RTM) set: needs "
             "the option allow=sdv_enable_rtm",
             left_out);
}
