/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine.c - the machine by name: SMBIOS, the firmware's vendor, the clock.
 *
 * UEFI specification, "EFI Configuration Table", "EFI System Table".
 */
#include "efi/machine.h"

#include "efi/bsp_jobs.h"
#include "efi/platform.h"
#include "src/base/mem.h"
#include "src/store/volume.h"

static const EFI_GUID entry_guids[] = {SMBIOS3_TABLE_GUID, SMBIOS_TABLE_GUID};

static const uint8_t *find_entry(const EFI_GUID *guid)
{
    for (UINTN i = 0; i < platform_system->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *entry =
            &platform_system->ConfigurationTable[i];
        if (memcmp(&entry->VendorGuid, guid, sizeof(*guid)) == 0)
            return entry->VendorTable;
    }
    return NULL;
}

/* As a job: what the tables point to may not be there. */
static void read_job(unsigned processor, void *context)
{
    struct machine *machine = context;
    const CHAR16 *vendor = platform_system->FirmwareVendor;
    uint64_t address;
    size_t bytes;

    (void)processor;
    machine->firmware_revision = platform_system->FirmwareRevision;
    machine->uefi_revision = platform_system->Hdr.Revision;
    for (size_t i = 0;
         vendor != NULL && vendor[i] != 0 && i < sizeof(machine->firmware) - 1;
         i++)
        machine->firmware[i] = (char)vendor[i];
    for (size_t i = 0; i < sizeof(entry_guids) / sizeof(entry_guids[0]); i++) {
        const uint8_t *entry = find_entry(&entry_guids[i]);
        if (entry == NULL || !machine_entry(entry, &address, &bytes))
            continue;
        machine_read(machine, (const uint8_t *)(uintptr_t)address, bytes);
        return;
    }
}

const struct machine *machine_gather(struct warnings *warnings)
{
    static struct machine machine;
    struct hw_result result;
    struct volume_time time;

    memset(&machine, 0, sizeof(machine));
    bsp_run(&result, read_job, &machine);
    if (result.end != HW_DONE)
        warnings_add(warnings, "SMBIOS: a pointer leads nowhere; what it says "
                               "of the machine is missing");
    if (volume_time(&time)) {
        machine.year = time.year;
        machine.month = time.month;
        machine.day = time.day;
        machine.hour = time.hour;
        machine.minute = time.minute;
    }
    return &machine;
}
