# SPDX-License-Identifier: BSD-2-Clause
"""`make mutants`: small changes of src/ (mutate.py), one at a time; is each noticed?

A mutant is noticed where a unit test fails, or in a simulated run: where a test
has another verdict on a processor without a fault, or observes something else
where that is certain (observed.txt), or does not catch a fault that it has to
catch. That bytes of a report differ is not enough. A mutant that does not compile
or link, or whose code is the same, is none: another one is drawn. COUNT are drawn
by SEED, as many of each room and of each kind; ROOM names folders below src/, by
patterns.
"""

import concurrent.futures
import contextlib
import fnmatch
import glob
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import time
from typing import Callable, Iterable, Iterator, NamedTuple

import boots
import expected
import ktap
import listing
import mutate
import observed

BUILD = "build/mutants"
IN_ALL, IN_EACH = 90, 85  # percent of the mutants that have to be noticed
FAULTS_OF_ROOM = 12  # that a mutant of a room of many tests is tried with
HEALTHY = 2  # personalities where a test runs, and as many where it does not
TIMEOUT = 60  # s, of a boot and of a unit test
PATIENCE = 300  # s, of a unit test without a mutant

Row = tuple[str, list[str]]  # of a fault: its name, and what catches it where


class NotLinked(Exception):
    """What a mutant is that compiles, but is no program."""


class Mutant(NamedTuple):
    path: str
    change: mutate.Change
    text: str  # of the whole file

    def original(self) -> str:
        with open(self.path, encoding="ascii") as file:
            return file.read()

    def where(self) -> str:
        before = self.original()
        line = before.count("\n", 0, self.change.start) + 1
        was = " ".join(before[self.change.start:self.change.end].split())
        now = " ".join(self.change.text.split())
        return f"{self.path}:{line}: {self.change.kind}: {was[:60]} -> {now[:60]}"


def make_variable(name: str) -> str:
    """Of the Makefile, which says how everything is compiled and linked."""
    return os.environ["MUTANTS_" + name]


def compiled(path: str, text: str, command: str, out: str) -> bool:
    """Is the text of that file an object now?"""
    source = os.path.join(BUILD, "source", os.path.basename(path))
    os.makedirs(os.path.dirname(source), exist_ok=True)
    os.makedirs(os.path.dirname(out), exist_ok=True)
    with open(source, "w", encoding="ascii") as file:
        file.write(text)
    return subprocess.run([*shlex.split(command), "-w", "-c", source, "-o", out], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def done(command: list[str]) -> bool:
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def linked(mutant: Mutant, program: str) -> bool:
    """Is there a program.efi now, with the mutant in it?"""
    new = f"{program}.mutant.o"
    objects = [new if o == f"build/bare/{mutant.path}.o" else o
               for o in make_variable("OBJECTS").split()]
    if not (compiled(mutant.path, mutant.text, make_variable("CC"), new)
            and done([*shlex.split(make_variable("LINK")), *objects, "-o", f"{program}.so"])):
        return False
    for command in (["objcopy", "-S", *make_variable("SECTIONS").split(), "--target",
                     "efi-app-x86_64", "--subsystem=10", f"{program}.so", f"{program}.efi"],
                    ["/usr/bin/python3", "scripts/pe_header.py", f"{program}.efi"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return True


# --- Which there are ------------------------------------------------------------


def rooms(patterns: str) -> dict[str, list[str]]:
    """The C files of each folder below src/."""
    found: dict[str, list[str]] = {}
    for path in sorted(glob.glob("src/**/*.c", recursive=True)):
        room = os.path.dirname(path).removeprefix("src/")
        if not patterns or any(fnmatch.fnmatch(room, p) for p in patterns.split(",")):
            found.setdefault(room, []).append(path)
    return found


def code(path: str, text: str) -> bytes:
    """What the compiler makes of it, b"" where it does not."""
    out = f"{BUILD}/same.o"
    bare = make_variable("CC").replace(" -g ", " -g0 ")
    if not compiled(path, text, bare, out):
        return b""
    with open(out, "rb") as file:
        return file.read()


def drawn(room: str, files: list[str], seed: str) -> Iterator[Mutant]:
    """Mutants of a room, each kind in its turn."""
    choose = random.Random(f"{seed} {room}")
    kinds: dict[str, list[tuple[str, mutate.Change]]] = {}
    texts, same = {}, {}
    for path in files:
        with open(path, encoding="ascii") as file:
            texts[path] = file.read()
        for change in mutate.candidates(texts[path]):
            kinds.setdefault(change.kind, []).append((path, change))
    for changes in kinds.values():
        choose.shuffle(changes)
    while any(kinds.values()):
        for kind in sorted(kinds):
            if not kinds[kind]:
                continue
            path, change = kinds[kind].pop()
            if path not in same:
                same[path] = code(path, texts[path])
                if not same[path]:
                    sys.exit(f"{path} as it is does not compile: {make_variable('CC')}")
            text = mutate.applied(texts[path], change)
            if code(path, text) not in (b"", same[path]):
                yield Mutant(path, change, text)


# --- Unit tests -----------------------------------------------------------------


class Units:
    """The programs of the unit tests. What they share is a library here: a mutant
    links that anew, not each of them."""

    def __init__(self) -> None:
        database = subprocess.run(["make", "-pnq"], check=False, capture_output=True,
                                  text=True).stdout
        self.shared = make_variable("PIC").split()
        names = {o.replace("build/pic/", "build/host/") for o in self.shared}
        self.parts: dict[str, list[str]] = {}
        self.low: dict[str, list[str]] = {}  # options of those linked below 4 GB
        for program in make_variable("HOST_TESTS").split():
            rules = re.findall(rf"^{re.escape(program)}: (.*)$", database, re.M)
            self.low[program] = re.findall(rf"^{re.escape(program)}: LOW := (.*)$",
                                           database, re.M)
            self.parts[program] = [p for p in dict.fromkeys(" ".join(rules).split())
                                   if p.endswith(".o") and p not in names]
        self.seconds: dict[str, float] = {}  # that each took; 0: of no use
        self._library({})
        for program in self.parts:
            self._program(program, {})

    def _link(self, out: str, words: Iterable[str]) -> None:
        os.makedirs(os.path.dirname(out), exist_ok=True)
        subprocess.run([*shlex.split(make_variable("HOST_CC")), *words, "-lcmocka", "-o", out],
                       check=True)

    def _library(self, instead: dict[str, str]) -> None:
        self._link(f"{BUILD}/units/libcore.so",
                   ["-shared", *(instead.get(o, o) for o in self.shared)])

    def _program(self, program: str, instead: dict[str, str]) -> None:
        self._link(f"{BUILD}/units/{program}",
                   ["-rdynamic", *self.low[program], *(instead.get(o, o) for o in self.parts[program]),
                    f"-L{BUILD}/units", "-lcore",
                    f"-Wl,-rpath,{os.path.abspath(BUILD)}/units"])

    def _replace(self, path: str, users: Iterable[str], new: str) -> None:
        """Links what the object of this file is part of with another one."""
        shared = f"build/pic/{path}.o"
        if shared in self.shared:
            self._library({shared: new} if new else {})
        else:
            for program in users:
                self._program(program, {f"build/host/{path}.o": new} if new else {})

    def notice(self, mutant: Mutant) -> str:
        """The first program that fails, "" for none. Its own room's come first."""
        shared = f"build/pic/{mutant.path}.o" in self.shared
        users = [p for p, parts in self.parts.items()
                 if shared or f"build/host/{mutant.path}.o" in parts]
        users = [p for p in users if self._is_of_use(p)]
        new = f"{BUILD}/units/mutant.o"
        if not users or not compiled(mutant.path, mutant.text,
                                     make_variable("HOST_CC"), new):
            return ""
        room = os.path.basename(os.path.dirname(mutant.path))
        try:
            self._replace(mutant.path, users, new)
            for program in sorted(users, key=lambda p: f"/{room}/" not in p):
                if not self._passes(program):
                    return os.path.relpath(program, "build/tests/host")
            return ""
        except subprocess.CalledProcessError as error:
            raise NotLinked from error
        finally:
            self._replace(mutant.path, users, "")

    def _is_of_use(self, program: str) -> bool:
        """Does it pass without a mutant? Said once where it does not, or not whole."""
        if program not in self.seconds:
            start = time.monotonic()
            run, said = None, ""
            with contextlib.suppress(subprocess.TimeoutExpired):
                run = subprocess.run([f"{BUILD}/units/{program}"], check=False,
                                     timeout=PATIENCE, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT)
            if run is None:
                said = f"does not end within {PATIENCE} s without a mutant, and notices none"
            elif run.returncode:
                said = "fails without a mutant, and notices none"
            elif skipped := run.stdout.count(b"[  SKIPPED ]"):
                said = f"skips {skipped} tests on this machine"
            passes = run is not None and run.returncode == 0
            self.seconds[program] = time.monotonic() - start if passes else 0
            if said:
                print(f"        {os.path.relpath(program, 'build/tests/host')} {said}",
                      flush=True)
        return self.seconds[program] != 0

    def _passes(self, program: str) -> bool:
        try:
            return subprocess.run([f"{BUILD}/units/{program}"], check=False,
                                  timeout=max(TIMEOUT, 10 * self.seconds[program]),
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode == 0
        except subprocess.TimeoutExpired:
            return False


# --- Simulated runs -------------------------------------------------------------


def users_of() -> dict[str, set[str]]:
    """The tests that each file of src/ is part of, by what refers to what."""
    defined: dict[str, str] = {}
    wants: dict[str, set[str]] = {}
    for path in glob.glob("src/**/*.c", recursive=True):
        lines = subprocess.run(["nm", f"build/bare/{path}.o"], check=True,
                               capture_output=True, text=True).stdout.splitlines()
        wants[path] = {l.split()[-1] for l in lines if " U " in l}
        defined |= {l.split()[-1]: path for l in lines if re.search(r" [TDRBC] ", l)}
    out: dict[str, set[str]] = {path: set() for path in wants}
    for path in wants:
        if not path.startswith("src/cases/"):
            continue
        reached, queue = {path}, [path]
        while queue:
            for symbol in wants[queue.pop()]:
                other = defined.get(symbol, path)
                if other not in reached:
                    reached.add(other)
                    queue.append(other)
        for other in reached:
            out[other].add(os.path.basename(path).removesuffix(".c"))
    return out


class Runs:
    """Boots of the application with a mutant in it."""

    def __init__(self, seed: str) -> None:
        self.choose = random.Random(seed)
        self.users = users_of()
        self.verdicts: dict[tuple[str, str, str], dict[str, str]] = {}
        directory = f"{BUILD}/boot"
        os.makedirs(directory, exist_ok=True)
        for name in ("silicon.efi", "smp1.state", "smp2.state", "smp4.state"):
            shutil.copy(f"build/{name}", f"{directory}/{name}")
        boots.BUILD = directory
        self.image = f"{directory}/tsxpmu.img"
        self.caught: dict[str, bool] = {}  # faults, without a mutant

    def _verdicts(self, cpu: str, smt: str, tests: str) -> dict[str, str]:
        """Of a run without a fault; "" has what was wrong with the report."""
        found: dict[str, str] = {}

        def keep(report: ktap.Report, outcome: boots.Outcome) -> Iterator[str]:
            found.update(report.results)
            found[""] = "; ".join([*boots.restored(report, outcome),
                                   *observed.problems(report, cpu, smt)])
            return iter(())

        boots.boot_once(boots.Boot("mutant", keep, {"cpu": cpu, "smt": smt,
                                                      "seed": observed.SEEDS[0]},
                                   f"tests={tests} {observed.OPTIONS}",
                                   timeout=TIMEOUT))
        return found

    def _machines(self, tests: set[str], everywhere: bool) -> list[tuple[str, str]]:
        """Where most of the tests run, and where fewest do."""
        found = sorted(((len(tests & set(passing)), cpu, smt)
                        for cpu, smt, passing in expected.runs()), reverse=True)
        if everywhere:
            return [(cpu, smt) for _, cpu, smt in found]
        ends = found[:HEALTHY] + [f for f in found[HEALTHY:][-HEALTHY:]
                                  if f[0] != found[0][0]]
        return [(cpu, smt) for _, cpu, smt in ends]

    @staticmethod
    def _pattern(tests: set[str]) -> str:
        return ",".join(sorted(tests)) if len(tests) < 12 else "*"

    def notice(self, mutant: Mutant) -> str:
        """What is other than without it, "" for nothing."""
        tests = self.users[mutant.path]
        if not tests:
            return ""
        text = mutant.original()
        line = text[text.rfind("\n", 0, mutant.change.start):
                    text.find("\n", mutant.change.end)]
        machines = [(cpu, smt, self._pattern(tests))
                    for cpu, smt in self._machines(tests, "NEED_" in line)]
        shutil.copy("build/tsxpmu.img", self.image)
        for key in machines:
            if key not in self.verdicts:
                self.verdicts[key] = self._verdicts(*key)
        program = f"{BUILD}/boot/tsxpmu"
        if not linked(mutant, program):
            raise NotLinked
        subprocess.run(["scripts/image", self.image, f"{program}.efi=EFI/BOOT/BOOTX64.EFI"],
                       check=True, stdout=subprocess.DEVNULL)
        for key in machines:
            if found := self._other_verdict(key):
                return f"{found[0] or 'the report'} on {key[0]}: {found[1]}"
        rows = [(name, row) for name, _, caught in listing.faults() for row in caught
                if row[3] in tests]
        self.choose.shuffle(rows)
        if not mutant.path.startswith("src/cases/"):
            rows = rows[:FAULTS_OF_ROOM]
        return self._fault_not_caught(rows)

    def _other_verdict(self, key: tuple[str, str, str]) -> tuple[str, str] | None:
        """A test and its verdict there, where that is other than without a mutant, twice."""
        want, others = self.verdicts[key], []
        for _ in range(2):
            got = self._verdicts(*key)
            others.append({test: str(got.get(test)) for test in want
                           if got.get(test) != want[test]})
            if not others[-1]:
                return None
        both = [test for test in others[0] if test in others[1]]
        return (both[0], others[0][both[0]]) if both else None

    def _fault_not_caught(self, rows: list[Row]) -> str:
        while rows:
            with concurrent.futures.ThreadPoolExecutor(boots.CORES) as pool:
                for at, problems in enumerate(pool.map(self._fault, rows)):
                    if problems:
                        break
                else:
                    return ""
            if self._is_caught(rows[at]):
                return f"fault {rows[at][0]}: {problems[0]}"
            rows = rows[at + 1:]
        return ""

    def _is_caught(self, row: Row) -> bool:
        """Without a mutant? Said once where it is not."""
        key = str(row)
        if key not in self.caught:
            shutil.copy(self.image, f"{self.image}.mutant")
            shutil.copy("build/tsxpmu.img", self.image)
            self.caught[key] = not self._fault(row)
            shutil.copy(f"{self.image}.mutant", self.image)
            if not self.caught[key]:
                print(f"        fault {row[0]} is not caught without a mutant by {row[1][3]}, "
                      "and shows none", flush=True)
        return self.caught[key]

    @staticmethod
    def _fault(entry: Row) -> list[str]:
        boot = boots.row_of_fault(*entry)
        boot.timeout = TIMEOUT
        return boots.boot_once(boot)


# --- All of it ------------------------------------------------------------------


def run(result: Callable[[str, Iterable[str]], None], count: int, seed: str,
        patterns: str) -> None:
    folders = rooms(patterns)
    if not folders:
        result(f"a room of src/ is named {patterns}", ["none is"])
        return
    each = -(-count // len(folders))
    units, runs = Units(), Runs(seed)
    total = noticed = 0
    for room, files in folders.items():
        tried, survivors = 0, []
        for mutant in drawn(room, files, seed):
            if tried == each:
                break
            try:
                by = units.notice(mutant) or runs.notice(mutant)
            except NotLinked:
                continue
            print(f"        {mutant.where()}: {'noticed by ' + by if by else 'SURVIVES'}",
                  flush=True)
            tried += 1
            survivors += [] if by else [mutant.where()]
        killed = tried - len(survivors)
        total, noticed = total + tried, noticed + killed
        name = f"mutants of src/{room}: {killed} of {tried} noticed"
        result(name, survivors if killed * 100 < IN_EACH * tried
               else () if tried else ["there is none"])
    result(f"mutants: {noticed} of {total} noticed, {100 * noticed // max(total, 1)} %",
           [f"{IN_ALL} % were to be"] if noticed * 100 < IN_ALL * total else ())
