/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_data.c - finds AUXTRACE records. */
#include "host/perf_data.h"

#include <stdlib.h>
#include <string.h>

/* include/uapi/linux/perf_event.h, tools/lib/perf/include/perf/event.h */
#define RECORD_AUXTRACE_INFO 70
#define RECORD_AUXTRACE      71
#define RECORD_COMPRESSED    81
#define RECORD_COMPRESSED2   83
#define AUXTRACE_INTEL_PT    1

/* "struct perf_file_header", without what is not used. */
struct file_header {
    uint8_t magic[8];
    uint64_t size, attr_size, attrs_at, attrs_size, data_at, data_size;
};

struct record_header {
    uint32_t type;
    uint16_t misc, size;
};

/* "struct perf_record_auxtrace", after its header. */
struct auxtrace {
    uint64_t size, offset, reference;
    uint32_t index, tid;
    int32_t cpu;
    uint32_t reserved;
};

static const uint8_t magic[8] = "PERFILE2";

bool perf_data_is(FILE *file)
{
    uint8_t begin[sizeof(magic)];

    if (fseeko(file, 0, SEEK_SET) != 0)
        return false; /* a pipe: a trace */
    const size_t got = fread(begin, 1, sizeof(begin), file);
    rewind(file);
    return got == sizeof(begin) && memcmp(begin, magic, sizeof(magic)) == 0;
}

static bool refuse(const char *name, const char *why)
{
    fprintf(stderr, "tsxpmu: %s: perf.data %s\n", name, why);
    return false;
}

static void *grow(void *list, size_t count, size_t size)
{
    return (count & (count - 1)) != 0
               ? list
               : realloc(list, (count == 0 ? 1 : 2 * count) * size);
}

/* Threads have buffers of their own where no CPU is named. */
static bool same_buffer(const struct perf_stream *stream,
                        const struct auxtrace *aux)
{
    return stream->cpu == aux->cpu &&
           (aux->cpu >= 0 || stream->thread == aux->tid);
}

/* The stream that these bytes go on, or a new one. Snapshots overlap: what is
 * there already is left out. NULL: no memory. */
static struct perf_stream *stream_of(struct perf_data *data,
                                     const struct auxtrace *aux)
{
    for (size_t i = data->count; i-- != 0;) {
        struct perf_stream *stream = &data->streams[i];
        if (same_buffer(stream, aux) && aux->offset >= stream->offset &&
            aux->offset <= stream->end)
            return stream;
    }
    struct perf_stream *streams =
        grow(data->streams, data->count, sizeof(*streams));
    if (streams == NULL)
        return NULL;
    data->streams = streams;
    streams[data->count] = (struct perf_stream){.cpu = aux->cpu,
                                                .thread = aux->tid,
                                                .offset = aux->offset,
                                                .end = aux->offset};
    return &streams[data->count++];
}

static bool add(struct perf_data *data, const struct auxtrace *aux, uint64_t at)
{
    struct perf_stream *stream = stream_of(data, aux);

    if (stream == NULL)
        return false;
    const uint64_t known = stream->end - aux->offset;
    if (known >= aux->size)
        return true;
    struct pt_piece *pieces =
        grow(stream->pieces, stream->count, sizeof(*pieces));
    if (pieces == NULL)
        return false;
    stream->pieces = pieces;
    pieces[stream->count++] = (struct pt_piece){at + known, aux->size - known};
    stream->end = aux->offset + aux->size;
    return true;
}

/* By CPU or thread, then as they were traced. */
static int compare(const void *a, const void *b)
{
    const struct perf_stream *x = a, *y = b;

    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? -1 : 1;
    if (x->cpu < 0 && x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* NULL, or what is wrong with the record of `type` at the file's place. */
static const char *read_record(FILE *file, struct perf_data *out,
                               const struct record_header *record, uint64_t *at,
                               uint64_t end)
{
    struct auxtrace aux;
    uint32_t kind;

    if (record->type == RECORD_COMPRESSED || record->type == RECORD_COMPRESSED2)
        return "is compressed (perf record without -z)";
    if (record->type == RECORD_AUXTRACE_INFO &&
        (fread(&kind, 1, sizeof(kind), file) != sizeof(kind) ||
         kind != AUXTRACE_INTEL_PT))
        return "has a trace, but not of Intel PT";
    if (record->type == RECORD_AUXTRACE) {
        if (record->size < sizeof(*record) + sizeof(aux) ||
            fread(&aux, 1, sizeof(aux), file) != sizeof(aux) ||
            aux.size > end - *at - record->size)
            return "is cut short";
        if (!add(out, &aux, *at + record->size))
            return "is too large for memory";
        *at += aux.size;
    }
    return NULL;
}

bool perf_data_read(FILE *file, const char *name, struct perf_data *out)
{
    struct file_header header;
    struct record_header record;
    const char *wrong = NULL;

    if (fread(&header, 1, sizeof(header), file) != sizeof(header))
        return refuse(name, "is cut short");
    if (header.size < sizeof(header))
        return refuse(name, "was written to a pipe (perf record -o FILE)");
    if (header.data_size == 0)
        return refuse(name, "has no data; was perf ended?");
    if (fseeko(file, 0, SEEK_END) != 0)
        return refuse(name, "cannot be searched");
    const off_t size = ftello(file);
    const uint64_t end = header.data_at + header.data_size;
    if (size < 0 || header.data_at > (uint64_t)size || end > (uint64_t)size ||
        end < header.data_at)
        return refuse(name, "is cut short");
    for (uint64_t at = header.data_at; at < end && wrong == NULL;) {
        if (fseeko(file, (off_t)at, SEEK_SET) != 0 ||
            fread(&record, 1, sizeof(record), file) != sizeof(record) ||
            record.size < sizeof(record) || record.size > end - at)
            wrong = "has a record that is none";
        else
            wrong = read_record(file, out, &record, &at, end);
        at += record.size;
    }
    if (wrong == NULL && out->count == 0)
        wrong = "has no trace (AUXTRACE)";
    if (wrong != NULL) {
        perf_data_free(out);
        return refuse(name, wrong);
    }
    qsort(out->streams, out->count, sizeof(out->streams[0]), compare);
    return true;
}

void perf_data_free(struct perf_data *data)
{
    for (size_t i = 0; i < data->count; i++)
        free(data->streams[i].pieces);
    free(data->streams);
    *data = (struct perf_data){0};
}
