/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * apic.c - the local APIC as far as a measurement needs it: its interrupts
 * masked, and its ID.
 *
 * SDM 3A, "Local APIC Register Address Map" and "Local APIC Register Address
 * Map Supported by x2APIC"; register n of the map is at n * 16 in memory and at
 * MSR 800H + n in x2APIC mode.
 */
#include "efi/apic.h"
#include "src/base/hw.h"

#define IA32_APIC_BASE         0x1b
#define IA32_APIC_BASE_EXTD    (1u << 10)
#define IA32_APIC_BASE_ENABLE  (1u << 11)
#define IA32_APIC_BASE_ADDRESS 0x000ffffffffff000ull
#define IA32_TSC_DEADLINE      0x6e0
#define X2APIC_FIRST           0x800
#define APIC_VERSION           0x03
#define APIC_EOI               0x0b
#define APIC_SVR               0x0f
#define SVR_ENABLED            (1u << 8) /* else all entries stay masked */
#define APIC_LVT_COUNTERS      0x34
#define APIC_ICR               0x30
#define APIC_ICR_HIGH          0x31
#define ICR_NMI                0x4400 /* delivery mode [10:8], assert [14] */
#define ICR_FIXED              0x4000
#define LVT_MASKED             APIC_LVT_MASKED
#define LVT_TIMER_DEADLINE     (2u << 17) /* timer mode, bits 18:17 */
#define LVT_TIMER_ONE_SHOT     0u
#define APIC_TIMER_INITIAL     0x38
#define APIC_TIMER_CURRENT     0x39
#define LVT_TIMER_MODE         (3u << 17)
#define LVT_DELIVERY           (7u << 8)
#define LVT_SMI                (2u << 8) /* firmware's: thermal */

/* In the order in which processors gained them: Max LVT Entry of the version
 * register, bits 23:16, is the number of the last that is there. */
static const uint8_t lvt_register[APIC_LVT_MAX] = {
    0x32 /* timer */,  0x35 /* LINT0 */,   0x36 /* LINT1 */, 0x37 /* error */,
    APIC_LVT_COUNTERS, 0x33 /* thermal */, 0x2f /* CMCI */,
};

struct apic {
    volatile uint32_t *memory; /* NULL in x2APIC mode */
};

static uint32_t apic_get(const struct apic *apic, unsigned n)
{
    uint64_t value = 0;

    if (apic->memory != NULL)
        return apic->memory[4 * n];
    (void)hw_msr_read(X2APIC_FIRST + n, &value);
    return (uint32_t)value;
}

static void apic_set(const struct apic *apic, unsigned n, uint32_t value)
{
    if (apic->memory != NULL)
        apic->memory[4 * n] = value;
    else
        (void)hw_msr_write(X2APIC_FIRST + n, value);
}

static bool apic_find(struct apic *out)
{
    uint64_t base = 0;

    if (hw_msr_read(IA32_APIC_BASE, &base) != HW_NO_FAULT ||
        !(base & IA32_APIC_BASE_ENABLE))
        return false;
    out->memory =
        base & IA32_APIC_BASE_EXTD
            ? NULL
            : (volatile uint32_t *)(uintptr_t)(base & IA32_APIC_BASE_ADDRESS);
    return true;
}

bool hw_x2apic(void)
{
    struct apic apic;

    return apic_find(&apic) && apic.memory == NULL;
}

static unsigned lvt_count(const struct apic *apic)
{
    unsigned count = (apic_get(apic, APIC_VERSION) >> 16 & 0xff) + 1;

    return count < APIC_LVT_MAX ? count : APIC_LVT_MAX;
}

void apic_mask(struct apic_saved *saved)
{
    struct apic apic;

    saved->deadline = 0;
    saved->usable = apic_find(&apic);
    if (!saved->usable)
        return;
    for (unsigned i = 0; i < lvt_count(&apic); i++)
        saved->lvt[i] = apic_get(&apic, lvt_register[i]);
    if ((saved->lvt[0] & LVT_TIMER_MODE) == LVT_TIMER_DEADLINE)
        (void)hw_msr_read(IA32_TSC_DEADLINE, &saved->deadline);
    saved->one_shot =
        (saved->lvt[0] & (LVT_TIMER_MODE | LVT_MASKED)) == LVT_TIMER_ONE_SHOT &&
        apic_get(&apic, APIC_TIMER_CURRENT) != 0;
    for (unsigned i = 0; i < lvt_count(&apic); i++)
        if ((saved->lvt[i] & LVT_DELIVERY) != LVT_SMI)
            apic_set(&apic, lvt_register[i], saved->lvt[i] | LVT_MASKED);
}

void apic_restore(const struct apic_saved *saved)
{
    struct apic apic;

    if (!saved->usable || !apic_find(&apic))
        return;
    for (unsigned i = 0; i < lvt_count(&apic); i++)
        apic_set(&apic, lvt_register[i], saved->lvt[i]);
    /* What expired while masked was lost: written again, it fires at once, and
     * the firmware's clock goes on. */
    if (saved->one_shot && apic_get(&apic, APIC_TIMER_CURRENT) == 0)
        apic_set(&apic, APIC_TIMER_INITIAL, 1);
    if (saved->deadline == 0)
        return;
    /* SDM 3A, "TSC-Deadline Mode": after the store to the entry; LFENCE in
     * x2APIC mode. */
    __asm__ volatile("mfence; lfence" : : : "memory");
    (void)hw_msr_write(IA32_TSC_DEADLINE, saved->deadline);
}

bool apic_swap_counters_entry(uint32_t entry, uint32_t *old)
{
    struct apic apic;

    if (!apic_find(&apic) || (apic_get(&apic, APIC_SVR) & SVR_ENABLED) == 0)
        return false;
    *old = apic_get(&apic, APIC_LVT_COUNTERS);
    apic_set(&apic, APIC_LVT_COUNTERS, entry);
    return true;
}

bool apic_counters_entry(uint32_t *entry)
{
    struct apic apic;

    if (!apic_find(&apic))
        return false;
    *entry = apic_get(&apic, APIC_LVT_COUNTERS);
    return true;
}

void apic_end_of_interrupt(void)
{
    struct apic apic;

    if (apic_find(&apic))
        apic_set(&apic, APIC_EOI, 0);
}

/* SDM 3A, "Interrupt Command Register (ICR)": one register in x2APIC mode. */
static void send_command(uint32_t id, uint32_t command)
{
    struct apic apic;

    if (!apic_find(&apic))
        return;
    if (apic.memory == NULL) {
        (void)hw_msr_write(X2APIC_FIRST + APIC_ICR,
                           (uint64_t)id << 32 | command);
        return;
    }
    apic_set(&apic, APIC_ICR_HIGH, id << 24);
    apic_set(&apic, APIC_ICR, command);
}

void apic_send_nmi(uint32_t id)
{
    send_command(id, ICR_NMI);
}

void apic_send_vector(uint32_t id, uint8_t vector)
{
    send_command(id, ICR_FIXED | vector);
}

uint32_t apic_id(void)
{
    static uint32_t leaf_max; /* of all; the boot processor comes first */
    struct hw_cpuid leaf;

    if (leaf_max == 0) {
        hw_cpuid(0, 0, &leaf);
        leaf_max = leaf.eax;
    }
    if (leaf_max >= 0xb) {
        hw_cpuid(0xb, 0, &leaf);
        if (leaf.ebx != 0)
            return leaf.edx;
    }
    hw_cpuid(1, 0, &leaf);
    return leaf.ebx >> 24;
}
