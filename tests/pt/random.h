/* SPDX-License-Identifier: BSD-2-Clause */
/* random.h - random packets for streams: what a valid one may be, and nothing
 * else. */
#ifndef TESTS_PT_RANDOM_H
#define TESTS_PT_RANDOM_H

#include "tests/pt/encode.h"

static inline uint64_t random_bits(uint64_t *seed, unsigned bits)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed >> (64 - bits);
}

/* The payload of an IP packet, by IPBytes. */
static inline uint64_t random_ip(uint64_t *seed, unsigned ip_bytes)
{
    static const unsigned bits[] = {0, 16, 32, 48, 48, 0, 64};

    return bits[ip_bytes] == 0 ? 0 : random_bits(seed, bits[ip_bytes]);
}

/* A packet of any kind but BIP, its length left out. No PSB behind a PSB: that
 * is one that was cut. */
static inline struct pt_packet random_packet(uint64_t *seed, unsigned before)
{
    static const uint8_t ip_bytes[] = {0, 1, 1, 2, 3, 4, 6, 1};
    struct pt_packet p = {0, (uint8_t)random_bits(seed, 5), 0, 0, 0};
    const unsigned bit = (unsigned)random_bits(seed, 1);

    if (p.kind == PT_BIP || (p.kind == PT_PSB && before == PT_PSB))
        p.kind = PT_TNT_8;
    if (random_bits(seed, 1) != 0) /* the usual ones as often as all others */
        p.kind = (uint8_t)(random_bits(seed, 3) % (PT_FUP + 1));
    switch (p.kind) {
    case PT_TNT_8:
        p.detail = (uint8_t)(1 + random_bits(seed, 8) % 6);
        p.payload = random_bits(seed, p.detail);
        break;
    case PT_TNT_64:
        p.detail = (uint8_t)(1 + random_bits(seed, 8) % 47);
        p.payload = random_bits(seed, p.detail);
        break;
    case PT_TIP:
    case PT_TIP_PGE:
    case PT_TIP_PGD:
    case PT_FUP:
        p.detail = ip_bytes[random_bits(seed, 3)];
        p.payload = random_ip(seed, p.detail);
        break;
    case PT_CYC:
        p.payload = random_bits(seed, 1 + (unsigned)random_bits(seed, 6));
        break;
    case PT_MTC:
    case PT_BBP:
        p.payload = random_bits(seed, 8);
        break;
    case PT_TSC:
        p.payload = random_bits(seed, 56);
        break;
    case PT_MODE_EXEC:
        p.payload = random_bits(seed, 3) << 2 | random_bits(seed, 8) % 3;
        break;
    case PT_MODE_TSX:
        p.payload = 0x20 | random_bits(seed, 3) << 2 | random_bits(seed, 8) % 3;
        break;
    case PT_CBR:
    case PT_PWRE:
        p.payload = random_bits(seed, 16);
        break;
    case PT_PIP:
        p.payload = random_bits(seed, 48);
        break;
    case PT_VMCS:
    case PT_TMA:
    case PT_PWRX:
        p.payload = random_bits(seed, 40);
        break;
    case PT_EVD:
        p.detail = (uint8_t)random_bits(seed, 6);
        p.payload = random_bits(seed, 64);
        break;
    case PT_MNT:
    case PT_MWAIT:
        p.payload = random_bits(seed, 64);
        break;
    case PT_PTW:
        p.detail = (uint8_t)bit;
        p.payload = random_bits(seed, random_bits(seed, 1) != 0 ? 32 : 64);
        break;
    case PT_EXSTOP:
    case PT_BEP:
        p.detail = (uint8_t)bit;
        break;
    case PT_CFE:
        p.payload = random_bits(seed, 16);
        p.detail = p.payload >> 7 & 1;
        break;
    case PT_TRIG:
        p.payload = random_bits(seed, 16);
        if ((p.payload & 0x40) != 0)
            p.payload |= random_bits(seed, 16) << 16;
        p.detail = p.payload >> 7 & 1;
        break;
    default:
        break;
    }
    return p;
}

#endif
