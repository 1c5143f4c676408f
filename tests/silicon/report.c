/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.c - lines on COM1, written to the port directly: the firmware's
 * console cannot be used outside the guest. A port that never becomes ready
 * costs a bounded wait, not the run.
 */
#include "tests/silicon/hypervisor.h"

#include "tests/silicon/model/text.h"
#include "tests/silicon/x86.h"

#define COM1           0x3F8
#define COM1_STATUS    (COM1 + 5)
#define STATUS_EMPTY   0x20 /* transmitter holding register */
#define WAIT_READS_MAX 100000u

/* Power off where ACPI's PM1a control register is: q35, then i440FX. */
#define PM1A_CONTROL_Q35 0x604
#define PM1A_CONTROL_PC  0xB004
#define PM1A_SLEEP_S5    0x2000

static void put(char c)
{
    for (uint32_t n = 0; n < WAIT_READS_MAX; n++)
        if ((inb(COM1_STATUS) & STATUS_EMPTY) != 0)
            break;
    outb(COM1, (uint8_t)c);
}

static void put_text(const char *s)
{
    for (; *s != '\0'; s++)
        put(*s);
}

void report_line(const char *text)
{
    put_text("# silicon: ");
    put_text(text);
    put_text("\r\n");
}

void report_failure(struct vcpu *v, const char *what, uint64_t a, uint64_t b)
{
    char line[256];
    struct text t;

    text_start(&t, line, sizeof(line));
    text_add(&t, "error: ");
    text_add(&t, what);
    text_add(&t, "; processor ");
    text_add_unsigned(&t, v->model->index);
    text_add(&t, ", exit ");
    text_add_hex(&t, v->vmcb->exit_code);
    text_add(&t, "H, RIP ");
    text_add_hex(&t, v->vmcb->rip);
    text_add(&t, "H, information ");
    text_add_hex(&t, a);
    text_add(&t, "H ");
    text_add_hex(&t, b);
    text_add(&t, "H");
    report_line(line);
    outw(PM1A_CONTROL_Q35, PM1A_SLEEP_S5);
    outw(PM1A_CONTROL_PC, PM1A_SLEEP_S5);
    for (;;)
        __asm__ volatile("cli; hlt");
}
