# SPDX-License-Identifier: BSD-2-Clause
"""`make mutants`: small changes of src/ (changes.py), one at a time; is each noticed?

A mutant is noticed where a unit test fails, or in a simulated run: where a test
has another verdict on a processor without a fault, or observes something else
where that is certain (observed.txt), or does not catch a fault that it has to
catch. That bytes of a report differ is not enough. A mutant that does not compile
or link, or whose code is the same, is none: another one is drawn. COUNT are drawn
by SEED, as many of each room and of each kind; ROOM names folders below src/, by
patterns.
"""

from typing import Callable, Iterable

from mutant import NotLinked, drawn, rooms
from runs import Runs
from units import Units

IN_ALL, IN_EACH = 90, 85  # percent of the mutants that have to be noticed


def run(result: Callable[[str, Iterable[str]], None], count: int, seed: str,
        patterns: str) -> None:
    folders = rooms(patterns)
    if not folders:
        result(f"a room of src/ is named {patterns}", ["none is"])
        return
    each = -(-count // len(folders))
    units, runs = Units(path for files in folders.values() for path in files), Runs(seed)
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
