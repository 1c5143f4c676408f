/* SPDX-License-Identifier: BSD-2-Clause */
/* exit_log.c - the last exits of a processor. */
#include "tests/silicon/hypervisor/host/exit_log.h"

#include "tests/silicon/model/text.h"

#define LINE_MAX 200

void exit_log_add(struct exit_log *r, const struct vmcb *b)
{
    r->exits[r->count++ % EXIT_LOG_MAX] = (struct exit_log_entry){
        .code = b->exit_code,
        .rip = b->rip,
        .info1 = b->exit_info1,
        .info2 = b->exit_info2,
        .event = b->exit_int_info,
        .rflags = b->rflags,
    };
}

void exit_log_print(const struct exit_log *r, void (*line)(const char *text))
{
    uint64_t n = r->count > EXIT_LOG_MAX ? r->count - EXIT_LOG_MAX : 0;
    char buffer[LINE_MAX];
    struct text t;

    for (; n < r->count; n++) {
        const struct exit_log_entry *e = &r->exits[n % EXIT_LOG_MAX];

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
