/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling_groups.c - which groups adaptive records are to have. */
#include "src/pebs/sampling_groups.h"

#include "src/base/msr.h"

static bool set_groups(struct sampling *p, uint64_t selection, bool adaptive)
{
    p->selection = selection;
    p->basic = !adaptive;
    return pebs_record_size(p->decoder, adaptive ? selection : 0, &p->size) ==
               PEBS_OK &&
           set_msr_again(p->t, MSR_PEBS_DATA_CFG, selection);
}

bool sampling_groups(struct sampling *p, uint64_t selection, bool adaptive)
{
    p->by_turns = false;
    return set_groups(p, selection, adaptive);
}

bool sampling_turns_begin(struct sampling *p)
{
    p->by_turns = true;
    return set_groups(p, SAMPLING_GROUPS, true);
}

bool sampling_turn(struct sampling *p)
{
    static const uint64_t others[] = {0, PEBS_DATA_LBRS, PEBS_DATA_XMM,
                                      PEBS_DATA_XMM | PEBS_DATA_LBRS};
    const unsigned turn = p->turn % (sizeof(others) / sizeof(others[0]));

    if (!p->by_turns)
        return true;
    p->turn++;
    return set_groups(p, SAMPLING_GROUPS | others[turn], true);
}
