/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_judge.c - compares records with what was planted, and with aborts. */
#include "src/pebs/pebs_judge.h"

#include "src/tsx/status.h"

#define RFLAGS_RF BIT(16)

uint64_t pebs_judge_register(enum pebs_field field,
                             const struct pebs_state *state, unsigned event)
{
    uint64_t value =
        PEBS_PLANTED((uint64_t)(field - PEBS_RAX)) ^ state->complement;

    if (field == PEBS_RSP)
        return state->rsp;
    return field == PEBS_R15 ? value + event : value;
}

uint32_t pebs_judge_planted(const struct pebs_record *record,
                            const struct pebs_state *state, unsigned event)
{
    uint32_t wrong = 0;

    if (((record->rflags ^ state->rflags) & ~RFLAGS_RF) != 0)
        wrong |= (uint32_t)BIT(PEBS_RFLAGS);
    for (enum pebs_field f = PEBS_RAX; f <= PEBS_R15; f++)
        if (pebs_field_value(record, f) != pebs_judge_register(f, state, event))
            wrong |= (uint32_t)BIT(f);
    return wrong;
}

static bool has_any(uint64_t value, uint64_t bits)
{
    return (value & bits) != 0;
}

static const char *judge_image(uint64_t status,
                               const struct pebs_counters *counters, bool *race)
{
    const uint64_t others = status & ~(uint64_t)counters->own;

    if ((others & ~counters->others) != 0)
        return "IA32_PERF_GLOBAL_STATUS (90H) has bits set that were not in "
               "38EH before the record";
    if (others != counters->others)
        return "IA32_PERF_GLOBAL_STATUS (90H) lacks bits that were set in 38EH "
               "before the record";
    *race = (status & counters->own) == 0;
    if (!*race && (status & counters->own) != counters->own)
        return "IA32_PERF_GLOBAL_STATUS (90H) lacks counters that overflowed";
    return NULL;
}

const char *pebs_judge_counters(const struct pebs_record *record,
                                const struct pebs_counters *counters,
                                bool *race)
{
    *race = false;
    if (!pebs_has(record, PEBS_APPLICABLE_COUNTER))
        return judge_image(record->global_status, counters, race);
    if ((record->applicable_counter & ~(uint64_t)counters->own) != 0)
        return "Applicable Counter (90H) has bits set that are not of the "
               "record's counters";
    if (record->applicable_counter != counters->own)
        return "Applicable Counter (90H) lacks a counter that the record is of";
    return NULL;
}

/* [39:37] against the abort status of RTM. SDM 3B: if set in the record, there
 * was a conflict, or too little room; SDM 1: where there was, set in EAX. So
 * the record's bit implies EAX's. The converse stands nowhere. */
static const char *judge_cause(uint64_t info, uint32_t eax)
{
    const uint64_t capacity =
        TX_ABORT_CAPACITY_WRITES | TX_ABORT_CAPACITY_READS;

    if (has_any(info, TX_ABORT_DATA_CONFLICT) &&
        !has_any(eax, RTM_STATUS_CONFLICT))
        return "TX Abort Information (B8H)[37] (Data_Conflict) is set, and "
               "EAX[2] is not";
    if (has_any(info, capacity) && !has_any(eax, RTM_STATUS_CAPACITY))
        return "TX Abort Information (B8H)[39:38] (Capacity Reads, Writes) is "
               "set, and EAX[3] is not";
    return NULL;
}

const char *pebs_judge_abort(const struct pebs_record *record,
                             const struct pebs_abort *abort)
{
    const uint64_t info = record->tx_abort;
    const char *wrong = NULL;

    if (has_any(info, TX_ABORT_HLE_ABORT) != abort->hle ||
        has_any(info, TX_ABORT_RTM_ABORT) == abort->hle)
        return abort->hle ? "TX Abort Information (B8H)[33:32] is not 01b (HLE)"
                          : "TX Abort Information (B8H)[33:32] is not 10b "
                            "(RTM)";
    if (!abort->hle)
        wrong = judge_cause(info, abort->eax);
    if (wrong != NULL)
        return wrong;
    if (has_any(info, TX_ABORT_INSTRUCTION_ABORT) &&
        has_any(info, TX_ABORT_NON_INSTRUCTION_ABORT))
        return "TX Abort Information (B8H)[35:34] are both set, and contradict "
               "each other";
    if (has_any(info, TX_ABORT_INSTRUCTION_ABORT) && abort->at != 0 &&
        record->eventing_ip != abort->at)
        return "TX Abort Information (B8H)[34] (Instruction_Abort) is set, and "
               "EventingIP (B0H) is not the aborting instruction";
    if (abort->cycles_most != 0 &&
        ((info & TX_ABORT_CYCLES_LAST_TX) < abort->cycles_least ||
         (info & TX_ABORT_CYCLES_LAST_TX) > abort->cycles_most))
        return "TX Abort Information (B8H)[31:0] (Cycles_Last_TX) is not what "
               "the region took";
    if (record->rip != abort->resume)
        return abort->hle ? "RIP (08H) is not the instruction after the "
                            "outermost XACQUIRE"
                          : "RIP (08H) is not the first instruction of the "
                            "outermost fallback";
    return NULL;
}
