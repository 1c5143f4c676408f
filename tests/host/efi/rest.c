/* SPDX-License-Identifier: BSD-2-Clause */
/* rest.c - on which processors a worker rests in MWAIT: here, at ring 3, that
 * and MONITOR are #UD. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "efi/rest.c"

static struct hw_cpuid leaf1;
static sigjmp_buf undefined;

void hw_cpuid(uint32_t leaf, uint32_t subleaf, struct hw_cpuid *out)
{
    assert_int_equal(leaf, 1);
    assert_int_equal(subleaf, 0);
    *out = leaf1;
}

static void on_signal(int number)
{
    (void)number;
    siglongjmp(undefined, 1);
}

static bool waits(uint32_t signature, bool monitor)
{
    static const bool flag = true;

    leaf1 = (struct hw_cpuid){.eax = signature, .ecx = monitor ? BIT(3) : 0};
    void (*cmockas)(int) = signal(SIGILL, on_signal);
    bool raised = sigsetjmp(undefined, 1) != 0;
    if (!raised)
        rest(&flag);
    (void)signal(SIGILL, cmockas);
    return raised;
}

static void models(void **state)
{
    static const struct {
        uint32_t signature;
        bool waits;
    } rows[] = {
        {0x106d1, false}, {0x206e6, false}, {0x206f2, false},
        {0x506c9, false},                   /* Goldmont */
        {0x606a6, false},                   /* Ice Lake-SP */
        {0x606c1, false}, {0xb06d1, false}, /* Lunar Lake */
        {0x506e3, true},  {0x50654, true},  {0x806f8, true},
        {0xb06a2, true},  {0x706e5, true},  {0x006fb, true},
        {0xc06f2, true},                   /* family 6, model CFH */
        {0x60fa6, true},  {0x50f5c, true}, /* of family 15 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(waits(rows[i].signature, true), rows[i].waits);
        assert_false(waits(rows[i].signature, false));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(models)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
