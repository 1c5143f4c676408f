/* SPDX-License-Identifier: BSD-2-Clause */
/* store_fixture.h - runs on a volume, from power-on to power-off, and what they
 * are tested with. */
#ifndef TESTS_HOST_STORE_STORE_FIXTURE_H
#define TESTS_HOST_STORE_STORE_FIXTURE_H

#include "src/session/outcomes.h"
#include "src/base/crc.h"
#include "src/session/resume.h"
#include "src/store/report_name.h"
#include "src/store/store.h"
#include "tests/host/fakes/fake_hw.h"
#include "tests/host/fakes/fake_volume.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#undef skip /* src/harness/case.h has one too */

#define REPORT  "20261121-0907-06_5E_3-C6.log"
#define IMAGE   0x89abcdef
#define OPTIONS "tests=*"

static jmp_buf power;
static bool reset_in_body;
static unsigned bodies; /* of the test that resets, begun */

static inline void power_off(void)
{
    longjmp(power, 1);
}

static inline void good_body(struct test_context *t)
{
    check(t, true, "good");
}

static inline void bad_body(struct test_context *t)
{
    check_equal(t, "IA32_PMC3 (C4H)", 4, 5);
}

static inline void skipped_body(struct test_context *t)
{
    skip(t, "needs what is not there");
}

static inline void reset_body(struct test_context *t)
{
    check(t, true, "good");
    bodies++;
    if (reset_in_body) {
        fake_volume_cut_power();
        power_off();
    }
}

#define T(id, body_of)                                      \
    static const struct test id = {                         \
        #id,       "What of it?", "A book", EACH_PROCESSOR, \
        {0, 0, 0}, body_of,       NULL,     0}
T(a_good, good_body);
T(b_bad, bad_body);
T(c_reset, reset_body);
T(d_skipped, skipped_body);
T(e_good, good_body);

static const struct test *const five[] = {&e_good, &d_skipped, &c_reset,
                                          &a_good, &b_bad,     NULL};

/* What the last start found, warned of, and said. */
static const char *offered, *warned, *refused;
static struct store store;
static bool forget;
static unsigned runs; /* in one start, by the menu */

/* One run of the start. warnings: room for one more. */
static inline void run(const struct options *options, uint32_t image,
                       const char *warnings[], unsigned count)
{
    static struct sink sinks[2];
    static void *workspace;

    if (workspace == NULL)
        workspace = malloc(session_workspace(2));
    fake_sink(&sinks[0]);
    refused = store_open(&store, options, &sinks[1]);
    if (refused != NULL)
        warnings[count++] = refused;
    struct session_setup setup = {
        .options = options,
        .sinks = sinks,
        .sinks_count = refused != NULL ? 1 : 2,
        .program = "tsxpmu 0.1 (git 1234567)",
        .image_crc = image,
        .warnings = warnings,
        .warnings_count = count,
        .store = refused != NULL ? NULL : &store,
        .workspace = workspace,
    };
    session_run(&setup);
}

/* A power-on; what the serial port says is in fake_report. False where the
 * power failed before the end. */
static inline bool start_as(const char *words, uint32_t image,
                            unsigned microcode)
{
    static struct options options;
    static struct identity id;
    static char warning[STORE_LINE_BYTES], offer[STORE_LINE_BYTES];
    const char *warnings[2];
    unsigned count = 0;

    fake_volume_power_on();
    fake_reset();
    fake_processors(2);
    fake_cases = five;
    for (fake_current = 0; fake_current < 2; fake_current++)
        fake_msr(0x8b)->value = (uint64_t)microcode << 32;
    fake_current = 0;
    if (setjmp(power) != 0)
        return false;
    options_default(&options);
    options_parse(&options, words, strlen(words), NULL, NULL);
    identity_read(&id);
    offered = store_find(&store, &id, image, &options, &warned)
                  ? resume_offer(&store, offer)
                  : NULL;
    if (warned != NULL) {
        snprintf(warning, sizeof(warning), "%s", warned);
        warnings[count++] = warned = warning;
    }
    if (offered != NULL && forget)
        store_forget(&store);
    else if (offered != NULL)
        store_options(&store, &options);
    for (unsigned i = 0; i < runs; i++)
        run(&options, image, warnings, count);
    return true;
}

static inline bool start(void)
{
    return start_as(OPTIONS, IMAGE, 0xc6);
}

static inline void begin(void)
{
    fake_volume_reset();
    fake_volume_power_off = power_off;
    reset_in_body = forget = false;
    runs = 1;
    bodies = 0;
}

static inline void assert_has(const char *text, const char *what)
{
    if (strstr(text, what) == NULL) {
        print_error("not there: %s\nin:\n%s", what, text);
        fail();
    }
}

static inline unsigned count_of(const char *text, const char *what)
{
    unsigned n = 0;

    for (; (text = strstr(text, what)) != NULL; text++)
        n++;
    return n;
}

/* What the END line says is true of the text, and it is the last. */
static inline void assert_sound(const char *text)
{
    char want[128];
    const char *end = strstr(text, "# END ");

    assert_non_null(end);
    snprintf(want, sizeof(want),
             "# END pass=%u fail=%u error=%u skip=%u known=0 crc=%08X\n",
             count_of(text, "\nok ") - count_of(text, "# SKIP "),
             count_of(text, "\nnot ok ") - count_of(text, "# ERROR "),
             count_of(text, "# ERROR "), count_of(text, "# SKIP "),
             crc32(0, text, (size_t)(end - text)));
    assert_string_equal(end, want);
}

#endif
