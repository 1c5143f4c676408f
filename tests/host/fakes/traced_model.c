/* SPDX-License-Identifier: BSD-2-Clause */
/* traced_model.c - the simulated processor, and memory that its trace goes to.
 */
#define _GNU_SOURCE
#include "tests/host/fakes/fake_clock.h"
#include "tests/host/fakes/traced_parts.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/cpuid.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/msr.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LOW        ((uint8_t *)0x20000000)
#define RECORDS_AT 0x10000 /* TEST_BUFFER_BYTES */
#define VECTOR_GP  13
#define PMI_VECTOR 0xfd /* of the harness */

struct traced_state traced;
struct processor traced_processor;
static struct machine machine;
static unsigned pmis;
bool traced_interrupts;
uint64_t traced_pmi_rip;
uint64_t traced_cr3, traced_cr4;
const char *traced_erratum;

static size_t memory_bytes; /* of traced_memory() */

static bool is_memory(uint64_t address, uint64_t bytes)
{
    const uint64_t offset = address - (uintptr_t)LOW;

    return offset < memory_bytes && bytes <= memory_bytes - offset;
}

static uint64_t read_word(uint64_t address)
{
    uint64_t word = 0;

    if (is_memory(address, sizeof(word)))
        memcpy(&word, (const void *)address, sizeof(word));
    return word;
}

/* An abort does not undo it. */
static void write_bytes(uint64_t address, const uint8_t *bytes, unsigned count)
{
    const uint64_t offset = address - (uintptr_t)traced_records();

    if (!is_memory(address, count))
        return;
    memcpy((void *)address, bytes, count);
    if (offset < sizeof(traced.records) &&
        count <= sizeof(traced.records) - offset)
        memcpy(traced.records + offset, bytes, count);
}

void traced_output(void)
{
    static const struct pt_memory memory = {read_word, write_bytes};

    pt_output(&traced_processor, &memory);
    pmis += traced_processor.pmu.pmi;
    traced.interrupted |= traced_processor.pmu.pmi && traced_interrupts;
    traced_processor.pmu.pmi = false;
}

struct pt_step traced_step(uint64_t ip, uint64_t next, uint32_t cycles)
{
    fake_tsc += cycles;
    return (struct pt_step){.ip = ip,
                            .next = next,
                            .cr3 = traced_cr3,
                            .tsc = fake_tsc,
                            .cs_l = !traced.is_32,
                            .cs_d = traced.is_32,
                            .cpl = traced.cpl,
                            .cycles = cycles,
                            .ptw = traced.ptw,
                            .interrupts = traced.if_set};
}

void traced_start(const char *name, const char *fault)
{
    struct machine_config config = {
        .cpu = personality_find(name), .seed = 2, .smt = true};

    if (config.cpu == NULL || !fault_find(fault, &config.fault))
        abort();
    if (traced_erratum != NULL) {
        config.errata = errata_find(config.cpu, traced_erratum);
        if (config.errata == 0)
            abort();
    }
    if (config.cpu != machine.cpu)
        traced_forget();
    memset(&traced, 0, sizeof(traced));
    machine_start(&machine, &config, 1);
    processor_start(&traced_processor, &machine, 0, 0);
}

void traced_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    struct cpuid_result result;

    cpuid_execute(&traced_processor, leaf, subleaf, &result);
    out[0] = result.eax;
    out[1] = result.ebx;
    out[2] = result.ecx;
    out[3] = result.edx;
}

bool traced_read(uint32_t number, uint64_t *value)
{
    return msr_read(&traced_processor, number, value);
}

/* The handler looks at something, and returns: JE to the next, IRETQ. */
static void handle(uint64_t came, uint64_t back, uint8_t vector, bool external)
{
    static const uint8_t handler[] = {0x74, 0x00, 0x48, 0xcf};
    const uint64_t at = (uintptr_t)handler, iretq = at + 2;
    const uint32_t cycles = traced_processor.choices.cycles_slow;
    struct pt_step steps[] = {traced_step(came, at, cycles),
                              traced_step(at, iretq, 1),
                              traced_step(iretq, back, cycles)};
    struct instruction i;

    steps[0].cpl = steps[1].cpl = 0;
    steps[0].from_user = traced.cpl > 0;
    steps[0].vector = vector;
    steps[0].external = external;
    if (!pt_tracing(&traced_processor))
        return;
    pt_event(&traced_processor, &steps[0]);
    for (unsigned n = 1; n <= 2; n++) {
        instruction_classify(&i, (const uint8_t *)steps[n].ip, 2);
        pt_retired(&traced_processor, &i, &steps[n]);
    }
    traced_output();
}

bool traced_write(uint32_t number, uint64_t value)
{
    const bool was = (traced_processor.pt.ctl & RTIT_TRACE_EN) != 0;

    if (!msr_write(&traced_processor, number, value)) {
        if (!traced.stepped) /* else it is played: traced_deliver() */
            handle(traced.at, traced.next, VECTOR_GP, false);
        return false;
    }
    if (!pt_is_switched(&traced_processor, was, number))
        return true;
    const struct pt_step now = traced_step(
        traced.at, traced.next, traced_processor.choices.cycles_slow);
    if ((traced_processor.pt.ctl & RTIT_TRACE_EN) != 0)
        pt_started(&traced_processor, &now);
    else
        pt_stopped(&traced_processor, &now);
    traced_output();
    return true;
}

unsigned traced_pmis(void)
{
    return pmis;
}

void traced_branches(unsigned count)
{
    const struct retirement r = {.instructions = 1,
                                 .branch = INSTRUCTION_BRANCH,
                                 .taken = true,
                                 .cycles = 1};

    while (count-- > 0)
        counters_retire(&traced_processor, &r);
}

size_t traced_faults(void)
{
    return FAULT_COUNT;
}

bool traced_fault(size_t n, unsigned boot, const char **name,
                  const char **caught)
{
    const struct fault *f = fault_entry(n);

    if (f == NULL || boot >= FAULT_BOOTS_MAX || f->caught[boot] == NULL)
        return false;
    *name = f->name;
    *caught = f->caught[boot];
    return true;
}

void traced_interrupt(uint64_t back)
{
    traced.interrupted = false;
    if (traced_pmi_rip == 0)
        traced_pmi_rip = back;
    handle(faults_pt_value(&traced_processor, PT_INTERRUPT_IP, back), back,
           PMI_VECTOR, true);
}

void traced_retired(uint64_t next)
{
    const uint32_t cycles =
        choices_cycles(&traced_processor.choices, traced.current.flags);
    const bool conditional =
        (traced.current.flags & INSTRUCTION_CONDITIONAL) != 0;
    const struct retirement r = {
        .instructions = 1,
        .branch = (uint8_t)(traced.current.flags & INSTRUCTION_BRANCHES),
        .indirect = (traced.current.flags & INSTRUCTION_INDIRECT) != 0,
        .taken = !conditional || next != traced.at + traced.current.length,
        .in_tx = traced.depth != 0,
        .user = traced.cpl > 0,
        .cycles = cycles};

    traced_keep(next);
    counters_retire(&traced_processor, &r);
    const struct pt_step now = traced_step(traced.at, next, cycles);
    if (!pt_tracing(&traced_processor))
        return;
    pt_retired(&traced_processor, &traced.current, &now);
    pt_overflow(&traced_processor, &now);
    traced_output();
    if (traced.interrupted && traced.depth == 0)
        traced_interrupt(next);
}

uint8_t *traced_records(void)
{
    return LOW + RECORDS_AT;
}

void *traced_memory(size_t bytes)
{
    static void *memory;

    if (memory == NULL)
        memory = mmap(LOW, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != LOW)
        abort();
    memory_bytes = bytes;
    return memory;
}
