/* SPDX-License-Identifier: BSD-2-Clause */
/* microcode.c - which updates the simulated processor takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/silicon/model/microcode.h"

#define BYTES 2048u

static uint32_t update[BYTES / 4];
static struct machine machine;
static struct processor processor;

static void finish(void)
{
    uint32_t sum = 0;

    update[4] = 0;
    for (unsigned n = 0; n < BYTES / 4; n++)
        sum += update[n];
    update[4] = 0 - sum;
}

static int set_up(void **state)
{
    struct machine_config config = {
        .cpu = personality_find("skylake-2017"),
        .seed = 1,
        .smt = true,
    };

    (void)state;
    machine_start(&machine, &config, 2);
    processor_start(&processor, &machine, 0, 0);
    memset(update, 0, sizeof(update));
    update[0] = 1;
    update[1] = 0xCC;
    update[3] = 0x506E3;
    update[5] = 1;
    update[6] = 1u << 1;
    memcpy(&update[12], "TSXPMU SIMULATEDskylake-2018", 28);
    finish();
    return 0;
}

static const struct personality *loaded(void)
{
    const uint8_t *bytes = (const uint8_t *)update;
    uint32_t total = microcode_bytes(bytes);

    return total == 0 ? NULL : microcode_accepts(&processor, bytes, total);
}

static void a_newer_one_is_taken(void **state)
{
    (void)state;
    assert_int_equal(microcode_bytes((const uint8_t *)update), BYTES);
    assert_string_equal(loaded()->name, "skylake-2018");
}

static void others_are_not(void **state)
{
    static const struct {
        unsigned word;
        uint32_t value;
    } rows[] = {
        {0, 2},          /* header version */
        {1, 0xCD},       /* not the revision of that personality */
        {3, 0x506E4},    /* another processor */
        {5, 2},          /* loader revision */
        {6, 1u << 2},    /* another platform */
        {12, 0},         /* not one of ours */
        {7, 0xFFFFFFFC}, /* more data than there is */
        {7, 1999},       /* not whole doublewords */
    };

    for (unsigned n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        set_up(state);
        update[rows[n].word] = rows[n].value;
        finish();
        assert_null(loaded());
    }
    set_up(state);
    update[100] ^= 1; /* the sum is wrong */
    assert_null(loaded());
    set_up(state);
    processor.cpu = personality_find("skylake-2018");
    assert_null(loaded()); /* as new as what it has */
    processor.cpu = personality_find("skylake-2021");
    assert_null(loaded());
}

static void further_signatures(void **state)
{
    (void)state;
    update[3] = 0x906EA;
    update[7] = 1024;
    update[8] = BYTES;
    update[12 + 256] = 1; /* count */
    update[12 + 256 + 5] = 0x506E3;
    update[12 + 256 + 6] = 0xFF;
    finish();
    assert_string_equal(loaded()->name, "skylake-2018");
    update[12 + 256] = 0;
    finish();
    assert_null(loaded());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_newer_one_is_taken, set_up),
        cmocka_unit_test_setup(others_are_not, set_up),
        cmocka_unit_test_setup(further_signatures, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
