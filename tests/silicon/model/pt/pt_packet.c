/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_packet.c - the bytes of packets. SDM volume 3C, "Trace Packets and Data
 * Types", "Packet Definitions"; IP compression: table "FUP/TIP IP
 * Reconstruction".
 */
#include "tests/silicon/model/pt/pt.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/msr.h"

#define TNT_SHORT 6
#define TNT_LONG  47

void pt_put_bytes(struct processor *p, const uint8_t *bytes, unsigned count)
{
    for (unsigned n = 0; n < count && p->pt.buffered < PT_BUFFER; n++)
        p->pt.buffer[p->pt.buffered++] = bytes[n];
    p->pt.psb_bytes += (uint32_t)faults_pt_value(p, PT_COUNTED, count);
}

/* Opcode bytes, then the low bytes of a payload, which come first. */
static void put_payload(struct processor *p, const uint8_t *opcode,
                        unsigned bytes, uint64_t payload, unsigned count)
{
    uint8_t little[8];

    for (unsigned n = 0; n < count; n++)
        little[n] = (uint8_t)(payload >> 8 * n);
    pt_put_bytes(p, opcode, bytes);
    pt_put_bytes(p, little, count);
}

/* PAD: "to improve packet alignment or for implementation-specific reasons". */
static void put_pad(struct processor *p)
{
    static const uint8_t packet = 0x00;

    if (random_one_in(&p->pt.random, p->choices.pt_pad_one_in))
        pt_put_bytes(p, &packet, 1);
}

/* Table "FUP/TIP IP Reconstruction": bytes by IPBytes, and the lowest bit from
 * which on the IP has to be that of last IP. */
static const struct {
    uint8_t bytes, same_from;
} ip_forms[] = {
    [0] = {0, 64}, [1] = {2, 16}, [2] = {4, 32},
    [3] = {6, 64}, [4] = {6, 48}, [6] = {8, 64},
};

static bool is_canonical(uint64_t ip)
{
    return ip >> 47 == 0 || ip >> 47 == UINT64_MAX >> 47;
}

/* As few bytes as last IP allows, of the forms that this processor uses. */
static uint8_t ip_form(const struct processor *p, uint64_t ip)
{
    static const uint8_t optional[] = {1, 2, 4};

    if (p->faults.ip_short)
        return 1;
    for (unsigned n = 0; n < sizeof(optional); n++) {
        unsigned from = ip_forms[optional[n]].same_from;

        if (n == 0)
            from = (unsigned)faults_pt_value(p, PT_SAME_FROM, from);
        if (n == 1)
            from = (unsigned)faults_pt_value(p, PT_SAME_FROM_32, from);
        if ((p->choices.pt_ip_forms >> optional[n] & 1) != 0 &&
            ip >> from == p->pt.last_ip >> from)
            return optional[n];
    }
    return is_canonical(ip) ? 3 : 6;
}

/* BranchEn = 0, and a fault has packets of some kinds all the same. */
static bool is_left_out(const struct processor *p, unsigned kind)
{
    uint64_t unasked = faults_pt_value(p, PT_UNASKED, 0);

    return (p->pt.ctl_active & RTIT_BRANCH_EN) == 0 && unasked != 0 &&
           (unasked >> kind & 1) == 0;
}

void pt_put_ip(struct processor *p, enum pt_ip_packet op, const uint64_t *ip)
{
    uint8_t form = ip != NULL ? ip_form(p, *ip) : 0, opcode;

    if (is_left_out(p, op))
        return;
    if (ip != NULL &&
        faults_pt(p, op == PT_FUP ? PT_LAST_IP_FUP : PT_LAST_IP_TIP, true))
        p->pt.last_ip = *ip;
    if (ip == NULL && !faults_pt(p, PT_LAST_IP_STAYS, true))
        p->pt.last_ip = 0;
    put_pad(p);
    opcode = (uint8_t)((unsigned)form << 5 | op);
    put_payload(p, &opcode, 1,
                ip == NULL ? 0 : faults_pt_value(p, PT_IP_PAYLOAD, *ip),
                ip_forms[form].bytes);
}

void pt_put_whole_ip(struct processor *p, enum pt_ip_packet op,
                     const uint64_t *ip, enum pt_rule rule)
{
    p->faults.ip_short = p->pt.last_ip != 0 && !faults_pt(p, rule, true);
    pt_put_ip(p, op, ip);
    p->faults.ip_short = false;
}

/* The stop bit is the highest, the oldest result next to it. */
void pt_flush_tnt(struct processor *p)
{
    static const uint8_t longer[] = {0x02, 0xA3};
    struct pt_state *pt = &p->pt;
    uint64_t bits = faults_tnt(p, pt->tnt_bits, pt->tnt_count);
    unsigned count = pt->tnt_count;
    uint8_t byte = (uint8_t)faults_pt_value(p, PT_TNT_BYTE,
                                            (UINT64_C(1) << count | bits) << 1);

    if (count == 0)
        return;
    pt->tnt_bits = pt->tnt_count = 0;
    if (is_left_out(p, count > TNT_SHORT ? PT_KIND_TNT_64 : PT_KIND_TNT_8))
        return;
    if (count > TNT_SHORT)
        put_payload(
            p, longer, 2,
            faults_pt_value(p, PT_TNT_LONG_BITS, UINT64_C(1) << count | bits),
            6);
    else
        pt_put_bytes(p, &byte, 1);
}

void pt_flush_tnt_if(struct processor *p, enum pt_rule rule)
{
    if (!faults_pt(p, rule, true))
        p->pt.tnt_bits = p->pt.tnt_count = 0;
    pt_flush_tnt(p);
}

/* "The preceding CYC packet provides the retirement time of the first branch
 * in the packet." */
void pt_put_tnt(struct processor *p, bool taken)
{
    struct pt_state *pt = &p->pt;

    if (pt->tnt_count == 0 && faults_pt(p, PT_CYC_OF_TNT, true) &&
        (!pt->user || faults_pt(p, PT_CYC_OF_TNT_RING_3, true)))
        pt_put_cyc(p);
    pt->tnt_bits = pt->tnt_bits << 1 | taken;
    if (++pt->tnt_count == (faults_pt(p, PT_TNT_LONG, p->choices.pt_long_tnt)
                                ? TNT_LONG
                                : TNT_SHORT)) {
        if (!faults_pt(p, PT_TNT_FULL, true))
            pt->tnt_bits = pt->tnt_count = 0;
        pt_flush_tnt(p);
    }
}

/* Five bits, then seven in each further byte; Exp is bit 2, then bit 0. */
void pt_put_cyc(struct processor *p)
{
    struct pt_state *pt = &p->pt;
    unsigned threshold = (unsigned)((pt->ctl_active & RTIT_CYC_THRESH) >> 19);
    uint32_t value = pt->cycles;
    uint8_t byte;

    threshold = (unsigned)faults_pt_value(p, PT_CYC_THRESHOLD, threshold);
    if (threshold == 13 && (erratum_is(p, ERRATUM_CYC_13) ||
                            !faults_pt(p, PT_CYC_THRESH_13, true)))
        threshold = 0;

    if (pt->in_tx && !faults_pt(p, PT_CYC_THRESH_IN_TX, true))
        threshold = 0;
    value = (uint32_t)faults_pt_value(p, PT_CYCLES, value);
    if (pt->user && value > 0 && !faults_pt(p, PT_CYCLES_IN_RING_3, true))
        value--;
    if (!faults_pt(p, PT_CYC, (pt->ctl_active & RTIT_CYC_EN) != 0) ||
        (!pt_branch_en(p) && !faults_pt(p, PT_CYC_NO_BRANCHES, true)) ||
        (pt->in_tx && !faults_pt(p, PT_CYC_IN_TX, true)) ||
        faults_pt(p, PT_CYC_SENT, pt->cyc_sent) ||
        value < (threshold == 0 ? 0 : 1u << (threshold - 1)))
        return;
    byte = (uint8_t)((value & 0x1F) << 3 |
                     (faults_pt(p, PT_CYC_EXP, value > 0x1F) ? 7 : 3));
    pt_put_bytes(p, &byte, 1);
    for (value >>= 5; value != 0; value >>= 7) {
        byte = (uint8_t)((value & 0x7F) << 1 | (value > 0x7F ? 1 : 0));
        pt_put_bytes(p, &byte, 1);
    }
    if (faults_pt(p, PT_CYC_RESETS, true))
        pt->cycles = 0;
    pt->cyc_sent = true;
}

/* The crystal clock: the TSC is EBX / EAX of leaf 15H times it. */
static uint64_t crystal_ticks(const struct processor *p,
                              const struct pt_step *now, uint64_t *rest)
{
    struct cpuid_row leaf = personality_leaf(p->cpu, 0x15, 0);
    uint64_t ticks;

    *rest = 0;
    if (leaf.ebx == 0) /* nor has it MTC */
        return 0;
    ticks = now->tsc * leaf.eax / leaf.ebx;
    *rest = now->tsc - (ticks * leaf.ebx + leaf.eax - 1) / leaf.eax;
    return ticks;
}

static uint64_t mtc_now(const struct processor *p, const struct pt_step *now)
{
    uint64_t rest;

    uint64_t ctl = faults_pt(p, PT_MTC_FREQ_TAKEN, true)
                       ? p->pt.ctl_active
                       : p->faults.first_mtc_ctl;

    return crystal_ticks(p, now, &rest) >>
           faults_pt_value(p, PT_MTC_SHIFT, (ctl & RTIT_MTC_FREQ) >> 14);
}

void pt_start_mtc(struct processor *p, const struct pt_step *now)
{
    if ((p->faults.first_mtc_ctl & RTIT_MTC_EN) == 0)
        p->faults.first_mtc_ctl = p->pt.ctl_active;
    p->pt.mtc = mtc_now(p, now);
}

void pt_put_mtc(struct processor *p, const struct pt_step *now)
{
    static const uint8_t opcode = 0x59;
    struct pt_state *pt = &p->pt;
    uint64_t mtc = mtc_now(p, now);

    if (!faults_pt(p, PT_MTC, (pt->ctl_active & RTIT_MTC_EN) != 0) ||
        faults_pt(p, PT_MTC_SAME, ((mtc ^ pt->mtc) & 0xFF) == 0) ||
        (now->cpl != 0 && !faults_pt(p, PT_MTC_IN_RING_3, true)) ||
        (!pt->filter_en && !faults_pt(p, PT_MTC_FILTERED, true)) ||
        (!pt_branch_en(p) && !faults_pt(p, PT_MTC_NO_BRANCHES, true)) ||
        (pt->in_tx && !faults_pt(p, PT_MTC_IN_TX, true)))
        return;
    pt->mtc = mtc;
    if (((mtc & 0xFF) == 0 && !faults_pt(p, PT_MTC_ZERO, true)) ||
        ((mtc & 1) != 0 && !faults_pt(p, PT_MTC_ODD, true)))
        return;
    if ((now->cpl != 0 && !faults_pt(p, PT_MTC_RIGHT_IN_RING_3, true)) ||
        (pt->in_tx && !faults_pt(p, PT_MTC_RIGHT_IN_TX, true)))
        mtc ^= BIT(7);
    pt_flush_tnt(p);
    if (faults_pt(p, PT_CYC_OF_MTC, true) &&
        (now->cpl == 0 || faults_pt(p, PT_CYC_OF_MTC_RING_3, true)))
        pt_put_cyc(p);
    put_payload(p, &opcode, 1, faults_pt_value(p, PT_MTC_PAYLOAD, mtc), 1);
}

/* CR3[51:12]; "for other page modes", which are not PAE paging, 11:5 are 0.
 * NR = 0: never in VMX operation. */
void pt_put_pip(struct processor *p, uint64_t cr3)
{
    static const uint8_t opcode[] = {0x02, 0x43};

    if (faults_pt(p, PT_PIP_ADDRESS_ALONE, true))
        cr3 &= ~BITS(11, 5);
    cr3 = faults_pt_value(p, PT_PIP_CR3, cr3 & BITS(51, 5));
    put_payload(p, opcode, 2, faults_pt_value(p, PT_PIP_PAYLOAD, cr3 >> 5 << 1),
                6);
}

static void put_mode(struct processor *p, uint8_t mode)
{
    static const uint8_t opcode = 0x99;

    put_pad(p);
    put_payload(p, &opcode, 1, mode, 1);
}

/* "MODE.Exec": IF with EventEn alone. */
uint8_t pt_exec_mode(const struct processor *p, const struct pt_step *now)
{
    bool interrupts =
        pt_event_en(p) && faults_pt(p, PT_EXEC_IF, now->interrupts);

    return (uint8_t)(now->cs_l | (!now->cs_l && now->cs_d) << 1 |
                     interrupts << 2);
}

/* "CFE Packet Definition", "EVD Packet Definition": IP = 1, so a FUP follows;
 * type 0, CR2. */
void pt_put_cfe(struct processor *p, uint8_t type, uint8_t vector)
{
    static const uint8_t opcode[] = {0x02, 0x13};

    put_payload(p, opcode, 2,
                faults_pt_value(p, PT_CFE_PAYLOAD,
                                UINT64_C(0x80) | type | (uint64_t)vector << 8),
                2);
}

void pt_put_evd(struct processor *p, uint64_t value)
{
    static const uint8_t opcode[] = {0x02, 0x53, 0x00};

    put_payload(p, opcode, 3, value, 8);
}

/* "PTW Packet Definition": PayloadBytes 0 for four, 1 for eight. */
void pt_put_ptw(struct processor *p, uint64_t value, unsigned bytes,
                bool with_ip)
{
    const uint8_t opcode[] = {
        0x02, (uint8_t)(0x12 | (bytes == 8) << 5 | with_ip << 7)};

    put_payload(p, opcode, 2, faults_pt_value(p, PT_PTW_PAYLOAD, value), bytes);
}

void pt_put_mode_exec(struct processor *p, const struct pt_step *now)
{
    pt_put_cyc(p);
    p->pt.exec = pt_exec_mode(p, now);
    if (faults_pt(p, PT_EXEC, true) && !is_left_out(p, PT_KIND_MODE_EXEC))
        put_mode(p, (uint8_t)faults_pt_value(p, PT_EXEC_MODE, p->pt.exec));
}

void pt_put_mode_tsx(struct processor *p, enum pt_tx_mode mode)
{
    put_mode(p, (uint8_t)mode);
}

void pt_put_ovf(struct processor *p)
{
    static const uint8_t packet[] = {0x02, 0xF3}, cyc = 0x07;

    if ((p->pt.ctl_active & RTIT_CYC_EN) != 0 &&
        erratum_shows(p, ERRATUM_OVF_IN_CYC, 2))
        pt_put_bytes(p, &cyc, 1);
    pt_put_bytes(p, packet, 2);
}

void pt_put_trace_stop(struct processor *p)
{
    static const uint8_t packet[] = {0x02, 0x83};

    if (faults_pt(p, PT_TRACE_STOP, true))
        pt_put_bytes(p, packet, 2);
}

void pt_put_time(struct processor *p, const struct pt_step *now)
{
    static const uint8_t tsc = 0x19, tma[] = {0x02, 0x73}, cbr[] = {0x02, 0x03};
    bool has_tsc = faults_pt(p, PT_TSC, (p->pt.ctl_active & RTIT_TSC_EN) != 0);
    bool has_mtc = (p->pt.ctl_active & RTIT_MTC_EN) != 0;
    uint64_t rest, ticks = crystal_ticks(p, now, &rest);

    if ((now->cpl != 0 && !faults_pt(p, PT_TSC_IN_RING_3, true)) ||
        (p->pt.in_tx && !faults_pt(p, PT_TSC_IN_TX, true)) || p->faults.no_tsc)
        has_tsc = false;

    if ((!faults_pt(p, PT_TIME_LATER, true) && p->pt.packet_en) ||
        (!faults_pt(p, PT_TIME_OUTSIDE, true) && !p->pt.context_en))
        return;
    if (has_tsc) {
        pt_put_cyc(p);
        put_payload(p, &tsc, 1, faults_pt_value(p, PT_TSC_PAYLOAD, now->tsc),
                    7);
    }
    if (faults_pt(p, PT_TMA, has_tsc && has_mtc))
        put_payload(p, tma, 2,
                    (faults_pt_value(p, PT_TMA_CTC, ticks) & 0xFFFF) |
                        faults_pt_value(p, PT_TMA_FAST, rest) << 24,
                    5);
    if (faults_pt(p, PT_CBR, true) && !p->faults.no_cbr &&
        (now->cpl == 0 || faults_pt(p, PT_CBR_IN_RING_3, true)) &&
        (pt_branch_en(p) || faults_pt(p, PT_CBR_NO_BRANCHES, true)) &&
        (!p->pt.in_tx || faults_pt(p, PT_CBR_IN_TX, true)))
        put_payload(p, cbr, 2, faults_pt_value(p, PT_RATIO, msr_core_ratio(p)),
                    2);
}

/* TSC: "sent after any event that causes the processor clocks or Intel PT
 * timing packets to stop". */
void pt_put_time_again(struct processor *p, const struct pt_step *now)
{
    if (p->pt.clocks_stopped) {
        pt_flush_tnt(p);
        pt_put_time(p, now);
    }
    p->pt.clocks_stopped = false;
}
