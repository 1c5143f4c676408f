/* SPDX-License-Identifier: BSD-2-Clause */
/* machine.c - a machine and its processors in the state after reset. */
#include "tests/silicon/model/machine.h"

#include "tests/silicon/model/cpuid.h"
#include "tests/silicon/model/lbr/lbr.h"
#include "tests/silicon/model/leftovers.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/tsx/tsx.h"

#define TOPIC_EVENTS 100
#define TOPIC_TRACE  101
#define TOPIC_MEMORY 102
#define TOPIC_ERRATA 103

void machine_start(struct machine *m, const struct machine_config *config,
                   unsigned processors)
{
    *m = (struct machine){
        .cpu = config->cpu,
        .fault = config->fault,
        .seed = config->seed,
        .errata = config->errata | fault_entry(config->fault)->errata,
        .smi = config->smi,
        .force_abort = config->force_abort == FORCE_ABORT_AS_PERSONALITY
                           ? config->cpu->force_abort
                           : config->force_abort,
        .counter3 = config->counter3,
        .smt = config->smt && !config->cpu->one_thread,
        .leftovers = config->leftovers,
        .x2apic = config->x2apic,
        .os = config->os,
        .processors = processors,
    };
    if (m->cpu->as_sold && m->smi == 0)
        m->smi = 50 + m->seed % 8 * 50;
    uncore_start(m);
}

/* The later half of a hybrid machine's processors are of the second kind. */
static const struct personality *kind_of(const struct machine *m,
                                         unsigned index)
{
    return m->cpu->second != NULL && index >= (m->processors + 1) / 2
               ? m->cpu->second
               : m->cpu;
}

void processor_start(struct processor *p, struct machine *m, unsigned index,
                     unsigned apic_id)
{
    struct cpuid_result ignored;

    *p = (struct processor){
        .machine = m,
        .cpu = kind_of(m, index),
        .index = index,
        .apic_id = apic_id,
    };
    p->counters = m->smt ? p->cpu->counters_smt : p->cpu->counters_alone;
    p->fixed_counters = p->cpu->fixed_counters;
    m->processor[index] = p;
    for (unsigned n = 0; m->smt && n < PROCESSORS_MAX; n++) {
        struct processor *o = m->processor[n];

        if (o != NULL && o != p && o->apic_id / 2 == apic_id / 2) {
            p->sibling = o;
            o->sibling = p;
        }
    }
    choices_draw(&p->choices, m->seed, index);
    if (m->counter3 != DISTURB_ANY) { /* whatever does so does it visibly */
        p->choices.garble |= GARBLE_COUNT_JUMPS;
        p->choices.garble_one_in = 4;
    }
    random_start(&p->random, m->seed, index, TOPIC_EVENTS);
    random_start(&p->pt.random, m->seed, index, TOPIC_TRACE);
    random_start(&p->memory.random, m->seed, index, TOPIC_MEMORY);
    random_start(&p->errata.random, m->seed, index, TOPIC_ERRATA);
    if (fault_entry(m->fault)->errata != 0)
        p->choices.errata_one_in = 1;
    if (m->cpu->as_sold) {
        choices_draw_as_sold(&p->choices, m->seed);
        p->pmu.fixed_ctrl = PMU_FIRMWARE;
    }
    msr_reset(p);
    lbr_start(p);
    tsx_reset(p);
    if (m->leftovers || (m->cpu->as_sold && m->seed % 2 == 0))
        leftovers_draw(p);
    cpuid_execute(p, 1, 0, &ignored); /* as the firmware has */
}
