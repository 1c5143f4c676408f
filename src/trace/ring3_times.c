/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3_times.c - reads the timing packets of a trace. SDM 3C, Intel Processor
 * Trace, "Mini Time Counter (MTC) Packet": "generated periodically"; "Cycle
 * Count Packet (CYC) Packet", table of CYC-eligible packets: TIP is one.
 */
#include "src/trace/ring3_times.h"

#include "src/base/msr.h"

#define FREQ_MOST 9 /* MTCFreq */
#define MISSED    4 /* periods without an MTC, at most */
#define FREQ_AT   14

/* From one packet to another. */
struct stretch {
    const char *what;
    bool runs, ended; /* ended: no MTC has come since */
    unsigned mtcs, tips, with_cyc, missed;
};

uint64_t ring3_times_bits(const struct identity *id)
{
    uint64_t bits = IA32_RTIT_CTL_TSCEn;
    unsigned freq = FREQ_MOST;

    if ((id->leaf14_ebx & LEAF14_PSB_FREQ) != 0)
        bits |= IA32_RTIT_CTL_CYCEn;
    while (freq > 0 && (id->leaf14_1_eax >> 16 >> freq & 1) == 0)
        freq--;
    if ((id->leaf14_ebx & LEAF14_MTC) != 0)
        bits |= IA32_RTIT_CTL_MTCEn | IA32_RTIT_CTL_MTCFreq(freq);
    return bits;
}

static void take_mtc(struct stretch *s, unsigned passed)
{
    if (s->ended && s->mtcs == 0 && passed > MISSED)
        s->missed = passed;
    s->ended = false;
    s->mtcs += s->runs;
}

static void move(struct stretch *s, bool runs)
{
    if (runs && !s->runs)
        s->mtcs = 0;
    s->ended = s->ended || (s->runs && !runs);
    s->runs = runs;
}

static void judge(struct trace *p, const char *what, uint64_t bits,
                  const struct stretch *s)
{
    check(p->t, s->missed == 0,
          "%s: no MTC came %s, and %u periods had passed from the last before "
          "to the first after it",
          what, s->what, s->missed);
    check(p->t, (bits & IA32_RTIT_CTL_CYCEn) == 0 || 2 * s->with_cyc >= s->tips,
          "%s: %u of %u TIPs %s come after a CYC; wanted half of them or more",
          what, s->with_cyc, s->tips, s->what);
}

/* What the MTCs count has passed, there as elsewhere. */
static void check_clocks(struct trace *p, const char *what, uint64_t bits,
                         uint64_t counted)
{
    const struct identity *id = test_cpu(p->t);
    const unsigned freq =
        (unsigned)((bits & IA32_RTIT_CTL_MTCFreq(15)) >> FREQ_AT);

    if ((bits & IA32_RTIT_CTL_MTCEn) == 0 || id->leaf15_eax == 0 ||
        id->leaf15_ebx == 0)
        return;
    const uint64_t most =
        (identity_crystal(id, p->ended - p->begun) >> freq) + 2;
    check(p->t, counted <= most,
          "%s, MTCFreq = %u: the MTCs count %lu; wanted %lu at most, units of "
          "2^%u clocks of the crystal",
          what, freq, counted, most, freq);
}

void ring3_times_check(struct trace *p, const char *what, uint64_t bits,
                       struct cyc_places *places)
{
    struct stretch ring3 = {.what = "at ring 3"},
                   tx = {.what = "in a transaction"};
    unsigned before = PT_KINDS, mtc = 0;
    const unsigned all = places->all[CYC_OF_MTC],
                   with = places->with[CYC_OF_MTC];
    unsigned mtcs = 0, with_cyc = 0; /* at ring 3 */
    bool in_psb = false, known = false;
    uint64_t counted = 0;
    struct pt_reader reader;
    struct pt_packet packet;

    pt_open(&reader);
    pt_feed(&reader, p->memory, trace_bytes(p), true);
    while (pt_next(&reader, &packet) == PT_OK) {
        const unsigned kind = packet.kind;

        if (kind == PT_PSB || kind == PT_PSBEND)
            in_psb = kind == PT_PSB;
        else if (kind == PT_TIP_PGE || kind == PT_TIP_PGD)
            move(&ring3, kind == PT_TIP_PGE);
        else if (kind == PT_MODE_TSX && !in_psb)
            move(&tx, (packet.payload & PT_MODE_TSX_INTX) != 0);
        mtcs += ring3.runs && kind == PT_MTC;
        with_cyc += ring3.runs && kind == PT_MTC && before == PT_CYC;
        if (kind == PT_MTC) {
            const unsigned passed = (packet.payload - mtc) & 0xff;
            take_mtc(&ring3, known ? passed : 0);
            take_mtc(&tx, known ? passed : 0);
            counted += known ? passed : 0;
            mtc = (unsigned)packet.payload;
            known = true;
        }
        ring3.tips += ring3.runs && kind == PT_TIP;
        ring3.with_cyc += ring3.runs && kind == PT_TIP && before == PT_CYC;
        tx.tips += tx.runs && kind == PT_TIP;
        tx.with_cyc += tx.runs && kind == PT_TIP && before == PT_CYC;
        before = kind != PT_PAD ? kind : before;
    }
    judge(p, what, bits, &ring3);
    judge(p, what, bits, &tx);
    check_clocks(p, what, bits, counted);
    if ((bits & IA32_RTIT_CTL_CYCEn) != 0)
        cyc_places_count(p, places);
    places->all[CYC_OF_MTC] = all + mtcs;
    places->with[CYC_OF_MTC] = with + with_cyc;
    places->zeros = 0; /* a trace begins with one, and these are two */
}
