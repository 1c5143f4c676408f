# SPDX-License-Identifier: BSD-2-Clause
"""Which mutants change a verdict of a simulated run."""

import concurrent.futures
import glob
import os
import random
import re
import shutil
import subprocess
from typing import Iterator

import boots
import expected
import ktap
import listing
import observed
from mutant import BUILD, Mutant, NotLinked, linked

FAULTS_OF_ROOM = 12  # that a mutant of a room of many tests is tried with
HEALTHY = 2  # personalities where a test runs, and as many where it does not
TIMEOUT = 60  # s, of a boot

Row = tuple[str, list[str]]  # of a fault: its name, and what catches it where


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
