/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exceptions.c - vectors 0 to 31 but two, and PMI_VECTOR, while a processor is
 * ours: a fault that a fix-up expects becomes a value, any other ends the job
 * that raised it.
 *
 * SDM 3A, "Interrupt Descriptor Table", "64-Bit IDT Gate Descriptors". The
 * firmware's other gates from 32 on stay, so its timer goes on.
 */
#include "efi/exceptions.h"
#include "asm/fixups.h"
#include "asm/ring3_window.h"
#include "efi/bsp_jobs.h"
#include "efi/platform.h"
#include "efi/pmi.h"
#include "efi/processors.h"
#include "efi/start.h"
#include "src/base/hw.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/base/text.h"

#define VECTORS        32
#define STUBS          (VECTORS + 1) /* and PMI_VECTOR's */
#define VECTOR_NMI     2
#define VECTOR_MC      18
#define GATE_INTERRUPT 0x8e /* present, DPL 0, 64-bit interrupt gate */
#define RFLAGS_FIXED   UINT64_C(2)
#define RFLAGS_IF      (UINT64_C(1) << 9)
/* #VE and #VC: of confidential virtual machines, whose firmware handles them.
 */
#define FIRMWARES (1u << 20 | 1u << 29)

/* As asm/exception_entry.asm pushes it. */
struct frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
    uint64_t rdi, rsi, rbp, rbx, rdx, rcx, rax;
    uint64_t vector, error;
    uint64_t rip, cs, rflags, rsp, ss;
};
_Static_assert(offsetof(struct frame, vector) == 0x78, "vector");
_Static_assert(offsetof(struct frame, rip) == 0x88, "rip");

void exception_handle(struct frame *frame);
void exception_stubs(uint64_t stubs[STUBS]);
bool exception_guard_call(unsigned processor, void *context,
                          void (*job)(unsigned, void *), uint64_t *rsp,
                          void *stack);
extern const uint8_t exception_guard_unwind[];

/* The job that a processor is in: where to go when it fails. */
struct guard {
    uint64_t rsp;
    uint16_t ss;
    struct hw_exception *exception;
    bool active;
};

static struct guard guards[HW_PROCESSORS_MAX];

static void save_exception(struct hw_exception *out, const struct frame *frame)
{
    *out = (struct hw_exception){
        .vector = frame->vector,
        .error = frame->error,
        .rip = frame->rip,
        .cs = frame->cs,
        .rflags = frame->rflags,
        .rsp = frame->rsp,
        .rax = frame->rax,
        .rbx = frame->rbx,
        .rcx = frame->rcx,
        .rdx = frame->rdx,
        .rsi = frame->rsi,
        .rdi = frame->rdi,
        .rbp = frame->rbp,
        .r8_r15 = {frame->r8, frame->r9, frame->r10, frame->r11, frame->r12,
                   frame->r13, frame->r14, frame->r15},
    };
    __asm__ volatile("mov %%cr2, %0" : "=r"(out->cr2));
}

static unsigned nmis, machine_checks; /* outside of jobs */

unsigned hw_nmis(void)
{
    return __atomic_load_n(&nmis, __ATOMIC_RELAXED);
}

unsigned hw_machine_checks(void)
{
    return __atomic_load_n(&machine_checks, __ATOMIC_RELAXED);
}

/* True where what was interrupted can go on. While MCIP is 1 the next machine
 * check shuts the processor down, so it is cleared, as handlers do; the banks,
 * which say what is broken, are left to the firmware. */
static bool machine_check_acknowledge(void)
{
    uint64_t status;

    if (hw_msr_read(IA32_MCG_STATUS, &status) != HW_NO_FAULT)
        return false; /* no Machine-Check Architecture */
    (void)hw_msr_write(IA32_MCG_STATUS, 0);
    return (status & IA32_MCG_STATUS_RIPV) != 0;
}

/* Not the boot processor: of a machine check that nobody survives all
 * processors may come here, and firmware is called by one. */
static _Noreturn void halt(void)
{
    for (;;)
        __asm__ volatile("cli; hlt");
}

/* No report can be written any more: one line on the firmware's console. */
static void reset_machine(const struct frame *frame)
{
    char line[96];

    text_format(line, sizeof(line),
                "\r\ntsxpmu: %s outside a job, RIP = 0x%lx: reset\r\n",
                vector_name(frame->vector), (unsigned long)frame->rip);
    platform_print(line);
    platform_system->RuntimeServices->ResetSystem(EfiResetCold, EFI_ABORTED, 0,
                                                  NULL);
}

void exception_handle(struct frame *frame)
{
    if (pmi_handle(frame->vector, frame->rip))
        return;

    unsigned self = processors_self();
    struct guard *guard = &guards[self];
    /* No instruction has raised an NMI or a machine check. */
    bool of_instruction =
        frame->vector != VECTOR_NMI && frame->vector != VECTOR_MC;
    uint64_t resume = of_instruction ? fixup_find(frame->rip) : 0;
    bool in_job = guard->active && (self != 0 || bsp_in_job());
    unsigned *outside = frame->vector == VECTOR_NMI ? &nmis : NULL;
    uint16_t cs;

    if (resume != 0) {
        /* Left below the stack, for asm/tsx_bodies.asm. */
        uint64_t rax = frame->rax;
        frame->rax = frame->vector;
        frame->vector = rax;
        frame->rip = resume;
        return;
    }

    if (frame->vector == VECTOR_MC && machine_check_acknowledge())
        outside = &machine_checks;
    if (!in_job && outside != NULL) {
        (void)__atomic_fetch_add(outside, 1, __ATOMIC_RELAXED);
        return;
    }
    if (!guard->active && self != 0)
        halt();
    if (!guard->active)
        reset_machine(frame);
    /* With the selectors of ring 0, wherever it came from. */
    bool user = (frame->cs & 3) != 0;
    if (!user)
        save_exception(guard->exception, frame);
    __asm__ volatile("mov %%cs, %0" : "=r"(cs));
    frame->cs = cs;
    frame->ss = guard->ss;
    if (user) {
        frame->rax = frame->vector;
        frame->rbx = *(const uint64_t *)(frame + 1);
        frame->rip = (uint64_t)(uintptr_t)ring3_fault;
        return;
    }
    /* DF and AC may be a window's; IF is hw_pmi_end()'s. */
    frame->rflags = (frame->rflags & RFLAGS_IF) | RFLAGS_FIXED;
    frame->rsp = guard->rsp;
    frame->rip = (uint64_t)(uintptr_t)exception_guard_unwind;
}

/* What a test may change that is no MSR. XCR0 can be reached where CR4.OSXSAVE
 * is 1. */
struct control {
    uint64_t dr0, dr1, dr2, dr3, dr6, dr7, cr0, cr3, cr4;
    uint32_t xcr0_low, xcr0_high;
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) gdt, idt;
};
#define CR4_OSXSAVE (UINT64_C(1) << 18)

static struct control control_get(void)
{
    struct control c = {0};

    __asm__ volatile("mov %%dr0, %0" : "=r"(c.dr0));
    __asm__ volatile("mov %%dr1, %0" : "=r"(c.dr1));
    __asm__ volatile("mov %%dr2, %0" : "=r"(c.dr2));
    __asm__ volatile("mov %%dr3, %0" : "=r"(c.dr3));
    __asm__ volatile("mov %%dr6, %0" : "=r"(c.dr6));
    __asm__ volatile("mov %%dr7, %0" : "=r"(c.dr7));
    __asm__ volatile("mov %%cr0, %0" : "=r"(c.cr0));
    __asm__ volatile("mov %%cr3, %0" : "=r"(c.cr3));
    __asm__ volatile("mov %%cr4, %0" : "=r"(c.cr4));
    __asm__ volatile("sgdt %0" : "=m"(c.gdt));
    __asm__ volatile("sidt %0" : "=m"(c.idt));
    if ((c.cr4 & CR4_OSXSAVE) != 0)
        __asm__ volatile("xgetbv"
                         : "=a"(c.xcr0_low), "=d"(c.xcr0_high)
                         : "c"(0));
    return c;
}

static void control_set(const struct control *c)
{
    __asm__ volatile("lidt %0" : : "m"(c->idt));
    __asm__ volatile("mov %0, %%cr0" : : "r"(c->cr0));
    __asm__ volatile("mov %0, %%dr7" : : "r"(c->dr7));
    __asm__ volatile("mov %0, %%dr6" : : "r"(c->dr6));
    __asm__ volatile("mov %0, %%dr0" : : "r"(c->dr0));
    __asm__ volatile("mov %0, %%dr1" : : "r"(c->dr1));
    __asm__ volatile("mov %0, %%dr2" : : "r"(c->dr2));
    __asm__ volatile("mov %0, %%dr3" : : "r"(c->dr3));
    if ((c->cr4 & CR4_OSXSAVE) != 0)
        __asm__ volatile("xsetbv"
                         :
                         : "a"(c->xcr0_low), "d"(c->xcr0_high), "c"(0));
    __asm__ volatile("mov %0, %%cr4" : : "r"(c->cr4));
    __asm__ volatile("lgdt %0" : : "m"(c->gdt));
    __asm__ volatile("mov %0, %%cr3" : : "r"(c->cr3) : "memory");
}

/* A job that an exception ended may have left a breakpoint armed, XCR0 with
 * more in it than firmware's, or tables of its own in use. */
bool exceptions_guard(unsigned processor,
                      void (*job)(unsigned processor, void *context),
                      void *context, struct hw_exception *exception)
{
    struct guard *guard = &guards[processor];
    struct guard outer = *guard;
    struct control control = control_get();

    __asm__ volatile("mov %%ss, %0" : "=r"(guard->ss));
    guard->exception = exception;
    guard->active = true;
    bool returned = exception_guard_call(processor, context, job, &guard->rsp,
                                         processors_stack(processor));
    if (!returned)
        hw_pmi_end();
    *guard = outer;
    if (!returned)
        control_set(&control);
    return returned;
}

void exceptions_install(struct exceptions *mine)
{
    uint64_t stubs[STUBS];
    uint16_t cs;

    __asm__ volatile("sidt %0" : "=m"(mine->firmware));
    __asm__ volatile("mov %%cs, %0" : "=r"(cs));
    memset(mine->gates, 0, sizeof(mine->gates));
    size_t bytes = (size_t)mine->firmware.limit + 1;
    if (bytes > sizeof(mine->gates))
        bytes = sizeof(mine->gates);
    memcpy(mine->gates, (const void *)(uintptr_t)mine->firmware.base, bytes);

    exception_stubs(stubs);
    for (unsigned i = 0; i < STUBS; i++) {
        if (i < VECTORS && (FIRMWARES >> i & 1) != 0)
            continue;
        mine->gates[i < VECTORS ? i : PMI_VECTOR] = (struct idt_gate){
            .offset_low = (uint16_t)stubs[i],
            .offset_middle = (uint16_t)(stubs[i] >> 16),
            .offset_high = (uint32_t)(stubs[i] >> 32),
            .selector = cs,
            .type = GATE_INTERRUPT,
        };
    }

    struct idt_register idtr = {sizeof(mine->gates) - 1,
                                (uint64_t)(uintptr_t)mine->gates};
    __asm__ volatile("lidt %0" : : "m"(idtr));
}

void exceptions_remove(const struct exceptions *mine)
{
    __asm__ volatile("lidt %0" : : "m"(mine->firmware));
}
