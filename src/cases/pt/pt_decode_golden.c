/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder of Processor Trace and the checker of its transactions, tried on
 * the golden streams where they will be used: in the image, at ring 0. It asks
 * nothing of the processor, so that a difference is ERROR, and it runs on any.
 */
#include "src/harness/case.h"
#include "src/pt/golden.h"
#include "src/pt/tsx_events.h"

#define STREAM_BYTES 256

struct stream {
    const char *name;
    uint8_t bytes[STREAM_BYTES];
    size_t size;
};

/* ERROR and a line, where not equal. */
static void expect(struct test_context *t, const struct stream *stream,
                   uint64_t offset, const char *what, uint64_t got,
                   uint64_t want)
{
    if (got == want)
        check(t, true, "%s", what);
    else
        broken(t,
               "golden trace \"%s\", offset 0x%lx: %s: got 0x%lx, wanted 0x%lx",
               stream->name, offset, what, got, want);
}

static void check_packets(struct test_context *t, const struct stream *stream,
                          size_t first, size_t end)
{
    struct pt_reader reader;
    struct pt_packet packet;

    pt_open(&reader);
    pt_feed(&reader, stream->bytes, stream->size, true);
    for (size_t row = first; row < end; row++) {
        const struct pt_golden_packet *want = &pt_golden_packets[row];
        const uint64_t at = pt_offset(&reader);
        enum pt_result result = pt_next(&reader, &packet);
        expect(t, stream, at, pt_result_text(result), result, PT_OK);
        if (result != PT_OK)
            return;
        expect(t, stream, at, want->name,
               text_equal(pt_kind_name(packet.kind), want->name), true);
        expect(t, stream, at, "length", packet.length, want->length);
        expect(t, stream, at, "detail", packet.detail, want->detail);
        expect(t, stream, at, "payload", packet.payload, want->payload);
    }
    expect(t, stream, stream->size, "end", pt_next(&reader, &packet), PT_END);
}

static void check_address(struct test_context *t, const struct stream *stream,
                          uint64_t offset, const char *what, bool has,
                          uint64_t got, bool want_has, uint64_t want)
{
    expect(t, stream, offset, what, has, want_has);
    if (has && want_has)
        expect(t, stream, offset, what, got, want);
}

/* Returns how many. */
static unsigned check_transitions(struct test_context *t,
                                  const struct stream *stream)
{
    struct pt_tsx tsx;
    struct pt_tsx_event got;
    unsigned count = 0;

    pt_tsx_open(&tsx);
    pt_feed(&tsx.reader, stream->bytes, stream->size, true);
    for (size_t i = 0; i < pt_golden_events_rows; i++) {
        const struct pt_golden_event *want = &pt_golden_events[i];
        const uint64_t at = want->offset;
        if (!text_equal(want->stream, stream->name))
            continue;
        enum pt_result result = pt_tsx_next(&tsx, &got);
        expect(t, stream, at, pt_result_text(result), result, PT_OK);
        if (result != PT_OK)
            return count;
        expect(t, stream, at, want->transition,
               text_equal(pt_transition_name(got.transition), want->transition),
               true);
        expect(t, stream, at, pt_deviation_text(got.deviation), got.deviation,
               PT_NO_DEVIATION);
        expect(t, stream, at, "offset", got.offset, want->offset);
        check_address(t, stream, at, "IP", got.has_ip, got.ip, want->has_ip,
                      want->ip);
        check_address(t, stream, at, "target", got.has_target, got.target,
                      want->has_target, want->target);
        check_address(t, stream, at, "region", got.has_region, got.region,
                      want->has_region, want->region);
        count++;
    }
    expect(t, stream, stream->size, "end", pt_tsx_next(&tsx, &got), PT_END);
    return count;
}

TEST(pt_decode_golden,
     .asks = "Does the decoder of Processor Trace read the golden streams?",
     .cite = "SDM 3C, Intel Processor Trace, \"TSX Packet Scenarios\" and "
             "\"Packet Definitions\"",
     .scope = WHOLE_MACHINE)
{
    size_t end;

    for (size_t first = 0; first < pt_golden_packets_rows; first = end) {
        struct stream stream = {.name = pt_golden_packets[first].stream};

        stream.size =
            pt_golden_bytes(first, stream.bytes, sizeof(stream.bytes), &end);
        expect(t, &stream, 0, "room", stream.size <= sizeof(stream.bytes),
               true);
        if (stream.size > sizeof(stream.bytes))
            return;
        check_packets(t, &stream, first, end);
        unsigned count = check_transitions(t, &stream);
        note(t, "golden trace \"%s\": %u packets, %u transitions", stream.name,
             (unsigned)(end - first), count);
    }
}
