/* SPDX-License-Identifier: BSD-2-Clause */
/* blocks_here.c - blocks that the host executes, with the guest's registers and
 * copies of its memory. */
#include "tests/host/hypervisor/blocks_fixture.h"

#include <sys/mman.h>

#define LOADS  (OS | 0x81D0)
#define STORES (OS | 0x82D0)

#define PUSH_RBX_ 0x53
#define POP_R9_   0x41, 0x59
#define STORE8_   0x48, 0x89, 0x47, 0x08 /* of RAX, 8 above */
#define LOAD8_    0x48, 0x8B, 0x57, 0x08 /* to RDX */
#define ADD_MEM_  0x48, 0x01, 0x07       /* RAX to memory */
#define CMP_      0x48, 0x39, 0xC3       /* RBX, RAX */

static uint8_t code[BLOCKS_KNOWN][BLOCK_CODE_BYTES]
    __attribute__((aligned(4096)));

/* The guest has just been run, so that blocks may be executed here. */
static struct vcpu *start_here(uint64_t event)
{
    struct vcpu *v = start(event, 0);

    assert_int_equal(
        mprotect(code, sizeof(code), PROT_READ | PROT_WRITE | PROT_EXEC), 0);
    v->blocks.code = code;
    v->blocks.branches = 2;
    map(fake_cpu_page(8));
    v->gprs.rdi = (uint64_t)fake_cpu_page(8) + 0x20;
    return v;
}

static void counted_and_executed(void **state)
{
    static const uint64_t rows[][2] = {
        {INSTRUCTIONS, 6}, {LOADS, 2}, {STORES, 2}};

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct vcpu *v = start_here(rows[n][0]);
        uint64_t *at = (uint64_t *)v->gprs.rdi;

        CODE(v, ADD_MEM_, STORE8_, ADD_, LOAD8_, CMP_, NOP_, HLT_);
        at[0] = 5;
        at[9] = 77;
        v->vmcb->rax = v->gprs.rbx = 0x1122334455667788;
        v->gprs.r15 = 15;
        assert_true(fake_cpu_rounds(v, 1));
        assert_int_equal(v->vmcb->rip, (uint64_t)fake_cpu_at(19));
        assert_int_equal(fake_cpu.runs, 0);
        assert_int_equal(v->blocks.branches, 1);
        assert_int_equal(at[0], 0x112233445566778D);
        assert_int_equal(at[1], 0x1122334455667788);
        assert_int_equal(v->gprs.rdx, 77);
        assert_int_equal(v->gprs.rdi, (uint64_t)&at[8]);
        assert_int_equal(v->gprs.r15, 15);
        assert_int_equal(v->vmcb->rflags & 0xCD5, 0x44); /* equal: ZF, PF */
        assert_int_equal(counted(v, 0xC2), rows[n][1]);
    }
}

static void stack(void **state)
{
    struct vcpu *v = start_here(INSTRUCTIONS);
    const uint64_t rsp = v->vmcb->rsp;

    (void)state;
    CODE(v, PUSH_RBX_, NOP_, HLT_);
    v->gprs.rbx = 0xABC;
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->vmcb->rsp, rsp - 8);
    assert_int_equal(*(uint64_t *)v->vmcb->rsp, 0xABC);
    CODE(v, POP_R9_, NOP_, HLT_);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->vmcb->rsp, rsp);
    assert_int_equal(v->gprs.r9, 0xABC);
    assert_int_equal(fake_cpu.runs, 0);
    CODE(v, NOP_, NOP_, HLT_);
    assert_true(fake_cpu_rounds(v, 1)); /* two were allowed */
    assert_int_equal(fake_cpu.runs, 1);
}

/* What the guest is run for: nothing of it has been executed before. */
static void run_instead(struct vcpu *v, unsigned rip)
{
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(fake_cpu.runs, 1);
    assert_int_equal(v->vmcb->rip, (uint64_t)fake_cpu_at(rip));
}

static void left_to_the_guest(void **state)
{
    struct vcpu *v = start_here(INSTRUCTIONS);

    (void)state;
    CODE(v, STORE_, LOAD_, NOP_, HLT_); /* what has been stored */
    run_instead(v, 7);

    v = start_here(INSTRUCTIONS); /* a page of code */
    CODE(v, NOP_, STORE_, NOP_, HLT_);
    assert_true(npt_set_page(&v->pages_step, (uint64_t)fake_cpu_page(8),
                             NPT_PRESENT | NPT_USER));
    run_instead(v, 1);

    v = start_here(INSTRUCTIONS); /* not mapped, and over its end */
    CODE(v, NOP_, LOAD_, NOP_, HLT_);
    v->gprs.rdi = (uint64_t)fake_cpu_page(9) - 4;
    run_instead(v, 5);

    v = start_here(INSTRUCTIONS);
    CODE(v, NOP_, LOAD_, NOP_, HLT_);
    v->pmi_pending = true;
    run_instead(v, 5);
}

/* SDM volume 3A, "Determination of Access Rights". */
static void access_rights(void **state)
{
    struct vcpu *v = start_here(INSTRUCTIONS);
    const uint64_t at = v->gprs.rdi;
    uint64_t to, *table = tables[0];

    (void)state;
    assert_true(guest_reaches(v, at, true, &to));
    assert_int_equal(to, at);
    assert_false(guest_reaches(v, at | UINT64_C(1) << 47, false, &to));
    v->vmcb->cpl = 3;
    assert_false(guest_reaches(v, at, false, &to));
    for (unsigned level = 3; level > 0; level--) {
        uint64_t *entry = &table[at >> (12 + 9 * level) & 511];

        *entry |= 4;
        table = (uint64_t *)(*entry & ~UINT64_C(0xFFF));
    }
    table[at >> 12 & 511] |= 4;
    assert_true(guest_reaches(v, at, false, &to));
    v->vmcb->cpl = 0;
    assert_true(guest_reaches(v, at, false, &to));
    v->vmcb->cr4 |= 1u << 21; /* SMAP */
    assert_false(guest_reaches(v, at, false, &to));
    v->vmcb->cpl = 3;
    table[at >> 12 & 511] &= ~UINT64_C(0x40); /* not dirty */
    assert_true(guest_reaches(v, at, false, &to));
    assert_false(guest_reaches(v, at, true, &to));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_and_executed),
        cmocka_unit_test(stack),
        cmocka_unit_test(left_to_the_guest),
        cmocka_unit_test(access_rights),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
