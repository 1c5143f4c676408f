/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_map.h - what begins at a byte, packet or not, and how long that is, for 64
 * bytes at once, by AVX-512 VBMI; and how long are two, and four, that follow
 * one another from there. So a trace is walked with one load for each four
 * packets. Lengths are those of SDM 3C, "Packet Definitions", as in
 * src/pt/opcodes.inc.
 */
#ifndef HOST_PT_MAP_H
#define HOST_PT_MAP_H

#include "src/pt/packet.h"

#include <immintrin.h>
#include <string.h>

#define VECTOR \
    __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi,bmi2,popcnt")))
#define INLINE static inline __attribute__((always_inline)) VECTOR

/* Bytes that are looked at: four packets that begin in a span, of at most 16
 * bytes each, may end in the block after it. */
#define BLOCK 64
#define SPAN  256
#define READ  (SPAN + 3 * BLOCK)

static inline bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

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
    CODE_SECOND = 0x37, /* the first of `seconds`; each is 8 more */
};

/* Second bytes after 02H, and lengths. VMCS (C8H), which is rare, is not here,
 * so that bits [3:2] are 0 in all of them. */
static const uint8_t seconds[][2] = {
    {0x03, 4},  {0x12, 6}, {0x13, 4},  {0x22, 4},  {0x23, 2},
    {0x32, 10}, {0x33, 2}, {0x43, 8},  {0x53, 11}, {0x62, 2},
    {0x73, 7},  {0x83, 2}, {0x92, 6},  {0xa2, 7},  {0xa3, 8},
    {0xb2, 10}, {0xb3, 2}, {0xc2, 10}, {0xe2, 2},  {0xf3, 2}};
#define SECONDS (sizeof(seconds) / sizeof(seconds[0]))

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

/* "MODE Packet": the leaf in bits [7:5]; both of bits [1:0] are reserved. */
static inline void make_codes(struct codes *codes)
{
    memset(codes->second, CODE_NONE, sizeof(codes->second));
    for (unsigned b = 0; b < 64; b++)
        codes->mode[b] = (b & 3) == 3 ? CODE_NONE
                         : b < 0x20   ? CODE_EXEC
                                      : CODE_TSX;
    for (unsigned b = 1; b < 256; b += 2)
        codes->length[b / 2] =
            pt_opcodes[b].length != 0 ? pt_opcodes[b].length : UNKNOWN;
    codes->length[CODE_EXEC / 2] = codes->length[CODE_TSX / 2] = 2;
    codes->length[CODE_CYC2 / 2] = 2;
    codes->length[CODE_CYC3 / 2] = 3;
    codes->length[CODE_CYC4 / 2] = 4;
    for (size_t i = 0; i < SECONDS; i++) {
        codes->second[seconds[i][0] >> 4 << 2 | (seconds[i][0] & 3)] =
            code_of_second(i);
        codes->length[code_of_second(i) / 2] = seconds[i][1];
    }
}

INLINE __m512i each(unsigned byte)
{
    return _mm512_set1_epi8((char)byte);
}

/* "CYC Packet Definition": Exp is bit 2 of the first byte, bit 0 of others.
 * After 02H two bytes of 0 or 1 may be a long TNT without a result. */
INLINE __m512i codes_at(const struct codes *codes, const uint8_t *bytes)
{
    const __m512i first = _mm512_loadu_si512(bytes);
    const __m512i second = _mm512_loadu_si512(bytes + 1);
    const __m512i third = _mm512_loadu_si512(bytes + 2);
    const __m512i fourth = _mm512_loadu_si512(bytes + 3);
    const __mmask64 extended = _mm512_cmpeq_epi8_mask(first, each(0x02));
    const __mmask64 full = _mm512_mask_cmpgt_epu8_mask(
        extended, _mm512_or_si512(third, fourth), each(1));
    const __mmask64 known =
        _mm512_mask_testn_epi8_mask(full, second, each(0x0c));
    const __mmask64 cyc =
        _mm512_cmpeq_epi8_mask(_mm512_and_si512(first, each(7)), each(7));
    const __mmask64 mode = _mm512_cmpeq_epi8_mask(first, each(0x99));
    const __m512i bits = _mm512_or_si512(
        _mm512_and_si512(_mm512_srli_epi16(second, 2), each(0x3c)),
        _mm512_and_si512(second, each(3)));
    const __m512i more2 = _mm512_and_si512(second, each(1));
    const __m512i more3 = _mm512_and_si512(third, more2);
    const __m512i more4 = _mm512_and_si512(fourth, more3);
    const __m512i more = _mm512_add_epi8(_mm512_add_epi8(more2, more3), more4);
    __m512i code = _mm512_mask_mov_epi8(first, extended, each(CODE_NONE));

    code = _mm512_mask_permutexvar_epi8(code, known, bits,
                                        _mm512_loadu_si512(codes->second));
    code = _mm512_mask_permutexvar_epi8(code, mode,
                                        _mm512_min_epu8(second, each(0x3f)),
                                        _mm512_loadu_si512(codes->mode));
    return _mm512_mask_add_epi8(code, cyc, _mm512_slli_epi16(more, 3),
                                each(CODE_CYC2));
}

INLINE __m512i lengths_of(const struct codes *codes, __m512i code)
{
    const __m512i length = _mm512_permutex2var_epi8(
        _mm512_loadu_si512(codes->length), _mm512_srli_epi16(code, 1),
        _mm512_loadu_si512(codes->length + 64));

    return _mm512_mask_mov_epi8(each(1), _mm512_test_epi8_mask(code, each(1)),
                                length);
}

/* For each byte: the code, and how long are one, or 0, and four packets from
 * there, or UNKNOWN and more: not all are to be stepped over. */
struct map {
    uint8_t code[SPAN + BLOCK], one[SPAN + BLOCK], four[SPAN];
};

/* How long is what begins there, and what follows it: next has the same of the
 * 64 bytes after. */
INLINE __m512i twice(__m512i here, __m512i next)
{
    static const uint8_t counting[BLOCK] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
        32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
        48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i index = _mm512_add_epi8(_mm512_loadu_si512(counting), here);

    return _mm512_adds_epu8(here, _mm512_permutex2var_epi8(here, index, next));
}

INLINE void make_map(struct map *map, const struct codes *codes,
                     const uint8_t *bytes)
{
    __m512i code = codes_at(codes, bytes);
    __m512i one = lengths_of(codes, code), two = one;

    for (size_t at = 0; at < SPAN + BLOCK; at += BLOCK) {
        _mm512_storeu_si512(map->code + at, code);
        _mm512_storeu_si512(map->one + at,
                            _mm512_and_si512(one, each(UNKNOWN - 1)));
        code = codes_at(codes, bytes + at + BLOCK);
        const __m512i next = lengths_of(codes, code);
        const __m512i pair = twice(one, next);
        if (at != 0)
            _mm512_storeu_si512(map->four + at - BLOCK, twice(two, pair));
        one = next;
        two = pair;
    }
}

#endif
