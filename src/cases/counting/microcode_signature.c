/* SPDX-License-Identifier: BSD-2-Clause */
/* IA32_BIOS_SIGN_ID gives the revision of the microcode after CPUID.1, the same
 * each time: reports, and errata, go by it. */
#include "src/harness/case.h"
#include "src/base/msr.h"

#define TIMES 4

TEST(microcode_signature,
     .asks = "Does IA32_BIOS_SIGN_ID give one revision, whenever it is asked "
             "for?",
     .cite = "SDM 3A, \"Update Signature and Verification\"; white paper "
             "604224, section 1: the updates that bring TSX_FORCE_ABORT",
     .needs = {.features = NEED_INTEL})
{
    const struct identity *id = test_cpu(t);
    struct hw_cpuid leaf;
    uint64_t value, zeros = 0;

    if (!id->microcode_known) {
        skip(t, "needs IA32_BIOS_SIGN_ID (8BH), which raises an exception");
        return;
    }
    for (unsigned i = 0; i < TIMES; i++) {
        if (!set_msr(t, IA32_BIOS_SIGN_ID, 0) ||
            !get_msr(t, IA32_BIOS_SIGN_ID, &value))
            return;
        zeros += value == 0; /* an SMI may execute CPUID in between */
        hw_cpuid(1, 0, &leaf);
        if (!get_msr(t, IA32_BIOS_SIGN_ID, &value))
            return;
        check(t, value >> 32 == id->microcode,
              "IA32_BIOS_SIGN_ID (8BH)[63:32] is %lXH after CPUID.1; at the "
              "start of the run it was %XH",
              value >> 32, id->microcode);
        check(t, leaf.eax == id->signature,
              "CPUID.1:EAX is 0x%08x; at the start of the run it was 0x%08x",
              leaf.eax, id->signature);
    }
    /* A hypervisor has no update loaded for its guest's sake. */
    check(t, zeros != 0 || !identity_is_native(id),
          "IA32_BIOS_SIGN_ID (8BH) was written with 0 and did not read 0 "
          "before CPUID.1, in %u of %u tries; wanted the 0, which shows "
          "afterwards that no update is loaded",
          TIMES, TIMES);
    if (id->tsx_force_abort && identity_is_native(id))
        check(t, id->microcode != 0,
              "IA32_BIOS_SIGN_ID (8BH)[63:32] is 0, no update is loaded; "
              "CPUID.7.0:EDX[13], TSX_FORCE_ABORT, is of an update");
}
