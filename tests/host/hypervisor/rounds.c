/* SPDX-License-Identifier: BSD-2-Clause */
/* rounds.c - loops that run by themselves, and what is counted of them. */
#include "tests/host/hypervisor/os_guest_fixture.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/instructions/induction.h"

#define MISPREDICTED (OS | 0xC5)
#define REFERENCES   (OS | 0x4F2E)

#define ROUNDS 1000

/* It counts branches and the event, from this value on. */
static struct vcpu *start(uint64_t event, uint64_t from)
{
    struct vcpu *v = start_os_guest();

    fake_cpu.counts = true;
    fake_cpu.tsc_per_64 = 64;
    assert_true(turns_start(false));
    v->gprs.rcx = ROUNDS;
    start_counting(v, event, from);
    return v;
}

static void run_loop(struct vcpu *v)
{
    const uint8_t *end = (const uint8_t *)v->vmcb->rip + 5;

    CODE(v, NOP_, LOAD_, LOOP_, 0x100 - 6);
    v->gprs.rdi = (uint64_t)fake_cpu_page(8);
    assert_true(fake_cpu_until(v, end + 1));
}

static void counted_as_if_stepped(void **state)
{
    struct vcpu *v = start(INSTRUCTIONS, 0);

    (void)state;
    run_loop(v);
    assert_int_equal(counted(v, 0xC1), ROUNDS);
    assert_int_equal(counted(v, 0xC2), 3 * ROUNDS);
    assert_in_range(fake_cpu.runs, 1, 30);
    v = start(MISPREDICTED, 0);
    run_loop(v);
    assert_in_range(counted(v, 0xC2), 1, 4); /* the last one, and the first */
}

static void stepped_to_an_overflow(void **state)
{
    struct vcpu *v = start(INSTRUCTIONS, (UINT64_C(1) << 48) - ROUNDS);

    (void)state;
    run_loop(v);
    assert_int_equal(counted(v, 0xC1), ROUNDS);
    assert_int_equal(counted(v, 0x38E) & 2, 2);
    assert_true(fake_cpu.runs >= ROUNDS);
}

static void interrupted(void **state)
{
    struct vcpu *v = start(INSTRUCTIONS, 0);

    (void)state;
    CODE(v, NOP_, LOAD_, LOOP_, 0x100 - 6);
    v->gprs.rdi = (uint64_t)fake_cpu_page(8);
    while (v->rounds.alike < 2)
        assert_true(fake_cpu_rounds(v, 1));
    fake_cpu_exit(EXIT_INTR, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->mode, MODE_CATCH);
    assert_int_equal(counted(v, 0xC2), 9); /* what was stepped */
}

/* One line, which is in the cache after its first round; then one a round. */
static void lines_of_loads(void **state)
{
    struct vcpu *v = start(REFERENCES, 0);
    const uint8_t *end = (const uint8_t *)v->vmcb->rip + 6;

    (void)state;
    run_loop(v);
    assert_int_equal(counted(v, 0xC2), 1);
    assert_in_range(fake_cpu.runs, 1, 30);
    v = start(REFERENCES, 0);
    CODE(v, LOAD_, ADD_, LOOP_, 0x100 - 9);
    v->gprs.rdi = (uint64_t)fake_cpu_page(9);
    assert_true(fake_cpu_until(v, end + 3));
    assert_int_equal(counted(v, 0xC2), ROUNDS);
    assert_in_range(fake_cpu.runs, 1, 30);
}

static void registers_of_a_round(void **state)
{
    static const struct {
        uint8_t bytes[INSTRUCTION_BYTES_MAX];
        bool known;
        uint64_t rsi;
        uint16_t lost;
    } rows[] = {
        {{0x48, 0x83, 0xC6, 0x40}, true, 0x1040, 0},    /* add rsi, 40h */
        {{0x48, 0x83, 0xEE, 0x40}, true, 0xFC0, 0},     /* sub rsi, 40h */
        {{0x48, 0xFF, 0xCE}, true, 0xFFF, 0},           /* dec rsi */
        {{0x83, 0xC6, 0x40}, true, 0x1040, 0x40},       /* add esi, 40h */
        {{0x48, 0x83, 0x06, 0x40}, true, 0x1000, 0},    /* add [rsi], 40h */
        {{0x48, 0x83, 0xFE, 0x40}, true, 0x1000, 0},    /* cmp rsi, 40h */
        {{0x48, 0x83, 0xE6, 0x40}, true, 0x1000, 0x40}, /* and rsi, 40h */
        {{0x4C, 0x8B, 0x06}, true, 0x1000, 0x100},      /* mov r8, [rsi] */
        {{0x48, 0x89, 0xC6}, true, 0x1000, 0x40},       /* mov rsi, rax */
        {{0x48, 0x89, 0x06}, true, 0x1000, 0},          /* mov [rsi], rax */
        {{0x41, 0xB8}, true, 0x1000, 0x100},            /* mov r8d, imm32 */
        {{0x0F, 0xAF, 0xF0}, true, 0x1000, 0x40},       /* imul esi, eax */
        {{0x56}, true, 0x1000, 0},                      /* push rsi */
        {{0x5E}, true, 0x1000, 0x40},                   /* pop rsi */
        {{0x5C}, true, 0x1000, 0x10},                   /* pop rsp */
        {{0x66, 0x56}, false, 0x1000, 0},               /* push si */
        {{0xFF, 0x36}, true, 0x1000, 0},                /* push [rsi] */
        {{0x8A, 0x26}, true, 0x1000, 0x1},              /* mov ah, [rsi] */
        {{0x40, 0x8A, 0x26}, true, 0x1000, 0x10},       /* mov spl, [rsi] */
        {{0x80, 0xC6, 0x40}, true, 0x1000, 0x4},        /* add dh, 40h */
        {{0x02, 0xFF}, true, 0x1000, 0x8},              /* add bh, bh */
        {{0x04, 0x40}, true, 0x1000, 0x1},              /* add al, 40h */
        {{0x3C, 0x40}, true, 0x1000, 0},                /* cmp al, 40h */
        {{0xB6, 0x40}, true, 0x1000, 0x4},              /* mov dh, 40h */
        {{0xFE, 0xC6}, true, 0x1000, 0x4},              /* inc dh */
        {{0xC1, 0xE6, 4}, true, 0x1000, 0x40},          /* shl esi, 4 */
        {{0xF7, 0xC6}, true, 0x1000, 0},                /* test esi, imm32 */
        {{0xF7, 0xD6}, true, 0x1000, 0x40},             /* not esi */
        {{0xF7, 0xF6}, true, 0x1000, 0x5},              /* div esi */
        {{0x48, 0x99}, true, 0x1000, 0x4},              /* cqo */
        {{0x48, 0x98}, true, 0x1000, 0x1},              /* cdqe */
        {{0xC9}, true, 0x1000, 0x30},                   /* leave */
        {{0x87, 0xF0}, false, 0x1000, 0},               /* xchg eax, esi */
        {{0x0F, 0x94, 0xC6}, true, 0x1000, 0x4},        /* sete dh */
        {{0x48, 0x0F, 0xCE}, true, 0x1000, 0x40},       /* bswap rsi */
        {{0x0F, 0xBA, 0xE6}, true, 0x1000, 0},          /* bt esi, imm8 */
        {{0x0F, 0xBA, 0xEE}, true, 0x1000, 0x40},       /* bts esi, imm8 */
        {{0xF3, 0x0F, 0xB8, 0xF0}, true, 0x1000, 0x40}, /* popcnt esi, eax */
        {{0xF3, 0x0F, 0x1E, 0xFA}, true, 0x1000, 0},    /* endbr64 */
        {{0x66, 0x0F, 0x7E, 0xC6}, true, 0x1000, 0x40}, /* movd esi, xmm0 */
        {{0x66, 0x0F, 0x6E, 0xC6}, true, 0x1000, 0},    /* movd xmm0, esi */
        {{0x66, 0x0F, 0xD7, 0xF0}, true, 0x1000, 0x40}, /* pmovmskb esi */
        {{0x64, 0x48, 0x8B, 0x06}, true, 0x1000, 0x1},  /* mov rax, fs:[rsi] */
        {{0x67, 0x8B, 0x06}, false, 0x1000, 0},         /* mov eax, [esi] */
        {{0xC5, 0xF0}, false, 0x1000, 0},               /* with VEX */
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct induction s = {.general = {[6] = 0x1000}};

        assert_int_equal(
            induction_step(&s, rows[n].bytes, INSTRUCTION_BYTES_MAX),
            rows[n].known);
        assert_int_equal(s.general[6], rows[n].rsi);
        assert_int_equal(s.lost, rows[n].lost);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_as_if_stepped),
        cmocka_unit_test(stepped_to_an_overflow),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(lines_of_loads),
        cmocka_unit_test(registers_of_a_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
