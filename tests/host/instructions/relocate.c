/* SPDX-License-Identifier: BSD-2-Clause */
/* relocate.c - instructions that do in another place what they do in theirs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/silicon/instructions/relocate.h"

/* Of the guest's code, and from the copy to the operand. */
#define RIP     UINT64_C(0x401000)
#define OPERAND 0x80

struct row {
    const char *bytes, *made;
    size_t length, made_length;
};
#define ROW(bytes, made)                                 \
    {                                                    \
        bytes, made, sizeof(bytes) - 1, sizeof(made) - 1 \
    }

/* In `made` the displacement is 80H less what is up to the end. */
static const struct row rows[] = {
    ROW("\x01\xD8", "\x01\xD8"), /* add eax, ebx */
    /* mov rax, [rbx]; mov r9d, [r12+r13*4+10h]; mov ax, fs:[10h] */
    ROW("\x48\x8B\x03", "\x48\x8B\x05\x79\0\0\0"),
    ROW("\x47\x8B\x4C\xAC\x10", "\x44\x8B\x0D\x79\0\0\0"),
    ROW("\x64\x66\x8B\x04\x25\x10\0\0\0", "\x66\x8B\x05\x79\0\0\0"),
    ROW("\x8B\x05\0\0\0\1", "\x8B\x05\x7A\0\0\0"), /* of RIP */
    ROW("\x88\x63\x01", "\x88\x25\x7A\0\0\0"),     /* mov [rbx+1], ah */
    ROW("\x40\x88\x33", "\x40\x88\x35\x79\0\0\0"), /* mov [rbx], sil */
    /* Immediates are behind the displacement. */
    ROW("\xC7\x43\x08\1\2\3\4", "\xC7\x05\x76\0\0\0\1\2\3\4"),
    ROW("\x66\xC7\x03\1\2", "\x66\xC7\x05\x77\0\0\0\1\2"),
    ROW("\x49\x83\x04\x24\x05", "\x48\x83\x05\x78\0\0\0\x05"),
    ROW("\xF6\x03\x01", "\xF6\x05\x79\0\0\0\x01"), /* test byte [rbx], 1 */
    ROW("\x6B\x03\x07", "\x6B\x05\x79\0\0\0\x07"), /* imul eax, [rbx], 7 */
    ROW("\x0F\xB6\x03", "\x0F\xB6\x05\x79\0\0\0"), /* movzx */
    ROW("\x48\x0F\x44\x0B", "\x48\x0F\x44\x0D\x78\0\0\0"), /* cmovz */
    ROW("\x0F\x95\x03", "\x0F\x95\x05\x79\0\0\0"),         /* setnz */
    ROW("\xF7\x23", "\xF7\x25\x7A\0\0\0"),                 /* mul dword [rbx] */
    ROW("\xD3\x23", "\xD3\x25\x7A\0\0\0"), /* shl dword [rbx], cl */
    ROW("\x63\x03", "\x63\x05\x7A\0\0\0"), /* movsxd */
    ROW("\x48\xB8\1\2\3\4\5\6\7\x08", "\x48\xB8\1\2\3\4\5\6\7\x08"),
    ROW("\x41\x0F\xC8", "\x41\x0F\xC8"), /* bswap r8d */
    ROW("\x0F\xBA\xE3\x05", "\x0F\xBA\xE3\x05"),
    ROW("\x93\x90", ""), /* xchg eax, ebx */
    ROW("\x87\xC3", "\x87\xC3"),
    /* lea rax, [rbx+8]; lea r9, [rip+10h]; lea eax, [rip+10h] */
    ROW("\x48\x8D\x43\x08", "\x48\x8D\x43\x08"),
    ROW("\x4C\x8D\x0D\x10\0\0\0", "\x49\xB9\x17\x10\x40\0\0\0\0\0"),
    ROW("\x8D\x05\x10\0\0\0", ""),
    /* push rbx, push r12, push rsp; pop rbx, pop r9, pop rsp */
    ROW("\x53", "\x48\x89\x1D\x79\0\0\0\x48\x8D\x64\x24\xF8"),
    ROW("\x41\x54", "\x4C\x89\x25\x79\0\0\0\x48\x8D\x64\x24\xF8"),
    ROW("\x54", "\x48\x89\x25\x79\0\0\0\x48\x8D\x64\x24\xF8"),
    ROW("\x5B", "\x48\x8D\x64\x24\x08\x48\x8B\x1D\x74\0\0\0"),
    ROW("\x41\x59", "\x48\x8D\x64\x24\x08\x4C\x8B\x0D\x74\0\0\0"),
    ROW("\x5C", ""),
    ROW("\x66\x53", ""),
    /* NOPs, ENDBR64 */
    ROW("\x90", "\x90"),
    ROW("\x0F\x1F\x44\0\0", "\x90"),
    ROW("\x66\x2E\x0F\x1F\x84\0\0\0\0\0", "\x90"),
    ROW("\xF3\x0F\x1E\xFA", "\x90"),
    /* None of them: branches, LOCK, XCHG, BT and BTC of memory, DIV, PAUSE,
     * INC with a repeat, CPUID, MOVS, 32-bit addresses, SSE, MOV of CR, CALL by
     * memory, PUSH of memory, MOV to a segment. */
    ROW("\x74\x00", ""),
    ROW("\xF0\x01\x03", ""),
    ROW("\x87\x03", ""),
    ROW("\x0F\xA3\x03", ""),
    ROW("\x0F\xBB\x03", ""),
    ROW("\x0F\xBB\xC3", ""),
    ROW("\xF7\xF3", ""),
    ROW("\xF3\x90", ""),
    ROW("\xF3\x0F\xBC\xC3", ""),
    ROW("\x0F\xA2", ""),
    ROW("\xA4", ""),
    ROW("\x67\x8B\x03", ""),
    ROW("\x0F\x10\x03", ""),
    ROW("\x0F\x20\xC0", ""),
    ROW("\xFF\x13", ""),
    ROW("\xFF\x33", ""),
    ROW("\x8E\xD8", ""),
    ROW("\xFA", ""),
    ROW("\x9C", ""),
};

static void made(void **state)
{
    static uint8_t to[OPERAND + 8];

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        uint8_t bytes[16];

        memset(bytes, 0x90, sizeof(bytes));
        memcpy(bytes, rows[n].bytes, rows[n].length);
        if (relocate(to, bytes, RIP, (uint64_t)to + OPERAND) !=
                rows[n].made_length ||
            memcmp(to, rows[n].made, rows[n].made_length) != 0)
            fail_msg("row %zu: %02x %02x %02x %02x %02x %02x %02x", n, to[0],
                     to[1], to[2], to[3], to[4], to[5], to[6]);
    }
}

static void without_an_operand(void **state)
{
    static const uint8_t load[15] = {0x48, 0x8B, 0x03}, lea[15] = {0x8D, 0x03};
    uint8_t to[RELOCATED_MAX];

    (void)state;
    assert_int_equal(relocate(to, load, RIP, 0), 0);
    assert_int_equal(relocate(to, load, RIP, (uint64_t)to ^ UINT64_C(1) << 40),
                     0);
    assert_int_equal(relocate(to, lea, RIP, 0), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made),
        cmocka_unit_test(without_an_operand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
