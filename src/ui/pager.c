/* SPDX-License-Identifier: BSD-2-Clause */
/* pager.c - rows found from any place in the text. */
#include "src/ui/pager.h"

#include "src/base/mem.h"
#include "src/ui/wrap.h"

static bool begins_line(const struct pager *p, size_t at)
{
    return at == 0 || p->text[at - 1] == '\n';
}

static size_t end_of_line(const struct pager *p, size_t at)
{
    while (at < p->bytes && p->text[at] != '\n')
        at++;
    return at;
}

/* The length of the row that begins at `at`; *next: where the next begins,
 * p->bytes where there is none. */
static size_t row_at(const struct pager *p, size_t at, size_t *next)
{
    size_t end = end_of_line(p, at), skip;
    size_t bytes =
        wrap_row(p->text + at, end - at, p->columns, begins_line(p, at), &skip);

    *next = at + bytes + skip;
    if (*next >= end)
        *next = end < p->bytes ? end + 1 : p->bytes;
    return bytes;
}

/* Where the row before the one at `at` begins; 0 where there is none. */
static size_t row_before(const struct pager *p, size_t at)
{
    size_t from = at != 0 ? at - 1 : 0, next;

    while (from > 0 && p->text[from - 1] != '\n')
        from--;
    for (;;) {
        row_at(p, from, &next);
        if (next >= at || next == from)
            return from;
        from = next;
    }
}

static size_t last_page(const struct pager *p)
{
    size_t top = p->bytes;

    for (unsigned i = 0; i < p->rows && top != 0; i++)
        top = row_before(p, top);
    return top;
}

void pager_open(struct pager *pager, const char *text, size_t bytes,
                unsigned columns, unsigned rows)
{
    *pager = (struct pager){text, bytes, columns, rows, 0};
    pager->top = last_page(pager);
}

static bool line_begins(const struct pager *p, size_t at, const char *with,
                        size_t bytes)
{
    return p->bytes - at >= bytes && memcmp(p->text + at, with, bytes) == 0;
}

void pager_to_summary(struct pager *pager)
{
    size_t found = pager->bytes;

    for (size_t at = 0; at < pager->bytes; at = end_of_line(pager, at) + 1) {
        if (line_begins(pager, at, "ok ", 3) ||
            line_begins(pager, at, "not ok ", 7))
            found = pager->bytes;
        else if (found == pager->bytes &&
                 line_begins(pager, at, "# summary: ", 11))
            found = at;
    }
    if (found != pager->bytes)
        pager->top = found;
}

static void move_rows(struct pager *p, int rows)
{
    size_t last = last_page(p);

    for (; rows < 0 && p->top != 0; rows++)
        p->top = row_before(p, p->top);
    for (; rows > 0 && p->top < last; rows--)
        row_at(p, p->top, &p->top);
}

void pager_key(struct pager *pager, enum key_code key)
{
    int page = pager->rows > 1 ? (int)pager->rows - 1 : 1;

    switch (key) {
    case KEY_UP:
        move_rows(pager, -1);
        break;
    case KEY_DOWN:
        move_rows(pager, 1);
        break;
    case KEY_PAGE_UP:
        move_rows(pager, -page);
        break;
    case KEY_PAGE_DOWN:
        move_rows(pager, page);
        break;
    case KEY_HOME:
        pager->top = 0;
        break;
    case KEY_END:
        pager->top = last_page(pager);
        break;
    default:
        break;
    }
}

void pager_show(const struct pager *pager,
                void (*row)(void *context, const char *text, size_t bytes,
                            bool first),
                void *context)
{
    size_t at = pager->top, next;

    for (unsigned i = 0; i < pager->rows && at < pager->bytes; i++) {
        size_t bytes = row_at(pager, at, &next);
        row(context, pager->text + at, bytes, begins_line(pager, at));
        at = next;
    }
}

unsigned pager_percent(const struct pager *pager)
{
    size_t at = pager->top;

    for (unsigned i = 0; i < pager->rows && at < pager->bytes; i++)
        row_at(pager, at, &at);
    return pager->bytes != 0 ? (unsigned)(at * 100 / pager->bytes) : 100;
}
