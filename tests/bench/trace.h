/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace.h - a long trace, the same in every run: packets in random order, half
 * short TNT, a quarter TIP, 14 % CYC of one to four bytes, 8 % MTC, 2 % long
 * TNT, 1 % MODE.TSX with its FUP (and TIP), a PSB+ every 4 KiB.
 */
#ifndef TESTS_BENCH_TRACE_H
#define TESTS_BENCH_TRACE_H

#include "tests/bench/bench.h"
#include "tests/pt/encode.h"

#define PERIOD 4096

static inline void put_psb_plus(struct stream *out, unsigned in_tx)
{
    put_psb(out);
    put2(out, 0x02, 0x03); /* CBR */
    put(out, 0x0018, 2);
    put_mode_tsx(out, in_tx, 0);
    put2(out, 0x99, 0x01); /* MODE.Exec */
    put_fup(out, 3, 0x401000);
    put2(out, 0x02, 0x23);
}

static inline void put_transition(struct stream *out, unsigned *in_tx,
                                  uint64_t r)
{
    const unsigned aborts = *in_tx & (unsigned)r & 1;

    *in_tx ^= 1;
    put_mode_tsx(out, *in_tx, aborts);
    put_fup(out, 1, r >> 8);
    if (aborts)
        put_tip(out, 1, r >> 24);
}

static inline void put_random(struct stream *out, unsigned *in_tx, uint64_t r)
{
    static const unsigned ip_bytes[] = {1, 1, 1, 2, 2, 3, 4, 0};
    static const uint64_t cyc_masks[] = {0x1f, 0x1f,  0x1f,  0x1f,
                                         0x1f, 0xfff, 0xfff, 0x1ffffff};
    const unsigned kind = (unsigned)(r % 100);

    r >>= 8;
    if (kind < 50)
        put_tnt(out, r >> 8 & 0x3f & ((1u << (r % 6 + 1)) - 1),
                (unsigned)(r % 6 + 1));
    else if (kind < 75)
        put_tip(out, ip_bytes[r & 7], r >> 3);
    else if (kind < 89)
        put_cyc(out, r >> 8 & cyc_masks[r & 7]);
    else if (kind < 97)
        put_mtc(out, r & 0xff);
    else if (kind < 99)
        put_tnt_64(out, r >> 10 & ((UINT64_C(1) << (r % 41 + 7)) - 1),
                   (unsigned)(r % 41 + 7));
    else
        put_transition(out, in_tx, r);
}

static inline void fill(struct stream *out)
{
    uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
    size_t psb = 0;
    unsigned in_tx = 0;

    put_psb_plus(out, in_tx);
    while (out->size + 64 < out->room) {
        if (out->size - psb >= PERIOD) {
            psb = out->size;
            put_psb_plus(out, in_tx);
        }
        put_random(out, &in_tx, next(&seed));
    }
}

#endif
