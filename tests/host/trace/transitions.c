/* SPDX-License-Identifier: BSD-2-Clause */
/* test_transitions.c - captured traces against what the workload did: one that
 * is right, and each way of being wrong. */
#include "src/trace/transitions.h"
#include "tests/pt/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BEGIN    UINT64_C(0x401000)
#define END      UINT64_C(0x401080)
#define FALLBACK UINT64_C(0x4010c0)

static uint8_t bytes[4096];
static struct stream out;
static struct transitions seen;

/* clang-format off */

/* A letter is a packet. */
static void write_letter(char letter)
{
    switch (letter) {
    case 'P': put_psb(&out); break;
    case 'S': put_psb(&out); put_mode_tsx(&out, 0, 0); put_fup(&out, 3, 0x400000);
              put2(&out, 0x02, 0x23); break; /* PSB+ outside */
    case 'I': put_psb(&out); put_mode_tsx(&out, 1, 0); put_fup(&out, 3, 0x401010);
              put2(&out, 0x02, 0x23); break; /* PSB+ inside */
    case 'G': put_ip(&out, 0x11, 3, 0x400000); break;
    case 'D': put_ip(&out, 0x01, 0, 0); break;
    case 'B': put_mode_tsx(&out, 1, 0); break;
    case 'C': put_mode_tsx(&out, 0, 0); break;
    case 'A': put_mode_tsx(&out, 0, 1); break;
    case 'b': put_fup(&out, 3, BEGIN); break;
    case 'e': put_fup(&out, 3, END); break;
    case 'f': put_fup(&out, 3, FALLBACK); break;
    case 't': put_tip(&out, 3, FALLBACK); break;
    case 'T': put_tip(&out, 3, FALLBACK + 1); break;
    case 'n': put_tnt(&out, 0x2c, 6); break; /* 101100, the oldest first */
    case 'N': put_tnt_64(&out, 0x1, 2); break;
    case 'O': put2(&out, 0x02, 0xf3); break;
    case '?': put(&out, 0x05, 1); break;
    default: fail();
    }
}
/* clang-format on */

static void read_letters(const char *letters)
{
    out = (struct stream){.bytes = bytes, .room = sizeof(bytes)};
    for (; *letters != '\0'; letters++)
        write_letter(*letters);
    transitions_read(bytes, out.size, &seen);
}

static const struct transition_wanted commit[] = {{PT_BEGIN, BEGIN, BEGIN, 0},
                                                  {PT_COMMIT, END, END, 0}};
static const struct transition_wanted aborted[] = {
    {PT_BEGIN, BEGIN, BEGIN, 0}, {PT_ABORT, END - 4, END + 4, FALLBACK}};
static const struct transition_wanted aborted_in_parts[] = {
    {PT_BEGIN, BEGIN, BEGIN, 0}, {PT_ABORT, BEGIN, FALLBACK + 64, FALLBACK}};

static void judged(void **state)
{
    static const struct {
        const char *letters;
        const struct transition_wanted *wanted;
        unsigned count;
        const char *wrong; /* NULL: as wanted */
        unsigned which;
    } rows[] = {
        {"SGBbnCeD", commit, 2, NULL, 2},
        {"SGBbnAetD", aborted, 2, NULL, 2},
        {"SGnD", commit, 0, NULL, 0},
        {"SGBbICeD", commit, 2, NULL, 2},
        {"SGBbnCeD", aborted, 2, "another transition", 1},
        {"SGBbnAetD", commit, 2, "another transition", 1},
        {"SGBeCeD", commit, 2, "another address of the instruction", 0},
        {"SGBbCbD", commit, 2, "another address of the instruction", 1},
        {"SGBbAeTD", aborted, 2, "another target of the abort", 1},
        {"SGBbAetD", aborted_in_parts, 2, NULL, 2},
        {"SGBbAftD", aborted_in_parts, 2, "an abort where it goes on", 1},
        {"SGD", commit, 2, "a transition is missing", 0},
        {"SGBbD", commit, 2, "a transition is missing", 1},
        {"SGBbCeBbCeD", commit, 2, "more transitions", 2},
        {"SGBbBbCeCeD", commit, 2, "", 1}, /* nested ones are not sent */
        {"SGBnbCeD", commit, 2, "", 0},    /* no FUP after a MODE.TSX */
        {"SGBbSCeD", commit, 2, "", 1},    /* PSB+ says InTX = 0 */
        {"SGBbCe?D", commit, 2, "", 0},    /* not to be read */
        {"BbCeD", commit, 2, "", 0},       /* no PSB */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        unsigned which;
        read_letters(rows[i].letters);
        const char *wrong =
            transitions_judge(&seen, rows[i].wanted, rows[i].count, &which);
        if ((wrong == NULL) != (rows[i].wrong == NULL))
            fail_msg("%s: %s", rows[i].letters, wrong);
        if (wrong != NULL && rows[i].wrong[0] != '\0')
            assert_string_equal(wrong, rows[i].wrong);
        assert_int_equal(which, rows[i].which);
    }
}

/* More events than there is room for. */
static void many(void **state)
{
    struct transition_wanted wanted[40];
    char letters[128] = "SG";
    unsigned which;

    (void)state;
    for (unsigned i = 0; i < 40; i += 2) {
        strcat(letters, "BbCe");
        memcpy(&wanted[i], commit, sizeof(commit));
    }
    read_letters(letters);
    assert_int_equal(seen.count, 40);
    assert_non_null(transitions_judge(&seen, wanted, 40, &which));
    assert_int_equal(which, TRANSITIONS_MAX);
}

static void disturbed(void **state)
{
    static const struct {
        const char *letters;
        bool disturbed;
    } rows[] = {
        {"SGBbCeD", false},
        {"SGBbOeCeD", true},
        {"SGBbCeDGD", true}, /* an SMI: off and on again */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        read_letters(rows[i].letters);
        assert_int_equal(transitions_disturbed(&seen), rows[i].disturbed);
    }
}

/* PSB+: status, inside and outside. */
static void states(void **state)
{
    (void)state;
    read_letters("SGBbIICeD");
    assert_int_equal(seen.packets[PT_PSB], 3);
    assert_int_equal(seen.states, 3);
    assert_int_equal(seen.inside, 2);
    assert_int_equal(seen.wrong, 0);
    read_letters("SGBbSCeDI");
    assert_int_equal(seen.inside, 0);
    assert_int_equal(seen.wrong, 2);
}

static void counted(void **state)
{
    (void)state;
    read_letters("SGnBbNCe?SGn");
    assert_int_equal(seen.end, PT_UNDEFINED_OPCODE);
    assert_int_equal(bytes[seen.end_at], 0x05);
    assert_int_equal(seen.packets[PT_TNT_8], 2); /* after the error too */
    assert_int_equal(seen.packets[PT_TNT_64], 1);
}

static void branches(void **state)
{
    uint64_t results;

    (void)state;
    read_letters("SGnBbnNAet");
    assert_int_equal(seen.count, 2);
    assert_int_equal(transitions_branches(bytes, out.size, seen.events[0].at,
                                          seen.events[1].offset, &results),
                     8);
    assert_int_equal(results, 0x8d); /* 1 0 1 1 0 0, 0 1 */
    assert_int_equal(
        transitions_branches(bytes, out.size, 0, out.size, &results), 14);
    assert_int_equal(
        transitions_branches(bytes, out.size, out.size, 0, &results), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judged),    cmocka_unit_test(many),
        cmocka_unit_test(disturbed), cmocka_unit_test(states),
        cmocka_unit_test(counted),   cmocka_unit_test(branches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
