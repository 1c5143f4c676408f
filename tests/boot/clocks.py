# SPDX-License-Identifier: BSD-2-Clause
"""One ratio between all clocks of the simulated processor, whether a counter
runs or not, and whether instructions are stepped: clocks.c measures."""

import re
from typing import Callable, Iterable, Iterator

import takeover

PROGRAM = "build/clocks.efi"
CPU, SEED = "icelake-server", 2  # an instruction takes two cycles
TSC_HZ, PM_TIMER_HZ = 1_000_000_000, 3_579_545
WITHIN = 0.01
AUX = 0x80000005  # what RDTSCP has to give beside the time
LINE = re.compile(r"^clocks: (\w+) tsc (\d+) apic (\d+) pm (\d+) cycles (\d+) reference (\d+)"
                  rf" tscp (\d+) aux {AUX}$", re.M)
MEASURED = ("none", "cycles", "branches")


def ratios(text: str) -> dict[str, dict[str, float]]:
    """Of each clock to the TSC, by what was measured."""
    found = {}
    for what, *numbers in LINE.findall(text):
        tsc, apic, pm, cycles, reference, tscp = map(int, numbers)
        found[what] = {"RDTSCP": tscp / tsc, "APIC timer": apic / tsc,
                       "PM timer": pm / tsc * TSC_HZ / PM_TIMER_HZ}
        if what != "none":
            found[what] |= {"cycles": cycles / tsc, "reference cycles": reference / tsc}
    return found


def agree(cpu: str, seed: int) -> Iterator[str]:
    text, failure = takeover.boot(PROGRAM, cpu, seed)
    found = ratios(text)
    if failure or tuple(found) != MEASURED:
        yield f"{failure or 'not all was measured'}: {text[-300:]}"
        return
    for what, clocks in found.items():
        for clock, ratio in clocks.items():
            wanted = found["cycles"]["cycles"] if clock == "cycles" else 1
            if not abs(ratio / wanted - 1) <= WITHIN:
                yield f"{what}: {clock} to the TSC is {ratio:.4f}, wanted {wanted:.4f}"


def run(result: Callable[[str, Iterable[str]], None]) -> None:
    result(f"boot: one ratio between all clocks, {CPU}, seed {SEED}", agree(CPU, SEED))
