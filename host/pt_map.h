/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_map.h - what begins at a byte, packet or not, and how long that is, for
 * many bytes at once, by vector instructions; and how long are two, and four,
 * that follow one another from there. So a trace is walked with one load for
 * each four packets. Lengths are those of SDM 3C, "Packet Definitions", as in
 * src/pt/opcodes.inc.
 */
#ifndef HOST_PT_MAP_H
#define HOST_PT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that are looked at: four packets that begin in a span, of at most 16
 * bytes each, may end in the block after it. */
#define BLOCK 64
#define SPAN  256
#define READ  (SPAN + 3 * BLOCK)

/* What begins at a byte: that byte, where it is enough. Else one of those that
 * end in 111B, with which a CYC of several bytes begins. NONE: what the first
 * four bytes do not say, or what is no packet. */
enum {
    CODE_CYC2 = 0x07,
    CODE_CYC3 = 0x0f,
    CODE_CYC4 = 0x17,
    CODE_NONE = 0x1f,
    CODE_EXEC = 0x27,
    CODE_TSX = 0x2f,
    CODE_SECOND = 0x37, /* the first of `second_bytes`; each is 8 more */
};

/* Second bytes after 02H, and lengths. VMCS (C8H), which is rare, is not here,
 * so that bits [3:2] are 0 in all of them. */
static const uint8_t second_bytes[][2] = {
    {0x03, 4},  {0x12, 6}, {0x13, 4},  {0x22, 4},  {0x23, 2},
    {0x32, 10}, {0x33, 2}, {0x43, 8},  {0x53, 11}, {0x62, 2},
    {0x73, 7},  {0x83, 2}, {0x92, 6},  {0xa2, 7},  {0xa3, 8},
    {0xb2, 10}, {0xb3, 2}, {0xc2, 10}, {0xe2, 2},  {0xf3, 2}};
#define SECONDS (sizeof(second_bytes) / sizeof(second_bytes[0]))

static inline uint8_t code_of_second(size_t i)
{
    return (uint8_t)(CODE_SECOND + 8 * i);
}

/* Codes by bits [7:4] and [1:0] of the second byte after 02H, and by the one
 * after 99H; lengths by bits [7:1] of odd codes. Even ones are a byte long. */
struct codes {
    uint8_t second[64], mode[64], length[128];
};

#define UNKNOWN 0x80 /* a length: not to be stepped over */

/* For each byte: the code, and how long are one, or 0, and four packets from
 * there, or UNKNOWN and more: not all are to be stepped over. */
struct map {
    uint8_t code[SPAN + BLOCK], one[SPAN + BLOCK], four[SPAN];
};

/* Fills in what a code is and how long; a caller may make some UNKNOWN. */
void make_codes(struct codes *codes);

/* Makes the map of bytes[0] to [SPAN - 1]; READ bytes can be read. By which
 * instructions, can_map() chooses; false: the processor has none of them. */
extern void (*make_map)(struct map *map, const struct codes *codes,
                        const uint8_t *bytes);
bool can_map(void);

/* The two, and whether the processor has what they take. */
void map_by_avx512(struct map *map, const struct codes *codes,
                   const uint8_t *bytes);
void map_by_avx2(struct map *map, const struct codes *codes,
                 const uint8_t *bytes);
bool has_avx512(void);
bool has_avx2(void);

#endif
