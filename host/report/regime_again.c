/* SPDX-License-Identifier: BSD-2-Clause */
/* regime_again.c - the evidence of a report, as regime_decide() takes it. */
#include "host/report/regime_again.h"

#include "src/cpu/regime.h"

#include <stdio.h>
#include <stdlib.h>

/* IA32_ARCH_CAPABILITIES (10AH): where a register is named, it was enumerated
 * (src/cpu/regime.c). */
#define TSX_CTRL      (UINT64_C(1) << 7)
#define FB_CLEAR_CTRL (UINT64_C(1) << 18)

/* A report has no hardware to ask. */
int hw_msr_read(uint32_t number, uint64_t *value)
{
    (void)number;
    (void)value;
    abort();
}

int hw_msr_write(uint32_t number, uint64_t value)
{
    (void)number;
    (void)value;
    abort();
}

void hw_cpuid(uint32_t leaf, uint32_t subleaf, struct hw_cpuid *out)
{
    (void)leaf;
    (void)subleaf;
    (void)out;
    abort();
}

static bool bit(struct span evidence, const char *name, bool *out)
{
    struct span passed;
    uint64_t value;

    if (!take_until(&evidence, name, &passed) || !take(&evidence, " = ") ||
        !take_number(&evidence, &value))
        return false;
    *out = value != 0;
    return true;
}

/* "NAME = 0x..", or "RDMSR of NAME raises ..", or it is not named. */
static int msr(struct span evidence, const char *name, uint64_t *value)
{
    struct span passed;

    *value = 0;
    if (!take_until(&evidence, name, &passed))
        return REGIME_NOT_READ;
    return take(&evidence, " = ") && take_hex(&evidence, value)
               ? HW_NO_FAULT
               : HW_GP; /* which exception it was changes nothing */
}

const char *regime_again(const struct kind *kind)
{
    struct identity id = {0};
    struct regime_evidence evidence;

    if (!bit(kind->evidence, "EDX[13]", &id.tsx_force_abort) ||
        !bit(kind->evidence, "EDX[11]", &id.rtm_always_abort) ||
        !bit(kind->evidence, "EBX[11]", &id.rtm) ||
        !bit(kind->evidence, "EBX[4]", &id.hle))
        return NULL;
    snprintf(id.vendor, sizeof(id.vendor), "%.*s", SPAN_ARGS(kind->vendor));
    evidence.fault_10f = msr(kind->evidence, "(10FH)", &evidence.value_10f);
    evidence.fault_122 = msr(kind->evidence, "(122H)", &evidence.value_122);
    evidence.fault_123 = msr(kind->evidence, "(123H)", &evidence.value_123);
    id.arch_capabilities =
        (evidence.fault_122 == REGIME_NOT_READ ? 0 : TSX_CTRL) |
        (evidence.fault_123 == REGIME_NOT_READ ? 0 : FB_CLEAR_CTRL);
    return regime_name(regime_decide(&id, &evidence));
}
