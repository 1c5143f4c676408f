/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines.c - finds reports in a text by their first and last lines, joins what
 * a terminal wrapped, takes off what a console's log puts before each line, and
 * tells a report's lines from those of others.
 *
 * Nothing here is certain but by the report's CRC; report_problems() says
 * where that is wrong.
 */
#include "host/report/lines.h"

#include "host/report/grow.h"
#include "host/report/quick_crc.h"

#include <ctype.h>
#include <string.h>

#define FIRST_LINE "KTAP version 1"
/* A terminal has as many columns at least. */
#define COLUMNS_MIN 40
/* So many lines have to end in the same column to be called wrapped. */
#define WRAPPED_MIN 2

static bool begins(struct span line, const char *word)
{
    return take(&line, word);
}

bool line_is_own(struct span line)
{
    return begins(line, "# ") || begins(line, "ok ") ||
           begins(line, "not ok ") || begins(line, "1..") ||
           span_is(line, FIRST_LINE);
}

/* A line that stands in no report but in its middle or at its end. */
static bool is_inner(struct span line)
{
    uint64_t number;

    if (begins(line, "# running ") || begins(line, "# END ") ||
        begins(line, "# summary: "))
        return true;
    return (take(&line, "ok ") || take(&line, "not ok ")) &&
           take_number(&line, &number) && begins(line, " - ");
}

/* The column at which a terminal wrapped these lines, or 0: the greatest
 * length, where it is followed by what begins no line. */
static size_t find_columns(const struct span lines[], size_t count)
{
    size_t columns = 0, wrapped = 0;

    for (size_t i = 0; i < count; i++)
        if (lines[i].bytes > columns)
            columns = lines[i].bytes;
    for (size_t i = 0; i + 1 < count; i++)
        wrapped += lines[i].bytes == columns && !line_is_own(lines[i + 1]);
    return columns >= COLUMNS_MIN && wrapped >= WRAPPED_MIN ? columns : 0;
}

static bool ends_in_blank(struct span line)
{
    return line.bytes != 0 && line.at[line.bytes - 1] == ' ';
}

/* A terminal's screen, when copied, has blanks up to its last column. */
static bool is_filled(const struct span lines[], size_t count, size_t columns)
{
    size_t full = 0, blank = 0;

    for (size_t i = 0; i < count; i++) {
        full += lines[i].bytes == columns;
        blank += lines[i].bytes == columns && ends_in_blank(lines[i]);
    }
    return blank > full / 2;
}

/* Does `next` go on with `line`? A line of a report ends in no blank, but one
 * that is filled does. */
static bool goes_on(struct span line, struct span next, size_t columns,
                    bool filled)
{
    return line.bytes == columns &&
           (!line_is_own(next) || (!filled && ends_in_blank(line)));
}

static struct span without_blanks(struct span line)
{
    while (ends_in_blank(line))
        line.bytes--;
    return line;
}

/* Moves `next` up to the end of `line`; the text between was line ends and
 * what was dropped. */
static void join(struct span *line, struct span next)
{
    memmove((char *)line->at + line->bytes, next.at, next.bytes);
    line->bytes += next.bytes;
}

/* lines[]: those of one report. columns: 0 joins none. */
static void fill(struct span lines[], size_t count, size_t columns,
                 struct report *report)
{
    const bool filled = is_filled(lines, count, columns);
    bool joining = false; /* the line before was full */
    size_t piece = 0;

    report->columns = columns;
    report->line_count = report->strange = 0;
    for (size_t i = 0; i < count; i++) {
        struct span line = lines[i];
        struct span *last = report->line_count == 0
                                ? NULL
                                : &report->lines[report->line_count - 1];
        if (joining &&
            goes_on((struct span){last->at + last->bytes - piece, piece}, line,
                    columns, filled)) {
            join(last, line);
            piece = line.bytes;
            joining = piece == columns;
        } else if (line_is_own(line)) {
            APPEND(report->lines, report->line_count, line);
            piece = line.bytes;
            joining = columns != 0 && piece == columns;
        } else if (line.bytes != 0) {
            if (report->strange++ == 0)
                report->strange_first = line;
            joining = false;
        }
    }
    for (size_t i = 0; i < report->line_count; i++)
        report->lines[i] = without_blanks(report->lines[i]);
}

/* What the END line says, and the CRC of the lines before it. */
static void read_end(struct report *report)
{
    struct totals *said = &report->said;
    struct span rest;
    char digits[9] = "", *end;

    *said = (struct totals){0};
    report->crc = 0;
    report->has_end = false;
    for (size_t i = 0; i < report->line_count; i++) {
        rest = report->lines[i];
        if (take(&rest, "# END pass=") && take_number(&rest, &said->pass) &&
            take(&rest, " fail=") && take_number(&rest, &said->fail) &&
            take(&rest, " error=") && take_number(&rest, &said->error) &&
            take(&rest, " skip=") && take_number(&rest, &said->skip)) {
            /* Reports made before KNOWN existed have no known=. */
            if (take(&rest, " known="))
                take_number(&rest, &said->known);
            if (!take(&rest, " crc=") || rest.bytes != 8)
                return;
            memcpy(digits, rest.at, 8);
            report->crc_said = (uint32_t)strtoul(digits, &end, 16);
            report->has_end = *end == '\0';
            return;
        }
        report->crc =
            quick_crc(report->crc, report->lines[i].at, report->lines[i].bytes);
        report->crc = quick_crc(report->crc, "\n", 1);
    }
}

/* As the lines are; where the CRC says that they are not so, and many end in
 * one column, as a terminal wrapped them. */
static void read_lines(struct span lines[], size_t count, struct report *report)
{
    size_t columns;

    fill(lines, count, 0, report);
    read_end(report);
    if (report->has_end && report->crc == report->crc_said)
        return;
    columns = find_columns(lines, count);
    if (columns != 0) {
        fill(lines, count, columns, report);
        read_end(report);
    }
}

/* The first line of a report, that may stand behind what firmware wrote without
 * a line's end or a log puts before each line: the bytes before it, or -1. */
static long first_line_at(struct span line)
{
    const size_t bytes = sizeof(FIRST_LINE) - 1;

    line = without_blanks(line);
    return line.bytes >= bytes &&
                   memcmp(line.at + line.bytes - bytes, FIRST_LINE, bytes) == 0
               ? (long)(line.bytes - bytes)
               : -1;
}

/* Where the report that begins at lines[0] ends: after its END line, or before
 * the next one's beginning. */
static size_t find_end(const struct span lines[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && first_line_at(lines[i]) >= 0)
            return i;
        if (begins(lines[i], "# END ")) {
            /* The END line may be wrapped, too: its CRC ends it. */
            const char *crc = span_find(lines[i], " crc=");
            return i + 1 +
                   (i + 1 < count && !line_is_own(lines[i + 1]) &&
                    (crc == NULL || crc + 13 > lines[i].at + lines[i].bytes));
        }
    }
    return count;
}

static size_t run_of(struct span text, size_t at, int (*is)(int))
{
    size_t n = 0;

    while (at + n < text.bytes && is((unsigned char)text.at[at + n]) != 0)
        n++;
    return n;
}

/* What `line` begins with that is like `stamp`, all of it, in bytes: a number,
 * with the blanks before it, is like any other, a word like any other, and the
 * rest like itself. 0: there is nothing like it. */
static size_t stamp_bytes(struct span stamp, struct span line)
{
    size_t at = 0, i = 0;

    while (i < stamp.bytes) {
        const size_t blanks = run_of(stamp, i, isblank);
        const size_t digits = run_of(stamp, i + blanks, isdigit);
        const size_t letters = run_of(stamp, i, isalpha);
        size_t like = 1;
        if (digits != 0) {
            at += run_of(line, at, isblank);
            like = run_of(line, at, isdigit);
            i += blanks + digits;
        } else if (letters != 0) {
            like = run_of(line, at, isalpha);
            i += letters;
        } else if (at == line.bytes || line.at[at] != stamp.at[i++]) {
            return 0;
        }
        if (like == 0)
            return 0;
        at += like;
    }
    return at;
}

static struct span after(struct span line, size_t bytes)
{
    return (struct span){line.at + bytes, line.bytes - bytes};
}

/* Whether `line` is a report's own behind what is like `stamp`. */
static bool is_stamped(struct span stamp, struct span line)
{
    const size_t bytes = stamp_bytes(stamp, line);

    return bytes != 0 && line_is_own(after(line, bytes));
}

/* Takes off what stands before lines[0], `before` bytes; and, where a log has
 * the like before each line, such as the time, all of that, which is
 * returned. */
static struct span take_off(struct span lines[], size_t count, size_t before)
{
    const struct span stamp = {lines[0].at, before};

    lines[0] = after(without_blanks(lines[0]), before);
    if (count < 2 || !is_stamped(stamp, lines[1]))
        return (struct span){0};
    for (size_t i = 1; i < count; i++)
        lines[i] = after(lines[i], stamp_bytes(stamp, lines[i]));
    return stamp;
}

/* The same of a report whose first line is lost, where lines[at] begins a test
 * behind what a log puts before each line. *from, at most `at`: its first line
 * that is left, from lines[*from] on. */
static struct span take_off_headless(struct span lines[], size_t count,
                                     size_t at, size_t *from)
{
    const char *running = span_find(lines[at], "# running ");
    const struct span stamp = {
        lines[at].at, running == NULL ? 0 : (size_t)(running - lines[at].at)};
    size_t first = at;

    if (stamp.bytes == 0 || at + 1 == count ||
        !is_stamped(stamp, lines[at + 1]))
        return (struct span){0};
    while (first > *from && is_stamped(stamp, lines[first - 1]))
        first--;
    *from = first;
    return take_off(lines + first, count - first,
                    stamp_bytes(stamp, lines[first]));
}

void lines_divide(struct span text, struct reports *out)
{
    struct span *lines = NULL, line, stamp = {0};
    size_t count = 0, from = 0;

    while (take_line(&text, &line))
        if (line.bytes != 0)
            APPEND(lines, count, line);
    for (size_t i = 0; i < count;) {
        const long before = first_line_at(lines[i]);
        if (before >= 0) {
            stamp = take_off(lines + i, count - i, (size_t)before);
        } else if (!is_inner(lines[i])) {
            const struct span found = take_off_headless(lines, count, i, &from);
            if (found.bytes == 0) {
                i++;
                continue;
            }
            stamp = found;
            i = from;
        }
        struct report report = {.headless = before < 0, .stamp = stamp};
        size_t end = find_end(lines + i, count - i);
        read_lines(lines + i, end, &report);
        APPEND(out->report, out->count, report);
        from = i += end;
    }
    free(lines);
}
