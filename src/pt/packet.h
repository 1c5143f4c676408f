/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet.h - packets of Intel Processor Trace, decoded one by one or many at a
 * time. Pure: no hardware, nothing allocated; the stream may come in blocks.
 *
 * Formats: SDM 3C, Intel Processor Trace, "Packet Definitions", one table a
 * packet. Reserved bits are ignored ("Packet bits listed as RSVD are not
 * guaranteed to be 0"); reserved encodings are refused. What the packets mean
 * together is not decoded here: see tsx_events.h.
 */
#ifndef SRC_PT_PACKET_H
#define SRC_PT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* clang-format off */

/* Every packet: the short name is that of libipt's tools, where it has one. The
 * first six are those that a search for transitions steps over (tsx_events.c). */
#define PT_PACKETS(PACKET)            \
    PACKET(PAD,       "pad")          \
    PACKET(TNT_8,     "tnt.8")        \
    PACKET(CYC,       "cyc")          \
    PACKET(MTC,       "mtc")          \
    PACKET(TSC,       "tsc")          \
    PACKET(TIP,       "tip")          \
    PACKET(TIP_PGE,   "tip.pge")      \
    PACKET(TIP_PGD,   "tip.pgd")      \
    PACKET(FUP,       "fup")          \
    PACKET(TNT_64,    "tnt.64")       \
    PACKET(MODE_EXEC, "mode.exec")    \
    PACKET(MODE_TSX,  "mode.tsx")     \
    PACKET(PIP,       "pip")          \
    PACKET(VMCS,      "vmcs")         \
    PACKET(CBR,       "cbr")          \
    PACKET(TMA,       "tma")          \
    PACKET(OVF,       "ovf")          \
    PACKET(PSB,       "psb")          \
    PACKET(PSBEND,    "psbend")       \
    PACKET(TRACESTOP, "stop")         \
    PACKET(MNT,       "mnt")          \
    PACKET(PTW,       "ptw")          \
    PACKET(EXSTOP,    "exstop")       \
    PACKET(MWAIT,     "mwait")        \
    PACKET(PWRE,      "pwre")         \
    PACKET(PWRX,      "pwrx")         \
    PACKET(BBP,       "bbp")          \
    PACKET(BIP,       "bip")          \
    PACKET(BEP,       "bep")          \
    PACKET(CFE,       "cfe")          \
    PACKET(EVD,       "evd")          \
    PACKET(TRIG,      "trig")

/* clang-format on */

#define PT_NUMBER(NAME, name) PT_##NAME,
enum pt_kind { PT_PACKETS(PT_NUMBER) PT_KINDS };
#undef PT_NUMBER

struct pt_packet {
    /* TNT: the results, the youngest in bit 0. CYC: the value. Else the bytes
     * after the opcode, lowest first, without the one that `detail` has. */
    uint64_t payload;
    uint8_t kind;   /* enum pt_kind */
    uint8_t length; /* bytes, 1 to PT_LENGTH_MAX */
    /* TNT: the number of results. TIP, TIP.PGE, TIP.PGD, FUP: IPBytes. PTW,
     * EXSTOP, BEP, CFE, TRIG: 1 where a FUP follows that belongs to it. BIP:
     * the ID. EVD: the type. Else 0. */
    uint8_t detail;
    uint8_t value; /* of use to the decoder only */
};

#define PT_LENGTH_MAX 16

/* Fields of payloads. */
#define PT_MODE_TSX_INTX    0x1u /* "MODE.TSX Packet Definition" */
#define PT_MODE_TSX_TXABORT 0x2u
#define PT_MODE_EXEC_CS_L   0x1u /* "MODE.Exec Packet Definition" */
#define PT_MODE_EXEC_CS_D   0x2u
#define PT_MODE_EXEC_IF     0x4u

enum pt_result {
    PT_OK,
    PT_MORE, /* the block ends; pt_feed() the next */
    PT_END,  /* of the data, after a whole packet */
    PT_CUT,  /* the data end inside the packet at `where` */
    PT_LOST, /* no packets from `where` to pt_offset(), where a PSB or the end
                is: the stream has no PSB before, or an error stands there */
    /* At `where`; its length is not known, so that PT_LOST comes next. */
    PT_UNDEFINED_OPCODE,
    PT_BROKEN_PSB, /* stepped over where nearly all of it is there: pt_reader is
                      synced then, and PT_LOST does not come */
    PT_RESERVED_IPBYTES,
    PT_RESERVED_PTW_SIZE,
    PT_CYC_TOO_LONG,
    /* At `where`; refused and stepped over. */
    PT_TNT_EMPTY,
    PT_RESERVED_MODE_LEAF,
    PT_RESERVED_MODE_EXEC,
    PT_RESERVED_MODE_TSX,
    PT_RESULTS
};

/* One line of text, without the place; the packet's short name. Never NULL. */
const char *pt_result_text(enum pt_result result);
const char *pt_kind_name(unsigned kind);

/* Reads a stream. Members are read only; the offset is that of the stream. */
struct pt_reader {
    const uint8_t *bytes; /* the block */
    size_t size, at;      /* bytes of it; those used up */
    uint64_t offset;      /* of bytes[0] */
    uint64_t where;       /* of the last result that was not PT_OK */
    uint64_t lost;        /* where synchronisation was lost, unless synced */
    bool last;            /* no block follows this one */
    bool synced;
    uint8_t errata; /* PT_SKD007, PT_SKD022, PT_BDM064; set after pt_open() */
    uint8_t block;  /* between BBP and BEP: the bytes of a BIP's payload */
};

/* Errata that change what packets mean. Intel, specification updates of 5th to
 * 10th generation processors; the name is that of the first. */
#define PT_SKD007                                               \
    0x1u /* SKL049 KBL041 CFL041 CML041: an OVF in place of all \
            bytes of a CYC but the first, which is then part of \
            the OVF here */
#define PT_SKD022                                                             \
    0x2u               /* SKL024 KBL023: a FUP before the TIP.PGD of VM entry \
                        */
#define PT_BDM064 0x4u /* BDD060: the branch before an abort may be wrong */

/* Those of a processor, by DisplayFamily and DisplayModel. */
unsigned pt_errata(unsigned family, unsigned model);

/* Begins a stream without a block: PT_MORE is next. */
void pt_open(struct pt_reader *reader);

/* The next block, of which bytes[0] is the first byte not used up before:
 * the caller holds the `size - at` bytes, at most PT_REST, that PT_MORE left
 * and appends the new ones. last: the data end with this block; size may
 * then be what was left. */
#define PT_REST 17
void pt_feed(struct pt_reader *reader, const uint8_t *bytes, size_t size,
             bool last);

/* Where the reader stands: the offset of the next packet. */
static inline uint64_t pt_offset(const struct pt_reader *reader)
{
    return reader->offset + reader->at;
}

/* Decodes the next packets, at most `room`, which is 1 or more, and returns
 * their number; they follow one another from where the reader stood.
 * It may stop early: a room of PT_ROOM is the fastest. *result is PT_OK, or
 * what follows them: PT_MORE and PT_END stay, and PT_END follows PT_CUT; after
 * any other result decoding goes on, and the reader is at a PSB or the end if
 * it had to search.
 * No byte outside the block is read. */
#define PT_ROOM 512
size_t pt_decode(struct pt_reader *reader, struct pt_packet *packets,
                 size_t room, enum pt_result *result);

/* The same for one. *packet is defined for PT_OK only. */
static inline enum pt_result pt_next(struct pt_reader *reader,
                                     struct pt_packet *packet)
{
    enum pt_result result;

    (void)pt_decode(reader, packet, 1, &result);
    return result;
}

/* What a first byte says, for packets that it describes alone: the payload is
 * the length - 1 bytes after it, or value. kind is PT_KINDS, and length 0,
 * where more bytes are needed. */
extern const struct pt_opcode {
    uint8_t kind, length, detail, value;
} pt_opcodes[256];

#endif
