/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_map_avx512.c - the map, 64 bytes at once, by AVX-512 VBMI. */
#include "host/pt_map.h"

#include <immintrin.h>

#define VECTOR __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#define INLINE static inline __attribute__((always_inline)) VECTOR

bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
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

VECTOR void map_by_avx512(struct map *map, const struct codes *codes,
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
