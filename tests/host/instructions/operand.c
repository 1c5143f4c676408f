/* SPDX-License-Identifier: BSD-2-Clause */
/* operand.c - the data accesses of an instruction, by its bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/silicon/instructions/operand.h"

/* Each register holds a value of its own: 10000H, 20000H .. */
static const struct operand_state state = {
    .general = {0x10000, 3, 0x30000, 0x40000, 0x50000, 0x60000, 0x70000,
                0x80000, 0x90000, 0xA0000, 0xB0000, 0xC0000, 0xD0000, 0xE0000,
                0xF0000, 0x100000},
    .rip = 0x400000,
    .fs_base = 0x7000000,
    .gs_base = 0x8000000,
};

/* Letters: R load, W store, lower case locked; P prefetch, F CLFLUSH, I INVLPG.
 * Each with its address and bytes. */
struct row {
    const char *name, *bytes, *accesses;
    size_t length;
};
static const struct row rows[] = {
#define ROW(name, bytes, accesses)               \
    {                                            \
        name, bytes, accesses, sizeof(bytes) - 1 \
    }
    ROW("mov rax, [rbx]", "\x48\x8B\x03", "R 40000 8"),
    ROW("mov eax, [rbx]", "\x8B\x03", "R 40000 4"),
    ROW("mov ax, [rbx]", "\x66\x8B\x03", "R 40000 2"),
    ROW("mov al, [rbx+10h]", "\x8A\x43\x10", "R 40010 1"),
    ROW("mov [rdi-8], rax", "\x48\x89\x47\xF8", "W 7fff8 8"),
    ROW("mov [r13+0], rax", "\x49\x89\x45\x00", "W e0000 8"),
    ROW("mov [r12], rax", "\x49\x89\x04\x24", "W d0000 8"),
    ROW("mov [rsp+20h], rcx", "\x48\x89\x4C\x24\x20", "W 50020 8"),
    ROW("mov rax, [rbx+rcx*8]", "\x48\x8B\x04\xCB", "R 40018 8"),
    ROW("mov rax, [r8+r9*1+12345678h]", "\x4B\x8B\x84\x08\x78\x56\x34\x12",
        "R 12475678 8"),
    ROW("mov rax, [rcx*8+100h]", "\x48\x8B\x04\xCD\x00\x01\x00\x00", "R 118 8"),
    ROW("mov rax, [rip+10h]", "\x48\x8B\x05\x10\x00\x00\x00", "R 400017 8"),
    ROW("mov dword [rip+10h], 1", "\xC7\x05\x10\x00\x00\x00\x01\x00\x00\x00",
        "W 40001a 4"),
    ROW("mov word [rip+10h], 1", "\x66\xC7\x05\x10\x00\x00\x00\x01\x00",
        "W 400019 2"),
    ROW("test byte [rip+10h], 1", "\xF6\x05\x10\x00\x00\x00\x01", "R 400017 1"),
    ROW("mov rax, fs:[10h]", "\x64\x48\x8B\x04\x25\x10\x00\x00\x00",
        "R 7000010 8"),
    ROW("mov rax, gs:[rbx]", "\x65\x48\x8B\x03", "R 8040000 8"),
    ROW("mov eax, [ebx-50000h]", "\x67\x8B\x83\x00\x00\xFB\xFF",
        "R ffff0000 4"),
    ROW("movabs al, [1122334455667788h]",
        "\xA0\x88\x77\x66\x55\x44\x33\x22\x11", "R 1122334455667788 1"),
    ROW("movabs [10h], rax", "\x48\xA3\x10\x00\x00\x00\x00\x00\x00\x00",
        "W 10 8"),
    ROW("mov rax, rbx", "\x48\x8B\xC3", ""),
    ROW("lea rax, [rbx]", "\x48\x8D\x03", ""),
    ROW("nop dword [rax]", "\x0F\x1F\x00", ""),
    ROW("add [rbx], eax", "\x01\x03", "R 40000 4 W 40000 4"),
    ROW("add eax, [rbx]", "\x03\x03", "R 40000 4"),
    ROW("cmp [rbx], eax", "\x39\x03", "R 40000 4"),
    ROW("add eax, 1", "\x83\xC0\x01", ""),
    ROW("cmp qword [rbx], 1", "\x48\x83\x3B\x01", "R 40000 8"),
    ROW("lock add qword [rbx], 1", "\xF0\x48\x83\x03\x01",
        "r 40000 8 w 40000 8"),
    ROW("lock inc dword [rbx]", "\xF0\xFF\x03", "r 40000 4 w 40000 4"),
    ROW("xchg [rbx], rax", "\x48\x87\x03", "r 40000 8 w 40000 8"),
    ROW("lock cmpxchg [rbx], ecx", "\xF0\x0F\xB1\x0B", "r 40000 4 w 40000 4"),
    ROW("lock xadd [rbx], rcx", "\xF0\x48\x0F\xC1\x0B", "r 40000 8 w 40000 8"),
    ROW("cmpxchg8b [rbx]", "\x0F\xC7\x0B", "R 40000 8 W 40000 8"),
    ROW("lock cmpxchg16b [rbx]", "\xF0\x48\x0F\xC7\x0B",
        "r 40000 16 w 40000 16"),
    ROW("movups xmm0, [rbx]", "\x0F\x10\x03", "R 40000 16"),
    ROW("fld dword [rbx]", "\xD9\x03", "R 40000 4"),
    ROW("fldcw [rbx]", "\xD9\x2B", "R 40000 2"),
    ROW("fld qword [rbx]", "\xDD\x03", "R 40000 8"),
    ROW("fld tword [rbx]", "\xDB\x2B", "R 40000 10"),
    ROW("fild qword [rdi]", "\xDF\x2F", "R 80000 8"),
    ROW("fiadd word [rbx]", "\xDE\x03", "R 40000 2"),
    ROW("fmul dword [rbx]", "\xD8\x0B", "R 40000 4"),
    ROW("fmul qword [rbx]", "\xDC\x0B", "R 40000 8"),
    ROW("fstp qword [rbx]", "\xDD\x1B", "W 40000 8"),
    ROW("fistp qword [rbx]", "\xDF\x3B", "W 40000 8"),
    ROW("fnstcw [rbx]", "\xD9\x3B", "W 40000 2"),
    ROW("fnstsw [rbx]", "\xDD\x3B", "W 40000 2"),
    ROW("fld1", "\xD9\xE8", ""),
    ROW("fstp st0", "\xDD\xD8", ""),
    ROW("vmovups xmm0, [rbx]", "\xC5\xF8\x10\x03", "R 40000 16"),
    ROW("vmovups ymm0, [rbx]", "\xC5\xFC\x10\x03", "R 40000 32"),
    ROW("vmovups [r8], ymm0", "\xC4\xC1\x7C\x11\x00", "W 90000 32"),
    ROW("vmovsd xmm0, [rbx]", "\xC5\xFB\x10\x03", "R 40000 8"),
    ROW("vmovdqa [rbx], xmm0", "\xC5\xF9\x7F\x03", "W 40000 16"),
    ROW("andn rax, rdx, [rdi]", "\xC4\xE2\xE8\xF2\x07", "R 80000 8"),
    ROW("andn eax, edx, [rdi]", "\xC4\xE2\x68\xF2\x07", "R 80000 4"),
    ROW("vzeroupper", "\xC5\xF8\x77", ""),
    ROW("movapd [rbx], xmm0", "\x66\x0F\x29\x03", "W 40000 16"),
    ROW("movss xmm0, [rbx]", "\xF3\x0F\x10\x03", "R 40000 4"),
    ROW("movsd [rbx], xmm8", "\xF2\x44\x0F\x11\x03", "W 40000 8"),
    ROW("movaps xmm0, xmm1", "\x0F\x28\xC1", ""),
    ROW("rdrand eax", "\x0F\xC7\xF0", ""),
    ROW("bt [rbx], rdx", "\x48\x0F\xA3\x13", "R 46000 8"),
    ROW("bts dword [rbx], 5", "\x0F\xBA\x2B\x05", "R 40000 4 W 40000 4"),
    ROW("push rax", "\x50", "W 4fff8 8"),
    ROW("pop r8", "\x41\x58", "R 50000 8"),
    ROW("push [rbx]", "\xFF\x33", "R 40000 8 W 4fff8 8"),
    ROW("pop [rbx]", "\x8F\x03", "R 50000 8 W 40000 8"),
    ROW("call rel32", "\xE8\x00\x00\x00\x00", "W 4fff8 8"),
    ROW("call [rbx]", "\xFF\x13", "R 40000 8 W 4fff8 8"),
    ROW("call rbx", "\xFF\xD3", "W 4fff8 8"),
    ROW("jmp [rbx]", "\xFF\x23", "R 40000 8"),
    ROW("ret", "\xC3", "R 50000 8"),
    ROW("leave", "\xC9", "R 60000 8"),
    ROW("movsb", "\xA4", "R 70000 1 W 80000 1"),
    ROW("rep movsq", "\xF3\x48\xA5", "R 70000 8 W 80000 8"),
    ROW("stosd", "\xAB", "W 80000 4"),
    ROW("lodsb", "\xAC", "R 70000 1"),
    ROW("scasb", "\xAE", "R 80000 1"),
    ROW("cmpsb", "\xA6", "R 70000 1 R 80000 1"),
    ROW("movzx eax, byte [rbx]", "\x0F\xB6\x03", "R 40000 1"),
    ROW("movsxd rax, [rbx]", "\x48\x63\x03", "R 40000 4"),
    ROW("sete [rbx]", "\x0F\x94\x03", "W 40000 1"),
    ROW("movnti [rbx], rax", "\x48\x0F\xC3\x03", "W 40000 8"),
    ROW("shl qword [rbx], 3", "\x48\xC1\x23\x03", "R 40000 8 W 40000 8"),
    ROW("neg dword [rbx]", "\xF7\x1B", "R 40000 4 W 40000 4"),
    ROW("mul dword [rbx]", "\xF7\x23", "R 40000 4"),
    ROW("prefetcht0 [rbx]", "\x0F\x18\x0B", "P 40000 1"),
    ROW("clflush [rbx]", "\x0F\xAE\x3B", "F 40000 1"),
    ROW("ptwrite [rbx]", "\xF3\x0F\xAE\x23", "R 40000 4"),
    ROW("ptwrite qword [rbx]", "\xF3\x48\x0F\xAE\x23", "R 40000 8"),
    ROW("xsave [rbx]", "\x0F\xAE\x23", ""),
    ROW("clflushopt [rbx]", "\x66\x0F\xAE\x3B", "F 40000 1"),
    ROW("mfence", "\x0F\xAE\xF0", ""),
    ROW("sfence", "\x0F\xAE\xF8", ""),
    ROW("invlpg [rbx]", "\x0F\x01\x3B", "I 40000 1"),
    ROW("xend", "\x0F\x01\xD5", ""),
    ROW("cut short", "\x48", ""),
};

/* Of 32-bit code: registers have 32 bits. */
static const struct row narrow_rows[] = {
    ROW("mov eax, [ebx]", "\x8B\x03", "R 40000 4"),
    ROW("mov ax, [ebx]", "\x66\x8B\x03", "R 40000 2"),
    ROW("mov eax, [ebx-50000h]", "\x8B\x83\x00\x00\xFB\xFF", "R ffff0000 4"),
    ROW("mov eax, [12345678h]", "\x8B\x05\x78\x56\x34\x12", "R 12345678 4"),
    ROW("mov eax, [ebx+ecx*4]", "\x8B\x04\x8B", "R 4000c 4"),
    ROW("mov eax, [92345678h]", "\xA1\x78\x56\x34\x92", "R 92345678 4"),
    ROW("mov [10h], al", "\xA2\x10\x00\x00\x00", "W 10 1"),
    ROW("mov eax, gs:[14h]", "\x65\xA1\x14\x00\x00\x00", "R 8000014 4"),
    ROW("inc eax", "\x40\x8B\x03", ""),
    ROW("push eax", "\x50", "W 4fffc 4"),
    ROW("push ax", "\x66\x50", "W 4fffe 2"),
    ROW("pop eax", "\x58", "R 50000 4"),
    ROW("push es", "\x06", "W 4fffc 4"),
    ROW("pop ds", "\x1F", "R 50000 4"),
    ROW("daa", "\x27", ""),
    ROW("push dword [ebx]", "\xFF\x33", "R 40000 4 W 4fffc 4"),
    ROW("pop dword [ebx]", "\x8F\x03", "R 50000 4 W 40000 4"),
    ROW("call rel32", "\xE8\x00\x00\x00\x00", "W 4fffc 4"),
    ROW("call [ebx]", "\xFF\x13", "R 40000 4 W 4fffc 4"),
    ROW("ret", "\xC3", "R 50000 4"),
    ROW("leave", "\xC9", "R 60000 4"),
    ROW("arpl [ebx], ax", "\x63\x03", "R 40000 2 W 40000 2"),
    ROW("movsd", "\xA5", "R 70000 4 W 80000 4"),
    ROW("lock cmpxchg8b [ebx]", "\xF0\x0F\xC7\x0B", "r 40000 8 w 40000 8"),
    ROW("mov eax, [bx]", "\x67\x8B\x07", ""),
    ROW("add byte [ebx], 1, by 82H", "\x82\x03\x01", "R 40000 1 W 40000 1"),
    ROW("cmp byte [ebx], 1, by 82H", "\x82\x3B\x01", "R 40000 1"),
    ROW("add dword [ebx], 1", "\x83\x03\x01", "R 40000 4 W 40000 4"),
    ROW("cmp word [ebx], 1", "\x66\x81\x3B\x01\x00", "R 40000 2"),
    ROW("or al, [ebx]", "\x0A\x03", "R 40000 1"),
    ROW("xor [ebx], al", "\x30\x03", "R 40000 1 W 40000 1"),
    ROW("xor eax, 12345678h", "\x35\x78\x56\x34\x12", ""),
    ROW("push cs", "\x0E", "W 4fffc 4"),
    ROW("pop ss", "\x17", "R 50000 4"),
    ROW("push fs", "\x0F\xA0", "W 4fffc 4"),
    ROW("pop gs", "\x0F\xA9", "R 50000 4"),
    ROW("push 1", "\x6A\x01", "W 4fffc 4"),
    ROW("push 12345678h", "\x68\x78\x56\x34\x12", "W 4fffc 4"),
    ROW("pushfd", "\x9C", "W 4fffc 4"),
    ROW("popfd", "\x9D", "R 50000 4"),
    ROW("ret 8", "\xC2\x08\x00", "R 50000 4"),
    ROW("call ebx", "\xFF\xD3", "W 4fffc 4"),
    ROW("jmp [ebx]", "\xFF\x23", "R 40000 4"),
    ROW("lock inc dword [ebx]", "\xF0\xFF\x03", "r 40000 4 w 40000 4"),
    ROW("dec byte [ebx]", "\xFE\x0B", "R 40000 1 W 40000 1"),
    ROW("xchg [ebx], al", "\x86\x03", "r 40000 1 w 40000 1"),
    ROW("mov [ebx], ds", "\x8C\x1B", "W 40000 2"),
    ROW("mov es, [ebx]", "\x8E\x03", "R 40000 2"),
    ROW("mov dword [ebx], 1", "\xC7\x03\x01\x00\x00\x00", "W 40000 4"),
    ROW("mov byte [ebx], 1", "\xC6\x03\x01", "W 40000 1"),
    ROW("mov [12345678h], ax", "\x66\xA3\x78\x56\x34\x12", "W 12345678 2"),
    ROW("test [ebx], eax", "\x85\x03", "R 40000 4"),
    ROW("imul eax, [ebx], 3", "\x6B\x03\x03", "R 40000 4"),
    ROW("sar dword [ebx], cl", "\xD3\x3B", "R 40000 4 W 40000 4"),
    ROW("movzx eax, word [ebx]", "\x0F\xB7\x03", "R 40000 2"),
    ROW("cmovz eax, [ebx]", "\x0F\x44\x03", "R 40000 4"),
    ROW("setz [ebx]", "\x0F\x94\x03", "W 40000 1"),
    ROW("lock cmpxchg [ebx], ecx", "\xF0\x0F\xB1\x0B", "r 40000 4 w 40000 4"),
    ROW("bts [ebx], edx", "\x0F\xAB\x13", "R 46000 4 W 46000 4"),
    ROW("mov eax, fs:[ebx]", "\x64\x8B\x03", "R 7040000 4"),
    ROW("stosb", "\xAA", "W 80000 1"),
    ROW("scasd", "\xAF", "R 80000 4"),
    ROW("lodsw", "\x66\xAD", "R 70000 2"),
    ROW("cmpsd", "\xA7", "R 70000 4 R 80000 4"),
    ROW("movnti [ebx], eax", "\x0F\xC3\x03", "W 40000 4"),
    ROW("clflush [ebx]", "\x0F\xAE\x3B", "F 40000 1"),
    ROW("lea eax, [ebx]", "\x8D\x03", ""),
    ROW("aaa", "\x37", ""),
};

static void check_row(const struct row *row, const struct operand_state *s)
{
    struct data_access found[DATA_ACCESSES_MAX];
    char text[200] = "", one[64];
    unsigned count =
        operand_find(found, s, (const uint8_t *)row->bytes, row->length);

    for (unsigned n = 0; n < count; n++) {
        char letter = "RWPFI"[found[n].kind];

        if (found[n].locked)
            letter = (char)(letter + 'a' - 'A');
        snprintf(one, sizeof(one), "%s%c %llx %u", n > 0 ? " " : "", letter,
                 (unsigned long long)found[n].linear, found[n].bytes);
        strcat(text, one);
    }
    if (strcmp(text, row->accesses) != 0)
        fail_msg("%s: %s, not %s", row->name, text, row->accesses);
}

static void each_instruction(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        check_row(&rows[k], &state);
}

/* What the upper halves of registers hold does not matter. */
static void each_of_32_bit_code(void **unused)
{
    struct operand_state s = state;

    (void)unused;
    s.narrow = true;
    for (unsigned n = 0; n < 8; n++)
        s.general[n] |= UINT64_C(0xABCD) << 32;
    for (size_t k = 0; k < sizeof(narrow_rows) / sizeof(narrow_rows[0]); k++)
        check_row(&narrow_rows[k], &s);
    s.general[1] = UINT64_C(1) << 32; /* ECX is 0 */
    check_row(&(struct row){"rep movsd", "\xF3\xA5", "", 2}, &s);
}

static void no_round_of_a_string_left(void **unused)
{
    struct data_access found[DATA_ACCESSES_MAX];
    struct operand_state s = state;

    (void)unused;
    s.general[1] = 0;
    assert_int_equal(operand_find(found, &s, (const uint8_t *)"\xF3\xA4", 2),
                     0);
    assert_int_equal(operand_find(found, &s, (const uint8_t *)"\xA4", 1), 2);
}

/* Any bytes: nothing is read after them (the sanitizer sees it). */
static void arbitrary_bytes(void **unused)
{
    struct data_access found[DATA_ACCESSES_MAX];
    struct operand_state s = state;
    uint64_t any = 1;

    (void)unused;
    for (unsigned k = 0; k < 100000; k++) {
        uint8_t bytes[15];
        size_t length = k % 16;

        for (size_t n = 0; n < length; n++) {
            any = any * UINT64_C(6364136223846793005) + 1;
            bytes[n] = (uint8_t)(any >> 56);
        }
        s.narrow = k % 2 != 0;
        assert_true(operand_find(found, &s, bytes, length) <=
                    DATA_ACCESSES_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction),
        cmocka_unit_test(each_of_32_bit_code),
        cmocka_unit_test(no_round_of_a_string_left),
        cmocka_unit_test(arbitrary_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
