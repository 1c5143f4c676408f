/* SPDX-License-Identifier: BSD-2-Clause */
/* session_fixture.h - whole runs on the fake machine, and what they are tested
 * with. */
#ifndef TESTS_HOST_SESSION_SESSION_FIXTURE_H
#define TESTS_HOST_SESSION_SESSION_FIXTURE_H

#include "src/base/msr.h"
#include "src/base/crc.h"
#include "src/session/session.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ASKS(name) "What of " name "?"
#define CITE       "A book, \"A table\""

/* What the body of the test named counter3_overflow does. */
static void (*inject)(struct test_context *t);

static inline void overflow_body(struct test_context *t)
{
    set_msr(t, TSX_FORCE_ABORT, 1);
    set_msr(t, IA32_PERFEVTSEL(3), 0x4300c0);
    if (inject != NULL)
        inject(t);
    check_equal(t, "IA32_PMC3 (C4H)", 5, 5);
}

static inline void alone_body(struct test_context *t)
{
    note(t, "windows: %u", test_trials(t, 1000, 100));
    observe(t, "a thing", test_processor(t), 3);
    check_equal(t, "IA32_PMC3 (C4H)", 4, 5);
}

static inline void regime_c_body(struct test_context *t)
{
    check(t, true, "never seen");
}

static inline void silent_body(struct test_context *t)
{
    note(t, "looked at nothing");
}

static inline void peer_sets(struct test_context *peer, void *argument)
{
    set_msr(peer, TSX_FORCE_ABORT, *(uint64_t *)argument);
    if (inject != NULL)
        inject(peer);
}

static inline void scope_body(struct test_context *t)
{
    uint64_t one = 1;

    for (unsigned p = 0; p < hw_processors(); p++)
        check(t, on_processor(t, p, peer_sets, &one),
              "processor %u set the bit", p);
    check(t, !on_processor(t, 99, peer_sets, &one), "there is no processor 99");
}

static const struct test overflow = {
    "counter3_overflow",           ASKS("overflow"), CITE, EACH_PROCESSOR,
    {0, NEED_INTEL | NEED_PMU, 4}, overflow_body,    NULL, 0};
static const struct test alone = {
    "counter3_counts_alone",       ASKS("alone"), CITE, EACH_PROCESSOR,
    {0, NEED_INTEL | NEED_PMU, 4}, alone_body,    NULL, 0};
static const struct test needs_c = {
    "always_abort_default",      ASKS("C"),     CITE, EACH_PROCESSOR,
    {REGIME_C | REGIME_D, 0, 0}, regime_c_body, NULL, 0};
static const struct test silent = {
    "silent",  ASKS("silence"), CITE, EACH_PROCESSOR,
    {0, 0, 0}, silent_body,     NULL, 0};
static const struct test scope = {
    "force_abort_thread_scope",  ASKS("scope"), CITE, WHOLE_MACHINE,
    {0, NEED_TWO_PROCESSORS, 0}, scope_body,    NULL, 0};

static const struct test *const three[] = {&overflow, &needs_c, &alone, NULL};
static const struct test *const one_overflow[] = {&overflow, NULL};
static const struct test *const one_silent[] = {&silent, NULL};
static const struct test *const one_scope[] = {&scope, NULL};

/* What firmware calls the machine of the next runs; NULL: nothing. */
static const struct machine *named;

/* What the next runs are asked beside tests= and trials=, as words. */
static const char *words = "";

static inline void no_warning(void *context, const char *line)
{
    (void)context;
    print_error("%s\n", line);
    fail();
}

static inline struct ktap_totals run(const struct test *const *list,
                                     const char *tests, unsigned trials)
{
    static const char *const warnings[] = {"no serial port at 3F8H"};
    struct options options;
    struct sink sink;
    /* Not cleared: the session has to do that. */
    void *workspace = malloc(session_workspace(hw_processors()));

    memset(workspace, 0xa5, session_workspace(hw_processors()));
    fake_cases = list;
    fake_sink(&sink);
    options_default(&options);
    snprintf(options.tests, sizeof(options.tests), "%s", tests);
    options.trials = trials;
    options_parse(&options, words, strlen(words), no_warning, NULL);
    struct session_setup setup = {
        .options = &options,
        .sinks = &sink,
        .sinks_count = 1,
        .program = "tsxpmu 0.1 (git 1234567)",
        .image_crc = 0x89abcdef,
        .warnings = warnings,
        .warnings_count = 1,
        .machine = named,
        .workspace = workspace,
    };
    struct ktap_totals totals = session_run(&setup);
    free(workspace);
    return totals;
}

/* The END line agrees with the totals and with what stands before it. */
static inline void assert_sound(struct ktap_totals totals)
{
    char want[128];
    char *end = strstr(fake_report, "# END ");

    assert_non_null(end);
    assert_true(strncmp(fake_report, "KTAP version 1\n1..", 18) == 0);
    snprintf(want, sizeof(want),
             "# END pass=%u fail=%u error=%u skip=%u known=%u crc=%08X\n",
             totals.pass, totals.fail, totals.error, totals.skip, totals.known,
             crc32(0, fake_report, (size_t)(end - fake_report)));
    assert_string_equal(end, want);
}

static inline void assert_has(const char *text)
{
    if (strstr(fake_report, text) == NULL) {
        print_error("not there: %s\nin:\n%s", text, fake_report);
        fail();
    }
}

static inline void assert_lacks(const char *text)
{
    if (strstr(fake_report, text) != NULL) {
        print_error("there: %s\nin:\n%s", text, fake_report);
        fail();
    }
}

static inline void assert_restored(void)
{
    for (fake_current = 0; fake_current < hw_processors(); fake_current++) {
        assert_int_equal(fake_msr(TSX_FORCE_ABORT)->value, 0);
        assert_int_equal(fake_msr(IA32_PERFEVTSEL(3))->value, 0);
    }
    fake_current = 0;
}

#endif
