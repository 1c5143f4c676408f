/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_returns.c - traces a call of ring 3 in which ring 0 is called. */
#include "src/trace/ring3_returns.h"

#include "src/base/msr.h"
#include "src/trace/window.h"

void ring3_returns_check(struct trace *p, struct ring3_session *session)
{
    struct ring3 *ring3 = session->ring3;
    const uint64_t code = ring3->user_code - trace_at(ring3_code);
    const struct path_step steps[] = {
        {PATH_PGE, code + trace_at(ring3_body)},
        {PATH_TIP, code + trace_at(ring3_body_visits)},
        {PATH_PGD_HIDDEN, 0},
        {PATH_PGE, code + trace_at(ring3_body_visits_back)},
        {PATH_TIP, code + trace_at(ring3_body_visits_returned)},
        {PATH_TAKEN, 0}, /* to SYSCALL */
        {PATH_PGD_HIDDEN, 0}};
    const struct path_list list = {steps, sizeof(steps) / sizeof(steps[0])};
    const struct path path = {.step = path_list_step, .source = &list};
    struct path_seen seen;

    ring3->body = (uint32_t)(ring3_body_visits - ring3_body);
    ring3->level = 3;
    if (!ring3_trace_anew(p, session, IA32_RTIT_CTL_User, 0, window_ring3_body))
        return;
    path_follow(p->memory, trace_bytes(p), &path, 0, &seen);
    if (!seen.overflow)
        window_judge(p, "a return of ring 3 after a call of ring 0", &seen);
}
