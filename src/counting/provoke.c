/* SPDX-License-Identifier: BSD-2-Clause */
/* provoke.c - counters 1 and 3 alike, around a piece of work. */
#include "src/counting/provoke.h"

#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"

#define TWIN  1
#define SHORT 16 /* events before the overflow */
#define FEW   8  /* instructions that an erratum may count or not */

/* Unusual ones too: INT (the LVT's entry is masked), CMASK with INV. */
static const uint64_t selects[] = {
    IA32_PERFEVTSEL_EN | IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_USR |
        EVENT_INST_RETIRED,
    IA32_PERFEVTSEL_EN | IA32_PERFEVTSEL_INT | IA32_PERFEVTSEL_OS |
        IA32_PERFEVTSEL_USR | EVENT_INST_RETIRED,
    IA32_PERFEVTSEL_EN | IA32_PERFEVTSEL_INT | IA32_PERFEVTSEL_OS |
        IA32_PERFEVTSEL_USR | 0xc4,
};
#define SELECTS_TRIED (sizeof(selects) / sizeof(selects[0]))

/* As read before anything was written. */
struct seen {
    uint64_t select, control, in_use;
};

static struct seen look(struct test_context *t)
{
    struct seen seen = {.in_use = IA32_PERF_GLOBAL_INUSE_PERFEVTSEL(3)};

    seen.select = msr_value(t, IA32_PERFEVTSEL(3));
    seen.control = msr_value(t, IA32_PERF_GLOBAL_CTRL);
    if (test_cpu(t)->perfmon_version >= 4)
        seen.in_use = msr_value(t, IA32_PERF_GLOBAL_INUSE);
    return seen;
}

static bool program(struct test_context *t, uint64_t select, uint64_t preset)
{
    static const unsigned counters[] = {TWIN, 3};

    for (unsigned i = 0; i < 2; i++)
        if (!set_msr_again(t, IA32_PERFEVTSEL(counters[i]), select) ||
            !set_msr_again(t, IA32_PMC(counters[i]), preset))
            return false;
    return counters_clear_status(t, BIT(TWIN) | BIT(3)) &&
           hold_msr(t, IA32_PERF_GLOBAL_CTRL);
}

bool provoke(struct test_context *t, unsigned turn,
             void (*work)(void *argument), void *argument, struct provoked *out)
{
    const uint64_t both = BIT(TWIN) | BIT(3);
    uint64_t select = selects[turn % SELECTS_TRIED];
    uint64_t mask = BITS(test_cpu(t)->counter_bits - 1, 0);
    /* Short of overflow; or far from it. C1H to C4H extend [31]. */
    uint64_t preset = (turn & 1) != 0 ? 0 : -(uint64_t)SHORT & mask;

    if (!program(t, select, preset))
        return false;
    set_held_msr(t, IA32_PERF_GLOBAL_CTRL, both);
    work(argument);
    struct seen seen = look(t);
    set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 0);

    uint64_t status = msr_value(t, IA32_PERF_GLOBAL_STATUS);
    uint64_t twin = (msr_value(t, IA32_PMC(TWIN)) - preset) & mask;
    uint64_t third = (msr_value(t, IA32_PMC(3)) - preset) & mask;
    bool no_select = seen.select != select;
    bool no_control = (seen.control & BIT(3)) == 0;
    bool no_use = (seen.in_use & IA32_PERF_GLOBAL_INUSE_PERFEVTSEL(3)) == 0;
    bool no_status = (status >> 3 & 1) != (status >> TWIN & 1);

    out->rounds++;
    out->select += no_select;
    out->control += no_control;
    out->in_use += no_use;
    out->status += no_status;
    out->count += third != twin;
    out->wrong +=
        no_select || no_control || no_use || no_status || third != twin;
    if (no_select) {
        out->got_select = seen.select;
        out->want_select = select;
    }
    if (third != twin) {
        out->got_count = third;
        out->want_count = twin;
    }
    return set_msr_again(t, IA32_PERFEVTSEL(TWIN), 0) &&
           set_msr_again(t, IA32_PERFEVTSEL(3), 0);
}

static void check_promised(struct test_context *t, const struct provoked *p)
{
    check(t, p->select == 0,
          "IA32_PERFEVTSEL3 (189H) reads 0x%lx, written with 0x%lx, %u of "
          "%u rounds",
          p->got_select, p->want_select, p->select, p->rounds);
    check(t, p->control == 0,
          "IA32_PERF_GLOBAL_CTRL (38FH)[3] reads 0, written with 1, %u of "
          "%u rounds",
          p->control, p->rounds);
    check(t, p->in_use == 0,
          "IA32_PERF_GLOBAL_INUSE (392H)[3] = 0 with an event selected in "
          "counter 3, %u of %u rounds",
          p->in_use, p->rounds);
    check_known(t, p->count == 0, ERRATUM_INSTRUCTIONS_INCONSISTENT,
                p->got_count - p->want_count + FEW <= 2 * FEW,

                "IA32_PMC3 (C4H) counted %lu, IA32_PMC1 (C2H) %lu of the same "
                "event, different in %u of %u rounds",
                p->got_count, p->want_count, p->count, p->rounds);
    check(t, p->status == 0,
          "IA32_PERF_GLOBAL_STATUS (38EH)[3] and [1] differ although both "
          "counters began alike, %u of %u rounds",
          p->status, p->rounds);
}

void provoke_report(struct test_context *t, bool promised, const char *what,
                    const struct provoked *p)
{
    if (!promised) {
        char text[80];
        text_format(text, sizeof(text), "counter 3 wrong beside %s", what);
        observe(t, text, p->wrong, p->rounds);
        if (p->wrong != 0)
            note(
                t,
                "%s: in %u rounds wrong were IA32_PERFEVTSEL3 (189H) %u times, "
                "IA32_PERF_GLOBAL_CTRL (38FH)[3] %u, IA32_PERF_GLOBAL_INUSE "
                "(392H)[3] %u, the count of IA32_PMC3 (C4H) %u, its overflow "
                "bit %u",
                what, p->rounds, p->select, p->control, p->in_use, p->count,
                p->status);
        return;
    }
    WITH_PREFIX (t, "%s", what)
        check_promised(t, p);
}
