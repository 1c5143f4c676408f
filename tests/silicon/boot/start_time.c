/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * start_time.c - a start at an exact time. To wait for it instruction by
 * instruction is not enough: QEMU's clock moves by an instruction's time, from
 * a start that firmware's waits have put anywhere. But where all processors are
 * halted it jumps to the very tick of the next timer: that of the local APIC.
 *
 * SDM volume 3A, "APIC Timer"; QEMU counts it in nanoseconds, as the TSC under
 * -icount. UEFI Platform Initialization specification, volume 2, "Timer
 * Architectural Protocol".
 */
#include "tests/silicon/boot/start_time.h"

#include "tests/silicon/hypervisor/hypervisor.h"
#include "tests/silicon/hypervisor/host/x86.h"

#define ALIGN_TSC UINT64_C(100000000000) /* 100 s; firmware takes few */
#define NEAR_TSC  UINT64_C(1000000000)   /* what the timer's register holds */

#define APIC_PAGE      UINT64_C(0x000FFFFFFFFFF000)
#define APIC_EOI       0x0B0u
#define APIC_LVT_TIMER 0x320u
#define APIC_LVT_LINT0 0x350u
#define APIC_INITIAL   0x380u
#define APIC_DIVIDE    0x3E0u
#define DIVIDE_BY_1    0xBu
#define DIVIDE_BY_128  0xAu
#define FAR_TSC        128
#define LVT_MASKED     0x10000u
#define VECTOR         0xF0u

/* Intel 8254, "Control Word Format": mode 0, which does nothing until it gets a
 * count. The firmware's timer stops, the 8254 would go on: QEMU takes a third
 * of a second for its edges in 100. Firmware that uses it gives it a mode and a
 * count with the period. */
#define PIT_CONTROL        0x43
#define PIT_CHANNEL_0_ONCE 0x30

#define TIMER_GUID                                         \
    {                                                      \
        0x26baccb3, 0x6f42, 0x11d4,                        \
        {                                                  \
            0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 \
        }                                                  \
    }
struct timer {
    VOID *RegisterHandler;
    EFI_STATUS(EFIAPI *SetTimerPeriod)(struct timer *, UINT64 period);
    EFI_STATUS(EFIAPI *GetTimerPeriod)(struct timer *, UINT64 *period);
    VOID *GenerateSoftInterrupt;
};

/* Until the timer fires, so many ticks later. */
static void wait_ticks(uint64_t base, uint64_t ticks)
{
    static struct gate gates[VECTOR + 1];
    struct table_register idtr = {sizeof(gates) - 1, (uint64_t)gates};

    gate_set(&gates[VECTOR], svm_halt_handler);
    apic_write(base, APIC_INITIAL, (uint32_t)ticks);
    svm_halt(&idtr, (volatile uint32_t *)((base & APIC_PAGE) + APIC_EOI));
}

static void wait_until(uint64_t until)
{
    uint64_t base = rdmsr(IA32_APIC_BASE);
    uint32_t timer = apic_read(base, APIC_LVT_TIMER);
    uint32_t lint0 = apic_read(base, APIC_LVT_LINT0);
    uint32_t divide = apic_read(base, APIC_DIVIDE);

    apic_write(base, APIC_LVT_LINT0, lint0 | LVT_MASKED);
    apic_write(base, APIC_LVT_TIMER, VECTOR);
    apic_write(base, APIC_DIVIDE, DIVIDE_BY_128);
    if (rdtsc() + 2 * NEAR_TSC < until)
        wait_ticks(base, (until - NEAR_TSC - rdtsc()) / FAR_TSC);
    apic_write(base, APIC_DIVIDE, DIVIDE_BY_1);
    wait_ticks(base, until - rdtsc());
    apic_write(base, APIC_LVT_TIMER, timer);
    apic_write(base, APIC_DIVIDE, divide);
    apic_write(base, APIC_LVT_LINT0, lint0);
}

void start_time_wait(EFI_BOOT_SERVICES *bs, uint64_t offset)
{
    EFI_GUID guid = TIMER_GUID;
    struct timer *timer = NULL;
    UINT64 period = 0;

    if (EFI_ERROR(bs->LocateProtocol(&guid, NULL, (VOID **)&timer)) ||
        EFI_ERROR(timer->GetTimerPeriod(timer, &period)))
        timer = NULL;
    if (timer != NULL) {
        timer->SetTimerPeriod(timer, 0);
        outb(PIT_CONTROL, PIT_CHANNEL_0_ONCE);
    }
    wait_until((rdtsc() / ALIGN_TSC + 1) * ALIGN_TSC + offset);
    if (timer != NULL)
        timer->SetTimerPeriod(timer, period);
}
