/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt.c - how fast a trace is decoded, as a ratio to libipt: packets against its
 * packet layer, transactions against its event layer (query decoder). Run by
 * `make bench`.
 *
 * 64 MiB of packets (trace.h). Each round runs the four, one after the other;
 * time is the processor's. The counts must agree. With the name of one of the
 * four as argument: that one once, on 1 MiB, for callgrind; it prints the
 * packets. With `trace`: writes the 64 MiB, for threads.py.
 */
#include "host/pt_map.h"
#include "src/pt/tsx_events.h"
#include "tests/bench/bench.h"
#include "tests/bench/libipt.h"
#include "tests/bench/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BYTES (UINT64_C(64) << 20)
#define SHORT (UINT64_C(1) << 20)

/* Number of each packet, or transitions alone. */
struct tally {
    uint64_t packets, transitions, kinds[PT_KINDS], sum;
};

static void stop(const char *what, const char *why)
{
    printf("%s: %s\n", what, why);
    exit(1);
}

__attribute__((noinline)) static void packets_ours(const struct stream *in,
                                                   struct tally *tally)
{
    static struct pt_packet packets[PT_ROOM + 3];
    uint64_t kinds[4][PT_KINDS] = {0}; /* so that no count waits for another */
    struct pt_reader reader;
    enum pt_result result;

    pt_open(&reader);
    pt_feed(&reader, in->bytes, in->size, true);
    do {
        const size_t count = pt_decode(&reader, packets, PT_ROOM, &result);
        uint64_t sum = 0;
        memset(&packets[count], 0, 3 * sizeof(packets[0])); /* PADs */
        for (size_t i = 0; i < count; i += 4)
            for (size_t way = 0; way < 4; way++) {
                kinds[way][packets[i + way].kind]++;
                sum += packets[i + way].payload;
            }
        kinds[0][PT_PAD] -= -count % 4;
        tally->sum += sum;
        tally->packets += count;
    } while (result == PT_OK);
    for (unsigned kind = 0; kind < PT_KINDS; kind++)
        for (unsigned i = 0; i < 4; i++)
            tally->kinds[kind] += kinds[i][kind];
    if (result != PT_END)
        stop("packets", pt_result_text(result));
}

__attribute__((noinline)) static void transitions_ours(const struct stream *in,
                                                       struct tally *tally)
{
    struct pt_tsx tsx;
    struct pt_tsx_event event;
    enum pt_result result;

    pt_tsx_open(&tsx);
    pt_feed(&tsx.reader, in->bytes, in->size, true);
    while ((result = pt_tsx_next(&tsx, &event)) == PT_OK) {
        if (event.deviation != PT_NO_DEVIATION)
            stop("transitions", pt_deviation_text(event.deviation));
        tally->transitions++;
    }
    if (result != PT_END)
        stop("transitions", pt_result_text(result));
}

/* The same number of every packet, or the program ends. */
static void compare(const struct tally *ours, const uint64_t *theirs)
{
    for (unsigned i = 0; i < LIBIPT_KINDS; i++) {
        unsigned kind = 0;
        if (libipt_name(i) == NULL && theirs[i] != 0)
            stop("libipt", "a kind of packet that is not in the trace");
        if (libipt_name(i) == NULL)
            continue;
        while (kind < PT_KINDS &&
               strcmp(pt_kind_name(kind), libipt_name(i)) != 0)
            kind++;
        if (kind == PT_KINDS || ours->kinds[kind] != theirs[i])
            stop(libipt_name(i), "not the same number");
    }
}

/* One of the four, for callgrind. */
static int once(const struct stream *in, const char *which)
{
    struct tally tally = {0};
    uint64_t kinds[LIBIPT_KINDS] = {0};

    packets_ours(in, &tally);
    if (strcmp(which, "packets_libipt") == 0)
        packets_libipt(in->bytes, in->size, kinds, &tally.sum);
    else if (strcmp(which, "transitions_ours") == 0)
        transitions_ours(in, &tally);
    else if (strcmp(which, "transitions_libipt") == 0)
        transitions_libipt(in->bytes, in->size);
    else if (strcmp(which, "packets_ours") != 0)
        stop(which, "not one of the four");
    printf("%" PRIu64 "\n", tally.packets);
    return 0;
}

static void print(const char *what, double values[ROUNDS], double packets,
                  double size)
{
    const double time = median(values);

    printf("%-22s %7.1f MB/s %7.1f M packets/s %6.2f ns a packet\n", what,
           size / time / 1e6, packets / time / 1e6, time / packets * 1e9);
}

static void ratio(const char *what, const double theirs[ROUNDS],
                  const double ours[ROUNDS])
{
    double ratios[ROUNDS];

    for (unsigned i = 0; i < ROUNDS; i++)
        ratios[i] = theirs[i] / ours[i];
    const double middle = median(ratios);
    printf("%-22s %7.2f (%.2f to %.2f)\n", what, middle, ratios[0],
           ratios[ROUNDS - 1]);
}

/* Random bytes over the trace, with a PSB every `period` bytes, or none. */
static void garbage(const char *what, struct stream *in, size_t period)
{
    static struct pt_packet packets[PT_ROOM];
    struct pt_reader reader;
    enum pt_result result;
    uint64_t seed = 88172645463325252, count = 0, lost = 0;

    for (size_t i = 0; i < in->size; i++)
        in->bytes[i] = (uint8_t)next(&seed);
    for (size_t at = 0; period != 0 && at + 16 <= in->size; at += period)
        put_psb(&(struct stream){in->bytes + at, 0, 16});
    const double start = seconds();
    pt_open(&reader);
    pt_feed(&reader, in->bytes, in->size, true);
    do {
        count += pt_decode(&reader, packets, PT_ROOM, &result);
        if (result == PT_LOST)
            lost += pt_offset(&reader) - reader.where;
    } while (result != PT_END);
    printf("%-22s %7.1f MB/s, %.1f %% of the bytes passed over, %" PRIu64
           " packets\n",
           what, (double)in->size / (seconds() - start) / 1e6,
           100 * (double)lost / (double)in->size, count);
}

int main(int argc, char **argv)
{
    const bool writes = argc > 1 && strcmp(argv[1], "trace") == 0;
    struct stream in = {.room = argc > 1 && !writes ? SHORT : BYTES};
    double times[4][ROUNDS];
    unsigned version[3];
    struct tally ours = {0};

    in.bytes = malloc(in.room);
    if (in.bytes == NULL)
        stop("trace", "no memory");
    fill(&in);
    if (writes)
        return fwrite(in.bytes, 1, in.size, stdout) != in.size;
    if (argc > 1)
        return once(&in, argv[1]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t kinds[LIBIPT_KINDS] = {0};
        ours = (struct tally){0};
        double at[5] = {seconds()};
        packets_ours(&in, &ours);
        at[1] = seconds();
        uint64_t count = packets_libipt(in.bytes, in.size, kinds, &ours.sum);
        at[2] = seconds();
        transitions_ours(&in, &ours);
        at[3] = seconds();
        uint64_t events = transitions_libipt(in.bytes, in.size);
        at[4] = seconds();
        for (unsigned i = 0; i < 4; i++)
            times[i][round] = at[i + 1] - at[i];
        compare(&ours, kinds);
        if (count != ours.packets || events != ours.transitions)
            stop("libipt", "not the same number of packets or TSX events");
    }
    printf("Processor Trace, %zu bytes, %" PRIu64 " packets, %" PRIu64
           " transitions and states, medians of %d rounds\n",
           in.size, ours.packets, ours.transitions, ROUNDS);
    libipt_version(version);
    printf("libipt %u.%u.%u; vectors here: %s\n", version[0], version[1],
           version[2],
           has_avx512() ? "AVX-512"
           : has_avx2() ? "AVX2"
                        : "none");
    ratio("packets, ratio", times[1], times[0]);
    ratio("transitions, ratio", times[3], times[2]);
    const char *const names[] = {"packets", "packets, libipt", "transitions",
                                 "events, libipt"};
    for (unsigned i = 0; i < 4; i++)
        print(names[i], times[i], (double)ours.packets, (double)in.size);
    garbage("garbage, no PSB", &in, 0);
    garbage("garbage, PSB each 4 KiB", &in, PERIOD);
    free(in.bytes);
    return 0;
}
