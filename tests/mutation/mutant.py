# SPDX-License-Identifier: BSD-2-Clause
"""A mutant: a C file with one small change (changes.py). Which there are, drawn by a
seed, and how one is compiled and linked."""

import fnmatch
import glob
import os
import random
import shlex
import subprocess
import sys
from typing import Iterator, NamedTuple

import changes

BUILD = "build/mutants"


class NotLinked(Exception):
    """What a mutant is that compiles, but is no program."""


class Mutant(NamedTuple):
    path: str
    change: changes.Change
    text: str  # of the whole file

    def original(self) -> str:
        with open(self.path, encoding="ascii") as file:
            return file.read()

    def line(self) -> int:
        return self.original().count("\n", 0, self.change.start) + 1

    def where(self) -> str:
        before = self.original()
        was = " ".join(before[self.change.start:self.change.end].split())
        now = " ".join(self.change.text.split())
        return f"{self.path}:{self.line()}: {self.change.kind}: {was[:60]} -> {now[:60]}"


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
    kinds: dict[str, list[tuple[str, changes.Change]]] = {}
    texts, same = {}, {}
    for path in files:
        with open(path, encoding="ascii") as file:
            texts[path] = file.read()
        for change in changes.candidates(texts[path]):
            kinds.setdefault(change.kind, []).append((path, change))
    for found in kinds.values():
        choose.shuffle(found)
    while any(kinds.values()):
        for kind in sorted(kinds):
            if not kinds[kind]:
                continue
            path, change = kinds[kind].pop()
            if path not in same:
                same[path] = code(path, texts[path])
                if not same[path]:
                    sys.exit(f"{path} as it is does not compile: {make_variable('CC')}")
            text = changes.applied(texts[path], change)
            if code(path, text) not in (b"", same[path]):
                yield Mutant(path, change, text)
