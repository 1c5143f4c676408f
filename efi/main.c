/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * main.c - the application from power-on to its return to the firmware.
 *
 * The rest of efi/ knows one thing each: where a report goes (serial.c,
 * screen.c, keep.c, file.c), where options come from (options.c), people (ui.c,
 * console.c), processors (processors.c, own.c, apic.c), exceptions
 * (exceptions.c), time (clock.c). What is tested and how is src/.
 */
#include "efi/platform.h"
#include "src/report/crc.h"
#include "src/text.h"
#include "version.h"

#define SINKS_MAX 4

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
    console_write(platform_system->ConOut, text, text_length(text));
}

static unsigned open_sinks(const struct options *options, struct sink *sinks,
                           const char **serial, struct warnings *warnings)
{
    unsigned count = 0;
    const char *why;

    if (serial_open(options, &sinks[count], serial, warnings))
        count++;
    if (screen_open(&sinks[count]))
        count++;
    if (keep_open(&sinks[count]))
        count++;
    if (file_open(&sinks[count], &why))
        count++;
    else
        warnings_add(warnings, why);
    return count;
}

static void *allocate_workspace(void)
{
    EFI_PHYSICAL_ADDRESS at = 0;
    UINTN pages = (session_workspace(hw_processors()) + 4095) / 4096;

    if (EFI_ERROR(platform_boot->AllocatePages(AllocateAnyPages, EfiLoaderData,
                                               pages, &at)))
        return NULL;
    return (void *)(uintptr_t)at;
}

/* found: before any run. */
static void run(const struct options *options, const struct warnings *found,
                void *workspace)
{
    static struct sink sinks[SINKS_MAX];
    static struct warnings warnings;
    const char *serial = NULL;

    warnings_copy(&warnings, found);
    unsigned sinks_count = open_sinks(options, sinks, &serial, &warnings);
    struct session_setup setup = {
        .options = options,
        .sinks = sinks,
        .sinks_count = sinks_count,
        .program = "tsxpmu " TSXPMU_VERSION,
        .image_crc =
            crc32(0, image_text, (size_t)(image_text_end - image_text)),
        .warnings = warnings.lines,
        .warnings_count = warnings.count,
        .serial = serial,
        .workspace = workspace,
    };
    session_run(&setup);
    file_close();
}

static void leave(enum menu_action action)
{
    EFI_RUNTIME_SERVICES *runtime = platform_system->RuntimeServices;

    if (action == MENU_POWEROFF)
        runtime->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
    if (action == MENU_REBOOT)
        runtime->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
}

/* What exit= says, or whoever sits at the machine. */
static enum menu_action after(struct options *options)
{
    switch (options->at_end) {
    case AT_END_FIRMWARE:
        return MENU_FIRMWARE;
    case AT_END_POWEROFF:
        return MENU_POWEROFF;
    case AT_END_REBOOT:
        return MENU_REBOOT;
    case AT_END_MENU:
        break;
    }
    return ui_after(options);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    static struct options options;
    static struct warnings warnings;

    platform_image = image;
    platform_system = system;
    platform_boot = system->BootServices;

    platform_boot->SetWatchdogTimer(0, 0, 0, NULL); /* else a reset in 5 min */
    clock_start();
    options_gather(&options, &warnings);
    enum menu_action action = ui_before(&options);
    const char *told = processors_start();
    if (told != NULL)
        warnings_add(&warnings, told);
    void *workspace = allocate_workspace();
    if (workspace == NULL)
        return EFI_OUT_OF_RESOURCES;
    while (action == MENU_START) {
        run(&options, &warnings, workspace);
        action = after(&options);
    }

    if (!processors_stop() && action == MENU_FIRMWARE) {
        platform_print("tsxpmu: a processor is stuck in a test: reset\r\n");
        action = MENU_REBOOT;
    }
    leave(action);
    return EFI_SUCCESS;
}
