/* SPDX-License-Identifier: BSD-2-Clause */
/* salvage.c - random traces with an undefined opcode in them: what is said of
 * the bytes behind it is what the whole trace says, nearly all and nothing
 * else; and nothing of bytes that are no trace. */
#include "host/pt_salvage.c"
#include "tests/pt/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define SIZE   4096
#define EVENTS 512

struct events {
    struct pt_tsx_event list[EVENTS];
    size_t count;
};

static void put_psb_plus(struct stream *out)
{
    put_psb(out);
    put_fup(out, 3, 0x401000);
    put2(out, 0x02, 0x23);
}

/* PSB+, packets of all kinds, and a PSB. */
static void write_trace(struct stream *out, uint64_t seed)
{
    unsigned in_tx = 0, before = PT_PAD;

    put_psb_plus(out);
    while (out->size + 64 < out->room) {
        const struct pt_packet packet = random_packet(&seed, before);
        if (random_bits(&seed, 3) == 0) {
            put_mode_tsx(out, in_tx ^= 1, 0);
            put_fup(out, 1, random_bits(&seed, 16));
        }
        before = packet.kind;
        if (before == PT_BBP || before == PT_PSB || before == PT_OVF ||
            before == PT_MODE_TSX || before == PT_TIP_PGD)
            continue;
        put_packet(out, &packet);
    }
    put_psb_plus(out);
}

static void add(struct events *events, const struct pt_tsx_event *event)
{
    if (event->transition != PT_BEGIN && event->transition != PT_COMMIT)
        return;
    assert_true(events->count < EVENTS);
    events->list[events->count++] = *event;
}

/* In salvaged: those of bytes passed over; certain: the first offset of them.
 */
static void read_trace(const struct stream *in, struct events *events,
                       struct events *salvaged, uint64_t *certain)
{
    static struct pt_salvage salvage;
    struct pt_tsx tsx;
    struct pt_tsx_event event;
    enum pt_result result;

    events->count = salvaged->count = 0;
    pt_tsx_open(&tsx);
    pt_feed(&tsx.reader, in->bytes, in->size, true);
    while ((result = pt_tsx_next(&tsx, &event)) != PT_END) {
        if (result == PT_OK)
            add(events, &event);
        if (result != PT_LOST || !pt_salvage_open(&salvage, &tsx.reader))
            continue;
        *certain = salvage.certain;
        while (pt_salvage_next(&salvage, &event))
            add(salvaged, &event);
    }
}

static void behind_damage(void **state)
{
    static struct events whole, damaged, salvaged, none;
    static uint8_t bytes[SIZE];
    size_t missing = 0, traces = 0;
    uint64_t certain = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        struct stream stream = {bytes, 0, SIZE};
        size_t at = 0, i = 0;
        write_trace(&stream, seed * 0x9e3779b97f4a7c15);
        read_trace(&stream, &whole, &none, &certain);
        bytes[1000 + seed] = 0x05;
        certain = 0;
        read_trace(&stream, &damaged, &salvaged, &certain);
        if (certain == 0)
            continue; /* it is in a payload, or there is no address */
        traces++;
        missing += (size_t)certain - 1000 - (size_t)seed;
        while (whole.list[at].offset < certain)
            at++;
        for (; i < salvaged.count; i++, at++) {
            assert_int_equal(salvaged.list[i].offset, whole.list[at].offset);
            assert_int_equal(salvaged.list[i].transition,
                             whole.list[at].transition);
            assert_true(salvaged.list[i].ip == whole.list[at].ip);
        }
        assert_int_equal(at, whole.count);
    }
    assert_true(traces > 100 && missing / traces < 200);
}

static void no_trace(void **state)
{
    static struct events events, salvaged;
    static uint8_t bytes[SIZE];
    uint64_t random = 0x9e3779b97f4a7c15, certain = 0;

    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        struct stream stream = {bytes, 0, SIZE};
        put_psb_plus(&stream);
        put(&stream, 0x05, 1);
        while (stream.size + 64 < SIZE)
            put(&stream, random_bits(&random, 8), 1);
        put_psb_plus(&stream);
        read_trace(&stream, &events, &salvaged, &certain);
        assert_int_equal(salvaged.count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(behind_damage),
        cmocka_unit_test(no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
