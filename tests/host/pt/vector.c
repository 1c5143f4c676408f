/* SPDX-License-Identifier: BSD-2-Clause */
/* vector.c - the host tool's way with many packets at a time, by vector
 * instructions, against that of src/: random packets, and random bytes. */
#define pt_decode_span vector_pt_decode_span
#define pt_skip        vector_pt_skip
#include "host/pt_vector.c"
#include "host/pt_count.c"
#include "tests/pt/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SIZE   4096
#define ROUNDS 3000

/* The instructions by which the map is made. */
struct vectors {
    bool (*there)(void);
    void (*make)(struct map *, const struct codes *, const uint8_t *);
};

static void use(const struct vectors *vectors)
{
    if (!vectors->there() || !has_vectors())
        skip();
    make_map = vectors->make;
}

/* Packets of the kinds that random_packet() makes, and damage in every other
 * stream; then random bytes of which most are packets. */
static void write_stream(struct stream *stream, uint64_t seed)
{
    unsigned before = PT_PAD;

    stream->size = 0;
    while (stream->size + 32 < SIZE) {
        struct pt_packet packet = random_packet(&seed, before);
        if (random_bits(&seed, 2) == 0) {
            put(stream, random_bits(&seed, 48), 1 + (unsigned)(seed % 6));
            continue;
        }
        if (random_bits(&seed, 6) == 0) /* a long TNT without a result */
            put(stream, 0xa302 | random_bits(&seed, 1) << 16, 8);
        put_packet(stream, &packet);
        before = packet.kind;
    }
    while (stream->size < SIZE)
        put(stream, random_bits(&seed, 8), 1);
    for (unsigned i = 0; seed % 2 != 0 && i < 16; i++)
        stream->bytes[random_bits(&seed, 12)] = (uint8_t)random_bits(&seed, 8);
}

static void spans(void **state)
{
    static struct pt_packet ours[PT_SPAN + 4], theirs[PT_SPAN + 4];
    static uint8_t bytes[SIZE];
    struct stream stream = {bytes, 0, SIZE};
    size_t packets = 0;

    use(*state);
    for (uint64_t seed = 1; seed < ROUNDS; seed++) {
        write_stream(&stream, seed * 0x9e3779b97f4a7c15);
        for (size_t at = 0; at + READ <= SIZE; at += 97) {
            struct pt_reader a = {
                .bytes = bytes, .size = SIZE, .at = at, .synced = true};
            struct pt_reader b = a;
            size_t count = scalar_span(&a, ours);
            size_t other = vector_span(&b, theirs);
            assert_in_range(other, 0, PT_SPAN);
            assert_true(b.at == a.at || b.at + 3 >= at + PT_SPAN);
            while (b.at < a.at)
                assert_int_equal(pt_next(&b, &theirs[other++]), PT_OK);
            while (a.at < b.at)
                assert_int_equal(pt_next(&a, &ours[count++]), PT_OK);
            assert_int_equal(b.at, a.at);
            assert_int_equal(other, count);
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(theirs[i].kind, ours[i].kind);
                assert_int_equal(theirs[i].length, ours[i].length);
                assert_int_equal(theirs[i].detail, ours[i].detail);
                assert_true(theirs[i].payload == ours[i].payload);
            }
            packets += count;
        }
    }
    assert_true(packets > 1000000);
}

static void counts(void **state)
{
    static uint8_t bytes[SIZE];
    struct stream stream = {bytes, 0, SIZE};

    use(*state);
    for (uint64_t seed = 1; seed < ROUNDS; seed++) {
        write_stream(&stream, seed * 0x9e3779b97f4a7c15);
        for (size_t at = 0; at + READ <= SIZE; at += 97) {
            struct pt_reader a = {
                .bytes = bytes, .size = SIZE, .at = at, .synced = true};
            struct pt_reader b = a;
            struct pt_packet packet;
            uint64_t ours[PT_KINDS] = {0}, theirs[PT_KINDS] = {0};
            struct pt_counts all_counts = {.psbs = 0};
            pt_count(&a, &all_counts);
            pt_count_kinds(&all_counts, ours);
            while (b.at < a.at) {
                assert_int_equal(pt_next(&b, &packet), PT_OK);
                theirs[packet.kind]++;
            }
            assert_int_equal(a.at, b.at);
            assert_memory_equal(ours, theirs, sizeof(ours));
        }
    }
}

/* The same transitions, packets lost and last IP, however far each steps. */
static void skips(void **state)
{
    static uint8_t bytes[SIZE];
    struct stream stream = {bytes, 0, SIZE};

    use(*state);
    for (uint64_t seed = 1; seed < ROUNDS; seed++) {
        write_stream(&stream, seed * 0x9e3779b97f4a7c15);
        for (size_t at = 0; at + READ <= SIZE; at += 97) {
            struct pt_tsx a = {.reader = {.bytes = bytes,
                                          .size = SIZE,
                                          .at = at,
                                          .synced = true},
                               .last_ip = seed};
            struct pt_tsx b = a;
            struct pt_packet packet;
            vector_skip(&a);
            while (b.reader.at < a.reader.at) {
                assert_int_equal(pt_next(&b.reader, &packet), PT_OK);
                assert_true(packet.kind <= PT_TIP || packet.kind == PT_TNT_64);
                if (packet.kind == PT_TIP)
                    b.last_ip = pt_ip(b.last_ip, packet.detail, packet.payload);
            }
            assert_int_equal(a.reader.at, b.reader.at);
            assert_true(a.last_ip == b.last_ip);
        }
    }
}

int main(void)
{
    static struct vectors avx2 = {has_avx2, map_by_avx2};
    static struct vectors avx512 = {has_avx512, map_by_avx512};
    const struct CMUnitTest tests[] = {
        {"spans_avx2", spans, NULL, NULL, &avx2},
        {"skips_avx2", skips, NULL, NULL, &avx2},
        {"counts_avx2", counts, NULL, NULL, &avx2},
        {"spans_avx512", spans, NULL, NULL, &avx512},
        {"skips_avx512", skips, NULL, NULL, &avx512},
        {"counts_avx512", counts, NULL, NULL, &avx512},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
