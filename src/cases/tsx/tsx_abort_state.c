/* SPDX-License-Identifier: BSD-2-Clause */
/* A transaction changes every bit of a kind of registers, or memory, and ends:
 * after an abort all are as at XBEGIN, after a commit as the transaction left
 * them. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/tsx/causes.h"
#include "src/tsx/probe.h"
#include "src/tsx/state.h"

#define ZMM (XCR0_OPMASK | XCR0_ZMM_HI256 | XCR0_HI16_ZMM)

static const struct state_row aborts[] = {
    {"general registers and status flags changed, then XABORT",
     tsx_change_general, tsx_end_xabort, 0},
    {"general registers, status flags, XMM0 to XMM15 and MXCSR changed, then "
     "XABORT in an inner transaction",
     tsx_change_both, tsx_end_nested, 0},
    {"the same, then #GP in an inner transaction", tsx_change_both,
     tsx_end_nested_load, 0},
    {"the same, then transactions nested too deep", tsx_change_both,
     tsx_end_deep, 0},
    {"the same, then PAUSE", tsx_change_both, tsx_end_pause, 0},
    {"the same, then CPUID", tsx_change_both, tsx_end_cpuid, 0},
    {"the same, then #UD", tsx_change_both, tsx_end_ud2, 0},
    {"the same, then #GP", tsx_change_both, tsx_end_load, 0},
    {"the same, then INT3", tsx_change_both, tsx_end_int3, 0},
    {"the same, then stores to 64 KB", tsx_change_both, tsx_end_capacity, 0},
    {"the same, then REP STOS to 64 KB", tsx_change_both, tsx_end_string, 0},
    {"DF changed, then XABORT", tsx_change_direction, tsx_end_xabort, 0},
    {"DF changed, then CPUID", tsx_change_direction, tsx_end_cpuid, 0},
    {"DF changed, then #GP", tsx_change_direction, tsx_end_load, 0},
    {"DF changed, then PAUSE", tsx_change_direction, tsx_end_pause, 0},
    {"DF changed, then #UD", tsx_change_direction, tsx_end_ud2, 0},
    {"DF changed, then XABORT in an inner transaction", tsx_change_direction,
     tsx_end_nested, 0},
    {"DF changed, then #GP in an inner transaction", tsx_change_direction,
     tsx_end_nested_load, 0},
    {"DF changed, then transactions nested too deep", tsx_change_direction,
     tsx_end_deep, 0},
    {"DF changed, then INT3", tsx_change_direction, tsx_end_int3, 0},
    {"DF changed, then stores to 64 KB", tsx_change_direction, tsx_end_capacity,
     0},
    {"XMM0 to XMM15 and MXCSR changed, then XABORT", tsx_change_xmm,
     tsx_end_xabort, 0},
    {"the x87 changed, then XABORT", tsx_change_x87, tsx_end_xabort, 0},
    {"the x87 changed, then XABORT in an inner transaction", tsx_change_x87,
     tsx_end_nested, 0},
    {"the x87 changed, then #GP in an inner transaction", tsx_change_x87,
     tsx_end_nested_load, 0},
    {"the x87 changed, then transactions nested too deep", tsx_change_x87,
     tsx_end_deep, 0},
    {"the x87 changed, then #UD", tsx_change_x87, tsx_end_ud2, 0},
    {"the x87 changed, then #GP", tsx_change_x87, tsx_end_load, 0},
    {"the x87 changed, then PAUSE", tsx_change_x87, tsx_end_pause, 0},
    {"the x87 changed, then CPUID", tsx_change_x87, tsx_end_cpuid, 0},
    {"the x87 changed, then INT3", tsx_change_x87, tsx_end_int3, 0},
    {"the x87 changed, then stores to 64 KB", tsx_change_x87, tsx_end_capacity,
     0},
    {"memory changed, then XABORT", tsx_change_memory, tsx_end_xabort, 0},
    {"memory changed, then XABORT in an inner transaction", tsx_change_memory,
     tsx_end_nested, 0},
    {"memory changed, then #GP in an inner transaction", tsx_change_memory,
     tsx_end_nested_load, 0},
    {"memory changed, then transactions nested too deep", tsx_change_memory,
     tsx_end_deep, 0},
    {"memory changed, then PAUSE", tsx_change_memory, tsx_end_pause, 0},
    {"memory changed, then CPUID", tsx_change_memory, tsx_end_cpuid, 0},
    {"memory changed, then #UD", tsx_change_memory, tsx_end_ud2, 0},
    {"memory changed, then #GP", tsx_change_memory, tsx_end_load, 0},
    {"memory changed, then INT3", tsx_change_memory, tsx_end_int3, 0},
    {"memory changed, then stores to 64 KB", tsx_change_memory,
     tsx_end_capacity, 0},
    {"YMM0 to YMM15 changed, then XABORT", tsx_change_ymm, tsx_end_xabort,
     XCR0_AVX},
    {"YMM0 to YMM15 changed, then #GP", tsx_change_ymm, tsx_end_load, XCR0_AVX},
    {"YMM0 to YMM15 changed, then #UD", tsx_change_ymm, tsx_end_ud2, XCR0_AVX},
    {"YMM0 to YMM15 changed, then PAUSE", tsx_change_ymm, tsx_end_pause,
     XCR0_AVX},
    {"YMM0 to YMM15 changed, then CPUID", tsx_change_ymm, tsx_end_cpuid,
     XCR0_AVX},
    {"YMM0 to YMM15 changed, then XABORT in an inner transaction",
     tsx_change_ymm, tsx_end_nested, XCR0_AVX},
    {"YMM0 to YMM15 changed, then transactions nested too deep", tsx_change_ymm,
     tsx_end_deep, XCR0_AVX},
    {"YMM0 to YMM15 changed, then INT3", tsx_change_ymm, tsx_end_int3,
     XCR0_AVX},
    {"YMM0 to YMM15 changed, then stores to 64 KB", tsx_change_ymm,
     tsx_end_capacity, XCR0_AVX},
    {"the upper halves of YMM0 to YMM15 zeroed, then XABORT", tsx_change_upper,
     tsx_end_xabort, XCR0_AVX},
    {"ZMM0 to ZMM31 and K0 to K7 changed, then XABORT", tsx_change_zmm,
     tsx_end_xabort, ZMM},
};

/* The same; a load of uncacheable memory may abort it. */
static const struct state_row memory_types[] = {
    {"general registers, status flags, XMM0 to XMM15 and MXCSR changed, then a "
     "load of uncacheable memory",
     tsx_change_both, tsx_end_read, 0},
    {"DF changed, then a load of uncacheable memory", tsx_change_direction,
     tsx_end_read, 0},
    {"the x87 changed, then a load of uncacheable memory", tsx_change_x87,
     tsx_end_read, 0},
    {"memory changed, then a load of uncacheable memory", tsx_change_memory,
     tsx_end_read, 0},
    {"YMM0 to YMM15 changed, then a load of uncacheable memory", tsx_change_ymm,
     tsx_end_read, XCR0_AVX},
};

/* XBEGIN and XEND by themselves; and what is in between stays. */
static const struct state_row commits[] = {
    {"nothing changed, then XEND", tsx_change_nothing, tsx_state_commit, 0},
    {"nothing changed, but the status flags by XTEST, then XEND",
     tsx_change_nothing, tsx_end_tested_commit, 0},
    {"general registers and status flags changed, then XEND",
     tsx_change_general, tsx_state_commit, 0},
    {"the same, then an inner transaction, then XEND", tsx_change_general,
     tsx_end_inner, 0},
    {"XMM0 to XMM15 and MXCSR changed, then XEND", tsx_change_xmm,
     tsx_state_commit, 0},
    {"memory changed, then XEND", tsx_change_memory, tsx_state_commit, 0},
    {"YMM0 to YMM15 changed, then XEND", tsx_change_ymm, tsx_state_commit,
     XCR0_AVX},
};
#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

/* What no transaction here writes: it is as it was. */
static const struct kept {
    const char *name;
    uint32_t number;
} kept[] = {
    {"the base of FS", IA32_FS_BASE}, {"the base of GS", IA32_GS_BASE},
    {"IA32_EFER", IA32_EFER},         {"IA32_STAR", IA32_STAR},
    {"IA32_LSTAR", IA32_LSTAR},       {"IA32_FMASK", IA32_FMASK},
};

static bool read_kept(struct test_context *t, uint64_t value[ROWS(kept)])
{
    for (unsigned n = 0; n < ROWS(kept); n++)
        if (!get_msr(t, kept[n].number, &value[n]))
            return false;
    return true;
}

/* Written as they are, so that they are put back. */
static bool save_kept(struct test_context *t, uint64_t value[ROWS(kept)])
{
    bool saved = read_kept(t, value);

    for (unsigned n = 0; saved && n < ROWS(kept); n++)
        saved = set_msr(t, kept[n].number, value[n]);
    return saved;
}

/* False where one is not, or cannot be read. */
static bool check_kept(struct test_context *t, const char *what,
                       const uint64_t before[ROWS(kept)])
{
    uint64_t after[ROWS(kept)];
    bool same = read_kept(t, after);

    for (unsigned n = 0; same && n < ROWS(kept); n++)
        same = check(t, after[n] == before[n],
                     "%s: %s (%XH) went from 0x%lx to 0x%lx; wanted it as it "
                     "was",
                     what, kept[n].name, kept[n].number, before[n], after[n]);
    return same;
}

static bool has(struct test_context *t, const struct state_row *row,
                uint64_t components)
{
    if ((components & row->components) == row->components)
        return true;
    note(t,
         "not tested: %s: needs 0x%lx in CPUID.0DH.0:EAX (XCR0); there is "
         "0x%lx",
         row->what, row->components, components);
    return false;
}

TEST(tsx_abort_state,
     .asks = "Are all registers and flags as at XBEGIN after an abort, and as "
             "left after a commit?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"RTM Software Interface\"; SDM 2, XBEGIN, XEND "
             "and XABORT",
     .needs = {.features = NEED_INTEL | NEED_RTM})
{
    uint64_t components = state_components(test_cpu(t));
    unsigned tries = (test_trials(t, 40, 20) + 4) / 5, tried = 0;
    uint64_t before[ROWS(kept)];

    /* Set-up. */
    if (!probe_set_up(t) || !save_kept(t, before))
        return;

    /* Measured, and checked. */
    for (unsigned i = 0; i < ROWS(aborts); i++) {
        if (!has(t, &aborts[i], components))
            continue;
        unsigned commit = state_try(t, &aborts[i], components, tries);
        check(t, commit == 0, "%s: %u of %u committed; wanted 0",
              aborts[i].what, commit, tries);
        if (!check_kept(t, aborts[i].what, before))
            return;
        tried++;
    }
    for (unsigned i = 0; i < ROWS(commits); i++) {
        if (!has(t, &commits[i], components))
            continue;
        unsigned commit = state_try(t, &commits[i], components, tries);
        if (commit == 0)
            note(t, "%s: none of %u committed", commits[i].what, tries);
        if (!check_kept(t, commits[i].what, before))
            return;
        tried++;
    }
    const void *uncacheable = (const void *)(uintptr_t)cause_uncacheable(t);
    for (unsigned i = 0; uncacheable != NULL && i < ROWS(memory_types); i++) {
        if (!has(t, &memory_types[i], components))
            continue;
        (void)state_try_reads(t, &memory_types[i], components, tries,
                              uncacheable, 1);
        tried++;
    }
    note(t, "%u kinds of changes and ends, %u transactions each", tried, tries);
}
