/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * main.c - the application from power-on to its return to the firmware.
 *
 * The rest of efi/ knows one thing each: where a report goes (serial.c,
 * screen.c, file.c), where options come from (options.c), processors
 * (processors.c, apic.c), exceptions (exceptions.c), time (clock.c). What is
 * tested and how is src/.
 */
#include "efi/platform.h"
#include "src/report/crc.h"
#include "version.h"

#define SINKS_MAX 3
#define PRINT_MAX 96

EFI_HANDLE platform_image;
EFI_SYSTEM_TABLE *platform_system;
EFI_BOOT_SERVICES *platform_boot;

/* From efi.lds: the image's code, which no relocation changes. */
extern const uint8_t image_text[], image_text_end[];

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

void *platform_protocol(EFI_HANDLE handle, const EFI_GUID *guid)
{
    VOID *protocol = NULL;
    EFI_GUID copy = *guid;

    if (EFI_ERROR(platform_boot->HandleProtocol(handle, &copy, &protocol)))
        return NULL;
    return protocol;
}

void platform_print(const char *text)
{
    CHAR16 wide[PRINT_MAX];
    size_t n = 0;

    for (; text[n] != '\0' && n < PRINT_MAX - 1; n++)
        wide[n] = (CHAR16)text[n];
    wide[n] = 0;
    platform_system->ConOut->OutputString(platform_system->ConOut, wide);
}

static unsigned open_sinks(struct sink *sinks, struct warnings *warnings)
{
    unsigned count = 0;
    const char *why;

    if (serial_open(&sinks[count]))
        count++;
    else
        warnings_add(warnings, "no serial port at 3F8H");
    if (screen_open(&sinks[count]))
        count++;
    if (file_open(&sinks[count], &why))
        count++;
    else
        warnings_add(warnings, why);
    return count;
}

static void *workspace(void)
{
    EFI_PHYSICAL_ADDRESS at = 0;
    UINTN pages = (session_workspace(hw_processors()) + 4095) / 4096;

    if (EFI_ERROR(platform_boot->AllocatePages(AllocateAnyPages, EfiLoaderData,
                                               pages, &at)))
        return NULL;
    return (void *)(uintptr_t)at;
}

static void end(const struct options *options)
{
    EFI_RUNTIME_SERVICES *runtime = platform_system->RuntimeServices;

    if (options->at_end == AT_END_POWEROFF)
        runtime->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
    if (options->at_end == AT_END_REBOOT)
        runtime->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    static struct options options;
    static struct warnings warnings;
    static struct sink sinks[SINKS_MAX];

    platform_image = image;
    platform_system = system;
    platform_boot = system->BootServices;

    platform_boot->SetWatchdogTimer(0, 0, 0, NULL); /* else a reset in 5 min */
    clock_start();
    options_gather(&options, &warnings);
    unsigned sinks_count = open_sinks(sinks, &warnings);
    const char *told = processors_start();
    if (told != NULL)
        warnings_add(&warnings, told);

    struct session_setup setup = {
        .options = &options,
        .sinks = sinks,
        .sinks_count = sinks_count,
        .program = "tsxpmu " TSXPMU_VERSION,
        .image_crc =
            crc32(0, image_text, (size_t)(image_text_end - image_text)),
        .warnings = warnings.lines,
        .warnings_count = warnings.count,
        .workspace = workspace(),
    };
    if (setup.workspace == NULL)
        return EFI_OUT_OF_RESOURCES;
    session_run(&setup);

    file_close();
    if (!processors_stop() && options.at_end == AT_END_FIRMWARE) {
        platform_print("tsxpmu: a processor is stuck in a test: reset\r\n");
        options.at_end = AT_END_REBOOT;
    }
    end(&options);
    return EFI_SUCCESS;
}
