/* SPDX-License-Identifier: BSD-2-Clause */
/* microcode_update.c - the few lines that write IA32_BIOS_UPDT_TRIG (79H). */
#include "src/session/microcode_update.h"

#include "src/base/msr.h"
#include "src/cpu/caches.h"

#define LOAD_MS          10000 /* on one core; some take seconds */
#define LLC_PER_CORE_MAX UINT64_C(2621440)

const struct test update_test = {
    .name = "microcode_update",
    .asks = "Does every core take the update, and show its revision?",
    .cite = "SDM 3A, \"Microcode Update Facilities\", \"Microcode Update "
            "Loader\", \"Update Signature and Verification\"",
    .scope = EACH_PROCESSOR,
};

bool update_asked_for(const struct options *options)
{
    return options->microcode[0] != '\0' &&
           (options->allow & ALLOW_MICROCODE) != 0;
}

/* True where processors= includes some and excludes some. */
static bool excludes_some(const struct options *options, unsigned processors)
{
    unsigned wanted = 0;

    for (unsigned p = 0; p < processors; p++)
        wanted += options_want_processor(options, p);
    return wanted != 0 && wanted != processors;
}

void update_choose(struct update *out, const struct session_setup *setup,
                   struct jobs *jobs)
{
    static const struct test identify_test = {.name = "identify"};
    const struct identity *cpu = &jobs->contexts[0].cpu;

    *out = (struct update){.why = ""};
    for (unsigned p = 0; p < jobs->processors; p++)
        jobs->set[p] = p == 0;
    context_begin(&jobs->contexts[0], &identify_test, 0);
    jobs_identify(jobs);
    if (!cpu->microcode_known || !cpu->platform_known)
        text_format(out->why, sizeof(out->why),
                    "the processor's revision (8BH) or its platform (17H) "
                    "cannot be read");
    else if (cpu->hypervisor &&
             !text_equal(cpu->hypervisor_name, IDENTITY_SIMULATED))
        text_format(out->why, sizeof(out->why),
                    "this is a virtual machine, and updates are its host's");
    else if (excludes_some(setup->options, jobs->processors))
        text_format(out->why, sizeof(out->why),
                    "processors= excludes some, which would keep their old "
                    "revision");
    else if (setup->microcode == NULL)
        text_format(out->why, sizeof(out->why), "%s", setup->microcode_missing);
    else if (!microcode_find(setup->microcode, setup->microcode_bytes,
                             cpu->signature, cpu->platform, cpu->microcode,
                             &out->found, out->why))
        out->found.revision = 0;
}

/* CPUID.04H: bytes of the last-level cache, which is unified and of level 3. */
static uint64_t last_level_bytes(const struct identity *id)
{
    struct hw_cpuid r;

    if (!caches_find(id, 3, &r) || (r.eax & 0x1f) != 3)
        return 0;
    return ((uint64_t)(r.ebx >> 22) + 1) * ((r.ebx >> 12 & 0x3ff) + 1) *
           ((r.ebx & 0xfff) + 1) * ((uint64_t)r.ecx + 1);
}

static bool is_first_of_core(const struct jobs *jobs, unsigned processor)
{
    for (unsigned p = 0; p < processor; p++)
        if (identity_siblings(&jobs->contexts[p].cpu,
                              &jobs->contexts[processor].cpu))
            return false;
    return true;
}

/* Erratum BDF90: on 06_4FH stepping 1 below revision 0B000021H, with more than
 * 2.5 MB of the last-level cache for each core, loading an update at run time
 * may hang the machine (Linux, arch/x86/kernel/cpu/microcode/intel.c). */
static bool may_hang(const struct jobs *jobs)
{
    const struct identity *first = &jobs->contexts[0].cpu;
    unsigned cores = 0;

    if (first->family != 6 || first->model != 0x4f || first->stepping != 1 ||
        first->microcode >= 0x0b000021)
        return false;
    for (unsigned p = 0; p < jobs->processors; p++)
        cores += jobs->contexts[p].cpu.apic_id >> first->core_shift ==
                     first->apic_id >> first->core_shift &&
                 is_first_of_core(jobs, p);
    /* What is not known is not safe. */
    uint64_t bytes = last_level_bytes(first);
    return bytes == 0 || !first->topology_known ||
           bytes > cores * LLC_PER_CORE_MAX;
}

/* NULL, or why no processor is updated. */
static const char *why_refused(const struct update *update,
                               const struct jobs *jobs)
{
    const struct identity *first = &jobs->contexts[0].cpu;

    if (update->found.revision == 0)
        return update->why;
    if (jobs_answering(jobs) != jobs->processors)
        return "a processor does not answer, and its state is not "
               "known";
    if (may_hang(jobs))
        return "erratum BDF90: below revision 0B000021H this processor may "
               "hang; only firmware can load it";
    for (unsigned p = 1; p < jobs->processors; p++) {
        const struct identity *cpu = &jobs->contexts[p].cpu;
        if (cpu->signature != first->signature ||
            cpu->platform != first->platform)
            return "the processors are not of one kind";
        if (!microcode_is_newer(update->found.revision, cpu->microcode))
            return "another processor has this revision or a newer one";
    }
    return NULL;
}

static const void *loaded; /* the data */

static void load_job(unsigned processor, void *context)
{
    struct jobs *jobs = context;
    struct test_context *t = &jobs->contexts[processor];
    int vector = hw_msr_write(IA32_BIOS_UPDT_TRIG, (uint64_t)(uintptr_t)loaded);

    check(t, vector == HW_NO_FAULT,
          "WRMSR of IA32_BIOS_UPDT_TRIG (79H) raises vector %d", vector);
}

unsigned update_load(const struct update *update, struct jobs *jobs)
{
    const char *why = why_refused(update, jobs);
    unsigned loads = 0, shown = 0; /* by how many */
    bool going = true;

    for (unsigned p = 0; p < jobs->processors; p++) {
        context_begin(&jobs->contexts[p], &update_test, 0);
        jobs->contexts[p].end = HW_DONE;
        if (why != NULL && !jobs->contexts[p].lost)
            broken(&jobs->contexts[p], "refused, and nothing written: %s", why);
    }
    if (why != NULL)
        return 0;

    loaded = update->found.data;
    for (unsigned p = 0; going && p < jobs->processors; p++) {
        if (!is_first_of_core(jobs, p))
            continue;
        for (unsigned q = 0; q < jobs->processors; q++)
            jobs->set[q] = q == p;
        jobs_run(jobs, LOAD_MS, load_job);
        going = jobs->contexts[p].verdict == VERDICT_PASS;
        loads += going;
    }
    for (unsigned p = 0; p < jobs->processors; p++)
        jobs->set[p] = !jobs->contexts[p].lost;
    jobs_identify(jobs);
    for (unsigned p = 0; p < jobs->processors; p++) {
        struct test_context *t = &jobs->contexts[p];
        if (t->lost)
            continue;
        note(t,
             "loaded on %u cores, by one processor of each; it stays until the "
             "machine is reset",
             loads);
        shown += check(
            t, t->cpu.microcode == update->found.revision,
            "IA32_BIOS_SIGN_ID (8BH) shows revision %XH after the update to "
            "%XH",
            t->cpu.microcode, update->found.revision);
    }
    return shown;
}
