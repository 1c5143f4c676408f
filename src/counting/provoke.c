/* SPDX-License-Identifier: BSD-2-Clause */
/* provoke.c - counters 0, 1 and 3 alike, around a piece of work. */
#include "src/counting/provoke.h"

#include "asm/counter3_look.h"
#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"

#define WITNESS  0
#define TWIN     1
#define BRANCHES 0xc4
#define SHORT    16 /* events before the overflow, and then more of them: */
#define STEP     32
#define STEPS    8
#define MANY     512 /* transactions in a window */
#define FEW      8   /* instructions that an erratum may count or not */

/* Unusual ones too: INT (the LVT's entry is masked), CMASK. */
static const uint64_t selects[] = {
    IA32_PERFEVTSEL_EN | IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_USR |
        EVENT_INST_RETIRED,
    IA32_PERFEVTSEL_EN | IA32_PERFEVTSEL_INT | IA32_PERFEVTSEL_OS |
        IA32_PERFEVTSEL_USR | EVENT_INST_RETIRED,
    IA32_PERFEVTSEL_EN | IA32_PERFEVTSEL_INT | IA32_PERFEVTSEL_OS |
        IA32_PERFEVTSEL_USR | BRANCHES,
    IA32_PERFEVTSEL_EN | IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_USR | BRANCHES |
        UINT64_C(1) << 24,
};
#define SELECTS_TRIED (sizeof(selects) / sizeof(selects[0]))

/* As read before anything was written. */
static struct counter3_seen look(struct test_context *t)
{
    struct counter3_seen seen = {.in_use =
                                     IA32_PERF_GLOBAL_INUSE_PERFEVTSEL(3)};

    counter3_look(&seen, test_cpu(t)->perfmon_version >= 4);
    return seen;
}

static bool program(struct test_context *t, uint64_t select, uint64_t preset)
{
    static const unsigned counters[] = {WITNESS, TWIN, 3};

    for (unsigned i = 0; i < 3; i++)
        if (!set_msr_again(t, IA32_PERFEVTSEL(counters[i]), select) ||
            !set_msr_again(t, IA32_PMC(counters[i]), preset))
            return false;
    return counters_clear_status(t, BIT(WITNESS) | BIT(TWIN) | BIT(3)) &&
           hold_msr(t, IA32_PERF_GLOBAL_CTRL);
}

/* What there was, and what there had to be. */
struct window {
    uint64_t select, status, witness, twin, third;
    uint64_t selects[2]; /* of the witness and the twin */
    struct counter3_seen seen;
};

static uint32_t class_of(uint64_t a, uint64_t b)
{
    uint64_t off = a > b ? a - b : b - a;

    return off == 0 ? 0 : off <= 8 ? 8 : off <= 1000 ? 1000 : 1001;
}

static void enter_values(struct provoked_histogram *h, const struct window *w)
{
    const struct provoked_values found = {w->seen.select,
                                          w->select,
                                          w->seen.control,
                                          w->seen.in_use,
                                          class_of(w->third, w->twin),
                                          1};

    for (unsigned i = 0; i < PROVOKED_VALUES; i++) {
        struct provoked_values *v = &h->values[i];
        if (v->times == 0) {
            *v = found;
            return;
        }
        if (v->select == found.select && v->wanted == found.wanted &&
            v->control == found.control && v->in_use == found.in_use &&
            v->off == found.off) {
            v->times++;
            return;
        }
    }
    h->others++;
}

static void enter(struct provoked *out, struct provoked_histogram *h,
                  const struct window *w)
{
    const struct counter3_seen *seen = &w->seen;
    bool no_select = seen->select != w->select;
    bool no_control = (seen->control & BIT(3)) == 0;
    bool no_use = (seen->in_use & IA32_PERF_GLOBAL_INUSE_PERFEVTSEL(3)) == 0;
    bool no_status = (w->status >> 3 & 1) != (w->status >> TWIN & 1);
    /* Read while both counted, branches are alike too. */
    bool no_count = w->third != w->twin ||
                    ((w->select & IA32_PERFEVTSEL_EVENT) == BRANCHES &&
                     seen->count != seen->twin);
    bool wrong = no_select || no_control || no_use || no_status || no_count;

    out->rounds++;
    out->select += no_select;
    out->control += no_control;
    out->in_use += no_use;
    out->status += no_status;
    out->count += no_count;
    out->wrong += wrong;
    if (no_select) {
        out->got_select = seen->select;
        out->want_select = w->select;
    }
    if (no_count) {
        out->got_count = w->third;
        out->want_count = w->twin;
    }
    if (wrong && h != NULL)
        enter_values(h, w);
}

/* Nothing excuses these: the paper is about counter 3. */
static void enter_others(struct provoked *out, const struct window *w)
{
    const uint64_t both = BITS(1, 0);

    if (w->witness == w->twin && w->selects[0] == w->select &&
        w->selects[1] == w->select && (w->seen.control & both) == both &&
        (w->status >> WITNESS & 1) == (w->status >> TWIN & 1))
        return;
    out->others++;
    out->other_counts[0] = w->witness;
    out->other_counts[1] = w->twin;
    out->other_selects =
        (w->selects[0] ^ w->select) | (w->selects[1] ^ w->select);
    out->other_bits =
        (uint32_t)((w->seen.control & both) | (w->status & both) << 2);
}

bool provoke(struct test_context *t, unsigned turn, enum provoked_from from,
             void (*work)(void *argument), void *argument, struct provoked *out,
             struct provoked_histogram *histogram)
{
    struct window w = {.select = selects[turn % SELECTS_TRIED]};
    uint64_t mask = BITS(test_cpu(t)->counter_bits - 1, 0);
    uint64_t before = 0, after = 0;
    /* C1H to C4H extend [31]. */
    uint64_t preset =
        from == FROM_0
            ? 0
            : -(uint64_t)(SHORT + turn / SELECTS_TRIED % STEPS * STEP) & mask;

    if (!program(t, w.select, preset))
        return false;
    bool smis = try_get_msr(t, MSR_SMI_COUNT, &before) == HW_NO_FAULT;
    set_held_msr(t, IA32_PERF_GLOBAL_CTRL, BIT(WITNESS) | BIT(TWIN) | BIT(3));
    work(argument);
    w.seen = look(t);
    set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 0);

    w.status = msr_value(t, IA32_PERF_GLOBAL_STATUS);
    w.witness = (msr_value(t, IA32_PMC(WITNESS)) - preset) & mask;
    w.twin = (msr_value(t, IA32_PMC(TWIN)) - preset) & mask;
    w.third = (msr_value(t, IA32_PMC(3)) - preset) & mask;
    for (unsigned n = 0; n < 2; n++)
        w.selects[n] = msr_value(t, IA32_PERFEVTSEL(n));
    if (smis && (!get_msr(t, MSR_SMI_COUNT, &after) || after != before)) {
        out->dropped++;
    } else {
        enter(out, histogram, &w);
        enter_others(out, &w);
    }
    return set_msr_again(t, IA32_PERFEVTSEL(WITNESS), 0) &&
           set_msr_again(t, IA32_PERFEVTSEL(TWIN), 0) &&
           set_msr_again(t, IA32_PERFEVTSEL(3), 0);
}

unsigned provoke_more(unsigned times)
{
    return times < MANY ? 2 * times : MANY;
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

static void check_others(struct test_context *t, const char *what,
                         const struct provoked *p)
{
    const uint64_t a = p->other_counts[0], b = p->other_counts[1];

    check_known(t, p->others == 0, ERRATUM_INSTRUCTIONS_INCONSISTENT,
                a != b && a - b + FEW <= 2 * FEW,
                "%s: counters 0 and 1, of the same event, were not alike or "
                "not as written in %u of %u rounds: IA32_PMC0 (C1H) counted "
                "%lu, IA32_PMC1 (C2H) %lu; 186H or 187H changed in bits 0x%lx; "
                "38FH[1:0] %u, wanted 3; 38EH[1:0] %u",
                what, p->others, p->rounds, a, b, p->other_selects,
                p->other_bits & 3, p->other_bits >> 2);
}

/* A register that was right in all windows is not named. */
static void note_wrong(struct test_context *t, const char *what,
                       const struct provoked *p)
{
    const struct {
        const char *name;
        unsigned windows;
    } wrong[] = {
        {"IA32_PERFEVTSEL3", p->select},
        {"38FH[3]", p->control},
        {"392H[3]", p->in_use},
        {"IA32_PMC3", p->count},
        {"its overflow bit 38EH[3]", p->status},
    };
    char names[128] = "";

    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (wrong[i].windows != 0)
            text_append(names, sizeof(names), "%s %s in %u",
                        names[0] == '\0' ? ":" : ",", wrong[i].name,
                        wrong[i].windows);
    note(t, "%s: %u of %u windows wrong%s", what, p->wrong, p->rounds, names);
}

void provoke_report(struct test_context *t, bool promised, const char *what,
                    const struct provoked *p)
{
    check_others(t, what, p);
    if (!promised) {
        note_wrong(t, what, p);
        return;
    }
    WITH_PREFIX (t, "%s", what)
        check_promised(t, p);
}

void provoke_report_values(struct test_context *t,
                           const struct provoked_histogram *h, uint64_t rounds)
{
    char count[48];

    for (unsigned i = 0; i < PROVOKED_VALUES && h->values[i].times != 0; i++) {
        const struct provoked_values *v = &h->values[i];
        if (v->off == 0)
            text_format(count, sizeof(count), "as its twin");
        else
            text_format(count, sizeof(count), "off by %s%u",
                        v->off > 1000 ? "more than " : "up to ",
                        v->off > 1000 ? 1000 : v->off);
        note(t,
             "189H = 0x%lx (written 0x%lx), C4H %s, 38FH = 0x%lx, 392H = "
             "0x%lx: %u of %lu windows",
             v->select, v->wanted, count, v->control, v->in_use, v->times,
             rounds);
    }
    if (h->others != 0)
        note(t,
             "still other values of 189H, C4H, 38FH, 392H: %u of %lu windows",
             h->others, rounds);
}
