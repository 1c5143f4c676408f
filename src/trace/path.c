/* SPDX-License-Identifier: BSD-2-Clause */
/* path.c - reads a trace as a decoder does that knows the code. */
#include "src/trace/path.h"

#include "src/base/mem.h"
#include "src/pt/ip.h"

struct walk {
    const struct path *path;
    struct path_seen *seen;
    struct pt_reader reader;
    uint64_t last_ip;
    /* Results of a TNT that no branch has used up, the oldest highest. */
    uint64_t results;
    unsigned result_count;
    bool mode_known;   /* MODE.Exec since the last PSB */
    bool mode_pending; /* MODE.Exec, whose TIP.PGE is next */
    bool ended;        /* after a whole packet */
    bool fup_may;      /* a FUP may be next, with this address */
    uint64_t fup;
    uint8_t kind, before; /* of the last packet and the one before; no PADs */
};

static bool has_ip(unsigned kind)
{
    return kind == PT_TIP || kind == PT_TIP_PGE || kind == PT_TIP_PGD ||
           kind == PT_FUP;
}

/* Returns false, for the caller to return. */
static bool wrong(struct walk *w, const char *text, uint64_t offset,
                  unsigned got, uint64_t value)
{
    if (w->seen->wrong != NULL)
        return false;
    w->seen->wrong = text;
    w->seen->offset = offset;
    w->seen->got = got;
    w->seen->value = value;
    return false;
}

/* The packet as it stands in the stream; its address, where it has one, in the
 * payload. */
static bool read_packet(struct walk *w, struct pt_packet *packet,
                        uint64_t *offset)
{
    *offset = pt_offset(&w->reader);
    enum pt_result result = pt_next(&w->reader, packet);

    if (result == PT_LOST && w->path->cut && w->seen->psbs == 0) {
        *offset = pt_offset(&w->reader);
        result = pt_next(&w->reader, packet);
    }
    w->ended = result == PT_END;
    if (w->ended)
        return wrong(w, "the trace ends", *offset, PT_KINDS, 0);
    if (result != PT_OK)
        return wrong(w, pt_result_text(result), w->reader.where, PT_KINDS, 0);
    w->seen->packets[packet->kind]++;
    if (packet->kind != PT_PAD) {
        w->before = w->kind;
        w->kind = packet->kind;
    }
    if (has_ip(packet->kind) && packet->detail != 0) {
        w->last_ip = pt_ip(w->last_ip, packet->detail, packet->payload);
        packet->payload = w->last_ip;
    }
    if (packet->kind == PT_MODE_TSX)
        packet->payload &= PT_MODE_TSX_INTX | PT_MODE_TSX_TXABORT;
    if (packet->kind == PT_OVF) {
        w->seen->overflow = true;
        return wrong(w, "packets were lost", *offset, PT_OVF, 0);
    }
    return true;
}

static bool is_timing(unsigned kind)
{
    return kind == PT_CYC || kind == PT_MTC || kind == PT_TSC || kind == PT_TMA;
}

static unsigned timing_bit(unsigned kind)
{
    switch (kind) {
    case PT_CYC:
        return PATH_TIMING_CYC;
    case PT_MTC:
        return PATH_TIMING_MTC;
    case PT_TSC:
        return PATH_TIMING_TSC;
    default:
        return PATH_TIMING_TMA;
    }
}

static void take_mtc(struct path_seen *seen, uint8_t ctc)
{
    struct path_times *times = &seen->times;
    const uint8_t step = (uint8_t)(ctc - times->last_mtc);

    if (seen->packets[PT_MTC] == 1)
        times->first_mtc = ctc;
    else {
        times->mtc_steps += step;
        times->mtc_repeats += step == 0;
    }
    times->last_mtc = ctc;
}

static void take_cyc(const struct walk *w, uint64_t cycles)
{
    if (w->seen->packets[PT_CYC] == 1)
        return;
    w->seen->times.cycles += cycles;
    w->seen->times.cyc_short += cycles < w->path->cyc_least;
}

static bool take_timing(struct walk *w, const struct pt_packet *packet,
                        uint64_t offset)
{
    struct path_seen *seen = w->seen;

    if ((w->path->timing & timing_bit(packet->kind)) == 0)
        return wrong(w, "a timing packet that is not enabled", offset,
                     packet->kind, packet->payload);
    switch (packet->kind) {
    case PT_TSC:
        if (seen->packets[PT_TSC] == 1)
            seen->times.first_tsc = packet->payload;
        seen->times.last_tsc = packet->payload;
        return true;
    case PT_TMA:
        if (seen->packets[PT_TMA] == 1)
            seen->times.tma = packet->payload;
        return w->before == PT_TSC ||
               wrong(w, "a TMA that does not follow a TSC", offset, PT_TMA,
                     packet->payload);
    case PT_MTC:
        take_mtc(seen, (uint8_t)packet->payload);
        return true;
    default:
        take_cyc(w, packet->payload);
        return true;
    }
}

static bool take_mode_exec(struct walk *w, const struct pt_packet *packet,
                           uint64_t offset)
{
    w->mode_known = true;
    if ((packet->payload & (PT_MODE_EXEC_CS_L | PT_MODE_EXEC_CS_D)) ==
        PT_MODE_EXEC_CS_L)
        return true;
    return wrong(w, "MODE.Exec of another mode than 64-bit", offset,
                 packet->kind, packet->payload);
}

/* What PSB+ may hold ("Decoder Synchronization (PSB+)"). */
static bool take_status(struct walk *w, const struct pt_packet *packet,
                        uint64_t offset, struct path_psb *psb)
{
    switch (packet->kind) {
    case PT_PAD:
    case PT_CBR:
    case PT_VMCS:
    case PT_MNT:
        return true;
    case PT_MODE_EXEC:
        psb->mode_exec = (uint8_t)packet->payload;
        return take_mode_exec(w, packet, offset);
    case PT_MODE_TSX:
        psb->mode_tsx = (uint8_t)packet->payload;
        return true;
    case PT_PIP:
        psb->pip = packet->payload;
        return true;
    case PT_FUP:
        psb->ip = packet->payload;
        return packet->detail != 0 ||
               wrong(w, "a FUP without an address", offset, packet->kind, 0);
    default:
        if (is_timing(packet->kind)) {
            psb->tsc = packet->kind == PT_TSC ? packet->payload : psb->tsc;
            return take_timing(w, packet, offset);
        }
        return wrong(w, "not a packet of PSB+", offset, packet->kind,
                     packet->payload);
    }
}

static bool take_psb(struct walk *w, uint64_t at)
{
    struct path_psb psb = {.offset = at, .packets = {[PT_PSB] = 1}};
    struct pt_packet packet;
    uint64_t offset;

    w->last_ip = 0;
    w->mode_known = false;
    for (;;) {
        if (!read_packet(w, &packet, &offset))
            return false;
        psb.packets[packet.kind]++;
        if (packet.kind == PT_PSBEND)
            break;
        if (!take_status(w, &packet, offset, &psb))
            return false;
    }
    if (w->seen->psbs < PATH_PSBS)
        w->seen->psb[w->seen->psbs] = psb;
    w->seen->psbs++;
    return true;
}

/* The next packet of the control flow. */
static bool next_packet(struct walk *w, struct pt_packet *packet,
                        uint64_t *offset)
{
    for (;;) {
        if (!read_packet(w, packet, offset))
            return false;
        if (packet->kind == PT_PAD || packet->kind == PT_CBR ||
            packet->kind == PT_MNT)
            continue;
        if (is_timing(packet->kind)) {
            if (!take_timing(w, packet, *offset))
                return false;
            continue;
        }
        if (packet->kind == PT_PSB) {
            if (!take_psb(w, *offset))
                return false;
            continue;
        }
        if (packet->kind != PT_MODE_EXEC)
            break;
        if (!take_mode_exec(w, packet, *offset))
            return false;
        w->mode_pending = true;
    }
    if (w->mode_pending && packet->kind != PT_TIP_PGE)
        return wrong(w, "MODE.Exec without a change of the mode", *offset,
                     packet->kind, packet->payload);
    w->mode_pending = false;
    return true;
}

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
    return wrong(w, "another result of the branch", pt_offset(&w->reader),
                 PT_TNT_8, !taken);
}

static bool take_branch(struct walk *w, bool taken)
{
    struct pt_packet packet;
    uint64_t offset;

    if (w->result_count == 0) {
        if (!next_packet(w, &packet, &offset))
            return false;
        if (!is_tnt(&packet))
            return wrong(w, "no TNT", offset, packet.kind, packet.payload);
        fill_results(w, &packet);
    }
    return use_result(w, taken);
}

/* The packet has this kind, and this address: NULL where it has none. */
static bool take_kind(struct walk *w, const struct pt_packet *packet,
                      uint64_t offset, unsigned kind, const uint64_t *address)
{
    if (packet->kind != kind)
        return wrong(w, "another packet", offset, packet->kind,
                     packet->payload);
    if ((address != NULL) != (packet->detail != 0))
        return wrong(w,
                     address != NULL ? "the address is left out"
                                     : "an address that has to be left out",
                     offset, packet->kind, packet->payload);
    if (address != NULL && packet->payload != *address)
        return wrong(w, "another address", offset, packet->kind,
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
        return wrong(w, "a compressed return, which DisRETC forbids",
                     pt_offset(&w->reader), PT_TNT_8, 0);
    w->seen->compressed++;
    return use_result(w, true);
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
        return wrong(w, "more results than branches", pt_offset(&w->reader),
                     PT_TNT_8, w->result_count);
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
    if (has_ip(kind) &&
        !take_kind(w, &packet, offset, kind,
                   want->kind == PATH_PGD_HIDDEN ? NULL : &want->value))
        return false;
    if (packet.kind != kind)
        return wrong(w, "another packet", offset, packet.kind, packet.payload);
    const uint64_t ignored = kind == PT_PIP && w->path->any_nr ? 1 : 0;
    if ((kind == PT_MODE_TSX || kind == PT_PIP) &&
        ((packet.payload ^ want->value) & ~ignored) != 0)
        return wrong(w, "another value", offset, packet.kind, packet.payload);
    w->seen->modes_missing += kind == PT_TIP_PGE && !w->mode_known;
    return true;
}

static bool take_step(struct walk *w, const struct path_step *want)
{
    switch (want->kind) {
    case PATH_NOT_TAKEN:
    case PATH_TAKEN:
        return take_branch(w, want->kind == PATH_TAKEN);
    case PATH_RET:
        return take_return(w, want->value);
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
        wrong(w, "more results than branches", pt_offset(&w->reader), PT_TNT_8,
              w->result_count);
        return;
    }
    if (next_packet(w, &packet, &offset)) {
        wrong(w, "more packets", offset, packet.kind, packet.payload);
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

void path_follow(const uint8_t *bytes, size_t size, const struct path *path,
                 uint64_t first, struct path_seen *seen)
{
    struct walk w = {.path = path, .seen = seen};
    struct path_step want;

    memset(seen, 0, sizeof(*seen));
    seen->got = PT_KINDS;
    pt_open(&w.reader);
    pt_feed(&w.reader, bytes, size, true);
    for (uint64_t i = first;; i++) {
        seen->step = i;
        seen->want = (struct path_step){PATH_END, 0};
        if (!path->step(path->source, i, &want))
            break;
        seen->want = want;
        if (!take_step(&w, &want))
            return;
    }
    take_end(&w);
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
    };

    return kind < PATH_KINDS ? names[kind] : "?";
}
