# SPDX-License-Identifier: BSD-2-Clause
"""The power fails at random moments, and nothing but the running test is lost.

A run on one image: QEMU is killed at a random moment, and booted again, until
a boot ends by itself. Then every result that was complete on the serial port
before a kill must be in the report on the volume, as it was; what was running
may be an ERROR "machine reset"; and the report must be complete.
"""

import concurrent.futures
import dataclasses
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import ktap
import qemu
import volume
from boots import ALL

BUILD = "build"
CORES = os.cpu_count() or 1
BOOTS_MAX = 60  # of one run, until one ends by itself
TIMEOUT = 120  # s of processor time, of one boot
SILENCE = 60  # s, of processor time or, where it wants none, on the wall


@dataclasses.dataclass
class Kind:
    """What is booted. seconds: of processor time, from the report's first line to
    its last."""

    name: str
    silicon: bool
    options: str
    seconds: float


KINDS = (
    Kind("plain QEMU", False, ALL, 0.6),
    # A report for which room is made more than once.
    Kind("plain QEMU, 8 rounds", False, f"{ALL} repeats=8", 3.0),
    Kind("simulated processor", True,
         "tests=tsx_*,force_abort_* trials=50", 6.0),
)


def boot_and_kill(kind, stick, directory, kill_after):
    """Boots; kills after so many seconds of processor time from the report's first
    line on, None: never. Returns the text of the serial port, None where it was
    given up, and whether it was killed, or why it was given up."""
    machine = qemu.Machine(stick, 1, cache="writethrough")
    config = None
    if kind.silicon:
        machine.silicon = BUILD + "/silicon.efi"
        config = ("cpu=skylake-2018\nseed=1\noptions=" + qemu.UNATTENDED + " "
                  + kind.options + "\n")
    else:
        machine.cpu = "qemu64"
    log = os.path.join(directory, "serial")
    machine.serial_file = log
    with open(log, "wb"):
        pass
    process = subprocess.Popen(machine.command(directory, config),
                               stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.STDOUT)
    watchdog = qemu.Watchdog(process, TIMEOUT, SILENCE)
    begun, written = None, 0
    killed = False
    while process.poll() is None:
        with open(log, "rb") as file:
            text = file.read()
        if len(text) > written:
            written = len(text)
            watchdog.restart()
        try:
            used, _ = qemu.processor_time(process)
        except (FileNotFoundError, ProcessLookupError, IndexError):
            continue  # it ends
        if begun is None and ktap.START.strip().encode() in text:
            begun = used
        why = watchdog.expired()
        killed = not why and kill_after is not None and begun is not None \
            and used - begun >= kill_after
        if why or killed:
            process.send_signal(signal.SIGKILL)
            process.wait()
        if why:
            return None, why
        time.sleep(0.002)
    with open(log, encoding="latin-1") as file:
        return file.read().replace("\r", ""), killed


def moment(text):
    """What the machine was doing when it was killed."""
    text = ktap.body(text)
    if not text:
        return "before the report"
    if "# END" in text:
        return "after END"
    _, last, running = ktap.finished(text)
    if last:
        return "between two tests"
    if running:
        return "in a test"
    return "in the summary" if "# summary" in text else "in the header"


class Run:
    """One run, killed and continued until it ends."""

    def __init__(self, kind, seed, kills):
        self.kind = kind
        self.random = random.Random(seed)
        self.kills = kills  # at most
        self.killed = []  # the serial port's text before each
        self.problems = []
        self.preserved = self.marked = 0

    def go(self):
        with tempfile.TemporaryDirectory() as directory:
            stick = os.path.join(directory, "stick.img")
            volume.make_stick(f"{BUILD}/tsxpmu.img", stick)
            if not self.kind.silicon:
                volume.write(stick, "tsxpmu.cfg", qemu.UNATTENDED
                                  + " exit=poweroff " + self.kind.options)
            text = self.boots(stick, directory)
            if text is not None:
                self.judge(text, volume.reports(stick))
            if self.problems:
                os.makedirs(f"{BUILD}/failed", exist_ok=True)
                shutil.copy(stick, f"{BUILD}/failed/powercut.img")
                for n, output in enumerate(self.killed + [text or ""]):
                    with open(f"{BUILD}/failed/powercut-{n}.log", "w",
                              encoding="latin-1") as file:
                        file.write(output)
        return self

    def boots(self, stick, directory):
        for _ in range(BOOTS_MAX):
            after = None
            if len(self.killed) < self.kills:
                after = self.random.uniform(-0.1, 1.1) * self.kind.seconds
            text, killed = boot_and_kill(self.kind, stick, directory, after)
            if text is None:
                self.problems.append(f"a boot was given up: {killed}")
                return None
            if not killed:
                return text
            self.killed.append(text)
        self.problems.append(f"no end after {BOOTS_MAX} boots")
        return None

    def judge(self, text, preserved):
        final = ktap.body(text)
        if final not in preserved.values():
            self.problems.append("the last boot's report is not on the volume: "
                                 + ", ".join(preserved))
        whole = ""
        for name, report in preserved.items():
            parsed = ktap.Report(report)
            if parsed.complete:
                whole += report
                self.marked += report.count("# ERROR machine reset")
            elif ktap.results(report):
                self.problems.append(f"{name}: {parsed.problems}")
        lines = set(whole.splitlines())
        ran = set()
        for output in self.killed:
            done, last, running = ktap.finished(ktap.body(output))
            self.preserved += len(done)
            ran.add(running)
            ran.add(last and ktap.result_of(last).name)
            for line in done:
                if line not in lines:
                    self.problems.append("lost: " + line)
        for test, _ in ktap.results(whole):
            if test.reason == ktap.RESET and test.name not in ran:
                self.problems.append(f"{test.name} did not run when power failed")
        if self.marked > len(self.killed):
            self.problems.append(f"{self.marked} tests lost in "
                                 f"{len(self.killed)} kills")


def kill(kills, seed, figures=None):
    """So many kills in all; prints the figures, and writes them where there is a
    module for it. Returns the problems."""
    left = kills
    lock = threading.Lock()
    runs = []
    source = random.Random(seed)

    def worker():
        nonlocal left
        while True:
            with lock:
                if left <= 0:
                    return
                mine = min(left, source.randint(1, 6))
                left -= mine
                run = Run(KINDS[(0, 1, 0, 1, 2)[len(runs) % 5]],
                          source.random(), mine)
                runs.append(run)
            run.go()
            with lock:
                left += mine - len(run.killed) if not run.problems else 0

    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        for future in [pool.submit(worker) for _ in range(CORES)]:
            future.result()
    moments = {}
    for run in runs:
        for output in run.killed:
            moments[moment(output)] = moments.get(moment(output), 0) + 1
    lines = [
        f"seed {seed}: {sum(len(r.killed) for r in runs)} kills in {len(runs)} runs: "
        + ", ".join(f"{n} {what}" for what, n in sorted(moments.items())),
        f"{sum(r.preserved for r in runs)} results finished before a kill, "
        f"{sum(p.startswith('lost') for r in runs for p in r.problems)} lost; "
        f"{sum(r.marked for r in runs)} running tests marked ERROR"]
    for line in lines:
        print("powercut: " + line, flush=True)
    problems = [f"run {n}, {run.kind.name}: {p}" for n, run in enumerate(runs)
                for p in run.problems]
    if figures and figures.wanted() and not problems:
        figures.powercut(lines)
    return problems


def job(kills, seed=1, figures=None):
    return (f"the power fails {kills} times, and only what ran is lost",
            lambda: kill(kills, seed, figures))
