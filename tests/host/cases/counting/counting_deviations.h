/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_deviations.h - what of counters may be otherwise, and the context of
 * a case over them. */
#ifndef TESTS_HOST_CASES_COUNTING_COUNTING_DEVIATIONS_H
#define TESTS_HOST_CASES_COUNTING_COUNTING_DEVIATIONS_H

#include "asm/memory_windows.h"
#include "asm/ring3_window.h"
#include "src/base/msr.h"
#include "src/counting/bank.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_body.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum deviation {
    NONE,
    CARRY_LOST,  /* of one counter, into one bit */
    COUNTS_MORE, /* in each window, by many; */
    COUNTS_FEW_MORE,
    COUNTS_LESS, /* a quarter of cycles: of one counter, as what follows */
    OVERFLOW_UNSAID,
    OVERFLOW_OF_NEIGHBOUR,
    OVERFLOW_EARLY,
    OVERFLOW_ONCE, /* until counters are enabled again */
    STATUS_KEPT,   /* of one bit, by 390H */
    FREEZE_NOT_OF,
    FREEZE_STAYS, /* CTR_Frz is cleared, and it does not count on */
    CLEARED_BY_DISABLE,
    PMI_MISSING_OF,
    PMI_UNASKED,
    GLOBAL_CTRL_IGNORED,
    ENABLE_IGNORED,
    STATUS_CLEARED_ALL,
    STATUS_CLEARED_LOW, /* those of fixed ones clear general ones, too */
    STATUS_CLEARED_BY_WRITE,
    STATUS_NOT_STICKY,
    PAUSE_COUNTS,
    INUSE_WITHOUT_FIXED,
    INUSE_BY_UMASK,
    INUSE_WRITABLE,
    CMASK_IGNORED,
    INV_IGNORED,
    EDGE_COUNTS_CYCLES,
    PMI_MISSING,
    PMI_ALWAYS,
    PMI_TWICE,
    PMI_MANY, /* one more for each after the second of a window */
    PMI_LEAVES_UNMASKED,
    PMI_LATE,
    PMI_AT_CLOSE,       /* no deviation: right after the counters' end */
    PMI_WHILE_OFF,      /* though RFLAGS.IF = 0 */
    PMI_LOST_WHILE_OFF, /* not only held */
    PMI_OUTRANKS,       /* CR8 = 15 */
    ALIAS_KEEPS_ONES,   /* a write sets bits, of 4C1H and on, */
    FIXED_KEEPS_ONES,   /* or of fixed counters */
    SELECT_BIT_LOST,
    RESERVED_TAKEN,
    SELECTS_SHARED,
    FIXED_WIDTH_IGNORED,
    SET_REFUSED,
    SET_SETS_MORE,
    FREEZE_MISSING,
    FREEZE_CLEARS_CTRL,
    FREEZE_LEGACY, /* clears 38FH, and sets no CTR_Frz */
    COUNTERS_LINKED,
    WRITE_IGNORED_RUNNING,
    SELECT_CLEARS_COUNTER,
    ENABLE_TAKEN_LATE,
    UMASK_TAKEN_LATE,
    UMASK_ALONE_LATE,
    PMI_OF_0_ALONE, /* not of an overflow beyond it */
    CTRL_CLEARS_COUNTERS,
    RDPMC_OF_START,
    STATUS_SET_FREEZES,
    SMI_ALWAYS,        /* in each window */
    FIXED_LEVELS_KEPT, /* of 38DH, while they count */
    FIXED_ZERO_LOST,   /* written while they count */
    CTRL_LOSES_ONE,    /* instruction, where other bits change */
    FREEZES_ONCE,      /* until IA32_DEBUGCTL is written */
};

static struct {
    enum deviation is;
    unsigned place, bit;            /* of what */
    bool pmi, pmi_masked, pmi_held; /* hw_pmi_begin(), _mask(), _hold() */
    unsigned pmis, masked;
    unsigned before; /* pmis, when the window began */
    bool froze;
    bool overflowed;   /* since then */
    unsigned lbrs_too; /* PMIs that freeze LBRs as well */
    unsigned smis;     /* that are to come */
    unsigned nmis;     /* times that they were asked for as NMI, */
    unsigned masks, holds, outranks; /* and these */
    bool has_frozen;                 /* since IA32_DEBUGCTL was written */
    uint64_t enable; /* of a window that runs: IA32_PERF_GLOBAL_CTRL */
    unsigned slower; /* cycles that each window takes more than the last, */
    unsigned late;   /* and the next one than the first */
    unsigned smm;    /* writes until an SMI that writes 38DH and 38FH */
    unsigned stops;  /* of the clock, that INV is to see: one in a window */
} device;

static _Alignas(4096) uint8_t memory[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];
static struct test_context all[1];
static struct test_context *const t = &all[0];

#define MASK   BITS(47, 0)
#define PLACES UINT64_C(0x70000000f)

static uint16_t device_model = 0x5e;

static uint64_t *reg(uint32_t msr)
{
    return &fake_msr(msr)->value;
}

#endif
