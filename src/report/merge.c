/* SPDX-License-Identifier: BSD-2-Clause */
/* merge.c - says equal lines of several processors once. */
#include "src/report/merge.h"

#include "src/base/mem.h"
#include "src/report/range.h"

#define NONE       UINT32_MAX
#define VARIED_MAX 2 /* so many different lines are written each */

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

bool merge_same(const struct part *a, const struct part *b)
{
    return a->bytes == b->bytes && memcmp(a->text, b->text, a->bytes) == 0;
}

const char *merge_set_name(const bool set[], unsigned count,
                           char out[MERGE_SET_BYTES])
{
    const size_t room = MERGE_SET_BYTES - 16; /* for one range and ".." */
    unsigned members = 0;

    for (unsigned p = 0; p < count; p++)
        members += set[p];
    text_format(out, MERGE_SET_BYTES, "processor%s", members == 1 ? "" : "s");
    char before = ' ';
    for (unsigned p = 0, last; p < count; p = last + 1) {
        last = p;
        if (!set[p])
            continue;
        while (last + 1 < count && set[last + 1])
            last++;
        if (text_length(out) >= room) {
            text_append(out, MERGE_SET_BYTES, "%c..", before);
            break;
        }
        text_append(out, MERGE_SET_BYTES, last == p ? "%c%u" : "%c%u-%u",
                    before, p, last);
        before = ',';
    }
    return out;
}

static void write_for_set(struct ktap *out, const bool set[], unsigned count,
                          const char *text)
{
    char name[MERGE_SET_BYTES];
    bool all = true;

    for (unsigned p = 0; p < count; p++)
        all = all && set[p];
    if (all)
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
        while (q < p && (first[q] != q || !merge_same(&parts[q], &parts[p])))
            q++;
        first[p] = (unsigned short)q;
    }
}

/* --- Equal lines --------------------------------------------------------- */

/* The set that has this line of p's, which ends before `limit`. False where a
 * lower processor has it, or p before. */
static bool find_same(const struct part parts[], unsigned count,
                      const unsigned short first[], unsigned p, size_t limit,
                      const struct line *line, bool set[])
{
    bool said = has_line(&parts[p], limit, line);

    for (unsigned q = 0; q < count; q++) {
        set[q] = first[q] < q ? set[first[q]]
                              : has_line(&parts[q], parts[q].bytes, line);
        said = said || (q < p && set[q]);
    }
    return !said;
}

/* --- Lines that are the same but for numbers ----------------------------- */

/* How many lines of the part are like this one; the n-th goes to *found. */
static unsigned find_nth(const struct part *part, const struct line *like,
                         unsigned n, struct line *found)
{
    unsigned total = 0;
    size_t offset = 0;
    struct line line;

    while (next_line(part, &offset, &line))
        if (range_alike(&line, like) && total++ == n)
            *found = line;
    return total;
}

/* The set that has a line like this one of p's, at the same place among as many
 * that are like it, and puts those lines into lines[]; how many, or 0 where
 * VARIED_MAX lines say all of them. */
static unsigned find_alike(const struct part parts[], unsigned count,
                           const unsigned short first[], unsigned p,
                           size_t limit, const struct line *line, bool set[],
                           struct line lines[])
{
    const struct part before = {parts[p].text, limit};
    unsigned n = find_nth(&before, line, NONE, NULL), members = 0;
    unsigned total = find_nth(&parts[p], line, NONE, NULL), varied = 0;

    for (unsigned q = 0; q < count; q++) {
        struct line *at = &lines[members];
        set[q] = first[q] < q ? set[first[q]]
                              : find_nth(&parts[q], line, n, at) == total;
        if (!set[q] || first[q] < q)
            continue;
        bool known = false;
        for (unsigned i = 0; i < members && !known; i++)
            known = at->bytes == lines[i].bytes &&
                    memcmp(at->at, lines[i].at, at->bytes) == 0;
        varied += !known;
        members++;
    }
    return varied > VARIED_MAX ? members : 0;
}

static bool is_first_of(const bool set[], unsigned p)
{
    for (unsigned q = 0; q < p; q++)
        if (set[q])
            return false;
    return true;
}

void merge_write(struct ktap *out, const struct part parts[], unsigned count,
                 bool ranges)
{
    unsigned short first[HW_PROCESSORS_MAX];
    struct line lines[HW_PROCESSORS_MAX], line;
    bool set[HW_PROCESSORS_MAX];
    char text[KTAP_LINE_BYTES];

    find_equal(parts, count, first);
    for (unsigned p = 0; p < count; p++) {
        size_t offset = 0, start = 0;
        for (; first[p] == p && next_line(&parts[p], &offset, &line);
             start = offset) {
            unsigned alike = ranges ? find_alike(parts, count, first, p, start,
                                                 &line, set, lines)
                                    : 0;
            bool mine = alike != 0 ? is_first_of(set, p)
                                   : find_same(parts, count, first, p, start,
                                               &line, set);
            if (!mine)
                continue;
            range_write(alike != 0 ? lines : &line, alike != 0 ? alike : 1,
                        text, sizeof(text));
            write_for_set(out, set, count, text);
        }
    }
}
