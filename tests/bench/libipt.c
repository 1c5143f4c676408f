/* SPDX-License-Identifier: BSD-2-Clause */
/* libipt.c - runs the decoders of libipt. */
#include "tests/bench/libipt.h"

#include <intel-pt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void libipt_version(unsigned version[3])
{
    const struct pt_version v = pt_library_version();

    version[0] = v.major;
    version[1] = v.minor;
    version[2] = v.build;
}

#define MODE_TSX (LIBIPT_KINDS - 1) /* one type in libipt, two packets here */

const char *libipt_name(unsigned kind)
{
    static const char *const names[LIBIPT_KINDS] = {
        [ppt_pad] = "pad",         [ppt_psb] = "psb",
        [ppt_psbend] = "psbend",   [ppt_fup] = "fup",
        [ppt_tip] = "tip",         [ppt_tip_pge] = "tip.pge",
        [ppt_tip_pgd] = "tip.pgd", [ppt_tnt_8] = "tnt.8",
        [ppt_tnt_64] = "tnt.64",   [ppt_mode] = "mode.exec",
        [MODE_TSX] = "mode.tsx",   [ppt_pip] = "pip",
        [ppt_vmcs] = "vmcs",       [ppt_cbr] = "cbr",
        [ppt_tsc] = "tsc",         [ppt_tma] = "tma",
        [ppt_mtc] = "mtc",         [ppt_cyc] = "cyc",
        [ppt_ovf] = "ovf",
    };

    return kind < LIBIPT_KINDS ? names[kind] : NULL;
}

static void check(int status, const char *what)
{
    if (status >= 0)
        return;
    printf("libipt, %s: %s\n", what, pt_errstr(pt_errcode(status)));
    exit(1);
}

static struct pt_config config(uint8_t *bytes, size_t size)
{
    struct pt_config config;

    pt_config_init(&config);
    config.begin = bytes;
    config.end = bytes + size;
    return config;
}

/* What it took of the payload, so that no work is left out. */
static uint64_t payload(const struct pt_packet *packet)
{
    switch (packet->type) {
    case ppt_tnt_8:
        return packet->payload.tnt.payload;
    case ppt_tip:
    case ppt_fup:
        return packet->payload.ip.ip;
    case ppt_cyc:
        return packet->payload.cyc.value;
    case ppt_mtc:
        return packet->payload.mtc.ctc;
    default:
        return 0;
    }
}

__attribute__((noinline)) uint64_t packets_libipt(uint8_t *bytes, size_t size,
                                                  uint64_t kinds[LIBIPT_KINDS],
                                                  uint64_t *sum)
{
    struct pt_config setup = config(bytes, size);
    struct pt_packet_decoder *decoder = pt_pkt_alloc_decoder(&setup);
    struct pt_packet packet;
    uint64_t count = 0;
    int status;

    check(decoder == NULL ? -pte_nomem : pt_pkt_sync_forward(decoder), "PSB");
    while ((status = pt_pkt_next(decoder, &packet, sizeof(packet))) >= 0) {
        const bool tsx =
            packet.type == ppt_mode && packet.payload.mode.leaf == pt_mol_tsx;
        kinds[tsx ? MODE_TSX : packet.type]++;
        *sum += payload(&packet);
        count++;
    }
    check(status == -pte_eos ? 0 : status, "packets");
    pt_pkt_free_decoder(decoder);
    return count;
}

__attribute__((noinline)) uint64_t transitions_libipt(uint8_t *bytes,
                                                      size_t size)
{
    struct pt_config setup = config(bytes, size);
    struct pt_query_decoder *decoder = pt_qry_alloc_decoder(&setup);
    struct pt_event event;
    uint64_t ip, count = 0;
    int taken, status;

    status = decoder == NULL ? -pte_nomem : pt_qry_sync_forward(decoder, &ip);
    while (status >= 0 && (status & (pts_eos | pts_event_pending)) != pts_eos) {
        if ((status & pts_event_pending) != 0) {
            status = pt_qry_event(decoder, &event, sizeof(event));
            count += event.type == ptev_tsx;
            continue;
        }
        status = pt_qry_cond_branch(decoder, &taken);
        if (status == -pte_bad_query)
            status = pt_qry_indirect_branch(decoder, &ip);
    }
    check(status == -pte_eos ? 0 : status, "events");
    pt_qry_free_decoder(decoder);
    return count;
}
