/* SPDX-License-Identifier: BSD-2-Clause */
/* silicon_instruction.c - what the look at an instruction recognises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/model/instruction.h"

#define B INSTRUCTION_BRANCH
#define A INSTRUCTION_ABORTS_TX

static const struct {
    const char *name;
    size_t length;
    uint8_t bytes[8];
    uint32_t flags;     /* of B and A and the kinds of branches */
} rows[] = {
    { "nop", 1, { 0x90 }, 0 },
    { "pause", 2, { 0xF3, 0x90 }, A },
    { "jz short", 2, { 0x74, 0x10 }, B | INSTRUCTION_CONDITIONAL },
    { "jz near", 6, { 0x0F, 0x84, 1, 2, 3, 4 }, B | INSTRUCTION_CONDITIONAL },
    { "loop", 2, { 0xE2, 0xFE }, B | INSTRUCTION_CONDITIONAL },
    { "jmp", 2, { 0xEB, 0 }, B },
    { "call", 5, { 0xE8, 0, 0, 0, 0 }, B | INSTRUCTION_CALL },
    { "call r/m", 2, { 0xFF, 0xD0 }, B | INSTRUCTION_CALL },
    { "call r/m, REX", 3, { 0x41, 0xFF, 0xD0 }, B | INSTRUCTION_CALL },
    { "jmp r/m", 2, { 0xFF, 0xE0 }, B },
    { "push r/m", 2, { 0xFF, 0xF0 }, 0 },
    { "inc r/m", 2, { 0xFF, 0xC0 }, 0 },
    { "ret", 1, { 0xC3 }, B | INSTRUCTION_RETURN },
    { "rep ret", 2, { 0xF3, 0xC3 }, B | INSTRUCTION_RETURN },
    { "iretq", 2, { 0x48, 0xCF },
      B | INSTRUCTION_RETURN | INSTRUCTION_FAR | A },
    { "cpuid", 2, { 0x0F, 0xA2 }, A },
    { "rdmsr", 2, { 0x0F, 0x32 }, A },
    { "wrmsr", 2, { 0x0F, 0x30 }, A },
    { "rdpmc", 2, { 0x0F, 0x33 }, 0 },
    { "rdtsc", 2, { 0x0F, 0x31 }, 0 },
    { "cli", 1, { 0xFA }, A },
    { "out", 2, { 0xE6, 0x80 }, A },
    { "clflush", 3, { 0x0F, 0xAE, 0x38 }, A },
    { "mfence", 3, { 0x0F, 0xAE, 0xF0 }, 0 },
    { "mov cr", 3, { 0x0F, 0x22, 0xC0 }, A },
    { "lock cmpxchg8b", 4, { 0xF0, 0x0F, 0xC7, 0x08 }, 0 },
    { "ud2", 2, { 0x0F, 0x0B }, A },
};

static void flags_by_table(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct instruction i;
        uint32_t mask = INSTRUCTION_BRANCHES | A;

        instruction_look(&i, rows[n].bytes, rows[n].length);
        if ((i.flags & mask) != rows[n].flags)
            fail_msg("%s: %x", rows[n].name, i.flags);
        assert_int_equal(i.kind, INSTRUCTION_OTHER);
    }
}

static void transactional_instructions(void **state)
{
    static const uint8_t xbegin[] = { 0xC7, 0xF8, 0xFE, 0xFF, 0xFF, 0xFF };
    static const uint8_t xabort[] = { 0xC6, 0xF8, 0xAB };
    static const uint8_t xend[] = { 0x0F, 0x01, 0xD5 };
    static const uint8_t xtest[] = { 0x0F, 0x01, 0xD6 };
    struct instruction i;

    (void)state;
    instruction_look(&i, xbegin, sizeof(xbegin));
    assert_int_equal(i.kind, INSTRUCTION_XBEGIN);
    assert_int_equal(i.length, 6);
    assert_int_equal(i.displacement, -2);
    instruction_look(&i, xabort, sizeof(xabort));
    assert_int_equal(i.kind, INSTRUCTION_XABORT);
    assert_int_equal(i.immediate, 0xAB);
    instruction_look(&i, xend, sizeof(xend));
    assert_int_equal(i.kind, INSTRUCTION_XEND);
    instruction_look(&i, xtest, sizeof(xtest));
    assert_int_equal(i.kind, INSTRUCTION_XTEST);
}

/* Never reads past what it is given: the sanitizer watches. */
static void cut_anywhere(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        for (size_t length = 0; length <= rows[n].length; length++) {
            uint8_t *bytes = test_malloc(length);
            struct instruction i;

            for (size_t k = 0; k < length; k++)
                bytes[k] = rows[n].bytes[k];
            instruction_look(&i, bytes, length);
            test_free(bytes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_by_table),
        cmocka_unit_test(transactional_instructions),
        cmocka_unit_test(cut_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
