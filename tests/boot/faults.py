# SPDX-License-Identifier: BSD-2-Clause
"""`make faults`: each named fault on the personalities that its entry names, with
all tests, not only those that have to catch it.

Each boot is the default run, or the tests that TESTS names. A fault is caught
where the named test gives the verdict that the entry says; where it does not in
so few trials, the boot that the entry describes is made. ERROR says that the tool
could not look: an entry may promise it, and it catches nothing. What else fails
is printed. build/faults.tsv has every verdict; a run of some faults or tests
replaces theirs. With ROWS=1 only the boots that the entries describe are made.
"""

import concurrent.futures
import fnmatch
import os
import subprocess
from typing import Callable, Iterable, Iterator, NamedTuple

import boots
import ktap
import listing

MATRIX = f"{boots.BUILD}/faults.tsv"
HEAD = ("fault", "personality", "smt", "processors", "test", "verdict")
TRIALS = 20
BAD = ("FAIL", "KNOWN", "ERROR")

Row = list[str]  # of listing.faults(): personality, smt, processors, test, verdict..


class Boot(NamedTuple):
    """One fault on one machine, and the rows of its entry that name both."""

    fault: str
    cpu: str
    smt: str
    smp: str
    rows: list[Row]


class Outcome(NamedTuple):
    boot: Boot
    verdicts: dict[str, str]
    caught: list[str]  # "pt_rtm_commit on skylake-2018"
    missed: list[str]
    promised: list[str]  # ERRORs that the entry says
    others: dict[str, list[str]]  # tests by verdict, but for the named
    problems: list[str]  # of the report: cut short, not restored


def matches(name: str, patterns: str) -> bool:
    return not patterns or any(fnmatch.fnmatch(name, p) for p in patterns.split(","))


def chosen(faults: str) -> Iterator[Boot]:
    for name, _, caught in listing.faults():
        if not matches(name, faults):
            continue
        for cpu, smt, smp in dict.fromkeys((r[0], r[1], r[2]) for r in caught):
            yield Boot(name, cpu, smt, smp, [r for r in caught if r[:3] == [cpu, smt, smp]])


def report_of(boot: Boot, tests: str, trials: int) -> tuple[dict[str, str], list[str]]:
    """Verdicts by test, and problems."""
    verdicts: dict[str, str] = {}

    def keep(report: ktap.Report, outcome: boots.Outcome) -> Iterator[str]:
        verdicts.update(report.results)
        want = boots.complete if boot.fault in boots.NOT_RESTORABLE else boots.restored
        yield from want(report, outcome)

    options = f"trials={trials}" + (f" tests={tests}" if tests else "")
    problems = boots.boot_once(boots.Boot(
        f"faults {boot.fault} on {boot.cpu} smt={boot.smt} smp={boot.smp}", keep,
        {"cpu": boot.cpu, "smt": boot.smt, "seed": 1, "fault": boot.fault},
        options, smp=int(boot.smp)))
    return verdicts, problems


def boot_and_judge(boot: Boot, tests: str, trials: int) -> Outcome:
    verdicts, problems = report_of(boot, tests, trials)
    outcome = Outcome(boot, verdicts, [], [], [], {v: [] for v in BAD}, problems)
    for row in boot.rows:
        test, wanted = row[3:5]
        if not matches(test, tests):
            continue
        if verdicts.get(test) != wanted and not boots.boot_once(
                boots.row_of_fault(boot.fault, row)):
            verdicts[test] = wanted
        where = f"{test} on {boot.cpu}"
        if verdicts.get(test) != wanted:
            outcome.missed.append(f"{where} is {verdicts.get(test, 'not there')}, "
                                  f"not {wanted}")
        elif wanted == "ERROR":
            outcome.promised.append(where)
        else:
            outcome.caught.append(where)
    named = {row[3] for row in boot.rows}
    for test, verdict in verdicts.items():
        if verdict in BAD and test not in named:
            outcome.others[verdict].append(test)
    return outcome


def lines(outcomes: list[Outcome]) -> Iterator[str]:
    """What there is to say about a fault, but for what its entry promised in
    vain."""
    if not any(o.caught or o.promised or o.missed for o in outcomes):
        yield "TESTS leaves out each test that has to catch it"
    for outcome in outcomes:
        for what, names in (("caught by", outcome.caught),
                            ("ERROR, as its entry says, in", outcome.promised)):
            if names:
                yield f"{what} " + ", ".join(names)
    for outcome in outcomes:
        for verdict, tests in outcome.others.items():
            if tests:
                yield f"on {outcome.boot.cpu} also {verdict}: " + ", ".join(tests)


def remember(outcomes: Iterable[Outcome]) -> None:
    """The matrix with what was measured now; of what exists still."""
    there = {name for name, _, _ in listing.faults()}, {name for name, _ in listing.tests()}
    table: dict[tuple[str, ...], str] = {}
    if os.path.exists(MATRIX):
        with open(MATRIX, encoding="ascii") as file:
            for line in list(file)[1:]:
                words = line.rstrip("\n").split("\t")
                table[tuple(words[:-1])] = words[-1]
    for outcome in outcomes:
        for test, verdict in outcome.verdicts.items():
            table[(*outcome.boot[:4], test)] = verdict
    with open(MATRIX + ".part", "w", encoding="ascii") as file:
        file.write("\t".join(HEAD) + "\n")
        for key, verdict in sorted(table.items()):
            if key[0] in there[0] and key[4] in there[1]:
                file.write("\t".join((*key, verdict)) + "\n")
    os.rename(MATRIX + ".part", MATRIX)


def make_states(processors: Iterable[str | int]) -> None:
    subprocess.run(["make", "-s", *(f"{boots.BUILD}/smp{n}.state"
                                    for n in sorted({int(n) for n in processors}))],
                   check=True)


def run_rows(result: Callable[[str, Iterable[str]], None], faults: str, tests: str) -> None:
    """The boots of the entries, and nothing else."""
    rows = [boots.row_of_fault(name, row) for name, _, caught in listing.faults()
            for row in caught if matches(name, faults) and matches(row[3], tests)]
    if not rows:
        result(f"a fault is named {faults or '*'}, and a test {tests or '*'}",
               ["no entry has both"])
        return
    make_states(row.smp for row in rows)
    boots.run(result, rows)


def run(result: Callable[[str, Iterable[str]], None], faults: str, tests: str,
        trials: int) -> None:
    queue = list(chosen(faults))
    if not queue:
        result(f"a fault is named {faults}", ["none that a test has to catch is"])
        return
    make_states(b.smp for b in queue)
    done: dict[str, list[Outcome]] = {}
    others = 0
    with concurrent.futures.ThreadPoolExecutor(boots.CORES) as pool:
        for outcome in pool.map(lambda b: boot_and_judge(b, tests, trials), queue):
            fault = outcome.boot.fault
            done.setdefault(fault, []).append(outcome)
            if len(done[fault]) < sum(b.fault == fault for b in queue):
                continue
            result("fault " + fault, [p for o in done[fault] for p in o.missed + o.problems])
            for line in lines(done[fault]):
                print("        " + line, flush=True)
            others += any(any(o.others.values()) for o in done[fault])
            remember(done[fault])
    caught = sum(any(o.caught for o in outcomes) for outcomes in done.values())
    print(f"faults: {len(done)}, caught: {caught}, with other tests that fail too: {others}; "
          f"all verdicts are in {MATRIX}")
