/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_modes.c - enters ring 2 in 64-bit and in 32-bit mode, and traces it. */
#include "src/trace/ring3_modes.h"

#include "src/base/msr.h"
#include "src/counting/smi_guard.h"
#include "src/trace/window.h"

#define VISITS 4 /* 64, 32, 64, 32 bits */
#define STEPS  4 /* each: MODE.Exec, TIP.PGE, FUP, TIP.PGD */

/* The visits in one window; `code_32`: the selector of a code segment. */
static uint64_t window_modes(uint64_t code_32, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (void *)(uintptr_t)cells[0];
    const uint64_t code_64 = ring3->user_cs;

    for (unsigned n = 0; n < VISITS; n++) {
        ring3->user_cs = n % 2 != 0 ? code_32 : code_64;
        window_ring3_body(0, cells);
    }
    ring3->user_cs = code_64;
    return 0;
}

/* So many traces: from the second on each begins in another mode than the one
 * before ended in, and without a PSB. */
static bool check_traces(struct trace *p, struct ring3_session *session,
                         const char *what, unsigned traces)
{
    const uint64_t at = trace_at(ring3_ud2), smis = smi_count(p->t);
    struct path_step steps[2 * VISITS * STEPS];
    const struct path_list list = {steps, traces * VISITS * STEPS};
    const struct path path = {.step = path_list_step, .source = &list};
    struct path_seen seen;

    for (unsigned n = 0; n < traces * VISITS; n++) {
        struct path_step *step = &steps[n * STEPS];

        step[0] = (struct path_step){
            PATH_MODE_EXEC, n % 2 != 0 ? PT_MODE_EXEC_CS_D : PT_MODE_EXEC_CS_L};
        step[1] = (struct path_step){PATH_PGE, at};
        step[2] = (struct path_step){PATH_FUP, at};
        step[3] = (struct path_step){PATH_PGD_HIDDEN, 0};
    }
    hw_poll();
    if (!ring3_trace_arm(p, IA32_RTIT_CTL_User))
        return false;
    for (unsigned n = 0; n < traces; n++)
        if (!ring3_trace(p, session,
                         n == 0 ? 0 : UINT64_C(1) << PACKET_BYTES_AT,
                         ring3_code_32(session), window_modes))
            return false;
    if (smi_count(p->t) != smis)
        return true;
    path_follow(p->memory, trace_bytes(p), &path, 0, &seen);
    return seen.overflow || window_judge(p, what, &seen);
}

void ring3_modes_check(struct trace *p, struct ring3_session *session)
{
    struct ring3 *ring3 = session->ring3;

    if (trace_at(ring3_ud2) >> 32 != 0) {
        note(p->t, "not tested: ring 2 in 32-bit mode: needs code below 4 GB");
        return;
    }
    ring3_be_ring(session, 2);
    /* window_ring3_body() leads to ring3_body. */
    ring3->user_code =
        trace_at(ring3_ud2) - (uint64_t)(ring3_body - ring3_code);
    ring3->level = 3;
    if (check_traces(p, session, "ring 2 in 64-bit and in 32-bit mode", 1) &&
        output_psb_counted(test_cpu(p->t)) != 0)
        check_traces(p, session, "the same in a trace that goes on", 2);
}
