/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that abort a transaction: two that must, others that may. XABORT
 * has a test of its own. HLT is on the manual's list, but where it did not
 * abort it would never end. */
#include "src/harness/case.h"
#include "src/tsx/probe.h"

#define DR7_NOTHING UINT64_C(0x400) /* bit 10 is always 1 */

/* In the manual's order, one or more of each group but those that need what a
 * processor with TSX may lack (XSAVE, INVPCID, VMX, SMX) or that do not come
 * back (ring transitions, RSM, WBINVD in time). */
static const struct row {
    const char *name;
    const uint8_t *body;
    bool must; /* aborts "on any implementation" */
} rows[] = {
    {"CPUID", tsx_body_cpuid, true},
    {"PAUSE", tsx_body_pause, true},
    {"FNOP", tsx_body_fnop, false},
    {"FXSAVE", tsx_body_fxsave, false},
    {"CLI", tsx_body_cli, false},
    {"STI", tsx_body_sti, false},
    {"POPFQ", tsx_body_popfq, false},
    {"MOV to ES", tsx_body_mov_es, false},
    {"SGDT", tsx_body_sgdt, false},
    {"SLDT", tsx_body_sldt, false},
    {"IRETQ", tsx_body_iretq, false},
    {"MOV to DR0", tsx_body_mov_dr0, false},
    {"MOV to CR0", tsx_body_mov_cr0, false},
    {"MOV to CR2", tsx_body_mov_cr2, false},
    {"MOV to CR3", tsx_body_mov_cr3, false},
    {"MOV to CR4", tsx_body_mov_cr4, false},
    {"MOV to CR8", tsx_body_mov_cr8, false},
    {"CLFLUSH", tsx_body_clflush, false},
    {"INVLPG", tsx_body_invlpg, false},
    {"MOVNTI", tsx_body_movnti, false},
    {"IN", tsx_body_in, false},
    {"OUT", tsx_body_out, false},
    {"RDMSR", tsx_body_rdmsr, false},
    {"WRMSR", tsx_body_wrmsr, false},
};

static void try_row(struct test_context *t, const struct row *row)
{
    struct tsx_block block = {.body = row->body,
                              .argument = (uint64_t)(uintptr_t)test_buffer(t)};
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
}
