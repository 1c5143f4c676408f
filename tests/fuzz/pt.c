/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt.c - any bytes as a stream of Processor Trace: nothing is read past a
 * block, every walk ends, and one block, many, one packet at a time and many
 * say the same; what was decoded is written again as it stood. For libFuzzer;
 * `make fuzz`.
 */
#include "src/pt/tsx_events.h"
#include "tests/pt/encode.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a walk has said: a hash of it all, and the bytes accounted for. */
struct said {
    uint64_t hash, bytes;
};

static void say(struct said *said, uint64_t value)
{
    said->hash = (said->hash ^ value) * UINT64_C(0x100000001b3);
}

static void expect(bool ok)
{
    if (!ok)
        abort();
}

/* The next block in a buffer of its exact size: the rest of the one before, and
 * at most `step` bytes. */
static void feed(struct pt_reader *reader, uint8_t **block, const uint8_t *data,
                 size_t size, size_t step)
{
    const size_t rest = reader->size - reader->at;
    const size_t at = (size_t)pt_offset(reader) + rest;
    const size_t more = size - at < step ? size - at : step;
    uint8_t *next = malloc(rest + more + (rest + more == 0));

    expect(rest <= PT_REST && next != NULL);
    if (rest != 0)
        memcpy(next, reader->bytes + reader->at, rest);
    if (more != 0)
        memcpy(next + rest, data + at, more);
    free(*block);
    *block = next;
    pt_feed(reader, next, rest + more, at + more == size);
}

/* Encoded again, it is what stood there, but for reserved bits and longer forms
 * than needed. */
static void check_packet(const struct pt_packet *packet, const uint8_t *bytes)
{
    uint8_t again[PT_LENGTH_MAX];
    struct stream out = {again, 0, sizeof(again)};

    expect(packet->kind < PT_KINDS && packet->length >= 1 &&
           packet->length <= PT_LENGTH_MAX);
    if (packet->kind == PT_BIP || packet->kind == PT_CYC ||
        packet->kind == PT_PTW || packet->kind == PT_EVD)
        return;
    put_packet(&out, packet);
    expect(out.size == packet->length && memcmp(again, bytes, out.size) == 0);
}

static struct said packets(const uint8_t *data, size_t size, size_t step,
                           size_t room)
{
    static struct pt_packet packets[PT_ROOM];
    struct said said = {0, 0};
    struct pt_reader reader;
    uint8_t *block = NULL;
    enum pt_result result;

    pt_open(&reader);
    do {
        uint64_t at = pt_offset(&reader);
        size_t count = pt_decode(&reader, packets, room, &result);
        expect(count <= room && pt_offset(&reader) <= size);
        for (size_t i = 0; i < count; at += packets[i++].length) {
            expect(at + packets[i].length <= size);
            check_packet(&packets[i], data + at);
            say(&said, at << 8 | packets[i].kind);
            say(&said, packets[i].payload);
        }
        said.bytes = at;
        if (result == PT_MORE)
            feed(&reader, &block, data, size, step);
        else if (result != PT_OK)
            say(&said, reader.where << 8 | result);
    } while (result != PT_END);
    expect(pt_offset(&reader) == size);
    free(block);
    return said;
}

static struct said transitions(const uint8_t *data, size_t size, size_t step)
{
    struct said said = {0, 0};
    struct pt_tsx tsx;
    struct pt_tsx_event event;
    uint8_t *block = NULL;
    enum pt_result result;

    pt_tsx_open(&tsx);
    do {
        result = pt_tsx_next(&tsx, &event);
        if (result == PT_MORE) {
            feed(&tsx.reader, &block, data, size, step);
        } else if (result == PT_OK) {
            expect(event.offset <= event.at && event.at <= size);
            say(&said,
                event.offset << 8 | event.transition << 4 | event.deviation);
            say(&said, event.has_ip ? event.ip : 1);
            say(&said, event.has_target ? event.target : 2);
            say(&said, event.has_region ? event.region : 3);
        } else {
            say(&said, tsx.reader.where << 8 | result);
        }
    } while (result != PT_END);
    free(block);
    return said;
}

/* The first byte chooses the block. Half of the inputs are decoded after a
 * PSB, so that it need not be found by chance. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t step = size == 0 ? 1 : 1 + data[0] % 61;
    uint8_t *all = malloc(size + 18);

    expect(all != NULL);
    for (unsigned i = 0; i < 8; i++)
        memcpy(all + 2 * i, "\x02\x82", 2);
    memcpy(all + 16, "\x02\x23", 2);
    if (size != 0)
        memcpy(all + 18, data, size);
    for (unsigned synced = 0; synced < 2; synced++) {
        const uint8_t *bytes = synced ? all : data;
        const size_t length = synced ? size + 18 : size;
        const struct said whole = packets(bytes, length, length, PT_ROOM);
        const struct said ones = packets(bytes, length, length, 1);
        const struct said blocks = packets(bytes, length, step, PT_ROOM);
        expect(whole.hash == ones.hash && whole.hash == blocks.hash);
        expect(transitions(bytes, length, length).hash ==
               transitions(bytes, length, step).hash);
    }
    free(all);
    return 0;
}
