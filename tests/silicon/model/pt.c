/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt.c - which packets an instruction makes. SDM volume 3C, "Change of Flow
 * Instruction (COFI) Tracing", "Trace Filtering", and table "Packet Generation
 * under Different Enable Conditions".
 */
#include "tests/silicon/model/pt.h"

#include "tests/silicon/faults/hooks.h"

#define CFG_FILTER 1u
#define CFG_STOP   2u

static unsigned config_of(const struct processor *p, unsigned range)
{
    return (unsigned)(p->pt.ctl_active >> (32 + 4 * range) & 0xF);
}

static bool in_range(const struct processor *p, unsigned range, uint64_t ip)
{
    return ip >= p->pt.address[2 * range] && ip <= p->pt.address[2 * range + 1];
}

static bool in_any(const struct processor *p, unsigned config, uint64_t ip)
{
    for (unsigned n = 0; n < PT_RANGES_MAX; n++)
        if (config_of(p, n) == config && in_range(p, n, ip))
            return true;
    return false;
}

static bool has_filter(const struct processor *p)
{
    for (unsigned n = 0; n < PT_RANGES_MAX; n++)
        if (config_of(p, n) == CFG_FILTER)
            return true;
    return false;
}

void pt_update_enables(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;

    pt->context_en =
        (pt->ctl_active & (now->cpl == 0 ? RTIT_OS : RTIT_USER)) != 0 &&
        ((pt->ctl_active & RTIT_CR3_FILTER) == 0 ||
         (now->cr3 & ~BITS(4, 0)) == pt->cr3_match);
    pt->filter_en = !has_filter(p) || in_any(p, CFG_FILTER, now->next);
    pt->packet_en = pt_tracing(p) && pt->context_en && pt->filter_en;
}

static bool branch_en(const struct processor *p)
{
    return (p->pt.ctl_active & RTIT_BRANCH_EN) != 0;
}

void pt_packet_en_set(struct processor *p, const struct pt_step *now)
{
    if (!branch_en(p))
        return;
    pt_put_cyc(p);
    pt_put_mode_exec(p, now);
    pt_put_ip(p, PT_TIP_PGE, &now->next);
}

/* No IP if ContextEn has been cleared. */
void pt_packet_en_cleared(struct processor *p, const struct pt_step *now)
{
    p->pt.returns_known = 0;
    pt_flush_tnt(p);
    if (!branch_en(p))
        return;
    pt_put_cyc(p);
    pt_put_ip(p, PT_TIP_PGD, p->pt.context_en ? &now->next : NULL);
}

/* IP filtering, "TraceStop": tracing ends where such a range is entered. */
static void check_trace_stop(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;

    if (!pt->context_en || !in_any(p, CFG_STOP, now->next))
        return;
    pt->status |= RTIT_STOPPED;
    if (pt->packet_en) {
        pt->packet_en = false;
        pt_packet_en_cleared(p, now);
    }
    pt_put_trace_stop(p);
}

void pt_started(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;
    bool configurable = (pt_leaf(p, 0).ebx & PT_EBX_CONFIGURABLE) != 0;

    pt->ctl_active = pt->ctl;
    pt->tnt_bits = pt->tnt_count = 0;
    pt->returns_known = 0;
    pt->cycles = 0;
    pt->buffered = 0;
    pt->check_output = true;
    pt->int_signaled = false;
    pt->packet_en = false;
    pt->cr3 = now->cr3;
    if (!pt_tracing(p))
        return;
    pt_update_enables(p, now);
    pt->packet_en = false; /* until the WRMSR is complete */
    if (!configurable || pt->psb_bytes == 0)
        pt_put_psb(p, now, pt->context_en && pt->filter_en);
    pt_update_enables(p, now);
    if (pt->packet_en)
        pt_packet_en_set(p, now);
    check_trace_stop(p, now);
}

/* Row "WRMSR .. that clears TraceEn": FUP(CLIP), TIP.PGD(). */
void pt_stopped(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;

    if (!pt->packet_en)
        return;
    pt_flush_tnt(p);
    pt->packet_en = false;
    if (!branch_en(p))
        return;
    pt_put_cyc(p);
    pt_put_ip(p, PT_FUP, &now->ip);
    pt_put_ip(p, PT_TIP_PGD, NULL);
}

static void push_return(struct processor *p, uint64_t back)
{
    struct pt_state *pt = &p->pt;

    pt->returns[pt->calls++ % PT_RETURNS] = back;
    if (pt->returns_known < PT_RETURNS)
        pt->returns_known++;
}

/* "RET Compression": to where the matching CALL has been seen. */
static bool returns_as_called(struct processor *p, uint64_t to)
{
    struct pt_state *pt = &p->pt;

    if ((pt->ctl_active & RTIT_DIS_RETC) != 0 || pt->returns_known == 0)
        return false;
    pt->returns_known--;
    return pt->returns[--pt->calls % PT_RETURNS] == to;
}

static void put_branch(struct processor *p, const struct instruction *i,
                       const struct pt_step *now)
{
    uint32_t flags = i->flags;
    bool far = (flags & INSTRUCTION_FAR) != 0;

    if ((flags & INSTRUCTION_CONDITIONAL) != 0) {
        pt_put_tnt(p, now->next != now->ip + i->length);
        return;
    }
    if ((flags & INSTRUCTION_RETURN) != 0 && !far &&
        returns_as_called(p, now->next)) {
        pt_put_tnt(p, true);
        return;
    }
    if ((flags & INSTRUCTION_CALL) != 0 && !far)
        push_return(p, now->ip + i->length);
    if (!far && (flags & (INSTRUCTION_RETURN | INSTRUCTION_INDIRECT)) == 0)
        return;
    pt_flush_tnt(p);
    pt_put_cyc(p);
    pt_put_ip(p, PT_TIP, &now->next);
}

static uint32_t psb_period(const struct processor *p)
{
    return UINT32_C(2048) << ((p->pt.ctl_active & RTIT_PSB_FREQ) >> 24);
}

/* What follows any instruction. */
static void after_instruction(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;

    check_trace_stop(p, now);
    if (!pt_tracing(p))
        return;
    if (pt->packet_en)
        pt_put_mtc(p, now);
    if (pt->psb_bytes >= psb_period(p))
        pt_put_psb(p, now, false);
}

void pt_retired(struct processor *p, const struct instruction *i,
                const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;
    bool was = pt->packet_en;

    if (!pt_tracing(p))
        return;
    pt->cycles += now->cycles;
    pt_update_enables(p, now);
    if (now->cr3 != pt->cr3) {
        pt->cr3 = now->cr3;
        pt_flush_tnt(p);
        if (pt->context_en && (pt->ctl_active & RTIT_OS) != 0)
            pt_put_pip(p, now->cr3);
    }
    if (was && !pt->packet_en)
        pt_packet_en_cleared(p, now);
    else if (!was && pt->packet_en)
        pt_packet_en_set(p, now);
    else if (was && (i->flags & INSTRUCTION_BRANCHES) != 0 && branch_en(p) &&
             !faults_hide_branch(p))
        put_branch(p, i, now);
    after_instruction(p, now);
}

/* "Internal Buffer Overflow": what follows is "not compressed against packets
 * that were lost"; OVF, and with PacketEn a FUP where tracing goes on. */
void pt_overflow(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;

    if (!pt_tracing(p) || pt->buffered == 0 ||
        !random_one_in(&pt->random, p->choices.pt_overflow_one_in))
        return;
    pt->buffered = 0;
    pt->tnt_bits = pt->tnt_count = 0;
    pt->returns_known = 0;
    pt->last_ip = pt->sent_ip;
    pt->psb_bytes = pt->sent_bytes;
    pt_put_cyc(p);
    pt_put_ovf(p);
    if (pt->packet_en && branch_en(p))
        pt_put_ip(p, PT_FUP, &now->next);
}

/* Rows of asynchronous events: FUP(CLIP), TIP(BLIP). */
void pt_event(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;
    bool was = pt->packet_en;

    if (!pt_tracing(p))
        return;
    pt_update_enables(p, now);
    pt_flush_tnt(p);
    if (was && branch_en(p)) {
        pt_put_cyc(p);
        pt_put_ip(p, PT_FUP, &now->ip);
    }
    if (was && !pt->packet_en) {
        pt_packet_en_cleared(p, now);
    } else if (!was && pt->packet_en) {
        pt_packet_en_set(p, now);
    } else if (was && branch_en(p)) {
        pt_put_ip(p, PT_TIP, &now->next);
    }
    after_instruction(p, now);
}
