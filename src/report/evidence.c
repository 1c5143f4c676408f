/* SPDX-License-Identifier: BSD-2-Clause */
/* evidence.c - writes the machine as it was found. */
#include "src/report/evidence.h"

#include "src/base/names.h"
#include "src/base/text.h"
#include "src/report/merge.h"

#define IDS_BYTES   200 /* of APIC IDs, with what does not fit as ".." */
#define IDS_ONE_MAX 12

/* --- The machine --------------------------------------------------------- */

static void write_date(struct ktap *out, const struct machine *m)
{
    if (m->year == 0)
        ktap_note(out, "machine: date: its clock cannot be read");
    else
        ktap_note(out, "machine: date: %04u-%02u-%02u %02u:%02u by its clock",
                  m->year, m->month, m->day, m->hour, m->minute);
}

static void write_id(struct ktap *out, const struct machine *m,
                     const struct options *options)
{
    char id[MACHINE_ID_BYTES];

    if (options->machine[0] != '\0')
        ktap_note(out, "machine: id: %s (machine=)", options->machine);
    else if (machine_id(m, id))
        ktap_note(out,
                  "machine: id: %s (hash of SMBIOS' UUID and serial "
                  "numbers)",
                  id);
    else
        ktap_note(out,
                  "machine: id: none: SMBIOS has neither a UUID nor serial "
                  "numbers; machine= gives one");
}

static void write_numbers(struct ktap *out, const struct machine *m)
{
    char uuid[2 * MACHINE_UUID_BYTES + 1] = "";

    for (unsigned i = 0; i < MACHINE_UUID_BYTES; i++)
        text_append(uuid, sizeof(uuid), "%02x", m->uuid[i]);
    ktap_note(out,
              "machine: UUID %s, serial numbers: system \"%s\", board \"%s\", "
              "chassis \"%s\"",
              uuid, m->text[MACHINE_SYSTEM_SERIAL],
              m->text[MACHINE_BOARD_SERIAL], m->text[MACHINE_CHASSIS_SERIAL]);
}

void evidence_machine(struct ktap *out, const struct machine *m,
                      const struct options *options)
{
    write_date(out, m);
    ktap_note(out, "machine: system: \"%s\" \"%s\", board \"%s\" \"%s\"",
              m->text[MACHINE_SYSTEM_VENDOR], m->text[MACHINE_SYSTEM],
              m->text[MACHINE_BOARD_VENDOR], m->text[MACHINE_BOARD]);
    ktap_note(out,
              "machine: BIOS: \"%s\" version \"%s\" of %s, firmware \"%s\" "
              "revision %XH, UEFI %u.%u",
              m->text[MACHINE_BIOS_VENDOR], m->text[MACHINE_BIOS_VERSION],
              m->text[MACHINE_BIOS_DATE], m->firmware, m->firmware_revision,
              m->uefi_revision >> 16, (m->uefi_revision & 0xffff) / 10);
    write_id(out, m, options);
    if (options->identity == IDENTITY_FULL)
        write_numbers(out, m);
}

/* --- Processors ---------------------------------------------------------- */

static void describe_msrs(struct test_context *t)
{
    const struct found *found = &t->found;
    char name[MSR_NAME_BYTES];

    for (unsigned i = 0; i < FOUND_MSRS; i++) {
        if (found->fault[i] == FOUND_NOT_READ)
            continue;
        msr_name(found_msrs[i], name);
        if (found->fault[i] == HW_NO_FAULT)
            note(t, "found: %s = 0x%lx", name, found->value[i]);
        else
            note(t, "found: RDMSR of %s raises %s", name,
                 fault_name(found->fault[i]));
    }
    if (found->lvt_known)
        note(t, "found: LVT performance counters = 0x%x", found->lvt);
}

static void describe_leaves(struct test_context *t)
{
    for (unsigned i = 1; i < FOUND_LEAVES; i++) { /* of leaf 1 the header */
        const struct found_leaf *leaf = &t->found.leaves[i];
        const struct hw_cpuid *value = &leaf->value;
        if (leaf->present &&
            (value->eax | value->ebx | value->ecx | value->edx) != 0)
            note(t,
                 "found: CPUID.%02XH.%u: EAX = 0x%x, EBX = 0x%x, ECX = 0x%x, "
                 "EDX = 0x%x",
                 leaf->leaf, leaf->subleaf, value->eax, value->ebx, value->ecx,
                 value->edx);
    }
    note(t, "found: MAXPHYADDR = %u", t->cpu.physical_bits);
}

static void describe_memory(struct test_context *t)
{
    const struct found_memory *m = &t->found.memory;

    if (!m->mapped)
        note(t, "found: the tests' memory is not mapped");
    else
        note(t,
             "found: the tests' memory = 0x%lx, %u KiB, %s: %s by the MTRRs, "
             "%s by the PAT%s",
             m->physical, (unsigned)(m->bytes / 1024),
             m->contiguous ? "physically contiguous" : "in pieces", m->mtrr,
             m->pat, m->alike ? "" : ", but not all of it");
}

/* Which processor is which in another system's numbers. */
static void write_ids(struct ktap *out, const struct test_context contexts[],
                      unsigned count)
{
    char text[IDS_BYTES] = "";
    unsigned p = 0;

    for (; p < count && text_length(text) + IDS_ONE_MAX < IDS_BYTES; p++)
        if (contexts[p].lost)
            text_append(text, IDS_BYTES, " -");
        else
            text_append(text, IDS_BYTES, " %XH", contexts[p].cpu.apic_id);
    ktap_note(out, "APIC IDs of the processors, in their order:%s%s", text,
              p == count ? "" : " ..");
}

void evidence_processors(struct ktap *out, struct test_context contexts[],
                         unsigned count, const struct options *options)
{
    struct part parts[HW_PROCESSORS_MAX] = {{"", 0}};

    for (unsigned p = 0; p < count; p++) {
        struct test_context *t = &contexts[p];
        parts[p] = (struct part){"", 0};
        if (t->lost)
            continue;
        t->text_bytes = 0;
        describe_msrs(t);
        describe_leaves(t);
        describe_memory(t);
        parts[p] = (struct part){t->text, t->text_bytes};
    }
    merge_write(out, parts, count, options->verbosity != VERBOSITY_VERBOSE);
    write_ids(out, contexts, count);
}
