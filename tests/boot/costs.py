# SPDX-License-Identifier: BSD-2-Clause
"""What simulation costs under an operating system, by the clock of the machine
below: costs.c says when each thing begins and ends."""

import os
import re
import time
from typing import Iterator

import figures
import linux
import takeover

PROGRAM = "build/costs.efi"
CPU = "skylake-2018"
LINE = re.compile(rb"^costs: (?:(\w+) begins (\d+)|ends)\r?\n", re.M)
# What costs.c calls it: what it is, and in which unit.
NAMES = {
    "free": ("an instruction, where nothing is counted", "ns"),
    "counted": ("the same, instructions or cycles counted", "ns"),
    "loop": ("the same of a loop, branches counted", "ns"),
    "step": ("one of calls, branches counted", "us"),
    "load": ("the same, loads counted", "us"),
    "single_step": ("the same of calls, each as a step", "us"),
    "single_load": ("the same of loads, each as a step", "us"),
    "exit": ("an exit", "us"),
    "transaction": ("a transaction of one store, its exits included", "us"),
}
PER_SECOND = {"ns": 1e9, "us": 1e6}


class Clock:
    """Takes the serial port's text as it comes; seconds by what was measured."""

    def __init__(self) -> None:
        self.text, self.seen = b"", 0
        self.seconds: dict[str, float] = {}
        self.running, self.times, self.since = "", 1, 0.0

    def __call__(self, part: bytes) -> None:
        self.text += part
        for line in list(LINE.finditer(self.text))[self.seen:]:
            self.seen += 1
            if line[1]:
                self.running, self.times = line[1].decode(), int(line[2])
                self.since = time.monotonic()
            else:
                self.seconds[self.running] = (time.monotonic() - self.since) / self.times


def shell() -> Iterator[tuple[str, str]]:
    """Where make linux has fetched a kernel."""
    if os.path.exists(linux.STICK):
        since = time.monotonic()
        text, failure = linux.boot("pages")
        yield ("power-on to Linux' shell and off",
               failure or f"{time.monotonic() - since:.1f} s")
        for what, name in (("looked at", "pages of code executed until then"),
                           ("stepped", "of them stepped, because they seem to have TSX instructions")):
            if said := re.search(rf"^pages: {what} (\d+)$", text, re.M):
                yield name, f"{int(said[1]):,}"


def run() -> Iterator[str]:
    """Problems."""
    clock = Clock()
    text, failure = takeover.boot(PROGRAM, CPU, stream=clock)
    if failure or set(clock.seconds) != set(NAMES):
        yield f"{failure or 'not all was measured'}: {text[-300:]}"
        return
    rows = [(name, f"{clock.seconds[key] * PER_SECOND[unit]:.2f} {unit}")
            for key, (name, unit) in NAMES.items()]
    ratios = [(f"{name}, so many times faster than as steps",
               f"{clock.seconds['single_' + key] / clock.seconds[key]:.1f}")
              for key, name in (("step", "branches"), ("load", "loads"))]
    figures.write("costs", figures.table(("figure", "measured"), rows + ratios + list(shell())))
