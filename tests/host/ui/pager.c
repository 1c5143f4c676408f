/* SPDX-License-Identifier: BSD-2-Clause */
/* pager.c - rows and pages, on screens of many sizes. */
#include "src/ui/pager.h"
#include "src/ui/wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- Rows ---------------------------------------------------------------- */

static char rows[512][512];
static unsigned rows_count;

static void wrap(const char *line, unsigned columns)
{
    size_t bytes = strlen(line), skip;

    rows_count = 0;
    for (bool first = true; bytes != 0; first = false) {
        size_t n = wrap_row(line, bytes, columns, first, &skip);
        assert_true(n != 0 && n + skip <= bytes);
        assert_true(n <= columns - (first ? 0 : WRAP_INDENT));
        snprintf(rows[rows_count++], sizeof(rows[0]), "%.*s", (int)n, line);
        line += n + skip;
        bytes -= n + skip;
    }
}

static void between_words(void **state)
{
    (void)state;
    wrap("# one two three", 15);
    assert_int_equal(rows_count, 1);
    wrap("# one two three", 14);
    assert_int_equal(rows_count, 2);
    assert_string_equal(rows[0], "# one two");
    assert_string_equal(rows[1], "three");
    wrap("# one   two three four", 9); /* 5 in each row but the first */
    assert_int_equal(rows_count, 4);
    assert_string_equal(rows[0], "# one");
    assert_string_equal(rows[1], "two");
    assert_string_equal(rows[3], "four");
    wrap("abcdefghijklm", 9); /* no blank: cut */
    assert_int_equal(rows_count, 2);
    assert_string_equal(rows[0], "abcdefghi");
    assert_string_equal(rows[1], "jklm");
    wrap("     ", 80);
    assert_int_equal(rows_count, 1);
}

/* Every word stands whole in a row, and the words are those of the line. */
static void no_word_is_cut_that_fits(void **state)
{
    static const char line[] =
        "# processors 0-1: performance monitoring version 4, 4 general-purpose "
        "counters of 48 bits, 3 fixed counters of 48 bits, PEBS format 3, "
        "full-width writes yes; evidence: CPUID.7.0:EDX[13] = 1";
    char joined[sizeof(line) + 1];

    (void)state;
    for (unsigned columns = 24; columns < 240; columns++) {
        wrap(line, columns);
        joined[0] = '\0';
        for (unsigned i = 0; i < rows_count; i++) {
            if (i != 0)
                strcat(joined, " ");
            strcat(joined, rows[i]);
        }
        assert_string_equal(joined, line);
    }
}

/* --- Pages --------------------------------------------------------------- */

static char text[20000];
static char shown[60][512];
static unsigned shown_count;

static void show_row(void *context, const char *row, size_t bytes, bool first)
{
    (void)context;
    snprintf(shown[shown_count++], sizeof(shown[0]), "%s%.*s",
             first ? "" : "    ", (int)bytes, row);
}

static void show(const struct pager *pager)
{
    shown_count = 0;
    pager_show(pager, show_row, NULL);
    assert_true(shown_count <= pager->rows);
    for (unsigned i = 0; i < shown_count; i++)
        assert_true(strlen(shown[i]) <= pager->columns);
}

/* Lines of many lengths; an empty one among them. */
static size_t make_text(unsigned lines)
{
    size_t at = 0;

    for (unsigned i = 0; i < lines; i++) {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "line%u", i);
        for (unsigned n = 0; n < i * 7 % 40; n++)
            at += (size_t)snprintf(text + at, sizeof(text) - at, " word%u", n);
        text[at++] = '\n';
    }
    text[at] = '\0';
    return at;
}

static void the_last_page_first(void **state)
{
    struct pager p;

    (void)state;
    size_t bytes = make_text(60);
    pager_open(&p, text, bytes, 79, 24);
    show(&p);
    assert_int_equal(shown_count, 24);
    assert_int_equal(pager_percent(&p), 100);
    const char *end = strrchr(shown[23], ' ');
    assert_non_null(end);
    assert_non_null(strstr(text + bytes - 10, end + 1));
    pager_key(&p, KEY_DOWN);
    pager_key(&p, KEY_PAGE_DOWN);
    show(&p);
    assert_int_equal(shown_count, 24);
}

/* Down row by row from the top shows every row once, in order, and up the same
 * rows backwards; a page moves by one row less than there are. */
static void every_way_through_the_text(void **state)
{
    static char all[600][512];
    const unsigned heights[] = {1, 2, 24, 49};
    unsigned count;
    struct pager p;

    (void)state;
    size_t bytes = make_text(40);
    for (unsigned h = 0; h < 4; h++) {
        for (unsigned columns = 20; columns <= 100; columns += 13) {
            pager_open(&p, text, bytes, columns, heights[h]);
            size_t bottom = p.top;
            pager_key(&p, KEY_HOME);
            for (count = 0; count < 600; count++) {
                size_t top = p.top;
                show(&p);
                strcpy(all[count], shown[0]);
                pager_key(&p, KEY_DOWN);
                if (p.top == top)
                    break;
            }
            assert_int_equal(p.top, bottom);
            unsigned page = heights[h] > 1 ? heights[h] - 1 : 1;
            page = page < count ? page : count; /* no further than the end */
            assert_true(strncmp(all[0], "line0", 5) == 0);
            for (; p.top != 0; count--) {
                show(&p);
                assert_string_equal(shown[0], all[count]);
                pager_key(&p, KEY_UP);
            }
            assert_int_equal(count, 0);
            pager_key(&p, KEY_PAGE_DOWN);
            show(&p);
            assert_string_equal(shown[0], all[page]);
            pager_key(&p, KEY_PAGE_UP);
            assert_int_equal(p.top, 0);
            pager_key(&p, KEY_END);
            assert_int_equal(p.top, bottom);
        }
    }
}

/* The last one, behind all results; it may be longer than a page, or shorter.
 */
static void the_summary(void **state)
{
    static const char report[] = "1..2\nok 1 - a\n# summary: first\n"
                                 "not ok 2 - b\n# a note\n# summary: second\n"
                                 "# summary: third\n# END pass=1\n";
    struct pager p;

    (void)state;
    for (unsigned height = 2; height < 10; height += 7) {
        pager_open(&p, report, sizeof(report) - 1, 79, height);
        pager_to_summary(&p);
        show(&p);
        assert_string_equal(shown[0], "# summary: second");
        assert_int_equal(shown_count, height == 2 ? 2 : 3);
    }
    pager_key(&p, KEY_UP);
    show(&p);
    assert_string_equal(shown[0], "# a note");
    pager_open(&p, report, 40, 79, 24); /* ends with a result */
    pager_to_summary(&p);
    assert_int_equal(p.top, 0);
    pager_open(&p, "# summary: x", 12, 79, 24);
    pager_to_summary(&p);
    assert_int_equal(p.top, 0);
}

static void short_texts(void **state)
{
    struct pager p;

    (void)state;
    pager_open(&p, "", 0, 79, 24);
    show(&p);
    assert_int_equal(shown_count, 0);
    assert_int_equal(pager_percent(&p), 100);
    pager_open(&p, "a\n\nb", 4, 79, 24); /* an empty line, no last newline */
    show(&p);
    assert_int_equal(shown_count, 3);
    assert_string_equal(shown[1], "");
    assert_string_equal(shown[2], "b");
    for (enum key_code key = KEY_NONE; key <= KEY_OTHER; key++) {
        pager_key(&p, key);
        assert_int_equal(p.top, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_words),
        cmocka_unit_test(no_word_is_cut_that_fits),
        cmocka_unit_test(the_last_page_first),
        cmocka_unit_test(every_way_through_the_text),
        cmocka_unit_test(short_texts),
        cmocka_unit_test(the_summary),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
