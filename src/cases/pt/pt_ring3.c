/* SPDX-License-Identifier: BSD-2-Clause */
/* Ring 3 and back, twice: with User alone its branches and nothing of ring 0,
 * with OS alone the other way round, with both the transfers between. */
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/trace/packets.h"
#include "src/trace/path_walk.h"
#include "src/trace/ring3_bodies.h"
#include "src/trace/ring3_elided.h"
#include "src/trace/ring3_interrupt.h"
#include "src/trace/ring3_modes.h"
#include "src/trace/ring3_output.h"
#include "src/trace/ring3_outside.h"
#include "src/trace/ring3_returns.h"
#include "src/trace/registers.h"
#include "src/trace/ring3_trace.h"
#include "src/trace/window.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define PAGE_BYTES 4096u
#define FIRST      5 /* turns of the two loops at ring 3 */
#define SECOND     6
#define TARGETS    4           /* IRETQ, SYSCALL, SYSRET, SYSCALL */
#define WAYS       2           /* to ring 3, and as many back */
#define NO_COUNTER 0x3fff0000u /* for RDPMC, which raises #GP */

struct levels {
    struct trace *p;
    struct ring3_session *ring3;
};

static bool trace_levels(struct levels *l, uint64_t bits)
{
    return ring3_trace_anew(l->p, l->ring3, bits, 0, window_ring3);
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
        PATH_PGE, ring3_at(l->ring3->ring3, ring3_code_again)};
    list.count += add_loop(steps + list.count, SECOND);
    steps[list.count++].kind = PATH_PGD_HIDDEN;
    if (!trace_levels(l, IA32_RTIT_CTL_User))
        return;
    path_follow(l->p->memory, trace_bytes(l->p), &path, 0, &seen);
    if (!seen.overflow)
        window_judge(l->p, "ring 3 with OS = 0, User = 1", &seen);
}

/* The ways out of the traced levels and back, of OS alone: TIP.PGDs without an
 * address, and TIP.PGEs with this one. */
static void count_ways(const struct trace *p, uint64_t back, unsigned *out,
                       unsigned *in)
{
    struct packets packets;
    struct pt_packet packet;

    *out = *in = 0;
    packets_open(&packets, p->memory, trace_bytes(p));
    while (packets_next(&packets, &packet)) {
        *out += packet.kind == PT_TIP_PGD && packet.detail == 0;
        *in += packet.kind == PT_TIP_PGE && packet.detail != 0 &&
               packets.ip == back;
    }
}

/* What of these targets is in the trace, in their order; and how many addresses
 * of ring 3 are in it. False where packets were lost. */
static bool find_targets(const struct levels *l,
                         const uint64_t targets[TARGETS], unsigned *found,
                         unsigned *user)
{
    const uint64_t code = l->ring3->ring3->user_code;
    struct packets packets;
    struct pt_packet packet;
    bool whole = true;

    *found = *user = 0;
    packets_open(&packets, l->p->memory, trace_bytes(l->p));
    while (packets_next(&packets, &packet)) {
        whole &= packet.kind != PT_OVF;
        if (!walk_has_ip(packet.kind) || packet.detail == 0)
            continue;
        *user += packets.ip - code < PAGE_BYTES;
        *found += *found < TARGETS && packet.kind == PT_TIP &&
                  packets.ip == targets[*found];
    }
    return whole;
}

/* Traced again where packets were lost, which is to be rare. */
static bool trace_targets(struct levels *l, uint64_t bits,
                          const uint64_t targets[TARGETS], unsigned *found,
                          unsigned *user)
{
    for (unsigned i = 0; i < TRACE_TRIES; i++) {
        if (!trace_levels(l, bits))
            return false;
        if (find_targets(l, targets, found, user))
            return true;
        trace_step_back(i);
    }
    return trace_overflowed(l->p->t, l->p->armed, TRACE_TRIES);
}

static void check_others(struct levels *l)
{
    const uint64_t code = l->ring3->ring3->user_code,
                   call = trace_at(ring3_system_call),
                   again = ring3_at(l->ring3->ring3, ring3_code_again);
    const uint64_t targets[TARGETS] = {code, call, again, call};
    struct test_context *t = l->p->t;
    unsigned user, found, out, in;

    if (!trace_targets(l, IA32_RTIT_CTL_OS, targets, &found, &user))
        return;
    check(t, user == 0,
          "OS = 1, User = 0: got %u addresses of ring 3 in the trace; wanted "
          "none",
          user);
    count_ways(l->p, call, &out, &in);
    check(t, out > WAYS && in == WAYS,
          "OS = 1, User = 0: IRETQ, SYSCALL, SYSRET, SYSCALL, TraceEn = 0: got "
          "%u TIP.PGD without an address, %u TIP.PGE where SYSCALL leads; "
          "wanted %u or more, %u",
          out, in, WAYS + 1, WAYS);
    if (!trace_targets(l, IA32_RTIT_CTL_OS | IA32_RTIT_CTL_User, targets,
                       &found, &user))
        return;
    check(t, found == TARGETS,
          "OS = 1, User = 1: of IRETQ, SYSCALL, SYSRET, SYSCALL got %u with a "
          "TIP to their target; wanted %u",
          found, TARGETS);
}

static bool judge_path(struct levels *l, const char *what,
                       const struct path_list *list)
{
    const struct path path = {.step = path_list_step, .source = list};
    struct path_seen seen;

    path_follow(l->p->memory, trace_bytes(l->p), &path, 0, &seen);
    return !seen.overflow && window_judge(l->p, what, &seen);
}

static bool trace_user(struct levels *l, uint64_t bits, window_function *window)
{
    return ring3_trace_anew(l->p, l->ring3, IA32_RTIT_CTL_User | bits, 0,
                            window);
}

/* The trace of a window is this path, User alone. False where there is none. */
static bool check_path(struct levels *l, const char *what, uint64_t bits,
                       const struct path_list *list, window_function *window)
{
    return trace_user(l, bits, window) && judge_path(l, what, list);
}

/* Where ring 3 sees it. */
static uint64_t seen_at(const struct levels *l, const uint8_t *label)
{
    return ring3_at(l->ring3->ring3, label);
}

/* ADDR0 from where SYSRET goes on, as far as `bytes`. */
static bool set_range(struct levels *l, unsigned bytes)
{
    const uint64_t again = ring3_at(l->ring3->ring3, ring3_code_again);

    return set_msr(l->p->t, IA32_RTIT_ADDR_A(0), again) &&
           set_msr(l->p->t, IA32_RTIT_ADDR_B(0), again + bytes - 1);
}

/* Ranges hold at ring 3 as they do at ring 0. */
static void check_ranges(struct levels *l)
{
    const uint64_t code = l->ring3->ring3->user_code,
                   again = ring3_at(l->ring3->ring3, ring3_code_again);
    struct path_step steps[FIRST + 4] = {{PATH_PGE, code}},
                                   filtered[SECOND + 2] = {{PATH_PGE, again}};
    struct path_list list = {steps, 1}, filter = {filtered, 1};

    filter.count += add_loop(filtered + filter.count, SECOND);
    filtered[filter.count++].kind = PATH_PGD_HIDDEN;
    if (set_range(l, PAGE_BYTES - (unsigned)(ring3_code_again - ring3_code)))
        check_path(l, "a filter range at ring 3",
                   IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER), &filter,
                   window_ring3);
    list.count += add_loop(steps + list.count, FIRST);
    steps[list.count++].kind = PATH_PGD_HIDDEN;
    steps[list.count++].kind = PATH_TRACESTOP;
    if (set_range(l, 1) &&
        check_path(l, "a TraceStop range at ring 3",
                   IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_STOP), &list,
                   window_ring3))
        check(l->p->t, (l->p->status & IA32_RTIT_STATUS_Stopped) != 0,
              "a TraceStop range at ring 3: IA32_RTIT_STATUS (571H) = 0x%lx: "
              "wanted [5] (Stopped) = 1",
              l->p->status);
}

/* Out of one by a jump that is indirect: TIP.PGD has its target. */
static void check_leaving(struct levels *l)
{
    const struct path_step steps[] = {
        {PATH_PGE, seen_at(l, ring3_body)},
        {PATH_PGD, seen_at(l, ring3_body_changes)}};
    const struct path_list list = {steps, 2};

    l->ring3->ring3->body = (uint32_t)(ring3_body_changes - ring3_body);
    l->ring3->ring3->level = 3;
    if (set_msr(l->p->t, IA32_RTIT_ADDR_A(0), seen_at(l, ring3_body)) &&
        set_msr(l->p->t, IA32_RTIT_ADDR_B(0), seen_at(l, ring3_body_plain) - 1))
        check_path(l, "a jump out of a filter range at ring 3",
                   IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER), &list,
                   window_ring3_body);
}

/* So does the filter of CR3. */
static void check_cr3(struct levels *l)
{
    const struct path_list none = {NULL, 0};

    if (trace_match_other_cr3(l->p))
        check_path(l, "ring 3, another CR3 than 572H has",
                   IA32_RTIT_CTL_CR3Filter, &none, window_ring3);
}

static uint64_t window_gp(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)enable;
    return ring3_rdpmc((struct ring3 *)(uintptr_t)cells[0], NO_COUNTER);
}

/* An exception that leaves the context: the TNT of the branches before it, FUP,
 * and TIP.PGD without an address (row 13c). */
static void check_exception(struct levels *l)
{
    struct ring3 *ring3 = l->ring3->ring3;
    const struct path_step steps[] = {
        {PATH_PGE, ring3_at(ring3, ring3_rdpmc_code)},
        {PATH_NOT_TAKEN, 0},
        {PATH_TAKEN, 0},
        {PATH_FUP, ring3_at(ring3, ring3_rdpmc_at)},
        {PATH_PGD_HIDDEN, 0}};
    const struct path_list list = {steps, sizeof(steps) / sizeof(steps[0])};

    if (check_path(l, "#GP at ring 3 with OS = 0", 0, &list, window_gp))
        check(l->p->t, ring3->vector == HW_GP,
              "RDPMC of ECX = %XH at ring 3: got %s, wanted #GP", NO_COUNTER,
              fault_name((int)ring3->vector));
}

/* The same where the context goes on, with OS and User: the results are there
 * before the FUP; or, of a TIP that is deferred, before that. */
static void check_exception_inside(struct levels *l)
{
    const uint64_t from = seen_at(l, ring3_rdpmc_code),
                   at = seen_at(l, ring3_rdpmc_at);
    unsigned results = 0, before = 0, found = 0;
    uint64_t bits = 0;
    struct packets packets;
    struct pt_packet packet;

    if (!trace_user(l, IA32_RTIT_CTL_OS, window_gp))
        return;
    packets_open(&packets, l->p->memory, trace_bytes(l->p));
    while (packets_next(&packets, &packet)) {
        if (packet.kind == PT_OVF)
            return;
        if (packet.kind == PT_TNT_8 || packet.kind == PT_TNT_64) {
            results += packet.detail;
            bits = bits << packet.detail | packet.payload;
        }
        if (packet.detail == 0)
            continue;
        if (packet.kind == PT_TIP && packets.ip == from) {
            before = results;
            results = 0;
        }
        if (packet.kind == PT_FUP && packets.ip == at && found++ == 0)
            check(l->p->t,
                  (results == 2 || (results == 0 && before >= 2)) &&
                      (bits & 3) == 1,
                  "#GP at ring 3 with OS = 1, User = 1: got %u results, the "
                  "last of them %lu, between the TIP of IRETQ and the FUP; "
                  "wanted 2, not taken and taken",
                  results, bits & 3);
    }
    check(l->p->t, found == 1,
          "#GP at ring 3 with OS = 1, User = 1: got %u FUP of RDPMC; wanted 1",
          found);
}

/* The results of branches right before a transaction ends come before what its
 * end makes. */
static void check_transaction(struct levels *l, bool aborts)
{
    const uint32_t meant =
        aborts ? (uint32_t)RING3_TX_CODE << 24 | RTM_STATUS_XABORT
               : RTM_STATUS_STARTED;
    struct path_step steps[RING3_TX_TURNS + 8] = {
        {PATH_PGE, seen_at(l, ring3_tx)},
        {PATH_MODE_TSX, PT_MODE_TSX_INTX},
        {PATH_FUP, seen_at(l, ring3_tx_begin)}};
    struct path_list list = {steps, 3};
    bool ended = false;

    list.count += add_loop(steps + list.count, RING3_TX_TURNS);
    steps[list.count++].kind = aborts ? PATH_TAKEN : PATH_NOT_TAKEN;
    steps[list.count++] =
        (struct path_step){PATH_MODE_TSX, aborts ? PT_MODE_TSX_TXABORT : 0};
    steps[list.count++] = (struct path_step){
        PATH_FUP, seen_at(l, aborts ? ring3_tx_abort : ring3_tx_end)};
    if (aborts)
        steps[list.count++] =
            (struct path_step){PATH_TIP, seen_at(l, ring3_tx_fallback)};
    steps[list.count++].kind = PATH_PGD_HIDDEN;
    l->ring3->ring3->aborts = aborts;
    for (unsigned i = 0; i < TRACE_TRIES && !ended; i++) {
        hw_poll();
        if (!trace_user(l, 0, window_ring3_tx))
            return;
        ended = l->ring3->ring3->status == meant;
    }
    if (ended)
        judge_path(l,
                   aborts ? "XABORT at ring 3 after branches"
                          : "XEND at ring 3 after branches",
                   &list);
}

TEST(pt_ring3,
     .asks = "Do OS and User choose the privilege levels that are traced, and "
             "filters what of them?",
     .cite =
         "SDM 3C, Intel Processor Trace, \"Trace Filtering\", \"TraceStop\", "
         "\"Packet Generation under Different Enable Conditions\", \"ToPA "
         "STOP\", \"ToPA PMI\", table \"TSX Packet Scenarios\", \"MODE.Exec "
         "Packet Definition\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_TOPA | NEED_PMU})
{
    struct ring3_session ring3;
    struct trace p;
    struct levels levels = {&p, &ring3};
    const bool tx = probe_state_if_any(t);

    /* Set-up. */
    if (!ring3_trace_claim(&p, &ring3, t))
        return;
    p.may_stop = true;

    /* Measured and checked. */
    check_user(&levels);
    check_others(&levels);
    check_exception(&levels);
    check_exception_inside(&levels);
    check_cr3(&levels);
    if (registers_ranges(test_cpu(t)) != 0) {
        check_ranges(&levels);
        check_leaving(&levels);
    }
    ring3_bodies_check(&p, &ring3);
    ring3_returns_check(&p, &ring3);
    ring3_interrupt_check(&p, &ring3);
    ring3_output_check(&p, &ring3);
    p.may_stop = false;
    if (tx)
        check_transaction(&levels, false);
    if (tx && !output_is_broadwell(test_cpu(t))) /* erratum BDM64 */
        check_transaction(&levels, true);
    if (tx && registers_ranges(test_cpu(t)) != 0)
        ring3_outside_check(&p, &ring3);
    if (tx && test_cpu(t)->hle)
        ring3_elided_check(&p, &ring3);
    ring3_modes_check(&p, &ring3); /* the last: at ring 2 */
}
