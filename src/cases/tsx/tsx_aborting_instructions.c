/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that abort a transaction: two that must, others that may. XABORT
 * has a test of its own. HLT is on the manual's list, but where it did not
 * abort it would never end. */
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/harness/case.h"
#include "src/tsx/probe.h"

#define DR7_NOTHING UINT64_C(0x400) /* bit 10 is always 1 */
#define PLANTED     1
#define WRITTEN     2

/* In the manual's order, one or more of each group but those that need what a
 * processor with TSX may lack (XSAVE, INVPCID, VMX, SMX) or that do not come
 * back (ring transitions, RSM, WBINVD in time). */
static const struct row {
    const char *name;
    const uint8_t *body;
    bool must;         /* aborts "on any implementation" */
    uint64_t argument; /* 0: a buffer */
} rows[] = {
    {"CPUID", tsx_body_cpuid, true, 0},
    {"PAUSE", tsx_body_pause, true, 0},
    {"FNOP", tsx_body_fnop, false, 0},
    {"FXSAVE", tsx_body_fxsave, false, 0},
    {"CLI", tsx_body_cli, false, 0},
    {"STI", tsx_body_sti, false, 0},
    {"POPFQ", tsx_body_popfq, false, 0},
    {"MOV to ES", tsx_body_mov_es, false, 0},
    {"SGDT", tsx_body_sgdt, false, 0},
    {"SLDT", tsx_body_sldt, false, 0},
    {"IRETQ", tsx_body_iretq, false, 0},
    {"MOV to DR0", tsx_body_mov_dr0, false, 0},
    {"MOV to CR0", tsx_body_mov_cr0, false, 0},
    {"MOV to CR2", tsx_body_mov_cr2, false, 0},
    {"MOV to CR3", tsx_body_mov_cr3, false, 0},
    {"MOV to CR4", tsx_body_mov_cr4, false, 0},
    {"MOV to CR8", tsx_body_mov_cr8, false, 0},
    {"CLFLUSH", tsx_body_clflush, false, 0},
    {"INVLPG", tsx_body_invlpg, false, 0},
    {"MOVNTI", tsx_body_movnti, false, 0},
    {"IN", tsx_body_in, false, 0},
    {"OUT", tsx_body_out, false, 0},
    {"RDMSR", tsx_body_rdmsr, false, 0},
    /* Written with 0 whenever it is read. */
    {"WRMSR", tsx_body_wrmsr, false, IA32_BIOS_SIGN_ID},
};

static void try_row(struct test_context *t, const struct row *row)
{
    struct tsx_block block = {
        .body = row->body,
        .argument = row->argument != 0 ? row->argument
                                       : (uint64_t)(uintptr_t)test_buffer(t)};
    struct rtm_tally probe;
    char what[64];

    rtm_clear(&probe);
    for (unsigned i = 0; i < probe_row_tries(t); i++) {
        hw_poll();
        probe_watched(&block, 0, DR7_NOTHING, 0, &probe); /* puts DR0 back */
    }
    WITH_PREFIX (t, "%s", row->name) {
        probe_check(t, &probe);
        probe_check_status(t, 0, 0, &probe);
    }
    if (row->must) {
        check(t, probe.committed == 0,
              "%s inside a transaction: %u of %u committed; wanted 0",
              row->name, probe.committed, probe.tried);
        note(t, "%s aborts: %u of %u", row->name, probe.aborted, probe.tried);
        return;
    }
    text_format(what, sizeof(what), "%s aborts", row->name);
    observe(t, what, probe.aborted, probe.tried);
}

/* One that has aborted has not written. */
static void check_wrmsr(struct test_context *t)
{
    const struct tsx_block block = {
        .body = tsx_body_wrmsr, .argument = IA32_PMC(0), .count = WRITTEN};
    struct rtm_tally probe;
    unsigned written = 0;
    uint64_t value;

    if (test_cpu(t)->counters == 0 || !counters_claim(t) ||
        !set_msr(t, IA32_PMC(0), PLANTED))
        return;
    rtm_clear(&probe);
    for (unsigned i = 0; i < probe_row_tries(t); i++) {
        hw_poll();
        if (!set_msr_again(t, IA32_PMC(0), PLANTED))
            return;
        int outcome = probe_once(&block, 0, &probe);
        if (!get_msr(t, IA32_PMC(0), &value))
            return;
        written += outcome == TSX_ABORTED && value != PLANTED;
    }
    check(t, written == 0,
          "WRMSR of IA32_PMC0 (C1H) inside a transaction: %u of %u that "
          "aborted wrote it; wanted none",
          written, probe.aborted);
}

TEST(tsx_aborting_instructions,
     .asks = "Do CPUID and PAUSE abort a transaction, and which others do?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"Instruction Based Considerations\"",
     .needs = {.features = NEED_INTEL | NEED_RTM})
{
    if (!probe_set_up(t))
        return;
    FOR_EACH_ROW (t, i, rows)
        try_row(t, &rows[i]);
    check_wrmsr(t);
}
