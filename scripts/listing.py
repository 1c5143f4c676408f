#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What there is: personalities, faults with what goes wrong, tests with the
question that each asks; read from the sources."""

import glob
import os
import re
import signal
from typing import Iterator

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ASKS = re.compile(r'\.asks\s*=\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
FAULT = re.compile(r"^FAULT\(\s*(\w+),\s*(.*?)\)\n(?=\n|\Z)", re.M | re.S)


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _paths(pattern: str) -> list[str]:
    """Of the tree, by name of file."""
    return sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True),
                  key=os.path.basename)


def _stem(path: str) -> str:
    return os.path.basename(path).removesuffix(".c")


def personalities() -> list[str]:
    return [_stem(path).replace("_", "-")
            for path in _paths("tests/silicon/personalities/*.c")]


def _literals(text: str) -> list[str]:
    """The strings of a piece of C; neighbours are one."""
    return re.findall(r'"([^"]*)"', re.sub(r'"\s*"', "", text))


def faults() -> Iterator[tuple[str, str, list[list[str]]]]:
    """(name, what goes wrong, rows of words: personality, smt, processors, test,
    verdict, and trials where the usual number takes long)."""
    for path in _paths("tests/silicon/faults/**/*.c"):
        for name, body in FAULT.findall(_read(path)):
            what, _, caught = body.partition(".caught =")
            yield name, _literals(what)[0], [r.split() for r in _literals(caught)]


def tests() -> Iterator[tuple[str, str]]:
    """(name, what it asks, "" where it asks nothing)."""
    for path in _paths("src/cases/*/*.c"):
        asks = ASKS.search(_read(path))
        pieces = re.findall(r'"((?:[^"\\]|\\.)*)"', asks[1]) if asks else []
        yield _stem(path), "".join(pieces).replace('\\"', '"')


def bounds() -> dict[str, int]:
    """What each test takes at most on a bare machine, in ms."""
    usual = int(re.findall(r"#define TEST_BOUND_MS (\d+)", _read(
        os.path.join(ROOT, "src/harness/case.h")))[0])
    found = {}
    for path in _paths("src/cases/*/*.c"):
        own = re.search(r"\.bound_ms = (\d+)", _read(path))
        found[_stem(path)] = int(own[1]) if own else usual
    return found


def main() -> None:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # make list | head
    print("personalities:", *personalities())
    for title, rows in (("faults", [f[:2] for f in faults()]), ("tests", list(tests()))):
        print(f"\n{title}:")
        for name, text in rows:
            print(f"  {name}: {text}")
    longest = bounds()
    print("\non a bare machine, with the usual trials, the tests take at most "
          f"{sum(longest.values()) / 1000:.1f} s; more than {min(longest.values())} ms each:")
    for name, ms in longest.items():
        if ms > min(longest.values()):
            print(f"  {name}: {ms} ms")


if __name__ == "__main__":
    main()
