/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * odd_services.c - what firmware says of the machine, where it is wrong.
 *
 * ACPI specification, "Extended System Description Table (XSDT)"; DMTF DSP0134,
 * "SMBIOS 3.0 (64-bit) Entry Point"; UEFI specification, "GetTime()"; UEFI
 * Platform Initialization specification, volume 2, "MP Services Protocol".
 */
#include "tests/boot/odd_services.h"
#include "efi/mp.h"

#include <stdint.h>

#define NOT_CANONICAL  UINT64_C(0x8000000000001000)
#define RSDP_XSDT      24
#define TABLE_LENGTH   4
#define TABLE_CHECKSUM 9
#define XSDT_ENTRIES   36

BOOLEAN odd_same(const EFI_GUID *a, const EFI_GUID *b)
{
    const UINT8 *x = (const UINT8 *)a, *y = (const UINT8 *)b;

    for (unsigned i = 0; i < sizeof(*a); i++)
        if (x[i] != y[i])
            return FALSE;
    return TRUE;
}

void odd_acpi(EFI_SYSTEM_TABLE *st)
{
    EFI_GUID acpi = ACPI_20_TABLE_GUID;

    for (UINTN i = 0; i < st->NumberOfTableEntries; i++)
        if (odd_same(&st->ConfigurationTable[i].VendorGuid, &acpi)) {
            UINT8 *rsdp = st->ConfigurationTable[i].VendorTable;
            UINT8 *xsdt = *(UINT8 **)(rsdp + RSDP_XSDT);
            *(uint64_t *)(xsdt + XSDT_ENTRIES) = NOT_CANONICAL;
            UINT8 sum = 0;
            for (UINT32 n = 0; n < *(uint32_t *)(xsdt + TABLE_LENGTH); n++)
                sum = (UINT8)(sum + xsdt[n]);
            xsdt[TABLE_CHECKSUM] = (UINT8)(xsdt[TABLE_CHECKSUM] - sum);
        }
}

struct entry_3 {
    CHAR8 anchor[5];
    UINT8 checksum, length, major, minor, docrev, revision, reserved;
    UINT32 size;
    UINT64 address;
} __attribute__((packed));

void odd_smbios(EFI_SYSTEM_TABLE *st)
{
    EFI_GUID guid = SMBIOS3_TABLE_GUID;
    static struct entry_3 wrong = {.anchor = "_SM3_",
                                   .length = sizeof(struct entry_3),
                                   .size = 4096,
                                   .address = NOT_CANONICAL};

    st->BootServices->InstallConfigurationTable(&guid, &wrong);
}

static EFI_STATUS EFIAPI no_time(EFI_TIME *time, EFI_TIME_CAPABILITIES *can)
{
    (void)can;
    *time = (EFI_TIME){.Month = 77};
    return EFI_DEVICE_ERROR;
}

void odd_time(EFI_SYSTEM_TABLE *st)
{
    st->RuntimeServices->GetTime = no_time;
}

static EFI_STATUS(EFIAPI *info)(struct mp_services *, UINTN number,
                                struct mp_processor *);

static EFI_STATUS EFIAPI not_the_last(struct mp_services *mp, UINTN number,
                                      struct mp_processor *out)
{
    UINTN all = 0, enabled;

    (void)mp->GetNumberOfProcessors(mp, &all, &enabled);
    return number + 1 == all ? EFI_DEVICE_ERROR : info(mp, number, out);
}

void odd_processors(EFI_BOOT_SERVICES *bs)
{
    EFI_GUID guid = MP_SERVICES_GUID;
    struct mp_services *mp;

    if (EFI_ERROR(bs->LocateProtocol(&guid, NULL, (VOID **)&mp)))
        return;
    info = mp->GetProcessorInfo;
    mp->GetProcessorInfo = not_the_last;
}
