/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling_ring3.c - ring 3 between arming and reading. */
#include "src/pebs/sampling_ring3.h"

static void run(struct sampling *p, const struct ring3_session *s,
                window_function *window)
{
    uint64_t cells[WINDOW_CELLS] = {(uintptr_t)s->ring3};

    ring3_begin(s);
    window(sampling_enable(&p->config), cells);
    ring3_end(s);
}

void sampling_ring3(struct sampling *p, uint64_t session)
{
    run(p, (const struct ring3_session *)(uintptr_t)session, window_ring3);
}

void sampling_ring3_body(struct sampling *p, uint64_t session)
{
    const struct ring3_session *s =
        (const struct ring3_session *)(uintptr_t)session;

    *(volatile uint32_t *)(uintptr_t)s->ring3->data = RING3_BODY_CELL;
    run(p, s, window_ring3_body);
}
