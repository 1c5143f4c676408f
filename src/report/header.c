/* SPDX-License-Identifier: BSD-2-Clause */
/* header.c - writes the lines about the machine. */
#include "src/report/header.h"

#include "src/cpu/cpuid_bits.h"
#include "src/cpu/products.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/report/merge.h"

#define CORES_BYTES 400
#define MSRS_BYTES  120

void header_made_on(struct ktap *out, const struct identity *id)
{
    if (id->vendor[0] == '\0')
        ktap_note(out, "made on: not known");
    else if (!id->hypervisor)
        ktap_note(out, "made on: a bare machine (no hypervisor enumerated)");
    else if (text_equal(id->hypervisor_name, IDENTITY_SIMULATED))
        ktap_note(out, "made on: a SIMULATED processor, not silicon: nothing "
                       "below says anything about a real one");
    else
        ktap_note(out,
                  "made on: a virtual machine, hypervisor \"%s\": the results "
                  "depend on it as much as on the processor",
                  id->hypervisor_name);
}

static void describe_identity(struct test_context *t)
{
    const struct identity *id = &t->cpu;
    char microcode[40] = "microcode revision not readable";

    if (id->microcode_known)
        text_format(microcode, sizeof(microcode), "microcode %XH",
                    id->microcode);
    note(t, "%s %02X_%02XH stepping %u, %s, \"%s\"", id->vendor, id->family,
         id->model, id->stepping, microcode, id->brand);
    if (id->core_type != 0)
        note(t, "core type %XH (CPUID.1AH:EAX[31:24]) of a hybrid processor",
             id->core_type);
}

static void describe_features(struct test_context *t)
{
    const struct identity *id = &t->cpu;

    note(
        t,
        "performance monitoring version %u, %u general-purpose counters of %u "
        "bits, %u fixed counters of %u bits, PEBS format %u, full-width writes "
        "%s",
        id->perfmon_version, id->counters, id->counter_bits, id->fixed_counters,
        id->fixed_bits, id->pebs_format + id->pebs_area_5 + id->pebs_counters,
        id->full_width_writes ? "yes" : "no");
    note(t, "%s %u, %s %u, %s %u, %s %u", cpuid_bit_name(CPUID_HLE), id->hle,
         cpuid_bit_name(CPUID_RTM), id->rtm,
         cpuid_bit_name(CPUID_RTM_ALWAYS_ABORT), id->rtm_always_abort,
         cpuid_bit_name(CPUID_TSX_FORCE_ABORT), id->tsx_force_abort);
}

/* "; TSX_FORCE_ABORT (10FH) = 0", or "raises #GP". */
static void describe_msr(char out[MSRS_BYTES], uint32_t msr, int fault,
                         uint64_t value)
{
    char name[MSR_NAME_BYTES];

    if (fault == HW_NO_FAULT)
        text_append(out, MSRS_BYTES, "; %s = 0x%lx", msr_name(msr, name),
                    value);
    else if (fault != REGIME_NOT_READ)
        text_append(out, MSRS_BYTES, "; RDMSR of %s raises %s",
                    msr_name(msr, name), vector_name((unsigned)fault));
}

static void describe_regime(struct test_context *t)
{
    const struct regime_evidence *e = &t->evidence;
    char msrs[MSRS_BYTES] = "", place[4][CPUID_BIT_BYTES];

    note(t, "regime %s: %s", regime_name(t->regime), regime_meaning(t->regime));
    if (t->regime == REGIME_NONE)
        return;
    describe_msr(msrs, TSX_FORCE_ABORT, e->fault_10f, e->value_10f);
    describe_msr(msrs, IA32_TSX_CTRL, e->fault_122, e->value_122);
    describe_msr(msrs, IA32_MCU_OPT_CTRL, e->fault_123, e->value_123);
    note(t, "evidence: %s = %u, %s = %u, %s = %u, %s = %u%s",
         cpuid_bit_place(CPUID_TSX_FORCE_ABORT, place[0]),
         t->cpu.tsx_force_abort,
         cpuid_bit_register(CPUID_RTM_ALWAYS_ABORT, place[1]),
         t->cpu.rtm_always_abort, cpuid_bit_register(CPUID_RTM, place[2]),
         t->cpu.rtm, cpuid_bit_register(CPUID_HLE, place[3]), t->cpu.hle, msrs);
}

static void describe_products(struct test_context *t)
{
    const struct product *row = products_find(&t->cpu);

    if (t->regime == REGIME_NONE)
        return;
    for (enum product_table table = 0; table < PRODUCT_TABLES; table++)
        note(t, "white paper 604224, table %s: %s%s%s%s",
             products_table_name(table),
             products_verdict(table, &t->cpu, t->regime),
             row != NULL ? " (" : "", row != NULL ? row->name : "",
             row != NULL ? ")" : "");
}

static void describe(struct test_context *t)
{
    describe_identity(t);
    describe_features(t);
    describe_regime(t);
    describe_products(t);
}

/* White paper 604224, footnote 1: eight counters where hyper-threading is off,
 * on the processors that it is about. */
static void write_counters(struct ktap *out, const struct identity *id,
                           bool shared)
{
    if (products_find(id) == NULL || id->counters == 0)
        return;
    ktap_note(out, "counters: %u general-purpose ones for each processor, %s%s",
              id->counters,
              shared ? "which share cores; with hyper-threading off a core has "
                       "8 (white paper 604224, footnote 1)"
                     : "which has its core for itself; 8 where hyper-threading "
                       "is off (white paper 604224, footnote 1)",
              shared && id->counters > 4 ? ": MISMATCH" : "");
}

static void write_cores(struct ktap *out, const struct test_context contexts[],
                        unsigned count)
{
    char text[CORES_BYTES] = "";
    bool shared = false;

    for (unsigned p = 0; p < count; p++) {
        bool first = !contexts[p].lost;
        for (unsigned q = 0; q < p; q++)
            first = first &&
                    (contexts[q].lost ||
                     !identity_siblings(&contexts[q].cpu, &contexts[p].cpu));
        const char *between = text[0] != '\0' ? ", " : "";
        for (unsigned q = p; first && q < count; q++) {
            if (contexts[q].lost ||
                !identity_siblings(&contexts[p].cpu, &contexts[q].cpu))
                continue;
            text_append(text, CORES_BYTES, "%s%u", between, q);
            shared = shared || q != p;
            between = "+";
        }
    }
    if (!contexts[0].cpu.topology_known)
        ktap_note(out, "cores: not known (no CPUID.0BH)");
    else if (shared)
        ktap_note(out, "processors that share a core: %s%s", text,
                  text_length(text) + 1 == CORES_BYTES ? ".." : "");
    else
        ktap_note(out, "cores: each processor has one of its own");
    if (contexts[0].cpu.topology_known)
        write_counters(out, &contexts[0].cpu, shared);
}

void header_processors(struct ktap *out, struct test_context contexts[],
                       unsigned count)
{
    struct part parts[HW_PROCESSORS_MAX];
    bool differ = false;

    for (unsigned p = 0; p < count; p++) {
        struct test_context *t = &contexts[p];
        if (!t->lost)
            describe(t);
        parts[p] = t->lost
                       ? (struct part){t->loss_line, text_length(t->loss_line)}
                       : (struct part){t->text, t->text_bytes};
        differ = differ || !merge_same(&parts[0], &parts[p]);
    }
    ktap_note(out, "processors: %u, jobs run %s%s%s", count,
              hw_run_is_parallel() ? "at the same time" : "one after another",
              hw_x2apic() ? ", local APICs in x2APIC mode" : "",
              count > 1 ? "; a line that names no processor is of all" : "");
    merge_write(out, parts, count, false);
    if (differ)
        ktap_note(out, "the processors differ: see the lines that do not name "
                       "all of them");
    write_cores(out, contexts, count);
}
