/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_map_avx2.c - the map, 32 bytes at once, by AVX2: tables of more than 16
 * bytes are looked up in rows of 16. */
#include "host/pt_map.h"

#include <immintrin.h>

#define VECTOR __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline)) VECTOR

/* Two packets that follow one another are at most 31 bytes long. */
#define HALF 32

bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

INLINE __m256i load(const uint8_t *bytes)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

INLINE void store(uint8_t *bytes, __m256i value)
{
    _mm256_storeu_si256((__m256i *)(void *)bytes, value);
}

INLINE __m256i each(unsigned byte)
{
    return _mm256_set1_epi8((char)byte);
}

/* Bit `bit` of each byte of which, 4 to 6: other, where it is 1. */
INLINE __m256i choose(__m256i value, __m256i other, __m256i which, int bit)
{
    return _mm256_blendv_epi8(value, other, _mm256_slli_epi16(which, 7 - bit));
}

INLINE __m256i row(const uint8_t *table, __m256i index)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)table);

    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), index);
}

/* Of a table of 64 bytes; index: less than 128, of which bit 6 is ignored. */
INLINE __m256i look_up(const uint8_t *table, __m256i index)
{
    return choose(
        choose(row(table, index), row(table + 16, index), index, 4),
        choose(row(table + 32, index), row(table + 48, index), index, 4), index,
        5);
}

/* struct codes' `mode`, computed: cheaper than four more rows. */
INLINE __m256i modes(__m256i second)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i leaf01 =
        _mm256_cmpeq_epi8(_mm256_and_si256(second, each(0xc0)), zero);
    const __m256i reserved =
        _mm256_cmpeq_epi8(_mm256_and_si256(second, each(3)), each(3));
    const __m256i leaf1 =
        _mm256_srli_epi16(_mm256_and_si256(second, each(0x20)), 2);

    return _mm256_blendv_epi8(each(CODE_NONE),
                              _mm256_add_epi8(each(CODE_EXEC), leaf1),
                              _mm256_andnot_si256(reserved, leaf01));
}

/* "CYC Packet Definition": Exp is bit 2 of the first byte, bit 0 of others.
 * After 02H two bytes of 0 or 1 may be a long TNT without a result. */
INLINE __m256i codes_at(const struct codes *codes, const uint8_t *bytes)
{
    const __m256i first = load(bytes), second = load(bytes + 1);
    const __m256i third = load(bytes + 2), fourth = load(bytes + 3);
    const __m256i later = _mm256_or_si256(third, fourth);
    const __m256i extended = _mm256_cmpeq_epi8(first, each(0x02));
    const __m256i full =
        _mm256_cmpeq_epi8(_mm256_max_epu8(later, each(2)), later);
    const __m256i plain = _mm256_cmpeq_epi8(
        _mm256_and_si256(second, each(0x0c)), _mm256_setzero_si256());
    const __m256i known =
        _mm256_and_si256(_mm256_and_si256(extended, full), plain);
    const __m256i cyc =
        _mm256_cmpeq_epi8(_mm256_and_si256(first, each(7)), each(7));
    const __m256i bits = _mm256_or_si256(
        _mm256_and_si256(_mm256_srli_epi16(second, 2), each(0x3c)),
        _mm256_and_si256(second, each(3)));
    const __m256i more2 = _mm256_and_si256(second, each(1));
    const __m256i more3 = _mm256_and_si256(third, more2);
    const __m256i more4 = _mm256_and_si256(fourth, more3);
    const __m256i more = _mm256_add_epi8(_mm256_add_epi8(more2, more3), more4);
    __m256i code = _mm256_blendv_epi8(first, each(CODE_NONE), extended);

    code = _mm256_blendv_epi8(code, look_up(codes->second, bits), known);
    code = _mm256_blendv_epi8(code, modes(second),
                              _mm256_cmpeq_epi8(first, each(0x99)));
    return _mm256_blendv_epi8(
        code, _mm256_add_epi8(each(CODE_CYC2), _mm256_slli_epi16(more, 3)),
        cyc);
}

INLINE __m256i lengths_of(const struct codes *codes, __m256i code)
{
    const __m256i index =
        _mm256_and_si256(_mm256_srli_epi16(code, 1), each(0x7f));
    const __m256i length = choose(look_up(codes->length, index),
                                  look_up(codes->length + 64, index), index, 6);
    const __m256i even = _mm256_cmpeq_epi8(_mm256_and_si256(code, each(1)),
                                           _mm256_setzero_si256());

    return _mm256_blendv_epi8(length, each(1), even);
}

/* How long is what begins there, and what follows it. */
INLINE __m256i twice(const uint8_t *lengths)
{
    const __m256i counting = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    const __m256i here = load(lengths);
    const __m256i index = _mm256_add_epi8(counting, here);
    const __m256i near =
        choose(_mm256_shuffle_epi8(here, index),
               _mm256_shuffle_epi8(load(lengths + 16), index), index, 4);

    return _mm256_adds_epu8(
        here,
        choose(near, _mm256_shuffle_epi8(load(lengths + 32), index), index, 5));
}

VECTOR void map_by_avx2(struct map *map, const struct codes *codes,
                        const uint8_t *bytes)
{
    uint8_t one[SPAN + 2 * HALF], two[SPAN + HALF];

    for (size_t at = 0; at < sizeof(one); at += HALF) {
        const __m256i code = codes_at(codes, bytes + at);
        const __m256i length = lengths_of(codes, code);
        store(one + at, length);
        store(map->code + at, code);
        store(map->one + at, _mm256_and_si256(length, each(UNKNOWN - 1)));
    }
    for (size_t at = 0; at < sizeof(two); at += HALF)
        store(two + at, twice(one + at));
    for (size_t at = 0; at < SPAN; at += HALF)
        store(map->four + at, twice(two + at));
}
