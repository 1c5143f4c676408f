/* SPDX-License-Identifier: BSD-2-Clause */
/* instruction_length.c - how long instructions are. SDM volume 2, "Instruction
 * Format"; each row's bytes by hand from the opcode map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/silicon/instructions/instruction.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *name;
    size_t length; /* 0: no instruction */
    uint8_t bytes[INSTRUCTION_BYTES_MAX + 1];
} rows[] = {
    {"ret", 1, {0xC3}},
    {"push imm8", 2, {0x6A, 0}},
    {"push imm32", 5, {0x68, 0, 0, 0, 0}},
    {"add al, imm8", 2, {0x04, 1}},
    {"add eax, imm32", 5, {0x05, 1, 2, 3, 4}},
    {"add ax, imm16", 4, {0x66, 0x05, 1, 2}},
    {"add rax, imm32", 6, {0x48, 0x05, 1, 2, 3, 4}},
    {"66H, REX.W", 7, {0x66, 0x48, 0x05, 1, 2, 3, 4}},
    {"REX.W that is not last", 5, {0x48, 0x66, 0x05, 1, 2}},
    {"push es", 0, {0x06}},
    {"mov r, r", 2, {0x89, 0xC0}},
    {"mov r, [r]", 2, {0x8B, 0x00}},
    {"mov r, [rip + disp32]", 6, {0x8B, 0x05, 1, 2, 3, 4}},
    {"mov r, [r + disp8]", 3, {0x8B, 0x40, 1}},
    {"mov r, [r + disp32]", 6, {0x8B, 0x80, 1, 2, 3, 4}},
    {"mov r, [sib]", 3, {0x8B, 0x04, 0x24}},
    {"mov r, [sib, no base]", 7, {0x8B, 0x04, 0x25, 1, 2, 3, 4}},
    {"mov r, [sib + disp8]", 4, {0x8B, 0x44, 0x24, 1}},
    {"mov r, imm32", 5, {0xB8, 1, 2, 3, 4}},
    {"mov r, imm64", 10, {0x48, 0xBF, 1, 2, 3, 4, 5, 6, 7, 8}},
    {"mov r8, imm8", 2, {0xB7, 1}},
    {"mov al, moffs64", 9, {0xA0, 1, 2, 3, 4, 5, 6, 7, 8}},
    {"mov al, moffs32", 6, {0x67, 0xA0, 1, 2, 3, 4}},
    {"mov m, imm8", 3, {0xC6, 0x00, 1}},
    {"mov m, imm32", 6, {0xC7, 0x00, 1, 2, 3, 4}},
    {"mov m, imm16", 5, {0x66, 0xC7, 0x00, 1, 2}},
    {"xbegin", 6, {0xC7, 0xF8, 1, 2, 3, 4}},
    {"xabort", 3, {0xC6, 0xF8, 1}},
    {"test m, imm8", 3, {0xF6, 0x00, 1}},
    {"not m", 2, {0xF6, 0x10}},
    {"test m, imm32", 6, {0xF7, 0x00, 1, 2, 3, 4}},
    {"neg m", 2, {0xF7, 0x18}},
    {"imul r, r, imm8", 3, {0x6B, 0xC0, 1}},
    {"imul r, r, imm32", 6, {0x69, 0xC0, 1, 2, 3, 4}},
    {"ret imm16", 3, {0xC2, 1, 2}},
    {"enter", 4, {0xC8, 1, 2, 3}},
    {"call rel32 with 66H", 6, {0x66, 0xE8, 1, 2, 3, 4}},
    {"jz rel8", 2, {0x74, 1}},
    {"jz rel32", 6, {0x0F, 0x84, 1, 2, 3, 4}},
    {"xchg, hinted and locked", 5, {0xF2, 0xF0, 0x87, 0x04, 0x24}},
    {"syscall", 2, {0x0F, 0x05}},
    {"cpuid", 2, {0x0F, 0xA2}},
    {"bswap", 3, {0x48, 0x0F, 0xC8}},
    {"xtest", 3, {0x0F, 0x01, 0xD6}},
    {"movaps", 3, {0x0F, 0x28, 0x00}},
    {"pshufd", 5, {0x66, 0x0F, 0x70, 0x00, 1}},
    {"bt m, imm8", 4, {0x0F, 0xBA, 0x20, 1}},
    {"pshufb", 4, {0x0F, 0x38, 0x00, 0xC0}},
    {"palignr", 5, {0x0F, 0x3A, 0x0F, 0xC0, 1}},
    {"vzeroupper", 3, {0xC5, 0xF8, 0x77}},
    {"vpaddd", 4, {0xC5, 0xF5, 0xFE, 0x00}},
    {"vpshufb", 5, {0xC4, 0xE2, 0x75, 0x00, 0xC0}},
    {"vpalignr", 6, {0xC4, 0xE3, 0x75, 0x0F, 0xC0, 1}},
    {"vpaddd zmm", 6, {0x62, 0xF1, 0x75, 0x48, 0xFE, 0xC0}},
    {"VEX of no map", 0, {0xC4, 0xE0, 0x75, 0x00, 0xC0}},
    {"AAM", 0, {0xD4, 0x0A}},
    {"0F 04", 0, {0x0F, 0x04}},
    {"16 bytes",
     0,
     {0x2E, 0x2E, 0x2E, 0x2E, 0x2E, 0x2E, 0x2E, 0x2E, 0x2E, 0x2E, 0x2E, 0x2E,
      0x2E, 0x2E, 0x2E, 0x90}},
};

static void by_table(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT(rows); n++) {
        size_t got = instruction_bytes(rows[n].bytes, sizeof(rows[n].bytes));
        if (got != rows[n].length)
            fail_msg("%s: %zu bytes, wanted %zu", rows[n].name, got,
                     rows[n].length);
    }
}

/* Where it is cut it is none. */
static void cut(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT(rows); n++)
        for (size_t length = 0; length < rows[n].length; length++)
            if (instruction_bytes(rows[n].bytes, length) != 0)
                fail_msg("%s: cut at %zu", rows[n].name, length);
}

/* LEA of a displacement that has the bytes of XACQUIRE LOCK OR, and that one,
 * after an immediate that ends as a prefix. */
static void begins(void **state)
{
    enum { AT = 64 };
    static const uint8_t lea[] = {0x48, 0x8D, 0x35, 0xF0, 0xF2, 0x09, 0x00},
                         hinted[] = {0xB8, 0, 0, 0, 0x66, 0xF0, 0xF2, 0x09, 0};
    uint8_t code[2 * AT];

    (void)state;
    memset(code, 0x90, sizeof(code));
    memcpy(&code[AT], lea, sizeof(lea));
    assert_int_equal(instruction_prefixes(code, AT + 4), AT + 3);
    assert_false(instruction_begins(code, sizeof(code), AT + 3, AT + 4));
    assert_true(instruction_begins(code, sizeof(code), AT, AT));
    memset(code, 0x90, sizeof(code));
    memcpy(&code[AT], hinted, sizeof(hinted));
    assert_int_equal(instruction_prefixes(code, AT + 6), AT + 4);
    assert_true(instruction_begins(code, sizeof(code), AT + 4, AT + 6));
    assert_false(instruction_begins(code, sizeof(code), AT + 4, AT + 4));
    assert_true(instruction_begins(code, sizeof(code), 1, 1)); /* in doubt */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_table),
        cmocka_unit_test(cut),
        cmocka_unit_test(begins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
