/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * platform.h - what the files of efi/ offer each other. Start with main.c.
 */
#ifndef EFI_PLATFORM_H
#define EFI_PLATFORM_H

#include "src/cpu/identity.h"
#include "src/base/hw.h"
#include "src/session/session.h"
#include "src/ui/menu.h"

#include <efi.h>

/* Set by efi_main before anything else; all of efi/ uses them. */
extern EFI_HANDLE platform_image;
extern EFI_SYSTEM_TABLE *platform_system;
extern EFI_BOOT_SERVICES *platform_boot;

/* The protocol of that GUID on the handle, or NULL. */
void *platform_protocol(EFI_HANDLE handle, const EFI_GUID *guid);

/* Words outside a report, on the firmware's console. */
void platform_print(const char *text);

/* Found before there is a report: lines of it. */
#define WARNINGS_MAX  16
#define WARNING_BYTES 160

struct warnings {
    char text[WARNINGS_MAX][WARNING_BYTES];
    const char *lines[WARNINGS_MAX];
    unsigned count;
};

/* Copies the line; what follows WARNINGS_MAX is dropped, and the last says so.
 */
void warnings_add(void *warnings, const char *line);
void warnings_copy(struct warnings *to, const struct warnings *from);

/* --- pages.c ------------------------------------------------------------ */

/* At the start of a page; NULL where there is none, or too many are taken. */
void *allocate_pages(size_t bytes);
void free_pages(const void *at); /* NULL: nothing */
void free_all_pages(void);

/* --- clock.c: time in units of the time-stamp counter -------------------- */

/* Measures the counter against the firmware's Stall(); takes 10 ms. */
void clock_start(void);
/* The counter's value after so many milliseconds from now. */
uint64_t clock_deadline(uint64_t ms);
bool clock_passed(uint64_t deadline);

/* --- exceptions.c -------------------------------------------------------- */

#define IDT_GATES 256

struct idt_gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};
_Static_assert(sizeof(struct idt_gate) == 16, "SDM 3A, 64-Bit IDT Gate");

struct idt_register {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));
_Static_assert(sizeof(struct idt_register) == 10, "SDM 2A, SIDT");

/* A processor's exceptions while it is ours. */
struct exceptions {
    struct idt_gate gates[IDT_GATES]; /* the firmware's, some replaced */
    struct idt_register firmware;     /* what to go back to */
};

/* On the calling processor. */
void exceptions_install(struct exceptions *mine);
void exceptions_remove(const struct exceptions *mine);

/* Runs job(processor, context) on the calling processor, whose number is
 * `processor`. False where an exception that no fix-up knows ended it; it is
 * then in *exception. */
bool exceptions_guard(unsigned processor,
                      void (*job)(unsigned processor, void *context),
                      void *context, struct hw_exception *exception);

/* --- apic.c (hw_x2apic too) ------------------------------------------------- */

#define APIC_LVT_MAX 7

struct apic_saved {
    uint32_t lvt[APIC_LVT_MAX];
    uint64_t deadline; /* IA32_TSC_DEADLINE, 0 where not in use */
    bool usable;       /* the local APIC is enabled */
};

/* Masks every LVT entry of the calling processor, and puts all back. */
void apic_mask(struct apic_saved *saved);
void apic_restore(const struct apic_saved *saved);

/* SDM 3A, "Local Vector Table": delivery mode [10:8], mask [16]. */
#define APIC_LVT_NMI    (4u << 8)
#define APIC_LVT_MASKED (1u << 16)

/* Sets the calling processor's LVT entry for counters. False where its local
 * APIC is not enabled; *old is then not changed. */
bool apic_swap_counters_entry(uint32_t entry, uint32_t *old);
void apic_end_of_interrupt(void);

/* The APIC ID of the calling processor, by CPUID.0BH or CPUID.1. */
uint32_t apic_id(void);

/* --- pmi.c (hw_pmi_* too) ------------------------------------------------ */

/* Of the highest priority class, and not the spurious vectors in use (0FH and
 * FFH). exception_entry.asm pushes it too. */
#define PMI_VECTOR 0xfd

/* True where this vector is a performance-monitoring interrupt between
 * hw_pmi_begin() and hw_pmi_end(): it is then counted. */
bool pmi_handle(uint64_t vector);
/* True between hw_pmi_begin() and hw_pmi_end() on that processor. */
bool pmi_active(unsigned processor);

/* --- bsp_jobs.c (hw_on_poll, hw_poll too) -------------------------------- */

/* Runs the job on the calling processor, which is the boot processor. */
void bsp_run(struct hw_result *result, void (*job)(unsigned, void *),
             void *context);
/* Reads the boot processor, which need not be started for it. */
void bsp_identify(struct identity *out);
/* Calls it on the boot processor with the firmware usable: out of the job that
 * it is in, if any, and back into it. */
void bsp_outside(void (*call)(void *context), void *context);
/* Of the boot processor: what hw_poll() does where it is due. */
void bsp_poll(void);

/* --- processors.c -------------------------------------------------------- */

/* Asks the firmware's MP services to bring every other processor into a worker.
 * NULL, or one line saying what is missing; the run goes on either way.
 */
bool processors_start(const char **warning);
/* Sends the workers back to the firmware. False where one is, or may come to be,
 * inside our code, which must then not be given back to the firmware. */
bool processors_stop(void);
/* The number of the calling processor. */
unsigned processors_self(void);

/* --- serial.c, screen.c, report_copy.c: false where there is none ---------- */

/* *which names the port, for the report; NULL where there is none. */
bool serial_open(const struct options *options, struct sink *out,
                 const char **which, struct warnings *warnings);
bool screen_open(struct sink *out);
/* The report so far, for the screen. */
bool report_copy_open(struct sink *out);
const char *report_copy_text(size_t *bytes);
/* file.c, beside src/store/volume.h. */
/* Reads at most `bytes` of a file of the boot volume; its length, 0 if none. */
size_t file_read(const CHAR16 *path, char *text, size_t bytes);
/* All of the file of that name, from the volume's root on, in memory that was
 * allocated for it (pages.c); NULL, and *why, where it cannot be read. */
void *file_load(const char *name, size_t *bytes, const char **why);
/* Before the power goes: closes what is open, and waits for a USB stick. */
void file_finish(void);

/* --- console.c: the firmware's console, which may be absent -------------- */

/* At least 20 by 5; 80 by 25 where the console does not say. */
void console_size(SIMPLE_TEXT_OUTPUT_INTERFACE *console, unsigned *columns,
                  unsigned *rows);
void console_write(SIMPLE_TEXT_OUTPUT_INTERFACE *console, const char *text,
                   size_t bytes);
bool console_has_keys(void);
/* KEY_NONE where none was pressed: does not wait. */
struct key console_key(void);
void console_forget_keys(void);

/* --- ui.c ---------------------------------------------------------------- */

/* Says that an interrupted run is there; true where it is to be continued, as
 * it is unless "n" is pressed within so many seconds. */
bool ui_offer(const char *offer, unsigned seconds);
/* The countdown, and the menu where a key is pressed. Never MENU_STAY. */
enum menu_action ui_before(struct options *options);
/* The report, by pages, and the menu. Does not return without a keyboard. */
enum menu_action ui_after(struct options *options);

/* --- option_sources.c ----------------------------------------------------------- */

/* \tsxpmu.cfg on the boot volume, then the load options; later ones win. */
void options_gather(struct options *out, struct warnings *warnings);

#endif
