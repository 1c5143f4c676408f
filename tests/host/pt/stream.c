/* SPDX-License-Identifier: BSD-2-Clause */
/* stream.c - random streams of every packet: what the encoder wrote is
 * what is decoded, one at a time and many, whole, in blocks of every size, and
 * every prefix. Buffers are heap copies of the exact size. */
#include "src/pt/psb.h"
#include "tests/pt/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PACKETS 600
#define ROOM    (PACKETS * PT_LENGTH_MAX)

/* What was written. */
struct written {
    struct pt_packet packets[PACKETS];
    size_t count;
    struct stream stream;
};

/* A stream of `count` packets that begins with PSB and PSBEND. In a block, what
 * would be a BIP is none: such packets are left out. */
static void write_random(struct written *out, size_t count, uint64_t seed)
{
    static uint8_t bytes[ROOM];
    bool block = false;

    out->stream = (struct stream){bytes, 0, ROOM};
    out->count = 0;
    while (out->count < count) {
        struct pt_packet *packet = &out->packets[out->count];
        const size_t at = out->stream.size;
        const unsigned before = out->count == 0 ? PT_PAD : packet[-1].kind;
        *packet = random_packet(&seed, before);
        if (out->count < 2)
            *packet = (struct pt_packet){.kind = out->count == 0 ? PT_PSB
                                                                 : PT_PSBEND};
        if (block && (packet->kind == PT_TNT_8 || packet->kind == PT_BBP))
            *packet = (struct pt_packet){
                .kind = PT_BIP, .detail = 9, .payload = seed};
        if (packet->kind == PT_BBP)
            packet->payload &= 0x1f; /* BIPs of 8 bytes */
        put_packet(&out->stream, packet);
        packet->length = (uint8_t)(out->stream.size - at);
        if (packet->kind == PT_BBP)
            block = true;
        else if (packet->kind != PT_BIP && packet->kind != PT_CYC &&
                 packet->kind != PT_PAD && packet->kind != PT_FUP &&
                 packet->kind != PT_TSC && packet->kind != PT_MTC &&
                 packet->kind != PT_TMA && packet->kind != PT_CBR &&
                 packet->kind != PT_MNT && packet->kind != PT_EXSTOP &&
                 packet->kind != PT_PWRE && packet->kind != PT_PWRX)
            block = false;
        out->count++;
    }
}

static void assert_same(const struct pt_packet *got,
                        const struct pt_packet *want)
{
    assert_int_equal(got->kind, want->kind);
    assert_int_equal(got->length, want->length);
    assert_int_equal(got->detail, want->detail);
    assert_int_equal(got->payload, want->payload);
}

/* Decodes `size` bytes in blocks of `step`, with room for `room` packets a
 * time; they have to be the first ones written. Returns how many, and in *end
 * what was after them. */
static size_t read_back(const struct written *in, size_t size, size_t step,
                        size_t room, enum pt_result *end)
{
    static struct pt_packet packets[PT_ROOM];
    struct pt_reader reader;
    uint8_t *block = NULL;
    size_t fed = 0, count = 0;

    pt_open(&reader);
    for (;;) {
        const uint64_t at = pt_offset(&reader);
        size_t got = pt_decode(&reader, packets, room, end);
        uint64_t length = 0;
        for (size_t i = 0; i < got; i++, count++) {
            assert_true(count < in->count);
            assert_same(&packets[i], &in->packets[count]);
            length += packets[i].length;
        }
        if (*end == PT_OK)
            assert_int_equal(pt_offset(&reader), at + length);
        if (*end == PT_OK)
            continue;
        if (*end != PT_MORE)
            break;
        const size_t rest = reader.size - reader.at;
        assert_true(rest <= PT_REST);
        const size_t more = size - fed < step ? size - fed : step;
        uint8_t *next = malloc(rest + more);
        assert_non_null(next);
        if (rest != 0)
            memcpy(next, reader.bytes + reader.at, rest);
        memcpy(next + rest, in->stream.bytes + fed, more);
        free(block);
        block = next;
        fed += more;
        pt_feed(&reader, block, rest + more, fed == size);
    }
    assert_int_equal(fed, size);
    free(block);
    return count;
}

static void round_trip(void **state)
{
    static struct written written;
    enum pt_result end;

    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        write_random(&written, PACKETS, seed * 0x9e3779b97f4a7c15);
        for (size_t room = 1; room <= PT_ROOM; room *= 8) {
            assert_int_equal(
                read_back(&written, written.stream.size, ROOM, room, &end),
                PACKETS);
            assert_int_equal(end, PT_END);
        }
        assert_int_equal(
            read_back(&written, written.stream.size, ROOM, PT_ROOM, &end),
            PACKETS);
        assert_int_equal(end, PT_END);
    }
}

static void in_blocks(void **state)
{
    static struct written written;
    enum pt_result end;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        write_random(&written, PACKETS, seed * 0x2545f4914f6cdd1d);
        for (size_t step = 1; step < 400; step += step < 40 ? 1 : 37) {
            assert_int_equal(
                read_back(&written, written.stream.size, step, PT_ROOM, &end),
                PACKETS);
            assert_int_equal(end, PT_END);
        }
    }
}

/* So many whole packets, and then PT_END or PT_CUT. Before the first PSB is
 * whole there is nothing. */
static void prefixes(void **state)
{
    static struct written written;
    enum pt_result end;

    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        size_t whole = 0, at = 0;
        write_random(&written, 200, seed * 0x9e3779b97f4a7c15);
        for (size_t size = 0; size <= written.stream.size; size++) {
            if (size == at + written.packets[whole].length)
                at += written.packets[whole++].length;
            size_t count =
                read_back(&written, size, ROOM, PT_ROOM,
                          &end); /* goes on to the end where bytes are lost */
            assert_int_equal(count, whole);
            assert_int_equal(end, size == at          ? PT_END
                                  : size < PSB_LENGTH ? PT_LOST
                                                      : PT_CUT);
        }
        assert_int_equal(whole, 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(in_blocks),
        cmocka_unit_test(prefixes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
