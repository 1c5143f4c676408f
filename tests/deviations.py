# SPDX-License-Identifier: BSD-2-Clause
"""`make deviations`: small changes of the simulated processor (mutate.py), one at a
time; does the suite see each?

A deviation is seen where a test says FAIL or ERROR on a processor without a named
fault, where it was not restored, or where no report comes. COUNT are drawn by SEED.
What is left out decides which healthy processor it is, or names a fault. Not all of
the others break a promise of the manual, so that survivors are to be read.
"""

import glob
import os
import re
import shlex
import shutil
import subprocess
from typing import Callable, Iterable

import boots
import ktap
import mutants
import mutate

BUILD = "build/deviations"
MODEL = "tests/silicon/model"
# Draws, errata and texts; who this processor is.
NOT_DRAWN = ("choices", "errata", "induction", "personality", "text")
HOOK = re.compile(r"\b(?:faults?_\w+|errat\w+_\w+|random_\w+)\s*\(")
OF_HOOKS = ("swap", "truth", "statement")  # kinds that change which one is asked
MACHINES = (("skylake-2017", "on"), ("skylake-2018", "off"), ("icelake-server", "off"),
            ("haswell", "off"))
LEAST = 60  # percent


def asks_another(text: str, change: mutate.Change) -> bool:
    """Does it change which hook is asked, not what the processor does?"""
    if change.kind not in OF_HOOKS:
        return False
    for hook in HOOK.finditer(text):
        end, depth = hook.end(), 1
        while depth and end < len(text):
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        if hook.start() <= change.start < end or change.start <= hook.start() < change.end:
            return True
    return False


def linked(mutant: mutants.Mutant) -> bool:
    """Is there an equipment with it, and its snapshot?"""
    new, program = f"{BUILD}/new.o", f"{BUILD}/silicon"
    if not mutants.compiled(mutant.path, mutant.text, mutants.make_variable("CC"), new):
        return False
    objects = [new if o == f"build/bare/{mutant.path}.o" else o
               for o in mutants.make_variable("OBJECTS").split()]
    return all(subprocess.run(command, check=False, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0
               for command in (
        [*shlex.split(mutants.make_variable("LINK")), *objects, "-o", f"{program}.so"],
        ["objcopy", "-S", *mutants.make_variable("SECTIONS").split(), "--target",
         "efi-app-x86_64", "--subsystem=10", f"{program}.so", f"{program}.efi"],
        ["/usr/bin/python3", "scripts/pe_header.py", f"{program}.efi"]))


def snapshot() -> bool:
    return subprocess.run(["/usr/bin/python3", "scripts/run.py", "--silicon",
                           f"{BUILD}/silicon.efi", "--image", f"{BUILD}/tsxpmu.img", "--smp",
                           "2", "--snapshot", f"{BUILD}/smp2.state"], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


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


def notice(mutant: mutants.Mutant) -> str:
    if not linked(mutant):
        return "the linker"
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
    files = [path for path in sorted(glob.glob(f"{MODEL}/*.c"))
             if os.path.basename(path).removesuffix(".c") not in NOT_DRAWN]
    survivors, drawn = [], 0
    for mutant in mutants.drawn("model", files, seed):
        with open(mutant.path, encoding="ascii") as file:
            if asks_another(file.read(), mutant.change):
                continue
        if drawn == count:
            break
        drawn += 1
        by = notice(mutant)
        print(f"        {mutant.where()}: {'seen: ' + by if by else 'SURVIVES'}", flush=True)
        survivors += [] if by else [mutant.where()]
    seen = drawn - len(survivors)
    result(f"deviations: {seen} of {drawn} seen, {100 * seen // max(drawn, 1)} %",
           survivors if seen * 100 < LEAST * drawn else ())
