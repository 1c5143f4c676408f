/* SPDX-License-Identifier: BSD-2-Clause */
/* Where CPUID enumerates no Processor Trace, its MSRs do not exist. */
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/harness/case.h"
#include "src/trace/output.h"

static const uint32_t msrs[] = {
    IA32_RTIT_OUTPUT_BASE, IA32_RTIT_OUTPUT_MASK_PTRS, IA32_RTIT_CTL,
    IA32_RTIT_STATUS,      IA32_RTIT_CR3_MATCH,        IA32_RTIT_ADDR_A(0),
    IA32_RTIT_ADDR_B(0),   IA32_RTIT_ADDR_A(1),        IA32_RTIT_ADDR_B(1),
    IA32_RTIT_ADDR_A(2),   IA32_RTIT_ADDR_B(2),        IA32_RTIT_ADDR_A(3),
    IA32_RTIT_ADDR_B(3)};
#define MSRS (sizeof(msrs) / sizeof(msrs[0]))

TEST(pt_absent,
     .asks = "Do the trace's MSRs raise #GP where there is no Processor Trace?",
     .cite = "SDM 3C, Intel Processor Trace, \"Enabling and Configuration "
             "MSRs\" (\"If Intel Processor Trace is not supported\")",
     .needs = {.features = NEED_INTEL})
{
    const struct identity *id = test_cpu(t);
    char name[MSR_NAME_BYTES];
    unsigned there = 0;
    uint64_t value;

    /* Set-up. */
    if (id->pt) {
        skip(t, "needs CPUID.07H.0:EBX[25] (Processor Trace) = 0");
        return;
    }

    /* Measured. */
    for (unsigned i = 0; i < MSRS; i++) {
        int vector = try_get_msr(t, msrs[i], &value);
        there += vector != HW_GP;
        if (vector != HW_GP)
            note(t, "%s: RDMSR: got %s, 0x%lx; wanted #GP",
                 msr_name(msrs[i], name), fault_name(vector), value);
    }

    /* Check: of a hypervisor it is said alone. */
    if (identity_is_native(id))
        check(t, there == 0,
              "%u of %u MSRs of Processor Trace can be read, though "
              "CPUID.07H.0:EBX[25] = 0; wanted #GP",
              there, (unsigned)MSRS);
    else
        observe(t, "MSRs of Processor Trace that can be read", there, MSRS);
}
