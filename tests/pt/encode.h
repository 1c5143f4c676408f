/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * encode.h - writes packets of Processor Trace, for the tests, the fuzzer and
 * the benchmark: the tables of SDM 3C, "Packet Definitions", typed once more,
 * and with nothing of the decoder but the names of the packets.
 */
#ifndef TESTS_PT_ENCODE_H
#define TESTS_PT_ENCODE_H

#include "src/pt/packet.h"

#include <assert.h>

struct stream {
    uint8_t *bytes;
    size_t size, room;
};

static inline void put(struct stream *out, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        assert(out->size < out->room);
        out->bytes[out->size++] = (uint8_t)(value >> 8 * i);
    }
}

/* Opcode bytes as they are written in the manual, first byte first. */
static inline void put2(struct stream *out, unsigned first, unsigned second)
{
    put(out, first, 1);
    put(out, second, 1);
}

static inline void put_psb(struct stream *out)
{
    for (unsigned i = 0; i < 8; i++)
        put2(out, 0x02, 0x82);
}

/* Results, the youngest in bit 0; 1 to 6, or to 47 in the long one. */
static inline void put_tnt(struct stream *out, uint64_t results, unsigned count)
{
    put(out, (UINT64_C(1) << count | results) << 1, 1);
}

static inline void put_tnt_64(struct stream *out, uint64_t results,
                              unsigned count)
{
    put2(out, 0x02, 0xa3);
    put(out, UINT64_C(1) << count | results, 6);
}

/* TIP 0DH, TIP.PGE 11H, TIP.PGD 01H, FUP 1DH. */
static inline void put_ip(struct stream *out, unsigned opcode,
                          unsigned ip_bytes, uint64_t ip)
{
    static const unsigned bytes[] = {0, 2, 4, 6, 6, 0, 8};

    put(out, ip_bytes << 5 | opcode, 1);
    put(out, ip, bytes[ip_bytes]);
}

static inline void put_tip(struct stream *out, unsigned ip_bytes, uint64_t ip)
{
    put_ip(out, 0x0d, ip_bytes, ip);
}

static inline void put_fup(struct stream *out, unsigned ip_bytes, uint64_t ip)
{
    put_ip(out, 0x1d, ip_bytes, ip);
}

static inline void put_mode_tsx(struct stream *out, unsigned in_tx,
                                unsigned tx_abort)
{
    put2(out, 0x99, 1u << 5 | tx_abort << 1 | in_tx);
}

static inline void put_cyc(struct stream *out, uint64_t value)
{
    const uint64_t more = value >> 5;

    put(out, (value & 0x1f) << 3 | (more != 0 ? 7 : 3), 1);
    for (value = more; value != 0; value >>= 7)
        put(out, (value & 0x7f) << 1 | (value >> 7 != 0 ? 1 : 0), 1);
}

static inline void put_mtc(struct stream *out, unsigned ctc)
{
    put2(out, 0x59, ctc);
}

/* Any packet, from what the decoder should make of it. Where `detail` says that
 * a FUP follows, that is not written. */
static inline void put_packet(struct stream *out,
                              const struct pt_packet *packet)
{
    const uint64_t payload = packet->payload;
    const unsigned detail = packet->detail;

    switch (packet->kind) {
    case PT_PAD:
        put(out, 0x00, 1);
        return;
    case PT_TNT_8:
        put_tnt(out, payload, detail);
        return;
    case PT_TNT_64:
        put_tnt_64(out, payload, detail);
        return;
    case PT_CYC:
        put_cyc(out, payload);
        return;
    case PT_MTC:
        put_mtc(out, (unsigned)payload);
        return;
    case PT_TSC:
        put(out, 0x19 | payload << 8, 8);
        return;
    case PT_TIP:
        put_tip(out, detail, payload);
        return;
    case PT_TIP_PGE:
        put_ip(out, 0x11, detail, payload);
        return;
    case PT_TIP_PGD:
        put_ip(out, 0x01, detail, payload);
        return;
    case PT_FUP:
        put_fup(out, detail, payload);
        return;
    case PT_MODE_EXEC:
    case PT_MODE_TSX:
        put2(out, 0x99, (unsigned)payload);
        return;
    case PT_PIP:
        put2(out, 0x02, 0x43);
        put(out, payload, 6);
        return;
    case PT_VMCS:
        put2(out, 0x02, 0xc8);
        put(out, payload, 5);
        return;
    case PT_CBR:
        put2(out, 0x02, 0x03);
        put(out, payload, 2);
        return;
    case PT_TMA:
        put2(out, 0x02, 0x73);
        put(out, payload, 5);
        return;
    case PT_OVF:
        put2(out, 0x02, 0xf3);
        return;
    case PT_PSB:
        put_psb(out);
        return;
    case PT_PSBEND:
        put2(out, 0x02, 0x23);
        return;
    case PT_TRACESTOP:
        put2(out, 0x02, 0x83);
        return;
    case PT_MNT:
        put2(out, 0x02, 0xc3);
        put(out, 0x88, 1);
        put(out, payload, 8);
        return;
    case PT_PTW: /* the longer one where the payload needs it */
        put2(out, 0x02, detail << 7 | (payload >> 32 != 0 ? 0x32 : 0x12));
        put(out, payload, payload >> 32 != 0 ? 8 : 4);
        return;
    case PT_EXSTOP:
        put2(out, 0x02, detail << 7 | 0x62);
        return;
    case PT_MWAIT:
        put2(out, 0x02, 0xc2);
        put(out, payload, 8);
        return;
    case PT_PWRE:
        put2(out, 0x02, 0x22);
        put(out, payload, 2);
        return;
    case PT_PWRX:
        put2(out, 0x02, 0xa2);
        put(out, payload, 5);
        return;
    case PT_BBP:
        put2(out, 0x02, 0x63);
        put(out, payload, 1);
        return;
    case PT_BIP: /* the reader has to be in a block of BIPs of 8 bytes */
        put(out, detail << 3 | 4, 1);
        put(out, payload, 8);
        return;
    case PT_BEP:
        put2(out, 0x02, detail << 7 | 0x33);
        return;
    case PT_CFE: /* IP is bit 7 of the payload */
        put2(out, 0x02, 0x13);
        put(out, payload, 2);
        return;
    case PT_EVD:
        put2(out, 0x02, 0x53);
        put(out, detail, 1);
        put(out, payload, 8);
        return;
    case PT_TRIG: /* IP is bit 7, ICNTV bit 6 of the payload */
        put(out, 0xd9, 1);
        put(out, payload, (payload & 0x40) != 0 ? 4 : 2);
        return;
    default:
        assert(!"a kind of packet");
    }
}

#endif
