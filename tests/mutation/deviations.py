# SPDX-License-Identifier: BSD-2-Clause
"""`make deviations`: small changes of the simulated processor (changes.py), one at a
time; does the suite see each?

A deviation is seen where a test says FAIL or ERROR on a processor without a named
fault, where it was not restored, or where no report comes. COUNT are drawn by SEED.
What is left out decides which healthy processor it is, or names a fault. Not all of
the others break a promise of the manual, so that survivors are to be read.
"""

import glob
import os
import re
import shutil
from typing import Callable, Iterable

import boots
import changes
import ktap
from mutant import Mutant, NotLinked, done, drawn, linked

BUILD = "build/deviations"
MODEL = ("tests/silicon/instructions", "tests/silicon/model")
# Draws, errata and texts; who this processor is.
NOT_DRAWN = ("choices", "errata", "induction", "personality", "text")
HOOK = re.compile(r"(?:faults?|errat\w+|random)_\w+$")
OF_HOOKS = ("swap", "truth", "statement")  # kinds that change which one is asked
MACHINES = (("skylake-2017", "on"), ("skylake-2018", "off"), ("icelake-server", "off"),
            ("haswell", "off"))
LEAST = 60  # percent


def asks_another(text: str, change: changes.Change) -> bool:
    """Does it change which hook is asked, not what the processor does?"""
    if change.kind not in OF_HOOKS:
        return False
    found = changes.tokens(text)
    for index, token in enumerate(found[:-1]):
        if HOOK.match(token.text) and found[index + 1].text == "(":
            end = found[changes.closing(found, index + 1)].start
            if token.start <= change.start <= end or change.start <= token.start < change.end:
                return True
    return False


def snapshot() -> bool:
    return done(["/usr/bin/python3", "scripts/run.py", "--silicon",
                         f"{BUILD}/silicon.efi", "--image", f"{BUILD}/tsxpmu.img", "--smp",
                         "2", "--snapshot", f"{BUILD}/smp2.state"])


def seen_on(cpu: str, smt: str) -> str:
    """What a run says, "" where all is well."""
    said: list[str] = []

    def read(report: ktap.Report, outcome: boots.Outcome) -> Iterable[str]:
        said.extend(f"{verdict} {test}" for verdict in ("FAIL", "ERROR")
                    for test in report.with_verdict(verdict))
        said.extend(boots.restored(report, outcome))
        return ()

    boots.boot_once(boots.Boot("deviation", read, {"cpu": cpu, "smt": smt, "seed": 2},
                               "trials=20 tests=*", timeout=150))
    return f"{said[0]} on {cpu}" if said else ""


def notice(mutant: Mutant) -> str:
    if not linked(mutant, f"{BUILD}/silicon"):
        raise NotLinked
    if not snapshot():
        return "no start"
    for machine in MACHINES:
        if seen := seen_on(*machine):
            return seen
    return ""


def run(result: Callable[[str, Iterable[str]], None], count: int, seed: str) -> None:
    os.makedirs(BUILD, exist_ok=True)
    shutil.copy("build/tsxpmu.img", f"{BUILD}/tsxpmu.img")
    boots.BUILD = BUILD
    files = [path for room in MODEL
             for path in sorted(glob.glob(f"{room}/**/*.c", recursive=True))
             if os.path.basename(path).removesuffix(".c") not in NOT_DRAWN]
    survivors, tried = [], 0
    for mutant in drawn("model", files, seed):
        if asks_another(mutant.original(), mutant.change):
            continue
        if tried == count:
            break
        try:
            by = notice(mutant)
        except NotLinked:
            continue
        tried += 1
        print(f"        {mutant.where()}: {'seen: ' + by if by else 'SURVIVES'}", flush=True)
        survivors += [] if by else [mutant.where()]
    seen = tried - len(survivors)
    result(f"deviations: {seen} of {tried} seen, {100 * seen // max(tried, 1)} %",
           survivors if seen * 100 < LEAST * tried else ())
