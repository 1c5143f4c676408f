/* SPDX-License-Identifier: BSD-2-Clause */
/* pm_timer.c - PM_TMR_BLK of the FADT. */
#include "tests/silicon/boot/pm_timer.h"

#include <stdint.h>

#define RSDP_XSDT       24
#define TABLE_LENGTH    4
#define XSDT_ENTRIES    36
#define FADT_PM_TMR_BLK 76
#define FADT_PM_TMR_LEN 91
#define PM_TMR_BYTES    4

static uint32_t word_at(const uint8_t *at)
{
    uint32_t value;

    __builtin_memcpy(&value, at, sizeof(value));
    return value;
}

static const uint8_t *table_at(const uint8_t *at)
{
    uint64_t address;

    __builtin_memcpy(&address, at, sizeof(address));
    return (const uint8_t *)address;
}

static const uint8_t *find_fadt(const uint8_t *xsdt)
{
    static const char signature[] = "FACP";
    uint32_t bytes = word_at(xsdt + TABLE_LENGTH);

    for (uint32_t at = XSDT_ENTRIES; at + 8 <= bytes; at += 8)
        if (word_at(table_at(xsdt + at)) == word_at((const uint8_t *)signature))
            return table_at(xsdt + at);
    return NULL;
}

static unsigned find_in(const uint8_t *rsdp)
{
    const uint8_t *fadt, *xsdt = table_at(rsdp + RSDP_XSDT);

    fadt = xsdt != NULL ? find_fadt(xsdt) : NULL;
    if (fadt == NULL || word_at(fadt + TABLE_LENGTH) <= FADT_PM_TMR_LEN ||
        fadt[FADT_PM_TMR_LEN] != PM_TMR_BYTES)
        return 0;
    return word_at(fadt + FADT_PM_TMR_BLK);
}

unsigned pm_timer_find(const EFI_SYSTEM_TABLE *st)
{
    static const EFI_GUID acpi = ACPI_20_TABLE_GUID;

    for (UINTN n = 0; n < st->NumberOfTableEntries; n++) {
        const EFI_CONFIGURATION_TABLE *t = &st->ConfigurationTable[n];

        if (__builtin_memcmp(&t->VendorGuid, &acpi, sizeof(acpi)) == 0)
            return find_in(t->VendorTable);
    }
    return 0;
}
