/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling.c - the order of set-up and stop, and everything that a
 * processor may write where it must not, over one that the test programs. */
#include "src/pebs/sampling.h"
#include "src/base/msr.h"
#include "tests/host/fakes/one_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* What the next windows do. */
static struct {
    unsigned records;
    size_t stray;    /* a byte is written here, from the DS area on; 0: none */
    size_t short_by; /* bytes that the index is short */
    unsigned smis;   /* windows that an SMI hits */
    bool wrong_register;
    bool late; /* records are of an instruction after the window */
    bool slow; /* they come so long after IA32_PEBS_ENABLE = 0 */
    unsigned windows,
        enabled; /* seen: how many, IA32_PEBS_ENABLE in the last */
} device;

static _Alignas(4096) uint8_t memory[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];

#define SLOW_TSC 10000

/* Bytes of records that are still to come, and since when. */
static struct {
    struct pebs_ds_area *area;
    uint64_t bytes, since;
} coming;

static void time_passes(void)
{
    if (fake_msr(IA32_PEBS_ENABLE)->value != 0)
        coming.since = fake_tsc;
    if (fake_tsc - coming.since < SLOW_TSC)
        return;
    coming.area->pebs_index += coming.bytes;
    coming.bytes = 0;
}

static const struct sampling_config config = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0 | 1 << 3,
    .count_only = 1 << 1,
    .first_period = {5, 0, 0, 7},
    .period = {6, 0, 0, 0},
    .room = 4,
    .threshold = 3,
};

/* RSP is 0, as in *state. */
static void plant(struct pebs_format3 *record, uint64_t flags)
{
    const enum pebs_field fields[] = {
        PEBS_RAX, PEBS_RBX, PEBS_RCX, PEBS_RDX, PEBS_RSI, PEBS_RDI, PEBS_RBP,
        PEBS_R8,  PEBS_R9,  PEBS_R10, PEBS_R11, PEBS_R12, PEBS_R13, PEBS_R14};

    const struct pebs_record form = {.format = 3};

    record->rflags = flags;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        uint64_t value = PEBS_PLANTED((uint64_t)(fields[i] - PEBS_RAX));
        memcpy((uint8_t *)record + pebs_field_offset(&form, fields[i]), &value,
               8);
    }
    if (device.wrong_register)
        record->r9++;
}

void pebs_window(uint64_t enable, uint64_t flags, struct pebs_state *state)
{
    struct pebs_ds_area *area =
        (struct pebs_ds_area *)(uintptr_t)fake_msr(IA32_DS_AREA)->value;
    uint8_t *bytes = (uint8_t *)area;

    assert_int_equal(enable, 1 << 0 | 1 << 1 | 1 << 3);
    *state = (struct pebs_state){.rflags = flags};
    device.windows++;
    device.enabled = (unsigned)fake_msr(IA32_PEBS_ENABLE)->value;
    for (unsigned n = 0; n < device.records; n++) {
        struct pebs_format3 record = {
            .rip = (uintptr_t)(pebs_events + (n + 1) * PEBS_EVENT_BYTES),
            .eventing_ip = (uintptr_t)(pebs_events + n * PEBS_EVENT_BYTES +
                                       PEBS_EVENT_BRANCH),
            .tsc = hw_tsc(),
            .applicable_counter = 1,
            .r15 = PEBS_PLANTED(15) + n + 1};
        plant(&record, flags);
        if (device.late)
            record.rip = (uintptr_t)memory;
        memcpy(bytes + (area->pebs_index - (uintptr_t)bytes), &record, 200);
        area->pebs_index += 200;
    }
    area->pebs_index -= device.short_by;
    if (device.slow) {
        coming.area = area;
        coming.bytes = device.records * 200;
        area->pebs_index -= coming.bytes;
        fake_beside = time_passes;
    }
    if (device.stray != 0)
        bytes[device.stray] ^= 0xff;
    if (device.smis != 0) {
        device.smis--;
        fake_msr(MSR_SMI_COUNT)->value++;
    }
}

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    fake_msr(IA32_DS_AREA)->value = 0x1234;
    fake_msr(IA32_PEBS_ENABLE);
    fake_msr(MSR_SMI_COUNT)->value = 9;
    memset(&device, 0, sizeof(device));
    begin_context(REGIME_A, memory);
    return 0;
}

static const char *lines(void)
{
    t->text[t->text_bytes] = '\0';
    return t->text;
}

/* Records come out, and each register holds what the plan says. */
static void records(void **state)
{
    const uint64_t mask = 0xffffffffffff;
    struct pebs_record record;
    struct sampling p;

    (void)state;
    device.records = 2;
    assert_true(sampling_claim(&p, t) && sampling_run(&p, &config, 0));
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_int_equal(device.enabled, 1 << 0 | 1 << 3);
    assert_int_equal(p.records, 2);
    assert_true(sampling_record(&p, 1, &record));
    assert_int_equal(sampling_event(&p, &record), 2);
    assert_int_equal(p.area->pebs_reset[0], -6ull & mask);
    assert_int_equal(p.area->pebs_reset[3], 0);
    assert_int_equal(p.area->pebs_absolute_maximum,
                     p.area->pebs_buffer_base + 800);
    assert_int_equal(p.area->pebs_interrupt_threshold,
                     p.area->pebs_buffer_base + 600);
    assert_int_equal(fake_msr(IA32_PMC(0))->value, -5ull & mask);
    assert_int_equal(fake_msr(IA32_PMC(1))->value, 0);
    assert_int_equal(fake_msr(IA32_PMC(3))->value, -7ull & mask);
    assert_int_equal(fake_msr(IA32_PERFEVTSEL(1))->value, 0x4301c4);
    assert_int_equal(fake_msr(IA32_PERFEVTSEL(2))->value, 0);
    restore_msrs(t);
    assert_int_equal(fake_msr(IA32_DS_AREA)->value, 0x1234);
}

/* What the processor still writes after it was told to stop. */
static void records_that_are_slow(void **state)
{
    struct sampling p;

    (void)state;
    device.records = 2;
    device.slow = true;
    assert_true(sampling_claim(&p, t) && sampling_run(&p, &config, 0));
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_int_equal(p.records, 2);
}

/* After some that are taken for written: the index goes on from there, and is
 * never before it. */
static void records_begun_with(void **state)
{
    struct sampling_config begun = config;

    begun.begun = 2;
    for (unsigned back = 0; back <= 2; back++) {
        struct sampling p;

        set_up(state);
        device.records = back == 0;
        device.short_by = back * 200u;
        assert_true(sampling_claim(&p, t));
        assert_int_equal(sampling_run(&p, &begun, 0), back == 0);
        assert_int_equal(t->verdict, back == 0 ? VERDICT_PASS : VERDICT_FAIL);
        assert_int_equal(p.records, back == 0 ? 3 : 2 - back);
        assert_true((strstr(lines(), "was set after 2 records") != NULL) ==
                    (back != 0));
        restore_msrs(t);
    }
}

/* Of an instruction after the window the last record alone may be, where an
 * erratum says so. */
static void late(void **state)
{
    struct pebs_record record;
    struct sampling p;

    (void)state;
    device.records = 2;
    device.late = true;
    assert_true(sampling_claim(&p, t) && sampling_run(&p, &config, 0));
    assert_true(sampling_record(&p, 0, &record));
    assert_int_equal(sampling_event(&p, &record), 1);
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_true(sampling_record(&p, 1, &record));
    assert_int_equal(sampling_event(&p, &record), 0);
    assert_int_equal(t->verdict, VERDICT_KNOWN);
    assert_non_null(strstr(lines(), "KNOWN SKL104: the last record has RIP"));
    restore_msrs(t);
}

/* 38FH = 0, then 3F1H = 0, and nothing after it. */
static void order(void **state)
{
    struct sampling p;

    (void)state;
    assert_true(sampling_claim(&p, t) && sampling_arm(&p, &config));
    assert_int_equal(fake_written[fake_written_count - 1], IA32_PEBS_ENABLE);
    assert_true(sampling_start(&p));
    assert_int_equal(fake_msr(IA32_PERF_GLOBAL_CTRL)->value, 0xb);
    unsigned before = fake_written_count;
    assert_true(sampling_stop(&p));
    assert_int_equal(fake_written_count, before + 2);
    assert_int_equal(fake_written[before], IA32_PERF_GLOBAL_CTRL);
    assert_int_equal(fake_written[before + 1], IA32_PEBS_ENABLE);
    assert_int_equal(fake_msr(IA32_PERF_GLOBAL_CTRL)->value, 0);
    assert_int_equal(fake_msr(IA32_PEBS_ENABLE)->value, 0);
    /* Given back after what it uses, and before what enables it. */
    restore_msrs(t);
    unsigned enable = 0, area = 0, control = 0;
    for (unsigned i = before + 2; i < fake_written_count; i++) {
        enable = fake_written[i] == IA32_PEBS_ENABLE ? i : enable;
        area = fake_written[i] == IA32_DS_AREA ? i : area;
        control = fake_written[i] == IA32_PERF_GLOBAL_CTRL ? i : control;
    }
    assert_true(area < enable && enable < control);
}

/* Each place that belongs to nothing, and an index that is no record's. */
static void stray_writes(void **state)
{
    static const struct {
        size_t stray, short_by;
        const char *line;
    } rows[] = {
        {0x60, 0, "96 bytes after the DS area's start"},
        {0x1ff, 0, "511 bytes after the DS area's start"},
        {512 + 400, 0, "a byte was written 400 bytes after"},
        {TEST_RECORDS_BYTES - 1, 0, "end 400 bytes after the PEBS buffer base"},
        {0x20, 0, "DS area"}, /* the base */
        {0x00, 8, "DS area"},
        {0x48, 0, "the DS area changed in more than its PEBS index"},
        {0x01, 0, "the DS area changed in more than its PEBS index"},
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sampling p;
        set_up(state);
        device.records = 2;
        device.stray = rows[i].stray;
        device.short_by = rows[i].short_by;
        assert_true(sampling_claim(&p, t));
        assert_false(sampling_run(&p, &config, 0));
        assert_int_equal(t->verdict, VERDICT_FAIL);
        assert_non_null(strstr(lines(), rows[i].line));
    }
}

static void wrong_register(void **state)
{
    struct pebs_record record;
    struct sampling p;

    (void)state;
    device.records = 2;
    device.wrong_register = true;
    assert_true(sampling_claim(&p, t) && sampling_run(&p, &config, 0));
    assert_true(sampling_record(&p, 0, &record));
    assert_int_equal(sampling_event(&p, &record), 0);
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_non_null(strstr(lines(), "R9 (58H) of a record"));
}

static void wrong_event(void **state)
{
    struct pebs_record record = {.r15 = PEBS_PLANTED(15)};
    struct sampling p;

    (void)state;
    assert_true(sampling_claim(&p, t));
    assert_int_equal(sampling_event(&p, &record), 0);
    assert_int_equal(t->verdict, VERDICT_FAIL);
    record.r15 += PEBS_EVENTS;
    assert_int_equal(sampling_event(&p, &record), PEBS_EVENTS);
    record.r15++;
    assert_int_equal(sampling_event(&p, &record), 0);
}

static void smi_repeats(void **state)
{
    struct sampling p;

    (void)state;
    device.smis = 3;
    assert_true(sampling_claim(&p, t) && sampling_run(&p, &config, 0));
    assert_int_equal(device.windows, 4);
    assert_int_equal(p.repeated, 3);
    device.smis = 1000;
    assert_false(sampling_run(&p, &config, 0));
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

/* A processor, and a microcode, that no record can be expected of. */
static void skipped(void **state)
{
    struct sampling p;

    (void)state;
    t->cpu.model = 0x5c;
    assert_false(sampling_claim(&p, t));
    assert_int_equal(t->verdict, VERDICT_SKIP);
    assert_non_null(strstr(lines(), "06_5CH is not among them"));
    t->cpu.model = 0x2a;
    t->cpu.stepping = 7;
    t->cpu.microcode = 0x27;
    assert_false(sampling_claim(&p, t));
    assert_non_null(strstr(lines(), "needs microcode 28H or later"));
    t->cpu.microcode = 0x28;
    assert_true(sampling_claim(&p, t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(records, set_up),
        cmocka_unit_test_setup(records_that_are_slow, set_up),
        cmocka_unit_test_setup(records_begun_with, set_up),
        cmocka_unit_test_setup(late, set_up),
        cmocka_unit_test_setup(order, set_up),
        cmocka_unit_test_setup(stray_writes, set_up),
        cmocka_unit_test_setup(wrong_register, set_up),
        cmocka_unit_test_setup(wrong_event, set_up),
        cmocka_unit_test_setup(smi_repeats, set_up),
        cmocka_unit_test_setup(skipped, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
