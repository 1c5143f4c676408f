/* SPDX-License-Identifier: BSD-2-Clause */
/* Ring 3 and back, twice: with User alone its branches and nothing of ring 0,
 * with OS alone the other way round, with both the transfers between. */
#include "src/base/msr.h"
#include "src/pt/ip.h"
#include "src/trace/ring3_trace.h"
#include "src/trace/window.h"

#define PAGE_BYTES 4096u
#define FIRST      5 /* turns of the two loops at ring 3 */
#define SECOND     6
#define TARGETS    4 /* IRETQ, SYSCALL, SYSRET, SYSCALL */

struct levels {
    struct trace *p;
    struct ring3_session *ring3;
};

static bool trace_levels(struct levels *l, uint64_t bits)
{
    return ring3_trace_arm(l->p, bits) &&
           ring3_trace(l->p, l->ring3, 0, 0, window_ring3);
}

/* Steps of a loop of so many turns. */
static unsigned add_loop(struct path_step steps[], unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        steps[i].kind = i + 1 < turns ? PATH_TAKEN : PATH_NOT_TAKEN;
    return turns;
}

/* User alone: the path is known to the last packet. */
static void check_user(struct levels *l)
{
    const uint64_t code = l->ring3->ring3->user_code;
    struct path_step steps[FIRST + SECOND + 4] = {{PATH_PGE, code}};
    struct path_list list = {steps, 1};
    const struct path path = {.step = path_list_step, .source = &list};
    struct path_seen seen;

    list.count += add_loop(steps + list.count, FIRST);
    steps[list.count++].kind = PATH_PGD_HIDDEN;
    steps[list.count++] = (struct path_step){
        PATH_PGE, code + (uint64_t)(ring3_code_again - ring3_code)};
    list.count += add_loop(steps + list.count, SECOND);
    steps[list.count++].kind = PATH_PGD_HIDDEN;
    if (!trace_levels(l, IA32_RTIT_CTL_User))
        return;
    path_follow(l->p->memory, trace_bytes(l->p), &path, 0, &seen);
    if (!seen.overflow)
        window_judge(l->p, "ring 3 with OS = 0, User = 1", &seen);
}

/* What of these targets is in the trace, in their order; and how many addresses
 * of ring 3 are in it. */
static unsigned find_targets(const struct levels *l,
                             const uint64_t targets[TARGETS], unsigned *user)
{
    const uint64_t code = l->ring3->ring3->user_code;
    struct pt_reader reader;
    struct pt_packet packet;
    uint64_t ip = 0;
    unsigned found = 0;

    *user = 0;
    pt_open(&reader);
    pt_feed(&reader, l->p->memory, trace_bytes(l->p), true);
    while (pt_next(&reader, &packet) == PT_OK) {
        if (packet.kind == PT_PSB)
            ip = 0;
        if ((packet.kind != PT_TIP && packet.kind != PT_TIP_PGE &&
             packet.kind != PT_TIP_PGD && packet.kind != PT_FUP) ||
            packet.detail == 0)
            continue;
        ip = pt_ip(ip, packet.detail, packet.payload);
        *user += ip - code < PAGE_BYTES;
        found +=
            found < TARGETS && packet.kind == PT_TIP && ip == targets[found];
    }
    return found;
}

static void check_others(struct levels *l)
{
    const uint64_t code = l->ring3->ring3->user_code,
                   call = trace_at(ring3_system_call),
                   again = code + (uint64_t)(ring3_code_again - ring3_code);
    const uint64_t targets[TARGETS] = {code, call, again, call};
    struct test_context *t = l->p->t;
    unsigned user, found;

    if (!trace_levels(l, IA32_RTIT_CTL_OS))
        return;
    find_targets(l, targets, &user);
    check(t, user == 0,
          "OS = 1, User = 0: got %u addresses of ring 3 in the trace; wanted "
          "none",
          user);
    if (!trace_levels(l, IA32_RTIT_CTL_OS | IA32_RTIT_CTL_User))
        return;
    found = find_targets(l, targets, &user);
    check(t, found == TARGETS,
          "OS = 1, User = 1: of IRETQ, SYSCALL, SYSRET, SYSCALL got %u with a "
          "TIP to their target; wanted %u",
          found, TARGETS);
}

TEST(pt_ring3,
     .asks = "Do OS and User choose the privilege levels that are traced?",
     .cite = "SDM 3C, Intel Processor Trace, \"Filtering by Current Privilege "
             "Level (CPL)\", \"Packet Generation under Different Enable "
             "Conditions\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_TOPA | NEED_PMU})
{
    struct ring3_session ring3;
    struct trace p;
    struct levels levels = {&p, &ring3};

    /* Set-up. */
    if (!ring3_trace_claim(&p, &ring3, t))
        return;
    p.may_stop = true;

    /* Measured and checked. */
    check_user(&levels);
    check_others(&levels);
}
