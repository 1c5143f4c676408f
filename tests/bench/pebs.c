/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs.c - how fast PEBS records are decoded and classified, as a ratio to
 * reading the same memory once. Run by `make bench`.
 *
 * 1 GiB of records of format 3, the same in every run; each round reads the
 * memory and decodes it, one after the other, so that what else the machine
 * does falls on all; time is the processor's, not the clock's. The decoder and
 * the classification are the objects of the application; nothing is allocated
 * while they run.
 */
#include "src/pebs/pebs_tally.h"
#include "tests/bench/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BYTES (UINT64_C(1) << 30)
#define CODE  UINT64_C(0x400000)
#define DATA  UINT64_C(0x7f0000000000)

static void fill(struct pebs_format3 *record, uint64_t *seed, uint64_t tsc)
{
    uint64_t r = next(seed);

    *record = (struct pebs_format3){
        .rflags = 0x246,
        .rax = r,
        .r15 = ~r,
        .eventing_ip = CODE + (r & 0xfffff),
        .rip = CODE + (r & 0xfffff) + 4,
        .applicable_counter = UINT64_C(1) << (r >> 20 & 3),
        .data_linear_address = DATA + (next(seed) & 0x3ffffff),
        .data_source = r >> 24 & 0xf,
        .latency = r >> 28 & 0x1ff,
        .tsc = tsc,
    };
    if ((r >> 40 & 3) == 0) /* a quarter: aborts */
        record->tx_abort =
            TX_ABORT_RTM_ABORT | (r >> 44 & 0xff) | (r >> 52 & 0x3f) << 34;
}

/* Every word of it, as fast as plain C does it. */
static uint64_t read_once(const uint8_t *bytes, size_t size)
{
    uint64_t sum[8] = {0};

    for (size_t at = 0; at + 64 <= size; at += 64) {
        uint64_t words[8];
        memcpy(words, bytes + at, sizeof(words));
        for (unsigned i = 0; i < 8; i++)
            sum[i] += words[i];
    }
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] +
           sum[7];
}

static void decode(const uint8_t *bytes, size_t size, struct pebs_tally *tally)
{
    struct pebs_reader reader;
    struct pebs_record record;
    enum pebs_error error;

    pebs_tally_clear(tally);
    pebs_open(&reader, bytes, size, 3);
    while ((error = pebs_next(&reader, &record)) == PEBS_OK)
        pebs_tally_add(tally, &record);
    if (error != PEBS_END) {
        printf("at 0x%zx: %s\n", reader.at, pebs_error_text(error));
        exit(1);
    }
}

/* What `decode pebs --count` does. */
static void count(const uint8_t *bytes, size_t size, struct pebs_tally *tally)
{
    struct pebs_reader reader;

    pebs_tally_clear(tally);
    pebs_open(&reader, bytes, size, 3);
    if (pebs_tally_all(tally, &reader) != PEBS_END) {
        printf("at 0x%zx: not counted\n", reader.at);
        exit(1);
    }
}

int main(void)
{
    static struct pebs_tally tally, counted;
    const size_t records = BYTES / sizeof(struct pebs_format3);
    const size_t size = records * sizeof(struct pebs_format3);
    struct pebs_format3 *buffer = malloc(size);
    const uint8_t *bytes = (const uint8_t *)buffer;
    double reads[ROUNDS], decodes[ROUNDS], ratios[ROUNDS];
    double counts[ROUNDS], count_ratios[ROUNDS];
    uint64_t seed = UINT64_C(0x9e3779b97f4a7c15), sum = 0;

    if (buffer == NULL) {
        printf("no memory for %zu bytes\n", size);
        return 1;
    }
    for (size_t i = 0; i < records; i++)
        fill(&buffer[i], &seed, i);
    for (unsigned round = 0; round < ROUNDS; round++) {
        double start = seconds();
        sum += read_once(bytes, size);
        double middle = seconds();
        decode(bytes, size, &tally);
        double end = seconds();
        count(bytes, size, &counted);
        double last = seconds();
        if (memcmp(&tally, &counted, sizeof(tally)) != 0) {
            printf("not the same counts\n");
            return 1;
        }
        reads[round] = (double)size / (middle - start) / 1e9;
        decodes[round] = (double)size / (end - middle) / 1e9;
        ratios[round] = (middle - start) / (end - middle);
        counts[round] = (double)size / (last - end) / 1e9;
        count_ratios[round] = (middle - start) / (last - end);
    }
    printf("PEBS format 3, %zu records, %zu bytes, medians of %d rounds\n",
           records, size, ROUNDS);
    printf("read once            %6.2f GB/s (sum %" PRIx64 ")\n", median(reads),
           sum);
    printf("decode and classify  %6.2f GB/s\n", median(decodes));
    double middle = median(ratios);
    printf("ratio                %6.2f (%.2f to %.2f)\n", middle, ratios[0],
           ratios[ROUNDS - 1]);
    printf("classify (--count)   %6.2f GB/s\n", median(counts));
    middle = median(count_ratios);
    printf("ratio                %6.2f (%.2f to %.2f)\n", middle,
           count_ratios[0], count_ratios[ROUNDS - 1]);
    printf(
        "counters 0-3: %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
        "; RTM aborts %" PRIu64 ", with Data_Conflict %" PRIu64 "\n",
        pebs_tally_counter(&tally, 0), pebs_tally_counter(&tally, 1),
        pebs_tally_counter(&tally, 2), pebs_tally_counter(&tally, 3),
        pebs_tally_aborts(&tally, TX_ABORT_RTM_ABORT),
        pebs_tally_aborts(&tally, TX_ABORT_RTM_ABORT | TX_ABORT_DATA_CONFLICT));
    free(buffer);
    return 0;
}
