/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * apic_base.c - IA32_APIC_BASE as an operating system writes it. The host's
 * local APIC stays where it is and enabled, because QEMU does not enable one
 * again: to the guest it is elsewhere, or nowhere.
 *
 * SDM volume 3A, "Local APIC Status and Location", "Enabling or Disabling the
 * Local APIC", "Local APIC State After Power-Up or Reset".
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/bits.h"

#define BASE_ENABLE  BIT(11)
#define BASE_ADDRESS BITS(51, 12)
/* They stay 0; MAXPHYADDR is 39. */
#define BASE_RESERVED (BITS(63, 39) | BITS(10, 9) | BITS(7, 0))

/* "RDMSR/WRMSR .. cause #GP" outside of x2APIC mode. */
#define X2APIC_FIRST 0x800u
#define X2APIC_LAST  0x8FFu

/* IA-PC HPET specification: a period of all ones is none. */
#define HPET UINT64_C(0xFED00000)

#define VECTORS     256
#define SVR_ENABLED 0x1FFu

#define APIC_TPR     0x080u
#define APIC_EOI     0x0B0u
#define APIC_IRR     0x200u /* eight registers of 32 vectors each */
#define APIC_LDR     0x0D0u
#define APIC_DFR     0x0E0u
#define APIC_SVR     0x0F0u
#define APIC_INITIAL 0x380u /* the timer's count */
#define APIC_LVT     0x320u /* timer, thermal, counters, LINT0, LINT1, error */
#define LVTS         6
#define LVT_MASK     0x10000u

static uint8_t *empty_page;

void apic_base_prepare(uint8_t *page)
{
    empty_page = page;
}

/* With more than one processor, stores to the registers exit, and where time is
 * the guest's own all accesses: startup.c. */
static bool map(struct vcpu *v, uint64_t page, uint64_t to)
{
    struct npt *const tables[] = {&v->pages_free, &v->pages_step,
                                  &v->pages_catch};
    bool is_real = to == (rdmsr(IA32_APIC_BASE) & BASE_ADDRESS);
    uint64_t flags = NPT_PRESENT | NPT_USER | NPT_NX;
    bool good = true;

    if (!is_real || hypervisor.processors == 1)
        flags |= NPT_WRITE;
    if (is_real && time_is_own(v))
        flags = 0;
    for (unsigned n = 0; n < 3; n++)
        good = good && npt_map_page(tables[n], page, to, flags);
    return good;
}

static void reset_registers(uint64_t host)
{
    for (uint32_t n = 0; n < LVTS; n++)
        apic_write(host, APIC_LVT + n * 0x10, LVT_MASK);
    apic_write(host, APIC_INITIAL, 0);
    apic_write(host, APIC_TPR, 0);
    apic_write(host, APIC_LDR, 0);
    apic_write(host, APIC_DFR, UINT32_MAX);
    apic_write(host, APIC_SVR, 0xFF);
}

/* What is pending is taken, because nothing else clears it. */
void apic_base_init(void)
{
    static struct gate gates[VECTORS];
    const struct table_register idtr = {sizeof(gates) - 1, (uint64_t)gates};
    uint64_t host = rdmsr(IA32_APIC_BASE);
    volatile uint32_t *eoi =
        (volatile uint32_t *)((host & BASE_ADDRESS) + APIC_EOI);

    for (unsigned n = 0; n < VECTORS; n++)
        gate_set(&gates[n], svm_halt_handler);
    apic_write(host, APIC_SVR, SVR_ENABLED);
    apic_write(host, APIC_TPR, 0);
    for (uint32_t n = 0; n < LVTS; n++)
        apic_write(host, APIC_LVT + n * 0x10, LVT_MASK);
    for (unsigned n = 0; n < VECTORS; n++)
        if ((apic_read(host, APIC_IRR + n / 32 * 0x10) >> n % 32 & 1) != 0)
            svm_take_interrupt(&idtr, eoi);
    reset_registers(host);
}

void apic_base_start(struct vcpu *v)
{
    for (size_t n = 0; n < PAGE_BYTES; n++)
        empty_page[n] = 0xFF;
    v->apic_base = rdmsr(IA32_APIC_BASE);
    if (!hypervisor.x2apic) {
        uint64_t at = v->apic_base & BASE_ADDRESS;

        msr_map_intercept(hypervisor.msr_map, IA32_APIC_BASE, IA32_APIC_BASE);
        msr_map_intercept(hypervisor.msr_map, X2APIC_FIRST, X2APIC_LAST);
        map(v, at, at);
    }
    if (time_is_own(v)) /* no HPET is there: its clock is the host's */
        map(v, HPET, (uint64_t)empty_page);
}

bool apic_base_is_off(const struct vcpu *v)
{
    return hypervisor.has_os && (v->apic_base & BASE_ENABLE) == 0;
}

bool apic_base_write(struct vcpu *v, uint64_t value)
{
    uint64_t host = rdmsr(IA32_APIC_BASE), at = host & BASE_ADDRESS;
    uint64_t old = v->apic_base & BASE_ADDRESS, new = value &BASE_ADDRESS;
    bool enabled = (value & BASE_ENABLE) != 0;

    if (((value ^ v->apic_base) & BASE_RESERVED) != 0)
        return false;
    if (!enabled && (v->apic_base & BASE_ENABLE) != 0) {
        reset_registers(host);
        time_apic_write(v, APIC_LVT, LVT_MASK);
        time_apic_write(v, APIC_INITIAL, 0);
    }
    v->apic_base = value;
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
    return map(v, old, old == at ? (uint64_t)empty_page : old) &&
           map(v, new, enabled ? at : (uint64_t)empty_page);
}
