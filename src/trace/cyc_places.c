/* SPDX-License-Identifier: BSD-2-Clause */
/* cyc_places.c - reads a trace for its CYC packets. */
#include "src/trace/cyc_places.h"

#include "src/base/msr.h"

#define MTCS 8 /* not all of them in the cycle of another packet */

static const char *const cyc_place_names[CYC_PLACES] = {"TNT",
                                                        "PIP",
                                                        "TIP.PGE",
                                                        "TIP.PGD",
                                                        "MTC",
                                                        "MODE.TSX",
                                                        "MODE.TSX with TXAbort",
                                                        "TIP of an exception",
                                                        "PTW"};

static enum cyc_place place_of(const struct pt_packet *packet)
{
    switch (packet->kind) {
    case PT_TNT_8:
    case PT_TNT_64:
        return CYC_OF_TNT;
    case PT_PIP:
        return CYC_OF_PIP;
    case PT_TIP_PGE:
        return CYC_OF_PGE;
    case PT_TIP_PGD:
        return CYC_OF_PGD;
    case PT_MTC:
        return CYC_OF_MTC;
    case PT_PTW:
        return CYC_OF_PTW;
    case PT_MODE_TSX:
        return (packet->payload & PT_MODE_TSX_TXABORT) != 0 ? CYC_OF_ABORT
                                                            : CYC_OF_TX;
    default:
        return CYC_PLACES;
    }
}

void cyc_places_count(const struct trace *p, struct cyc_places *places)
{
    struct pt_reader reader;
    struct pt_packet packet;
    bool in_psb = false, any = false, first = false, event = false,
         zero = false;
    unsigned since = 0, before = PT_KINDS; /* a bit a place; the last kind */

    pt_open(&reader);
    pt_feed(&reader, p->memory, trace_bytes(p), true);
    while (pt_next(&reader, &packet) == PT_OK) {
        const unsigned kind = packet.kind;
        const enum cyc_place place =
            kind == PT_TIP && event ? CYC_OF_EVENT : place_of(&packet);

        if (kind == PT_PSB || kind == PT_PSBEND) {
            in_psb = kind == PT_PSB;
            first = !in_psb;
            any = false;
        }
        /* That of OVF counts from another, which may be among the lost. */
        if (kind == PT_OVF)
            places->zeros -= zero;
        zero = kind == PT_CYC && any && packet.payload == 0;
        if (kind == PT_CYC) {
            places->zeros += zero;
            any = true;
            since = BIT(CYC_PLACES) - 1;
        }
        if (place < CYC_PLACES && !in_psb) {
            places->all[place] += !first;
            places->with[place] += !first && (since >> place & 1) != 0;
            since &= ~(unsigned)BIT(place);
            first = false;
        }
        if (kind == PT_TIP || (place != CYC_PLACES && place != CYC_OF_PIP))
            since = 0;
        /* What else has a FUP is its own. */
        if (kind == PT_FUP)
            event = !in_psb && before != PT_MODE_TSX && before != PT_PTW;
        else if (kind == PT_TIP)
            event = false;
        before = kind == PT_CYC || kind == PT_PAD ? before : kind;
    }
}

void cyc_places_trace(struct trace *p, struct window *w, uint64_t bits,
                      struct cyc_places *places)
{
    const uint64_t control = p->control;
    struct path_seen seen;

    w->path.timing = PATH_TIMING_CYC | PATH_TIMING_MTC;
    p->control |= bits;
    if (window_trace(p, w, &seen))
        cyc_places_count(p, places);
    p->control = control;
}

void cyc_places_check(struct test_context *t, const char *where,
                      const struct cyc_places *places)
{
    for (unsigned n = 0; n < CYC_PLACES; n++) {
        const unsigned all = places->all[n],
                       least = n == CYC_OF_MTC   ? all >= MTCS
                               : n == CYC_OF_PTW ? all != 0
                                                 : (all + 1) / 2;
        check(t, places->with[n] >= least,
              "CYCEn = 1%s: %u of %u %s come after a CYC of their own; wanted "
              "%u or more",
              where, places->with[n], all, cyc_place_names[n], least);
    }
    check(t, places->zeros == 0,
          "CYC%s: %u say 0 cycles since another CYC; wanted none: there is one "
          "a cycle at most",
          where, places->zeros);
}

uint64_t cyc_cycles(const struct trace *p, bool all)
{
    struct pt_reader reader;
    struct pt_packet packet;
    uint64_t sum = 0;

    pt_open(&reader);
    pt_feed(&reader, p->memory, trace_bytes(p), true);
    while (pt_next(&reader, &packet) == PT_OK && (all || sum == 0))
        sum += packet.kind == PT_CYC ? packet.payload : 0;
    return sum;
}
