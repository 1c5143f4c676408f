/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_context_cases.c - records of the same accesses and aborts at ring 0 and
 * at ring 3, as the manual says, and with one thing otherwise. */
#include "tests/host/cases/pebs/pebs_context_device.h"

extern const struct test test_pebs_in_contexts;

static void contexts(void **state)
{
    static const struct {
        enum verdict verdict;
        const char *line;
        struct odd_body body;
    } rows[] = {
        {VERDICT_PASS, "", {.info = 0}},
        {VERDICT_FAIL,
         "loads (D0H/81H) at ring 3: 19 records are of the body",
         {.turns_lost = 4, .only = LOADS}},
        {VERDICT_FAIL,
         "stores (D0H/82H) at ring 0: Store Status (A0H)[0]",
         {.no_hits = true}},
        {VERDICT_FAIL,
         "stores (D0H/82H) at ring 3: Store Status (A0H)[0]",
         {.no_hits = true}},
        {VERDICT_FAIL,
         "(CDH/01H) at ring 3: a load from",
         {.no_latency = true}},
        {VERDICT_FAIL, "(CDH/01H) at ring 0: a load from", {.locks = true}},
        {VERDICT_FAIL,
         "(CDH/01H) at ring 0: A0H[3:0] (Source) is 0",
         {.no_source = true}},
        {VERDICT_FAIL,
         "EventingIP (B0H) is not of an instruction",
         {.at_wrong = true}},
        {VERDICT_FAIL, "RIP (08H) is 0x", {.next_wrong = true}},
        {VERDICT_FAIL,
         "stores (D0H/82H) at ring 3: a transaction committed",
         {.goes_on = true}},
        {VERDICT_FAIL, "wanted bit 62", {.no_full = true}},
        {VERDICT_FAIL,
         "aborts of RTM at ring 3: 8 aborts made no record",
         {.aborts_silent = true}},
        {VERDICT_FAIL,
         "aborts of HLE at ring 3: 8 aborts made no record",
         {.aborts_silent = true}},
        {VERDICT_FAIL,
         "aborts of RTM at ring 3: TX Abort Information",
         {.info = BIT(33)}},
        {VERDICT_FAIL,
         "aborts of HLE at ring 3: TX Abort Information",
         {.info = BIT(32), .of_hle = true}},
        {VERDICT_FAIL,
         "is of another kind of abort",
         {.info = TX_ABORT_INSTRUCTION_ABORT | BIT(33)}},
        {VERDICT_FAIL,
         "Cycles_Last_TX) is not what the region took",
         {.info = 20}},
        {VERDICT_PASS,
         "",
         {.info = TX_ABORT_INSTRUCTION_ABORT | TX_ABORT_NON_INSTRUCTION_ABORT,
          .at = 1}},
        {VERDICT_FAIL, "is not the aborting instruction", {.at = 1}},
        {VERDICT_FAIL, "RIP (08H) is not the first instruction", {.resume = 1}},
        {VERDICT_FAIL,
         "RIP (08H) is not where it goes on",
         {.resume = 1, .info = TX_ABORT_INSTRUCTION_ABORT}},
        {VERDICT_FAIL,
         "stores to many lines at ring 3: TX Abort Information (B8H)[38]",
         {.lines = TX_ABORT_CAPACITY_WRITES}},
        {VERDICT_FAIL,
         "loads from many lines at ring 3: TX Abort Information (B8H)[38]",
         {.lines = TX_ABORT_CAPACITY_WRITES}},
        {VERDICT_FAIL,
         "lines at ring 3: TX Abort Information (B8H)[37]",
         {.lines = TX_ABORT_DATA_CONFLICT}},
        {VERDICT_FAIL,
         "is of another kind of abort",
         {.lines = TX_ABORT_HLE_ABORT}},
        {VERDICT_PASS, "", {.lines = TX_ABORT_DATA_CONFLICT, .status = 4}},
        {VERDICT_FAIL,
         "by an interrupt at ring 3: TX Abort Information (B8H)[37]",
         {.interrupted = TX_ABORT_DATA_CONFLICT}},
        {VERDICT_FAIL,
         "by an interrupt at ring 3: TX Abort Information (B8H)[35:34]",
         {.interrupted = TX_ABORT_INSTRUCTION_ABORT}},
        {VERDICT_PASS,
         "",
         {.interrupted = TX_ABORT_DATA_CONFLICT, .pmis_lost = 1}},
        {VERDICT_PASS,
         "",
         {.interrupted = TX_ABORT_DATA_CONFLICT, .no_apic = true}},
        {VERDICT_FAIL,
         "in the record of a load over a page",
         {.crossed = {12, 0}}},
        {VERDICT_FAIL,
         "in the record of a store over a page",
         {.crossed = {0, 12}}},
        {VERDICT_FAIL, "at ring 0: RBX is 0x", {.lost = 1 + 3}},
        {VERDICT_FAIL, "in the record of a load into R15", {.lost = 1 + 15}},
        {VERDICT_PASS, "no record is of one of", {.elsewhere = 4096}},
        {VERDICT_PASS, "", {.string_next = RING3_REP_BYTES}},
        {VERDICT_FAIL, "RIP (08H) is 0x", {.string_next = 1}},
        {VERDICT_KNOWN, "wanted its own", {.string_at = 3}},
        {VERDICT_FAIL, "Data Linear Address (98H)", {.base = 8}},
        {VERDICT_FAIL, "Data Linear Address (98H)", {.base = 64}},
    };
    static const struct {
        unsigned field;
        uint64_t bits;
        const char *line;
    } fields[] = {
        {AT(rsp), 8, "RSP (48H) is"},
        {AT(rbp), 8, "RBP (40H) is"},
        {AT(rbx), 8, "RBX (18H) is"},
        {AT(r8), 16, "R8 (50H) is"},
        {AT(r10), 1, "R10 (60H) is"},
        {AT(r11), 1, "R11 (68H) is"},
        {AT(r14), BIT(32), "R14 (80H) is"},
        {AT(rflags), BIT(0), "RFLAGS (00H) is"},
        {AT(rflags), BIT(6), "RFLAGS (00H) is"},
        {AT(rflags), BIT(7), "RFLAGS (00H) is"},
        {AT(tsc), BIT(40), "TSC (C0H), of before"},
        {AT(tsc), BIT(34), "TSC (C0H), of before"},
        {AT(latency), 1, "A8H of a store is"},
        {AT(data_source), 2, "Store Status (A0H)[63:1] is 0x2"},
        {AT(data_source), BIT(63), "Store Status (A0H)[63:1] is"},
    };

    (void)state;
    odd = (struct odd){.vector = HW_NO_FAULT};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        body = rows[i].body;
        expect_case(verdict_of(&test_pebs_in_contexts, 0x5e, 3),
                    rows[i].verdict, rows[i].line);
    }
    body = (struct odd_body){.info = 0};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        odd = (struct odd){.record = 1,
                           .all = true,
                           .field = fields[i].field,
                           .bits = fields[i].bits,
                           .vector = HW_NO_FAULT};
        expect_case(verdict_of(&test_pebs_in_contexts, 0x5e, 3), VERDICT_FAIL,
                    fields[i].line);
    }
    odd = (struct odd){.vector = HW_GP};
    expect_case(verdict_of(&test_pebs_in_contexts, 0x5e, 3), VERDICT_ERROR,
                "#GP at ring 3");
    odd.vector = HW_NO_FAULT;
    expect_case(verdict_of(&test_pebs_in_contexts, 0x3c, 2), VERDICT_PASS, "");
    expect_case(verdict_of(&test_pebs_in_contexts, 0x6a, 4), VERDICT_PASS, "");
    body.no_hits = true; /* of which nothing is certain there, */
    expect_case(verdict_of(&test_pebs_in_contexts, 0x6a, 4), VERDICT_PASS, "");
    for (size_t n = 0; n < 2; n++) { /* nor of these */
        odd = (struct odd){.record = 1,
                           .all = true,
                           .field = n == 0 ? AT(latency) : AT(data_source),
                           .bits = 2,
                           .vector = HW_NO_FAULT};
        expect_case(verdict_of(&test_pebs_in_contexts, 0x6a, 4), VERDICT_PASS,
                    "");
    }
    odd = (struct odd){.vector = HW_NO_FAULT};
    body.no_hits = false;
    expect_case(verdict_of(&test_pebs_in_contexts, 0x2a, 1), VERDICT_SKIP,
                "precise store");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
