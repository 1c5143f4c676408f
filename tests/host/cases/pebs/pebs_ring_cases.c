/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_ring_cases.c - records of branches of both rings, over a processor that
 * retires what the window has, and over the same with one thing otherwise. */
#include "tests/host/cases/pebs/pebs_ring_fixture.h"

extern const struct test test_pebs_ring3;

struct registers {
    uint64_t enable;
    const struct ring3 *ring3;
    uint64_t rsp, rcx, r8, r11, r13;
};

static void branch(const struct registers *r, bool user, uint64_t at,
                   uint64_t next, bool zero)
{
    const uint64_t base = user ? r->ring3->user_code : (uintptr_t)ring3_code;
    struct spot s = {.at = base + at,
                     .next = base + next,
                     .user = user,
                     .events = {CONDITIONAL, ALL, 0x11c4, LATER},
                     .holds = {.rflags = IF | (zero ? ZERO : 0),
                               .rax = r->enable,
                               .rdx = r->enable >> 32,
                               .rbx = (uintptr_t)r->ring3,
                               .rcx = r->rcx,
                               .rsi = 0x51,
                               .rdi = 0xd1,
                               .rbp = 0xb9,
                               .rsp = r->rsp,
                               .r8 = r->r8,
                               .r9 = 9,
                               .r10 = 10,
                               .r11 = r->r11,
                               .r12 = 12,
                               .r13 = r->r13,
                               .r15 = 15}};

    if (user && odd.one_ring)
        return;
    retire(r->enable, &s);
}

static void loop(struct registers *r, bool user, unsigned times, uint64_t at,
                 uint64_t top)
{
    for (r->r8 = times; r->r8 != 0;) {
        if (top == FIRST)
            r->r11 += r->r8;
        r->r8--;
        branch(r, user, at, r->r8 != 0 ? top : at + 2, r->r8 == 0);
    }
}

/* IRETQ, SYSCALL or SYSRET: of all branches alone. */
static void transfer(const struct registers *r, bool user, uint64_t at,
                     uint64_t next)
{
    struct spot s = {.at = at,
                     .next = next,
                     .user = user,
                     .events = {ALL, LATER},
                     .holds = {.rflags = IF | ZERO,
                               .rbx = (uintptr_t)r->ring3,
                               .rcx = r->rcx,
                               .rsp = r->rsp,
                               .r11 = r->r11,
                               .r13 = r->r13}};

    retire(r->enable, &s);
}

/* SDM 2B, SYSCALL: RCX is the address after it, R11 the flags. */
static void system_call(struct registers *r, uint64_t after)
{
    r->rcx = r->ring3->user_code + after;
    r->r11 = IF | ZERO;
    struct registers left = *r;
    if (odd.syscall_before)
        left.r11 = (uintptr_t)r->ring3;
    transfer(&left, true, r->rcx - 2, (uintptr_t)ring3_system_call);
    r->r13--;
    branch(r, false, CALL, r->r13 != 0 ? CALL + 2 : CALL + 0x40, r->r13 == 0);
}

uint64_t window_ring3(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    struct registers r = {.enable = enable,
                          .ring3 = ring3,
                          .rcx = ring3->msr,
                          .r11 = (uintptr_t)ring3,
                          .r13 = 2};

    assert_int_equal(ring3->msr, IA32_PERF_GLOBAL_CTRL);
    assert_false(is_firmware());
    window_opens();
    user_code = ring3->user_code;
    ring3->kernel_rsp = 0x7ff000;
    ring3->vector = odd.vector;
    r.rsp = ring3->kernel_rsp - 40;
    loop(&r, false, 3, LOOP, LOOP - 3);
    r.rsp = ring3->kernel_rsp - (odd.iret_before ? 40 : 0);
    transfer(&r, false, (uintptr_t)ring3_code + LOOP + 2, ring3->user_code);
    r.rsp = ring3->kernel_rsp;
    loop(&r, true, 5, BACK, FIRST);
    system_call(&r, AGAIN);
    loop(&r, true, 6, LAST, SECOND);
    system_call(&r, LAST + 4);
    return 0;
}

static void ring3(void **state)
{
    static const struct {
        enum verdict verdict;
        const char *line;
        struct odd odd;
    } rows[] = {
        {VERDICT_PASS, "5 records with USR alone", {.bits = 0}},
        {VERDICT_PASS, "2 records with OS alone", {.bits = 0}},
        {VERDICT_PASS, "3 records with USR alone", {.more = 1}},
        {VERDICT_FAIL, "0 of 0 records are of ring 3", {.silent = true}},
        {VERDICT_FAIL, "0 of 2 records are of ring 3", {.one_ring = true}},
        {VERDICT_FAIL, "has USR alone, and record", {.any_level = true}},
        {VERDICT_FAIL, "has OS alone, and record", {.any_level = true}},
        {VERDICT_FAIL, "has USR alone, and no record", {.silent_in_one = true}},
        {VERDICT_FAIL, "has OS alone, and no record", {.silent_in_one = true}},
        {VERDICT_ERROR, "#GP at ring 3", {.vector = HW_GP}},
        {VERDICT_FAIL,
         "record 0 has EventingIP (B0H)",
         {.record = 1, .of_ring_3 = true}},
    };
    static const struct {
        unsigned record, field;
        uint64_t bits;
        const char *line;
    } fields[] = {
        {2, AT(rip), 1, "where one of its branches leads"},
        {2, AT(applicable_counter), 2, "a record of ring 3: Applicable"},
        {3, AT(rflags), BIT(9), "RFLAGS is not as in the first record"},
        {3, AT(rflags), BIT(10), "RFLAGS is not as in the first record"},
        {3, AT(rflags), BIT(14), "RFLAGS is not as in the first record"},
        {3, AT(rsi), 1, "bits 0x1, RFLAGS"},
        {3, AT(rdi), 2, "bits 0x2, RFLAGS"},
        {3, AT(rbp), 4, "bits 0x4, RFLAGS"},
        {3, AT(r9), 8, "bits 0x8, RFLAGS"},
        {3, AT(r10), 16, "bits 0x10, RFLAGS"},
        {3, AT(r12), 32, "bits 0x20, RFLAGS"},
        {3, AT(r15), BIT(63), "bits 0x8000000000000000, RFLAGS"},
        {2, AT(rax), 2, "has RAX (10H) 0x3"},
        {2, AT(rdx), 2, "RDX (28H) 0x2"},
        {2, AT(r14), 1, "R14 (80H) 0x1"},
        {3, AT(r8), 8, "wanted 0x1, 0x0, 0, at most 6"},
        {3, AT(r13), 4, "wanted 0x1, 0x0, 0, at most 6"},
        {3, AT(rbx), 8, "has RBX (18H)"},
        {3, AT(rsp), 16, "RSP (48H)"},
        {1, AT(rcx), 1, "a record before the first SYSCALL"},
        {1, AT(r11), 1, "a record before the first SYSCALL"},
        {4, AT(rcx), 1, "a record before the first SYSCALL"},
        {4, AT(r11), 2, "a record before the first SYSCALL"},
        {6, AT(rcx), 1, "a record after the first SYSCALL"},
        {6, AT(r11), BIT(9), "a record after the first SYSCALL"},
        {6, AT(r11), BIT(6), "a record after the first SYSCALL"},
        {6, AT(r11), BIT(7), "a record after the first SYSCALL"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        odd = rows[i].odd;
        if (odd.vector == 0)
            odd.vector = HW_NO_FAULT;
        expect_case(verdict_of(&test_pebs_ring3, 0x5e, 3), rows[i].verdict,
                    rows[i].line);
    }
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        odd = (struct odd){.record = fields[i].record,
                           .field = fields[i].field,
                           .bits = fields[i].bits,
                           .vector = HW_NO_FAULT};
        expect_case(verdict_of(&test_pebs_ring3, 0x5e, 3), VERDICT_FAIL,
                    fields[i].line);
    }
    for (uint64_t over = 0; over < 2; over++) {
        odd = (struct odd){.record = 6,
                           .set = true,
                           .field = AT(r8),
                           .bits = 6 + over,
                           .vector = HW_NO_FAULT};
        const enum verdict wanted = over != 0 ? VERDICT_FAIL : VERDICT_PASS;
        expect_case(verdict_of(&test_pebs_ring3, 0x5e, 3), wanted, "");
        odd.record = 3;
        odd.field = AT(r13);
        odd.bits = 2 + over;
        expect_case(verdict_of(&test_pebs_ring3, 0x5e, 3), wanted, "");
    }
    odd = (struct odd){.vector = HW_NO_FAULT, .iret_before = true};
    expect_case(verdict_of(&test_pebs_ring3, 0x5e, 3), VERDICT_FAIL,
                "RSP (48H)");
    odd = (struct odd){.vector = HW_NO_FAULT, .syscall_before = true};
    expect_case(verdict_of(&test_pebs_ring3, 0x5e, 3), VERDICT_FAIL,
                "a record after the first SYSCALL");
    odd = (struct odd){.vector = HW_NO_FAULT, .no_xmm = true};
    expect_case(verdict_of(&test_pebs_ring3, 0x6a, 4), VERDICT_FAIL,
                "XMM3[63:0] of a record of ring 3");
    odd = (struct odd){.vector = HW_NO_FAULT};
    expect_case(verdict_of(&test_pebs_ring3, 0x6a, 4), VERDICT_PASS, "");
    odd = (struct odd){.vector = HW_NO_FAULT};
    expect_case(verdict_of(&test_pebs_ring3, 0x3c, 2), VERDICT_PASS, "");
    expect_case(verdict_of(&test_pebs_ring3, 0x2a, 1), VERDICT_PASS, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring3),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
