/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ip.h - IP compression: TIP, TIP.PGE, TIP.PGD and FUP hold the part of an
 * address that differs from the one before.
 *
 * SDM 3C, Intel Processor Trace, "FUP/TIP IP Reconstruction". The last IP is 0
 * at the start of a stream and at each PSB; an OVF leaves it, since the
 * compression that follows refers to an IP packet before the overflow.
 */
#ifndef SRC_PT_IP_H
#define SRC_PT_IP_H

#include <stdbool.h>
#include <stdint.h>

/* The last IP after a packet with these IPBytes (0 to 4, or 6) and payload, of
 * which only the bytes that IPBytes counts are looked at. IPBytes = 0: the last
 * IP stays, and it is not the address of this packet, which is suppressed. */
static inline uint64_t pt_ip(uint64_t last, unsigned ip_bytes, uint64_t payload)
{
    /* The low bits that the payload gives, and how far it is shifted to extend
     * the sign of bit 47. Tables, not branches: the order is unpredictable. */
    static const uint64_t takes[8] = {
        [1] = 0xffff,         [2] = 0xffffffff, [3] = UINT64_MAX,
        [4] = 0xffffffffffff, [6] = UINT64_MAX,
    };
    static const uint8_t shifts[8] = {[3] = 16};
    unsigned shift = shifts[ip_bytes & 7];
    uint64_t value = (uint64_t)((int64_t)(payload << shift) >> shift);

    return last ^ ((last ^ value) & takes[ip_bytes & 7]);
}

/* Not one of damaged packets, or of a fault's FUP: bits [63:56] are alike,
 * whether linear addresses have 48 bits or 57 (SDM 1, "Canonical
 * Addressing"). */
static inline bool pt_is_canonical(uint64_t ip)
{
    return ip >> 56 == 0 || ip >> 56 == 0xff;
}

/* IPBytes of an address that does not need the one before. */
static inline bool pt_is_whole_ip(unsigned ip_bytes)
{
    return ip_bytes == 3 || ip_bytes == 6;
}

#endif
