/* SPDX-License-Identifier: BSD-2-Clause */
/* force_abort.c - read, modify, write of 10FH; CPUID before and after. */
#include "src/tsx/force_abort.h"

#include "src/base/msr.h"
#include "src/options/options.h"

bool force_abort_change(struct test_context *t, uint64_t clear, uint64_t set,
                        uint64_t *after)
{
    const uint64_t reserved_in_b =
        TSX_FORCE_ABORT_TSX_CPUID_CLEAR | TSX_FORCE_ABORT_SDV_ENABLE_RTM;
    uint64_t value;

    *after = 0;
    if (test_regime(t) == REGIME_B && (set & reserved_in_b) != 0) {
        broken(t, "TSX_FORCE_ABORT (10FH): asked to set 0x%lx in regime B",
               set);
        return false;
    }
    if (!get_msr(t, TSX_FORCE_ABORT, &value))
        return false;
    if ((set & ~value & TSX_FORCE_ABORT_SDV_ENABLE_RTM) != 0 &&
        !test_allowed(t, ALLOW_SDV_ENABLE_RTM)) {
        skip(t, FORCE_ABORT_SDV_SKIP);
        return false;
    }
    return set_msr(t, TSX_FORCE_ABORT, (value & ~clear) | set) &&
           get_msr(t, TSX_FORCE_ABORT, after);
}

void enumeration_read(const struct identity *id, struct enumeration *out)
{
    *out = (struct enumeration){0};
    if (id->leaf_max >= 7)
        hw_cpuid(7, 0, &out->leaf7);
    if (id->leaf_max >= 0xa)
        hw_cpuid(0xa, 0, &out->leaf0a);
}

static void check_leaf(struct test_context *t, const char *leaf,
                       const char *state, const struct hw_cpuid *got,
                       const struct hw_cpuid *want)
{
    check(t,
          got->eax == want->eax && got->ebx == want->ebx &&
              got->ecx == want->ecx && got->edx == want->edx,
          "CPUID.%s %s: got EAX:EBX:ECX:EDX 0x%08x:0x%08x:0x%08x:0x%08x, "
          "wanted 0x%08x:0x%08x:0x%08x:0x%08x",
          leaf, state, got->eax, got->ebx, got->ecx, got->edx, want->eax,
          want->ebx, want->ecx, want->edx);
}

void enumeration_check_0a(struct test_context *t, const char *state,
                          const struct hw_cpuid *got,
                          const struct hw_cpuid *want)
{
    check_leaf(t, "0AH", state, got, want);
}

void enumeration_check(struct test_context *t, const char *state,
                       const struct enumeration *got,
                       const struct enumeration *want)
{
    check_leaf(t, "07H.0", state, &got->leaf7, &want->leaf7);
    check_leaf(t, "0AH", state, &got->leaf0a, &want->leaf0a);
}
