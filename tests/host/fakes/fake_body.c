/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_body.c - a body in copies of the process, each of which has another
 * register that is refused. */
#define _DEFAULT_SOURCE
#include "tests/host/fakes/fake_body.h"

#include "src/base/msr.h"
#include "tests/host/fakes/fake_hw.h"

#include <execinfo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define WRITES 16384
#define DEPTH  10 /* of callers, which tell places apart */
#define TESTS  64 /* of one program */

/* What a copy tells this process. */
static struct copy {
    bool ended, passes;
    unsigned writes;
    uint64_t places[WRITES]; /* of each, where nothing is refused */
    uint32_t msr;            /* that is refused */
    unsigned before, after;  /* checks made before that, and in all */
    unsigned lines;          /* FAIL and ERROR; */
    unsigned fails;          /* of these, FAIL; */
    unsigned refusals;       /* those of an exception, */
    unsigned restoring;      /* and of a value that is not given back */
    char text[2 * CONTEXT_TEXT_BYTES];
} * copy;

bool fake_unguarded;
static bool is_copy;
static const struct test_context *body; /* .. of this */
static unsigned refused_from;           /* this write, from 1; 0: none is */
static uint32_t refused_msr;
static unsigned refused_on; /* this processor */

static uint64_t place_of(uint32_t msr)
{
    void *callers[DEPTH];
    const int depth = backtrace(callers, DEPTH);
    uint64_t place = msr;

    for (int n = 0; n < depth; n++)
        place = place * 31 + (uintptr_t)callers[n];
    return place;
}

static unsigned checks(void)
{
    return body->all[refused_on].checks;
}

bool fake_refuses(uint32_t msr)
{
    if (!is_copy || fake_unguarded || copy->writes == WRITES)
        return false;
    if (refused_from == 0)
        copy->places[copy->writes] = place_of(msr);
    if (++copy->writes == refused_from) {
        copy->msr = refused_msr = msr;
        refused_on = fake_current;
        copy->before = checks();
    }
    return refused_from != 0 && copy->writes >= refused_from &&
           msr == refused_msr && fake_current == refused_on;
}

void fake_copy_ends(void)
{
    if (is_copy)
        _exit(1);
}

static unsigned count(const char *text, const char *word)
{
    unsigned n = 0;

    while ((text = strstr(text, word)) != NULL) {
        n++;
        text++;
    }
    return n;
}

static void look(const struct test_context *t)
{
    size_t bytes = 0;

    copy->passes = true;
    copy->lines = copy->fails = copy->refusals = copy->restoring = 0;
    copy->after = checks();
    for (unsigned p = 0; p < t->processors; p++) {
        struct test_context *one = &t->all[p];

        one->text[one->text_bytes] = '\0';
        copy->passes &= one->verdict <= VERDICT_PASS;
        copy->fails += count(one->text, "FAIL: ");
        copy->lines += count(one->text, "FAIL: ") + count(one->text, "ERROR: ");
        copy->restoring += count(one->text, "not restored");
        copy->refusals += count(one->text, " #GP");
        if (bytes < sizeof(copy->text))
            bytes +=
                (size_t)snprintf(copy->text + bytes, sizeof(copy->text) - bytes,
                                 "%s", one->text);
    }
}

static void run_copy(struct test_context *t, unsigned from)
{
    copy->ended = false;
    copy->writes = 0;
    copy->text[0] = '\0';
    fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        is_copy = true;
        body = t;
        refused_from = from;
        t->test->body(t);
        look(t);
        copy->ended = true;
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

/* It is said once: again where the value is not given back, where a window is
 * to stop, or the branches before it are to be gone. Nothing else is, and
 * nothing judged but that the job has ended. */
static bool says_so_alone(const struct test *test)
{
    const unsigned judged = copy->after - copy->before - copy->fails;
    const unsigned times = copy->lines - copy->restoring;
    const bool stops =
        copy->msr == IA32_PERF_GLOBAL_CTRL || copy->msr == IA32_PEBS_ENABLE;

    return copy->lines != 0 && copy->refusals == copy->lines &&
           judged <= (test->scope == WHOLE_MACHINE) &&
           (times <= (stops ? 3 : 1) || strstr(test->file, "/lbr/") != NULL);
}

static bool is_among(uint64_t place, const uint64_t *places, unsigned number)
{
    for (unsigned n = 0; n < number; n++)
        if (places[n] == place)
            return true;
    return false;
}

/* At the first and the last write of each place. */
static void refuse_each(struct test_context *t, unsigned writes)
{
    const uint64_t *places = copy->places;

    for (unsigned n = 0; n < writes; n++) {
        if (is_among(places[n], places, n) &&
            is_among(places[n], places + n + 1, writes - n - 1))
            continue;
        run_copy(t, n + 1);
        if (!copy->ended || !says_so_alone(t->test))
            fail_msg("%s, MSR %XH raises #GP from WRMSR %u on: %s%s",
                     t->test->name, copy->msr, n + 1,
                     copy->ended ? "" : "does not end: ", copy->text);
    }
}

/* Whether a body ends where a register is refused. */
static bool ends_there(const struct test *test)
{
    static const char *const folders[] = {"/counting/", "/lbr/", "/memory/",
                                          "/pebs/", "/uncore/"};
    /* Others go on: with each register by itself, each counter, what other
     * processors do. */
    static const char *const go_on[] = {"counter3_any_force_abort",
                                        "counter3_counts_alone",
                                        "counter3_counts_force_abort",
                                        "counter3_counts_sdv",
                                        "counter3_counts_under_rtm",
                                        "counter3_full_width_alias",
                                        "counter3_other_processor",
                                        "counter3_overflow",
                                        "counter3_provoked",
                                        "counter3_registers_hold",

                                        "counter_any_thread",
                                        "counter_enable_bits",
                                        "counter_inuse",
                                        "counter_overflow_bits",
                                        "counter_registers",
                                        "counter_reserved_bits",
                                        "counter_thread_scope",
                                        "counters_above_3",
                                        "counters_independent",
                                        "counters_mixed",
                                        "fixed_counter_writes",
                                        "global_status_set",
                                        "lbr_registers",
                                        "lbr_transactions",
                                        "lbr_while_tracing",
                                        "load_latency_snoop",
                                        "offcore_counts",
                                        "offcore_reserved",
                                        "offcore_snoops",
                                        "pebs_registers",
                                        "pebs_registers_apart",
                                        "perf_capabilities",
                                        "perf_metrics",
                                        "uncore_clock",
                                        "uncore_overflow",
                                        "uncore_pmi",
                                        "uncore_reserved",
                                        "uncore_selects",
                                        "uncore_snoops"};
    bool is = false;

    for (size_t n = 0; n < sizeof(folders) / sizeof(folders[0]); n++)
        is |= strstr(test->file, folders[n]) != NULL;
    for (size_t n = 0; n < sizeof(go_on) / sizeof(go_on[0]); n++)
        is &= strcmp(test->name, go_on[n]) != 0;
    return is;
}

void fake_body(struct test_context *t)
{
    static const struct test *done[TESTS];
    static unsigned tests;
    bool is_due = ends_there(t->test);

    for (unsigned n = 0; n < tests; n++)
        is_due &= done[n] != t->test;
    if (is_due && copy == NULL) {
        copy = mmap(NULL, sizeof(*copy), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert_ptr_not_equal(copy, MAP_FAILED);
    }
    if (is_due) {
        run_copy(t, 0);
        if (copy->ended && copy->passes) {
            assert_true(tests < TESTS && copy->writes < WRITES);
            done[tests++] = t->test;
            refuse_each(t, copy->writes);
        }
    }
    t->test->body(t);
}
