/* SPDX-License-Identifier: BSD-2-Clause */
/* merge.c - says equal lines of several processors once. */
#include "src/report/merge.h"

#include "src/mem.h"

struct line {
    const char *at;
    size_t bytes; /* without "\n" */
};

/* The line that starts at *offset, which moves to the next. */
static bool next_line(const struct part *part, size_t *offset, struct line *out)
{
    size_t end = *offset;

    if (end >= part->bytes)
        return false;
    while (end < part->bytes && part->text[end] != '\n')
        end++;
    *out = (struct line){part->text + *offset, end - *offset};
    *offset = end + 1;
    return true;
}

/* True where one of the lines before `limit` is this one. */
static bool has_line(const struct part *part, size_t limit,
                     const struct line *wanted)
{
    size_t offset = 0;
    struct line line;

    while (offset < limit && next_line(part, &offset, &line))
        if (line.bytes == wanted->bytes &&
            memcmp(line.at, wanted->at, line.bytes) == 0)
            return true;
    return false;
}

static bool same_part(const struct part *a, const struct part *b)
{
    return a->bytes == b->bytes && memcmp(a->text, b->text, a->bytes) == 0;
}

const char *merge_set_name(const bool set[], unsigned count,
                           char out[MERGE_SET_BYTES])
{
    const size_t room = MERGE_SET_BYTES - 16; /* for one range and ".." */
    unsigned members = 0;
    size_t at;

    for (unsigned p = 0; p < count; p++)
        members += set[p];
    at = text_format(out, MERGE_SET_BYTES, "processor%s",
                     members == 1 ? "" : "s");
    for (unsigned p = 0, last; p < count; p = last + 1) {
        last = p;
        if (!set[p])
            continue;
        while (last + 1 < count && set[last + 1])
            last++;
        char before = out[at - 1] == 's' || out[at - 1] == 'r' ? ' ' : ',';
        if (at >= room) {
            text_format(out + at, MERGE_SET_BYTES - at, "%c..", before);
            break;
        }
        at += text_format(out + at, MERGE_SET_BYTES - at,
                          last == p ? "%c%u" : "%c%u-%u", before, p, last);
    }
    return out;
}

static void write_one(struct ktap *out, const bool set[], unsigned count,
                      const struct line *line)
{
    char name[MERGE_SET_BYTES], text[KTAP_LINE_BYTES];
    size_t bytes = line->bytes < sizeof(text) ? line->bytes : sizeof(text) - 1;

    memcpy(text, line->at, bytes);
    text[bytes] = '\0';
    if (count == 1)
        ktap_note(out, "%s", text);
    else
        ktap_note(out, "%s: %s", merge_set_name(set, count, name), text);
}

/* first[p]: the lowest processor with the very same text. */
static void find_equal(const struct part parts[], unsigned count,
                       unsigned short first[])
{
    for (unsigned p = 0; p < count; p++) {
        unsigned q = 0;
        while (q < p && (first[q] != q || !same_part(&parts[q], &parts[p])))
            q++;
        first[p] = (unsigned short)q;
    }
}

void merge_write(struct ktap *out, const struct part parts[], unsigned count)
{
    unsigned short first[HW_PROCESSORS_MAX];
    bool set[HW_PROCESSORS_MAX];
    struct line line;

    find_equal(parts, count, first);
    for (unsigned p = 0; p < count; p++) {
        size_t offset = 0, start = 0;
        for (; first[p] == p && next_line(&parts[p], &offset, &line);
             start = offset) {
            bool said = has_line(&parts[p], start, &line);
            for (unsigned q = 0; q < count; q++) {
                set[q] = first[q] < q
                             ? set[first[q]]
                             : has_line(&parts[q], parts[q].bytes, &line);
                said = said || (q < p && set[q]);
            }
            if (!said)
                write_one(out, set, count, &line);
        }
    }
}
