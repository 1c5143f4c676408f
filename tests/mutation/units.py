# SPDX-License-Identifier: BSD-2-Clause
"""Which mutants the unit tests notice."""

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import time
from typing import Iterable

from mutant import BUILD, Mutant, NotLinked, compiled, make_variable

COUNTED = f"{BUILD}/counted"
TIMEOUT = 60  # s of processor time, of a unit test
PATIENCE = 300  # s of processor time, of a unit test without a mutant


def limited(program: str, seconds: int) -> subprocess.CompletedProcess[bytes]:
    """What it prints; in time of the processor, as the machine may have more to do. One
    that only waits ends by a timeout."""
    return subprocess.run(["/usr/bin/prlimit", f"--cpu={seconds}", program], check=False,
                          timeout=10 * seconds, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


class Units:
    """The programs of the unit tests. What they share is a library here: a mutant
    links that anew, not each of them. Only those that call the changed function run."""

    def __init__(self, files: Iterable[str]) -> None:
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
        self.calls: dict[tuple[str, int, int], set[str]] = {}  # by whom: file, first line, last
        self._measure(list(files))
        self._library({})
        for program in self.parts:
            self._program(program, {})

    def _link(self, out: str, words: Iterable[str]) -> None:
        os.makedirs(os.path.dirname(out), exist_ok=True)
        subprocess.run([*shlex.split(make_variable("HOST_CC")), *words, "-lcmocka", "-o", out],
                       check=True)

    def _library(self, instead: dict[str, str], *options: str) -> None:
        self._link(f"{BUILD}/units/libcore.so",
                   ["-shared", *options, *(instead.get(o, o) for o in self.shared)])

    def _program(self, program: str, instead: dict[str, str], *options: str) -> None:
        self._link(f"{BUILD}/units/{program}",
                   ["-rdynamic", *options, *self.low[program],
                    *(instead.get(o, o) for o in self.parts[program]),
                    f"-L{BUILD}/units", "-lcore",
                    f"-Wl,-rpath,{os.path.abspath(BUILD)}/units"])

    def _measure(self, files: list[str]) -> None:
        """Which programs call each function of these files: the compiler counts."""
        objects, of = {}, {}
        for path in files:
            new = f"{COUNTED}/{path.replace('/', '-')}.o"
            of[new.removesuffix("o") + "gcda"] = path
            with open(path, encoding="ascii") as file:
                if not compiled(path, file.read(), make_variable("HOST_CC") + " --coverage", new):
                    raise NotLinked
            objects[f"build/pic/{path}.o"] = objects[f"build/host/{path}.o"] = new
        self._library(objects, "--coverage")
        for program in self._users(files):
            self._program(program, objects, "--coverage")
            for left in of:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(left)
            if self._is_of_use(program):
                self._count(program, of)

    def _count(self, program: str, of: dict[str, str]) -> None:
        """What the program has called, by what it left behind."""
        left = [name for name in of if os.path.exists(name)]
        said = subprocess.run(["gcov", "--json-format", "--stdout", *left], check=True,
                              capture_output=True, text=True).stdout
        for name, line in zip(left, said.splitlines(), strict=True):
            with open(of[name], encoding="ascii") as source:
                lines = source.read().splitlines()
            for file in json.loads(line)["files"]:
                for function in file["functions"] if file["file"].endswith(".c") else ():
                    last = function["end_line"]
                    # Before its body TEST() has data, which others read.
                    first = next((n for n in range(function["start_line"], last + 1)
                                  if lines[n - 1] == "{"), function["start_line"])
                    users = self.calls.setdefault((of[name], first, last), set())
                    if function["execution_count"]:
                        users.add(program)

    def _users(self, files: Iterable[str]) -> list[str]:
        """The programs that have one of these files in them."""
        if any(f"build/pic/{path}.o" in self.shared for path in files):
            return list(self.parts)
        objects = {f"build/host/{path}.o" for path in files}
        return [p for p, parts in self.parts.items() if objects & set(parts)]

    def _of(self, mutant: Mutant) -> list[str]:
        """The programs that may notice it, its own room's first."""
        users = {p for p in self._users([mutant.path]) if self.seconds.get(p)}
        for (path, first, last), callers in self.calls.items():
            if path == mutant.path and first <= mutant.line() <= last:
                users &= callers
        room = os.path.basename(os.path.dirname(mutant.path))
        return sorted(users, key=lambda p: (f"/{room}/" not in p, self.seconds[p]))

    def _replace(self, path: str, users: Iterable[str], new: str) -> None:
        """Links what the object of this file is part of with another one."""
        shared = f"build/pic/{path}.o"
        if shared in self.shared:
            self._library({shared: new} if new else {})
        else:
            for program in users:
                self._program(program, {f"build/host/{path}.o": new} if new else {})

    def notice(self, mutant: Mutant) -> str:
        """The first program that fails, "" for none."""
        users = self._of(mutant)
        new = f"{BUILD}/units/mutant.o"
        if not users or not compiled(mutant.path, mutant.text,
                                     make_variable("HOST_CC"), new):
            return ""
        try:
            self._replace(mutant.path, users, new)
            for program in users:
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
                run = limited(f"{BUILD}/units/{program}", PATIENCE)
            if run is None or run.returncode == -signal.SIGXCPU:
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
            return limited(f"{BUILD}/units/{program}",
                           max(TIMEOUT, 10 * int(self.seconds[program]))).returncode == 0
        except subprocess.TimeoutExpired:
            return False
