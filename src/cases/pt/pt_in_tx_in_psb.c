/* SPDX-License-Identifier: BSD-2-Clause */
/* PSB+ says whether a transaction runs: MODE.TSX between PSB and PSBEND. */
#include "src/trace/trace.h"

/* Not enumerated: Broadwell. */
#define PERIOD_UNKNOWN 8192u
/* A turn makes 4 bytes of trace or a little more. */
#define TURN_BYTES 4

/* MODE.TSX in PSB+, with TXAbort = 1. */
static unsigned count_aborts(const struct trace *p)
{
    struct pt_reader reader;
    struct pt_packet packet;
    bool in_psb = false;
    unsigned aborts = 0;

    pt_open(&reader);
    pt_feed(&reader, p->memory, trace_bytes(p), true);
    while (pt_next(&reader, &packet) == PT_OK) {
        if (packet.kind == PT_PSB || packet.kind == PT_PSBEND)
            in_psb = packet.kind == PT_PSB;
        aborts += in_psb && packet.kind == PT_MODE_TSX &&
                  (packet.payload & PT_MODE_TSX_TXABORT) != 0;
    }
    return aborts;
}

/* An abort, and jumps up to the next PSB and over it. */
static bool run_after_abort(void *argument)
{
    const uint32_t *period = argument;
    struct tsx_block block = {.body = tsx_body_branches_xabort};

    return tsx_inside(&block) == TSX_ABORTED &&
           trace_jumps(3 * *period / 2 / TURN_BYTES);
}

/* "TXAbort: Set to 1 only when InTX transitions from 1 to 0 on an abort." */
static void check_after_abort(struct trace *p, uint32_t period)
{
    struct transitions seen;

    if (!trace_try(p, run_after_abort, &period, &seen))
        return;
    const unsigned aborts = count_aborts(p);
    check(p->t, aborts == 0 && seen.wrong == 0,
          "PSB+ after an abort: got %u with TXAbort = 1, %u with InTX = 1, of "
          "%u PSBs; wanted 0",
          aborts, seen.wrong, seen.packets[PT_PSB]);
}

/* Two PSBs in a transaction: what the second says, too. */
static void check_longer(struct trace *p, uint32_t period)
{
    const struct trace_transaction tx = {.body = tsx_body_jumps,
                                         .count = 5 * period / 2 / TURN_BYTES,
                                         .want = TSX_COMMITTED};
    struct transitions seen;

    if (5 * period / 2 > TRACE_BYTES / 2 || !trace_transaction(p, &tx, &seen))
        return;
    check(p->t, seen.wrong == 0,
          "PSB+ with another InTX than the transitions say, in a transaction "
          "longer than two PSBs are apart: got %u of %u, wanted 0",
          seen.wrong, seen.states);
}

TEST(pt_in_tx_in_psb,
     .asks = "Does PSB+ say InTX = 1 in a transaction, and 0 outside?",
     .cite =
         "SDM 3C, Intel Processor Trace, \"Decoder Synchronization (PSB+)\", "
         "\"MODE.TSX Packet Definition\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_TOPA | NEED_RTM})
{
    const uint32_t enumerated = output_psb_bytes(test_cpu(t));
    const uint32_t period = enumerated != 0 ? enumerated : PERIOD_UNKNOWN;
    const struct trace_transaction tx = {.body = tsx_body_jumps,
                                         .count = 3 * period / 2 / TURN_BYTES,
                                         .want = TSX_COMMITTED};
    struct trace p;
    struct transitions seen;

    /* Set-up. */
    if (!trace_claim_transactions(&p, t))
        return;
    if (3 * period / 2 > TRACE_BYTES / 2) {
        skip(t, "needs PSBs every 8 KB or less; PSBFreq allows %u bytes",
             period);
        return;
    }

    /* Measured. */
    if (!trace_transaction(&p, &tx, &seen))
        return;

    /* Check. */
    trace_check_commit(&p, "transaction longer than from PSB to PSB", &seen);
    if (enumerated == 0 && seen.packets[PT_PSB] < 2) {
        skip(t,
             "needs a PSB within %u bytes; how often they come is not "
             "enumerated (CPUID.14H.0:EBX[1] = 0)",
             period);
        return;
    }
    check(t, seen.inside != 0,
          "PSB+ with MODE.TSX InTX = 1 in a transaction: got 0 of %u PSBs, "
          "wanted some",
          seen.packets[PT_PSB]);
    /* Not said of the first, made while TraceEn is being set: whether ContextEn
     * is 1 by then. */
    check(t, seen.states + 1 >= seen.packets[PT_PSB],
          "PSB+ with MODE.TSX, after the first: got %u, wanted all %u",
          seen.states, seen.packets[PT_PSB] - 1);
    check(t, seen.wrong == 0,
          "PSB+ with another InTX than the transitions say: got %u of %u, "
          "wanted 0",
          seen.wrong, seen.states);
    note(t, "%u PSBs in %lu bytes, %u with InTX = 1", seen.packets[PT_PSB],
         trace_bytes(&p), seen.inside);
    check_after_abort(&p, period);
    check_longer(&p, period);
}
