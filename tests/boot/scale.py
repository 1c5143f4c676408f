# SPDX-License-Identifier: BSD-2-Clause
"""Machines of 1 to 64 processors: what a run takes, and how long its report is.

QEMU runs all of them in one thread: 64 simulated processors have a 64th of its
time each, so of their tests there are few here.
"""

import re

import figures as written
from boots import ALL, BYTES_MOST, Boot, all_of, at_most, boot_once, clean, has

FEW = "tests=force_abort_*,counter3_counts_alone,tsx_commit trials=2"
PATIENCE = 1200  # s: 64 processors take longer than a boot of `make test` may


# One line for all of them, not one for each.
summarized = all_of(has("^# regime B: "), has("^# summary: regime B: "))


def plain(processors):
    return Boot(f"plain QEMU, {processors} processors",
                all_of(clean, has(rf"^# processors: {processors}, ")),
                silicon=False, smp=processors, options=ALL)


def simulated(processors, tests):
    return Boot(f"simulated, {processors} processors, {tests}",
                all_of(clean, summarized, at_most(BYTES_MOST)),
                {"cpu": "skylake-2018"}, tests, smp=processors, whole=True)


def sample():
    yield simulated(16, FEW)


def everything():
    for processors in (1, 2, 8, 64):
        yield plain(processors)
    for processors in (1, 2, 8):
        yield simulated(processors, "trials=20")
    yield simulated(16, "trials=2")
    for processors in (1, 2, 8, 64):
        yield simulated(processors, FEW)


def measure(result):
    """One after another, with a line of figures each."""
    rows, failed = [], False
    for item in everything():
        figures = []

        def want(report, outcome, item=item, figures=figures):
            figures.append(f"{outcome.seconds:.1f} s from power-on to power-off, "
                           f"{len(report.body)} bytes of report, "
                           f"{len(report.results)} tests")
            # Where one line is for all, there is no line for each.
            longest = max((len(re.findall(r"^# processor \d+:", part, re.M))
                           for part in report.body.split("# running ")), default=0)
            figures.append(f"at most {longest} lines of single processors a test")
            name, tests = (item.name.split(", ") + ["all tests"])[::2]
            rows.append((name, tests, item.smp, outcome.seconds, len(report.body)))
            yield from item.want(report, outcome)

        problems = boot_once(Boot(**{**vars(item), "want": want, "timeout": PATIENCE}))
        result(f"{item.name}: " + ", ".join(figures), problems)
        failed = failed or bool(problems)
    if written.wanted() and not failed:
        written.scale(rows)
