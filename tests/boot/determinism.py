# SPDX-License-Identifier: BSD-2-Clause
"""The same machine prints the same, byte by byte, whatever else this one does:
a run by itself, one beside busy loops, and one in which QEMU is stopped and goes
on at random moments.
"""

import contextlib
import functools
import random
import signal
import subprocess
import threading
import time

import expected
import ktap
from boots import CORES, Boot, boot_once, clean

LOOP = ("sh", "-c", "while :; do :; done")


@contextlib.contextmanager
def beside_load():
    loops = [subprocess.Popen(LOOP) for _ in range(2 * CORES)]
    try:
        yield None
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def stop_and_go(process):
    """Until QEMU ends."""
    def loop():
        while process.poll() is None:
            time.sleep(random.uniform(0.01, 0.8))
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGSTOP)
                time.sleep(random.uniform(0.01, 0.3))
                process.send_signal(signal.SIGCONT)
    threading.Thread(target=loop, daemon=True).start()


def undisturbed():
    return contextlib.nullcontext(None)


def stopped():
    return contextlib.nullcontext(stop_and_go)


WAYS = {"by itself": undisturbed, "beside load": beside_load, "stopped at random": stopped}


def once(smp, options, way, whole, seed):
    """What a run prints, and its problems."""
    printed = []

    def want(report, outcome):
        printed.append(ktap.from_start(report.text) or report.text)
        yield from clean(report, outcome)

    with WAYS[way]() as started:
        problems = boot_once(Boot(f"{smp} processors, {way}", want,
                                  {"cpu": "skylake-2018", "seed": seed}, options,
                                  smp=smp, whole=whole, started=started))
    return printed[0] if printed else "", problems


def differences(first, other):
    """The first lines that differ, and how many."""
    a, b = first.splitlines(), other.splitlines()
    unlike = [(x, y) for x, y in zip(a, b) if x != y]
    if len(a) != len(b):
        yield f"{len(a)} lines and {len(b)}"
    for x, y in unlike[:3]:
        yield f"{x} | {y}"
    if unlike:
        yield f"{len(unlike)} lines differ"


def check(result, smp, options, ways, whole=False, seed=1):
    """Each way against the first. Counts one check a way."""
    first = None
    for way in ways:
        printed, problems = once(smp, options, way, whole, seed)
        if first is None:
            first = printed
        elif printed != first:
            problems = problems + list(differences(first, printed))
        result(f"boot: the same report, {smp} processors, {way}: "
               f"{len(printed)} bytes", problems)


def stopped_alike(smp, tests):
    """One that is stopped against one that is not; other boots are beside both."""
    reports = []
    for way in ("by itself", "stopped at random"):
        printed, problems = once(smp, f"tests={tests} trials=2", way, False, 1)
        yield from (f"{way}: {problem}" for problem in problems)
        reports.append(printed)
    yield from differences(*reports)


def jobs():
    """For every run of the checks: a suite, of few trials; with four processors some
    of those tests that are of several. make same has the whole default run."""
    for smp, tests in (2, expected.suite(0, expected.part())), (4, "*conflict*,*pmi*,uncore_*"):
        yield (f"boot: the same report, {smp} processors, stopped at random",
               functools.partial(stopped_alike, smp, tests))


def everything(result):
    """The whole default run."""
    for smp in (1, 2, 4):
        check(result, smp, "", WAYS, whole=True)
