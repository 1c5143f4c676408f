/* SPDX-License-Identifier: BSD-2-Clause */
/* ui.c - rows, pages and the menu, on screens of many sizes. */
#include "src/base/text.h"
#include "src/ui/menu.h"
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

/* --- The menu ------------------------------------------------------------ */

static void menu_row(void *context, const char *row)
{
    (void)context;
    assert_true(strlen(row) <= MENU_COLUMNS);
    snprintf(rows[rows_count++], sizeof(rows[0]), "%s", row);
    assert_true(rows_count <= MENU_ROWS);
}

static void show_menu(const struct menu *menu)
{
    rows_count = 0;
    menu_show(menu, "tsxpmu 0.1 (git 1234567)", menu_row, NULL);
}

static void assert_row(const char *wanted)
{
    for (unsigned i = 0; i < rows_count; i++)
        if (strstr(rows[i], wanted) != NULL)
            return;
    print_error("no row has: %s\n", wanted);
    fail();
}

static enum menu_action press(struct menu *menu, enum key_code code)
{
    return menu_key(menu, (struct key){code, 0});
}

static void write_word(struct menu *menu, const char *word)
{
    for (; *word != '\0'; word++)
        assert_int_equal(menu_key(menu, (struct key){KEY_CHARACTER, *word}),
                         MENU_STAY);
}

/* To the item whose row has this. */
static void go_to(struct menu *menu, const char *name)
{
    char wanted[64];

    snprintf(wanted, sizeof(wanted), " > %s", name);
    for (unsigned i = 0; i < 30; i++) {
        show_menu(menu);
        for (unsigned r = 0; r < rows_count; r++)
            if (strncmp(rows[r], wanted, strlen(wanted)) == 0)
                return;
        press(menu, KEY_DOWN);
    }
    fail();
}

static void starts_at_once(void **state)
{
    struct options options;
    struct menu menu;

    (void)state;
    options_default(&options);
    menu_open(&menu, &options, false);
    assert_int_equal(press(&menu, KEY_OTHER), MENU_STAY);
    assert_int_equal(press(&menu, KEY_ENTER), MENU_START);
    go_to(&menu, "Reboot");
    assert_int_equal(press(&menu, KEY_ENTER), MENU_REBOOT);
    go_to(&menu, "Power off");
    assert_int_equal(press(&menu, KEY_ENTER), MENU_POWEROFF);
    go_to(&menu, "Back to the firmware");
    assert_int_equal(press(&menu, KEY_ENTER), MENU_FIRMWARE);
    press(&menu, KEY_DOWN); /* round */
    assert_int_equal(press(&menu, KEY_ENTER), MENU_START);
    press(&menu, KEY_UP);
    assert_int_equal(press(&menu, KEY_ENTER), MENU_FIRMWARE);
}

static void each_item_changes_its_option(void **state)
{
    struct options options;
    struct menu menu;

    (void)state;
    options_default(&options);
    menu_open(&menu, &options, false);
    go_to(&menu, "Tests");
    press(&menu, KEY_RIGHT);
    assert_string_equal(options.tests, "counter3");
    press(&menu, KEY_LEFT);
    press(&menu, KEY_LEFT);
    assert_string_equal(options.tests, "pt");
    go_to(&menu, "Rounds");
    press(&menu, KEY_ENTER); /* as right */
    assert_int_equal(options.repeats, 2);
    go_to(&menu, "Trials");
    press(&menu, KEY_LEFT);
    assert_int_equal(options.trials, 10000);
    go_to(&menu, "Verbosity");
    press(&menu, KEY_RIGHT);
    assert_int_equal(options.verbosity, VERBOSITY_VERBOSE);
    go_to(&menu, "Raw");
    press(&menu, KEY_RIGHT);
    assert_int_equal(options.raw, RAW_ALL);
    go_to(&menu, "Dangerous");
    assert_int_equal(options.allow, 0);
    press(&menu, KEY_RIGHT);
    assert_int_equal(options.allow, ALLOW_SDV_ENABLE_RTM);
    go_to(&menu, "At the end");
    press(&menu, KEY_RIGHT);
    assert_int_equal(options.at_end, AT_END_FIRMWARE);
    show_menu(&menu);
    assert_row("Rounds: < 2 >");
    assert_row("allow=sdv_enable_rtm");
}

static void options_can_be_typed(void **state)
{
    struct options options;
    struct menu menu;

    (void)state;
    options_default(&options);
    menu_open(&menu, &options, false);
    go_to(&menu, "Type");
    assert_int_equal(press(&menu, KEY_ENTER), MENU_STAY);
    write_word(&menu, "trials=77x");
    press(&menu, KEY_BACKSPACE);
    show_menu(&menu);
    assert_row("key=value, Enter to take it: trials=77_");
    press(&menu, KEY_UP); /* no item while typing */
    press(&menu, KEY_ENTER);
    assert_int_equal(options.trials, 77);
    show_menu(&menu);
    assert_row("< as typed >");
    press(&menu, KEY_ENTER);
    write_word(&menu, "frobnicate=1");
    press(&menu, KEY_ENTER);
    show_menu(&menu);
    assert_row("option frobnicate=1: no such option");
    press(&menu, KEY_ENTER);
    write_word(&menu, "a=1 trials=x seed=9 b");
    press(&menu, KEY_ENTER);
    show_menu(&menu);
    assert_row("option a=1: no such option; option trials=x: wanted 0 to");
    assert_row("option b:");
    assert_int_equal(options.seed, 9);
    press(&menu, KEY_ENTER);
    write_word(&menu, "a b c d e f g h i j k l m n o p q r s t u v w x y z");
    press(&menu, KEY_ENTER);
    show_menu(&menu); /* fits */
    press(&menu, KEY_ENTER);
    write_word(&menu, "trials=5");
    press(&menu, KEY_ESCAPE);
    assert_int_equal(options.trials, 77);
}

/* Whatever is pressed, it fits (menu_row checks), and the options are always
 * those that can be said. */
static void fits_whatever_is_pressed(void **state)
{
    struct options options;
    struct menu menu;

    (void)state;
    srand(1);
    options_default(&options);
    menu_open(&menu, &options, false);
    for (unsigned i = 0; i < 20000; i++) {
        struct key key = {(enum key_code)(rand() % (KEY_OTHER + 1)),
                          (char)(' ' + rand() % 95)};
        if (rand() % 50 == 0)
            options_parse(&options, "processors=0,2,4,6,8,10,12,14,16,18,20,22",
                          41, NULL, NULL);
        menu_key(&menu, key);
        show_menu(&menu);
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
        cmocka_unit_test(starts_at_once),
        cmocka_unit_test(each_item_changes_its_option),
        cmocka_unit_test(options_can_be_typed),
        cmocka_unit_test(fits_whatever_is_pressed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
