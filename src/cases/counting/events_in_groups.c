/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of events that is longer than there are counters, in groups of three
 * and in groups of four: what is counted does not depend on the groups. */
#include "src/harness/case.h"
#include "src/cpu/generation.h"
#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/groups.h"

/* SDM 3B, "Pre-defined Architectural Performance Events", and the tables of
 * events of 06_2AH and later, and Intel's list of events of Ice Lake
 * (github.com/intel/perfmon, ICX); the counts are those of window_plain, beside
 * the text in asm/counting_window.asm: a loop of 5 turns, a call, a jump, a
 * return.
 */
static const struct listed {
    const char *name;
    uint64_t select;
    uint32_t exact;
    uint8_t more;         /* an end of the window may count as one */
    unsigned generations; /* 0: all */
} list[] = {
    {"INST_RETIRED.ANY_P", 0x00c0, 21, 1, 0},
    {"BR_INST_RETIRED.ALL_BRANCHES", 0x00c4, 8, 0, 0},
#define A_FEW  4 /* instructions, that an erratum adds or leaves out */
#define BEFORE (SANDY_BRIDGE | IVY_BRIDGE | HASWELL | BROADWELL | SKYLAKE)
#define LATER  (BEFORE | SINCE_ICE_LAKE)
    {"BR_INST_RETIRED.CONDITIONAL", 0x01c4, 5, 0, BEFORE},
    {"BR_INST_RETIRED.COND", 0x11c4, 5, 0, ICE_LAKE | GOLDEN_COVE},
    {"BR_INST_RETIRED.COND, UMASK2 = 1", IA32_PERFEVTSEL_UMASK2_OF(1) | 0x11c4,
     5, 0, LION_COVE},
    {"BR_INST_RETIRED.NEAR_CALL", 0x02c4, 1, 0, LATER},
    {"BR_INST_RETIRED.NEAR_RETURN", 0x08c4, 1, 0, LATER},
    {"BR_INST_RETIRED.NOT_TAKEN", 0x10c4, 1, 0, LATER},
    {"BR_INST_RETIRED.NEAR_TAKEN", 0x20c4, 7, 0, LATER},
    {"INST_RETIRED.ALL", 0x01c0, 21, 1, BEFORE}, /* then of a fixed counter */
    {"BR_INST_RETIRED.COND", 0x7ec4, 5, 0, GRACEMONT},
    {"BR_INST_RETIRED.NEAR_TAKEN", 0xc0c4, 7, 0, GRACEMONT},
    {"BR_INST_RETIRED.NEAR_RETURN", 0xf7c4, 1, 0, GRACEMONT},
    {"BR_INST_RETIRED.NEAR_CALL", 0xf9c4, 1, 0, GRACEMONT},
};
#define LISTED (sizeof(list) / sizeof(list[0]))

static void check_event(struct test_context *t, const struct listed *event,
                        unsigned e, const struct groups_counted by[2])
{
    /* Instructions are inconsistent on some processors, by a few; on 06_2AH and
     * 06_2DH these two branch events may count too many (BJ090). */
    const bool instructions = event->select == EVENT_INST_RETIRED;

    if (identity_generation(test_cpu(t)) == SANDY_BRIDGE &&
        (event->select == 0x10c4 || event->select == 0x20c4) &&
        (by[0].most[e] > event->exact || by[1].most[e] > event->exact)) {
        observe(t, "a branch event counts too many (BJ090)", 1, 1);
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        check_known(
            t,
            by[i].least[e] >= event->exact &&
                by[i].most[e] <= event->exact + event->more,
            ERRATUM_INSTRUCTIONS_INCONSISTENT,
            instructions && by[i].least[e] + A_FEW >= event->exact &&
                by[i].most[e] <= event->exact + event->more + A_FEW,
            "%s (%02lXH/%02lXH) in groups of %u, in %u windows: %lu to %lu; "
            "wanted %u%s",
            event->name, event->select & 0xff, event->select >> 8 & 0xff, 3 + i,
            by[i].windows, by[i].least[e], by[i].most[e], event->exact,
            event->more != 0 ? " or one more" : "");
    check_known(
        t, by[0].total[e] == by[1].total[e], ERRATUM_INSTRUCTIONS_INCONSISTENT,
        instructions,
        "%s (%02lXH/%02lXH) in %u windows: %lu in groups of three, %lu in "
        "groups of four",
        event->name, event->select & 0xff, event->select >> 8 & 0xff,
        by[0].windows, by[0].total[e], by[1].total[e]);
}

TEST(events_in_groups,
     .asks = "Do events count the same in groups of three and of four?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring\", \"Pre-defined "
             "Architectural Performance Events\"; white paper 604224, section "
             "1.2",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 4})
{
    const struct identity *id = test_cpu(t);
    const unsigned windows = test_trials(t, 20, 1);
    uint64_t selects[LISTED];
    const struct listed *used[LISTED];
    struct groups_counted by[2];
    unsigned count = 0;

    /* Set-up. */
    for (unsigned i = 0; i < LISTED; i++)
        if (list[i].generations == 0 ||
            (list[i].generations & identity_generation(id)) != 0) {
            used[count] = &list[i];
            selects[count++] = list[i].select;
        }
    if (!counter3_make_reliable(t)) {
        skip(t, "needs counter 3, which no document says to be usable here");
        return;
    }
    if (!counters_claim(t))
        return;

    /* Measured. */
    for (unsigned i = 0; i < 2; i++)
        if (!groups_count(t, selects, count, 3 + i, windows, window_plain,
                          &by[i]))
            return;

    /* Check. */
    for (unsigned e = 0; e < count; e++)
        check_event(t, used[e], e, by);
    note(t,
         "%u events in %u groups of three and %u of four, %u windows each: "
         "instructions %lu and %lu, branches %lu and %lu",
         count, by[0].schedule.groups, by[1].schedule.groups, windows,
         by[0].total[0], by[1].total[0], by[0].total[1], by[1].total[1]);
}
