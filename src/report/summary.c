/* SPDX-License-Identifier: BSD-2-Clause */
/* summary.c - advice as a table: where it applies, on what it rests, its
 * words. */
#include "src/report/summary.h"

#include "src/cpu/errata.h"
#include "src/harness/verdict.h"
#include "src/report/provoked.h"
#include "src/report/test_names.h"

/* RTM_ABORTED: by RTM_ALWAYS_ABORT. */
enum applies { ALWAYS, RTM, RTM_TRIED, RTM_ABORTED, NO_RTM, HLE, NO_HLE };

/* A test that has to pass. */
struct ground {
    enum test_id test;
    enum { MUST_PASS, MAY_SKIP, MAY_SKIP_OF_4, NO_MORE } how;
};

struct advice {
    unsigned regimes;
    enum applies when;
    const char *subject;
    const struct ground *grounds; /* ended by NO_MORE */
    const char *text;             /* {all}: counters; {less}: one fewer */
};

/* MAY_SKIP lets it be skipped, MAY_SKIP_OF_4 where there are four counters or
 * fewer. */
#define PASSES(name)       {TEST_##name, MUST_PASS},
#define OR_SKIP(name)      {TEST_##name, MAY_SKIP},
#define OR_SKIP_OF_4(name) {TEST_##name, MAY_SKIP_OF_4},
/* clang-format off */
#define GROUNDS(...)       (const struct ground[]){__VA_ARGS__ {0, NO_MORE}}
/* clang-format on */
#define NONE GROUNDS()

#define COUNTS                    \
    PASSES(counter3_counts_alone) \
    PASSES(counter3_overflow) OR_SKIP(counter3_full_width_alias)
#define UNDER_RTM                     \
    PASSES(counter3_counts_under_rtm) \
    PASSES(counter3_registers_hold) PASSES(counter3_provoked)
#define FORCED                          \
    PASSES(counter3_counts_force_abort) \
    PASSES(force_abort_aborts_all)
#define ABOVE_3                    \
    OR_SKIP_OF_4(counters_above_3) \
    OR_SKIP(counter_count_constant)

#define REGIMES_10F_2021 (REGIME_C | REGIME_C_PRIME | REGIME_D)
#define REGIMES_PLAIN    (REGIME_A | REGIME_F)
#define REGIMES_GOOD     (REGIMES_PLAIN | REGIMES_10F_2021)

/* About counter 3 and how many counters there are: needs a PMU with a
 * counter 3. */
static const struct advice on_counters[] = {
    {REGIMES_GOOD, RTM, "counter 3", GROUNDS(COUNTS UNDER_RTM),
     "counter 3 can be trusted, also while transactions are used"},
    {REGIMES_GOOD, NO_RTM, "counter 3", GROUNDS(COUNTS),
     "counter 3 can be trusted"},
    {REGIME_B, RTM, "counter 3", GROUNDS(COUNTS FORCED),
     "counter 3 can be trusted only while RTM_FORCE_ABORT (10FH[0]) is 1 on "
     "the logical processor that counts: set it before programming counter "
     "3, clear it after"},
    {REGIME_B, NO_RTM, "counter 3", GROUNDS(COUNTS),
     "counter 3 can be trusted: RTM is not enumerated"},
    {REGIME_E, ALWAYS, "counters other than 3",
     GROUNDS(PASSES(counter3_counts_alone)),
     "counter 3 is not to be relied on: no document describes this state"},
    {REGIMES_10F_2021, ALWAYS, "counter 3 with SDV_ENABLE_RTM",
     GROUNDS(PASSES(counter3_counts_sdv)),
     "counter 3 can be trusted with SDV_ENABLE_RTM = 1 too"},

    {REGIMES_PLAIN, RTM, "number of counters",
     GROUNDS(COUNTS UNDER_RTM ABOVE_3),
     "a driver may use all {all} general-purpose counters; there is no force "
     "abort to set"},
    {REGIMES_PLAIN, NO_RTM, "number of counters", GROUNDS(COUNTS ABOVE_3),
     "a driver may use all {all} general-purpose counters; there is no force "
     "abort to set"},
    {REGIME_B, RTM, "number of counters", GROUNDS(COUNTS FORCED ABOVE_3),
     "a driver may use {less} general-purpose counters (all but counter 3) "
     "with RTM_FORCE_ABORT = 0, and all {all} with RTM_FORCE_ABORT = 1"},
    {REGIME_B, NO_RTM, "number of counters", GROUNDS(COUNTS ABOVE_3),
     "a driver may use all {all} general-purpose counters, whatever "
     "RTM_FORCE_ABORT is"},
    {REGIMES_10F_2021, RTM, "number of counters",
     GROUNDS(COUNTS UNDER_RTM ABOVE_3),
     "a driver may use all {all} general-purpose counters; no force abort is "
     "needed"},
    {REGIMES_10F_2021, NO_RTM, "number of counters", GROUNDS(COUNTS ABOVE_3),
     "a driver may use all {all} general-purpose counters; no force abort is "
     "needed"},
    {REGIME_E, ALWAYS, "number of counters",
     GROUNDS(PASSES(counter3_counts_alone) ABOVE_3),
     "a driver may use {less} general-purpose counters (all but counter 3)"},

    {REGIMES_PLAIN, ALWAYS, "Linux perf", NONE,
     "Linux perf: nothing to set (allow_tsx_force_abort comes with "
     "TSX_FORCE_ABORT, which does not exist here)"},
    {REGIME_B, RTM, "Linux perf", GROUNDS(COUNTS FORCED),
     "Linux perf: 1 in /sys/devices/cpu/allow_tsx_force_abort lets perf "
     "abort all transactions while it uses counter 3; 0 keeps RTM working "
     "and leaves perf {less} counters"},
    {REGIME_B, RTM, "Linux perf", NONE,
     "Linux perf: kernels from before this microcode, or unpatched ones, may "
     "report wrong values of counter 3 while transactions run: update the "
     "kernel"},
    {REGIME_B, RTM, "Linux perf", NONE,
     "Linux perf: the kernel's own default is 1, a distribution may have made "
     "it 0; with 1 transactions abort, and what uses them may slow down, only "
     "while somebody profiles with counter 3: his own process, or as root the "
     "whole system (-a)"},
    {REGIME_B, RTM, "Linux perf", NONE,
     "Linux perf: with 0 a group holds at most {less} generic events; scripts "
     "and tools that write groups have to be told"},
    {REGIME_B, NO_RTM, "Linux perf", GROUNDS(COUNTS),
     "Linux perf: 1 in /sys/devices/cpu/allow_tsx_force_abort, where it "
     "exists; there are no transactions to lose"},
    {REGIMES_10F_2021, ALWAYS, "Linux perf", GROUNDS(COUNTS),
     "Linux perf: 1 in /sys/devices/cpu/allow_tsx_force_abort, where it "
     "exists; 0 would keep perf off counter 3 without need"},
    {REGIME_E, ALWAYS, "Linux perf", NONE,
     "Linux perf: 0 in /sys/devices/cpu/allow_tsx_force_abort, where it "
     "exists, keeps perf off counter 3"},

    {REGIMES_PLAIN, ALWAYS, "Intel PCM", NONE, "Intel PCM: nothing to set"},
    {REGIME_B, RTM, "Intel PCM", GROUNDS(COUNTS FORCED),
     "Intel PCM: limits itself to 3 counters; its force-RTM-abort mode (see "
     "pcm --help) gives it counter 3, and aborts all transactions meanwhile; "
     "programs call enableForceRTMAbortMode() and disableForceRTMAbortMode()"},
    {REGIME_B, NO_RTM, "Intel PCM", GROUNDS(COUNTS),
     "Intel PCM: limits itself to 3 counters although counter 3 is good; its "
     "force-RTM-abort mode (see pcm --help) gives it back"},
    {REGIME_C | REGIME_C_PRIME, ALWAYS, "Intel PCM", GROUNDS(COUNTS),
     "Intel PCM: nothing to set; it finds bit 0 of 10FH set and uses counter "
     "3"},
    {REGIME_D, ALWAYS, "Intel PCM", GROUNDS(COUNTS),
     "Intel PCM: limits itself to 3 counters although counter 3 is good; its "
     "force-RTM-abort mode writes 1 to 10FH, which ends SDV_ENABLE_RTM: "
     "leave it off"},
    {REGIME_E, ALWAYS, "Intel PCM", NONE,
     "Intel PCM: nothing to set; it finds bit 0 of 10FH clear and leaves "
     "counter 3 alone"},
};

static const struct advice on_tsx[] = {
    {REGIME_A, RTM, "RTM", GROUNDS(PASSES(force_abort_enumeration)),
     "RTM can be used; nothing aborts it by force"},
    {REGIME_F, RTM_TRIED, "RTM", GROUNDS(PASSES(force_abort_enumeration)),
     "RTM is enumerated; where IA32_TSX_CTRL (122H)[0] is 1 it always aborts"},
    {REGIME_F, RTM_ABORTED, "RTM", GROUNDS(PASSES(force_abort_enumeration)),
     "RTM does not work: every transaction aborts (RTM_ALWAYS_ABORT)"},
    {REGIMES_PLAIN, NO_RTM, "RTM", GROUNDS(PASSES(force_abort_enumeration)),
     "RTM cannot be used: it is not enumerated"},
    {REGIME_B, RTM, "RTM", GROUNDS(PASSES(force_abort_aborts_all)),
     "RTM works while RTM_FORCE_ABORT is 0; while it is 1 every transaction "
     "aborts with EAX = 0"},
    {REGIME_B, RTM, "RTM_FORCE_ABORT",
     GROUNDS(OR_SKIP(force_abort_thread_scope)),
     "RTM_FORCE_ABORT belongs to one logical processor: read, modify and "
     "write 10FH on each that counts, and restore it there"},
    {REGIME_B, NO_RTM, "RTM", GROUNDS(PASSES(force_abort_enumeration)),
     "RTM cannot be used: it is not enumerated"},
    {REGIME_C, RTM, "RTM", GROUNDS(PASSES(always_abort_default)),
     "RTM does not work: every transaction aborts (RTM_ALWAYS_ABORT)"},
    {REGIME_C, NO_RTM, "RTM", NONE, "RTM cannot be used: it is not enumerated"},
    {REGIME_C_PRIME, ALWAYS, "RTM", GROUNDS(PASSES(tsx_cpuid_clear)),
     "RTM cannot be used: TSX_CPUID_CLEAR (10FH[1]) hides it"},
    {REGIME_D, ALWAYS, "RTM", GROUNDS(PASSES(sdv_enable_rtm)),
     "RTM may commit (SDV_ENABLE_RTM = 1), but memory ordering is not "
     "guaranteed: not for production"},
    {REGIME_C | REGIME_C_PRIME, ALWAYS, "SDV_ENABLE_RTM",
     GROUNDS(PASSES(sdv_enable_rtm)),
     "SDV_ENABLE_RTM (10FH[2]) lifts the forced abort; memory ordering is "
     "then not guaranteed: not for production"},
    {REGIME_E, ALWAYS, "RTM", GROUNDS(PASSES(force_abort_enumeration)),
     "RTM cannot be used: it is hidden"},

    {REGIME_A, HLE, "HLE", GROUNDS(PASSES(hle_elision)), "HLE elides locks"},
    {REGIME_F, HLE, "HLE", NONE,
     "HLE is enumerated; whether it elides locks was not tested"},
    {REGIMES_PLAIN, NO_HLE, "HLE", NONE, "HLE is not enumerated"},
    {REGIME_B | REGIMES_10F_2021, ALWAYS, "HLE",
     GROUNDS(PASSES(hle_never_elides)),
     "HLE does not work: this microcode disables its prefixes"},
    {REGIME_E, ALWAYS, "HLE", NONE, "HLE is not enumerated"},

    {REGIME_B | REGIME_D, RTM, "RTM libraries", NONE,
     "RTM libraries: an abort with the conflict bit alone (EAX[2] without "
     "EAX[1]) is a conflict like any other, and worth a retry"},
    {REGIME_B | REGIMES_10F_2021, ALWAYS, "SGX and SMM", NONE,
     "not tested: that transactions abort in SGX mode and in System Management "
     "Mode: needs an enclave, and code in SMM"},
};

struct summary {
    enum regime regime;
    const struct identity *id;
    const struct finding *findings;
    unsigned count;
    void (*line)(void *context, const char *text);
    void *context;
};

static void write_line(const struct summary *c, const char *format, ...)
    PRINTF_LIKE(2, 3);
static void write_line(const struct summary *c, const char *format, ...)
{
    char text[SUMMARY_LINE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    text_format_list(text, sizeof(text), format, arguments);
    va_end(arguments);
    c->line(c->context, text);
}

/* The finding for the test, or NULL. */
static const struct finding *find_finding(const struct summary *c,
                                          enum test_id test)
{
    for (unsigned i = 0; i < c->count; i++)
        if (text_equal(c->findings[i].test, test_name(test)))
            return &c->findings[i];
    return NULL;
}

/* Writes which test the advice lacks; false where it lacks none. */
static bool write_undecided(const struct summary *c,
                            const struct advice *advice)
{
    for (const struct ground *g = advice->grounds; g->how != NO_MORE; g++) {
        const struct finding *f = find_finding(c, g->test);
        enum verdict verdict = f != NULL ? f->verdict : VERDICT_NONE;
        bool may_skip = g->how == MAY_SKIP ||
                        (g->how == MAY_SKIP_OF_4 && c->id->counters <= 4);

        if (verdict != VERDICT_PASS && verdict != VERDICT_KNOWN &&
            !(verdict == VERDICT_SKIP && may_skip)) {
            write_line(c, "undecided: %s: test %s is %s", advice->subject,
                       test_name(g->test), verdict_name(verdict));
            return true;
        }
    }
    return false;
}

static bool applies(const struct summary *c, const struct advice *advice)
{
    const bool when[] = {
        [ALWAYS] = true,
        [RTM] = c->id->rtm,
        [RTM_ABORTED] = c->id->rtm && c->id->rtm_always_abort,
        [RTM_TRIED] = c->id->rtm && !c->id->rtm_always_abort,
        [NO_RTM] = !c->id->rtm,
        [HLE] = c->id->hle,
        [NO_HLE] = !c->id->hle,
    };

    return (advice->regimes & c->regime) != 0 && when[advice->when];
}

/* Puts the numbers of counters into the text. */
static void write_advice(const struct summary *c, const char *text)
{
    char out[SUMMARY_LINE_BYTES] = "";

    for (; *text != '\0'; text++) {
        if (*text != '{') {
            text_append(out, sizeof(out), "%c", *text);
            continue;
        }
        text_append(out, sizeof(out), "%u", c->id->counters - (text[1] == 'l'));
        while (*text != '}')
            text++;
    }
    write_line(c, "%s", out);
}

static void write_table(const struct summary *c, const struct advice advice[],
                        size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (applies(c, &advice[i]) && !write_undecided(c, &advice[i]))
            write_advice(c, advice[i].text);
}

bool summary_rests_on(const char *test)
{
    for (size_t i = 0; i < sizeof(on_counters) / sizeof(on_counters[0]); i++)
        for (const struct ground *g = on_counters[i].grounds; g->how != NO_MORE;
             g++)
            if (text_equal(test_name(g->test), test))
                return true;
    return false;
}

/* What the paper only calls possible. */
static void write_observed(const struct summary *c)
{
    static const enum test_id tests[] = {
        TEST_counter3_counts_under_rtm, TEST_counter3_registers_hold,
        TEST_counter3_provoked, TEST_counter3_other_processor,
        TEST_counter3_counts_alone};
    bool ran = false, observed = false;

    if (c->regime != REGIME_E && !(c->regime == REGIME_B && c->id->rtm))
        return;
    for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        const struct finding *f = find_finding(c, tests[i]);
        if (f == NULL)
            continue;
        ran = ran || f->verdict == VERDICT_PASS ||
              f->verdict == VERDICT_KNOWN || f->verdict == VERDICT_FAIL;
        observed = observed || f->observed;
    }
    if (observed)
        write_line(
            c, "unexpected values in counter 3 or its registers: OBSERVED in "
               "this run");
    else if (ran)
        write_line(
            c, "unexpected values in counter 3 or its registers: NOT OBSERVED "
               "in this run, which is no promise");
    else
        write_line(
            c, "unexpected values in counter 3 or its registers: not looked "
               "for in this run");
}

/* Where nothing says that the retry bit may be missing, a library that retries
 * by it alone would never retry. */
static void write_retry(const struct summary *c)
{
    const struct finding *f = find_finding(c, TEST_tsx_conflict_retry);

    if ((c->regime & REGIMES_PLAIN) != 0 && f != NULL && f->observed)
        write_line(
            c, "conflict aborts never set the retry bit (EAX[1]) here, "
               "although CPUID.07H.0:EDX[13] = 0: a library has to retry on "
               "EAX[2] alone, as white paper 604224, section 1.3, says for "
               "EDX[13] = 1");
}

static void write_counter2(const struct summary *c)
{
    const unsigned commits = REGIMES_PLAIN | REGIME_B | REGIME_D;
    struct erratum_found found;

    if ((c->regime & commits) != 0 && (c->id->rtm || c->id->hle) &&
        errata_find(c->id, ERRATUM_PMC2_OVER_ABORTS, &found))
        write_line(c,
                   "counter 2 (IA32_PMC2) may hold an invalid value where "
                   "transactions abort while it is accessed (erratum %s%s)",
                   found.name, found.inferred ? ", inferred" : "");
}

void summary_write(enum regime regime, const struct identity *id,
                   const struct finding findings[], unsigned count,
                   void (*line)(void *context, const char *text), void *context)
{
    const struct summary c = {regime, id, findings, count, line, context};
    char provoked[SUMMARY_LINE_BYTES];

    write_line(&c, "regime %s: %s", regime_name(regime),
               regime_meaning(regime));
    if (!identity_is_native(id))
        write_line(&c, "this is what the hypervisor shows its guest: the "
                       "processor below may be of another regime");
    if (regime == REGIME_NONE || regime == REGIME_CONTRADICTORY) {
        write_line(&c, "no advice for this processor");
        return;
    }
    if (id->perfmon_version < 2 || id->counters < 4) {
        write_line(
            &c,
            "counter 3 does not exist here, or cannot be tested: performance "
            "monitoring version %u, %u general-purpose counters",
            id->perfmon_version, id->counters);
    } else {
        write_table(&c, on_counters,
                    sizeof(on_counters) / sizeof(on_counters[0]));
        write_observed(&c);
        if (provoked_text(findings, count, provoked))
            write_line(&c, "%s", provoked);
        write_counter2(&c);
    }
    write_table(&c, on_tsx, sizeof(on_tsx) / sizeof(on_tsx[0]));
    write_retry(&c);
}
