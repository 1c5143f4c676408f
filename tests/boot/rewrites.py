# SPDX-License-Identifier: BSD-2-Clause
"""Transactions in code that is written where other code was executed before, and
what of TSX stands there alone: rewrites.c says how often it was right."""

import re
from typing import Callable, Iterable, Iterator

import takeover

PROGRAM = "build/rewrites.efi"
CPU = "skylake-2017"  # which elides locks
LINE = re.compile(r"^rewrites: (\w+) (\d+) of (\d+)$", re.M)
BY = ("itself", "stepped", "transaction", "far", "xabort", "elided", "other")


def all_begin() -> Iterator[str]:
    text, failure = takeover.boot(PROGRAM, CPU, smp=2)
    found = LINE.findall(text)
    if failure or tuple(by for by, _, _ in found) != BY:
        yield f"{failure or 'not all was tried'}: {text[-300:]}"
    for by, begun, of in found:
        if begun != of:
            yield f"{by}: {begun} of {of} as the manual has it"


def run(result: Callable[[str, Iterable[str]], None]) -> None:
    result(f"boot: code that is written anew begins transactions, {CPU}", all_begin())
