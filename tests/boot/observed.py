# SPDX-License-Identifier: BSD-2-Clause
"""What a test has to observe on each personality, where that is certain.

What the manual leaves open is never a FAIL; but on a simulated processor some of
it follows from the personality: whether all instructions of a kind do something,
or none, and of how many. observed.txt has these figures, "n of N", where runs of
two seeds say the same; `make boot` compares. `make observed` writes it, to be read
as a difference; with TESTS= or CPUS= the figures of these alone.

The same of how many checks a test makes, "checks | N of N": one that makes fewer
would pass, and show less.
"""

import concurrent.futures
import fnmatch
import os
import re
from typing import Callable, Iterable, Iterator

import boots
import expected
import ktap

TABLE = os.path.join(boots.HERE, "observed.txt")
SEEDS = (2, 3)
TRIALS = 20
VERBOSE = "verbosity=verbose"  # which says how many checks were made
OPTIONS = f"trials={TRIALS} {VERBOSE}"
CHECKS = "checks"
MANY = 8  # of so many one less may do as all do
MADE = re.compile(r"# took \d+ ms, ([1-9]\d*) checks$")
LINE = re.compile(r"# (?:processors? [\d,-]+: )?(?:NOT )?OBSERVED (.+): (\d+ of \d+)$")
# SDV_ENABLE_RTM: many transactions abort by themselves, and none of a few is luck.
LUCK = {"skylake-2021": re.compile(r"aborts$|sets EAX|EAX\[\d\] set|differs from EAX")}
# Nor is all of a few.
CHANCE = {("skylake-2021", "lbr_transactions")}
# And tests whose checks are as many as it takes tries; "": everywhere.
TRIES = {("skylake-2021", "pt_rtm_abort_by_fault"), ("skylake-2021", "tsx_in_tx_counts"),
         ("", "pebs_in_contexts"), ("", "pebs_fixed_counters"), ("", "pebs_tx_cycles"),
         ("", "pt_ring3_tx"), ("", "data_address")}
HEAD = """\
# SPDX-License-Identifier: BSD-2-Clause
#
# Written by `make observed`: what each test observes with TRIALS=20, where that
# does not depend on the seed; on which personalities, with SMT on and off.
"""

Figures = dict[tuple[str, str], list[str]]  # by test and what is observed


def figures(report: ktap.Report) -> Figures:
    """Each once, in order; all processors' are one."""
    found: Figures = {}
    lines: list[tuple[str, str]] = []
    name = ""
    for line in report.body.splitlines():
        if match := LINE.match(line):
            lines.append((match[1], match[2]))
        elif match := MADE.match(line):
            found[name, CHECKS] = [f"{match[1]} of {match[1]}"]
        elif result := ktap.result_of(line):
            name = result.name
            for what, figure in lines:
                found.setdefault((name, what), []).append(figure)
            lines = []
    return {key: sorted(set(values)) for key, values in found.items()}


def read() -> dict[str, Figures]:
    """The figures by personality and SMT."""
    found: dict[str, Figures] = {}
    if not os.path.exists(TABLE):
        return found
    with open(TABLE, encoding="ascii") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            test, rest = line.rstrip().split(": ", 1)
            what, numbers, where = rest.rsplit(" | ", 2)
            for word in where.split():
                cpu, _, smt = word.partition("/")
                for one in [smt] if smt else expected.SMT:
                    found.setdefault(f"{cpu}/{one}", {})[test, what] = numbers.split(", ")
    return found


def _is_met(now: list[str] | None, wanted: list[str]) -> bool:
    """Of many transactions an interrupt may abort one, whatever all others do; and how
    many records there are goes by where the build has put the code."""
    if now is None or now == wanted:
        return now is not None
    n, of = map(int, wanted[0].split(" of "))
    some = [tuple(map(int, figure.split(" of "))) for figure in now]
    if len(wanted) != 1:
        return False
    return (all(m == 0 and m_of >= 0.9 * of for m, m_of in some) if n == 0
            else n == of and n >= MANY and all(m >= m_of - 1 and m_of >= 0.9 * of
                                               for m, m_of in some))


def problems(report: ktap.Report, cpu: str, smt: str) -> Iterator[str]:
    """Where a run with these TRIALS observes something else."""
    got = figures(report)
    for (test, what), numbers in read().get(f"{cpu}/{smt}", {}).items():
        now = got.get((test, what))
        met = (now is not None and int(now[0].split()[0]) >= int(numbers[0].split()[0])
               if what == CHECKS else _is_met(now, numbers))
        if test in report.results and not met:
            yield (f"{test} observes {what}: {', '.join(got.get((test, what), ['nothing']))}; "
                   f"wanted {', '.join(numbers)} (tests/boot/observed.txt)")


def _run(cpu: str, smt: str, seed: int, options: str) -> tuple[Figures, list[str]]:
    """What it observes, and its problems."""
    found: Figures = {}

    def keep(report: ktap.Report, outcome: boots.Outcome) -> Iterator[str]:
        found.update(figures(report))
        return boots.clean(report, outcome)

    wrong = boots.boot_once(boots.Boot(f"observed {cpu} {smt} {seed}", keep,
                                       {"cpu": cpu, "smt": smt, "seed": seed},
                                       options))
    return found, [f"{cpu} smt={smt} seed={seed}: {problem}" for problem in wrong]


def _is_luck(cpu: str, what: str, numbers: list[str]) -> bool:
    return (cpu in LUCK and LUCK[cpu].search(what) is not None
            and any(n.startswith("0 ") for n in numbers))


def _certain(runs: list[Figures], cpu: str) -> Figures:
    """What all say, and is all or none of it."""
    return {key: numbers for key, numbers in runs[0].items()
            if all(run.get(key) == numbers for run in runs)
            and all(n in ("0", of) for n, of in (x.split(" of ") for x in numbers))
            and not _is_luck(cpu, key[1], numbers)
            and (cpu, key[0]) not in CHANCE
            and not (key[1] == CHECKS and {(cpu, key[0]), ("", key[0])} & TRIES)}


def _is_of(patterns: str, name: str) -> bool:
    return not patterns or any(fnmatch.fnmatch(name, p) for p in patterns.split(","))


def write(result: Callable[[str, Iterable[str]], None], tests: str = "",
          cpus: str = "") -> None:
    """tests, cpus: names or patterns between commas, if those of others are to stay."""
    all_machines = [(cpu, smt) for cpu, smt, _ in expected.runs()]
    machines = [machine for machine in all_machines if _is_of(cpus, machine[0])]
    options = OPTIONS + (" tests=" + tests if tests else "")
    jobs = [(cpu, smt, seed, options) for cpu, smt in machines for seed in SEEDS]
    others = read() if tests or cpus else {}
    with concurrent.futures.ThreadPoolExecutor(boots.CORES) as pool:
        outcomes = list(pool.map(lambda job: _run(*job), jobs))
    runs = [figures for figures, _ in outcomes]
    wrong = [problem for _, problems in outcomes for problem in problems]
    if wrong:
        result("observed: nothing is written", wrong)
        return
    where: dict[tuple[str, str, str], list[str]] = {}
    for cpu, smt in all_machines:
        now: Figures = {}
        if (cpu, smt) in machines:
            at = 2 * machines.index((cpu, smt))
            now = _certain(runs[at:at + 2], cpu)
        for (test, what), numbers in now.items():
            where.setdefault((test, what, ", ".join(numbers)), []).append(f"{cpu}/{smt}")
        for (test, what), numbers in others.get(f"{cpu}/{smt}", {}).items():
            if not (_is_of(tests, test) and (cpu, smt) in machines):
                where.setdefault((test, what, ", ".join(numbers)), []).append(f"{cpu}/{smt}")
    with open(TABLE, "w", encoding="ascii") as file:
        file.write(HEAD)
        for (test, what, text), places in sorted(where.items()):
            both = [p[:-3] for p in places if p.endswith("/on") and p[:-2] + "off" in places]
            names = both + [p for p in places if p.split("/")[0] not in both]
            file.write(f"{test}: {what} | {text} | {' '.join(names)}\n")
    result(f"observed: {len(where)} figures", [] if where else ["none"])
