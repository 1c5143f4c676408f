/* SPDX-License-Identifier: BSD-2-Clause */
/* path.c - reads a trace as a decoder does that knows the code. */
#include "src/trace/path.h"

#include "src/base/mem.h"
#include "src/trace/path_walk.h"

static void fill_results(struct walk *w, const struct pt_packet *packet)
{
    w->results = packet->payload;
    w->result_count = packet->detail;
}

static bool is_tnt(const struct pt_packet *packet)
{
    return packet->kind == PT_TNT_8 || packet->kind == PT_TNT_64;
}

static bool use_result(struct walk *w, bool taken)
{
    w->result_count--;
    if ((w->results >> w->result_count & 1) == taken)
        return true;
    return walk_wrong(w, "another result of the branch", pt_offset(&w->reader),
                      PT_TNT_8, !taken);
}

/* An interrupt: FUP where the processor was, then a TIP to its handler, and all
 * that this does, until the TIP back ("FUP Cases and IP Payload": the address
 * of the next instruction, which IRET returns to). */
static bool take_interrupt(struct walk *w, uint64_t from, uint64_t offset)
{
    struct pt_packet packet;
    unsigned targets = 0;

    if (w->path->at != NULL &&
        !w->path->at(w->path->source, w->seen->step, from))
        return walk_wrong(w, "an interrupt where the processor was not", offset,
                          PT_FUP, from);
    do {
        if (!walk_next(w, &packet, &offset))
            return false;
        if (targets == 0 && packet.kind != PT_TIP)
            return walk_wrong(w, "an interrupt without the TIP to its handler",
                              offset, packet.kind, packet.payload);
        targets += packet.kind == PT_TIP;
    } while (packet.kind != PT_TIP || packet.payload != from);
    w->seen->interrupts += targets > 1;
    return targets > 1 ||
           walk_wrong(w, "an interrupt whose handler is where it was", offset,
                      PT_TIP, from);
}

/* walk_next() after the interrupts that came before. */
static bool next_packet(struct walk *w, struct pt_packet *packet,
                        uint64_t *offset)
{
    for (;;) {
        if (!walk_next(w, packet, offset))
            return false;
        if (packet->kind != PT_FUP || !w->path->interrupts ||
            w->result_count != 0 || packet->detail == 0 ||
            w->seen->want.kind == PATH_FUP)
            return true;
        if (!take_interrupt(w, packet->payload, *offset))
            return false;
    }
}

static bool take_branch(struct walk *w, bool taken)
{
    struct pt_packet packet;
    uint64_t offset;

    if (w->result_count == 0) {
        if (!next_packet(w, &packet, &offset))
            return false;
        if (!is_tnt(&packet))
            return walk_wrong(w, "no TNT", offset, packet.kind, packet.payload);
        fill_results(w, &packet);
    }
    return use_result(w, taken);
}

/* The packet has this kind, and this address: NULL where it has none. */
static bool take_kind(struct walk *w, const struct pt_packet *packet,
                      uint64_t offset, unsigned kind, const uint64_t *address)
{
    if (packet->kind != kind)
        return walk_wrong(w, "another packet", offset, packet->kind,
                          packet->payload);
    if ((address != NULL) != (packet->detail != 0))
        return walk_wrong(w,
                          address != NULL
                              ? "the address is left out"
                              : "an address that has to be left out",
                          offset, packet->kind, packet->payload);
    if (address != NULL && packet->payload != *address)
        return walk_wrong(w, "another address", offset, packet->kind,
                          packet->payload);
    return true;
}

static bool take_return(struct walk *w, uint64_t target)
{
    struct pt_packet packet;
    uint64_t offset;

    w->seen->returns++;
    if (w->result_count == 0) {
        if (!next_packet(w, &packet, &offset))
            return false;
        if (!is_tnt(&packet))
            return take_kind(w, &packet, offset, PT_TIP, &target);
        fill_results(w, &packet);
    }
    if (w->path->no_ret_compression)
        return walk_wrong(w, "a compressed return, which DisRETC forbids",
                          pt_offset(&w->reader), PT_TNT_8, 0);
    w->seen->compressed++;
    return use_result(w, true);
}

static void push_call(struct walk *w, uint64_t target)
{
    if (w->call_count == WALK_CALLS)
        memmove(&w->calls[0], &w->calls[1],
                --w->call_count * sizeof(w->calls[0]));
    w->calls[w->call_count++] =
        (struct walk_call){.target = target, .step = w->seen->step};
}

/* "The processor will never compress a RET across a PSB": nor one that comes in
 * front of the packet of the return itself. */
static bool take_return_of(struct walk *w, uint64_t target)
{
    const unsigned compressed = w->seen->compressed;
    struct walk_call call = {.target = ~target};

    if (!take_return(w, target))
        return false;
    if (w->call_count != 0)
        call = w->calls[--w->call_count];
    w->seen->over_psb += call.over_psb && !call.unsure;
    return (call.target == target && !call.over_psb) || call.unsure ||
           w->seen->compressed == compressed ||
           walk_wrong(w, "a compressed return, whose call was before a PSB",
                      pt_offset(&w->reader), PT_TNT_8, 0);
}

static void push_status(struct walk *w, uint64_t bits)
{
    if (w->status_count == WALK_STATUSES)
        memmove(&w->statuses[0], &w->statuses[1], --w->status_count);
    w->statuses[w->status_count++] = (uint8_t)bits;
}

/* "MODE.TSX packets can be sent even if FilterEn=0", and "the last MODE.TSX
 * preceding the TIP.PGE will indicate the current transaction status" ("TSX and
 * IP Filtering"). */
static bool take_statuses(struct walk *w, const struct pt_packet *packet,
                          uint64_t offset)
{
    const uint8_t last =
        w->status_count != 0 ? w->statuses[w->status_count - 1] : 0;
    const bool missing = w->status_count != 0 && packet->kind == PT_TIP_PGE &&
                         ((last ^ w->status_said) & PT_MODE_TSX_INTX) != 0;

    w->status_count = 0;
    if (packet->kind == PT_MODE_TSX)
        w->status_said = (uint8_t)packet->payload;
    if (!missing)
        return true;
    w->seen->want = (struct path_step){PATH_MODE_TSX, last};
    return walk_wrong(w, "TIP.PGE with another status of the transaction",
                      offset, packet->kind, packet->payload);
}

/* Kinds that are one packet. */
static bool take_packet(struct walk *w, const struct path_step *want)
{
    static const uint8_t kinds[PATH_KINDS] = {
        [PATH_TIP] = PT_TIP,
        [PATH_FUP] = PT_FUP,
        [PATH_PGE] = PT_TIP_PGE,
        [PATH_PGD] = PT_TIP_PGD,
        [PATH_PGD_HIDDEN] = PT_TIP_PGD,
        [PATH_MODE_TSX] = PT_MODE_TSX,
        [PATH_PIP] = PT_PIP,
        [PATH_TRACESTOP] = PT_TRACESTOP,
        [PATH_PGD_DIRECT] = PT_TIP_PGD,
        [PATH_PGD_MAY] = PT_TIP_PGD,
    };
    const unsigned kind = kinds[want->kind];
    struct pt_packet packet;
    uint64_t offset;

    /* A TIP may be deferred after the results of later branches; every other
     * packet forces these out before it. */
    if (want->kind != PATH_TIP && w->result_count != 0)
        return walk_wrong(w, "more results than branches",
                          pt_offset(&w->reader), PT_TNT_8, w->result_count);
    if (!next_packet(w, &packet, &offset))
        return false;
    if (w->fup_may && packet.kind == PT_FUP && packet.detail != 0 &&
        packet.payload == w->fup && !next_packet(w, &packet, &offset))
        return false;
    w->fup_may = false;
    if (want->kind == PATH_PGE && packet.kind == PT_PIP &&
        !next_packet(w, &packet, &offset))
        return false;
    if ((want->kind == PATH_PGD_DIRECT || want->kind == PATH_PGD_MAY) &&
        packet.kind == kind && packet.detail == 0) {
        w->seen->addresses_missing += want->kind == PATH_PGD_DIRECT;
        return true;
    }
    if (walk_has_ip(kind) &&
        !take_kind(w, &packet, offset, kind,
                   want->kind == PATH_PGD_HIDDEN ? NULL : &want->value))
        return false;
    if (packet.kind != kind)
        return walk_wrong(w, "another packet", offset, packet.kind,
                          packet.payload);
    const uint64_t ignored = kind == PT_PIP && w->path->any_nr ? 1 : 0;
    if ((kind == PT_MODE_TSX || kind == PT_PIP) &&
        ((packet.payload ^ want->value) & ~ignored) != 0)
        return walk_wrong(w, "another value", offset, packet.kind,
                          packet.payload);
    w->seen->modes_missing += kind == PT_TIP_PGE && !w->mode_known;
    return take_statuses(w, &packet, offset);
}

static bool take_step(struct walk *w, const struct path_step *want)
{
    switch (want->kind) {
    case PATH_NOT_TAKEN:
    case PATH_TAKEN:
        return take_branch(w, want->kind == PATH_TAKEN);
    case PATH_RET:
        return take_return(w, want->value);
    case PATH_MODE_EXEC:
        w->mode_next = (uint8_t)want->value;
        w->mode_due = true;
        return true;
    case PATH_CALL:
        push_call(w, want->value);
        return true;
    case PATH_RET_OF:
        return take_return_of(w, want->value);
    case PATH_MODE_TSX_MAY:
        push_status(w, want->value);
        return true;
    case PATH_FUP_MAY:
        w->fup_may = true;
        w->fup = want->value;
        return true;
    default:
        return take_packet(w, want);
    }
}

/* Nothing but what may stand anywhere. */
static void take_end(struct walk *w)
{
    struct pt_packet packet;
    uint64_t offset;

    if (w->result_count != 0) {
        walk_wrong(w, "more results than branches", pt_offset(&w->reader),
                   PT_TNT_8, w->result_count);
        return;
    }
    if (next_packet(w, &packet, &offset)) {
        walk_wrong(w, "more packets", offset, packet.kind, packet.payload);
        return;
    }
    if (w->ended)
        w->seen->wrong = NULL;
}

bool path_list_step(const void *source, uint64_t index, struct path_step *step)
{
    const struct path_list *list = source;

    if (index >= list->count)
        return false;
    *step = list->steps[index];
    return true;
}

static void follow(struct walk *w, uint64_t first)
{
    const struct path *path = w->path;
    struct path_step want;

    for (uint64_t i = first;; i++) {
        w->seen->step = i;
        w->seen->want = (struct path_step){PATH_END, 0};
        if (!path->step(path->source, i, &want))
            break;
        w->seen->want = want;
        if (!take_step(w, &want))
            return;
        if (want.kind != PATH_CALL && want.kind != PATH_FUP_MAY &&
            want.kind != PATH_MODE_TSX_MAY && want.kind != PATH_MODE_EXEC)
            w->flow_step = i + 1;
    }
    take_end(w);
}

/* From here, after a FUP or a TIP.PGE with this address, before step `index`.
 */
static bool goes_on_at(const struct walk *here, unsigned kind, uint64_t address,
                       uint64_t index)
{
    struct path_seen seen = {.got = PT_KINDS};
    const struct path *path = here->path;
    struct walk w = *here;
    struct path_step want;

    if (kind == PT_TIP_PGE && (!path->step(path->source, index++, &want) ||
                               want.kind != PATH_PGE || want.value != address))
        return false;
    if (kind == PT_FUP && path->at != NULL &&
        !path->at(path->source, index, address))
        return false;
    w.seen = &seen;
    follow(&w, index);
    return seen.wrong == NULL || seen.overflow;
}

/* "Internal Buffer Overflow": OVF, and a FUP or TIP.PGE with the address where
 * packets are generated again. How many steps are lost is not known, nor are
 * the calls among them; last IP is that of before. */
static bool goes_on(const struct walk *w, uint64_t first)
{
    struct path_seen seen = {.got = PT_KINDS};
    struct walk here = *w;
    struct pt_packet packet;
    struct path_step want;
    uint64_t offset;

    here.seen = &seen;
    here.lost = true;
    here.result_count = here.call_count = here.status_count = 0;
    here.mode_pending = here.mode_due = here.fup_may = here.bound = false;
    here.mode = w->mode_due ? w->mode_next : w->mode;
    if (!walk_next(&here, &packet, &offset) || packet.detail == 0 ||
        (packet.kind != PT_FUP && packet.kind != PT_TIP_PGE))
        return true;
    here.bound = false;
    /* A transaction may abort, and then the path is another one. */
    for (uint64_t i = 0; w->path->step(w->path->source, i, &want); i++)
        if (want.kind == PATH_MODE_TSX || want.kind == PATH_MODE_TSX_MAY ||
            (i >= first && goes_on_at(&here, packet.kind, packet.payload, i)))
            return true;
    return false;
}

void path_follow(const uint8_t *bytes, size_t size, const struct path *path,
                 uint64_t first, struct path_seen *seen)
{
    struct walk w = {.path = path, .seen = seen, .mode = PT_MODE_EXEC_CS_L};

    memset(seen, 0, sizeof(*seen));
    seen->got = PT_KINDS;
    seen->after_overflow = PT_KINDS;
    pt_open(&w.reader);
    w.reader.errata = (uint8_t)path->errata;
    pt_feed(&w.reader, bytes, size, true);
    follow(&w, first);
    seen->astray =
        seen->overflow && !path->interrupts && !goes_on(&w, seen->step);
}

const char *path_step_name(unsigned kind)
{
    static const char *const names[PATH_KINDS] = {
        [PATH_END] = "no more packets",
        [PATH_NOT_TAKEN] = "a branch not taken",
        [PATH_TAKEN] = "a branch taken",
        [PATH_TIP] = "TIP",
        [PATH_RET] = "a return",
        [PATH_FUP] = "FUP",
        [PATH_PGE] = "TIP.PGE",
        [PATH_PGD] = "TIP.PGD",
        [PATH_PGD_HIDDEN] = "TIP.PGD without an address",
        [PATH_MODE_TSX] = "MODE.TSX",
        [PATH_PIP] = "PIP",
        [PATH_TRACESTOP] = "TraceStop",
        [PATH_PGD_DIRECT] = "TIP.PGD",
        [PATH_PGD_MAY] = "TIP.PGD",
        [PATH_RET_OF] = "a return",
        [PATH_MODE_TSX_MAY] = "MODE.TSX",
    };

    return kind < PATH_KINDS ? names[kind] : "?";
}
