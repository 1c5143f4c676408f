/* SPDX-License-Identifier: BSD-2-Clause */
/* instruction.c - what an instruction is classified as. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/instructions/instruction.h"

#define B INSTRUCTION_BRANCH

/* SDM volume 1, "Programming with Intel Transactional Synchronization
 * Extensions", "Instruction Based Considerations", in full; and around it some
 * that are not listed there. */
static const struct {
    const char *name;
    size_t length;
    uint8_t bytes[8];
    enum instruction_tx tx;
    uint32_t flags; /* the kinds of branches */
} rows[] = {
    {"nop", 1, {0x90}, TX_SAFE, 0},
    {"xchg r8", 2, {0x41, 0x90}, TX_SAFE, 0},
    {"pause", 2, {0xF3, 0x90}, TX_ABORTS, 0},
    {"cpuid", 2, {0x0F, 0xA2}, TX_ABORTS, 0},
    {"encls", 3, {0x0F, 0x01, 0xCF}, TX_ABORTS, 0},
    {"enclu", 3, {0x0F, 0x01, 0xD7}, TX_ABORTS, 0},
    {"jz short", 2, {0x74, 0x10}, TX_SAFE, B | INSTRUCTION_CONDITIONAL},
    {"jz near",
     6,
     {0x0F, 0x84, 0x01, 0x02, 0x03, 0x04},
     TX_SAFE,
     B | INSTRUCTION_CONDITIONAL},
    {"loop", 2, {0xE2, 0xFE}, TX_SAFE, B | INSTRUCTION_CONDITIONAL},
    {"jmp", 2, {0xEB, 0x00}, TX_SAFE, B},
    {"call", 5, {0xE8, 0x00, 0x00, 0x00, 0x00}, TX_SAFE, B | INSTRUCTION_CALL},
    {"call r/m", 2, {0xFF, 0xD0}, TX_SAFE, B | INSTRUCTION_CALL},
    {"call r/m, REX", 3, {0x41, 0xFF, 0xD0}, TX_SAFE, B | INSTRUCTION_CALL},
    {"jmp r/m", 2, {0xFF, 0xE0}, TX_SAFE, B},
    {"push r/m", 2, {0xFF, 0xF0}, TX_SAFE, 0},
    {"inc r/m", 2, {0xFF, 0xC0}, TX_SAFE, 0},
    {"ret", 1, {0xC3}, TX_SAFE, B | INSTRUCTION_RETURN},
    {"rep ret", 2, {0xF3, 0xC3}, TX_SAFE, B | INSTRUCTION_RETURN},
    {"far call", 2, {0xFF, 0x18}, TX_MAY, B | INSTRUCTION_FAR},
    {"far jmp", 2, {0xFF, 0x28}, TX_MAY, B | INSTRUCTION_FAR},
    {"far ret", 1, {0xCB}, TX_MAY, B | INSTRUCTION_RETURN | INSTRUCTION_FAR},
    {"iretq",
     2,
     {0x48, 0xCF},
     TX_MAY,
     B | INSTRUCTION_RETURN | INSTRUCTION_FAR},
    {"int n", 2, {0xCD, 0x80}, TX_MAY, B | INSTRUCTION_FAR},
    {"int3", 1, {0xCC}, TX_BREAKPOINT, B | INSTRUCTION_FAR},
    {"int1", 1, {0xF1}, TX_BREAKPOINT, B | INSTRUCTION_FAR},
    {"syscall", 2, {0x0F, 0x05}, TX_MAY, B | INSTRUCTION_FAR},
    {"sysret", 3, {0x48, 0x0F, 0x07}, TX_MAY, B | INSTRUCTION_FAR},
    {"sysenter", 2, {0x0F, 0x34}, TX_MAY, B | INSTRUCTION_FAR},
    {"sysexit", 2, {0x0F, 0x35}, TX_MAY, B | INSTRUCTION_FAR},
    {"rdmsr", 2, {0x0F, 0x32}, TX_MAY, 0},
    {"wrmsr", 2, {0x0F, 0x30}, TX_MAY, 0},
    {"rdpmc", 2, {0x0F, 0x33}, TX_SAFE, 0},
    {"rdtsc", 2, {0x0F, 0x31}, TX_SAFE, 0},
    {"rdtscp", 3, {0x0F, 0x01, 0xF9}, TX_SAFE, 0},
    {"cli", 1, {0xFA}, TX_MAY, 0},
    {"sti", 1, {0xFB}, TX_MAY, 0},
    {"popfq", 1, {0x9D}, TX_MAY, 0},
    {"pushfq", 1, {0x9C}, TX_SAFE, 0},
    {"clac", 3, {0x0F, 0x01, 0xCA}, TX_MAY, 0},
    {"stac", 3, {0x0F, 0x01, 0xCB}, TX_MAY, 0},
    {"clc", 1, {0xF8}, TX_SAFE, 0},
    {"cld", 1, {0xFC}, TX_MAY_CLD, 0},
    {"std", 1, {0xFD}, TX_MAY_STD, 0},
    {"in", 2, {0xE4, 0x80}, TX_MAY, 0},
    {"in dx", 1, {0xEC}, TX_MAY, 0},
    {"out", 2, {0xE6, 0x80}, TX_MAY, 0},
    {"out dx", 1, {0xEE}, TX_MAY, 0},
    {"rep insb", 2, {0xF3, 0x6C}, TX_MAY, 0},
    {"outsd", 1, {0x6F}, TX_MAY, 0},
    {"hlt", 1, {0xF4}, TX_MAY, 0},
    {"monitor", 3, {0x0F, 0x01, 0xC8}, TX_MAY, 0},
    {"mwait", 3, {0x0F, 0x01, 0xC9}, TX_MAY, 0},
    {"xsetbv", 3, {0x0F, 0x01, 0xD1}, TX_MAY, 0},
    {"xgetbv", 3, {0x0F, 0x01, 0xD0}, TX_SAFE, 0},
    {"swapgs", 3, {0x0F, 0x01, 0xF8}, TX_MAY, 0},
    {"wrpkru", 3, {0x0F, 0x01, 0xEF}, TX_MAY, 0},
    {"rdpkru", 3, {0x0F, 0x01, 0xEE}, TX_SAFE, 0},
    {"vmcall", 3, {0x0F, 0x01, 0xC1}, TX_MAY, 0},
    {"vmread", 3, {0x0F, 0x78, 0xC0}, TX_MAY, 0},
    {"vmptrld", 3, {0x0F, 0xC7, 0x30}, TX_MAY, 0},
    {"rdrand", 3, {0x0F, 0xC7, 0xF0}, TX_SAFE, 0},
    {"rdseed", 3, {0x0F, 0xC7, 0xF8}, TX_SAFE, 0},
    {"cmpxchg8b", 4, {0xF0, 0x0F, 0xC7, 0x08}, TX_SAFE, 0},
    {"xsavec", 3, {0x0F, 0xC7, 0x20}, TX_MAY, 0},
    {"invpcid", 5, {0x66, 0x0F, 0x38, 0x82, 0x08}, TX_MAY, 0},
    {"getsec", 2, {0x0F, 0x37}, TX_MAY, 0},
    {"rsm", 2, {0x0F, 0xAA}, TX_MAY, 0},
    {"ud2", 2, {0x0F, 0x0B}, TX_MAY, 0},
    {"ud1", 3, {0x0F, 0xB9, 0xC0}, TX_MAY, 0},
    {"ud0", 3, {0x0F, 0xFF, 0xC0}, TX_MAY, 0},
    {"mov to ds", 2, {0x8E, 0xD8}, TX_MAY, 0},
    {"mov from ds", 2, {0x8C, 0xD8}, TX_SAFE, 0},
    {"pop fs", 2, {0x0F, 0xA1}, TX_MAY, 0},
    {"push fs", 2, {0x0F, 0xA0}, TX_SAFE, 0},
    {"lss", 3, {0x0F, 0xB2, 0x00}, TX_MAY, 0},
    {"wrfsbase", 4, {0xF3, 0x0F, 0xAE, 0xD0}, TX_MAY, 0},
    {"rdfsbase", 4, {0xF3, 0x0F, 0xAE, 0xC0}, TX_SAFE, 0},
    {"ptwrite [rax]", 4, {0xF3, 0x0F, 0xAE, 0x20}, TX_SAFE, 0},
    {"ptwrite eax", 4, {0xF3, 0x0F, 0xAE, 0xE0}, TX_SAFE, 0},
    {"lgdt", 3, {0x0F, 0x01, 0x10}, TX_MAY, 0},
    {"lidt", 3, {0x0F, 0x01, 0x18}, TX_MAY, 0},
    {"sgdt", 3, {0x0F, 0x01, 0x00}, TX_MAY_TABLE, 0},
    {"sidt", 3, {0x0F, 0x01, 0x08}, TX_MAY_TABLE, 0},
    {"smsw", 3, {0x0F, 0x01, 0xE0}, TX_SAFE, 0},
    {"lmsw", 3, {0x0F, 0x01, 0xF0}, TX_MAY, 0},
    {"invlpg", 3, {0x0F, 0x01, 0x38}, TX_MAY_CACHE, 0},
    {"sldt", 3, {0x0F, 0x00, 0xC0}, TX_MAY_TABLE, 0},
    {"str", 3, {0x0F, 0x00, 0xC8}, TX_MAY_TABLE, 0},
    {"lldt", 3, {0x0F, 0x00, 0xD0}, TX_MAY, 0},
    {"ltr", 3, {0x0F, 0x00, 0xD8}, TX_MAY, 0},
    {"verr", 3, {0x0F, 0x00, 0xE0}, TX_SAFE, 0},
    {"clts", 2, {0x0F, 0x06}, TX_MAY, 0},
    {"invd", 2, {0x0F, 0x08}, TX_MAY, 0},
    {"wbinvd", 2, {0x0F, 0x09}, TX_MAY, 0},
    {"mov to cr", 3, {0x0F, 0x22, 0xC0}, TX_MAY, 0},
    {"mov from cr", 3, {0x0F, 0x20, 0xC0}, TX_SAFE, 0},
    {"mov to dr", 3, {0x0F, 0x23, 0xC0}, TX_MAY, 0},
    {"mov from dr", 3, {0x0F, 0x21, 0xC0}, TX_SAFE, 0},
    {"clflush", 3, {0x0F, 0xAE, 0x38}, TX_MAY_CACHE, 0},
    {"clflushopt", 4, {0x66, 0x0F, 0xAE, 0x38}, TX_MAY_CACHE, 0},
    {"clwb", 4, {0x66, 0x0F, 0xAE, 0x30}, TX_MAY_CACHE, 0},
    {"fxsave", 3, {0x0F, 0xAE, 0x00}, TX_MAY, 0},
    {"fxrstor", 3, {0x0F, 0xAE, 0x08}, TX_MAY, 0},
    {"ldmxcsr", 3, {0x0F, 0xAE, 0x10}, TX_SAFE, 0},
    {"stmxcsr", 3, {0x0F, 0xAE, 0x18}, TX_SAFE, 0},
    {"xsave", 3, {0x0F, 0xAE, 0x20}, TX_MAY, 0},
    {"xrstor", 3, {0x0F, 0xAE, 0x28}, TX_MAY, 0},
    {"xsaveopt", 3, {0x0F, 0xAE, 0x30}, TX_MAY, 0},
    {"lfence", 3, {0x0F, 0xAE, 0xE8}, TX_SAFE, 0},
    {"mfence", 3, {0x0F, 0xAE, 0xF0}, TX_SAFE, 0},
    {"sfence", 3, {0x0F, 0xAE, 0xF8}, TX_SAFE, 0},
    {"fld1", 2, {0xD9, 0xE8}, TX_MAY_X87, 0},
    {"fwait", 1, {0x9B}, TX_MAY_X87, 0},
    {"emms", 2, {0x0F, 0x77}, TX_MAY_X87, 0},
    {"movq mm0, mm1", 3, {0x0F, 0x6F, 0xC1}, TX_MAY_X87, 0},
    {"movdqa", 4, {0x66, 0x0F, 0x6F, 0xC1}, TX_SAFE, 0},
    {"movdqu", 4, {0xF3, 0x0F, 0x6F, 0xC1}, TX_SAFE, 0},
    {"paddq mm", 3, {0x0F, 0xD4, 0xC1}, TX_MAY_X87, 0},
    {"paddq xmm", 4, {0x66, 0x0F, 0xD4, 0xC1}, TX_SAFE, 0},
    {"movq xmm", 4, {0x66, 0x0F, 0xD6, 0xC1}, TX_SAFE, 0},
    {"movdq2q", 4, {0xF2, 0x0F, 0xD6, 0xC1}, TX_MAY_X87, 0},
    {"cvtpi2ps", 3, {0x0F, 0x2A, 0xC1}, TX_MAY_X87, 0},
    {"cvtsi2sd", 4, {0xF2, 0x0F, 0x2A, 0xC1}, TX_SAFE, 0},
    {"pabsb mm", 4, {0x0F, 0x38, 0x1C, 0xC1}, TX_MAY_X87, 0},
    {"pabsb xmm", 5, {0x66, 0x0F, 0x38, 0x1C, 0xC1}, TX_SAFE, 0},
    {"palignr mm", 5, {0x0F, 0x3A, 0x0F, 0xC1, 0x01}, TX_MAY_X87, 0},
    {"cvtdq2pd", 4, {0xF3, 0x0F, 0xE6, 0xC1}, TX_SAFE, 0},
    {"movntq", 3, {0x0F, 0xE7, 0x00}, TX_MAY_HINT, 0},
    {"movntdq", 4, {0x66, 0x0F, 0xE7, 0x00}, TX_MAY_HINT, 0},
    {"movnti", 3, {0x0F, 0xC3, 0x00}, TX_MAY_HINT, 0},
    {"movntps", 3, {0x0F, 0x2B, 0x00}, TX_MAY_HINT, 0},
    {"movntdqa", 5, {0x66, 0x0F, 0x38, 0x2A, 0x00}, TX_MAY_HINT, 0},
    {"maskmovdqu", 4, {0x66, 0x0F, 0xF7, 0xC1}, TX_MAY_HINT, 0},
    {"enter", 4, {0xC8, 0x10, 0x00, 0x00}, TX_SAFE, 0},
    {"enter, nested", 4, {0xC8, 0x10, 0x00, 0x02}, TX_MAY, 0},
};

static void flags_by_table(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct instruction i;

        instruction_classify(&i, rows[n].bytes, rows[n].length);
        if ((i.flags & INSTRUCTION_BRANCHES) != rows[n].flags ||
            i.tx != rows[n].tx)
            fail_msg("%s: %x, %d", rows[n].name, i.flags, (int)i.tx);
        assert_int_equal(i.kind, INSTRUCTION_OTHER);
    }
}

static void transactional_instructions(void **state)
{
    static const uint8_t xbegin[] = {0xC7, 0xF8, 0xFE, 0xFF, 0xFF, 0xFF};
    static const uint8_t xabort[] = {0xC6, 0xF8, 0xAB};
    static const uint8_t xend[] = {0x0F, 0x01, 0xD5};
    static const uint8_t xtest[] = {0x0F, 0x01, 0xD6};
    struct instruction i;

    (void)state;
    instruction_classify(&i, xbegin, sizeof(xbegin));
    assert_int_equal(i.kind, INSTRUCTION_XBEGIN);
    assert_int_equal(i.length, 6);
    assert_int_equal(i.displacement, -2);
    instruction_classify(&i, xabort, sizeof(xabort));
    assert_int_equal(i.kind, INSTRUCTION_XABORT);
    assert_int_equal(i.immediate, 0xAB);
    instruction_classify(&i, xend, sizeof(xend));
    assert_int_equal(i.kind, INSTRUCTION_XEND);
    instruction_classify(&i, xtest, sizeof(xtest));
    assert_int_equal(i.kind, INSTRUCTION_XTEST);
}

/* SDM volume 2, "XACQUIRE/XRELEASE - Hardware Lock Elision Prefix Hints". */
static void hints_by_table(void **state)
{
    static const struct {
        uint8_t length, bytes[8];
        enum elide elide;
        uint8_t operand_bytes;
    } hints[] = {
        {4, {0xF2, 0xF0, 0x01, 0x07}, ELIDE_ACQUIRE, 4}, /* ADD */
        {4, {0xF0, 0xF2, 0x29, 0x07}, ELIDE_ACQUIRE, 4}, /* SUB */
        {4, {0xF2, 0xF3, 0x87, 0x07}, ELIDE_RELEASE, 4}, /* nearest */
        {4, {0xF3, 0xF2, 0x87, 0x07}, ELIDE_ACQUIRE, 4},
        {3, {0xF2, 0x86, 0x07}, ELIDE_ACQUIRE, 1}, /* XCHG */
        {4, {0xF2, 0x48, 0x87, 0x07}, ELIDE_ACQUIRE, 8},
        {4, {0xF2, 0x66, 0x87, 0x07}, ELIDE_ACQUIRE, 2},
        {3, {0xF2, 0x87, 0xC1}, ELIDE_NONE, 0},                   /* register */
        {3, {0xF2, 0x01, 0x07}, ELIDE_NONE, 4},                   /* no LOCK */
        {3, {0xF0, 0x01, 0x07}, ELIDE_NONE, 0},                   /* no hint */
        {4, {0xF2, 0xF0, 0x39, 0x07}, ELIDE_NONE, 0},             /* CMP */
        {6, {0xF2, 0xF0, 0x81, 0x3F, 1, 0}, ELIDE_NONE, 0},       /* CMP */
        {5, {0xF2, 0xF0, 0x83, 0x07, 1}, ELIDE_ACQUIRE, 4},       /* ADD */
        {4, {0xF3, 0xF0, 0xFF, 0x0F}, ELIDE_RELEASE, 4},          /* DEC */
        {4, {0xF3, 0xF0, 0xFE, 0x07}, ELIDE_RELEASE, 1},          /* INC */
        {4, {0xF3, 0xF0, 0xF7, 0x17}, ELIDE_RELEASE, 4},          /* NOT */
        {4, {0xF3, 0xF0, 0xF7, 0x27}, ELIDE_NONE, 0},             /* MUL */
        {5, {0xF2, 0xF0, 0x0F, 0xB1, 0x0F}, ELIDE_ACQUIRE, 4},    /* CMPXCHG */
        {5, {0xF2, 0xF0, 0x0F, 0xC0, 0x0F}, ELIDE_ACQUIRE, 1},    /* XADD */
        {6, {0xF2, 0xF0, 0x0F, 0xBA, 0x2F, 0}, ELIDE_ACQUIRE, 4}, /* BTS */
        {6, {0xF2, 0xF0, 0x0F, 0xBA, 0x27, 0}, ELIDE_NONE, 0},    /* BT */
        {5, {0xF2, 0xF0, 0x0F, 0xC7, 0x0F}, ELIDE_ACQUIRE, 8},    /* ..8B */
        {6, {0xF2, 0xF0, 0x48, 0x0F, 0xC7, 0x0F}, ELIDE_NONE, 0}, /* 16B */
        {3, {0xF3, 0x89, 0x07}, ELIDE_RELEASE, 4},                /* MOV */
        {3, {0xF3, 0x88, 0x07}, ELIDE_RELEASE, 1},
        {7, {0xF3, 0xC7, 0x07, 0, 0, 0, 0}, ELIDE_RELEASE, 4},
        {4, {0xF3, 0xC6, 0x07, 0}, ELIDE_RELEASE, 1},
        {3, {0xF2, 0x89, 0x07}, ELIDE_NONE, 4}, /* MOV */
        {3, {0xF3, 0x8B, 0x07}, ELIDE_NONE, 0}, /* a load */
    };

    (void)state;
    for (size_t n = 0; n < sizeof(hints) / sizeof(hints[0]); n++) {
        struct instruction i;

        instruction_classify(&i, hints[n].bytes, hints[n].length);
        assert_int_equal(i.elide, hints[n].elide);
        assert_int_equal(i.operand_bytes, hints[n].operand_bytes);
    }
}

/* Without its hint an instruction is the same: LOCK may be there twice, and so
 * may FS. */
static void hints_replaced(void **state)
{
    static const struct {
        uint8_t length, bytes[8];
        uint32_t hints;
        uint8_t neutral;
    } with[] = {
        {5, {0xF2, 0xF0, 0x0F, 0xC7, 0x0F}, 0x1, 0xF0},
        {5, {0xF0, 0xF3, 0x0F, 0xC7, 0x0F}, 0x2, 0xF0},
        {6, {0x66, 0xF2, 0xF0, 0x0F, 0xB1, 0x0F}, 0x2, 0xF0},
        {4, {0xF2, 0xF3, 0x87, 0x07}, 0x3, 0xF0},
        {4, {0xF2, 0x48, 0x87, 0x07}, 0x1, 0xF0},
        {3, {0xF3, 0x89, 0x07}, 0x1, 0x3E},
        {4, {0x64, 0xF3, 0x89, 0x07}, 0x2, 0x64},
        {4, {0xF3, 0x65, 0x89, 0x07}, 0x1, 0x65},
        {3, {0xF0, 0x01, 0x07}, 0, 0xF0},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(with) / sizeof(with[0]); n++) {
        uint8_t neutral = 0;

        assert_int_equal(
            instruction_hints(with[n].bytes, with[n].length, &neutral),
            with[n].hints);
        assert_int_equal(neutral, with[n].neutral);
    }
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
            instruction_classify(&i, bytes, length);
            instruction_hints(bytes, length, &i.immediate);
            test_free(bytes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_by_table),
        cmocka_unit_test(transactional_instructions),
        cmocka_unit_test(hints_by_table),
        cmocka_unit_test(hints_replaced),
        cmocka_unit_test(cut_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
