/* SPDX-License-Identifier: BSD-2-Clause */
/* direct.c - steps without VMRUN: which instructions, in which state; and that
 * they leave what VMRUN would have left. */
#include "tests/host/hypervisor/direct_fixture.h"

static void leaves_what_vmrun_leaves(void **state)
{
    struct vmcb vmcb[2];
    struct gprs gprs[2];
    uint64_t data[2], counted[2];

    (void)state;
    for (unsigned with = 0; with < 2; with++) {
        struct vcpu *v = start();

        if (with == 0)
            v->direct.cr0 = ~v->vmcb->cr0;
        CODE(v, NOP_, STORE_, 0xF0, XCHG_, LOAD_, NOP_, PAIR_, NOP_);
        v->vmcb->rax = UINT64_C(0x1122334455667788);
        v->gprs.rbx = 3;
        v->vmcb->tlb_control = TLB_FLUSH_ALL;
        assert_true(fake_cpu_rounds(v, 7));
        assert_int_equal(fake_cpu.directs, with * 7);
        assert_int_equal(fake_cpu.runs, (1 - with) * 7);
        assert_int_equal(v->vmcb->tlb_control,
                         with ? TLB_FLUSH_ALL : TLB_DO_NOTHING);
        v->vmcb->tlb_control = 0;
        vmcb[with] = *v->vmcb;
        gprs[with] = v->gprs;
        data[with] = *(const uint64_t *)fake_cpu_page(8);
        counted[with] = v->model->pmu.fixed[0];
        assert_int_equal(v->in_guest, 0);
    }
    assert_int_equal(counted[1], 7);
    assert_int_equal(counted[0], counted[1]);
    assert_int_equal(data[0], data[1]);
    assert_memory_equal(&gprs[0], &gprs[1], sizeof(gprs[0]));
    vmcb[1].tr = vmcb[0].tr;
    assert_memory_equal(&vmcb[0], &vmcb[1], sizeof(vmcb[0]));
}

static const struct {
    uint8_t bytes[8];
    bool direct;
} cases[] = {
    {{NOP_}, true},
    {{0x48, 0x01, 0xD8}, true}, /* ADD RAX, RBX */
    {{0x66, 0x01, 0xD8}, true},
    {{0x48, 0x01, 0x07}, true}, /* ADD [RDI], RAX */
    {{0xF0, 0x48, 0x01, 0x07}, true},
    {{0x48, 0x8D, 0x07}, true}, /* LEA */
    {{0x53}, true},             /* PUSH RBX */
    {{0x5B}, true},
    {{0xE8, 0, 0, 0, 0}, true}, /* CALL, RET */
    {{0xC3}, true},
    {{0x75, 0x02}, true}, /* JNZ */
    {{0xEB, 0x02}, true},
    {{0x66, 0xEB, 0x02}, false},
    {{0xFF, 0xE0}, true}, /* JMP RAX, [RDI], far */
    {{0xFF, 0x27}, true},
    {{0xFF, 0x2F}, false},
    {{0xFF, 0x1F}, false},       /* CALL far */
    {{0xC9}, true},              /* LEAVE */
    {{0x48, 0xF7, 0xF3}, true},  /* DIV RBX */
    {{0x0F, 0x31}, true},        /* RDTSC */
    {{0x0F, 0x1F, 0x07}, true},  /* NOP [RDI] */
    {{0x0F, 0xAE, 0xE8}, true},  /* LFENCE */
    {{0x0F, 0xAE, 0x3F}, true},  /* CLFLUSH [RDI] */
    {{0x0F, 0xAE, 0x37}, false}, /* XSAVEOPT [RDI] */
    {{0x0F, 0xAE, 0x07}, false}, /* FXSAVE [RDI] */
    {{PAIR_}, true},
    {{0x48, 0x0F, 0xB1, 0x0F}, true},  /* CMPXCHG */
    {{0x48, 0x0F, 0xC7, 0xF0}, false}, /* RDRAND */
    {{0x0F, 0x44, 0xC3}, true},        /* CMOVZ */
    {{0x0F, 0xB6, 0x07}, true},        /* MOVZX */
    {{0x0F, 0xC8}, true},              /* BSWAP */
    {{0xFD}, true},                    /* STD */
    {{0xF3, 0xA4}, true},              /* REP MOVSB, MOVSQ, STOSB */
    {{0xF3, 0x48, 0xA5}, true},
    {{0xF3, 0xAA}, true},
    {{0xA4}, true},
    {{0xAB}, true},
    /* And what is not. */
    {{0x64, 0x8B, 0x07}, false}, /* by FS */
    {{0x67, 0x8B, 0x07}, false},
    {{XACQUIRE_, 0xF0, 0x01, 0x07}, false},
    {{XRELEASE_, 0x89, 0x07}, false},
    {{0xF2, 0xA4}, false},
    {{0xF3, 0xA6}, false}, /* REPE CMPSB */
    {{0xA6}, false},
    {{0xF3, 0xAC}, false}, /* REP LODSB */
    {{0x67, 0xF3, 0xAA}, false},
    {{0xF3, 0x90}, false}, /* PAUSE */
    {{PUSHFQ_}, false},
    {{POPFQ_}, false},
    {{0xCF}, false}, /* IRET */
    {{0xCB}, false},
    {{0xCC}, false},
    {{0xCD, 0x80}, false},
    {{HLT_}, false},
    {{0xFA}, false}, /* CLI, STI */
    {{0xFB}, false},
    {{0xEC}, false}, /* IN, OUT */
    {{0xE6, 0x80}, false},
    {{0x8E, 0xD0}, false}, /* MOV SS, EAX */
    {{0x8C, 0xC8}, false}, /* MOV EAX, CS */
    {{0x8F, 0x07}, false}, /* POP [RDI] */
    {{0xC6, 0x0F}, false},
    {{0xFE, 0xD0}, false},
    {{CPUID_}, false},
    {{RDMSR_}, false},
    {{WRMSR_}, false},
    {{RDPMC_}, false},
    {{UD2_}, false},
    {{0x0F, 0x05}, false},       /* SYSCALL */
    {{0x0F, 0x01, 0xD8}, false}, /* VMRUN */
    {{0x0F, 0x01, 0xF8}, false}, /* SWAPGS */
    {{0x0F, 0x01, 0x17}, false}, /* LGDT */
    {{0x0F, 0x20, 0xC0}, false}, /* MOV RAX, CR0 */
    {{0x0F, 0x22, 0xC0}, false},
    {{0x0F, 0x21, 0xC0}, false}, /* MOV RAX, DR0 */
    {{0x0F, 0x23, 0xC0}, false},
    {{0x0F, 0xA1}, false},       /* POP FS */
    {{0x0F, 0x28, 0x07}, false}, /* MOVAPS */
    {{0xDD, 0x07}, false},       /* FLD */
    {{0x9B}, false},
};

/* In a transaction the same, but for CLFLUSH; its memory is there for it. */
static void simple_instructions(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++)
        for (unsigned in_tx = 0; in_tx < 2; in_tx++) {
            struct vcpu *v = start();
            uint8_t bytes[INSTRUCTION_BYTES_MAX] = {0};
            bool clflush =
                cases[n].bytes[1] == 0xAE && cases[n].bytes[2] == 0x3F;

            memcpy(bytes, cases[n].bytes, sizeof(cases[n].bytes));
            v->gprs.rbp = v->vmcb->rax = v->gprs.rsi = v->gprs.rdi;
            v->vmcb->rsp -= 64;
            v->tx.depth = in_tx;
            v->decoded = decoded_find(v, bytes, sizeof(bytes));
            v->current = v->decoded->instruction;
            assert_true(direct_look(v, bytes, sizeof(bytes)));
            if (v->direct.may != (cases[n].direct && !(in_tx && clflush)))
                fail_msg("case %zu, in_tx %u", n, in_tx);
        }
}

/* What is changed before a NOP that VMRUN has to step then. */
enum change {
    IF_AND_PMI,
    SHADOW,
    DR7,
    CS,
    CR0,
    CR4,
    EFER,
    HELD,
    PASSES,
    SHOWING,
    OURS,
    NMI,
    PAGE_END,
    CHANGES,
};

static void make(struct vcpu *v, enum change change)
{
    struct vmcb *b = v->vmcb;

    b->rflags |= change == IF_AND_PMI ? RFLAGS_IF : 0;
    v->pmi_pending = change == IF_AND_PMI;
    b->interrupt_shadow = change == SHADOW;
    b->dr7 |= change == DR7 ? 1 : 0;
    b->cs.attributes = change == CS ? 0 : CS_L;
    b->cr0 ^= change == CR0 ? 0x10000 : 0;
    b->cr4 ^= change == CR4 ? 0x100000 : 0;
    b->efer ^= change == EFER ? 0x800 : 0;
    v->if_masked = change == HELD;
    v->grants = change == PASSES;
    v->overlay_count = change == SHOWING;
    v->nmi = change == OURS;
    v->guest_nmi = change == NMI;
    if (change != PAGE_END)
        return;
    v->vmcb->rip += PAGE_BYTES - 1;
    *(uint8_t *)v->vmcb->rip = NOP_;
}

static void state_is_the_hosts(void **state)
{
    (void)state;
    for (unsigned n = 0; n <= CHANGES; n++) {
        struct vcpu *v = start();

        CODE(v, NOP_, NOP_);
        make(v, n);
        assert_int_equal(step_begin(v).kind, ACTION_EXECUTE);
        if (v->direct.may != (n == CHANGES))
            fail_msg("change %u", n);
    }
}

/* An interrupt that waits is taken in VMRUN, which comes often enough. */
static void interrupts_are_let_in(void **state)
{
    struct vcpu *v = start();

    (void)state;
    memset(fake_cpu_page(0), NOP_, 200);
    v->vmcb->rflags |= RFLAGS_IF;
    assert_true(fake_cpu_rounds(v, 160));
    assert_int_equal(fake_cpu.directs + fake_cpu.runs, 160);
    assert_int_equal(fake_cpu.runs, 10);
    assert_int_equal(v->model->pmu.fixed[0], 160);

    v = start();
    memset(fake_cpu_page(0), NOP_, 200);
    v->vmcb->rflags |= RFLAGS_IF;
    v->tx.depth = 1;
    for (unsigned n = 0; n < 32; n++) {
        assert_int_equal(step_begin(v).kind, ACTION_EXECUTE);
        assert_int_equal(v->direct.may, n % 16 != 15);
        if (!v->direct.may)
            direct_leave(v);
    }
}

/* An event is given by VMRUN, and by it alone. */
static void event_is_vmruns(void **state)
{
    struct vcpu *v = start();

    (void)state;
    CODE(v, NOP_, NOP_, NOP_);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(fake_cpu.directs, 1);
    v->vmcb->event_inject = EVENT_VALID | EVENT_TYPE_NMI | VECTOR_NMI;
    memcpy(FAKE_CPU_HANDLER, ((uint8_t[]){CPUID_}), 2);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(fake_cpu.events_delivered, 1);
    assert_int_equal(fake_cpu.directs, 1);
    assert_int_equal(v->vmcb->event_inject, 0);
}

/* How the guest has the page that it accesses, or stands on. */
static const struct {
    uint64_t page, to, flags;
    bool store, direct;
} pages[] = {
    {8, 8, NPT_HELD, false, false},
    {8, 8, NPT_HELD | NPT_PRESENT | NPT_USER, false, true},
    {8, 8, NPT_HELD | NPT_PRESENT | NPT_USER, true, false},
    {8, 8, NPT_CODE | NPT_PRESENT | NPT_USER, false, true},
    {8, 8, NPT_CODE | NPT_PRESENT | NPT_USER, true, false},
    {8, 9, NPT_PRESENT | NPT_USER | NPT_WRITE, false, false},
    {9, 9, NPT_HELD, false, false}, /* where the operand ends */
    {0, 0, NPT_HELD, false, false},
    {0, 0, NPT_CODE | NPT_PRESENT | NPT_USER, false, true},
};

static void pages_are_plain_memory(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof(pages) / sizeof(pages[0]); n++) {
        struct vcpu *v = start();

        v->gprs.rdi = (uint64_t)fake_cpu_page(9) - 4;
        if (pages[n].store)
            CODE(v, STORE_, NOP_);
        else
            CODE(v, LOAD_, NOP_);
        assert_true(fake_cpu_rounds(v, 1));
        assert_int_equal(fake_cpu.directs, 1);
        v->vmcb->rip = (uint64_t)fake_cpu_page(0);
        npt_map_page(
            &v->pages_step, (uint64_t)fake_cpu_page((unsigned)pages[n].page),
            (uint64_t)fake_cpu_page((unsigned)pages[n].to), pages[n].flags);
        assert_int_equal(step_begin(v).kind, ACTION_EXECUTE);
        assert_true(v->direct.may);
        assert_int_equal(direct_step(v), pages[n].direct);
        assert_int_equal(fake_cpu.directs, 1 + pages[n].direct);
        assert_int_equal(v->in_guest, 0);
    }
}

/* The same by VMRUN: nothing of the first try is left. */
static void exception_is_done_over(void **state)
{
    struct vcpu *v = start();

    (void)state;
    CODE(v, LOAD_, NOP_);
    *fake_cpu_page(8) = 0x77;
    fake_cpu.direct_faults = true;
    assert_true(fake_cpu_until(v, fake_cpu_at(3)));
    assert_int_equal(fake_cpu.directs, 1);
    assert_int_equal(fake_cpu.runs, 1);
    assert_int_equal(v->vmcb->rax, 0x77);
    assert_int_equal(v->model->pmu.fixed[0], 1);
    assert_int_equal(v->vmcb->dr6, 0xFFFF0FF2);
    assert_int_equal(v->in_guest, 0);
}

static void host_is_as_it_was(void **state)
{
    struct vcpu *v = start();

    (void)state;
    CODE(v, NOP_, NOP_);
    assert_true(fake_cpu_rounds(v, 1));
    v->vmcb->dr6 = 0xFFFF0FF1; /* the guest's own */
    assert_int_not_equal(fake_cpu.dr6 & DR6_BS, 0);
    assert_int_not_equal(fake_cpu.tr, OTHER_TR);
    direct_end(v);
    assert_int_equal(fake_cpu.dr6, 0xFFFF0FF2);
    assert_int_equal(fake_cpu.tr, OTHER_TR);
    v = start();
    fake_cpu.tr = 0x50; /* by the guest's LTR */
    direct_end(v);
    assert_int_equal(fake_cpu.tr, 0x50);
}

/* What the guest has loaded is there while it runs, and at the end. */
static void task_register_is_the_guests(void **state)
{
    struct vcpu *v = start();

    (void)state;
    CODE(v, NOP_, CPUID_, NOP_, NOP_);
    fake_cpu.tr = 0x50; /* by the guest's LTR */
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(fake_cpu.directs, 1);
    assert_int_not_equal(fake_cpu.tr, 0x50);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(fake_cpu.runs, 1);
    assert_int_equal(fake_cpu.tr, 0x50);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(fake_cpu.directs, 2);
    direct_end(v);
    assert_int_equal(fake_cpu.tr, 0x50);
}

/* SDM volume 3A, "64-Bit Task State Segment": what svm.asm needs of it. */
static void stack_is_ours(void **state)
{
    struct vcpu *v = start();
    const uint8_t *tss = (const uint8_t *)&v->direct.tss;
    uint64_t ist1;

    (void)state;
    memcpy(&ist1, tss + 0x24, sizeof(ist1));
    assert_int_equal(ist1, (uint64_t)&v->direct.self);
    assert_int_equal(ist1 % 64, 0);
    assert_ptr_equal(v->direct.self, v);
    assert_int_equal(v->vmcb->tr.base, (uint64_t)tss);
    for (unsigned n = 0; n < DIRECT_VECTORS; n++)
        assert_int_equal(v->direct.gates[n].flags, GATE_INTERRUPT | 1);
    assert_int_equal(v->direct.idtr.limit, DIRECT_VECTORS * 16 - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_what_vmrun_leaves),
        cmocka_unit_test(simple_instructions),
        cmocka_unit_test(state_is_the_hosts),
        cmocka_unit_test(interrupts_are_let_in),
        cmocka_unit_test(event_is_vmruns),
        cmocka_unit_test(pages_are_plain_memory),
        cmocka_unit_test(exception_is_done_over),
        cmocka_unit_test(host_is_as_it_was),
        cmocka_unit_test(task_register_is_the_guests),
        cmocka_unit_test(stack_is_ours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
