/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mp.h - EFI_MP_SERVICES_PROTOCOL, which the headers of gnu-efi 3.0.15 lack.
 *
 * UEFI Platform Initialization specification, volume 2, "MP Services Protocol".
 */
#ifndef EFI_MP_H
#define EFI_MP_H

#include <efi.h>

#define MP_SERVICES_GUID                                   \
    {                                                      \
        0x3fdda605, 0xa76e, 0x4f46,                        \
        {                                                  \
            0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 \
        }                                                  \
    }

/* StatusFlag of struct mp_processor. */
#define MP_PROCESSOR_IS_BSP  0x1u
#define MP_PROCESSOR_ENABLED 0x2u
#define MP_PROCESSOR_HEALTHY 0x4u

struct mp_processor {
    UINT64 ProcessorId; /* the APIC ID */
    UINT32 StatusFlag;
    UINT32 Package, Core, Thread;
    UINT32 Extended[6]; /* only where asked for; unused here */
};
_Static_assert(sizeof(struct mp_processor) == 48, "EFI_PROCESSOR_INFORMATION");

typedef VOID(EFIAPI *mp_procedure)(VOID *argument);

struct mp_services {
    EFI_STATUS(EFIAPI *GetNumberOfProcessors)
    (struct mp_services *, UINTN *processors, UINTN *enabled);
    EFI_STATUS(EFIAPI *GetProcessorInfo)
    (struct mp_services *, UINTN number, struct mp_processor *);
    EFI_STATUS(EFIAPI *StartupAllAPs)
    (struct mp_services *, mp_procedure, BOOLEAN single_thread, EFI_EVENT wait,
     UINTN timeout_us, VOID *argument, UINTN **failed);
    EFI_STATUS(EFIAPI *StartupThisAP)
    (struct mp_services *, mp_procedure, UINTN number, EFI_EVENT wait,
     UINTN timeout_us, VOID *argument, BOOLEAN *finished);
    EFI_STATUS(EFIAPI *SwitchBSP)
    (struct mp_services *, UINTN number, BOOLEAN enable_old);
    EFI_STATUS(EFIAPI *EnableDisableAP)
    (struct mp_services *, UINTN number, BOOLEAN enable, UINT32 *health);
    EFI_STATUS(EFIAPI *WhoAmI)(struct mp_services *, UINTN *number);
};

#endif
