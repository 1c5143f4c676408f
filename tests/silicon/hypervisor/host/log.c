/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * log.c - lines on COM1, written to the port directly: the firmware's
 * console cannot be used outside the guest. A port that never becomes ready
 * costs a bounded wait.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/text.h"

#define COM1           0x3F8
#define COM1_STATUS    (COM1 + 5)
#define STATUS_EMPTY   0x20 /* transmitter holding register */
#define WAIT_READS_MAX 100000u

#define LINE_MAX    320
#define STACK_LINES 16
#define STACK_WORDS 4

/* Power off where ACPI's PM1a control register is: q35, then i440FX. */
#define PM1A_CONTROL_Q35 0x604
#define PM1A_CONTROL_PC  0xB004
#define PM1A_SLEEP_S5    0x2000

static void put_char(char c)
{
    for (uint32_t n = 0; n < WAIT_READS_MAX; n++)
        if ((inb(COM1_STATUS) & STATUS_EMPTY) != 0)
            break;
    outb(COM1, (uint8_t)c);
}

static void put_text(const char *s)
{
    for (; *s != '\0'; s++)
        put_char(*s);
}

void log_print(const char *text)
{
    put_text("# silicon: ");
    put_text(text);
    put_text("\r\n");
}

/* Its state, and its last exits. */
static void print_vcpu(const struct vcpu *v)
{
    char line[LINE_MAX];
    struct text t;

    text_start(&t, line, sizeof(line));
    text_add(&t, "processor ");
    text_add_unsigned(&t, v->model->index);
    text_add_value(&t, " at ", (uint64_t)v);
    text_add_value(&t, ": VMCB ", (uint64_t)v->vmcb);
    text_add_value(&t, ", host stack ", v->host_stack);
    text_add_value(&t, ", guest IDT ", v->vmcb->idtr.base);
    text_add_value(&t, ", mode ", v->mode);
    text_add_value(&t, ", depth ", v->tx.depth);
    text_add_value(&t, ", entered ", v->entered);
    text_add_value(&t, ", in guest ", v->in_guest);
    text_add_value(&t, ", NMI ", v->nmi);
    text_add_value(&t, ", guest NMI ", v->guest_nmi);
    text_add_value(&t, ", has work ", v->has_work);
    log_print(line);
    exit_log_print(&v->exit_log, log_print);
}

/* The oldest part of the host's stack: the frames of the loop. */
static void print_stack(const uint64_t *rsp, const uint64_t *top)
{
    char line[LINE_MAX];
    struct text t;

    if (top - rsp > STACK_LINES * STACK_WORDS)
        rsp = top - STACK_LINES * STACK_WORDS;
    while (rsp < top) {
        text_start(&t, line, sizeof(line));
        text_add_value(&t, "stack ", (uint64_t)rsp);
        text_add(&t, ":");
        for (unsigned word = 0; word < STACK_WORDS && rsp < top; word++)
            text_add_value(&t, " ", *rsp++);
        log_print(line);
    }
}

/* The processor that this runs on, which need not be the one it is
 * about: after a crash, what it takes for itself may be wrong. */
static void print_host(void)
{
    const struct vcpu *here = vcpu_current();
    struct table_register idt;
    char line[LINE_MAX];
    uint64_t rsp;
    struct text t;

    __asm__ volatile("sidt %0" : "=m"(idt));
    __asm__ volatile("mov %%rsp, %0" : "=r"(rsp));
    text_start(&t, line, sizeof(line));
    text_add_value(&t, "printed on ", (uint64_t)here);
    text_add_value(&t, ", RSP ", rsp);
    text_add_value(&t, ", IDT ", idt.base);
    text_add_value(&t, ", limit ", idt.limit);
    log_print(line);
    if (here != NULL && rsp < here->host_stack)
        print_stack((const uint64_t *)rsp, (const uint64_t *)here->host_stack);
}

void log_panic(struct vcpu *v, const char *what, uint64_t a, uint64_t b)
{
    char line[LINE_MAX];
    struct text t;

    text_start(&t, line, sizeof(line));
    text_add(&t, "error: ");
    text_add(&t, what);
    text_add(&t, "; processor ");
    text_add_unsigned(&t, v->model->index);
    text_add_value(&t, ", exit ", v->vmcb->exit_code);
    text_add_value(&t, ", RIP ", v->vmcb->rip);
    text_add_value(&t, ", information ", a);
    text_add_value(&t, " ", b);
    log_print(line);
    print_host();
    for (unsigned n = 0; n < hypervisor.processors; n++)
        print_vcpu(&hypervisor.vcpus[n]);
    outw(PM1A_CONTROL_Q35, PM1A_SLEEP_S5);
    outw(PM1A_CONTROL_PC, PM1A_SLEEP_S5);
    for (;;)
        __asm__ volatile("cli; hlt");
}
