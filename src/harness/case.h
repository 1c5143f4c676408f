/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * case.h - a test: what it asks, the place in the manual it rests on, what it
 * needs, its body; and all that a body may call.
 *
 * One file in src/cases/ is one test; the file's name is the test's. A body has
 * three visible paragraphs: set-up, measured window, check. It runs as a job of
 * hw_run(), so it calls no firmware and prints nothing: its lines are held and
 * written to the report when it has ended.
 */
#ifndef SRC_HARNESS_CASE_H
#define SRC_HARNESS_CASE_H

#include "src/cpu/errata.h"
#include "src/cpu/identity.h"
#include "src/cpu/regime.h"
#include "src/harness/verdict.h"
#include "src/base/hw.h"
#include "src/base/text.h"

enum scope {
    EACH_PROCESSOR, /* the body runs on every processor, at the same time */
    WHOLE_MACHINE,  /* it runs on the boot processor and calls on_processor() */
    THREADS_IN_TURN, /* as EACH_PROCESSOR, but those that share a core, and so
                        its caches, and events of memory that may go to the
                        other's counters (HSD029), one after another */
};

enum feature {
    NEED_RTM = 1 << 0,        /* CPUID.7.0:EBX[11] */
    NEED_PMU = 1 << 1,        /* perfmon version 2 or later */
    NEED_PERFMON_4 = 1 << 2,  /* GLOBAL_INUSE and STATUS_SET */
    NEED_FULL_WIDTH = 1 << 3, /* IA32_PERF_CAPABILITIES[13] */
    NEED_TWO_PROCESSORS = 1 << 4,
    NEED_INTEL = 1 << 5,
    NEED_HLE = 1 << 6,           /* CPUID.7.0:EBX[4] */
    NEED_ADAPTIVE_PEBS = 1 << 7, /* with NEED_PEBS: format 4, 5 */
    NEED_PEBS = 1 << 8,          /* the DS area, and records of format 1 to 5 */
    NEED_PEBS_2 = 1 << 9,        /* with NEED_PEBS: format 2 to 5 */
    NEED_PEBS_3 = 1 << 10,       /* format 3 to 5 */
    NEED_PT = 1 << 11,           /* CPUID.7.0:EBX[25], with output to memory */
    NEED_PT_TOPA = 1 << 12,      /* with NEED_PT: CPUID.14H.0:ECX[0] */
    NEED_PT_RANGE = 1 << 13,     /* with NEED_PT: CPUID.14H.0:ECX[2] */
    NEED_OFFCORE = 1 << 14,      /* offcore_of() has its MSRs */
    NEED_UNCORE = 1 << 15,       /* uncore_of() has its MSRs */
    NEED_LBR = 1 << 16,          /* lbr_of() knows format and depth */
    NEED_METRICS = 1 << 17,      /* IA32_PERF_CAPABILITIES[15], and slots */
    NEED_TSXLDTRK = 1 << 18,     /* with NEED_RTM: CPUID.7.0:EDX[16] */
    NEED_PT_EVENT = 1 << 19,     /* with NEED_PT: CPUID.14H.0:EBX[7] */
    NEED_PT_DISTNT = 1 << 20,    /* with NEED_PT: CPUID.14H.0:EBX[8] */
    NEED_PT_PTWRITE = 1 << 21,   /* with NEED_PT: CPUID.14H.0:EBX[4] */
};

struct needs {
    unsigned regimes;  /* set of enum regime; 0: any */
    unsigned features; /* set of enum feature */
    unsigned counters; /* general-purpose counters at least */
};

struct test_context;

/* What a test without a time of its own takes. */
#define TEST_BOUND_MS 250

struct test {
    const char *name, *asks, *cite;
    enum scope scope;
    struct needs needs;
    void (*body)(struct test_context *t);
    const char *file;  /* its folder is the subject; NULL: it has none */
    unsigned bound_ms; /* what it takes at most on a bare machine, with the
                          trials it asks for; 0: TEST_BOUND_MS */
};

/* TEST(file_name, .asks = .., .cite = .., .scope = .., .needs = {..}) { body }
 * In the body, t is the context. */
#define TEST(ident, ...)                                       \
    static void body_of_##ident(struct test_context *t);       \
    extern const struct test test_##ident;                     \
    const struct test test_##ident = {.name = #ident,          \
                                      .file = __FILE__,        \
                                      .body = body_of_##ident, \
                                      __VA_ARGS__};            \
    static void body_of_##ident(struct test_context *t)

/* --- What a body reads --------------------------------------------------- */

const struct identity *test_cpu(const struct test_context *t);
/* The same of another processor; zeros where it was left out of the run. */
const struct identity *test_cpu_of(const struct test_context *t,
                                   unsigned processor);
enum regime
test_regime(const struct test_context *t); /* as found at the start */
unsigned test_processor(const struct test_context *t);
/* Trials to make: the option's, or `usual` where the user said nothing. A
 * user's number below `least` is used all the same, and noted in the report. */
unsigned test_trials(struct test_context *t, unsigned usual, unsigned least);
/* How long the session waits for the test; it grows with the trials. */
unsigned test_timeout_ms(const struct test_context *t);
/* The same numbers for the same seed, test and processor; others on other
 * processors. */
uint64_t test_random(struct test_context *t);
/* True where the user asked for this by name (ALLOW_*, options.h). */
bool test_allowed(const struct test_context *t, unsigned allow);
/* Memory of this processor's own to write to, at the start of a page; what it
 * holds is undefined at the start of a test. */
#define TEST_BUFFER_BYTES 65536
void *test_buffer(const struct test_context *t);
/* The same of another processor. */
void *test_buffer_of(const struct test_context *t, unsigned processor);
/* Whether it, and test_records() after it, is write-back memory, by the MTRRs;
 * true where these do not tell. */
bool test_memory_is_write_back(const struct test_context *t);
/* Memory to read from, at the start of a page: zeros, the same for all
 * processors. More than a transaction reads (the largest caches are larger
 * still, but shared). */
#define TEST_SOURCE_BYTES 0x800000
const void *test_source(const struct test_context *t);
/* More such memory, after it, which no transaction may write to: for a DS area
 * and its records, with a page to spare behind them. */
#define TEST_RECORDS_BYTES 36864
void *test_records(const struct test_context *t);

/* What a test carries through the repetitions of a soak, zeros at the first:
 * its counts go on there, and each repetition says what they are by now. */
#define TEST_CARRIED_BYTES 2048
void *test_carried(const struct test_context *t);
/* The first processor that shares this one's core, or this one itself. */
unsigned test_sibling(const struct test_context *t);
/* False where no other thread of this core is enabled. */
bool test_shares_core(const struct test_context *t);

/* --- What a body says ---------------------------------------------------- */

/* Formats are those of text.h. A line is cut at CONTEXT_LINE_BYTES (context.h).
 */

/* One check: PASS where ok, else FAIL and the line. Returns ok. A line must be
 * readable without the source: register name, number, got, wanted. */
bool check(struct test_context *t, bool ok, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* The usual one. `what` names the register or quantity, "IA32_PMC3 (C4H)". */
bool check_equal(struct test_context *t, const char *what, uint64_t got,
                 uint64_t want);
/* A register with its name and the bits that differ: "IA32_FIXED_CTR_CTRL
 * (38DH) after a window: got 0x812, wanted 0x832: [5] cleared"; when is " after
 * a window", or "". */
bool check_msr_is(struct test_context *t, uint32_t msr, uint64_t got,
                  uint64_t want, const char *when);
/* What must never be: "WHAT, n of N; wanted 0". */
bool check_none(struct test_context *t, const char *what, uint64_t n,
                uint64_t of);
/* A check that a published erratum may spoil: where not ok, KNOWN with its name
 * if this processor has it and the deviation has its signature, else FAIL.
 * Returns ok. */
bool check_known(struct test_context *t, bool ok, enum erratum erratum,
                 bool signature, const char *format, ...) PRINTF_LIKE(5, 6);
/* Where the manual says "may": a figure, never FAIL. Counts as a check where
 * `of` is not 0. Prints "OBSERVED what: n of N" or "NOT OBSERVED ...". */
void observe(struct test_context *t, const char *what, uint64_t n, uint64_t of);
/* For the summary: counter 3 was not as it had to be in so many windows. The
 * last call for each kind of window counts. */
enum provoked_beside {
    BESIDE_TRANSACTIONS,
    BESIDE_NOTHING, /* the same windows without transactions */
    BESIDE_FORCED,  /* with RTM_FORCE_ABORT = 1 */
    PROVOKED_BESIDES
};
struct provoked_windows {
    uint64_t wrong, of;
};
void windows_provoked(struct test_context *t, enum provoked_beside beside,
                      uint64_t wrong, uint64_t of);
/* Evidence, no judgement. */
void note(struct test_context *t, const char *format, ...) PRINTF_LIKE(2, 3);
/* The tool is wrong, or could not test: ERROR and the line. */
void broken(struct test_context *t, const char *format, ...) PRINTF_LIKE(2, 3);
/* A requirement is missing that only the body can find out: SKIP. */
void skip(struct test_context *t, const char *format, ...) PRINTF_LIKE(2, 3);

/* What the statement after WITH_PREFIX says begins with this and ": ", within
 * another prefix after that; an observation's after its first word; a SKIP is
 * of the whole test. A body that
 * returns from inside leaves it to the rest of its test: then it may not PASS.
 *
 *     WITH_PREFIX (t, "%s", row->what)
 *         check(...);
 */
#define WITH_PREFIX(t, ...)                                 \
    for (bool within = prefix_push(t, __VA_ARGS__); within; \
         within = prefix_pop(t))
/* The two by themselves, for a job's whole body: true, and false. */
bool prefix_push(struct test_context *t, const char *format, ...)
    PRINTF_LIKE(2, 3);
bool prefix_pop(struct test_context *t);

/* Each row of a table of the test's own; i is its index. The harness counts the
 * rows whose body said something by check() or observe(): a test that would
 * pass, but has not tried each row of its tables, is an ERROR. */
#define FOR_EACH_ROW(t, i, table)                                              \
    for (unsigned i = 0,                                                       \
                  i##_end = rows_begin(t, sizeof(table) / sizeof((table)[0])); \
         i < i##_end; row_ended(t), i++)
unsigned rows_begin(struct test_context *t, unsigned rows);
void row_ended(struct test_context *t);

/* What the last measurement left in memory, of test_buffer() or test_records():
 * shown as hexadecimal where the user wants it. `what` is a constant, "PEBS
 * records of format 3". */
void test_raw(struct test_context *t, const char *what, const void *at,
              size_t bytes);

/* --- What a body does ---------------------------------------------------- */

/* An access that must not fault. Where it does: ERROR, one line naming the MSR,
 * its number, the access and the vector; the read gives 0, false is returned,
 * and the body goes on. A write is entered in the journal: after the test every
 * MSR written has its old value back, in reverse order, on every path. */
bool get_msr(struct test_context *t, uint32_t msr, uint64_t *value);
uint64_t msr_value(struct test_context *t, uint32_t msr); /* 0: or a fault */
bool set_msr(struct test_context *t, uint32_t msr, uint64_t value);
/* A further write: without the RDMSR that may save the old value. Where the
 * journal does not have the MSR: ERROR, a line naming it, and nothing is
 * written. Of a counter with two names (C1H, 4C1H) it has both or none; a
 * command register (journal.h) it has always. */
bool set_msr_again(struct test_context *t, uint32_t msr, uint64_t value);

/* Of all these, how many faulted in this test so far. A window in which one did
 * is not the one that was meant: smi_guard(). */
unsigned test_refused(const struct test_context *t);

/* For a register that opens and closes a window: what set_msr_again() asserts
 * is asserted once, by hold_msr(), before set_held_msr(), which adds nothing to
 * the WRMSR that would be measured, not a load. False (ERROR is said) where the
 * journal does not have it. It is held until restore_msrs(). */
bool hold_msr(struct test_context *t, uint32_t msr);
bool set_held_msr(struct test_context *t, uint32_t msr, uint64_t value);

/* True where the journal has it: what it holds is the test's own doing. */
bool wrote_msr(const struct test_context *t, uint32_t msr);
/* What the report's head says of it, as the run found it; 0 where nothing. */
uint64_t found_msr(const struct test_context *t, uint32_t msr);

/* An access whose fault is an answer: HW_NO_FAULT or the vector. The write is
 * entered in the journal too. Where the MSR cannot be read, nothing is written
 * and the RDMSR's vector is the answer. */
int try_get_msr(struct test_context *t, uint32_t msr, uint64_t *value);
int try_set_msr(struct test_context *t, uint32_t msr, uint64_t value);
int try_set_msr_again(struct test_context *t, uint32_t msr, uint64_t value);
/* Of a register that is read-only: a WRMSR of the value that it holds. The
 * journal has no need of it: where it is not refused, it changes nothing. */
int try_rewrite_msr(struct test_context *t, uint32_t msr);
/* The journal undone now, as at the end of a test. */
void restore_msrs(struct test_context *t);

/* WHOLE_MACHINE only: runs job(peer, argument) on that processor, with the
 * peer's own context (lines, journal, verdict), and waits. False where it did
 * not answer or raised an exception; then the peer's verdict is ERROR and says
 * so. */
bool on_processor(struct test_context *t, unsigned processor,
                  void (*job)(struct test_context *peer, void *argument),
                  void *argument);
/* The same on all the processors in set[] at once. False where any failed. */
bool on_processors(struct test_context *t, const bool set[],
                   void (*job)(struct test_context *peer, void *argument),
                   void *argument);
/* The same on every processor but one; HW_PROCESSORS_MAX: but none. */
bool on_all_but(struct test_context *t, unsigned processor,
                void (*job)(struct test_context *peer, void *argument),
                void *argument);
/* job(peer, NULL) on every processor, one after another. A check: all ended. */
void on_all_in_turn(struct test_context *t,
                    void (*job)(struct test_context *peer, void *argument));

#endif
