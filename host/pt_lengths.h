/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_lengths.h - how long packets are, for 64 bytes at once, packet or not, by
 * AVX-512 VBMI. Lengths are those of SDM 3C, "Packet Definitions", as in
 * src/pt/opcodes.inc.
 */
#ifndef HOST_PT_LENGTHS_H
#define HOST_PT_LENGTHS_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VECTOR \
    __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi,bmi2,popcnt")))
#define INLINE static inline __attribute__((always_inline)) VECTOR

/* Bytes that are looked at: lengths are found for a block more than a span. */
#define BLOCK 64
#define SPAN  256
#define READ  (SPAN + 2 * BLOCK)

static inline bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

/* By the byte: lengths of packets by their first byte, or by the second where
 * that is 02H. 0: not a packet, or of another length. */
struct lengths {
    uint8_t first[256], second[256];
};

static const uint8_t second_lengths[] = {
    0x03, 4, 0x12, 6, 0x22, 4, 0x23, 2, 0x33, 2, 0x43, 8, 0x62, 2, 0x73, 7,
    0x83, 2, 0x92, 6, 0xa2, 7, 0xb3, 2, 0xc8, 7, 0xe2, 2, 0xf3, 2};

/* What the bits of a packet are, by the first byte, by the second after 02H or
 * 99H, and of a CYC of more than a byte by its length. */
enum { BY_FIRST, BY_SECOND, BY_MODE, BY_CYC, CLASSES };

INLINE __m512i look_up(const uint8_t table[256], __m512i bytes)
{
    const __m512i low = _mm512_permutex2var_epi8(
        _mm512_loadu_si512(table), bytes, _mm512_loadu_si512(table + 64));
    const __m512i high =
        _mm512_permutex2var_epi8(_mm512_loadu_si512(table + 128), bytes,
                                 _mm512_loadu_si512(table + 192));

    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(bytes), high);
}

/* Byte 0 of one and byte 0 of another, byte 1 of each.. */
#define PAIR(n)  (n), (n) + 64
#define PAIR4(n) PAIR(n), PAIR((n) + 1), PAIR((n) + 2), PAIR((n) + 3)
static const uint8_t interleaved[BLOCK] = {PAIR4(0),  PAIR4(4),  PAIR4(8),
                                           PAIR4(12), PAIR4(16), PAIR4(20),
                                           PAIR4(24), PAIR4(28)};

/* "CYC Packet Definition": Exp is bit 2 of the first byte, bit 0 of others. Up
 * to four bytes. "MODE Packet": the leaf, and what is reserved. */
INLINE __m512i lengths_at(const struct lengths *table, const uint8_t *bytes,
                          bool modes, uint16_t *row)
{
    const __m512i first = _mm512_loadu_si512(bytes);
    const __m512i second = _mm512_loadu_si512(bytes + 1);
    const __m512i third = _mm512_loadu_si512(bytes + 2);
    const __m512i fourth = _mm512_loadu_si512(bytes + 3);
    const __m512i one = _mm512_set1_epi8(1), three = _mm512_set1_epi8(3);
    const __mmask64 extended =
        _mm512_cmpeq_epi8_mask(first, _mm512_set1_epi8(0x02));
    const __mmask64 cyc = _mm512_cmpeq_epi8_mask(
        _mm512_and_si512(first, _mm512_set1_epi8(7)), _mm512_set1_epi8(7));
    const __mmask64 cyc3 = _mm512_mask_test_epi8_mask(cyc, second, one);
    const __mmask64 cyc4 = _mm512_mask_test_epi8_mask(cyc3, third, one);
    const __mmask64 more = _mm512_mask_test_epi8_mask(cyc4, fourth, one);
    __m512i length = look_up(table->first, first);

    if (extended != 0)
        length = _mm512_mask_mov_epi8(length, extended,
                                      look_up(table->second, second));
    length = _mm512_mask_mov_epi8(length, cyc, _mm512_set1_epi8(2));
    length = _mm512_mask_mov_epi8(length, cyc3, three);
    length = _mm512_mask_mov_epi8(length, cyc4, _mm512_set1_epi8(4));
    length = _mm512_mask_mov_epi8(length, more, _mm512_setzero_si512());
    const __mmask64 mode =
        _mm512_cmpeq_epi8_mask(first, _mm512_set1_epi8((char)0x99));
    if (modes) {
        const __mmask64 leaf =
            _mm512_mask_cmplt_epu8_mask(mode, second, _mm512_set1_epi8(0x40));
        const __mmask64 good = _mm512_mask_cmpneq_epi8_mask(
            leaf, _mm512_and_si512(second, three), three);
        length = _mm512_mask_mov_epi8(length, good, _mm512_set1_epi8(2));
    }
    if (row != NULL) {
        __m512i keys = _mm512_mask_mov_epi8(first, extended | mode, second);
        keys = _mm512_mask_mov_epi8(keys, cyc, length);
        __m512i classes =
            _mm512_maskz_mov_epi8(extended, _mm512_set1_epi8(BY_SECOND));
        classes =
            _mm512_mask_mov_epi8(classes, mode, _mm512_set1_epi8(BY_MODE));
        classes = _mm512_mask_mov_epi8(classes, cyc, _mm512_set1_epi8(BY_CYC));
        const __m512i order = _mm512_loadu_si512(interleaved);
        _mm512_storeu_si512(row,
                            _mm512_permutex2var_epi8(keys, order, classes));
        _mm512_storeu_si512(
            row + BLOCK / 2,
            _mm512_permutex2var_epi8(
                keys, _mm512_add_epi8(order, _mm512_set1_epi8(BLOCK / 2)),
                classes));
    }
    return length;
}

#endif
