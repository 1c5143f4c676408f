/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsx_phases.c - what a packet means for the transactions of a trace.
 *
 * One function for each phase; idle() is the usual one. Where a packet ends
 * what another began, it is handled again in idle().
 */
#include "src/pt/tsx_phases.h"

#include "src/pt/ip.h"
#include "src/pt/tsx_emit.h"

/* A FUP that nothing before it owns. */
static void idle_fup(struct pt_tsx *tsx, bool has_ip, uint64_t offset)
{
    tsx->packet_en = PT_YES;
    if (!tsx->overflow) {
        tsx->pending = (struct pt_tsx_event){.offset = offset,
                                             .has_ip = has_ip,
                                             .ip = has_ip ? tsx->last_ip : 0};
        tsx->phase = PT_ASYNCHRONOUS;
    }
    tsx->overflow = false;
}

static void idle_mode(struct pt_tsx *tsx, uint64_t payload, uint64_t offset)
{
    tsx->pending = (struct pt_tsx_event){.offset = offset};
    tsx->pending.transition = (payload & PT_MODE_TSX_INTX) != 0 ? PT_BEGIN
                              : (payload & PT_MODE_TSX_TXABORT) != 0
                                  ? PT_ABORT
                                  : PT_COMMIT;
    tsx->phase = PT_WANTS_FUP;
}

/* Of the two that say that PacketEn changes, one is missing or damaged where it
 * was so before; and so is TIP.PGE before another branch. */
static void idle_branch(struct pt_tsx *tsx, unsigned kind)
{
    const enum pt_known before = kind == PT_TIP_PGE ? PT_NO : PT_YES;

    if (tsx->packet_en != PT_UNKNOWN && tsx->packet_en != before)
        tsx->doubtful |= tsx->doubts;
    tsx->packet_en = kind == PT_TIP_PGD ? PT_NO : PT_YES;
    tsx->overflow = false;
}

static void own_fup(struct pt_tsx *tsx, const struct pt_packet *packet,
                    uint64_t offset)
{
    if (tsx->phase != PT_OWNER)
        tsx->promised = false;
    tsx->phase = PT_OWNER;
    if (packet->detail == 0 || tsx->promised)
        return;
    tsx->promised = tsx->packet_en == PT_YES;
    tsx->pending.offset = offset;
}

static bool idle(struct pt_tsx *tsx, const struct pt_packet *packet,
                 uint64_t offset, struct pt_tsx_event *event)
{
    switch (packet->kind) {
    case PT_MODE_TSX:
        idle_mode(tsx, packet->payload, offset);
        break;
    case PT_FUP:
        idle_fup(tsx, packet->detail != 0, offset);
        break;
    case PT_TNT_8:
    case PT_TNT_64:
    case PT_TIP:
    case PT_TIP_PGE:
    case PT_TIP_PGD:
        idle_branch(tsx, packet->kind);
        break;
    case PT_OVF: /* what was lost may have been a transition */
        tsx_forget(tsx);
        tsx->overflow = true;
        *event = (struct pt_tsx_event){
            .transition = PT_OVERFLOW, .offset = offset, .at = offset};
        return true;
    case PT_PSB:
        tsx->pending =
            (struct pt_tsx_event){.transition = PT_STATE, .offset = offset};
        tsx->psb_fup = tsx->psb_mode = false;
        tsx->phase = PT_IN_PSB;
        break;
    default:
        if (owns_fup(packet))
            own_fup(tsx, packet, offset);
        break;
    }
    return false;
}

/* The packet ends what was pending, and is handled itself. */
static void handle_again(struct pt_tsx *tsx, const struct pt_packet *packet,
                         uint64_t offset)
{
    if (idle(tsx, packet, offset, &tsx->deferred))
        tsx->has_deferred = true;
}

static void set_target(struct pt_tsx *tsx, const struct pt_packet *packet)
{
    tsx->pending.has_target =
        tsx->pending.transition == PT_ABORT && packet->detail != 0;
    tsx->pending.target = tsx->pending.has_target ? tsx->last_ip : 0;
    tsx->packet_en = packet->kind == PT_TIP_PGD ? PT_NO : PT_YES;
    tsx->overflow = false;
}

/* After a MODE.TSX. With PacketEn = 0 there is no FUP: rows 28b and 28e, and
 * all transitions while FilterEn = 0; and row 28c has none either, although
 * PacketEn was 1. */
static bool wants_fup(struct pt_tsx *tsx, const struct pt_packet *packet,
                      uint64_t offset, struct pt_tsx_event *event)
{
    const bool aborts = tsx->pending.transition == PT_ABORT;
    bool on = tsx->packet_en == PT_YES;

    if (may_stand_between(packet->kind) || packet->kind == PT_MODE_EXEC)
        return false;
    switch (packet->kind) {
    case PT_FUP:
        tsx->pending.has_ip = packet->detail != 0;
        tsx->pending.ip = packet->detail != 0 ? tsx->last_ip : 0;
        tsx->packet_en = PT_YES;
        tsx->overflow = false;
        if (!aborts)
            return tsx_emit(tsx, offset, PT_NO_DEVIATION, event);
        tsx->phase = PT_WANTS_TIP;
        return false;
    case PT_TIP_PGE:
        set_target(tsx, packet);
        return tsx_emit(tsx, offset, PT_NO_DEVIATION, event);
    case PT_TIP_PGD:
        if (!aborts)
            break;
        set_target(tsx, packet);
        return tsx_emit(tsx, offset, PT_NO_DEVIATION, event);
    case PT_TIP:
        if (aborts)
            set_target(tsx, packet);
        on = true; /* else there would be no such packet */
        break;
    case PT_TNT_8:
    case PT_TNT_64:
        on = true;
        break;
    case PT_OVF:
        on = false; /* its FUP may be what was lost */
        break;
    default:
        break;
    }
    tsx_emit(tsx, offset, on ? PT_MODE_WITHOUT_FUP : PT_NO_DEVIATION, event);
    handle_again(tsx, packet, offset);
    return true;
}

static bool wants_tip(struct pt_tsx *tsx, const struct pt_packet *packet,
                      uint64_t offset, struct pt_tsx_event *event)
{
    if (may_stand_between(packet->kind) || packet->kind == PT_MODE_EXEC)
        return false;
    if (packet->kind == PT_TIP || packet->kind == PT_TIP_PGD) {
        set_target(tsx, packet);
        return tsx_emit(tsx, offset, PT_NO_DEVIATION, event);
    }
    tsx_emit(tsx, offset,
             packet->kind == PT_OVF ? PT_NO_DEVIATION : PT_ABORT_WITHOUT_TARGET,
             event);
    handle_again(tsx, packet, offset);
    return true;
}

/* After a packet that owns a FUP. Others that own the same may follow, and what
 * comes between MWAIT and EXSTOP: "Power Event Tracing". */
static bool owner(struct pt_tsx *tsx, const struct pt_packet *packet,
                  uint64_t offset, struct pt_tsx_event *event)
{
    if (owns_fup(packet)) {
        own_fup(tsx, packet, offset);
        return false;
    }
    if (may_stand_between(packet->kind) ||
        (packet->kind >= PT_PTW && packet->kind <= PT_TRIG))
        return false;
    tsx->phase = PT_IDLE;
    if (packet->kind == PT_FUP) {
        tsx->packet_en = PT_YES;
        tsx->overflow = false;
        return false;
    }
    if (!tsx->promised || packet->kind == PT_OVF)
        return idle(tsx, packet, offset, event);
    tsx_emit_deviation(tsx, tsx->pending.offset, offset, PT_OWNER_WITHOUT_FUP,
                       event);
    handle_again(tsx, packet, offset);
    return true;
}

/* After the FUP of an asynchronous event. In a transaction that has to abort
 * first; but under SKD022 a VM entry looks like one. */
static bool asynchronous(struct pt_tsx *tsx, const struct pt_packet *packet,
                         uint64_t offset, struct pt_tsx_event *event)
{
    enum pt_deviation deviation = PT_FUP_WITHOUT_TIP;

    if (may_stand_between(packet->kind) || packet->kind == PT_PIP ||
        packet->kind == PT_VMCS || packet->kind == PT_MODE_EXEC)
        return false;
    tsx->phase = PT_IDLE;
    if (packet->kind == PT_TIP || packet->kind == PT_TIP_PGD) {
        if (tsx->in_tx != PT_YES || (packet->kind == PT_TIP_PGD &&
                                     (tsx->reader.errata & PT_SKD022) != 0))
            return idle(tsx, packet, offset, event);
        deviation = PT_EVENT_INSIDE;
        tsx->in_tx = PT_UNKNOWN; /* said once */
    }
    if (packet->kind == PT_OVF)
        return idle(tsx, packet, offset, event);
    *event = tsx->pending;
    event->deviation = deviation;
    event->at = offset;
    handle_again(tsx, packet, offset);
    return true;
}

/* The end of PSB+: FUP is in it where PacketEn is 1, MODE.TSX where ContextEn
 * and BranchEn are. */
static bool end_psb(struct pt_tsx *tsx, uint64_t at, bool whole,
                    struct pt_tsx_event *event)
{
    const enum pt_known in_tx = tsx->pending.in_tx ? PT_YES : PT_NO;

    tsx->phase = PT_IDLE;
    tsx->packet_en = tsx->psb_fup ? PT_YES : PT_NO;
    if (!tsx->psb_mode && whole)
        return false;
    if (!tsx->psb_mode)
        return tsx_emit_deviation(tsx, tsx->pending.offset, at,
                                  PT_PSB_WITHOUT_END, event);
    *event = tsx->pending;
    event->at = at;
    if (tsx->in_tx != PT_UNKNOWN && tsx->in_tx != in_tx)
        event->deviation = PT_STATE_DIFFERS;
    if (!whole)
        event->deviation = PT_PSB_WITHOUT_END;
    if (tsx->in_tx != in_tx)
        tsx->has_region = false;
    tsx->in_tx = in_tx;
    return true;
}

/* "PSB+": the order in it is not fixed; an OVF ends it like PSBEND. */
static bool in_psb(struct pt_tsx *tsx, const struct pt_packet *packet,
                   uint64_t offset, struct pt_tsx_event *event)
{
    if (may_stand_between(packet->kind))
        return false;
    switch (packet->kind) {
    case PT_MODE_TSX:
        tsx->psb_mode = true;
        tsx->pending.offset = offset;
        tsx->pending.in_tx = (packet->payload & PT_MODE_TSX_INTX) != 0;
        return false;
    case PT_FUP:
        tsx->psb_fup = true;
        tsx->pending.has_ip = packet->detail != 0;
        tsx->pending.ip = tsx->last_ip;
        return false;
    case PT_PIP:
    case PT_VMCS:
    case PT_MODE_EXEC:
        return false;
    case PT_PSBEND:
        return end_psb(tsx, offset, true, event);
    default:
        if (!end_psb(tsx, offset, packet->kind == PT_OVF, event))
            return idle(tsx, packet, offset, event);
        handle_again(tsx, packet, offset);
        return true;
    }
}

bool tsx_step(struct pt_tsx *tsx, const struct pt_packet *packet,
              uint64_t offset, struct pt_tsx_event *event)
{
    const bool is_ip = packet->kind >= PT_TIP && packet->kind <= PT_FUP;

    if (packet->kind == PT_PSB)
        tsx->last_ip = 0;
    if (packet->kind == PT_PSB ||
        (is_ip && pt_is_whole_ip(packet->detail) && tsx->phase != PT_WANTS_TIP))
        tsx->doubtful = false;
    if (is_ip)
        tsx->last_ip = pt_ip(tsx->last_ip, packet->detail, packet->payload);
    switch (tsx->phase) {
    case PT_WANTS_FUP:
        return wants_fup(tsx, packet, offset, event);
    case PT_WANTS_TIP:
        return wants_tip(tsx, packet, offset, event);
    case PT_ASYNCHRONOUS:
        return asynchronous(tsx, packet, offset, event);
    case PT_OWNER:
        return owner(tsx, packet, offset, event);
    case PT_IN_PSB:
        return in_psb(tsx, packet, offset, event);
    default:
        return idle(tsx, packet, offset, event);
    }
}

/* A MODE.TSX that is no transition ends what is pending. The FUP after it, if
 * any, is its own. */
void tsx_refused_mode(struct pt_tsx *tsx, struct pt_tsx_event *event)
{
    const uint64_t offset = tsx->reader.where;
    struct pt_tsx_event *deviation = event;

    if (tsx->phase == PT_WANTS_FUP || tsx->phase == PT_WANTS_TIP) {
        tsx_emit(tsx, offset,
                 tsx->phase == PT_WANTS_FUP ? PT_MODE_WITHOUT_FUP
                                            : PT_ABORT_WITHOUT_TARGET,
                 event);
        deviation = &tsx->deferred;
        tsx->has_deferred = true;
    }
    if (tsx->phase == PT_IN_PSB) {
        tsx_emit_deviation(tsx, offset, offset, PT_INTX_AND_TXABORT, deviation);
        tsx->phase = PT_IN_PSB;
        return;
    }
    tsx_emit_deviation(tsx, offset, offset, PT_INTX_AND_TXABORT, deviation);
    tsx->in_tx = PT_UNKNOWN;
    tsx->phase = PT_OWNER;
    tsx->promised = false;
}

/* What is pending is all there is of it. */
static bool end_pending(struct pt_tsx *tsx, struct pt_tsx_event *event)
{
    const uint64_t at = tsx->reader.where;

    switch (tsx->phase) {
    case PT_WANTS_FUP:
    case PT_WANTS_TIP:
        return tsx_emit(tsx, at, PT_INCOMPLETE, event);
    case PT_IN_PSB:
        (void)end_psb(tsx, at, false, event);
        event->deviation = PT_INCOMPLETE;
        return true;
    default:
        return false;
    }
}

bool tsx_end(struct pt_tsx *tsx, struct pt_tsx_event *event)
{
    const bool is_event = end_pending(tsx, event);

    tsx_forget(tsx);
    return is_event;
}
