/* SPDX-License-Identifier: BSD-2-Clause */
/* exit_log.c - the last exits of a processor. */
#include "tests/silicon/ring.h"

#include "tests/silicon/model/text.h"

#define LINE_MAX 200

void ring_add(struct ring *r, const struct vmcb *b)
{
    r->exits[r->count++ % RING_EXITS] = (struct ring_exit){
        .code = b->exit_code,
        .rip = b->rip,
        .info1 = b->exit_info1,
        .info2 = b->exit_info2,
        .event = b->exit_int_info,
        .rflags = b->rflags,
    };
}

void ring_tell(const struct ring *r, void (*line)(const char *text))
{
    uint64_t n = r->count > RING_EXITS ? r->count - RING_EXITS : 0;
    char buffer[LINE_MAX];
    struct text t;

    for (; n < r->count; n++) {
        const struct ring_exit *e = &r->exits[n % RING_EXITS];

        text_start(&t, buffer, sizeof(buffer));
        text_add_value(&t, "exit ", e->code);
        text_add_value(&t, ", RIP ", e->rip);
        text_add_value(&t, ", information ", e->info1);
        text_add_value(&t, " ", e->info2);
        text_add_value(&t, ", event ", e->event);
        text_add_value(&t, ", RFLAGS ", e->rflags);
        line(buffer);
    }
}
