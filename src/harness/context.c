/* SPDX-License-Identifier: BSD-2-Clause */
/* context.c - what a test's body reads, says and does (case.h). */
#include "src/harness/context.h"

#include "src/base/mem.h"
#include "src/harness/verdict.h"

/* --- Lines and verdicts -------------------------------------------------- */

/* Of an erratum that a test meets again and again: the room is for what else
 * there is to say. */
#define KNOWN_LINES 2

/* Of text[], reserved for the line that says how many are left out. */
#define LEFT_OUT_BYTES 40

static void add_line(struct test_context *t, const char *before,
                     const char *line)
{
    char whole[CONTEXT_LINE_BYTES + 16];
    size_t bytes = text_format(whole, sizeof(whole), "%s%s\n", before, line);
    size_t room = sizeof(t->text) - LEFT_OUT_BYTES - t->text_bytes;

    if (t->left_out != 0 || bytes > room) {
        t->left_out++;
        return;
    }
    memcpy(t->text + t->text_bytes, whole, bytes);
    t->text_bytes += bytes;
}

static void add_verdict(struct test_context *t, enum verdict verdict,
                        const char *line)
{
    static const char *const before[] = {
        [VERDICT_NONE] = "",         [VERDICT_PASS] = "",
        [VERDICT_SKIP] = "SKIP: ",   [VERDICT_FAIL] = "FAIL: ",
        [VERDICT_ERROR] = "ERROR: ", [VERDICT_KNOWN] = "KNOWN ",
    };

    if (verdict > t->verdict)
        text_format(t->reason, sizeof(t->reason), "%s", line);
    t->verdict = verdict_worst(t->verdict, verdict);
    add_line(t, before[verdict], line);
}

/* A line with its prefix. */
static void prefix_format(const struct test_context *t,
                          char line[CONTEXT_LINE_BYTES], const char *format,
                          va_list arguments) PRINTF_LIKE(3, 0);
static void prefix_format(const struct test_context *t,
                          char line[CONTEXT_LINE_BYTES], const char *format,
                          va_list arguments)
{
    size_t bytes = text_format(line, CONTEXT_LINE_BYTES, "%s", t->prefix);

    text_format_list(line + bytes, CONTEXT_LINE_BYTES - bytes, format,
                     arguments);
}

static void add_verdict_list(struct test_context *t, enum verdict verdict,
                             const char *format, va_list arguments)
    PRINTF_LIKE(3, 0);
static void add_verdict_list(struct test_context *t, enum verdict verdict,
                             const char *format, va_list arguments)
{
    char line[CONTEXT_LINE_BYTES];

    prefix_format(t, line, format, arguments);
    add_verdict(t, verdict, line);
}

bool check(struct test_context *t, bool ok, const char *format, ...)
{
    va_list arguments;

    t->checks++;
    if (ok) {
        t->verdict = verdict_worst(t->verdict, VERDICT_PASS);
        return true;
    }
    va_start(arguments, format);
    add_verdict_list(t, VERDICT_FAIL, format, arguments);
    va_end(arguments);
    return false;
}

bool check_known(struct test_context *t, bool ok, enum erratum erratum,
                 bool signature, const char *format, ...)
{
    struct erratum_found found;
    char line[CONTEXT_LINE_BYTES], whole[CONTEXT_LINE_BYTES];
    va_list arguments;

    if (ok)
        return check(t, true, "%s", format);
    va_start(arguments, format);
    prefix_format(t, line, format, arguments);
    va_end(arguments);
    t->checks++;
    if (!signature || !errata_find(&t->cpu, erratum, &found)) {
        add_verdict(t, VERDICT_FAIL, line);
        return false;
    }
    t->known |= UINT64_C(1) << erratum;
    if (++t->known_times[erratum] > KNOWN_LINES)
        return false;
    text_format(whole, sizeof(whole), "%s%s: %s", found.name,
                found.inferred ? " (inferred from the client processor)" : "",
                line);
    add_verdict(t, VERDICT_KNOWN, whole);
    return false;
}

/* What check_known() has counted and not said. */
static void add_known(struct test_context *t)
{
    struct erratum_found found;
    char line[CONTEXT_LINE_BYTES];

    for (unsigned e = 0; e < ERRATUM_COUNT; e++)
        if (t->known_times[e] > KNOWN_LINES &&
            errata_find(&t->cpu, (enum erratum)e, &found)) {
            text_format(line, sizeof(line), "%s: %u more checks failed so",
                        found.name, t->known_times[e] - KNOWN_LINES);
            add_line(t, "KNOWN ", line);
        }
}

bool check_equal(struct test_context *t, const char *what, uint64_t got,
                 uint64_t want)
{
    return check(t, got == want, "%s: got 0x%lx, wanted 0x%lx", what, got,
                 want);
}

bool check_none(struct test_context *t, const char *what, uint64_t n,
                uint64_t of)
{
    return check(t, n == 0, "%s, %lu of %lu; wanted 0", what, n, of);
}

void observe(struct test_context *t, const char *what, uint64_t n, uint64_t of)
{
    char line[CONTEXT_LINE_BYTES];

    if (of != 0) {
        t->checks++;
        t->verdict = verdict_worst(t->verdict, VERDICT_PASS);
    }
    if (n * t->observed_of > t->observed * of || t->observed == 0) {
        t->observed = n;
        t->observed_of = of;
    }
    text_format(line, sizeof(line), "%s %s%s: %lu of %lu",
                n != 0 ? "OBSERVED" : "NOT OBSERVED", t->prefix, what, n, of);
    add_verdict(t, VERDICT_NONE, line);
}

void windows_provoked(struct test_context *t, enum provoked_beside beside,
                      uint64_t wrong, uint64_t of)
{
    t->windows[beside] = (struct provoked_windows){wrong, of};
}

void note(struct test_context *t, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_verdict_list(t, VERDICT_NONE, format, arguments);
    va_end(arguments);
}

void broken(struct test_context *t, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_verdict_list(t, VERDICT_ERROR, format, arguments);
    va_end(arguments);
}

/* Of the whole test: without a prefix. */
void skip(struct test_context *t, const char *format, ...)
{
    char line[CONTEXT_LINE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    text_format_list(line, sizeof(line), format, arguments);
    va_end(arguments);
    add_verdict(t, VERDICT_SKIP, line);
}

/* --- What a body reads --------------------------------------------------- */

const struct identity *test_cpu(const struct test_context *t)
{
    return &t->cpu;
}

enum regime test_regime(const struct test_context *t)
{
    return t->regime;
}

unsigned test_processor(const struct test_context *t)
{
    return t->processor;
}

unsigned test_trials(struct test_context *t, unsigned usual, unsigned least)
{
    char line[CONTEXT_LINE_BYTES]; /* of the test: without a prefix */

    if (t->trials == 0)
        return usual;
    if (t->trials < least && !t->no_trials_line) {
        t->no_trials_line = true;
        text_format(line, sizeof(line),
                    "trials=%u is fewer than the %u that this test asks for",
                    t->trials, least);
        add_verdict(t, VERDICT_NONE, line);
    }
    return t->trials;
}

unsigned test_timeout_ms(const struct test_context *t)
{
    return t->timeout_ms;
}

/* SplitMix64 (Steele, Lea, Flood, 2014): a Weyl sequence, mixed. */
uint64_t test_random(struct test_context *t)
{
    t->random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = t->random;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

bool test_allowed(const struct test_context *t, unsigned allow)
{
    return (t->allow & allow) == allow;
}

/* --- Other processors ---------------------------------------------------- */

unsigned test_sibling(const struct test_context *t)
{
    for (unsigned p = 0; p < t->processors; p++)
        if (p != t->processor && !t->all[p].lost &&
            identity_siblings(&t->cpu, &t->all[p].cpu))
            return p;
    return t->processor;
}

/* Of one processor alone nobody may know the others. */
bool test_shares_core(const struct test_context *t)
{
    return t->processors == 1 ? t->cpu.smt_shift != 0
                              : test_sibling(t) != t->processor;
}

struct peer_call {
    struct test_context *all;
    void (*job)(struct test_context *peer, void *argument);
    void *argument;
};

static void peer_job(unsigned processor, void *context)
{
    const struct peer_call *peer_call = context;

    context_save(&peer_call->all[processor]);
    peer_call->job(&peer_call->all[processor], peer_call->argument);
}

bool on_processors(struct test_context *t, const bool set[],
                   void (*job)(struct test_context *peer, void *argument),
                   void *argument)
{
    struct peer_call peer_call = {t->all, job, argument};
    bool ok = true;

    if (t->test->scope != WHOLE_MACHINE || t->processor != 0) {
        broken(t, "calls other processors, but is not a WHOLE_MACHINE test");
        return false;
    }
    hw_run(set, peer_job, &peer_call, t->timeout_ms, t->results);
    for (unsigned p = 0; p < t->processors; p++) {
        if (!set[p])
            continue;
        /* t's own job goes on: how it ends is not known yet. */
        if (t->results[p].end != HW_DONE || p != t->processor)
            context_job_ended(&t->all[p], &t->results[p]);
        ok = ok && t->results[p].end == HW_DONE;
    }
    return ok;
}

bool on_processor(struct test_context *t, unsigned processor,
                  void (*job)(struct test_context *peer, void *argument),
                  void *argument)
{
    bool set[HW_PROCESSORS_MAX] = {false};

    if (processor >= t->processors) {
        broken(t, "calls processor %u of %u", processor, t->processors);
        return false;
    }
    set[processor] = true;
    return on_processors(t, set, job, argument);
}

bool on_all_but(struct test_context *t, unsigned processor,
                void (*job)(struct test_context *peer, void *argument),
                void *argument)
{
    bool set[HW_PROCESSORS_MAX] = {false};

    for (unsigned p = 0; p < t->processors; p++)
        set[p] = p != processor;
    return on_processors(t, set, job, argument);
}

void on_all_in_turn(struct test_context *t,
                    void (*job)(struct test_context *peer, void *argument))
{
    unsigned looked = 0;

    while (looked < t->processors && on_processor(t, looked, job, NULL))
        looked++;
    check(t, looked == t->processors,
          "processors tested in turn: got %u, wanted %u", looked,
          t->processors);
}

/* --- For the session ----------------------------------------------------- */

void context_begin(struct test_context *t, const struct test *test,
                   uint64_t seed)
{
    t->test = test;
    t->end = HW_NOT_SELECTED;
    if (t->lost)
        return; /* it may be writing still */
    t->verdict = VERDICT_NONE;
    t->observed = t->observed_of = 0;
    t->known = 0;
    memset(t->known_times, 0, sizeof(t->known_times));
    memset(t->windows, 0, sizeof(t->windows));
    t->no_trials_line = false;
    t->checks = t->rows = t->rows_tried = 0;
    t->journal.count = 0;
    t->status_known = false;
    t->refused = 0;
    t->reason[0] = t->prefix[0] = '\0';
    t->prefixes = 0;
    t->text_bytes = 0;
    t->left_out = 0;
    t->raw = NULL;
    t->random = seed + (uint64_t)t->processor * UINT64_C(0xd1342543de82ef95);
    for (const char *c = test->name; *c != '\0'; c++)
        t->random = (t->random ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
}

void context_close(struct test_context *t)
{
    if (t->test->scope != WHOLE_MACHINE && t->end == HW_DONE &&
        t->verdict == VERDICT_NONE)
        broken(t, "made no check");
    if (t->verdict == VERDICT_PASS && t->rows_tried != t->rows)
        broken(t, "tried %u of %u rows of its tables", t->rows_tried, t->rows);
    if (t->verdict == VERDICT_PASS && t->prefixes != 0)
        broken(t, "ended inside of WITH_PREFIX");
    add_known(t);
    if (t->left_out == 0)
        return;
    t->text_bytes +=
        text_format(t->text + t->text_bytes, sizeof(t->text) - t->text_bytes,
                    "%u more lines left out\n", t->left_out);
    t->left_out = 0;
}
