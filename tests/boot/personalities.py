# SPDX-License-Identifier: BSD-2-Clause
"""Boots of the personalities: no test fails on a processor without a fault, what has
to run there does run (expected.py), and what is certain to be observed is."""

import dataclasses
import re
from typing import Any, Callable, Iterable, Iterator

import expected
import ktap
import observed
from boots import BYTES_MOST, Boot, Outcome, all_of, at_most, clean, clean_by_threads, restored


def left_out(report: ktap.Report, cpu: str) -> Iterator[str]:
    """A test that passes does so on each processor, but for those that the cores of
    a hybrid's second kind have to leave out."""
    skipped: list[str] = []
    excused = expected.second_kind(cpu)
    for line in report.body.splitlines():
        if re.match(r"# processors? \d.*: SKIP: ", line):
            skipped.append(line)
        elif result := ktap.result_of(line):
            left = skipped if result.verdict == "PASS" else []
            if result.name in excused and result.verdict == "PASS" and not left:
                yield f"{result.name} is not left out by any processor"
            for each in left if result.name not in excused else []:
                yield f"{result.name} is left out: {each}"
            skipped = []


def personalities(seeds: Iterable[int], trials: int, apart: int = 0,
                  suite: Callable[[str, str], str] = lambda cpu, smt: "*"
                  ) -> Iterator[Boot]:
    """Every personality, with and without SMT, nothing wrong with it, and what of
    the tests suite() says, if any; each seed begins so many nanoseconds after the one
    before."""
    for cpu, smt, all_passing in expected.runs():
        tests = suite(cpu, smt)
        if not tests:
            continue

        def runs(report: ktap.Report, outcome: Outcome,
                 passing: list[str] = expected.of_suite(tests, all_passing),
                 cpu: str = cpu
                 ) -> Iterator[str]:
            got = report.with_verdict("PASS")
            for name in sorted(set(passing) ^ set(got)):
                yield name + (" did not pass" if name in passing
                              else " passed: runs.txt does not expect it to run")
            yield from left_out(report, cpu)
        for seed in seeds:
            yield Boot(f"{cpu} smt={smt} seed={seed}", all_of(clean, runs),
                       {"cpu": cpu, "smt": smt, "seed": seed,
                        "offset": apart * seed}, f"trials={trials} tests={tests}")


APART = 137911  # ns between the starts of two seeds
SLICES = 24  # of the tests that a personality passes, for a short boot


def many(count: int) -> Iterator[Boot]:
    """So many short boots, each with another seed and another start: some tests of a
    personality, others the next time that it comes round."""
    runs = list(expected.runs())
    for n in range(count):
        *here, passing = runs[n % len(runs)]
        these = ",".join(passing[n // len(runs) % SLICES::SLICES])

        def suite(cpu: str, smt: str) -> str:
            return these if [cpu, smt] == here else ""
        yield from personalities([n + 1], 2, APART, suite)


def threaded(smp: int, tests: str, seed: int = 1) -> Boot:
    """Each processor is a thread of QEMU's, which knows no turns."""
    return Boot(f"simulated, {smp} processors, each a thread of QEMU's, seed={seed}: {tests}",
                clean_by_threads, {"cpu": "skylake-2018", "turns": "off", "seed": seed},
                f"tests={tests} trials=20", smp=smp, machine={"icount": False})


def with_threads(count: int) -> Iterator[Boot]:
    """So many of these, a suite each."""
    for n in range(count):
        yield threaded((2, 4)[n % 2], expected.SUITES[n // 2 % len(expected.SUITES)], n + 1)


TRIALS_AS_SOLD = 20
ERRATA = "tests/silicon/personalities/common/errata.c"


def as_sold(seeds: Iterable[int], trials: int, smp: int = 2,
            part: int | None = None) -> Iterator[Boot]:
    """Processors with their errata: what passes on the exact one passes, or is KNOWN
    by errata that the simulated processor has. part: which suite each runs."""
    with open(ERRATA, encoding="ascii") as file:
        published = set(re.findall(r'"([A-Z]{2,3}\d{3})"', file.read()))

    def known(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        for result, _ in ktap.results(report.body):
            if result.verdict == "KNOWN" and not set(result.reason.split()) <= published:
                yield f"{result.name} is KNOWN by {result.reason}: not one that is simulated"
        listed = set(re.findall(r"^# summary: KNOWN: (\w+)", report.text, re.M))
        for name in sorted(listed ^ set(report.with_verdict("KNOWN"))):
            yield f"{name}: the summary and its result differ in whether it is KNOWN"

    for n, (cpu, all_passing) in enumerate(expected.as_sold(smp)):
        tests = expected.suite(n, part)

        def runs(report: ktap.Report, outcome: Outcome,
                 passing: list[str] = expected.of_suite(tests, all_passing)
                 ) -> Iterator[str]:
            got = report.with_verdict("PASS") + report.with_verdict("KNOWN")
            wrong = (set(passing) ^ set(got)).union(report.with_verdict("FAIL"),
                                                    report.with_verdict("ERROR"))
            for name in sorted(wrong):
                yield f"{name} is {report.results.get(name, 'not there')}"
        for seed in seeds:
            yield Boot(f"{cpu} seed={seed}, {smp} processors",
                       all_of(restored, known, runs, at_most(BYTES_MOST)),
                       {"cpu": cpu, "seed": seed}, f"trials={trials} tests={tests}",
                       smp=smp, timeout=600)


def observing(suites: dict[tuple[str, str], str]) -> Iterator[Boot]:
    """Every personality, with SMT and without, and what is certain to be observed is.
    suites: what each runs of the tests."""
    def suite(cpu: str, smt: str) -> str:
        return suites.get((cpu, smt), "")

    for boot in personalities(observed.SEEDS[:1], observed.TRIALS, suite=suite):
        def sees(report: ktap.Report, outcome: Outcome,
                 config: dict[str, Any] = boot.config) -> Iterator[str]:
            yield from observed.problems(report, config["cpu"], config["smt"])
        yield dataclasses.replace(boot, options=f"{boot.options} {observed.VERBOSE}",
                                  want=all_of(boot.want, sees))
