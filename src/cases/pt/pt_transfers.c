/* SPDX-License-Identifier: BSD-2-Clause */
/* Each indirect and each far transfer is a TIP with its target; a return may be
 * compressed to a result of a TNT, but for those that a decoder could not
 * follow, and unless DisRETC is 1. */
#include "src/base/msr.h"
#include "src/trace/window.h"

static const struct {
    const char *what;
    const uint8_t *body;
    const struct trace_row *rows;
    bool no_compression;
} rows[] = {
    {"jumps, calls and returns", trace_body_transfers,
     trace_body_transfers_path, false},
    {"jumps, calls and returns, DisRETC = 1", trace_body_transfers,
     trace_body_transfers_path, true},
    {"returns", trace_body_returns, trace_body_returns_path, false},
    {"a call, TraceEn = 0 and 1, its return", trace_body_restart,
     trace_body_restart_path, false},
    {"returns, DisRETC = 1", trace_body_returns, trace_body_returns_path, true},
};

TEST(pt_transfers,
     .asks = "Does a trace have a TIP for each indirect and far transfer?",
     .cite = "SDM 3C, Intel Processor Trace, \"Target IP (TIP) Packet\", "
             "\"Indirect Transfer Compression for Returns (RET)\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    struct trace p;
    struct window w;
    struct path_seen seen;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;
    const uint64_t control = p.control;

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        /* Measured. */
        window_set(&w, rows[i].body, rows[i].rows);
        w.path.no_ret_compression = rows[i].no_compression;
        p.control =
            control | (rows[i].no_compression ? IA32_RTIT_CTL_DisRETC : 0);

        /* Checked. */
        if (window_check(&p, rows[i].what, &w, &seen) &&
            !rows[i].no_compression)
            note(t, "%s: %u of %u compressed", rows[i].what, seen.compressed,
                 seen.returns);
    }
}
