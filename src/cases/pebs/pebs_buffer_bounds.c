/* SPDX-License-Identifier: BSD-2-Clause */
/* A buffer that begins anywhere, ends between records, crosses pages, goes on
 * where the PEBS index says, in an area wherever IA32_DS_AREA says: nothing is
 * written but whole records, from the index on. */
#include "src/harness/case.h"
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/pebs/pebs_judge.h"
#include "src/pebs/sampling.h"

#define PAGE        UINT64_C(4096)
#define AREA_BEFORE 0x30 /* bytes of an area on the first of two pages */

/* An overflow every 4 events: more records than there is room for. */
static struct sampling_config config_of(unsigned room, unsigned begun,
                                        unsigned slack)
{
    return (struct sampling_config){
        .select = PRECISE_CONDITIONAL_BRANCHES,
        .counters = 1 << 0,
        .first_period = {4},
        .period = {4},
        .room = room,
        .threshold = room,
        .begun = begun,
        .slack = slack,
    };
}

/* Whole, of later and later events, and each of its registers right. */
static void check_records(struct sampling *p, const char *what)
{
    struct test_context *t = p->t;
    struct pebs_record record;
    unsigned last = 0;

    for (unsigned n = p->config.begun; n < p->records; n++) {
        unsigned event =
            sampling_record(p, n, &record) ? sampling_event(p, &record) : 0;
        if (event == 0)
            return;
        uint32_t wrong = pebs_judge_planted(&record, &p->state, event);
        if (!check(t, event > last && wrong == 0,
                   "%s: record %u is of event %u, the one before of event %u; "
                   "wrong in it: %s",
                   what, n, event, last,
                   wrong == 0 ? "no register"
                              : pebs_field_name(
                                    (enum pebs_field)__builtin_ctz(wrong))))
            return;
        last = event;
    }
}

static bool try_buffer(struct sampling *p, const char *what, unsigned room,
                       unsigned begun, unsigned slack)
{
    const struct sampling_config config = config_of(room, begun, slack);

    if (!sampling_run(p, &config, 0))
        return false;
    check(p->t, p->records == room,
          "%s: there is room for %u records more and %u bytes, and %u of them "
          "were made of %u events with an overflow every 4",
          what, room - begun, slack, p->records - begun, PEBS_EVENTS);
    check_records(p, what);
    return true;
}

/* "The base of the buffer must be aligned on a doubleword boundary": no more is
 * asked for. */
static bool try_doubleword(struct sampling *p)
{
    p->buffer += sizeof(uint32_t);
    const bool ok = try_buffer(p,
                               "a buffer that begins 4 bytes after a "
                               "quadword's boundary",
                               4, 0, 0);
    p->buffer -= sizeof(uint32_t);
    return ok;
}

/* The index given back after the buffer was full: records come again, and the
 * first ones are gone. What was written with PEBS off would be seen, too. */
static bool try_index_reset(struct sampling *p)
{
    const struct sampling_config config = config_of(3, 0, 0);
    uint8_t before[3 * SAMPLING_SIZE_MAX];
    struct pebs_state state;

    if (!sampling_run(p, &config, 0))
        return false;
    memcpy(before, p->buffer, 3 * p->size);
    pebs_window(sampling_enable(&config), 0, &state);
    sampling_quiet();
    check(p->t, memcmp(before, p->buffer, 3 * p->size) == 0,
          "records changed after IA32_PEBS_ENABLE (3F1H) was 0");
    return try_buffer(p, "the index set back to the base", 3, 0, 0);
}

/* The same area at another address, which IA32_DS_AREA is written with: its
 * index goes on, and that of the one left behind does not. It begins no line,
 * and ends on the next page. */
static bool try_area_moved(struct sampling *p)
{
    const struct sampling_config config = config_of(3, 0, 0);
    volatile struct pebs_ds_area *moved =
        (volatile struct pebs_ds_area *)((uintptr_t)test_buffer(p->t) + PAGE -
                                         AREA_BEFORE);
    const uint64_t end = (uint64_t)(uintptr_t)p->buffer + config.room * p->size;

    if (!sampling_arm(p, &config))
        return false;
    *moved = p->set;
    if (!set_msr_again(p->t, IA32_DS_AREA, (uint64_t)(uintptr_t)moved))
        return false;
    pebs_window(sampling_enable(&config), 0, &p->state);
    bool ok = set_msr_again(p->t, IA32_PEBS_ENABLE, 0);
    sampling_quiet();
    ok = set_msr_again(p->t, IA32_DS_AREA, (uint64_t)(uintptr_t)p->area) && ok;
    if (!ok)
        return false;
    check(p->t,
          moved->pebs_index == end && p->area->pebs_index == p->set.pebs_index,
          "IA32_DS_AREA (600H) written with the address of another area: its "
          "PEBS index is 0x%lx, wanted 0x%lx, and that of the one before went "
          "from 0x%lx to 0x%lx",
          moved->pebs_index, end, p->set.pebs_index, p->area->pebs_index);
    return true;
}

/* Fields that pebs_judge_planted() does not know. By an erratum EventingIP is
 * the instruction before a branch not taken. */
static void check_fields(struct sampling *p, unsigned field)
{
    const uint64_t at = (uint64_t)(uintptr_t)pebs_events;
    struct test_context *t = p->t;
    struct pebs_record r;

    for (unsigned n = 0; n < p->records; n++) {
        unsigned event = sampling_record(p, n, &r) ? sampling_event(p, &r) : 0;
        if (event == 0)
            return;
        const uint64_t next = at + event * PEBS_EVENT_BYTES;
        check_known(t, r.rip == next, ERRATUM_RECORD_OF_LATER, true,
                    "a page begins with the field at %XH: RIP (08H) of the "
                    "record of event %u is 0x%lx, wanted 0x%lx",
                    8 * field, event, r.rip, next);
        check(t, (r.global_status | r.applicable_counter) == 1 || p->format < 3,
              "a page begins with the field at %XH: 90H of record %u is "
              "0x%lx, wanted 1",
              8 * field, n, r.applicable_counter);
        check_known(t,
                    !pebs_has(&r, PEBS_EVENTING_IP) ||
                        next - r.eventing_ip <= PEBS_EVENT_BYTES,
                    ERRATUM_EVENTING_IP, true,
                    "a page begins with the field at %XH: EventingIP (B0H) of "
                    "the record of event %u is 0x%lx, wanted one of the %u "
                    "bytes before 0x%lx",
                    8 * field, event, r.eventing_ip, PEBS_EVENT_BYTES, next);
        check(t,
              !pebs_has(&r, PEBS_TSC) ||
                  (r.tsc >= p->tsc_before && r.tsc <= p->tsc_after),
              "a page begins with the field at %XH: TSC (C0H) of record %u is "
              "0x%lx, wanted 0x%lx to 0x%lx",
              8 * field, n, r.tsc, p->tsc_before, p->tsc_after);
    }
}

/* The buffer elsewhere in its memory: the second of three records has the first
 * byte of a page at each of its fields in turn. */
static bool try_pages(struct sampling *p)
{
    const struct sampling_config config = config_of(3, 0, 0);
    uint8_t *const buffer = p->buffer;
    const uint64_t page =
        ((uint64_t)(uintptr_t)buffer + 2 * p->size + PAGE - 1) & ~(PAGE - 1);
    bool ok = true;

    for (unsigned field = 0; ok && field < p->size / 8; field++) {
        p->buffer = (uint8_t *)(uintptr_t)(page - 8 * field - p->size);
        ok = sampling_run(p, &config, 0);
        if (ok) {
            check(p->t, p->records == config.room,
                  "a page begins with the field at %XH of the second of %u "
                  "records: %u were made",
                  8 * field, config.room, p->records);
            check_records(p, "a page begins in the second record");
            check_fields(p, field);
        }
    }
    p->buffer = buffer;
    return ok;
}

TEST(pebs_buffer_bounds,
     .asks = "Are records written from the PEBS index on, and never past the "
             "PEBS absolute maximum?",
     .cite =
         "SDM 3B, \"Processor Event Based Sampling (PEBS)\" of Nehalem, "
         "\"PEBS Index\", \"PEBS Absolute Maximum\"; \"Setting Up the DS Save "
         "Area\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS})
{
    struct sampling p;

    /* Set-up. */
    if (!sampling_claim(&p, t))
        return;
    sampling_no_turns(&p);
    const unsigned size = (unsigned)p.size;
    /* The record that begins on the buffer's second page and ends after it, or
     * begins the third. */
    const unsigned across = (unsigned)((((uintptr_t)p.buffer | (PAGE - 1)) + 1 +
                                        PAGE - (uintptr_t)p.buffer) /
                                       size);

    /* Measured, and checked one by one. */
    if (!try_buffer(&p, "a buffer of one record", 1, 0, 0) ||
        !try_buffer(&p, "an end one byte after a record", 4, 0, 1) ||
        !try_buffer(&p, "an end half a record after one", 4, 0, size / 2) ||
        !try_buffer(&p, "an end one byte before a record's", 4, 0, size - 1) ||
        !try_buffer(&p, "an index amid the buffer", 9, 4, 0) ||
        !try_buffer(&p, "an index at the end", 5, 5, 0) ||
        !try_area_moved(&p) || !try_pages(&p) || !try_doubleword(&p))
        return;
    if (try_buffer(&p, "records on two pages", across + 4, across - 2, 0))
        try_index_reset(&p);
}
