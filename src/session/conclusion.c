/* SPDX-License-Identifier: BSD-2-Clause */
/* conclusion.c - summaries, and two of them compared. */
#include "src/session/conclusion.h"

#include "src/report/merge.h"
#include "src/harness/verdict.h"

#define BEFORE_BYTES (MERGE_SET_BYTES + 32)

struct summary_line {
    struct ktap *out;
    const char *before; /* "microcode CCH: processors 0-1: ", or "" */
};

static void write_summary_line(void *context, const char *text)
{
    const struct summary_line *line = context;

    ktap_note(line->out, "summary: %s%s", line->before, text);
}

/* What advice depends on besides the verdicts. */
static bool same_advice(const struct test_context *a,
                        const struct test_context *b)
{
    return a->regime == b->regime && a->cpu.rtm == b->cpu.rtm &&
           a->cpu.hle == b->cpu.hle && a->cpu.counters == b->cpu.counters &&
           a->cpu.perfmon_version == b->cpu.perfmon_version;
}

/* The set of the processors of p's kind. False where a lower one is in it. */
static bool find_kind(const struct test_context contexts[], unsigned processors,
                      unsigned p, bool set[], bool *all)
{
    bool first = !contexts[p].lost;

    *all = true;
    for (unsigned q = 0; q < processors; q++) {
        set[q] = !contexts[q].lost && same_advice(&contexts[p], &contexts[q]);
        first = first && !(set[q] && q < p);
        *all = *all && set[q];
    }
    return first;
}

void conclusion_summarize(struct ktap *out,
                          const struct test_context contexts[],
                          unsigned processors, const struct suite *suite,
                          const struct outcomes *outcomes, bool second)
{
    char name[MERGE_SET_BYTES], before[BEFORE_BYTES];
    struct summary_line line = {out, before};
    unsigned from = second ? suite->count + 1 : 0;
    bool set[HW_PROCESSORS_MAX], all;

    for (unsigned p = 0; p < processors; p++) {
        if (!find_kind(contexts, processors, p, set, &all))
            continue;
        before[0] = '\0';
        if (suite->revision != 0)
            text_append(before, sizeof(before),
                        "microcode %XH: ", contexts[p].cpu.microcode);
        if (!all)
            text_append(before, sizeof(before),
                        "%s: ", merge_set_name(set, processors, name));
        summary_write(contexts[p].regime, &contexts[p].cpu,
                      outcomes->findings + from, suite->count,
                      write_summary_line, &line);
    }
    for (unsigned i = from; i < from + suite->count; i++) {
        if (outcomes->findings[i].verdict == VERDICT_KNOWN)
            ktap_note(out, "summary: KNOWN: %s",
                      suite_slot_test(suite, i)->name);
        if (outcomes->vary[i])
            ktap_note(out, "summary: not the same in every round: %s",
                      suite_slot_test(suite, i)->name);
    }
}

static const char *observed_text(const struct finding *finding)
{
    return finding->observed ? " with OBSERVED" : "";
}

void conclusion_compare(struct ktap *out, const struct suite *suite,
                        const struct outcomes *outcomes,
                        const struct pass *first, const struct pass *second)
{
    unsigned alike = 0;

    ktap_note(out, "summary: side by side: microcode %XH | %XH",
              first->microcode, second->microcode);
    ktap_note(out, "summary: side by side: regime %s | %s",
              regime_name(first->regime), regime_name(second->regime));
    for (unsigned i = 0; i < suite->count; i++) {
        const struct finding *a = &outcomes->findings[i];
        const struct finding *b = &outcomes->findings[suite->count + 1 + i];
        if (a->verdict == b->verdict && a->observed == b->observed)
            alike++;
        else
            ktap_note(out, "summary: side by side: %s: %s%s | %s%s", a->test,
                      verdict_name(a->verdict), observed_text(a),
                      verdict_name(b->verdict), observed_text(b));
    }
    ktap_note(out, "summary: side by side: %u of %u tests ended alike", alike,
              suite->count);
}
