/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * main.c - the application from power-on to its return to the firmware.
 *
 * The rest of efi/ knows one thing each: where a report goes (serial.c,
 * screen.c, report_copy.c, file.c, network.c), where options come from
 * (option_sources.c), users (ui.c, console.c), processors (processors.c,
 * bsp_jobs.c, apic.c), exceptions (exceptions.c), time (clock.c). What is
 * tested and how is src/.
 */
#include "efi/bsp_jobs.h"
#include "efi/clock.h"
#include "efi/console.h"
#include "efi/exceptions.h"
#include "efi/file.h"
#include "efi/machine.h"
#include "efi/network.h"
#include "efi/option_sources.h"
#include "efi/pages.h"
#include "efi/platform.h"
#include "efi/processors.h"
#include "efi/serial_find.h"
#include "efi/sinks.h"
#include "efi/ui.h"
#include "efi/warnings.h"
#include "src/base/crc.h"
#include "src/base/hw.h"
#include "src/base/text.h"
#include "src/session/microcode_update.h"
#include "src/session/resume.h"
#include "src/session/session.h"
#include "src/store/store.h"
#include "version.h"

#define SINKS_MAX 4
#define CR4_CET   (UINT64_C(1) << 23) /* shadow stacks, ENDBRANCH */

EFI_HANDLE platform_image;
EFI_SYSTEM_TABLE *platform_system;
EFI_BOOT_SERVICES *platform_boot;
static struct store store;

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

/* Beside the file. */
static unsigned open_sinks(const struct options *options, struct sink *sinks,
                           const char **serial, struct warnings *warnings)
{
    unsigned count = 0;

    if (serial_open(options, &sinks[count], serial, warnings))
        count++;
    if (screen_open(&sinks[count]))
        count++;
    if (report_copy_open(&sinks[count]))
        count++;
    return count;
}

static uint32_t image_crc(void)
{
    return crc32(0, image_text, (size_t)(image_text_end - image_text));
}

/* With all processors, which are started once. A run that is only to be ended
 * does without: starting them may reset the machine. NULL: no memory. */
static void *prepare_workspace(struct warnings *found)
{
    static void *workspace;
    static bool started;

    if (!started && !store_is_given_up(&store)) {
        started = processors_start(found);
        if (!started)
            return NULL;
        free_pages(workspace); /* of a run without them */
        workspace = NULL;
    }
    if (workspace == NULL)
        workspace = allocate_pages(session_workspace(hw_processors()));
    return workspace;
}

/* Of the run that has just ended. */
static void send_report(const struct options *options)
{
    char name[NETWORK_NAME_BYTES];
    size_t bytes;
    const char *text = report_copy_text(&bytes);
    const char *why = network_send(options->machine, text, bytes, name);

    platform_print(why == NULL ? "tsxpmu: the report is on the TFTP server: "
                               : "tsxpmu: the report was not sent: ");
    platform_print(why == NULL ? name : why);
    platform_print("\r\n");
}

/* found: before any run. False where there is not enough memory. */
static bool run_session(const struct options *options, struct warnings *found)
{
    static struct sink sinks[SINKS_MAX];
    static struct warnings warnings;
    const char *serial = NULL;
    struct sink file;
    /* First, so that the next start knows of this one. */
    const char *no_report_file = store_open(&store, options, &file);
    void *memory = prepare_workspace(found);

    if (memory == NULL)
        return false;
    warnings_copy(&warnings, found);
    unsigned sinks_count = open_sinks(options, sinks, &serial, &warnings);
    if (no_report_file != NULL)
        warnings_add(&warnings, no_report_file);
    else
        sinks[sinks_count++] = file;
    const struct machine *machine = machine_gather(&warnings);
    struct session_setup setup = {
        .options = options,
        .sinks = sinks,
        .sinks_count = sinks_count,
        .program = "tsxpmu " TSXPMU_VERSION,
        .image_crc = image_crc(),
        .warnings = warnings.lines,
        .warnings_count = warnings.count,
        .serial = serial,
        .machine = machine,
        .store = no_report_file != NULL ? NULL : &store,
        .workspace = memory,
    };
    void *update = NULL;
    if (update_asked_for(options))
        update = file_load(options->microcode, &setup.microcode_bytes,
                           &setup.microcode_missing);
    setup.microcode = update;
    session_run(&setup);
    free_pages(update);
    if (options->send)
        send_report(options);
    return true;
}

/* True where an interrupted run is to be continued; *options are then its. */
static bool is_resumed(struct options *options, struct warnings *warnings)
{
    static struct identity id;
    char offer[STORE_LINE_BYTES];
    const char *warn;

    bsp_identify(&id);
    bool found = store_find(&store, &id, image_crc(), options, &warn);
    if (warn != NULL)
        warnings_add(warnings, warn);
    if (!found)
        return false;
    if (!ui_offer(resume_offer(&store, offer), options->countdown)) {
        store_forget(&store);
        return false;
    }
    store_options(&store, options);
    return true;
}

static void reset_system(enum menu_action action)
{
    EFI_RUNTIME_SERVICES *runtime = platform_system->RuntimeServices;

    if (action == MENU_POWEROFF)
        runtime->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
    if (action == MENU_REBOOT)
        runtime->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
}

/* What exit= says, or the user at the machine. */
static enum menu_action action_after(struct options *options)
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
    processors_rest(true);
    enum menu_action action = ui_after(options);
    processors_rest(false);
    return action;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    static struct options options;
    static struct warnings warnings;

    platform_image = image;
    platform_system = system;
    platform_boot = system->BootServices;

    platform_boot->SetWatchdogTimer(0, 0, 0, NULL); /* else a reset in 5 min */
    /* Before the first step that firmware may not survive. */
    platform_print("tsxpmu " TSXPMU_VERSION "\r\n");
    if (options_helped())
        return EFI_SUCCESS;
    clock_start(&warnings);
    options_gather(&options, &warnings);
    if ((hw_cr4() & CR4_CET) != 0)
        warnings_add(&warnings, "firmware has set CR4.CET: a test that raises "
                                "an exception may end the run");
    enum menu_action action =
        is_resumed(&options, &warnings) ? MENU_START : ui_before(&options);
    while (action == MENU_START) {
        if (run_session(&options, &warnings)) {
            action = action_after(&options);
        } else {
            platform_print("tsxpmu: there is not enough memory\r\n");
            action = MENU_FIRMWARE;
        }
    }

    bool stopped = processors_stop();
    if (!stopped && action == MENU_FIRMWARE) {
        platform_print("tsxpmu: a processor is stuck in a test: reset\r\n");
        action = MENU_REBOOT;
    }
    serial_give_back();
    file_finish();
    if (stopped) /* else a processor may write there still */
        free_all_pages();
    reset_system(action);
    console_restore();
    return EFI_SUCCESS;
}
