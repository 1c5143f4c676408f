/* SPDX-License-Identifier: BSD-2-Clause */
/* hle_cases.c - the cases of elision over critical sections that do as the
 * manual says, and over the same with one of them otherwise: each is seen. */
#include "src/harness/context.h"
#include "src/tsx/hle.h"
#include "tests/host/fakes/fake_body.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

extern const struct test test_hle_elision, test_hle_mismatch,
    test_hle_never_elides;

enum wrong {
    RIGHT,
    ELIDED,        /* although nothing is to be */
    LOCK_LEFT,     /* the lock is not as before */
    LOCK_UNSEEN,   /* its own lock reads as free inside */
    DATA_LOST,     /* the store inside is not made */
    DATA_TWICE,    /* it is made twice */
    STILL_RUNNING, /* XTEST says so after the XRELEASE */
    RAX_CHANGED,
    NEXT_WRITTEN, /* 64 bytes after the lock */
};

#define OTHER_VALUE   HLE_FORMS
#define OTHER_ADDRESS (HLE_FORMS + 1)
#define OTHER_SIZE    (HLE_FORMS + 2)
#define OTHER_BYTE    (HLE_FORMS + 3)
#define OTHER_SECOND  (HLE_FORMS + 4)
#define OTHER_THIRD   (HLE_FORMS + 5)
#define OTHER_IN_BYTE (HLE_FORMS + 6)
#define OTHER_IN_WORD (HLE_FORMS + 7)
#define OTHER_INNER   (HLE_FORMS + 8)
#define OTHER_HALF    (HLE_FORMS + 9)
#define LINE          (HLE_FORMS + 10)

static struct {
    bool elides;
    enum wrong is;
    unsigned region; /* of which one */
    unsigned at;     /* once: in this try of it, from 0 */
    unsigned tries;
    unsigned never; /* this form is not elided */
} device = {.never = HLE_FORMS};

static bool wrong(unsigned region, enum wrong is)
{
    return device.region == region && device.is == is &&
           device.tries == device.at + 1;
}

/* One execution. The lock: what it holds inside, and afterwards. */
static void run(unsigned region, struct hle_block *block, uint64_t held,
                uint64_t after, bool elides)
{
    volatile uint64_t *lock = block->lock;

    device.tries += device.region == region;
    if (region == device.never)
        elides = false;
    if (wrong(region, ELIDED))
        elides = true;
    block->seen = wrong(region, LOCK_UNSEEN) ? ~held : held;
    block->data += wrong(region, DATA_LOST) ? 0 : 1;
    block->data += wrong(region, DATA_TWICE) ? 1 : 0;
    block->far++;
    block->inside = elides && block->ask != 0;
    block->outside = wrong(region, STILL_RUNNING) && block->ask != 0;
    block->rax = wrong(region, RAX_CHANGED) ? 0 : HLE_RAX;
    *lock = wrong(region, LOCK_LEFT) ? ~after : after;
    if (wrong(region, NEXT_WRITTEN))
        lock[8]++;
}

enum form {
#define NUMBER(name, before, held, words) FORM_##name,
    HLE_REGIONS(NUMBER)
};

#define REGION(name, before, held, words)                     \
    void hle_##name(struct hle_block *block)                  \
    {                                                         \
        run(FORM_##name, block, held, before, device.elides); \
    }
HLE_REGIONS(REGION)

void hle_line(struct hle_block *block)
{
    volatile uint64_t *lock = block->lock;

    device.tries += device.region == LINE;
    lock[0] = wrong(LINE, LOCK_LEFT) ? 1 : 0;
    lock[1] += wrong(LINE, NEXT_WRITTEN) ? 0 : 1;
    block->data += wrong(LINE, DATA_LOST) ? 0 : wrong(LINE, DATA_TWICE) ? 2 : 1;
}

void hle_other_value(struct hle_block *block)
{
    run(OTHER_VALUE, block, 1, 2, false);
}

void hle_other_byte(struct hle_block *block)
{
    run(OTHER_BYTE, block, 1, 1 << 24, false);
}

void hle_other_second(struct hle_block *block)
{
    run(OTHER_SECOND, block, 1, 1 << 8, false);
}

void hle_other_third(struct hle_block *block)
{
    run(OTHER_THIRD, block, 1, 1 << 16, false);
}

void hle_other_in_byte(struct hle_block *block)
{
    run(OTHER_IN_BYTE, block, 1, 1, false);
}

void hle_other_in_word(struct hle_block *block)
{
    run(OTHER_IN_WORD, block, 1, 1 << 8, false);
}

void hle_other_inner(struct hle_block *block)
{
    ((volatile uint64_t *)block->lock)[8] = 2;
    run(OTHER_INNER, block, 1, 0, false);
}

void hle_other_half(struct hle_block *block)
{
    run(OTHER_HALF, block, 1, UINT64_C(1) << 32, false);
}

void hle_other_address(struct hle_block *block)
{
    ((volatile uint64_t *)block->lock)[8] = 0;
    run(OTHER_ADDRESS, block, 1, 1, false);
}

void hle_other_size(struct hle_block *block)
{
    run(OTHER_SIZE, block, 1, 0, false);
}

/* --- The cases over it --------------------------------------------------- */

#define TRIES 25

static struct test_context all[1];

static enum verdict verdict_of(const struct test *test, bool elides,
                               enum wrong is, unsigned region, unsigned at)
{
    static char buffer[TEST_BUFFER_BYTES] __attribute__((aligned(4096)));
    struct test_context *t = &all[0];

    all[0] = (struct test_context){0};
    fake_reset();
    t->cpu = (struct identity){.vendor = "GenuineIntel",
                               .rtm = true,
                               .hle = true,
                               .tsx_force_abort = !elides};
    t->regime = elides ? REGIME_A : REGIME_B;
    t->trials = TRIES;
    t->all = all;
    t->processors = 1;
    t->buffer = buffer;
    context_begin(t, test, 1);
    device.elides = elides;
    device.is = is;
    device.region = region;
    device.at = at;
    device.tries = 0;
    fake_body(t);
    t->end = HW_DONE;
    context_close(t);
    return t->verdict;
}

static void seen(const struct test *test, bool elides, enum wrong is,
                 unsigned region)
{
    unsigned at = 0;

    /* In each of the tries, however many there are. */
    do {
        enum verdict verdict = verdict_of(test, elides, is, region, at);
        if (device.tries <= at)
            break;
        if (verdict != VERDICT_FAIL)
            fail_msg("%s: deviation %d of region %u, try %u: verdict %d: %s",
                     test->name, is, region, at, verdict, all[0].text);
        if (test == &test_hle_mismatch &&
            strstr(all[0].text, "1 of 5") == NULL &&
            strstr(all[0].text, "inside 1, after it 0 of 5") == NULL)
            fail_msg("%s: deviation %d of region %u is not one of 5: %s",
                     test->name, is, region, all[0].text);
    } while (++at < 1000);
    assert_in_range(at, 1, 999);
}

static void as_the_manual_says(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(&test_hle_elision, true, RIGHT, 0, 0),
                     VERDICT_PASS);
    assert_int_equal(verdict_of(&test_hle_mismatch, true, RIGHT, 0, 0),
                     VERDICT_PASS);
    assert_int_equal(verdict_of(&test_hle_mismatch, false, RIGHT, 0, 0),
                     VERDICT_SKIP);
    assert_int_equal(verdict_of(&test_hle_never_elides, false, RIGHT, 0, 0),
                     VERDICT_PASS);
    assert_int_equal(verdict_of(&test_hle_never_elides, true, RIGHT, 0, 0),
                     VERDICT_SKIP);
    assert_int_equal(verdict_of(&test_hle_elision, false, RIGHT, 0, 0),
                     VERDICT_FAIL);
}

static void each_form_as_without_prefixes(void **state)
{
    static const enum wrong deviations[] = {LOCK_LEFT, LOCK_UNSEEN, DATA_LOST,
                                            DATA_TWICE, STILL_RUNNING};

    (void)state;
    for (unsigned form = 0; form < HLE_FORMS; form++) {
        for (unsigned i = 0; i < 5; i++) {
            seen(&test_hle_elision, true, deviations[i], form);
            seen(&test_hle_never_elides, false, deviations[i], form);
        }
        seen(&test_hle_never_elides, false, ELIDED, form);
    }
}

static void the_line_of_the_lock(void **state)
{
    static const enum wrong deviations[] = {LOCK_LEFT, DATA_LOST, DATA_TWICE,
                                            NEXT_WRITTEN};

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        seen(&test_hle_elision, true, deviations[i], LINE);
}

static void a_form_that_is_never_elided(void **state)
{
    (void)state;
    for (unsigned form = 0; form < HLE_FORMS; form++) {
        device.never = form;
        assert_int_equal(verdict_of(&test_hle_elision, true, RIGHT, 0, 0),
                         VERDICT_FAIL);
    }
    device.never = HLE_FORMS;
}

static void each_mismatch(void **state)
{
    static const enum wrong deviations[] = {
        ELIDED,        LOCK_LEFT,   DATA_LOST,   DATA_TWICE,
        STILL_RUNNING, RAX_CHANGED, NEXT_WRITTEN};

    (void)state;
    for (unsigned region = OTHER_VALUE; region <= OTHER_HALF; region++)
        for (unsigned i = 0; i < sizeof(deviations) / sizeof(deviations[0]);
             i++)
            seen(&test_hle_mismatch, true, deviations[i], region);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_manual_says),
        cmocka_unit_test(each_form_as_without_prefixes),
        cmocka_unit_test(the_line_of_the_lock),
        cmocka_unit_test(a_form_that_is_never_elided),
        cmocka_unit_test(each_mismatch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
