#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The faults of the simulated processor, as the entries of tests/silicon/faults/
have them. Prints each with what goes wrong."""

import glob
import os
import re

FOLDER = "tests/silicon/faults"
ENTRY = re.compile(r"^FAULT\((\w+),\s*(.*?)\)\n(?=\n|\Z)", re.M | re.S)


def literals(text):
    """The strings of a piece of C; neighbours are one."""
    return re.findall(r'"([^"]*)"', re.sub(r'"\s*"', "", text))


def read(folder=FOLDER):
    """(name, what goes wrong, rows of words: personality, smt, processors, test,
    verdict, and trials where the usual number takes long) of each."""
    for path in sorted(glob.glob(os.path.join(folder, "*.c"))):
        with open(path, encoding="ascii") as file:
            for name, body in ENTRY.findall(file.read()):
                what, _, caught = body.partition(".caught =")
                yield name, literals(what)[0], [r.split() for r in literals(caught)]


def main():
    for name, what, _ in read():
        print(f"  {name}: {what}")


if __name__ == "__main__":
    main()
