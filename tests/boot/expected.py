#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What has to run, and pass, on each personality; all else has to be SKIP there.

needs.txt says what each test needs, capabilities.txt what each personality has,
exceptions.txt what does not follow from these. runs.txt is what does, for people
and for `git diff`; `make table` writes it, by this file.
"""

import fnmatch
import functools
import os
import subprocess
import sys
from typing import Iterable, Iterator, NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "runs.txt")
SMT = ("on", "off")
SECOND = "/second"  # the cores of a hybrid's other kind
REGIMES = ("A", "B", "C", "C'", "D", "E", "F")
EVERYWHERE = ("parallel", "processors=2")  # of firmware and the boot
OF_TWO = {"parallel", "processors>=2", "threads>=2", "cores>=2"}  # not of one processor
MARKS = {(True, True): "x", (False, False): ".", (False, True): "8", (True, False): "4"}
# What a personality runs, one suite after another.
SUITES = ("tsx_*,sdv_*", "pebs_*,pdir_*,precise_*", "pt_*", "counter*",
          "hle_*,force_*,offcore_*,uncore_*",
          "load_*,memory_*,data_*,branch_*,events_*,rdpmc_*,fixed_*,freeze_*,global_*,"
          "lbr_*,perf_*,pmi_*,microcode_*,always_*")
SHARES = 4  # one of them is made in a part, each in as many parts as there are suites
PARTS = SHARES * len(SUITES)  # of `make test`
TESTS_MOST = 255  # characters of tests= that the program takes
HEAD = """\
# Written by `make table` from needs.txt, capabilities.txt and exceptions.txt.
#
# x: has to run and pass. 8: with SMT off alone, for eight counters; 4: with SMT on
# alone. A point: has to be SKIP.
"""


class Row(NamedTuple):
    name: str
    words: list[str]


class Table(NamedTuple):
    """Words by name of personality, and by name of test; (test, personality)."""

    capabilities: dict[str, list[str]]
    needs: dict[str, list[str]]
    exceptions: list[tuple[str, str]]
    second_kind: set[tuple[str, str]]  # left out on that of a hybrid's
    as_sold: dict[str, str]  # the exact personality of each that is not


def rows(name: str) -> Iterator[Row]:
    """Rows of words of a file; # starts a comment, a blank continues a row."""
    row = None
    with open(os.path.join(HERE, name), encoding="ascii") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words and line[0].isspace() and row:
                row.words.extend(words)
            elif words:
                if row:
                    yield row
                row = Row(words[0], words[1:])
    if row:
        yield row


@functools.cache
def read() -> Table:
    machines = list(rows("capabilities.txt"))
    exceptions = [(r.name, r.words[0]) for r in rows("exceptions.txt")]
    return Table({r.name: r.words for r in machines if r.words[0] != "="},
                 {r.name: r.words for r in rows("needs.txt")},
                 [r for r in exceptions if not r[1].endswith(SECOND)],
                 {(r[0], r[1].removesuffix(SECOND)) for r in exceptions
                  if r[1].endswith(SECOND)},
                 {r.name: r.words[1] for r in machines if r.words[0] == "="})


def second_kind(personality: str) -> set[str]:
    """Tests that pass there although cores of its second kind are SKIP."""
    return {test for test, p in read().second_kind if p == personality}


def has(capabilities: list[str], smt: str, word: str) -> bool:
    """Is this word, of a need, among them?"""
    name, least, number = word.partition(">=")
    if not least:
        return word in capabilities
    for capability in capabilities:
        if capability.startswith(name + "="):
            values = capability[len(name) + 1:].split("/")
            return int(values[SMT.index(smt) % len(values)]) >= int(number)
    return False


def meets(capabilities: list[str], smt: str, need: str) -> bool:
    return any(has(capabilities, smt, word) for word in need.split("|"))


def passes(table: Table, test: str, personality: str, smt: str) -> bool:
    capabilities = [*table.capabilities[personality], *EVERYWHERE]
    return ((test, personality) not in table.exceptions
            and all(meets(capabilities, smt, need) for need in table.needs[test]))


@functools.cache
def runs() -> list[tuple[str, str, list[str]]]:
    """(personality, smt, the tests that pass there)."""
    table = read()
    return [(personality, smt, [test for test in table.needs
                                if passes(table, test, personality, smt)])
            for personality in table.capabilities for smt in SMT]


def as_sold(smp: int) -> Iterator[tuple[str, list[str]]]:
    """(personality, the tests that pass there, but for errata that it has)."""
    table = read()
    for personality, exact in table.as_sold.items():
        yield personality, [test for test, words in table.needs.items()
                            if passes(table, test, exact, "on")
                            and (smp > 1 or not OF_TWO.intersection(words))]


def alternating() -> dict[str, str]:
    """Each personality with one setting of SMT."""
    cpus = dict.fromkeys(cpu for cpu, _, _ in runs())
    return {cpu: SMT[n % 2] for n, cpu in enumerate(cpus)}


def tests_of(personality: str, smt: str) -> list[str]:
    return next(tests for p, s, tests in runs() if (p, s) == (personality, smt))


def of_suite(suite: str, tests: Iterable[str]) -> list[str]:
    """Those that tests=suite runs."""
    return [name for name in tests
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in suite.split(","))]


@functools.cache
def part() -> int | None:
    """Which of the PARTS that `make test` is divided into: PART=n, else another one with
    each commit. None (PART=all): all of them."""
    named = os.environ.get("PART")
    if named == "all":
        return None
    if named:
        return int(named) % PARTS
    commits = subprocess.run(["git", "rev-list", "--count", "HEAD"], check=False, cwd=HERE,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return int(commits.stdout or 0) % PARTS


def drawn(number: int, of_part: int | None) -> bool:
    """Is the boot of this number in this part?"""
    return of_part is None or (number + of_part // len(SUITES)) % SHARES == 0


def suite(number: int, of_part: int | None) -> str:
    """What the boot of this number runs of all tests in this part."""
    return "*" if of_part is None else SUITES[(number + of_part) % len(SUITES)]


def suites(of_part: int | None) -> dict[tuple[str, str], str]:
    """By personality and setting of SMT, of those that are in this part; each test that none
    of these suites has where it passes is added to one that does, or to another's."""
    drawn_ones = [run for n, run in enumerate(runs()) if drawn(n, of_part)]
    chosen = {(cpu, smt): suite(n, of_part) for n, (cpu, smt, _) in enumerate(drawn_ones)}
    left = set(read().needs)
    for cpu, smt, passing in drawn_ones:
        left.difference_update(of_suite(chosen[cpu, smt], passing))
    for cpu, smt, passing in [*drawn_ones, *(run for run in runs() if run not in drawn_ones)]:
        for test in sorted(left.intersection(passing)):
            more = ",".join(filter(None, [chosen.get((cpu, smt)), test]))
            if len(more) <= TESTS_MOST:
                left.remove(test)
                chosen[cpu, smt] = more
    return chosen


def needing(word: str) -> list[str]:
    """The tests that need this."""
    return [test for test, words in read().needs.items() if word in words]


def text() -> str:
    """runs.txt: a line a test, a column a personality."""
    table = read()
    width = max(map(len, table.needs)) + 1
    lines = [HEAD]
    for number, name in enumerate(table.capabilities):
        lines.append("#".ljust(width) + "| " * number + name)
    for test in table.needs:
        marks = [MARKS[passes(table, test, p, "on"), passes(table, test, p, "off")]
                 for p in table.capabilities]
        lines.append(f"{test:{width}}{' '.join(marks)}")
    return "# SPDX-License-Identifier: BSD-2-Clause\n#\n" + "\n".join(lines) + "\n"


def problems(tests: list[str], personalities: list[str]) -> Iterator[str]:
    """Of the tables, where these tests and these personalities have files."""
    table = read()
    for file, there, names in (("needs.txt", table.needs, tests),
                               ("capabilities.txt", [*table.capabilities, *table.as_sold],
                                personalities)):
        for name in sorted(set(names) - set(there)):
            yield f"{name} has no row in tests/boot/{file}"
        for name in sorted(set(there) - set(names)):
            yield f"tests/boot/{file}: there is no {name}"
        listed = [row.name for row in rows(file)]
        for name in sorted({n for n in listed if listed.count(n) > 1}):
            yield f"tests/boot/{file}: {name} has two rows"
    for name, exact in table.as_sold.items():
        if exact not in table.capabilities:
            yield f"tests/boot/capabilities.txt: {name} is as {exact}, which has no row"
    words = {word.split("=")[0] for c in table.capabilities.values() for word in c}
    needed = {word.split(">=")[0] for needs in table.needs.values()
              for need in needs for word in need.split("|")}
    for word in sorted(words - needed - set(REGIMES)):
        yield f"tests/boot/capabilities.txt: no test needs {word}"
    for word in sorted(needed - words - set(REGIMES) - {e.split("=")[0] for e in EVERYWHERE}):
        yield f"tests/boot/needs.txt: no personality has {word}"
    for test, needs in table.needs.items():
        if not of_suite(",".join(SUITES), [test]):
            yield f"{test} is in no suite of tests/boot/expected.py"
        where = [(p, smt) for p in table.capabilities for smt in SMT
                 if passes(table, test, p, smt)]
        if not where:
            yield f"{test} passes on no personality: it needs {' '.join(needs)}"
    for n in range(PARTS):
        chosen = suites(n)
        run = {t for cpu, smt, tests in runs() for t in of_suite(chosen.get((cpu, smt), ""), tests)}
        for test in sorted(set(table.needs) - run):
            yield f"{test} passes in no boot of PART={n}"
    for test, personality in table.second_kind:
        if not passes(table, test, personality, "off"):
            yield f"tests/boot/exceptions.txt: no {test} to leave out on {personality}"
    for test, personality in table.exceptions:
        if test not in table.needs or personality not in table.capabilities:
            yield f"tests/boot/exceptions.txt: there is no {test} on {personality}"
        elif not any(passes(table._replace(exceptions=[]), test, personality, smt)
                     for smt in SMT):
            yield (f"tests/boot/exceptions.txt: {test} would not pass on "
                   f"{personality} anyway")
    with open(TABLE, encoding="ascii") as runs_txt:
        if runs_txt.read() != text():
            yield "tests/boot/runs.txt is not what follows from its tables: make table"


def main() -> int:
    with open(TABLE, "w", encoding="ascii") as file:
        file.write(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
