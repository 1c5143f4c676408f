/* SPDX-License-Identifier: BSD-2-Clause */
/* machine.c - what goes wrong with processors and their microcode. */
#include "tests/silicon/faults/hooks.h"

FAULT(processor_lost,
      .what = "[any] the last processor never runs the procedure that it is "
              "to run",
      .caught = { "skylake-2018 on 2 force_abort_enumeration ERROR" })

FAULT(microcode_not_taken,
      .what = "[any] no microcode update is ever loaded")

FAULT(microcode_one_thread,
      .what = "[any] an update reaches the thread that loads it, not its core")

FAULT(microcode_differs,
      .what = "[any] odd processors report another microcode revision")
