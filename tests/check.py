#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the checks named (host, lint, boot, faults, claims, mutants, deviations, observed,
same, unchanged, soak, sweep, powercut, dist, lab, figures), prints a line for each, and last the
totals. Run by make, which builds what they look at."""

import glob
import os
import re
import subprocess
import sys
import time
from typing import Callable, Iterable

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, d) for d in ("tests", "tests/boot", "tests/mutation", "scripts")]

import ktap

# A make that a check calls has jobs of its own.
os.environ.pop("MAKEFLAGS", None)

# Processor time of a unit test's program, whatever else runs here: one that steps
# its windows takes half a minute where a trap is dear.
UNIT_SECONDS = 120

# cmocka's line of a test that called skip(); newer ones say ok.
SKIPPED = re.compile(r"^(?:not )?ok \d+ # SKIP (.+)$", re.M)

passed = failed = skipped = 0


def result(name: str, problems: Iterable[str]) -> None:
    """Counts one check. problems: lines; none is a pass."""
    global passed, failed
    problems = list(problems)
    passed += not problems
    failed += bool(problems)
    print(("ok      " if not problems else "FAILED  ") + name, flush=True)
    for problem in problems:
        print("        " + problem.rstrip().replace("\n", "\n        "))


def skip(name: str, reason: str) -> None:
    """A check that cannot be made here."""
    global skipped
    skipped += 1
    print(f"SKIP    {name}: {reason}", flush=True)


def host() -> None:
    """The unit tests: each cmocka test is a check. Then the commands of a new
    user, and the host tool."""
    directory = os.path.join(ROOT, "build/tests/host")
    sources = glob.glob("**/*.c", root_dir=os.path.join(ROOT, "tests/host"),
                        recursive=True)
    for name in sorted(source.removesuffix(".c") for source in sources
                       if not source.startswith("fakes/")):
        run = subprocess.run(["/usr/bin/prlimit", f"--cpu={UNIT_SECONDS}",
                              os.path.join(directory, name)], check=False,
                             env={**os.environ, "CMOCKA_MESSAGE_OUTPUT": "TAP"},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=10 * UNIT_SECONDS)
        text = run.stdout.decode("latin-1")
        ran = failed = 0
        for left in SKIPPED.findall(text):
            ran += 1
            skip(f"{name}: {left}", "this machine has not what it needs")
        for test, more in ktap.results(text):
            good = test.verdict == "PASS"
            ran += 1
            failed += not good
            result(f"{name}: {test.name}",
                   [] if good else [l for l in more[:4] if l.startswith("#")]
                   or ["failed"])
        # cmocka's status is how many failed; a line may have been garbled.
        if run.returncode != failed or not ran:
            result(name, [f"status {run.returncode}, {ran} tests"]
                   + text.splitlines()[-25:])

    import commands
    commands.run_host(result)
    import tool
    tool.run(result)
    import tool_plan
    tool_plan.run(result)
    import tool_pt
    tool_pt.run(result, skip)
    import tool_pt_options
    tool_pt_options.run(result)
    import tool_report
    tool_report.run(result)
    import tool_forms
    tool_forms.run(result, skip)
    import tool_db
    tool_db.run(result)
    import tool_page
    tool_page.run(result, skip)
    import tool_install
    tool_install.run(result)


def lint() -> None:
    import lint as lints
    lints.run(result)
    import docs
    docs.run(result)
    claims()


def boot(meanwhile: Callable[[], None] = lambda: None) -> None:
    """All in one queue, the long ones not last. Boots hang on no load, so the other
    checks may be made meanwhile."""
    import boots
    import clocks
    import commands
    import determinism as sames
    import expected
    import machines
    import media
    import powercut as powercuts
    import rewrites
    import scale as scales
    import sweep as sweeps
    import under_linux

    def show(name: str, problems: Iterable[str | None]) -> None:
        if list(problems) == [None]:
            skip(name, "this firmware gets there before iPXE does")
        else:
            result(name, [problem or "" for problem in problems])

    part = expected.part()
    if part is not None:
        print(f"boots of PART={part} of {expected.PARTS}: a quarter of the personalities "
              "run one suite of the tests each; others after the next commit; PART=all: all",
              flush=True)
    boots.each(show, [*sames.jobs(), *map(boots.job, scales.sample()),
                      powercuts.job(kills=3),
                      *map(boots.job, machines.everything()),
                      *(job for n, job in enumerate(media.jobs()) if expected.drawn(n, part)),
                      *commands.jobs(),
                      *map(boots.job, sweeps.sample())], meanwhile)
    clocks.run(result)
    rewrites.run(result)
    under_linux.run(result, skip)


def powercut() -> None:
    import powercut as powercuts
    import figures as written
    name, run = powercuts.job(int(os.environ.get("KILLS") or 100),
                              int(os.environ.get("SEED") or 1), written)
    result(name, run())


def sweep() -> None:
    import boots
    import mp_blocking
    import sweep as sweeps
    boots.run(result, mp_blocking.personalities(None))
    boots.run(result, sweeps.everything())
    print("{runs} runs, {compared} registers compared".format(**sweeps.counts))


def unchanged() -> None:
    import unchanged as unchanges
    unchanges.run(result, os.environ.get("SINCE") or "HEAD~1",
                  int(os.environ.get("TRIALS") or 5))


def same() -> None:
    import determinism as sames
    sames.everything(result)


def scale() -> None:
    import scale as scales
    scales.measure(result)


def soak() -> None:
    import boots
    import expected
    import personalities
    trials = int(os.environ.get("TRIALS") or 300)
    seeds = int(os.environ.get("SEEDS") or 20)
    short = int(os.environ.get("BOOTS") or 0)
    threads = int(os.environ.get("THREADS") or 0)
    if os.environ.get("SOLD"):
        import sold
        first = int(os.environ.get("FROM") or 1)
        sold.run(result, range(first, first + seeds),
                 [int(n) for n in os.environ["SOLD"].split(",")],
                 os.environ.get("CPUS") or "",
                 int(os.environ.get("TRIALS") or personalities.TRIALS_AS_SOLD),
                 int(os.environ.get("JOBS") or boots.CORES))
        return
    if short or threads:
        boots.run(result, personalities.many(short))
        boots.run(result, personalities.with_threads(threads))
        return
    boots.run(result, personalities.personalities(range(1, seeds + 1), trials,
                                             personalities.APART))
    boots.run(result, personalities.as_sold(range(1, seeds + 1), trials))
    boots.run(result, personalities.as_sold([1], personalities.TRIALS_AS_SOLD, 4))
    boots.run(result, personalities.observing(expected.suites(None)))


def faults() -> None:
    import faults as every_fault
    if os.environ.get("ROWS"):
        every_fault.run_rows(result, os.environ.get("FAULTS") or "",
                             os.environ.get("TESTS") or "")
        return
    every_fault.run(result, os.environ.get("FAULTS") or "", os.environ.get("TESTS") or "",
                    int(os.environ.get("TRIALS") or every_fault.TRIALS))


def claims() -> None:
    import claims as catalogue
    catalogue.run(result, os.environ.get("SEEDS") or "")


def observed() -> None:
    import observed as figures_of
    figures_of.write(result, os.environ.get("TESTS") or "", os.environ.get("CPUS") or "")


def mutants() -> None:
    import mutants as changed
    changed.run(result, int(os.environ.get("COUNT") or 500), os.environ.get("SEED") or "1",
                os.environ.get("ROOM") or "")


def deviations() -> None:
    import deviations as changed
    changed.run(result, int(os.environ.get("COUNT") or 50), os.environ.get("SEED") or "1")


def dist() -> None:
    import released
    released.run(result)


def lab() -> None:
    import lab as labs
    labs.run(result)


def figures() -> None:
    import boots
    import costs
    result("figures: the default run", boots.figures())
    result("figures: the simulation under an operating system", costs.run())


def main() -> int:
    start = time.monotonic()
    names = sys.argv[1:]

    def others() -> None:
        for name in names:
            if name != "boot":
                globals()[name]()

    if "boot" in names:
        boot(others)
    else:
        others()
    if passed + failed:
        print(f"{time.monotonic() - start:.0f} s")
        if skipped:
            print(f"{skipped} skipped")
        print(f"{passed} passed, {failed} failed")
    import figures as written
    if sys.argv[1:] == ["host", "lint", "boot"] and written.wanted() and not failed:
        written.checks(time.monotonic() - start, passed, failed, skipped)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
