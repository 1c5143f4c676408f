/* SPDX-License-Identifier: BSD-2-Clause */
/* golden_cases.c - pt_decode_golden with its golden streams as they are, and
 * with one field of one line otherwise. */
#include "src/pt/golden.h"
#include "tests/host/cases/case_fixture.h"

#include <sys/mman.h>
#include <unistd.h>

extern const struct test test_pt_decode_golden;

static enum verdict run(void)
{
    case_begin(&test_pt_decode_golden, 1);
    return case_end();
}

/* A table of constants is written to here. */
static void *writable(const void *table, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
                    from = (uintptr_t)table & -page,
                    to = (uintptr_t)table + bytes;

    assert_int_equal(mprotect((void *)from, to - from, PROT_READ | PROT_WRITE),
                     0);
    return (void *)(uintptr_t)table;
}

static void expect_error(const char *field, size_t row)
{
    const enum verdict found = run();

    if (found != VERDICT_ERROR)
        fail_msg("line %zu with another %s: verdict %d: %s", row, field,
                 (int)found, t->text);
}

/* With a field of this line set to that. */
#define WITH(field, value)                          \
    do {                                            \
        const __typeof__(*row) was = *row;          \
        row->field = (value);                       \
        expect_error(#field, (size_t)(row - rows)); \
        *row = was;                                 \
    } while (0)

static void as_they_are(void **state)
{
    (void)state;
    assert_int_equal(run(), VERDICT_PASS);
}

static void packets(void **state)
{
    struct pt_golden_packet *const rows =
        writable(pt_golden_packets,
                 pt_golden_packets_rows * sizeof(pt_golden_packets[0]));

    (void)state;
    for (struct pt_golden_packet *row = rows;
         row < rows + pt_golden_packets_rows; row++) {
        WITH(name, "none");
        WITH(detail, row->detail + 1);
        WITH(payload, row->payload ^ 1);
        WITH(length, row->length - 1);
    }
}

static void events(void **state)
{
    struct pt_golden_event *const rows = writable(
        pt_golden_events, pt_golden_events_rows * sizeof(pt_golden_events[0]));

    (void)state;
    for (struct pt_golden_event *row = rows; row < rows + pt_golden_events_rows;
         row++) {
        WITH(stream, "none");
        WITH(transition, "none");
        WITH(offset, row->offset + 1);
        WITH(has_ip, !row->has_ip);
        WITH(has_target, !row->has_target);
        WITH(has_region, !row->has_region);
        if (row->has_ip)
            WITH(ip, row->ip ^ 1);
        if (row->has_target)
            WITH(target, row->target ^ 1);
        if (row->has_region)
            WITH(region, row->region ^ 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_they_are),
                                       cmocka_unit_test(packets),
                                       cmocka_unit_test(events)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
