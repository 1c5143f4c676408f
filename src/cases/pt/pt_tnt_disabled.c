/* SPDX-License-Identifier: BSD-2-Clause */
/* With DisTNT no TNT is left: neither by conditional branches nor by returns,
 * which have a TIP each; and the other packets are. */
#include "src/base/msr.h"
#include "src/pt/packet.h"
#include "src/trace/window.h"

static bool trace_returns(struct trace *p, unsigned packets[PT_KINDS])
{
    struct path_seen seen;
    struct pt_reader reader;
    struct pt_packet packet;
    struct window w;

    window_set(&w, trace_body_returns, trace_body_returns_path);
    if (!window_trace(p, &w, &seen))
        return false;
    for (unsigned kind = 0; kind < PT_KINDS; kind++)
        packets[kind] = 0;
    pt_open(&reader);
    pt_feed(&reader, p->memory, trace_bytes(p), true);
    while (pt_next(&reader, &packet) == PT_OK)
        packets[packet.kind]++;
    return true;
}

TEST(pt_tnt_disabled,
     .asks = "Is there no TNT where DisTNT is set, and all else as before?",
     .cite = "SDM 3C, Intel Processor Trace, of later editions: \"TNT "
             "Disable\", table \"IA32_RTIT_CTL MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_DISTNT})
{
    unsigned with[PT_KINDS], without[PT_KINDS];
    struct trace p;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;

    /* Measured. */
    p.control |= IA32_RTIT_CTL_DisRETC;
    if (!trace_returns(&p, with))
        return;
    p.control |= IA32_RTIT_CTL_DisTNT;
    p.control &= ~IA32_RTIT_CTL_DisRETC;
    if (!trace_returns(&p, without))
        return;

    /* Check. */
    check(t, without[PT_TNT_8] + without[PT_TNT_64] == 0,
          "DisTNT = 1: %u TNT; wanted 0",
          without[PT_TNT_8] + without[PT_TNT_64]);
    check(t, without[PT_TIP] == with[PT_TIP],
          "DisTNT = 1: %u TIP; wanted %u, as with DisRETC = 1", without[PT_TIP],
          with[PT_TIP]);
    check(t, without[PT_TIP_PGE] == 1 && without[PT_TIP_PGD] == 1,
          "DisTNT = 1: %u TIP.PGE and %u TIP.PGD; wanted one of each",
          without[PT_TIP_PGE], without[PT_TIP_PGD]);
}
