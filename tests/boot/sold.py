# SPDX-License-Identifier: BSD-2-Clause
"""Processors as sold over many seeds (`make soak SOLD=1,2`): a line for each boot,
with FAIL, ERROR and all else that is wrong, and with the errata that it showed; at
the end a table."""

import collections
import concurrent.futures
import dataclasses
import fnmatch
from typing import Callable, Iterable

import boots
import expected
import ktap
import personalities


@dataclasses.dataclass
class Row:
    """Of one personality, with so many processors."""

    boots: int = 0
    verdicts: collections.Counter[str] = dataclasses.field(
        default_factory=collections.Counter)  # tests that are FAIL, ERROR, KNOWN
    wrong: int = 0  # boots with a problem
    errata: collections.Counter[str] = dataclasses.field(
        default_factory=collections.Counter)  # boots that showed it, by id


def errata_of(report: ktap.Report) -> collections.Counter[str]:
    """How many tests are KNOWN by each id."""
    return collections.Counter(
        erratum for result, _ in ktap.results(report.body) if result.verdict == "KNOWN"
        for erratum in result.reason.split())


def boot(item: boots.Boot) -> tuple[list[str], ktap.Report]:
    """What is wrong with it, and its report."""
    reports = []

    def want(report: ktap.Report, outcome: boots.Outcome) -> Iterable[str]:
        reports.append(report)
        return item.want(report, outcome)
    try:
        return boots.boot_once(dataclasses.replace(item, want=want)), reports[0]
    except (OSError, RuntimeError, IndexError) as error:
        return [f"no boot: {error!r}"], ktap.Report("")


def table(rows: dict[tuple[str, int], Row]) -> Iterable[str]:
    yield f"{'personality':<17} processors  boots  wrong  FAIL  ERROR  KNOWN: in boots"
    for (cpu, smp), row in rows.items():
        known = ", ".join(f"{erratum} {count}" for erratum, count
                          in sorted(row.errata.items()))
        yield (f"{cpu:<17} {smp:>10} {row.boots:>6} {row.wrong:>6} "
               f"{row.verdicts['FAIL']:>5} {row.verdicts['ERROR']:>6}  {known}")


def run(result: Callable[[str, Iterable[str]], None], seeds: Iterable[int],
        processors: Iterable[int], cpus: str, trials: int, jobs: int) -> None:
    """One after another seed, each personality that fits the patterns, if any, with
    each number of processors; so many boots at a time."""
    wanted = [cpu for cpu in expected.read().as_sold
              if not cpus or any(fnmatch.fnmatchcase(cpu, pattern)
                                 for pattern in cpus.split(","))]
    if not wanted:
        result("soak: as sold", [f"no personality fits CPUS {cpus}"])
        return
    items = [(smp, item) for seed in seeds for smp in processors
             for item in personalities.as_sold([seed], trials, smp)
             if item.config["cpu"] in wanted]
    rows: dict[tuple[str, int], Row] = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        outcomes = pool.map(lambda each: boot(each[1]), items)
        for (smp, item), (problems, report) in zip(items, outcomes):
            row = rows.setdefault((item.config["cpu"], smp), Row())
            errata = errata_of(report)
            row.boots += 1
            row.wrong += bool(problems)
            row.verdicts.update(report.results.values())
            row.errata.update(errata.keys())
            shown = ", ".join(f"{erratum} {count}"
                              for erratum, count in sorted(errata.items()))
            result(f"{item.name}: {len(report.with_verdict('KNOWN'))} KNOWN"
                   + f" ({shown})" * bool(shown), problems)
    print("\n".join(table(rows)))
