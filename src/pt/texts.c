/* SPDX-License-Identifier: BSD-2-Clause */
/* texts.c - what packets, results and events are called in reports. */
#include "src/pt/tsx_events.h"

const char *pt_kind_name(unsigned kind)
{
#define NAME(NAME, name) name,
    static const char *const names[] = {PT_PACKETS(NAME)};

    return kind < PT_KINDS ? names[kind] : "no such packet";
}

const char *pt_result_text(enum pt_result result)
{
    static const char *const texts[PT_RESULTS] = {
        [PT_OK] = "no error",
        [PT_MORE] = "end of the block",
        [PT_END] = "end of the data",
        [PT_CUT] = "the data end inside a packet",
        [PT_LOST] = "no packets",
        [PT_UNDEFINED_OPCODE] = "undefined opcode",
        [PT_BROKEN_PSB] = "PSB that is damaged, or not 16 bytes long",
        [PT_RESERVED_IPBYTES] = "reserved IPBytes",
        [PT_RESERVED_PTW_SIZE] = "reserved PayloadBytes of a PTW",
        [PT_CYC_TOO_LONG] = "CYC of more than 64 bits",
        [PT_TNT_EMPTY] = "long TNT without a result",
        [PT_RESERVED_MODE_LEAF] = "MODE with a reserved leaf",
        [PT_RESERVED_MODE_EXEC] = "MODE.Exec with CS.L and CS.D both set",
        [PT_RESERVED_MODE_TSX] = "MODE.TSX with InTX and TXAbort both set",
    };

    return (unsigned)result < PT_RESULTS ? texts[result] : "no such result";
}

const char *pt_transition_name(enum pt_transition transition)
{
    static const char *const names[] = {
        [PT_NO_TRANSITION] = "none", [PT_BEGIN] = "begin",
        [PT_COMMIT] = "commit",      [PT_ABORT] = "abort",
        [PT_STATE] = "state",        [PT_OVERFLOW] = "overflow",
    };

    return (unsigned)transition < PT_TRANSITIONS ? names[transition] : "none";
}

const char *pt_deviation_text(enum pt_deviation deviation)
{
    static const char *const texts[PT_DEVIATIONS] = {
        [PT_NO_DEVIATION] = "no deviation",
        [PT_MODE_WITHOUT_FUP] = "MODE.TSX without its FUP",
        [PT_BEGIN_INSIDE] = "begin inside a transaction",
        [PT_COMMIT_OUTSIDE] = "commit outside a transaction",
        [PT_ABORT_OUTSIDE] = "abort outside a transaction",
        [PT_ABORT_WITHOUT_TARGET] = "abort without the TIP of its target",
        [PT_INTX_AND_TXABORT] = "MODE.TSX with InTX and TXAbort both set",
        [PT_EVENT_INSIDE] =
            "FUP of an event inside a transaction, without an abort first",
        [PT_FUP_WITHOUT_TIP] = "FUP of an event without the TIP of its target",
        [PT_STATE_DIFFERS] = "InTX in PSB+ differs from the transitions before",
        [PT_PSB_WITHOUT_END] = "PSB+ without PSBEND",
        [PT_OWNER_WITHOUT_FUP] = "packet with IP = 1 without its FUP",
        [PT_INCOMPLETE] = "the trace ends, or is damaged, within its packets",
        [PT_NOT_CANONICAL] = "address that is not canonical",
        [PT_DOUBTFUL] = "address that continues one of damaged packets",
    };

    return (unsigned)deviation < PT_DEVIATIONS ? texts[deviation]
                                               : "no such deviation";
}
