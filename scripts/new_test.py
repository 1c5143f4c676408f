#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the file that a new test starts from, one that passes, and its row in
tests/boot/needs.txt. `make new-test` has looked at the names."""

import glob
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NEEDS = "tests/boot/needs.txt"
NEEDED = "counters>=1"  # by the file as it is written here

START = r"""/* SPDX-License-Identifier: BSD-2-Clause */
/* @: what is measured, and what else it might have been. */
#include "src/harness/case.h"
#include "src/counting/counters.h"

TEST(@,
     .asks = "Does counter 0 count each branch of a window once, and no more?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 2\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const struct pmu_event branches = EVENT_BRANCHES;
    unsigned trials = test_trials(t, 100, 1), wrong = 0;
    struct counters counters;
    struct sample last = {0};

    /* Set-up. */
    if (!counters_claim(t) ||
        !counters_program(&counters, t, 1, &branches, true))
        return;

    /* Measured. */
    for (unsigned i = 0; i < trials; i++) {
        hw_poll();
        if (!counters_sample(&counters, window_plain, &last))
            return;
        wrong += last.gp[0] != window_plain_shape.branches;
    }

    /* Check. */
    check(t, wrong == 0,
          "IA32_PMC0 (C1H): %u of %u windows have not %u branches; the last "
          "has %lu",
          wrong, trials, window_plain_shape.branches,
          (unsigned long)last.gp[0]);
}
"""


def with_row(lines: list[str], name: str, room: list[str]) -> list[str]:
    """The lines with the row, among those of the room by name, else at the end."""
    row = f"{name:28}{NEEDED}\n"
    there = [n for n, line in enumerate(lines) if line.split()[:1] in [[r] for r in room]]
    after = [n for n in there if lines[n].split()[0] < name]
    at = after[-1] + 1 if after else there[0] if there else len(lines)
    return lines[:at] + [row] + lines[at:]


def main(name: str, room: str) -> None:
    os.chdir(ROOT)
    path = f"src/cases/{room}/{name}.c"
    beside = [os.path.basename(p).removesuffix(".c")
              for p in glob.glob(f"src/cases/{room}/*.c")]
    with open(NEEDS, encoding="ascii") as file:
        lines = with_row(file.readlines(), name, beside)
    with open(path, "x", encoding="ascii") as file:
        file.write(START.replace("@", name))
    with open(NEEDS, "w", encoding="ascii") as file:
        file.writelines(lines)
    subprocess.run([sys.executable, "tests/boot/expected.py"], check=True)
    print(f"{path}: the test; make run TESTS={name} runs it\n"
          f"{NEEDS}: its row; after a change of it, make table")


if __name__ == "__main__":
    main(*sys.argv[1:])
