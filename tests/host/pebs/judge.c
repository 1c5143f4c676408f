/* SPDX-License-Identifier: BSD-2-Clause */
/* judge.c - each register and each bit that can be wrong is noticed,
 * and nothing else is. */
#include "src/pebs/pebs_judge.h"
#include "src/tsx/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define EVENT 17

static const struct pebs_state state_at = {.rsp = 0x7f0000001234,
                                           .rflags = 0x2d7};

/* The record of event 17 as it must be. */
static struct pebs_record good(void)
{
    uint64_t values[PEBS_R15 + 1];
    struct pebs_record r = {.format = 3};

    for (unsigned n = 0; n < 16; n++)
        values[PEBS_RAX + n] =
            UINT64_C(0x5eb5c0de00000000) + n * UINT64_C(0x0101010101);
    r.rflags = 0x2d7;
    r.rax = values[PEBS_RAX];
    r.rbx = values[PEBS_RBX];
    r.rcx = values[PEBS_RCX];
    r.rdx = values[PEBS_RDX];
    r.rsi = values[PEBS_RSI];
    r.rdi = values[PEBS_RDI];
    r.rbp = values[PEBS_RBP];
    r.rsp = 0x7f0000001234;
    r.r8 = values[PEBS_R8];
    r.r9 = values[PEBS_R9];
    r.r10 = values[PEBS_R10];
    r.r11 = values[PEBS_R11];
    r.r12 = values[PEBS_R12];
    r.r13 = values[PEBS_R13];
    r.r14 = values[PEBS_R14];
    r.r15 = values[PEBS_R15] + EVENT;
    return r;
}

static void registers(void **unused)
{
    (void)unused;
    for (unsigned f = PEBS_RFLAGS; f <= PEBS_R15; f++) {
        struct pebs_record r = good();
        uint64_t *fields = &r.rflags; /* in the order of enum pebs_field */
        fields[f] ^= UINT64_C(1) << 33;
        assert_int_equal(pebs_judge_planted(&r, &state_at, EVENT),
                         f == PEBS_RIP ? 0 : 1u << f);
    }
}

static void flags_and_event(void **unused)
{
    struct pebs_record r = good();

    (void)unused;
    assert_int_equal(pebs_judge_planted(&r, &state_at, EVENT), 0);
    assert_int_equal(pebs_judge_planted(&r, &state_at, EVENT + 1),
                     1u << PEBS_R15);
    r.rflags ^= 1u << 16; /* RF */
    assert_int_equal(pebs_judge_planted(&r, &state_at, EVENT), 0);
    r.rflags ^= 1u << 11;
    assert_int_equal(pebs_judge_planted(&r, &state_at, EVENT),
                     1u << PEBS_RFLAGS);
}

#define AT     0x401000
#define RESUME 0x402000
#define CYCLES 90

/* Abort information, abort status, EventingIP, RIP, and what is wrong. */
static void aborts(void **unused)
{
    static const struct {
        bool hle;
        uint64_t info;
        uint32_t eax;
        uint64_t eventing_ip, rip;
        const char *wrong; /* the beginning; NULL: nothing */
    } rows[] = {
        {false, BIT(33) | BIT(34) | CYCLES, 0x5a000001, AT, RESUME, NULL},
        {false, BIT(33) | BIT(35) | CYCLES, 0x5a000001, 7, RESUME, NULL},
        {false, BIT(33) | CYCLES, 0, 7, RESUME, NULL},
        {false, BIT(33) | BIT(37) | BIT(36) | CYCLES, 6, AT, RESUME, NULL},
        {false, BIT(33) | BIT(38) | CYCLES, 8, AT, RESUME, NULL},
        {false, BIT(33) | BIT(39) | CYCLES, 8, AT, RESUME, NULL},
        {true, BIT(32) | BIT(37) | CYCLES, 0, AT, RESUME, NULL},
        {false, BIT(33) | BIT(40) | BIT(63) | CYCLES, 0, AT, RESUME, NULL},
        {false, BIT(32) | CYCLES, 0, AT, RESUME,
         "TX Abort Information (B8H)[33:32] is not 10b"},
        {false, BIT(32) | BIT(33) | CYCLES, 0, AT, RESUME,
         "TX Abort Information (B8H)[33:32] is not 10b"},
        {false, CYCLES, 0, AT, RESUME,
         "TX Abort Information (B8H)[33:32] is not 10b"},
        {true, BIT(33) | CYCLES, 0, AT, RESUME,
         "TX Abort Information (B8H)[33:32] is not 01b"},
        {true, BIT(32) | BIT(33) | CYCLES, 0, AT, RESUME,
         "TX Abort Information (B8H)[33:32] is not 01b"},
        {false, BIT(33) | BIT(37) | CYCLES, 0, AT, RESUME,
         "TX Abort Information (B8H)[37]"},
        {false, BIT(33) | CYCLES, 4, AT, RESUME, NULL},
        {false, BIT(33) | CYCLES, 8, AT, RESUME, NULL},
        {false, BIT(33) | BIT(38) | CYCLES, 0, AT, RESUME,
         "TX Abort Information (B8H)[39:38]"},
        {false, BIT(33) | BIT(39) | CYCLES, 0, AT, RESUME,
         "TX Abort Information (B8H)[39:38]"},
        {false, BIT(33), 0, AT, RESUME, NULL},
        {false, BIT(33) | BIT(34) | BIT(35) | CYCLES, 0, AT, RESUME,
         "TX Abort Information (B8H)[35:34]"},
        {false, BIT(33) | BIT(34) | CYCLES, 0, AT + 1, RESUME,
         "TX Abort Information (B8H)[34]"},
        {false, BIT(33) | CYCLES, 0, AT, RESUME + 1,
         "RIP (08H) is not the first"},
        {true, BIT(32) | CYCLES, 0, AT, AT, "RIP (08H) is not the instruction"},
    };

    (void)unused;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct pebs_record record = {.tx_abort = rows[i].info,
                                           .eventing_ip = rows[i].eventing_ip,
                                           .rip = rows[i].rip};
        const struct pebs_abort abort = {
            .hle = rows[i].hle, .eax = rows[i].eax, .at = AT, .resume = RESUME};
        const char *wrong = pebs_judge_abort(&record, &abort);
        if (rows[i].wrong == NULL)
            assert_null(wrong);
        else
            assert_ptr_equal(strstr(wrong, rows[i].wrong), wrong);
    }
}

/* 90H: the applicable counter, or the image of the status with what else was in
 * it; there the record's own bits may be missing, all of them. */
static void counters(void **unused)
{
    static const struct {
        bool image;
        uint64_t value, others;
        bool wrong, race;
    } rows[] = {
        {false, 5, 0, false, false},
        {false, 5, BIT(1) | BIT(62), false, false},
        {false, 4, 0, true, false},
        {false, 0, 0, true, false},
        {false, 7, BIT(1), true, false},
        {false, 5 | BIT(8), 0, true, false},
        {false, 5 | BIT(63), 0, true, false},
        {true, 5, 0, false, false},
        {true, 0, 0, false, true},
        {true, 4, 0, true, false},
        {true, 5 | BIT(1), 0, true, false},
        {true, 5 | BIT(1) | BIT(62), BIT(1) | BIT(62), false, false},
        {true, BIT(1) | BIT(62), BIT(1) | BIT(62), false, true},
        {true, 5 | BIT(62), BIT(1) | BIT(62), true, false},
        {true, 5 | BIT(1), BIT(1) | BIT(62), true, false},
        {true, 5 | BIT(1) | BIT(32), BIT(1), true, false},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct pebs_counters wanted = {5, rows[i].others};
        const struct pebs_record record = {
            .present = (uint32_t)(rows[i].image ? BIT(PEBS_GLOBAL_STATUS)
                                                : BIT(PEBS_APPLICABLE_COUNTER)),
            .global_status = rows[i].image ? rows[i].value : 0,
            .applicable_counter = rows[i].image ? 0 : rows[i].value,
        };
        bool race;
        assert_int_equal(pebs_judge_counters(&record, &wanted, &race) != NULL,
                         rows[i].wrong);
        assert_int_equal(race, rows[i].race);
    }
}

/* Where the aborting instruction is not known, any EventingIP will do. */
static void place_not_known(void **unused)
{
    const struct pebs_record record = {.tx_abort = BIT(33) | BIT(34) | CYCLES,
                                       .eventing_ip = 3,
                                       .rip = RESUME};
    const struct pebs_abort abort = {.resume = RESUME};

    (void)unused;
    assert_null(pebs_judge_abort(&record, &abort));
}

/* The time of a region has bounds where they are known. */
static void cycles(void **unused)
{
    static const struct {
        uint64_t cycles, least, most;
        bool wrong;
    } rows[] = {
        {0, 0, 0, false},          {7, 8, 0, false}, {8, 8, 10, false},
        {10, 8, 10, false},        {7, 8, 10, true}, {11, 8, 10, true},
        {UINT32_MAX, 8, 10, true},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct pebs_record record = {.tx_abort = BIT(33) | rows[i].cycles,
                                           .rip = RESUME};
        const struct pebs_abort abort = {.resume = RESUME,
                                         .cycles_least = rows[i].least,
                                         .cycles_most = rows[i].most};
        assert_int_equal(pebs_judge_abort(&record, &abort) != NULL,
                         rows[i].wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers),       cmocka_unit_test(flags_and_event),
        cmocka_unit_test(counters),        cmocka_unit_test(aborts),
        cmocka_unit_test(place_not_known), cmocka_unit_test(cycles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
