/* SPDX-License-Identifier: BSD-2-Clause */
/* errata.c - which processors have which errata, and what these change. */
#include "src/pt/tsx_events.h"
#include "tests/pt/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void by_processor(void **state)
{
    static const unsigned skylake = PT_SKD007 | PT_SKD022;
    const struct {
        unsigned family, model, errata;
    } rows[] = {
        {6, 0x3d, PT_BDM064}, {6, 0x47, PT_BDM064}, {6, 0x4f, PT_BDM064},
        {6, 0x56, PT_BDM064}, {6, 0x4e, skylake},   {6, 0x5e, skylake},
        {6, 0x8e, skylake},   {6, 0x9e, skylake},   {6, 0xa5, skylake},
        {6, 0xa6, skylake},   {6, 0x55, PT_SKD022}, {6, 0x3c, 0},
        {6, 0x6a, 0},         {6, 0x7e, 0},         {15, 0x5e, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(pt_errata(rows[i].family, rows[i].model),
                         rows[i].errata);
}

static void begin(struct stream *stream)
{
    put_psb(stream);
    put_mode_tsx(stream, 0, 0);
    put_fup(stream, 3, 0x401000);
    put2(stream, 0x02, 0x23);
    put_mode_tsx(stream, 1, 0);
    put_fup(stream, 1, 0x1010);
}

/* The transitions, a letter each, ! where they deviate; read in blocks. */
static void read_transitions(const struct stream *in, unsigned errata,
                             size_t step, char *said)
{
    uint8_t block[256];
    struct pt_tsx tsx;
    struct pt_tsx_event event;
    enum pt_result result;
    size_t fed = 0;

    pt_tsx_open(&tsx);
    tsx.reader.errata = (uint8_t)errata;
    do {
        result = pt_tsx_next(&tsx, &event);
        if (result == PT_MORE) {
            const size_t rest = tsx.reader.size - tsx.reader.at;
            const size_t more = in->size - fed < step ? in->size - fed : step;
            memmove(block, tsx.reader.bytes + tsx.reader.at, rest);
            memcpy(block + rest, in->bytes + fed, more);
            fed += more;
            pt_feed(&tsx.reader, block, rest + more, fed == in->size);
        } else if (result == PT_OK) {
            *said++ = "-BCASO"[event.transition];
            if (event.deviation != PT_NO_DEVIATION)
                *said++ = '!';
        }
    } while (result != PT_END);
    *said = '\0';
}

static void expect(const struct stream *in, unsigned errata, const char *want)
{
    char said[64];

    for (size_t step = 1; step <= in->size; step++) {
        read_transitions(in, errata, step, said);
        assert_string_equal(said, want);
    }
}

/* The first byte of a long CYC, then an OVF with its FUP. */
static void overflow_in_cyc(void **state)
{
    uint8_t bytes[128];
    struct stream stream = {bytes, 0, sizeof(bytes)};

    (void)state;
    begin(&stream);
    put(&stream, 0x3f, 1);
    put2(&stream, 0x02, 0xf3);
    put_fup(&stream, 1, 0x1020);
    for (unsigned i = 0; i < 40; i++)
        put_tnt(&stream, 1, 2);
    expect(&stream, 0, "SB-!");
    expect(&stream, PT_SKD007, "SBO");
    expect(&stream, PT_SKD022 | PT_BDM064, "SB-!");
}

/* Other CYCs of two bytes are what they were. */
static void no_overflow_in_cyc(void **state)
{
    uint8_t bytes[128];
    struct stream stream = {bytes, 0, sizeof(bytes)};

    (void)state;
    begin(&stream);
    for (unsigned i = 0; i < 30; i++)
        put_cyc(&stream, 32 + 31); /* FFH 02H */
    put_mode_tsx(&stream, 0, 0);
    put_fup(&stream, 1, 0x1030);
    put(&stream, 0x02ff, 2);
    expect(&stream, 0, "SBC");
    expect(&stream, PT_SKD007, "SBC");
}

/* A FUP before the TIP.PGD of a VM entry is no event; one before a TIP is. */
static void fup_at_vm_entry(void **state)
{
    uint8_t bytes[128];
    struct stream stream = {bytes, 0, sizeof(bytes)};

    (void)state;
    begin(&stream);
    put_fup(&stream, 1, 0x1020);
    put_ip(&stream, 0x01, 0, 0);
    expect(&stream, 0, "SB-!");
    expect(&stream, PT_SKD022, "SB");
    stream.size -= 1;
    put_tip(&stream, 1, 0x1040);
    expect(&stream, PT_SKD022, "SB-!");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_processor),
        cmocka_unit_test(overflow_in_cyc),
        cmocka_unit_test(no_overflow_in_cyc),
        cmocka_unit_test(fup_at_vm_entry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
