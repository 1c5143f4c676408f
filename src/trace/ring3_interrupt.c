/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_interrupt.c - has a counter interrupt ring 3, and reads the trace. */
#include "src/trace/ring3_interrupt.h"

#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/smi_guard.h"
#include "src/pt/packet.h"
#include "src/trace/packets.h"

#define PAGE_BYTES 4096u
#define AMID       20 /* branches, before it */
#define BRANCHES   0xc4
#define TRIES      4

/* What is in the trace of an interrupt before the instruction at `rip`. */
struct seen {
    unsigned fups;     /* of there; the kind of the first one's next packet, */
    unsigned next;     /* and whether it has an address */
    bool has_ip, back; /* the next TIP.PGE, or a later TIP, goes there */
    bool lost;
};

static bool may_stand_between(unsigned kind)
{
    return kind == PT_PAD || kind == PT_CYC || kind == PT_MTC ||
           kind == PT_TSC || kind == PT_CBR;
}

static struct seen read_trace(const struct trace *p, uint64_t rip)
{
    struct seen seen = {.next = PT_KINDS};
    struct packets packets;
    struct pt_packet packet;
    bool in_psb = false, entered = false;

    packets_open(&packets, p->memory, trace_bytes(p));
    while (packets_next(&packets, &packet)) {
        const bool there = packet.detail != 0 && packets.ip == rip;

        if (packet.kind == PT_PSB || packet.kind == PT_PSBEND)
            in_psb = packet.kind == PT_PSB;
        seen.lost |= packet.kind == PT_OVF;
        if (in_psb || may_stand_between(packet.kind))
            continue;
        if (seen.fups == 1 && seen.next == PT_KINDS) {
            seen.next = packet.kind;
            seen.has_ip = packet.detail != 0;
        } else if (seen.next == PT_TIP_PGD && packet.kind == PT_TIP_PGE) {
            seen.back |= !entered && there;
            entered = true;
        } else if (seen.next == PT_TIP && packet.kind == PT_TIP) {
            seen.back |= there;
        }
        seen.fups += packet.kind == PT_FUP && there;
    }
    return seen;
}

/* False where an access faulted; *rip: where it came, 0 where it was late. */
static bool trace_once(struct trace *p, struct ring3_session *session,
                       uint64_t bits, uint64_t *rip)
{
    struct ring3 *ring3 = session->ring3;
    const uint64_t smis = smi_count(p->t);

    *rip = 0;
    ring3->body = (uint32_t)(ring3_body_plain - ring3_body);
    ring3->level = 3;
    if (!set_msr(p->t, IA32_PMC(0), (uint32_t)-AMID) || !hw_pmi_begin(false))
        return false;
    const bool traced = ring3_trace_anew(p, session, IA32_RTIT_CTL_User | bits,
                                         BIT(0), window_ring3_body);
    hw_pmi_end();
    if (!traced || !counters_clear_status(p->t, BIT(0)))
        return false;
    /* After an SMI it is the trace of another window, without an interrupt. */
    if (smi_count(p->t) == smis && hw_pmi_count() == 1 &&
        hw_pmi_rip() - ring3->user_code < RING3_CODE_PAGES * PAGE_BYTES)
        *rip = hw_pmi_rip();
    return true;
}

static void check_level(struct trace *p, struct ring3_session *session,
                        uint64_t bits)
{
    const unsigned want = bits != 0 ? PT_TIP : PT_TIP_PGD;
    struct seen seen = {.lost = true};
    uint64_t rip = 0;

    for (unsigned n = 0; n < TRIES && (rip == 0 || seen.lost); n++) {
        hw_poll();
        if (!trace_once(p, session, bits, &rip))
            return;
        seen = read_trace(p, rip);
    }
    if (rip == 0 || seen.lost) {
        note(p->t, "not tested: an interrupt at ring 3: none came there");
        return;
    }
    check(p->t,
          seen.fups == 1 && seen.next == want &&
              seen.has_ip == (want == PT_TIP),
          "an interrupt at ring 3 before 0x%lx, OS = %u: got %u FUP of there, "
          "then %s %s an address; wanted one, then %s",
          rip, bits != 0, seen.fups,
          seen.next < PT_KINDS ? pt_kind_name(seen.next) : "nothing",
          seen.has_ip ? "with" : "without",
          want == PT_TIP ? "TIP" : "TIP.PGD without one");
    check(p->t, seen.back,
          "an interrupt at ring 3 before 0x%lx, OS = %u: wanted %s to there",
          rip, bits != 0, want == PT_TIP ? "a later TIP" : "the next TIP.PGE");
}

void ring3_interrupt_check(struct trace *p, struct ring3_session *session)
{
    if (!counters_claim(p->t) ||
        !set_msr(p->t, IA32_PERFEVTSEL(0),
                 BRANCHES | IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_INT |
                     IA32_PERFEVTSEL_EN))
        return;
    check_level(p, session, 0);
    check_level(p, session, IA32_RTIT_CTL_OS);
    set_msr(p->t, IA32_PERFEVTSEL(0), 0);
}
