/* SPDX-License-Identifier: BSD-2-Clause */
/* machine.c - what goes wrong with processors and their microcode. */
#include "tests/silicon/model/hooks.h"

FAULT(processor_lost,
      .what = "[any] the last processor never runs the procedure that it is "
              "to run",
      .caught = {"skylake-2018 on 2 force_abort_enumeration ERROR"})

FAULT(microcode_not_taken, .what = "[any] no microcode update is ever loaded")

FAULT(microcode_one_thread,
      .what = "[any] an update reaches the thread that loads it, not its core")

FAULT(microcode_differs,
      .what = "[any] odd processors report another microcode revision")

bool faults_processor_lost(const struct machine *m, unsigned index)
{
    return fault_is(m, FAULT_processor_lost) && index == m->processors - 1;
}

uint32_t faults_revision(const struct processor *p, uint32_t revision)
{
    if (has_fault(p, FAULT_microcode_differs) && p->index % 2 == 1)
        revision += 2;
    return revision;
}

bool faults_refuse_update(const struct processor *p)
{
    return has_fault(p, FAULT_microcode_not_taken);
}

bool faults_update_one_thread(const struct machine *m)
{
    return fault_is(m, FAULT_microcode_one_thread);
}
