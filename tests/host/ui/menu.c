/* SPDX-License-Identifier: BSD-2-Clause */
/* menu.c - the menu: what it shows, and what each key does. */
#include "src/ui/menu.h"
#include "src/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char rows[64][512];
static unsigned rows_count;

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
    assert_false(menu.typing);
    assert_int_equal(press(&menu, KEY_UP), MENU_STAY); /* an item again */
    show_menu(&menu);
    assert_row(" > At the end");
}

/* All that the screen has, in order. */
static void show_is(const struct menu *menu, const char *const *wanted)
{
    unsigned n = 0;

    show_menu(menu);
    for (; wanted[n] != NULL; n++) {
        assert_true(n < rows_count);
        assert_string_equal(rows[n], wanted[n]);
    }
    assert_int_equal(rows_count, n);
}

static void letter_by_letter(void **state)
{
    static const char *const first[] = {
        "tsxpmu 0.1 (git 1234567)",
        "",
        " > Start",
        "   Tests: < * >",
        "   Rounds: < 1 >",
        "   Trials of each measurement, 0: as usual: < 0 >",
        "   Verbosity: < normal >",
        "   Raw records: < failed >",
        "   Dangerous operations allowed: < nothing >",
        "   At the end: < menu >",
        "   Type an option",
        "   Reboot",
        "   Power off",
        "   Back to the firmware",
        "",
        " Up, Down: choose; Left, Right: change; Enter: do it",
        " Options: tests=* seed=1",
        NULL};
    struct options options;
    struct menu menu;

    (void)state;
    options_default(&options);
    menu_open(&menu, &options, false);
    show_is(&menu, first);
    assert_int_equal(press(&menu, KEY_ESCAPE), MENU_STAY);
    menu_open(&menu, &options, true);
    assert_int_equal(press(&menu, KEY_ESCAPE), MENU_REPORT);
    show_menu(&menu);
    assert_row("Enter: do it; Esc: the report");
    /* What is longer goes on four columns further, below it. */
    go_to(&menu, "Type");
    press(&menu, KEY_ENTER);
    write_word(&menu, "tests=a,bcdefghijklmnopqrstuvwxyz0123456789");
    press(&menu, KEY_ENTER);
    press(&menu, KEY_ENTER);
    write_word(&menu, "machine=a_rack processors=0,2,4,6,8,10");
    press(&menu, KEY_ENTER);
    show_menu(&menu);
    assert_true(strncmp(rows[16], " Options: tests=a,b", 19) == 0);
    assert_true(strncmp(rows[17], "    ", 4) == 0 && rows[17][4] != ' ');
    /* An entry has an end, and what was wrong is forgotten with the next. */
    press(&menu, KEY_ENTER);
    for (unsigned n = 0; n < 100; n++)
        write_word(&menu, "x");
    assert_int_equal(strlen(menu.entry), MENU_ENTRY_BYTES - 1);
    press(&menu, KEY_ENTER);
    assert_true(menu.warning[0] != '\0');
    press(&menu, KEY_ENTER);
    assert_true(menu.typing);
    assert_string_equal(menu.warning, "");
    assert_string_equal(menu.entry, "");
    press(&menu, KEY_BACKSPACE);
    assert_string_equal(menu.entry, "");
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
        cmocka_unit_test(starts_at_once),
        cmocka_unit_test(each_item_changes_its_option),
        cmocka_unit_test(options_can_be_typed),
        cmocka_unit_test(letter_by_letter),
        cmocka_unit_test(fits_whatever_is_pressed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
