/* SPDX-License-Identifier: BSD-2-Clause */
/* blocks.c - instructions that are executed in one run, and the branch behind
 * them, counted as if each was stepped. */
#include "tests/host/hypervisor/blocks_fixture.h"
#include "tests/silicon/hypervisor/processors/processors.h"

#define NOPS_ NOP_, NOP_, NOP_, NOP_
#define JMP_  0xEB
#define CALL_ 0xE8
#define RET_  0xC3

static void counted_as_if_stepped(void **state)
{
    struct vcpu *v = start(INSTRUCTIONS, 0);

    (void)state;
    CODE(v, NOPS_, ADD_, JMP_, 1, HLT_, NOPS_, HLT_);
    assert_true(fake_cpu_until(v, fake_cpu_at(15)));
    assert_int_equal(counted(v, 0xC1), 1);
    assert_int_equal(counted(v, 0xC2), 10);
    assert_int_equal(fake_cpu.runs, 2);
    assert_int_equal(v->vmcb->dr7, DR7_NONE);
    assert_int_equal(v->vmcb->dr6, 0xFFFF0FF0);
    assert_int_equal(fake_cpu.dr7, DR7_NONE);
    assert_int_equal(fake_cpu.breakpoints[0], 0x1234);
}

static void cycles_of_each(void **state)
{
    struct vcpu *v = start(CYCLES, 0);
    const struct choices *c = &v->model->choices;

    (void)state;
    CODE(v, NOPS_, ADD_, JMP_, 1, HLT_, NOPS_, HLT_);
    assert_true(fake_cpu_until(v, fake_cpu_at(15)));
    assert_int_equal(counted(v, 0xC2), 9 * c->cycles_other + c->cycles_branch);
}

/* SDM volume 3B, "Last Branch, Interrupt, and Exception Recording": TOS is the
 * place of the last one. */
static void recorded_as_if_stepped(void **state)
{
    struct vcpu *v = start(TAKEN, 0);
    uint64_t tos;

    (void)state;
    assert_true(msr_write(v->model, 0x1D9, 1));
    CODE(v, NOPS_, JMP_, 1, HLT_, NOPS_, HLT_);
    assert_true(fake_cpu_until(v, fake_cpu_at(11)));
    assert_int_equal(fake_cpu.runs, 2);
    assert_int_equal(v->pt_ip, v->vmcb->rip); /* of an interrupt that comes */
    tos = counted(v, 0x1C9);
    assert_int_equal(counted(v, 0x680 + (uint32_t)tos),
                     (uint64_t)fake_cpu_at(4));
    assert_int_equal(counted(v, 0x6C0 + (uint32_t)tos),
                     (uint64_t)fake_cpu_at(7));
}

/* Each that an interrupt or an exception cuts short. */
static void counted_up_to_an_exit(void **state)
{
    struct vcpu *v = start(INSTRUCTIONS, 0);

    (void)state;
    CODE(v, NOPS_, NOPS_, HLT_);
    fake_cpu_exit(EXIT_INTR, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(counted(v, 0xC2), 0);
    assert_int_equal(v->mode, MODE_STEP);
    fake_cpu_exit(EXIT_INTR, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->mode, MODE_CATCH);

    v = start(INSTRUCTIONS, 0);
    CODE(v, NOP_, NOP_, STORE_, NOP_, HLT_);
    v->gprs.rdi = (uint64_t)fake_cpu_page(8);
    assert_true(npt_set_page(&v->pages_step, v->gprs.rdi, 0));
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->vmcb->rip - (uint64_t)fake_cpu_at(0), 2);
    assert_int_equal(counted(v, 0xC2), 2);
}

static void stepped_to_an_overflow(void **state)
{
    struct vcpu *v = start(INSTRUCTIONS, (UINT64_C(1) << 48) - 2);

    (void)state;
    CODE(v, NOPS_, JMP_, 0);
    assert_true(fake_cpu_until(v, fake_cpu_at(2)));
    assert_int_equal(fake_cpu.runs, 2);
    assert_int_equal(counted(v, 0x38E) & 2, 2);
}

/* Of the flags CF, PF, ZF, SF and OF, each condition holds with these. */
static void conditions(void **state)
{
    static const uint16_t flags[] = {0,     0x001, 0x004, 0x040, 0x080,
                                     0x800, 0x880, 0x041, 0x8C0};
    static const uint16_t hold[8] = {0x160, 0x082, 0x188, 0x18A,
                                     0x150, 0x004, 0x030, 0x1B8};

    (void)state;
    for (unsigned c = 0; c < 16; c++)
        for (unsigned n = 0; n < sizeof(flags) / sizeof(flags[0]); n++) {
            bool jumps = (hold[c / 2] >> n & 1) != (c & 1);
            struct vcpu *v = start(TAKEN, 0);

            CODE(v, NOP_, (uint8_t)(0x70 | c), 0x10);
            v->vmcb->rflags |= flags[n];
            assert_true(fake_cpu_rounds(v, 2));
            assert_int_equal(v->vmcb->rip - (uint64_t)fake_cpu_at(3),
                             jumps ? 0x10 : 0);
            assert_int_equal(counted(v, 0xC1), 1);
            assert_int_equal(fake_cpu.runs, 1);
            v = start(TAKEN, 0);
            CODE(v, NOP_, 0x0F, (uint8_t)(0x80 | c), 0, 1, 0, 0);
            v->vmcb->rflags |= flags[n];
            assert_true(fake_cpu_rounds(v, 2));
            assert_int_equal(v->vmcb->rip - (uint64_t)fake_cpu_at(7),
                             jumps ? 0x100 : 0);
        }
}

static void calls_and_returns(void **state)
{
    struct vcpu *v = start(TAKEN, 0);
    uint64_t rsp = v->vmcb->rsp;

    (void)state;
    CODE(v, NOP_, CALL_, 3, 0, 0, 0, NOP_, HLT_, HLT_, NOP_, RET_);
    assert_true(fake_cpu_rounds(v, 2));
    assert_int_equal(v->vmcb->rip - (uint64_t)fake_cpu_at(0), 9);
    assert_int_equal(rsp - v->vmcb->rsp, 8);
    assert_int_equal(*(uint64_t *)v->vmcb->rsp, (uint64_t)fake_cpu_at(6));
    assert_true(fake_cpu_until(v, fake_cpu_at(7)));
    assert_int_equal(v->vmcb->rsp, rsp);
    assert_int_equal(counted(v, 0xC1), 2);
    assert_int_equal(fake_cpu.runs, 3);
}

/* A page that it may not store to, or return to no address. */
static void calls_and_returns_that_fault(void **state)
{
    struct vcpu *v = start(TAKEN, 0);
    uint64_t rsp = v->vmcb->rsp;

    (void)state;
    CODE(v, NOP_, CALL_, 3, 0, 0, 0);
    assert_true(npt_set_page(&v->pages_step, (uint64_t)fake_cpu_page(3),
                             NPT_PRESENT | NPT_USER));
    assert_true(fake_cpu_rounds(v, 2));
    assert_int_equal(fake_cpu.runs, 2);
    assert_int_equal(v->vmcb->rsp, rsp);

    v = start(TAKEN, 0);
    CODE(v, NOP_, RET_);
    v->vmcb->rsp -= 8;
    *(uint64_t *)v->vmcb->rsp = UINT64_C(1) << 47;
    assert_true(fake_cpu_rounds(v, 2));
    assert_int_equal(fake_cpu.runs, 2);
}

/* Where loads and stores are looked at, stepped and in blocks: some of the
 * first go where RDI is after a constant has been added. */
#define LOADS   (OS | 0x81D0)
#define STORES  (OS | 0x82D0)
#define L1_HITS (OS | 0x01D1)
#define LLC     (OS | 0x4F2E)

static uint64_t count_memory(uint64_t event, bool stepped, unsigned *runs)
{
    struct vcpu *v = start(event, 0);

    CODE(v, LOAD_, STORE_, ADD_, LOAD_, NOP_, STORE_, LOOP_, 0, LOAD_, STORE_,
         NOP_, HLT_);
    v->gprs.rcx = 2;
    for (unsigned n = 8; n < 10; n++)
        map(fake_cpu_page(n));
    v->gprs.rdi = (uint64_t)fake_cpu_page(8) + 0x1000 - 0x40;
    while (v->vmcb->rip != (uint64_t)fake_cpu_at(0) + 26) {
        v->blocks.cut_short = stepped;
        assert_true(fake_cpu_rounds(v, 1));
    }
    *runs = fake_cpu.runs;
    return counted(v, 0xC2);
}

static void accesses_as_if_stepped(void **state)
{
    static const uint64_t events[] = {INSTRUCTIONS, LOADS, STORES, L1_HITS,
                                      CYCLES};

    (void)state;
    for (size_t n = 0; n < sizeof(events) / sizeof(events[0]); n++) {
        unsigned stepped, in_blocks;
        uint64_t count = count_memory(events[n], true, &stepped);

        assert_int_equal(count_memory(events[n], false, &in_blocks), count);
        assert_int_equal(stepped, 10);
        assert_int_equal(in_blocks, 3);
    }
}

/* Rounds of REP STOS, of which each is a step, and what counts them. */
#define REPEATED 20

static uint64_t count_rounds(uint64_t event, bool stepped, bool counts)
{
    struct vcpu *v = start(event, 0);

    fake_cpu.counts = counts;
    fake_cpu.tsc_per_64 = counts ? 64 : 65;
    assert_int_equal(turns_start(false), counts);
    CODE(v, REP_STOS_, NOP_, HLT_);
    map(fake_cpu_page(8));
    v->gprs.rcx = REPEATED;
    v->gprs.rdi = (uint64_t)fake_cpu_page(8) + 8;
    while (v->vmcb->rip != (uint64_t)fake_cpu_at(3)) {
        v->blocks.cut_short = stepped;
        assert_true(fake_cpu_rounds(v, 1));
    }
    assert_int_equal(v->gprs.rcx, 0);
    assert_int_equal(fake_cpu.runs, stepped ? REPEATED + counts : 1);
    return counted(v, 0xC2);
}

static void rounds_as_if_stepped(void **state)
{
    static const uint64_t events[] = {INSTRUCTIONS, LOADS, STORES,
                                      L1_HITS,      LLC,   CYCLES};

    (void)state;
    for (size_t n = 0; n < sizeof(events) / sizeof(events[0]); n++)
        for (unsigned counts = 0; counts < 2; counts++)
            assert_int_equal(count_rounds(events[n], false, counts != 0),
                             count_rounds(events[n], true, counts != 0));
    assert_int_equal(count_rounds(INSTRUCTIONS, false, true), 1);
    assert_int_equal(count_rounds(STORES, false, true), REPEATED);
}

static void rounds_up_to_an_exit(void **state)
{
    struct vcpu *v = start(STORES, 0);

    (void)state;
    CODE(v, REP_STOS_, NOP_, HLT_);
    map(fake_cpu_page(8));
    map(fake_cpu_page(9));
    v->gprs.rcx = REPEATED;
    v->gprs.rdi = (uint64_t)fake_cpu_page(9) - 7 * 8;
    assert_true(npt_set_page(&v->pages_step, (uint64_t)fake_cpu_page(9), 0));
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->vmcb->rip, (uint64_t)fake_cpu_at(0));
    assert_int_equal(v->gprs.rcx, REPEATED - 7);
    assert_int_equal(counted(v, 0xC2), 7);
    assert_true(v->blocks.cut_short);
}

/* By a register and by memory, to where RBX and that say; behind a step. */
static void indirect_branches(void **state)
{
    static const struct {
        uint8_t bytes[7];
        unsigned length, pushed;
    } rows[] = {
        {{0xFF, 0xE3}, 2, 0},
        {{0xFF, 0x27}, 2, 0},
        {{0xFF, 0xD3}, 2, 8},
        {{0xFF, 0x57, 0x00}, 3, 8},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct vcpu *v = start(TAKEN, 0);
        uint64_t rsp = v->vmcb->rsp;

        CODE(v, NOP_);
        memcpy((uint8_t *)v->vmcb->rip + 1, rows[n].bytes, 7);
        map(fake_cpu_page(8));
        v->gprs.rdi = (uint64_t)fake_cpu_page(8) + 8;
        v->gprs.rbx = (uint64_t)fake_cpu_page(0) + 0x100;
        *(uint64_t *)v->gprs.rdi = v->gprs.rbx;
        v->blocks.cut_short = true; /* the NOP is stepped */
        assert_true(fake_cpu_rounds(v, 2));
        assert_int_equal(fake_cpu.runs, 1);
        assert_int_equal(v->vmcb->rip, v->gprs.rbx);
        assert_int_equal(counted(v, 0xC1), 1);
        assert_int_equal(rsp - v->vmcb->rsp, rows[n].pushed);
        if (rows[n].pushed > 0)
            assert_int_equal(*(uint64_t *)v->vmcb->rsp,
                             (uint64_t)fake_cpu_at(1 + rows[n].length));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_as_if_stepped),
        cmocka_unit_test(cycles_of_each),
        cmocka_unit_test(recorded_as_if_stepped),
        cmocka_unit_test(counted_up_to_an_exit),
        cmocka_unit_test(stepped_to_an_overflow),
        cmocka_unit_test(accesses_as_if_stepped),
        cmocka_unit_test(rounds_as_if_stepped),
        cmocka_unit_test(rounds_up_to_an_exit),
        cmocka_unit_test(indirect_branches),
        cmocka_unit_test(conditions),
        cmocka_unit_test(calls_and_returns),
        cmocka_unit_test(calls_and_returns_that_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
