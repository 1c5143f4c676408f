/* SPDX-License-Identifier: BSD-2-Clause */
/* XABORT passes its code to the fallback, whichever of the 256 it is, and
 * wherever the fallback is. */
#include "src/harness/case.h"
#include "src/base/names.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

/* Each silent code takes all its tries: after so many no more are tried. */
#define SILENT_MAX 4

/* "Always clear if bit 0 is set"; no breakpoint was hit; nor is it nested. */
#define NEVER (RTM_STATUS_RETRY | RTM_STATUS_BREAKPOINT | RTM_STATUS_NESTED)

/* Of the 256 codes. */
struct codes {
    unsigned silent;                  /* no abort of any try had EAX[0] */
    unsigned wrong;                   /* EAX[31:24] is another code */
    unsigned silent_code, wrong_code; /* the first such */
    uint32_t silent_eax, wrong_eax;
    unsigned unasked; /* aborts without EAX[0]: other reasons */
    unsigned never;   /* EAX[0] and one of these are both set */
};

static void try_code(unsigned code, struct codes *codes, struct rtm_tally *all)
{
    const struct tsx_block block = {.body = tsx_bodies_xabort +
                                            code * TSX_XABORT_BYTES};
    struct rtm_tally probe;

    probe_run(&block, PROBE_TRIES, RTM_STATUS_XABORT, true, &probe);
    codes->unasked += probe.aborted - probe.matched;
    if (probe.matched == 0) {
        if (codes->silent++ == 0) {
            codes->silent_code = code;
            codes->silent_eax = probe.status;
        }
    } else if ((probe.status & RTM_STATUS_CODE) >> 24 != code) {
        if (codes->wrong++ == 0) {
            codes->wrong_code = code;
            codes->wrong_eax = probe.status;
        }
    }
    codes->never += probe.matched != 0 && (probe.status & NEVER) != 0;
    probe_add(all, &probe);
}

/* SDM 2, XBEGIN: an offset of 16 or 32 bits, from the next instruction. */
static const struct displaced {
    const char *what;
    const uint8_t *body;
    uint64_t landing;
} displaced[] = {
    {"66H XBEGIN rel16, 16 KB backward", tsx_body_near_backward, 1},
    {"66H XBEGIN rel16, 27 KB forward", tsx_body_near_forward, 2},
    {"XBEGIN rel32, more than 64 KB forward", tsx_body_far_forward, 3},
    {"XBEGIN rel32, more than 64 KB backward", tsx_body_far_backward, 4},
    {"XBEGIN rel32, which is on two pages", tsx_body_on_two_pages, 5},
};

static void try_displaced(struct test_context *t, const struct displaced *row)
{
    unsigned wrong = 0, registers = 0, tries = probe_row_tries(t);
    int outcome = TSX_RAN;

    for (unsigned i = 0; i < tries; i++) {
        struct tsx_block block = {.body = row->body};
        hw_poll();
        int came = tsx_outside(&block);
        if (came != TSX_RAN || block.flags != row->landing) {
            wrong++;
            outcome = came;
        }
        registers += came == TSX_RAN && block.unrestored != 0;
    }
    check(t, wrong == 0,
          "%s: %u of %u aborts did not go on at the fallback address, at last: "
          "%s",
          row->what, wrong, tries,
          outcome == TSX_RAN ? "another one" : fault_name(outcome));
    check(t, registers == 0,
          "%s: registers are not as at XBEGIN, %u of %u aborts", row->what,
          registers, tries);
}

TEST(tsx_xabort_codes,
     .asks = "Does XABORT abort, and do all 256 codes reach the fallback?",
     .cite = "SDM 2, XABORT and XBEGIN; SDM 1, table \"RTM Abort Status "
             "Definition\"",
     .needs = {.features = NEED_INTEL | NEED_RTM})
{
    struct codes codes = {0};
    struct rtm_tally all;

    /* Set-up. */
    if (!probe_set_up(t))
        return;
    rtm_clear(&all);

    /* Measured. */
    unsigned tried = 0;
    while (tried < 256 && codes.silent < SILENT_MAX)
        try_code(tried++, &codes, &all);

    /* Check. */
    WITH_PREFIX (t, "XABORT")
        probe_check(t, &all);
    check(t, all.committed == 0,
          "XABORT: %u of %u transactions committed all the same; wanted 0",
          all.committed, all.tried);
    check(t, codes.silent == 0,
          "XABORT: %u of %u codes left no abort with EAX[0] = 1 in %u tries; "
          "XABORT %02XH left EAX = 0x%08x",
          codes.silent, tried, PROBE_TRIES, codes.silent_code,
          codes.silent_eax);
    check(t, codes.wrong == 0,
          "XABORT: %u of %u codes came back as another one; XABORT %02XH left "
          "EAX = 0x%08x, wanted the code in [31:24]",
          codes.wrong, tried, codes.wrong_code, codes.wrong_eax);
    check(t, codes.never == 0,
          "XABORT: EAX[1] (retry), [4] (breakpoint) or [5] (nested) is set "
          "beside EAX[0] with %u of %u codes; wanted always clear",
          codes.never, tried);
    FOR_EACH_ROW (t, i, displaced)
        try_displaced(t, &displaced[i]);
    note(t,
         "XABORT: %u codes in %u transactions, of which %u aborted for "
         "another reason first",
         tried, all.tried, codes.unasked);
}
