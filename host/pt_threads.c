/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_threads.c - a trace cut at PSBs, where a decoder needs nothing of what was
 * before. Whether a PSB that was found is one, and not bytes of packets, is
 * known where the part before it ends there, with a whole packet.
 */
#include "host/pt_threads.h"

#include "host/pt_count.h"
#include "src/pt/psb.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAST   (UINT64_C(16) << 20) /* bytes of a file that is worth it */
#define THREADS 64
#define STACK   (256u << 10)

struct part {
    pthread_t thread;
    const uint8_t *bytes;
    size_t size;
    bool last, whole; /* whole: it has packets from start to end */
    uint64_t kinds[PT_KINDS];
};

static void *count_part(void *context)
{
    struct part *part = context;
    struct pt_counts counts = {.psbs = 0};
    struct pt_reader reader;
    struct pt_packet packet;
    enum pt_result result;

    pt_open(&reader);
    pt_feed(&reader, part->bytes, part->size, part->last);
    do {
        pt_count(&reader, &counts);
        result = pt_next(&reader, &packet);
        if (result == PT_OK)
            part->kinds[packet.kind]++;
    } while (result == PT_OK);
    pt_count_kinds(&counts, part->kinds);
    part->whole = reader.at == reader.size && reader.block == 0 &&
                  result == (part->last ? PT_END : PT_MORE);
    return NULL;
}

/* Cuts the bytes into parts of about one size; returns how many. */
static size_t cut(const uint8_t *bytes, size_t size, struct part *parts,
                  size_t most)
{
    size_t count = 0, from = 0;

    while (from < size && count < most) {
        size_t to = size / most * (count + 1), at;
        if (to < from)
            to = from;
        if (count + 1 == most || !psb_find(bytes + to, size - to, true, &at))
            at = size - to;
        parts[count++] = (struct part){.bytes = bytes + from,
                                       .size = to + at - from,
                                       .last = to + at == size};
        from = to + at;
    }
    return count;
}

static bool count_parts(struct part *parts, size_t count,
                        uint64_t kinds[PT_KINDS])
{
    pthread_attr_t small;
    size_t started = 0;
    bool whole = true;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    while (started < count && pthread_create(&parts[started].thread, &small,
                                             count_part, &parts[started]) == 0)
        started++;
    for (size_t i = 0; i < started; i++)
        pthread_join(parts[i].thread, NULL);
    pthread_attr_destroy(&small);
    for (size_t i = 0; i < count; i++)
        whole &= i < started && parts[i].whole;
    for (size_t i = 0; whole && i < count; i++)
        for (unsigned kind = 0; kind < PT_KINDS; kind++)
            kinds[kind] += parts[i].kinds[kind];
    return whole;
}

uint8_t *pt_map_for_threads(FILE *file, size_t *size, size_t *threads)
{
    cpu_set_t allowed;
    struct stat about;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return NULL;
    *threads = (size_t)CPU_COUNT(&allowed);
    if (*threads < 2 || fstat(fileno(file), &about) != 0 ||
        !S_ISREG(about.st_mode) || (uint64_t)about.st_size < LEAST ||
        ftello(file) != 0)
        return NULL;
    *size = (size_t)about.st_size;
    uint8_t *bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

bool pt_count_by_threads(FILE *file, uint64_t kinds[PT_KINDS])
{
    static struct part parts[THREADS];
    size_t size, threads;
    uint8_t *bytes = pt_map_for_threads(file, &size, &threads);

    if (bytes == NULL)
        return false;
    const size_t count =
        cut(bytes, size, parts, threads < THREADS ? threads : THREADS);
    const bool counted = count_parts(parts, count, kinds);
    munmap(bytes, size);
    return counted;
}
