/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_body.h - one counter that counts otherwise, and the window of ring 3
 * in which a transaction may abort. */
#ifndef TESTS_HOST_CASES_COUNTING_COUNTING_BODY_H
#define TESTS_HOST_CASES_COUNTING_COUNTING_BODY_H

#include "tests/host/cases/counting/counting_rings.h"

#define FIXED(n) (PLACE_FIXED0 + (n))
#define EVERY    0 /* of an event, of a window */

/* One counter that counts otherwise. */
static void set_wrong(unsigned place, uint64_t event, unsigned ring,
                      int64_t more)
{
    device.wrong.place = place;
    device.wrong.event = event;
    device.wrong.ring = ring;
    device.wrong.more = more;
}

const struct window_shape ring3_body_shape = {200, 64, 0, 0};

static unsigned aborts_first; /* transactions that abort before they begin */
static uint32_t abort_status; /* of so many by an interrupt, at a level */
static unsigned abort_times, abort_level;

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = enter_ring3(cells);
    const unsigned ring = (unsigned)(ring3->user_cs & 3);
    const bool tx =
        ring3->body == (uint32_t)(ring3_body_committed - ring3_body);
    struct piece body = {.ring = ring3->level == 0 ? 0 : ring,
                         .tx = tx,
                         .instructions = 200,
                         .jumps = 66};

    assert_int_equal(ring3->user_ss & 3, ring);
    if (ring3->body == (uint32_t)(ring3_body_bits - ring3_body)) {
        const struct piece bits = {.ring = ring,
                                   .instructions = 100,
                                   .taken = 6,
                                   .falling = 6,
                                   .mispredicted = 6};
        run_window(enable, &bits, 1);
        return 0;
    }
    if (tx && aborts_first != 0) {
        aborts_first--;
        body.instructions = body.jumps = 5;
        body.aborted = true;
    } else if (!tx) {
        assert_int_equal(ring3->body,
                         (uint32_t)(ring3_body_plain - ring3_body));
    }
    ring3->status = UINT32_MAX;
    if (tx && !body.aborted) {
        const bool other = ring3->level == abort_level && abort_times != 0;
        ring3->status = other ? abort_status : 0;
        abort_times -= other;
    }
    run_window(enable, &body, 1);
    return 0;
}

static inline void set_model(uint16_t model, uint8_t core_type)
{
    for (unsigned p = 0; p < PROCESSORS; p++) {
        all[p].cpu.model = model;
        all[p].cpu.core_type = core_type;
    }
}

#endif
