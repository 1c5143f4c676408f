/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_tsx_threads.c - a trace cut at PSBs, each part decoded by a thread that
 * knows nothing of the part before. What that changes ends soon: the start of a
 * part is decoded once more when the state before is known, and where both
 * states are the same, so is all that follows.
 */
#include "host/pt_tsx_threads.h"

#include "host/pt_threads.h"
#include "src/pt/psb.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PART    ((size_t)4 << 20)
#define START   ((size_t)32 << 10)
#define STACK   (256u << 10)
#define THREADS 32
#define PARTS   (2 * THREADS) /* that are not printed yet */

struct part {
    size_t at, size;
    bool ready, whole;   /* whole: begins and ends at a PSB, and is as it should
                            be */
    struct pt_tsx start; /* after START bytes */
    struct pt_tsx end;
    char *text;
    size_t start_text, text_size;
};

static struct work {
    const uint8_t *bytes;
    size_t size, count, next, printed, ahead;
    const struct decode_pt_options *options;
    uint64_t names;
    bool stop;
    struct part parts[PARTS];
    pthread_mutex_t lock;
    pthread_cond_t change;
} work = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .change = PTHREAD_COND_INITIALIZER};

/* Where part i begins: at the first PSB of the PART bytes from there on. False:
 * there is none. */
static bool part_start(size_t i, size_t *start)
{
    const size_t from = i * PART, left = work.size - from;
    size_t at = 0;
    bool found = true;

    *start = work.size;
    if (i == work.count)
        return true;
    if (i != 0)
        found = psb_find(work.bytes + from, left < PART ? left : PART,
                         left <= PART, &at);
    *start = from + (found ? at : 0);
    return found;
}

/* Decodes on to `end`. False: there is something to complain of, or a packet
 * that goes on. */
static bool decode_quietly(struct pt_tsx *tsx, size_t end, FILE *out)
{
    const size_t at = (size_t)pt_offset(&tsx->reader);
    struct pt_tsx_event event;
    enum pt_result result;

    pt_feed(&tsx->reader, work.bytes + at, end - at, false);
    while ((result = pt_tsx_next(tsx, &event)) == PT_OK) {
        if (event.deviation != PT_NO_DEVIATION)
            return false;
        decode_pt_event(NULL, work.options, work.names, &event, NULL, out);
    }
    return result == PT_MORE;
}

static size_t end_of_start(const struct part *part)
{
    return part->at + (part->size < START ? part->size : START);
}

static void decode_part(struct part *part, size_t i)
{
    FILE *out = open_memstream(&part->text, &part->text_size);
    struct pt_tsx *tsx = &part->end;
    const bool begins = part_start(i, &part->at);
    size_t end;

    part->whole = part_start(i + 1, &end) && begins && out != NULL;
    part->size = end - part->at;
    pt_tsx_open(tsx);
    tsx->doubts = true;
    tsx->reader.offset = part->at;
    tsx->reader.synced = i != 0;
    tsx->reader.errata = (uint8_t)work.options->errata;
    part->whole = part->whole && decode_quietly(tsx, end_of_start(part), out) &&
                  fflush(out) == 0;
    part->start = *tsx;
    part->start_text = part->text_size;
    part->whole = part->whole && decode_quietly(tsx, end, out);
    if (out != NULL)
        part->whole = fclose(out) == 0 && part->whole;
}

static void *decode_parts(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&work.lock);
    while (work.next < work.count && !work.stop) {
        const size_t i = work.next++;
        while (i >= work.printed + work.ahead && !work.stop)
            pthread_cond_wait(&work.change, &work.lock);
        pthread_mutex_unlock(&work.lock);
        decode_part(&work.parts[i % PARTS], i);
        pthread_mutex_lock(&work.lock);
        work.parts[i % PARTS].ready = true;
        pthread_cond_broadcast(&work.change);
    }
    pthread_mutex_unlock(&work.lock);
    return NULL;
}

static bool same_state(const struct pt_tsx *a, const struct pt_tsx *b)
{
    return a->phase == PT_IDLE && b->phase == PT_IDLE &&
           a->last_ip == b->last_ip && a->doubtful == b->doubtful &&
           a->in_tx == b->in_tx && a->packet_en == b->packet_en &&
           a->overflow == b->overflow && a->has_region == b->has_region &&
           (!a->has_region || a->region == b->region) &&
           pt_offset(&a->reader) == pt_offset(&b->reader) && a->reader.synced &&
           a->reader.block == b->reader.block;
}

/* Decodes on to `end`, and complains. False: nothing more can be printed. */
static bool decode_on(struct pt_input *input, struct pt_tsx *tsx, size_t end,
                      FILE *out)
{
    const size_t at = (size_t)pt_offset(&tsx->reader);
    struct pt_tsx_event event;
    enum pt_result result;

    if (end <= at)
        return true;
    pt_feed(&tsx->reader, work.bytes + at, end - at, false);
    while ((result = pt_tsx_next(tsx, &event)) != PT_MORE) {
        if (result == PT_OK)
            decode_pt_event(input, work.options, work.names, &event, NULL, out);
        if (result == PT_LOST)
            decode_pt_lost(input, work.options, work.names, &tsx->reader, NULL,
                           out);
        if (!pt_go_on(input, &tsx->reader, result, out))
            return false;
    }
    return true;
}

/* The start of a part is decoded in the state before it; all of it where that
 * makes a difference. */
static bool print_part(struct pt_input *input, struct pt_tsx *tsx,
                       const struct part *part, FILE *out)
{
    if (!decode_on(input, tsx, end_of_start(part), out))
        return false;
    if (!part->whole || !same_state(tsx, &part->start))
        return decode_on(input, tsx, part->at + part->size, out);
    fwrite(part->text + part->start_text, 1, part->text_size - part->start_text,
           out);
    *tsx = part->end;
    return !ferror(out);
}

static void print_parts(struct pt_input *input, struct pt_tsx *tsx, FILE *out)
{
    bool good = true;

    for (size_t i = 0; i < work.count && good; i++) {
        struct part *part = &work.parts[i % PARTS];
        pthread_mutex_lock(&work.lock);
        while (!part->ready)
            pthread_cond_wait(&work.change, &work.lock);
        pthread_mutex_unlock(&work.lock);
        good = print_part(input, tsx, part, out);
        free(part->text);
        pthread_mutex_lock(&work.lock);
        *part = (struct part){.ready = false};
        work.printed++;
        work.stop = !good;
        pthread_cond_broadcast(&work.change);
        pthread_mutex_unlock(&work.lock);
    }
}

static void run_threads(size_t threads, struct pt_input *input,
                        struct pt_tsx *tsx, FILE *out)
{
    pthread_t ids[THREADS];
    pthread_attr_t small;
    size_t started = 0;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    while (started < threads &&
           pthread_create(&ids[started], &small, decode_parts, NULL) == 0)
        started++;
    pthread_attr_destroy(&small);
    if (started != 0)
        print_parts(input, tsx, out);
    for (size_t i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    for (size_t i = 0; i < PARTS; i++)
        free(work.parts[i].text);
}

void pt_tsx_by_threads(struct pt_input *input,
                       const struct decode_pt_options *options,
                       struct pt_tsx *tsx, FILE *out)
{
    size_t size, threads;
    uint8_t *bytes = pt_map_for_threads(input->file, &size, &threads);

    if (bytes == NULL)
        return;
    work.bytes = bytes;
    work.size = size;
    work.count = size / PART;
    threads = threads < THREADS ? threads : THREADS;
    work.ahead = 2 * threads;
    work.options = options;
    work.names = decode_pt_names(options);
    run_threads(threads, input, tsx, out);
    pt_continue(input, &tsx->reader);
    munmap(bytes, size);
}
