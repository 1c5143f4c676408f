/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict.c - the order of verdicts. */
#include "src/harness/verdict.h"

enum verdict verdict_worst(enum verdict a, enum verdict b)
{
    return a > b ? a : b;
}

enum verdict verdict_of_job(enum verdict said, enum hw_end end, bool must_check)
{
    switch (end) {
    case HW_EXCEPTION:
    case HW_TIMEOUT:
    case HW_LOST:
        return VERDICT_ERROR;
    case HW_DONE:
        return said == VERDICT_NONE && must_check ? VERDICT_ERROR : said;
    case HW_NOT_SELECTED:
        break;
    }
    return said;
}

enum verdict verdict_merge(enum verdict a, enum verdict b)
{
    if (a == VERDICT_SKIP && b != VERDICT_NONE)
        return b;
    if (b == VERDICT_SKIP && a != VERDICT_NONE)
        return a;
    return verdict_worst(a, b);
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {
        [VERDICT_NONE] = "not run", [VERDICT_PASS] = "PASS",
        [VERDICT_SKIP] = "SKIP",    [VERDICT_KNOWN] = "KNOWN",
        [VERDICT_FAIL] = "FAIL",    [VERDICT_ERROR] = "ERROR",
    };

    return names[verdict];
}
