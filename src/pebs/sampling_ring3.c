/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling_ring3.c - ring 3 between arming and reading. */
#include "src/pebs/sampling_ring3.h"

#include "src/base/names.h"

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

bool contexts_run(struct contexts *c, const struct sampling_config *config,
                  const uint8_t *body, unsigned level)
{
    return contexts_run_prepared(c, config, body, level, sampling_ring3_body);
}

bool contexts_run_prepared(struct contexts *c,
                           const struct sampling_config *config,
                           const uint8_t *body, unsigned level,
                           void (*window)(struct sampling *p, uint64_t session))
{
    struct ring3 *ring3 = c->ring3.ring3;

    ring3->body = (uint32_t)(body - ring3_body);
    ring3->level = level;
    c->code = level != 0 ? ring3->user_code : (uintptr_t)ring3_code;
    c->data = level != 0 ? ring3->user_data : ring3->data;
    if (!sampling_around(&c->sampling, config, window,
                         (uint64_t)(uintptr_t)&c->ring3))
        return false;
    if (ring3->vector != HW_NO_FAULT)
        broken(c->sampling.t, "%s at ring 3", fault_name((int)ring3->vector));
    return ring3->vector == HW_NO_FAULT;
}
