/* SPDX-License-Identifier: BSD-2-Clause */
/* branches.c - which branches are mispredicted. */
#include "tests/silicon/model/lbr/branches.h"

#include "tests/silicon/instructions/instruction.h"

static bool direction_predicted(struct predictor *b, uint64_t ip, bool taken)
{
    uint8_t *state = &b->direction[(ip ^ ip >> 8) % PREDICTED_DIRECTIONS];
    bool predicted = (*state >= 2) == taken;

    if (taken && *state < 3)
        ++*state;
    else if (!taken && *state > 0)
        --*state;
    return predicted;
}

static bool target_predicted(struct predictor *b, uint64_t ip, uint64_t to)
{
    size_t n = (ip ^ ip >> 6) % PREDICTED_TARGETS;
    bool predicted = b->target[n].from == ip && b->target[n].to == to;

    b->target[n].from = ip;
    b->target[n].to = to;
    return predicted;
}

bool branches_predicted(struct predictor *b, const struct instruction *i,
                        uint64_t ip, uint64_t next, bool taken)
{
    if ((i->flags & INSTRUCTION_FAR) != 0)
        return true; /* they are not predicted */
    if ((i->flags & INSTRUCTION_CONDITIONAL) != 0)
        return direction_predicted(b, ip, taken);
    if ((i->flags & INSTRUCTION_RETURN) != 0)
        return b->returns[b->calls-- % PREDICTED_RETURNS] == next;
    if ((i->flags & INSTRUCTION_CALL) != 0)
        b->returns[++b->calls % PREDICTED_RETURNS] = ip + i->length;
    if ((i->flags & INSTRUCTION_INDIRECT) != 0)
        return target_predicted(b, ip, next);
    return true;
}

uint64_t branches_expected(const struct predictor *b,
                           const struct instruction *i, uint64_t ip, bool taken)
{
    if ((i->flags & INSTRUCTION_RETURN) != 0)
        return b->returns[(b->calls + 1) % PREDICTED_RETURNS];
    if ((i->flags & INSTRUCTION_CONDITIONAL) != 0 && taken)
        return ip + i->length;
    return 0;
}
