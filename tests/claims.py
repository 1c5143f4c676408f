#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The catalogue of claims: what the manuals say of a processor, which tests look
at it and which faults break it (tests/claims/, docs/claims.md).

`make claims` checks that each claim has a test, that each asserted one has a fault
that a test of its own catches, and that each fault breaks a claim. Where a test
fails is read from build/faults.tsv, which `make faults` measures, and from the
entries of the faults. With SEEDS=folder each sentence of the documents there is
claimed, or called not normative. `make table` writes docs/claims.md.
"""

import collections
import dataclasses
import glob
import os
import re
import sys
from typing import Callable, Iterable, Iterator

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, d) for d in ("tests", "scripts")]

import listing
import sentences

FILES = "tests/claims/*.txt"
TABLE = os.path.join(ROOT, "docs/claims.md")
MATRIX = os.path.join(ROOT, "build/faults.tsv")
HOW = ("asserted", "observed", "decoded", "summary", "impossible")
CLAIM = re.compile(rf"(\d+[a-z]) ({'|'.join(HOW)}): (.+)$")
SAME = re.compile(r"= (\d+)(?:-(\d+))?:((?: \d+[a-z])+)$")
NOT_NORMATIVE = re.compile(r"- (\d+)(?:-(\d+))?: (.+)$")
MORE = re.compile(r" +(by|broken by|needs) (.+)$")


@dataclasses.dataclass
class Claim:
    identity: str  # number of its piece, and a letter
    place: str
    how: str
    text: str
    by: list[str] = dataclasses.field(default_factory=list)
    broken_by: list[str] = dataclasses.field(default_factory=list)
    needs: str = ""  # why it is impossible


@dataclasses.dataclass
class Document:
    path: str
    seed: str = "-"  # name of its file, "-": no text of it is numbered
    length: int = 0  # pieces
    title: str = ""
    claims: list[Claim] = dataclasses.field(default_factory=list)
    covered: set[int] = dataclasses.field(default_factory=set)
    same: list[str] = dataclasses.field(default_factory=list)
    problems: list[str] = dataclasses.field(default_factory=list)

    def cover(self, first: str, last: str | None) -> None:
        self.covered |= set(range(int(first), int(last or first) + 1))


def _line(document: Document, line: str, place: str) -> str:
    """Enters a line; returns the place that it is at."""
    word, _, rest = line.partition(" ")
    if word == "document":
        name, _, length = rest.partition(" ")
        document.seed, document.length = name, int(length or 0)
    elif word == "title":
        document.title = rest
    elif word == "place":
        return rest
    elif claim := CLAIM.match(line):
        document.claims.append(Claim(claim[1], place, claim[2], claim[3]))
        document.cover(claim[1][:-1], None)
    elif same := SAME.match(line):
        document.cover(same[1], same[2])
        document.same += same[3].split()
    elif other := NOT_NORMATIVE.match(line):
        document.cover(other[1], other[2])
    elif (more := MORE.match(line)) and document.claims:
        last = document.claims[-1]
        if more[1] == "needs":
            last.needs = more[2]
        else:
            (last.by if more[1] == "by" else last.broken_by).extend(more[2].split())
    else:
        document.problems.append(f"{document.path}: no line of a catalogue: {line}")
    return place


def documents() -> list[Document]:
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, FILES))):
        document, place = Document(os.path.relpath(path, ROOT)), ""
        with open(path, encoding="ascii") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    place = _line(document, line.rstrip(), place)
        found.append(document)
    return sorted(found, key=lambda d: (d.seed == "-", d.path))  # the seeds first


# --- What is wrong with it ---------------------------------------------------


def names(document: Document) -> Iterator[str]:
    """Of a catalogue that names what is not there."""
    yield from document.problems
    tests = {name for name, _ in listing.tests()}
    faults = {name for name, _, _ in listing.faults()}
    identities = collections.Counter(c.identity for c in document.claims)
    for identity, count in identities.items():
        if count > 1:
            yield f"{document.path}: {identity} stands {count} times"
    for identity in document.same:
        if identity not in identities:
            yield f"{document.path}: there is no {identity}"
    for claim in document.claims:
        where = f"{document.path}: {claim.identity}"
        for test in claim.by:
            if test not in tests and not os.path.exists(os.path.join(ROOT, test)):
                yield f"{where}: there is no test {test}"
        for fault in claim.broken_by:
            if fault not in faults:
                yield f"{where}: there is no fault {fault}"
        if bool(claim.needs) != (claim.how == "impossible"):
            yield f"{where}: what is impossible, and that alone, says what it needs"


def caught() -> tuple[dict[str, set[str]], set[str]]:
    """The tests that FAIL with each fault, and the faults that were measured."""
    fail: dict[str, set[str]] = {name: {row[3] for row in rows if row[4] == "FAIL"}
                                 for name, _, rows in listing.faults()}
    measured = set()
    if os.path.exists(MATRIX):
        with open(MATRIX, encoding="ascii") as file:
            for row in (line.rstrip("\n").split("\t") for line in list(file)[1:]):
                measured.add(row[0])
                if row[5] == "FAIL" and row[0] in fail:
                    fail[row[0]].add(row[4])
    return fail, measured


def unseen(document: Document, fail: dict[str, set[str]], measured: set[str]
           ) -> Iterator[str]:
    """Claims that nothing looks at, or that no fault has shown to be looked at."""
    for claim in document.claims:
        what = f"{claim.identity} ({claim.place}): {claim.text}"
        if not claim.by and claim.how != "impossible":
            yield f"no test: {what}"
        elif claim.how == "asserted" and not claim.broken_by:
            yield f"no fault: {what}"
        for fault in claim.broken_by:
            if fault in measured and not fail[fault] & set(claim.by):
                yield f"none of its tests is FAIL with {fault}: {what}"


def numbered(document: Document, folder: str) -> Iterator[str]:
    """Pieces of the document that are neither claimed nor called not normative."""
    if document.seed == "-":
        return
    try:
        with open(os.path.join(folder, document.seed), encoding="utf-8") as file:
            pieces = sentences.pieces(file.read())
    except OSError as error:
        yield str(error)
        return
    if len(pieces) != document.length:
        yield f"{document.seed} has {len(pieces)} pieces, not {document.length}"
    for number in range(1, max(len(pieces), max(document.covered)) + 1):
        if number not in document.covered:
            yield f"piece {number} is not claimed: {pieces[number - 1][:60]}"
        elif number > len(pieces):
            yield f"there is no piece {number}"


# --- The table -----------------------------------------------------------------


HEAD = """\
# Claims

<!-- Written by `make table` from tests/claims/. -->

Each sentence, row of a table, bit and field of the five documents that this program was made from, and the rules of the manual beyond
them that tests rest on: in our words, with the tests that look at it and the named faults that break it
([simulator.md](simulator.md#faults)). The number is that of the sentence, as `tests/sentences.py` numbers them.

| how | |
|---|---|
| asserted | a processor that does otherwise gets FAIL, and a fault shows it |
| observed | the manual says "may": how often is OBSERVED |
| decoded | the program's own tables and rules follow it; unit tests hold them |
| summary | the summary of a report says it, where it applies |
| impossible | cannot be shown here; why is said instead |

```sh
make claims                  # each claim has a test, each asserted one a fault that the test catches
make claims SEEDS=folder     # and each sentence of the documents in that folder is claimed, or called not normative
```

After `make faults` the first goes by what was measured.
"""


def _names(words: list[str]) -> str:
    return ", ".join(f"`{w.removeprefix('tests/host/')}`" for w in words)


def text() -> str:
    parts = [HEAD]
    for document in documents():
        counts = collections.Counter(c.how for c in document.claims)
        parts.append(f"\n## {document.title}\n\n{len(document.claims)} claims: "
                     + ", ".join(f"{counts[h]} {h}" for h in HOW if counts[h]) + ".\n")
        place = ""
        for claim in document.claims:
            if claim.place != place:
                place = claim.place
                parts.append(f"\n### {place[0].upper()}{place[1:]}\n\n"
                             "| | claim | how | tests | faults |\n|---|---|---|---|---|\n")
            tests = _names(claim.by) if claim.by else f"needs {claim.needs}" * bool(claim.needs)
            parts.append(f"| {claim.identity} | {claim.text} | {claim.how} | {tests} | "
                         f"{_names(claim.broken_by)} |\n".replace("|  |", "| |"))
    return "".join(parts)


def outdated() -> Iterator[str]:
    try:
        with open(TABLE, encoding="ascii") as file:
            if file.read() == text():
                return
    except OSError:
        pass
    yield "docs/claims.md is not what follows from tests/claims/: make table"


def run(result: Callable[[str, Iterable[str]], None], seeds: str) -> None:
    fail, measured = caught()
    total: collections.Counter[str] = collections.Counter()
    named: set[str] = set()
    looking: set[str] = set()
    for document in documents():
        counts = collections.Counter(c.how for c in document.claims)
        total += counts
        problems = [*names(document), *unseen(document, fail, measured),
                    *(numbered(document, seeds) if seeds else ())]
        result(f"claims: {document.title}: "
               + ", ".join(f"{counts[h]} {h}" for h in HOW if counts[h]), problems)
        for claim in document.claims:
            named |= set(claim.broken_by)
            looking |= set(claim.by)
    result("claims: each fault is caught by a test of one",
           [f"no claim names {fault}, nor a test that catches it" for fault in sorted(fail)
            if fail[fault] and fault not in named and not fail[fault] & looking])
    result("claims: each test looks at one",
           [f"no claim names {name}" for name, _ in listing.tests() if name not in looking])
    result("claims: docs/claims.md", outdated())
    print(f"claims: {sum(total.values())}: "
          + ", ".join(f"{total[h]} {h}" for h in HOW)
          + ("" if measured else "; nothing is measured: make faults"))


def main() -> int:
    with open(TABLE, "w", encoding="ascii") as file:
        file.write(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
